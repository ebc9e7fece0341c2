#!/usr/bin/env python3
"""Stands in for profilers and launchers: linked under their names into a folder of PATH.

As rocprofv3, rocprof-sys-run, rocprof-sys-sample, nsys or ncu it holds its options against the table
of real ones (src/plan/tool_options.def), runs the program, and writes a trace of what the program's
source says: with STANDIN_TRACE naming a description, that one; otherwise the lines `// trace: ...` of
the file that STANDIN_SOURCE names; otherwise the scenario "demo". As mpirun, srun and torchrun it
starts several processes with their numbers in the environment.
"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
TABLE = os.path.join(ROOT, "src", "plan", "tool_options.def")


def fail(text):
    sys.stderr.write(f"{os.path.basename(sys.argv[0])}: {text}\n")
    sys.exit(2)


def table(tool):
    tool = tool.upper().replace("-", "_")  # as the table calls it
    with open(TABLE, encoding="utf-8") as f:
        text = f.read()
    options = {m[1]: (m[2], m[3]) for m in
               re.finditer(r'OPTION\(%s, "([^"]+)", (\w+), "([^"]*)"\)' % re.escape(tool), text)}
    separator = f"SEPARATOR({tool})" in text
    sub = re.search(r'SUBCOMMAND\(%s, "(\w+)"\)' % re.escape(tool), text)
    return options, separator, sub[1] if sub else None


def parse(tool, words):
    """({option: values}, program); what the real tool would not take ends it."""
    options, separator, sub = table(tool)
    given, i = {}, 0
    if sub:
        if not words or words[0] != sub:
            fail(f"wants '{sub}'")
        i = 1
    while i < len(words) and words[i].startswith("-") and words[i] != "--":
        name, _, joined = words[i].partition("=")
        if name not in options:
            fail(f"unknown option {name}")
        takes, choices = options[name]
        values, i = [joined] if takes == "JOINED" else [], i + 1
        if takes == "ONE":
            values, i = [words[i]], i + 1
        while takes == "MANY" and i < len(words) and not words[i].startswith("-"):
            values.append(words[i])
            i += 1
        for v in values:
            if choices and any(x not in choices.split("|") for x in v.split(",")):
                fail(f"{name} does not take {v}")
        given.setdefault(name, []).extend(values)
    if separator:
        if i == len(words) or words[i] != "--":
            fail("wants '--'")
        i += 1
    if i == len(words):
        fail("no program")
    return given, words[i:]


def rank():
    return next((os.environ[n] for n in ("OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "RANK")
                 if n in os.environ), "0")


def keys(name, pid):
    name = name.replace("%pid%", str(pid)).replace("%p", str(pid)).replace("%rank%", rank())
    name = name.replace("%h", "node1")
    return re.sub(r"%q\{(\w+)\}", lambda m: os.environ.get(m[1], ""), name)


def output_of(tool, given, pid):
    if tool == "nsys":
        return keys(given["--output"][0], pid) + ".sqlite", "nsys"
    if tool == "rocprofv3":
        return os.path.join(keys(given["--output-directory"][0], pid),
                            keys(given["--output-file"][0], pid) + "_results.db"), "rocpd"
    folder = os.environ.get("ROCPROFSYS_OUTPUT_PATH", ".")
    prefix = keys(os.environ.get("ROCPROFSYS_OUTPUT_PREFIX", ""), pid)
    return os.path.join(folder, f"{prefix}rocpd-{pid}.db"), "rocpd"


def described():
    source = os.environ.get("STANDIN_SOURCE")
    if os.environ.get("STANDIN_TRACE"):
        return os.environ["STANDIN_TRACE"], None
    if not source:
        return "demo", None
    with open(source, encoding="utf-8") as f:
        lines = re.findall(r"// trace: ?(.*)", f.read())
    temporary = tempfile.NamedTemporaryFile("w", suffix=".trace", delete=False)
    temporary.write("\n".join(lines) + "\n")
    temporary.close()
    return temporary.name, temporary.name


def profile(tool):
    given, program = parse(tool, sys.argv[1:])
    p = subprocess.Popen(program)
    code = p.wait()
    if tool == "ncu":
        sys.exit(code)
    path, form = output_of(tool, given, p.pid)
    if tool != "nsys":
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    what, temporary = described()
    done = subprocess.run([os.environ["STANDIN_GPUSIGHT"], "synth", what, "--format", form, "-o", path,
                           "--seed", str(p.pid)], capture_output=True, text=True)
    if temporary:
        os.unlink(temporary)
    if done.returncode:
        fail(done.stderr)
    sys.exit(code)


def launch(name):
    """-n N, or torchrun's --nproc_per_node N, in front of the program."""
    words, n = sys.argv[1:], 1
    while words and words[0].startswith("-"):
        option, _, value = words[0].partition("=")
        words = words[1:]
        if option in ("-n", "-np", "--nproc_per_node"):
            n = int(value or words[0])
            words = words if value else words[1:]
    variable = {"mpirun": "OMPI_COMM_WORLD_RANK", "srun": "SLURM_PROCID"}.get(name, "RANK")
    if name == "torchrun":
        words = [sys.executable] + words
    children = [subprocess.Popen(words, env=dict(os.environ, **{variable: str(i)})) for i in range(n)]
    sys.exit(max(c.wait() for c in children))


def main():
    name = os.path.basename(sys.argv[0])
    if name == "sbatch":
        print("Submitted batch job 17")
        sys.exit(0 if open(sys.argv[1], encoding="utf-8").read().startswith("#!/bin/sh\n#SBATCH") else 1)
    if name in ("mpirun", "srun", "torchrun"):
        launch(name)
    profile(name)


main()
