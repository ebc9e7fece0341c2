"""Programs with one fault each, imitated by rocpd_writer; parameters come from the seed.

FAULTS: name -> (function that fills a job, rules one of which must come first). Besides its fault
every program has a start-up, warm-up calls, a second thread, and often HSA rows and markers.
"""
from rocpd_writer import Job

AMD = ["MI300X", "MI250X", "MI210"]
LINK_GBPS = {"MI300X": 64, "MI250X": 36, "MI210": 32}


def start_up(job, app, main, active_ns):
    """From the first call to the first kernel: the runtime starts, code is loaded, buffers are made."""
    r = job.random
    if r.random() < 0.25:
        return  # the profiler was switched on later
    left = min(r.uniform(0.2e9, 2e9), 2 * active_ns)
    main.call("hipGetDeviceCount", left * 0.2, "hsa_init")
    main.host(left * 0.3)
    for _ in range(r.randrange(1, 5)):
        main.call("hipModuleLoadData", left * 0.05, "hsa_executable_load_agent_code_object")
    main.host(left * 0.2)
    for _ in range(r.randrange(1, 6)):
        main.memory(64 << 20, r.uniform(20e3, 90e3))


def bystander(job, app, main, n):
    """A thread that asks now and then and launches nothing."""
    other = app.thread()
    for _ in range(n):
        other.host(job.random.uniform(1e5, 4e6))
        other.call("hipEventQuery", 1200)
        if other.now > main.now:
            break


def program(job, active_ns, model=None):
    r = job.random
    app = job.process(r.choice(["./sim --case 3", "python train.py", "./a.out"]))
    app.hsa = r.random() < 0.4
    gpu = app.gpu(model or r.choice(AMD))
    gpu.model_name = model
    main = app.thread()
    start_up(job, app, main, active_ns)
    return app, gpu, main


def tiny_kernels(job):
    r = job.random
    n = 1500
    kernel, cost = r.uniform(2e3, 20e3), r.uniform(5e3, 10e3)
    pause = max(r.choice([0, 0, r.uniform(0, 8e3), r.uniform(10e3, 35e3)]), 1.3 * kernel - cost)
    app, gpu, main = program(job, n * (cost + pause))
    s = r.choice([gpu.null, gpu.stream()])
    for i in range(n):
        main.launch(f"node_{i % r.choice([1, 3, 17])}", s, job.jitter(kernel, 0.3), job.jitter(cost, 0.2),
                    groups=r.choice([608, 1216]))
        main.host(job.jitter(pause, 0.2) if pause else 0)
    main.wait(s)
    bystander(job, app, main, 50)


def sync_stall(job):
    r = job.random
    n = 400
    kernel = r.choice([r.uniform(40e3, 400e3), r.uniform(10e3, 50e3)])
    pause = r.uniform(5e3, min(200e3, kernel))
    style = r.choice(["hipStreamSynchronize", "hipDeviceSynchronize", "hipEventSynchronize", "copy"])
    app, gpu, main = program(job, n * (kernel + pause))
    s = gpu.stream()
    for i in range(n):
        main.launch("stage_a" if i % 4 else "stage_b", s, job.jitter(kernel, 0.1))
        if style == "copy":
            main.copy("d2h", s, 8, 1, blocking=True)
        else:
            if "Event" in style:
                main.call("hipEventRecord", 1500)
            main.wait(s, api=style)
        main.host(job.jitter(pause, 0.3))
    bystander(job, app, main, 50)


def copies_of(job, app_gpu, share):
    """Size and rate of a copy at a share of the link."""
    rate = LINK_GBPS[app_gpu] * share
    size = job.random.choice([16, 64, 200]) << 20
    return size, rate, size / rate


