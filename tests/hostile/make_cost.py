"""Small inputs that once cost gigabytes or minutes. Each function writes one of them to `path`."""
import json
import os
import sqlite3
import zlib


def _gzip_of(path, pieces):
    """Writes pieces as gzip at its best ratio, never holding them unpacked."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    with open(path, "wb") as f:
        for piece in pieces:
            f.write(packer.compress(piece))
        f.write(packer.flush())


def bomb_json_gz(path):
    """a megabyte that unpacks to a gigabyte of events; must end with exit code 4, early"""
    event = b'{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":1,"args":{"stream":7}},\n'
    tail = event.rstrip(b",\n") + b"]}\n"
    _gzip_of(path, [b'{"schemaVersion":1,"traceEvents":[\n'] + [event * 10000] * 1200 + [tail])


def bomb_db_gz(path):
    """a database whose header tells of 4 GiB, nearly all zeros; must not reach TMPDIR"""
    plain = path + ".plain"
    connection = sqlite3.connect(plain)
    connection.execute("CREATE TABLE rocpd_metadata_x (id INTEGER PRIMARY KEY, tag TEXT, value TEXT)")
    connection.commit()
    connection.close()
    with open(plain, "rb") as f:
        data = bytearray(f.read())
    os.remove(plain)
    page = int.from_bytes(data[16:18], "big")
    data[28:32] = ((4 << 30) // page).to_bytes(4, "big")
    _gzip_of(path, [bytes(data)] + [bytes(1 << 20)] * 300)


def many_captures(path):
    """a folder of 3,000 CSV captures; the folder must not be listed again for each"""
    os.makedirs(path, exist_ok=True)
    head = ('"Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name",'
            '"Correlation_Id","Start_Timestamp","End_Timestamp","Workgroup_Size_X","Grid_Size_X"\n')
    for i in range(3000):
        with open(os.path.join(path, f"{i}_kernel_trace.csv"), "w", encoding="ascii") as f:
            f.write(head + '"KERNEL_DISPATCH","Agent 4",1,1,1,1,1,"k",1,1000,2000,64,1024\n')


def many_streams(path):
    """20,000 streams of one kernel each: once 1.4 GB as HTML"""
    events = [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": i, "ts": 10 * i, "dur": 5,
               "args": {"device": 0, "stream": i, "correlation": i}} for i in range(20000)]
    with open(path, "w", encoding="ascii") as f:
        json.dump({"schemaVersion": 1, "traceEvents": events}, f)


def many_threads(path):
    """20,000 threads of one call each, and a kernel"""
    events = [{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": i, "ts": 10 * i,
               "dur": 5, "args": {"correlation": i}} for i in range(20000)]
    events.append({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 20, "dur": 5,
                   "args": {"device": 0, "stream": 7, "correlation": 1}})
    with open(path, "w", encoding="ascii") as f:
        json.dump({"schemaVersion": 1, "traceEvents": events}, f)


def fortran_launches(path):
    """a source folder with one line of 100,000 launches that never end: once 5 s, growing as the square"""
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "a.f90"), "w", encoding="ascii") as f:
        f.write("k<<<" * 100000)


def fortran_labels(path):
    """a source folder with 50,000 loops inside each other and as many labels that end none of them"""
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "a.f90"), "w", encoding="ascii") as f:
        f.write("do 10 i=1,2\n" * 50000 + "20 continue\n" * 50000)


def ignore_rules(path):
    """a source folder whose .gitignore has 50,000 slow rules"""
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, ".gitignore"), "w", encoding="ascii") as f:
        f.write("*a*a*a*a*a*b\n" * 50000)
    for i in range(50):
        with open(os.path.join(path, "a" * 60 + f"{i}.cpp"), "w", encoding="ascii") as f:
            f.write("void f() { hipFree(p); }\n")


def synth_streams(path):
    """a description of 50 bytes that asks for a hundred million streams"""
    with open(path, "w", encoding="ascii") as f:
        f.write('gpu MI300X\nloop 100000000 as i { stream "s{i}" }\n')


def fifo_workload(path):
    """a folder of rocprof-compute whose files are FIFOs: nothing may wait for them"""
    os.makedirs(path, exist_ok=True)
    for name in ("sysinfo.csv", "pmc_perf.csv", "roofline.csv"):
        os.mkfifo(os.path.join(path, name))


def fifo_att(path):
    """a thread trace whose files are FIFOs"""
    ui = os.path.join(path, "ui_output_agent_1_dispatch_1")
    os.makedirs(ui, exist_ok=True)
    os.mkfifo(os.path.join(path, "stats_ui_output_agent_1_dispatch_1.csv"))
    for name in ("code.json", "filenames.json", "occupancy.json", "snapshots.json", "se0_sm0_sl0_wv0.json"):
        os.mkfifo(os.path.join(ui, name))


def link_att(path):
    """a thread trace whose source copy is a link to a file elsewhere, which must not be shown"""
    ui = os.path.join(path, "ui_output_agent_1_dispatch_1")
    os.makedirs(ui, exist_ok=True)
    with open(os.path.join(path, "stats_ui_output_agent_1_dispatch_1.csv"), "w", encoding="ascii") as f:
        f.write("CodeObj,Vaddr,Instruction,Hitcount,Latency,Stall,Idle,Source\n")
        for i in range(1, 20):
            f.write(f'1,{4096 + 8 * i},"v_add v1",4,100,50,1,"/src/a.cpp:{i}"\n')
    with open(os.path.join(ui, "snapshots.json"), "w", encoding="ascii") as f:
        json.dump({"/": {"src": {"a.cpp": "source_0_a.cpp"}}}, f)
    os.symlink("/etc/passwd", os.path.join(ui, "source_0_a.cpp"))


fortran_launches.hostile = fortran_labels.hostile = ignore_rules.hostile = {"kind": "source", "heavy": True}
synth_streams.hostile = {"kind": "description"}
synth_streams.ending = ".trace"
fifo_att.hostile = {"kind": "att"}
link_att.hostile = {"kind": "att", "forbidden": b"root:x:0"}
many_captures.hostile = many_streams.hostile = many_threads.hostile = {"heavy": True}
many_streams.ending = many_threads.ending = ".json"
bomb_json_gz.ending, bomb_db_gz.ending = ".json.gz", ".db.gz"
bomb_json_gz.hostile = bomb_db_gz.hostile = {"heavy": True}
