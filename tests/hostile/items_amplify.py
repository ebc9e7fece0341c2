"""Kilobytes in, gigabytes or minutes out."""
import base64
import gzip
import json
import os
import random
import sqlite3

import seeds
from hostile import item


def _packed(path, head, block, times, tail):
    """A gzip file of many members: small to make, large to read."""
    members = [gzip.compress(part, 9, mtime=0) for part in (head, block, tail)]
    with open(path, "wb") as f:
        f.write(members[0])
        for _ in range(times):
            f.write(members[1])
        f.write(members[2])
    return path


@item(heavy=True)
def bomb_events(folder):
    """20 million kernels, packed a thousandfold."""
    row = json.dumps(seeds.kernel_event("k", ts=7, dur=3)).encode() + b","
    last = json.dumps(seeds.kernel_event("last")).encode()
    return _packed(f"{folder}/a.json.gz", b'{"traceEvents":[', row * 20000, 1000, last + b"]}")


@item(heavy=True)
def bomb_allowed(folder):
    """2.5 million kernels, packed just as much as is allowed, each as long as the trace."""
    row = b'{"ph":"X","cat":"kernel","name":"k","ts":7,"dur":3},'
    more = base64.b64encode(random.Random(1).randbytes(300000))  # so that it is not packed too well
    return _packed(f"{folder}/a.json.gz", b'{"traceEvents":[', row * 2550, 1000,
                   row[:-1] + b'],"more":"' + more + b'"}')


