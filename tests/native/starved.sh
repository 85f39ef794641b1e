#!/bin/bash
# Streams that are closed, limits that are reached, memory that is not there: each is a sentence or a result, in time, and no
# process that is gone without a word.
set -uo pipefail
source "$(dirname "$0")/lib.bash"

profile() { printf 'sh;main;sort 60\nsh;main;read 30\n' >in.folded; }

# sentence STATUS FILE: it failed, and said why.
sentence() {
  [ "$1" -eq 1 ] && grep -q '^wick: ' "$2" || { echo "status $1"; cat "$2"; return 1; }
}

closed_streams() {
  profile || return
  wick convert in.folded -o a.svg <&- >&- 2>&- || { echo "closed streams, but it writes a file: $?"; return 1; }
  tail -c 8 a.svg | grep -q '</svg>' || { echo "the file is not whole"; return 1; }
  wick convert in.folded -f >&- 2>err
  sentence $? err || return
  grep -q 'standard output' err || { cat err; return 1; }
  # Eight bytes: what an eventfd takes, were it to have got the number 1.
  echo 'a;b 100' >tiny.folded
  wick convert tiny.folded -f >&- 2>err
  sentence $? err || return
  local load
  split 1 1 --seconds 100 >/dev/null &
  load=$!
  wick profile -F 99 -f -p $load 0.5 >&- 2>err
  sentence $? err || { kill $load; return 1; }
  kill $load
  wick convert - -f <&- >out 2>err
  sentence $? err || return
  wick convert in.folded -f -o /dev/stdout >&- 2>err
  sentence $? err || return
  # A command has them closed too, as it would have without us.
  wick stat -o counts -- sh -c '[ ! -e /proc/self/fd/1 ]' >&-
}

file_size_limit() {
  seq -f 'main;f%g;g 1' 20000 >in.folded
  (
    ulimit -f 8
    exec wick convert in.folded -o big.folded
  ) 2>err
  sentence $? err && grep -q 'File too large' err && [ -z "$(find . -name 'big*')" ]
}

# From too little to start with to nearly enough.
little_memory() {
  local kilobytes status
  profile
  sleep 100 &
  local process=$!
  for kilobytes in 14000 20000 30000 45000 60000 90000 120000; do
    (
      ulimit -v $kilobytes
      exec wick profile -F 99 -f -p $process 0.1
    ) >out 2>err
    status=$?
    [ $status -eq 0 ] || sentence $status err || { echo "$kilobytes kB"; kill $process; return 1; }
  done
  kill $process
  seq -f 'main;f%g;g 1' 300000 >in.folded
  (
    ulimit -v 40000
    exec wick convert in.folded -o x.svg
  ) 2>err
  sentence $? err && grep -qi 'memory' err
}

five_thousand_threads() {
  cat >threads.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *wait_for_ever(void *nothing)
{
	pause();
	return nothing;
}
int main(void)
{
	pthread_attr_t small;
	pthread_t thread;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (int i = 0; i < 4999; i++)
		if (pthread_create(&thread, &small, wait_for_ever, NULL) != 0)
			return 1;
	puts("ready");
	fflush(stdout);
	alarm(300);
	pause();
}
C
  cc -O1 -pthread -o threads threads.c || return 1
  ./threads >truth &
  local process=$! status=0
  until_ready && in_cpu_seconds 2 wick sched -p $process 0.1 && grep -q '5,000 threads' err || status=1
  in_cpu_seconds 2 wick stat -e task-clock --per-thread -p $process -d 0.1 || status=1
  # More events than there may be files: that, too, is said at once.
  in_cpu_seconds 4 wick stat -e task-clock,page-faults,context-switches,cpu-migrations,minor-faults,major-faults \
    --per-thread -p $process -d 0.1 || sentence $? err || status=1
  kill $process
  return $status
}
# in_cpu_seconds N COMMAND…: its own time, whatever else the machine does.
in_cpu_seconds() {
  local TIMEFORMAT='%U %S' used status
  used=$({ time "${@:2}" >out 2>err; } 2>&1)
  status=$?
  below "CPU seconds of ${*:2:2}" "$(awk '{ print $1 + $2 }' <<<"$used")" "$1" || { cat err; return 2; }
  return $status
}

# A cgroup with a limit of so many MB, of version 1 or 2; fails where none can be made.
make_cgroup() {
  local root
  for root in /sys/fs/cgroup/memory /sys/fs/cgroup; do
    cgroup=$root/wick-test-$$
    mkdir "$cgroup" 2>/dev/null || continue
    [ ! -e "$cgroup/memory.limit_in_bytes" ] || limit_file=$cgroup/memory.limit_in_bytes
    [ ! -e "$cgroup/memory.max" ] || limit_file=$cgroup/memory.max
    [ -z "${limit_file:-}" ] || return 0
    rmdir "$cgroup"
  done
  return 1
}
within() { # MB COMMAND…
  echo $(($1 << 20)) >"$limit_file" || return
  (
    echo $BASHPID >"$cgroup/cgroup.procs"
    exec "${@:2}"
  ) >out 2>err
}
cgroup_limit() {
  local load status=0
  split 1 1 --seconds 100 >/dev/null &
  load=$!
  within 16 wick profile -F 99 -f -p $load 0.5
  sentence $? err && grep -q "cgroup .* of its 16 MB.* — " err || status=1
  within 4 wick runqlat 1 1
  sentence $? err || status=1
  within 64 wick profile -F 99 -f -p $load 0.5 && grep -q spin_a out || { cat err; status=1; }
  within 64 wick offcputime -f 0.5 || { cat err; status=1; }
  kill $load
  wait $load 2>/dev/null
  return $status
}

# Both came before anything could be done about the first: the result is there, its names are not.
second_stop() {
  local load pid
  split 1 1 --seconds 100 >/dev/null &
  load=$!
  env --default-signal=INT wick profile -F 99 -f -p $load 60 >out 2>err &
  pid=$!
  when_tracing $pid true
  sleep 0.5
  kill -STOP $pid
  kill -INT $pid
  kill -TERM $pid
  kill -CONT $pid
  wait $pid
  local status=$?
  kill $load
  wait $load 2>/dev/null
  equal status $status 0 || { cat err; return 1; }
  grep -q '^split;' out && ! grep -q spin_a out || { head -n 3 out; cat err; return 1; }
}

check "closed standard streams" closed_streams
check "a file larger than ulimit -f" file_size_limit
check "little memory (ulimit -v)" little_memory
check "5,000 threads" five_thousand_threads
if make_cgroup; then
  check "the memory limit of Wick's own cgroup" cgroup_limit
  for try in 1 2 3 4 5 6 7 8 9; do rmdir "$cgroup" 2>/dev/null && break || sleep 0.1; done
else
  skip "the memory limit of Wick's own cgroup" "no cgroup with a limit can be made here"
fi
check "a second Ctrl-C gives the result without names" second_stop
