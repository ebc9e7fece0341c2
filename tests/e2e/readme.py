#!/usr/bin/env python3
"""The README is true: its screens are what the program prints, its files and commands exist.

    readme.py --gpusight PROGRAM [--update]

A block that starts with `$ gpusight ...` is run, in an empty folder; what follows up to a line `...` must
be the beginning of what it prints. --update writes the present output, as many lines as stood there.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
README = os.path.join(ROOT, "README.md")


def run_block(lines, gpusight, folder):
    """The block with its output replaced by the real one."""
    env = dict(os.environ, PATH=os.path.dirname(gpusight) + ":" + os.environ["PATH"], COLUMNS="80",
               NO_COLOR="1")
    made, i = [], 0
    while i < len(lines):
        command = lines[i]
        made.append(command)
        shown = []
        i += 1
        while i < len(lines) and not lines[i].startswith("$ "):
            shown.append(lines[i])
            i += 1
        done = subprocess.run(["sh", "-c", command[2:]], cwd=folder, env=env, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=True)
        real = done.stdout.decode().rstrip("\n").split("\n") if done.stdout else []
        if shown and shown[-1] == "...":
            real = real[:len(shown) - 1] + ["..."]
        made += real if shown else []
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--gpusight", required=True)
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()
    with open(README, encoding="utf-8") as f:
        text = f.read()
    problems = []

    def replace(match):
        lines = [line[4:] for line in match.group(0).rstrip("\n").split("\n")]
        with tempfile.TemporaryDirectory() as folder:
            made = run_block(lines, os.path.abspath(args.gpusight), folder)
        if made != lines and not args.update:
            for old, new in zip(lines, made):
                if old != new:
                    problems.append(f"README says\n  {old}\nthe program\n  {new}")
                    break
            else:
                problems.append("a screen in the README is longer or shorter than the real one")
        return "".join(f"    {line}".rstrip() + "\n" for line in made)

    new = re.sub(r"(?m)^    \$ gpusight .*\n(?:(?:    .*)?\n)*?(?=^\S|\Z)",
                 lambda m: replace(re.match(r"(?s).*", m.group(0).rstrip("\n") + "\n")) + "\n", text)
    if args.update:
        with open(README, "w", encoding="utf-8") as f:
            f.write(new)
    for link in re.findall(r"\]\(([^)#:]+)\)", text):
        if not os.path.exists(os.path.join(ROOT, link)):
            problems.append(f"README links to {link}, which does not exist")
    known = subprocess.run([args.gpusight, "--generate", "list"], stdout=subprocess.PIPE, check=True)
    for name in set(re.findall(r"`gpusight ([a-z]+)[ `]", text)) - set(known.stdout.decode().split()):
        problems.append(f"README names the command '{name}', which does not exist")
    print("\n".join(problems) or "the README is true")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
