#!/bin/bash
# Ruby programs, with Debian's interpreter: lines, fibers, threads, children, YJIT.
set -uo pipefail
source "$(dirname "$0")/lib.bash"

ruby=/usr/bin/ruby3.1

value_of() { sed -n "s/^$1=//p" "$2" | tail -n 1; }
at_least() { awk -v a="$2" -v b="$3" 'BEGIN { exit !(a >= b) }' || { echo "$1: $2 is less than $3"; return 1; }; }

# same_stacks FILE LEAF CHAIN [LINES]: in at least 99 of 100 samples, and there are enough of them.
same_stacks() {
  python_stacks "$@" >compared || return 1
  at_least "equal stacks" "$(value_of equal_percent compared)" 99 &&
    at_least "samples" "$(value_of all_samples compared)" 50 || { cat compared; return 1; }
}

profile() { wick profile "$@" >said 2>err || { cat err; return 1; }; }

# share_of PATTERN FILE: in a hundred samples of folded stacks.
share_of() { awk -v pattern="$1" '{ all += $NF; if ($0 ~ pattern) some += $NF } END { print all ? 100 * some / all : 0 }' "$2"; }

frames_and_lines_are_what_caller_says() {
  profile -F 499 --lines -o x.json -- "$ruby" "$build/workload/ruby_chain" 2 "$@" &&
    at_least "frames" "$(value_of depth said)" 30 &&
    same_stacks x.json spin "$(value_of chain said)" "$(value_of lines said)"
}

a_fibers_entry_is_a_root() {
  profile -F 499 -o x.folded -- "$ruby" "$build/workload/ruby_chain" 2 fiber || return 1
  grep ';spin_' x.folded >spins
  at_least "samples" "$(awk '{ n += $NF } END { print n + 0 }' spins)" 50 &&
    at_least "with a root" "$(awk '{ n += $NF; if (!/\[stopped/) roots += $NF } END { print 100 * roots / n }' spins)" 99
}

threads_have_their_own() {
  cat >threads.rb <<'END'
def spins(till)
  i = 1
  i += 1 while i % 50_000 != 0 || Process.clock_gettime(Process::CLOCK_MONOTONIC) < till
end
def sleeps(till) = sleep(till - Process.clock_gettime(Process::CLOCK_MONOTONIC))
till = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 3
[Thread.new { spins(till) }, Thread.new { sleeps(till) }].each(&:join)
END
  profile -F 499 -o x.folded -- "$ruby" threads.rb || return 1
  python_stacks x.folded spins "block in <main> threads.rb;spins" >compared
  at_least "equal stacks" "$(value_of equal_percent compared)" 99 || { cat compared; return 1; }
  wick offcputime -o off.folded -- "$ruby" threads.rb 2>err || { cat err; return 1; }
  grep -q 'block in <main> threads.rb_\[j\];sleeps_\[j\];sleep_\[j\]' off.folded || { cat off.folded; return 1; }
}

# One that runs already, and what it forks.
a_running_one_and_its_children() {
  cat >forks.rb <<'END'
def till = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 3
def child_spins(till) = (1 while Process.clock_gettime(Process::CLOCK_MONOTONIC) < till)
def parent_spins(till) = (1 while Process.clock_gettime(Process::CLOCK_MONOTONIC) < till)
$stdout.sync = true
puts "ready"
$stdin.read(1)
pid = fork
pid ? parent_spins(till) : child_spins(till)
END
  mkfifo go
  "$ruby" forks.rb <go >truth &
  local pid=$!
  exec 7>go
  until_ready
  (sleep 0.5; echo >&7) &
  profile -F 199 -o x.folded 4
  wait $pid
  exec 7>&-
  grep -q '<main> forks.rb_\[j\];parent_spins_\[j\]' x.folded && grep -q '<main> forks.rb_\[j\];child_spins_\[j\]' x.folded
}

under_yjit_ruby_has_frames_and_a_marker() {
  "$ruby" --yjit -e 1 2>/dev/null || return 0
  profile -F 499 -o x.folded -- "$ruby" --yjit --yjit-call-threshold=2 "$build/workload/ruby_split" 4 || return 1
  local truth
  truth=$(awk "BEGIN { print $(value_of percent_a said) + $(value_of percent_b said) - 3 }")
  at_least "Ruby frames" "$(share_of 'burn_[ab]_.j.' x.folded)" "$truth" && grep -q '\[stopped: .*;burn_a_' x.folded
}

code_that_goes_away() {
  cat >comes.rb <<'END'
till = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 3
number = 0
while Process.clock_gettime(Process::CLOCK_MONOTONIC) < till
  number += 1
  Module.new.module_eval("def self.made_#{number}; 3000.times { |i| i * i }; end; made_#{number}")
end
END
  profile -F 999 -o x.folded -- "$ruby" comes.rb || return 1
  ! grep -vE '^[^;]*;([^;]*;)*[^;]* [0-9]+$' x.folded || return 1
  awk '/made_[0-9]+_/ { good += $NF } /ruby code gone/ { gone += $NF }
    END { print good " with a name, " gone + 0 " gone"; exit !(good > 0) }' x.folded
}

if [ ! -x "$ruby" ]; then
  skip "Ruby 3.1" "it is not installed"
  exit 0
fi
check "Ruby 3.1: frames and lines are what caller says" frames_and_lines_are_what_caller_says
check "Ruby 3.1: in a fiber too" frames_and_lines_are_what_caller_says fiber
check "Ruby 3.1: a fiber's entry is a root" a_fibers_entry_is_a_root
check "Ruby 3.1: threads, with and without the GVL" threads_have_their_own
check "Ruby 3.1: a running process and its children" a_running_one_and_its_children
check "Ruby 3.1: under YJIT" under_yjit_ruby_has_frames_and_a_marker
check "Ruby 3.1: code that goes away" code_that_goes_away
