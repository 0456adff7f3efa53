#!/usr/bin/env bash
# Tests that an installed tree runs from elsewhere, with the data it came with.
#   install_test.sh BUILD          BUILD: a build folder in which the programs are built
set -euo pipefail

build=$1
sandbox=$(mktemp -d)
trap 'rm -rf "$sandbox"' EXIT

cmake --install "$build" --prefix "$sandbox/first" >"$sandbox/log" || { cat "$sandbox/log"; exit 1; }
mv "$sandbox/first" "$sandbox/a moved tree"
cd /
if ! "$sandbox/a moved tree/bin/qkvlab" attend configs/attend/padding_row.json >"$sandbox/out"; then
  echo 'the installed program does not find its worked inputs'
  exit 1
fi
grep -q '^weights = softmax of each row' "$sandbox/out" || { cat "$sandbox/out"; exit 1; }
