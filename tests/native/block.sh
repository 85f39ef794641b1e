#!/bin/bash
# Block tools on a loop device of their own: against libbpf-tools and the kernel's own counts, at a rate that hurts, and
# with a known delay.
set -uo pipefail
source "$(dirname "$0")/lib.bash"

within_percent() {
  awk -v a="$2" -v b="$3" -v p="$4" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(d <= b * p / 100) }' ||
    { echo "$1: $2 is not within $4 % of $3"; return 1; }
}
truth() { sed -n "s/^$1=//p" truth; }

# on_loop IMAGE FUNCTION: over 64 MB of IMAGE's file system; $disk is the device's name.
on_loop() {
  local image=$1 status=0
  dd if=/dev/zero of="$image" bs=1M count=64 2>/dev/null
  disk=$(losetup --find --show --direct-io=on "$image" 2>/dev/null || losetup --find --show "$image") || return
  disk=${disk#/dev/}
  "$2" || status=$?
  losetup -d "/dev/$disk"
  rm -f "$image"
  return $status
}
reads_of_disk() { awk -v disk="$disk" '$3 == disk { print $4 }' /proc/diskstats; }

# One run, three witnesses.
counts_as_others() {
  local before pids=()
  before=$(reads_of_disk)
  biolatency -d "$disk" 3 1 >peer.txt 2>/dev/null &
  pids+=($!)
  wick biolatency -j -d "$disk" 3 1 >own.json 2>err &
  pids+=($!)
  when_tracing "${pids[1]}" sleep 0.7
  disk_io "/dev/$disk" --reads 20000 --depth 16 >truth
  wait "${pids[@]}"
  own=$(sed -n 's/.*"count":\([0-9]*\),"total.*/\1/p' own.json)
  within_percent "the workload's reads" "$own" "$(truth reads)" 1 &&
    within_percent "libbpf-tools' biolatency" "$own" "$(awk -F: '/->/ { n += $2 } END { print n }' peer.txt)" 1 &&
    within_percent "/proc/diskstats" "$own" $(($(reads_of_disk) - before)) 1
}

# A loop device in memory does more than 100,000 a second. On a busy machine the kernel itself leaves out the end of some
# (libbpf-tools' biolatency does not count them either): what is not told must be counted.
tells_or_counts_all() {
  local pid
  disk_io "/dev/$disk" --reads 200000 --depth 32 --traced 1 >truth &
  until_ready || return 1
  pid=$(truth pid)
  wick biosnoop --csv -p "$pid" >lines.csv 2>err
  wait
  told=$(($(wc -l <lines.csv) - 1))
  lost=$(sed -n 's/.*; lost \([0-9,]*\).*/\1/p' err | tr -d ,)
  equal "told and lost of $(truth reads_a_second) a second ($told, $lost)" $((told + lost)) "$(truth reads)"
}

# The disk below the loop device lets a cgroup read five times a second: 200 ms each, as soon as the first went through.
takes_the_disks_time() {
  local group=/sys/fs/cgroup/blkio/wick-block-$$ below pid status=0
  below=$(stat -c %d "$(cat "/sys/block/$disk/loop/backing_file")")
  mkdir "$group" || return
  echo "$((below >> 8 & 4095)):$((below & 255)) 5" >"$group/blkio.throttle.read_iops_device"
  sh -c "echo \$\$ >$group/cgroup.procs; exec disk_io /dev/$disk --reads 7 --traced 1" >truth &
  until_ready || return 1
  pid=$(truth pid)
  wick biosnoop -p "$pid" >lines 2>err
  wait
  rmdir "$group"
  median=$(awk 'NR > 1 { print $NF }' lines | sort -n | sed -n 4p)
  equal "requests" "$(($(wc -l <lines) - 1))" 7 && within_percent "the median, ms" "$median" 200 10 &&
    within_percent "what the workload measured, ms" "$median" "$(truth read_ms)" 10
}

if [ "$(id -u)" -ne 0 ] || ! losetup --find >/dev/null 2>&1; then
  skip "block tools on a loop device" "needs root and loop devices"
  exit
fi
check "biolatency counts as libbpf-tools and /proc/diskstats" on_loop /dev/shm/wick-block-$$ counts_as_others
check "biosnoop tells or counts every request of a fast disk" on_loop /dev/shm/wick-block-$$ tells_or_counts_all
if [ -d /sys/fs/cgroup/blkio ]; then
  check "a request of a throttled disk takes its time" on_loop /var/tmp/wick-block-$$ takes_the_disks_time
else
  skip "a request of a throttled disk takes its time" "needs the blkio cgroup of v1"
fi
