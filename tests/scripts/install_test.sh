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

# The commands that need no LibTorch run without it: `qkvlab` is not linked with it, and needs no
# engine beside it.
if ldd "$sandbox/a moved tree/bin/qkvlab" | grep -iE 'torch|c10'; then
  echo 'qkvlab is linked with LibTorch'
  exit 1
fi
rm "$sandbox/a moved tree/bin/qkvlab-engine"
printf 'variant,seed,loss\na,0,1\nb,0,2\n' >"$sandbox/t.csv"
for command in --help schema 'check configs/sentiment.json' "compare $sandbox/t.csv"; do
  # Unquoted: a command and its arguments.
  if ! "$sandbox/a moved tree/bin/qkvlab" $command >"$sandbox/out"; then
    echo "$command needs the engine"
    exit 1
  fi
done
