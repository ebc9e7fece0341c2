#!/usr/bin/env python3
"""gpusight verify on texts that others wrote about a trace of synth: prose, tables of profilers,
JSON of other tools. Each figure is marked here by hand: {+right+}, {-wrong-}, and what is no figure
stands unmarked.

    verify_words.py --gpusight build/src/cli/gpusight
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

# The right values are those of `synth demo`, as its own truth and SQL over its rows have them; see
# the other tests for that. A wrong figure must not be confirmed, a right one must not be contradicted.
TEXTS = {
    "person.md": """# Why training is slow

The GPU is busy {+81.6 %+} of the time and idle {+18.4 %+}.
Copies take {+282 ms+} in total; compute takes {+213 ms+} of the {+607 ms+} window.
gemm_tile takes {+145 ms+} in {+120 calls+}, {+67.8 %+} of the kernel time, {+1.21 ms+} on average.
Host-to-device copies reach {+9.17 GB/s+} and move {+1.91 GiB+} in {+61 copies+}.
There are {+1,800 kernel launches+}. hipMalloc was called {+62 times+}.
The softmax_rows kernel runs {+60 times+}, mean {+241 µs+}.
""",
    "person_wrong.md": """# Why training is slow

The GPU is busy {-57 %-} of the time and idle {-43 %-}.
Copies take {-482 ms-} in total; compute takes {-113 ms-} of the {-807 ms-} window.
gemm_tile takes {-245 ms-} in {-130 calls-}, {-57.8 %-} of the kernel time, {-2.21 ms-} on average.
Host-to-device copies reach {-19.2 GB/s-} and move {-2.91 GiB-} in {-62 copies-}.
There are {-1,900 kernel launches-}. hipMalloc was called {-70 times-}.
The softmax_rows kernel runs {-61 times-}, mean {-341 µs-}.
""",
    "mixed_up.txt": """gemm_tile takes {-36.5 ms-} and attention_fwd takes {-145 ms-}.
""",
    "no_figures.txt": """We ran ROCm 7.1.2 on an MI300X (gfx942) on 2026-11-15 at 12:30:05, commit 3fa9c21, see issue 14,
run 3 of the script. Step 2 of the plan is next. The first 3 findings matter.
""",
    "nsys.txt": """ ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):

 Time (%)  Instances  Name
 --------  ---------  ---------------------------
     {+67.8+}        {+120+}  gemm_tile<half, 256, 128>
     {+17.1+}         {+60+}  attention_fwd<half, 64>
      {-9.8-}         {-75-}  softmax_rows<float, 64>
""",
    "rich.txt": """Top Kernels
│ Kernel          │ Calls │ % GPU │
│ gemm_tile       │ {+120+}   │ {+67.8+}  │
│ optimizer_step  │ {-61-}    │ {-9.3-}   │
""",
    "rival.json": """{"profile_span_s": {+0.607258587+}, "mpi_present": false, "gpu_memcpy_s": {-0.38185725-},
 "top_kernels": [{"name": "optimizer_step(float*, float const*, float*, int)", "calls": {+60+}, "pct_of_gpu_time": {-7.1-}}]}
""",
    "page.html": """<html><body><h1>Run</h1><p>The GPU is idle <b>{+18.4&nbsp;%+}</b> of the time.</p>
<table><tr><th>Kernel</th><th>Calls</th></tr><tr><td>gemm_tile</td><td>{+120+}</td></tr><tr><td>layer_norm</td><td>{-90-}</td></tr></table>
<script>var x = 12345.5;</script></body></html>
""",
    "ranges.md": """Each gemm_tile call takes {+0.78+}-{+1.68 ms+}, that is between {+780+} and {+1680 us+}.
gemm_tile calls range from {+0.78 ms+} to {+1.68 ms+}, attention_fwd from {+582+} – {+640 µs+}.
A gemm_tile call takes {-0.98-} to {-2.68 ms-}.
""",
    "units.md": """gemm_tile takes {+1.448e8 ns+} in total, that is {+144.8 ms+} or {+0.145 s+}, or {+144,828 us+}.
The GPU sits idle for {+112 milliseconds+}, {+18.4 percent+} of the time. About {+80 %+} of the run the GPU is busy (~{+495 ms+} of ~{+0.6 s+}).
Host waits take {+476 ms+}, or {+78%+} of the window. There are {+1.8k+} kernel launches.
""",
    "units_wrong.md": """gemm_tile takes {-1.948e8 ns-} in total, that is {-194.8 ms-} or {-194,828 us-}.
