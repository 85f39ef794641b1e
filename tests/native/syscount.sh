#!/bin/bash
# syscount against libbpf-tools' syscount, in one run.
set -uo pipefail
source "$(dirname "$0")/lib.bash"

# Both begin before the first call and end after the last.
counts_as_libbpf_tools() {
  local own peer own_pid peer_pid calls_pid
  calls --delay 1.5 --traced 1 >truth &
  calls_pid=$!
  wick syscount -p $calls_pid -T 100 --csv >own.csv 2>own.err &
  own_pid=$!
  /usr/sbin/syscount -p $calls_pid -T 100 >peer.txt 2>/dev/null &
  peer_pid=$!
  wait $calls_pid
  sleep 0.2
  kill -INT $peer_pid
  wait $own_pid $peer_pid
  equal "getppid" "$(sed -n 's/^getppid,//p' own.csv)" 12345 &&
    equal "libbpf-tools' getppid" "$(sed -n 's/^getppid *//p' peer.txt)" 12345 || return 1
  own=$(awk -F, 'NR > 1 { sum += $2 } END { print sum }' own.csv)
  peer=$(awk '$2 ~ /^[0-9]+$/ { sum += $2 } END { print sum }' peer.txt)
  within_percent "calls" "$own" "$peer" 1
}

if [ -x /usr/sbin/syscount ]; then
  check "syscount counts as libbpf-tools' syscount" counts_as_libbpf_tools
else
  skip "syscount counts as libbpf-tools' syscount" "it is not installed"
fi
