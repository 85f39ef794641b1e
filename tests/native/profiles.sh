#!/bin/bash
# BESIDE others: nothing here depends on a quiet machine.
# convert, diff, report and script: what comes in goes out, and bad input is one sentence.
set -uo pipefail
source "$(dirname "$0")/lib.bash"

# The stacks of a beginner's first bpftrace one-liner: `profile:hz:99 { @[kstack] = count(); }`.
trace_data() {
  cat <<'DATA'
Attaching 1 probe...


@[
    do_page_fault+384
    do_translation_fault+156
    do_mem_abort+76
    el0_ia+148
    el0t_64_sync_handler+292
    el0t_64_sync+420
]: 1
@[
    dict_repeat+48
    lzma2_lzma+424
    xz_dec_lzma2_run+144
    squashfs_read_data+212
]: 17
DATA
}

perf_text() {
  cat <<'DATA'
sh   100/101   [000]  10.000001:     250000 cpu-clock:
	ffffffff81000010 do_syscall_64+0x10 ([kernel.kallsyms])
	    55d0c0001129 main+0x9 (/usr/bin/sh)

cat   200/200   [001]  10.500000:     250000 cpu-clock:
	    55d0c0002000 copy+0x0 (/usr/bin/cat)
	    55d0c0002100 main+0x0 (/usr/bin/cat)

cat   200/200   [001]  10.600000:     250000 cpu-clock:
	    55d0c0002000 copy+0x0 (/usr/bin/cat)
	    55d0c0002100 main+0x0 (/usr/bin/cat)
DATA
}

# says STATUS TEXT COMMAND...: ends so, says so in one line, and leaves no file behind.
says() {
  local status=$1 text=$2 got
  shift 2
  "$@" >out 2>err
  got=$?
  equal "exit of $*" $got "$status" || { cat err; return 1; }
  grep -qF -- "$text" err || { echo "$* does not say '$text':"; cat err; return 1; }
  [ "$(wc -l <err)" -eq 1 ] || { echo "more than one line:"; cat err; return 1; }
  [ ! -e x.svg ] || { echo "x.svg was written"; return 1; }
}

bpftrace_becomes_a_picture() {
  trace_data >trace.data
  wick convert trace.data -o flame.svg 2>err || { cat err; return 1; }
  grep -q squashfs_read_data flame.svg && grep -q '18' flame.svg || return 1
  equal folded "$(wick convert trace.data 2>/dev/null | head -n 1)" \
    "el0t_64_sync;el0t_64_sync_handler;el0_ia;do_mem_abort;do_translation_fault;do_page_fault 1"
}

folded_becomes_a_picture() {
  echo 'iperf;recv;-;entry_SYSCALL_64_fastpath;sys_recvfrom;SYSC_recvfrom;sock_recvmsg;inet_recvmsg 9' >x.folded
  wick convert x.folded -o flame.svg 2>err || { cat err; return 1; }
  grep -q inet_recvmsg flame.svg || return 1
  wick convert x.folded 2>/dev/null | cmp - x.folded
}

perf_is_counted_by_period() {
  perf_text >perf.txt
  wick convert perf.txt >out 2>/dev/null || return 1
  printf 'cat;main;copy 500000\nsh;main;do_syscall_64 250000\n' | cmp - out || { cat out; return 1; }
  equal "by samples" "$(wick convert perf.txt --value samples 2>/dev/null | head -n 1)" "cat;main;copy 2"
}

# Through every format that can be read again.
round_trips() {
  perf_text >perf.txt
  wick convert perf.txt -o 1.folded -o 1.pb.gz -o 1.speedscope.json 2>err || { cat err; return 1; }
  local file
  for file in 1.folded 1.pb.gz 1.speedscope.json; do
    wick convert $file 2>/dev/null | cmp - 1.folded || { echo "$file"; return 1; }
  done
  wick script perf.txt 2>/dev/null | wick convert - 2>/dev/null | cmp - 1.folded
}

several_inputs_are_one() {
  folded_pair
  wick convert before.folded after.folded 2>/dev/null >out || return 1
  printf 'sh;main;new 50\nsh;main;old 10\nsh;main;read 60\nsh;main;sort 80\n' | cmp - out
}

filters_narrow() {
  folded_pair
  equal focus "$(wick convert --focus '^so' before.folded 2>/dev/null)" "sh;main;sort 60" || return 1
  equal hide "$(wick convert --hide main before.folded 2>/dev/null | tail -n 1)" "sh;sort 60" || return 1
  equal from "$(wick convert --from-frame '^sort' before.folded 2>/dev/null)" "sh;sort 60" || return 1
  equal reverse "$(wick convert --reverse before.folded 2>/dev/null | tail -n 1)" "sort;main;sh 60" || return 1
  perf_text >perf.txt
  equal pid "$(wick convert --pid 100 perf.txt 2>/dev/null)" "sh;main;do_syscall_64 250000" || return 1
  equal comm "$(wick convert --comm cat --value samples perf.txt 2>/dev/null)" "cat;main;copy 2"
}

