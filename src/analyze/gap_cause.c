#include "analyze/gap_cause.h"

#include "analyze/call_sums.h"

void gap_reader_init(struct gap_reader *r, const struct view *v, size_t slot,
                     struct gap_cursor *cursor)
{
    *r = (struct gap_reader){.v = v,
                             .cursor = cursor,
                             .gpu = (uint32_t)slot + 1,
                             .last_thread = NO_INDEX,
                             .has_calls = v->n_calls > 0};
}

/* On the way to the GPU, or kept from being so by a wait. */
static enum cause on_the_way(bool drained)
{
    return drained ? CAUSE_SYNC : CAUSE_LAUNCH;
}

/*
 * What a call says about a gap in which it runs. Slow ones that neither launch nor wait are work
 * of the host; what is loaded or compiled on first use is paid once, the same call again is not.
 */
enum cause gap_cause_of_call(const struct view *v, uint32_t call, bool drained)
{
    const struct regions *g = &v->trace->regions;
    int64_t length = sub_ns(g->end_ns[call], g->start_ns[call]);
    switch (view_call_class(v, call)) {
    case API_LAUNCH:
        return length >= LEDGER_LOAD_NS && view_first_use(v, call) ? CAUSE_STARTUP
                                                                   : on_the_way(drained);
    case API_SYNC:
    case API_COPY:
        return CAUSE_SYNC;
    case API_COPY_ASYNC:
        return on_the_way(drained);
    case API_ALLOC:
        return CAUSE_ALLOC;
    case API_CREATE:
        return length >= LEDGER_SHORT_HOST_NS ? CAUSE_ALLOC : on_the_way(drained);
    case API_MODULE:
        if (view_first_use(v, call))
            return CAUSE_STARTUP;
        break;
    case API_COMM:
    case API_IO:
        return CAUSE_HOST_IO;
    default:
        break;
    }
    return length >= LEDGER_SHORT_HOST_NS ? CAUSE_HOST : on_the_way(drained);
}

bool gap_call_waits(const struct view *v, uint32_t call)
{
    enum api_class class = view_call_class(v, call);
    return class == API_SYNC || class == API_COPY;
}

static void add_to(int64_t *ns, enum cause cause, int64_t more)
{
    ns[cause] = add_ns(ns[cause], more);
}

/* Time that the host is to blame for is kept where somebody asks for it. */
static void note(const struct gap_reader *r, enum cause cause, uint32_t call, int64_t start,
                 int64_t end)
{
    if (r->host && end > start && (cause == CAUSE_HOST || cause == CAUSE_HOST_IO))
        vec_push_alone(&r->host->parts, r->host->arena,
                       ((struct gap_part){cause, r->last_thread, call, start, end}));
}

/*
 * Between calls: short stretches are part of launching, long ones are other work. After a wait
 * that emptied the queue, what the wait's work could have hidden of them is the wait's fault.
 */
static void add_between(const struct gap_reader *r, struct span s, bool drained, int64_t busy_ns,
                        int64_t *ns)
{
    int64_t length = s.end - s.start;
    int64_t host = gap_host_ns(length, drained, gap_hidden_ns(busy_ns));
    add_to(ns, on_the_way(drained), length - host);
    add_to(ns, CAUSE_HOST, host);
    note(r, CAUSE_HOST, NO_INDEX, s.end - host, s.end);
}

enum { SEEK_NEAR = 16 }; /* most gaps are a few calls after the last one */

/*
 * Where the thread stands at `at`: the first outer call that ends after it. Gaps come in order of
 * time, so the cursor only moves forward, and it stays on a call a later gap may need.
 */
static size_t seek(struct gap_reader *r, uint32_t thread, int64_t at)
{
    const struct view_thread *th = &r->v->threads[thread];
    const int64_t *end_ns = r->v->trace->regions.end_ns;
    struct gap_cursor *c = &r->cursor[thread];
    size_t i = c->gpu == r->gpu ? c->at : 0, near = i + SEEK_NEAR;
    while (i < th->n_outer && i < near && end_ns[th->outer[i]] < at)
        i++;
    if (i == near)
        BISECT(i, th->n_outer, mid, end_ns[th->outer[mid]] < at);
    c->gpu = r->gpu;
    return c->at = i;
}

