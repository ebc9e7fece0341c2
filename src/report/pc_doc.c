#include "report/pc_doc.h"

#include <math.h>
#include <string.h>

#include "base/human.h"

struct ctx {
    struct doc *d;
    const struct pc_sampling *p;
    size_t top;
};

static const char *pct(struct ctx *c, double v)
{
    char text[HUMAN_MAX];
    return isnan(v) ? "-" : arena_strdup(c->d->arena, human_pct(text, v));
}

static const char *count(struct ctx *c, uint64_t v)
{
    char text[HUMAN_MAX];
    return arena_strdup(c->d->arena, human_count(text, v));
}

/* The share with its interval, or that there are too few. */
static const char *interval(struct ctx *c, bool enough, double low, double high)
{
    if (!enough)
        return "too few";
    return arena_printf(c->d->arena, "%.1f to %.1f %%", low, high);
}

/* A path from its end: the line must not be what is cut off. */
static const char *place(struct ctx *c, const char *source)
{
    enum { LONG = 32 };
    if (!source)
        return "-";
    const char *p = source + strlen(source);
    for (int parts = 0; p > source; p--)
        if (p[-1] == '/' && (++parts == 2 || strlen(p) > LONG))
            break;
    return p == source ? source : arena_printf(c->d->arena, "…/%s", p);
}

static void overview(struct ctx *c)
{
    const struct pc_stats *s = &c->p->stats;
    doc_fact(c->d, "method", "%s", s->method ? s->method : "-");
    doc_fact(c->d, "samples", "%s%s", count(c, s->samples),
             s->enough ? "" : ": too few to say anything");
    if (s->invalid)
        doc_fact(c->d, "set aside", "%s without address and instruction", count(c, s->invalid));
    if (s->outside)
        doc_fact(c->d, "left out", "%s outside of what was asked for", count(c, s->outside));
    if (s->unattributed)
        doc_fact(c->d, "without kernel",
                 "%s of dispatches that are not in the trace; capture with --kernel-trace too",
                 count(c, s->unattributed));
    if (s->issued + s->stalled)
        doc_fact(c->d, "waves issued", "in %s of the samples%s", pct(c, s->issued_pct),
                 s->stalled && s->issued ? "; the rest waited" : "");
    if (!isnan(s->mean_waves))
        doc_fact(c->d, "waves on the SIMD", "%.1f on average", s->mean_waves);
}

static void kernels(struct ctx *c)
{
    static const char *const titles[] = {"kernel", "samples", "share",     "95 %",
                                         "issued", "lanes",   "time spent"};
    if (c->p->kernels.n == 1 && !c->p->kernels.v[0].kernel)
        return;
    doc_heading(c->d, 3, "By kernel");
    struct block *b = doc_table(c->d, "");
    for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++)
        doc_column(b, titles[i], i ? COLUMN_NUMBER : COLUMN_TEXT);
    for (size_t i = 0; i < c->p->kernels.n && i < c->top; i++) {
        const struct pc_kernel_row *r = &c->p->kernels.v[i];
        char ns[HUMAN_MAX];
        doc_cell(b, "%s", r->kernel ? r->kernel : "(not in the trace)");
        doc_cell(b, "%s", count(c, r->samples));
        doc_cell(b, "%s", pct(c, r->pct));
        doc_cell(b, "%s", interval(c, r->enough, r->low_pct, r->high_pct));
        doc_cell(b, "%s", pct(c, r->issued_pct));
        doc_cell(b, "%.1f", r->mean_lanes);
        doc_cell(b, "%s", r->total_ns ? human_time(ns, r->total_ns) : "-");
    }
}

static void reasons(struct ctx *c)
{
    if (!c->p->reasons.n)
        return;
    doc_heading(c->d, 3, "What waves were doing");
    struct block *b = doc_table(c->d, "of the samples that say whether an instruction was issued");
    doc_column(b, "state", COLUMN_KEEP);
    doc_column(b, "what", COLUMN_KEEP);
    doc_column(b, "samples", COLUMN_NUMBER);
    doc_column(b, "share", COLUMN_NUMBER);
    doc_column(b, "95 %", COLUMN_NUMBER);
    doc_column(b, "meaning", COLUMN_TEXT);
    for (size_t i = 0; i < c->p->reasons.n; i++) {
        const struct pc_reason_row *r = &c->p->reasons.v[i];
        doc_cell(b, "%s", r->state);
        doc_cell(b, "%s", r->what);
        doc_cell(b, "%s", count(c, r->samples));
        doc_cell(b, "%s", pct(c, r->pct));
        doc_cell(b, "%s", interval(c, r->enough, r->low_pct, r->high_pct));
        doc_cell(b, "%s", r->meaning ? r->meaning : "");
    }
}

