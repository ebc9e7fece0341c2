#include <math.h>

#include "base/fs.h"
#include "base/human.h"
#include "base/sat.h"
#include "base/str.h"
#include "report/att_report.h"

struct ctx {
    struct doc *d;
    const struct att *t;
    const struct att_doc_opts *o;
};

static const char *pct(struct ctx *c, double v)
{
    char text[HUMAN_MAX];
    return isnan(v) ? "-" : arena_strdup(c->d->arena, human_pct(text, v));
}

static const char *count(struct ctx *c, double v)
{
    char text[HUMAN_MAX];
    if (!(v >= 0))
        return "-";
    return arena_strdup(c->d->arena, human_count(text, count_from(v)));
}

static const char *hex(struct ctx *c, uint64_t v)
{
    return arena_printf(c->d->arena, "0x%llx", (unsigned long long)v);
}

static const char *per_hit(struct ctx *c, double v, uint64_t hits)
{
    return hits && !isnan(v) ? arena_printf(c->d->arena, "%.1f", v / (double)hits) : "-";
}

static void columns(struct block *b, const char *const *titles, size_t n, size_t texts)
{
    for (size_t i = 0; i < n; i++)
        doc_column(b, titles[i], i < texts ? COLUMN_KEEP : COLUMN_NUMBER);
}

/* ---- the folder ---- */

static void overview(struct ctx *c)
{
    const struct att *t = c->t;
    size_t folders = 0;
    for (size_t i = 0; i < t->dispatches.n; i++)
        folders += t->dispatches.v[i].folder != NULL;
    doc_fact(c->d, "folder", "%s%s", t->dir,
             t->detected ? " (found beside the trace; --no-att leaves it out)" : "");
    doc_fact(c->d, "dispatches", "%zu traced, %zu of them decoded wave by wave", t->dispatches.n,
             folders);
    doc_fact(
        c->d, "what is counted",
        "waves of the traced compute unit; latency, stall and idle are cycles summed over hits");
    for (size_t i = 0; i < t->notes.n && i < 10; i++)
        doc_item(c->d, "%s", t->notes.v[i]);
    if (t->notes.n > 10)
        doc_item(c->d, "and %zu more notes, in the JSON", t->notes.n - 10);
}

static void kernels(struct ctx *c, size_t shown)
{
    static const char *const titles[] = {"kernel", "dispatches", "waves",  "latency",
                                         "stall",  "idle",       "hidden", "mostly"};
    struct block *b = doc_table(
        c->d, "stall: of latency; idle: of the time of waves; hidden: stall under which another "
              "wave of the SIMD issued");
    for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++)
        doc_column(b, titles[i], i == 0 ? COLUMN_TEXT : i == 7 ? COLUMN_KEEP : COLUMN_NUMBER);
    for (size_t i = 0; i < shown; i++) {
        const struct att_kernel *k = &c->t->kernels.v[i];
        doc_cell(b, "%s", k->short_name);
        doc_cell(b, "%u", k->dispatches);
        doc_cell(b, "%s", count(c, (double)k->waves));
        doc_cell(b, "%s", count(c, (double)k->latency));
        doc_cell(b, "%s", pct(c, k->stall_pct));
        doc_cell(b, "%s", pct(c, k->idle_pct));
        doc_cell(b, "%s", pct(c, k->hidden_stall_pct));
        doc_cell(b, "%s", k->top_class ? k->top_class : "-");
    }
}

/* ---- one kernel ---- */

