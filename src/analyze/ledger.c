#include "analyze/ledger.h"

#include <assert.h>
#include <string.h>

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

size_t gap_bucket_of(int64_t ns)
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

/* ---- what runs ---- */

struct work {
    const struct view *v;
    const struct view_gpu *g;
    struct arena *arena;
    struct ledger_gpu *out;
    struct gap_list *host; /* NULL: nobody asks */
    gap_fn *tell;          /* likewise */
    void *ctx;
};

/* What the kernels of each class cover, in one pass. */
static void spans_of_kernels(const struct work *w, struct spans *by_class)
{
    const struct kernels *k = &w->v->trace->kernels;
    vec_reserve(&by_class[KERNEL_COMPUTE], w->arena, w->g->n_kernels);
    for (size_t i = 0; i < w->g->n_kernels; i++) {
        uint32_t row = w->g->kernels[i];
        struct span s = view_clip(w->v, k->start_ns[row], k->end_ns[row]);
        spans_append(&by_class[w->v->kernel_class[k->symbol[row]]], w->arena, s.start, s.end);
        w->out->kernel_sum_ns = add_ns(w->out->kernel_sum_ns, s.end - s.start);
    }
}

static void spans_of_copies(const struct work *w, enum cause cause, struct spans *out)
{
    static const enum cause causes[COPY_KINDS] = {
        [COPY_UNKNOWN] = CAUSE_COPY_D2D, [COPY_H2D] = CAUSE_COPY_H2D, [COPY_D2H] = CAUSE_COPY_D2H,
        [COPY_D2D] = CAUSE_COPY_D2D,     [COPY_P2P] = CAUSE_COPY_P2P, [COPY_H2H] = CAUSE_COPY_D2D,
        [COPY_SET] = CAUSE_COPY_SET,
    };
    const struct copies *c = &w->v->trace->copies;
    for (size_t i = 0; i < w->g->n_copies; i++) {
        uint32_t row = w->g->copies[i];
        if (causes[c->kind[row]] != cause)
            continue;
        struct span s = view_clip(w->v, c->start_ns[row], c->end_ns[row]);
        spans_append(out, w->arena, s.start, s.end);
    }
}

/* Gives `spans` minus what is busy already to a cause and adds them to busy. */
static void claim(const struct work *w, enum cause cause, const struct spans *spans,
                  struct spans *busy)
{
    if (!spans->n)
        return;
    struct spans exposed = {0}, both = {0};
    spans_subtract(&exposed, spans, busy, w->arena);
    w->out->ns[cause] = add_ns(w->out->ns[cause], spans_total(&exposed));
    spans_union(&both, busy, spans, w->arena);
    *busy = both;
}

/* Work that a filter took out keeps the GPU from being idle for any cause that we could name. */
static void claim_left_out(const struct work *w, struct spans *busy)
{
    struct spans inside = {0};
    for (size_t i = 0; i < w->g->left_out->n; i++) {
        struct span s = view_clip(w->v, w->g->left_out->v[i].start, w->g->left_out->v[i].end);
        spans_append(&inside, w->arena, s.start, s.end);
    }
    claim(w, CAUSE_UNKNOWN, &inside, busy);
    w->out->left_out_ns = w->out->ns[CAUSE_UNKNOWN];
}

/* The first part of collectives, in which they wait for other ranks. */
static void spans_of_waiting(const struct work *w, struct spans *out)
{
    const struct kernels *k = &w->v->trace->kernels;
    for (size_t i = 0; w->v->kernel_wait_ns && i < w->g->n_kernels; i++) {
        uint32_t row = w->g->kernels[i];
        if (!w->v->kernel_wait_ns[row])
            continue;
        int64_t end = add_ns(k->start_ns[row], w->v->kernel_wait_ns[row]);
        struct span s =
            view_clip(w->v, k->start_ns[row], end < k->end_ns[row] ? end : k->end_ns[row]);
        spans_append(out, w->arena, s.start, s.end);
    }
}

