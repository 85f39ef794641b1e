#!/bin/bash
# BESIDE others: what is true here does not depend on a quiet machine.
# Files that a process offers: Wick, as root, reads for a process only what belongs to the process's user.
set -uo pipefail
source "$(dirname "$0")/lib.bash"
chmod 755 "$scratch"
started=
trap 'stop; rm -rf "$scratch"' EXIT
stop() {
  [ -z "$started" ] || kill -KILL "$started"
  wait
  started=
} 2>/dev/null

# Where other users reach them.
install -D -m 0755 -t "$scratch/bin" "$build/workload/written_code" "$build/workload/hostile_jvm"
chmod 755 "$scratch/bin"
PATH=$scratch/bin:$PATH

if [ "$(id -u)" != 0 ]; then
  skip "files that a process offers" "needs root"
  exit 0
fi

# start COMMAND...: the workload, which COMMAND ends with; sets pid (as we see it), own (as it sees itself) and line, the line
# of a perf map that covers its code.
start() {
  : >truth
  "$@" written_code --seconds 60 >truth 2>said.err &
  until_ready || { cat said.err; return 1; }
  own=$(sed -n 's/^pid=//p' truth)
  pid=$(pid_of "$own")
  started=$pid
  line="$(sed -n 's/^code=//p' truth) $(sed -n 's/^size=//p' truth)"
}
# Whose innermost PID is the given one: of the workloads that are there.
pid_of() {
  local status
  for status in /proc/[0-9]*/status; do
    awk -v own="$1" '/^Name:/ { named = $2 == "written_code" } /^NSpid:/ { if (named && $NF == own) { print $2; exit } }' "$status"
  done 2>/dev/null | tail -n 1
}
as_nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
in_namespace="nsenter --mount --target"

profile() { wick profile -F 199 -f -p "$pid" 1 >out 2>err || { cat err; return 1; }; }
named() { profile && { grep -q "$1" out || { echo "$1 is not named:"; cat out err; return 1; }; }; }
not_named() { profile && { ! grep -q "$1" out || { echo "$1 came out:"; cat out; return 1; }; }; }
unshared() { unshare --mount --propagation private "$@"; }
map_file() { echo "/tmp/perf-$own.map"; }

# The secret of root has the form of a map, so that its lines would come out as names.
roots_secret() { (umask 077 && echo "$line roots_secret" >"$1"); }

bind_mount() {
  start unshared $as_nobody || return 1
  roots_secret "$scratch/secret" || return 1
  $in_namespace "$pid" bash -c "umask 0; : >$(map_file); chown 65534:65534 $(map_file); mount --bind '$scratch/secret' $(map_file)" || return 1
  not_named roots_secret
  local status=$?
  rm -f "$(map_file)"
  return $status
}
# Even a file of the right owner is not read where it is mounted over another: it may be of another process.
mounted_own_file() {
  start unshared $as_nobody || return 1
  echo "$line others_file" >other
  chown 65534:65534 other
  $in_namespace "$pid" bash -c ": >$(map_file); mount --bind '$PWD/other' $(map_file)" || return 1
  not_named others_file
  local status=$?
  rm -f "$(map_file)"
  return $status
}
planted() { # WHAT: makes the map of a process of nobody into it
  start $as_nobody || return 1
  roots_secret "$scratch/secret" || return 1
  "$@" || return 1
  timeout 20 wick profile -F 199 -f -p "$pid" 1 >out 2>err || { cat err; return 1; }
  local status=0
  ! grep -q roots_secret out || { echo "it came out:"; cat out; status=1; }
  rm -f "$(map_file)"
  return $status
}
link_to_it() { ln -s "$scratch/secret" "$(map_file)"; }
hard_link_to_it() {
  chown 65534 "$scratch/secret"
  ln "$scratch/secret" "$(map_file)"
}
pipe_instead() { mkfifo "$(map_file)" && chown 65534 "$(map_file)"; }
roots_own_file() { cp "$scratch/secret" "$(map_file)"; }

own_map() {
  start $as_nobody || return 1
  (umask 077 && echo "$line own_name" >"$(map_file)" && chown 65534 "$(map_file)")
  named own_name
  local status=$?
  rm -f "$(map_file)"
  return $status
}
root_own_map() {
  start || return 1
  echo "$line own_name" >"$(map_file)"
  named own_name
  local status=$?
  rm -f "$(map_file)"
  return $status
}
# A container: /tmp is a mount of its own, PIDs too. The program moves there with it.
contained() {
  exec unshare --pid --fork --kill-child --mount-proc --mount bash -c '
    mount -t tmpfs -o mode=1777 tmpfs "$1" && cp "$2" "$1" && mount --bind "$1" /tmp && cd / || exit
    PATH=/tmp:$PATH; shift 2; exec "$@"' contained "$PWD" "$(command -v written_code)" "$@"
}
mounted_tmp() {
  start contained $as_nobody || return 1
  $in_namespace "$pid" bash -c "echo '$line own_name' >$(map_file); chown 65534 $(map_file)" || return 1
  named own_name
}
# A user of a user namespace: root there, somebody else here.
in_user_namespace() {
  start $as_nobody unshare --user --map-root-user --mount || return 1
  $in_namespace "$pid" $as_nobody bash -c "echo '$line own_name' >$(map_file)" || return 1
  named own_name
  local status=$?
  rm -f "$(map_file)"
  return $status
}

# Asked for names, it kills whoever has become its user. Wick itself has not.
hostile_jvm() {
  $as_nobody hostile_jvm --seconds 60 >truth 2>said.err &
  until_ready || { cat said.err; return 1; }
  pid=$(sed -n 's/^pid=//p' truth)
  started=$pid
  wick profile -F 199 -f --java -p "$pid" 1 >out 2>err
  equal "exit status" $? 0 || { cat err; return 1; }
  grep -q "JVM $pid gave no names: " err || { cat err; return 1; }
  [ "$(said_samples err)" -gt 0 ] && [ -s out ] || { cat err; return 1; }
}

tidy() { "$@"; local status=$?; stop; return $status; }

check "root's file mounted over a user's perf map is not read" tidy bind_mount
check "nor is any other file mounted there" tidy mounted_own_file
check "a link to root's file is not read" tidy planted link_to_it
check "a hard link is not read" tidy planted hard_link_to_it
check "a pipe in its place is not waited for" tidy planted pipe_instead
check "root's map for a user's process is not read" tidy planted roots_own_file
check "a user's own map is read" tidy own_map
check "root's own map of root's process is read" tidy root_own_map
check "/tmp may be a mount of its own" tidy mounted_tmp
check "a hostile JVM kills nobody but who asks it" tidy hostile_jvm
if $as_nobody unshare --user true 2>/dev/null; then
  check "root of a user namespace is its user here" tidy in_user_namespace
else
  skip "user namespaces" "not allowed here"
fi
