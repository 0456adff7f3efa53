#!/usr/bin/env bash
# Tests scripts/qkvlab on a small project of the same shape, in a folder whose name has blanks.
set -euo pipefail

scripts=$(dirname "$(readlink -f "$0")")/../../scripts
export QKVLAB_NO_SETUP=1 Torch_DIR
sandbox=$(mktemp -d)
trap 'rm -rf "$sandbox"' EXIT
project="$sandbox/a project"

mkdir -p "$project/src" "$project/scripts" "$sandbox/else where" "$sandbox/bin"
cp "$scripts"/{qkvlab,setup.sh,build.sh} "$project/scripts"
cp "$scripts/../CMakePresets.json" "$project"
ln -s "$project/scripts/qkvlab" "$sandbox/bin/lab"
cat >"$project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(small LANGUAGES CXX)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
add_executable(qkvlab src/main.cpp)
add_executable(qkvlab-engine src/main.cpp)
add_executable(unwanted src/absent.cpp)
add_custom_target(other)
find_package(Torch REQUIRED)
message("LibTorch from ${torch_source}, library from ${TORCH_LIBRARY}")
END
# Two LibTorches, whose configuration remembers a library as the real one does.
for torch in first second; do
  mkdir -p "$sandbox/torch $torch"
  cat >"$sandbox/torch $torch/TorchConfig.cmake" <<END
set(torch_source $torch)
set(TORCH_LIBRARY $torch CACHE STRING "")
END
done
touch "$project/src/absent.cpp" # links to no program, so nothing may build it

# write_program TEXT: a program that prints TEXT, its arguments, its directory and its input.
write_program() {
  cat >"$project/src/main.cpp" <<END
#include <unistd.h>
#include <iostream>
int main(int argc, char** argv) {
  std::cout << "$1";
  for (int i = 1; i < argc; ++i) std::cout << '|' << argv[i];
  std::cout << '|' << get_current_dir_name() << '|' << std::cin.rdbuf();
  return argc == 3 ? 7 : 0;
}
END
}

fail() {
  echo "$1"
  echo "--- what the launcher said:"
  cat "$sandbox/talk"
  exit 1
}

# expect NAME CODE OUTPUT ARGUMENT…: runs the launcher through the link, in another directory.
expect() {
  local name=$1 code=$2 output=$3 got=0
  shift 3
  printf 'input' | "$sandbox/bin/lab" "$@" >"$sandbox/out" 2>"$sandbox/talk" || got=$?
  [[ $got == "$code" ]] || fail "$name: exit code $got, not $code"
  [[ $(<"$sandbox/out") == "$output" ]] || fail "$name: printed '$(<"$sandbox/out")', not '$output'"
}

cd "$sandbox/else where"
here=$PWD
Torch_DIR="$sandbox/torch first"

write_program first
expect 'builds, and only the program talks on stdout' 0 "first|a b|$here|input" 'a b'
expect 'passes the exit code on' 7 "first|x|y|$here|input" x y
[[ ! -s $sandbox/talk ]] || fail 'a call after the build says something'

# Whatever is called now fails.
mkdir "$sandbox/traps"
for tool in cmake dpkg-query flock; do
  printf '#!/bin/sh\nexit 99\n' >"$sandbox/traps/$tool"
  chmod +x "$sandbox/traps/$tool"
done
PATH="$sandbox/traps:$PATH" expect 'goes straight to what is built' 0 "first|$here|input"

grep -q 'from first, library from first' "$project/build/release/configure.log" ||
  fail 'does not take the LibTorch of Torch_DIR'
Torch_DIR='../torch second' expect 'another Torch_DIR' 0 "first|$here|input"
grep -q 'from second, library from second' "$project/build/release/configure.log" ||
  fail 'does not take the LibTorch of another Torch_DIR'
Torch_DIR='' PATH="$sandbox/traps:$PATH" expect 'without Torch_DIR all stays' 0 "first|$here|input"

write_program between
"$project/scripts/build.sh" other 2>"$sandbox/talk" || fail 'does not build another target'
expect 'another target alone does not make it fresh' 0 "between|$here|input"

write_program second
"$sandbox/bin/lab" one </dev/null >"$sandbox/out 1" 2>"$sandbox/talk" &
other=$!
expect 'two callers at once: this one' 0 "second|two|$here|input" two
wait "$other" || fail 'two callers at once: the other failed'
[[ $(<"$sandbox/out 1") == "second|one|$here|" ]] || fail 'two callers at once: the other'

mv "$project" "$sandbox/moved project"
project="$sandbox/moved project"
ln -sfn "$project/scripts/qkvlab" "$sandbox/bin/lab"
expect 'builds anew when the project was moved' 0 "second|$here|input"
grep -q 'building' "$sandbox/talk" || fail 'a moved project was not built anew'

echo 'int main() { return absent_thing; }' >"$project/src/main.cpp"
expect 'a failed build prints nothing on stdout' 1 ''
grep -q 'absent_thing' "$sandbox/talk" || fail 'a failed build does not show the error'
expect 'a failed build is tried again' 1 ''

write_program third
expect 'recovers from a failed build' 0 "third|$here|input"
