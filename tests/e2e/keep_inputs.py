#!/usr/bin/env python3
"""What a command reads, it never writes; what it writes is whole or not there.

    keep_inputs.py --gpusight GPUSIGHT inputs|forms|files|signals

inputs: every command, with every way to name one of its inputs as its output
forms: the name of an output and what is in it agree
files: permissions, links, pipes, devices, names made of a description
signals: a command that is ended at any moment leaves no temporary file
"""
import glob
import os
import random
import signal
import stat
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
import tell  # noqa: E402

# OUT is the target; it must be refused where it is an input.
TARGETS = [
    "info --format text -o OUT T", "info --json -o OUT T", "summary --format text -o OUT T",
    "summary --json -o OUT T", "analyze --format text -o OUT T", "analyze --json -o OUT T",
    "analyze --format markdown -o OUT T", "analyze --format html -o OUT T",
    "analyze --format pdf -o OUT T", "analyze --format text -o OUT --source-dir src T",
    "plan --format text -o OUT T -- ./app", "plan --format shell -o OUT T -- ./app",
    "compare --format text -o OUT T U", "compare --format text -o OUT U T",
    "compare --format xlsx -o OUT T U", "compare T U --junit OUT",
    "history --format text -o OUT T U", "history --format json -o OUT runs",
    "plot --format svg -o OUT T", "plot --format png -o OUT T", "plot --format draw -o OUT T",
    "synth D -o OUT", "synth D --format kineto -o OUT", "synth D --format rocprofv3-json -o OUT",
    "synth D --format nsys -o OUT", "synth D --truth OUT", "synth D -o new.db --truth OUT",
    "query --format csv -o OUT T --query select(1)",
    "summary --by-domain --format csv -o OUT T",
    "analyze --format text -o OUT runs", "info --format json -o OUT runs",
    "analyze --format text -o OUT W", "info --format json -o OUT W",
    "compare --format text -o OUT W W", "compare --json -o OUT J U",
    "analyze --format text --source-dir src -o OUT", "plot --format svg --chart memory W -o OUT",
    "query T --script S --format csv -o OUT", "history --db F --json -o OUT", "compare --db F latest latest --json -o OUT",
    "anonymise T -o new.db --key OUT", "whatif T --remove sync --format text -o OUT",
    "compare T U --sarif OUT --fail-on wall>5%",
    "ask T --question why --llm anthropic --yes --llm-replay L --format text -o OUT",
]
# Refused for one reason or another: names that they do not write to, or that are read.
KEPT = [
    "verify M T --json -o OUT", "verify M T --format text -o OUT", "trim T --window 10%..60% -o OUT", "merge T U -o OUT",
    "repair T -o OUT", "anonymise T -o OUT", "anonymise T --undo K -o OUT", "report T -o OUT", "evaluate E --json -o OUT",
    "whatif T --remove sync --json -o OUT", "collect T --db OUT", "collect runs --db OUT",
    "ask T --question why --llm anthropic --yes --llm-replay L --json -o OUT",
    "evaluate E --llm anthropic --yes --llm-replay L --json -o OUT",
]
# The dialogue is what fails then, and the command says so.
JOURNALS = [f"{command} --llm anthropic --yes --llm-replay L --{option} OUT" for option in ("log-file", "transcript-file")
            for command in ("ask T --question why", "analyze T", "ask T --question why --llm-guide M")]
FILES = {"T": "t.db", "U": "u.db", "D": "d.trace", "J": "j.json", "W": "w", "S": "s.sql", "F": "f.db", "M": "r.md", "K": "k.json",
         "L": "l.jsonl", "E": "ev"}
INPUTS = {"T": ["t.db"], "U": ["u.db"], "D": ["d.trace"], "J": ["j.json"], "runs": ["runs/a.db"],
          "W": ["w/pmc_perf.csv", "w/sysinfo.csv"], "src": ["src/a.hip"], "S": ["s.sql"], "F": ["f.db"], "M": ["r.md"],
          "K": ["k.json"], "L": ["l.jsonl"], "E": ["ev/a.db", "ev/a.truth.json"]}


