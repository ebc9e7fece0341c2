#!/usr/bin/env python3
"""Prints "PASSED FAILED SKIPPED" for the last `meson test` in a build folder.

Cases inside a program count one by one: cmocka's summary lines and the "# N passed, ..." line of
golden tests are read. A test without such lines, or one that failed without saying which case
did (a crash, a timeout), counts as one.
"""
import json
import re
import sys

SUMMARIES = [
    (0, re.compile(r"^\[  PASSED  \] (\d+) test", re.M)),
    (1, re.compile(r"^\[  FAILED  \] (\d+) test", re.M)),
    (0, re.compile(r"^# (\d+) passed", re.M)),
    (1, re.compile(r"^# \d+ passed, (\d+) failed", re.M)),
    (2, re.compile(r"^# \d+ passed, \d+ failed, (\d+) skipped", re.M)),
]


def count(test):
    output = test.get("stdout", "") + "\n" + test.get("stderr", "")
    counts = [0, 0, 0]
    for kind, regex in SUMMARIES:
        counts[kind] += sum(int(n) for n in regex.findall(output))
    result = test["result"]
    if result == "SKIP":
        return [0, 0, 1]
    if result not in ("OK", "EXPECTEDFAIL") and not counts[1]:
        counts[1] = 1
    return counts if any(counts) else [1, 0, 0]


def main():
    with open(sys.argv[1] + "/meson-logs/testlog.json", encoding="utf-8") as f:
        tests = [json.loads(line) for line in f if line.strip()]
    print(*(sum(column) for column in zip(*map(count, tests))))


if __name__ == "__main__":
    main()
