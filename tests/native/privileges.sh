#!/bin/bash
# BESIDE others: what is true here does not depend on a quiet machine.
# Capabilities instead of root, as `wick doctor` advises: what members of the group get, and what they do not.
set -uo pipefail
source "$(dirname "$0")/lib.bash"
chmod 755 "$scratch"
started=
trap 'stop; rm -rf "$scratch"' EXIT
stop() {
  [ -z "$started" ] || kill -KILL $started
  wait
  started=
} 2>/dev/null

if [ "$(id -u)" != 0 ] || ! command -v setcap >/dev/null; then
  skip "capabilities" "needs root and setcap"
  exit 0
fi

# A copy that a group of its own may run. A file system may refuse capabilities (nosuid, no attributes).
group=64123
program=$scratch/wick
plain=$scratch/plain/wick # where other users reach it
install -D -m 0755 "$(command -v wick)" "$plain"
cp "$plain" "$program"
chgrp $group "$program"
chmod 0750 "$program"
if ! setcap cap_bpf,cap_perfmon,cap_sys_ptrace,cap_dac_read_search,cap_syslog,cap_checkpoint_restore=ep "$program"; then
  skip "capabilities" "files cannot have them here"
  exit 0
fi
# setpriv itself keeps root's capabilities until it has started something.
as_member="setpriv --reuid=65534 --regid=$group --clear-groups env"
as_other="setpriv --reuid=65534 --regid=65534 --clear-groups env"

advice_names_a_group() {
  $as_other "$plain" doctor >out
  grep -q 'chgrp wick .*chmod 0750 .*setcap' out || { cat out; return 1; }
  chmod 0755 "$program"
  $as_other "$program" doctor >out
  grep -q 'everyone may run it' out || { cat out; return 1; }
  chmod 0750 "$program"
  $as_member "$program" doctor >out
  ! grep -q 'everyone may run it' out || { cat out; return 1; }
  $as_other "$program" doctor >out 2>err
  equal "exit for who is not in the group" $? 126
}

# The whole system is seen, names of other users' programs too, even of those that only their owner may read.
member_samples() {
  cp "$(command -v split)" "$scratch/private"
  chown 65533 "$scratch/private"
  chmod 0700 "$scratch/private"
  setpriv --reuid=65533 --regid=65533 --clear-groups "$scratch/private" --seconds 60 >truth &
  until_ready || return 1
  started=$(sed -n 's/^pid=//p' truth)
  $as_member "$program" profile -F 99 -f -p "$started" 1 >out 2>err || { cat err; return 1; }
  grep -q 'private;.*main' out || { cat out err; return 1; }
}

# While it samples: nothing that only attaching needs, and reading every file is not in use.
kept_while_sampling() {
  $as_member "$program" profile -F 99 -f 60 >out 2>err &
  local pid=$! try kept=
  started=$pid
  # cap_dac_read_search 2, cap_sys_ptrace 19, cap_syslog 34, cap_perfmon 38, cap_bpf 39, cap_checkpoint_restore 40
  for ((try = 0; try < 300; ++try)); do
    kept=$(sed -n 's/^Cap\(Inh\|Prm\|Eff\|Amb\):\t//p' /proc/$pid/status | tr '\n' ' ')
    [ "$kept" != "0000000000000000 000001c400080004 000001c400080000 0000000000000000 " ] || return 0
    sleep 0.05
  done
  echo "inheritable, permitted, effective, ambient: $kept"
  cat err
  return 1
}
root_while_sampling() {
  wick profile -F 99 -f 60 >out 2>err &
  local pid=$! try effective=
  started=$pid
  for ((try = 0; try < 300; ++try)); do
    effective=$(sed -n 's/^CapEff:\t//p' /proc/$pid/status)
    (((0x$effective >> 21 & 1) == 1)) || return 0 # cap_sys_admin
    sleep 0.05
  done
  echo "effective: $effective"
  return 1
}

# A command that is started gets none of it, not even what was to be passed on.
nothing_is_inherited() {
  local as="setpriv --reuid=65534 --regid=$group --clear-groups --inh-caps +sys_ptrace --ambient-caps +sys_ptrace"
  $as grep '^CapEff' /proc/self/status | grep -q '0000000000080000$' || { echo "setpriv passes nothing on"; return 1; }
  $as "$plain" stat -- grep '^Cap\(Inh\|Prm\|Eff\|Amb\)' /proc/self/status >out 2>err || { cat err; return 1; }
  equal "sets" "$(grep -c '^Cap.*0000000000000000$' out)" 4 || { cat out; return 1; }
  $as_member "$program" profile -f 5 -- grep '^Cap\(Inh\|Prm\|Eff\|Amb\)' /proc/self/status >out 2>err || { cat err; return 1; }
  equal "sets" "$(grep -c '^Cap.*0000000000000000$' out)" 4 || { cat out; return 1; }
}

# What the person names is read with the person's rights.
files_stay_closed() {
  (umask 077 && echo 'roots;secret 1' >secret.folded)
  local command
  for command in convert report script "diff secret.folded" "view --no-browser"; do
    # shellcheck disable=SC2086 # words are wanted
    timeout 20 $as_member "$program" $command secret.folded >out 2>err
    equal "exit of $command" $? 1 || return 1
    grep -q 'Permission denied' err || { cat err; return 1; }
  done
}
root_reads_all() {
  (umask 077 && echo 'app;main 1' >theirs.folded && chown 65533 theirs.folded)
  wick convert theirs.folded -f >out 2>err || { cat err; return 1; }
  equal "what it wrote" "$(cat out)" "app;main 1"
}

# The address of `wick view` holds the secret; arguments of programs are for everyone to see.
browser_gets_a_page() {
  chmod 777 .
  mkdir bin && cat >bin/xdg-open <<'XDG'
#!/bin/bash
printf '%s\n' "$@" >opened.new
cp "$1" page
stat -c '%a %a' "$1" "$(dirname "$1")" >modes
mv opened.new opened
XDG
  chmod 755 bin bin/xdg-open
  echo 'app;main 1' >own.folded
  DISPLAY=:0 XDG_RUNTIME_DIR='' TMPDIR='' PATH=$PWD/bin:$PATH $as_other "$plain" view own.folded >url 2>err &
  started=$!
  local try
  for ((try = 0; try < 200; ++try)); do
    [ ! -s opened ] || break
    sleep 0.05
  done
  [ -s opened ] || { cat err; return 1; }
  ! grep -q 127.0.0.1 opened || { echo "the address is an argument: $(cat opened)"; return 1; }
  grep -qF "url=$(cat url)" page || { cat page; return 1; }
  equal "modes of page and folder" "$(tr '\n' ' ' <modes)" "600 600 700 700 " || return 1
  kill -INT "$started"
  wait "$started"
  [ ! -e "$(dirname "$(cat opened)")" ] || { echo "$(cat opened) is left behind"; return 1; }
}

tidy() { "$@"; local status=$?; stop; return $status; }

check "doctor advises a group, and warns where everyone may run it" advice_names_a_group
check "a member sees other users' names" tidy member_samples
check "while sampling only what sampling needs is kept" tidy kept_while_sampling
check "root too gives up what only attaching needs" tidy root_while_sampling
check "a command that is started inherits nothing" nothing_is_inherited
check "a member does not read root's files" files_stay_closed
check "root reads a user's profile" root_reads_all
check "the browser's arguments do not hold the address" tidy browser_gets_a_page
