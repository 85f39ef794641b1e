#!/bin/bash
# No time vanishes: eight tracers at once, on a machine with more to do than CPUs, while others start and stop. Every thread's
# parts add up to its life, or what is missing stands there as [not accounted].
set -uo pipefail
source "$(dirname "$0")/lib.bash"

seconds=${WICK_CONSERVATION_SECONDS:-5}
threads=(sleep_1ms sleep_10ms sleep_100ms spin)

truth() { sed -n "s/^$2=//p" "$1"; }
# Of a thread, by its name, in the unit of the folded lines: all of it, and what could not be told.
sum_of() { awk -v name="$2;" 'index($0, name) == 1 { n += $NF } END { printf "%.0f", n }' "$1"; }
gap_of() { awk -v name="$2;[[]not accounted[]]" '$0 ~ "^" name { n += $NF } END { printf "%.0f", n }' "$1"; }

# conserved WHAT SUM LIFE GAP SLACK: within 1 % of the life and SLACK, or what is missing or too much is in the gap.
conserved() {
  awk -v sum="$2" -v life="$3" -v gap="$4" -v slack="$5" 'BEGIN {
    d = sum - life; if (d < 0) d = -d; exit !(life > 0 && d <= life / 100 + gap + slack) }' ||
    { echo "$1: $2 us in all, $4 us of them not accounted, in a life of $3 us"; return 1; }
}

wall_adds_up() {
  local thread failed=0 us
  for thread in "${threads[@]}"; do
    us=$(($(sum_of "$1.folded" "t_$thread") / 1000))
    conserved "$1: t_$thread" "$us" "$(truth "$1.truth" "t_${thread}_named_us")" \
      $(($(gap_of "$1.folded" "t_$thread") / 1000)) 0 || failed=1
  done
  return $failed
}

# The thread's CPU clock has the rest; what a hypervisor took is in neither.
offcputime_adds_up() {
  local thread failed=0 stolen
  stolen=$(awk -F= '/^stolen_seconds=/ { print $2 * 1e6 }' "$1.truth")
  for thread in "${threads[@]}"; do
    conserved "$1: t_$thread" $(($(sum_of "$1.folded" "t_$thread") + $(truth "$1.truth" "t_${thread}_ran_us"))) \
      "$(truth "$1.truth" "t_${thread}_named_us")" "$(gap_of "$1.folded" "t_$thread")" "$stolen" || failed=1
  done
  return $failed
}

tracers_come_and_go() {
  while :; do
    timeout -s INT 1 wick offcputime -f -u >/dev/null 2>&1
    timeout -s INT 1 wick wall -f -p $$ >/dev/null 2>&1
    timeout -s INT 1 wick runqlat >/dev/null 2>&1
  done
}

eight_at_once() {
  local i pid failed=0 tools=() others=()
  for i in 1 2 3 4; do
    timeout 120 split 1 1 --seconds 60 >/dev/null 2>&1 & others+=($!)
  done
  tracers_come_and_go & others+=($!)
  wick profile -F 199 -o profile.folded -- split 1 1 --seconds "$seconds" >profile.truth 2>profile.err & tools+=($!)
  wick runqlat "$seconds" 1 >runqlat.txt 2>runqlat.err & tools+=($!)
  for i in 1 2 3; do
    wick wall -o "wall$i.folded" -- waits "${threads[@]}" --seconds "$seconds" >"wall$i.truth" 2>"wall$i.err" & tools+=($!)
    wick offcputime -o "off$i.folded" -- waits "${threads[@]}" --seconds "$seconds" >"off$i.truth" 2>"off$i.err" & tools+=($!)
  done
  for pid in "${tools[@]}"; do wait "$pid" || failed=1; done
  kill "${others[@]}" 2>/dev/null
  wait "${others[@]}" 2>/dev/null
  for i in 1 2 3; do
    wall_adds_up "wall$i" || failed=1
    offcputime_adds_up "off$i" || failed=1
  done
  # What is shown is said, too.
  if grep -hq '\[not accounted\]' ./*.folded; then
    grep -hq 'not accounted (' ./*.err || { echo "a gap without a cause"; failed=1; }
  fi
  ((failed == 0)) || grep -h . ./*.err
  return $failed
}

check "eight tracers at once: each thread's time adds up to its life, or is said not to" eight_at_once
