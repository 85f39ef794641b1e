#!/bin/bash
# BESIDE others: what is true here does not depend on a quiet machine.
# Code that runtimes write: methods of a running JVM and functions of Node have names, in a container too.
set -uo pipefail
source "$(dirname "$0")/lib.bash"

sources=$PWD/tests/workload/jit
classes=$scratch/classes
java_flags="-XX:+PreserveFramePointer"
node_flags="--perf-basic-prof --interpreted-frames-native-stack"
mkdir "$scratch/tmp" "$classes"
chmod 755 "$scratch"
started=()
trap 'stop_all; rm -rf "$scratch"' EXIT

# unshare heeds no SIGTERM, nor does the first process of a namespace unless it wants to; a JVM tidies up at one.
stop_all() {
  local pid child
  for pid in "${started[@]}"; do
    child=$(only_child "$pid")
    if [ -n "$child" ]; then kill -KILL "$child"; else kill "$pid"; fi
    wait "$pid"
  done 2>/dev/null
  started=()
}

# start COMMAND...: in the background; waits until it says that it is warm.
start() {
  "$@" >said 2>said.err &
  started+=($!)
  local try
  for ((try = 0; try < 600; ++try)); do
    ! grep -q warm said || return 0
    kill -0 $! 2>/dev/null || break
    sleep 0.1
  done
  echo "$* did not get warm:"
  cat said said.err
  return 1
}

# What start started, and the namespaced process below the given one.
last_pid() { echo "${started[-1]}"; }
only_child() { cat /proc/"$1"/task/"$1"/children | tr -d ' '; }

# named_share FILE: how many in a hundred frames of runtime-written code have a name.
named_share() {
  awk '{ count = $NF; sub(/ [0-9]+$/, ""); n = split($0, frames, ";")
         for (i = 2; i <= n; i++) { if (frames[i] ~ /_\[j\]$/) named += count; else if (frames[i] == "[unknown]") other += count } }
       END { print named + other == 0 ? 0 : int(100 * named / (named + other)) }' "$1"
}

# in_order FILE LEAF PATTERN: of the samples with a frame LEAF, how many in a hundred match PATTERN; -1 without any.
in_order() {
  awk -v leaf="$2" -v pattern="$3" '$0 ~ leaf { all += $NF; if ($0 ~ pattern) good += $NF }
       END { print all == 0 ? -1 : int(100 * good / all) }' "$1"
}

at_least() { [ "$2" -ge "$3" ] || { echo "$1: $2 is less than $3"; return 1; }; }

java_order='(Burn\.main|Interpreter)_\[j\];Burn\$(Red|Green|Blue)\.run_\[j\];Burn\$(Add|Mul|Xor)\.burn_\[j\]'
node_order='main [^;]*_\[j\];[~^+*]run [^;]*burn\.js:[0-9:]*_\[j\];[~^+*]burn[A-E] [^;]*_\[j\]'

expect_java() {
  at_least "named JIT frames in a hundred" "$(named_share out)" 95 || return 1
  at_least "main, run, burn in a hundred" "$(in_order out 'Burn.*[.]burn_' "$java_order")" 95
}
expect_node() {
  at_least "named JIT frames in a hundred" "$(named_share out)" 95 || return 1
  at_least "main, run, burn in a hundred" "$(in_order out '[~^+*]burn[A-E] ' "$node_order")" 95
}
profile() { wick profile -F 199 -f "$@" >out 2>err || { cat err; return 1; }; }

java_is_named() {
  start java $java_flags -cp "$classes" Burn || return 1
  profile -p "$(last_pid)" --java 2 && expect_java || return 1
  ! grep -q "Full thread dump" said || { echo "the JVM was taken by surprise"; return 1; }
  [ -z "$(find . -name '.attach_pid*')" ] || { echo "left behind: $(find . -name '.attach_pid*')"; return 1; }
  kill -0 "$(last_pid)" || { echo "the JVM has ended"; return 1; }
  rm -f "/tmp/perf-$(last_pid).map"
}

