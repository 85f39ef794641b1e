#!/usr/bin/env python3
"""same_stacks.py GDB_TEXT WICK_TEXT LEAF: every stack gdb saw is, address by address, one that Wick counted.

GDB_TEXT is `thread apply all bt`, WICK_TEXT bcc's text with -A. Compared is what called the function
LEAF, which itself moves on. Wick points at the call, one byte before the return address gdb prints;
what a signal interrupted is no call, and the trampoline gdb names without an address."""
import re
import sys

TRAMPOLINE = "__restore_rt"
gdb_text, wick_text, leaf = sys.argv[1:]


def callers(stack):
    names = [name for name, _ in stack]
    return stack[names.index(leaf) + 1 :] if leaf in names else stack[1:]


def gdb_stacks():
    stack, signal = [], False
    for line in open(gdb_text, encoding="utf-8", errors="replace"):
        if line.startswith("Thread") and stack:
            yield stack
            stack = []
        frame = re.match(r"^#\d+ +0x([0-9a-f]+) in (\S+)", line)
        if frame:
            stack.append((frame[2], int(frame[1], 16) - (not signal)))
        signal = "<signal handler called>" in line
    if stack:
        yield stack


def wick_stacks():
    stack = []
    for line in open(wick_text, encoding="utf-8", errors="replace"):
        frame = re.match(r"^    ([0-9a-f]{16}) (\S+)", line)
        if frame and frame[2] != TRAMPOLINE:
            stack.append((frame[2], int(frame[1], 16)))
        elif not frame and stack:
            yield stack
            stack = []


def addresses(stack):
    return tuple(address for _, address in callers(stack))


ours = {addresses(stack) for stack in wick_stacks()}
theirs = [addresses(stack) for stack in gdb_stacks()]
strange = [stack for stack in theirs if stack not in ours]
print(f"{len(theirs)} stacks of gdb, {len(strange)} of them not among Wick's {len(ours)}")
for stack in strange[:3]:
    print(" ".join(hex(address) for address in stack))
sys.exit(not theirs or bool(strange))