static void measure_kernels(const struct work *w, const struct spans *by_class, struct spans *busy)
{
    struct spans waiting = {0};
    const struct spans *compute = &by_class[KERNEL_COMPUTE], *comm = &by_class[KERNEL_COLLECTIVE];
    w->out->comm_ns = spans_total(comm);
    w->out->comm_hidden_ns = spans_common(comm, compute);
    claim(w, CAUSE_COMPUTE, compute, busy);
    spans_of_waiting(w, &waiting);
    claim(w, CAUSE_COMM_WAIT, &waiting, busy);
    claim(w, CAUSE_COMM, comm, busy);
}

/*
 * What is busy is a large set and each kind of copies a small one: they are put together once, and
 * what was claimed before is kept beside it until then.
 */
static void measure_copies(const struct work *w, const struct spans *blits, struct spans *busy)
{
    struct spans all = {0}, claimed = {0}, kernels = {0}, both = {0};
    spans_union(&kernels, busy, blits, w->arena);
    w->out->kernel_ns = spans_total(&kernels);
    for (enum cause c = CAUSE_COPY_H2D; c <= CAUSE_COPY_SET; c++) {
        struct spans kind = {0}, joined = {0}, with_blits = {0}, exposed = {0}, rest = {0};
        struct spans claimed_too = {0};
        spans_of_copies(w, c, &kind);
        if (c == CAUSE_COPY_D2D)
            spans_union(&with_blits, &kind, blits, w->arena);
        else
            with_blits = kind;
        spans_subtract(&exposed, &with_blits, busy, w->arena);
        spans_subtract(&rest, &exposed, &claimed, w->arena);
        w->out->ns[c] = add_ns(w->out->ns[c], spans_total(&rest));
        spans_union(&claimed_too, &claimed, &with_blits, w->arena);
        claimed = claimed_too;
        spans_union(&joined, &all, &kind, w->arena);
        all = joined;
    }
    w->out->copy_ns = spans_total(&all);
    spans_union(&both, busy, &claimed, w->arena);
    *busy = both;
}

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

/* The next work after each gap, walking both lists in order of start. */
struct next_work {
    size_t kernel, copy;
};

