#!/bin/bash
# BESIDE others
# Threads of Go that wait for work are no locks, and no lock is waited for where they are.
set -uo pipefail
source "$(dirname "$0")/lib.bash"

source=$PWD/tests/workload/go/go_idle.go

with_idle_go() {
  local pid result=0
  GOCACHE=$PWD/cache GO111MODULE=off GOFLAGS= go build -o go_idle "$source" || return 1
  ./go_idle >truth & pid=$!
  until_ready && "$@" "$pid" || result=1
  kill "$pid"
  wait "$pid" 2>/dev/null
  return $result
}

idle_threads_are_no_locks() {
  wick mutex --json -p "$1" 1 >found.json 2>err || { cat err; return 1; }
  sed -n '/{/,$p' found.json | python3 -c '
import json, sys
found = json.load(sys.stdin)
assert not found["locks"], found["locks"]
assert found["waits"] == [], found["waits"]' || return 1
  wick mutex --all -p "$1" 1 >all 2>err && grep -q ' note  ' all || { cat all err; return 1; }
}

idle_threads_are_idle() {
  wick wall -f -p "$1" 1 >found 2>err || { cat err; return 1; }
  grep -q '\[idle\] ' found && ! grep -q '\[lock\] ' found || { cat found err; return 1; }
}

if command -v go >/dev/null; then
  check "idle threads of Go are no locks to mutex" with_idle_go idle_threads_are_no_locks
  check "idle threads of Go are idle to wall, and wait for no lock" with_idle_go idle_threads_are_idle
else
  skip "idle threads of Go" "no go here"
fi
