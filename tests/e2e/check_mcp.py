#!/usr/bin/env python3
"""The MCP server against a client of our own: every method and tool, and everything that is wrong.

    check_mcp.py --gpusight GPUSIGHT [--large FILE]

--large measures: every tool on a large trace that is there already, three times each, changes of whatif, and statements of SQL.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True  # leave no files in the tree
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "tools")]
import schema  # noqa: E402
from mcp_client import Client  # noqa: E402

NEEDED = {"finding": {"id": "ROCPD-MEMBW-001"}, "kernel": {"name": "1"}, "event": {"id": "5", "kind": "dispatch"},
          "compare": {"before": "demo.db", "after": "healthy.db"}, "explain": {"term": "pct_of_wall"},
          "source": {"source_dir": "src"}, "query": {"sql": "SELECT count(*) AS n FROM kernels"},
          "sql_query": {"sql": "SELECT count(*) AS n FROM kernels"}, "get_table_schema": {"table": "kernels"}}
# What agents ask, over all rows.
STATEMENTS = """select name, count(*), sum(duration) from kernels group by name order by 3 desc
select name, avg(duration), min(duration), max(duration), stddev(duration), percentile(duration, 95) from kernels group by name
select gpu, stream_id, queue_id, count(*), sum(duration) from kernels group by 1, 2, 3
select (start - (select min(start) from kernels)) / 10000000 as bucket, count(*), sum(duration) from kernels group by bucket
select case when duration < 5000 then 'short' else 'long' end as kind, count(*) from kernels group by kind
select count(*), sum(duration) from kernels where name like '%gemm%'
select name, sum(duration) from kernels where start > (select min(start) from kernels) + 100000000 group by name having count(*) > 9
select name, start, duration from kernels order by duration desc limit 20
select count(distinct name), max("end") - min(start) from kernels
select name, count(*), sum(duration) from regions group by name order by 3 desc limit 10
select direction, count(*), sum(size), sum(duration) from memory_copies group by direction
select * from top_kernels limit 10
select r.name, count(*), avg(k.start - r.end) from kernels k join regions r on r.id = k.stack_id group by r.name
select name, start - lag("end") over (partition by stream_id order by start) gap from kernels order by gap desc limit 10"""
NAMES = """analyze ledger findings hotspots window compare plan whatif explain source info summary gaps copies mpi
    markers streams operators phases ranks counters report profile_summary phase_summary top_kernels gap_histogram
    memcpy_summary mpi_summary marker_ranges stream_summary query sql_query get_table_schema""".split()


def fits(value, described, where):
    found = list(schema.problems(value, described))
    assert not found, (where, found[:5])


def open_client(o, folder, *options):
    return Client([o.gpusight, "mcp", "--threads", "2", *options, folder])


def pages(client, method, key):
    """All items of a listing, page after page."""
    items, cursor = [], None
    while True:
        page = client.result(method, {"cursor": cursor} if cursor else {})
        items += page[key]
        cursor = page.get("nextCursor")
        if not cursor:
            return items


def check_versions(o, folder):
    for asked, given in (("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"), ("2025-06-18", "2025-06-18"),
                         ("2025-11-25", "2025-11-25"), ("1999-01-01", "2025-11-25"), ("3000-01-01", "2025-11-25")):
        client = open_client(o, folder)
        begun = client.begin(asked)
        assert begun["protocolVersion"] == given, begun
        assert begun["serverInfo"]["name"] == "gpusight" and begun["instructions"]
        tools = client.result("tools/list")["tools"]
        assert all(("outputSchema" in t) == (given >= "2025-06-18") for t in tools)
        assert all(("annotations" in t) == (given >= "2025-03-26") for t in tools)
        answer = client.tool("explain", {"term": "calls"})
        assert ("structuredContent" in answer) == (given >= "2025-06-18")
        batch = [{"jsonrpc": "2.0", "id": "a", "method": "ping"}, {"jsonrpc": "2.0", "method": "notifications/x"},
                 {"jsonrpc": "2.0", "id": "b", "method": "tools/call", "params": {"name": "traces"}}, 5]
        client.send(batch)
        if given == "2025-03-26":
            answers = client.wait(lambda m: isinstance(m, list))
            assert sorted(str(a["id"]) for a in answers) == ["None", "a", "b"], answers
        else:
            assert client.wait(lambda m: isinstance(m, dict) and m.get("id", 0) is None)["error"]["code"] == -32600
        assert client.end() == 0


def check_tools(o, folder):
    client = open_client(o, folder)
    client.begin()
    tools = {t["name"]: t for t in pages(client, "tools/list", "tools")}
    assert not set(NAMES) - set(tools), set(NAMES) - set(tools)
    client.tool("analyze", {"trace": "healthy.db"})
    for name, tool in tools.items():
        client.tool("analyze", {"trace": "demo.db"})
        arguments = NEEDED.get(name, {})
        fits(arguments, tool["inputSchema"], name)
        answer = client.tool(name, arguments)
        assert answer["isError"] is False, (name, answer)
        assert json.loads(answer["content"][0]["text"]) == answer["structuredContent"], name
        assert len(answer["content"][0]["text"]) <= 100000, name
        fits(answer["structuredContent"], tool["outputSchema"], name)
        assert tool["annotations"]["readOnlyHint"] is True
        for wrong in ({"no_such": 1}, {"trace": ["x"]}, {"limit": "many"}, {"limit": -1}, {"cursor": "x"}):
            bad = client.ask("tools/call", {"name": name, "arguments": {**arguments, **wrong}})
            assert bad["result"]["isError"] is True, (name, wrong, bad)
            assert "structuredContent" not in bad["result"]
            assert json.loads(bad["result"]["content"][0]["text"])["error"]
        for params in ({"name": name, "arguments": 5}, {"name": name, "arguments": [1]}):
            assert client.ask("tools/call", params)["error"]["code"] == -32602, name
    assert client.ask("tools/call", {"name": "rm", "arguments": {}})["error"]["code"] == -32602
    assert client.ask("tools/call", {"arguments": {}})["error"]["code"] == -32602
    assert client.end() == 0
    return len(tools)


def check_numbers(o, folder):
    """Tools say what the commands say."""
    client = open_client(o, folder)
    client.begin()
    path = os.path.join(folder, "demo.db")
    run = subprocess.run([o.gpusight, "analyze", "--json", path], check=True, capture_output=True)
    document = json.loads(run.stdout)

    def ask(name, **arguments):
        return client.tool(name, arguments)["structuredContent"]

    assert ask("analyze", trace="demo.db")["verdict"] == document["verdict"]
    assert ask("hotspots", limit=1000)["tables"]["hotspots"] == document["analyses"]["hotspots"]
    assert ask("ledger")["causes"] == document["ledger"]["causes"]
    assert ask("finding", id=document["recommendations"][0]["id"])["finding"] == document["recommendations"][0]
    assert ask("gaps")["tables"]["long_gaps"] == document["analyses"]["long_gaps"]
    start, end = document["ledger"]["start_ns"], document["ledger"]["end_ns"]
    first, last = start + (end - start) // 4, start + (end - start) // 2
    run = subprocess.run([o.gpusight, "analyze", "--json", "--window", f"{first}..{last}", path], check=True,
                         capture_output=True)
    part = json.loads(run.stdout)
    assert ask("hotspots", start_ns=first, end_ns=last, limit=1000)["tables"]["hotspots"] == part["analyses"]["hotspots"]
    assert ask("copies", start_ns=first, end_ns=last)["tables"]["copies"] == part["analyses"]["copies"]
    rows = ask("query", sql="SELECT name, count(*) AS calls FROM kernels GROUP BY name ORDER BY name", limit=2)
    assert rows["count"] == 2 and rows["next_cursor"] == "2"
    calls = sorted((h["name"], h["calls"]) for h in document["analyses"]["hotspots"])
    assert [(r["name"], r["calls"]) for r in rows["rows"]] == calls[:2]
    for statement in ("DELETE FROM kernels", "ATTACH 'x' AS y", "SELECT 1; SELECT 2", "SELECT load_extension('x')", "", "SELECT nothing"):
        assert client.tool("query", {"sql": statement})["isError"], statement
    run = subprocess.run([o.gpusight, "whatif", "--json", "--remove", "sync", path], check=True, capture_output=True)
    assert ask("whatif", remove=["sync"])["result"] == json.loads(run.stdout)["result"]
    run = subprocess.run([o.gpusight, "compare", "--json", path, os.path.join(folder, "healthy.db")], check=True,
                         capture_output=True)
    assert ask("compare", before="demo.db", after="healthy.db")["verdict"] == json.loads(run.stdout)["verdict"]
    assert client.end() == 0


def check_operators(o, folder):
    """Kernel time goes to the operator that launched it, and once more to those around that."""
    def event(name, category, start, end, tid, **args):
        return {"ph": "X", "name": name, "cat": category, "ts": start, "dur": end - start, "pid": 7, "tid": tid, "args": args}

    events = [event("aten::linear", "cpu_op", 0, 100, 7), event("aten::mm", "cpu_op", 10, 50, 7),
              event("cudaLaunchKernel", "cuda_runtime", 20, 30, 7, correlation=1),
              event("gemm", "kernel", 60, 90, 1, correlation=1, device=0, stream=1),
              event("aten::add", "cpu_op", 110, 150, 7),
              event("cudaLaunchKernel", "cuda_runtime", 120, 130, 7, correlation=2),
              event("add", "kernel", 160, 170, 1, correlation=2, device=0, stream=1)]
    with open(os.path.join(folder, "ops.json"), "w", encoding="utf-8") as f:
        json.dump({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100"}], "traceEvents": events}, f)
    client = open_client(o, folder)
    client.begin()
    rows = client.tool("operators", {"trace": "ops.json"})["structuredContent"]["operators"]
    found = {r["name"]: (r["calls"], r["kernels"], r["kernel_ns"], r["self_kernel_ns"]) for r in rows}
    assert found == {"aten::mm": (1, 1, 30000, 30000), "aten::linear": (1, 1, 30000, 0), "aten::add": (1, 1, 10000, 10000)}, found
    assert [r["name"] for r in rows][:2] == ["aten::mm", "aten::add"]
    assert abs(sum(r["pct_of_kernels"] for r in rows) - 100) < 1e-9
    assert client.end() == 0
    os.unlink(os.path.join(folder, "ops.json"))


def check_documents(o, folder):
    client = open_client(o, folder, "--page", "3")
    client.begin()
    resources = pages(client, "resources/list", "resources")
    assert {"gpusight://guide", "gpusight://schema/analysis", "gpusight://docs/mcp"} <= {r["uri"] for r in resources}
    assert len(resources) == len({r["uri"] for r in resources})
    assert "version " in resources[0]["description"] and resources[0]["uri"] == "gpusight://guide"
    for r in resources:
        content = client.result("resources/read", {"uri": r["uri"]})["contents"][0]
        assert content["uri"] == r["uri"] and content["mimeType"] == r["mimeType"] and len(content["text"]) > 100
        if r["uri"].startswith("gpusight://schema/"):
            assert json.loads(content["text"])["$schema"]
    assert len(client.result("resources/templates/list")["resourceTemplates"]) == 3
    assert "hotspots" in client.result("resources/read", {"uri": "gpusight://explain/pct_of_wall"})["contents"][0]["text"]
    for uri in ("gpusight://docs/../../etc/passwd", "gpusight://docs/%2e%2e%2fmcp", "file:///etc/passwd", "", "gpusight://",
                "gpusight://docs/%zz", "gpusight://docs/" + "x" * 5000, "gpusight://explain/nothing-like-it"):
        assert client.ask("resources/read", {"uri": uri})["error"]["code"] == -32002, uri
    assert client.ask("resources/read", {"uri": 7})["error"]["code"] == -32602
    assert len(pages(client, "tools/list", "tools")) > 30
    prompts = {p["name"]: p for p in client.result("prompts/list")["prompts"]}
    assert set(prompts) == {"explain", "optimise", "compare"}
    for name, p in prompts.items():
        values = {a["name"]: f"<{a['name']}>" for a in p["arguments"]}
        text = client.result("prompts/get", {"name": name, "arguments": values})["messages"][0]["content"]["text"]
        assert all(v in text for v in values.values()) and "{" not in text, text
        assert client.ask("prompts/get", {"name": name})["error"]["code"] == -32602
    assert client.ask("prompts/get", {"name": "no"})["error"]["code"] == -32602
    assert client.ask("tools/list", {"cursor": "zzz"})["error"]["code"] == -32602
    assert client.ask("tools/list", {"cursor": "99999"})["error"]["code"] == -32602
    found = client.result("completion/complete", {"ref": {"type": "ref/prompt", "name": "explain"},
                                                  "argument": {"name": "trace", "value": ""}})["completion"]
    assert any(v.endswith("demo.db") for v in found["values"])
    found = client.result("completion/complete", {"ref": {"type": "ref/resource", "uri": "gpusight://docs/{name}"},
                                                  "argument": {"name": "name", "value": "me"}})["completion"]
    assert found["values"] == ["metrics"], found
    assert client.ask("completion/complete", {})["error"]["code"] == -32602
    for ref in ({"type": "ref/prompt", "name": "no such"}, {"type": "ref/prompt"}, {"type": "ref/resource"}):
        wrong = client.ask("completion/complete", {"ref": ref, "argument": {"name": "trace", "value": ""}})
        assert wrong["error"]["code"] == -32602, (ref, wrong)
    assert client.result("logging/setLevel", {"level": "debug"}) == {}
    assert client.ask("logging/setLevel", {"level": "loud"})["error"]["code"] == -32602
    client.tool("info", {"trace": "missing.db"})
    assert client.wait(lambda m: isinstance(m, dict) and m.get("method") == "notifications/message")
    assert client.end() == 0


def check_bad_input(o, folder):
    client = open_client(o, folder)
    for line, code in ((b"", None), (b"   ", None), (b"{", -32700), (b"nonsense", -32700), (b'"text"', -32600), (b"7", -32600),
                       (b"null", -32600), (b"[]", -32600), (b"{}", -32600), (b'{"jsonrpc":"2.0"}', -32600),
                       (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600), (b'{"id":1,"method":"ping"}', -32600),
                       (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600), (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
                       (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600), (b'{"jsonrpc":"2.0","id":1,"method":"a\\u0000b"}', -32600),
                       (b'{"jsonrpc":"2.0","id":1,"method":"rm -rf"}', -32601),
                       (b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[1]}', -32602),
                       (b'{"jsonrpc":"2.0","id":1,"method":"initialize"}', -32602),
                       (b'{"jsonrpc":"2.0","id":1,"method":"ping"} x', -32700),
                       (b'{"jsonrpc":"2.0","id":1,"method":"\xff\xfe"}', -32601),
                       (b'{"jsonrpc":"2.0","id":"' + b"x" * 5000 + b'","method":"ping"}', -32600),
                       (b'{"a":' + b"[" * 100000, -32700), (b"\x00\x01\x02", -32700), (b"%s%n%s", -32700),
                       (b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}', None),
                       (b'{"jsonrpc":"2.0","method":"notifications/nothing"}', None),
                       (b'{"jsonrpc":"2.0","id":5,"result":{}}', None)):
        client.write(line + b"\n")
        if code:
            answer = client.wait(lambda m: isinstance(m, dict) and "error" in m)
            assert answer["error"]["code"] == code, (line[:80], answer)
    client.write(b'{"jsonrpc":"2.0","id":1,"method":"ping","x":"' + b"y" * (9 << 20) + b'"}\n')
    assert client.wait(lambda m: "error" in m)["error"]["code"] == -32600
    assert client.result("ping") == {}
    client.write(b'{"jsonrpc":"2.0","id":"ids are echoed \xe2\x9c\x93","method":"ping"}\r\n')
    assert client.wait(lambda m: m.get("id") == "ids are echoed ✓")["result"] == {}
    assert not client.lines, client.lines
    client.write(b'{"jsonrpc":"2.0","id":"last","method":"ping"}')  # no line end before the end
    assert client.end() == 0
    assert [json.loads(line)["id"] for line in client.lines] == ["last"]


def check_confinement(o, folder):
    outside = tempfile.mkdtemp()
    shutil.copy(os.path.join(folder, "demo.db"), outside)
    os.symlink(outside, os.path.join(folder, "out"))
    os.symlink(os.path.join(outside, "demo.db"), os.path.join(folder, "link.db"))
    client = open_client(o, folder)
    client.begin()
    for path in (os.path.join(outside, "demo.db"), "out/demo.db", "link.db", "../" + os.path.basename(outside) + "/demo.db",
                 "/etc/passwd", "/proc/self/environ", "/dev/zero", "out", "/", "..", folder + "/../" + os.path.basename(outside)):
        for name, key in (("info", "trace"), ("source", "source_dir")):
            answer = client.tool(name, {key: path})
            text = answer["content"][0]["text"]
            assert answer["isError"] and ("outside" in text or "No such file" in text), (path, text)
    before = {f: os.stat(os.path.join(folder, f)).st_mtime_ns for f in os.listdir(folder)}
    client.tool("analyze", {"trace": "demo.db"})
    assert before == {f: os.stat(os.path.join(folder, f)).st_mtime_ns for f in os.listdir(folder)}
    assert client.end() == 0
    os.unlink(os.path.join(folder, "out"))
    os.unlink(os.path.join(folder, "link.db"))
    shutil.rmtree(outside)
    for argv, code in ((["/no/such/folder"], 3), (["--page", "0"], 2), (["--guide", "/no/guide.md", folder], 3)):
        run = subprocess.run([o.gpusight, "mcp", *argv], stdin=subprocess.DEVNULL, capture_output=True, check=False)
        assert run.returncode == code and not run.stdout, (argv, run)


def check_cancelling(o, folder):
    """A call that is cancelled is never answered, one behind it is; pings are answered meanwhile."""
    client = open_client(o, folder)
    client.begin()
    for i in range(5):
        client.send({"jsonrpc": "2.0", "id": f"c{i}", "method": "tools/call",
                     "params": {"name": "analyze", "arguments": {"trace": "many.db"}, "_meta": {"progressToken": f"p{i}"}}})
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": f"c{i}"}})
    endless = "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT count(*) FROM x"
    client.send({"jsonrpc": "2.0", "id": "sql", "method": "tools/call",
                 "params": {"name": "query", "arguments": {"trace": "many.db", "sql": endless}}})
    assert client.result("ping") == {}
    time.sleep(0.5)
    client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "sql"}})
    assert client.tool("analyze", {"trace": "many.db"})["isError"] is False  # long before its 30 s
    left = [json.loads(line) for line in client.lines]
    answered = [m["id"] for m in left if "id" in m]
    assert len(answered) < 5 and "sql" not in answered, answered  # the first may have been done before the word came
    for i in range(300):
        client.send({"jsonrpc": "2.0", "id": f"q{i}", "method": "tools/call", "params": {"name": "hotspots", "arguments": {}}})
    for i in range(300):
        answer = client.wait(lambda m, i=i: m.get("id") == f"q{i}")
        assert "result" in answer or answer["error"]["code"] == -32000
    assert client.end() == 0


def check_leaving(o, folder):
    """A client that reads nothing, and one that is gone."""
    child = subprocess.Popen([o.gpusight, "mcp", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    child.stdout.close()
    try:
        for i in range(1000):
            child.stdin.write(json.dumps({"jsonrpc": "2.0", "id": i, "method": "tools/list"}).encode() + b"\n")
        child.stdin.close()
    except BrokenPipeError:
        pass
    assert child.wait(60) == 3
    child.stderr.close()
    lines = b"".join(json.dumps({"jsonrpc": "2.0", "id": i, "method": "tools/call",
                                 "params": {"name": "ledger", "arguments": {"trace": "demo.db"}}}).encode() + b"\n" for i in range(3))
    run = subprocess.run([o.gpusight, "mcp", folder], input=lines, capture_output=True, check=True)
    assert [json.loads(line)["id"] for line in run.stdout.splitlines()] == [0, 1, 2]


def processor_ms(client):
    with open(f"/proc/{client.child.pid}/stat", encoding="utf-8") as f:
        user, system = f.read().rsplit(")", 1)[1].split()[11:13]
    return 1000 * (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def measure(o):
    """Time on the clock, and of processors. The same question is answered from what was answered before, so windows differ."""
    client = Client([o.gpusight, "mcp", os.path.dirname(os.path.abspath(o.large))])
    client.begin()
    begin = time.perf_counter()
    info = client.tool("info", {"trace": os.path.basename(o.large)})["structuredContent"]
    print(f"{info['kernels']} dispatches loaded in {time.perf_counter() - begin:.2f} s")
    slow = []
    for tool in client.result("tools/list")["tools"]:
        name = tool["name"]
        arguments = dict(NEEDED.get(name, {}))
        if name in ("source", "finding"):
            continue
        if name == "compare":
            arguments = {"before": info["trace"], "after": info["trace"]}
        variants = [("whole", arguments)]
        if "window" in tool["inputSchema"]["properties"]:
            variants += [("1%..99%", {**arguments, "window": "1%..99%"}), ("50%..51%", {**arguments, "window": "50%..51%"})]
        for label, values in variants:
            times, used = [], []
            for i in range(3):
                begin, before = time.perf_counter(), processor_ms(client)
                client.tool(name, {**values, "window": values["window"].replace("%..", f".{i}%..")} if "window" in values else values)
                times.append(1000 * (time.perf_counter() - begin))
                used.append(processor_ms(client) - before)
            print(f"{name:18} {label:9} {' '.join(f'{t:8.1f}' for t in times)} ms; "
                  f"{' '.join(f'{u:5.0f}' for u in used)} ms of processors")
            slow += [name] if times[0] > 100 else []
    for change in ({"remove": ["sync"]}, {"graph": True}, {"kernels": ["*=0.5x"]}, {"overlap": "copies", "pinned": True},
                   {"gpu": "H200"}, {"streams": 2}):
        used, begin = processor_ms(client), time.perf_counter()
        client.tool("whatif", change)
        clock = 1000 * (time.perf_counter() - begin)
        print(f"whatif {json.dumps(change):40} {clock:8.1f} ms; {processor_ms(client) - used:6.1f} ms of processors")
    for sql in STATEMENTS.splitlines():
        times, used = [], []
        for _ in range(2):
            before, begin = processor_ms(client), time.perf_counter()
            client.tool("query", {"sql": sql})
            times.append(1000 * (time.perf_counter() - begin))
            used.append(processor_ms(client) - before)
        print(f"query {times[0]:8.1f} {times[1]:8.1f} ms; {used[0]:6.1f} {used[1]:6.1f} ms of processors: {sql}")
    client.end()
    print("above 100 ms:", ", ".join(sorted(set(slow))) or "none")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpusight", required=True)
    parser.add_argument("--large", help="a trace to measure with")
    o = parser.parse_args()
    if o.large:
        return measure(o)
    folder = tempfile.mkdtemp()
    try:
        for name, scenario, *more in (("demo.db", "demo"), ("healthy.db", "healthy"), ("many.db", "bench", "--set", "n=40000")):
            subprocess.run([o.gpusight, "synth", scenario, "-o", os.path.join(folder, name), *more], check=True,
                           capture_output=True)
        os.mkdir(os.path.join(folder, "src"))
        with open(os.path.join(folder, "src", "main.hip"), "w", encoding="utf-8") as f:
            f.write("__global__ void gemm_tile(float *a) { a[0] = 1; }\n"
                    "int main() { for (int i = 0; i < 9; i++) { gemm_tile<<<1, 64>>>(0); hipDeviceSynchronize(); } }\n")
        checks = [check_versions, check_tools, check_numbers, check_operators, check_documents, check_bad_input, check_confinement,
                  check_cancelling, check_leaving]
        for check in checks:
            check(o, folder)
        print(f"{len(checks)} groups of checks held")
        return 0
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
