#!/usr/bin/env python3
"""Tests that cannot fail, and tests that fail when the machine is busy.

    tools/check-tests.py        prints every breach and a final count; exit 1 when there is one

Every case of tests/unit must come to an assert, its own or that of a function it calls; none may
look at the clock on the wall. Every script of tests/e2e, tests/rules and tests/hostile that is run
as a test must be able to end with a failure.
"""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CHECKS = re.compile(r"\b(assert|ASSERT)_\w+\s*\(|\bassert\(|\bfail(_msg)?\s*\(|\bskip\s*\(")
CLOCKS = re.compile(r"CLOCK_(MONOTONIC|REALTIME|BOOTTIME)\b|\b(time|gettimeofday)\s*\(\s*(NULL|&)")
FUNCTION = re.compile(r"^(?:static )?(?:inline )?[\w \*]*?\b(\w+)\([^;{}]*\)\n\{\n(.*?)^\}", re.M | re.S)
MACRO = re.compile(r"^#define (\w+)\([^)]*\)((?:.*\\\n)*.*)$", re.M)


def bodies(text):
    """By name; of two with one name, both together."""
    found = {}
    for name, body in FUNCTION.findall(text) + MACRO.findall(text):
        found[name] = found.get(name, "") + body
    return found


def checks(name, known, seen):
    if name in seen or name not in known:
        return False
    seen.add(name)
    body = known[name]
    return bool(CHECKS.search(body)) or any(checks(word, known, seen) for word in set(re.findall(r"\w+", body)))


def unit_breaches():
    shared = {}
    for path in glob.glob(os.path.join(ROOT, "tests/unit/*.h")):
        with open(path, encoding="utf-8") as f:
            shared.update(bodies(f.read()))
    cases = 0
    for path in sorted(glob.glob(os.path.join(ROOT, "tests/unit/test_*.c"))):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        known = {**shared, **bodies(text)}
        short = os.path.relpath(path, ROOT)
        table = re.search(r"struct CMUnitTest \w+\[\] = \{(.*?)\n    \};", text, re.S)
        listed = re.findall(r"^\s+\w+\((\w+)", table.group(1), re.M) if table else []
        cases += len(listed)
        if not listed:
            yield f"{short}: lists no case"
        for name in listed:
            if not checks(name, known, set()):
                yield f"{short}: '{name}' comes to no assert"
        for line, content in enumerate(text.split("\n"), 1):
            if CLOCKS.search(content):
                yield f"{short}:{line}: looks at the clock on the wall"
    if cases < 100:
        yield f"only {cases} unit cases found: this check no longer understands how they are listed"


def script_breaches():
    for folder in ("e2e", "rules", "hostile"):
        with open(os.path.join(ROOT, "tests", folder, "meson.build"), encoding="utf-8") as f:
            named = set(re.findall(r"'([\w/]*\.py)'", f.read()))
        # Some are named by their end, in a loop over the beginnings.
        scripts = {p for name in named for p in glob.glob(os.path.join(ROOT, "tests", folder, "*" + name))}
        for path in sorted(scripts):
            with open(path, encoding="utf-8") as f:
                text = f.read()
            if "__main__" in text and not re.search(r"sys\.exit\(|\bassert\b|raise ", text):
                yield f"{os.path.relpath(path, ROOT)}: cannot fail"
        if not scripts:
            yield f"tests/{folder}/meson.build: no script found"


def main():
    breaches = list(unit_breaches()) + list(script_breaches())
    for b in breaches:
        print(b)
    print(f"{len(breaches)} breaches")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
