#!/usr/bin/env python3
"""The shared library as others meet it: what it exports, that this has not changed under them, and
that the examples of the manual work.

    library.py --gpusight PROGRAM --library LIBRARY --abi abi.txt --example NAME PROGRAM ... [--update]

abi.txt holds every exported symbol with its version, every declaration of the public headers and the
size of each public struct. A line that went or changed breaks programs that were built before;
--update writes the file anew when something was added.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
import tell  # noqa: E402
from tell import check, ROOT  # noqa: E402

HEADERS = ["include/gpusight/error.h", "include/gpusight/gpusight.h"]
STRUCTS = ["struct gs_error", "struct gs_option", "struct gs_column", "gs_table"]


def exported(library):
    out = subprocess.run(["nm", "-D", "--defined-only", library], check=True, text=True,
                         capture_output=True).stdout
    return sorted(line.split()[2] for line in out.splitlines() if " T " in line)


def declarations():
    found = []
    for header in HEADERS:
        with open(os.path.join(ROOT, header), encoding="utf-8") as f:
            text = re.sub(r"/\*.*?\*/", " ", f.read(), flags=re.S)
        text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
        for part in re.findall(r"GS_API [^;]*;|typedef [^;{]*;|enum \w+ \{[^}]*\}|struct \w+ \{[^}]*\}",
                               text):
            found.append(" ".join(part.split()))
    return found


def sizes(cc):
    lines = "\n".join(f'printf("sizeof({s}) = %zu\\n", sizeof({s}));' for s in STRUCTS)
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "sizes.c")
        with open(source, "w", encoding="utf-8") as f:
            f.write("#include <stdio.h>\n#include <gpusight/gpusight.h>\n"
                    f"int main(void) {{ {lines} return 0; }}\n")
        program = os.path.join(folder, "sizes")
        subprocess.run([cc, "-I", os.path.join(ROOT, "include"), source, "-o", program], check=True)
        return subprocess.run([program], check=True, text=True, capture_output=True).stdout.split("\n")[:-1]


def check_abi(o):
    now = exported(o.library) + sizes(o.cc) + declarations()
    if o.update:
        with open(o.abi, "w", encoding="utf-8") as f:
            f.write("\n".join(now) + "\n")
    with open(o.abi, encoding="utf-8") as f:
        then = f.read().splitlines()
    check("nothing but gs_ functions is exported", all(s.startswith("gs_") for s in exported(o.library)))
    check("every declared function is exported",
          all(any(s.split("@")[0] == m.group(1) for s in exported(o.library))
              for d in now if d.startswith("GS_API") and (m := re.search(r"(gs_\w+)\(", d))))
    lost = [line for line in then if line not in now]
    new = [line for line in now if line not in then]
    check("the ABI is as it was", not lost, "; ".join(lost))
    check("what was added is in abi.txt", not new, "; ".join(new) + " (run with --update)")


def run(*command):
    return subprocess.run(command, text=True, capture_output=True)


def check_examples(o, trace, slow):
    programs = dict(o.example or [])
    done = run(programs["hotspots"], trace)
    check("hotspots.c works", done.returncode == 0 and "gemm_tile" in done.stdout and
          "first: " in done.stdout, done.stdout + done.stderr)
    check("hotspots.c tells errors", run(programs["hotspots"], "/nonexistent").returncode == 3)
    if "compare" in programs:
        done = run(programs["compare"], trace, slow)
        check("compare.cpp sees a slower run", done.returncode == 1, done.stdout + done.stderr)
        check("compare.cpp sees the same run", run(programs["compare"], trace, trace).returncode == 0)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--gpusight", required=True)
    p.add_argument("--library", required=True)
    p.add_argument("--abi", required=True)
    p.add_argument("--cc", default=os.environ.get("CC", "cc").split()[-1])
    p.add_argument("--example", nargs=2, action="append")
    p.add_argument("--update", action="store_true")
    o = p.parse_args()
    check_abi(o)
    with tempfile.TemporaryDirectory() as folder:
        trace, slow = os.path.join(folder, "demo.db"), os.path.join(folder, "slow.db")
        subprocess.run([o.gpusight, "synth", "demo", "-o", trace], check=True, capture_output=True)
        text = run(o.gpusight, "synth", "--show", "demo").stdout
        described = os.path.join(folder, "slow.trace")
        with open(described, "w", encoding="utf-8") as f:
            f.write(text.replace("dur=1600us", "dur=6400us"))  # a kernel of four times the length
        subprocess.run([o.gpusight, "synth", described, "-o", slow], check=True, capture_output=True)
        check_examples(o, trace, slow)
    sys.exit(tell.failures > 0)


main()
