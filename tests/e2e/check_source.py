#!/usr/bin/env python3
"""The source scan on projects that are made up here, so that every fact in them is known.

    check_source.py --gpusight PROGRAM [--seed N] [--projects N]

Each project has C++, Fortran and Python files. Statements that count are written together with
what must be found: kind, name, function, line, loop depth. Between them stand decoys in comments,
strings and disabled code. What is found must be exactly what was written: nothing more, nothing less.
Then: threads change nothing, odd files are said, and lines reach the findings of a trace.
"""
import argparse
import json
import os
import random
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True  # leave no files in the tree
sys.path.insert(0, os.path.join(ROOT, "tests", "rules"))
sys.path.insert(0, os.path.join(ROOT, "tests", "tools"))
import profilers  # noqa: E402
from tell import breaches  # noqa: E402
CALLS = [("sync", "hipDeviceSynchronize", "()"), ("sync", "cudaStreamSynchronize", "(s)"),
         ("copy", "hipMemcpy", "(a, b, n, hipMemcpyDeviceToHost)"), ("copy", "cudaMemcpyAsync", "(a, b, n, k, s)"),
         ("alloc", "hipMalloc", "(&p, n * sizeof(float))"), ("free", "cudaFree", "(p)"),
         ("stream", "hipStreamCreate", "(&s)"), ("graph", "hipGraphLaunch", "(g, s)"),
         ("library", "rocblas_dgemm", "(h, n)"), ("library", "cublasSgemm_v2", "(h, n)"),
         ("collective", "ncclAllReduce", "(a, b)"), ("marker", "roctxRangePush", '("step // one")'),
         ("mpi", "MPI_Allreduce", "(a, b)"), ("memset", "hipMemset", "(p, 0, n)"), ("event", "hipEventRecord", "(e, s)")]
C_DECOYS = ["// hipDeviceSynchronize();", "/* hipMalloc(&p, n);", 'log("hipFree(p); k<<<1, 1>>>(p); // x");',
            'auto r = R"d(hipDeviceSynchronize(); )" hipFree(p);)d";', "char c = '\\''; int big = 1'000'000;",
            "#if 0\nhipDeviceSynchronize();\n__global__ void dead() { }\n#endif", "runtime.hipMalloc(p, n);",
            'const char *u = "http://x"; // hipFree(p)', "std::cout << a << b;", "x = a->hipFree(p) ? y : z;",
            "hipDeviceSynchronize;", "// ends with a backslash \\\nhipFree(p);"]
PY_DECOYS = ["# torch.cuda.synchronize()", "x = n // 2", "s = 'torch.cuda.synchronize()'", 's = f"{a[\'x.item()\']} {{"',
             '"""\ntorch.cuda.synchronize()\n"""', "queue.synchronize()", "t = r'\\'; u = \"x.cuda()\""]
F_DECOYS = ["! call hipDeviceSynchronize()", "print *, 'it''s hipFree(p)', \"hipMalloc(q)\"", "x = y ! hipFree(p)",
            "#if 0\ni = hipFree(p)\n#endif"]


class Writer:
    """Text, and what must be found in it."""

    def __init__(self, rng):
        self.rng, self.lines, self.facts = rng, [], []

    def put(self, text):
        self.lines += text.split("\n")

    def fact(self, kind, name, function, depth, text, line=0):
        self.facts.append((len(self.lines) + 1 + line, kind, name, function, depth))
        self.put(text)


