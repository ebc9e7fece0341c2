"""One program, written as rocpd, Nsight Systems and Kineto file, by code that shares nothing with
`gpusight synth`: rows in no order, numbers with holes, tables with the columns of real files.

    p = Program(seed=7)
    main = p.thread()
    a, b = p.stream(), p.stream()
    main.launch("produce", a, 100 * US)
    main.record("done", a)
    main.wait_event("done", b)
    main.launch("consume", b, 50 * US)
    main.sync()
    for form in FORMS:
        path = p.write(folder, form)

Calls have the names they share in CUDA and HIP ("StreamSynchronize"). Times are nanoseconds; a
thread's clock moves with its calls, work starts when it was sent and its stream and engine are free.
"""
import json
import os
import random
import sqlite3

US, MS = 1000, 1000000
MIB = 1 << 20
FORMS = {"rocpd": ".db", "nsys": ".sqlite", "kineto": ".json"}
WAYS = {"h2d": ("HOST_TO_DEVICE", 1, "HtoD"), "d2h": ("DEVICE_TO_HOST", 2, "DtoH"),
        "d2d": ("DEVICE_TO_DEVICE", 8, "DtoD"), "p2p": ("DEVICE_TO_DEVICE", 10, "PtoP")}
MEMORY = {"pageable": (0, "Pageable"), "pinned": (1, "Pinned"), "device": (2, "Device"), "managed": (4, "Managed")}


class Stream:
    def __init__(self, number, gpu, blocking=True):
        self.number, self.gpu, self.blocking, self.free = number, gpu, blocking, 0


class Program:
    def __init__(self, seed=1, gpus=1):
        self.random = random.Random(seed)
        self.gpus = gpus
        self.threads, self.streams = [], []
        self.calls, self.kernels, self.copies, self.ranges, self.faults = [], [], [], [], []
        self.events, self.engines = {}, {}
        self.null = [Stream(0, g) for g in range(gpus)]

    def thread(self, at=0):
        self.threads.append(Thread(self, len(self.threads), at))
        return self.threads[-1]

    def stream(self, gpu=0, blocking=True):
        self.streams.append(Stream(len(self.streams) + 1, gpu, blocking))
        return self.streams[-1]

    def before(self, stream):
        """When work can begin there by the rules of the default stream, which writers leave to the program."""
        if stream.number == 0:
            return max([stream.free] + [s.free for s in self.streams if s.gpu == stream.gpu and s.blocking])
        return max(stream.free, self.null[stream.gpu].free if stream.blocking else 0)

    def end(self, gpu=None):
        return max((s.free for s in self.streams + self.null if gpu in (None, s.gpu)), default=0)

    def write(self, folder, form, name="trace"):
        path = os.path.join(folder, name + FORMS[form])
        if os.path.exists(path):
            os.remove(path)
        WRITERS[form](self, path)
        return path

    def mixed(self, rows):
        rows = list(rows)
        self.random.shuffle(rows)
        return rows


