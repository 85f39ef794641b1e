#!/bin/bash
# Files that were made to cost Wick everything, mapped by processes that run: the profile of the machine is whole, the
# rest of the machine has its names, and who was refused is told.
set -uo pipefail
source "$(dirname "$0")/lib.bash"
here=$PWD/tests/native

spinners=()
stop_spinners() {
  ((${#spinners[@]} == 0)) || kill "${spinners[@]}"
  wait "${spinners[@]}" 2>/dev/null
  spinners=()
}

# A process in code of no file, whose perf map is of 10 GB without a line but the last, or of lines only.
cat >"$scratch/jit_bomb.py" <<'PY'
import ctypes, mmap, os, sys
code = mmap.mmap(-1, 4096, prot=7)
code.write(b"\xeb\xfe")
address = ctypes.addressof(ctypes.c_char.from_buffer(code))
line = b"%x 1000 jit_%s\n" % (address, sys.argv[1].encode())
with open(f"/tmp/perf-{os.getpid()}.map", "wb") as file:
    if sys.argv[1] == "sparse":
        file.truncate(10 << 30)
        file.seek(10 << 30)
        file.write(b"\n")
    else:
        block = b"".join(b"%x 10 n%d\n" % (i, i) for i in range(1 << 16))
        for _ in range(200):
            file.write(block)
    file.write(line)
print("ready", flush=True)
ctypes.CFUNCTYPE(None)(address)()
PY

# Functions whose names are of 4,096 letters, in ever new orders.
cat >"$scratch/python_bomb.py" <<'PY'
import random
def level(rest):
    if rest:
        return rest[0](rest[1:])
    for i in range(100_000):
        pass
    return i
functions = []
for i in range(300):
    code = level.__code__.replace(co_name="n", co_qualname=f"bomb{i}_" + "x" * 4000)
    functions.append(type(level)(code, globals()))
print("ready", flush=True)
while True:
    functions[0]([random.choice(functions) for _ in range(100)])
PY

system_wide() {
  python3 "$here/bombs.py" . 1 2 3 4 5 6 7 8 >bombs || return 1
  local bomb
  while read -r bomb; do
    nice "$bomb" & # or who measures would wait for them, too
    spinners+=($!)
  done <bombs
  for bomb in "jit_bomb.py sparse" "jit_bomb.py lines" python_bomb.py; do
    # shellcheck disable=SC2086
    nice python3 "$scratch"/$bomb >ready_"${bomb// /_}" &
    spinners+=($!)
  done
  split 2 1 --seconds 300 >truth &
  spinners+=($!)
  local maps=("/tmp/perf-${spinners[-4]}.map" "/tmp/perf-${spinners[-3]}.map") try
  for ((try = 0; try < 600 && $(cat ready_* | wc -l) < 3; ++try)); do sleep 0.1; done
  local status=0
  python3 "$here/measured.py" took "$build/wick" profile -F 199 -f "${1:-10}" >out 2>err || status=$?
  stop_spinners
  rm -f "${maps[@]}"
  cat took
  cut -c 1-3000 err
  [ $status -eq 0 ] || { echo "exit $status"; return 1; }
  below "MB of memory" "$(sed -n 's/^rss=//p' took)" 256 || return 1
  # The time after the end, but for what other processes had of the CPU.
  below "seconds of CPU time" "$(sed -n 's/^cpu=//p' took)" 6 || return 1
  below "bytes of output" "$(wc -c <out)" 200000000 || return 1
  while read -r bomb; do
    grep -q "^$(basename "$bomb" | cut -c 1-15)" out || { echo "no sample of $bomb"; return 1; }
  done <bombs
  # All of it is there: what the last line counts, and names of those who did nothing wrong.
  local lost
  lost=$(sed -n 's/.* lost \([0-9,]*\).*/\1/p' err | tail -n 1 | tr -d ,)
  equal samples $(($(awk '{ sum += $NF } END { print sum }' out) + lost)) "$(said_samples err)" || return 1
  grep -q 'split;.*spin_a' out || { echo "the honest program has no names"; return 1; }
  grep -q jit_sparse out && grep -q jit_lines out || { echo "no names of the JITs"; return 1; }
  ! grep -q 'x\{1025\}' <(grep python3 out) || { echo "a Python name of more than 1 KB"; return 1; }
  ! grep -q 'x\{4097\}' out || { echo "a name of more than 4 KB"; return 1; }
  for bomb in plt_sections advances relocations functions; do
    grep 'not read to the end' err | grep -q "bomb_$bomb (" || { echo "bomb_$bomb is not named"; return 1; }
  done
}

check "a profile of the machine beside files made to kill it is whole, within 256 MB" system_wide