static void totals(struct ctx *c, const struct att_kernel *k)
{
    if (k->rank >= 0) {
        char ns[HUMAN_MAX];
        doc_fact(c->d, "in the trace", "no. %d by time: %s call%s, %s, %s of the kernel time",
                 k->rank, count(c, (double)k->calls), k->calls == 1 ? "" : "s",
                 human_time(ns, k->total_ns), pct(c, k->pct_of_kernel_time));
    }
    doc_fact(c->d, "totals", "%s hits, latency %s cycles, stall %s (%s of latency), idle %s",
             count(c, (double)k->hits), count(c, (double)k->latency), count(c, k->stall),
             pct(c, k->stall_pct), count(c, k->idle));
    if (!isnan(k->cycles_per_wave)) {
        char ns[HUMAN_MAX];
        bool timed = k->clock_mhz > 0 && k->cycles_per_wave < 1e15;
        doc_fact(c->d, "a wave", "%s cycles%s%s", count(c, k->cycles_per_wave), timed ? ", " : "",
                 timed ? human_time(ns, ns_from(k->cycles_per_wave / k->clock_mhz * 1000)) : "");
    }
    if (k->decoded_waves && !isnan(k->hidden_stall_pct))
        doc_fact(c->d, "hidden stall", "%s of the stall of %u decoded waves; %s cycles are exposed",
                 pct(c, k->hidden_stall_pct), k->decoded_waves, count(c, k->exposed_stall));
    else
        doc_fact(c->d, "hidden stall", "cannot be told: no wave is decoded (ui_output)");
    if (!isnan(k->mean_waves))
        doc_fact(c->d, "occupancy", "%.1f waves at once on the traced shader engines, at most %u",
                 k->mean_waves, k->most_waves);
}

static void findings(struct ctx *c, const struct att_kernel *k)
{
    for (size_t i = 0; i < k->findings.n; i++) {
        const struct att_finding *f = &k->findings.v[i];
        doc_item(c->d, "%s: %s. To try: %s.", f->title, f->text, f->advice);
    }
}

static void classes(struct ctx *c, const struct att_kernel *k)
{
    struct block *b = doc_bars(c->d, "the time of waves (latency + idle), by what it goes to");
    for (size_t i = 0; i < k->classes.n; i++) {
        const struct att_class_row *r = &k->classes.v[i];
        if (r->pct_of_time < 0.05 && i >= 5)
            continue;
        doc_bar(b, TONE_PLAIN, r->pct_of_time / 100, r->label, "%7s  %s cycles",
                pct(c, r->pct_of_time), count(c, r->time));
    }
}

static void states(struct ctx *c, const struct att_kernel *k)
{
    struct str s;
    if (!k->states.n)
        return;
    str_init(&s, c->d->arena);
    for (size_t i = 0; i < k->states.n; i++)
        str_printf(&s, "%s%s %s", i ? ", " : "", k->states.v[i].state, pct(c, k->states.v[i].pct));
    doc_fact(c->d, "states of decoded waves", "%s", s.buf);
}

/* Five stretches of the fifty make a bar. */
static void over_time(struct ctx *c, const struct att_kernel *k)
{
    enum { TOGETHER = 5 };
    if (!k->occupancy.n || !k->most_waves)
        return;
    doc_heading(c->d, 4, "Waves over time");
    struct block *b = doc_bars(c->d, "on the traced shader engines, by cycle of the shader clock");
    for (size_t i = 0; i + TOGETHER <= k->occupancy.n; i += TOGETHER) {
        double waves = 0;
        uint32_t started = 0;
        for (size_t n = i; n < i + TOGETHER; n++) {
            waves += k->occupancy.v[n].waves / TOGETHER;
            started += k->occupancy.v[n].started;
        }
        const char *label =
            arena_printf(c->d->arena, "%llu", (unsigned long long)k->occupancy.v[i].start_cycle);
        doc_bar(b, TONE_PLAIN, waves / k->most_waves, label, "%5.1f waves, %u began", waves,
                started);
    }
}

/* The cause in a few characters: the instruction it waits for stands in the same table. */
static const char *note(struct ctx *c, const struct att_kernel *k, const struct att_instruction *in)
{
    struct str s;
    str_init(&s, c->d->arena);
    if (in->fed_by.n) {
        const char *how = in->unit == UNIT_WAIT ? "waits for" : "behind";
        str_printf(&s, "%s %s", how, hex(c, k->instructions.v[in->fed_by.v[0]].address));
        if (in->fed_by.n > 1)
            str_printf(&s, " +%zu", in->fed_by.n - 1);
    }
    if (in->source)
        str_printf(&s, "%s%s", s.len ? "; " : "", in->source);
    if (in->source_text)
        str_printf(&s, ": %s", in->source_text);
    return s.buf;
}

