#!/bin/bash
# Ctrl-C at any moment ends within a second, with a whole file or none; kill -9 leaves nothing behind.
set -uo pipefail
source "$(dirname "$0")/lib.bash"

# until_named PID NAME: waits for the exec, or the end. No fork: the delays are of milliseconds.
until_named() {
  local comm=
  until [ "$comm" = "$2" ]; do read -r comm 2>/dev/null <"/proc/$1/comm" || return 0; done
}

# waited_for_cpu PID: nanoseconds, of its main thread; also of one that has ended and was not waited for.
waited_for_cpu() {
  local ran waited slices
  read -r ran waited slices <"/proc/$1/schedstat" && echo "$waited"
}
until_ended() {
  local pid name state rest
  while read -r pid name state rest <"/proc/$1/stat" && [ "$state" != Z ]; do sleep 0.01; done
}

# interrupt_after DELAY SECONDS: the run may last SECONDS, but is told to stop after DELAY.
# A shell's background jobs ignore SIGINT, hence --default-signal; a signal that comes before env has
# made that so is lost, whatever Wick does: the delay counts from the moment the process is Wick. While others have the
# CPU it can do nothing: that time is taken off.
interrupt_after() {
  local delay=$1 seconds=$2 pid before waited starved
  rm -f x.svg
  env --default-signal=INT wick profile -F 999 -I -o x.svg "$seconds" >out 2>err &
  pid=$!
  until_named $pid wick
  sleep "$delay"
  starved=$(waited_for_cpu $pid)
  before=$(date +%s%N)
  kill -INT $pid 2>/dev/null || { wait $pid; return 0; }
  until_ended $pid
  waited=$((($(date +%s%N) - before - ($(waited_for_cpu $pid) - starved)) / 1000000))
  wait $pid
  [ $waited -lt 1000 ] || { echo "after $delay s: ended only $waited ms later"; cat err; return 1; }
  if [ -e x.svg ]; then
    tail -c 8 x.svg | grep -q '</svg>' || { echo "after $delay s: x.svg is cut off"; return 1; }
  fi
  local others
  others=$(find . -type f ! -name x.svg ! -name out ! -name err)
  [ -z "$others" ] || { echo "after $delay s: left behind: $others"; return 1; }
}

while_loading() { for ms in 001 003 005 008 012 016 020 025 030 040 060 080; do interrupt_after 0.$ms 5 || return 1; done; }
while_sampling() { for delay in 0.3 0.7 1.1; do interrupt_after $delay 5 || return 1; done; }

# At the end of its second the profile has ten thousand stacks to name and to draw.
while_writing() {
  many_stacks 100000 --us 150 --seconds 60 >/dev/null &
  local load=$! ms status=0
  for ms in 1000 1005 1010 1020 1040 1060 1080 1120 1160 1200 1300 1400; do
    interrupt_after "$(awk -v ms=$ms 'BEGIN { print ms / 1000 }')" 1 || { status=1; break; }
  done
  kill $load 2>/dev/null
  wait $load
  return $status
}

killed_leaves_nothing() {
  local pid
  wick profile -F 99 -o x.svg 10 >/dev/null 2>&1 &
  pid=$!
  when_tracing $pid true
  bpf_objects_of $pid >objects
  kill -KILL $pid
  wait $pid
  eventually all_gone objects || return 1
  [ ! -e x.svg ] || { echo "x.svg was written"; return 1; }
  if mountpoint -q /sys/fs/bpf; then equal "pinned objects" "$(find /sys/fs/bpf -iname '*wick*' | wc -l)" 0; fi
}

ended_leaves_nothing() {
  local pid
  wick profile -F 99 -f 1 >/dev/null 2>&1 &
  pid=$!
  when_tracing $pid true
  bpf_objects_of $pid >objects
  wait $pid || return 1
  eventually all_gone objects
}

no_sleeper() { ! pgrep -f '^sleep 1234$'; }
stopped_child_ends_too() {
  env --default-signal=INT wick profile -F 99 -o x.folded -- sleep 1234 >/dev/null 2>&1 &
  local pid=$!
  when_tracing $pid true
  kill -INT $pid
  wait $pid
  eventually no_sleeper
}

check "Ctrl-C while loading" while_loading
check "Ctrl-C while sampling" while_sampling
check "Ctrl-C while naming and writing" while_writing
check "Ctrl-C ends the command it started" stopped_child_ends_too
check "kill -9 leaves no BPF program and no file" killed_leaves_nothing
check "an ordinary end leaves no BPF program" ended_leaves_nothing
