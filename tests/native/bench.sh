#!/bin/bash
# BESIDE others: what the benches measure means nothing here; that they measure anything does.
set -uo pipefail
source "$(dirname "$0")/lib.bash"

top=$PWD
export WICK_BENCH_SMOKE=1

# It exits with 1 where a command is slow, which means nothing here.
start() {
  "$top/bench/start" 1 vfsstat >out
  grep -Eq '^vfsstat +[0-9]+' out || { cat out; return 1; }
}

new_processes() {
  "$top/bench/new_processes" --wick "$build/wick" --runs 1 --spinners 1 profile >out || { cat out; return 1; }
  grep -Eq '^profile run 0 new: [0-9.]+ % rooted \(worst of [1-9]' out || { cat out; return 1; }
}

web() {
  folded_pair
  wick convert before.folded -o x.html && "$top/bench/web.mjs" x.html >out && grep -q 'searches in [0-9]* ms' out
}

for bench in $("$top/bench/run" --list); do
  check "bench: $bench runs for one short round" "$top/bench/run" 1 "$bench"
done
for bench in start new_processes web; do check "bench: $bench runs for one short round" "$bench"; done
