#!/bin/bash
# BESIDE others: nothing here depends on a quiet machine.
# The flame graph in a browser: loaded, searched, zoomed, walked by keys, with hostile names.
set -uo pipefail
source "$(dirname "$0")/lib.bash"

repository=$PWD
playwright=$repository/web/node_modules/playwright-core
[ -e "$playwright/index.mjs" ] || npm ci --silent --prefix web

in_browser() { # SCENARIO, with folded stacks on standard input
  cat >in.folded
  wick convert in.folded -o out.svg 2>said || { cat said; return 1; }
  node "$repository/tests/native/svg_browser.mjs" "$playwright" out.svg "$1"
}

small() { printf '%s\n' 'sh;main;work;leaf_a 30' 'sh;main;work;leaf_b 30' 'sh;main;Sub 40'; }
on_small() { small | in_browser "$1"; }

tall() { { printf sh; printf ';f%d' {1..80}; echo ' 1'; } | in_browser "$1"; }

# The last one turns the direction of writing: U+202E.
hostile() {
  printf 'sh;%s 20\n' '<script>x=1</script>' ']]><b>' "\"'&amp" 'שלום' '😀 emoji' $'rlo\u202eabc' |
    in_browser keeps_names_text
}

difference() {
  in_browser shows_a_difference <<'END'
sh;main;gone 30 0
sh;main;grown 10 30
sh;main;same 20 20
sh;main;fresh 0 30
END
}

keeps_palette() {
  small >in.folded
  wick convert in.folded --cp palette.map --colors java -o one.svg || return 1
  grep -q '^leaf_a->rgb([0-9]*,[0-9]*,[0-9]*)$' palette.map || { cat palette.map; return 1; }
  sed -i 's/^leaf_a->.*/leaf_a->rgb(1,2,3)/' palette.map
  { small; echo 'sh;main;later 5'; } >more.folded
  wick convert more.folded --cp palette.map --colors red -o two.svg || return 1
  grep -q 'stroke:#010203' two.svg && grep -q '^leaf_a->rgb(1,2,3)$' palette.map && grep -q '^later->' palette.map
}

refuses_wrong_options() {
  local options
  small >in.folded
  for options in --colors=pink --bgcolors=none --minwidth=x --width=1 --factor=0 '--hash --random'; do
    # shellcheck disable=SC2086  # two words
    wick convert in.folded $options -o out.svg 2>said
    equal "exit of $options" $? 2 || { cat said; return 1; }
    [ ! -e out.svg ] || { echo "$options left a file"; return 1; }
  done
}

# One function, another, and the first again: three frames side by side.
charts_in_order() {
  local name time=1
  for name in a b a; do
    printf 'app 7/7 [000] %d.000000: 1 cpu-clock: \n\t55d0 %s+0x1 (/bin/app)\n\n' $((time++)) "$name"
  done >perf.txt
  wick convert perf.txt --flamechart -o out.svg || return 1
  grep '^nodes:' out.svg >nodes
  equal "nodes" "$(cat nodes)" 'nodes:",,3,,,,3,,,,1,1,1,,1,2,1,,1,1",'
}

check "svg: --flamechart goes by the samples' times" charts_in_order
check "svg: --cp keeps colours from graph to graph" keeps_palette
check "svg: wrong options are told before anything is written" refuses_wrong_options
check "svg: loads, and is as wide as the window" on_small loads
check "svg: a tall graph opens at its root, and keeps its heading" tall opens_at_its_root
check "svg: search by expression, match by match" on_small searches
check "svg: zoom and unzoom by click" on_small zooms_by_click
check "svg: zoom and search by link, as far as the path exists" on_small zooms_by_link
check "svg: arrows, Enter, 0, c, i and ? do what they say" on_small answers_keys
check "svg: hostile names stay text" hostile
check "svg: a differential tells new, vanished, more and less" difference
check "svg: a picture without its script" on_small stands_without_script
