#!/usr/bin/env bash
# Tests that tests/reference/statistics.json, which the statistics are held to, is what the script
# beside it computes with SciPy, and that its comparison would notice if it were not.
set -euo pipefail

reference=$(dirname "$(readlink -f "$0")")/../reference
export PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1

# The system's Python: it is the one that has the package that scripts/setup.sh installs.
if ! /usr/bin/python3 -c 'import scipy' 2>/dev/null; then
  echo 'NOT TESTED: that the numbers for the statistics are SciPy'\''s, for want of the package python3-scipy'
  exit 77
fi

/usr/bin/python3 - "$reference" <<'END'
import json
import sys

# Before Python's own `statistics`.
sys.path.insert(0, sys.argv[1])
import statistics

with open(sys.argv[1] + "/statistics.json", encoding="utf-8") as file:
    stored = json.load(file)
computed = statistics.reference()
assert not statistics.differences(stored, computed), statistics.differences(stored, computed)

# The sixth digit of a number, and an end of an interval from random resamples.
stored["welch"][0]["p"] *= 1.00001
interval = stored["bca_iqm"]["skewed_30"]
interval["low_bounds"] = [interval["low"] + 1, interval["low"] + 2]
found = [difference.partition(":")[0] for difference in statistics.differences(stored, computed)]
assert found == [".welch[0].p", ".bca_iqm.skewed_30.low"], found
END
