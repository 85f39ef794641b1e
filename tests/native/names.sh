#!/bin/bash
# BESIDE others: what is true here does not depend on a quiet machine.
# Names that drive a terminal or a spreadsheet, of a command, a file, a thread, a symbol: none gets through, in any output.
set -uo pipefail
source "$(dirname "$0")/lib.bash"
clean=$PWD/tests/native/clean.py

# ESC, a raw C1 byte, an encoded one, a right-to-left override, DEL; as a formula. 15 bytes, as long as a command's name is.
evil=$'=evl\x1b[J\x9b\xc2\x9b\xe2\x80\xae\x7f'
symbol=$'evl\x1b]0;x\a\x9b\xc2\x9b\xe2\x80\xae\x7f'

# A program that burns CPU, and a shell that reads a file and waits: their files, symbols and what they open have such names.
make_evil() {
  mkdir -p "$evil/sh" && mkfifo pipe && echo data >"$evil/$evil.txt" &&
    objcopy --redefine-sym "spin_a=$symbol" "$build/workload/split" "$evil/$evil" && cp "$(command -v bash)" "$evil/sh/$evil"
}

# Each of these runs beside the others, one second long, and has its own file: KIND WHAT COMMAND…
outputs() {
  cat <<END
text profile profile -p $spins 1
text folded profile -f -p $spins 1
json profile_json profile --json -p $spins 1
text offcputime offcputime -p $reads 1
json runqlat_json runqlat -P --json -p $reads 1 1
text syscount syscount -P -p $reads -d 1
csv syscount_csv syscount -P --csv -p $reads -d 1
text stat stat --per-thread -p $reads -d 1
csv stat_csv stat --per-thread --csv -p $reads -d 1
text sched sched -p $reads 1
json sched_json sched --json -p $reads 1
text filetop filetop -C -p $reads 1 1
csv filetop_csv filetop --csv -p $reads 1 1
csv fileslower fileslower 0 --csv -p $reads --duration 1
csv dcsnoop_csv dcsnoop -a --csv -p $reads --duration 1
END
}

lacks_hooks() { grep -qE '^wick: (dcsnoop|cachetop): .*CONFIG_' "$1"; }

commands_that_trace() {
  make_evil || return
  local kind what line job spins reads status=0
  "$evil/$evil" 1 1 --seconds 100 >/dev/null &
  spins=$!
  "$evil/sh/$evil" -c 'exec 3<>pipe; while :; do read -r line <"$1"; [ -e "$1.gone" ]; read -t 0.001 <&3; done' evil "$evil/$evil.txt" 2>/dev/null &
  reads=$!
  # shellcheck disable=SC2064 # the processes of now
  trap "kill $spins $reads" RETURN
  local -a jobs=()
  while read -r kind what line; do
    # shellcheck disable=SC2086 # words are wanted
    wick $line >$what 2>$what.err &
    jobs+=($!)
  done < <(outputs)
  for job in "${jobs[@]}"; do wait "$job"; done
  while read -r kind what line; do
    lacks_hooks $what.err || python3 "$clean" $kind $what || { head -n 5 $what.err; status=1; }
    ! grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' $what.err || { echo "$what: standard error"; cat -v $what.err; status=1; }
  done < <(outputs)
  return $status
}

# Every format of a profile with such names.
formats() {
  local format status=0
  printf '%s;%s;main 7\n' "${evil#=}" "$symbol" >in.folded
  for format in folded text callgrind dot svg html speedscope firefox json; do
    wick convert --from folded in.folded --format $format -o out.$format || return
  done
  wick convert --from folded in.folded -o out.pb.gz && wick convert out.pb.gz -f -o again.folded || return
  wick report --from folded in.folded >top && wick report --from folded --tree in.folded >tree && wick report --from folded --json in.folded >top.json || return
  wick script --from folded in.folded >script 2>err || return
  for format in folded text callgrind dot svg; do python3 "$clean" text out.$format || status=1; done
  for format in out.speedscope out.firefox out.json top.json; do python3 "$clean" json $format || status=1; done
  for format in again.folded top tree script; do python3 "$clean" text $format || status=1; done
  return $status
}

# What a person typed, or a shell's * found, comes back in sentences.
sentences() {
  wick report "$evil" 2>err && return 1
  wick "$evil" 2>>err && return 1
  wick profile --comm "$evil$evil" 1 2>>err && return 1
  wick convert "$evil" -o "$evil/x.svg" 2>>err && return 1
  wick stat -e "$evil" true 2>>err && return 1
  python3 "$clean" text err
}

check "names of commands, files and symbols reach no terminal and no spreadsheet as they are" commands_that_trace
check "nor do they in a profile's formats" formats
check "nor in an error" sentences
