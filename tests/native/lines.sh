#!/bin/bash
# BESIDE others: nothing here depends on a quiet machine.
# Source lines and inlined calls: as addr2line says, and all the way into pprof.
set -uo pipefail
source "$(dirname "$0")/lib.bash"
source_folder=$PWD

# One line an address: ADDRESS, then FUNCTION and PLACE of each frame, innermost first.
flattened() {
  awk '/^0x/ { if (row) print row; row = $1; next }
       { sub(/ \(discriminator [0-9]+\)$/, ""); if (/:\?$/) $0 = "??:0"; row = row "\t" $0 }
       END { print row }'
}

# Three thousand addresses of FILE's code, always the same ones.
some_addresses() {
  readelf -SW "$1" | awk '$2 == ".text" || $3 == ".text" { for (i = 1; i < NF; i++) if ($i == "PROGBITS") print $(i + 1), $(i + 3) }' |
    { read -r start size; awk -v start=$((16#$start)) -v size=$((16#$size)) 'BEGIN {
        srand(1); for (i = 0; i < 3000; i++) printf "%x\n", start + int(rand() * size) }'; }
}

# The same chain of calls at every address; binutils 2.40 gives some files a wrong name, and names
# functions without a linkage name by the symbol table: ours is the last part of that name.
as_addr2line_says() {
  local file=$1
  some_addresses "$file" >asked
  addr2line -i -f -C -a -e "$file" <asked | flattened >theirs
  "$build/tests/source_lines" "$file" <asked | flattened >ours || return 1
  equal "addresses" "$(wc -l <ours)" "$(wc -l <theirs)" || return 1
  paste -d $'\001' ours theirs | awk -F $'\001' '
    { a = split($1, ours, "\t"); b = split($2, theirs, "\t"); known += ours[3] != "??:0"
      if (a != b) { depth++; if (depth < 4) print "frames differ: " $1 "\n   addr2line: " $2; next }
      deep += a > 7; wrong = 0
      for (i = 3; i <= a; i += 2) wrong += ours[i] != theirs[i]
      places += wrong != 0
      if (wrong && places < 4) print "places differ: " $1 "\n   addr2line: " $2
      for (i = 4; i <= a; i += 2) {
        sub(/[<(].*/, "", ours[i])
        if (index(theirs[i], ours[i]) == 0 && names++ < 4) print "names differ: " ours[i] " and " theirs[i] } }
    END { printf "%d addresses, %d known, %d three deep; %d of other depth, %d other places, %d other names\n",
            NR, known, deep, depth, places, names
          exit !(NR >= 2900 && known >= 2700 && deep >= 100 && depth == 0 && names == 0 && places <= NR / 200) }'
}

# Real code with deep templates: a part of Wick itself.
compile_real() {
  g++ -std=c++23 -O2 -g "$@" -shared -fPIC -Wl,--unresolved-symbols=ignore-all -D_FILE_OFFSET_BITS=64 \
    -I"$source_folder/src" -I"$source_folder" "$source_folder"/src/dwarf/{source_lines,line_program}.cpp -o real.so
}
dwarf_5() { compile_real -gdwarf-5 && as_addr2line_says ./real.so; }
dwarf_4() { compile_real -gdwarf-4 && as_addr2line_says ./real.so; }

# Entries in .dwo files, which binutils' addr2line does not read: every place as LLVM says.
as_llvm_says() {
  some_addresses ./real.so >asked
  sed 's/^/0x/' asked | llvm-addr2line-19 -i -f -C -a -e ./real.so | sed 's/ (discriminator [0-9]*)$//; s/:[?0]$/:0/; s/^0x0*/0x/' >theirs
  "$build/tests/source_lines" ./real.so <asked | sed 's/:[?0]$/:0/; s/^0x0*/0x/' >ours || return 1
  equal "lines" "$(wc -l <ours)" "$(wc -l <theirs)" || return 1
  paste -d $'\001' ours theirs | awk -F $'\001' '
    { gsub(/> >/, ">>", $1); gsub(/> >/, ">>", $1)
      if ($1 == $2) { same++; next }
      if ($1 ~ /^\?\?/) { unknown++; next }
      if ($1 ~ /:[0-9]+$/ && other++ < 4) print "ours " $1 ", LLVM " $2 }
    END { printf "%d lines are the same, %d unknown to us, %d other places\n", same, unknown, other
          exit !(same > 15000 && unknown <= 100 && other == 0) }'
}
split_5() { compile_real -gsplit-dwarf -gdwarf-5 && as_llvm_says; }
split_4() { compile_real -gsplit-dwarf -gdwarf-4 && as_llvm_says; }

make_hot() {
  cat >hot.cpp <<'END'
volatile unsigned sink;
[[gnu::always_inline]] inline unsigned three(unsigned x) {
  for (int i = 0; i < 1000; i++)
    sink = sink * 3 + x;
  return sink;
}
[[gnu::always_inline]] inline unsigned two(unsigned x) {
  return three(x + 1);
}
[[gnu::noinline]] unsigned one(unsigned x) {
  return two(x) + 1;
}
int main() {
  for (unsigned i = 0; i < 200000; i++)
    one(i);
}
END
  g++ -O2 -g "$@" hot.cpp -o hot
}

inlined_calls_are_frames() {
  make_hot "$@" && wick profile --lines -U -F 499 -o x.folded -o x.pb.gz -- ./hot 2>said || { cat said; return 1; }
  local all deep
  all=$(awk '/;one\(unsigned int\)/ { n += $NF } END { print n + 0 }' x.folded)
  deep=$(awk '/;one\(unsigned int\) \(hot.cpp:11\);two\(unsigned int\) \(hot.cpp:8\)_\[i\];three\(unsigned int\) \(hot.cpp:[34]\)_\[i\] / { n += $NF } END { print n + 0 }' x.folded)
  below "samples not in three" "$((all - deep))" "$((all / 50 + 2))" || { cat x.folded; return 1; }
  below 20 20 "$all"
}

pprof_shows_lines() {
  make_hot && wick profile --lines -U -F 499 -o x.pb.gz -- ./hot 2>said || { cat said; return 1; }
  go tool pprof -raw x.pb.gz >raw || return 1
  # One location holds all three, with the lines of the calls.
  awk '/ three\(unsigned int\) .*hot.cpp:[34] / { getline; if (!/ two\(unsigned int\) .*hot.cpp:8 /) next
         getline; if (/ one\(unsigned int\) .*hot.cpp:11 /) found = 1 } END { exit !found }' raw || { cat raw; return 1; }
}

without_lines_nothing_is_inlined() {
  make_hot && wick profile -U -F 199 -o x.folded -- ./hot 2>said || return 1
  ! grep -F '_[i]' x.folded
}

check "lines: DWARF 5 of real code as addr2line says" dwarf_5
check "lines: DWARF 4 of real code as addr2line says" dwarf_4
check "lines: split DWARF 5 of real code as LLVM says" split_5
check "lines: split DWARF 4 of real code as LLVM says" split_4
check "lines: inlined calls are frames above their function" inlined_calls_are_frames
inlined_calls_of_a_dwo() { inlined_calls_are_frames -gsplit-dwarf; }
check "lines: inlined calls of a .dwo are frames, after its program has ended" inlined_calls_of_a_dwo
# The line is that of three(), which nobody knows of without the .dwo.
no_dwo_no_line() {
  make_hot -gsplit-dwarf && rm ./*.dwo && wick profile --lines -U -F 499 -o x.folded -- ./hot 2>said || { cat said; return 1; }
  grep -q '1 unit without lines: the .dwo' said || { cat said; return 1; }
  grep -q ';one(unsigned int) ' x.folded && ! grep ';one(unsigned int) (' x.folded
}
check "lines: without its .dwo a function is given no other one's line" no_dwo_no_line
check "lines: pprof has them as lines of one location" pprof_shows_lines
check "lines: without --lines nothing is inlined" without_lines_nothing_is_inlined
