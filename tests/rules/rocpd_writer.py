"""Writes rocpd databases straight with sqlite3: an imitation of programs that shares no code with
`gpusight synth`, so that rules are not only right about traces of one generator.

    job = Job(seed=7)
    app = job.process()
    gpu = app.gpu("MI300X")
    main = app.thread()
    work = gpu.stream()
    main.launch("stage_a", work, 120e3)
    main.wait(work)
    job.write("a.db")

Times are nanoseconds. A thread's clock moves with its calls; work starts when it was sent and its
stream (and, for copies, its engine) is free.
"""
import json
import random
import sqlite3
import uuid

MODELS = {
    "MI300X": dict(arch="gfx942", product="AMD Instinct MI300X", cu=304, chip=29857),
    "MI250X": dict(arch="gfx90a", product="AMD Instinct MI250X", cu=110, chip=29704),
    "MI210": dict(arch="gfx90a", product="AMD Instinct MI210", cu=104, chip=29711),
}
DIRECTIONS = {"h2d": "MEMORY_COPY_HOST_TO_DEVICE", "d2h": "MEMORY_COPY_DEVICE_TO_HOST",
              "d2d": "MEMORY_COPY_DEVICE_TO_DEVICE"}
SCHEMA = """
metadata(id INTEGER PRIMARY KEY, tag TEXT, value TEXT)
string(id INTEGER PRIMARY KEY, guid TEXT, string TEXT)
info_node(id INTEGER PRIMARY KEY, guid TEXT, hash BIGINT, machine_id TEXT, hostname TEXT)
info_process(id INTEGER PRIMARY KEY, guid TEXT, nid INT, ppid INT, pid INT, start BIGINT, end
    BIGINT, command TEXT)
info_thread(id INTEGER PRIMARY KEY, guid TEXT, nid INT, ppid INT, pid INT, tid INT, name TEXT)
info_agent(id INTEGER PRIMARY KEY, guid TEXT, nid INT, pid INT, type TEXT, absolute_index INT,
    logical_index INT, type_index INT, uuid INT, name TEXT, model_name TEXT, vendor_name TEXT,
    product_name TEXT, user_name TEXT, extdata TEXT)
info_queue(id INTEGER PRIMARY KEY, guid TEXT, nid INT, pid INT, name TEXT)
info_stream(id INTEGER PRIMARY KEY, guid TEXT, nid INT, pid INT, name TEXT)
info_code_object(id INTEGER PRIMARY KEY, guid TEXT, nid INT, pid INT, agent_id INT, uri TEXT)
info_kernel_symbol(id INTEGER PRIMARY KEY, guid TEXT, nid INT, pid INT, code_object_id INT,
    kernel_name TEXT, display_name TEXT, group_segment_size INT, private_segment_size INT,
    sgpr_count INT, arch_vgpr_count INT, accum_vgpr_count INT)
event(id INTEGER PRIMARY KEY, guid TEXT, category_id INT, stack_id INT, parent_stack_id INT,
    correlation_id INT, extdata TEXT)
region(id INTEGER PRIMARY KEY, guid TEXT, nid INT, pid INT, tid INT, start BIGINT, end BIGINT,
    name_id INT, event_id INT)
kernel_dispatch(id INTEGER PRIMARY KEY, guid TEXT, nid INT, pid INT, tid INT, agent_id INT,
    kernel_id INT, dispatch_id INT, queue_id INT, stream_id INT, start BIGINT, end BIGINT,
    private_segment_size INT, group_segment_size INT, workgroup_size_x INT, workgroup_size_y INT,
    workgroup_size_z INT, grid_size_x INT, grid_size_y INT, grid_size_z INT, region_name_id INT,
    event_id INT)
memory_copy(id INTEGER PRIMARY KEY, guid TEXT, nid INT, pid INT, tid INT, start BIGINT, end
    BIGINT, name_id INT, dst_agent_id INT, src_agent_id INT, size INT, stream_id INT, event_id
    INT)
info_pmc(id INTEGER PRIMARY KEY, guid TEXT, nid INT, pid INT, agent_id INT, name TEXT, symbol
    TEXT)
track(id INTEGER PRIMARY KEY, guid TEXT, nid INT, pid INT, tid INT, name_id INT)
sample(id INTEGER PRIMARY KEY, guid TEXT, track_id INT, timestamp BIGINT, event_id INT)
arg(id INTEGER PRIMARY KEY, guid TEXT, event_id INT, position INT, type TEXT, name TEXT, value
    TEXT)
pmc_event(id INTEGER PRIMARY KEY, guid TEXT, event_id INT, pmc_id INT, value REAL)
memory_allocate(id INTEGER PRIMARY KEY, guid TEXT, nid INT, pid INT, tid INT, agent_id INT, type
    TEXT, level TEXT, start BIGINT, end BIGINT, address INT, size INT, event_id INT)
"""
TABLES = [line for line in SCHEMA.replace("\n    ", " ").split("\n") if line]
NODE = 77001


