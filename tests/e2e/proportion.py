#!/usr/bin/env python3
"""Cost in proportion: twice the input, about twice the time, and never more than 200 bytes of memory a byte.

    proportion.py --gpusight PROGRAM [--only WORD] [--scale X] [--verbose]

Every case makes an input with many of one thing (streams, processes, names, markers, rows, files ...) in two
sizes, one four times the other, and runs commands on both. Of each run the peak of memory must be at most
64 MB and 200 bytes for each byte of unpacked input, and the processor time may grow with the input and little
more. What takes hardly any time is not judged by its growth.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

MEMORY_BASE, MEMORY_PER_BYTE = 64 << 20, 200
GROWTH = 2.3 * 2.3  # four times the input
NOISE_S = 0.25      # less is too little to judge
LIMIT_S = 60

CASES = []


def case(n, *commands):
    """Registers a maker: make(folder, n) writes an input and gives its path. %s in a command stands for it."""
    def register(make):
        CASES.append((make.__name__, n, make, commands or (INFO, ANALYZE)))
        return make
    return register


INFO = "info %s"
ANALYZE = "analyze %s"
JSON = "analyze --format json %s -o OUT.json"
HTML = "analyze --format html %s -o OUT.html"
PDF = "analyze --format pdf %s -o OUT.pdf"
XLSX = "report %s -o OUT.xlsx"
MARKDOWN = "analyze --format markdown %s"
PLAN = "plan %s -- ./app"
SUMMARY = "summary %s"
PLOT = "plot %s --chart all -o OUT.svg"
COMPARE = "compare %s %s"
DUMP = "dump %s -t kernels"
ALL = (INFO, JSON, HTML, PDF, XLSX, PLAN, SUMMARY, COMPARE, DUMP)


# ---- Chrome JSON, as the PyTorch profiler writes it ----

class Kineto:
    def __init__(self):
        self.events = []

    def add(self, cat, name, start, length, pid, tid, **args):
        self.events.append(f'{{"ph":"X","cat":"{cat}","name":{json.dumps(name)},"pid":{json.dumps(pid)},'
                           f'"tid":{json.dumps(tid)},"ts":{start},"dur":{length},"args":{json.dumps(args)}}}')

    def kernel(self, i, name="k", device=0, stream=7, **args):
        self.add("kernel", name, 100 + 10 * i, 5, device, stream, device=device, stream=stream, correlation=i + 1,
                 grid=[64, 1, 1], block=[64, 1, 1], **args)

    def call(self, i, name="cudaLaunchKernel", pid=4242, tid=1):
        self.add("cuda_runtime", name, 95 + 10 * i, 3, pid, tid, correlation=i + 1)

    def write(self, folder, properties=""):
        path = os.path.join(folder, "x.json")
        with open(path, "w", encoding="utf-8") as f:
            f.write('{"schemaVersion":1,"deviceProperties":[' + properties + '],"traceEvents":[\n')
            f.write(",\n".join(self.events))
            f.write("\n]}\n")
        return path


@case(10000, *ALL, PLOT, MARKDOWN)
def kineto_plain(folder, n):
    k = Kineto()
    for i in range(n):
        k.call(i)
        k.kernel(i)
    return k.write(folder)


@case(5000, *ALL, PLOT, MARKDOWN)
def kineto_streams(folder, n):
    k = Kineto()
    for i in range(n):
        k.kernel(i, stream=i)
    return k.write(folder)


@case(5000, *ALL, PLOT)
def kineto_threads(folder, n):
    k = Kineto()
    for i in range(n):
        k.call(i, tid=i)
        k.kernel(i)
    return k.write(folder)


@case(3000, *ALL)
def kineto_processes(folder, n):
    k = Kineto()
    for i in range(n):
        k.call(i, pid=1000 + i)
        k.kernel(i)
    return k.write(folder)


@case(1000, INFO, JSON, HTML, PLAN)
def kineto_gpus(folder, n):
    k = Kineto()
    for i in range(n):
        k.kernel(i, device=i)
    return k.write(folder)


@case(5000, *ALL, PLOT, MARKDOWN)
def kineto_names(folder, n):
    k = Kineto()
    for i in range(n):
        k.kernel(i, name=f"void kernel_{i}<float, {i}>(float*, int)")
    return k.write(folder)


@case(100, *ALL, PLOT)
def kineto_long_names(folder, n):
    k = Kineto()
    for i in range(n):
        k.kernel(i, name=f"void k{i}<" + "a::b<int>, " * 500 + "int>()")
    return k.write(folder)


@case(5000, *ALL, PLOT)
def kineto_call_names(folder, n):
    k = Kineto()
    for i in range(n):
        k.call(i, name=f"cudaCall{i}")
        k.kernel(i)
    return k.write(folder)


@case(10000, *ALL, PLOT)
def kineto_deep_markers(folder, n):
    k = Kineto()
    k.kernel(0)
    for i in range(n):
        k.add("user_annotation", f"m{i % 50}", i, 10 * n - 2 * i, 4242, 1)
    return k.write(folder)


@case(5000, *ALL, PLOT)
def kineto_wide_markers(folder, n):
    k = Kineto()
    for i in range(n):
        k.add("user_annotation", f"marker {i}", 100 + 10 * i, 8, 4242, 1)
        k.kernel(i)
    return k.write(folder)


@case(10000, *ALL)
def kineto_overlapping_markers(folder, n):
    k = Kineto()
    k.kernel(0)
    for i in range(n):
        k.add("user_annotation", f"m{i}", i, 10 * n, 4242, i % 7)
    return k.write(folder)


@case(10000, *ALL)
def kineto_overlapping_kernels(folder, n):
    k = Kineto()
    for i in range(n):
        k.add("kernel", f"k{i % 10}", 100 + i, 10 * n, 0, i % 64, device=0, stream=i % 64, correlation=i + 1)
    return k.write(folder)


@case(10000, *ALL)
def kineto_launches(folder, n):
    k = Kineto()
    for i in range(n):
        k.add("kernel", "k", 100 + 10 * i, 5, 0, 7, device=0, stream=7, correlation=i, grid=[i + 1, 1, 1],
              block=[64, 1, 1])
    return k.write(folder)


@case(10000, *ALL)
def kineto_copies(folder, n):
    k = Kineto()
    for i in range(n):
        k.add("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 100 + 10 * i, 5, 0, 7, device=0, stream=7,
              correlation=i, bytes=i * 1000)
    return k.write(folder)


@case(10000, *ALL)
def kineto_one_correlation(folder, n):
    k = Kineto()
    for i in range(n):
        k.add("cuda_runtime", "cudaLaunchKernel", 95 + 10 * i, 3, 4242, 1, correlation=1)
        k.add("kernel", "k", 100 + 10 * i, 5, 0, 7, device=0, stream=7, correlation=1)
    return k.write(folder)


@case(10000, *ALL)
def kineto_same_time(folder, n):
    k = Kineto()
    for i in range(n):
        k.add("cuda_runtime", "cudaLaunchKernel", 100, 3 + i % 5, 4242, 1, correlation=i)
        k.add("kernel", f"k{i % 3}", 100, 5 + i % 7, 0, 7, device=0, stream=7, correlation=i)
    return k.write(folder)


@case(10000, INFO, JSON, HTML)
def kineto_counters(folder, n):
    k = Kineto()
    k.kernel(0)
    for i in range(n):
        k.events.append(f'{{"ph":"C","cat":"x","name":"series {i}","pid":0,"tid":0,"ts":{100 + i},'
                        f'"args":{{"value":{i}}}}}')
    return k.write(folder)


@case(20000, INFO)
def kineto_flows(folder, n):
    k = Kineto()
    k.kernel(0)
    for i in range(n):
        k.events.append(f'{{"ph":"s","id":{i},"cat":"ac2g","name":"ac2g","pid":1,"tid":1,"ts":{i}}}')
    return k.write(folder)


@case(10000, INFO, ANALYZE)
def kineto_half_events(folder, n):
    k = Kineto()
    k.kernel(0)
    for i in range(n):
        k.events.append(f'{{"ph":"B","cat":"user_annotation","name":"m{i}","pid":1,"tid":1,"ts":{i}}}')
    return k.write(folder)


@case(100000, INFO)
def kineto_nested_json(folder, n):
    path = os.path.join(folder, "x.json")
    with open(path, "w", encoding="utf-8") as f:
        f.write('{"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":0,"ts":1,"dur":1,"args":'
                + '{"a":' * n + "1" + "}" * n + "}]}")
    return path


@case(3000, *ALL, PLOT)
def kineto_collectives(folder, n):
    k = Kineto()
    for i in range(n):
        k.kernel(i, name=f"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, {i})")
    return k.write(folder)


# ---- JSON of rocprofv3 ----

@case(5000, INFO)
def rocprofv3_uneven(folder, n):
    """One process with many kernels, and many with one."""
    path = os.path.join(folder, "x.json")

    def process(at, kernels):
        rows = ",".join(f'{{"start_timestamp":{1000 + 10 * i},"end_timestamp":{1005 + 10 * i}}}' for i in range(kernels))
        return f'{{"metadata":{{"pid":{at + 1}}},"buffer_records":{{"kernel_dispatch":[{rows}]}}}}'
    with open(path, "w", encoding="utf-8") as f:
        f.write('{"rocprofiler-sdk-tool":[' + ",".join(process(at, 1 if at else 10 * n) for at in range(n)) + "]}")
    return path


# ---- rocprofv3 CSV ----

KERNEL_HEAD = ('"Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name",'
               '"Correlation_Id","Start_Timestamp","End_Timestamp","LDS_Block_Size","Scratch_Size","VGPR_Count",'
               '"Accum_VGPR_Count","SGPR_Count","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z",'
               '"Grid_Size_X","Grid_Size_Y","Grid_Size_Z"\n')


def kernel_row(i, agent=4, queue=1, stream=1, thread=1, name="k"):
    return (f'"KERNEL_DISPATCH","Agent {agent}",{queue},{stream},{thread},{i},{i},"{name}",{i},'
            f'{1000 + 10 * i},{1005 + 10 * i},0,0,8,0,16,64,1,1,1024,1,1\n')


def kernel_csv(folder, rows):
    path = os.path.join(folder, "1_kernel_trace.csv")
    with open(path, "w", encoding="utf-8") as f:
        f.write(KERNEL_HEAD)
        f.writelines(rows)
    return path


@case(10000, INFO, JSON, HTML, COMPARE)
def csv_kernels(folder, n):
    return kernel_csv(folder, (kernel_row(i, name=f"k{i}") for i in range(n)))


@case(20000, INFO, JSON)
def csv_agents_listed(folder, n):
    with open(os.path.join(folder, "1_agent_info.csv"), "w", encoding="utf-8") as f:
        f.write('"Node_Id","Logical_Node_Id","Agent_Type","Name"\n')
        f.writelines(f'{n - i},{i},"GPU","gfx942"\n' for i in range(n))
    kernel_csv(folder, (kernel_row(i, agent=i + 1) for i in range(10)))
    return folder


@case(5000, INFO, JSON, HTML)
def csv_agents_queues_threads(folder, n):
    return kernel_csv(folder, (kernel_row(i, agent=i, queue=i, stream=i, thread=i) for i in range(n)))


@case(5000, INFO, JSON)
def csv_counters(folder, n):
    path = os.path.join(folder, "1_counter_collection.csv")
    with open(path, "w", encoding="utf-8") as f:
        f.write('"Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Grid_Size",'
                '"Kernel_Id","Kernel_Name","Workgroup_Size","LDS_Block_Size","Scratch_Size","VGPR_Count",'
                '"Accum_VGPR_Count","SGPR_Count","Counter_Name","Counter_Value","Start_Timestamp","End_Timestamp"\n')
        for i in range(n):
            f.write(f'{i},{i},"Agent 1",1,{i % 10},15606,1048576,17,"k{i % 100}",64,0,0,8,0,16,"C{i}",{i},'
                    f'{1000 + 10 * i},{1005 + 10 * i}\n')
    return path


@case(5000, INFO, JSON)
def csv_processes(folder, n):
    path = os.path.join(folder, "1_hip_api_trace.csv")
    with open(path, "w", encoding="utf-8") as f:
        f.write('"Domain","Function","Process_Id","Thread_Id","Correlation_Id","Start_Timestamp","End_Timestamp"\n')
        for i in range(n):
            f.write(f'"HIP_RUNTIME_API_EXT","hipMalloc{i}",{i},{i},{i},{1000 + 10 * i},{1005 + 10 * i}\n')
    return path


@case(5000, INFO, JSON, HTML)
def csv_pc_samples(folder, n):
    kernel_csv(folder, (kernel_row(i) for i in range(10)))
    with open(os.path.join(folder, "1_pc_sampling_stochastic.csv"), "w", encoding="utf-8") as f:
        f.write('"Sample_Timestamp","Exec_Mask","Dispatch_Id","Instruction","Instruction_Comment","Correlation_Id",'
                '"Wave_Issued_Instruction","Instruction_Type","Stall_Reason","Wave_Count"\n')
        for i in range(n):
            f.write(f'{1000 + i},255,{i % 10},"v_add_{i} v1, v2","/src/a{i}.cpp:{i}",{i % 10},0,"TYPE_NO_INST",'
                    f'"REASON_WAITCNT",4\n')
    return folder


@case(500, INFO)
def csv_captures(folder, n):
    for i in range(n):
        with open(os.path.join(folder, f"{i}_kernel_trace.csv"), "w", encoding="utf-8") as f:
            f.write(KERNEL_HEAD + kernel_row(1))
    return folder


@case(20000, INFO)
def csv_columns(folder, n):
    path = os.path.join(folder, "1_kernel_trace.csv")
    with open(path, "w", encoding="utf-8") as f:
        f.write(KERNEL_HEAD.rstrip("\n") + "".join(f",c{i}" for i in range(n)) + "\n")
        f.write(kernel_row(1).rstrip("\n") + "," * n + "\n")
    return path


# ---- OTF2 archives, of which each location is a file and a reader ----

@case(200, INFO, JSON)
def otf2_locations(folder, n):
    path = kineto_streams(folder, n)
    done = subprocess.run([OPTIONS.gpusight, "convert", path, "-f", "otf2", "-o", f"{folder}/made/x.otf2"], check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return path if done.returncode else f"{folder}/made"  # the first in a build without libotf2


# ---- databases and JSON of rocprofv3, by gpusight synth ----

def synth(folder, text, name, *options):
    description = os.path.join(folder, "d.trace")
    with open(description, "w", encoding="utf-8") as f:
        f.write(text)
    path = os.path.join(folder, name)
    subprocess.run([OPTIONS.gpusight, "synth", description, "-o", path, *options], check=True,
                   stderr=subprocess.PIPE)
    os.remove(description)
    return path


FORMATS = {"rocpd": "x.db", "nsys": "x.sqlite", "rocprofv3-json": "x.json"}
KERNEL = 'kernel "k" dur=5us grid=1024 wg=64\n'
TEXTS = {
    "names": 'gpu MI300X\nloop {n} as i {{ kernel "k{{i}}" dur=5us grid=1024 wg=64 }}\n'
             'loop {n} as i {{ launch "k{{i}}" }}\n',
    "streams": 'gpu MI300X\n' + KERNEL + 'loop {n} as i {{ stream "s{{i}}" }}\n'
               'loop {n} as i {{ launch "k" stream="s{{i}}" }}\n',
    "markers": 'gpu MI300X\n' + KERNEL + 'loop {n} as i {{ marker range "m{{i}}" {{ launch "k" }} }}\n',
    "rows": 'gpu MI300X\n' + KERNEL + 'loop {n} as i {{ launch "k" }}\nsync\n',
}


def database_case(format_, what, n, commands):
    def make(folder, n):
        return synth(folder, TEXTS[what].format(n=n), FORMATS[format_], "--format", format_)
    make.__name__ = f"{format_}_{what}".replace("-", "_")
    CASES.append((make.__name__, n, make, commands))


for format_name in FORMATS:
    database_case(format_name, "names", 3000, (INFO, JSON, HTML))
    database_case(format_name, "streams", 3000, (INFO, JSON))
    database_case(format_name, "markers", 3000, (INFO, JSON))
    database_case(format_name, "rows", 10000, (INFO, JSON, XLSX))


@case(250, INFO, JSON, HTML, PLAN, XLSX)
def rocpd_processes(folder, n):
    text = f'process count={n} {{\ngpu MI300X\n{KERNEL}loop 3 {{ launch "k" }}\nsync\n}}\n'
    return synth(folder, text, "x.db", "--merge")


@case(100, INFO, JSON)
def rocpd_files(folder, n):
    return synth(folder, f'process count={n} {{\ngpu MI300X\n{KERNEL}launch "k"\n}}\n', "job/")


@case(50, INFO, JSON)
def rocpd_counters(folder, n):
    lines = "".join(f'counter "C{i}" = {i}\n' for i in range(n))
    return synth(folder, f'gpu MI300X\n{KERNEL}{lines}loop 200 {{ launch "k" }}\nsync\n', "x.db")


# ---- thread traces ----

def att(folder, rows, waves):
    name = "agent_1_dispatch_1"
    ui = os.path.join(folder, "ui_output_" + name)
    os.makedirs(ui)
    with open(os.path.join(folder, f"stats_ui_output_{name}.csv"), "w", encoding="utf-8") as f:
        f.write("CodeObj,Vaddr,Instruction,Hitcount,Latency,Stall,Idle,Source\n")
        for i in range(rows):
            text = f"s_cbranch_scc1 {i % 60000}" if i % 10 == 9 else "s_waitcnt vmcnt(0)" if i % 10 == 5 else "v_add v1"
            f.write(f'1,{4096 + 8 * i},"{text}",4,{100 + i % 50},{i % 90},1,"/src/a.cpp:{i % 2000}"\n')
    code = [[f"v_add v{i}", 0, i, f"/src/a.cpp:{i % 2000}", 1, 4096 + 8 * i, 4, 100, 50, 1] for i in range(rows)]
    with open(os.path.join(ui, "code.json"), "w", encoding="utf-8") as f:
        json.dump({"code": code, "version": "3.0.0"}, f)
    for w in range(waves):
        with open(os.path.join(ui, f"se{w % 4}_sm{w % 8}_sl{w}_wv{w}.json"), "w", encoding="utf-8") as f:
            json.dump({"wave": {"simd": w % 4, "slot": 0, "instructions": [[10 * i, 1, 2, 8, i % rows]
                                                                          for i in range(50)]}}, f)
    return folder


@case(5000, ANALYZE, JSON, HTML, PDF)
def att_instructions(folder, n):
    return att(folder, n, 4)


@case(200, ANALYZE, JSON)
def att_waves(folder, n):
    return att(folder, 50, n)


# ---- workloads of rocprof-compute ----

def workload(folder, rows, columns):
    with open(os.path.join(folder, "sysinfo.csv"), "w", encoding="utf-8") as f:
        f.write("workload_name,gpu_arch,cu_per_gpu,max_sclk\nw,gfx942,304,2100\n")
    with open(os.path.join(folder, "pmc_perf.csv"), "w", encoding="utf-8") as f:
        f.write("Dispatch_ID,GPU_ID,Kernel_Name,Grid_Size,Workgroup_Size,Start_Timestamp,End_Timestamp,SQ_WAVES")
        f.write("".join(f",C{i}" for i in range(columns)) + "\n")
        for i in range(rows):
            f.write(f"{i},0,k{i},1024,64,{1000 * i},{1000 * i + 500},16" + ",1" * columns + "\n")
    return folder


@case(5000, ANALYZE, JSON, COMPARE)
def workload_rows(folder, n):
    return workload(folder, n, 3)


@case(5000, ANALYZE, JSON)
def workload_columns(folder, n):
    return workload(folder, 3, n)


# ---- source code ----

def source(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        f.write(text)
    return folder


SOURCE = "analyze --source-dir %s SMALL"


def source_case(name, extension, text, n):
    def make(folder, n):
        return source(folder, "a" + extension, text(n))
    make.__name__ = "source_" + name
    CASES.append((make.__name__, n, make, (SOURCE,)))


source_case("c_braces", ".cpp", lambda n: "void f() " + "{" * n, 50000)
source_case("c_parens", ".cpp", lambda n: "void f() { x = " + "(" * n, 50000)
source_case("c_launches", ".cu", lambda n: "void f() { " + "k<<<" * n, 20000)
source_case("c_templates", ".cu", lambda n: "void f() { " + "k<a," * n, 20000)
source_case("c_closed_launches", ".cu", lambda n: "void f() { " + "k<<<1,2>>>(a);" * n + "}", 10000)
source_case("c_calls", ".cpp", lambda n: "void f() { " + "hipFree(p);" * n + "}", 10000)
source_case("c_nested_calls", ".cpp", lambda n: "void f() { " + "hipFree(" * n, 20000)
source_case("c_long_function", ".cpp", lambda n: "void " + "f" * n + "() { " + "hipFree(p);" * (n // 10) + "}", 20000)
source_case("c_functions", ".cpp", lambda n: "".join(f"__global__ void k{i}() {{}}\n" for i in range(n)), 5000)
source_case("c_directives", ".cpp", lambda n: "#if 1\n" * n, 20000)
source_case("c_defines", ".cpp", lambda n: "".join(f"#define A{i} A{i + 1}\n" for i in range(n)), 10000)
source_case("c_pragmas", ".cpp", lambda n: "void f() {\n" + "#pragma omp target teams\nfor(;;) {\n" * n, 5000)
source_case("c_loops", ".cpp", lambda n: "void f() { " + "for(;;) { hipFree(p);" * n, 10000)
source_case("c_raw_strings", ".cpp", lambda n: 'R"(' * n, 50000)
source_case("c_comments", ".cpp", lambda n: "/*" * n, 50000)
source_case("c_lambdas", ".cpp", lambda n: "void f() { " + "[&](int i) {" * n, 20000)
source_case("f_launches", ".f90", lambda n: "k<<<" * n, 20000)
source_case("f_closed_launches", ".f90", lambda n: "call k<<<" * n + ">>>", 10000)
source_case("f_do", ".f90", lambda n: "do i=1,2\n" * n, 20000)
source_case("f_labels", ".f90", lambda n: "do 10 i=1,2\n" * n + "20 continue\n" * n, 10000)
source_case("f_calls", ".f90", lambda n: "subroutine " + "s" * n + "\n" + "call hipFree(p)\n" * (n // 10), 20000)
source_case("f_continued", ".f90", lambda n: "call hipFree( &\n" * n, 10000)
source_case("f_interfaces", ".f90", lambda n: "interface\n" * n, 20000)
source_case("py_indent", ".py", lambda n: "".join(" " * i + "if x:\n" for i in range(n)), 400)
source_case("py_parens", ".py", lambda n: "x = " + "(" * n, 50000)
source_case("py_defs", ".py", lambda n: "".join(f"def f{i}():\n  torch.cuda.synchronize()\n" for i in range(n)), 5000)
source_case("py_imports", ".py", lambda n: "".join(f"import torch as t{i}\n" for i in range(n))
            + "".join(f"t{i}.cuda.synchronize()\n" for i in range(n)), 3000)
source_case("py_dots", ".py", lambda n: "a" + ".a" * n + "()\n", 50000)
source_case("py_symbol_dots", ".py", lambda n: "synchronize" + ".synchronize" * n + "()\n", 20000)
source_case("py_long_function", ".py", lambda n: "def " + "f" * n + "():\n" + "  torch.cuda.synchronize()\n" * (n // 20),
            20000)
source_case("py_comprehension", ".py", lambda n: "import torch\nx = [" + "torch.cuda.synchronize()," * n
            + " for x in y" * n, 5000)
source_case("py_strings", ".py", lambda n: "f'{" * n, 50000)
source_case("py_decorators", ".py", lambda n: "@triton.jit\n" * n + "def f(): pass\n", 10000)
source_case("py_launches", ".py", lambda n: "".join(f"@triton.jit\ndef k{i}(): pass\n" for i in range(n))
            + "".join(f"k{i}[(1,)](x)\n" for i in range(n)), 2000)
source_case("py_loops", ".py", lambda n: "".join(" " * i + "for x in y:\n" for i in range(n)), 400)


@case(200, SOURCE)
def source_files(folder, n):
    for i in range(n):
        source(folder, f"f{i}.cpp", f"void f{i}() {{ hipFree(p); }}\n")
    return folder


@case(5000, SOURCE)
def source_ignore(folder, n):
    for i in range(20):
        source(folder, "a" * 40 + f"{i}.cpp", "void f() { hipFree(p); }\n")
    return source(folder, ".gitignore", "*a*a*a*a*a*b\n" * n)


# ---- many runs ----

@case(50, "history %s")
def history_runs(folder, n):
    base = os.path.join(folder, "0.json")
    small = synth(folder, f'gpu MI300X\n{KERNEL}loop 20 {{ launch "k" }}\nsync\n', "x.db")
    subprocess.run([OPTIONS.gpusight, "analyze", "--format", "json", small, "-o", base], check=True,
                   stderr=subprocess.PIPE)
    os.remove(small)
    for i in range(1, n):
        shutil.copy(base, os.path.join(folder, f"{i}.json"))
    return folder


# ---- running and judging ----

def size_of(path):
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(top, f)) + 64 for top, _, files in os.walk(path) for f in files)


def run(command, path, folder):
    words = [w.replace("%s", path).replace("OUT", os.path.join(folder, "out"))
             .replace("SMALL", OPTIONS.small) for w in command.split()]
    log = os.path.join(folder, "log")
    with open(log, "wb") as f:
        process = subprocess.Popen(["timeout", str(LIMIT_S), OPTIONS.gpusight, *words], stdout=f, stderr=f)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    with open(log, "rb") as f:
        said = f.read()[-300:].decode("utf-8", "replace")
    return process.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, said


def judge(name, n, make, commands):
    failures = []
    with tempfile.TemporaryDirectory() as top:
        inputs = []
        for times in (1, 4):
            folder = os.path.join(top, str(times))
            os.mkdir(folder)
            path = make(folder, int(n * times * OPTIONS.scale))
            inputs.append((path, size_of(path)))
        for command in commands:
            seconds = []
            for path, size in inputs:
                # The second of two tries: what else the machine does shows up in one of them at most.
                rc, cpu, memory, said = run(command, path, top)
                if cpu > NOISE_S:
                    cpu = min(cpu, run(command, path, top)[1])
                seconds.append(cpu)
                most = MEMORY_BASE + MEMORY_PER_BYTE * size
                if OPTIONS.verbose:
                    print(f"  {name}: {command}: {size} bytes, rc {rc}, {cpu:.2f} s, {memory >> 20} MB "
                          f"of {most >> 20}")
                if rc not in (0, 4, 5):
                    failures.append(f"{command}: exit code {rc}: {said}")
                elif memory > most:
                    failures.append(f"{command}: {memory >> 20} MB for {size} bytes, allowed {most >> 20} MB")
            if seconds[1] > NOISE_S and seconds[1] > GROWTH * max(seconds[0], 0.03):
                failures.append(f"{command}: {seconds[0]:.2f} s becomes {seconds[1]:.2f} s for four times the input")
    return failures


def main():
    os.environ.pop("MALLOC_PERTURB_", None)  # it touches memory that is only asked for
    global OPTIONS
    p = argparse.ArgumentParser()
    p.add_argument("--gpusight", required=True)
    p.add_argument("--only", default="")
    p.add_argument("--scale", type=float, default=1)
    p.add_argument("--verbose", action="store_true")
    OPTIONS = p.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as top:
        OPTIONS.small = synth(top, f'gpu MI300X\n{KERNEL}loop 20 {{ launch "k" }}\nsync\n', "x.db")
        for name, n, make, commands in CASES:
            if OPTIONS.only not in name:
                continue
            failures = judge(name, n, make, commands)
            failed += len(failures)
            for text in failures:
                print(f"FAILED: {name}: {text}", flush=True)
    print(f"{len(CASES)} cases, {failed} failures")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
