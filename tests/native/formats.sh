#!/bin/bash
# BESIDE others: nothing here depends on a quiet machine.
# Every format tells the same profile, and google/pprof agrees.
set -uo pipefail
source "$(dirname "$0")/lib.bash"

profile() { wick profile -F 499 "$@" -- split 2 1 --seconds 2 >truth 2>said || { cat said; return 1; }; }

folded_adds_up() {
  profile -o x.folded || return 1
  equal "sum of counts" "$(awk '{ n += $NF } END { print n }' x.folded)" "$(said_samples said)" || return 1
  # FlameGraph's rules: a count at the end, no empty frame.
  ! grep -nEv '^[^;]+(;[^;]+)* [0-9]+$' x.folded
}

text_adds_up() {
  profile -o x.txt || return 1
  equal "sum of counts" "$(awk '/^ +[0-9]+$/ { n += $1 } END { print n }' x.txt)" "$(said_samples said)"
}

# One run, three files of it: the same number of samples in each, and on the closing line.
formats_of_one_run_agree() {
  profile -o x.folded -o x.txt -o x.pb.gz || return 1
  local said
  said=$(said_samples said)
  equal "folded" "$(awk '{ n += $NF } END { print n }' x.folded)" "$said" || return 1
  equal "text" "$(awk '/^ +[0-9]+$/ { n += $1 } END { print n }' x.txt)" "$said" || return 1
  go tool pprof -raw x.pb.gz >raw || return 1
  equal "pprof" "$(awk '/^Samples:/ { on = 1; getline; next } /^Locations/ { on = 0 }
               on && /^ +[0-9]+ +[0-9]+:/ { n += $1 } END { print n }' raw)" "$said"
}

json_adds_up() {
  profile -o x.json || return 1
  grep -q spin_a x.json
}

# Wick's own JSON is a profile like any other.
json_comes_back() {
  profile -o x.json -o x.folded || return 1
  wick convert x.json -o y.folded && cmp x.folded y.folded || return 1
  wick convert x.json -o y.json && cmp x.json y.json || return 1
  wick convert x.json -o y.svg && grep -q spin_a y.svg || return 1
  wick report x.json >table && grep -q spin_a table || return 1
  wick diff x.json x.folded -o d.folded && grep -q spin_a d.folded
}

pprof_adds_up() {
  profile -o x.pb.gz || return 1
  go tool pprof -raw x.pb.gz >raw || return 1
  local total
  total=$(awk '/^Samples:/ { on = 1; getline; next } /^Locations/ { on = 0 }
               on && /^ +[0-9]+ +[0-9]+:/ { n += $1 } END { print n }' raw)
  equal "samples in pprof" "$total" "$(said_samples said)" || return 1
  grep -q 'samples/count cpu/nanoseconds' raw || { head -n 12 raw; return 1; }
}

pprof_top_is_spin_a() {
  profile -o x.pb.gz || return 1
  go tool pprof -top -sample_index=samples x.pb.gz >top || return 1
  local first percent truth
  first=$(awk '/flat%/ { getline; print $NF }' top)
  percent=$(awk '/flat%/ { getline; sub("%", "", $2); print $2 }' top)
  truth=$(sed -n 's/^percent_a=//p' truth)
  equal "top function" "$first" spin_a || { cat top; return 1; }
  below "distance from the truth" "$(awk -v a="$percent" -v b="$truth" 'BEGIN { d = a - b; print d < 0 ? -d : d }')" 3
}

pprof_knows_builds() {
  profile -o x.pb.gz || return 1
  local id
  id=$(file_build_id "$(command -v split)")
  go tool pprof -raw x.pb.gz | grep -q "$id" || { echo "no build id $id"; go tool pprof -raw x.pb.gz | tail; return 1; }
}

file_build_id() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }

picture_is_xml() {
  profile -o x.svg || return 1
  grep -q spin_a x.svg && tail -c 8 x.svg | grep -q '</svg>'
}

check "folded adds up to the samples taken" folded_adds_up
check "text adds up to the samples taken" text_adds_up
check "json holds the functions" json_adds_up
check "json is read back: the same stacks, the same file" json_comes_back
check "pprof adds up to the samples taken" pprof_adds_up
check "pprof's top function is the busiest one" pprof_top_is_spin_a
check "pprof carries build ids" pprof_knows_builds
check "the picture is whole" picture_is_xml
check "formats: folded, text and pprof of one run agree to the sample" formats_of_one_run_agree
