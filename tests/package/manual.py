#!/usr/bin/env python3
"""The manual: pages that need nobody else, links that lead somewhere, commands that exist.

    manual.py --gpusight PROGRAM [--update]

The screens of docs/tutorial.md are run as those of the README are (tests/e2e/readme.py); --update writes
the present output. Of docs/coming-from.md, each command and option must be one that the program has, and what
can run on the demo is run.
"""
import argparse
import filecmp
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
import tell  # noqa: E402
from tell import check, ROOT  # noqa: E402

sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))
from readme import run_block  # noqa: E402


def make(folder):
    done = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "manual.py"), "-o", folder],
                          capture_output=True, text=True)
    check("every link leads somewhere", done.returncode == 0, done.stderr)


def check_pages(folder):
    a, b = os.path.join(folder, "a"), os.path.join(folder, "b")
    make(a)
    make(b)
    names = sorted(os.listdir(a))
    same, other, odd = filecmp.cmpfiles(a, b, names, shallow=False)
    check("two manuals are the same bytes", not other and not odd and len(same) > 30, other)
    wanted = {n[:-3].lower() + ".html" for n in os.listdir(os.path.join(ROOT, "docs")) if n.endswith(".md")}
    check("a page for each document", wanted <= set(names), wanted - set(names))
    for name in names:
        with open(os.path.join(a, name), encoding="utf-8") as f:
            text = f.read()
        outside = re.findall(r"<(?:script|link|img|iframe)[^>]*(?:src|href)=\"(?:https?:)?//[^>]*>", text)
        if outside or (name.endswith(".html") and text.count("<main>") != 1):
            check(f"{name} needs nobody else", False, outside)
    with open(os.path.join(a, "search.js"), encoding="utf-8") as f:
        entries = json.loads(f.read().split("\n")[0][len("const MANUAL="):-1])
    hits = [e for e in entries if "gs_open" in e["text"]]
    check("the search knows the C interface", any(e["at"].startswith("c-interface.html") for e in hits))
    with open(os.path.join(a, "c-interface.html"), encoding="utf-8") as f:
        page = f.read()
    with open(os.path.join(ROOT, "include", "gpusight", "gpusight.h"), encoding="utf-8") as f:
        functions = re.findall(r"^GS_API [^(]*?\b(gs_\w+)\(", f.read(), re.M)
    check("every function of the header is there", len(functions) > 25 and all(n in page for n in functions))


def check_tutorial(o, folder):
    path = os.path.join(ROOT, "docs", "tutorial.md")
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    made, i = [], 0
    while i < len(lines):
        block = []
        while i < len(lines) and (lines[i].startswith("    ") or (  # screens have empty lines, too
                block and not lines[i] and lines[i + 1:i + 2] and lines[i + 1].startswith("    "))):
            block.append(lines[i][4:])
            i += 1
        made += ["    " + line if line else "" for line in run_block(block, o.gpusight, folder)] if block else []
        if i < len(lines):
            made.append(lines[i])
            i += 1
    if o.update:
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(made))
    wrong = [(a, b) for a, b in zip(lines, made) if a != b]
    check("the tutorial's screens are what the program prints", not wrong and len(lines) == len(made), wrong[:2])


def options_of(gpusight, command, seen={}):
    if command not in seen:
        done = subprocess.run([gpusight, command, "--help"], capture_output=True, text=True)
        seen[command] = done.stdout if done.returncode == 0 else ""
    return seen[command]


def check_rivals(o, folder):
    with open(os.path.join(ROOT, "docs", "coming-from.md"), encoding="utf-8") as f:
        commands = re.findall(r"`(gpusight [^`]+)`", f.read())
    ran = 0
    for text in commands:
        words = shlex.split(text)
        help_text = options_of(o.gpusight, words[1])
        unknown = [w for w in words[2:] if w.startswith("-") and w != "--" and
                   not re.search(r"(^|[ ,])" + re.escape(w.split("=")[0]) + r"\b", help_text, re.M)]
        if not help_text or unknown:
            check(text, False, unknown or "no such command")
        if "results.db" in words and "--llm" not in words and not {"--att-dir", "--source-dir"} & set(words):
            done = subprocess.run([o.gpusight] + words[1:], cwd=folder, capture_output=True, text=True)
            ran += 1
            if done.returncode:
                check(text, False, done.stderr)
    check("every command of docs/coming-from.md exists", len(commands) > 30 and ran > 8, (len(commands), ran))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--gpusight", required=True)
    p.add_argument("--update", action="store_true")
    o = p.parse_args()
    o.gpusight = os.path.abspath(o.gpusight)
    with tempfile.TemporaryDirectory() as folder:
        check_pages(folder)
    with tempfile.TemporaryDirectory() as folder:
        check_tutorial(o, folder)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([o.gpusight, "synth", "demo", "-o", "results.db"], cwd=folder, check=True, capture_output=True)
        check_rivals(o, folder)
    return tell.failures > 0


if __name__ == "__main__":
    sys.exit(main())
