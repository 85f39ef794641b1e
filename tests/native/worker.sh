#!/bin/bash
# The confined worker: it has no privileges, a run goes on when it dies, and a file that kills it is named.
set -uo pipefail
source "$(dirname "$0")/lib.bash"

# The worker of a Wick; nothing when there is none at the moment.
worker_of() { pgrep -P "$1" -x wick-worker; }

# until_worker PID: its worker is confined, which it is when it has a filter.
until_worker() {
  local try worker
  for ((try = 0; try < 1000; ++try)); do
    worker=$(worker_of "$1" | head -n 1)
    [ -n "$worker" ] && grep -qs '^Seccomp:.2' "/proc/$worker/status" && echo "$worker" && return
    sleep 0.01
  done
  echo "there is no confined worker" >&2
  return 1
}

has_no_privileges() {
  wick profile -o x.folded 30 2>err &
  local wick=$! worker status=0
  worker=$(until_worker $wick) || { cat err; return 1; }
  cat "/proc/$worker/status" >seen
  kill -INT $wick
  wait $wick
  local line
  for line in 'Uid:.65534.65534.65534.65534' 'Gid:.65534.65534.65534.65534' 'Groups:. *' 'NoNewPrivs:.1' 'Seccomp:.2' \
    'CapInh:.0*' 'CapPrm:.0*' 'CapEff:.0*' 'CapBnd:.0*' 'CapAmb:.0*'; do
    grep -qx "$line" seen || { echo "not $line"; status=1; }
  done
  [ $status -eq 0 ] || cat seen
  return $status
}

ends_with_wick() {
  wick profile -o x.folded 30 2>err &
  local wick=$! worker try
  worker=$(until_worker $wick) || return 1
  kill -KILL $wick
  wait $wick 2>/dev/null
  for ((try = 0; try < 1000; ++try)); do
    [ -e "/proc/$worker" ] || return 0
    sleep 0.01
  done
  echo "it lives on"
  return 1
}

# Programs that have just been copied need new tables: the worker is asked all the time, and killed once a second.
survives_kill_9() {
  local seconds=${WICK_KILL_SECONDS:-10} i
  wick profile -F 99 -o x.folded "$seconds" 2>err &
  local wick=$!
  until_worker $wick >/dev/null || return 1
  local killed=0 end=$((SECONDS + seconds - 2))
  for ((i = 0; SECONDS < end; ++i)); do
    cp "$(command -v unframed)" "program$i"
    "./program$i" --seconds 0.5 >/dev/null &
    local program=$!
    sleep 0.25
    kill -KILL $(worker_of $wick) 2>/dev/null && killed=$((killed + 1))
    wait $program
  done
  wait $wick || { cat err; return 1; }
  cat err
  grep -q '; lost 0;\|; lost 0 ' err || return 1
  ! grep -q 'not read to the end' err || return 1
  [ $killed -ge 3 ] || { echo "killed $killed times"; return 1; }
  # Every program's stacks have their root and their names.
  local all named
  all=$(awk '/^program/ { sum += $NF } END { print sum + 0 }' x.folded)
  named=$(awk '/^program[0-9]*;.*run_until_time_is_up.*burn_here/ { sum += $NF } END { print sum + 0 }' x.folded)
  [ "$all" -ge 100 ] || { echo "$all samples"; return 1; }
  [ $((named * 100)) -ge $((all * 98)) ] || { echo "$named of $all are complete"; grep '^program' x.folded | head -n 5; return 1; }
}

names_what_crashes_it() {
  cp "$(command -v unframed)" crasher
  WICK_TEST_CRASH_ON=$PWD/crasher wick profile -F 99 -o x.folded -- ./crasher --seconds 1 2>err || return 1
  grep -q "^wick: 1 file was not read to the end: $PWD/crasher (its reader crashed: SIGABRT)" err || { cat err; return 1; }
  [ "$(said_samples err)" -ge 50 ]
}

# A sandbox that allows no seccomp.
says_where_it_cannot_be_confined() {
  cat >no_seccomp.c <<'C'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_prctl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SECCOMP, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 1;
	execvp(argv[1], argv + 1);
	return 1;
}
C
  cc -o no_seccomp no_seccomp.c || return 1
  ./no_seccomp wick profile -F 99 -o x.folded -- unframed --seconds 1 2>err || { cat err; return 1; }
  grep -q 'without a confined process.*seccomp' err || { cat err; return 1; }
  grep -q 'run_until_time_is_up.*burn_here' x.folded || return 1
  ./no_seccomp wick doctor >out
  grep -q 'missing  confined worker' out || { cat out; return 1; }
}

check "the worker has no privileges" has_no_privileges
check "the worker ends with Wick" ends_with_wick
check "kill -9 of the worker loses nothing" survives_kill_9
check "a file that crashes the worker is named" names_what_crashes_it
check "without seccomp Wick says so and goes on" says_where_it_cannot_be_confined
