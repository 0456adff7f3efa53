#!/usr/bin/env bash
# Tests that tests/reference/statistics.json, which the statistics are held to, is what the script
# beside it computes with SciPy, and that the script would notice if it were not.
set -euo pipefail

reference=$(dirname "$(readlink -f "$0")")/../reference
sandbox=$(mktemp -d)
trap 'rm -rf "$sandbox"' EXIT
export PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1

# The system's Python: it is the one that has the package that scripts/setup.sh installs.
if ! /usr/bin/python3 -c 'import scipy' 2>"$sandbox/talk"; then
  echo 'NOT TESTED: that the numbers for the statistics are SciPy'\''s, for want of the package python3-scipy'
  exit 77
fi

/usr/bin/python3 "$reference/statistics.py" --check "$reference/statistics.json"

# The sixth digit of a number, and an end of an interval from random resamples.
/usr/bin/python3 - "$reference/statistics.json" "$sandbox/altered.json" <<'END'
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    reference = json.load(file)
reference["welch"][0]["p"] *= 1.00001
interval = reference["bca"]["skewed_30"]
interval["low_bounds"] = [interval["low"] + 1, interval["low"] + 2]
with open(sys.argv[2], "w", encoding="utf-8") as file:
    json.dump(reference, file)
END
if /usr/bin/python3 "$reference/statistics.py" --check "$sandbox/altered.json" 2>"$sandbox/talk"; then
  echo 'takes altered numbers for those that it computes'
  exit 1
fi
grep -q 'welch\[0\].p' "$sandbox/talk" && grep -q 'bca.skewed_30.low' "$sandbox/talk" &&
  [[ $(wc -l <"$sandbox/talk") == 3 ]] || { cat "$sandbox/talk"; exit 1; }
