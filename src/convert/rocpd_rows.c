/* Rows in bulk: each has an event, which says what kind it is and which call caused it. */
#include "base/jwrite.h"
#include "convert/rocpd_in.h"
#include "ingest/args.h"

#define RUN(set, which, ...)                                                                       \
    rocpd_run_ints(set, which, (int64_t[]){__VA_ARGS__},                                           \
                   (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)))

/* Nobody's thread: the schema wants one, and AMD's views show no row without. Readers of ours
 * know that a negative tid is none. */
static int64_t thread_row(struct rocpd_out *w, struct rocpd_process *p, uint32_t thread)
{
    int64_t nobody = w->shared ? -1 - (int64_t)p->process : -1;
    if (thread < w->t->threads.n)
        return w->thread_row[thread];
    if (!p->has_nobody)
        rocpd_run(p->set, ROCPD_INS_THREAD, "iiiiis", nobody, p->nid, INT64_C(0), p->pid,
                  INT64_C(-1), "not known");
    p->has_nobody = true;
    return nobody;
}

/* An id that is taken already gives way to the next free one. */
static void put_region(struct rocpd_out *w, struct rocpd_process *p, int64_t id, uint32_t thread,
                       int64_t start, int64_t end, int64_t name, int64_t event)
{
    int64_t tid = thread_row(w, p, thread);
    if (!RUN(p->set, ROCPD_INS_REGION, id, p->nid, p->pid, tid, start, end, name, event))
        RUN(p->set, ROCPD_INS_REGION, ROCPD_NULL, p->nid, p->pid, tid, start, end, name, event);
}

static int64_t track_of(struct rocpd_out *w, struct rocpd_process *p, uint32_t thread,
                        const char *name)
{
    int64_t string = rocpd_string(p->set, name);
    uint64_t key = hash_u64((uint64_t)thread << 32 | p->process) ^ (uint64_t)string;
    uint32_t track = idmap_get(&w->tracks, key);
    if (track != NO_INDEX)
        return track;
    track = (uint32_t)++p->group->tracks;
    idmap_put(&w->tracks, key, track);
    RUN(p->set, ROCPD_INS_TRACK, p->group->tracks, p->nid, p->pid, thread_row(w, p, thread),
        string);
    return track;
}

static void put_calls(struct rocpd_out *w)
{
    const struct trace *t = w->t;
    const struct regions *r = &t->regions;
    size_t n = conversion_regions(t);
    for (uint32_t i = 0; i < n && !w->out->failed; i++) {
        struct rocpd_process *p = rocpd_process_at(w, process_of_thread(t, r->thread[i]));
        const char *name = trace_str(t, r->name[i]);
        if (!p)
            continue;
        int64_t id = conversion_call(w->c, i);
        int64_t event = rocpd_add_event(p->set, region_category(r->kind[i], name), id, 0, NULL);
        if (w->event_of)
            w->event_of[i] = event;
        put_region(w, p, id, r->thread[i], r->start_ns[i], r->end_ns[i], rocpd_string(p->set, name),
                   event);
    }
}

/* rocprofv3 keeps the user's text in the event, and calls the region by the function. */
static void put_markers(struct rocpd_out *w)
{
    static const char *const functions[] = {"roctxThreadRangeA", "roctxProcessRangeA",
                                            "roctxMarkA"};
    static const char category[] = "MARKER_CORE_RANGE_API";
    const struct trace *t = w->t;
    const struct markers *m = &t->markers;
    struct str json;
    str_init(&json, w->c->arena);
    for (uint32_t i = 0; i < m->n && !w->out->failed; i++) {
        struct rocpd_process *p = rocpd_process_at(w, process_of_thread(t, m->thread[i]));
        const char *text = trace_str(t, m->name[i]);
        if (!p)
            continue;
        str_clear(&json);
        str_puts(&json, "{\"message\":");
        jw_quote(&json, text, strlen(text));
        str_puts(&json, "}");
        int64_t id = w->c->own_ids ? (int64_t)t->regions.n + i + 1 : markers_id_at(t, i);
        int64_t event = rocpd_add_event(p->set, category, id, 0, json.buf);
        uint8_t kind = m->kind[i] <= MARKER_INSTANT ? m->kind[i] : 0;
        if (w->event_of)
            w->event_of[t->regions.n + i] = event;
        if (kind != MARKER_INSTANT) {
            put_region(w, p, id, m->thread[i], m->start_ns[i], m->end_ns[i],
                       rocpd_string(p->set, functions[kind]), event);
            continue;
        }
        RUN(p->set, ROCPD_INS_SAMPLE, ++p->group->samples, track_of(w, p, m->thread[i], category),
            m->start_ns[i], event);
    }
}

