#!/usr/bin/env bash
# Tests scripts/setup.sh with a dpkg-query, an apt-get and a sudo that only note what they are asked.
set -euo pipefail

setup=$(dirname "$(readlink -f "$0")")/../../scripts/setup.sh
sandbox=$(mktemp -d)
trap 'rm -rf "$sandbox"' EXIT
unset QKVLAB_NO_SETUP

mkdir "$sandbox/bin"
for tool in bash env awk mktemp rm cat; do
  printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v "$tool")" >"$sandbox/bin/$tool"
  chmod +x "$sandbox/bin/$tool"
done

# stub NAME: a program in bash whose body is read from the standard input.
stub() {
  { echo '#!/bin/bash'; cat; } >"$sandbox/bin/$1"
  chmod +x "$sandbox/bin/$1"
}
stub sudo <<<'exec "$@"'
stub sleep <<<''
stub apt-get <<<"echo \"\$*\" >>'$sandbox/asked'; echo talk"
# Everything is installed but what is in the file `lacking`.
stub dpkg-query <<END
for name in "\${@:4}"; do
  lacking=\$(<'$sandbox/lacking')
  [[ " \$lacking " == *" \$name "* ]] || echo "installed \$name"
done
exit 1
END

fail() {
  echo "$1; it said: $(<"$sandbox/talk")"
  exit 1
}

# run LACKING CODE ARGUMENT…
run() {
  local code=$2 got=0
  echo "$1" >"$sandbox/lacking"
  : >"$sandbox/asked"
  PATH=$sandbox/bin bash "$setup" "${@:3}" >"$sandbox/out" 2>"$sandbox/talk" || got=$?
  [[ $got == "$code" ]] || fail "exit code $got, not $code"
  [[ ! -s $sandbox/out ]] || fail 'talks on stdout'
}

run '' 0 test check
[[ ! -s $sandbox/asked ]] || fail 'asks for packages though all are there'

run 'ninja-build libgtest-dev' 0
[[ $(<"$sandbox/asked") == *update*install*' ninja-build' ]] || fail 'does not ask for what it lacks'

run 'ninja-build libgtest-dev' 0 test
[[ $(<"$sandbox/asked") == *' ninja-build libgtest-dev' ]] || fail 'forgets what the tests need'

run 'chromium' 0 test
[[ ! -s $sandbox/asked ]] || fail 'has everybody install a browser'
run 'chromium chromium-driver' 0 test browser
[[ $(<"$sandbox/asked") == *' chromium chromium-driver' ]] || fail 'forgets what the page is tested with'

run 'clang' 0 test check
[[ ! -s $sandbox/asked ]] || fail 'has everybody install a second compiler'
run 'clang' 0 fuzz
[[ $(<"$sandbox/asked") == *' clang' ]] || fail 'forgets what finds bad inputs'

run '' 2 tests
[[ $(<"$sandbox/talk") == *"'tests'"*'test, browser, check, fuzz'* ]] || fail 'does not say which groups there are'

stub apt-get <<<'echo "E: no network"; exit 100'
run 'ninja-build' 2
[[ $(<"$sandbox/talk") == *'E: no network'*'Debian packages installed: ninja-build' ]] ||
  fail 'does not say why apt-get failed and what to install'

rm "$sandbox/bin/apt-get"
run 'cmake g++' 2
[[ $(wc -l <"$sandbox/talk") == 1 && $(<"$sandbox/talk") == *'g++ cmake'* ]] ||
  fail 'does not name in one line what to install without apt-get'
