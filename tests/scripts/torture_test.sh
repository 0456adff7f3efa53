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

/usr/bin/python3 "$project/scripts/torture" --kills 8 --seed 5 --qkvlab "$qkvlab"

# A program that loses a record of one run whenever it has been started before.
cat >"$sandbox/forgetful" <<END
#!/usr/bin/env bash
"$qkvlab" "\$@"
code=\$?
folder=\${!#}
if [[ \$folder == *sweep* ]]; then
  records=(\$folder/records/*.jsonl)
  sed -i '20d' "\${records[0]}"
fi
exit \$code
END
chmod +x "$sandbox/forgetful"
if /usr/bin/python3 "$project/scripts/torture" --kills 0 --qkvlab "$sandbox/forgetful" 2>"$sandbox/talk"; then
  echo "a lost record was not noticed"
  exit 1
fi
grep -q 'differs from the undisturbed one' "$sandbox/talk"