static void hot(struct ctx *c, const struct att_kernel *k)
{
    static const char *const titles[] = {"address", "class", "hits", "latency",
                                         "stall",   "idle",  "share"};
    size_t n = k->hot.n < c->o->top ? k->hot.n : c->o->top;
    bool sources = false;
    doc_heading(c->d, 4, "Hot instructions");
    for (size_t i = 0; i < n; i++)
        sources |= k->instructions.v[k->hot.v[i]].source != NULL;
    struct block *b = doc_table(
        c->d, arena_printf(c->d->arena,
                           "%zu of %u that ran; cycles summed over hits, share of the wave time", n,
                           k->instructions_executed));
    columns(b, titles, sizeof(titles) / sizeof(*titles), 2);
    doc_column(b, "instruction", COLUMN_TEXT);
    if (sources)
        doc_column(b, "source", COLUMN_TEXT);
    for (size_t i = 0; i < n; i++) {
        const struct att_instruction *in = &k->instructions.v[k->hot.v[i]];
        doc_cell(b, "%s", hex(c, in->address));
        doc_cell(b, "%s",
                 in->idle > (double)in->latency && in->idle_class ? in->idle_class
                                                                  : in->stall_class);
        doc_cell(b, "%s", count(c, (double)in->hits));
        doc_cell(b, "%s", count(c, (double)in->latency));
        doc_cell(b, "%s", count(c, in->stall));
        doc_cell(b, "%s", count(c, in->idle));
        doc_cell(b, "%s", pct(c, in->pct_of_time));
        doc_cell(b, "%s", in->text);
        if (sources)
            doc_cell(b, "%s", in->source ? in->source : "-");
    }
    for (size_t i = 0, said = 0; i < n && said < 5; i++) {
        const struct att_instruction *in = &k->instructions.v[k->hot.v[i]];
        if (!in->cause)
            continue;
        doc_item(c->d, "%s %s", hex(c, in->address), in->cause);
        said++;
    }
}

static uint32_t hottest_block(const struct att_kernel *k)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < k->blocks.n; i++)
        if (k->blocks.v[i].pct_of_time > k->blocks.v[best].pct_of_time)
            best = i;
    return best;
}

static void blocks(struct ctx *c, const struct att_kernel *k)
{
    static const char *const titles[] = {"block", "from",  "to",    "loop",
                                         "hits",  "stall", "share", "instr."};
    size_t shown = 0, ran = 0;
    for (size_t i = 0; i < k->blocks.n; i++)
        ran += k->blocks.v[i].latency > 0;
    doc_heading(c->d, 4, "Basic blocks");
    struct block *b = doc_table(
        c->d, ran > c->o->top
                  ? arena_printf(c->d->arena, "those with 1 %% of the time or more, of %zu", ran)
                  : "stall: of latency");
    columns(b, titles, sizeof(titles) / sizeof(*titles), 4);
    doc_column(b, "hottest", COLUMN_TEXT);
    for (size_t i = 0; i < k->blocks.n && shown < 4 * c->o->top; i++) {
        const struct att_block *r = &k->blocks.v[i];
        if (!r->latency || (ran > c->o->top && !(r->pct_of_time >= 1)))
            continue;
        doc_cell(b, "%u", r->block);
        doc_cell(b, "%s", hex(c, r->first_address));
        doc_cell(b, "%s", hex(c, r->last_address));
        doc_cell(b, "%s",
                 r->loop_header ? arena_printf(c->d->arena, "%u deep", r->loop_depth) : "");
        doc_cell(b, "%s", count(c, (double)r->hits));
        doc_cell(b, "%s", pct(c, r->stall_pct));
        doc_cell(b, "%s", pct(c, r->pct_of_time));
        doc_cell(b, "%u", r->instructions);
        doc_cell(b, "%s", r->hottest ? r->hottest : "");
        shown++;
    }
}

