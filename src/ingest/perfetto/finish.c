/* Everything is read: tracks become threads, streams and series; ops become kernels and copies. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/str.h"
#include "ingest/agents.h"
#include "ingest/perfetto/perfetto.h"
#include "ingest/rank.h"
#include "ingest/rocpd/rocpd.h"

/* ---- processes and threads ---- */

/* The process of a pid, made when first met; pid 0 or less: one that stands for all of them. */
static uint32_t process_of(struct perfetto *p, int64_t pid, const char *path)
{
    uint32_t at = idmap_get(&p->process_of, (uint64_t)pid);
    if (at == NO_INDEX) {
        struct pf_process made = {.pid = pid, .rank = -1, .true_pid = PF_NONE};
        at = (uint32_t)p->processes.n;
        vec_push(&p->processes, p->arena, made);
        idmap_put(&p->process_of, (uint64_t)pid, at);
    }
    while (p->build.processes.n <= at) { /* in the order of their descriptions */
        const struct pf_process *from = &p->processes.v[p->build.processes.n];
        struct process made = {.rank = from->rank, .file = p->file};
        made.pid = from->true_pid != PF_NONE ? from->true_pid : from->pid < 0 ? 0 : from->pid;
        made.ppid = from->ppid;
        made.host = from->host;
        made.command = from->command ? from->command : from->name;
        made.only_named = !from->command;
        made.start_ns = from->start_ns;
        made.rank_source = from->rank >= 0 ? "process label" : NULL;
        rank_from_path(&made, path);
        rv3_process(&p->build, &made);
    }
    return at;
}

/* Up the parents to one that says its process; a circle ends. */
static int64_t pid_of(const struct perfetto *p, uint32_t track)
{
    for (int depth = 0; depth < 64 && track != NO_INDEX; depth++) {
        const struct pf_track *t = &p->tracks.v[track];
        if (t->pid != PF_NONE)
            return t->pid;
        if (!t->parent || t->parent == t->uuid)
            break;
        track = idmap_get(&p->track_of, t->parent);
    }
    return p->processes.n ? p->processes.v[0].pid : 0;
}

/* "THREAD 4242" and "SAMPLES THREAD 4242": further lanes of a thread. */
static int64_t tid_of_name(const char *name)
{
    const char *at = strstr(name, "THREAD ");
    char *end;
    if (!at)
        return PF_NONE;
    long long v = strtoll(at + 7, &end, 10);
    return *end || end == at + 7 ? PF_NONE : v;
}

static int64_t tid_of(const struct perfetto *p, uint32_t track)
{
    for (int depth = 0; depth < 64 && track != NO_INDEX; depth++) {
        const struct pf_track *t = &p->tracks.v[track];
        if (t->tid != PF_NONE)
            return t->tid;
        int64_t named = tid_of_name(trace_phrase(p->trace, t->name));
        if (named != PF_NONE)
            return named;
        if (!t->parent || t->is_process)
            break;
        track = idmap_get(&p->track_of, t->parent);
    }
    return PF_NONE;
}

static void resolve_tracks(struct perfetto *p, const char *path)
{
    for (uint32_t i = 0; i < p->tracks.n; i++) {
        struct pf_track *t = &p->tracks.v[i];
        t->process = process_of(p, pid_of(p, i), path);
        int64_t tid = t->is_counter ? PF_NONE : tid_of(p, i);
        t->thread = tid == PF_NONE ? NO_INDEX : rv3_thread(&p->build, t->process, (uint64_t)tid);
        if (t->thread != NO_INDEX && t->thread_name)
            p->trace->threads.v[t->thread].name = t->thread_name;
    }
}

/* Calls and markers on tracks that are no thread's: one made up for each of these. */
static uint32_t own_thread(struct perfetto *p, uint32_t track)
{
    struct pf_track *t = &p->tracks.v[track];
    if (t->thread == NO_INDEX) {
        t->thread = rv3_thread(&p->build, t->process, UINT64_C(1) << 40 | track);
        p->trace->threads.v[t->thread].name = t->name;
    }
    return t->thread;
}

