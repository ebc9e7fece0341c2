"""Names: mangled ones that cost a demangler its stack, and ones that speak to terminals, browsers,
shells and spreadsheets."""
import gzip
import json
import os
import sqlite3

import seeds
from hostile import item

ESCAPES = "\x1b[31mred\x1b]0;title\x07 \x9b2J \x85 \u202egnp.exe\u202c\u2066x\u2069 \u200f\x00\x08"
SCRIPT = "<img src=x onerror=\"window.__pwned=1\"></script><script>window.__pwned=2</script>"
FORMULA = "=cmd|'/c calc'!A1"


def clash(groups, scopes=30, templates=20, each=20):
    """A mangled name whose demangling needs scopes times templates records: `RT_` opens a scope in
    three bytes, `1bIiE` a template in five."""
    group = "1aI" + "RT_" * scopes + "1bIiE" * templates + "E"
    whole, rest = divmod(groups, each)
    return "_Z1fIiEv" + ("1cI" + group * each + "E") * whole + "1cI" + group * rest + "E"


def with_name(path, name, only=None):
    """A rocpd trace in which names, host, command and product are that text; or only one column."""
    seeds.rocpd(path)
    db = sqlite3.connect(path)
    tables = {r[0].rsplit("_", 5)[0]: r[0] for r in db.execute(
        "SELECT name FROM sqlite_master WHERE type='table' AND name LIKE 'rocpd_%'")}
    for prefix, table in tables.items():
        columns = [r[1] for r in db.execute(f'PRAGMA table_info("{table}")')]
        if only:
            if only in columns:
                db.execute(f'UPDATE "{table}" SET {only}=?', (name,))
            continue
        if "kernel_name" in columns:
            db.execute(f'UPDATE "{table}" SET kernel_name=?, display_name=? WHERE id % 2', (name,) * 2)
        if prefix == "rocpd_string":
            db.execute(f'UPDATE "{table}" SET string=?||id WHERE id % 5 = 0', (name,))
        for column in ("hostname", "command", "product_name", "user_name"):
            if column in columns and not prefix.endswith("code_object"):
                db.execute(f'UPDATE "{table}" SET {column}=?', (name,))
    db.commit()
    db.close()
    return path


def clash_json(folder):
    """19 kB of name want 40 MB of stack at once: beyond the guard page."""
    return seeds.events(f"{folder}/a.json", seeds.kernel_event(clash(100)))


def clash_64k(folder):
    """64 kB of name want a gigabyte of stack."""
    return seeds.events(f"{folder}/a.json", seeds.kernel_event(clash(330)[:65500]),
                        seeds.kernel_event(clash(330)))


def clash_sizes(folder):
    """Names of many sizes: each puts the stack elsewhere."""
    return seeds.events(f"{folder}/a.json", *(
        seeds.kernel_event(clash(n, scopes, 50 - scopes), ts=n * 10, dur=5)
        for n in range(2, 300, 7) for scopes in (10, 30)))


def clash_other_letters(folder):
    """References to rvalues, const and pointers open scopes as well."""
    name = clash(100)
    return seeds.events(f"{folder}/a.json", *(
        seeds.kernel_event(name.replace("RT_", scope)) for scope in
        ("OT_", "PT_", "KT_", "RKT_", "RT0_", "DpT_", "RS_", "RDTT_E", "M1aT_")))


def clash_heap(folder):
    """Many rows beside the stack of the demangler, which a clash overwrites."""
    row = json.dumps(seeds.kernel_event("k", ts=7, dur=3)) + ","
    block = gzip.compress(row.encode() * 10000, 9, mtime=0)
    head = '{"traceEvents":[' + json.dumps(seeds.kernel_event(clash(220))) + ","
    tail = json.dumps(seeds.kernel_event("last")) + "]}"
    return seeds.write_text(f"{folder}/a.json.gz", gzip.compress(head.encode(), mtime=0)
                            + block * 60 + gzip.compress(tail.encode(), mtime=0))


clash_heap.hostile = {"heavy": True}