def transfer_bound(job):
    r = job.random
    model = r.choice(AMD)
    size, rate, ns = copies_of(job, model, r.uniform(0.4, 0.85))
    both = r.random() < 0.7
    kernel = ns * r.uniform(0.02, 0.3)
    n = 60
    app, gpu, main = program(job, n * ns * (1 + both), model)
    s, up = gpu.stream(), gpu.stream()
    blocking = r.random() < 0.5
    for _ in range(n):
        main.copy("h2d", s if blocking else up, size, job.jitter(rate), blocking)
        main.wait(up)
        main.launch("transform", s, job.jitter(kernel))
        if both:
            main.copy("d2h", s, size, job.jitter(rate), blocking)
        main.wait(s)


def overlap_missing(job):
    r = job.random
    model = r.choice(AMD)
    size, rate, ns = copies_of(job, model, r.uniform(0.55, 0.85))
    both = r.random() < 0.6
    kernel = ns * (1 + both) * r.uniform(0.6, 2.5)
    n = 60
    app, gpu, main = program(job, n * (kernel + ns), model)
    s = r.choice([gpu.null, gpu.stream()])
    for i in range(n):
        main.copy("h2d", s, size, job.jitter(rate))
        main.launch("filter", s, job.jitter(kernel * 0.6))
        main.launch("blend", s, job.jitter(kernel * 0.4))
        if both:
            main.copy("d2h", s, size, job.jitter(rate))
        if i % 10 == 9:
            main.wait(s)
    main.wait(s)


def host_idle(job):
    r = job.random
    kernel, pause = r.uniform(0.2e6, 2e6), r.uniform(1e6, 6e6)
    pause = max(pause, 1.3 * kernel)
    n = 150
    app, gpu, main = program(job, n * (kernel + pause))
    s = gpu.stream()
    waits, pieces = r.random() < 0.5, r.choice([1, 1, 5])
    for i in range(n):
        begin = main.now
        for part in range(pieces):
            main.launch(f"assemble_{part}", s, job.jitter(kernel / pieces))
        if waits:
            main.wait(s)
        main.host(job.jitter(pause, 0.3))
        main.call("hipGetLastError", 400)
        if i % 2:
            main.mark(f"part {i % 6}", begin, main.now)
    main.wait(s)
    bystander(job, app, main, 200)


def pageable_copies(job):
    r = job.random
    size = r.choice([4, 32, 64]) << 20
    rate = r.uniform(1, 8)
    ns = size / rate
    kernel = ns * r.uniform(0.05, 0.6)
    n = 60
    app, gpu, main = program(job, n * (ns + kernel))
    s = gpu.stream()
    blocking = r.random() < 0.5
    for _ in range(n):
        main.copy("h2d", s, size, job.jitter(rate), blocking)
        if not blocking:
            main.wait(s)
        main.launch("smooth", s, job.jitter(kernel))
        if r.random() < 0.5:
            main.copy("d2h", s, size, job.jitter(rate), blocking)
    main.wait(s)


def tiny_copies(job):
    r = job.random
    n = 40
    app, gpu, main = program(job, n * 2e6)
    s = gpu.stream()
    for _ in range(n):
        for _ in range(50):
            main.copy("h2d", s, 4096, 4096 / r.uniform(8e3, 14e3), cost=r.uniform(4e3, 6e3))
        main.launch("scatter", s, job.jitter(r.uniform(2e5, 6e5)))
        main.wait(s)


def allocation_churn(job):
    r = job.random
    n = 250
    kernel = r.uniform(50e3, 400e3)
    grow, drop = r.choice([("hipMalloc", "hipFree"), ("hipMallocAsync", "hipFreeAsync"),
                           ("hipMallocManaged", "hipFree")])
    each = r.uniform(0.4, 2) * kernel
    app, gpu, main = program(job, n * (kernel + 2 * each))
    s = gpu.stream()
    for _ in range(n):
        main.memory(32 << 20, job.jitter(each, 0.3), grow)
        main.launch("gather", s, job.jitter(kernel))
        if drop == "hipFree":
            main.now = max(main.now, s.free_at)
        else:
            main.wait(s)
        main.memory(32 << 20, job.jitter(each, 0.3), drop)


