#!/usr/bin/env python3
"""What continuous integration reads: SARIF with lines, the action and the job template, exit codes.

    ci.py --gpusight PROGRAM

The scripts inside packaging/ci are taken out of their files and run here, against a build that became
slower and one that did not.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.dom.minidom

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
import tell  # noqa: E402
from tell import check, ROOT  # noqa: E402

CODE = """#include <hip/hip_runtime.h>

template <typename T, int M, int N>
__global__ void gemm_tile(const T *a, const T *b, T *c, int m, int n, int k) { c[0] = a[0]; }

int main() { gemm_tile<half, 256, 128><<<608, 256>>>(a, b, c, 1, 2, 3); }
"""


def make_traces(gpusight, folder):
    text = subprocess.run([gpusight, "synth", "--show", "demo"], check=True, capture_output=True, text=True).stdout
    slower = text.replace("dur=820us~5%", "dur=1400us~5%")
    assert slower != text
    with open(os.path.join(folder, "slow.trace"), "w", encoding="utf-8") as f:
        f.write(slower)
    for what, name in (("demo", "old.db"), ("slow.trace", "new.db")):
        subprocess.run([gpusight, "synth", what, "-o", name], cwd=folder, check=True, capture_output=True)
    os.mkdir(os.path.join(folder, "my src"))
    with open(os.path.join(folder, "my src", "gemm.cpp"), "w", encoding="utf-8") as f:
        f.write(CODE)


def check_sarif(gpusight, folder):
    command = [gpusight, "compare", "old.db", "new.db", "--fail-on", "wall>5%", "--fail-on", "kernel:gemm_tile>5%",
               "--sarif", "s.json"]
    done = subprocess.run(command + ["--source-dir", "my src"], cwd=folder, capture_output=True, text=True)
    check("a failed gate is exit code 1", done.returncode == 1, done.stderr)
    with open(os.path.join(folder, "s.json"), encoding="utf-8") as f:
        sarif = json.load(f)
    run = sarif["runs"][0]
    rules = {r["id"] for r in run["tool"]["driver"]["rules"]}
    check("SARIF 2.1.0", sarif["version"] == "2.1.0" and rules >= {r["ruleId"] for r in run["results"]})
    failed = [r for r in run["results"] if r["ruleId"] == "gate"]
    check("a result for each condition that failed", len(failed) == 2 and
          all(r["level"] == "error" and r["message"]["text"] for r in failed), failed)
    place = failed[1]["locations"][0]["physicalLocation"]
    check("the line of the kernel", place["artifactLocation"]["uri"] == "my%20src/gemm.cpp" and
          place["region"]["startLine"] == 4, place)
    check("what became slower", any(r["ruleId"] == "slower" and "gemm_tile" in r["message"]["text"]
                                    for r in run["results"]), run["results"])
    prints = [json.dumps(r["partialFingerprints"]) for r in run["results"]]
    check("fingerprints differ", len(set(prints)) == len(prints), prints)
    subprocess.run(command, cwd=folder, capture_output=True)
    with open(os.path.join(folder, "s.json"), encoding="utf-8") as f:
        places = [r["locations"][0] for r in json.load(f)["runs"][0]["results"]]
    check("without source code the trace is the place", places and all(
        p["physicalLocation"]["artifactLocation"]["uri"] == "new.db" for p in places), places)
    same = subprocess.run([gpusight, "compare", "old.db", "old.db", "--fail-on", "wall>5%", "--sarif", "s.json"],
                          cwd=folder, capture_output=True)
    with open(os.path.join(folder, "s.json"), encoding="utf-8") as f:
        check("nothing to say of the same run", same.returncode == 0 and not json.load(f)["runs"][0]["results"])


def read(name):
    with open(os.path.join(ROOT, "packaging", "ci", name), encoding="utf-8") as f:
        return f.read()


def check_templates(gpusight, folder):
    script = re.search(r"      run: \|\n((?:        .*\n)+)", read("action.yml")).group(1)
    script = "set -e\n" + re.sub(r"^        ", "", script, flags=re.M)
    check("inputs never become part of the script", "${{" not in script)
    for new, expected in (("new.db", 1), ("old.db", 0)):
        env = dict(os.environ, BASELINE="old.db", TRACE=new, FAIL_ON="wall>5%", SOURCE_DIR="my src",
                   FOLDER="reports", PROGRAM=gpusight)
        done = subprocess.run(["sh", "-c", script], cwd=folder, env=env, capture_output=True, text=True)
        check(f"the action ends with {expected}", done.returncode == expected, done.stderr)
        check("its annotations", ("::error" in done.stderr) == bool(expected), done.stderr)
    for name in ("compare.html", "compare.sarif", "compare.xml"):
        check(f"it leaves {name}", os.path.getsize(os.path.join(folder, "reports", name)) > 100)
    xml.dom.minidom.parse(os.path.join(folder, "reports", "compare.xml"))
    lines = re.search(r"  script:\n((?:    - .*\n)+)", read("gitlab.yml")).group(1)
    script = "set -e\n" + re.sub(r"^    - ", "", lines, flags=re.M)
    env = dict(os.environ, GPUSIGHT=gpusight, GPUSIGHT_BASELINE="old.db", GPUSIGHT_TRACE="new.db",
               GPUSIGHT_FAIL_ON="wall>5%", GPUSIGHT_SOURCE_DIR="my src")
    done = subprocess.run(["sh", "-c", script], cwd=folder, env=env, capture_output=True, text=True)
    check("the job fails", done.returncode == 1, done.stderr)
    with open(os.path.join(folder, "gl-code-quality-report.json"), encoding="utf-8") as f:
        check("and has its report", len(json.load(f)) == 1)


def check_codes(gpusight, folder):
    with open(os.path.join(ROOT, "include", "gpusight", "error.h"), encoding="utf-8") as f:
        real = dict(re.findall(r"(GS_\w+) = (\d+)", f.read()))
    with open(os.path.join(ROOT, "docs", "exit-codes.md"), encoding="utf-8") as f:
        said = {name: code for code, name in re.findall(r"^\| (\d+) \| `(\w+)` \|", f.read(), re.M)}
    check("docs/exit-codes.md is the enum", said == real and len(real) >= 8, (said, real))
    with open(os.path.join(folder, "junk.db"), "w", encoding="utf-8") as f:
        f.write("no trace\n")
    with open(os.path.join(folder, "empty.json"), "w", encoding="utf-8") as f:
        f.write('{"schemaVersion": 1, "traceEvents": []}')
    for code, arguments in ((0, ["info", "old.db"]), (2, ["analyze", "old.db", "--nonsense"]),
                            (3, ["analyze", "absent.db"]), (4, ["analyze", "junk.db"]),
                            (5, ["analyze", "empty.json"])):
        done = subprocess.run([gpusight, *arguments], cwd=folder, capture_output=True, text=True)
        check(f"{' '.join(arguments)} ends with {code}", done.returncode == code, (done.returncode, done.stderr))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--gpusight", required=True)
    gpusight = os.path.abspath(p.parse_args().gpusight)
    with tempfile.TemporaryDirectory() as folder:
        make_traces(gpusight, folder)
        check_sarif(gpusight, folder)
        check_templates(gpusight, folder)
        check_codes(gpusight, folder)
    return tell.failures > 0


if __name__ == "__main__":
    sys.exit(main())
