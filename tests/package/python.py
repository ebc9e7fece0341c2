#!/usr/bin/env python3
"""The wheel, its stubs, the modules for those who come from rocinsight and rocpd, the notebook.

    python.py --gpusight PROGRAM --library LIBRARY [--clean]

The wheel is made twice and installed, without a network, into a virtual environment that sees
nothing else of ours; everything below runs there. --clean also takes the wheel of `make wheel` into a new
root (needs root, mmdebstrap and Debian's archive), uses it on the demo, and removes it.
"""
import argparse
import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import roots  # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
import tell  # noqa: E402
from tell import check, ROOT  # noqa: E402

PYTHON = os.path.join(ROOT, "python")


# ---- stubs


def signatures(path):
    """{function or Class.method: names of its parameters}, of what is public."""
    found = {}
    with open(path, encoding="utf-8") as f:
        tree = ast.parse(f.read(), path)
    for node in tree.body:
        inside = node.body if isinstance(node, ast.ClassDef) else [node]
        for f in inside:
            if isinstance(f, ast.FunctionDef) and not f.name.startswith("_"):
                a = f.args
                name = f.name if f is node else f"{node.name}.{f.name}"
                found[name] = [x.arg for x in a.posonlyargs + a.args + a.kwonlyargs]
    return found


def check_stubs():
    for module, files in (("rocinsight", ["rocinsight.py"]), ("rocpd", ["rocpd.py"]),
                          ("__init__", ["_run.py", "_table.py"])):
        stub = signatures(os.path.join(PYTHON, "gpusight", module + ".pyi"))
        real = {}
        for name in files:
            real.update(signatures(os.path.join(PYTHON, "gpusight", name)))
        wrong = [f"{n}{a}" for n, a in stub.items() if n in real and real[n] != a]
        check(f"{module}.pyi has the parameters of the code", not wrong and len(stub) > 4, wrong)
        public = [n for n in real if not n.startswith("_")]
        check(f"{module}.pyi is whole", set(n for n in public if "." not in n) <= set(stub),
              set(public) - set(stub))


TYPED = """import gpusight
from gpusight import rocinsight, rocpd
run = gpusight.open("x.db", window="1%..2%", progress=False)
kernels: gpusight.Table = run.kernels
column: gpusight.Column = kernels["duration_ns"]
titles = [str(row["title"]) for row in run.findings]
page: str = run.render("html")
paper: bytes = run.render("pdf")
verdict: str = gpusight.compare(run, ["b.db", "c.db"]).verdict
stalls: gpusight.Table = run.thread_trace_kernels
result: rocinsight.AnalysisResult = rocinsight.analyze_database("x.db")
rocpd.connect("x.db").execute("select 1").fetchall()
WRONG
"""


def check_types(folder):
    """What mypy makes of the stubs, where it is installed."""
    python = next((p for p in (sys.executable, "/usr/bin/python3") if not subprocess.run(
        [p, "-c", "import mypy"], capture_output=True).returncode), None)
    if not python:
        print("skipped - types: no mypy")
        return
    for wrong in ("", "number: int = run.render()", "gpusight.opne('x')", "run.render('pdf').encode()"):
        path = os.path.join(folder, "typed.py")
        with open(path, "w", encoding="ascii") as f:
            f.write(TYPED.replace("WRONG", wrong))
        done = subprocess.run([python, "-m", "mypy", "--strict", "--cache-dir", os.path.join(folder, "mypy"), path],
                              capture_output=True, text=True, env=dict(os.environ, MYPYPATH=PYTHON))
        found = done.stdout.count("error:")
        check(f"mypy on {wrong or 'what is right'}", found == bool(wrong), done.stdout + done.stderr)


# ---- the wheel


def check_wheel(o, folder):
    made = []
    for name in ("a", "b"):
        done = subprocess.run([sys.executable, os.path.join(PYTHON, "backend.py"), "--library", o.library,
                               "-o", os.path.join(folder, name)], check=True, capture_output=True, text=True)
        made.append(done.stdout.strip())
    with open(made[0], "rb") as a, open(made[1], "rb") as b:
        check("two wheels are the same bytes", a.read() == b.read())
    return made[0]


def install(wheel, folder):
    home = os.path.join(folder, "venv")
    venv.create(home, with_pip=False, symlinks=True)
    python = os.path.join(home, "bin", "python")
    done = subprocess.run([sys.executable, "-m", "pip", "--python", python, "install", "--no-index",
                           "--no-deps", "--quiet", "--disable-pip-version-check", wheel],
                          capture_output=True, text=True)
    if done.returncode and "No module named pip" in done.stderr:
        print("no pip here: the wheel is unpacked by hand")
        place = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
                               check=True, capture_output=True, text=True).stdout.strip()
        with zipfile.ZipFile(wheel) as z:
            z.extractall(place)
    else:
        check("pip installs it", done.returncode == 0, done.stderr)
    return python


