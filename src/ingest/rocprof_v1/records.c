/* Records of rocprof, to rows of the trace. */
#include <string.h>

#include "base/str.h"
#include "ingest/rocprof_v1/rv1.h"

uint32_t rv1_process(struct rv1 *r, uint64_t pid)
{
    if (pid == RV3_NO_ID && r->build.processes.n)
        return 0;
    pid = pid == RV3_NO_ID ? 0 : pid;
    uint32_t at = idmap_get(&r->processes, pid);
    if (at != NO_INDEX)
        return at;
    struct process p = {
        .rank = -1, .file = r->build.file, .pid = pid > INT32_MAX ? 0 : (int64_t)pid};
    at = rv3_process(&r->build, &p);
    idmap_put(&r->processes, pid, at);
    return at;
}

uint32_t rv1_agent(struct rv1 *r, uint32_t process, uint64_t gpu)
{
    uint32_t slot = rv3_agent(&r->build, process, gpu);
    if (slot == NO_INDEX || r->build.agents.v[slot].agent != NO_INDEX)
        return slot;
    struct gpu g = {.vendor = VENDOR_AMD, .index = (int32_t)(gpu & 0xffff)};
    g.node_id = g.index;
    rv3_describe_agent(&r->build, slot, AGENT_GPU, g.index, &g);
    return slot;
}

uint32_t rv1_symbol(struct rv1 *r, uint32_t process, const char *name, size_t n,
                    const struct symbol *resources)
{
    uint32_t id = strings_addn(&r->trace->strings, name, n);
    uint32_t slot = rv3_symbol(&r->build, process, (uint64_t)id << 32 | resources->vgprs);
    if (r->build.symbols.v[slot] == NO_INDEX) {
        struct symbol s = *resources;
        s.process = r->build.processes.v[process].process;
        s.mangled = id;
        s.id = (int64_t)slot + 1;
        rv3_describe_symbol(&r->build, slot, &s, trace_str(r->trace, id));
    }
    return slot;
}

/* ---- calls ---- */

static enum region_kind kind_of(const char *name)
{
    return str_starts(name, "hsaKmt")  ? REGION_DRIVER
           : str_starts(name, "hsa_")  ? REGION_HSA
           : str_starts(name, "__hip") ? REGION_HIP_COMPILER
           : str_starts(name, "hip")   ? REGION_HIP
           : str_starts(name, "roctx") ? REGION_OTHER
                                       : REGION_USER;
}

static const char *category_of(enum region_kind kind)
{
    return kind == REGION_HSA            ? "HSA_API"
           : kind == REGION_DRIVER       ? "KFD_API"
           : kind == REGION_HIP_COMPILER ? "HIP_COMPILER_API"
           : kind == REGION_HIP          ? "HIP_RUNTIME_API"
                                         : "OTHER_API";
}

static uint64_t key_of(uint32_t process, uint64_t correlation)
{
    return hash_u64(correlation) ^ ((uint64_t)process + 1);
}

/*
 * Files of early versions number nothing: work then names the place of its call among those of the
 * process. Calls of HIP and HSA stand in different files, so the latter count in another range.
 */
static uint64_t place_of(struct rv1 *r, uint32_t process, bool hip)
{
    uint64_t key = (uint64_t)process << 1 | hip;
    uint32_t at = idmap_get(&r->counts, key);
    if (at == NO_INDEX) {
        at = (uint32_t)r->counted.n;
        vec_push(&r->counted, r->arena, 0);
        idmap_put(&r->counts, key, at);
    }
    return ++r->counted.v[at] + (hip ? 0 : (uint64_t)1 << 40);
}

