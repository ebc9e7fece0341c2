#!/usr/bin/env python3
"""Every rule has a trace in which it fires and one in which it is silent.

    rules.py --gpusight build/src/cli/gpusight [NAME...]

NAME.fires.trace and NAME.silent.trace are descriptions for `gpusight synth`. In their comments,
`# expect: KEY=VALUE...` says what the finding must be and which causes of the ledger it may claim,
`# synth: OPTIONS` how the file is written. A rule of src/advise/rules.def without both fails.
"""
import argparse
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

import judge

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TAGS = re.compile(r"^# (expect|synth): (.*)$", re.M)
HOSTILE = ["quote'double\"back`tick", "$(touch pwned) `touch pwned2` ; touch pwned3", "line\\nbreak\\ttab",
           "\\e[31mred\\x07", "bad utf-8 \\xff\\xfe", "%s%n%x", "'; touch pwned4; '", "-rf --help", "a|b&&c>d",
           " ", "\\\\'\\\\\\\"", "{x}*?[a]~!#", "\\xf0\\x9f\\x9a\\x80 \\xe6\\xbc\\xa2"]


class Gpusight:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def run(self, *args):
        done = subprocess.run([self.program, *args], capture_output=True, timeout=120)
        if done.returncode:
            sys.exit(f"gpusight {' '.join(args)}: {done.stderr.decode()}")
        return done.stdout

    def analyze(self, trace, *synth):
        out = os.path.join(self.folder, "t.db")
        if os.path.exists(out):
            os.remove(out)
        self.run("synth", trace, "-o", out, *synth)
        return json.loads(self.run("analyze", "--format", "json", out))


def rule_names():
    with open(os.path.join(ROOT, "src/advise/rules.def"), encoding="utf-8") as f:
        return re.findall(r"^RULE\((\w+)\)", f.read(), re.M)


def read_tags(path):
    with open(path, encoding="utf-8") as f:
        found = dict(TAGS.findall(f.read()))
    expect = dict(x.split("=", 1) for x in shlex.split(found.get("expect", "")))
    return expect, shlex.split(found.get("synth", ""))


def check_fires(finding, expect):
    got = dict(id=finding["id"], category=finding["category"], bottleneck=finding["bottleneck_type"])
    for key, value in got.items():
        if expect.get(key) != value:
            yield f"{key} is '{value}', not '{expect.get(key)}'"
    allowed = expect["causes"].split(",")
    for claim in finding["claims"]:
        if claim["cause"] not in allowed:
            yield f"claims {claim['cause']}"
    if allowed == ["none"] and finding["priority"] != "INFO":
        yield f"{finding['priority']} for a rule that claims nothing"
    if allowed != ["none"] and finding["priority"] == "INFO":
        yield "the fixture is too weak: the finding is INFO"


# Rules about what `synth` does not write: the test that makes them fire and keeps them silent.
ELSEWHERE = {"pc_stalls": "tests/e2e/check_pc_samples.py", "thread_trace": "tests/e2e/check_att.py"}


def check_rule(gpusight, name):
    """What is wrong with a rule and its two traces."""
    if name in ELSEWHERE:
        with open(os.path.join(ROOT, ELSEWHERE[name]), encoding="utf-8") as f:
            if f.read().count(name.replace("_", "-")) < 2:
                yield f"{ELSEWHERE[name]} does not try it both ways"
        return
    for kind in ("fires", "silent"):
        path = os.path.join(HERE, f"{name}.{kind}.trace")
        if not os.path.exists(path):
            yield f"no {os.path.basename(path)}"
            continue
        expect, synth = read_tags(path)
        doc = gpusight.analyze(path, *synth)
        yield from judge.document(doc)
        found = [f for f in doc["recommendations"] if f["rule"] == name.replace("_", "-")]
        if kind == "silent" and found:
            yield f"not silent: {found[0]['priority']} {found[0]['issue']}"
        if kind == "fires" and len(found) != 1:
            yield f"does not fire: {[f['rule'] for f in doc['recommendations']]}"
        elif kind == "fires":
            yield from check_fires(found[0], expect)


