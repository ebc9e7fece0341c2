/* Calls, markers and samples, each on the track of its thread. */
#include <stdio.h>

#include "convert/perfetto_in.h"

/* Rows of regions, then of markers from `markers` on. */
struct host {
    struct pf *w;
    uint32_t markers;
    uint64_t category[REGION_KINDS], marker_category;
    uint64_t operation[3]; /* by enum marker_kind */
};

static void note_times(struct pf_event *e, int64_t start, int64_t end)
{
    pf_note_int(e, PF_BEGIN_NS, start);
    pf_note_int(e, PF_END_NS, end);
    pf_note_int(e, PF_DELTA_NS, (int64_t)((uint64_t)end - (uint64_t)start));
}

static void begin_call(struct host *h, uint64_t track, uint32_t row)
{
    struct pf *w = h->w;
    const struct regions *r = &w->t->regions;
    uint64_t name = pf_name(w, r->name[row]);
    enum region_kind kind = r->kind[row] < REGION_KINDS ? r->kind[row] : REGION_OTHER;
    size_t from = w->flow_at ? w->flow_at[row] : 0, to = w->flow_at ? w->flow_at[row + 1] : 0;
    struct pf_event e;
    size_t most = (SINK_BYTES - EVENT_ROOM) / 16; /* of arrows; no launch has so many */
    if (to - from > most)
        to = from + most;
    pf_room(w, EVENT_ROOM + (to - from) * 16);
    pf_begin(w, &e, r->start_ns[row], SLICE_BEGIN, track);
    e.p = pb_uint(e.p, EVENT_CATEGORY_IID, h->category[kind]);
    e.p = pb_uint(e.p, EVENT_NAME_IID, name);
    for (size_t i = from; i < to; i++)
        e.p = pb_fixed(e.p, EVENT_FLOW, w->flow + w->flow_ops[i] + 1);
    pf_note_int(&e, PF_CORR_ID, conversion_call(w->c, row));
    if (w->c->o->annotate_args) {
        note_times(&e, r->start_ns[row], r->end_ns[row]);
        if (r->thread[row] < w->t->threads.n)
            pf_note_int(&e, PF_TID, w->t->threads.v[r->thread[row]].tid);
    }
    pf_end(w, &e);
}

static void put_marker(struct host *h, uint64_t track, uint32_t row, int type)
{
    struct pf *w = h->w;
    const struct markers *m = &w->t->markers;
    uint64_t name = pf_name(w, m->name[row]);
    uint64_t domain = m->domain[row] ? pf_text(w, m->domain[row]) : 0;
    struct pf_event e;
    pf_room(w, EVENT_ROOM);
    pf_begin(w, &e, m->start_ns[row], type, track);
    e.p = pb_uint(e.p, EVENT_CATEGORY_IID, h->marker_category);
    e.p = pb_uint(e.p, EVENT_NAME_IID, name);
    pf_note_text(&e, PF_OPERATION, h->operation[m->kind[row] <= MARKER_INSTANT ? m->kind[row] : 0]);
    pf_note_int(&e, PF_ID, markers_id_at(w->t, row));
    if (domain)
        pf_note_text(&e, PF_DOMAIN, domain);
    if (w->c->o->annotate_args)
        note_times(&e, m->start_ns[row], m->end_ns[row]);
    pf_end(w, &e);
}

static void begin(void *ctx, uint32_t lane, const struct lane_item *item)
{
    struct host *h = ctx;
    uint64_t track = pf_lane(h->w, lane);
    if (item->row < h->markers)
        begin_call(h, track, item->row);
    else
        put_marker(h, track, item->row - h->markers, SLICE_BEGIN);
}

static void end(void *ctx, uint32_t lane, const struct lane_item *item)
{
    struct host *h = ctx;
    struct pf_event e;
    uint64_t track = pf_lane(h->w, lane);
    pf_room(h->w, EVENT_ROOM);
    pf_begin(h->w, &e, item->end_ns, SLICE_END, track);
    pf_end(h->w, &e);
}

static struct lane_item item_of(const int64_t *start, const int64_t *end_ns, uint32_t row,
                                uint32_t number)
{
    return (struct lane_item){start[row], later_of(start[row], end_ns[row]), number};
}

static bool is_range_of_process(const struct markers *m, uint32_t row)
{
    return m->kind[row] == MARKER_PROCESS_RANGE;
}

/* One thread: calls and ranges nest, moments lie between them. */
static void write_thread(struct host *h, const struct row_groups *calls,
                         const struct row_groups *markers, size_t thread)
{
    struct pf *w = h->w;
    const struct trace *t = w->t;
    struct arena *a = arena_scratch();
    size_t most =
        calls->at[thread + 1] - calls->at[thread] + markers->at[thread + 1] - markers->at[thread];
    struct lane_item *items = arena_array(a, struct lane_item, most + 1);
    size_t n = 0;
    for (size_t i = calls->at[thread]; i < calls->at[thread + 1]; i++)
        items[n++] =
            item_of(t->regions.start_ns, t->regions.end_ns, calls->list[i], calls->list[i]);
    for (size_t i = markers->at[thread]; i < markers->at[thread + 1]; i++) {
        uint32_t row = markers->list[i];
        if (t->markers.kind[row] == MARKER_INSTANT) {
            put_marker(h, pf_lane(w, 0), row, INSTANT);
        } else if (!is_range_of_process(&t->markers, row)) {
            items[n++] = item_of(t->markers.start_ns, t->markers.end_ns, row, h->markers + row);
        }
    }
    lanes_walk(items, n, false, &(struct lane_events){begin, end, h}, a);
    arena_release(a);
}