class Thread:
    def __init__(self, program, number, now):
        self.p, self.number, self.now = program, number, now

    def host(self, ns):
        self.now += int(ns)

    def call(self, name, ns, kind="api", **args):
        start, self.now = self.now, self.now + int(ns)
        self.p.calls.append(dict(name=name, kind=kind, thread=self.number, start=start, end=self.now, **args))
        return len(self.p.calls) - 1

    def mpi(self, name, ns, size=0, peer=-1):
        return self.call(name, ns, "mpi", size=size, peer=peer)

    def os(self, name, ns):
        return self.call(name, ns, "os")

    def range(self, text, body):
        start = self.now
        body()
        self.p.ranges.append((text, self.number, start, self.now))

    def launch(self, name, stream, ns, cost=5 * US, latency=4 * US, blocks=8192, group=256, at=None, api="LaunchKernel"):
        call = self.call(api, cost, stream=stream)
        start = max(self.now + latency, stream.free) if at is None else at
        stream.free = start + int(ns)
        self.p.kernels.append(dict(name=name, stream=stream, start=start, end=stream.free, call=call, blocks=blocks,
                                   group=group, thread=self.number))
        return self.p.kernels[-1]

    def copy(self, way, stream, size, ns, blocking=True, memory="pinned", peer=None, cost=6 * US):
        key = (stream.gpu, way)
        start = max(self.now + cost + 4 * US, stream.free, self.p.engines.get(key, 0))
        stream.free = self.p.engines[key] = start + int(ns)
        call = self.call("Memcpy" if blocking else "MemcpyAsync", stream.free + 3 * US - self.now if blocking else cost,
                         stream=stream)
        self.p.copies.append(dict(way=way, stream=stream, start=start, end=stream.free, call=call, size=size,
                                  memory=memory, peer=peer, thread=self.number))

    def wait(self, until, cost, name, **args):
        self.call(name, max(cost, until + cost - self.now), **args)

    def sync(self, stream=None, cost=5 * US):
        if stream is None:
            self.wait(self.p.end(), cost, "DeviceSynchronize")
        else:
            self.wait(stream.free, cost, "StreamSynchronize", stream=stream)

    def record(self, event, stream):
        call = self.call("EventRecord", 2 * US, stream=stream, event=event)
        self.p.events[event] = (stream, call, max(stream.free, self.now))

    def wait_event(self, event, stream):
        source, record, reached = self.p.events[event]
        self.call("StreamWaitEvent", 2 * US, stream=stream, event=event, source=source, record=record)
        stream.free = max(stream.free, reached + 2 * US)

    def sync_event(self, event):
        source, record, reached = self.p.events[event]
        self.wait(reached, 5 * US, "EventSynchronize", event=event, source=source, record=record)


# ---- rocpd ----

