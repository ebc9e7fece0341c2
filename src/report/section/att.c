/* The thread trace: kernels instruction by instruction. */
#include <math.h>

#include "att/att.h"
#include "base/fs.h"
#include "base/human.h"
#include "base/sat.h"
#include "base/str.h"
#include "report/section.h"

enum { DETAILED = 5, LISTED_KERNELS = 3, LISTED_ROWS = 5000, NOTES = 10 };

static const char *cycles(struct arena *a, double v)
{
    return v >= 0 ? value_count(a, count_from(v)) : "-";
}

static void overview(const struct att *t, struct doc *d)
{
    size_t folders = 0;
    for (size_t i = 0; i < t->dispatches.n; i++)
        folders += t->dispatches.v[i].folder != NULL;
    doc_fact(d, "folder", "%s%s", t->dir,
             t->detected ? " (found beside the trace; --no-att leaves it out)" : "");
    doc_fact(d, "dispatches", "%zu traced, %zu of them decoded wave by wave", t->dispatches.n,
             folders);
    doc_fact(
        d, "what is counted",
        "waves of the traced compute unit; latency, stall and idle are cycles summed over hits");
    for (size_t i = 0; i < t->notes.n && i < NOTES; i++)
        doc_item(d, "%s", t->notes.v[i]);
    if (t->notes.n > NOTES)
        doc_item(d, "and %zu more notes, in the JSON", t->notes.n - NOTES);
}

/* ---- one kernel ---- */

static void totals(const struct att_kernel *k, struct doc *d)
{
    struct arena *a = d->arena;
    if (k->rank >= 0)
        doc_fact(d, "in the trace", "no. %d by time: %s call%s, %s, %s of the kernel time", k->rank,
                 value_count(a, k->calls), human_s(k->calls), value_ns(a, k->total_ns),
                 value_pct(a, k->pct_of_kernel_time));
    doc_fact(d, "totals", "%s hits, latency %s cycles, stall %s (%s of latency), idle %s",
             value_count(a, k->hits), value_count(a, k->latency), cycles(a, k->stall),
             value_pct(a, k->stall_pct), cycles(a, k->idle));
    if (!isnan(k->cycles_per_wave)) {
        bool timed = k->clock_mhz > 0 && k->cycles_per_wave < 1e15;
        doc_fact(d, "a wave", "%s cycles%s%s", cycles(a, k->cycles_per_wave), timed ? ", " : "",
                 timed ? value_ns(a, ns_from(k->cycles_per_wave / k->clock_mhz * 1000)) : "");
    }
    if (k->decoded_waves && !isnan(k->hidden_stall_pct))
        doc_fact(d, "hidden stall", "%s of the stall of %u decoded waves; %s cycles are exposed",
                 value_pct(a, k->hidden_stall_pct), k->decoded_waves, cycles(a, k->exposed_stall));
    else
        doc_fact(d, "hidden stall", "cannot be told: no wave is decoded (ui_output)");
    if (!isnan(k->mean_waves))
        doc_fact(d, "occupancy", "%.1f waves at once on the traced shader engines, at most %u",
                 k->mean_waves, k->most_waves);
}

static void findings(const struct att_kernel *k, struct doc *d)
{
    struct str s;
    str_init(&s, d->arena);
    for (size_t i = 0; i < k->states.n; i++)
        str_printf(&s, "%s%s %s", i ? ", " : "", att_state_words[k->states.v[i].state],
                   value_pct(d->arena, k->states.v[i].pct));
    if (k->states.n)
        doc_fact(d, "states of decoded waves", "%s", s.buf);
    for (size_t i = 0; i < k->findings.n; i++) {
        const struct att_finding *f = &k->findings.v[i];
        doc_item(d, "%s: %s. To try: %s.", f->title, f->text, f->advice);
    }
}

static void classes(const struct att_kernel *k, struct doc *d)
{
    struct block *b = doc_bars(d, "the time of waves (latency + idle), by what it goes to", NULL);
    for (size_t i = 0; i < k->classes.n; i++) {
        const struct att_class_row *r = &k->classes.v[i];
        if (r->pct_of_time >= 0.05 || i < 5)
            doc_bar(b, TONE_PLAIN, r->pct_of_time / 100, r->label, "%7s  %s cycles",
                    value_pct(d->arena, r->pct_of_time), cycles(d->arena, r->time));
    }
}

/* Five stretches of the fifty make a bar. */
static void over_time(const struct att_kernel *k, struct doc *d)
{
    enum { TOGETHER = 5 };
    if (!k->occupancy.n || !k->most_waves)
        return;
    doc_heading(d, 4, "Waves over time");
    struct block *b =
        doc_bars(d, "on the traced shader engines, by cycle of the shader clock", NULL);
    for (size_t i = 0; i + TOGETHER <= k->occupancy.n; i += TOGETHER) {
        double waves = 0;
        uint32_t started = 0;
        for (size_t n = i; n < i + TOGETHER; n++) {
            waves += k->occupancy.v[n].waves / TOGETHER;
            started += k->occupancy.v[n].started;
        }
        doc_bar(b, TONE_PLAIN, waves / k->most_waves,
                arena_printf(d->arena, "%llu", (unsigned long long)k->occupancy.v[i].start_cycle),
                "%5.1f waves, %u began", waves, started);
    }
}

