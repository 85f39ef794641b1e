#!/bin/bash
# Programs that start after Wick: their first stacks are walked before anything is known of them, and are whole in the
# end. Shares under a heavy load, ten times over: bench/new_processes.
set -uo pipefail
source "$(dirname "$0")/lib.bash"

# program NAME BYTES BUILD_ID: works and waits, for so much CPU time in milliseconds, below a frame of so many bytes.
program() {
  cat >program.c <<'EOF'
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned long sink;
static unsigned long cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1000000000ul + t.tv_nsec;
}
__attribute__((noinline)) void burn_here(unsigned long until) { while (cpu() < until) for (int i = 0; i < 10000; i++) sink += i; sink++; }
__attribute__((noinline)) void with_room(unsigned long until) { char room[BYTES]; sink += (unsigned long)room; burn_here(until); sink++; }
__attribute__((noinline)) void wait_here(void) { usleep(2000); sink++; }
int main(int argc, char **argv) {
  unsigned long ms = atoi(argv[1]);
  for (unsigned long i = 1; i <= ms; i++) {
    with_room(i * 1000000);
    if (argc > 2) wait_here();
  }
}
EOF
  gcc -O2 -fomit-frame-pointer -DBYTES="$2" -Wl,--build-id=0x"$3" -o "$1" program.c
}

# rooted COMM LEAST PERCENT: of what the folded file has of it, so much begins at _start (ld.so's or its own).
rooted() {
  awk -v comm="$1" -v least="$2" -v percent="$3" '
    index($0, comm ";") == 1 { amount = $NF; all += amount; sub(/ [0-9]+$/, ""); split($0, f, ";"); if (f[2] == "_start" || f[2] == "_dl_start_user") good += amount; else print $0, amount }
    END { print good + 0 " of " all + 0 " of " comm " are rooted"; exit !(all >= least && good >= all * percent / 100) }' x.folded
}

# Wick looks from before their start until after their end.
while_profiled() {
  wick profile -F 499 -U -o x.folded 2>said & local wick=$!
  when_tracing "$wick" true
  "$@"
  kill -INT "$wick"
  wait "$wick" || { cat said; return 1; }
}

one_after_the_other() {
  local each
  for each in "$@"; do "$each" 300 || return 1; done
}

same_build_id() {
  program one 16 00112233445566778899 && program other 1000 00112233445566778899 || return 1
  while_profiled one_after_the_other ./one ./other || return 1
  rooted one 20 97 && rooted other 20 97
}

# A program that is built anew has the old one's name and often its inode's number; one that is written to in place has
# its inode.
built_anew() {
  program again 16 00cc && ./again 300 && rm again && program again 1000 00cc && ./again 300 &&
    program wider 3000 00dd && cat wider >again && ./again 300
}
rebuilt_programs() {
  while_profiled built_anew || return 1
  rooted again 60 97
}

# On overlayfs a mapping's device and inode are those of the file below.
on_overlayfs() {
  mkdir -p lower upper work all
  mount -t tmpfs wick-test lower && mkdir -p lower/{below,upper,work} || return 1
  (cd lower/below && program inside 700 8899aabbccddeeff0011) || return 1
  mount -t overlay wick-test -o "lowerdir=lower/below,upperdir=lower/upper,workdir=lower/work" all || { umount lower; return 1; }
  cp all/inside all/copied
  while_profiled one_after_the_other all/inside all/copied
  local code=$?
  umount all lower
  [ "$code" = 0 ] && rooted inside 20 97 && rooted copied 20 97
}

storm() {
  local end=$((SECONDS + 4))
  while [ "$SECONDS" -lt "$end" ]; do ./tiny 2; done
}

exec_storm() {
  program tiny 200 00aa || return 1
  while_profiled storm || return 1
  rooted tiny 50 95
}

# Each wait of the command is told with its whole stack, and what is said of it is what is shown.
waits_from_the_first() {
  program waits 100 00bb || return 1
  local i
  for i in 1 2 3 4 5; do
    wick wall -U -f -- ./waits 20 x >x.folded 2>said || { cat said; return 1; }
    rooted waits 1000000 99 || { cat said; return 1; }
    if ! grep -q '\[stopped' x.folded; then
      grep -Eq ' ([0-9,]+) of \1 user stacks? reached their root' said || { cat said; return 1; }
    fi
  done
}

check "new processes: two programs with one build id do not break each other" same_build_id
check "new processes: a program that is built anew while Wick looks has a table of its own" rebuilt_programs
if grep -qw overlay /proc/filesystems || modprobe overlay 2>/dev/null; then
  check "new processes: files are known on overlayfs" on_overlayfs
else
  skip "new processes: files are known on overlayfs" "this kernel has none"
fi
check "new processes: 95 % of a storm of execs is rooted" exec_storm
check "new processes: a command's waits have whole stacks from the first on" waits_from_the_first
