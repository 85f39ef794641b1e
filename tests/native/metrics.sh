#!/bin/bash
# --metrics: what Prometheus's own parser reads on the page, while the tool goes on.
set -uo pipefail
source "$(dirname "$0")/lib.bash"
source tests/native/tools.bash
trap 'stop_process; rm -rf "$scratch"' EXIT
root=$PWD

if ! /usr/bin/python3 -c 'import prometheus_client' 2>/dev/null; then
  skip "metrics" "needs python3-prometheus-client"
  exit 0
fi

# start COMMAND...: in the background, until its page is there; sets tool, url and token.
start() {
  : >err # of the one before
  env --default-signal=INT "$@" >out 2>err &
  tool=$!
  local try
  for ((try = 0; try < 50; ++try)); do
    url=$(sed -n 's/^wick: metrics at //p' err)
    token=$(sed -n 's/^wick: metrics token: \([0-9a-f]*\) .*/\1/p' err)
    [ ! -s token ] || token=$(cat token)
    [ -z "$url" ] || [ -z "$token" ] || return 0
    kill -0 $tool 2>/dev/null || break
    sleep 0.1
  done
  cat err
  return 1
}
finish() {
  kill -INT $tool
  wait $tool || { cat err; return 1; }
}
scrape() { WICK_TOKEN=$token /usr/bin/python3 "$root/tests/native/scrape.py" "$url" "$@"; }
# value NAME{LABELS}: of the sample that is exactly so.
value() { awk -v name="$1" 'index($0, name " ") == 1 { print $NF }' "$2"; }

# Counters of the second scrape are not smaller, and none of those there is gone.
grown() {
  awk '$1 ~ /(_total|_bucket|_count|_sum)(\{|$)/ { key = $0; sub(/ [^ ]*$/, "", key)
         if (NR == FNR) before[key] = $NF
         else if (key in before) { if ($NF < before[key]) { print key " fell from " before[key] " to " $NF; exit 1 }; delete before[key] } }
       END { for (key in before) { print key " is gone"; exit 1 } }' "$1" "$2"
}

# The sums go on over intervals; the tables do not.
exact_counts() {
  start wick syscount -P -i 0.3 --comm calls --syscall getppid --metrics 0 || return 1
  calls >/dev/null
  calls >/dev/null
  scrape >first && calls >/dev/null && sleep 0.4 && scrape >second || return 1
  finish || return 1
  equal "calls" "$(awk '/^wick_syscount_count_total/ { sum += $NF } END { print sum }' second)" 37035 || return 1
  equal "lost" "$(value 'wick_lost_total{}' second)" 0.0 || return 1
  grown first second || return 1
  grep -q '^wick: 37,035 calls' err
}

# One table, at the end: the page is current all the same.
current_without_intervals() {
  start wick syscount -P --comm calls --syscall getppid --metrics 127.0.0.1:0 || return 1
  calls >/dev/null
  scrape >first && calls >/dev/null && scrape >second || return 1
  finish || return 1
  equal "calls at first" "$(awk '/^wick_syscount_count_total/ { sum += $NF } END { print sum }' first)" 12345 || return 1
  grown first second || return 1
  equal "calls in the end" "$(awk 'NR > 2 { sum += $NF } END { print sum }' out)" 24690
}

hostile_names() {
  local name=$'q"u\\o,{\nü' # a comm has 15 bytes
  cp "$(command -v sleep)" "$name"
  start wick syscount -P -i 0.3 --metrics localhost:0 || return 1
  "./$name" 0.5 &
  wait $!
  scrape >text || return 1
  finish || return 1
  grep -F "comm='q\"u\\\\o,{\\nü'" text || { grep 'q"u' text; return 1; }
}

histograms() {
  start wick runqlat -P 0.3 --metrics '[::1]:0' || return 1
  sleep 0.5
  scrape >first && sleep 0.5 && scrape >second || return 1
  finish || return 1
  grown first second || return 1
  grep -q "^wick_runqlat_seconds_bucket{.*le='2e-06'.*pid=" first || return 1
  grep -q "^wick_runqlat_seconds_count{" first
}

