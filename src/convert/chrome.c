/*
 * Chrome's JSON, in the dialect of the PyTorch profiler, which more tools read than any other:
 * kernels and copies carry device, stream and correlation, times count from baseTimeNanoseconds.
 */
#include <math.h>
#include <stdio.h>

#include "convert/lanes.h"
#include "convert/sink.h"

struct chrome {
    struct conversion *c;
    const struct trace *t;
    struct sink s;
    int64_t base_ns;
    bool any;          /* an event was written */
    uint8_t *has_work; /* by call: bit 0, it launched something */
    uint64_t lanes;    /* tracks of GPUs so far */
    struct {
        VEC(uint64_t) lane;
        int64_t pid;
        char name[96];
    } track;
    const char *runtime, *driver;
    uint32_t copies; /* rows of the tracks of GPUs: kernels, then copies */
};

static void event(struct chrome *w, char phase, const char *category, const char *name, int64_t pid,
                  uint64_t tid)
{
    struct sink *s = &w->s;
    sink_puts(s, w->any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
    w->any = true;
    sink_putc(s, phase);
    if (category) {
        sink_puts(s, "\",\"cat\":\"");
        sink_puts(s, category);
    }
    sink_puts(s, "\",\"name\":");
    sink_json(s, name);
    sink_puts(s, ",\"pid\":");
    sink_int(s, pid);
    sink_puts(s, ",\"tid\":");
    sink_uint(s, tid);
}

static void times(struct chrome *w, int64_t start, int64_t end)
{
    sink_puts(&w->s, ",\"ts\":");
    sink_us(&w->s, sub_ns(start, w->base_ns));
    sink_puts(&w->s, ",\"dur\":");
    sink_us(&w->s, sub_ns(later_of(start, end), start));
}

static void moment(struct chrome *w, int64_t ns)
{
    sink_puts(&w->s, ",\"ts\":");
    sink_us(&w->s, sub_ns(ns, w->base_ns));
}

static void arg_int(struct chrome *w, const char *before, int64_t v)
{
    sink_puts(&w->s, before);
    sink_int(&w->s, v);
}

static void arg_text(struct chrome *w, const char *before, const char *text)
{
    sink_puts(&w->s, before);
    sink_json(&w->s, text);
}

static void metadata(struct chrome *w, const char *what, int64_t pid, uint64_t tid,
                     const char *name)
{
    event(w, 'M', NULL, what, pid, tid);
    sink_puts(&w->s, ",\"ts\":0,\"args\":{\"name\":");
    sink_json(&w->s, name);
    sink_puts(&w->s, "}}");
}

static int64_t pid_of(const struct trace *t, uint32_t process)
{
    int64_t pid = process < t->processes.n ? t->processes.v[process].pid : 0;
    return pid > 0 ? pid : 1 + (int64_t)process;
}

static void flow(struct chrome *w, char phase, int64_t pid, uint64_t tid, int64_t ns, uint32_t call)
{
    event(w, phase, "ac2g", "ac2g", pid, tid);
    moment(w, ns);
    arg_int(w, ",\"id\":", (int64_t)call + 1);
    sink_puts(&w->s, phase == 'f' ? ",\"bp\":\"e\"}" : "}");
}

/* ---- host ---- */

static const char *category_of(const struct chrome *w, enum region_kind kind)
{
    static const char *const of[REGION_KINDS] = {
        [REGION_OTHER] = "overhead",      [REGION_HIP_COMPILER] = "hip_compiler_api",
        [REGION_COLLECTIVE] = "rccl_api", [REGION_MPI] = "mpi",
        [REGION_OPENMP] = "openmp",       [REGION_OS] = "os_api",
        [REGION_MEDIA] = "media_api",     [REGION_DRIVER] = "kfd_events",
        [REGION_USER] = "user",           [REGION_PYTHON] = "python_function",
    };
    if (kind == REGION_HIP)
        return w->runtime;
    return kind == REGION_HSA ? w->driver : kind < REGION_KINDS ? of[kind] : "overhead";
}

static void write_calls(struct chrome *w)
{
    const struct trace *t = w->t;
    const struct regions *r = &t->regions;
    size_t n = conversion_regions(t);
    for (size_t i = 0; i < n; i++) {
        uint32_t process = process_of_thread(t, r->thread[i]);
        if (!conversion_takes(w->c, process))
            continue;
        int64_t pid = pid_of(t, process);
        uint64_t tid = r->thread[i] < t->threads.n ? (uint64_t)t->threads.v[r->thread[i]].tid : 0;
        event(w, 'X', category_of(w, r->kind[i]), trace_str(t, r->name[i]), pid, tid);
        times(w, r->start_ns[i], r->end_ns[i]);
        arg_int(w, ",\"args\":{\"correlation\":", (int64_t)i + 1);
        arg_int(w, ",\"id\":", regions_id_at(t, i));
        if (w->c->o->annotate_args) {
            arg_int(w, ",\"begin_ns\":", r->start_ns[i]);
            arg_int(w, ",\"end_ns\":", r->end_ns[i]);
        }
        sink_puts(&w->s, "}}");
        if (w->has_work[i])
            flow(w, 's', pid, tid, r->start_ns[i], (uint32_t)i);
    }
}

static void write_markers(struct chrome *w)
{
    const struct trace *t = w->t;
    const struct markers *m = &t->markers;
    for (size_t i = 0; i < m->n; i++) {
        uint32_t process = process_of_thread(t, m->thread[i]);
        if (!conversion_takes(w->c, process))
            continue;
        bool instant = m->kind[i] == MARKER_INSTANT, wide = m->kind[i] == MARKER_PROCESS_RANGE;
        const char *domain = trace_str(t, m->domain[i]);
        const char *category = str_eq(domain, "cpu_op") ? "cpu_op"
                               : wide                   ? "gpu_user_annotation"
                                                        : "user_annotation";
        event(w, instant ? 'i' : 'X', category, trace_str(t, m->name[i]), pid_of(t, process),
              m->thread[i] < t->threads.n ? (uint64_t)t->threads.v[m->thread[i]].tid : 0);
        if (instant)
            moment(w, m->start_ns[i]);
        else
            times(w, m->start_ns[i], m->end_ns[i]);
        arg_int(w, instant ? ",\"s\":\"t\",\"args\":{\"id\":" : ",\"args\":{\"id\":",
                markers_id_at(t, i));
        if (m->domain[i])
            arg_text(w, ",\"domain\":", domain);
        sink_puts(&w->s, "}}");
    }
}

static void write_allocations(struct chrome *w)
{
    static const char *const levels[] = {"real", "virtual", "scratch"};
    const struct trace *t = w->t;
    const struct allocations *a = &t->allocations;
    for (size_t i = 0; i < a->n; i++) {
        uint32_t process = process_of_thread(t, a->thread[i]);
        if (!conversion_takes(w->c, process))
            continue;
        uint32_t gpu = a->agent[i] < t->agents.n ? t->agents.v[a->agent[i]].gpu : NO_INDEX;
        int64_t bytes = (int64_t)bound_bytes(a->bytes[i]);
        event(w, 'i', "cpu_instant_event", "[memory]", pid_of(t, process),
              a->thread[i] < t->threads.n ? (uint64_t)t->threads.v[a->thread[i]].tid : 0);
        moment(w, a->start_ns[i]);
        arg_int(w, ",\"s\":\"t\",\"args\":{\"Device Type\":", gpu == NO_INDEX ? 0 : 1);
        arg_int(w, ",\"Device Id\":", gpu == NO_INDEX ? -1 : t->gpus.v[gpu].index);
        arg_int(w, ",\"Bytes\":", a->op[i] == ALLOC_FREE ? -bytes : bytes);
        arg_int(w, ",\"Addr\":", (int64_t)a->address[i]);
        arg_text(w, ",\"Level\":", levels[a->level[i] <= LEVEL_SCRATCH ? a->level[i] : 0]);
        sink_puts(&w->s, "}}");
    }
}

static void write_telemetry(struct chrome *w)
{
    const struct trace *t = w->t;
    for (size_t i = 0; i < t->telemetry.n; i++) {
        const struct series *s = &t->series.v[t->telemetry.series[i]];
        char name[256];
        if (!conversion_takes(w->c, s->process))
            continue;
        if (s->gpu == NO_INDEX)
            snprintf(name, sizeof(name), "%s", trace_str(t, s->name));
        else
            snprintf(name, sizeof(name), "GPU %d %s", (int)t->gpus.v[s->gpu].index,
                     trace_str(t, s->name));
        event(w, 'C', NULL, name, pid_of(t, s->process), 0);
        moment(w, t->telemetry.time_ns[i]);
        sink_puts(&w->s, ",\"args\":{");
        sink_json(&w->s, *trace_str(t, s->units) ? trace_str(t, s->units) : "value");
        sink_putc(&w->s, ':');
        sink_num(&w->s, t->telemetry.value[i]);
        sink_puts(&w->s, "}}");
    }
}

/* ---- GPU ---- */

/* Rows of what runs beside other things in its stream: each lane is a thread of the viewer. */
static uint64_t lane_of(struct chrome *w, uint32_t lane)
{
    while (w->track.lane.n <= lane)
        vec_push(&w->track.lane, w->c->arena, 0);
    if (!w->track.lane.v[lane]) {
        w->track.lane.v[lane] = 1000000000 + ++w->lanes;
        metadata(w, "thread_name", w->track.pid, w->track.lane.v[lane], w->track.name);
    }
    return w->track.lane.v[lane];
}

static void three(struct chrome *w, const char *before, const uint64_t *v)
{
    sink_puts(&w->s, before);
    for (int d = 0; d < 3; d++) {
        sink_putc(&w->s, d ? ',' : '[');
        sink_uint(&w->s, v[d]);
    }
    sink_putc(&w->s, ']');
}

/* The reader of such files multiplies blocks by their size, but for two calls that take items. */
static bool counts_items(const struct trace *t, uint32_t call)
{
    if (call >= t->regions.n)
        return false;
    const char *name = trace_str(t, t->regions.name[call]);
    return str_starts(name, "hipExtModuleLaunch") || str_starts(name, "hipHccModuleLaunch");
}

static void put_device(struct chrome *w, uint32_t stream, uint32_t call)
{
    const struct trace *t = w->t;
    uint32_t gpu = gpu_of_stream(t, stream);
    arg_int(w, ",\"args\":{\"device\":", gpu == NO_INDEX ? 0 : t->gpus.v[gpu].index);
    arg_int(w, ",\"stream\":", stream < t->streams.n ? t->streams.v[stream].id : -1);
    if (call < t->regions.n)
        arg_int(w, ",\"correlation\":", (int64_t)call + 1);
}

static void put_kernel(struct chrome *w, uint32_t row, uint64_t tid)
{
    const struct trace *t = w->t;
    const struct kernels *k = &t->kernels;
    const struct launch *l = &t->launches.v[kernels_launch_at(t, row)];
    const struct symbol *s = &t->symbols.v[k->symbol[row]];
    uint64_t grid[3], group[3];
    bool items = counts_items(t, k->call[row]);
    for (int d = 0; d < 3; d++) {
        group[d] = l->group[d];
        grid[d] = items || !group[d] ? l->grid[d] : (l->grid[d] + group[d] - 1) / group[d];
    }
    event(w, 'X', "kernel", conversion_kernel_name(w->c, row), w->track.pid, tid);
    times(w, k->start_ns[row], k->end_ns[row]);
    put_device(w, k->stream[row], k->call[row]);
    arg_int(w, ",\"id\":", kernels_id_at(t, row));
    three(w, ",\"grid\":", grid);
    three(w, ",\"block\":", group);
    arg_int(w, ",\"shared memory\":", l->lds_bytes);
    if (s->vgprs)
        arg_int(w, ",\"registers per thread\":", s->vgprs);
    if (l->graph)
        arg_int(w, ",\"graph id\":", l->graph);
    sink_puts(&w->s, "}}");
    if (k->call[row] < t->regions.n)
        flow(w, 'f', w->track.pid, tid, k->start_ns[row], k->call[row]);
}

static const char *copy_name(const struct copies *c, uint32_t row, char *out, size_t n)
{
    static const char *const memory[] = {"Unknown", "Pageable", "Pinned", "Device", "Managed"};
    static const char *const kinds[COPY_KINDS] = {"Memcpy",      "Memcpy HtoD", "Memcpy DtoH",
                                                  "Memcpy DtoD", "Memcpy PtoP", "Memcpy HtoH",
                                                  "Memset"};
    uint8_t kind = c->kind[row] < COPY_KINDS ? c->kind[row] : 0;
    uint8_t from = c->src_memory[row] < 5 ? c->src_memory[row] : 0;
    uint8_t to = c->dst_memory[row] < 5 ? c->dst_memory[row] : 0;
    if (kind == COPY_SET)
        snprintf(out, n, to ? "Memset (%s)" : "Memset", memory[to]);
    else if (from || to)
        snprintf(out, n, "%s (%s -> %s)", kinds[kind], memory[from], memory[to]);
    else
        snprintf(out, n, "%s", kinds[kind]);
    return out;
}

static void put_copy(struct chrome *w, uint32_t row, uint64_t tid)
{
    const struct trace *t = w->t;
    const struct copies *c = &t->copies;
    char name[96];
    event(w, 'X', c->kind[row] == COPY_SET ? "gpu_memset" : "gpu_memcpy",
          copy_name(c, row, name, sizeof(name)), w->track.pid, tid);
    times(w, c->start_ns[row], c->end_ns[row]);
    put_device(w, c->stream[row], c->call[row]);
    arg_int(w, ",\"id\":", copies_id_at(t, row));
    if (c->bytes[row] != BYTES_UNKNOWN)
        arg_int(w, ",\"bytes\":", (int64_t)bound_bytes(c->bytes[row]));
    uint32_t src = copies_src_at(t, row), dst = copies_dst_at(t, row);
    if (c->kind[row] == COPY_P2P && src < t->agents.n && dst < t->agents.n &&
        t->agents.v[src].gpu != NO_INDEX && t->agents.v[dst].gpu != NO_INDEX) {
        arg_int(w, ",\"fromDevice\":", t->gpus.v[t->agents.v[src].gpu].index);
        arg_int(w, ",\"toDevice\":", t->gpus.v[t->agents.v[dst].gpu].index);
    }
    sink_puts(&w->s, "}}");
    if (c->call[row] < t->regions.n)
        flow(w, 'f', w->track.pid, tid, c->start_ns[row], c->call[row]);
}

static void begin(void *ctx, uint32_t lane, const struct lane_item *item)
{
    struct chrome *w = ctx;
    uint64_t tid = lane_of(w, lane);
    if (item->row < w->copies)
        put_kernel(w, item->row, tid);
    else
        put_copy(w, item->row - w->copies, tid);
}

static void end(void *ctx, uint32_t lane, const struct lane_item *item)
{
    (void)ctx, (void)lane, (void)item; /* events carry their length */
}

static void write_stream(struct chrome *w, const struct row_groups *kernels,
                         const struct row_groups *copies, size_t stream)
{
    const struct trace *t = w->t;
    struct arena *a = arena_scratch();
    size_t most =
        kernels->at[stream + 1] - kernels->at[stream] + copies->at[stream + 1] - copies->at[stream];
    struct lane_item *items = arena_array(a, struct lane_item, most + 1);
    uint32_t gpu = gpu_of_stream(t, (uint32_t)stream);
    size_t n = 0;
    w->track.lane.n = 0;
    w->track.pid = pid_of(t, process_of_stream(t, (uint32_t)stream));
    snprintf(w->track.name, sizeof(w->track.name), "GPU %d stream %lld",
             gpu == NO_INDEX ? -1 : (int)t->gpus.v[gpu].index,
             stream < t->streams.n ? (long long)t->streams.v[stream].id : -1LL);
    for (size_t i = kernels->at[stream]; i < kernels->at[stream + 1]; i++) {
        uint32_t row = kernels->list[i];
        if (conversion_takes(w->c, process_of_kernel(t, row)))
            items[n++] =
                (struct lane_item){t->kernels.start_ns[row],
                                   later_of(t->kernels.start_ns[row], t->kernels.end_ns[row]), row};
    }
    for (size_t i = copies->at[stream]; i < copies->at[stream + 1]; i++) {
        uint32_t row = copies->list[i];
        if (conversion_takes(w->c, process_of_copy(t, row)))
            items[n++] = (struct lane_item){
                t->copies.start_ns[row], later_of(t->copies.start_ns[row], t->copies.end_ns[row]),
                w->copies + row};
    }
    lanes_walk(items, n, true, &(struct lane_events){begin, end, w}, a);
    arena_release(a);
}

/* ---- all of it ---- */

static void write_properties(struct chrome *w)
{
    const struct trace *t = w->t;
    sink_puts(&w->s, "\"deviceProperties\":[");
    for (size_t i = 0; i < t->gpus.n; i++) {
        const struct gpu *g = &t->gpus.v[i];
        const char *arch = trace_str(t, g->arch);
        sink_puts(&w->s, i ? ",\n{" : "\n{");
        arg_int(w, "\"id\":", g->index);
        arg_text(w, ",\"name\":", trace_str(t, g->name));
        arg_int(w, ",\"totalGlobalMem\":", (int64_t)bound_bytes(g->memory_bytes));
        if (str_starts(arch, "sm_") && strlen(arch) >= 5) {
            sink_printf(&w->s, ",\"computeMajor\":%.*s,\"computeMinor\":%s", (int)strlen(arch) - 4,
                        arch + 3, arch + strlen(arch) - 1);
        } else if (*arch) {
            arg_text(w, ",\"gcnArchName\":", arch);
        }
        arg_int(w, ",\"numSms\":", g->cu_count);
        arg_int(w, ",\"warpSize\":", g->wave_size);
        arg_int(w, ",\"maxThreadsPerMultiprocessor\":",
                (int64_t)g->wave_size % 4096 * (g->simd_per_cu % 4096) *
                    (g->max_waves_per_simd % 4096));
        arg_int(w, ",\"sharedMemPerMultiprocessor\":", g->lds_bytes_per_cu);
        sink_puts(&w->s, "}");
    }
    sink_puts(&w->s, "],\n");
}

static void write_processes(struct chrome *w)
{
    const struct trace *t = w->t;
    for (size_t i = 0; i < t->processes.n; i++)
        if (conversion_takes(w->c, (uint32_t)i) && t->processes.v[i].command)
            metadata(w, "process_name", pid_of(t, (uint32_t)i), 0,
                     trace_str(t, t->processes.v[i].command));
    for (size_t i = 0; i < t->threads.n; i++)
        if (t->threads.v[i].name && conversion_takes(w->c, t->threads.v[i].process))
            metadata(w, "thread_name", pid_of(t, t->threads.v[i].process),
                     (uint64_t)t->threads.v[i].tid, trace_str(t, t->threads.v[i].name));
}

static void find_work(struct chrome *w)
{
    const struct trace *t = w->t;
    w->has_work = arena_array(w->c->arena, uint8_t, t->regions.n + 1);
    for (size_t i = 0; i < t->kernels.n; i++)
        if (t->kernels.call[i] < t->regions.n)
            w->has_work[t->kernels.call[i]] = 1;
    for (size_t i = 0; i < t->copies.n; i++)
        if (t->copies.call[i] < t->regions.n)
            w->has_work[t->copies.call[i]] = 1;
}

static void write_header(struct chrome *w)
{
    const struct trace *t = w->t;
    bool nvidia = trace_vendor(t) == VENDOR_NVIDIA;
    int64_t last;
    if (!trace_span(t, w->c->o->threads, &w->base_ns, &last))
        w->base_ns = 0;
    w->runtime = nvidia ? "cuda_runtime" : "hip_runtime";
    w->driver = nvidia ? "cuda_driver" : "hsa_driver";
    sink_puts(&w->s, "{\"schemaVersion\":1,\n");
    sink_puts(&w->s, nvidia ? "\"cuda_runtime_version\":0,\n" : "\"hip_runtime_version\":0,\n");
    write_properties(w);
    uint32_t only = w->c->process != NO_INDEX ? w->c->process : t->processes.n == 1 ? 0 : NO_INDEX;
    if (only < t->processes.n && t->processes.v[only].rank >= 0)
        sink_printf(&w->s, "\"distributedInfo\":{\"rank\":%d},\n", (int)t->processes.v[only].rank);
    sink_puts(&w->s, "\"displayTimeUnit\":\"ns\",\"baseTimeNanoseconds\":");
    sink_int(&w->s, w->base_ns);
    sink_puts(&w->s, ",\n\"traceEvents\":[");
}

static bool write_chrome(struct conversion *c, struct gs_error *err)
{
    const struct trace *t = c->trace;
    struct chrome *w = arena_new(c->arena, struct chrome);
    *w = (struct chrome){.c = c, .t = t, .copies = (uint32_t)t->kernels.n};
    if (!sink_open(&w->s, c, conversion_path(c, converter_chrome.ends), err))
        return false;
    find_work(w);
    write_header(w);
    write_processes(w);
    write_calls(w);
    write_markers(w);
    struct row_groups kernels =
        row_groups_make(t->kernels.stream, t->kernels.n, t->streams.n, c->arena);
    struct row_groups copies =
        row_groups_make(t->copies.stream, t->copies.n, t->streams.n, c->arena);
    for (size_t s = 0; s <= t->streams.n; s++)
        write_stream(w, &kernels, &copies, s);
    write_allocations(w);
    write_telemetry(w);
    sink_puts(&w->s, "\n]}\n");
    return sink_close(&w->s, c, err);
}

const struct converter converter_chrome = {
    .name = "chrome",
    .other = "json",
    .ends = "_trace.json",
    .extension = ".json",
    .summary = "Chrome JSON, as the PyTorch profiler writes it",
    .write = write_chrome,
};