@item(heavy=True)
def long_spans(folder):
    """Everything lasts as long as the trace: kernels, copies, calls, ranges; none costs more for its length."""
    def event(i):
        cat = ("kernel", "gpu_memcpy", "cuda_runtime", "user_annotation", "cpu_op")[i % 5]
        args = {"device": 0, "stream": i % 3, "correlation": i // 5, "bytes": 9}
        return {"ph": "X", "cat": cat, "name": f"n{i % 40}", "pid": 1, "tid": i % 7, "ts": i, "dur": 10**7 - 2 * i,
                "args": args}
    return _events_by(folder, 200000, event)


@item(heavy=True)
def bomb_blanks(folder):
    """Two gigabytes of white space before the first event."""
    last = json.dumps(seeds.kernel_event("last")).encode()
    return _packed(f"{folder}/a.json.gz", b'{"traceEvents":[', b" " * (1 << 20), 2000, last + b"]}")


@item(heavy=True)
def bomb_string(folder):
    """One name of two gigabytes."""
    return _packed(f"{folder}/a.json.gz", b'{"traceEvents":[{"ph":"X","cat":"kernel","name":"',
                   b"x" * (1 << 20), 2000, b'","pid":1,"tid":1,"ts":1,"dur":5}]}')


@item(heavy=True)
def bomb_database(folder):
    """A packed database followed by four gigabytes of zeros: fills the folder for temporary files."""
    data = open(seeds.rpd(f"{folder}/x"), "rb").read()
    os.unlink(f"{folder}/x")
    return _packed(f"{folder}/a.rpd.gz", data, bytes(1 << 20), 4300, b"")


@item(heavy=True)
def bomb_csv(folder):
    """Ten million rows of CSV."""
    path = seeds.rocprofv3_csv(f"{folder}/csv")
    lines = open(f"{path}/1_kernel_trace.csv", "rb").read().splitlines(True)
    os.unlink(f"{path}/1_kernel_trace.csv")
    _packed(f"{path}/1_kernel_trace.csv.gz", lines[0], lines[5] * 10000, 1000, lines[6])
    return path


def _events_by(folder, n, change):
    """n events in a packed file, each changed by its number."""
    rows = ",".join(json.dumps(change(i)) for i in range(n))
    return seeds.write_text(f"{folder}/a.json.gz", gzip.compress(
        ('{"traceEvents":[' + rows + "]}").encode(), 6, mtime=0))


@item(heavy=True)
def many_streams(folder):
    """20,000 streams: a lane for each on a page."""
    return _events_by(folder, 20000, lambda i: seeds.kernel_event("k", ts=i, dur=1, stream=i))


@item(heavy=True)
def many_threads(folder):
    """20,000 threads in 20,000 processes."""
    return _events_by(folder, 20000, lambda i: {
        "ph": "X", "cat": "cuda_runtime", "name": "hipMalloc", "pid": i, "tid": i, "ts": i, "dur": 1,
        "args": {"correlation": i}} if i else seeds.kernel_event("k"))


@item(heavy=True)
def many_devices(folder):
    """4,000 GPUs."""
    return _events_by(folder, 4000, lambda i: seeds.kernel_event(
        "k", ts=i, dur=1, args={"device": i, "stream": i}))


def _launches(folder, n, gpus, threads, more):
    """Launches 100 us apart by threads in turn, on GPUs in turn: each gap of each GPU is as long as a round of them."""
    def event(i):
        i, kind = divmod(i, 2 + len(more))
        if kind > 1:
            return {"ph": "X", "pid": 1, "tid": 1 + i % threads, "ts": 100 * i + 3, "dur": 96, "args": {}, **more[kind - 2](i)}
        if kind:
            return seeds.kernel_event("k", ts=100 * i + 5, dur=70, args={"device": i % gpus, "correlation": i + 1})
        return {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel" if i % 50 else "cudaDeviceSynchronize", "pid": 1,
                "tid": 1 + i % threads, "ts": 100 * i, "dur": 3, "args": {"correlation": i + 1}}
    return _events_by(folder, n * (2 + len(more)), event)


@item(heavy=True)
def many_processes_of_csv(folder):
    """60,000 calls of as many processes, and as many kernels that name threads only."""
    os.makedirs(f"{folder}/csv")
    calls = "".join(f"HIP_RUNTIME_API,hipMalloc,{i + 1},{i + 1},{i + 1},{1000 + 10 * i},{1005 + 10 * i}\n" for i in range(60000))
    seeds.write_text(f"{folder}/csv/1_hip_api_trace.csv", "Domain,Function,Process_Id,Thread_Id,Correlation_Id,Start_Timestamp,End_Timestamp\n" + calls)
    kernels = "".join(f"KERNEL_DISPATCH,Agent 1,1,{i + 1},{i + 1},1,k,{i + 1},{1006 + 10 * i},{1009 + 10 * i}\n" for i in range(60000))
    seeds.write_text(f"{folder}/csv/1_kernel_trace.csv", "Kind,Agent_Id,Queue_Id,Thread_Id,Dispatch_Id,Kernel_Id,Kernel_Name,Correlation_Id,"
                     "Start_Timestamp,End_Timestamp\n" + kernels)
    return f"{folder}/csv"


@item(heavy=True)
def one_thread_of_many_devices(folder):
    """One thread that feeds 4,000 GPUs, with a range around what it does between calls: the host starves all of them."""
    return _launches(folder, 30000, 4000, 1, [lambda i: {"cat": "user_annotation", "name": f"m{i % 50}"}])


@item(heavy=True)
def many_threads_of_many_devices(folder):
    """5,000 threads that feed 4,000 GPUs, and another one for each launch that allocates meanwhile."""
    return _launches(folder, 15000, 4000, 5000, [
        lambda i: {"cat": "user_annotation", "name": f"m{i % 50}"},
        lambda i: {"cat": "cuda_runtime", "name": "cudaMalloc", "tid": 100000 + i, "args": {"correlation": 10 ** 6 + i}}])


@item(heavy=True)
def many_names(folder):
    """50,000 kernels with a name of their own each, mangled."""
    return _events_by(folder, 50000, lambda i: seeds.kernel_event(
        f"_Z{len(str(i)) + 1}k{i}I{'1aIiE' * 20}Evv", ts=i * 2, dur=1))


@item(heavy=True)
def many_markers(folder):
    """50,000 ranges around each other, each with a name of its own."""
    return _events_by(folder, 50000, lambda i: {
        "ph": "X", "cat": "user_annotation", "name": f"m{i}", "pid": 1, "tid": 1, "ts": i,
        "dur": 200000 - 2 * i} if i else seeds.kernel_event("k", dur=100000))


@item(heavy=True)
def many_processes(folder):
    """A database with 6,000 processes: one analysis each is quadratic."""
    path = seeds.rocpd(f"{folder}/a.db")
    db = sqlite3.connect(path)
    name = db.execute("SELECT name FROM sqlite_master WHERE name LIKE 'rocpd_info_process%'").fetchone()[0]
    kernels = db.execute("SELECT name FROM sqlite_master WHERE name LIKE 'rocpd_kernel_disp%'").fetchone()[0]
    columns = [r[1] for r in db.execute(f'PRAGMA table_info("{name}")')]
    row = dict(zip(columns, db.execute(f'SELECT * FROM "{name}"').fetchone()))
    for i in range(6000):
        row["id"], row["pid"] = 100000 + i, 100000 + i
        db.execute(f'INSERT INTO "{name}" VALUES ({",".join("?" * len(columns))})',
                   [row[c] for c in columns])
    columns = [r[1] for r in db.execute(f'PRAGMA table_info("{kernels}")')]
    row = dict(zip(columns, db.execute(f'SELECT * FROM "{kernels}"').fetchone()))
    for i in range(6000):
        row["id"], row["pid"] = 100000 + i, 100000 + i
        if "dispatch_id" in row:
            row["dispatch_id"] = 100000 + i
        db.execute(f'INSERT OR IGNORE INTO "{kernels}" VALUES ({",".join("?" * len(columns))})',
                   [row[c] for c in columns])
    db.commit()
    db.close()
    return path


@item(heavy=True)
def many_sets(folder):
    """4,000 sets of tables, none of them whole."""
    path = f"{folder}/a.db"
    db = sqlite3.connect(path)
    db.executescript("PRAGMA page_size=512; CREATE TABLE rocpd_string_0(id,string);"
                     "PRAGMA writable_schema=ON")
    db.executemany("INSERT INTO sqlite_master VALUES('table',?,?,2,?)",
                   ((f"rocpd_event_{i:x}", f"rocpd_event_{i:x}", f"CREATE TABLE rocpd_event_{i:x}(id,b)")
                    for i in range(1, 4000)))
    db.commit()
    db.close()
    return path


@item(heavy=True)
def many_categories(folder):
    """60,000 categories of events: searched one by one?"""
    path = seeds.rocpd(f"{folder}/a.db")
    db = sqlite3.connect(path)
    string = db.execute("SELECT name FROM sqlite_master WHERE name LIKE 'rocpd_string%'").fetchone()[0]
    event = string.replace("rocpd_string", "rocpd_event")
    guid = db.execute(f'SELECT guid FROM "{string}"').fetchone()[0]
    columns = [r[1] for r in db.execute(f'PRAGMA table_info("{event}")')]
    row = dict(zip(columns, db.execute(f'SELECT * FROM "{event}"').fetchone()))
    for i in range(60000):
        db.execute(f'INSERT INTO "{string}"(id,guid,string) VALUES (?,?,?)', (10**6 + i, guid, f"c{i}"))
        row["id"], row["category_id"] = 10**6 + i, 10**6 + i
        db.execute(f'INSERT INTO "{event}" VALUES ({",".join("?" * len(columns))})',
                   [row[c] for c in columns])
    db.commit()
    db.close()
    return path


@item(heavy=True)
def many_captures(folder):
    """3,000 CSV captures in a folder."""
    path = f"{folder}/csv"
    for i in range(3000):
        if i == 0:
            seeds.rocprofv3_csv(path, name="0", rows=1)
            text = open(f"{path}/0_kernel_trace.csv", "rb").read()
        else:
            seeds.write_text(f"{path}/{i}_kernel_trace.csv", text)
    return path


def many_columns(folder):
    """A CSV file of a hundred thousand columns, and one of a row without end."""
    path = seeds.rocprofv3_csv(f"{folder}/csv")
    text = open(f"{path}/1_kernel_trace.csv", encoding="utf-8").read()
    lines = text.splitlines()
    seeds.write_text(f"{path}/1_kernel_trace.csv", "\n".join(
        [lines[0] + ",x" * 100000, lines[1] + ",1" * 100000, lines[2] + ',"' + "x" * 100000]))
    return path


def many_channels(folder):
    """Counters of a workload with a million channels, by number and by name."""
    path = seeds.workload(f"{folder}/work")
    head = ["Dispatch_ID", "Kernel_Name", "Start_Timestamp", "End_Timestamp"] + [
        f"TCC_HIT[{i}]" for i in range(3000)] + ["TCC_HIT[99999999]"] + [f"C{i}" for i in range(3000)]
    seeds.write_csv(f"{path}/pmc_perf.csv", [head] + [[i, "k", i * 100, i * 100 + 50] + [7] * 6001
                                                      for i in range(5)])
    return path


def deep_json(folder):
    """A million brackets."""
    return seeds.write_text(f"{folder}/a.json", '{"traceEvents":[{"ph":"X","args":' + "[" * 10**6)


def deep_objects(folder):
    """A million keys inside each other in a JSON trace of rocprofv3."""
    return seeds.write_text(f"{folder}/a_results.json",
                            '{"rocprofiler-sdk-tool":[{"metadata":' + '{"a":' * 10**6)


@item(kind="source", heavy=True)
def fortran_quadratic(folder):
    """Launches that never close: each looks for its end to the end of the line."""
    os.makedirs(f"{folder}/src")
    seeds.write_text(f"{folder}/src/a.f90", "k<<<" * 400000)
    return f"{folder}/src"


@item(kind="source", heavy=True)
def fortran_nested(folder):
    """Loops inside each other, never closed."""
    os.makedirs(f"{folder}/src")
    seeds.write_text(f"{folder}/src/a.f90", "do i=1,9\n" * 200000 + "call k<<<1,1>>>(a)\n")
    seeds.write_text(f"{folder}/src/b.f", "      do 10 i=1,9\n" * 100000)
    return f"{folder}/src"


@item(kind="source", heavy=True)
def source_quadratic(folder):
    """The same shapes in C and Python: brackets, quotes, comments, launches, indents."""
    os.makedirs(f"{folder}/src")
    n = 200000
    for i, text in enumerate(["k<<<" * n, "for(;;){" * n, "(" * n, "f(" * n, "/*" * n, "\"\\" * n,
                              "R\"x(" * n, "#if 1\n" * n, "a<b<" * n, "hipMemcpy(" * n, "\\\n" * n]):
        seeds.write_text(f"{folder}/src/c{i}.cpp", text)
    for i, text in enumerate(["for x in y:\n" + "".join(" " * j + "for a in b:\n" for j in range(1, 1500)),
                              "f(" * n, "[" * n, "'''" * n, "@a\n" * n, "\"\\\n" * n, "f'{" * n]):
        seeds.write_text(f"{folder}/src/p{i}.py", text)
    return f"{folder}/src"


@item(kind="source", heavy=True)
def source_many_files(folder):
    """2,000 folders inside each other's neighbours, and one path of 100 levels."""
    for i in range(2000):
        os.makedirs(f"{folder}/src/{i % 40}/{i}")
        seeds.write_text(f"{folder}/src/{i % 40}/{i}/a.cpp", "for(;;) hipMemcpy(a,b,c,d);\n")
    os.makedirs(f"{folder}/src/" + "d/" * 100)
    os.symlink("..", f"{folder}/src/loop")
    return f"{folder}/src"


@item(kind="description")
def synth_streams(folder):
    """49 bytes ask for a hundred million streams."""
    return seeds.write_text(f"{folder}/a.trace", 'gpu MI300X\nloop 100000000 as i { stream "s{i}" }\n')


@item(kind="description")
def synth_more(folder):
    """The same for kernels, threads, processes, texts, ranges, GPUs and expressions."""
    paths = []
    for i, text in enumerate((
            'loop 100000000 as i { kernel "k{i}" }', "process count=100000000 { host 1us }",
            "loop 100000000 { thread { host 1us } }", 'loop 100000000 { marker push "x" }',
            "gpu MI300X count=100000000", "loop 100000000 { malloc size=1 }", "host " + "(" * 10**5,
            "loop 9223372036854775807 { loop 9223372036854775807 { host 0 } }", "if 1 {" * 10**5,
            'loop 100000000 as i { env "E{i}"=1 }', "kernel k\ncounter C = 1 instances=100000000\nlaunch k",
            "telemetry power every 1ns\nhost 1000000s", 'loop 100000000 as i { let "a{i}" = 1 }',
            "graph { " * 10**5, 'loop 100000000 as i { record "e{i}" }')):
        paths.append(seeds.write_text(f"{folder}/{i}.trace", text + "\n"))
    return paths


@item(kind="att", heavy=True)
def att_many_instructions(folder):
    """A kernel of 200,000 instructions, all of which ran: more rows than a page or a PDF can show."""
    path = seeds.att(f"{folder}/att")
    os.unlink(f"{path}/stats_ui_output_agent_1_dispatch_2.csv")
    seeds.write_json(f"{path}/ui_output_agent_1_dispatch_2/code.json", {"code": seeds.ATT_CODE[:1] + [
        ["s_waitcnt vmcnt(0)" if i % 2 else "v_add_f32_e32 v0, v0, v1", 0, i + 1,
         f"axpy.hip:{i % 40 + 1}", 2, 4096 + 4 * i, 4, 800, 700, 1] for i in range(200000)]})
    return path
