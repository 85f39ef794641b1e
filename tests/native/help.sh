#!/bin/bash
# What the help says is true: its examples work as printed, the pages are current, the man pages parse.
set -uo pipefail
source "$(dirname "$0")/lib.bash"
root=$PWD

pages_are_current() { WICK_BUILD=$build "$root/scripts/docs" --check; }

# Every line of `wick help NAME` under "examples:" that begins with wick. No shell: they are plain words.
examples_work() {
  local command line words
  for command in "$root"/src/tools/*.cpp; do
    command=$(basename "$command" .cpp)
    while read -r line; do
      read -ra words <<<"$line"
      echo "$line"
      "${words[@]}" >out 2>err || { cat err; return 1; }
    done < <(wick help "$command" | sed -n '/^examples:/,$ s/^  \(wick .*\)/\1/p')
  done
}

every_command_has_two_examples() {
  local command
  for command in "$root"/src/tools/*.cpp; do
    command=$(basename "$command" .cpp)
    [ "$(wick help "$command" | sed -n '/^examples:/,$p' | grep -c '^  wick ')" -ge 2 ] || { echo "$command"; return 1; }
  done
}

check "help: docs/tools is what the commands say of themselves" pages_are_current
check "help: every example works as printed" examples_work
check "help: every command has two examples" every_command_has_two_examples
