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

# Every sample of x.folded is rooted in `_start` or a thread's beginning, or has a mark; and as many reached
# their root as Wick says.
claims_are_true() {
  local claimed
  claimed=$(sed -nE 's/.*; ([0-9,]+) of [0-9,]+ user stacks? reached their root.*/\1/p' said | tr -d ,)
  awk -v claimed="$claimed" '{ all += $NF }
    $0 ~ /^[^;]*;(_start|__clone3?|clone3?|__libc_start_main|start_thread|__start_context)[; ]/ { true_roots += $NF; next }
    !/\[stopped: / { bare += $NF; if (bare == $NF) print "no root and no mark: " $0 }
    END { print claimed " claimed, " true_roots + 0 " true of " all; exit claimed > true_roots + 0 || bare > 0 || all == 0 }' x.folded
}

# Traces use bp for anything, and what it points to is often 0.
luajit_claims() {
  command -v luajit >/dev/null || { echo "luajit is missing"; return 1; }
  cat >busy.lua <<'EOF'
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local each = coroutine.wrap(function() while true do coroutine.yield(fib(15)) end end)
local begin = os.clock()
while os.clock() - begin < 2 do
  fib(18); each()
  local t = {}
  for i = 1, 1000 do t[i] = string.format("%d", i) end
  table.concat(t)
end
EOF
  wick profile -F 499 -U -o x.folded -- luajit "$@" busy.lua 2>said || { cat said; return 1; }
  claims_are_true
}
luajit_interprets() { luajit_claims -joff; }
check "unwind: what LuaJIT's interpreter claims as rooted is" luajit_interprets
check "unwind: what LuaJIT's traces claim as rooted is" luajit_claims

# Its frame pointer is that of who made it, whose stack it is not on; glibc 2.36 has no rule for where it begins.
makecontext_claims() {
  cat >context.c <<'EOF'
#include <ucontext.h>
static ucontext_t before, fiber;
static char stack[65536];
volatile unsigned long sink;
__attribute__((noinline)) void burn(void) { for (int i = 0; i < 500000000; i++) sink += i; }
static void entry(void) { burn(); sink++; }
int main(void) {
  getcontext(&fiber);
  fiber.uc_stack.ss_sp = stack;
  fiber.uc_stack.ss_size = sizeof(stack);
  fiber.uc_link = &before;
  makecontext(&fiber, entry, 0);
  return swapcontext(&before, &fiber);
}
EOF
  gcc -O1 -fno-omit-frame-pointer -o context context.c || return 1
  wick profile -F 499 -U -o x.folded -- ./context 2>said || { cat said; return 1; }
  claims_are_true && ! grep ';main;.*burn' x.folded
}
check "unwind: a fiber of makecontext is neither main's nor claimed" makecontext_claims

# A main that burns in a function of a library, by two functions without .eh_frame.
framed_in_debug_frame() {
  cat >burn.c <<'EOF'
#include <time.h>
volatile unsigned long sink;
__attribute__((noinline)) void burn(void) { for (int i = 0; i < 1000000; i++) sink += i; }
__attribute__((noinline)) void middle(void) { char room[200]; asm volatile("" : : "r"(room) : "memory"); burn(); sink++; }
int main(void) {
  for (clock_t begin = clock(); clock() - begin < 1.5 * CLOCKS_PER_SEC;) middle();
  return 0;
}
EOF
  gcc -O2 -g "$@" -fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables -o burn burn.c || return 1
  readelf -SW burn | grep -q ' \.debug_frame ' || { echo "the compiler wrote no .debug_frame"; return 1; }
  wick profile -F 499 -U -o x.folded -- ./burn 2>said || { cat said; return 1; }
  awk '{ all += $NF } /;_start;.*;main;middle;burn / { whole += $NF }
    END { print whole + 0 " of " all " stacks are whole"; exit !(all > 50 && whole > all * 0.95) }' x.folded
}
compressed_debug_frame() { framed_in_debug_frame -gz=zlib; }
check "unwind: .debug_frame leads where .eh_frame has nothing" framed_in_debug_frame
check "unwind: a compressed .debug_frame too" compressed_debug_frame

# The entry is a root without call frame information that says so.
bare_entry() {
  cat >bare.c <<'EOF'
volatile unsigned long sink;
__attribute__((noinline)) void burn(void) { for (int i = 0; i < 1000000; i++) sink += i; }
__attribute__((noinline, used)) int begin_here(void) {
  for (int i = 0; i < 1500; i++) burn();
  return 0;
}
asm(".globl _start\n_start: xor %ebp, %ebp\n and $-16, %rsp\n call begin_here\n mov %eax, %edi\n mov $60, %eax\n syscall\n");
EOF
  gcc -O1 -nostdlib -static -fomit-frame-pointer -o bare bare.c || return 1
  wick profile -F 499 -U -o x.folded -- ./bare 2>said || { cat said; return 1; }
  claims_are_true && ! grep -q '\[stopped: [^p]' x.folded
}
check "unwind: a program's entry is its root where its tables say nothing" bare_entry

# musl's _start and the call of a thread's function, where its tables say nothing.
musl_roots() {
  echo 'int main(void) { return 0; }' >small.c
  cat >threads.c <<'EOF'
#include <pthread.h>
static void* run(void* p) { return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); return pthread_join(t, 0); }
EOF
  musl-gcc -O2 -static -o threads threads.c && musl-gcc -O2 -o small small.c || return 1
  local file name at
  for file in threads small; do
    for name in _start __clone; do
      at=$(nm "$file" | awk -v name="$name" '$3 == name { print $1 }')
      [ -n "$at" ] || continue
      # In __clone only the call: the rest of it has a caller.
      [ "$name" = __clone ] && at=$(printf '%016x' "0x$(objdump -d "$file" --disassemble=__clone | awk '/call / { sub(":", "", $1); print $1; exit }')")
      "$build/tests/unwind_rows" "$file" 2>said | awk -v at="$at" '("x" $1) <= ("x" at) { rule = $2 } END { exit rule != "end" }' ||
        { echo "$file: $name is no end"; return 1; }
    done
  done
}
check "unwind: musl's _start and thread start are roots" musl_roots