def write_rocpd(p, path):
    tag, pid, base = "_00c0ffee_0000_4000_8000_000000000001", 4100, 700 * 10**12
    db, strings = sqlite3.connect(path), {}

    def text(s):
        return strings.setdefault(s, 3 * len(strings) + 2)

    def table(name, columns, rows):
        db.execute(f"CREATE TABLE rocpd_{name}{tag} (id INTEGER PRIMARY KEY, guid TEXT, {columns})")
        for i, row in rows:
            db.execute(f"INSERT INTO rocpd_{name}{tag} VALUES ({','.join('?' * (len(row) + 2))})", (i, "g", *row))
        db.execute(f"CREATE VIEW rocpd_{name} AS SELECT * FROM rocpd_{name}{tag}")

    category = {"api": "HIP_RUNTIME_API_EXT", "mpi": "mpi", "os": "pthread", "driver": "KFD_PAGE_FAULT", "rccl": "RCCL_API",
                "control": "MARKER_CONTROL_API", "host": "host"}
    events, regions, args, kernels, copies = [], [], [], [], []

    def event(kind, stack, extra="{}"):
        events.append((7 * len(events) + 5, (text(kind), stack, 0, 0, extra)))
        return events[-1][0]

    def handle(stream):
        return hex(0x55550000 + 0x100 * stream.number) if stream.number else "0"

    for i, c in enumerate(p.calls):
        e = event(category[c["kind"]], i + 1)
        regions.append((9 * i + 4, (1, pid, pid + c["thread"], base + c["start"], base + c["end"],
                                    text("hip" * (c["kind"] == "api") + c["name"]), e)))
        if c.get("stream"):
            args.append((e, 0, "ihipStream_t*", "stream", handle(c["stream"])))
        if c.get("event"):
            args.append((e, 1, "ihipEvent_t*", "event", hex(0x7700 + 16 * sorted(p.events).index(c["event"]))))
    for n, (name, thread, start, end) in enumerate(p.ranges):
        e = event("MARKER_CORE_RANGE_API", 10**6 + n, json.dumps({"message": name}))
        regions.append((9 * len(p.calls) + 9 * n + 4, (1, pid, pid + thread, base + start, base + end,
                                                      text("roctxThreadRangeA"), e)))
    names = sorted({k["name"] for k in p.kernels})
    for i, k in enumerate(p.kernels):
        kernels.append((5 * i + 3, (1, pid, pid + k["thread"], 2 + k["stream"].gpu, names.index(k["name"]) + 11, i + 1, 1,
                                    k["stream"].number, base + k["start"], base + k["end"], 0, 0, k["group"], 1, 1,
                                    k["blocks"] * k["group"], 1, 1, 1, event("KERNEL_DISPATCH", k["call"] + 1))))
    for i, c in enumerate(p.copies):
        gpu = 2 + c["stream"].gpu
        dst, src = {"h2d": (gpu, 0), "d2h": (0, gpu), "d2d": (gpu, gpu), "p2p": (2 + (c["peer"] or 0), gpu)}[c["way"]]
        copies.append((5 * i + 3, (1, pid, pid + c["thread"], base + c["start"], base + c["end"],
                                   text("MEMORY_COPY_" + WAYS[c["way"]][0]), dst, src, c["size"], c["stream"].number,
                                   event("MEMORY_COPY", c["call"] + 1))))
    facts = json.dumps({"cu_count": 104, "simd_per_cu": 4, "wave_front_size": 64, "num_xcc": 1, "max_waves_per_simd": 8,
                        "lds_size_in_kb": 64})
    agents = [(0, (1, pid, "CPU", 0, 0, 0, 0, "Host CPU", "", "CPU", "Host CPU", "Host CPU", "{}"))]
    agents += [(2 + g, (1, pid, "GPU", 2 + g, 2 + g, g, 29711 + g, "gfx90a", "AMD Instinct MI210", "AMD", "AMD Instinct MI210",
                        "AMD Instinct MI210", facts)) for g in range(p.gpus)]
    db.execute(f"CREATE TABLE rocpd_metadata{tag} (id INTEGER PRIMARY KEY, tag TEXT, value TEXT)")
    db.executemany(f"INSERT INTO rocpd_metadata{tag} VALUES (?,?,?)", [(1, "schema_version", "3"), (2, "uuid", tag), (3, "guid", "g")])
    db.execute(f"CREATE VIEW rocpd_metadata AS SELECT * FROM rocpd_metadata{tag}")
    table("info_node", "hash BIGINT, machine_id TEXT, hostname TEXT", [(1, (1, "m", "h"))])
    table("info_process", "nid INT, ppid INT, pid INT, start BIGINT, end BIGINT, command TEXT", [(pid, (1, 1, pid, base, 0, "./a.out"))])
    table("info_thread", "nid INT, ppid INT, pid INT, tid INT, name TEXT",
          [(pid + t.number, (1, 1, pid, pid + t.number, None)) for t in p.threads])
    table("info_agent", "nid INT, pid INT, type TEXT, absolute_index INT, logical_index INT, type_index INT, uuid INT, name TEXT, "
          "model_name TEXT, vendor_name TEXT, product_name TEXT, user_name TEXT, extdata TEXT", agents)
    table("info_queue", "nid INT, pid INT, name TEXT", [(1, (1, pid, "Queue 0"))])
    table("info_stream", "nid INT, pid INT, name TEXT", [(s, (1, pid, f"Stream {s}")) for s in range(len(p.streams) + 1)])
    table("info_code_object", "nid INT, pid INT, agent_id INT, uri TEXT", [(1, (1, pid, 2, "file:///a.out"))])
    table("info_kernel_symbol", "nid INT, pid INT, code_object_id INT, kernel_name TEXT, display_name TEXT, group_segment_size INT, "
          "private_segment_size INT, sgpr_count INT, arch_vgpr_count INT, accum_vgpr_count INT",
          [(i + 11, (1, pid, 1, n + ".kd", n, 0, 0, 32, 32, 0)) for i, n in enumerate(names)])
    table("event", "category_id INT, stack_id INT, parent_stack_id INT, correlation_id INT, extdata TEXT", p.mixed(events))
    table("region", "nid INT, pid INT, tid INT, start BIGINT, end BIGINT, name_id INT, event_id INT", p.mixed(regions))
    table("arg", "event_id INT, position INT, type TEXT, name TEXT, value TEXT", list(enumerate(args, 1)))
    table("kernel_dispatch", "nid INT, pid INT, tid INT, agent_id INT, kernel_id INT, dispatch_id INT, queue_id INT, stream_id INT, "
          "start BIGINT, end BIGINT, private_segment_size INT, group_segment_size INT, workgroup_size_x INT, workgroup_size_y INT, "
          "workgroup_size_z INT, grid_size_x INT, grid_size_y INT, grid_size_z INT, region_name_id INT, event_id INT", p.mixed(kernels))
    table("memory_copy", "nid INT, pid INT, tid INT, start BIGINT, end BIGINT, name_id INT, dst_agent_id INT, src_agent_id INT, "
          "size INT, stream_id INT, event_id INT", p.mixed(copies))
    for name, columns in (("info_pmc", "nid INT, pid INT, agent_id INT, name TEXT, symbol TEXT"),
                          ("track", "nid INT, pid INT, tid INT, name_id INT"), ("sample", "track_id INT, timestamp BIGINT, event_id INT"),
                          ("pmc_event", "event_id INT, pmc_id INT, value REAL"),
                          ("memory_allocate", "nid INT, pid INT, tid INT, agent_id INT, type TEXT, level TEXT, start BIGINT, "
                           "end BIGINT, address INT, size INT, event_id INT")):
        table(name, columns, [])
    table("string", "string TEXT", [(i, (s,)) for s, i in strings.items()])
    db.commit()
    db.close()