/* More than anybody reads; each takes kilobytes in a page. */
enum { MOST_LISTED = 50000 };

static void list_instructions(struct ctx *c, const struct att_kernel *k, size_t from, size_t to,
                              const char *caption)
{
    static const char *const titles[] = {"address", "hits", "cycles", "stall", "idle", "share"};
    struct block *b = doc_table(c->d, caption);
    columns(b, titles, sizeof(titles) / sizeof(*titles), 1);
    doc_column(b, "instruction", COLUMN_TEXT);
    doc_column(b, "note", COLUMN_TEXT);
    size_t listed = 0;
    for (size_t i = from; i < to; i++) {
        const struct att_instruction *in = &k->instructions.v[i];
        if ((!in->hits && k->hits) || ++listed > MOST_LISTED)
            continue;
        doc_cell(b, "%s", hex(c, in->address));
        doc_cell(b, "%s", count(c, (double)in->hits));
        doc_cell(b, "%s", per_hit(c, (double)in->latency, in->hits));
        doc_cell(b, "%s", per_hit(c, in->stall, in->hits));
        doc_cell(b, "%s", per_hit(c, in->idle, in->hits));
        doc_cell(b, "%s", pct(c, in->pct_of_time));
        doc_cell(b, "%s", in->text);
        doc_cell(b, "%s", note(c, k, in));
    }
    if (listed > MOST_LISTED)
        doc_item(c->d, "%zu more are not listed; JSON has all", listed - MOST_LISTED);
}

static void listing(struct ctx *c, const struct att_kernel *k)
{
    if (c->o->listing == ATT_LIST_NONE || !k->blocks.n || !k->hits)
        return;
    doc_heading(c->d, 4, "Annotated code");
    if (c->o->listing == ATT_LIST_ALL) {
        list_instructions(c, k, 0, k->instructions.n,
                          "all that ran; cycles, stall and idle are per hit");
        return;
    }
    const struct att_block *b = &k->blocks.v[hottest_block(k)];
    list_instructions(c, k, b->first, b->first + b->instructions,
                      arena_printf(c->d->arena,
                                   "block %u, the hottest, %s of the kernel; cycles, stall and "
                                   "idle are per hit; --att-listing all shows all that ran",
                                   b->block, pct(c, b->pct_of_time)));
}

static void one_kernel(struct ctx *c, const struct att_kernel *k)
{
    doc_heading(c->d, 3, "%s", k->short_name);
    totals(c, k);
    states(c, k);
    findings(c, k);
    classes(c, k);
    hot(c, k);
    blocks(c, k);
    over_time(c, k);
    listing(c, k);
}

void att_section(struct doc *d, const struct att *t, const struct att_doc_opts *o)
{
    struct ctx c = {d, t, o};
    size_t ran = 0;
    enum { DETAILED = 5 };
    while (ran < t->kernels.n && t->kernels.v[ran].hits)
        ran++;
    doc_heading(d, 2, "Thread trace");
    overview(&c);
    if (!ran)
        doc_callout(d, TONE_WARN, "no instruction was hit: the traced compute unit ran none of it");
    else
        kernels(&c, ran < o->top ? ran : o->top);
    for (size_t i = 0; i < ran && i < DETAILED && i < o->top; i++)
        one_kernel(&c, &t->kernels.v[i]);
}

struct doc *att_doc(const struct att *t, const struct att_doc_opts *o, struct arena *arena)
{
    struct doc *d = doc_new(arena);
    const struct att_kernel *k = t->kernels.n ? &t->kernels.v[0] : NULL;
    doc_heading(d, 1, "Thread trace of %s", fs_basename(t->dir));
    if (k && k->findings.n)
        doc_callout(d, TONE_WARN, "%s in %s", k->findings.v[0].title, k->short_name);
    att_section(d, t, o);
    return d;
}
