#!/bin/bash
# Unwind tables say what readelf says, row by row.
set -uo pipefail
source "$(dirname "$0")/lib.bash"

# readelf -wF as `ADDRESS CFA BP`, one line for each row of each function. Rows whose registers are
# saved in other registers are left out: readelf prints those in columns of another width.
readelf_rows() {
  readelf -wF "$1" 2>/dev/null | awk '
    / FDE / { inside = 1; split($0, parts, /pc=|\.\./); end = parts[3]; next }
    / CIE/ { inside = 0; next }
    $1 == "LOC" { for (i in column) delete column[i]; for (i = 1; i <= NF; i++) column[$i] = i; columns = NF; next }
    inside && length($1) == 16 && $1 ~ /^[0-9a-f]+$/ && NF == columns && ("x" $1) < ("x" end) {
      cfa = $column["CFA"]
      bp = ("rbp" in column) ? $column["rbp"] : "u"
      ra = $column["ra"]
      if (ra == "u") { cfa = "end"; bp = "u" }
      sub(/^vexp$/, "exp", cfa); sub(/^vexp$/, "exp", bp)
      print $1, cfa, bp
    }' | sort -s -k1,1
}

# The row of ours that holds at each of readelf's addresses is the same one.
same_rows() {
  local file
  file=$(realpath "$1") || return 1
  readelf_rows "$file" >theirs
  "$build/tests/unwind_rows" "$file" >ours 2>said || { cat said; return 1; }
  awk '
    NR == FNR { at[NR] = $1; rule[NR] = $2 " " $3; rows = NR; next }
    { while (row < rows && ("x" at[row + 1]) <= ("x" $1)) row++
      if (rule[row] == $2 " " $3) { same++; next }
      if (rule[row] ~ /^unsupported/ && $2 !~ /^r[bs]p/) { other++; next }
      if (rule[row] ~ /^exp/ && $2 == "exp") { same++; next }
      if (++wrong < 5) print $1 ": readelf " $2 " " $3 ", ours " rule[row] }
    END { print same + 0 " rows are the same, " other + 0 " in other registers, " wrong + 0 " differ"
          exit wrong > 0 || same < 1000 }' ours theirs
}

library() { ldconfig -p | awk -v name="$1" '$1 == name { print $NF; exit }'; }

check "unwind: libc's rows are readelf's" same_rows "$(library libc.so.6)"
check "unwind: libstdc++'s rows are readelf's" same_rows "$(library libstdc++.so.6)"
check "unwind: libcrypto's rows are readelf's" same_rows "$(library libcrypto.so.3)"
check "unwind: bash's rows are readelf's" same_rows /bin/bash
check "unwind: our own rows are readelf's" same_rows "$build/wick"