# ---- Nsight Systems ----

def write_nsys(p, path):
    db, strings = sqlite3.connect(path), {}
    pid = (1 << 56) | (4100 << 24)

    def text(s):
        return strings.setdefault(s, 2 * len(strings) + 7)

    def table(name, columns, rows):
        if rows:
            db.execute(f"CREATE TABLE {name} ({', '.join(c + (' TEXT' if c in ('name', 'value', 'text') else ' INTEGER') for c in columns.split())})")
            db.executemany(f"INSERT INTO {name} VALUES ({','.join('?' * len(columns.split()))})", p.mixed(rows))

    def corr(call):
        return 2 * call + 31

    def number(stream):
        return 7 if stream.number == 0 else 12 + stream.number

    def tid(thread):
        return pid + 4100 + thread

    rows = {k: [] for k in ("api", "os", "mpi", "p2p", "sync", "event", "nvtx")}
    sync_types = {"EventSynchronize": 1, "StreamWaitEvent": 2, "StreamSynchronize": 3, "DeviceSynchronize": 4}
    for i, c in enumerate(p.calls):
        span = (c["start"], c["end"])
        number_of = {e: 3 + n for n, e in enumerate(sorted(p.events))}
        if c["kind"] == "mpi":
            rows["mpi"].append((*span, tid(c["thread"]), text(c["name"])))
        elif c["kind"] == "os":
            rows["os"].append((*span, 27, tid(c["thread"]), None, text(c["name"]), 0, 0, None))
        elif c["kind"] in ("api", "control"):
            name = "cudaHostAlloc" if c["name"] == "HostMalloc" else c["name"] if c["name"].startswith("cu") else "cuda" + c["name"]
            rows["api"].append((*span, 0, tid(c["thread"]), corr(i), text(name + "_v3020"), 0, None))
        if c["name"] in sync_types:
            s = c.get("stream")
            rows["sync"].append((*span, s.gpu if s else 0, 1 + (s.gpu if s else 0), None, number(s) if s else 0xffffffff, corr(i), pid,
                                 sync_types[c["name"]], number_of.get(c.get("event"), 0xffffffff)))
        if c["name"] == "EventRecord":
            rows["event"].append((c["stream"].gpu, 1 + c["stream"].gpu, number(c["stream"]), corr(i), pid, number_of[c["event"]]))
    table("CUPTI_ACTIVITY_KIND_RUNTIME", "start end eventClass globalTid correlationId nameId returnValue callchainId", rows["api"])
    table("OSRT_API", "start end eventClass globalTid correlationId nameId returnValue nestingLevel callchainId", rows["os"])
    table("MPI_OTHER_EVENTS", "start end globalTid textId", rows["mpi"])
    table("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "start end deviceId contextId greenContextId streamId correlationId globalPid syncType eventId",
          rows["sync"])
    table("CUPTI_ACTIVITY_KIND_CUDA_EVENT", "deviceId contextId streamId correlationId globalPid eventId", rows["event"])
    table("NVTX_EVENTS", "start end eventType rangeId text globalTid domainId",
          [(s, e, 59, None, n, tid(t), 0) for n, t, s, e in p.ranges])
    table("CUPTI_ACTIVITY_KIND_KERNEL", "start end deviceId contextId greenContextId streamId correlationId globalPid demangledName shortName "
          "mangledName launchType cacheConfig registersPerThread gridX gridY gridZ blockX blockY blockZ staticSharedMemory "
          "dynamicSharedMemory localMemoryPerThread localMemoryTotal gridId",
          [(k["start"], k["end"], k["stream"].gpu, 1 + k["stream"].gpu, None, number(k["stream"]), corr(k["call"]), pid, text(k["name"]),
            text(k["name"]), None, 1, 0, 32, k["blocks"], 1, 1, k["group"], 1, 1, 0, 0, 0, 0, i) for i, k in enumerate(p.kernels)])
    rows = []
    for c in p.copies:
        gpu, side = c["stream"].gpu, MEMORY[c["memory"]][0]
        src, dst = (side if c["way"] == "h2d" else 2), (side if c["way"] == "d2h" else 2)
        kind = {"h2d": 11, "d2h": 12}[c["way"]] if c["memory"] == "managed" else WAYS[c["way"]][1]
        peer = (gpu, c["peer"]) if c["way"] == "p2p" else (None, None)
        rows.append((c["start"], c["end"], gpu, 1 + gpu, None, number(c["stream"]), corr(c["call"]), pid, c["size"], kind, src, dst, *peer))
    table("CUPTI_ACTIVITY_KIND_MEMCPY", "start end deviceId contextId greenContextId streamId correlationId globalPid bytes copyKind srcKind "
          "dstKind srcDeviceId dstDeviceId", rows)
    table("CUDA_UM_GPU_PAGE_FAULT_EVENTS", "start end globalPid deviceId address numberOfPageFaults faultAccessType",
          [(s, e, pid, g, 4096, n, 1) for s, e, g, n in p.faults])
    table("TARGET_INFO_GPU", "vmId id name busLocation totalMemory memoryBandwidth clockRate smCount cuDevice computeMajor computeMinor",
          [(1, g, "NVIDIA A100-SXM4-40GB", g, 40 << 30, 1555 * 10**9, 1410000000, 108, g, 8, 0) for g in range(p.gpus)])
    table("TARGET_INFO_CUDA_DEVICE", "gpuId cudaId pid numMultiprocessors", [(g, g, 4100, 108) for g in range(p.gpus)])
    table("ENUM_CUDA_MEMCPY_OPER", "id name", list(enumerate(
        ["Unknown", "Host-to-Device", "Device-to-Host", "Host-to-Array", "Array-to-Host", "Array-to-Array", "Array-to-Device",
         "Device-to-Array", "Device-to-Device", "Host-to-Host", "Peer-to-Peer", "Unified Host-to-Device", "Unified Device-to-Host",
         "Unified Device-to-Device"])))
    table("TARGET_INFO_CUDA_CONTEXT_INFO", "nullStreamId hwId vmId processId deviceId contextId",
          [(7, 0, 1, 4100, g, 1 + g) for g in range(p.gpus)])
    table("TARGET_INFO_CUDA_STREAM", "streamId hwId vmId processId contextId priority flag",
          [(number(s), 0, 1, 4100, 1 + s.gpu, 0, 1 if s.blocking else 2) for s in p.streams])
    table("PROCESSES", "globalPid pid name", [(pid, 4100, "a.out")])
    table("META_DATA_EXPORT", "name value", [("EXPORT_SCHEMA_VERSION", "3.13.0")])
    table("StringIds", "id value", [(i, s) for s, i in strings.items()])
    db.commit()
    db.close()