/* ---- GPUs ---- */

enum { HOST_AGENT = 0 };

/* "COMPUTE Agent [2] QUEUE [1] GPU", "GPU [1] STREAM [3]": the number behind a word. */
static int64_t number_in(const char *name, const char *word)
{
    const char *at = strstr(name, word);
    if (!at)
        return PF_NONE;
    at += strlen(word);
    at += strspn(at, " [");
    return *at >= '0' && *at <= '9' ? strtoll(at, NULL, 10) % 65536 : PF_NONE;
}

static uint32_t agent_of(struct perfetto *p, uint32_t process, int32_t gpu)
{
    uint32_t slot = rv3_agent(&p->build, process, gpu < 0 ? HOST_AGENT : (uint64_t)gpu + 1);
    if (p->build.agents.v[slot].agent != NO_INDEX)
        return slot;
    if (gpu < 0) {
        rv3_describe_agent(&p->build, slot, AGENT_CPU, 0, NULL);
        return slot;
    }
    struct gpu g = {.vendor = VENDOR_AMD, .index = gpu, .node_id = gpu};
    uint32_t described = idmap_get(&p->gpu_of, (uint64_t)gpu);
    if (described != NO_INDEX)
        g = p->gpus.v[described];
    g.host = p->trace->processes.v[p->build.processes.v[process].process].host;
    rv3_describe_agent(&p->build, slot, AGENT_GPU, gpu, &g);
    return slot;
}

static int32_t gpu_of_op(const struct perfetto *p, const struct pf_op *o)
{
    const char *name = trace_phrase(p->trace, p->tracks.v[o->track].name);
    if (o->gpu != INT32_MIN)
        return o->gpu;
    int64_t v = number_in(name, "GPU");
    v = v == PF_NONE ? number_in(name, "Agent") : v;
    v = v == PF_NONE ? number_in(name, "AGENT") : v;
    return v == PF_NONE ? 0 : (int32_t)v;
}

static uint64_t id_or_none(int64_t v)
{
    return v == PF_NONE || v < 0 ? RV3_NO_ID : (uint64_t)v;
}

static uint64_t stream_of(const struct perfetto *p, const struct pf_op *o)
{
    const char *name = trace_phrase(p->trace, p->tracks.v[o->track].name);
    if (o->stream != PF_NONE)
        return id_or_none(o->stream);
    int64_t v = number_in(name, "STREAM");
    v = v == PF_NONE ? number_in(name, "Stream") : v;
    v = v == PF_NONE ? number_in(name, "Queue") : v;
    return id_or_none(v == PF_NONE ? o->queue : v);
}

static uint32_t symbol_of(struct perfetto *p, uint32_t process, const struct pf_op *o)
{
    uint64_t id = o->kernel_id == PF_NONE ? 0 : (uint64_t)o->kernel_id;
    uint32_t slot = rv3_symbol(&p->build, process, (uint64_t)o->name << 32 | (id & UINT32_MAX));
    if (slot != NO_INDEX && p->build.symbols.v[slot] == NO_INDEX) {
        struct symbol s = {.process = p->build.processes.v[process].process,
                           .mangled = o->name,
                           .id = (int64_t)id,
                           .vgprs = o->vgprs,
                           .accum_vgprs = o->accum_vgprs,
                           .sgprs = o->sgprs};
        rv3_describe_symbol(&p->build, slot, &s, trace_str(p->trace, o->name));
    }
    return slot;
}

static void add_counters(struct perfetto *p, const struct rv3_kernel *k, const struct pf_op *o)
{
    uint32_t counted = o->n_notes ? rv3_counted(&p->build, k) : 0;
    uint32_t at = o->first_note;
    for (uint32_t i = 0; i < o->n_notes; i++) {
        const struct pf_note *n = &p->notes.v[at];
        at = n->next;
        uint32_t slot = rv3_counter(&p->build, k->process, (uint64_t)n->name << 32 | k->agent);
        if (p->build.counters.v[slot] == NO_INDEX) {
            struct counter_info c = {.name = n->name, .gpu = NO_INDEX, .id = slot};
            uint32_t agent = p->build.agents.v[k->agent].agent;
            c.gpu = agent == NO_INDEX ? NO_INDEX : p->trace->agents.v[agent].gpu;
            rv3_describe_counter(&p->build, slot, &c);
        }
        rv3_add_counter(&p->build, counted, slot, 0, n->value);
    }
}

