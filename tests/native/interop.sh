#!/bin/bash
# BESIDE others: nothing here depends on a quiet machine.
# What other programs say of the files Wick writes: speedscope's schema, the Firefox profiler, callgrind_annotate,
# Graphviz and google/pprof.
set -uo pipefail
source "$(dirname "$0")/lib.bash"

packages=$build/interop
install() { npm install --silent --no-audit --no-fund --prefix "$packages" "$@" >"$build/npm.log" 2>&1; }

# Two tasks, a kernel frame, recursion of two kinds.
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
	    55d0c0002000 copy+0x0 (/usr/bin/cat)
	    55d0c0002100 main+0x0 (/usr/bin/cat)

DATA
}

hostile() {
  printf 'sh;main;%s 5\n' '<script>alert("x")</script>' 'a"]b[label="c\' '&amp &#38' 'naïve 函 🔥' '\n\l\N' \
    'x'$'\t''y' '(1) main' "$(printf 'n%.0s' {1..3000})"
}

# 400 stacks of 12 functions up to 14 deep: nearly all of them recurse. The same every time.
tangle() {
  awk 'BEGIN { seed = 7
    for (i = 0; i < 400; ++i) {
      line = "cmd" next_number(2); depth = 1 + next_number(14)
      for (d = 0; d < depth; ++d) line = line ";f" next_number(12)
      print line, 1 + next_number(50)
    } }
    function next_number(below) { seed = (seed * 16807) % 2147483647; return int(seed / 65536) % below }' |
    sort | awk '{ n = $2; if ($1 in sum) sum[$1] += n; else { order[++lines] = $1; sum[$1] = n } }
      END { for (i = 1; i <= lines; ++i) print order[i], sum[order[i]] }'
}

# "name self total" of every function, by the definition: self is the leaf's, total counts once a stack.
truth() {
  awk '{ n = $NF; count = split($1, part, ";"); self[part[count]] += n; split("", seen)
         for (i = 1; i <= count; ++i) if (!(part[i] in seen)) { seen[part[i]] = 1; total[part[i]] += n } }
       END { for (name in total) print name, self[name] + 0, total[name] }' "$1" | sort
}

# All kinds of profiles there are, written as .$1: several tasks and types, hostile names, a difference, nothing.
every_kind() {
  perf_text >perf.txt
  hostile >hostile.folded
  folded_pair
  tangle >tangle.folded
  wick convert perf.txt -o "perf.$1" &&
    wick convert hostile.folded -o "hostile.$1" &&
    wick convert tangle.folded -o "tangle.$1" &&
    wick diff before.folded after.folded -o "diff.$1" &&
    wick convert before.folded --focus 'nothing has this name' -o "empty.$1"
}