static void put_samples(struct rocpd_out *w)
{
    const struct trace *t = w->t;
    for (size_t i = 0; i < t->samples.n && !w->out->failed; i++) {
        uint32_t thread = t->samples.thread[i];
        struct rocpd_process *p = rocpd_process_at(w, process_of_thread(t, thread));
        if (!p)
            continue;
        int64_t event = rocpd_add_event(p->set, "timer_sampling", 0, 0, NULL);
        RUN(p->set, ROCPD_INS_SAMPLE, ++p->group->samples,
            track_of(w, p, thread, trace_str(t, t->samples.name[i])), t->samples.time_ns[i], event);
    }
}

/* Arguments are of the events that calls and markers got here. */
static void put_arg(void *ctx, const struct trace_arg_text *a)
{
    struct rocpd_out *w = ctx;
    const struct trace *t = w->t;
    bool marker = a->arg.region == NO_INDEX;
    size_t row = marker ? t->regions.n + a->arg.marker : a->arg.region;
    uint32_t thread = marker ? t->markers.thread[a->arg.marker] : t->regions.thread[row];
    struct rocpd_process *p = rocpd_process_at(w, process_of_thread(t, thread));
    if (p && w->event_of[row] && !w->out->failed)
        rocpd_run(p->set, ROCPD_INS_ARG, "iiissss", ++p->group->args, w->event_of[row],
                  (int64_t)a->arg.position, a->type, a->name, a->value,
                  *a->extdata ? a->extdata : "{}");
}

bool rocpd_put_args(struct rocpd_out *w, struct gs_error *err)
{
    return ingest_each_arg(w->t, put_arg, w, err);
}

static void put_telemetry(struct rocpd_out *w)
{
    const struct trace *t = w->t;
    const struct telemetry *m = &t->telemetry;
    for (size_t i = 0; i < m->n && !w->out->failed; i++) {
        struct rocpd_process *p = rocpd_process_at(w, process_of_series(t, m->series[i]));
        if (!p)
            continue;
        int64_t event = rocpd_add_event(p->set, "amd_smi", 0, 0, NULL);
        RUN(p->set, ROCPD_INS_SAMPLE, ++p->group->samples, w->series_track[m->series[i]],
            m->time_ns[i], event);
        rocpd_run(p->set, ROCPD_INS_PMC, "iiir", ++p->group->pmcs, event,
                  (int64_t)(t->counter_infos.n + m->series[i]) + 1, m->value[i]);
    }
}

void rocpd_put_host(struct rocpd_out *w)
{
    idmap_init(&w->tracks, w->c->arena);
    put_calls(w);
    put_markers(w);
    put_samples(w);
    put_telemetry(w);
}

/* ---- GPU ---- */

static int64_t agent_row(const struct rocpd_out *w, uint32_t agent)
{
    return agent < w->t->agents.n ? w->agent_row[agent] : ROCPD_NULL;
}

static int64_t agent_of_stream(const struct rocpd_out *w, uint32_t stream)
{
    const struct trace *t = w->t;
    if (stream >= t->streams.n)
        return -1;
    int64_t row = agent_row(
        w, conversion_agent(w->c, t->streams.v[stream].process, t->streams.v[stream].gpu));
    return row == ROCPD_NULL ? -1 : row;
}

static int64_t stream_row(const struct rocpd_out *w, const struct rocpd_process *p, uint32_t stream)
{
    return stream < w->t->streams.n ? w->stream_row[stream] : p->stream_0;
}

static int64_t put_kernel(struct rocpd_out *w, struct rocpd_process *p, uint32_t i)
{
    const struct trace *t = w->t;
    const struct kernels *k = &t->kernels;
    const struct launch *l = &t->launches.v[kernels_launch_at(t, i)];
    int64_t call = conversion_call(w->c, k->call[i]);
    int64_t event = rocpd_add_event(p->set, "KERNEL_DISPATCH", call, call, NULL);
    int64_t dispatch = kernels_id_at(t, i) > 0 ? kernels_id_at(t, i) : (int64_t)i + 1;
    int64_t row[] = {w->c->own_ids ? (int64_t)i + 1 : dispatch,
                     p->nid,
                     p->pid,
                     thread_row(w, p, kernels_thread_at(t, i)),
                     agent_of_stream(w, k->stream[i]),
                     w->symbol_row[k->symbol[i]],
                     dispatch,
                     kernels_queue_at(t, i) < t->queues.n ? w->queue_row[kernels_queue_at(t, i)]
                                                          : p->queue_0,
                     stream_row(w, p, k->stream[i]),
                     k->start_ns[i],
                     k->end_ns[i],
                     l->scratch_bytes,
                     l->lds_bytes,
                     l->group[0],
                     l->group[1],
                     l->group[2],
                     l->grid[0],
                     l->grid[1],
                     l->grid[2],
                     rocpd_string(p->set, trace_str(t, l->rename)),
                     event,
                     l->graph,
                     0};
    int n = (int)ARRAY_LEN(row) - (w->out->v305 ? 0 : 2);
    if (!rocpd_run_ints(p->set, ROCPD_INS_KERNEL, row, n)) {
        row[0] = ROCPD_NULL;
        rocpd_run_ints(p->set, ROCPD_INS_KERNEL, row, n);
    }
    return event;
}

