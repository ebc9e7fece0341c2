#!/usr/bin/env python3
"""Runs golden command tests; tests/golden/README.md describes the format.

    run.py --gpusight build/src/cli/gpusight [--update] FILE.test...
"""
import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TRACES = os.environ.get("GPUSIGHT_TRACES") or os.path.join(ROOT, "..", "shared", "traces")
TIMEOUT_S = 120

# Words that stand for text that changes; everything else in a line is taken literally.
PLACEHOLDERS = {
    "[ANY]": r".*",
    "[NUM]": r"[0-9][0-9,.]*",
    "[TIME]": r"(?:[0-9][0-9.]* (?:ns|µs|ms|s)|[0-9]+ min [0-9]+ s|[0-9]+ h [0-9]+ min)",
    "[SIZE]": r"[0-9][0-9.]* (?:B|KiB|MiB|GiB|TiB)",
    "[VERSION]": r"[0-9]+\.[0-9]+\.[0-9]+",
}
SECTION = re.compile(r"^(exit|needs|stdout|stderr):(?: (.*))?$")


class Case:
    def __init__(self, title, line):
        self.title, self.line = title, line
        self.remarks, self.commands, self.needs = [], [], []
        self.exit, self.stdout, self.stderr = 0, [], []


def parse(path):
    """The lines before the first case, and the cases."""
    preamble, cases, into = [], [], None
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    for number, line in enumerate(lines, 1):
        section = SECTION.match(line)
        if line.startswith("== "):
            cases.append(Case(line[3:].strip(), number))
            into = None
        elif not cases:
            preamble.append(line)
        elif section and section[1] == "exit":
            cases[-1].exit, into = int(section[2]), None
        elif section and section[1] == "needs":
            cases[-1].needs += section[2].split()
        elif section:
            into = getattr(cases[-1], section[1])
        elif into is not None:
            into.append(line)
        elif line.startswith("$ "):
            cases[-1].commands.append(line[2:])
        elif line.startswith("#"):
            cases[-1].remarks.append(line)
        elif line.strip():
            sys.exit(f"{path}:{number}: expected '$ command', 'exit:', 'stdout:' or 'stderr:'")
    for case in cases:
        case.stdout, case.stderr = trimmed(case.stdout), trimmed(case.stderr)
    return preamble, cases


def trimmed(lines):
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def line_regex(line):
    if line.startswith("~ "):
        return line[2:]
    parts = re.split(r"(\[[A-Z]+\])", line)
    return "".join(PLACEHOLDERS.get(p, re.escape(p)) for p in parts)


def matches(expected, actual):
    regex = "".join(r"(?:.*\n)*?" if e == "..." else f"(?:{line_regex(e)})\n" for e in expected)
    return re.fullmatch(regex, "".join(a + "\n" for a in actual)) is not None


def why_skipped(case):
    for need in case.needs:
        if need == "traces":
            if not os.path.isdir(TRACES):
                return "no traces, see GPUSIGHT_TRACES"
        elif need.startswith("traces/"):
            if not os.path.exists(os.path.join(TRACES, need[7:])):
                return f"no trace '{need[7:]}', see GPUSIGHT_TRACES"
        elif not shutil.which(need):
            return f"'{need}' is not installed"
    return None


def environment(gpusight, scratch):
    keep = {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}
    if "GPUSIGHT_THREADS" in os.environ:
        keep["GPUSIGHT_THREADS"] = os.environ["GPUSIGHT_THREADS"]
    path = os.path.dirname(os.path.abspath(gpusight)) + ":" + os.environ.get("PATH", "/usr/bin:/bin")
    return {**keep, "PATH": path, "HOME": scratch, "TMPDIR": scratch, "LC_ALL": "C.UTF-8",
            "TZ": "UTC", "TRACES": os.path.abspath(TRACES), "FIXTURES": os.path.join(HERE, "fixtures")}


def run(case, gpusight):
    """Exit code, lines of stdout, lines of stderr."""
    with tempfile.TemporaryDirectory(prefix="golden-") as scratch:
        env = environment(gpusight, scratch)
        try:
            done = subprocess.run(["sh", "-c", "\n".join(case.commands)], cwd=scratch, env=env,
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            return "timeout", [], []
    out, err = (b.decode("utf-8", "backslashreplace").replace(env["TRACES"], "$TRACES")
                for b in (done.stdout, done.stderr))
    return done.returncode, trimmed(out.split("\n")), trimmed(err.split("\n"))


def show_difference(case, name, expected, actual):
    for line in difflib.unified_diff(expected, actual, f"expected {name}", f"actual {name}",
                                     lineterm=""):
        print("    " + line)


def check(case, gpusight, update):
    """True when the case passes; with update, its expectations are made to."""
    code, out, err = run(case, gpusight)
    good = True
    if code != case.exit:
        good = False
        if not update:
            print(f"    exit code {code}, expected {case.exit}")
        elif code != "timeout":
            case.exit = code
    for name, actual in (("stdout", out), ("stderr", err)):
        expected = getattr(case, name)
        if matches(expected, actual):
            continue
        good = False
        if update:
            special = lambda a: a == "..." or a.startswith(("== ", "~ ")) or SECTION.match(a)
            setattr(case, name, ["~ " + re.escape(a) if special(a) else a for a in actual])
        else:
            show_difference(case, name, expected, actual)
    return good or update


def rewrite(path, preamble, cases):
    out = "\n".join(trimmed(preamble)) + "\n"
    for case in cases:
        out += f"\n== {case.title}\n" + "".join(x + "\n" for x in case.remarks)
        out += f"needs: {' '.join(case.needs)}\n" if case.needs else ""
        out += "".join(f"$ {c}\n" for c in case.commands)
        out += f"exit: {case.exit}\n" if case.exit else ""
        for name in ("stdout", "stderr"):
            lines = getattr(case, name)
            out += f"{name}:\n" + "".join(x + "\n" for x in lines) if lines else ""
    with open(path, "w", encoding="utf-8") as f:
        f.write(out)


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--gpusight", default=os.path.join(ROOT, "build/src/cli/gpusight"))
    args.add_argument("--update", action="store_true", help="rewrite the expectations")
    args.add_argument("--only", default="", help="run the cases whose title has this text")
    args.add_argument("files", nargs="+")
    args = args.parse_args()
    count = {"passed": 0, "failed": 0, "skipped": 0}
    for path in args.files:
        preamble, cases = parse(path)
        for case in cases:
            if args.only not in case.title:
                continue
            reason = why_skipped(case)
            good = reason is not None or check(case, args.gpusight, args.update)
            count["skipped" if reason else "passed" if good else "failed"] += 1
            print(f"{'ok' if good else 'not ok'} - {os.path.basename(path)}:{case.line}: "
                  f"{case.title}{' # SKIP ' + reason if reason else ''}", flush=True)
        if args.update:
            rewrite(path, preamble, cases)
    print("# " + ", ".join(f"{n} {what}" for what, n in count.items()))
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
