#!/usr/bin/python3
"""Reads Prometheus's text format from a URL with Prometheus's own parser: [WICK_TOKEN=TOKEN] scrape.py URL [HOST]

Prints a line a sample, `name{label=value repr,…} value`; fails when the text is not well formed: a name twice, a
histogram whose buckets fall, a counter without its type.
"""

import os
import sys
import urllib.request

from prometheus_client.parser import text_string_to_metric_families


def scraped(url, host=None):
    request = urllib.request.Request(url, headers={"Host": host} if host else {})
    if token := os.environ.get("WICK_TOKEN"):
        request.add_header("Authorization", "Bearer " + token)
    with urllib.request.urlopen(request, timeout=10) as answer:
        kind = answer.headers["Content-Type"]
        assert kind == "text/plain; version=0.0.4; charset=utf-8", kind
        return answer.read().decode("utf-8")


def check_histogram(samples):
    series = {}
    for sample in samples:
        labels = {name: value for name, value in sample.labels.items() if name != "le"}
        series.setdefault(tuple(sorted(labels.items())), []).append(sample)
    for labels, parts in series.items():
        buckets = [(float(one.labels["le"]), one.value) for one in parts if one.name.endswith("_bucket")]
        assert buckets == sorted(buckets), f"{labels}: buckets fall: {buckets}"
        assert buckets[-1][0] == float("inf"), f"{labels}: no +Inf"
        count = [one.value for one in parts if one.name.endswith("_count")]
        assert count == [buckets[-1][1]], f"{labels}: {count} is not {buckets[-1][1]}"


def main():
    seen = set()
    for family in text_string_to_metric_families(scraped(*sys.argv[1:])):
        assert family.type in ("counter", "gauge", "histogram"), f"{family.name} is {family.type}"
        if family.type == "histogram":
            check_histogram(family.samples)
        for sample in family.samples:
            labels = ",".join(f"{name}={value!r}" for name, value in sorted(sample.labels.items()))
            line = f"{sample.name}{{{labels}}}"
            assert line not in seen, f"{line} twice"
            seen.add(line)
            print(line, repr(sample.value))


main()