static void put_counters(struct rocpd_out *w, const int64_t *event_of)
{
    const struct trace *t = w->t;
    const struct counters *c = &t->counters;
    for (size_t i = 0; i < c->n && !w->out->failed; i++) {
        if (c->kernel[i] >= t->kernels.n || !event_of[c->kernel[i]])
            continue;
        struct rocpd_process *p = rocpd_process_at(w, process_of_kernel(t, c->kernel[i]));
        uint32_t x = c->instance[i];
        if (!p)
            continue;
        int64_t event = event_of[c->kernel[i]], pmc = (int64_t)c->counter[i] + 1;
        if (w->out->v305)
            rocpd_run(p->set, ROCPD_INS_PMC, "iiiriii", ++p->group->pmcs, event, pmc, c->value[i],
                      (int64_t)(x >> 24), (int64_t)(x >> 16 & 0xff), (int64_t)(x & 0xffff));
        else
            rocpd_run(p->set, ROCPD_INS_PMC, "iiir", ++p->group->pmcs, event, pmc, c->value[i]);
    }
}

static void put_kernels(struct rocpd_out *w)
{
    const struct trace *t = w->t;
    int64_t *event_of = t->counters.n ? arena_array(w->c->arena, int64_t, t->kernels.n + 1) : NULL;
    for (uint32_t i = 0; i < t->kernels.n && !w->out->failed; i++) {
        struct rocpd_process *p = rocpd_process_at(w, process_of_kernel(t, i));
        int64_t event = p ? put_kernel(w, p, i) : 0;
        if (event_of)
            event_of[i] = event;
    }
    if (event_of)
        put_counters(w, event_of);
}

static void put_copies(struct rocpd_out *w)
{
    const struct trace *t = w->t;
    const struct copies *c = &t->copies;
    for (uint32_t i = 0; i < c->n && !w->out->failed; i++) {
        struct rocpd_process *p = rocpd_process_at(w, process_of_copy(t, i));
        int64_t call = conversion_call(w->c, c->call[i]);
        if (!p)
            continue;
        int64_t event = rocpd_add_event(p->set, "MEMORY_COPY", call, call, NULL);
        int64_t src = agent_row(w, copies_src_at(t, i)), dst = agent_row(w, copies_dst_at(t, i));
        if (c->kind[i] == COPY_SET && dst == ROCPD_NULL)
            dst = agent_of_stream(w, c->stream[i]);
        if (c->kind[i] == COPY_SET && src == ROCPD_NULL) /* AMD's view wants both ends */
            src = dst;
        RUN(p->set, ROCPD_INS_COPY, ++p->group->copies, p->nid, p->pid,
            thread_row(w, p, copies_thread_at(t, i)), c->start_ns[i], c->end_ns[i],
            rocpd_string(p->set, copy_operation(c->kind[i])), dst, src,
            c->bytes[i] == BYTES_UNKNOWN ? -1 : (int64_t)c->bytes[i],
            stream_row(w, p, c->stream[i]), event);
    }
}

static void put_allocations(struct rocpd_out *w)
{
    static const char *const types[] = {"ALLOC", "FREE", "REALLOC", "RECLAIM"};
    static const char *const levels[] = {"REAL", "VIRTUAL", "SCRATCH"};
    const struct trace *t = w->t;
    const struct allocations *a = &t->allocations;
    for (uint32_t i = 0; i < a->n && !w->out->failed; i++) {
        struct rocpd_process *p = rocpd_process_at(w, process_of_thread(t, a->thread[i]));
        bool scratch = a->level[i] == LEVEL_SCRATCH;
        if (!p)
            continue;
        int64_t event = rocpd_add_event(p->set, scratch ? "SCRATCH_MEMORY" : "MEMORY_ALLOCATION",
                                        conversion_call(w->c, a->call[i]), 0, NULL);
        rocpd_run(p->set, ROCPD_INS_ALLOC, "iiiiissiiiii", ++p->group->allocs, p->nid, p->pid,
                  thread_row(w, p, a->thread[i]), agent_row(w, a->agent[i]),
                  types[a->op[i] <= ALLOC_RECLAIM ? a->op[i] : 0],
                  levels[a->level[i] <= LEVEL_SCRATCH ? a->level[i] : 0], a->start_ns[i],
                  a->end_ns[i], (int64_t)a->address[i], (int64_t)a->bytes[i], event);
    }
}

void rocpd_put_device(struct rocpd_out *w)
{
    put_kernels(w);
    put_copies(w);
    put_allocations(w);
}
