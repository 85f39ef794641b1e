#!/bin/bash
# BESIDE others: what is true here does not depend on a quiet machine.
# Python programs, with every interpreter there is here: Debian's, and those of pyenv.
set -uo pipefail
source "$(dirname "$0")/lib.bash"

pythons=(/usr/bin/python3)
for python in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[123]*/bin/python3; do
  [ ! -x "$python" ] || pythons+=("$python")
done

# value_of NAME FILE: of a NAME=value line.
value_of() { sed -n "s/^$1=//p" "$2" | tail -n 1; }
at_least() { awk -v a="$2" -v b="$3" 'BEGIN { exit !(a >= b) }' || { echo "$1: $2 is less than $3"; return 1; }; }

# same_stacks FILE LEAF CHAIN [LINES]: in at least 99 of 100 samples, and there are enough of them.
same_stacks() {
  python_stacks "$@" >compared || return 1
  at_least "equal stacks" "$(value_of equal_percent compared)" 99 &&
    at_least "samples" "$(value_of all_samples compared)" 50 || { cat compared; return 1; }
}

profile() { wick profile "$@" >said 2>err || { cat err; return 1; }; }

frames_are_what_python_says() {
  profile -F 499 --lines -o x.json -- "$1" "$build/workload/python_chain" 2 &&
    same_stacks x.json spin "$(value_of chain said)" "$(value_of lines said)"
}

threads_without_the_gil() {
  profile -F 499 -o x.folded -- "$1" "$build/workload/python_threads" 3 &&
    same_stacks x.folded without_gil 'Thread._bootstrap;Thread._bootstrap_inner;Thread.run;without_gil' &&
    same_stacks x.folded with_gil 'Thread._bootstrap;Thread._bootstrap_inner;Thread.run;with_gil'
}

shares_are_the_truth() {
  profile -F 999 -o x.folded -- "$1" "$build/workload/python_split" 5 || return 1
  awk -v wanted="$(value_of percent_a said)" '{ all += $NF; if (/burn_a_/) a += $NF }
    END { share = 100 * a / all; printf "burn_a has %.2f, not %.2f\n", share, wanted
          exit !(share - wanted < 2 && wanted - share < 2) }' x.folded
}

# One that runs already, and what it forks.
a_running_one_and_its_children() {
  cat >forks.py <<'END'
import os, time
def child_spins():
    until = time.monotonic() + 3
    while time.monotonic() < until: pass
def parent_spins():
    until = time.monotonic() + 3
    while time.monotonic() < until: pass
time.sleep(1)
pid = os.fork()
(parent_spins if pid else child_spins)()
END
  "$1" forks.py &
  local pid=$!
  profile -F 199 -o x.folded -p $pid 5 && wait $pid || return 1
  same_stacks x.folded parent_spins "<module> forks.py;parent_spins" || return 1
  "$1" forks.py &
  pid=$!
  profile -F 199 -o x.folded 4 && wait $pid || return 1
  same_stacks x.folded child_spins "<module> forks.py;child_spins"
}

subinterpreters() {
  cat >sub.py <<'END'
import threading
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
code = """
import time
def inner_spins():
    until = time.monotonic() + 3
    while time.monotonic() < until:
        sum(i * i for i in range(1000))
inner_spins()
"""
# Made by the thread that runs it: a state made by another thread bears that one's number.
one_by_one = threading.Lock()
def in_another():
    with one_by_one:
        interpreter = interpreters.create()
    interpreters.run_string(interpreter, code)
threads = [threading.Thread(target=in_another) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
END
  # Python itself hangs now and then when interpreters end in threads.
  profile -F 199 -o x.folded -- timeout 20 "$1" sub.py || return 1
  cat err
  # The thread's first interpreter is not part of the second one's stack.
  awk '/inner_spins/ { all += $NF; if (/<module> <string>_\[j\];inner_spins_\[j\]/) good += $NF }
    END { print good " of " all; exit !(all >= 50 && good >= 0.99 * all) }' x.folded
}

# Names are read while their process lives. A module's own code goes away when its import is over: 2 in 100 frames may
# be without a name.
short_lived_ones_have_names() {
  cat >short.py <<'END'
import time
def spins_shortly():
    until = time.monotonic() + 0.1
    while time.monotonic() < until: pass
spins_shortly()
END
  wick profile -F 499 -o x.folded -- bash -c "for i in {1..20}; do $1 short.py; done" 2>err || { cat err; return 1; }
  awk '{ count = $NF; sub(/ [0-9]+$/, ""); n = split($0, frames, ";"); spins += /spins_shortly/ * count
         for (i = 2; i <= n; i++) { all += count * (frames[i] ~ /_\[j\]$/); gone += count * (frames[i] ~ /code gone/) } }
    END { print gone + 0 " of " all " frames are gone; " spins " samples"; exit !(spins >= 100 && gone <= 0.02 * all) }' x.folded
}

# Code objects that come and go: nothing worse than a frame without a name.
code_that_goes_away() {
  cat >comes.py <<'END'
import time
until = time.monotonic() + 3
number = 0
while time.monotonic() < until:
    number += 1
    space = {}
    exec(f"def made_{number}():\n    return sum(i * i for i in range(20000))", space)
    space[f"made_{number}"]()
END
  profile -F 999 -o x.folded -- "$1" comes.py || return 1
  ! grep -vE '^[^;]*;([^;]*;)*[^;]* [0-9]+$' x.folded || return 1
  awk '/made_[0-9]+_/ { good += $NF } /python code gone/ { gone += $NF }
    END { print good " with a name, " gone + 0 " gone"; exit !(good > 0) }' x.folded
}

an_unknown_version_is_told() {
  profile -F 99 -o x.folded -- "$1" -c 'sum(range(30000000))'
  grep -q 'Python before 3.11 has no frames of its own' err || { cat err; return 1; }
}

for python in "${pythons[@]}"; do
  version=$("$python" -c 'import platform; print(platform.python_version())') || continue
  check "Python $version: frames and lines are what Python says" frames_are_what_python_says "$python"
  check "Python $version: threads with and without the GIL" threads_without_the_gil "$python"
  check "Python $version: shares are the truth" shares_are_the_truth "$python"
  check "Python $version: a running process and its children" a_running_one_and_its_children "$python"
  check "Python $version: short-lived processes have names" short_lived_ones_have_names "$python"
  check "Python $version: code that goes away" code_that_goes_away "$python"
  check "Python $version: subinterpreters" subinterpreters "$python"
done
for python in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.10*/bin/python3; do
  [ ! -x "$python" ] || check "Python 3.10: told that its frames are not known" an_unknown_version_is_told "$python"
done
