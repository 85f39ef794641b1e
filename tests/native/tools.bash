# Shared by tests/native/toolbox.sh, metrics.sh and bench/start: every command that looks at the running system, and what each
# cannot do without. Starts a process to look at, which ends with `stop_process`.
mapfile -t tools < <(wick list --json | sed -n 's/^{"name":"\([^"]*\)".*"traces":true.*/\1/p')
sleep 1000 &
process=$!
stop_process() { kill $process; }
disk=$(find /sys/block -mindepth 1 -maxdepth 1 ! -name 'loop*' ! -name 'ram*' -printf '%f\n' | sort | head -n 1)
# shellcheck disable=SC2034 # who sources this uses it
declare -A given=([biolatpcts]=$disk [netqtop]="-n lo" [mutex]="-p $process" [deadlock]="$process" [fsdist]="-t ext4"
  [dirtop]="-d /usr" [stat]="-a" [wall]="-p $process" [sched]="-p $process"
  [llcstat]="-c 1 --events page-faults,major-faults")
