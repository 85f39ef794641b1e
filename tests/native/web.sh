#!/bin/bash
# BESIDE others: nothing here depends on a quiet machine.
# The HTML report in a browser, and `wick view`. The checks themselves are in tests/web/report.mjs.
set -uo pipefail
source "$(dirname "$0")/lib.bash"
root=$PWD

if ! command -v node >/dev/null || [ ! -x "${WICK_CHROMIUM:-/usr/bin/chromium}" ]; then
  skip "report" "needs node and chromium"
  exit 0
fi

cat >"$scratch/plain.folded" <<'END'
ls;main;sort 20
sh;main;parse 30
sh;main;parse;read_[k] 10
sh;main;run;run;leaf 40
END
cat >"$scratch/diff.folded" <<'END'
app;main;same 50 50
app;main;grown 20 60
app;main;gone 30 0
app;main;fresh 0 25
END
printf '%s\n' 'app;read 3' 'app;read;read_[k] 5' >"$scratch/kinds.folded"
printf '%s\n' '</script><script>alert(1)</script>;<img src=x onerror=alert(2)> 3' "\"quotes\" & 'more';x 4" \
  $'a;\u202Eright to left 5' 'a;😀 emoji 6' >"$scratch/hostile.folded"

# A pprof: main;work 10 with request=alpha and 30 with beta; main 5 with alpha.
base64 -d >"$scratch/labels.pb" <<'END'
CgQIARACEgwIAggBEAoaBAgFEAYSDAgCCAEQHhoECAUQBxIKCAEQBRoECAUQBiIGCAEiAggBIgYIAiICCAIqBAgBEAMqBAgCEAQy
ADIHc2FtcGxlczIFY291bnQyBG1haW4yBHdvcmsyB3JlcXVlc3QyBWFscGhhMgRiZXRh
END

# 30 samples a second for 3 seconds: a third each of webd 100, its thread 101, and cron.
perf_script() {
  local i task
  local tasks=("webd   100/100 " "webd   100/101 " "cron     7/7   ")
  for ((i = 0; i < 90; i++)); do
    task=${tasks[i % 3]}
    printf '%s [000] %d.%06d:          1 cpu-clock:pppH: \n' "$task" $((1000 + i / 30)) $(((i % 30) * 33000))
    printf '\t    55d000001000 work+0x10 (/usr/bin/app)\n\t    55d000002000 main+0x20 (/usr/bin/app)\n\n'
  done
}
perf_script >"$scratch/times.txt"

for report in plain.folded diff.folded kinds.folded hostile.folded labels.pb times.txt; do
  wick convert "$scratch/$report" -o "$scratch/${report%.*}.html" 2>"$scratch/said" || cat "$scratch/said"
done

wick view "$scratch/plain.folded" --no-browser >"$scratch/served.url" 2>/dev/null &
server=$!
for ((i = 0; i < 100; i++)); do
  [ -s "$scratch/served.url" ] && break
  sleep 0.05
done

node "$root/tests/web/logic.mjs"
node "$root/tests/web/call_graph.mjs"
node "$root/tests/web/report.mjs" "$scratch"
check "report: types hold" npm --prefix "$root/web" run check

kill -INT "$server"
wait "$server"
status=$?
check "view: ends on Ctrl-C with status 0" equal "exit status" "$status" 0

taken_port() {
  local port
  wick view "$scratch/plain.folded" --no-browser >url 2>/dev/null &
  server=$!
  for ((i = 0; i < 100; i++)); do [ -s url ] && break; sleep 0.05; done
  port=$(sed 's|.*:\([0-9]*\)/.*|\1|' url)
  wick view "$scratch/plain.folded" --no-browser --port "$port" 2>said
  equal "exit status" "$?" 1 && grep -q "127.0.0.1:$port" said
  local told=$?
  kill -INT "$server"
  return $told
}
check "view: a taken port is told" taken_port

missing_file() { ! wick view nowhere.folded 2>said && grep -q nowhere.folded said; }
check "view: a file that is not there is told" missing_file