class Job:
    """All processes of a run; each becomes a set of tables in one file."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.base = self.random.randrange(10**14, 10**15)
        self.processes = []

    def process(self, command="./sim --case 3"):
        self.processes.append(Process(self, 9000 + 17 * len(self.processes), command))
        return self.processes[-1]

    def jitter(self, ns, share=0.05):
        return max(1, int(ns * self.random.uniform(1 - share, 1 + share)))

    def write(self, path):
        db = sqlite3.connect(path)
        db.execute("PRAGMA synchronous=OFF")
        for process in self.processes:
            process.write(db)
        db.commit()
        db.close()


class Stream:
    def __init__(self, gpu, ident):
        self.gpu, self.ident, self.free_at = gpu, ident, 0


class Gpu:
    def __init__(self, process, agent, model):
        self.process, self.agent, self.model = process, agent, MODELS[model]
        self.engines = {"h2d": 0, "d2h": 0, "d2d": 0}
        self.null = Stream(self, 0)

    def stream(self):
        ident = len(self.process.streams) + 1
        self.process.streams.append(ident)
        return Stream(self, ident)


class Process:
    def __init__(self, job, pid, command):
        self.job, self.pid, self.command = job, pid, command
        self.guid = str(uuid.UUID(int=job.random.getrandbits(128)))
        self.gpus, self.streams, self.threads = [], [], []
        self.strings, self.symbols = {"": 1}, {}
        self.rows = {line.split("(")[0]: [] for line in TABLES}
        self.stack = 0
        self.hsa = False

    def gpu(self, model, agent=None):
        g = Gpu(self, agent or len(self.gpus) + 2, model)
        self.gpus.append(g)
        return g

    def thread(self, at=0):
        t = Thread(self, self.pid + len(self.threads), self.job.base + int(at))
        self.threads.append(t)
        return t

    def text(self, s):
        return self.strings.setdefault(s, len(self.strings) + 1)

    def add(self, table, *values):
        rows = self.rows[table]
        rows.append((len(rows) + 1, self.guid) + values)
        return len(rows)

    def event(self, category, stack):
        return self.add("event", self.text(category), stack, stack, 0, "{}")

    def symbol(self, name, shape):
        if name not in self.symbols:
            self.symbols[name] = self.add("info_kernel_symbol", NODE, self.pid, 1, name + ".kd", name,
                                          shape.get("lds", 0), shape.get("scratch", 0), 32,
                                          shape.get("vgpr", 32), 0)
        return self.symbols[name]

    def agents(self):
        yield (0, self.guid, NODE, self.pid, "CPU", 0, 0, 0, 0, "Host CPU", "", "CPU", "Host CPU",
               "Host CPU", json.dumps({"cpu_cores_count": 64}))
        for i, g in enumerate(self.gpus):
            m = g.model
            facts = {"cu_count": m["cu"], "simd_per_cu": 4, "wave_front_size": 64, "num_xcc": 1,
                     "max_waves_per_simd": 8, "lds_size_in_kb": 64, "device_id": m["chip"]}
            yield (g.agent, self.guid, NODE, self.pid, "GPU", g.agent, g.agent, g.agent - 2, m["chip"],
                   m["arch"], m["product"], "AMD", m["product"], m["product"], json.dumps(facts))

    def write(self, db):
        tag = "_" + self.guid.replace("-", "_")
        ends = [r[6] for r in self.rows["region"]] or [self.job.base]
        fixed = {
            "metadata": [(1, "schema_version", "3"), (2, "uuid", tag), (3, "guid", self.guid)],
            "string": [(i, self.guid, s) for s, i in self.strings.items()],
            "info_node": [(NODE, self.guid, 1, "m1", "hostx")],
            "info_process": [(self.pid, self.guid, NODE, 1, self.pid, self.job.base, max(ends),
                              self.command)],
            "info_thread": [(t.tid, self.guid, NODE, 1, self.pid, t.tid, None) for t in self.threads],
            "info_agent": list(self.agents()),
            "info_queue": [(1, self.guid, NODE, self.pid, "Queue 0")],
            "info_stream": [(i, self.guid, NODE, self.pid, f"Stream {i}") for i in [0] + self.streams],
            "info_code_object": [(1, self.guid, NODE, self.pid, 2, "file:///sim")],
        }
        for line in TABLES:
            name, columns = line.split("(", 1)
            rows = fixed.get(name, self.rows[name])
            table = f'"rocpd_{name}{tag}"'
            db.execute(f"CREATE TABLE {table} ({columns}")
            marks = ",".join("?" * (columns.count(",") + 1))
            db.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
            db.execute(f"CREATE VIEW IF NOT EXISTS rocpd_{name} AS SELECT * FROM {table}")


class Thread:
    """A host thread: its clock and the calls it makes."""

    def __init__(self, process, tid, now):
        self.process, self.tid, self.now = process, tid, now

    def host(self, ns):
        self.now += int(ns)

    def region(self, name, start, end, category="HIP_RUNTIME_API_EXT"):
        p = self.process
        p.stack += 1
        event = p.event(category, p.stack)
        p.add("region", NODE, p.pid, self.tid, int(start), int(end), p.text(name), event)
        return p.stack

    def call(self, name, ns, hsa=None):
        """A call that takes ns; inside it an HSA call when the process records those."""
        start, self.now = self.now, self.now + int(ns)
        stack = self.region(name, start, self.now)
        if self.process.hsa and hsa and ns > 900:
            self.region(hsa, start + 300, self.now - 200, "HSA_CORE_API")
        return stack

    def mark(self, text, start, end):
        """A roctx range of the thread."""
        p = self.process
        p.stack += 1
        event = p.event("MARKER_CORE_RANGE_API", p.stack)
        p.rows["event"][event - 1] = p.rows["event"][event - 1][:-1] + (json.dumps({"message": text}),)
        p.add("region", NODE, p.pid, self.tid, int(start), int(end), p.text("roctxThreadRangeA"), event)

    def launch(self, name, stream, ns, cost=5e3, latency=4e3, groups=4864, group=256, **shape):
        p = self.process
        stack = self.call("hipLaunchKernel", cost, "hsa_signal_store_screlease")
        start = max(self.now + int(latency), stream.free_at)
        stream.free_at = end = start + max(1, int(ns))
        p.add("kernel_dispatch", NODE, p.pid, self.tid, stream.gpu.agent, p.symbol(name, shape),
              len(p.rows["kernel_dispatch"]) + 1, 1, stream.ident, start, end, shape.get("scratch", 0),
              shape.get("lds", 0), group, 1, 1, groups * group, 1, 1, 1,
              p.event("KERNEL_DISPATCH", stack))
        return start, end

    def copy(self, way, stream, size, gbps, blocking=False, cost=6e3, api=None):
        p = self.process
        start_of_call = self.now
        api = api or ("hipMemcpy" if blocking else "hipMemcpyAsync")
        if not blocking:
            stack = self.call(api, cost, "hsa_amd_memory_async_copy_on_engine")
        else:
            stack = None
            self.now += int(cost)
        start = max(self.now + 3000, stream.free_at, stream.gpu.engines[way])
        end = start + max(1500, int(size / gbps))
        stream.free_at = stream.gpu.engines[way] = end
        if blocking:
            self.now = end + 4000
            stack = self.region(api, start_of_call, self.now)
        gpu, host = stream.gpu.agent, 0
        dst, src = {"h2d": (gpu, host), "d2h": (host, gpu), "d2d": (gpu, gpu)}[way]
        p.add("memory_copy", NODE, p.pid, self.tid, start, end, p.text(DIRECTIONS[way]), dst, src,
              int(size), stream.ident, p.event("MEMORY_COPY", stack))
        return start, end

    def wait(self, *streams, api="hipStreamSynchronize", cost=6e3):
        start = self.now
        self.now = max([start + int(cost)] + [s.free_at + int(cost) for s in streams])
        self.region(api, start, self.now)
        if self.process.hsa and self.now - start > 2000:
            self.region("hsa_signal_wait_scacquire", start + 400, self.now - 500, "HSA_CORE_API")

    def memory(self, size, ns, api="hipMalloc"):
        p = self.process
        start = self.now
        stack = self.call(api, ns, "hsa_amd_memory_pool_allocate")
        kind = "FREE" if "Free" in api else "ALLOC"
        p.add("memory_allocate", NODE, p.pid, self.tid, 2 if kind == "ALLOC" else None, kind, "REAL",
              start, self.now, 0x7f0000000000, int(size), p.event("MEMORY_ALLOCATION", stack))
