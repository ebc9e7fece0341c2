#!/usr/bin/env python3
"""Files in the tree that the program makes must be what it makes now.

    generated_files.py --gpusight PROGRAM [--update]

Also: every code in quality.c stands in docs/metrics.md, and every step of the walk in ARCHITECTURE.md
where it says.
"""
import argparse
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FILES = {"schema": "schema/analysis.schema.json", "plan-schema": "schema/plan.schema.json",
         "rocinsight-schema": "schema/rocinsight-0.4.0.schema.json",
         "compare-schema": "schema/compare.schema.json", "info-schema": "schema/info.schema.json",
         "summary-schema": "schema/summary.schema.json",
         "history-schema": "schema/history.schema.json",
         "workload-schema": "schema/workload.schema.json",
         "workload-compare-schema": "schema/workload-compare.schema.json",
         "verify-schema": "schema/verify.schema.json",
         "answer-schema": "schema/answer.schema.json", "whatif-schema": "schema/whatif.schema.json",
         "evaluation-schema": "schema/evaluation.schema.json",
         "tables-schema": "schema/tables.schema.json", "explain-schema": "schema/explain.schema.json",
         "metrics": "docs/metrics.md", "rules": "docs/rules.md",
         "counters": "docs/counter-metrics.md", "workload-metrics": "docs/workload-metrics.md",
         "tools": "docs/tools.md",
         "query-tables": "docs/query-tables.md"}


def walk_faults():
    """Steps of the walk that are not defined in the file, or the folder, beside them."""
    with open(os.path.join(ROOT, "ARCHITECTURE.md"), encoding="utf-8") as f:
        walk = f.read().split("## One walk")[1].split("## ")[0]
    steps = re.findall(r"^ {4,}([a-z_]+) +([a-z_/]+(?:\.c|/))(?: |$)", walk, re.M)
    if len(steps) < 20:
        yield f"the walk of ARCHITECTURE.md has {len(steps)} steps"
    for name, place in steps:
        full = os.path.join(ROOT, "src", place)
        files = [full] if place.endswith(".c") else [os.path.join(full, n) for n in os.listdir(full) if n.endswith(".c")]
        text = "".join(open(n, encoding="utf-8").read() for n in files)
        if not re.search(rf"^[a-z].*\b{name}(\(| = {{)", text, re.M):
            yield f"{name} of the walk is not in src/{place}"


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--gpusight", required=True)
    args.add_argument("--update", action="store_true", help="write the files")
    args = args.parse_args()
    stale = []
    for what, path in FILES.items():
        made = subprocess.run([args.gpusight, "--generate", what], stdout=subprocess.PIPE, check=True).stdout
        full = os.path.join(ROOT, path)
        if args.update:
            with open(full, "wb") as f:
                f.write(made)
        with open(full, "rb") as f:
            if f.read() != made:
                stale.append(path)
    for path in stale:
        print(f"{path} is stale; run tests/e2e/generated_files.py --gpusight PROGRAM --update")
    with open(os.path.join(ROOT, "src/analyze/quality.c"), encoding="utf-8") as f:
        codes = set(re.findall(r'(?:reason\(&?c, |\{)"([a-z]+(?:-[a-z]+)*)"', f.read()))
    with open(os.path.join(ROOT, "docs/metrics.md"), encoding="utf-8") as f:
        documented = f.read()
    lacking = sorted(c for c in codes if f"| `{c}` |" not in documented)
    for code in lacking:
        print(f"src/report/quality_checks.def lacks '{code}'")
    faults = list(walk_faults())
    for text in faults:
        print(text)
    return 1 if stale or lacking or faults or len(codes) < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