diff_shows_both_sides() {
  folded_pair
  wick diff before.folded after.folded >out 2>/dev/null || return 1
  grep -Eq ' 10 +0 +-10 +gone .* old$' out && grep -Eq ' 0 +50 +\+50 +new .* new$' out || { cat out; return 1; }
  equal "two columns" "$(wick diff before.folded after.folded -f 2>/dev/null | head -n 1)" "sh;main;new 0 50" || return 1
  wick diff before.folded after.folded -o x.pb.gz -o change.svg 2>/dev/null || return 1
  wick convert x.pb.gz 2>/dev/null | cmp - <(wick diff before.folded after.folded -f 2>/dev/null)
}

normalised_diff_has_equal_totals() {
  printf 'a;x 1\na;y 1\na;z 1\n' >1.folded
  printf 'a;x 1000\n' >2.folded
  wick diff -n 1.folded 2.folded -f 2>/dev/null | awk '{ b += $(NF-1); a += $NF } END { exit !(a == 1000 && b == 1000) }'
}

report_tells_self_and_total() {
  folded_pair
  wick report before.folded >out 2>/dev/null || return 1
  grep -Eq '^ +60 +60.00 +60 +60.00  sort$' out && grep -Eq '^ +0 +0.00 +100 +100.00  main$' out || { cat out; return 1; }
  wick report --tree before.folded 2>/dev/null | grep -q '├─ sort' || return 1
  wick report --callers sort before.folded 2>/dev/null | grep -Eq '60.00 +0.00  main$' || return 1
  wick report --callees main before.folded 2>/dev/null | grep -q '└─ old' || return 1
  perf_text >perf.txt
  wick report --by comm perf.txt 2>/dev/null | grep -Eq '66.67  cat$' || return 1
  wick report --by dso perf.txt 2>/dev/null | grep -Eq '/usr/bin/cat$' || return 1
  wick report --by tid perf.txt 2>/dev/null | grep -Eq ' 100 +101  sh$' || return 1
  wick report --json before.folded 2>/dev/null | head -n 1 | python3 -c 'import json,sys; assert json.loads(sys.stdin.read())["self"] == 60'
}

bad_input_is_one_sentence() {
  : >empty
  says 1 "empty" wick convert empty -o x.svg || return 1
  says 1 "no such file" wick convert missing -o x.svg || says 1 "No such file" wick convert missing -o x.svg || return 1
  head -c 5000 /dev/urandom >junk
  says 1 "junk" wick convert junk -o x.svg || return 1
  printf 'a;b 1\na;b\n' >cut.folded
  says 1 "cut.folded: line 2" wick convert --from folded cut.folded -o x.svg || return 1
  trace_data >trace.data
  wick convert trace.data -o whole.pb.gz 2>/dev/null
  head -c 60 whole.pb.gz >cut.pb.gz
  says 1 "cut.pb.gz" wick convert cut.pb.gz -o x.svg || return 1
  says 2 "--focus" wick convert --focus 'a(' trace.data -o x.svg || return 1
  says 2 "input is missing" wick convert -o x.svg || return 1
  says 2 "--from" wick convert --from nothing trace.data -o x.svg || return 1
  says 2 "--value" wick convert --value nothing trace.data -o x.svg || return 1
  says 2 "extension" wick convert trace.data -o x.nothing || return 1
  mkdir folder
  says 1 "folder" wick convert folder -o x.svg
}

# 2 GB without a single line end: memory stays small, and the sentence comes.
two_gigabytes_are_bounded() {
  truncate -s 2G zeros
  (ulimit -v 1500000; says 1 "zeros" wick convert --from folded zeros -o x.svg) || return 1
  (ulimit -v 1500000; says 1 "zeros" wick convert zeros -o x.svg)
}

closed_pipe_is_quiet() {
  folded_pair
  wick convert before.folded 2>err | true
  wick report before.folded 2>>err | true
  ! grep -qi pipe err
}

check "bpftrace's first example becomes a picture" bpftrace_becomes_a_picture
check "a folded line becomes a picture" folded_becomes_a_picture
check "perf script's text is counted by period" perf_is_counted_by_period
check "what is written is read again, to the count" round_trips
check "several inputs become one profile" several_inputs_are_one
check "filters narrow a profile" filters_narrow
check "diff shows self, total, new and gone" diff_shows_both_sides
check "a normalised diff has equal totals" normalised_diff_has_equal_totals
check "report tells self, total, callers and callees" report_tells_self_and_total
check "bad input is one sentence and no file" bad_input_is_one_sentence
check "two gigabytes of nothing are refused in bounded memory" two_gigabytes_are_bounded
check "a closed pipe is quiet" closed_pipe_is_quiet
