#include "analyze/ledger.h"

#include <assert.h>
#include <string.h>

#include "analyze/call_sums.h"
#include "analyze/gap_cause.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/vec.h"

static const struct cause_info infos[CAUSES] = {
#define CAUSE(id, key, label, kind, doc) {key, label, CAUSE_##kind, doc},
#include "analyze/ledger.def"
#undef CAUSE
};

const struct cause_info *cause_info(enum cause c)
{
    return &infos[c];
}

static const int64_t bucket_limits[GAP_BUCKETS - 1] = {10000, 100000, 1000000, 10000000, 100000000};

static size_t gap_bucket_of(int64_t ns)
{
    size_t b = 0;
    while (b < GAP_BUCKETS - 1 && ns >= bucket_limits[b])
        b++;
    return b;
}

const char *gap_bucket_label(size_t bucket)
{
    static const char *const labels[GAP_BUCKETS] = {"<10us",  "10-100us", "100us-1ms",
                                                    "1-10ms", "10-100ms", ">100ms"};
    return labels[bucket];
}

/* ---- one GPU ---- */

/* Work of one kind, in order of precedence: of what runs at once, the first has the time. */
enum lane {
    LANE_COMPUTE,
    LANE_COMM_WAIT,
    LANE_COMM,
    LANE_H2D,
    LANE_D2H,
    LANE_P2P,
    LANE_D2D,
    LANE_BLIT, /* kernels that copy */
    LANE_SET,
    LANE_LEFT_OUT, /* work that a filter took out: it keeps the GPU from being idle */
    LANES
};

static const enum cause cause_of_lane[LANES] = {
    CAUSE_COMPUTE,  CAUSE_COMM_WAIT, CAUSE_COMM,     CAUSE_COPY_H2D, CAUSE_COPY_D2H,
    CAUSE_COPY_P2P, CAUSE_COPY_D2D,  CAUSE_COPY_D2D, CAUSE_COPY_SET, CAUSE_UNKNOWN};

#define IN_LANE(lane) (1u << (lane))
enum {
    KERNEL_LANES =
        IN_LANE(LANE_COMPUTE) | IN_LANE(LANE_COMM_WAIT) | IN_LANE(LANE_COMM) | IN_LANE(LANE_BLIT),
    COPY_LANES = IN_LANE(LANE_H2D) | IN_LANE(LANE_D2H) | IN_LANE(LANE_P2P) | IN_LANE(LANE_D2D) |
                 IN_LANE(LANE_SET),
};

/* The next work after each gap, walking both lists in order of start. */
struct next_work {
    size_t kernel, copy;
};

/*
 * All work of a GPU in order of start, and what of it runs at the moment. Time goes on when work
 * begins, so nothing is kept but the ends of what runs.
 */
struct work {
    const struct view *v;
    const struct view_gpu *g;
    struct ledger_gpu *out;
    uint32_t slot;
    gap_fn *tell; /* NULL: nobody asks */
    void *ctx;
    struct gap_reader reader;
    struct next_work next; /* for gaps */
    size_t pause;          /* the next one; those before it are over */

    size_t copy, left_out;            /* the next to begin */
    struct span copy_at, left_out_at; /* when those are; no_more: there are none */
    bool any;                         /* something has begun */
    unsigned active;                  /* lanes that run now */
    int64_t end[LANES];               /* of those, until when */
    int64_t now;                      /* with nothing active: when the last work ended */
    int64_t busy_from;                /* since when something runs, or ran */
};

/* ---- what does not ---- */

static void keep_top(struct ledger_gpu *out, const struct gap *gap)
{
    int64_t ns = gap->end_ns - gap->start_ns;
    size_t at = out->n_top;
    while (at > 0 && out->top[at - 1].end_ns - out->top[at - 1].start_ns < ns)
        at--;
    if (at == TOP_GAPS)
        return;
    if (out->n_top < TOP_GAPS)
        out->n_top++;
    memmove(&out->top[at + 1], &out->top[at], (out->n_top - at - 1) * sizeof(*out->top));
    out->top[at] = *gap;
}

static void note_gap(struct ledger_gpu *out, const struct gap *gap)
{
    int64_t ns = gap->end_ns - gap->start_ns;
    struct gap_bucket *b = &out->buckets[gap_bucket_of(ns)];
    b->count++;
    b->total_ns = add_ns(b->total_ns, ns);
    for (enum cause c = 0; c < CAUSES; c++) {
        if (!gap->ns[c]) /* most: a gap has a cause or two */
            continue;
        b->ns[c] = add_ns(b->ns[c], gap->ns[c]);
        out->ns[c] = add_ns(out->ns[c], gap->ns[c]);
        out->gap_sq[c] += (double)gap->ns[c] * (double)gap->ns[c];
        out->gap_count[c] += gap->ns[c] > 0;
    }
    out->n_gaps++;
    keep_top(out, gap);
}