def unbalanced_gpus(job):
    r = job.random
    count = r.choice([2, 4, 8])
    heavy = r.uniform(1.5, 4)
    work, n = r.uniform(0.5e6, 3e6), 60
    several = r.random() < 0.5
    odd = r.randrange(count)
    if several:
        apps = [job.process() for _ in range(count)]
        places = [(a.gpu("MI250X", agent=2 + i), a.thread()) for i, a in enumerate(apps)]
    else:
        app = job.process()
        main = app.thread()
        places = [(app.gpu("MI250X"), main) for _ in range(count)]
    streams = [g.stream() for g, _ in places]
    for _ in range(n):
        for i, ((_, main), s) in enumerate(zip(places, streams)):
            main.launch("solve", s, job.jitter(work * (heavy if i == odd else 1)))
        for (_, main), s in zip(places, streams):
            main.wait(s, cost=15e3)
        latest = max(main.now for _, main in places)
        for _, main in places:
            if several and main.now < latest:
                main.region("MPI_Allreduce", main.now, latest, "MPI")
            main.now = latest
            main.host(30e3)


def warm_up(job):
    r = job.random
    style = r.choice(["kernels", "modules", "launches"])
    n, work = 200, r.uniform(0.4e6, 1e6)
    app, gpu, main = program(job, 1e8)
    s = gpu.stream()
    names = [f"part_{i}" for i in range(4)]
    slow = r.randrange(1, 9)
    for i in range(n):
        for name in names:
            cost, dur = 5e3, work
            if style == "kernels" and i < slow:
                dur = work * r.uniform(20, 60) / slow
            if style == "modules" and i < 1:
                main.call("hipModuleLoadData", r.uniform(40e6, 120e6), "hsa_code_object_reader_create")
            if style == "launches" and i < 1:
                cost = r.uniform(40e6, 120e6)
            main.launch(name, s, job.jitter(dur, 0.02), cost)
    main.wait(s)


def stream_serialisation(job):
    serial_streams(job, job.random.choice([16, 48, 96]))


def full_streams(job):
    """The same with kernels that fill the device: streams cannot win anything."""
    serial_streams(job, 4864)


def serial_streams(job, groups):
    r = job.random
    count, n = r.randrange(2, 7), 400
    kernel = r.uniform(50e3, 500e3)
    by_host = r.random() < 0.25
    app, gpu, main = program(job, n * kernel)
    streams = [gpu.stream() for _ in range(count)]
    before = None
    for i in range(n):
        s = streams[i % count]
        if before and by_host:
            main.wait(before)
        elif before:
            main.call("hipStreamWaitEvent", 1500)
            s.free_at = max(s.free_at, before.free_at + r.randrange(0, 4000))
        main.launch("piece", s, job.jitter(kernel, 0.1), groups=groups)
        main.call("hipEventRecord", 1500)
        before = s
    main.wait(*streams, api="hipDeviceSynchronize")


def ranks(job, count):
    out = []
    for i in range(count):
        app = job.process("python train.py")
        gpu = app.gpu("MI250X", agent=2 + i)
        main = app.thread()
        out.append((main, gpu.stream(), gpu.stream()))
    return out


def training(job, exposed):
    r = job.random
    team = ranks(job, r.choice([2, 4, 8]))
    n, step = 30, r.uniform(4e6, 12e6)
    share = r.uniform(0.06, 0.45)
    name = r.choice(["ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)",
                     "ncclKernel_AllReduce_RING_LL_Sum_float", "rccl_main_kernel"])
    for _ in range(n):
        for main, compute, comm in team:
            main.launch("forward", compute, job.jitter(step * 0.35, 0.01))
            main.launch("norm", compute, job.jitter(step * 0.05, 0.01))
            ready = None
            for part in range(3):
                main.launch("backward", compute, job.jitter(step * 0.2, 0.01))
                if not exposed:
                    comm.free_at = max(comm.free_at, ready or 0)
                    if ready:
                        main.launch(name, comm, step * 0.15, groups=32)
                    ready = compute.free_at
            if exposed:
                comm.free_at = max(comm.free_at, compute.free_at)
                main.launch(name, comm, step * share / (1 - share), groups=32)
                compute.free_at = comm.free_at
            main.launch("update", compute, job.jitter(step * 0.05, 0.01))
        meet = max(compute.free_at for _, compute, _ in team)
        for main, compute, comm in team:
            compute.free_at = meet
    for main, compute, comm in team:
        main.wait(compute, comm)