static void find_next(const struct work *w, struct next_work *at, int64_t time, uint32_t *kernel,
                      uint32_t *call)
{
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
static bool next_part(const struct work *w, int64_t *at, int64_t end, struct span *out)
{
    const struct spans *p = &w->v->paused;
    for (size_t i = p->n ? view_next_pause(w->v, *at) : 0; i < p->n && *at < end; i++) {
        if (p->v[i].start > *at) {
            *out = (struct span){*at, p->v[i].start < end ? p->v[i].start : end};
            *at = out->end;
            return true;
        }
        *at = p->v[i].end;
    }
    *out = (struct span){*at, end};
    bool more = *at < end;
    *at = end;
    return more;
}

/* Idle time before the first work: start-up, unless this is a slice and there was work before it.
 */
static void measure_lead(const struct work *w, struct gap_reader *r, int64_t until, uint32_t call)
{
    struct span s;
    for (int64_t at = w->v->start_ns; next_part(w, &at, until, &s);) {
        if (w->g->has_earlier)
            gap_explain(r, s.start, s.end, call, 0, w->out->ns);
        else
            w->out->ns[CAUSE_STARTUP] = add_ns(w->out->ns[CAUSE_STARTUP], s.end - s.start);
    }
}

/* Idle time after the last work: the tail, unless this is a slice and more work follows. */
static void measure_trail(const struct work *w, struct gap_reader *r, int64_t from, int64_t busy_ns)
{
    struct span s;
    for (int64_t at = from; next_part(w, &at, w->v->end_ns, &s);) {
        if (w->g->later_kernels || w->g->later_copies)
            gap_explain(r, s.start, s.end, later_call(w), busy_ns, w->out->ns);
        else
            w->out->ns[CAUSE_TAIL] = add_ns(w->out->ns[CAUSE_TAIL], s.end - s.start);
    }
}

static void measure_unused(const struct work *w, struct gap_reader *r)
{
    struct ledger_gpu *out = w->out;
    out->first_ns = w->v->start_ns;
    out->last_ns = w->v->end_ns;
    if (!w->v->is_slice)
        out->ns[CAUSE_UNKNOWN] = add_ns(out->ns[CAUSE_UNKNOWN], view_recorded(w->v));
    else if (!w->g->has_earlier)
        out->ns[CAUSE_STARTUP] = add_ns(out->ns[CAUSE_STARTUP], view_recorded(w->v));
    else
        measure_trail(w, r, w->v->start_ns, 0);
}

static void measure_gaps(const struct work *w, const struct spans *busy, uint32_t slot,
                         struct gap_cursor *cursor)
{
    struct ledger_gpu *out = w->out;
    struct gap_reader reader;
    gap_reader_init(&reader, w->v, slot, cursor);
    reader.host = w->host;
    if (!busy->n) {
        measure_unused(w, &reader);
        return;
    }
    out->first_ns = busy->v[0].start;
    out->last_ns = busy->v[busy->n - 1].end;
    struct next_work next = {0};
    uint32_t kernel, first_call;
    find_next(w, &next, out->first_ns, &kernel, &first_call);
    measure_lead(w, &reader, out->first_ns, first_call);
    for (size_t i = 1; i < busy->n; i++) {
        uint32_t call;
        struct span s;
        find_next(w, &next, busy->v[i].start, &kernel, &call);
        for (int64_t at = busy->v[i - 1].end; next_part(w, &at, busy->v[i].start, &s);) {
            struct gap gap = {
                .start_ns = s.start, .end_ns = s.end, .gpu = slot, .next_kernel = kernel};
            gap_explain(&reader, s.start, s.end, call, busy->v[i - 1].end - busy->v[i - 1].start,
                        gap.ns);
            note_gap(out, &gap);
            if (w->tell)
                w->tell(w->ctx, &gap);
        }
    }
    measure_trail(w, &reader, out->last_ns, busy->v[busy->n - 1].end - busy->v[busy->n - 1].start);
}

struct ledger_job {
    struct ledger *l;
    const struct view *v;
    struct gap_cursor *cursors; /* worker after worker */
    struct gap_list *lists;     /* worker after worker; NULL: nobody asks */
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
    struct arena *temporary = arena_scratch();
    struct gap_list *list = job->lists ? &job->lists[worker] : NULL;
    struct work w = {job->v, &job->v->gpus[slot], temporary, &job->l->gpus[slot],
                     list,   job->tell,           job->ctx};
    if (list)
        job->l->host[slot] = (struct gap_range){list, list->parts.n, 0};
    struct spans busy = {0}, by_class[KERNEL_BLIT + 1] = {0};
    spans_of_kernels(&w, by_class);
    measure_kernels(&w, by_class, &busy);
    measure_copies(&w, &by_class[KERNEL_BLIT], &busy);
    w.out->busy_ns = spans_total(&busy);
    if (w.g->left_out)
        claim_left_out(&w, &busy);
    measure_gaps(&w, &busy, (uint32_t)slot, cursor);
    assert(sum_of(w.out->ns) == view_recorded(job->v)); /* every nanosecond has one cause */
    if (list)
        job->l->host[slot].n = list->parts.n - job->l->host[slot].first;
    arena_release(temporary);
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
                             .cursors = arena_array(temporary, struct gap_cursor, v->n_threads),
                             .tell = tell,
                             .ctx = ctx};
    for (size_t g = 0; g < v->n_gpus; g++)
        measure_gpu(&job, g, 0);
    arena_release(temporary);
}