void rv1_add_call(struct rv1 *r, const struct rv1_call *c)
{
    struct trace *t = r->trace;
    uint32_t process = rv1_process(r, c->pid);
    uint32_t name = strings_addn(&t->strings, c->name, c->name_n);
    enum region_kind kind = kind_of(trace_str(t, name));
    uint64_t tid = c->tid == RV3_NO_ID ? c->pid : c->tid;
    uint64_t id =
        c->correlation == RV3_NO_ID ? place_of(r, process, kind != REGION_HSA) : c->correlation;
    size_t row =
        rv3_add_region(&r->build, c->start_ns, c->end_ns, id, rv3_thread(&r->build, process, tid));
    t->regions.name[row] = name;
    t->regions.kind[row] = (uint8_t)kind;
    rv3_count(&r->build, strings_add(&t->strings, category_of(kind)), 1);
    struct rv1_launch l = {.kernel =
                               c->kernel_n ? strings_addn(&t->strings, c->kernel, c->kernel_n) : 0,
                           .stream = c->stream,
                           .bytes = c->bytes,
                           .thread = tid};
    if (kind == REGION_HSA && c->bytes == RV3_NO_ID)
        return;
    idmap_put(&r->calls, key_of(process, id), (uint32_t)r->launches.n);
    vec_push(&r->launches, r->arena, l);
}

static struct rv1_launch launch_of(const struct rv1 *r, uint32_t process, uint64_t correlation)
{
    uint32_t at =
        correlation == RV3_NO_ID ? NO_INDEX : idmap_get(&r->calls, key_of(process, correlation));
    return at == NO_INDEX ? (struct rv1_launch){0, RV3_NO_ID, RV3_NO_ID, RV3_NO_ID}
                          : r->launches.v[at];
}

/* ---- work ---- */

static bool has(const struct rv1_op *op, const char *part)
{
    size_t len = strlen(part);
    for (size_t i = 0; i + len <= op->n; i++)
        if (!memcmp(op->name + i, part, len))
            return true;
    return false;
}

static enum copy_kind direction(const struct rv1_op *op)
{
    return has(op, "Fill") || has(op, "Memset") ? COPY_SET
           : has(op, "HostToDevice")            ? COPY_H2D
           : has(op, "DeviceToHost")            ? COPY_D2H
           : has(op, "DeviceToDevice")          ? COPY_D2D
           : has(op, "HostToHost")              ? COPY_H2H
           : has(op, "P2P") || has(op, "Peer")  ? COPY_P2P
                                                : COPY_UNKNOWN;
}

static void add_copy(struct rv1 *r, const struct rv1_op *op, uint32_t process)
{
    struct rv1_launch l = launch_of(r, process, op->correlation);
    enum copy_kind kind = direction(op);
    uint32_t gpu = op->gpu == RV3_NO_ID ? NO_INDEX : rv1_agent(r, process, op->gpu);
    bool from = kind == COPY_D2H || kind == COPY_D2D, to = kind != COPY_D2H && kind != COPY_H2H;
    struct rv3_copy c = {
        .process = process,
        .src = from ? gpu : NO_INDEX,
        .dst = to ? gpu : NO_INDEX,
        .start_ns = op->start_ns,
        .end_ns = op->end_ns,
        .correlation = op->correlation,
        .thread = l.thread,
        .stream = l.stream == RV3_NO_ID ? 0 : l.stream,
        .bytes = l.bytes,
        .kind = kind,
    };
    rv3_count(&r->build, strings_add(&r->trace->strings, "MEMORY_COPY"), 1);
    rv3_add_copy(&r->build, &c);
}

/* What is done where the name of the kernel is not: it stands with the call. */
static bool is_generic(const struct rv1_op *op)
{
    return has(op, "KernelExecution") || has(op, "hcCommandKernel") || has(op, "DISPATCH_OP") ||
           has(op, "KernelDispatch") || (op->n == 4 && has(op, "Task"));
}

static void add_kernel(struct rv1 *r, const struct rv1_op *op, uint32_t process)
{
    struct rv1_launch l = launch_of(r, process, op->correlation);
    struct symbol none = {.vgprs = 0};
    const char *name = op->name;
    size_t n = op->n;
    if (!op->is_kernel && l.kernel && (is_generic(op) || !n)) {
        name = trace_str(r->trace, l.kernel);
        n = strlen(name);
    }
    struct rv3_kernel k = {
        .process = process,
        .agent = rv1_agent(r, process, op->gpu == RV3_NO_ID ? 0 : op->gpu),
        .symbol = rv1_symbol(r, process, name, n, &none),
        .start_ns = op->start_ns,
        .end_ns = op->end_ns,
        .dispatch = ++r->dispatches,
        .correlation = op->correlation,
        .thread = l.thread,
        .queue = op->queue,
        .stream = l.stream != RV3_NO_ID ? l.stream : op->queue,
    };
    rv3_count(&r->build, strings_add(&r->trace->strings, "KERNEL_DISPATCH"), 1);
    rv3_add_kernel(&r->build, &k);
}

