#!/bin/bash
# BESIDE others: what is true here does not depend on a quiet machine.
# What is printed for programs can be read by programs: --json and --csv of every command there is, through a parser. Walks
# `wick list`, so that a new command is covered the day it is added.
set -uo pipefail
source "$(dirname "$0")/lib.bash"
source tests/native/tools.bash
trap 'stop_process; kill $busy 2>/dev/null; rm -rf "$scratch"' EXIT

# Something to see for whoever looks at everything: files, processes, locks.
mkdir "$scratch/busy"
(cd "$scratch/busy" && while :; do
  dd if=/dev/zero of=f bs=4k count=16 conv=fsync 2>/dev/null
  sleep 0.05
done) &
busy=$!

mapfile -t with_json < <(wick list --json | sed -n 's/^{"name":"\([^"]*\)".*{"long":"json".*/\1/p')
mapfile -t with_csv < <(wick list --json | sed -n 's/^{"name":"\([^"]*\)".*{"long":"csv".*/\1/p')

# Commands that read: a profile with everything odd in its names.
printf 'sh;main;"quoted",\\back 3\nsh;main;\xc3\xa4 4\nsh;=1+1 5\n' >"$scratch/a.folded"
declare -A files=([convert]="$scratch/a.folded -o -" [report]=$scratch/a.folded [script]=$scratch/a.folded
  [diff]="$scratch/a.folded $scratch/a.folded" [view]=skip)

# Objects one behind the other, or one: each key once.
is_json() {
  python3 - "$1" <<'PY'
import json, sys

def once(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), f"a key stands twice: {keys}"
    return dict(pairs)

def no_constant(name):
    raise ValueError(f"{name} is no JSON")

text = open(sys.argv[1], encoding="utf-8", newline="").read()
decoder = json.JSONDecoder(object_pairs_hook=once, parse_constant=no_constant)
at = 0
while text[at:].strip():
    at += len(text[at:]) - len(text[at:].lstrip())
    value, at = decoder.raw_decode(text, at)
    assert isinstance(value, (dict, list)), f"{value!r} stands alone"
PY
}

# A head, and as many cells in every row.
is_csv() {
  python3 - "$1" <<'PY'
import csv, sys
with open(sys.argv[1], encoding="utf-8", newline="") as file:
    rows = list(csv.reader(file, strict=True))
assert rows, "not even a head"
head = rows[0]
assert len(head) == len(set(head)) and all(head), head
for row in rows[1:]:
    assert len(row) == len(head), (head, row)
PY
}

# runs_for TENTHS PID: until it has ended, at most.
runs_for() {
  local try
  for ((try = 0; try < $1; ++try)); do
    kill -0 "$2" 2>/dev/null || return 0
    sleep 0.1
  done
}
# A while, for CSV from its head on; then Ctrl-C, for those that do not end by themselves.
printed() { # COMMAND OPTION: into out
  local words=${files[$1]:-${given[$1]:-}} pid try
  # shellcheck disable=SC2086 # words are wanted
  env --default-signal=INT wick $1 $words $2 >out 2>err &
  pid=$!
  for ((try = 0; try < 300; ++try)); do
    [ "$2" = --json ] || [ -s out ] && break
    runs_for 1 $pid
  done
  runs_for 12 $pid
  kill -INT $pid 2>/dev/null
  wait $pid
}

# What a kernel or a machine lacks is said in one sentence, and nothing is printed.
one() { # COMMAND OPTION PARSER
  local status
  printed "$1" "$2"
  status=$?
  [ $status -eq 0 ] && "$3" out && return
  [ $status -eq 1 ] && [ ! -s out ] && [ "$(grep -c '^wick: ' err)" -eq 1 ] && grep -qE "^wick: $1: .*(CONFIG_|PMU)" err &&
    return
  echo "$1 $2: exit $status"
  head -n 5 err
  head -c 400 out
  return 1
}

# Four at a time, each in a folder of its own.
for_each() { # OPTION PARSER COMMAND...
  local command failed=0 running=0
  for command in "${@:3}"; do
    [ "${files[$command]:-}" = skip ] && continue
    mkdir "$command"
    (cd "$command" && one "$command" "$1" "$2" >said 2>&1 || mv said failed) &
    ((++running < 4)) || { wait -n; ((running--)); }
  done
  while ((running-- > 0)); do wait -n; done
  for command in "${@:3}"; do
    [ ! -e "$command/failed" ] || { cat "$command/failed"; failed=1; }
  done
  return $failed
}

all_found() {
  [ "${#with_json[@]}" -gt 25 ] && [ "${#with_csv[@]}" -gt 10 ] || { echo "${#with_json[@]} ${#with_csv[@]}"; return 1; }
}

# A lock that is waited for, so that there is something in the list.
mutex_json_has_locks() {
  contended --seconds 1 >truth &
  until_ready || return 1
  wick mutex --json -p $! 1 >out 2>err || { cat err; return 1; }
  wait
  is_json out && python3 -c 'import json; assert json.load(open("out"))'
}

check "json_csv: the list of commands has them" all_found
check "json_csv: --json of every command is JSON" for_each --json is_json "${with_json[@]}"
check "json_csv: --csv of every command is CSV, as many cells in each row as in the head" for_each --csv is_csv "${with_csv[@]}"
check "json_csv: mutex --json of a contended lock is JSON from its first byte" mutex_json_has_locks