static void add_kernel(struct perfetto *p, const struct pf_op *o, uint64_t number)
{
    uint32_t process = p->tracks.v[o->track].process;
    struct rv3_kernel k = {
        .process = process,
        .agent = agent_of(p, process, gpu_of_op(p, o)),
        .symbol = symbol_of(p, process, o),
        .start_ns = o->start_ns,
        .end_ns = o->end_ns,
        .dispatch = o->dispatch == PF_NONE ? number : (uint64_t)o->dispatch,
        .correlation = id_or_none(o->correlation),
        .thread = id_or_none(o->tid),
        .queue = id_or_none(o->queue),
        .stream = stream_of(p, o),
        .launch = {.grid = {o->grid[0], o->grid[1], o->grid[2]},
                   .group = {o->group[0], o->group[1], o->group[2]},
                   .lds_bytes = o->lds,
                   .scratch_bytes = o->scratch,
                   .rename = o->rename,
                   .graph = o->graph},
    };
    rv3_add_kernel(&p->build, &k);
    add_counters(p, &k, o);
}

static enum copy_kind kind_of(const struct perfetto *p, const struct pf_op *o)
{
    const char *operation = trace_phrase(p->trace, o->operation);
    const char *name = trace_phrase(p->trace, o->name);
    if (p->categories.v[o->category].action == PA_SET)
        return COPY_SET;
    enum copy_kind kind = copy_kind_said(operation);
    return kind == COPY_UNKNOWN ? copy_kind_said(name) : kind;
}

static uint32_t end_of_copy(struct perfetto *p, uint32_t process, int32_t given, bool device,
                            bool known, int32_t gpu)
{
    if (given != INT32_MIN)
        return agent_of(p, process, given);
    return known ? agent_of(p, process, device ? gpu : -1) : NO_INDEX;
}

static void add_copy(struct perfetto *p, const struct pf_op *o)
{
    uint32_t process = p->tracks.v[o->track].process;
    enum copy_kind kind = kind_of(p, o);
    int32_t gpu = gpu_of_op(p, o);
    bool known = kind != COPY_UNKNOWN, set = kind == COPY_SET;
    bool from_host = kind == COPY_H2D || kind == COPY_H2H;
    bool to_host = kind == COPY_D2H || kind == COPY_H2H;
    struct rv3_copy c = {
        .process = process,
        .src = end_of_copy(p, process, o->src_gpu, !from_host, known && !set, gpu),
        .dst = end_of_copy(p, process, o->dst_gpu, !to_host, known, gpu),
        .start_ns = o->start_ns,
        .end_ns = o->end_ns,
        .correlation = id_or_none(o->correlation),
        .thread = id_or_none(o->tid),
        .stream = stream_of(p, o),
        .bytes = o->bytes,
        .kind = kind,
    };
    if (c.src == NO_INDEX && c.dst == NO_INDEX) /* it ran somewhere */
        c.dst = agent_of(p, process, gpu);
    rv3_add_copy(&p->build, &c);
    struct copies *rows = &p->trace->copies;
    rows->src_memory[rows->n - 1] = (uint8_t)o->src_memory;
    rows->dst_memory[rows->n - 1] = (uint8_t)o->dst_memory;
    if (o->id != PF_NONE)
        rows->id[rows->n - 1] = o->id;
}

