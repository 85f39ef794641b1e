#!/bin/bash
# BESIDE others: nothing here depends on a quiet machine.
# What perf and bpftrace really print here is read, and adds up to what they say themselves.
set -uo pipefail
source "$(dirname "$0")/lib.bash"

counts() { awk '{ n += $NF } END { print n + 0 }' "$1"; }

perf_script_adds_up() {
  perf record -q -F 499 -g -o perf.data -- split 2 1 --seconds 1 >/dev/null 2>&1 || return 1
  perf script -i perf.data >perf.txt 2>/dev/null || return 1
  wick convert perf.txt --value samples -o x.folded || return 1
  # An event's line begins with the command; frames and source lines are indented.
  equal "samples" "$(counts x.folded)" "$(grep -c '^[^[:space:]#]' perf.txt)" || return 1
  grep -q 'split;.*;spin_a' x.folded
}

perf_events_stay_apart() {
  perf record -q -e cpu-clock,page-faults -g -o perf.data -- split 2 1 --seconds 1 >/dev/null 2>&1 || return 1
  perf script -i perf.data >perf.txt 2>/dev/null || return 1
  local event
  for event in cpu-clock page-faults; do
    wick convert perf.txt --value "$event" -o x.folded || return 1
    equal "$event" "$(counts x.folded)" \
      "$(awk -v e="$event:" '/^[^[:space:]#]/ && $NF == e { n += $(NF - 1) } END { print n }' perf.txt)" || return 1
  done
}

# As older versions print it: neither time nor period, with the CPU or without, PID and TID or one of them.
perf_script_without_times() {
  perf record -q --sample-cpu -F 499 -g -o perf.data -- split 2 1 --seconds 1 >/dev/null 2>&1 || return 1
  perf script -i perf.data >perf.txt 2>/dev/null && wick convert perf.txt --value samples -o timed.folded || return 1
  local fields
  for fields in comm,tid comm,pid,tid comm,pid,tid,cpu; do
    perf script -i perf.data -F "$fields,event,ip,sym,dso" >bare.txt 2>/dev/null || return 1
    # FlameGraph's samples have blanks where perf now has a tab.
    sed -i 's/^\t/        /' bare.txt
    wick convert bare.txt --value samples -o bare.folded || return 1
    cmp timed.folded bare.folded || { head -n 3 bare.txt; return 1; }
  done
}

bpftrace_adds_up() {
  split 2 1 --seconds 3 >/dev/null &
  local burner=$!
  BPFTRACE_MAP_KEYS_MAX=100000 bpftrace -e 'profile:hz:499 { @[kstack, ustack, comm] = count(); @all = count(); }
    interval:s:1 { exit(); }' >maps.txt 2>/dev/null
  kill "$burner"
  wick convert maps.txt -o x.folded 2>said || { cat said; return 1; }
  equal "samples" "$(counts x.folded)" "$(sed -n 's/^@all: //p' maps.txt)" || return 1
  grep -q '^split;' x.folded
}

check "perf script: every sample is counted" perf_script_adds_up
check "perf script: each event has its own sum" perf_events_stay_apart
check "perf script: without times it is the same profile" perf_script_without_times
if command -v bpftrace >/dev/null; then
  check "bpftrace: maps of two stacks add up" bpftrace_adds_up
else
  skip "bpftrace: maps of two stacks add up" "no bpftrace"
fi
