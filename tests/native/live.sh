#!/bin/bash
# Live tables on a real terminal (tmux): redrawn in place, steered by keys, and the terminal is given back.
set -uo pipefail
source "$(dirname "$0")/lib.bash"

if ! command -v tmux >/dev/null; then
  skip "live tables" "needs tmux"
  exit 0
fi
if ! wick help filetop >/dev/null 2>&1; then
  skip "live tables" "there is no filetop yet"
  exit 0
fi

# `begin` sets terminal: a tmux of its own for each test.
screen() { "${terminal[@]}" capture-pane -p -t live "$@"; }
press() { "${terminal[@]}" send-keys -t live "$@"; }

# until_true COMMAND...: tries it for six seconds, and says what it said last.
until_true() {
  local try said
  for ((try = 0; try < 60; ++try)); do
    said=$("$@") && return
    sleep 0.1
  done
  echo "$said"
  screen
  return 1
}
is_shown() { screen | grep -qE -e "$1" || { echo "not shown: $1"; return 1; }; }
is_gone() { ! screen | grep -qE -e "$1" || { echo "still shown: $1"; return 1; }; }
until_shown() { until_true is_shown "$1"; }

# A shell on a terminal of 100 x 16, and programs that read: many small pieces, few large ones.
begin() {
  terminal=(tmux -S "$scratch/tmux.$BASHPID" -f /dev/null)
  "${terminal[@]}" new-session -d -x 100 -y 16 -s live "exec bash --norc --noprofile" || return 1
  press "PS1='prompt> '; PATH=$PATH; clear" Enter
  until_shown '^prompt>$' || return 1
  dd if=/dev/zero of=small bs=1 count=4096 status=none
  dd if=/dev/zero of=large bs=1M count=4 status=none
  (
    trap 'exit 0' TERM
    while :; do
      dd if=small of=/dev/null bs=16 status=none
      dd if=large of=/dev/null bs=1M status=none
      sleep 0.05
    done
  ) &
  load=$!
}
end() {
  "${terminal[@]}" kill-server
  kill $load
  wait $load
  return 0
} 2>/dev/null

in_terminal() { # FUNCTION ARGUMENTS...
  local status
  begin && "$@"
  status=$?
  end
  return $status
}
filetop_and() { # FUNCTION [ARGUMENTS of filetop]
  press "wick filetop ${*:2} 0.5" Enter
  until_shown '^TID' && "$1"
}
run_live() { in_terminal filetop_and "$@"; }

names() { screen | grep -n '^TID'; }
# What of the table's rows stands in column N.
cells() { screen | sed -n '/^TID/,/^$/ { /^TID/d; /^$/d; p }' | awk -v n="$1" '{ print $n }'; }
is_sorted() { [ -n "$1" ] && sort -c "${@:2}" <<<"$1" 2>/dev/null; }
marked() { screen -e | sed -n 's/.*\x1b\[4m\([A-Za-z_]*\).*/\1/p'; }

is_sorted_by() { equal "sorted by" "$(marked)" "$1"; }
reads_fall() { is_sorted "$(cells 3)" -rn || { echo "reads do not fall: $(cells 3)"; return 1; }; }
reads_rise() { is_sorted "$(cells 3)" -n || { echo "reads do not rise: $(cells 3)"; return 1; }; }
screen_is_not() { [ "$(screen)" != "$1" ] || { echo "the screen stands still"; return 1; }; }
first_line_is_not() { [ "$(screen | head -n 1)" != "$1" ] || { echo "the clock stands still"; return 1; }; }

redrawn() {
  local first
  until_shown '^[0-9:]* loadavg' || return 1
  first=$(screen | head -n 1)
  until_true first_line_is_not "$first" || return 1
  equal "names of the columns" "$(names)" "3:$(screen | sed -n 3p)" || return 1
  ! screen | tail -n 1 | grep -q .
}

sorted_by_keys() {
  until_shown 'dd .*large' || return 1
  press '>' && until_true is_sorted_by TID || return 1
  press '>' '>' && until_true is_sorted_by READS || return 1
  until_true reads_fall || return 1
  press r && until_true reads_rise || return 1
  press '<' && until_true is_sorted_by COMM || return 1
  press Right && until_true is_sorted_by READS
}