/*
 * From the moment work was submitted: a launch takes so long to reach the GPU, no longer. What
 * comes on top was spent waiting for something else: work of another stream, GPU or process.
 */
static void add_on_the_way(int64_t *ns, int64_t length, bool drained)
{
    int64_t most = length < LEDGER_QUEUE_NS ? length : LEDGER_QUEUE_NS;
    add_to(ns, on_the_way(drained), most);
    add_to(ns, CAUSE_UNKNOWN, length - most);
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

/*
 * Whole blocks of calls that are over before `limit`, and say the same about the gap as those
 * before them do: up to the first wait, or behind one. Returns the call that is next.
 */
static size_t take_blocks(const struct gap_reader *r, uint32_t thread, size_t i, int64_t limit,
                          bool drained, int64_t busy_ns, int64_t *ns)
{
    const struct call_sums *s = &r->sums[thread];
    size_t from = i / CALL_BLOCK, to = from, most = s->n_blocks;
    if (from >= most)
        return i;
    if (!drained && s->blocks[from].next_wait / CALL_BLOCK < most)
        most = s->blocks[from].next_wait / CALL_BLOCK;
    BISECT(to, most, b, call_over(r->v, thread, (b + 1) * CALL_BLOCK - 1) < limit);
    if (to == from)
        return i;
    int64_t hidden = gap_hidden_ns(busy_ns);
    if (call_sums_add(s, from, to, drained, hidden, ns) && r->host)
        vec_push_alone(&r->host->covers, r->host->arena,
                       ((struct gap_cover){thread, (uint32_t)(from * CALL_BLOCK),
                                           (uint32_t)(to * CALL_BLOCK), drained, hidden}));
    return to * CALL_BLOCK;
}

static void explain_by_thread(struct gap_reader *r, int64_t start, int64_t end, uint32_t thread,
                              uint32_t launch, int64_t busy_ns, int64_t *ns)
{
    const struct view_thread *th = &r->v->threads[thread];
    const struct regions *g = &r->v->trace->regions;
    size_t i = seek(r, thread, start);
    /* Was the host waiting for the GPU when it ran dry? Then the queue was empty because of it. */
    bool drained =
        i < th->n_outer && g->start_ns[th->outer[i]] < start && gap_call_waits(r->v, th->outer[i]);
    /* Once the launching call is over, the rest is the way from the host to the GPU. */
    int64_t sent = launch == NO_INDEX ? end : g->end_ns[launch];
    int64_t at = start;
    for (size_t first = i; i < th->n_outer && at < end && at < sent; i++) {
        if (r->sums && i % CALL_BLOCK == 0 && i > first) {
            size_t next = take_blocks(r, thread, i, sent < end ? sent : end, drained, busy_ns, ns);
            at = next > i ? call_over(r->v, thread, next - 1) : at;
            i = next;
            if (i == th->n_outer)
                break;
        }
        uint32_t call = th->outer[i];
        int64_t from = g->start_ns[call] > at ? g->start_ns[call] : at;
        if (from >= end || from >= sent)
            break;
        add_between(r, (struct span){at, from}, drained, busy_ns, ns);
        at = from;
        int64_t to = g->end_ns[call] < end ? g->end_ns[call] : end;
        if (to < at) /* it ends before it starts: odd, counts as zero */
            to = at;
        enum cause cause = gap_cause_of_call(r->v, call, drained);
        add_to(ns, cause, to - at);
        note(r, cause, call, at, to);
        drained |= gap_call_waits(r->v, call);
        at = to;
    }
    if (at < end && at < sent) { /* no call up to the launch's end: only possible without a link */
        int64_t to = sent < end ? sent : end;
        add_between(r, (struct span){at, to}, drained, busy_ns, ns);
        at = to;
    }
    if (at < end)
        add_on_the_way(ns, end - at, drained);
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
