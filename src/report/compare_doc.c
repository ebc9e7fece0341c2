#include "report/compare_doc.h"

#include <math.h>

#include "base/human.h"
#include "base/sat.h"
#include "base/str.h"

struct ctx {
    const struct comparison *c;
    struct doc *d;
    size_t top;
};

static const char *ns(struct ctx *x, double v)
{
    char text[HUMAN_MAX];
    return isnan(v) ? "-" : arena_strdup(x->d->arena, human_time(text, ns_from(v)));
}

static const char *signed_ns(struct ctx *x, int64_t v)
{
    char text[HUMAN_MAX];
    return arena_printf(x->d->arena, "%s%s", v < 0 ? "-" : "+", human_time(text, v < 0 ? -v : v));
}

static const char *signed_pct(struct ctx *x, double v)
{
    return isnan(v) ? "-" : arena_printf(x->d->arena, "%+.1f %%", v);
}

static void verdict(struct ctx *x)
{
    static const enum tone tones[] = {[COMPARE_FASTER] = TONE_GOOD,
                                      [COMPARE_SLOWER] = TONE_BAD,
                                      [COMPARE_SAME] = TONE_INFO,
                                      [COMPARE_NOT_COMPARABLE] = TONE_WARN};
    const struct comparison *c = x->c;
    doc_heading(x->d, 1, "%s → %s", c->a->label, c->b->label);
    doc_callout(x->d, tones[c->verdict], "%s", c->headline);
    if (c->comparable && !c->by_wall && c->verdict != COMPARE_SAME)
        doc_fact(x->d, "work", "%s of %s that can be compared (%s, noise %.1f %%)",
                 signed_ns(x, c->change_ns), ns(x, (double)c->base_ns),
                 signed_pct(x, c->wall_change_pct), c->noise_pct);
    double wall = (double)c->wall_a_ns;
    doc_fact(x->d, "wall", "%s → %s (%s, noise %.1f %%)%s%s", ns(x, wall),
             ns(x, (double)c->wall_b_ns),
             signed_pct(x, wall > 0 ? 100 * ((double)c->wall_b_ns / wall - 1) : NAN),
             wall > 0 ? 100 * (double)c->wall_noise_ns / wall : 0,
             fabs(c->steps - 1) > 0.01 ? ", for the steps of A" : "",
             c->repeated ? ", of repeated runs" : "");
    doc_fact(x->d, "comparable", "%s, score %.2f", c->comparable ? "yes" : "no", c->score);
    for (size_t i = 0; i < c->reasons.n; i++)
        doc_item(x->d, "%s", c->reasons.v[i]);
}

static void gate_section(struct ctx *x, const struct gate *gate)
{
    if (!gate->conditions.n)
        return;
    doc_heading(x->d, 2, "Gate: %s", gate->failed ? "failed" : "passed");
    for (size_t i = 0; i < gate->conditions.n; i++) {
        const struct gate_condition *g = &gate->conditions.v[i];
        doc_callout(x->d, g->failed ? TONE_BAD : TONE_GOOD, "%s", g->message);
    }
}

static void causes(struct ctx *x)
{
    const struct comparison *c = x->c;
    if (!c->causes.n)
        return;
    doc_heading(x->d, 2, "What changed, largest first");
    struct block *t = doc_table(x->d, "of GPU time; + is slower, - is faster; '~' is within noise, "
                                      "'o' is not part of the verdict");
    doc_column(t, "", COLUMN_KEEP);
    doc_column(t, "what", COLUMN_TEXT);
    doc_column(t, "change", COLUMN_NUMBER);
    doc_column(t, "of all", COLUMN_NUMBER);
    doc_column(t, "noise", COLUMN_NUMBER);
    for (size_t i = 0; i < c->causes.n && i < x->top; i++) {
        const struct compare_cause *k = &c->causes.v[i];
        doc_cell(t, "%s", !k->significant ? "~" : !k->counted ? "o" : k->change_ns < 0 ? "-" : "+");
        doc_cell(t, k->phase ? "%s, in %s" : "%s", k->what, k->phase);
        doc_cell(t, "%s", signed_ns(x, k->change_ns));
        doc_cell(t, "%s", signed_pct(x, k->change_pct));
        doc_cell(t, "%s", ns(x, (double)k->noise_ns));
    }
}