def c_block(w, function, depth, indent, budget, kernels):
    pad = "    " * indent
    for _ in range(w.rng.randint(1, 5)):
        what = w.rng.random()
        if what < 0.25:
            decoy = w.rng.choice(C_DECOYS)
            w.put(decoy if decoy.startswith("#") else pad + decoy + (" */" if decoy.startswith("/*") else ""))
        elif what < 0.6:
            kind, name, args = w.rng.choice(CALLS)
            form = w.rng.choice(["%s;", "CHECK(%s);", "auto e = %s;", "if (x) return %s;", "x ? %s : 0;"])
            w.fact(kind, name, function, depth, pad + form % (name + args))
        elif what < 0.75 and kernels:
            k = w.rng.choice(kernels)
            form = w.rng.choice(["%s<<<n / 256, 256>>>(p);", "%s<float, A<B<int>>><<<dim3(n >> 8), 256, 0, s>>>(p, n);",
                                 "hipLaunchKernelGGL(%s, dim3(1), dim3(64), 0, s, p);",
                                 "hipLaunchKernelGGL((ns::%s<int, 4>),\n" + pad + "    dim3(1, 2), 64, 0, 0, p);"])
            w.fact("launch", k, function, depth, pad + form % k)
        elif budget:
            open_close = w.rng.choice([("for (int i = 0; i < n; i++) {", "}", 1), ("while (go(i)) {", "}", 1),
                                       ("do {", "} while (go());", 1), ("for (auto &x : all()) {", "}", 1),
                                       ("if (a < b) {", "} else { }", 0), ("{", "}", 0), ("switch (x) { case 1:", "}", 0),
                                       ("#ifdef SOMETHING\nfor (;;) {\n#else\nwhile (1) {\n#endif", "}", 1)])
            w.put((pad if open_close[0][0] != "#" else "") + open_close[0])
            c_block(w, function, depth + open_close[2], indent + 1, budget - 1, kernels)
            w.put(pad + open_close[1])
        else:
            kind, name, args = w.rng.choice(CALLS)
            w.fact(kind, name, function, depth + 1, pad + "for (int i = 0; i < n; i++) if (y) " + name + args + ";")
            w.put(pad + "z();")


def c_file(rng, number):
    w, kernels = Writer(rng), []
    w.put("#include <hip/hip_runtime.h>\n#define CHECK(x) do { if (x) abort(); } while (0)\n"
          "hipError_t hipMalloc(void **p, size_t n);\nnamespace ns {")
    for k in range(rng.randint(1, 4)):
        name = "kernel_%d_%d" % (number, k)
        head = rng.choice(["__global__ void %s(float *p)", "template <typename T, int N = (2 > 1)>\n__global__ void %s(T *p, int n)",
                           "__global__ void __launch_bounds__(256, 2) %s(float *p)",
                           'extern "C" __global__ __attribute__((amdgpu_waves_per_eu(2))) void\n%s(float *p)'])
        w.put("__global__ void %s(float *);" % name if rng.random() < 0.3 else "")
        w.fact("kernel", name, None, 0, head % name + "\n{\n    for (int i = 0; i < 4; i++) p[i] = 1;\n}", head.count("\n"))
        kernels.append(name)
    w.put("}")
    for f in range(rng.randint(1, 5)):
        name = "function_%d" % f
        head = rng.choice([("static int %s(int n, float *p = nullptr)", name), ("void Grid::%s() const noexcept", "Grid::" + name),
                           ("template <class T>\nauto %s(T x) -> decltype(x + 1)", name), ("EXPORT(api) int %s()", name)])
        w.put(head[0] % name + "\n{")
        c_block(w, head[1], 0, 1, 3, kernels)
        w.put("}")
    w.put("class Solver : public Base {\npublic:\n    Solver(int n) : n_(n), m_{2}\n    {")
    c_block(w, "Solver", 0, 2, 2, kernels)
    w.put("    }\nprivate:\n    int n_, m_;\n};")
    return w


def python_file(rng, number):
    w = Writer(rng)
    w.put("import torch\nimport triton\nimport torch.distributed as dist\nfrom torch.cuda import nvtx, synchronize as wait\n")
    w.put("@triton.jit")
    w.fact("kernel", "py_kernel_%d" % number, None, 0, "def py_kernel_%d(x, y):" % number)
    w.put("    pass\n")

    def block(function, depth, indent, budget):
        pad = "    " * indent
        w.put(pad + "pass")
        for _ in range(rng.randint(1, 5)):
            what = rng.random()
            if what < 0.3:
                w.put("\n".join(pad + l if not l.startswith("torch") and l != '"""' or i == 0 else l
                                for i, l in enumerate(rng.choice(PY_DECOYS).split("\n"))))
            elif what < 0.75:
                kind, name, text = rng.choice([
                    ("sync", "torch.cuda.synchronize", "torch.cuda.synchronize()"), ("sync", "torch.cuda.synchronize", "wait()"),
                    ("sync", "item", "loss = y.sum().item()"), ("framework", "to", "x = x.to('cuda:0')"),
                    ("collective", "torch.distributed.all_reduce", "dist.all_reduce(x,\n  async_op=True)"),
                    ("marker", "torch.cuda.nvtx.range_push", "nvtx.range_push('a')"),
                    ("launch", "py_kernel_%d" % number, "py_kernel_%d[(n // 4,)](x)" % number)])
                w.fact(kind, name, function, depth, pad + text)
            elif budget:
                head, more = rng.choice([("for i in range(n):", 1), ("while go(i):", 1), ("if x:", 0), ("with y as z:", 0)])
                w.put(pad + head)
                block(function, depth + more, indent + 1, budget - 1)
            else:
                w.fact("sync", "item", function, depth + 1, pad + "v = [z.item() for z in y]")

    for f in range(rng.randint(1, 4)):
        w.put("def function_%d(n):" % f)
        block("function_%d" % f, 0, 1, 3)
    block(None, 0, 0, 2)
    return w


