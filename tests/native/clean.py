#!/usr/bin/env python3
"""clean.py KIND FILE: fails unless a terminal, a parser or a spreadsheet can take what Wick wrote.

KIND is text, json (an object, or one per line) or csv. The file must have the name of the hostile program of names.sh, made
harmless: "evl".
"""
import csv
import json
import sys
import unicodedata

kind, path = sys.argv[1:]
raw = open(path, "rb").read()
text = raw.decode("utf-8")  # fails where it is none


def is_bad(c):
    return c not in "\n\t" and (unicodedata.category(c) == "Cc" or 0x2028 <= ord(c) <= 0x202E or 0x2066 <= ord(c) <= 0x2069)


bad = sorted({f"U+{ord(c):04X}" for c in text if is_bad(c)})
if bad:
    sys.exit(f"{path}: has {' '.join(bad)}")
if "evl" not in text:
    sys.exit(f"{path}: the hostile program is not in it:\n{text[:2000]}")
if kind == "json":
    try:
        json.loads(text)
    except json.JSONDecodeError:
        for line in text.splitlines():
            json.loads(line)
if kind == "csv":
    for row in csv.reader(text.splitlines()):
        for cell in row:
            if cell[:1] in ("=", "+", "-", "@"):
                float(cell)