static void find_next(struct work *w, int64_t time, uint32_t *kernel, uint32_t *call)
{
    struct next_work *at = &w->next;
    const struct kernels *k = &w->v->trace->kernels;
    const struct copies *c = &w->v->trace->copies;
    while (at->kernel < w->g->n_kernels && k->start_ns[w->g->kernels[at->kernel]] < time)
        at->kernel++;
    while (at->copy < w->g->n_copies && c->start_ns[w->g->copies[at->copy]] < time)
        at->copy++;
    *kernel = *call = NO_INDEX;
    if (at->kernel < w->g->n_kernels && k->start_ns[w->g->kernels[at->kernel]] == time) {
        *kernel = w->g->kernels[at->kernel];
        *call = k->call[*kernel];
    } else if (at->copy < w->g->n_copies && c->start_ns[w->g->copies[at->copy]] == time) {
        *call = c->call[w->g->copies[at->copy]];
    }
}

/* The call of the first work after a slice. */
static uint32_t later_call(const struct work *w)
{
    const struct kernels *k = &w->v->trace->kernels;
    const struct copies *c = &w->v->trace->copies;
    uint32_t kernel = w->g->later_kernels ? w->g->kernels[w->g->n_kernels] : NO_INDEX;
    uint32_t copy = w->g->later_copies ? w->g->copies[w->g->n_copies] : NO_INDEX;
    if (kernel != NO_INDEX && (copy == NO_INDEX || k->start_ns[kernel] <= c->start_ns[copy]))
        return k->call[kernel];
    return copy == NO_INDEX ? NO_INDEX : c->call[copy];
}

/*
 * The next part of an idle stretch in which recording was not paused, from *at on; pauses are in
 * order, and so are the stretches.
 */
static bool next_part(struct work *w, int64_t *at, int64_t end, struct span *out)
{
    const struct spans *p = &w->v->paused;
    for (; w->pause < p->n && *at < end; w->pause++) {
        struct span pause = p->v[w->pause];
        if (pause.start > *at) {
            *out = (struct span){*at, pause.start < end ? pause.start : end};
            *at = out->end;
            return true;
        }
        if (pause.end > end) { /* the next stretch may begin in it */
            *at = end;
            break;
        }
        *at = pause.end > *at ? pause.end : *at;
    }
    *out = (struct span){*at, end};
    bool more = *at < end;
    *at = end;
    return more;
}

/* Idle time of one cause, without pauses. */
static void add_idle(struct work *w, enum cause cause, int64_t start, int64_t end)
{
    if (end > start)
        w->out->ns[cause] = add_ns(w->out->ns[cause], end - start - view_paused(w->v, start, end));
}

/* Idle time before the first work: start-up, unless this is a slice and there was work before it.
 */
static void measure_lead(struct work *w, int64_t until)
{
    struct span s;
    uint32_t kernel, call;
    if (!w->g->has_earlier) {
        add_idle(w, CAUSE_STARTUP, w->v->start_ns, until);
        return;
    }
    find_next(w, until, &kernel, &call);
    for (int64_t at = w->v->start_ns; next_part(w, &at, until, &s);)
        gap_explain(&w->reader, s.start, s.end, call, 0, w->out->ns);
}

/* Idle time after the last work: the tail, unless this is a slice and more work follows. */
static void measure_trail(struct work *w, int64_t from, int64_t busy_ns)
{
    struct span s;
    if (!w->g->later_kernels && !w->g->later_copies) {
        add_idle(w, CAUSE_TAIL, from, w->v->end_ns);
        return;
    }
    for (int64_t at = from; next_part(w, &at, w->v->end_ns, &s);)
        gap_explain(&w->reader, s.start, s.end, later_call(w), busy_ns, w->out->ns);
}

static void measure_unused(struct work *w)
{
    struct ledger_gpu *out = w->out;
    out->first_ns = w->v->start_ns;
    out->last_ns = w->v->end_ns;
    if (!w->v->is_slice)
        out->ns[CAUSE_UNKNOWN] = add_ns(out->ns[CAUSE_UNKNOWN], view_recorded(w->v));
    else if (!w->g->has_earlier)
        out->ns[CAUSE_STARTUP] = add_ns(out->ns[CAUSE_STARTUP], view_recorded(w->v));
    else
        measure_trail(w, w->v->start_ns, 0);
}

