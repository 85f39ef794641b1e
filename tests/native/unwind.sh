#!/bin/bash
# Unwind tables say what readelf says, row by row.
set -uo pipefail
source "$(dirname "$0")/lib.bash"

# readelf -wF as `ADDRESS CFA BP`, one line for each row of each function. Rows whose registers are
# saved in other registers are left out: readelf prints those in columns of another width.
readelf_rows() {
  readelf -wF "$1" 2>/dev/null | awk '
    / FDE / { inside = 1; split($0, parts, /pc=|\.\./); end = parts[3]; next }
    / CIE/ { inside = 0; next }
    $1 == "LOC" { for (i in column) delete column[i]; for (i = 1; i <= NF; i++) column[$i] = i; columns = NF; next }
    inside && length($1) == 16 && $1 ~ /^[0-9a-f]+$/ && NF == columns && ("x" $1) < ("x" end) {
      cfa = $column["CFA"]
      bp = ("rbp" in column) ? $column["rbp"] : "u"
      ra = $column["ra"]
      if (ra == "u") { cfa = "end"; bp = "u" }
      sub(/^vexp$/, "exp", cfa); sub(/^vexp$/, "exp", bp)
      print $1, cfa, bp
    }' | sort -s -k1,1
}

# The row of ours that holds at each of readelf's addresses is the same one.
same_rows() {
  local file
  file=$(realpath "$1") || return 1
  readelf_rows "$file" >theirs
  "$build/tests/unwind_rows" "$file" >ours 2>said || { cat said; return 1; }
  awk '
    NR == FNR { at[NR] = $1; rule[NR] = $2 " " $3; rows = NR; next }
    { while (row < rows && ("x" at[row + 1]) <= ("x" $1)) row++
      if (rule[row] == $2 " " $3) { same++; next }
      if (rule[row] ~ /^unsupported/ && $2 !~ /^r[bs]p/) { other++; next }
      if (rule[row] ~ /^exp/ && $2 == "exp") { same++; next }
      if (++wrong < 5) print $1 ": readelf " $2 " " $3 ", ours " rule[row] }
    END { print same + 0 " rows are the same, " other + 0 " in other registers, " wrong + 0 " differ"
          exit wrong > 0 || same < 1000 }' ours theirs
}

library() { ldconfig -p | awk -v name="$1" '$1 == name { print $NF; exit }'; }

check "unwind: libc's rows are readelf's" same_rows "$(library libc.so.6)"
check "unwind: libstdc++'s rows are readelf's" same_rows "$(library libstdc++.so.6)"
check "unwind: libcrypto's rows are readelf's" same_rows "$(library libcrypto.so.3)"
check "unwind: bash's rows are readelf's" same_rows /bin/bash
check "unwind: our own rows are readelf's" same_rows "$build/wick"
check "unwind: libLLVM's rows are readelf's" same_rows "$(ldconfig -p | awk '/libLLVM/ { print $NF; exit }')"
check "unwind: node's rows are readelf's" same_rows "$(command -v node)"

# unframed as a program of its own: perf's unwinder does not find its way in a static one.
dynamic_unframed() {
  g++ -O2 -fomit-frame-pointer -std=c++23 -o dynamic "$OLDPWD"/tests/workload/omitted/unframed.cpp -pthread
}

# running COMMAND...: sets $target, once the program is ready.
running() {
  "$@" >ready & target=$!
  for _ in $(seq 100); do [ -s ready ] && return; sleep 0.05; done
  return 1
}

as_gdb_sees_them() {
  running unframed --seconds 60 || return 1
  wick profile -F 1999 -U -A -p "$target" 3 >wick.txt || return 1
  for _ in 1 2 3 4 5 6; do
    gdb -p "$target" --batch -nx -ex 'set backtrace past-main on' -ex 'thread apply all bt' 2>/dev/null
    sleep 0.1
  done >gdb.txt
  kill "$target"
  python3 "$OLDPWD/tests/native/same_stacks.py" gdb.txt wick.txt burn_here
}

# Both look at one process at the same time.
as_deep_as_perf() {
  dynamic_unframed || return 1
  running ./dynamic --seconds 60 || return 1
  wick profile -F 999 -U -f -p "$target" 4 >wick.folded & local wick=$!
  perf record -q --call-graph dwarf,65528 -F 99 -p "$target" -o perf.data -- sleep 4 >/dev/null 2>&1
  wait "$wick" || return 1
  kill "$target"
  perf script --no-inline -i perf.data -F ip,sym >perf.txt 2>/dev/null
  local theirs ours
  theirs=$(awk 'NF == 0 { if (n) { sum += n; stacks++ } n = 0; next } { n++ } END { print sum / stacks }' perf.txt)
  ours=$(awk '{ sum += (split($0, parts, ";") - 1) * $NF; stacks += $NF } END { print sum / stacks }' wick.folded)
  echo "frames a stack: perf $theirs, Wick $ours"
  awk -v a="$ours" -v b="$theirs" 'BEGIN { exit !(a > 40 && a > b * 0.99 && a < b * 1.01) }'
}

# Python's table and libstdc++'s do not fit side by side: the one nobody needs any more goes.
idle_tables_make_room() {
  cat >both.sh <<'EOF'
python3 -c 'import time
end = time.time() + 2
while time.time() < end: sum(range(1000))'
sleep 2.5
unframed --seconds 8
EOF
  wick profile -F 199 --unwind-memory 1 --stats -o x.folded -- sh both.sh 2>said || return 1
  grep -o '[0-9]* tables\? given up for others' said || { cat said; return 1; }
  awk '/^unframed;/ { all += $NF; if (!/\[stopped/) whole += $NF }
    END { print whole " of " all " stacks of unframed are whole"; exit !(whole > all * 0.7) }' x.folded
}

check "unwind: the stacks gdb sees are among Wick's, address by address" as_gdb_sees_them
check "unwind: as deep as perf's with --call-graph dwarf" as_deep_as_perf
check "unwind: idle tables make room when --unwind-memory is used up" idle_tables_make_room

# A static program maps nothing after its exec: what the kernel forgets then must come back by itself.
static_programs_that_start_meanwhile() {
  wick profile -F 499 -U -o x.folded 8 2>said & local wick=$!
  when_tracing "$wick" true
  for _ in $(seq 12); do unframed --seconds 0.4 >/dev/null; done
  wait "$wick" || { cat said; return 1; }
  awk '/^unframed;/ { all += $NF; if (/\[stopped: process not known/) unknown += $NF }
    END { print unknown " of " all " stacks of unframed were of nobody"; exit !(all > 500 && unknown < all * 0.02) }' x.folded
}
check "unwind: static programs that start while all is sampled" static_programs_that_start_meanwhile