def clash_rocpd(folder):
    """The same names in a database."""
    return with_name(f"{folder}/a.db", clash(120))


def clash_csv(folder):
    """The same names in CSV files."""
    return seeds.rocprofv3_csv(f"{folder}/csv", kernel=clash(120))


def clash_workload(folder):
    """The same names in a folder of rocprof-compute."""
    path = seeds.workload(f"{folder}/work")
    text = open(f"{path}/pmc_perf.csv", encoding="utf-8").read()
    seeds.write_text(f"{path}/pmc_perf.csv", text.replace(seeds.KERNEL, clash(120)))
    return path


def deep_names(folder):
    """Templates in templates, lambdas in lambdas, brackets that never close."""
    n = 8000
    return seeds.events(f"{folder}/a.json", *(seeds.kernel_event(name) for name in (
        "_Z1f" + "I1aIiE" * n, "_Z1fI" + "1aI" * n + "i" + "E" * n + "Evv", "_ZN" + "1a" * n + "Ev",
        "_Z1f" + "PFv" * n, "_Z1fIXadL" * n, "void k<" + "a<" * n, "f(" * n, "k" + ">" * n,
        "_ZZ" * n + "1fvE", "_ZN" + "UlT_E_" * n + "Ev", "_Z1fDpT" + "_DpT" * n,
        "_Z1fIiEv" + "DTcl1fspT_EE" * (n // 4), "_R" + "NvC1a" * n, "_D" + "1a" * n)))


def escapes_kineto(folder):
    """Names that recolour, retitle and reverse a terminal."""
    return seeds.events(f"{folder}/a.json", seeds.kernel_event(ESCAPES),
                        seeds.kernel_event("plain", ts=9000),
                        {"ph": "X", "cat": "cuda_runtime", "name": ESCAPES, "pid": 1, "tid": 1,
                         "ts": 0, "dur": 5, "args": {"correlation": 1}},
                        {"ph": "X", "cat": "user_annotation", "name": ESCAPES, "pid": 1, "tid": 1,
                         "ts": 0, "dur": 9},
                        {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": ESCAPES}},
                        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1,
                         "args": {"name": ESCAPES}},
                        deviceProperties=[{"id": 0, "name": ESCAPES, "gcnArchName": ESCAPES}])


def escapes_rocpd(folder):
    """The same in names, host, command and product of a database."""
    return with_name(f"{folder}/a.db", ESCAPES.replace("\0", ""))


def escapes_csv(folder):
    """The same in CSV files, with the name of the capture."""
    return seeds.rocprofv3_csv(f"{folder}/csv", name="\x1b]0;T\x07\u202e", kernel=ESCAPES[:-2])


def escapes_path(folder):
    """A file whose name recolours the terminal that says it was written."""
    return seeds.rocpd(f"{folder}/e\x1b]0;T\x07\u202eb.v2.db")


def escapes_workload(folder):
    """The same in the facts about a workload."""
    path = seeds.workload(f"{folder}/work", name=ESCAPES[:-2])
    text = open(f"{path}/pmc_perf.csv", encoding="utf-8").read()
    seeds.write_text(f"{path}/pmc_perf.csv", text.replace(seeds.KERNEL, "\x1b[31m\u202ek"))
    return path


@item(kind="att")
def escapes_att(folder):
    """The same in instructions and source lines of a thread trace."""
    path = seeds.att(f"{folder}/att", source="\x1b[31m" + SCRIPT.replace("\"", "'"))
    stats = f"{path}/stats_ui_output_agent_1_dispatch_2.csv"
    text = open(stats, encoding="utf-8").read()
    seeds.write_text(stats, text.replace("; axpy", "; axpy \x1b[31m<img src=x onerror=__pwned>"))
    return path


@item(kind="source")
def escapes_source(folder):
    """The same in source code and in the names of its files."""
    path = seeds.source_tree(f"{folder}/src")
    seeds.write_text(f"{path}/\x1b[31m\u202e<img src=x onerror=__pwned>.cpp",
                     f"for(;;){{ hipMemcpy(\"{ESCAPES}\",{SCRIPT},1,2); k\x1b<<<1,1>>>(); }}\n")
    return path


def script_kineto(folder):
    """Names that would run in a browser."""
    return seeds.events(f"{folder}/a.json", seeds.kernel_event(SCRIPT),
                        seeds.kernel_event("<!--<script>window.__pwned=4", ts=9000),
                        seeds.kernel_event("]]><svg/onload=window.__pwned=5>", ts=19000))


def script_rocpd(folder):
    """The same in names, host, command and product of a database."""
    return with_name(f"{folder}/a.db", SCRIPT)


def script_workload(folder):
    """The same in the name of a workload and of its kernels."""
    path = seeds.workload(f"{folder}/work", name=SCRIPT)
    text = open(f"{path}/pmc_perf.csv", encoding="utf-8").read()
    seeds.write_text(f"{path}/pmc_perf.csv", text.replace(seeds.KERNEL, "<img src=x onerror=__pwned>"))
    return path


def script_path(folder):
    """The same in the name of the file."""
    os.makedirs(f"{folder}/<img src=x onerror=__pwned>")
    return seeds.rocpd(f"{folder}/<img src=x onerror=__pwned>/<script>__pwned<.db")


def formulas(folder):
    """Names that a spreadsheet would compute."""
    return with_name(f"{folder}/a.db", FORMULA)


def shell_words(folder):
    """A command line that leaves the quotes of a script, and one that is a program to run."""
    return with_name(f"{folder}/a.db", "x'; touch pwned; $(touch pwned) `touch pwned` \n touch pwned #")


@item(forbidden=b"swordfish7", secret="command")
def secrets(folder):
    """Passwords and tokens on the command line of the traced program, in forms that people and programs write."""
    x = "swordfish7"
    return with_name(f"{folder}/a.db", f"./app --password={x} --token {x} -p --api-key=x{x} SECRET={x} --auth-token '{x}' run "
                     f"[\"--password\", \"{x}\"] {{\\\"token\\\": \\\"{x}\\\"}} password = {x} --pw='a'\\''{x}' --token=a\\ {x} "
                     f"me:{x}@host SSHPASS={x} -H 'Cookie: a=b; c={x}' -H Authorization:\\ Bearer\\ {x} 'http://h/x?sig={x}&y=1' "
                     f"aws_secret_access_key {x} ghp_{x}0123456789abcdef https://u:{x}@h/", only="command")


@item(forbidden=b"swordfish7", secret="command")
def secrets_workload(folder):
    """The same in the name and the command of a workload."""
    path = seeds.workload(f"{folder}/work")
    with open(f"{path}/sysinfo.csv", encoding="utf-8") as f:
        head, row = f.read().splitlines()[:2]
    name, rest = row.split(",", 1)
    assert head.startswith("workload_name,"), head
    seeds.write_text(f"{path}/sysinfo.csv", f"{head},command\n{name} --token swordfish7,{rest},TOKEN=swordfish7 ./app\n")
    return path


@item(forbidden=b"hunter2-do-not-print", secret="environment")
def secret_environment(folder):
    """A password in the environment that the profiler recorded: synth puts one into every trace."""
    return seeds.rocpd(f"{folder}/a.db")


def broken_utf8(folder):
    """Names that are no text: cut sequences, surrogates, overlong forms, NUL bytes."""
    path = seeds.events(f"{folder}/a.json", *(seeds.kernel_event(f"k{i}@@", ts=i * 9)
                                              for i in range(6)))
    data = open(path, "rb").read()
    for bad in (b"\xff\xfe", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x80", b"\\u0000"):
        data = data.replace(b"@@", bad, 1)
    return seeds.write_text(path, data)


def long_names(folder):
    """Names of a megabyte, with and without places to break them."""
    n = 1 << 20
    return seeds.events(f"{folder}/a.json", *(seeds.kernel_event(x * n, ts=i * 9000) for i, x in
                                              enumerate(["x", "a ", "<", "&", "\u202e", "{", "="])))
