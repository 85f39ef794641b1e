#!/usr/bin/python3
"""python_chain [SECONDS]: spins at the bottom of calls that go through C again and again, and prints what Python
itself says of that stack, root to leaf:

  chain=<module> python_chain;outer;…;spin            as `wick profile` names the frames
  lines=41;30;…                                       the line each of them is at; spin's own goes on from there
"""
import functools
import re
import sys
import time

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 4


def tell(frame):
    names, lines = [], []
    while frame:
        name, file = frame.f_code.co_qualname, frame.f_code.co_filename
        names.append(name if name[0] != "<" else name + " " + file.rsplit("/", 1)[-1])
        lines.append(str(frame.f_lineno))
        frame = frame.f_back
    print("chain=" + ";".join(reversed(names)))
    print("lines=" + ";".join(reversed(lines)), flush=True)


def spin():
    tell(sys._getframe())
    total, until = 0, time.monotonic() + SECONDS
    while time.monotonic() < until:
        for i in range(5000):
            total += i * i
    return total


def by_exception(next_call):
    try:
        raise ValueError("on the way")
    except ValueError:
        next_call()
    finally:
        next_call = None


def by_generator(next_call):
    def steps():
        yield 1
        next_call()
        yield 2

    for _ in steps():
        pass


class Shop:
    def __init__(self, next_call):
        self.next_call = next_call

    def __lt__(self, other):
        self.next_call()
        return False

    @property
    def open(self):
        return self.next_call()

    @staticmethod
    def sell(next_call):
        return Shop(next_call).open


def recurse(depth, next_call):
    if depth:
        recurse(depth - 1, next_call)
    else:
        next_call()


def outer():
    recurse(12, lambda: sorted([1], key=lambda _: by_sort()))


def by_sort():
    functools.reduce(lambda a, b: by_reduce(), [1, 2])


def by_reduce():
    list(map(lambda _: by_map(), [1]))


def by_map():
    re.sub("a", lambda match: by_sub() or "", "a")


def by_sub():
    Shop.sell(lambda: min(Shop(None), Shop(lambda: by_compare())))


def by_compare():
    by_generator(lambda: by_exception(lambda: [spin() for _ in (1,)]))


outer()
