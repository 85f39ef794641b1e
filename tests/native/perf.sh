#!/bin/bash
# Self time by function agrees with perf record, in turns on the same program.
set -uo pipefail
source "$(dirname "$0")/lib.bash"

turns=3

# "count name" of the leaf of every sample. perf prints a sample as a header line and frames, leaf first.
perf_leaves() {
  perf record -q -g -F 999 -e cpu-clock -o data -- "$@" >/dev/null 2>perf.err || { cat perf.err; return 1; }
  perf script -i data -F comm,ip,sym 2>/dev/null |
    awk '/^[^ \t]/ { leaf = 1; next } NF && leaf { $1 = ""; sub(/^ /, ""); sub(/\+0x.*/, ""); print 1, $0; leaf = 0 }'
}
wick_leaves() {
  wick profile -F 999 -o x.folded -- "$@" >/dev/null 2>wick.err || { cat wick.err; return 1; }
  awk '{ count = $NF; sub(/ [0-9]+$/, ""); sub(/.*;/, ""); print count, $0 }' x.folded
}

# Half the sum of the differences of shares, in percent: 0 is equal, 100 has nothing in common.
distance() {
  awk '{ count = $1; $1 = ""; file = FILENAME; total[file] += count; seen[file, $0] += count; names[$0] = 1 }
       END { for (name in names) {
               d = seen["perf", name] / total["perf"] - seen["wick", name] / total["wick"]
               sum += d < 0 ? -d : d
             }
             print 50 * sum }' perf wick
}

agrees_with_perf() {
  local turn far
  : >perf; : >wick
  for ((turn = 0; turn < turns; ++turn)); do
    perf_leaves "$@" >>perf || return 1
    wick_leaves "$@" >>wick || return 1
  done
  far=$(distance)
  echo "distance $far %"
  below "total variation distance" "$far" 5 || { sort perf | uniq -c | sort -rn | head; sort -rn wick | head; return 1; }
}

if command -v perf >/dev/null; then
  check "self time agrees with perf record, two functions" agrees_with_perf split 2 1 --seconds 2
  check "self time agrees with perf record, in the kernel" agrees_with_perf syscalls --seconds 2
else
  skip "self time agrees with perf record" "perf is not installed"
fi
