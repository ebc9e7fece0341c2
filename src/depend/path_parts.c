#include "depend/path_parts.h"

#include "base/sat.h"

/* So many stretches are kept one by one; with more the time is cut into bins. */
enum { MOST_SPANS = 20000, BINS = 4096 };

static int64_t bin_start(const struct path_parts *p, int64_t bin)
{
    return p->start + (int64_t)((__int128)p->length * bin / BINS); /* in range: within the path */
}

void path_parts_init(struct path_parts *p, struct analysis *a, const struct replay *r,
                     struct arena *temporary)
{
    *p = (struct path_parts){.a = a, .temporary = temporary, .phase = a->phases.n};
    p->start = r->start_ns;
    p->length = r->end_ns - r->start_ns;
    p->phases = arena_calloc(temporary, a->phases.n + 1, sizeof(*p->phases));
}

/* ---- phases ---- */

/* Of [start, end), the part from the phase's start on; the rest belongs to earlier ones. */
static void add_to_phases(struct path_parts *p, enum path_kind kind, int64_t start, int64_t end)
{
    const struct analysis *a = p->a;
    while (p->phase && start < end) {
        int64_t from = view_elapsed(&a->view, a->phases.v[p->phase - 1].start_ns);
        int64_t lo = p->phase > 1 && from > start ? from : start;
        int64_t *ns = &p->phases[p->phase - 1][kind];
        *ns = add_ns(*ns, end > lo ? end - lo : 0);
        end = lo < end ? lo : end;
        if (start < end || (start == from && p->phase > 1))
            p->phase--;
    }
}

static struct path_phase phase_row(const struct path_parts *p, size_t i)
{
    const int64_t *ns = p->phases[i];
    struct path_phase row = {.phase = p->a->phases.v[i].phase, .name = p->a->phases.v[i].name};
    for (enum path_kind k = 0; k < PATH_KINDS; k++) {
        int64_t *part = k <= PATH_COPY_OTHER                          ? &row.gpu_ns
                        : k >= PATH_CALL_LAUNCH && k <= PATH_HANDOVER ? &row.host_ns
                                                                      : &row.other_ns;
        *part = add_ns(*part, ns[k]);
        row.path_ns = add_ns(row.path_ns, ns[k]);
    }
    enum path_kind most = path_largest(ns);
    row.limit = row.path_ns ? path_info(most)->label : "-";
    row.limit_ns = ns[most];
    row.limit_pct = percent_of((double)ns[most], (double)row.path_ns);
    return row;
}

/* ---- stretches ---- */

static void add_span(struct path_parts *p, const char *label, int64_t start, int64_t end)
{
    struct path_span *last = p->spans.n ? &p->spans.v[p->spans.n - 1] : NULL;
    if (last && last->label == label)
        last->start_ns = start;
    else if (p->spans.n <= MOST_SPANS)
        vec_push(&p->spans, p->temporary, ((struct path_span){start, end, label}));
}

/* Steps come from the end to the start, and so do the bins. */
static void add_to_bins(struct path_parts *p, enum path_kind kind, int64_t start, int64_t end)
{
    while (start < end) {
        int64_t from = p->bin_start > start ? p->bin_start : start;
        if (end > from)
            p->bins[p->bin][kind] = add_ns(p->bins[p->bin][kind], end - from);
        end = from < end ? from : end;
        if (start < end && p->bin)
            p->bin_start = bin_start(p, --p->bin);
        else if (start < end)
            break; /* before the path begins */
    }
}

/* Bins take more room than a short path, which never needs them. */
static void make_bins(struct path_parts *p)
{
    p->bins = arena_calloc(p->temporary, BINS, sizeof(*p->bins));
    p->bin = BINS - 1;
    p->bin_start = bin_start(p, p->bin);
    for (size_t i = 0; i < p->steps.n; i++) {
        const struct path_step *s = &p->steps.v[i];
        add_to_bins(p, s->kind, s->start, s->start + s->ns);
    }
}

void path_parts_add(struct path_parts *p, const struct path_step *s)
{
    add_to_phases(p, s->kind, s->start, s->start + s->ns);
    if (p->bins)
        add_to_bins(p, s->kind, s->start, s->start + s->ns);
    else
        vec_push(&p->steps, p->temporary, *s);
    if (!p->bins && p->steps.n > MOST_SPANS)
        make_bins(p);
    add_span(p, path_info(s->kind)->label, s->start, s->start + s->ns);
}

static void take_bins(struct path_parts *p)
{
    p->spans.n = 0;
    for (int64_t bin = BINS; bin-- > 0;)
        add_span(p, path_info(path_largest(p->bins[bin]))->label, bin_start(p, bin),
                 bin_start(p, bin + 1));
}

void path_parts_keep(struct path_parts *p, struct arena *arena)
{
    struct analysis *a = p->a;
    for (size_t i = 0; i < a->phases.n; i++)
        vec_push(&a->path_phases, arena, phase_row(p, i));
    if (p->spans.n > MOST_SPANS)
        take_bins(p);
    vec_reserve(&a->path_spans, arena, p->spans.n + 1);
    for (size_t i = p->spans.n; i-- > 0;) {
        struct path_span s = p->spans.v[i];
        s.start_ns = view_moment(&a->view, s.start_ns);
        s.end_ns = view_moment(&a->view, s.end_ns);
        vec_push(&a->path_spans, arena, s);
    }
}