frozen() {
  local before
  press Space
  until_shown '^frozen' || return 1
  before=$(screen)
  sleep 1.2
  equal "a frozen screen" "$(screen)" "$before" || return 1
  press Space && until_true screen_is_not "$before" && until_true is_gone '^frozen'
}

explained() {
  press '?'
  until_shown '^q ends.*freezes' || return 1
  press '?' && until_true is_gone '^q ends'
}

# The line of names is the third, and there is room for the cursor below all.
fits_into() { # LINES
  local lines
  equal "the line of names" "$(names | cut -d : -f 1)" 3 || return 1
  lines=$(screen | grep -c .)
  [ "$lines" -lt "$1" ] || { echo "$lines lines on a screen of $1"; return 1; }
}
cut_to_the_window() {
  "${terminal[@]}" resize-window -t live -x 50 -y 8
  sleep 0.8
  until_true fits_into 8 || return 1
  "${terminal[@]}" resize-window -t live -x 120 -y 30
  sleep 0.8
  until_true fits_into 30
}

# modes: whether the shell's terminal echoes and edits lines again.
given_back() {
  press "stty -a | grep -oE '[-]?(icanon|echo)\\b' | tr '\\n' ' '; echo modes" Enter
  until_shown '^icanon echo modes|^echo icanon modes'
}

ended_by_q() {
  local rows
  until_shown 'dd ' || return 1
  press q
  until_shown '^wick: [0-9,]* .* in [0-9.]* s; lost [0-9]' || return 1
  until_shown '^prompt>$' || return 1
  # Below the table that was last seen.
  rows=$(screen | sed -n '/^TID/,/^wick:/p' | grep -c 'dd ')
  [ "$rows" -gt 0 ] || { screen; return 1; }
  given_back
}

ended_by_interrupt() {
  press C-c
  until_shown '^wick: .*lost' && given_back
}

pid_of_tool() { pgrep -P "$("${terminal[@]}" display-message -p -t live '#{pane_pid}')" -x wick; }

ended_by_a_crash() {
  kill -SEGV "$(pid_of_tool)"
  until_shown '^prompt>$|Segmentation' && given_back
}

ended_by_quit() {
  kill -QUIT "$(pid_of_tool)"
  until_shown 'Quit' && given_back
}

stopped_and_continued() {
  press C-z
  until_shown 'Stopped' || return 1
  given_back || return 1
  press clear Enter && press fg Enter
  until_shown '^TID' || return 1
  press '?'
  until_shown '^q ends' || return 1
  press q
  until_shown '^wick: .*lost' && given_back
}

two_tables() { [ "$("${terminal[@]}" capture-pane -p -S - -t live | grep -c '^TID')" -ge 2 ]; }
below_each_other() { until_true two_tables; }

# 40 characters of a row are not stars.
histograms_fill_the_width() {
  local columns
  for columns in 60 130; do
    "${terminal[@]}" resize-window -t live -x $columns -y 40
    press "clear; wick runqlat 0.3 1; echo on $columns columns" Enter
    until_shown "^on $columns columns" || return 1
    equal "the widest row on $columns columns" "$(screen | awk '/ -> / { print length($0) }' | sort -n | tail -n 1)" \
      $((columns - 2)) || return 1
  done
}

# Into a file there is nothing of a terminal.
plain_in_a_file() {
  wick filetop 0.3 2 >out 2>err || return 1
  equal "tables" "$(grep -c '^TID' out)" 2 || return 1
  ! grep -q $'\x1b' out err
}

check "live: redrawn in place" run_live redrawn
check "live: < and > choose the column, r reverses" run_live sorted_by_keys
check "live: space freezes and goes on" run_live frozen
check "live: ? tells of the keys" run_live explained
check "live: cut to the window, which may change" run_live cut_to_the_window
check "live: q ends, the last line stands below" run_live ended_by_q
check "live: Ctrl-C gives the terminal back" run_live ended_by_interrupt
check "live: a crash gives the terminal back" run_live ended_by_a_crash
check "live: Ctrl-\\ gives the terminal back" run_live ended_by_quit
check "live: Ctrl-Z gives the terminal back, fg goes on" run_live stopped_and_continued
check "live: -C prints one below the other" run_live below_each_other -C -r 5
check "live: histograms fill the width" in_terminal histograms_fill_the_width
check "live: a file gets no escape sequences" plain_in_a_file
