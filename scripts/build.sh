#!/usr/bin/env bash
# Configures the preset `release` and builds it in build/release.
#   scripts/build.sh [-DNAME=VALUE…] [TARGET…]        without targets: all of them
# Callers at once wait for each other. All talk goes to stderr.
# CMAKE_BUILD_PARALLEL_LEVEL sets the number of jobs; default: one per core, memory allowing.
set -euo pipefail
exec </dev/null >&2

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
build=$root/build/release
cd "$root"

definitions=()
targets=()
for argument in "$@"; do
  case $argument in
    -D*) definitions+=("$argument") ;;
    *) targets+=("$argument") ;;
  esac
done

say() { printf 'build: %s\n' "$*"; }

# A LibTorch translation unit takes up to 1.5 GiB of memory.
job_count() {
  local by_cores by_memory
  by_cores=$(nproc)
  by_memory=$(awk '/^MemAvailable:/ { print int($2 / (1.5 * 1024 * 1024)) }' /proc/meminfo || true)
  if ((${by_memory:-by_cores} < by_cores)); then by_cores=$by_memory; fi
  echo $((by_cores > 1 ? by_cores : 1))
}

mkdir -p "$build"
exec {lock}>"$build/.lock"
if ! flock --nonblock "$lock"; then
  say "waiting for another build in $build"
  flock "$lock"
fi

# CMake refuses a build folder that was moved or copied together with its project.
if [[ -e $build/CMakeCache.txt ]] &&
  ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt"; then
  rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
fi

# Dated before the build reads anything, so that a file changed meanwhile is newer than the stamp.
printf '%s\n' "$root" >"$build/.stamp.new"
if ! cmake --preset release "${definitions[@]}" >"$build/configure.log" 2>&1; then
  cat "$build/configure.log"
  say "CMake could not configure the project: see above, or $build/configure.log"
  exit 1
fi
say "building in $build (the first time takes minutes)"
if ! cmake --build "$build" --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-$(job_count)}" \
  ${targets[@]:+--target "${targets[@]}"}; then
  say "the build failed: see above"
  exit 1
fi
mv "$build/.stamp.new" "$build/.stamp"