INSIDE = r'''
import csv, json, os, sys, tempfile
import gpusight
from gpusight import rocinsight as ri, rocpd

program, trace, expected, folder = sys.argv[1:]
expected = json.load(open(expected))
bad = 0
def check(what, good, why=""):
    global bad
    bad += not good
    print(f"{'ok' if good else 'not ok'} - {what}{'' if good else ': ' + str(why)}")
def raises(kind, f):
    try:
        f()
    except kind as e:
        return type(e) is kind
    return False

check("it is the installed one", "venv" in gpusight.__file__, gpusight.__file__)

# rocinsight
r = ri.analyze_database(trace)
ours, theirs = json.loads(r.to_json()), expected
for d in (ours, theirs):
    d["metadata"].pop("analysis_timestamp"), d["metadata"].pop("analysis_duration_ms")
check("its document is the program's", ours == theirs)
check("attributes", r.execution_breakdown.kernel_time_ns == theirs["execution_breakdown"]["kernel_time_ns"]
      and r.profiling_info.gpus[0].architecture == theirs["profiling_info"]["gpus"][0]["architecture"])
check("all recommendations", [x.id for x in r.recommendations.high_priority] ==
      [x["id"] for x in theirs["recommendations"] if x["priority"] == "HIGH"])
check("forms", "Findings" in r.to_text() and "# " in r.to_markdown() and "<html" in r.to_webview())
json.dumps(r.to_dict())
out = os.path.join(folder, "r.json")
check("to a file", json.loads(ri.analyze_database_to_json(trace, out)) == json.load(open(out)))
check("never over the trace", raises(ri.AnalysisError, lambda: ri.analyze_database_to_json(trace, trace)))
high = ri.get_recommendations(trace, priority_filter="high")
check("filter by priority", high and all(x.priority == "HIGH" for x in high))
memory = ri.get_recommendations(trace, category_filter="memory")
check("filter by part of a category", memory and all("memory" in x.category.lower() for x in memory))
v = ri.validate_database(trace)
check("validate", v["is_valid"] and v["tier"] == 1 and not v["has_pmc_counters"] and v["error"] is None, v)
junk = os.path.join(folder, "junk.db")
open(junk, "w").write("no trace\n")
check("validate what is none", not ri.validate_database(junk)["is_valid"] and ri.validate_database(junk)["error"])
check("exceptions", raises(ri.DatabaseNotFoundError, lambda: ri.analyze_database(junk + "x")) and
      raises(ri.DatabaseCorruptedError, lambda: ri.analyze_database(junk)) and
      raises(ri.SourceDirectoryNotFoundError, lambda: ri.analyze_source(junk + "x")) and
      issubclass(ri.MissingDataError, ri.AnalysisError) and
      ri.ReferenceGuideNotFoundError("x", ["a"]).attempted_paths == ["a"])
source = os.path.join(folder, "src")
os.mkdir(source)
open(os.path.join(source, "a.cpp"), "w").write(
    "__global__ void k(float *a) { a[0] = 1; }\n"
    "int main() { for (int i = 0; i < 9; i++) { k<<<1, 32>>>(p); hipDeviceSynchronize(); } }\n")
s = ri.analyze_source(source)
check("source", s.kernel_count == 1 and any("SYNC" in x.id for x in s.recommendations), s)
os.environ.pop("ANTHROPIC_API_KEY", None)
os.environ["GPUSIGHT_PROGRAM"] = program
check("no key", raises(ri.LLMAuthenticationError,
                       lambda: ri.analyze_database(trace, enable_llm=True, llm_provider="anthropic")))

# rocpd
before = open(trace, "rb").read()
data = rocpd.connect(trace)
n = data.execute("select count(*) from kernels").fetchone()[0]
check("SQL", n == len(data.run.kernels))
check("parameters", data.execute("select count(*) from kernels where name like ? or name = '?'",
      ("%gemm%",)).fetchone()[0] == len(gpusight.open(trace, kernel="gemm", progress=False).kernels))
check("results of the analysis", data.execute("select count(*) from ledger").fetchone()[0] > 0)
to = os.path.join(folder, "out")
check("pftrace", os.path.getsize(rocpd.write_pftrace(data, output_path=to, output_file="x")) > 1000)
rocpd.write_csv(data, {"output_path": to, "output_file": "x"})
with open(os.path.join(to, "x_kernel_trace.csv"), newline="") as f:
    check("csv", len(list(csv.DictReader(f))) == n)
a, b = data.execute("select min(start), max(end) from kernels").fetchone()
left = rocpd.apply_time_window(data, start=a, end=(a + b) // 2)
check("window", 0 < len(data.run.kernels) < n and left[0] <= left[1], len(data.run.kernels))
rocpd.apply_time_window(data)
check("no window", len(data.run.kernels) == n)
text = rocpd.export_query(data, "select name, count(*) as n from kernels group by name", "json")
check("query", sum(x["n"] for x in json.loads(text)) == n)
sums = rocpd.generate_summaries(data, format="csv", output_path=to)
check("summaries", sum(x["calls"] for x in sums["kernels_summary"]) == n and
      os.path.exists(os.path.join(to, "kernels_summary.csv")))
check("the trace is as it was", open(trace, "rb").read() == before)

# pictures
check("charts", "ledger" in gpusight.charts())
p = gpusight.open(trace, progress=False).plot("timeline", width=600)
check("plot", p._repr_svg_().lstrip().startswith("<svg") and p._repr_png_() is None)
check("no such chart", raises(gpusight.UsageError, lambda: gpusight.open(trace, progress=False).plot("x")))
sys.exit(bad > 0)
'''

