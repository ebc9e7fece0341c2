"""Files that are no files: pipes that block a reader, links that lead elsewhere."""
import os

import seeds
from hostile import item

SECRET = "a line of a file elsewhere"


def _pipe(path):
    if os.path.lexists(path):
        os.unlink(path)
    os.mkfifo(path)


def _elsewhere(folder):
    """A file outside of the input, with a text that must not get out."""
    os.makedirs(f"{folder}/elsewhere")
    return seeds.write_text(f"{folder}/elsewhere/id_key", f"{SECRET}\n" * 60)


@item(kind="att", forbidden=SECRET.encode())
def att_symlink(folder):
    """A source file of a thread trace is a link to a key."""
    secret = _elsewhere(folder)
    path = seeds.att(f"{folder}/att")
    source = f"{path}/ui_output_agent_1_dispatch_2/source_0_x.cpp"
    os.unlink(source)
    os.symlink(secret, source)
    return path


@item(kind="att", forbidden=SECRET.encode())
def att_symlink_folder(folder):
    """The folder with the source file is a link, and names climb out of it."""
    _elsewhere(folder)
    path = seeds.att(f"{folder}/att")
    ui = f"{path}/ui_output_agent_1_dispatch_2"
    os.symlink("../../elsewhere", f"{ui}/up")
    seeds.write_json(f"{ui}/snapshots.json", {"/": {"src": {
        "axpy.hip": "up/id_key", "b.hip": "../../elsewhere/id_key",
        "c.hip": f"{folder}/elsewhere/id_key", "d.hip": "..", "e.hip": "."}}})
    return path


@item(kind="att", forbidden=SECRET.encode())
def att_hard_names(folder):
    """Lines cite a file elsewhere directly."""
    secret = _elsewhere(folder)
    path = seeds.att(f"{folder}/att", source=secret)
    seeds.write_json(f"{path}/ui_output_agent_1_dispatch_2/snapshots.json",
                     {"/": {"src": {secret: secret}}})
    return path


@item(kind="att")
def att_pipes(folder):
    """Files of a thread trace are pipes."""
    path = seeds.att(f"{folder}/att")
    ui = f"{path}/ui_output_agent_1_dispatch_2"
    for name in os.listdir(ui):
        _pipe(f"{ui}/{name}")
    _pipe(f"{path}/stats_ui_output_agent_1_dispatch_2.csv")
    return path


@item(kind="att")
def att_one_pipe(folder):
    """Only the code is a pipe; then only the source file."""
    paths = []
    for name in ("code.json", "source_0_x.cpp", "snapshots.json", "se0_sm0_sl0_wv0.json"):
        path = seeds.att(f"{folder}/{name.split('.')[0]}")
        _pipe(f"{path}/ui_output_agent_1_dispatch_2/{name}")
        paths.append(path)
    return paths


def workload_pipes(folder):
    """Files of a workload are pipes, one in each folder."""
    paths = []
    for name in ("sysinfo.csv", "pmc_perf.csv", "roofline.csv", "SQ_LEVEL_WAVES.csv", "timestamps.csv"):
        path = seeds.workload(f"{folder}/{name.split('.')[0]}")
        _pipe(f"{path}/{name}")
        paths.append(path)
    return paths


def database_pipes(folder):
    """The log of a database is there, its index is a pipe."""
    path = seeds.synth(f"{folder}/a.db", "demo", "--set", "n=2", "--journal", "wal-left")
    seeds.write_text(path + "-wal", b"\x37\x7f\x06\x82" + bytes(28))
    _pipe(path + "-shm")
    return path


def pipe_itself(folder):
    """The trace is a pipe."""
    _pipe(f"{folder}/a.db")
    return f"{folder}/a.db"


def folder_with_pipes(folder):
    """A folder with a trace and pipes that are called like traces."""
    os.makedirs(f"{folder}/job")
    seeds.rocpd(f"{folder}/job/a.db")
    for name in ("b.db", "c.json", "d.json.gz", "1_kernel_trace.csv", "e.sqlite"):
        _pipe(f"{folder}/job/{name}")
    return f"{folder}/job"


def csv_pipes(folder):
    """A capture of rocprofv3 whose other files are pipes."""
    path = seeds.rocprofv3_csv(f"{folder}/csv")
    for name in ("hip_api_trace", "memory_copy_trace", "marker_api_trace", "agent_info",
                 "counter_collection"):
        _pipe(f"{path}/1_{name}.csv")
    return path


@item(kind="baseline")
def baseline_pipe(folder):
    """A saved profile is a pipe."""
    _pipe(f"{folder}/profile.json")
    return f"{folder}/profile.json"


@item(kind="description")
def description_pipe(folder):
    """A text for synth is a pipe."""
    _pipe(f"{folder}/a.trace")
    return f"{folder}/a.trace"


@item(kind="source", forbidden=SECRET.encode())
def source_links(folder):
    """A source tree with pipes and with links to itself and out of it."""
    path = seeds.source_tree(f"{folder}/src")
    secret = _elsewhere(folder)
    os.symlink(secret, f"{path}/key.cpp")
    os.symlink("/dev/zero", f"{path}/zero.cpp")
    os.symlink(".", f"{path}/self")
    os.symlink("nowhere", f"{path}/gone.cpp")
    _pipe(f"{path}/pipe.cpp")
    return path


def devices(folder):
    """Links called like traces that lead to devices."""
    os.makedirs(f"{folder}/job")
    for name, target in (("a.db", "/dev/zero"), ("b.json", "/dev/null"), ("c.json", "/dev/full")):
        os.symlink(target, f"{folder}/job/{name}")
    return [f"{folder}/job", f"{folder}/job/a.db", f"{folder}/job/b.json"]


@item(forbidden=SECRET.encode())
def workload_links(folder):
    """Files of a workload are links to a file elsewhere."""
    secret = _elsewhere(folder)
    path = seeds.workload(f"{folder}/work")
    for name in ("sysinfo.csv", "roofline.csv"):
        os.unlink(f"{path}/{name}")
        os.symlink(secret, f"{path}/{name}")
    return path


@item(kind="description")
def synth_hosts(folder):
    """Host names that climb out of the folder for traces."""
    return seeds.write_text(f"{folder}/a.trace", 'process host="../../x" { host 1us }\n'
                            'process host="/tmp/../y" { host 1us }\nprocess host=".." { host 1us }\n'
                            'process host="a\\nb" { host 1us }\nprocess host="" { host 1us }\n')