speedscope_accepts() {
  every_kind speedscope.json >said 2>&1 || { cat said; return 1; }
  node - "$packages" ./*.speedscope.json <<'JS'
const [packages, ...files] = process.argv.slice(2);
const fs = require('fs');
const Ajv = require(packages + '/node_modules/ajv').default;
const schema = packages + '/node_modules/speedscope/dist/release/file-format-schema.json';
const accepts = new Ajv({ strict: false }).compile(JSON.parse(fs.readFileSync(schema)));
for (const file of files) {
  const root = JSON.parse(fs.readFileSync(file));
  if (!accepts(root)) throw new Error(file + ': ' + JSON.stringify(accepts.errors));
  for (const p of root.profiles) {
    const sum = p.weights.reduce((a, b) => a + b, 0);
    if (p.samples.length !== p.weights.length || sum !== p.endValue) throw new Error(file + ': ' + p.name);
    for (const frame of p.samples.flat()) if (!root.shared.frames[frame]) throw new Error(file + ': frame ' + frame);
  }
}
JS
}

speedscope_comes_back() {
  every_kind speedscope.json >said 2>&1 || { cat said; return 1; }
  local name
  for name in perf hostile tangle diff; do
    wick convert $name.speedscope.json -f -a >again 2>/dev/null || return 1
    case $name in
      perf) wick convert perf.txt -f -a ;;
      diff) wick diff before.folded after.folded -f ;;
      *) wick convert $name.folded -f ;;
    esac >first 2>/dev/null
    cmp first again || { diff first again | head; return 1; }
  done
}

annotated() { callgrind_annotate --threshold=100 --auto=no --show-percs=no "$@" 2>err; }

# "name cost" of every function, from callgrind_annotate's table.
annotated_functions() { annotated "$@" | sed -n 's/^ *\([0-9,]*\)  *[^ :]*:\([^ ]*\) \[.*/\2 \1/p' | tr -d , | sort; }

callgrind_agrees() {
  tangle >tangle.folded
  wick convert tangle.folded -o x.callgrind 2>/dev/null || return 1
  truth tangle.folded >truth
  annotated x.callgrind >table || { cat err; return 1; }
  [ ! -s err ] || { cat err; return 1; }
  equal "program totals" "$(sed -n 's/^ *\([0-9,]*\) .*PROGRAM TOTALS/\1/p' table | tr -d ,)" \
    "$(awk '{ n += $NF } END { print n }' tangle.folded)" || return 1
  annotated_functions x.callgrind | awk '$2 > 0' >self
  awk '$2 > 0 { print $1, $2 }' truth | cmp - self || { diff <(awk '$2 > 0 { print $1, $2 }' truth) self; return 1; }
  annotated_functions --inclusive=yes x.callgrind >inclusive
  awk '{ print $1, $3 }' truth | cmp - inclusive || { diff <(awk '{ print $1, $3 }' truth) inclusive; return 1; }
}

callgrind_reads_every_kind() {
  every_kind callgrind >said 2>&1 || { cat said; return 1; }
  local file
  for file in *.callgrind; do
    if ! annotated "$file" >out || [ -s err ] || ! annotated --tree=both --inclusive=yes "$file" >out || [ -s err ]; then
      echo "$file"
      cat err
      return 1
    fi
  done
  equal "events of a difference" "$(annotated diff.callgrind | sed -n 's/^Events recorded: *//p')" "after before"
}

dot_draws() {
  every_kind dot >said 2>&1 || { cat said; return 1; }
  local file
  for file in *.dot; do
    dot -Tsvg $file -o ${file%.dot}.svg 2>err || { echo "$file"; cat err; return 1; }
    [ ! -s err ] || { echo "$file"; cat err; return 1; }
  done
  ! grep -n '<script' hostile.svg || return 1
  grep -qF '>&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;</text>' hostile.svg &&
    grep -qF '>a&quot;]b[label=&quot;c\</text>' hostile.svg &&
    grep -qF '>&amp;amp &amp;#38</text>' hostile.svg &&
    grep -qF '>naïve 函 🔥</text>' hostile.svg &&
    grep -qF '>\n\l\N</text>' hostile.svg || { grep '<text' hostile.svg; return 1; }
  grep -q 'grew' diff.svg && grep -q '60 → 20' diff.svg || return 1
}

dot_stays_small() {
  awk 'BEGIN { for (i = 0; i < 2000; ++i) print "sh;main;a" i % 180 ";b" i % 150, 1 + i % 3 }' >wide.folded
  wick convert wide.folded -o wide.dot 2>/dev/null || return 1
  equal boxes "$(grep -c '^N[0-9]* \[' wide.dot)" 80 || return 1
  dot -Tsvg wide.dot -o wide.svg
}

pprof_reads_every_kind() {
  every_kind pb.gz >said 2>&1 || { cat said; return 1; }
  local file what
  for file in *.pb.gz; do
    for what in -raw -top -traces -tree; do
      go tool pprof $what $file >out 2>err || { echo "$what $file"; cat err; return 1; }
    done
  done
}

# Through google/pprof and back: counts, labels, kinds of frames. Left alone, it takes <…> for a template's arguments
# and shortens the name.
pprof_keeps_what_we_write() {
  every_kind pb.gz >said 2>&1 || { cat said; return 1; }
  local name command
  for name in perf hostile tangle diff; do
    go tool pprof -symbolize=none -proto -output $name.again.pb.gz $name.pb.gz >/dev/null 2>err ||
      { cat err; return 1; }
    for command in "script" "convert -f -a"; do
      # shellcheck disable=SC2086  # words are wanted
      cmp <(wick $command $name.pb.gz 2>/dev/null | sort) <(wick $command $name.again.pb.gz 2>/dev/null | sort) ||
        return 1
    done
  done
}

# "flat cum name" of pprof's table.
pprof_top() {
  go tool pprof -top -nodecount=1000 -nodefraction=0 "$@" 2>/dev/null |
    awk '/flat%/ { on = 1; next } on { print $NF, $1, $4 }' | sort
}

pprof_counts_the_same() {
  tangle >tangle.folded
  wick convert tangle.folded -o x.pb.gz 2>/dev/null || return 1
  # The command is a label there, no function.
  truth tangle.folded | grep -v '^cmd' >truth
  pprof_top x.pb.gz | grep -v '^cmd' >top
  cmp truth top || { diff truth top; return 1; }
}

pprof_shows_our_default() {
  perf_text >perf.txt
  wick convert perf.txt -o x.pb.gz 2>/dev/null
  go tool pprof -top x.pb.gz 2>/dev/null | grep -q '^Type: cpu-clock' || return 1
  folded_pair
  wick diff before.folded after.folded -o d.pb.gz 2>/dev/null
  go tool pprof -top d.pb.gz 2>/dev/null | grep -q '^Type: after' || return 1
  equal before "$(pprof_top -sample_index=before d.pb.gz)" \
    "$(printf '%s\n' 'main 0 100' 'old 10 10' 'read 30 30' 'sort 60 60')"
}

pprof_subtracts() {
  folded_pair
  wick convert before.folded -o before.pb.gz 2>/dev/null || return 1
  wick convert after.folded -o after.pb.gz 2>/dev/null || return 1
  go tool pprof -top -nodefraction=0 -diff_base before.pb.gz after.pb.gz >top 2>/dev/null || return 1
  grep -Eq '^ *50 .* new$' top && grep -Eq '^ *-40 .* sort$' top && grep -Eq '^ *-10 .* old$' top ||
    { cat top; return 1; }
}

# A Node that profiler-cli runs on: this machine's, or npm's.
node_24() {
  local node
  for node in node "$packages/node_modules/node/bin/node"; do
    [ "$("$node" --version 2>/dev/null | sed 's/^v\([0-9]*\).*/\1/')" -ge 24 ] 2>/dev/null && { echo "$node"; return; }
  done
  return 1
}

firefox() { "$(node_24)" "$packages/node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js" "$@"; }

# "name self total" of a thread.
firefox_functions() {
  firefox thread functions --json --include-idle --limit 0 --session "$1" --thread "$2" |
    node -e 'for (const f of JSON.parse(require("fs").readFileSync(0)).functions)
               console.log(f.name.replaceAll(" ", "_"), f.selfSamples, f.totalSamples)' | sort
}

# Its daemon gives up on a busy machine when it is not there within half a second.
firefox_load() {
  local try
  for try in {1..20}; do
    firefox load "$1.firefox.json" --session "$1" >said 2>&1 && return
    grep -q 'did not become ready' said || break
    firefox stop "$1" >/dev/null 2>&1
  done
  cat said
  return 1
}

firefox_counts_threads() {
  local threads task
  mapfile -t threads < <(firefox thread list --json --session tangle |
    node -e 'for (const t of JSON.parse(require("fs").readFileSync(0)).threads) console.log(t.threadHandle, t.name)')
  equal "threads of two commands" ${#threads[@]} 2 || return 1
  for task in "${threads[@]}"; do
    sed -n "s/^${task#* };//p" tangle.folded >of_task
    truth of_task >truth
    firefox_functions tangle "${task% *}" >functions
    cmp truth functions || { diff truth functions; return 1; }
  done
}

firefox_loads() {
  export HOME=$PWD/home # where its sessions are
  mkdir -p home
  trap 'firefox stop --all >/dev/null 2>&1' EXIT
  every_kind firefox.json >said 2>&1 || { cat said; return 1; }
  local name
  for name in perf hostile tangle diff empty; do firefox_load $name || return 1; done
  equal cat "$(firefox_functions perf t-0)" "$(printf 'copy 500000 500000\nmain 0 500000')" || return 1
  equal sh "$(firefox_functions perf t-1)" "$(printf 'do_syscall_64 250000 250000\nmain 0 250000')" || return 1
  equal "hostile names" "$(firefox_functions hostile t-0 | wc -l)" 9 || return 1
  firefox_functions hostile t-0 | grep -qF '<script>alert("x")</script> 5 5' || return 1
  equal change "$(firefox_functions diff t-2)" "$(printf 'new 50 50\nold -10 -10\nsort -40 -40')" || return 1
  firefox_counts_threads
}

install speedscope@1.25.0 ajv@8.20.0 || { echo "FAILED npm: speedscope and ajv"; cat "$build/npm.log"; }
check "speedscope's schema accepts every kind of profile" speedscope_accepts
check "speedscope: what is written comes back" speedscope_comes_back
check "callgrind_annotate agrees on self, inclusive and total" callgrind_agrees
check "callgrind_annotate reads every kind of profile" callgrind_reads_every_kind
check "dot draws every kind of profile, names as they are" dot_draws
check "dot's graph has at most 80 boxes" dot_stays_small
check "pprof reads every kind of profile" pprof_reads_every_kind
check "pprof: what it writes of ours comes back" pprof_keeps_what_we_write
check "pprof counts the same" pprof_counts_the_same
check "pprof shows our default value, and both sides of a difference" pprof_shows_our_default
check "pprof subtracts with -diff_base" pprof_subtracts
install speedscope@1.25.0 ajv@8.20.0 @firefox-devtools/profiler-cli@0.10.0 node@24.21.0
if node_24 >/dev/null && [ -d "$packages/node_modules/@firefox-devtools/profiler-cli" ]; then
  check "the Firefox profiler loads every kind of profile and counts the same" firefox_loads
else
  skip "the Firefox profiler loads every kind of profile" "no Node 24 or no profiler-cli to be had from npm"
fi
