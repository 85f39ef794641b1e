#!/bin/bash
# BESIDE others: what is true here does not depend on a quiet machine.
# Wick's own reading of instructions agrees with a disassembler's, on every function of some large files.
set -uo pipefail
source "$(dirname "$0")/lib.bash"

files=("$build/wick")
for file in /lib/x86_64-linux-gnu/libc.so.6 /usr/lib/x86_64-linux-gnu/lib{python3.*.so.1.0,stdc++.so.6,crypto.so.3}; do
  [ ! -e "$file" ] || files+=("$file")
done
same_as_zydis() { "$build/tests/probe_points" "${files[@]}"; }

check "instructions: probes and calls are where Zydis has them" same_as_zydis
