# Shared by tests/native/*.sh: what the runner of tests/kernel cannot express. Each script sources this,
# defines functions and ends with `check NAME FUNCTION` lines, which print `ok NAME` or `FAILED NAME`.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit

build=${WICK_BUILD:-$PWD/build}
export PATH=$build/workload:$build:$PATH
scratch=$(mktemp -d "${TMPDIR:-/tmp}/wick-native-XXXXXX")
trap 'rm -rf "$scratch"' EXIT

# The only place here that knows the wording of Wick's closing line.
said_samples() { sed -n 's/^wick: \([0-9,]*\) samples\?.*/\1/p' "$1" | tail -n 1 | tr -d ,; }

# Runs a function in a folder of its own; what it prints is shown only when it fails.
check() {
  local name=$1 output
  shift
  mkdir -p "$scratch/now"
  if output=$(cd "$scratch/now" && "$@" 2>&1); then
    echo "ok $name"
  else
    echo "FAILED $name"
    sed 's/^/    /' <<<"$output" | tail -n 40
  fi
  rm -rf "$scratch/now"
}

skip() { echo "skipped $1 ($2)"; }

# Until the workload whose output is the file `truth` has told its PID.
until_ready() {
  local try
  for ((try = 0; try < 1000; ++try)); do
    grep -qs '^ready$' truth && return
    sleep 0.01
  done
  echo "the workload is not ready"
  return 1
}

# eventually COMMAND…: holds within ten seconds. The kernel frees programs and processes a moment later.
eventually() {
  local try
  for ((try = 0; try < 100; ++try)); do
    "$@" >/dev/null && return
    sleep 0.1
  done
  "$@"
}

# bpf_objects_of PID: what it holds, as lines `prog 7`. The system has others, which come and go.
bpf_objects_of() { cat "/proc/$1"/fdinfo/* 2>/dev/null | sed -n 's/^\(prog\|map\|link\)_id:\s*/\1 /p' | sort -u; }
# all_gone FILE: of such lines, at least one.
all_gone() {
  local kind id
  [ -s "$1" ] || { echo "no BPF object was seen"; return 1; }
  while read -r kind id; do
    ! bpftool "$kind" show id "$id" 2>/dev/null || return 1
  done <"$1"
}

# equal WHAT A B, and below WHAT A LIMIT: speak only when they do not hold.
equal() { [ "$2" = "$3" ] || { echo "$1: $2 is not $3"; return 1; }; }
below() { awk -v a="$2" -v b="$3" 'BEGIN { exit !(a < b) }' || { echo "$1: $2 is not below $3"; return 1; }; }

# within_percent WHAT A B PERCENT: likewise.
within_percent() {
  awk -v a="$2" -v b="$3" -v p="$4" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(d <= b * p / 100) }' ||
    { echo "$1: $2 is not within $4 % of $3"; return 1; }
}

# Two runs of one program, for a comparison: one stack the same, one smaller, one new, one gone.
folded_pair() {
  printf 'sh;main;sort 60\nsh;main;read 30\nsh;main;old 10\n' >before.folded
  printf 'sh;main;sort 20\nsh;main;read 30\nsh;main;new 50\n' >after.folded
}