def run(*arguments, **options):
    return subprocess.run([GPUSIGHT, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, **options)


def good(*arguments, **options):
    done = run(*arguments, **options)
    assert done.returncode == 0, (arguments, done.stderr)
    return done


def state_of(path):
    st = os.stat(path)
    with open(path, "rb") as f:
        return st.st_ino, st.st_mtime_ns, st.st_mode, f.read()


def everything():
    found = {}
    for folder, _, names in os.walk("."):
        for path in (os.path.normpath(os.path.join(folder, name)) for name in names):
            found[path] = os.readlink(path) if os.path.islink(path) else \
                state_of(path) if os.path.isfile(path) else "special"
    return found


def make_inputs():
    good("synth", "healthy", "--set", "n=5", "-o", "t.db")
    good("synth", "healthy", "--set", "n=5", "--seed", "2", "-o", "u.db")
    good("synth", "healthy", "--set", "n=5", "-o", "runs/a.db")
    with open("d.trace", "wb") as f:
        f.write(good("synth", "--show", "one_kernel").stdout)
    good("analyze", "--json", "-o", "j.json", "t.db")
    good("analyze", "--format", "markdown", "-o", "r.md", "t.db")
    good("anonymise", "t.db", "-o", "an.db", "--key", "k.json")
    good("collect", "t.db", "--db", "f.db")
    good("synth", "healthy", "--set", "n=5", "-o", "ev/a.db")
    for name, text in (("s.sql", "select 1;"), ("ev/a.truth.json", '{"scenario": "a", "expected_bottleneck": "small_grid"}'),
                       ("l.jsonl", '{"exchange": 1, "events": [{"text": "x"}, {"stop": "end"}]}\n')):
        with open(name, "w") as f:
            f.write(text)
    os.mkdir("src")
    with open("src/a.hip", "w") as f:
        f.write("__global__ void k(float *x) { *x = 1; }\nint main() { k<<<1, 1>>>(0); }\n")
    os.mkdir("w")
    with open("w/sysinfo.csv", "w") as f:
        f.write("workload_name,command,ip_blocks,timestamp,version,hostname,gpu_arch,cu_per_gpu,max_sclk\n"
                "x,./x,SQ,Mon,2.0.1,host,gfx90a,110,1700\n")
    with open("w/pmc_perf.csv", "w") as f:
        f.write("Dispatch_ID,GPU_ID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Kernel_Name,"
                "Start_Timestamp,End_Timestamp,SQ_WAVES\n0,0,64,64,0,k,10,20,1\n")


def names_of(path):
    """Ways to name a file, made for the purpose where they must be."""
    os.makedirs("names", exist_ok=True)
    for link, make in (("names/soft.x", os.symlink), ("names/hard.x", os.link)):
        if os.path.lexists(link):
            os.unlink(link)
        make(os.path.abspath(path) if make is os.symlink else path, link)
    if os.path.lexists("names/here"):
        os.unlink("names/here")
    os.symlink(os.getcwd(), "names/here")
    yield from (path, "./" + path, os.path.abspath(path), "names/../" + path, "names/here/" + path,
                "names/soft.x", "names/hard.x")


def check_refused(arguments, before, why=b"this command reads"):
    done = run(*arguments)
    assert done.returncode == 2, (arguments, done.returncode, done.stderr)
    lines = done.stderr.splitlines()
    assert len([l for l in lines if l.startswith(b"gpusight: cannot write")]) == 1, (arguments, lines)
    assert why in done.stderr, (arguments, done.stderr)
    assert done.stdout == b"", arguments
    now = everything()
    assert now == before, (arguments, set(now) ^ set(before))


def check_kept(arguments, before, said):
    done = run(*arguments)
    assert said in done.stderr if said else done.returncode == 2, (arguments, done.returncode, done.stderr)
    now = everything()
    assert now == before, (arguments, set(now) ^ set(before))


def check_inputs():
    make_inputs()
    n = 0
    for line in TARGETS + JOURNALS + KEPT:
        words = line.split()
        for word in words:
            for path in INPUTS.get(word, []):
                names = list(names_of(path))
                for name in [names[n % len(names)], names[(n + 3) % len(names)]]:  # all in turn
                    before = everything()
                    arguments = [name if w == "OUT" else FILES.get(w, w) for w in words]
                    if line in KEPT + JOURNALS:
                        check_kept(arguments, before, b"this command reads" if line in JOURNALS else None)
                    else:
                        check_refused(arguments, before)
                    n += 1
    # Names that are made of the input's.
    good("synth", "demo", "--format", "kineto", "-o", "run.json")
    os.makedirs("deep", exist_ok=True)
    os.symlink("..", "deep/up")
    good("synth", "demo", "-o", "x.v2.db", "--journal", "wal-left")
    for line in ("analyze --json -d . run.json", "analyze --json -o run run.json",
                 "analyze --json -d deep/up run.json", "info --json -o run.json run.json",
                 "analyze x.v2.db --format text -o x.v2.db-wal",
                 "compare --baseline b --baseline-dir . --save-baseline b u.db"):
        if "baseline" in line:
            good("compare", "--save-baseline", "b", "--baseline-dir", ".", "t.db")
        check_refused(line.split(), everything())
        n += 1
    for tail in ("-wal", "-shm", "-journal"):  # not there, but SQLite would take it for a part
        check_refused(["info", "--json", "-o", "t.db" + tail, "t.db"], everything(), b"belongs to a trace that this command reads")
        n += 1
    # The file that standard output goes to.
    for command in ("dump t.db", "analyze t.db", "info --json t.db", "summary t.db", "plot t.db"):
        before = everything()
        with open("t.db", "ab") as out:
            done = subprocess.run([GPUSIGHT, *command.split()], stdout=out, stderr=subprocess.PIPE)
        assert done.returncode == 2 and b"reads the file it goes to" in done.stderr, (command, done)
        assert everything() == before
        n += 1
    # Folders: tables over those of a workload, charts over an input.
    before = everything()
    check_refused(["report", "t.db", "--csv-dir", "w"], before, b"workload of rocprof-compute")
    os.mkdir("c")
    os.link("t.db", "c/ledger.svg")
    os.link("t.db", "c/gpu_timeline.csv")
    before = everything()
    check_refused(["plot", "t.db", "--chart", "all", "-o", "c"], before)
    check_refused(["report", "t.db", "--csv-dir", "c"], before)
    check_refused(["analyze", "t.db", "--format", "markdown", "--charts", "c"], before)
    # Two results in one place.
    check_refused(["compare", "t.db", "u.db", "-o", "r.txt", "--junit", "./r.txt"], before, b"two results")
    check_refused(["synth", "demo", "-o", "r.db", "--truth", "r.db"], before, b"two results")
    # What lies in a folder that is read, but is no input, may be written anew.
    for _ in range(2):
        good("analyze", "runs", "-o", "runs/report.json")
        good("analyze", "runs", "-o", "runs/report.html")
        good("history", "runs", "-o", "runs/history.json")
    print(f"{n + 7} targets refused")


def check_forms():
    good("synth", "hostile_names", "-o", "t.db")
    make_inputs_of_workload()
    starts = {"x.html": b"<!DOCTYPE html", "x.HTM": b"<!DOCTYPE html", "x.json": b"{", "x.pdf": b"%PDF",
              "x.md": b"#", "x.txt": b"", "x.log": b"", "x.xlsx": b"PK", "x.sh": b"#!/bin/sh"}
    commands = {"info t.db": "", "summary t.db": "", "analyze t.db": "", "history t.db t.db": "",
                "plan t.db": "sh", "compare t.db t.db": "xlsx", "analyze w": "", "info w": "",
                "compare w w": "", "analyze --source-dir src": ""}
    for command, extra in commands.items():
        for name, start in starts.items():
            done = run(*command.split(), "-o", name)
            if b"built without" in done.stderr:
                continue
            if name in ("x.sh", "x.xlsx") and not name.endswith(extra or "-"):
                assert done.returncode == 2 and not os.path.exists(name), (command, name)
                continue
            assert done.returncode == 0, (command, name, done.stderr)
            with open(name, "rb") as f:
                data = f.read()
            assert data.startswith(start) and data, (command, name, data[:50])
            if start == b"<!DOCTYPE html":
                assert b"<script>alert(1)" not in data and b"<img src=x" not in data, (command, name)
            os.unlink(name)
        for words in (["--format", "text", "-o", "x.html"], ["--json", "-o", "x.html"],
                      ["--format", "markdown", "-o", "x.htm"], ["--format", "html", "-o", "x.txt"],
                      ["-o", "x.svg"], ["-o", "x.db"], ["-o", "x.xml"], ["--format", "pdf", "-o", "x.json"]):
            done = run(*command.split(), *words)
            assert done.returncode == 2 and done.stderr.count(b"\n") == 1, (command, words, done)
            assert not glob.glob("x.*"), (command, words)
    done = run("compare", "w", "w", "--format", "xlsx", "-o", "x.xlsx")
    assert done.returncode == 2 and b"formats are text, json, markdown, html or pdf" in done.stderr, done.stderr
    for words in (["--format", "svg", "-o", "x.html"], ["--format", "svg", "-o", "x.png"], ["-o", "x.html"],
                  ["--format", "png", "-o", "x.svg"]):
        done = run("plot", "t.db", *words)
        assert done.returncode == 2 and not glob.glob("x.*"), (words, done)
    # Names made of the trace's: dots are part of them.
    os.rename("t.db", "run.v2.db")
    for option, end in (("text", "txt"), ("json", "json"), ("html", "html"), ("markdown", "md")):
        good("analyze", "-d", "out", "--format", option, "run.v2.db")
        assert os.path.exists("out/run.v2." + end), os.listdir("out")
    assert len(os.listdir("out")) == 4
    # A terminal gets no binary.
    controller, terminal = os.openpty()
    for command in ("analyze --format pdf run.v2.db", "plot --format png run.v2.db", "report run.v2.db -o -",
                    "compare --format xlsx run.v2.db run.v2.db"):
        done = subprocess.run([GPUSIGHT, *command.split()], stdout=terminal, stderr=subprocess.PIPE)
        assert done.returncode == 2 and b"terminal" in done.stderr, (command, done)
    os.close(controller)
    os.close(terminal)


def make_inputs_of_workload():
    """As make_inputs(), but with names that would be script in HTML."""
    os.mkdir("src")
    with open("src/a.hip", "w") as f:
        f.write("__global__ void k(float *x) { *x = 1; }\nint main() { k<<<1, 1>>>(0); }\n")
    os.mkdir("w")
    bad = "<img src=x onerror=alert(1)><script>alert(1)</script>"
    with open("w/sysinfo.csv", "w") as f:
        f.write("workload_name,command,ip_blocks,timestamp,version,hostname,gpu_arch,cu_per_gpu,max_sclk\n"
                f"{bad},./x,SQ,Mon,2.0.1,{bad},gfx90a,110,1700\n")
    with open("w/pmc_perf.csv", "w") as f:
        f.write("Dispatch_ID,GPU_ID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Kernel_Name,"
                f"Start_Timestamp,End_Timestamp,SQ_WAVES\n0,0,64,64,0,{bad},10,20,1\n")


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def check_files():
    good("synth", "demo", "-o", "t.db")
    # Permissions: those of the file that is replaced, else what the umask leaves.
    writes = {"r.json": ["analyze", "t.db", "-o", "r.json"], "r.xlsx": ["report", "t.db", "-o", "r.xlsx"],
              "s.db": ["synth", "demo", "-o", "s.db"], "p.svg": ["plot", "t.db", "-o", "p.svg"],
              "k.json": ["synth", "demo", "--format", "kineto", "-o", "k.json"],
              "v.json": ["synth", "demo", "--format", "rocprofv3-json", "-o", "v.json"],
              "n.sqlite": ["synth", "demo", "--format", "nsys", "-o", "n.sqlite"]}
    for path, command in writes.items():
        for mode in (0o600, 0o640, 0o755):
            if b"built without" in run(*command).stderr:
                break
            os.chmod(path, mode)
            good(*command)
            assert mode_of(path) == mode, (path, oct(mode), oct(mode_of(path)))
        if os.path.exists(path):
            os.unlink(path)
        old = os.umask(0o027)
        if b"built without" not in run(*command).stderr:
            assert mode_of(path) == 0o640, (path, oct(mode_of(path)))
        os.umask(old)
    # A link is replaced, its target stays.
    with open("target", "w") as f:
        f.write("kept")
    os.symlink("target", "link.json")
    good("analyze", "t.db", "-o", "link.json")
    assert not os.path.islink("link.json") and open("target").read() == "kept"
    # Pipes and devices are written into, or refused where a database needs a file.
    os.mkfifo("fifo")
    for command in (["analyze", "t.db", "-o", "fifo"], ["plot", "t.db", "-o", "fifo"],
                    ["synth", "demo", "--format", "kineto", "-o", "fifo"],
                    ["synth", "demo", "--format", "rocprofv3-json", "-o", "fifo"]):
        with subprocess.Popen([GPUSIGHT, *command], stderr=subprocess.PIPE) as child:
            with open("fifo", "rb") as f:
                data = f.read()
            assert child.wait() == 0 and len(data) > 1000, (command, child.stderr.read())
        assert stat.S_ISFIFO(os.stat("fifo").st_mode)
    os.mkfifo("fifo.html")  # its name says what goes into it, as that of a file does
    with subprocess.Popen([GPUSIGHT, "summary", "t.db", "-o", "fifo.html"], stderr=subprocess.PIPE) as child:
        with open("fifo.html", "rb") as f:
            assert f.read().startswith(b"<!DOCTYPE html") and child.wait() == 0
    for form in ("rocpd", "nsys"):
        done = run("synth", "demo", "--format", form, "-o", "fifo")
        assert done.returncode == 2 and b"needs a file" in done.stderr and stat.S_ISFIFO(os.stat("fifo").st_mode)
    for form in ("kineto", "rocprofv3-json"):
        done = run("synth", "demo", "--format", form, "-o", "/dev/full")
        assert done.returncode == 3 and b"No space left" in done.stderr, done.stderr
        assert stat.S_ISCHR(os.stat("/dev/full").st_mode)
    # Standard output, whatever it is called, keeps what is there and goes on behind it.
    for name in ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
        with open("out", "wb") as out:
            out.write(b"before\n")
            out.flush()
            done = subprocess.run([GPUSIGHT, "analyze", "--json", "t.db", "-o", name], stdout=out)
        with open("out", "rb") as f:
            data = f.read()
        assert done.returncode == 0 and data.startswith(b"before\n{") and data.endswith(b"}\n"), (name, data[:20])
    # Words of a description are no paths.
    text = run("synth", "--show", "one_kernel").stdout.decode()
    for host in ("../../x", "..", "/etc/x", ".hidden", "a/b", "\x1b]0;T\x07"):
        os.makedirs("box/out", exist_ok=True)
        with open("box/h.trace", "w") as f:
            f.write(text.replace("process", f'process host="{host}"', 1) if "host=" not in text else text)
        before = {p for p in everything() if not p.startswith("box/out/")}
        for form, end in (("rocpd", "db"), ("nsys", "sqlite"), ("kineto", "json"), ("rocprofv3-json", "json")):
            done = run("synth", "box/h.trace", "--format", form, "-o", "box/out/%host%." + end)
            assert done.returncode == 0, (host, done.stderr)
            assert b"\x1b" not in done.stderr, done.stderr
        assert {p for p in everything() if not p.startswith("box/out/")} == before, host
        assert all(os.path.dirname(p) == "box/out" for p in everything() if p.startswith("box/out/"))
    # Names reach a terminal as escapes.
    bad = "e\x1b]0;T\x07\u202e\u0085\u200e.db"
    good("synth", "demo", "-o", bad)
    for command in (["analyze", "--json", "-d", "o2", bad], ["synth", "demo", "-o", bad],
                    ["report", bad, "--csv-dir", "o2\x1b[2J"], ["plot", bad, "-o", "p\x1b.svg"],
                    ["info", "--json", "-o", "i\u202e.json", bad], ["analyze", "no\x1b.db"]):
        text = run(*command).stderr.decode()
        assert text and not set(text) & set("\x1b\x07\u202e\u0085\u200e"), (command, text)
    # A full file system: one line, 3, nothing left.
    before = set(everything())
    for command in (["analyze", "t.db", "--json", "-o", "big.json"], ["report", "t.db", "--csv-dir", "big"],
                    ["synth", "demo", "-o", "big.db"], ["report", "t.db", "-o", "big.xlsx"],
                    ["synth", "demo", "--format", "kineto", "-o", "big.json"],
                    ["plot", "t.db", "--chart", "all", "-o", "bigs"]):
        done = subprocess.run(["prlimit", "--fsize=4096", GPUSIGHT, *command], stderr=subprocess.PIPE)
        if b"built without" in done.stderr:
            continue
        assert done.returncode == 3 and done.stderr.count(b"\n") == 1, (command, done)
        assert set(everything()) == before and not os.path.exists("big"), (command, set(everything()) ^ before)


def check_left():
    """Where a file needs a name while it is written, SIGKILL leaves it: the next writer clears it away."""
    command = [GPUSIGHT, "synth", "bench", "--set", "n=20000", "--journal", "wal", "-o", "left/l.db"]
    os.mkdir("left")
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as child:
        while not glob.glob("left/*.tmp") and child.poll() is None:
            time.sleep(0.001)
        child.kill()
    assert glob.glob("left/l.db.*.tmp"), os.listdir("left")
    good("synth", "demo", "--set", "n=2", "-o", "left/other.db")
    assert b"other.db" in good("info", "left").stdout  # and not two ranks
    others = ["left/l.db.x.tmp", "left/l.db.7.tmp.txt", "left/xl.db.99999999.tmp", f"left/l.db.{os.getpid()}.tmp"]
    for path in others:
        open(path, "wb").close()
    good("synth", "demo", "--set", "n=2", "--journal", "wal", "-o", "left/l.db")
    assert sorted(os.listdir("left")) == sorted([os.path.basename(p) for p in others] + ["l.db", "other.db"]), os.listdir("left")
    for path in others:
        os.unlink(path)


def check_signals():
    good("synth", "bench", "--set", "n=20000", "-o", "t.db")
    work = [["analyze", "t.db", "-o", "r.html"], ["report", "t.db", "--kernel-details", "-o", "r.xlsx"],
            ["report", "t.db", "--kernel-details", "--csv-dir", "tables"],
            ["synth", "bench", "--set", "n=20000", "-o", "s.db"],
            ["synth", "bench", "--set", "n=20000", "--format", "kineto", "-o", "k.json"],
            ["plot", "t.db", "--chart", "all", "-o", "charts"]]
    generator, ended = random.Random(1), 0
    whole = None
    for command in work:
        begin = time.monotonic()
        if b"built without" in run(*command).stderr:
            continue
        length = time.monotonic() - begin
        if "tables" in command:
            whole = len(os.listdir("tables"))
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL) * 5:
            for path in glob.glob("tables/*"):
                os.unlink(path)
            with subprocess.Popen([GPUSIGHT, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
                time.sleep(generator.random() * length)
                child.send_signal(number)
                ended += child.wait() == -number
            left = glob.glob("**/*.tmp*", recursive=True)
            if left and number == signal.SIGKILL:  # between two steps; the next writer clears it away
                good(*command)
                left = glob.glob("**/*.tmp*", recursive=True)
            assert not left, (command, number, left)
            if number != signal.SIGKILL and os.path.isdir("tables"):
                assert len(os.listdir("tables")) in (0, whole), os.listdir("tables")
    assert ended > 30, ended
    check_left()
    # Who ignores a signal goes on ignoring it.
    done = subprocess.run(["sh", "-c", "trap '' TERM; exec \"$@\"", "sh", GPUSIGHT, "analyze", "t.db", "-o", "i.json"],
                          stderr=subprocess.DEVNULL)
    assert done.returncode == 0
    print(f"{ended} ended by a signal, nothing left")


CHECKS = {"inputs": check_inputs, "forms": check_forms, "files": check_files, "signals": check_signals}


def start(program):
    global GPUSIGHT
    GPUSIGHT = program


if __name__ == "__main__":
    sys.exit(tell.run_one(CHECKS, __doc__.split("\n")[0], start))