def fortran_file(rng, number):
    w = Writer(rng)
    w.put("module m%d\ninterface\n  function hipMalloc(p) bind(c)\n  end function\nend interface\ncontains" % number)

    def block(function, depth, budget):
        for _ in range(rng.randint(1, 5)):
            what = rng.random()
            if what < 0.3:
                w.put(rng.choice(F_DECOYS))
            elif what < 0.75:
                kind, name, text = rng.choice([
                    ("sync", "hipDeviceSynchronize", "call hipCheck(hipDeviceSynchronize())"),
                    ("copy", "hipMemcpy", "ierr = HIPMEMCPY(a, &\n  & b)"), ("mpi", "MPI_Allreduce", "call mpi_allreduce(a, b)"),
                    ("launch", "fk", "call fk<<<n / 256, 256>>>(a)")])
                w.fact(kind, name, function, depth, text)
            elif what < 0.85:
                line = len(w.lines) + 1
                w.fact("launch", "%s_l%d" % (function, line), function, depth,
                       "!$omp target teams distribute &\n!$omp& parallel do map(to: a)")
                w.put("do i = 1, n\nend do\n!$omp end target teams distribute parallel do")
            elif budget:
                head, end = rng.choice([("do i = 1, n", "end do"), ("outer: do while (x < 2)", "enddo outer")])
                w.put(head)
                block(function, depth + 1, budget - 1)
                w.put(end)

    w.fact("kernel", "fk", None, 0, "attributes(global) subroutine fk(a)")
    w.put("end subroutine")
    for f in range(rng.randint(1, 4)):
        w.put("subroutine routine_%d(n)" % f)
        block("routine_%d" % f, 0, 3)
        w.put("end subroutine routine_%d" % f)
    w.put("end module")
    return w


# What we promise of each document; of rocinsight's also what it promises, written down by hand.
SCHEMAS = {"gpusight": ["schema/analysis.schema.json"],
           "rocinsight": ["schema/rocinsight-0.4.0.schema.json", "tests/tools/rocinsight-0.4.0.json"]}


def conforms(document, schema):
    found = breaches(json.loads(document), schema)
    assert not found, found