# Another user, PIDs and a /tmp of its own, and a folder it may not write to.
contained() {
  exec unshare --pid --fork --kill-child --mount-proc --mount bash -c '
    mount -t tmpfs tmpfs "$1" && cp -r "$2/." "$3/burn.js" "$1" && mount --bind "$1" /tmp && cd / || exit
    shift 3
    exec "$@"' contained "$scratch/tmp" "$classes" "$sources" "$@"
}
contained_java_is_named() {
  start contained setpriv --reuid=65534 --regid=65534 --clear-groups java $java_flags -cp /tmp Burn || return 1
  profile -p "$(only_child "$(last_pid)")" --java 2 && expect_java
}
contained_node_is_named() {
  start contained node $node_flags /tmp/burn.js 60 || return 1
  profile -p "$(only_child "$(last_pid)")" 2 && expect_node
}

# It cannot be asked any more; what it left is read, and what to do said when it left nothing.
ended_java_is_named() {
  profile --java -- timeout --preserve-status 4 bash -c 'echo $$ >pid; exec "$@"' bash java $java_flags \
    -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -cp "$classes" Burn && expect_java || return 1
  ! grep -q "names" <(grep -v samples err) || { cat err; return 1; }
  rm "/tmp/perf-$(cat pid).map"
  profile --java -- timeout 3 java $java_flags -cp "$classes" Burn
  grep -q -- "-XX:+DumpPerfMapAtExit" err || { cat err; return 1; }
}

node_is_named() {
  start node $node_flags "$sources/burn.js" 60 || return 1
  profile -p "$(last_pid)" 2 && expect_node || return 1
  rm -f "/tmp/perf-$(last_pid).map"
}
# Its map is read when it is gone.
ended_node_is_named() {
  profile -- bash -c 'echo $$ >pid; exec "$@"' bash node $node_flags "$sources/burn.js" 2 && expect_node || return 1
  rm "/tmp/perf-$(cat pid).map"
}
jitdump_is_read() {
  profile -- node --perf-prof "$sources/burn.js" 2 || return 1
  [ -n "$(find . -name 'jit-*.dump')" ] || { echo "Node wrote no jitdump"; return 1; }
  at_least "named JIT frames in a hundred" "$(named_share out)" 95 || return 1
  grep -q '[~^+*]burn[A-E] .*_\[j\]' out || { echo "burn is not there"; return 1; }
}

missing_flags_are_said() {
  start java -cp "$classes" Burn || return 1
  profile -p "$(last_pid)" 1 || return 1
  grep -q "PID $(last_pid): .*-XX:+PreserveFramePointer" err && grep -q -- "--java" err || { cat err; return 1; }
  start node "$sources/burn.js" 60 || return 1
  profile -p "$(last_pid)" 1 || return 1
  grep -q "PID $(last_pid): .*--perf-basic-prof" err || { cat err; return 1; }
}

# A map that another user left for the process is not believed.
planted_map_is_ignored() {
  start node "$sources/burn.js" 60 || return 1
  local map=/tmp/perf-$(last_pid).map
  echo "0 7fffffffffff planted" >"$map"
  chown 65534 "$map"
  profile -p "$(last_pid)" 1 || return 1
  rm -f "$map"
  ! grep -q planted out || { echo "the planted name is there"; return 1; }
}

tidy() { "$@"; local status=$?; stop_all; return $status; }

if command -v javac >/dev/null; then
  javac -d "$classes" "$sources/Burn.java"
  check "a running JVM is asked for its names" tidy java_is_named
  check "a JVM of another user in a container too" tidy contained_java_is_named
  check "a JVM that has ended leaves its names" tidy ended_java_is_named
else
  skip "Java" "no javac"
fi
if command -v node >/dev/null; then
  check "functions of Node have names" tidy node_is_named
  check "in a container too" tidy contained_node_is_named
  check "of a Node that has ended too" tidy ended_node_is_named
  check "a jitdump gives names" tidy jitdump_is_read
  check "a map of another user is not believed" tidy planted_map_is_ignored
else
  skip "Node" "no node"
fi
if command -v javac >/dev/null && command -v node >/dev/null; then
  check "missing flags are said" tidy missing_flags_are_said
fi