static void hot(const struct subject *s, const struct att_kernel *k, size_t number, struct doc *d)
{
    size_t n = k->hot.n, said = 0;
    struct att_instruction *rows = arena_array(d->arena, struct att_instruction, n + 1);
    for (size_t i = 0; i < n; i++)
        rows[i] = k->instructions.v[k->hot.v[i]];
    doc_heading(d, 4, "Hot instructions");
    doc_rows(d, &(struct result){&att_instruction_fields, rows, n, false},
             &(struct rows){.key = arena_printf(d->arena, "att_hot_%zu", number),
                            .caption = arena_printf(d->arena,
                                                    "of %u that ran; cycles summed over hits, "
                                                    "share of the wave time",
                                                    k->instructions_executed),
                            .shown = "address text source hits stall idle pct_of_time "
                                     "stall_class",
                            .top = s->top});
    for (size_t i = 0; i < n && said < 5; i++) {
        if (!rows[i].cause)
            continue;
        doc_item(d, "0x%llx %s", (unsigned long long)rows[i].address, rows[i].cause);
        said++;
    }
}

/* All that ran; when there are many, those with a hundredth of the time or more. */
static void blocks(const struct subject *s, const struct att_kernel *k, size_t number,
                   struct doc *d)
{
    struct att_block *rows = arena_array(d->arena, struct att_block, k->blocks.n + 1);
    size_t ran = 0, n = 0;
    for (size_t i = 0; i < k->blocks.n; i++)
        ran += k->blocks.v[i].latency > 0;
    for (size_t i = 0; i < k->blocks.n; i++)
        if (k->blocks.v[i].latency && (ran <= s->top || k->blocks.v[i].pct_of_time >= 1))
            rows[n++] = k->blocks.v[i];
    doc_heading(d, 4, "Basic blocks");
    doc_rows(
        d, &(struct result){&att_block_fields, rows, n, false},
        &(struct rows){
            .key = arena_printf(d->arena, "att_blocks_%zu", number),
            .caption =
                n < ran ? arena_printf(d->arena, "those with 1 %% of the time or more, of %zu", ran)
                        : "stall share: of latency",
            .shown = "block first_address last_address hits stall_pct pct_of_time loop_depth "
                     "hottest",
            .top = 4 * s->top});
}

static const struct att_block *hottest_block(const struct att_kernel *k)
{
    const struct att_block *best = &k->blocks.v[0];
    for (size_t i = 1; i < k->blocks.n; i++)
        if (k->blocks.v[i].pct_of_time > best->pct_of_time)
            best = &k->blocks.v[i];
    return best;
}

/* Pages hold the whole code of the first kernels; elsewhere the hottest block stands for it. */
static void listing(const struct subject *s, const struct att_kernel *k, size_t number,
                    struct doc *d)
{
    if (s->listing == ATT_LIST_NONE || !k->blocks.n || !k->hits)
        return;
    const struct att_block *b = hottest_block(k);
    bool all = s->listing == ATT_LIST_ALL;
    size_t from = all ? 0 : b->first, to = all ? k->instructions.n : b->first + b->instructions;
    struct att_instruction *rows = arena_array(d->arena, struct att_instruction, to - from + 1);
    size_t n = 0;
    for (size_t i = from; i < to; i++)
        if (k->instructions.v[i].hits)
            rows[n++] = k->instructions.v[i];
    doc_heading(d, 4, "Annotated code");
    doc_rows(
        d, &(struct result){&att_instruction_fields, rows, n, false},
        &(struct rows){.key = arena_printf(d->arena, "att_instructions_%zu", number),
                       .caption = all ? "all that ran"
                                      : arena_printf(d->arena,
                                                     "block %u, the hottest, %s of the kernel; "
                                                     "--att-listing all shows all that ran",
                                                     b->block, value_pct(d->arena, b->pct_of_time)),
                       .shown = "address text source source_text hits stall_pct pct_of_time "
                                "cycles_per_hit feeders",
                       .most = LISTED_ROWS});
}

static void one_kernel(const struct subject *s, const struct att_kernel *k, size_t number,
                       struct doc *d)
{
    doc_heading(d, 3, "%s", k->short_name);
    totals(k, d);
    findings(k, d);
    classes(k, d);
    hot(s, k, number, d);
    blocks(s, k, number, d);
    over_time(k, d);
    listing(s, k, number, d);
}

static bool has(const struct subject *s)
{
    return s->att != NULL;
}

static void build(const struct subject *s, struct doc *d)
{
    const struct att *t = s->att;
    size_t ran = 0;
    while (ran < t->kernels.n && t->kernels.v[ran].hits)
        ran++;
    overview(t, d);
    if (!ran)
        doc_callout(d, TONE_WARN, "no instruction was hit: the traced compute unit ran none of it");
    doc_rows(d, &(struct result){&att_kernel_fields, t->kernels.v, ran, false},
             &(struct rows){.caption = "stall share: of latency; idle share: of the time of waves; "
                                       "hidden: stall under which another wave of the SIMD issued",
                            .shown = "short_name dispatches waves latency stall_pct idle_pct "
                                     "top_class hidden_stall_pct",
                            .top = s->top});
    for (size_t i = 0; i < ran && i < DETAILED && i < s->top; i++)
        one_kernel(s, &t->kernels.v[i], i, d);
}

const struct section section_att = {
    "thread-trace", "Thread trace", "Thread trace", IN(REPORT_ANALYSIS) | IN(REPORT_ATT), has,
    build};

struct doc *att_report(struct subject *s, const char *sections, struct arena *arena,
                       struct gs_error *err)
{
    struct doc *d = doc_new(arena);
    const struct att_kernel *k = s->att->kernels.n ? &s->att->kernels.v[0] : NULL;
    s->kind = REPORT_ATT;
    doc_title(d, "Thread trace of %s", fs_basename(s->att->dir));
    if (k && k->findings.n)
        doc_callout(d, TONE_WARN, "%s in %s", k->findings.v[0].title, k->short_name);
    return sections_build(d, s, sections, err) ? d : NULL;
}