# Whatever a tool's columns are. What this kernel lacks, toolbox.sh looks at.
every_page_parses() {
  local name status=0
  for name in $(wick list --json | sed -n 's/^{"name":"\([^"]*\)".*"long":"metrics".*/\1/p'); do
    # shellcheck disable=SC2086 # words are wanted
    start wick $name ${given[$name]:-} --metrics 0 || { grep -qE 'CONFIG_|PMU' err && continue; }
    sleep 0.3
    scrape >text && grep -q '^wick_lost_total' text || { echo "$name"; status=1; }
    finish || status=1
  done
  return $status
}

# A page of a foreign name that points here.
other_hosts() {
  start wick syscount -i 0.3 --metrics 0 || return 1
  ! scrape evil.example:80 2>said || return 1
  grep -q 'HTTP Error 404' said || return 1
  finish
}

# Every user of the machine can connect; only who knows the token is answered.
without_token() {
  start wick syscount -i 0.3 --metrics 0 || return 1
  scrape >text || return 1
  for token in "" 00000000000000000000000000000000; do
    ! scrape >text 2>said || { echo "answered with the token '$token'"; return 1; }
    grep -q 'HTTP Error 401' said || { cat said; return 1; }
  done
  finish
}

# A token that stays, for Prometheus's credentials_file.
token_file() {
  start wick syscount -i 0.3 --metrics 0 --metrics-token-file token || return 1
  equal "mode of the file" "$(stat -c %a token)" 600 || return 1
  scrape >text && finish || return 1
  ! grep -qF "$(cat token)" err || { echo "the token was printed"; return 1; }
  cp token before
  start wick runqlat 0.3 --metrics 0 --metrics-token-file token || return 1
  scrape >text && finish && cmp before token || return 1
  chmod 644 token
  wick runqlat 1 1 --metrics 0 --metrics-token-file token >out 2>err
  equal "exit for a token that others may read" $? 1 || return 1
  grep -q 'others may read' err || { cat err; return 1; }
  wick runqlat 1 1 --metrics-token-file token >out 2>err
  equal "exit without --metrics" $? 2
}

# 60 connections that never say a word; the answer comes while they are open, before any of them is too old.
idle_connections() {
  start wick syscount -i 0.3 --metrics 0 || return 1
  local port=${url#http://127.0.0.1:} silent=() fd i
  port=${port%%/*}
  for ((i = 0; i < 60; ++i)); do
    exec {fd}<>/dev/tcp/127.0.0.1/"$port" || return 1
    silent+=("$fd")
  done
  local before=$EPOCHREALTIME
  scrape >text || return 1
  local after=$EPOCHREALTIME
  for fd in "${silent[@]}"; do exec {fd}>&-; done
  below "seconds for a scrape" "$(awk -v a="$before" -v b="$after" 'BEGIN { print b - a }')" 4.5 || return 1
  finish
}

refused() {
  local address
  for address in 0.0.0.0:9100 :9100 192.0.2.1:9100 '[::]:9100' example.org:80 99999 x; do
    wick syscount -d 1 --metrics "$address" >out 2>err
    equal "exit of --metrics $address" $? 2 || return 1
    equal "lines said" "$(wc -l <err)" 1 || return 1
  done
  start wick syscount -i 0.3 --metrics 0 || return 1
  wick runqlat 1 1 --metrics "$(sed 's,http://\(.*\)/metrics,\1,' <<<"$url")" >out2 2>err2
  equal "exit for a port that is taken" $? 1 || return 1
  grep -q 'Address already in use' err2 || return 1
  finish
}

check "metrics: sums are exact and grow" exact_counts
check "metrics: current without intervals" current_without_intervals
check "metrics: names with quotes, newlines and UTF-8" hostile_names
check "metrics: histograms" histograms
check "metrics: every tool's page parses" every_page_parses
check "metrics: another host is refused" other_hosts
check "metrics: only for this machine" refused
check "metrics: only for who knows the token" without_token
check "metrics: the token of a file" token_file
check "metrics: silent connections keep nobody out" idle_connections
