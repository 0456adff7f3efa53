#!/usr/bin/env bash
# Tests that scripts/fuzz says what it can do, and that it notices a program that breaks a promise.
#   fuzz_test.sh BUILD        BUILD: a build folder in which the programs are built
set -euo pipefail

project=$(readlink -f "$(dirname "$(readlink -f "$0")")/../..")
qkvlab=$(readlink -f "$1")/bin/qkvlab
sandbox=$(mktemp -d)
trap 'rm -rf "$sandbox"' EXIT
export TMPDIR=$sandbox PYTHONDONTWRITEBYTECODE=1

fail() {
  echo "$1"
  cat "$sandbox/talk"
  exit 1
}

for arguments in '' 'nonsense 1' 'json' 'json soon' 'minimise' 'minimise program'; do
  code=0
  # shellcheck disable=SC2086
  "$project/scripts/fuzz" $arguments >"$sandbox/talk" 2>&1 || code=$?
  ((code == 2)) || fail "'$arguments' ends with $code, not 2"
  grep -q 'names: program attend config csv json' "$sandbox/talk" || fail "'$arguments' says no names"
done

program() { /usr/bin/python3 "$project/tests/fuzz/program.py" "$@" --found "$sandbox" >"$sandbox/talk" 2>&1; }

program 10 --seed 1 --qkvlab "$qkvlab" || fail 'something broke'
grep -q '^[1-9][0-9]* inputs, seed 1; 0 broke something$' "$sandbox/talk" || fail 'no inputs were tried'

# A program that is at fault itself for what it should refuse.
printf '#!/usr/bin/env bash\n"%s" "$@"\ncode=$?\n((code != 2)) || exit 70\nexit $code\n' "$qkvlab" >"$sandbox/faulty"
chmod +x "$sandbox/faulty"
code=0
program 10 --seed 1 --qkvlab "$sandbox/faulty" || code=$?
((code == 1)) || fail 'a faulty program is not noticed'
grep -q 'exit code 70: .*; kept in' "$sandbox/talk" || fail 'the exit code is not named'
ls "$sandbox"/program-*/input/* >/dev/null
