#!/usr/bin/env bash
# Tests by an independent validator that what `qkvlab schema` prints is a JSON Schema that accepts
# every config that is shipped and every right example, and refuses what is wrong by itself.
#   schema_test.sh BUILD_FOLDER
set -euo pipefail

project=$(dirname "$(readlink -f "$0")")/../..
qkvlab=$1/bin/qkvlab
sandbox=$(mktemp -d)
trap 'rm -rf "$sandbox"' EXIT

"$qkvlab" schema >"$sandbox/schema.json"
# With all defaults written out. Texts that are not shipped have a stand-in.
printf 'to be or not to be %.0s' {1..100} >"$sandbox/a.txt"
while IFS= read -r config; do
  name=${config#"$project/configs/"}
  stand_in=()
  grep -q '"kind": "text"' "$config" && stand_in=("task.file=$sandbox/a.txt")
  mkdir -p "$(dirname "$sandbox/resolved/$name")"
  "$qkvlab" check "$config" "${stand_in[@]}" --format json >"$sandbox/resolved/$name"
done < <(find "$project/configs" -name '*.json' ! -path '*/attend/*' ! -name '*.schema.json')

# The system's Python: it is the one that has the package that scripts/setup.sh installs.
/usr/bin/python3 - "$project" "$sandbox" <<'END'
import glob, json, os, sys
import jsonschema

project, sandbox = sys.argv[1:]


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


schema = load(sandbox + "/schema.json")
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
faults = []


def expect(valid, config, what):
    errors = list(validator.iter_errors(config))
    if bool(errors) == valid:
        faults.append(f"{what}: {config}: {errors[0].message if errors else 'accepted'}")


resolved = sorted(glob.glob(sandbox + "/resolved/**/*.json", recursive=True))
if len(resolved) < 11:
    faults.append(f"only {len(resolved)} configs were found")
for path in resolved:
    name = os.path.relpath(path, sandbox + "/resolved")
    expect(True, load(f"{project}/configs/{name}"), name)
    expect(True, load(path)["config"], "resolved " + name)
examples = load(project + "/tests/config/example_configs.json")
for config in examples["right"]:
    expect(True, config, "right example")
for wrong in examples["wrong for its fields"]:
    expect(False, wrong["config"], "wrong example")
# What no schema can say; the program alone refuses these.
for wrong in examples["wrong in what fits what"]:
    expect(True, wrong["config"], "example whose fields are right by themselves")
if faults:
    sys.exit("\n".join(faults))
END
