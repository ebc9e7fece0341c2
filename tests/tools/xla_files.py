"""Writes what the profiler of JAX writes, in both its forms, from one list of events.

A plane is {"name", "facts": {}, "lines": [{"id", "name", "events": [{"name", "ns", "length", "values": {}}]}]}.
"""
import gzip
import json


def example(steps=4):
    """A program of some steps: a graph, a copy, a kernel of its own, and lines that repeat them."""
    compute, copies, modules, host, worker = [], [], [], [], []
    for i in range(steps):
        at, n = 1_000_000 + i * 5_000_000, 10 * i + 1
        host += [event("train", at, 4_500_000, step_num=i), event(f"PjitFunction(step)", at + 1000, 900_000),
                 event("$model.py:12 forward", at + 1500, 700_000),
                 event("cuGraphLaunch (CudaGraph:7)", at + 2000, 30_000, correlation_id=n, cuda_graph_id=7,
                       context_id="$$1", device_id=0),
                 event("loop_fusion", at + 600_000, 8_000, correlation_id=n + 2, context_id="$$1", device_id=0),
                 event("Thunks::Initialize", at + 1700, 100)]
        worker += [event("MemcpyH2D", at + 500_000, 60_000, correlation_id=n + 1, device_id=0)]
        compute += [event("gemm_fusion_dot", at + 40_000, 200_000, correlation_id=n, cuda_graph_id=7, hlo_module="jit_step",
                          kernel_details="regs:168 static_shared:16 dynamic_shared:98328 grid:512,2,1 block:128,1,1 occ_pct:12.5"),
                    event("Memset 0", at + 245_000, 800, correlation_id=n, cuda_graph_id=7,
                          Memset_details="kind:unknown num_bytes:4096 async:0"),
                    event("loop_fusion", at + 650_000, 50_500, correlation_id=n + 2,
                          kernel_details="regs:16 static_shared:0 dynamic_shared:0 grid:64,1,1 block:256,1,1 occ_pct:100")]
        copies += [event("MemcpyH2D", at + 570_000, 20_250, correlation_id=n + 1,
                         memcpy_details="kind_src:pinned kind_dst:device size:1048576 dest:0 async:1")]
        modules += [event("jit_step(1)", at + 40_000, 660_500)]
    gpu = {"name": "/device:GPU:0", "lines": [
        line(14, "Stream #14(Compute,Memset)", compute), line(15, "Stream #15(MemcpyH2D)", copies),
        line(1001, "XLA Modules", modules)],
        "facts": {"gpu_device_name": "NVIDIA H200", "core_count": 132, "memory_size": 150109880320,
                  "compute_cap_major": 9, "compute_cap_minor": 0}}
    cpu = {"name": "/host:CPU", "facts": {"process_id": 4321},
           "lines": [line(77, "python3", host), line(78, "pjrt_async_work_runner/1", worker)]}
    return [{"name": "/host:metadata", "facts": {"jax_version": "0.11.2", "process_id": 4321}, "lines": []},
            gpu, cpu,
            {"name": "Task Environment", "facts": {"profile_start_time": 1_790_000_000_000_000_000}, "lines": []}]


def event(name, ns, length, **values):
    return {"name": name, "ns": ns, "length": length, "values": values}


def line(number, name, events):
    return {"id": number, "name": name, "events": events}


def write_json(path, planes):
    """As XLA does: numbers of planes for processes, all values as texts, an empty object at the end."""
    out = []
    shown = [(1 if "device" in p["name"] else 701, p) for p in planes if p["lines"]]
    for pid, p in shown:
        out.append({"ph": "M", "pid": pid, "name": "process_name", "args": {"name": p["name"]}})
        for x in p["lines"]:
            out.append({"ph": "M", "pid": pid, "tid": x["id"], "name": "thread_name", "args": {"name": x["name"]}})
    for pid, p in shown:
        for x in p["lines"]:
            for e in x["events"]:
                out.append({"ph": "X", "pid": pid, "tid": x["id"], "ts": e["ns"] / 1000, "dur": e["length"] / 1000,
                            "name": e["name"], "args": {k: str(v) for k, v in e["values"].items()}})
    out.append({})
    text = json.dumps({"displayTimeUnit": "ns", "metadata": {"highres-ticks": True}, "traceEvents": out}).encode()
    with (gzip.open if path.endswith(".gz") else open)(path, "wb") as f:
        f.write(text)
    return path


def varint(v):
    v &= (1 << 64) - 1
    out = bytearray()
    while v > 127:
        out.append(v & 127 | 128)
        v >>= 7
    out.append(v)
    return bytes(out)


def number(field, v):
    return varint(field << 3) + varint(v)


def inside(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


class Names:
    """Texts of a plane, by their numbers."""

    def __init__(self):
        self.ids = {}

    def of(self, text):
        return self.ids.setdefault(text, len(self.ids) + 1)

    def table(self, field):
        return b"".join(inside(field, number(1, i) + inside(2, number(1, i) + inside(2, text)))
                        for text, i in self.ids.items())


def write_xplane(path, planes, start_ns=500_000):
    """Times are since the start of a line; texts of values refer to the table of names."""
    space = b""
    for p in planes:
        kinds, stats, body = Names(), Names(), inside(2, p["name"])

        def value(field, key, v):
            if isinstance(v, int):
                return inside(field, number(1, stats.of(key)) + number(4, v))
            if key in ("gpu_device_name", "context_id"):
                return inside(field, number(1, stats.of(key)) + inside(5, v))
            return inside(field, number(1, stats.of(key)) + number(7, stats.of(v)))

        for x in p["lines"]:
            events = b"".join(
                inside(4, number(1, kinds.of(e["name"])) + number(2, (e["ns"] - start_ns) * 1000) +
                       number(3, e["length"] * 1000) + b"".join(value(4, k, v) for k, v in e["values"].items()))
                for e in x["events"])
            body += inside(3, number(1, x["id"]) + inside(2, x["name"]) + number(3, start_ns) + events)
        values = b"".join(value(6, k, v) for k, v in p["facts"].items())
        space += inside(1, body + kinds.table(4) + stats.table(5) + values)
    with open(path, "wb") as f:
        f.write(space + inside(4, "host"))
    return path
