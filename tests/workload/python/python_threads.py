#!/usr/bin/python3
"""python_threads [SECONDS]: one thread that computes with the GIL, one that checks sums of large buffers without it."""
import sys
import threading
import time
import zlib

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 4


def with_gil(until):
    total = 0
    while time.monotonic() < until:
        for i in range(1000):
            total += i * i


def without_gil(until):
    data = bytes(8 << 20)
    while time.monotonic() < until:
        zlib.crc32(data)


def main():
    until = time.monotonic() + SECONDS
    threads = [threading.Thread(target=target, args=(until,)) for target in (with_gil, without_gil)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


main()