def exposed_comm(job):
    training(job, True)


def hidden_comm(job):
    training(job, False)


def small_grid(job):
    r = job.random
    n = 200
    work = r.uniform(0.2e6, 3e6)
    app, gpu, main = program(job, n * work)
    s = gpu.stream()
    for i in range(n):
        main.launch("narrow" if i % 3 else "slim", s, job.jitter(work), groups=r.choice([4, 16, 40]),
                    group=r.choice([128, 256]))
    main.wait(s)


def dominant_kernel(job):
    r = job.random
    n = 150
    step, share = r.uniform(1e6, 5e6), r.uniform(0.6, 0.95)
    app, gpu, main = program(job, n * step)
    s = gpu.stream()
    for i in range(n):
        main.launch("interact", s, job.jitter(step * share), vgpr=r.choice([64, 128]))
        main.launch("move", s, job.jitter(step * (1 - share) * 0.6))
        main.launch("sum", s, job.jitter(step * (1 - share) * 0.4))
        if i % 25 == 24:
            main.wait(s)
    main.wait(s)


def two_queues(job):
    r = job.random
    n = 200
    work = r.uniform(0.1e6, 1e6)
    app, gpu, main = program(job, n * work)
    a, b = gpu.stream(), gpu.stream()
    for _ in range(n):
        ns = job.jitter(work)
        at = max(a.free_at, b.free_at, main.now + 20000)
        a.free_at = b.free_at = at
        main.launch("left", a, ns, groups=100)
        main.launch("right", b, ns, groups=100)
    main.wait(a, b)


def healthy(job):
    r = job.random
    n = 150
    step = r.uniform(1e6, 6e6)
    app, gpu, main = program(job, n * step)
    work, feed = gpu.stream(), gpu.stream()
    size = 8 << 20
    for i in range(n):
        main.copy("h2d", feed, size, 28)
        for k, share in (("conv_a", 0.5), ("act_b", 0.2), ("conv_c", 0.3)):
            main.launch(k, work, job.jitter(step * share * (1.5 if i < 2 else 1)), groups=r.choice([2600, 4864]))
        if i % 10 == 9:
            main.wait(work)
    main.wait(work, feed)
    bystander(job, app, main, 100)


FAULTS = {
    "tiny_kernels": (tiny_kernels, ["tiny-kernels"]),
    "sync_stall": (sync_stall, ["sync-stall"]),
    "transfer_bound": (transfer_bound, ["transfer-bound"]),
    "overlap_missing": (overlap_missing, ["overlap-missing"]),
    "host_idle": (host_idle, ["host-idle"]),
    "pageable_copies": (pageable_copies, ["slow-copies"]),
    "tiny_copies": (tiny_copies, ["tiny-copies", "slow-copies"]),
    "allocation_churn": (allocation_churn, ["allocation-churn"]),
    "unbalanced_gpus": (unbalanced_gpus, ["gpu-imbalance"]),
    "warm_up": (warm_up, ["warmup", "startup"]),
    "stream_serialisation": (stream_serialisation, ["stream-serialisation"]),
    "full_streams": (full_streams, None),
    "exposed_comm": (exposed_comm, ["exposed-comm"]),
    "hidden_comm": (hidden_comm, None),
    "small_grid": (small_grid, ["small-grid"]),
    "dominant_kernel": (dominant_kernel, ["dominant-kernel"]),
    "two_queues": (two_queues, None),
    "healthy": (healthy, None),
}


def make(name, seed, path):
    job = Job(f"{name} {seed}")
    FAULTS[name][0](job)
    job.write(path)