static void instructions(struct ctx *c)
{
    static const char *const titles[] = {"samples", "share", "95 %", "issued"};
    const struct pc_sampling *p = c->p;
    size_t n = p->instructions.n < c->top ? p->instructions.n : c->top;
    bool offsets = false, sources = false, names = false;
    for (size_t i = 0; i < n; i++) {
        offsets |= p->instructions.v[i].offset != 0;
        sources |= p->instructions.v[i].source != NULL;
        names |= p->instructions.v[i].kernel != NULL;
    }
    doc_heading(c->d, 3, "Hot instructions");
    struct block *b = doc_table(
        c->d, arena_printf(c->d->arena, "%zu of %zu; share of all samples", n, p->instructions.n));
    if (offsets)
        doc_column(b, "offset", COLUMN_KEEP);
    doc_column(b, "instruction", COLUMN_TEXT);
    for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++)
        doc_column(b, titles[i], COLUMN_NUMBER);
    if (p->stats.stalled)
        doc_column(b, "mostly", COLUMN_KEEP);
    if (sources)
        doc_column(b, "source", COLUMN_TEXT);
    if (names)
        doc_column(b, "kernel", COLUMN_TEXT);
    for (size_t i = 0; i < n; i++) {
        const struct pc_instruction_row *r = &p->instructions.v[i];
        if (offsets)
            doc_cell(b, "0x%llx", (unsigned long long)r->offset);
        doc_cell(b, "%s", r->instruction ? r->instruction : "-");
        doc_cell(b, "%s", count(c, r->samples));
        doc_cell(b, "%s", pct(c, r->pct));
        doc_cell(b, "%s", interval(c, r->enough, r->low_pct, r->high_pct));
        doc_cell(b, "%s", pct(c, r->issued_pct));
        if (p->stats.stalled)
            doc_cell(b, "%s", r->top_stall ? r->top_stall : "-");
        if (sources)
            doc_cell(b, "%s", place(c, r->source));
        if (names)
            doc_cell(b, "%s", r->kernel ? r->kernel : "-");
    }
}

static void lines(struct ctx *c)
{
    static const char *const titles[] = {"samples", "share", "95 %", "issued"};
    if (!c->p->lines.n)
        return;
    doc_heading(c->d, 3, "Source lines");
    struct block *b = doc_table(c->d, "with their hottest instruction");
    doc_column(b, "source", COLUMN_TEXT);
    for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++)
        doc_column(b, titles[i], COLUMN_NUMBER);
    doc_column(b, "instruction", COLUMN_TEXT);
    for (size_t i = 0; i < c->p->lines.n && i < c->top; i++) {
        const struct pc_line_row *r = &c->p->lines.v[i];
        doc_cell(b, "%s", place(c, r->source));
        doc_cell(b, "%s", count(c, r->samples));
        doc_cell(b, "%s", pct(c, r->pct));
        doc_cell(b, "%s", interval(c, r->enough, r->low_pct, r->high_pct));
        doc_cell(b, "%s", pct(c, r->issued_pct));
        doc_cell(b, "%s", r->instruction ? r->instruction : "-");
    }
}

static void pipes(struct ctx *c)
{
    if (!c->p->pipes.n)
        return;
    doc_heading(c->d, 3, "Pipelines");
    struct block *b = doc_table(c->d, "samples in which the arbiter issued to it, or could not");
    doc_column(b, "pipeline", COLUMN_KEEP);
    doc_column(b, "issues", COLUMN_NUMBER);
    doc_column(b, "held up", COLUMN_NUMBER);
    doc_column(b, "share", COLUMN_NUMBER);
    for (size_t i = 0; i < c->p->pipes.n; i++) {
        const struct pc_pipe_row *r = &c->p->pipes.v[i];
        doc_cell(b, "%s", r->pipe);
        doc_cell(b, "%s", count(c, r->issue));
        doc_cell(b, "%s", count(c, r->stall));
        doc_cell(b, "%s", pct(c, r->stall_pct));
    }
}

void pc_section(struct doc *d, const struct analysis *a, size_t top)
{
    struct ctx c = {d, &a->pc_sampling, top};
    const struct pc_stats *s = &a->pc_sampling.stats;
    if (!s->samples && !s->invalid && !s->outside)
        return;
    doc_heading(d, 2, "PC samples");
    overview(&c);
    if (!s->samples)
        return;
    kernels(&c);
    reasons(&c);
    instructions(&c);
    lines(&c);
    pipes(&c);
}
