#!/bin/bash
# runqlat, cpudist and sched against perf sched; what a timeline says when events are lost; what is left behind.
set -uo pipefail
source "$(dirname "$0")/lib.bash"

total_us() { sed -n 's/.*"total":\([0-9.]*\).*/\1/p' "$1"; }

# One run, three witnesses: two threads on one CPU never sleep, so what perf calls waiting is waiting for a CPU.
agrees_with_perf_sched() {
  local pids=() tool
  for tool in runqlat cpudist; do
    wick $tool --json --comm scheduled >$tool.json 2>$tool.err &
    pids+=($!)
  done
  when_tracing "${pids[0]}" when_tracing "${pids[1]}" true
  perf sched record -q -o data -- scheduled spin --seconds 2 >truth 2>perf.err || { cat perf.err; return 1; }
  kill -INT "${pids[@]}"
  wait "${pids[@]}"
  # time [cpu] task[tid/pid] wait delay run: of the threads, not of the one that waits for them.
  perf sched timehist -i data 2>/dev/null |
    awk '$3 ~ /^scheduled\[[0-9]+\/[0-9]+\]/ { wait += $4; run += $6 } END { printf "%.3f %.3f\n", wait * 1000, run * 1000 }' >perf.us
  read -r perf_wait perf_run <perf.us
  within_percent "wait, µs" "$(total_us runqlat.json)" "$perf_wait" 2 &&
    within_percent "run, µs" "$(total_us cpudist.json)" "$perf_run" 2
}
# A busy machine has its day: three tries for what is a draw.
in_three_tries() { "$@" || "$@" || "$@"; }

counts_as_libbpf_tools() {
  local pid
  scheduled pingpong --seconds 10 >truth &
  pid=$!
  sleep 0.3
  runqlat -p $pid 3 1 >peer.txt 2>/dev/null &
  wick runqlat --json -p $pid 3 1 >own.json 2>own.err
  wait $!
  kill $pid
  wait $pid
  peer=$(awk -F: '/->/ { sum += $2 } END { print sum }' peer.txt)
  own=$(sed -n 's/.*"count":\([0-9]*\),.*/\1/p' own.json)
  # They do not begin and end at one moment.
  within_percent "waits" "$own" "$peer" 3
}

# Stopped, it reads nothing: the ring fills, and what follows has a gap in front.
says_where_events_are_lost() {
  local pid wick
  scheduled pingpong --seconds 10 >truth &
  pid=$!
  sleep 0.3
  wick sched -p $pid -o x.json 4 2>err &
  wick=$!
  sleep 1 # it has too much to read to be seen waiting
  kill -STOP $wick
  sleep 2
  kill -CONT $wick
  wait $wick
  kill $pid
  wait $pid
  cat err
  grep -q 'lost [1-9]' err && grep -q '"name":"[0-9,]* events lost"' x.json && grep -q '(events missing)' x.json &&
    node -e 'JSON.parse(require("fs").readFileSync("x.json"))'
}

is_valid_json() {
  wick sched -o x.json -- scheduled sleep --seconds 1 >truth 2>err || return 1
  node -e '
    const events = JSON.parse(require("fs").readFileSync("x.json")).traceEvents;
    const slices = events.filter((e) => e.ph === "X");
    const byTrack = new Map();
    for (const e of slices) byTrack.set(e.tid, [...(byTrack.get(e.tid) ?? []), e]);
    if (byTrack.size !== 4) throw new Error(byTrack.size + " tracks");
    for (const track of byTrack.values()) {
      track.sort((a, b) => a.ts - b.ts);
      track.reduce((end, e) => { if (e.ts < end - 0.002) throw new Error("slices overlap at " + e.ts); return e.ts + e.dur; }, 0);
    }'
}

# Other runs, that end as they should: tests/native/toolbox.sh.
leaves_nothing_behind() {
  local pid
  wick runqlat >/dev/null 2>&1 &
  pid=$!
  when_tracing $pid true
  bpf_objects_of $pid >objects
  kill -KILL $pid
  wait $pid 2>/dev/null
  eventually all_gone objects
}

is_quiet_about_a_broken_pipe() {
  wick runqlat -P 0.2 5 2>err | head -n 1 >/dev/null
  local status=${PIPESTATUS[0]}
  [ "$status" -eq 141 ] || equal "status" "$status" 0 || return 1
  ! grep -qi 'broken pipe' err
}

if command -v perf >/dev/null; then
  check "runqlat and cpudist agree with perf sched" in_three_tries agrees_with_perf_sched
else
  skip "runqlat and cpudist agree with perf sched" "perf is not installed"
fi
if command -v runqlat >/dev/null; then
  check "runqlat counts as libbpf-tools' does" in_three_tries counts_as_libbpf_tools
else
  skip "runqlat counts as libbpf-tools' does" "libbpf-tools is not installed"
fi
check "a timeline says where events are lost" says_where_events_are_lost
check "a timeline is JSON, and no two slices of a thread overlap" is_valid_json
check "a kill leaves no program behind" leaves_nothing_behind
check "a broken pipe ends quietly" is_quiet_about_a_broken_pipe