static void add_alloc(struct perfetto *p, const struct pf_op *o, bool scratch)
{
    uint32_t process = p->tracks.v[o->track].process;
    const char *operation = trace_phrase(p->trace, o->operation ? o->operation : o->name);
    rv3_add_alloc(&p->build,
                  &(struct rv3_alloc){
                      .process = process,
                      .agent = o->gpu == INT32_MIN ? NO_INDEX : agent_of(p, process, o->gpu),
                      .start_ns = o->start_ns,
                      .end_ns = o->end_ns,
                      .correlation = id_or_none(o->correlation),
                      .thread = id_or_none(o->tid),
                      .bytes = o->bytes == BYTES_UNKNOWN ? 0 : o->bytes,
                      .address = o->address,
                      .op = rv3_alloc_op(operation),
                      .level = scratch ? LEVEL_SCRATCH : rv3_alloc_level(operation),
                  });
}

static void place_ops(struct perfetto *p)
{
    rv3_room_for(&p->build, p->ops.n_kernels, p->ops.n_copies);
    for (size_t i = 0; i < p->ops.n; i++) {
        const struct pf_op op = perfetto_op(p, i), *o = &op;
        switch (p->categories.v[o->category].action) {
        case PA_KERNEL:
            add_kernel(p, o, i + 1);
            break;
        case PA_COPY:
        case PA_SET:
            add_copy(p, o);
            break;
        case PA_ALLOC:
        case PA_SCRATCH:
            add_alloc(p, o, p->categories.v[o->category].action == PA_SCRATCH);
            break;
        default:
            break;
        }
    }
}

/* ---- counters over time ---- */

/* Tracks that writers make of other rows. */
bool perfetto_is_derived(const char *name)
{
    static const char *const starts[] = {"COPY BYTES to", "ALLOCATED BYTES on", "ALLOCATE BYTES",
                                         "FREE BYTES"};
    for (size_t i = 0; i < ARRAY_LEN(starts); i++)
        if (str_starts(name, starts[i]))
            return true;
    return false;
}

static uint32_t series_of(struct perfetto *p, uint32_t track)
{
    struct pf_track *t = &p->tracks.v[track];
    struct trace *tr = p->trace;
    if (t->series != NO_INDEX)
        return t->series;
    const char *name = trace_str(tr, t->name);
    int64_t gpu = str_starts(name, "GPU [") ? number_in(name, "GPU") : PF_NONE;
    struct series s = {t->name, t->units, NO_INDEX, p->build.processes.v[t->process].process};
    if (gpu != PF_NONE) {
        uint32_t slot =
            agent_of(p, t->process, (int32_t)gpu); /* before the list is looked at: it may move */
        uint32_t agent = p->build.agents.v[slot].agent;
        const char *rest = strstr(name, "] ");
        s.gpu = tr->agents.v[agent].gpu;
        if (rest)
            s.name = strings_add(&tr->strings, rest + 2);
    }
    t->series = (uint32_t)tr->series.n;
    vec_push(&tr->series, &tr->arena, s);
    return t->series;
}

static void place_points(struct perfetto *p)
{
    struct trace *t = p->trace;
    bool *derived = arena_array(p->arena, bool, p->tracks.n + 1);
    for (size_t i = 0; i < p->tracks.n; i++)
        derived[i] = perfetto_is_derived(trace_str(t, p->tracks.v[i].name)) ||
                     str_has(trace_str(t, p->tracks.v[i].name), " PMC ");
    for (size_t i = 0; i < p->points.n; i++) {
        const struct pf_point *v = &p->points.v[i];
        if (derived[v->track])
            continue;
        uint32_t series = series_of(p, v->track);
        trace_room(t, telemetry, 1);
        size_t row = t->telemetry.n++;
        t->telemetry.time_ns[row] = v->ns;
        t->telemetry.value[row] = v->value;
        t->telemetry.series[row] = series;
    }
}

static bool any_pmc(const struct perfetto *p)
{
    for (size_t i = 0; i < p->tracks.n; i++)
        if (str_has(trace_str(p->trace, p->tracks.v[i].name), " PMC "))
            return true;
    return false;
}