static void start_thread_track(struct pf *w, size_t thread)
{
    const struct trace *t = w->t;
    char *name = "HOST";
    uint32_t process = process_of_thread(t, (uint32_t)thread);
    if (thread < t->threads.n)
        name = arena_printf(w->arena, "THREAD %lld", (long long)t->threads.v[thread].tid);
    pf_track(w, t->processes.n ? w->process_track[process] : 0, name);
    if (thread >= t->threads.n || t->threads.v[thread].tid < 0)
        return;
    w->track.tid = t->threads.v[thread].tid;
    w->track.pid = w->pid[process];
    w->track.thread_name = trace_str(t, t->threads.v[thread].name);
}

/* Ranges that are no thread's: they begin on one and may end on another. */
static void write_process_ranges(struct host *h)
{
    struct pf *w = h->w;
    const struct markers *m = &w->t->markers;
    uint32_t *owner = arena_array(w->arena, uint32_t, m->n + 1);
    for (uint32_t row = 0; row < m->n; row++)
        owner[row] =
            is_range_of_process(m, row) ? process_of_thread(w->t, m->thread[row]) : NO_INDEX;
    struct row_groups g = row_groups_make(owner, m->n, w->t->processes.n, w->arena);
    for (size_t p = 0; p < w->t->processes.n; p++) {
        size_t n = g.at[p + 1] - g.at[p];
        if (!n || !conversion_takes(w->c, (uint32_t)p))
            continue;
        struct arena *a = arena_scratch();
        struct lane_item *items = arena_array(a, struct lane_item, n);
        for (size_t i = 0; i < n; i++) {
            uint32_t row = g.list[g.at[p] + i];
            items[i] = item_of(m->start_ns, m->end_ns, row, h->markers + row);
        }
        pf_track(w, w->process_track[p], "MARKERS");
        lanes_walk(items, n, false, &(struct lane_events){begin, end, h}, a);
        arena_release(a);
    }
}

static void write_samples(struct pf *w)
{
    const struct samples *s = &w->t->samples;
    struct row_groups g = row_groups_make(s->thread, s->n, w->t->threads.n, w->arena);
    for (size_t thread = 0; thread <= w->t->threads.n; thread++) {
        if (g.at[thread] == g.at[thread + 1] ||
            !conversion_takes(w->c, process_of_thread(w->t, (uint32_t)thread)))
            continue;
        uint32_t process = process_of_thread(w->t, (uint32_t)thread);
        pf_track(w, w->t->processes.n ? w->process_track[process] : 0,
                 thread < w->t->threads.n ? arena_printf(w->arena, "SAMPLES THREAD %lld",
                                                         (long long)w->t->threads.v[thread].tid)
                                          : "SAMPLES");
        for (size_t i = g.at[thread]; i < g.at[thread + 1]; i++) {
            struct pf_event e;
            uint64_t name = pf_name(w, s->name[g.list[i]]), track = pf_lane(w, 0);
            pf_room(w, EVENT_ROOM);
            pf_begin(w, &e, s->time_ns[g.list[i]], INSTANT, track);
            e.p = pb_uint(e.p, EVENT_CATEGORY_IID, pf_category("sample"));
            e.p = pb_uint(e.p, EVENT_NAME_IID, name);
            if (thread < w->t->threads.n)
                pf_note_int(&e, PF_TID, w->t->threads.v[thread].tid);
            pf_end(w, &e);
        }
    }
}

void pf_host(struct pf *w)
{
    const struct trace *t = w->t;
    struct host *h = arena_new(w->arena, struct host);
    bool cuda = trace_vendor(t) == VENDOR_NVIDIA;
    *h = (struct host){.w = w, .markers = (uint32_t)t->regions.n};
    for (int k = 0; k < REGION_KINDS; k++)
        h->category[k] =
            pf_category(cuda && k == REGION_HIP   ? "cuda_api"
                        : cuda && k == REGION_HSA ? "cuda_driver_api"
                                                  : pf_region_category((enum region_kind)k, ""));
    h->marker_category = pf_category("marker_api");
    h->operation[MARKER_THREAD_RANGE] = pf_word(w, "roctxThreadRangeA");
    h->operation[MARKER_PROCESS_RANGE] = pf_word(w, "roctxProcessRangeA");
    h->operation[MARKER_INSTANT] = pf_word(w, "roctxMarkA");
    struct row_groups calls =
        row_groups_make(t->regions.thread, conversion_regions(t), t->threads.n, w->arena);
    struct row_groups markers =
        row_groups_make(t->markers.thread, t->markers.n, t->threads.n, w->arena);
    for (size_t thread = 0; thread <= t->threads.n; thread++) {
        if (!conversion_takes(w->c, process_of_thread(t, (uint32_t)thread)))
            continue;
        start_thread_track(w, thread);
        write_thread(h, &calls, &markers, thread);
    }
    write_process_ranges(h);
    write_samples(w);
}
