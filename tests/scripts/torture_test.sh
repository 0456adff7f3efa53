#!/usr/bin/env bash
# Tests that a sweep that is killed again and again comes to the records of an undisturbed one, and
# that scripts/torture would notice if it did not.
#   torture_test.sh BUILD        BUILD: a build folder in which the programs are built
set -euo pipefail

project=$(readlink -f "$(dirname "$(readlink -f "$0")")/../..")
qkvlab=$(readlink -f "$1")/bin/qkvlab
sandbox=$(mktemp -d)
trap 'rm -rf "$sandbox"' EXIT
export TMPDIR=$sandbox PYTHONDONTWRITEBYTECODE=1

torture() { /usr/bin/python3 "$project/scripts/torture" "$@"; }

torture --kills 8 --seed 5 --qkvlab "$qkvlab" >"$sandbox/result"
grep -q '^8 kills of unfinished work' "$sandbox/result"
torture --kills 4 --seed 6 --delete-checkpoints --qkvlab "$qkvlab" >"$sandbox/result"
grep -q '^between them the checkpoints of [1-9][0-9]* groups were deleted$' "$sandbox/result"

# Makes the program `fake`, whose text is the standard input; $folder is the sweep's folder.
fake() {
  { printf '#!/usr/bin/env bash\nfolder=${!#}\n'; cat; } >"$sandbox/fake"
  chmod +x "$sandbox/fake"
}

# Fails unless torture refuses the program `fake` and says why: refuses ARGUMENT… PATTERN
refuses() {
  if torture --qkvlab "$sandbox/fake" "${@:1:$#-1}" 2>"$sandbox/talk"; then
    echo "not noticed: ${!#}"
    exit 1
  fi
  grep -q "${!#}" "$sandbox/talk" || { cat "$sandbox/talk"; exit 1; }
}

# A program that loses a record of one run whenever it has been started before.
fake <<END
"$qkvlab" "\$@"
code=\$?
if [[ \$folder == *sweep* ]]; then
  records=(\$folder/records/*.jsonl)
  sed -i '20d' "\${records[0]}"
fi
exit \$code
END
refuses --kills 0 'differs from the undisturbed one'

# Two runs, done at once in the undisturbed sweep; PROGRAM is what becomes of others.
two_runs='
if [[ $folder == *whole ]]; then sleep 0.2; fi
mkdir -p "$folder/records"
for run in a b; do
  printf "{\"type\":\"run\",\"run\":\"$run\"}\n{\"type\":\"end\",\"run\":\"$run\"}\n"
done >"$folder/records/a.jsonl"
if [[ $folder == *whole ]]; then exit; fi'

# A fault of the program is not taken for one of the killer.
fake <<<"$two_runs"$'\nexit 70'
refuses --kills 0 'ended with exit code 70'
fake <<<"$two_runs"$'\nkill -SEGV $$'
refuses --kills 0 'ended with exit code -11'
fake <<<"$two_runs"$'\necho "trying again: its process was killed by signal 11" >&2\nexit 1'
refuses --kills 0 'a fault of the program: .* signal 11'

# Kills after all is done do not count.
fake <<<"$two_runs"$'\nexec sleep 10'
refuses --kills 5 'kills in a row struck no work'