NOTEBOOK = r'''
import ast, json, sys
cells = [c for c in json.load(open(sys.argv[1]))["cells"] if c["cell_type"] == "code"]
space = {"__name__": "__main__"}
for i, c in enumerate(cells):
    tree = ast.parse("".join(c["source"]))
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, f"cell {i}", "exec"), space)
    if last:
        value = eval(compile(ast.Expression(last.value), f"cell {i}", "eval"), space)
        for form in ("_repr_html_", "_repr_svg_"):
            if hasattr(value, form):
                shown = getattr(value, form)()
                if "<" not in shown or "src=\"http" in shown:
                    sys.exit(f"cell {i} shows nothing, or wants a network")
assert space["comparison"].verdict in ("same", "not comparable"), space["comparison"].verdict
print(len(cells))
'''


def run_inside(python, o, folder):
    trace = os.path.join(folder, "demo.db")
    subprocess.run([o.gpusight, "synth", "demo", "-o", trace], check=True, capture_output=True)
    expected = os.path.join(folder, "expected.json")
    with open(expected, "w", encoding="utf-8") as f:
        subprocess.run([o.gpusight, "analyze", trace, "--format", "json", "--json-profile", "rocinsight"],
                       stdout=f, check=True)
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "GPUSIGHT_"))}
    done = subprocess.run([python, "-c", INSIDE, os.path.abspath(o.gpusight), trace, expected, folder],
                          env=env, cwd=folder, capture_output=True, text=True)
    print(done.stdout, end="")
    check("everything inside the environment", done.returncode == 0, done.stderr[-800:])
    done = subprocess.run([python, "-c", NOTEBOOK, os.path.join(ROOT, "examples", "tour.ipynb")],
                          env=dict(env, GPUSIGHT_PROGRAM=os.path.abspath(o.gpusight)), cwd=folder,
                          capture_output=True, text=True)
    check("the notebook runs", done.returncode == 0, done.stderr[-800:])


CLEAN = r"""
import gpusight, json
run = gpusight.open("/tmp/demo.db", progress=False)
assert run.to_dict()["ledger"] == json.load(open("/tmp/a.json"))["ledger"]
assert len(run.kernels) == 1800 and "Findings" in run.render()
from gpusight import rocinsight, rocpd
assert rocinsight.validate_database("/tmp/demo.db")["is_valid"]
print("used", gpusight.__file__)
"""


def check_clean(o, folder):
    """The wheel that users make, where there is nothing but Python, pip and the libraries it names."""
    dist, root = os.path.join(folder, "dist"), os.path.join(folder, "root")
    done = subprocess.run([sys.executable, os.path.join(PYTHON, "backend.py"), "-o", dist], capture_output=True, text=True)
    check("make wheel", done.returncode == 0, done.stderr[-500:])
    why = roots.make(root, ["python3", "python3-pip", "libsqlite3-0", "zlib1g", "libzstd1"])
    check("a new root", not why, why)
    for name in os.listdir(dist):
        shutil.copy(os.path.join(dist, name), os.path.join(root, "tmp"))
    subprocess.run([o.gpusight, "synth", "demo", "-o", os.path.join(root, "tmp", "demo.db")], check=True, capture_output=True)
    with open(os.path.join(root, "tmp", "a.json"), "w", encoding="utf-8") as f:
        subprocess.run([o.gpusight, "analyze", os.path.join(root, "tmp", "demo.db"), "--json"], stdout=f, check=True)
    pip = ["python3", "-m", "pip", "--disable-pip-version-check"]
    done = roots.enter(root, *pip, "install", "--no-index", "--break-system-packages", "/tmp/" + os.listdir(dist)[0])
    check("it installs there", done.returncode == 0, done.stderr)
    done = roots.enter(root, "python3", "-c", CLEAN)
    check("and works", done.returncode == 0 and "used /usr/local/" in done.stdout, done.stdout + done.stderr)
    done = roots.enter(root, *pip, "uninstall", "-y", "--break-system-packages", "gpusight")
    left = [f for f in roots.files(root, "gpusight") if not f.startswith("/tmp/")]
    check("and goes", done.returncode == 0 and not left, left or done.stderr)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--gpusight", required=True)
    p.add_argument("--library", required=True)
    p.add_argument("--clean", action="store_true")
    o = p.parse_args()
    check_stubs()
    with open(os.path.join(ROOT, "examples", "tour.ipynb"), encoding="utf-8") as f:
        check("the notebook holds no output", all(not c.get("outputs") for c in json.load(f)["cells"]))
    with tempfile.TemporaryDirectory() as folder:
        check_types(folder)
        wheel = check_wheel(o, folder)
        run_inside(install(wheel, folder), o, folder)
    if o.clean:
        with tempfile.TemporaryDirectory() as folder:
            check_clean(o, folder)
    return tell.failures > 0


if __name__ == "__main__":
    sys.exit(main())
