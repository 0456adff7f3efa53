#!/usr/bin/env bash
# Tests by a short simulation that the statistics hold the bounds of scripts/calibrate, and that it
# would notice if they did not.
#   calibrate_test.sh BUILD      BUILD: a build folder in which the programs are built
set -euo pipefail

calibrate=$1/bin/qkvlab_calibrate
sandbox=$(mktemp -d)
trap 'rm -rf "$sandbox"' EXIT

fail() {
  echo "$1"
  cat "$sandbox/table"
  exit 1
}

# run CODE OPTION…
run() {
  local code=$1 got=0
  shift
  "$calibrate" "$@" >"$sandbox/table" 2>"$sandbox/talk" || got=$?
  [[ $got == "$code" ]] || fail "$*: exit code $got, not $code"
}

run 0 --comparisons 1000 --resamples 499 --flips 999 --seed 1
[[ $(grep -cE '^ +(normal|skewed|two-humped) +(6|10|30)( +[0-9.]+ ± [0-9.]+){6}$' "$sandbox/table") == 9 ]] ||
  fail 'does not show nine cells'
grep -q '^With 999 random flips .* and 499 resamples ' "$sandbox/table" ||
  fail 'does not say with how many resamples'
grep -qx 'All bounds hold.' "$sandbox/table" || fail 'does not say that all bounds hold'
[[ $(grep -c ' of 9, ' "$sandbox/talk") == 9 ]] || fail 'shows no progress'

short=(--comparisons 100 --resamples 99 --flips 99)
run 1 "${short[@]}" --difference 1
grep -q '^MISSED: normal, n = 30: the sign-flip test rejects' "$sandbox/table" ||
  fail 'does not notice a test that rejects too often'
grep -q '^MISSED: normal, n = 30: the t interval of the mean difference' "$sandbox/table" ||
  fail 'does not notice an interval that covers too rarely'
cp "$sandbox/table" "$sandbox/first"
run 1 "${short[@]}" --difference 1
cmp -s "$sandbox/first" "$sandbox/table" || fail 'the same seed gives something else'
run 1 "${short[@]}" --difference 1 --seed 2
if cmp -s "$sandbox/first" "$sandbox/table"; then fail 'another seed gives the same'; fi

run 2 --comparisons 0
