#!/usr/bin/env bash
# Tests the page of `qkvlab report` in a browser, as people use it. Ends with 77 where there is no
# browser: `scripts/setup.sh browser` installs what it needs.
#   report_page_test.sh BUILD          BUILD: a build folder in which qkvlab is built
# Screenshots are left in BUILD/report_page.
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
build=$(readlink -f "$1")
lacking=()
for program in chromium chromedriver; do
  command -v "$program" >/dev/null || lacking+=("$program")
done
/usr/bin/python3 -c 'import selenium' 2>/dev/null || lacking+=("Python's selenium")
if ((${#lacking[@]})); then
  printf 'skipped, since the machine has no %s; scripts/setup.sh browser installs what the test of pages needs\n' \
    "${lacking[0]}"
  exit 77
fi

sandbox=$(mktemp -d)
trap 'rm -rf "$sandbox"' EXIT
mkdir -p "$build/report_page"
export HOME=$sandbox XDG_CONFIG_HOME=$sandbox PYTHONDONTWRITEBYTECODE=1
/usr/bin/python3 "$here/report_page_test.py" "$build/bin/qkvlab" "$sandbox" "$build/report_page"
