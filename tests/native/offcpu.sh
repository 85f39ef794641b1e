#!/bin/bash
# Off-CPU profiles as other programs see them: google/pprof, flamegraph.pl's rules for folded lines; colours in the pictures.
set -uo pipefail
source "$(dirname "$0")/lib.bash"

wall_in_pprof() {
  wick wall -o w.pb.gz -o w.folded -- waits sleep_10ms block_on_mutex --seconds 1 >truth 2>err || { cat err; return 1; }
  go tool pprof -top w.pb.gz >top 2>err || { cat err; return 1; }
  grep -q '^Type: wall' top || { cat top; return 1; }
  go tool pprof -tags w.pb.gz >tags 2>err || { cat err; return 1; }
  grep -A8 'state:' tags | grep -q ': sleep$' && grep -A8 'state:' tags | grep -q ': lock$' || { cat tags; return 1; }
  # What pprof sums is what the folded lines sum, to the nanosecond.
  local ours theirs
  ours=$(awk '{ n += $NF } END { printf "%d", n }' w.folded)
  theirs=$(go tool pprof -raw w.pb.gz 2>/dev/null | awk '/^ *[0-9]+ +[0-9]+:/ { sub(":", "", $2); n += $2 } END { printf "%d", n }')
  equal "sum of nanoseconds" "$theirs" "$ours"
}

waits_have_their_colour() {
  wick wall -o w.svg -- waits sleep_10ms --seconds 1 >truth 2>err || { cat err; return 1; }
  grep -q '>waiting<' w.svg || { echo "no legend for waits"; return 1; }
  grep -q '\[sleep\]' w.svg
}

offcputime_in_pprof() {
  wick offcputime -o o.pb.gz -o o.folded -- waits sleep_10ms --seconds 1 >truth 2>err || { cat err; return 1; }
  go tool pprof -top o.pb.gz 2>/dev/null | grep -q '^Type: offcpu' || return 1
  go tool pprof -sample_index=switches -top o.pb.gz 2>/dev/null | grep -q '^Type: switches' || return 1
  # Microseconds there, nanoseconds here; a line is cut once, not a wait.
  local folded_us pprof_ns lines
  folded_us=$(awk '{ n += $NF } END { printf "%d", n }' o.folded)
  pprof_ns=$(go tool pprof -raw o.pb.gz 2>/dev/null | awk '/^ *[0-9]+ +[0-9]+:/ { sub(":", "", $2); n += $2 } END { printf "%d", n }')
  lines=$(wc -l <o.folded)
  [ "$((pprof_ns / 1000))" -ge "$folded_us" ] && [ "$((pprof_ns / 1000))" -le "$((folded_us + lines))" ] ||
    { echo "$pprof_ns ns, $folded_us us"; return 1; }
}

offwaketime_pictures() {
  wick offwaketime -o x.pb.gz -o x.folded -o x.svg -o x.html -o x.speedscope.json -o x.firefox.json -- waits block_on_mutex --seconds 1 >truth 2>err ||
    { cat err; return 1; }
  go tool pprof -traces x.pb.gz >traces 2>err || { cat err; return 1; }
  grep -q 'hold_mutex' traces || return 1
  # Written, read and written again: wakers stay wakers.
  wick convert x.pb.gz -o again.folded 2>/dev/null && grep -q 'hold_mutex_\[w\]' again.folded
}

if command -v go >/dev/null; then
  check "pprof opens a wall profile, with what each wait is for" wall_in_pprof
  check "waits have a colour of their own" waits_have_their_colour
  check "pprof opens an off-CPU profile in nanoseconds" offcputime_in_pprof
  check "offwaketime in every format; wakers stay wakers" offwaketime_pictures
else
  skip "off-CPU profiles in pprof" "no go here"
fi
