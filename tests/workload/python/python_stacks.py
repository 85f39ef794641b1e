#!/usr/bin/python3
"""python_stacks FILE LEAF CHAIN [LINES]: of the samples in FILE (.folded, or Wick's .json) whose last Python frame is
LEAF, how many in a hundred have CHAIN as their Python frames, root to leaf, and are at LINES (the leaf's own line goes
on). Prints equal_percent, all_samples, and the first that differs."""
import sys


def folded(path):
    for line in open(path, encoding="utf-8", errors="replace"):
        stack, _, count = line.rstrip("\n").rpartition(" ")
        yield [(frame[:-4], 0) for frame in stack.split(";") if frame.endswith("_[j]")], int(count)


def from_json(path):
    import json  # the VM has none

    for sample in json.load(open(path, encoding="utf-8"))["samples"]:
        frames = [(frame["name"], frame.get("line", 0)) for frame in sample["stack"] if frame["kind"] == "jit"]
        yield frames[::-1], sample["values"][0]


def main():
    path, leaf, chain = sys.argv[1:4]
    lines = sys.argv[4] if len(sys.argv) > 4 else None
    equal = total = 0
    other = ""
    for frames, count in (from_json if path.endswith(".json") else folded)(path):
        if not frames or frames[-1][0] != leaf:
            continue
        total += count
        names = ";".join(name for name, _ in frames)
        places = ";".join(str(line) for _, line in frames[:-1])
        if names == chain and (lines is None or places == lines.rpartition(";")[0]):
            equal += count
        elif not other:
            other = f"{names}\n    {places}\n    from {chain}\n    {lines}"
    print(f"equal_percent={100 * equal / total if total else 0:.2f}")
    print(f"all_samples={total}")
    if other:
        print(f"differs: {other}")


main()