/* Idle time between work, before the work that starts at a time. */
static void measure_gap(struct work *w, int64_t start)
{
    uint32_t kernel, call;
    struct span s;
    find_next(w, start, &kernel, &call);
    for (int64_t at = w->now; next_part(w, &at, start, &s);) {
        struct gap gap = {
            .start_ns = s.start, .end_ns = s.end, .gpu = w->slot, .next_kernel = kernel};
        gap_explain(&w->reader, s.start, s.end, call, w->now - w->busy_from, gap.ns);
        note_gap(w->out, &gap);
        if (w->tell)
            w->tell(w->ctx, &gap);
    }
}

/* ---- what runs ---- */

/* A stretch in which the same lanes are active. */
static void add_stretch(struct work *w, int64_t ns)
{
    struct ledger_gpu *out = w->out;
    unsigned active = w->active;
    int64_t *of = &out->ns[cause_of_lane[__builtin_ctz(active)]];
    *of = add_ns(*of, ns);
    if (active == IN_LANE(LANE_LEFT_OUT))
        out->left_out_ns = add_ns(out->left_out_ns, ns);
    else
        out->busy_ns = add_ns(out->busy_ns, ns);
    if (active & KERNEL_LANES)
        out->kernel_ns = add_ns(out->kernel_ns, ns);
    if (active & COPY_LANES)
        out->copy_ns = add_ns(out->copy_ns, ns);
    if (active & IN_LANE(LANE_COMM)) {
        out->comm_ns = add_ns(out->comm_ns, ns);
        if (active & IN_LANE(LANE_COMPUTE))
            out->comm_hidden_ns = add_ns(out->comm_hidden_ns, ns);
    }
}

/* Time goes on to `until`, or to where nothing runs any more. */
static void go_on(struct work *w, int64_t until)
{
    while (w->active && w->now < until) {
        int64_t next = until;
        unsigned ended = 0;
        for (unsigned left = w->active; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            if (w->end[lane] < next) {
                next = w->end[lane];
                ended = 0;
            }
            ended |= w->end[lane] == next ? IN_LANE(lane) : 0;
        }
        add_stretch(w, next - w->now);
        w->active &= ~ended;
        w->now = next;
    }
}

static void begin(struct work *w, enum lane lane, struct span s)
{
    if (s.end <= s.start)
        return;
    assert(s.start >= w->now || !w->any); /* in order of start */
    go_on(w, s.start);
    if (!w->any) {
        w->any = true;
        w->out->first_ns = w->now = w->busy_from = s.start;
        measure_lead(w, s.start);
    } else if (!w->active && w->now < s.start) {
        measure_gap(w, s.start);
        w->now = w->busy_from = s.start;
    }
    if (!(w->active & IN_LANE(lane)) || s.end > w->end[lane])
        w->end[lane] = s.end;
    w->active |= IN_LANE(lane);
}

static const struct span no_more = {INT64_MAX, INT64_MAX};

static void find_copy(struct work *w)
{
    const struct copies *c = &w->v->trace->copies;
    uint32_t row = w->copy < w->g->n_copies ? w->g->copies[w->copy] : NO_INDEX;
    w->copy_at = row == NO_INDEX ? no_more : view_clip(w->v, c->start_ns[row], c->end_ns[row]);
}

static void find_left_out(struct work *w)
{
    const struct spans *s = w->g->left_out;
    w->left_out_at = s && w->left_out < s->n
                         ? view_clip(w->v, s->v[w->left_out].start, s->v[w->left_out].end)
                         : no_more;
}

/* Copies, and work that was left out, that start until a time. */
static void begin_others(struct work *w, int64_t until)
{
    static const enum lane lanes[COPY_KINDS] = {
        [COPY_UNKNOWN] = LANE_D2D, [COPY_H2D] = LANE_H2D, [COPY_D2H] = LANE_D2H,
        [COPY_D2D] = LANE_D2D,     [COPY_P2P] = LANE_P2P, [COPY_H2H] = LANE_D2D,
        [COPY_SET] = LANE_SET,
    };
    const uint8_t *kind = w->v->trace->copies.kind;
    for (;;) {
        if (w->copy_at.start <= until && w->copy_at.start <= w->left_out_at.start) {
            begin(w, lanes[kind[w->g->copies[w->copy++]]], w->copy_at);
            find_copy(w);
        } else if (w->left_out_at.start <= until) {
            begin(w, LANE_LEFT_OUT, w->left_out_at);
            w->left_out++;
            find_left_out(w);
        } else {
            return;
        }
    }
}

