#!/usr/bin/python3
"""python_split [SECONDS]: divides its CPU time 2 : 1 between burn_a and burn_b; prints percent_a and percent_b of all that
the process used."""
import sys
import time

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 6


def work():
    total = 0
    for i in range(3000):
        total += i * i
    return total


def burn_a(until):
    while time.thread_time() < until:
        work()


def burn_b(until):
    while time.thread_time() < until:
        work()


def main():
    used = {burn_a: 0.0, burn_b: 0.0}
    begin = time.monotonic()
    while time.monotonic() < begin + SECONDS:
        for burn, turn in ((burn_a, 0.02), (burn_b, 0.01)):
            before = time.thread_time()
            burn(before + turn)
            used[burn] += time.thread_time() - before
    total = time.process_time()  # with the start of the interpreter
    print(f"percent_a={100 * used[burn_a] / total:.2f}")
    print(f"percent_b={100 * used[burn_b] / total:.2f}")


main()
