#!/usr/bin/env python3
"""Runs a command within 256 MB of memory and tells what it took: measured.py FILE COMMAND...

FILE gets wall=, cpu= (seconds), rss= (MB, at most) and limit= (by what the memory was limited). The exit status is the
command's; 137 when the kernel killed it for its memory.
"""
import os
import resource
import sys
import time

LIMIT = 256 << 20


def make_group():
    """A memory cgroup of our own, of version 1 or 2; None where there is none to be had."""
    for base, file in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
        group = f"{base}/wick-bombs-{os.getpid()}"
        try:
            os.mkdir(group)
        except OSError:
            continue
        try:
            with open(f"{group}/{file}", "w") as limit:
                limit.write(str(LIMIT))
            return group
        except OSError:
            os.rmdir(group)
    return None


def main():
    group = make_group()
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        if group:
            with open(f"{group}/cgroup.procs", "w") as members:
                members.write(str(os.getpid()))
        else:
            resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))
        os.execvp(sys.argv[2], sys.argv[2:])
    _, status, usage = os.wait4(child, 0)
    wall = time.monotonic() - began
    if group:
        os.rmdir(group)
    with open(sys.argv[1], "w") as out:
        out.write(f"wall={wall:.2f}\ncpu={usage.ru_utime + usage.ru_stime:.2f}\nrss={usage.ru_maxrss // 1024}\n")
        out.write(f"limit={'cgroup' if group else 'data'}\n")
    code = os.waitstatus_to_exitcode(status)
    sys.exit(code if code >= 0 else 128 - code)


main()
