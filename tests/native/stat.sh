#!/bin/bash
# wick stat and perf stat count the same: both at once on one process, and in turns on one command.
set -uo pipefail
source "$(dirname "$0")/lib.bash"

# perf writes CSV as `count,unit,event,…`, a clock in milliseconds.
perf_count() { awk -F, -v event="$1" '$3 == event { print $2 == "msec" ? $1 * 1e6 : $1 }' perf.csv; }
wick_count() { awk -F, -v event="$1" '$1 == event { print $2 }' wick.csv; }

# same EVENT PERCENT: the counts of both, no further apart than that (and 3, of small counts).
same() {
  local perfs wicks
  perfs=$(perf_count "$1") wicks=$(wick_count "$1")
  [ -n "$perfs" ] && [ -n "$wicks" ] || { echo "$1: perf '$perfs', wick '$wicks'"; cat perf.csv wick.csv; return 1; }
  echo "$1: perf $perfs, wick $wicks"
  awk -v a="$perfs" -v b="$wicks" -v percent="$2" \
    'BEGIN { d = a > b ? a - b : b - a; exit !(d <= 3 || d <= a * percent / 100) }'
}

# Both look at the workload from before it begins to after it ended.
at_once() {
  local events=$1 pid perf_pid
  shift
  events "$@" --delay 1.5 >truth &
  until_ready || return 1
  pid=$(sed -n 's/^pid=//p' truth)
  perf stat -x, -o perf.csv -e "$events" -p "$pid" &
  perf_pid=$!
  wick stat --csv -o wick.csv -e "$events" -p "$pid" || return 1
  wait "$perf_pid"
}

faults_and_switches() {
  at_once page-faults,minor-faults,context-switches,syscalls:sys_enter_clock_nanosleep switches 2000 || return 1
  same page-faults 1 && same minor-faults 1 && same context-switches 1 && same syscalls:sys_enter_clock_nanosleep 1
}
clocks() {
  at_once task-clock,cpu-migrations burn || return 1
  same task-clock 1 && same cpu-migrations 1
}
family() {
  at_once page-faults family 4000 || return 1
  same page-faults 1
}
whole_command() {
  perf stat -x, -o perf.csv -e page-faults,sched:sched_process_fork -- events family 4000 >/dev/null || return 1
  wick stat --csv -o wick.csv -e page-faults,sched:sched_process_fork -- events family 4000 >/dev/null || return 1
  same page-faults 1 && same sched:sched_process_fork 0
}

# The counts stay out of what a command prints.
clean_output() {
  wick stat -- echo hello >out 2>err || return 1
  equal "standard output" "$(cat out)" hello
}

check "a command's standard output stays its own" clean_output
if command -v perf >/dev/null; then
  check "faults, switches and a tracepoint agree with perf stat, in one run" faults_and_switches
  check "clock and migrations agree with perf stat, in one run" clocks
  check "a family of processes agrees with perf stat, in one run" family
  check "a command's counts agree with perf stat's, in turns" whole_command
else
  skip "counts agree with perf stat" "perf is not installed"
fi