static void measure_work(struct work *w)
{
    static const enum lane lanes[] = {[KERNEL_COMPUTE] = LANE_COMPUTE,
                                      [KERNEL_COLLECTIVE] = LANE_COMM,
                                      [KERNEL_BLIT] = LANE_BLIT};
    const struct kernels *k = &w->v->trace->kernels;
    const uint32_t *waits = w->v->kernel_wait_ns;
    find_copy(w);
    find_left_out(w);
    for (size_t i = 0; i < w->g->n_kernels; i++) {
        uint32_t row = w->g->kernels[i];
        struct span s = view_clip(w->v, k->start_ns[row], k->end_ns[row]);
        begin_others(w, s.start);
        begin(w, lanes[w->v->kernel_class[k->symbol[row]]], s);
        w->out->kernel_sum_ns = add_ns(w->out->kernel_sum_ns, s.end - s.start);
        if (waits && waits[row]) { /* its first part, in which it waits for other ranks */
            int64_t end = add_ns(k->start_ns[row], waits[row]);
            begin(w, LANE_COMM_WAIT,
                  view_clip(w->v, k->start_ns[row], end < k->end_ns[row] ? end : k->end_ns[row]));
        }
    }
    begin_others(w, no_more.start - 1);
    go_on(w, INT64_MAX);
    if (!w->any) {
        measure_unused(w);
        return;
    }
    w->out->last_ns = w->now;
    measure_trail(w, w->now, w->now - w->busy_from);
}

struct ledger_job {
    struct ledger *l;
    const struct view *v;
    struct gap_cursor *cursors; /* worker after worker */
    const struct call_sums *sums;
    struct gap_list *lists; /* worker after worker; NULL: nobody asks */
    gap_fn *tell;
    void *ctx;
};

__attribute__((unused)) static int64_t sum_of(const int64_t *ns)
{
    int64_t sum = 0;
    for (enum cause c = 0; c < CAUSES; c++)
        sum = add_ns(sum, ns[c]);
    return sum;
}

static void measure_gpu(void *ctx, size_t slot, int worker)
{
    struct ledger_job *job = ctx;
    struct gap_cursor *cursor = job->cursors + (size_t)worker * job->v->n_threads;
    struct gap_list *list = job->lists ? &job->lists[worker] : NULL;
    struct work w = {.v = job->v,
                     .g = &job->v->gpus[slot],
                     .out = &job->l->gpus[slot],
                     .slot = (uint32_t)slot,
                     .tell = job->tell,
                     .ctx = job->ctx};
    if (list)
        job->l->host[slot] = (struct gap_range){list, list->parts.n, 0, list->covers.n, 0};
    gap_reader_init(&w.reader, w.v, w.slot, cursor);
    w.reader.host = list;
    w.reader.sums = job->sums;
    measure_work(&w);
    assert(sum_of(w.out->ns) == view_recorded(job->v)); /* every nanosecond has one cause */
    if (list) {
        job->l->host[slot].n = list->parts.n - job->l->host[slot].first;
        job->l->host[slot].n_covers = list->covers.n - job->l->host[slot].first_cover;
    }
}

static struct gap_list *lists_make(size_t n, struct arena *a)
{
    struct gap_list *lists = arena_array(a, struct gap_list, n);
    for (size_t i = 0; i < n; i++)
        lists[i].arena = arena_child(a);
    return lists;
}

void ledger_make(struct ledger *l, const struct view *v, bool host, struct arena *a)
{
    *l = (struct ledger){.window_ns = view_recorded(v), .n_gpus = v->n_gpus};
    l->gpus = arena_array(a, struct ledger_gpu, v->n_gpus);
    l->host = host ? arena_array(a, struct gap_range, v->n_gpus) : NULL;
    struct arena *temporary = arena_scratch();
    size_t workers = (size_t)v->workers < v->n_gpus ? (size_t)v->workers : v->n_gpus;
    struct ledger_job job = {.l = l,
                             .v = v,
                             .lists = host ? lists_make(workers, a) : NULL,
                             .sums = call_sums_make(v, temporary),
                             .cursors =
                                 arena_array(temporary, struct gap_cursor, workers * v->n_threads)};
    parallel_for(v->workers, v->n_gpus, measure_gpu, &job);
    arena_release(temporary);
    for (size_t g = 0; g < l->n_gpus; g++) {
        l->left_out_ns = add_ns(l->left_out_ns, l->gpus[g].left_out_ns);
        for (enum cause c = 0; c < CAUSES; c++)
            l->ns[c] = add_ns(l->ns[c], l->gpus[g].ns[c]);
    }
}

void ledger_gaps(const struct view *v, gap_fn *tell, void *ctx)
{
    struct arena *temporary = arena_scratch();
    struct ledger ledger = {.gpus = arena_array(temporary, struct ledger_gpu, v->n_gpus)};
    struct ledger_job job = {.l = &ledger,
                             .v = v,
                             .sums = call_sums_make(v, temporary),
                             .cursors = arena_array(temporary, struct gap_cursor, v->n_threads),
                             .tell = tell,
                             .ctx = ctx};
    for (size_t g = 0; g < v->n_gpus; g++)
        measure_gpu(&job, g, 0);
    arena_release(temporary);
}
