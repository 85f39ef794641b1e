#!/bin/bash
# Go programs: known shares through frameless leaves, C and callbacks; the same as runtime/pprof sees them; a program of
# a newer Go, stripped, as it came from its makers.
source "$(dirname "$0")/lib.bash"

if ! command -v go >/dev/null; then
  skip "go: all" "needs golang-go"
  exit 0
fi
export GOFLAGS=-mod=mod GOPROXY=off GOCACHE=$scratch/cache GOTOOLCHAIN=local
go_shares=$scratch/go_shares
workloads=$PWD/tests/workload/go
go build -o "$go_shares" "$workloads/go_shares.go" || { echo "FAILED go: build"; exit 1; }

# 12,000 samples of CPU time, however busy the machine is.
sampled() { wick profile -F 1999 -U -o "$scratch/x.folded" -- "$go_shares" -cpu 6 >/dev/null; }

# near WHAT SHARE OF PERCENT: within two points.
near() {
  awk -v what="$1" -v a="$2" -v b="$3" -v wanted="$4" 'BEGIN { if (!b) { print what ": no samples"; exit 1 }
    d = 100 * a / b - wanted; if (d < 0) d = -d
    if (d > 2) { printf "%s: %.1f %% of %d, not %s\n", what, 100 * a / b, b, wanted; exit 1 } }'
}

shares() {
  sampled || return 1
  awk '/main\.leaf [0-9]+$/ { leaf += $NF; if (/;main\.half;/) half += $NF; if (/;main\.third;/) third += $NF
         if (/;main\.throughC;.*;call_back;goFromC;.*;main\.fromC;/) back += $NF }
       /;burn_c [0-9]+$/ { c += $NF; if (/;main\.twoOfC;.*;burn_two;/) two += $NF
         if (/;main\.oneOfC;.*;burn_one;/) one += $NF }
       { all += $NF }
       END { print all + 0, leaf + 0, half + 0, third + 0, back + 0, c + 0, two + 0, one + 0 }' "$scratch/x.folded" >sums
  local all leaf half third back c two one
  read -r all leaf half third back c two one <sums
  cat sums
  below "samples wanted" 10000 "$all" &&
    near "leaf under half" "$half" "$leaf" 50 && near "leaf under third" "$third" "$leaf" 33.33 &&
    near "leaf under C" "$back" "$leaf" 16.67 && near "C under twoOfC" "$two" "$c" 66.67 &&
    near "C under oneOfC" "$one" "$c" 33.33
}

# Of the run before. A stack of the scheduler begins where it was entered, as in Go's own traces.
rooted() {
  awk -F';' '{ count = $NF; sub(/.* /, "", count); all += count; split($2, root, " ")
      if (root[1] ~ /^runtime\.(goexit|mstart|mcall|rt0_go|morestack)/ || root[1] ~ /^(__clone|clone|_start)/) whole += count
      else print count, $2 }
    END { print whole " of " all " stacks are rooted"; exit !(whole >= all * 0.99 && all > 0) }' "$scratch/x.folded"
}

check "go: shares through a frameless leaf, C and callbacks are within two points" shares
check "go: 99 % of the stacks are rooted" rooted
