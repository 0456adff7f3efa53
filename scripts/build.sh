#!/usr/bin/env bash
# Configures the preset `release` and builds it in build/release.
#   scripts/build.sh [-DNAME=VALUE…] [TARGET…]        without targets: all of them
# Callers at once wait for each other. All talk goes to stderr.
# Torch_DIR names the folder of another LibTorch's TorchConfig.cmake, which is kept until it names
# the next. CMAKE_BUILD_PARALLEL_LEVEL sets the number of jobs; default: one per core, memory allowing.
set -euo pipefail
exec </dev/null >&2

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
build=$root/build/release
# CMake heeds the environment's Torch_DIR only while it remembers none.
torch=${Torch_DIR:+$(realpath --no-symlinks --canonicalize-missing "$Torch_DIR")}
cd "$root"

definitions=(${torch:+"-DTorch_DIR=$torch"})
targets=()
for argument in "$@"; do
  case $argument in
    -D*) definitions+=("$argument") ;;
    *) targets+=("$argument") ;;
  esac
done

say() { printf 'build: %s\n' "$*"; }

# The LibTorch sources of a folder, compiled as one, take up to 2 GiB of memory.
job_count() {
  local jobs fitting
  jobs=$(nproc)
  fitting=$(awk '/^MemAvailable:/ { print int($2 / (2 * 1024 * 1024)) }' /proc/meminfo || true)
  if [[ -n $fitting ]] && ((fitting < jobs)); then jobs=$fitting; fi
  echo $((jobs > 1 ? jobs : 1))
}

mkdir -p "$build"
exec {lock}>"$build/.lock"
if ! flock --nonblock "$lock"; then
  say "waiting for another build in $build"
  flock "$lock"
fi

# Whether what CMake remembers is of this project and of the LibTorch that is asked for.
is_cache_right() {
  grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt" || return 1
  [[ -z $torch || $(sed -n 's/^Torch_DIR:[^=]*=//p' "$build/CMakeCache.txt") == "$torch" ]]
}

# CMake refuses a build folder that was moved or copied together with its project, and mixes two
# LibTorches where Torch_DIR alone changes.
if [[ -e $build/CMakeCache.txt ]] && ! is_cache_right; then
  rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
fi

# Dated before the build reads anything, so that a file changed meanwhile is newer than the stamp.
printf '%s\n' "$root" "${Torch_DIR:-}" >"$build/.stamp.new"
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
# The stamp is that of the programs: another target alone does not bring them up to date.
if ((${#targets[@]} == 0)) || [[ " ${targets[*]} " == *' qkvlab-engine '* ]]; then
  mv "$build/.stamp.new" "$build/.stamp"
fi