The GPU sits idle for {-212 milliseconds-}, {-28.4 percent-} of the time. About {-60 %-} of the run the GPU is busy (~{-395 ms-} of ~{-0.8 s-}).
Host waits take {-576 ms-}, or {-58%-} of the window. There are {-2.8k-} kernel launches.
""",
    "pairs.md": """gemm_tile takes longer than attention_fwd ({+145 ms+} vs {+36.5 ms+}).
gemm_tile takes longer than attention_fwd ({-36.5 ms-} vs {-145 ms-}).
""",
    "nsys.csv": """Time (%),Total Time (ns),Instances,Avg (ns),Min (ns),Max (ns),StdDev (ns),Name
{+67.8+},{+144827730+},{+120+},{+1206897.8+},{+780188+},{+1679920+},{+395725.5+},"void gemm_tile<half, 256, 128>(half const*, half const*, half*, int, int, int)"
{-27.1-},{-46458629-},{-61-},{-707643.8-},{-591979-},{-649826-},{-16883.9-},"void attention_fwd<half, 64>(half const*, half const*, half const*, half*, int)"
""",
    "kernel_stats.csv": """"Name","Calls","TotalDurationNs","AverageNs","Percentage","MinNs","MaxNs","StdDev"
"void gemm_tile<half, 256, 128>(half const*, half const*, half*, int, int, int)",{+120+},{+144827730+},{+1206897.75+},{+67.836241+},{+780188+},{+1679920+},{+395725.496728+}
"void attention_fwd<half, 64>(half const*, half const*, half const*, half*, int)",{-66-},{-37458629-},{-617643.8-},{-27.07-},{-591979-},{-649826-},{-16883.9-}
""",
    "hypothesis.txt": """Evidence: gpu_utilization_pct = {+81.6+}, profile_span_s = {+0.607+}, gpu_kernel_s = {+0.213+}, gpu_memcpy_s = {+0.282+}.
Top kernel gemm_tile: {+120 calls+}, total_s {+0.145+}, avg_us {+1206.9+}, {+67.8%+} of GPU kernel time.
memcpy H2D: {+61 transfers+}, {+0.223 s+}, effective {+9.17 GB/s+}.
Top kernel gemm_tile: {-130 calls-}, total_s {-0.245-}, avg_us {-2206.9-}, gpu_utilization_pct = {-71.3-}.
""",
    "directions.txt": """H2D: {+61 copies+}, {+223.3 ms+}; D2H: {+61 copies+}, {+58.6 ms+}.
HtoD: {-59.9 ms-}, DtoH: {-223.3 ms-}.
The data transfer rate from host to device is {+9.2 GB/s+}.
""",
}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--gpusight", required=True)
    program = os.path.abspath(p.parse_args().gpusight)
    failures = 0
    right = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "demo.db")
        subprocess.run([program, "synth", "demo", "-o", trace], check=True, capture_output=True)
        for name, marked in TEXTS.items():
            spans, text = [], ""
            for part in re.split(r"(\{\+.*?\+\}|\{-.*?-\})", marked):
                m = re.fullmatch(r"\{([+-])(.*)[+-]\}", part)
                body = m.group(2) if m else part
                if m:
                    spans.append((m.group(1), len(text.encode()), len((text + body).encode()), body))
                text += body
            path = os.path.join(folder, name)
            with open(path, "w") as f:
                f.write(text)
            r = subprocess.run([program, "verify", "--json", path, trace], capture_output=True, text=True)
            if r.returncode not in (0, 1):
                print(f"not ok - {name}: exit {r.returncode}: {r.stderr}")
                failures += 1
                continue
            doc = json.loads(r.stdout)
            seen = [False] * len(spans)
            for f in doc["figures"]:
                hits = [i for i, s in enumerate(spans) if f["offset"] < s[2] and f["offset"] + f["length"] > s[1]]
                if not hits:
                    print(f"not ok - {name}: '{f['figure']}' is no figure: {f}")
                    failures += 1
                    continue
                sign = spans[hits[0]][0]
                seen[hits[0]] = True
                if (sign == "+") != (f["verdict"] == "confirmed"):
                    print(f"not ok - {name}: '{f['figure']}' is {f['verdict']}: {f['fact']} {f['value']}")
                    failures += 1
                right, wrong = right + (sign == "+"), wrong + (sign == "-")
            for s, known in zip(spans, seen):
                if not known:
                    print(f"not ok - {name}: '{s[3]}' was passed over")
                    failures += 1
            wants = 1 if doc["contradicted"] else 0
            if r.returncode != wants:
                print(f"not ok - {name}: exit {r.returncode} with {doc['contradicted']} contradicted")
                failures += 1
    print(f"{right} right and {wrong} wrong figures, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