void rv1_add_op(struct rv1 *r, const struct rv1_op *op)
{
    uint32_t process = rv1_process(r, op->pid);
    bool barrier =
        !op->is_kernel && (has(op, "Marker") || has(op, "BARRIER") || has(op, "Barrier"));
    bool copy = !op->is_kernel && (has(op, "Copy") || has(op, "Memcpy") || has(op, "Fill") ||
                                   has(op, "COPY") || has(op, "Memset"));
    r->barriers += barrier;
    if (barrier)
        return;
    if (copy) {
        r->has_copies = true;
        add_copy(r, op, process);
    } else {
        r->has_ops = true;
        add_kernel(r, op, process);
    }
}

void rv1_add_lower_copy(struct rv1 *r, const struct rv1_op *op)
{
    r->lower += r->has_copies;
    if (!r->has_copies)
        add_copy(r, op, rv1_process(r, op->pid));
}

/* ---- markers ---- */

static void put_marker(struct rv1 *r, const struct rv1_open *o, int64_t end_ns,
                       enum marker_kind kind)
{
    trace_room(r->trace, markers, 1);
    struct markers *m = &r->trace->markers;
    size_t row = m->n++;
    m->start_ns[row] = o->start_ns;
    m->end_ns[row] = end_ns < o->start_ns ? o->start_ns : end_ns;
    m->id[row] = (int64_t)(++r->markers);
    m->name[row] = o->name;
    m->domain[row] = 0;
    m->thread[row] = rv3_thread(&r->build, rv1_process(r, o->process), o->thread);
    m->kind[row] = (uint8_t)kind;
    r->trace->sample_records += kind == MARKER_INSTANT;
    rv3_count(&r->build, strings_add(&r->trace->strings, "MARKER_CORE_API"), 1);
}

/* The last one that fits: pushes of a thread, or starts with this id. */
static bool take_open(struct rv1 *r, const struct rv1_mark *m, struct rv1_open *out)
{
    for (size_t i = r->open.n; i-- > 0;) {
        const struct rv1_open *o = &r->open.v[i];
        bool push = o->id == RV3_NO_ID;
        bool fits = m->what == 2 ? push && o->thread == m->tid : !push && o->id == m->id;
        if (o->process != m->pid || !fits)
            continue;
        *out = *o;
        memmove(&r->open.v[i], &r->open.v[i + 1], (r->open.n - i - 1) * sizeof(*r->open.v));
        r->open.n--;
        return true;
    }
    return false;
}

void rv1_add_mark(struct rv1 *r, const struct rv1_mark *m)
{
    struct rv1_open o = {.process = m->pid,
                         .thread = m->tid,
                         .id = m->what == 3 ? m->id : RV3_NO_ID,
                         .start_ns = m->time_ns,
                         .name = strings_addn(&r->trace->strings, m->text, m->n)};
    if (m->what == 0) {
        put_marker(r, &o, m->time_ns, MARKER_INSTANT);
    } else if (m->what == 1 || m->what == 3) {
        vec_push(&r->open, r->arena, o);
    } else if (!take_open(r, m, &o)) {
        r->unmatched++;
    } else {
        put_marker(r, &o, m->time_ns, m->what == 2 ? MARKER_THREAD_RANGE : MARKER_PROCESS_RANGE);
    }
}

void rv1_close_marks(struct rv1 *r)
{
    const struct regions *g = &r->trace->regions;
    int64_t last = INT64_MIN;
    for (size_t i = r->build.first_region; i < g->n; i++)
        last = g->end_ns[i] > last ? g->end_ns[i] : last;
    for (size_t i = 0; i < r->open.n; i++)
        last = r->open.v[i].start_ns > last ? r->open.v[i].start_ns : last;
    for (size_t i = 0; i < r->open.n; i++)
        put_marker(r, &r->open.v[i], last,
                   r->open.v[i].id == RV3_NO_ID ? MARKER_THREAD_RANGE : MARKER_PROCESS_RANGE);
    trace_note(r->trace, NOTE_UNFINISHED, r->open.n,
               "markers that never end, ended with the trace");
    r->open.n = 0;
}
