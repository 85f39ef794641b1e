#!/bin/bash
# BESIDE others: what is true here does not depend on a quiet machine.
# Go programs: known shares through frameless leaves, C and callbacks; the same as runtime/pprof sees them; a program of
# a newer Go, stripped, as it came from its makers.
set -uo pipefail
source "$(dirname "$0")/lib.bash"

if ! command -v go >/dev/null; then
  skip "go: all" "needs golang-go"
  exit 0
fi
export GOFLAGS=-mod=mod GOPROXY=off GOCACHE=$scratch/cache GOTOOLCHAIN=local
go_shares=$scratch/go_shares
workloads=$PWD/tests/workload/go
go build -o "$go_shares" "$workloads/go_shares.go" || { echo "FAILED go: build"; exit 1; }

# 12,000 samples of CPU time, however busy the machine is. runtime/pprof looks at the same run.
sampled() {
  wick profile -F 1999 -U -o "$scratch/x.folded" -- "$go_shares" -cpu 6 -pprof "$scratch/x.pb" >/dev/null
}

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

# as_pprof FOLDED PPROF POINTS: the ten functions that runtime/pprof found most in (with what they called) have the
# same share here. asyncPreempt and systemstack_switch are no functions anybody called: Go's profiler sees its own signal,
# and a name that marks a stack it left.
as_pprof() {
  go tool pprof -top -cum -nodecount=20 "$2" 2>/dev/null |
    awk '/flat%/ { rows = 1; next } rows && !/runtime\.(asyncPreempt|systemstack_switch)$/ && ++n <= 10 { sub(/%/, "", $5); print $5, $6 }' >theirs
  awk -v points="$3" '
    NR == FNR { theirs[$2] = $1; next }
    { count = $NF; sub(/ [0-9]+$/, ""); gsub(/_\[i\]/, ""); all += count
      split("", seen); for (i = split($0, frame, ";"); i > 1; i--)
        if (!(frame[i] in seen)) { seen[frame[i]] = 1; ours[frame[i]] += count } }
    END { for (name in theirs) { share = 100 * ours[name] / all; d = share - theirs[name]; if (d < 0) d = -d; n++
            printf "%s: pprof %.1f %%, Wick %.1f %%\n", name, theirs[name], share; if (d > points) far++ }
          exit !(n == 10 && !far) }' theirs "$1"
}

stripped() {
  cp "$go_shares" bare && strip -s bare || return 1
  wick profile -F 1999 -U --lines -o x.pb.gz -- ./bare -cpu 0.5 >/dev/null || return 1
  wick convert x.pb.gz -o x.folded || return 1
  grep -q ';main\.work;main\.inlinedHalf_\[i\];main\.half;main\.leaf ' x.folded || { cut -c1-300 x.folded | head; return 1; }
  go tool pprof -top -lines x.pb.gz 2>/dev/null | grep -E 'main\.leaf .*/go_shares\.go:[1-9]' || { echo "no lines"; return 1; }
}

# esbuild's binary: another Go, without symbols and as its makers built it.
esbuild=$PWD/web/node_modules/@esbuild/linux-x64/bin/esbuild
newer() {
  local module i
  for module in 1 2 3 4 5 6 7 8; do
    for i in $(seq 2500); do
      echo "export function f$i(a, b) { const c = [a, b, {x: a + $i}].map(v => v ? v.x * $i : b); return c.filter(Boolean).reduce((p, q) => p + q, 0) }"
    done >"m$module.js"
    echo "import * as m$module from './m$module.js'; console.log(m$module)" >>all.js
  done
  wick profile -F 1999 -U -o x.folded -- "$esbuild" --bundle --minify --sourcemap --outfile=out.js --cpuprofile=x.pb all.js >said 2>&1
  awk -F';' '/^esbuild/ { count = $NF; sub(/.* /, "", count); all += count; split($2, root, " ")
      if (root[1] ~ /^runtime\.(goexit|mstart|mcall|rt0_go|morestack)$/) whole += count
      if (/_\[i\]/) inlined += count; if (/\[esbuild\+0x/) nameless += count }
    END { print whole + 0 " of " all + 0 " rooted, " inlined + 0 " with inlined calls, " nameless + 0 " without a name"
          exit !(all > 2000 && whole >= all * 0.99 && inlined > all * 0.1 && !nameless) }' x.folded || { cat said; return 1; }
  as_pprof x.folded x.pb 10
}

check "go: shares through a frameless leaf, C and callbacks are within two points" shares
check "go: 99 % of the stacks are rooted" rooted
check "go: runtime/pprof's top ten have the same shares" as_pprof "$scratch/x.folded" "$scratch/x.pb" 6
check "go: a stripped program has names, inlined calls and lines" stripped
if [ -x "$esbuild" ]; then
  check "go: esbuild's own binary is rooted and named, and has its own profile's top ten" newer
else
  skip "go: esbuild's own binary" "needs npm ci in web/"
fi