# ---- Kineto ----

def write_kineto(p, path):
    out = []

    def add(cat, name, where, lane, start, end, **args):
        out.append({"ph": "X", "cat": cat, "name": name, "pid": where, "tid": lane, "ts": start / US, "dur": (end - start) / US, "args": args})

    sync_names = {"EventSynchronize": "Event Sync", "StreamWaitEvent": "Stream Wait Event", "StreamSynchronize": "Stream Sync",
                  "DeviceSynchronize": "Context Sync"}

    def lane(stream):
        return 7 if stream.number == 0 else 12 + stream.number

    for i, c in enumerate(p.calls):
        if c["kind"] in ("api", "control"):
            name = "cudaHostAlloc" if c["name"] == "HostMalloc" else c["name"] if c["name"].startswith("cu") else "cuda" + c["name"]
            add("cuda_runtime", name, 4100, 4100 + c["thread"], c["start"], c["end"], correlation=i + 9)
        else:
            add("cpu_op", c["name"], 4100, 4100 + c["thread"], c["start"], c["end"], **{"External id": i + 9})
        if c["name"] in sync_names:
            s, more = c.get("stream"), {}
            if c.get("source"):
                more = {"wait_on_stream": lane(c["source"]), "wait_on_cuda_event_record_corr_id": c["record"] + 9,
                        "wait_on_cuda_event_id": sorted(p.events).index(c["event"])}
            add("cuda_sync", sync_names[c["name"]], s.gpu if s else 0, lane(s) if s else -1, c["start"], c["end"], correlation=i + 9,
                device=s.gpu if s else 0, stream=lane(s) if s else -1, **more)
    for name, thread, start, end in p.ranges:
        add("user_annotation", name, 4100, 4100 + thread, start, end)
    for k in p.kernels:
        s = k["stream"]
        add("kernel", k["name"], s.gpu, lane(s), k["start"], k["end"], device=s.gpu, context=1, stream=lane(s), correlation=k["call"] + 9,
            grid=[k["blocks"], 1, 1], block=[k["group"], 1, 1], **{"registers per thread": 32, "shared memory": 0})
    for c in p.copies:
        s, side = c["stream"], MEMORY[c["memory"]][1]
        ends = {"h2d": (side, "Device"), "d2h": ("Device", side)}.get(c["way"], ("Device", "Device"))
        more = {"fromDevice": s.gpu, "toDevice": c["peer"], "inDevice": s.gpu} if c["way"] == "p2p" else {}
        add("gpu_memcpy", f"Memcpy {WAYS[c['way']][2]} ({ends[0]} -> {ends[1]})", s.gpu, lane(s), c["start"], c["end"], device=s.gpu,
            context=1, stream=lane(s), correlation=c["call"] + 9, bytes=c["size"], **more)
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"schemaVersion": 1, "deviceProperties": [
            {"id": g, "name": "NVIDIA A100-SXM4-40GB", "totalGlobalMem": 40 << 30, "computeMajor": 8, "computeMinor": 0,
             "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048, "regsPerMultiprocessor": 65536, "warpSize": 32,
             "sharedMemPerMultiprocessor": 167936, "numSms": 108} for g in range(p.gpus)], "traceEvents": p.mixed(out)}, f)


WRITERS = {"rocpd": write_rocpd, "nsys": write_nsys, "kineto": write_kineto}
