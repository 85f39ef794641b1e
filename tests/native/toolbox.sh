#!/bin/bash
# BESIDE others: what is true here does not depend on a quiet machine.
# What every tracing command owes, whatever it traces: it leaves nothing behind, bears company, a closed pipe and a full
# disk, refuses an interval of 0, and runs under its own name. And the command lines of bcc's slides work as printed.
set -uo pipefail
source "$(dirname "$0")/lib.bash"
source tests/native/tools.bash
trap 'stop_process; rm -rf "$scratch"' EXIT

# has TOOL, and takes TOOL JSON: its declaration holds this piece of JSON.
has() { [[ " ${tools[*]} " == *" $1 "* ]]; }
takes() { wick list --json | grep "^{\"name\":\"$1\"" | grep -qF "$2"; }

# Only by a hook on functions, or a PMU: they may say that this kernel or machine has none.
may_lack="ext4dist fsdist vfscount dcsnoop llcstat"
says_what_lacks() { # TOOL EXIT: of err
  [ "$2" -eq 1 ] && [[ " $may_lack " == *" $1 "* ]] && grep -qE '^wick: [^ ]*: .*(CONFIG_|PMU)' err
}
fine() { [ "$2" -eq 0 ] || says_what_lacks "$1" "$2" || { echo "$1: exit $2"; cat err; return 1; }; }

# for_all FUNCTION: each tool, also behind one that fails.
for_all() {
  local tool status=0
  for tool in "${tools[@]}"; do "$1" "$tool" || status=1; done
  return $status
}

# start TOOL [ARGUMENTS]: in the background, interruptible, and already Wick. Sets pid.
start() {
  local comm=
  # shellcheck disable=SC2048,SC2086 # words are wanted
  env --default-signal=INT wick $* >out 2>err &
  pid=$!
  until [ "$comm" = wick ]; do read -r comm 2>/dev/null <"/proc/$pid/comm" || return 0; done
}
# for_a_while SECONDS COMMAND...: then Ctrl-C, once.
for_a_while() { timeout --foreground --preserve-status --signal INT "$@"; }

# A hundred starts and stops, some of them amid the start.
start_and_stop() {
  local round
  for ((round = 0; round < 100 / ${#tools[@]} + 1; ++round)); do
    start "$1" "${given[$1]:-}"
    sleep "$(printf 0.%02d $((round % 4 * 7 + 2)))"
    bpf_objects_of $pid >>objects
    kill -INT $pid 2>/dev/null
    wait $pid
    fine "$1" $? || return 1
  done
}
leave_nothing() {
  for_all start_and_stop && eventually all_gone objects
}

two_at_once() {
  local first
  start "$1" "${given[$1]:-}" && first=$pid
  start "$1" "${given[$1]:-}"
  sleep 0.4
  kill -INT $first $pid 2>/dev/null
  wait $first
  fine "$1" $? || return 1
  wait $pid
  fine "$1" $?
}

closed_pipe() {
  # shellcheck disable=SC2086 # words are wanted
  for_a_while 0.5 wick $1 ${given[$1]:-} 2>err | head -n 1 >out
  fine "$1" "${PIPESTATUS[0]}" || return 1
  ! grep -qi pipe err || { echo "$1: $(cat err)"; return 1; }
}

full_disk() {
  local status
  # shellcheck disable=SC2086 # words are wanted
  for_a_while 0.6 wick $1 ${given[$1]:-} >/dev/full 2>err
  status=$?
  says_what_lacks "$1" $status && return
  # Who found nothing to print has nothing to complain of.
  [ $status -eq 0 ] && ! grep -qE '^wick: [1-9]' err && return
  equal "$1: exit" $status 1 && grep -q '^wick: .*No space left on device' err && return
  cat err
  return 1
}

interval_zero() {
  local arguments
  if takes "$1" '{"name":"interval"'; then
    arguments=0
  elif takes "$1" '{"long":"interval"'; then
    arguments="--interval 0"
  else
    return 0
  fi
  # shellcheck disable=SC2086 # words are wanted
  for_a_while 2 wick $1 ${given[$1]:-} $arguments >out 2>err
  equal "$1 $arguments: exit" $? 2 && equal "$1 $arguments: lines said" "$(wc -l <err)" 1 && return
  cat err
  return 1
}

# Installed under a tool's name, Wick is that tool; for all commands.
own_names() {
  local command
  for command in $(wick list --json | sed -n 's/^{"name":"\([^"]*\)".*/\1/p'); do
    ln -s "$build/wick" "$command"
    "./$command" --help >out || return 1
    equal "$command --help" "$(cat out)" "$(wick "$command" --help)" || return 1
  done
}

# bcc's slides, through links named like the tools.
slide() { # TOOL ARGUMENTS...
  local tool=$1 status
  [ -e "$tool" ] || ln -s "$build/wick" "$tool"
  for_a_while 1.2 "./$tool" "${@:2}" >out 2>err
  status=$?
  fine "$tool" $status || return 1
  [ $status -ne 0 ] || grep -q '^wick: .*lost' err || { echo "$*: no closing line"; cat err; return 1; }
}

slides=("biolatency -D" "biolatency -mT 1" biosnoop "biolatpcts /dev/$disk" biotop cachestat "cachetop 5" "dcsnoop -a"
  "dirtop -d /tree/*/data -Cr 5" ext4dist "fileslower 1" "filetop -Cr 5" "llcstat 20 -c 5000" "netqtop -n lo -i 1"
  "readahead -d 30" syscount syncsnoop vfscount vfsstat)
slide_works() {
  local words
  mkdir -p tree/a/data tree/b/data
  read -ra words <<<"$1"
  slide "${words[@]/#\/tree/$PWD/tree}"
}

check "toolbox: 100 starts and stops leave no BPF program, map or link" leave_nothing
check "toolbox: two of a kind at once" for_all two_at_once
check "toolbox: head -n 1 ends them quietly" for_all closed_pipe
check "toolbox: a full disk is told" for_all full_disk
check "toolbox: an interval of 0 is refused" for_all interval_zero
check "toolbox: under its own name a command is itself" own_names
for line in "${slides[@]}"; do
  if has "${line%% *}"; then
    check "toolbox: $line" slide_works "$line"
  else
    skip "toolbox: $line" "there is no ${line%% *} yet"
  fi
done