def check_shell(commands, folder):
    """A shell must take the commands apart as they are meant, and run nothing else."""
    tools = os.path.join(folder, "tools")
    os.makedirs(tools, exist_ok=True)
    for tool in judge.profilers.TOOLS:
        with open(os.path.join(tools, tool), "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\nfor a in \"$@\"; do printf '%s\\0' \"$a\"; done\n")
        os.chmod(os.path.join(tools, tool), 0o755)
    empty = os.path.join(folder, "empty")
    os.makedirs(empty, exist_ok=True)
    for c in commands:
        done = subprocess.run(["sh", "-c", c], cwd=empty, env={"PATH": tools + ":/usr/bin:/bin"},
                              capture_output=True)
        got = done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]
        words = shlex.split(c)
        while words[0] == "env" or "=" in words[0]:
            words = words[1:]
        if got != words[1:] or done.stderr or os.listdir(empty):
            yield f"a shell runs {c!r} as {got}, {done.stderr!r}, {os.listdir(empty)}"


def check_hostile(gpusight):
    """Kernel names from strangers, each as the kernel that dominates."""
    path = os.path.join(gpusight.folder, "hostile.trace")
    for name in HOSTILE:
        for extra in ([], ["--format", "nsys"]):
            with open(path, "w", encoding="utf-8") as f:
                text = name.replace("{", "\\{").replace('"', '\\"') if '\\"' not in name else name
                f.write(f'gpu {"A100" if extra else "MI300X"}\nkernel "{text}" vgpr=256 lds=60KiB scratch=64 '
                        f'blocks=9728 wg=64 dur=1ms\nkernel b blocks=16 dur=300us\n'
                        f'loop 20 {{ launch "{text}"; launch b; sync; host 1ms }}\n')
            doc = gpusight.analyze(path, *extra)
            yield from judge.document(doc)
            commands = [c["full_command"] for f in doc["recommendations"] for c in f["commands"]]
            if not commands:
                yield f"no command for {name!r}"
            yield from check_shell(commands, gpusight.folder)


def check_counters(gpusight):
    """Counters that the trace has are not asked for again."""
    path = os.path.join(gpusight.folder, "counters.trace")
    with open(path, "w", encoding="utf-8") as f:
        f.write("gpu MI300X\nkernel a blocks=9728 dur=1ms\ncounter SQ_ACTIVE_INST_VALU = 100\n"
                "counter GRBM_GUI_ACTIVE = 5\n"
                "loop 20 { launch a }\nsync\n")
    doc = gpusight.analyze(path)
    yield from judge.document(doc)
    commands = " ".join(c["full_command"] for f in doc["recommendations"] for c in f["commands"])
    words = shlex.split(commands)
    if "SQ_ACTIVE_INST_VALU" in words or "GRBM_GUI_ACTIVE" in words or words.count("TCC_EA0_RDREQ_sum") != 1:
        yield f"counters asked for again, or none: {commands}"


def report(what, problems):
    problems = list(problems)
    print(f"{'not ok' if problems else 'ok'} - {what}")
    for p in problems:
        print(f"    {p}")
    return bool(problems)


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--gpusight", default=os.path.join(ROOT, "build/src/cli/gpusight"))
    args.add_argument("names", nargs="*")
    args = args.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory(prefix="rules-") as folder:
        gpusight = Gpusight(os.path.abspath(args.gpusight), folder)
        known = rule_names()
        for name in args.names or known:
            bad += report(name, check_rule(gpusight, name))
        if not args.names:
            stray = {os.path.basename(p).split(".")[0] for p in glob.glob(os.path.join(HERE, "*.trace"))}
            bad += report("every fixture belongs to a rule", sorted(stray - set(known)))
            bad += report("hostile names", check_hostile(gpusight))
            bad += report("counters", check_counters(gpusight))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