def scan(program, *args):
    done = subprocess.run([program, "analyze", "--json"] + list(args), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit("%s: %s" % (args, done.stderr.decode()))
    return done.stdout, done.stderr.decode()


def check_project(program, seed, folder):
    rng, expected = random.Random(seed), {}
    for number in range(rng.randint(2, 6)):
        make, name = rng.choice([(c_file, "src/file_%d.cpp"), (python_file, "py/file_%d.py"), (fortran_file, "f/file_%d.f90")])
        w, path = make(rng, number), name % number
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        with open(os.path.join(folder, path), "w") as f:
            f.write("\n".join(w.lines) + "\n")
        expected[path] = w.facts
    out, _ = scan(program, "--source-dir", folder, "--threads", "1")
    if scan(program, "--source-dir", folder, "--threads", "4")[0] != out:
        sys.exit("seed %d: the number of threads shows in the result" % seed)
    facts = json.loads(out)["tier0"]["facts"]
    for path, wanted in expected.items():
        found = sorted((f["line"], f["kind"], f["name"], f["function"] or "", f["loop_depth"]) for f in facts if f["file"] == path)
        wanted = sorted((a, b, c, d or "", e) for a, b, c, d, e in wanted)
        for f in wanted:
            if f not in found:
                sys.exit("seed %d, %s: not found: %s" % (seed, path, f))
        if found != wanted:
            extra = list(found)
            for f in wanted:
                extra.remove(f)
            sys.exit("seed %d, %s: found and not there: %s" % (seed, path, extra))
    return sum(len(v) for v in expected.values())


def check_odd_files(program, folder):
    def put(path, data):
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        with open(os.path.join(folder, path), "wb") as f:
            f.write(data)
    call = b"void f() { hipFree(p); }\n"
    for path in ["a.cpp", "skip/b.cpp", "sub/keep.gen.cpp", "sub/c.gen.cpp", "build/d.cpp", ".hidden/e.cpp", "notes.txt"]:
        put(path, call)
    put("binary.cpp", b"\0\1\2" + call)
    put("huge.cpp", call * (17 << 20 >> 4))
    put(".gitignore", b"/skip/\n*.gen.cpp\n!keep.gen.cpp\n")
    os.symlink(".", os.path.join(folder, "loop"))
    os.symlink("a.cpp", os.path.join(folder, "same.cpp"))
    os.symlink("nowhere.cpp", os.path.join(folder, "broken.cpp"))
    os.symlink("self", os.path.join(folder, "self"))
    os.mkfifo(os.path.join(folder, "pipe.cpp"))
    out, err = scan(program, "--source-dir", folder)
    t = json.loads(out)["tier0"]
    assert [f["path"] for f in t["files"]] == ["a.cpp", "sub/keep.gen.cpp"], t["files"]
    assert {(s["path"], s["reason"]) for s in t["skipped"]} == {
        ("binary.cpp", "binary"), ("huge.cpp", "larger than 16 MiB"), ("broken.cpp", "a link that leads nowhere"),
        ("self", "a link that leads to itself"), ("pipe.cpp", "no regular file")}, t["skipped"]
    assert "binary.cpp" in err and "huge.cpp" in err, err


def check_with_trace(program, folder):
    db, src = os.path.join(folder, "demo.db"), os.path.join(folder, "src")
    subprocess.run([program, "synth", "demo", "-o", db], check=True, stderr=subprocess.DEVNULL)
    os.makedirs(src)
    with open(os.path.join(src, "step.cpp"), "w") as f:
        f.write("template <class T, int N, int M>\n__global__ void gemm_tile(const T *a)\n{\n}\n"
                "void step()\n{\n    for (int i = 0; i < 9; i++) {\n        gemm_tile<half, 256, 128><<<32, 256>>>(a);\n"
                "        hipMemcpy(a, b, n, hipMemcpyHostToDevice);\n        hipMalloc(&p, n);\n        hipFree(p);\n    }\n}\n")
    for profile in ("gpusight", "rocinsight"):
        out, _ = scan(program, "--source-dir", src, "--json-profile", profile, db)
        for schema in SCHEMAS[profile]:
            conforms(out, schema)
        document = json.loads(out)
        assert document["tier0"]["kernel_count"] == 1
        assert document["profiling_info"]["profiling_mode"] != "source_only"
    document = json.loads(scan(program, "--source-dir", src, db)[0])
    link = document["tier0"]["kernel_links"][0]
    assert (link["definition"], link["launch"], link["loop_launches"]) == ("step.cpp:2", "step.cpp:8", 1), link
    evidence = {r["rule"]: " | ".join(e["text"] for e in r["evidence"]) for r in document["recommendations"]}
    assert "hipMemcpy in loop, step.cpp:9, costs" in evidence["overlap-missing"], evidence
    assert "step.cpp:10" in evidence["allocation-churn"], evidence
    assert "gemm_tile<half, 256, 128> is defined at step.cpp:2, launched at step.cpp:8 (in loop)" in evidence["dominant-kernel"], evidence
    for form, part in (("html", b'id="source"'), ("markdown", b"## Source"), ("text", b"Hot kernels in the source")):
        page = subprocess.run([program, "analyze", "--source-dir", src, "--format", form, db], stdout=subprocess.PIPE, check=True).stdout
        assert part in page and b"step.cpp:8" in page, form
    plain = json.loads(scan(program, db)[0])
    assert plain["tier0"] is None
    for key in ("ledger", "hotspots", "verdict"):
        assert plain[key] == document[key], key


def check_commands(program, folder):
    """Every capture that is advised is a command its tool takes."""
    code = {"hip.cpp": "#include <rocblas.h>\n__global__ void k() { }\nvoid f() { for (;;) { k<<<1, 2>>>(); hipMalloc(&p, 4); hipMemcpy(a, b, 4, d); "
                       "hipMallocManaged(&q, 4); rocblas_sgemm(h); ncclAllReduce(a); hipDeviceSynchronize(); } }\n",
            "cuda.cu": "#include <cublas_v2.h>\n__global__ void k() { }\nvoid f() { for (;;) { k<<<1, 2>>>(); cudaMalloc(&p, 4); cudaMemcpy(a, b, 4, d); "
                       "cudaMallocManaged(&q, 4); cublasSgemm(h); ncclAllReduce(a); cudaDeviceSynchronize(); } }\n",
            "torch.py": "import torch\nfor i in x:\n  torch.cuda.synchronize()\n", "none.c": "int x;\n"}
    for name, text in code.items():
        alone = os.path.join(folder, "commands " + name)
        os.makedirs(alone)
        with open(os.path.join(alone, name), "w") as f:
            f.write(text)
        advice = json.loads(scan(program, "--source-dir", alone)[0])["recommendations"]
        commands = [c["full_command"] for a in advice for c in a["commands"]]
        assert commands, name
        for command in commands:
            _, options, _ = profilers.parse(shlex.split(command))  # raises what is wrong
            for option, values in options:
                if option == "--pmc":
                    assert not list(profilers.pass_faults(values, "gfx942")), command


def check_alone(program, folder):
    with open(os.path.join(folder, "a.cu"), "w") as f:
        f.write("__global__ void k() { }\nvoid f() { while (x) { k<<<1, 2>>>(); cudaDeviceSynchronize(); } }\n")
    for profile, version in (("gpusight", "1.0.0"), ("rocinsight", "0.2.0")):
        out, _ = scan(program, "--source-dir", folder, "--json-profile", profile)
        for schema in SCHEMAS[profile]:
            conforms(out, schema)
        d = json.loads(out)
        assert d["schema_version"] == version and d["execution_breakdown"] is None and d["hotspots"] == []
        assert d["profiling_info"]["profiling_mode"] == "source_only" and d["profiling_info"]["analysis_tier"] == 0
        assert d["summary"]["primary_bottleneck"] == "unknown" and d["metadata"]["database_file"] is None
        t = d["tier0"]
        assert t["programming_model"] == "CUDA" and t["kernel_count"] == 1, t
        assert {p["pattern_id"] for p in t["detected_patterns"]} == {
            "DEVICE_SYNC", "LOOP_DEVICE_SYNC", "NO_STREAMS", "GLOBAL_KERNEL_DEF", "TRIPLE_ANGLE_LAUNCH"}, t["detected_patterns"]
        assert t["suggested_first_command"].startswith("nsys profile"), t["suggested_first_command"]
    check_forms(program, folder, json.loads(scan(program, "--source-dir", folder)[0]))


def check_forms(program, folder, document):
    """A scan alone as a page and as PDF: the page holds the document, both hold its findings."""
    def form(name):
        return subprocess.run([program, "analyze", "--source-dir", folder, "--format", name], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
    page = form("html").stdout.decode()
    inside = page.split('<script type="application/json" id="analysis">')[1].split("</script>")[0]
    assert json.loads(inside) == document
    assert page.count("<script") == 2 and "while (x)" not in page
    for text in document["summary"]["key_findings"]:
        assert text in page, text
    pdf = form("pdf")
    assert b"built without" in pdf.stderr or pdf.stdout.startswith(b"%PDF-"), pdf.stderr


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--gpusight", required=True)
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--projects", type=int, default=40)
    args = args.parse_args()
    facts = 0
    for seed in range(args.seed, args.seed + args.projects):
        with tempfile.TemporaryDirectory() as folder:
            facts += check_project(args.gpusight, seed, folder)
    for check in (check_odd_files, check_with_trace, check_alone, check_commands):
        with tempfile.TemporaryDirectory() as folder:
            check(args.gpusight, folder)
    print("%d projects, %d facts, all found, none too many" % (args.projects, facts))


main()
