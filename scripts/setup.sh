#!/usr/bin/env bash
# Installs the Debian packages that qkvlab needs and this machine lacks.
#   scripts/setup.sh [test] [browser] [check] [fuzz]
# without arguments: what building and running need; `test`, `check` and `fuzz` add what those scripts
# need, `browser` what the tests of pages need, which are left out without it.
# QKVLAB_NO_SETUP=1 leaves the packages to you (another distribution, a LibTorch of your own).
set -euo pipefail

run_packages=(
  g++ cmake ninja-build ccache
  # LibTorch alone brings the reference BLAS, with which a training step takes 17 times as long.
  libtorch-dev libopenblas0-pthread
  libcli11-dev libspdlog-dev nlohmann-json3-dev libxxhash-dev libboost-dev
  # Draws the curves of `qkvlab report`, whose pages carry it inside.
  libjs-dygraphs
)
# The schema of configs is held to a validator, and the statistics to a library, that are not this
# project's own.
test_packages=(libgtest-dev git python3-jsonschema python3-scipy)
# The page of `qkvlab report` is used as people use it.
browser_packages=(chromium chromium-driver python3-selenium)
check_packages=(git clang-format clang-tidy)
# libFuzzer and the sanitizers' library are Clang's.
fuzz_packages=(clang libclang-rt-dev)

say() { printf 'setup: %s\n' "$*" >&2; }

# Prints those of the given packages that are not installed, in one line.
missing_of() {
  # dpkg-query fails when it has never heard of one of them, and still lists the others.
  { dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true; } |
    awk -v wanted="$*" '
      $1 == "installed" { installed[$2] }
      END {
        n = split(wanted, names, " ")
        for (i = 1; i <= n; i++)
          if (!(names[i] in installed)) { printf "%s%s", separator, names[i]; separator = " " }
      }'
}

packages=("${run_packages[@]}")
for group in "$@"; do
  case $group in
    test) packages+=("${test_packages[@]}") ;;
    browser) packages+=("${browser_packages[@]}") ;;
    check) packages+=("${check_packages[@]}") ;;
    fuzz) packages+=("${fuzz_packages[@]}") ;;
    *) say "'$group' is no group of packages; allowed: test, browser, check, fuzz"; exit 2 ;;
  esac
done

[[ -z ${QKVLAB_NO_SETUP:-} ]] || exit 0
read -ra missing <<<"$(missing_of "${packages[@]}")"
((${#missing[@]})) || exit 0

as_root=()
if ((EUID != 0)); then as_root=(sudo); fi
if ! command -v apt-get >/dev/null || { ((EUID != 0)) && ! command -v sudo >/dev/null; }; then
  say "needs apt-get, and root or sudo. Have these Debian packages installed: ${missing[*]}" \
    "(or set QKVLAB_NO_SETUP=1 if you have them from elsewhere)"
  exit 2
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt_get() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
    -o DPkg::Lock::Timeout=600 -o Acquire::Retries=5 "$@" </dev/null >"$log" 2>&1
}

say "installing ${missing[*]} (takes minutes)"
# Another apt-get may hold the lock of the lists, which DPkg::Lock::Timeout does not wait for. Lists
# that cannot be renewed need not be in the way of the installation.
for try in 1 2 3 4 5 6; do
  if apt_get update; then break; fi
  if ((try == 6)); then
    cat "$log" >&2
    say "the package lists could not be renewed; going on with the old ones"
  else
    sleep 5
  fi
done
if ! apt_get install --no-install-recommends "${missing[@]}"; then
  cat "$log" >&2
  say "apt-get failed (see above). Have these Debian packages installed: ${missing[*]}"
  exit 2
fi
