#include "advise/copy_split.h"

static const enum cause directions[] = {CAUSE_COPY_H2D, CAUSE_COPY_D2H, CAUSE_COPY_P2P};
enum { DIRECTIONS = ARRAY_LEN(directions) };

bool copy_is_slow(const struct copy_row *c)
{
    if (c->kind == COPY_D2D || c->kind == COPY_SET)
        return false;
    return c->efficiency_pct < (c->pageable_pct > 50 ? SLOW_PAGEABLE_PCT : SLOW_COPY_PCT);
}

static int64_t slow_part(const struct copy_row *c)
{
    if (!copy_is_slow(c))
        return 0;
    return ns_from((double)c->exposed_ns * (1 - c->efficiency_pct / 100));
}

static bool over_link(enum copy_kind kind)
{
    return kind == COPY_H2D || kind == COPY_D2H || kind == COPY_P2P;
}

/* Copies of a GPU before its first kernel and after its last one. */
static int64_t edges(const struct analysis *a, const struct view_gpu *g)
{
    const struct kernels *k = &a->trace->kernels;
    const struct copies *c = &a->trace->copies;
    if (!g->n_kernels)
        return 0;
    int64_t first = k->start_ns[g->kernels[0]], last = first, until = INT64_MIN, ns = 0;
    for (size_t i = 0; i < g->n_kernels; i++)
        last = k->end_ns[g->kernels[i]] > last ? k->end_ns[g->kernels[i]] : last;
    for (size_t i = 0; i < g->n_copies; i++) {
        uint32_t row = g->copies[i];
        struct span s = view_clip(&a->view, c->start_ns[row], c->end_ns[row]);
        if (!over_link((enum copy_kind)c->kind[row]) || (s.start >= first && s.end <= last))
            continue;
        int64_t from = s.start > until ? s.start : until;
        int64_t before = (s.end < first ? s.end : first) - from;
        int64_t after = s.end - (from > last ? from : last);
        ns = add_ns(ns, add_ns(before > 0 ? before : 0, after > 0 ? after : 0));
        until = s.end > until ? s.end : until;
    }
    return ns;
}

/* One direction is on its way nearly all the time: nothing is left to hide it behind. */
static bool link_is_full(const struct analysis *a)
{
    double span = (double)a->breakdown.gpu_span_ns;
    for (size_t i = 0; i < a->copies.n; i++)
        if (over_link(a->copies.v[i].kind) && a->breakdown.gpu_count == 1 &&
            (double)a->copies.v[i].total_duration_ns >= FULL_LINK_SHARE * span)
            return true;
    return false;
}

void copy_split(struct copy_split *s, const struct analysis *a)
{
    *s = (struct copy_split){0};
    for (int i = 0; i < DIRECTIONS; i++)
        s->exposed_ns = add_ns(s->exposed_ns, ledger_ns(a, directions[i]));
    for (size_t g = 0; g < a->view.n_gpus; g++)
        s->edge_ns = add_ns(s->edge_ns, edges(a, &a->view.gpus[g]));
    if (s->edge_ns > s->exposed_ns)
        s->edge_ns = s->exposed_ns;
    for (size_t i = 0; i < a->copies.n; i++)
        s->slow_ns = add_ns(s->slow_ns, slow_part(&a->copies.v[i]));
    if (s->slow_ns > s->exposed_ns)
        s->slow_ns = s->exposed_ns;
    int64_t rest = s->exposed_ns - s->slow_ns, compute = ledger_ns(a, CAUSE_COMPUTE);
    /* The two directions of a link run at the same time: the shorter ones hide behind the longest. */
    int64_t longest = 0;
    for (int i = 0; i < DIRECTIONS; i++)
        longest = ledger_ns(a, directions[i]) > longest ? ledger_ns(a, directions[i]) : longest;
    if (s->exposed_ns)
        s->both_ns =
            ns_from((double)(s->exposed_ns - longest) * ((double)rest / (double)s->exposed_ns));
    s->full = link_is_full(a);
    if ((double)compute < HIDEABLE_SHARE * (double)rest || s->full) {
        s->bound_ns = rest;
    } else {
        s->both_ns = 0;
        s->hideable_ns = rest < compute ? rest : compute;
    }
}

void claim_copies(struct finding *f, int64_t ns)
{
    const struct analysis *a = f->analysis;
    int64_t all = 0, given = 0;
    for (int i = 0; i < DIRECTIONS; i++)
        all = add_ns(all, ledger_ns(a, directions[i]));
    for (int i = 0; i < DIRECTIONS && all; i++) {
        int64_t part = ns_from((double)ns * ((double)ledger_ns(a, directions[i]) / (double)all));
        finding_claim(f, directions[i], part);
        given = add_ns(given, part);
    }
    for (int i = 0; i < DIRECTIONS && given < ns; i++) { /* what rounding left over */
        int64_t room = ledger_ns(a, directions[i]) - f->claim[directions[i]];
        int64_t more = ns - given < room ? ns - given : room;
        finding_claim(f, directions[i], more);
        given = add_ns(given, more > 0 ? more : 0);
    }
}
