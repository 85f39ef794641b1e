#!/bin/bash
# Sizes and machines out of the ordinary.
set -uo pipefail
source "$(dirname "$0")/lib.bash"

# 9,999 processes that are not there would be an error, so they are all there.
ten_thousand_pids() {
  cat >many.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int count = atoi(argv[1]);
	for (int i = 0; i < count; i++) {
		pid_t pid = fork();
		if (pid < 0)
			return 1;
		if (pid == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			alarm(60);
			pause();
			_exit(0);
		}
		printf("%d,", pid);
	}
	printf("%d\n", getpid());
	fflush(stdout);
	alarm(60);
	for (;;)
		;
}
C
  cc -O1 -static -o many many.c || return 1
  : >pids # before the loop looks at it
  ./many 9999 >pids &
  local load=$! try status=0
  for ((try = 0; try < 300 && $(wc -l <pids) == 0; ++try)); do sleep 0.1; done
  wick profile -F 199 -f -p "$(cat pids)" 2 >out 2>err || { cat err; status=1; }
  kill $load
  wait $load 2>/dev/null
  [ $status -eq 0 ] || return 1
  grep -q '^many;' out || { head out err; return 1; }
  [ "$(said_samples err)" -gt 100 ]
}

list_with_a_mistake() {
  local list status=0
  list=$(seq -s, 4000001 4010000)
  wick profile -f -p "$list" 1 >out 2>err || status=$?
  equal "exit" $status 2 || return 1
  equal "lines of stderr" "$(wc -l <err)" 1 || return 1
  below "length of the sentence" "$(wc -c <err)" 400
}

needs_nothing_installed() { ! readelf -l "$(command -v wick)" | grep -q INTERP; }

runs_in_a_bare_root() {
  mkdir -p root/proc root/sys
  cp "$(command -v wick)" "$(command -v split)" root/
  unshare -m bash -c 'mount --rbind /proc root/proc && mount --rbind /sys root/sys &&
    chroot root /wick profile -F 199 -f -- /split 2 1 --seconds 1' >out 2>err || { cat err; return 1; }
  grep -q spin_a out
}

check "a list of 10,000 PIDs" ten_thousand_pids
check "a list of 10,000 PIDs that are not there is one short sentence" list_with_a_mistake
check "the binary is static" needs_nothing_installed
check "it runs where nothing is installed" runs_in_a_bare_root