/* "Agent [0] PMC NAME": the value of a counter where a kernel of that GPU starts. */
static void place_pmcs(struct perfetto *p)
{
    struct trace *t = p->trace;
    if (!any_pmc(p))
        return;
    struct idmap at;   /* (GPU, start) -> op */
    struct idmap last; /* (track, time) -> point: a zero may end the kernel before */
    if (t->counters.n > p->build.first_counter)
        return; /* the kernels had them */
    idmap_init(&at, p->arena);
    idmap_init(&last, p->arena);
    for (size_t i = 0; p->points.n && i < p->ops.n; i++) {
        const struct pf_op o = perfetto_op(p, i);
        if (p->categories.v[o.category].action == PA_KERNEL)
            idmap_put(&at, hash_u64((uint64_t)gpu_of_op(p, &o)) ^ (uint64_t)o.start_ns,
                      (uint32_t)i);
    }
    for (size_t i = 0; i < p->points.n; i++)
        idmap_put(&last, hash_u64(p->points.v[i].track) ^ (uint64_t)p->points.v[i].ns, (uint32_t)i);
    for (size_t i = 0, n = p->points.n; i < n; i++) {
        const struct pf_point *v = &p->points.v[i];
        const char *name = trace_phrase(t, p->tracks.v[v->track].name);
        const char *counter = strstr(name, " PMC ");
        if (idmap_get(&last, hash_u64(v->track) ^ (uint64_t)v->ns) != i)
            continue;
        int64_t gpu = number_in(name, "Agent");
        if (!counter || gpu == PF_NONE)
            continue;
        uint32_t op = idmap_get(&at, hash_u64((uint64_t)gpu) ^ (uint64_t)v->ns);
        if (op == NO_INDEX)
            continue;
        struct pf_op o = perfetto_op(p, op);
        uint32_t process = p->tracks.v[o.track].process;
        struct rv3_kernel k = {.process = process,
                               .agent = agent_of(p, process, gpu_of_op(p, &o)),
                               .symbol = symbol_of(p, process, &o),
                               .dispatch = o.dispatch == PF_NONE ? op + 1 : (uint64_t)o.dispatch,
                               .correlation = RV3_NO_ID,
                               .thread = RV3_NO_ID,
                               .queue = RV3_NO_ID,
                               .stream = stream_of(p, &o)};
        o.first_note = (uint32_t)p->notes.n;
        o.n_notes = 1;
        vec_push_alone(
            &p->notes, p->arena,
            ((struct pf_note){strings_add(&t->strings, counter + 5), NO_INDEX, v->value}));
        add_counters(p, &k, &o);
    }
}

/* ---- all of it ---- */

static void place_rows(struct perfetto *p)
{
    struct trace *t = p->trace;
    for (size_t i = p->first_region; i < t->regions.n; i++)
        t->regions.thread[i] = own_thread(p, t->regions.thread[i]);
    for (size_t i = p->first_marker; i < t->markers.n; i++) {
        uint32_t track = t->markers.thread[i];
        bool wide = t->markers.kind[i] == MARKER_PROCESS_RANGE;
        t->markers.thread[i] = wide ? p->tracks.v[track].thread : own_thread(p, track);
        t->sample_records += t->markers.kind[i] == MARKER_INSTANT;
    }
    for (size_t i = p->first_sample; i < t->samples.n; i++)
        t->samples.thread[i] = p->tracks.v[t->samples.thread[i]].thread;
    for (size_t i = p->build.first_pc_sample; i < t->pc_samples.n; i++)
        t->pc_samples.kernel[i] = p->tracks.v[t->pc_samples.kernel[i]].process;
}

void perfetto_finish(struct perfetto *p, const char *path)
{
    struct trace *t = p->trace;
    process_of(p, p->processes.n ? p->processes.v[p->processes.n - 1].pid : 0, path);
    resolve_tracks(p, path);
    place_rows(p);
    for (size_t i = 0; i < p->gpus.n; i++) /* also those without work */
        agent_of(p, 0, p->gpus.v[i].index);
    place_ops(p);
    place_pmcs(p);
    place_points(p);
    perfetto_release_ops(p);
    rv3_finish(&p->build);
    for (size_t i = 0; i < p->categories.n; i++)
        rv3_count(&p->build, p->categories.v[i].name, p->categories.v[i].count);
    if (p->realtime_ns)
        t->files.v[p->file].origin_ns = p->realtime_ns;
}
