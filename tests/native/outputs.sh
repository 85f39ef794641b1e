#!/bin/bash
# BESIDE others: nothing here depends on a quiet machine.
# What root writes into folders of others: nobody gains a right by what they put there before.
set -uo pipefail
source "$(dirname "$0")/lib.bash"

stranger=65533
as_stranger() { setpriv --reuid $stranger --regid $stranger --clear-groups "$@"; }
profile() { printf 'sh;main;sort 60\nsh;main;read 30\n' >in.folded; }
is() { equal "owner and mode of $1" "$(stat -c '%u %a' "$1")" "$2"; }

# A folder that the stranger owns, and one that everybody can write.
folders() {
  chmod 755 "$scratch" "$scratch/now" && profile &&
    mkdir theirs shared own && chown $stranger theirs && chmod 1777 shared
}

setuid_file_gives_nothing() {
  folders || return
  local folder
  for folder in theirs shared; do
    as_stranger cp /bin/true $folder/cpu.svg && as_stranger chmod 6777 $folder/cpu.svg || return
    is $folder/cpu.svg "$stranger 6777" || return
    wick convert in.folded -o $folder/cpu.svg && is $folder/cpu.svg '0 600' || return
  done
}

every_output_is_private() {
  umask 022
  profile || return
  wick convert in.folded -o a.svg --cp palette -o b.html -o c.pb.gz || return
  wick stat -o counts.txt -- true || return
  wick sched -o timeline.json -- true >/dev/null || return
  wick profile -F 99 -o p.folded -- true || return
  local file
  for file in a.svg b.html c.pb.gz palette counts.txt timeline.json p.folded; do
    is $file '0 600' || return
  done
}

own_file_keeps_its_readers() {
  profile && wick convert in.folded -o x.svg && chmod 4755 x.svg && wick convert in.folded -o x.svg && is x.svg '0 644'
}

sudo_gives_it_to_the_user() {
  folders || return
  SUDO_UID=$stranger SUDO_GID=$stranger wick convert in.folded -o theirs/cpu.html || return
  is theirs/cpu.html "$stranger 600" && as_stranger head -c 1 theirs/cpu.html >/dev/null || return
  SUDO_UID=$stranger SUDO_GID=$stranger wick convert in.folded -o own/cpu.html && is own/cpu.html '0 600'
}

# refused WHAT COMMAND…: status 1 or 2, at once, by a sentence that says WHAT.
refused() {
  local what=$1
  shift
  timeout 20 "$@" >out 2>err && { echo "$* did it"; return 1; }
  [ $? != 124 ] || { echo "$* hung"; return 1; }
  grep -q "$what" err && grep -q ' — ' err || { echo "$*:"; cat err; return 1; }
}

targets_that_are_no_files() {
  folders || return
  mkfifo pipe && ln -s pipe to_pipe && mknod disk b 7 200 && ln -s /dev/zero to_device || return
  local command
  for command in 'convert in.folded --format svg -o' 'profile --format svg -d 60 -o' 'stat -o' 'convert in.folded --format svg --cp'; do
    refused 'named pipe' wick $command pipe && refused 'named pipe' wick $command to_pipe &&
      refused 'a block device' wick $command disk && refused 'a device' wick $command to_device || return
  done
  mkfifo pipe.json && refused 'named pipe' wick sched -o pipe.json -- sleep 60
}

links_of_others() {
  folders && echo precious >own/victim || return
  ln -s "$PWD/own/victim" shared/cpu.svg && as_stranger ln -s "$PWD/own" theirs/folder || return
  refused 'symbolic link' wick convert in.folded -o shared/cpu.svg || return
  refused 'symbolic link' wick convert in.folded -o theirs/folder/cpu.svg || return
  equal 'the file a link leads to' "$(cat own/victim)" precious && [ ! -e own/cpu.svg ]
}

pipes_of_the_shell() {
  profile || return
  equal 'through a pipe' "$(wick convert in.folded --format folded -o /dev/stdout | sort | head -n 1)" 'sh;main;read 30' || return
  wick convert in.folded --format folded -o >(cat >substituted; touch done) --top 1 >top || return
  local try
  for ((try = 0; try < 500; ++try)); do [ -e done ] && break; sleep 0.01; done
  equal 'process substitution' "$(sort substituted | tail -n 1)" 'sh;main;sort 60' || return
  wick convert in.folded --format folded -o /proc/self/fd/1 >file && [ -s file ] || return
  [ -h /dev/stdout ] && wick convert in.folded --format svg -o /dev/null
}

# 3,000 files that stand where the result once was set aside.
names_made_in_advance() {
  profile || return
  (
    # Wick's PID is this shell's: all names near it.
    for ((pid = BASHPID - 1500; pid < BASHPID + 1500; ++pid)); do : >"cpu.svg.$pid"; done
    exec wick convert in.folded -o cpu.svg
  ) && [ -s cpu.svg ]
}

check "a stranger's setuid file at root's output gives nobody a right" setuid_file_gives_nothing
check "files of root are 0600, whichever command writes them" every_output_is_private
check "a file of our own keeps its readers, not its setuid bit" own_file_keeps_its_readers
check "under sudo a file in the user's folder is the user's" sudo_gives_it_to_the_user
check "FIFOs, devices and links to them are refused with a sentence" targets_that_are_no_files
check "no link is followed in a folder others can write" links_of_others
check "pipes of the shell are written" pipes_of_the_shell
check "3,000 names made in advance do not lose the result" names_made_in_advance
