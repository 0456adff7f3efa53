#!/usr/bin/env bash
# Tests which files scripts/check has tidied and that it fails where a tool does, in a small project
# whose tools only note what they are asked.
set -euo pipefail

scripts=$(dirname "$(readlink -f "$0")")/../../scripts
sandbox=$(mktemp -d)
trap 'rm -rf "$sandbox"' EXIT
project="$sandbox/a project"
export QKVLAB_NO_SETUP=1 GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null

mkdir -p "$sandbox/bin" "$project"/{scripts,src/base,tests/base}
cp "$scripts"/{check,check-includes,setup.sh} "$project/scripts"
cd "$project"
# stub NAME: a program in bash whose body is read from the standard input.
stub() {
  { echo '#!/bin/bash'; cat; } >"$sandbox/bin/$1"
  chmod +x "$sandbox/bin/$1"
}
stub cmake <<<''
stub clang-format <<<''
stub clang-tidy <<<"echo \"\${@: -1}\" >>'$sandbox/tidied'"
PATH=$sandbox/bin:$PATH

commit() {
  git add .
  git -c user.name=a -c user.email=a@b commit -qm "$1"
}
# change FILE…: a commit that changes them.
change() {
  for file in "$@"; do echo '// more' >>"$file"; done
  commit "$*"
}

# expect CODE FILE…: what check, with the arguments in `options`, exits with, and what it has tidied.
options=()
expect() {
  local code=$1 got=0
  shift
  rm -f "$sandbox/tidied"
  touch "$sandbox/tidied"
  scripts/check "${options[@]}" >"$sandbox/talk" 2>&1 || got=$?
  if [[ $got != "$code" || $(sort "$sandbox/tidied" | tr '\n' ' ') != "${*:+$* }" ]]; then
    echo "after '$(git log -1 --format=%s)': exit code $got, not $code; tidied:"
    cat "$sandbox/tidied"
    echo "instead of: $*; it said:"
    cat "$sandbox/talk"
    exit 1
  fi
}

git init -q
echo /build/ >.gitignore
echo '#pragma once' | tee src/base/{own,alone,between,unused}.hpp >tests/base/help.hpp
echo '#include "base/alone.hpp"' >>src/base/between.hpp
echo '#include "base/own.hpp"' >src/base/own.cpp
echo '#include "base/own.hpp"' >src/base/user.cpp
echo '#include "base/alone.hpp"' >src/base/direct.cpp
echo '#include "base/between.hpp"' >src/base/indirect.cpp
echo '#include "base/help.hpp"' >tests/base/own_test.cpp
commit 'everything new'
expect 0 src/base/{direct,indirect,own,user}.cpp tests/base/own_test.cpp

change src/base/user.cpp
expect 0 src/base/user.cpp
change src/base/own.hpp src/base/own.cpp
expect 0 src/base/own.cpp
change src/base/alone.hpp
expect 0 src/base/{direct,indirect}.cpp
change tests/base/help.hpp src/base/unused.hpp
expect 0 tests/base/own_test.cpp
git rm -q src/base/user.cpp
commit 'a file removed'
expect 0

# What changed comes first, then the rest once each, as long as there is time.
change src/base/own.cpp
options=(--minutes 5)
stub nproc <<<'echo 1'
expect 0 src/base/{direct,indirect,own}.cpp tests/base/own_test.cpp
grep -q '^src/base/own.cpp$' <(head -1 "$sandbox/tidied") || { echo 'does not begin with what changed'; exit 1; }
stub date <<<'cat seconds; echo $(($(cat seconds) + 200)) >seconds'
echo 0 >seconds
expect 0 src/base/own.cpp
grep -q '3 of 4 files were left' "$sandbox/talk" || { echo 'does not say what it has left'; exit 1; }
rm "$sandbox"/bin/{date,nproc} seconds
options=()

change src/base/own.cpp
stub clang-tidy <<<'echo "a fault"; exit 1'
expect 1
grep -q 'src/base/own.cpp .*: fault' "$sandbox/talk" || { echo 'does not name the fault'; exit 1; }
stub clang-tidy <<<''
stub git <<END
if [[ \$1 == diff ]]; then echo 'fatal: no diff' >&2; exit 128; fi
exec $(command -v git) "\$@"
END
expect 1
grep -q 'fatal: no diff' "$sandbox/talk" || { echo 'does not say why git failed'; exit 1; }
