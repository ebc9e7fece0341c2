#include "analyze/gap_cause.h"

void gap_reader_init(struct gap_reader *r, const struct view *v, size_t slot,
                     struct gap_cursor *cursor)
{
    *r = (struct gap_reader){.v = v,
                             .cursor = cursor,
                             .gpu = (uint32_t)slot + 1,
                             .last_thread = NO_INDEX,
                             .has_calls = v->n_calls > 0};
}

/* What a call of `length` ns says about a gap in which it runs. */
static enum cause cause_of(enum api_class class, int64_t length, bool drained)
{
    switch (class) {
    case API_LAUNCH:
        if (length >= LEDGER_LOAD_NS)
            return CAUSE_STARTUP;
        return drained ? CAUSE_SYNC : CAUSE_LAUNCH;
    case API_SYNC:
    case API_COPY:
        return CAUSE_SYNC;
    case API_ALLOC:
        return CAUSE_ALLOC;
    case API_MODULE:
        return CAUSE_STARTUP;
    case API_COMM:
    case API_IO:
        return CAUSE_HOST_IO;
    default:
        return drained ? CAUSE_SYNC : CAUSE_LAUNCH;
    }
}

static bool waits(enum api_class class)
{
    return class == API_SYNC || class == API_COPY;
}

static void add_to(int64_t *ns, enum cause cause, int64_t more)
{
    ns[cause] = add_ns(ns[cause], more);
}

/*
 * Between calls: short stretches are part of launching, long ones are other work. After a wait
 * that emptied the queue, what the wait's work could have hidden of them is the wait's fault.
 */
static void add_between(int64_t *ns, int64_t length, bool drained, int64_t busy_ns)
{
    if (!drained) {
        add_to(ns, length < LEDGER_SHORT_HOST_NS ? CAUSE_LAUNCH : CAUSE_HOST, length);
        return;
    }
    int64_t hidden = busy_ns > LEDGER_SHORT_HOST_NS ? busy_ns : LEDGER_SHORT_HOST_NS;
    int64_t fault = length > LEDGER_SYNC_HOST_NS ? 0 : length < hidden ? length : hidden;
    add_to(ns, CAUSE_SYNC, fault);
    add_to(ns, CAUSE_HOST, length - fault);
}

/*
 * Where the thread stands at `at`: the first outer call that ends after it. Gaps come in order of
 * time, so the cursor only moves forward, and it stays on a call a later gap may need.
 */
static size_t seek(struct gap_reader *r, uint32_t thread, int64_t at)
{
    const struct view_thread *th = &r->v->threads[thread];
    const int64_t *end_ns = r->v->trace->regions.end_ns;
    struct gap_cursor *c = &r->cursor[thread];
    size_t i = c->gpu == r->gpu ? c->at : 0;
    while (i < th->n_outer && end_ns[th->outer[i]] < at)
        i++;
    c->gpu = r->gpu;
    return c->at = i;
}

/* Work that was queued before the GPU ran dry: short gaps are the way through the queue. */
static bool explain_queued(const struct gap_reader *r, int64_t start, int64_t end, uint32_t launch,
                           int64_t *ns)
{
    if (launch == NO_INDEX || r->v->trace->regions.end_ns[launch] > start)
        return false;
    add_to(ns, end - start <= LEDGER_QUEUE_NS ? CAUSE_LAUNCH : CAUSE_UNKNOWN, end - start);
    return true;
}

static void explain_by_thread(struct gap_reader *r, int64_t start, int64_t end, uint32_t thread,
                              uint32_t launch, int64_t busy_ns, int64_t *ns)
{
    const struct view_thread *th = &r->v->threads[thread];
    const struct regions *g = &r->v->trace->regions;
    size_t i = seek(r, thread, start);
    /* Was the host waiting for the GPU when it ran dry? Then the queue was empty because of it. */
    bool drained = i < th->n_outer && g->start_ns[th->outer[i]] < start &&
                   waits(view_call_class(r->v, th->outer[i]));
    /* Once the launching call is over, the rest is the way from the host to the GPU. */
    int64_t sent = launch == NO_INDEX ? end : g->end_ns[launch];
    int64_t at = start;
    for (; i < th->n_outer && at < end && at < sent; i++) {
        uint32_t call = th->outer[i];
        int64_t from = g->start_ns[call] > at ? g->start_ns[call] : at;
        if (from >= end || from >= sent)
            break;
        add_between(ns, from - at, drained, busy_ns);
        at = from;
        enum api_class class = view_call_class(r->v, call);
        int64_t to = g->end_ns[call] < end ? g->end_ns[call] : end;
        if (to < at) /* it ends before it starts: odd, counts as zero */
            to = at;
        add_to(ns, cause_of(class, sub_ns(g->end_ns[call], g->start_ns[call]), drained), to - at);
        drained |= waits(class);
        at = to;
    }
    if (at < end && at < sent) { /* no call up to the launch's end: only possible without a link */
        int64_t to = sent < end ? sent : end;
        add_between(ns, to - at, drained, busy_ns);
        at = to;
    }
    if (at < end)
        add_to(ns, drained ? CAUSE_SYNC : CAUSE_LAUNCH, end - at);
}

void gap_explain(struct gap_reader *r, int64_t start, int64_t end, uint32_t call, int64_t busy_ns,
                 int64_t *ns)
{
    if (!r->has_calls) {
        add_to(ns, CAUSE_UNKNOWN, end - start);
        return;
    }
    uint32_t thread = call == NO_INDEX ? r->last_thread : r->v->trace->regions.thread[call];
    if (thread >= r->v->n_threads - 1 && call == NO_INDEX) {
        add_to(ns, CAUSE_UNKNOWN, end - start);
        return;
    }
    if (thread >= r->v->n_threads)
        thread = (uint32_t)(r->v->n_threads - 1);
    r->last_thread = thread;
    if (explain_queued(r, start, end, call, ns))
        return;
    explain_by_thread(r, start, end, thread, call, busy_ns, ns);
}