static void kernels(struct ctx *x)
{
    const struct comparison *c = x->c;
    if (!c->kernels.n)
        return;
    doc_heading(x->d, 2, "Kernels");
    struct block *t = doc_table(x->d, "typical: mean of the middle half of all calls");
    doc_column(t, "kernel", COLUMN_TEXT);
    doc_column(t, "calls", COLUMN_NUMBER);
    doc_column(t, "typical A", COLUMN_NUMBER);
    doc_column(t, "typical B", COLUMN_NUMBER);
    doc_column(t, "change", COLUMN_NUMBER);
    doc_column(t, "", COLUMN_NUMBER);
    doc_column(t, "noise", COLUMN_NUMBER);
    for (size_t i = 0; i < c->kernels.n && i < x->top; i++) {
        const struct compare_kernel *k = &c->kernels.v[i];
        doc_cell(t, "%s", k->title);
        if (k->calls_a == k->calls_b)
            doc_cell(t, "%llu", (unsigned long long)k->calls_a);
        else
            doc_cell(t, "%llu → %llu", (unsigned long long)k->calls_a,
                     (unsigned long long)k->calls_b);
        doc_cell(t, "%s", ns(x, k->typical_a_ns));
        doc_cell(t, "%s", ns(x, k->typical_b_ns));
        doc_cell(t, "%s", signed_ns(x, k->change_ns));
        doc_cell(t, "%s", signed_pct(x, k->change_pct));
        doc_cell(t, "%s",
                 isnan(k->noise_pct) ? "-" : arena_printf(x->d->arena, "%.1f %%", k->noise_pct));
    }
    for (size_t i = 0; i < c->notes.n && i < x->top; i++)
        doc_item(x->d, "%s", c->notes.v[i]);
}

static void ledger(struct ctx *x)
{
    const struct comparison *c = x->c;
    if (!c->ledger.n)
        return;
    doc_heading(x->d, 2, "Where the GPU time went");
    struct block *t =
        doc_table(x->d, fabs(c->steps - 1) > 0.01 ? "changes are per step of A" : NULL);
    doc_column(t, "cause", COLUMN_TEXT);
    doc_column(t, "A", COLUMN_NUMBER);
    doc_column(t, "B", COLUMN_NUMBER);
    doc_column(t, "change", COLUMN_NUMBER);
    doc_column(t, "", COLUMN_NUMBER);
    for (size_t i = 0; i < c->ledger.n; i++) {
        const struct compare_row *r = &c->ledger.v[i];
        doc_cell(t, "%s", r->label);
        doc_cell(t, "%s", ns(x, (double)r->a));
        doc_cell(t, "%s", ns(x, (double)r->b));
        doc_cell(t, "%s", signed_ns(x, r->change));
        doc_cell(t, "%s", signed_pct(x, r->change_pct));
    }
}

static void counts(struct ctx *x, const char *title, const struct compare_rows *rows, bool bytes)
{
    bool any = false;
    for (size_t i = 0; i < rows->n; i++)
        any |= rows->v[i].change != 0;
    if (!any)
        return;
    doc_heading(x->d, 2, "%s", title);
    struct block *t = doc_table(x->d, NULL);
    doc_column(t, bytes ? "direction" : "class", COLUMN_TEXT);
    doc_column(t, "A", COLUMN_NUMBER);
    doc_column(t, "B", COLUMN_NUMBER);
    doc_column(t, "", COLUMN_NUMBER);
    for (size_t i = 0; i < rows->n; i++) {
        char a[HUMAN_MAX], b[HUMAN_MAX];
        const struct compare_row *r = &rows->v[i];
        doc_cell(t, "%s", bytes ? r->label : r->key);
        doc_cell(t, "%s", bytes ? human_bytes(a, (uint64_t)r->a) : human_count(a, (uint64_t)r->a));
        doc_cell(t, "%s", bytes ? human_bytes(b, (uint64_t)r->b) : human_count(b, (uint64_t)r->b));
        doc_cell(t, "%s", signed_pct(x, r->change_pct));
    }
}

