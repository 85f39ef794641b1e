#!/bin/bash
# BESIDE others: nothing here depends on a quiet machine.
# What the help says is true: its examples work as printed, the pages are current, the man pages parse.
set -uo pipefail
source "$(dirname "$0")/lib.bash"
root=$PWD

pages_are_current() { WICK_BUILD=$build "$root/scripts/docs" --check; }

# The files the examples speak of.
make_example_files() {
  printf '@[\n    vfs_read+10\n    do_syscall_64+20\n]: 3\n' >trace.data
  printf 'sh 1/1 [000] 1.000000: 250000 cpu-clock:\n\t55d0 main+0x9 (/bin/sh)\n\n' >perf.txt
  printf 'sh;main;qsort 60\nsh;main;read 30\n' >monday.folded
  printf 'sh;main;qsort 20\nsh;main;write 50\n' >tuesday.folded
  wick convert monday.folded -o cpu.pb.gz
}

# Every line of `wick help NAME` under "examples:" that begins with wick. No shell: they are plain words.
# 4321 is some process: one that takes locks, in one order. nvme0n1 is some disk.
# A server runs until Ctrl-C, which comes after a second.
# What this kernel cannot do is said by its option, status 1; tests/vm has kernels that can.
examples_of() { # COMMAND, in a folder of its own
  local command=$1 line words
  mkdir "$command" && cd "$command" && make_example_files || return 1
  while read -r line; do
    line=${line//4321/$process}
    read -ra words <<<"${line//nvme0n1/$disk}"
    echo "$line"
    [ "$command" != view ] || words=(timeout --preserve-status --signal INT 1 "${words[@]}")
    "${words[@]}" >out 2>err || lacks_an_option $? || { cat err; return 1; }
  done < <(wick help "$command" | sed -n '/^examples:/,$ s/^  \(wick .*\)/\1/p')
}

# Two commands at a time: most of each is waiting.
examples_work() {
  local status=0
  disk=$(ls /sys/block | head -n 1)
  lock_orders recursive --seconds 300 >/dev/null &
  process=$!
  export disk process
  export -f examples_of make_example_files lacks_an_option
  find "$root/src/tools" -name '*.cpp' -printf '%f\0' |
    xargs -0 -n 1 -P 2 bash -c 'said=$(examples_of "${1%.cpp}" 2>&1) || { echo "$said"; exit 1; }' - || status=1
  kill $process
  return $status
}

lacks_an_option() { [ "$1" = 1 ] && [ ! -s out ] && grep -qE '^wick: .* CONFIG_[A-Z_0-9]+ is not set$' err; }

every_command_has_two_examples() {
  local command
  for command in "$root"/src/tools/*.cpp; do
    command=$(basename "$command" .cpp)
    [ "$(wick help "$command" | sed -n '/^examples:/,$p' | grep -c '^  wick ')" -ge 2 ] || { echo "$command"; return 1; }
  done
}

# What a program reads about the commands is what a person reads.
listed() {
  wick list --json >lines || return 1
  python3 - lines <<'END' || return 1
import json, subprocess, sys
for line in open(sys.argv[1]):
    command = json.loads(line)
    text = subprocess.run(["wick", "help", command["name"]], capture_output=True, text=True, check=True).stdout
    plain = " ".join(text.split())
    for option in command["options"]:
        letter = f"-{option['short']}, " if option["short"] else ""
        head = f"{letter}--{option['long']} {option['value']}".strip()
        assert f"{head} {' '.join(option['help'].split())}" in plain, (command["name"], head)
    for one in command["examples"]:
        assert one["command"] in text, one
    assert command["summary"] in text and command["group"]
END
  equal "commands" "$(wc -l <lines)" "$(find "$root/src/tools" -name '*.cpp' | wc -l)" || return 1
  equal "order" "$(sed 's/{"name":"\([^"]*\)".*/\1/' lines)" "$(wick --help | sed -n 's/^  \([a-z][a-z0-9_]*\)  .*/\1/p')"
}

man_pages_parse() {
  local command
  for command in "$root"/src/tools/*.cpp; do
    command=$(basename "$command" .cpp)
    wick help "$command" --man | groff -man -T utf8 -ww -z >said 2>&1 || return 1
    [ ! -s said ] || { echo "$command"; cat said; return 1; }
  done
}

check "help: docs/tools is what the commands say of themselves" pages_are_current
check "help: every example works as printed" examples_work
check "help: every command has two examples" every_command_has_two_examples
check "help: wick list tells programs the same" listed
if command -v groff >/dev/null; then
  check "help: every command has a man page, which parses" man_pages_parse
else
  skip "help: every command has a man page, which parses" "needs groff"
fi