static void phases(struct ctx *x)
{
    const struct comparison *c = x->c;
    if (c->a->phases.n < 2 && c->b->phases.n < 2)
        return;
    doc_heading(x->d, 2, "Phases");
    struct block *t = doc_table(x->d, "lengths as recorded; mostly: what changed most in the GPU "
                                      "time of the phase");
    doc_column(t, "phase", COLUMN_TEXT);
    doc_column(t, "A", COLUMN_NUMBER);
    doc_column(t, "B", COLUMN_NUMBER);
    doc_column(t, "change", COLUMN_NUMBER);
    doc_column(t, "", COLUMN_NUMBER);
    doc_column(t, "mostly", COLUMN_TEXT);
    for (size_t i = 0; i < c->phases.n; i++) {
        const struct compare_phase *p = &c->phases.v[i];
        doc_cell(t, "%s", p->title);
        doc_cell(t, "%s", ns(x, p->duration_a_ns));
        doc_cell(t, "%s", ns(x, p->duration_b_ns));
        doc_cell(t, "%s", signed_ns(x, p->change_ns));
        doc_cell(t, "%s", signed_pct(x, p->change_pct));
        if (p->cause)
            doc_cell(t, "%s %s", p->cause, signed_ns(x, p->cause_change_ns));
        else
            doc_cell(t, "-");
    }
}

static void ranks(struct ctx *x)
{
    enum { MOST = 32 };
    const struct comparison *c = x->c;
    if (!c->ranks.n)
        return;
    size_t shown = c->ranks.n < MOST ? c->ranks.n : MOST;
    doc_heading(x->d, 2, "Ranks");
    struct block *t =
        doc_table(x->d, shown < c->ranks.n ? arena_printf(x->d->arena, "%zu of %zu; JSON has all",
                                                          shown, c->ranks.n)
                                           : "");
    static const char *const titles[] = {"rank",    "A",   "B",     "change", "",
                                         "compute", "MPI", "waits", "mostly"};
    for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++)
        doc_column(t, titles[i], i == 8 ? COLUMN_TEXT : COLUMN_NUMBER);
    for (size_t i = 0; i < shown; i++) {
        const struct compare_rank *r = &c->ranks.v[i];
        doc_cell(t, "%d", r->rank);
        doc_cell(t, "%s", ns(x, r->window_a_ns));
        doc_cell(t, "%s", ns(x, r->window_b_ns));
        doc_cell(t, "%s", signed_ns(x, r->change_ns));
        doc_cell(t, "%s", signed_pct(x, r->change_pct));
        doc_cell(t, "%s", signed_ns(x, r->compute_change_ns));
        doc_cell(t, "%s", signed_ns(x, r->mpi_change_ns));
        doc_cell(t, "%s", signed_ns(x, r->wait_change_ns));
        doc_cell(t, "%s", r->mostly ? r->mostly : r->host_a ? "gone" : "new");
    }
}

struct doc *compare_doc(const struct comparison *c, const struct gate *gate, size_t top,
                        struct arena *arena)
{
    struct ctx x = {c, doc_new(arena), top};
    verdict(&x);
    gate_section(&x, gate);
    causes(&x);
    kernels(&x);
    ledger(&x);
    phases(&x);
    ranks(&x);
    counts(&x, "Bytes copied", &c->copies, true);
    counts(&x, "Host calls", &c->api, false);
    return x.d;
}
