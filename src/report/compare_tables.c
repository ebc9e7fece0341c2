#include "report/compare_tables.h"

#include <math.h>

#include "base/human.h"
#include "config.h"
#include "report/compare_draw.h"
#include "report/explanation.h"

#define SIDES(what, unit)                                                                          \
    FIELD(struct compare_row, a, FIELD_I64, "A", unit, what " in A"),                              \
        FIELD(struct compare_row, b, FIELD_I64, "B", unit, what " in B"),                          \
        FIELD(struct compare_row, change, FIELD_I64, "change", unit,                               \
              "B per A's number of steps - A", AS_CHANGE),                                         \
        FIELD(struct compare_row, change_pct, FIELD_NUM, "of A", IN_PERCENT, "the same, of A",     \
              AS_CHANGE)

static const struct field ledger_v[] = {
    FIELD(struct compare_row, label, FIELD_TEXT, "cause", NO_UNIT, "what the GPU time went to"),
    SIDES("GPU time", IN_NS),
    FIELD(struct compare_row, noise, FIELD_I64, "noise", IN_NS,
          "smaller changes mean nothing; 0: not known"),
};
static const struct field copy_v[] = {
    FIELD(struct compare_row, label, FIELD_TEXT, "direction", NO_UNIT, "from where to where"),
    SIDES("bytes copied", IN_BYTES),
};
static const struct field api_v[] = {
    FIELD(struct compare_row, key, FIELD_TEXT, "kind", NO_UNIT, "what the calls do"),
    SIDES("calls", NO_UNIT),
};
static const struct field fact_v[] = {
    FIELD(struct compare_fact, what, FIELD_TEXT, "what", NO_UNIT, "a fact about the comparison"),
    FIELD(struct compare_fact, value, FIELD_TEXT, "value", NO_UNIT, "the fact"),
    FIELD(struct compare_fact, meaning, FIELD_TEXT, "meaning", NO_UNIT, "how to read it"),
};
static const struct field duration_v[] = {
    FIELD(struct compare_durations, kernel, FIELD_TEXT, "kernel", NO_UNIT, "name for tables"),
    FIELD(struct compare_durations, from_ns, FIELD_I64, "from", IN_NS, "shortest of these calls"),
    FIELD(struct compare_durations, to_ns, FIELD_I64, "to", IN_NS, "they are shorter than this"),
    FIELD(struct compare_durations, calls_a, FIELD_U64, "calls A", NO_UNIT,
          "calls of A in between"),
    FIELD(struct compare_durations, calls_b, FIELD_U64, "calls B", NO_UNIT,
          "calls of B in between"),
};

const struct fields compare_ledger_fields =
    FIELDS("ledger", "GPU time by cause, on both sides.", struct compare_row, ledger_v);
const struct fields compare_copy_fields =
    FIELDS("copies", "Bytes copied, on both sides.", struct compare_row, copy_v);
const struct fields compare_api_fields =
    FIELDS("api", "Host calls by what they do, on both sides.", struct compare_row, api_v);
const struct fields compare_fact_fields =
    FIELDS("verdict", "The verdict and what it rests on.", struct compare_fact, fact_v);
const struct fields compare_duration_fields =
    FIELDS("durations", "Calls by duration, of the kernels that changed most.",
           struct compare_durations, duration_v);

void compare_term_list(struct fields *out)
{
    static const struct {
        const char *key;
        const struct fields *fields;
    } tables[COMPARE_TABLES] = {{"compare", &compare_fields},
                                {"compare_causes", &compare_cause_fields},
                                {"compare_kernels", &compare_kernel_fields},
                                {"compare_phases", &compare_phase_fields},
                                {"compare_ranks", &compare_rank_fields},
                                {"compare_rows", &compare_row_fields}};
    for (size_t i = 0; i < COMPARE_TABLES; i++) {
        out[i] = *tables[i].fields;
        out[i].key = tables[i].key;
    }
}

struct facts {
    struct compare_tables *t;
    struct arena *arena;
};

static void say(struct facts *f, const char *what, const char *value, const char *meaning)
{
    vec_push(&f->t->facts, f->arena, ((struct compare_fact){what, value, meaning}));
}

static const char *ns(struct facts *f, int64_t v)
{
    char text[HUMAN_MAX];
    return arena_strdup(f->arena, human_time(text, v));
}

static void say_verdict(struct facts *f, const struct comparison *c)
{
    struct arena *a = f->arena;
    say(f, "verdict", compare_verdict_name(c->verdict), c->headline);
    say(f, "A", c->a->label, "the run before");
    say(f, "B", c->b->label, "the run after");
    say(f, "comparable", c->comparable ? "yes" : "no",
        arena_printf(a, "score %.2f of 1", c->score));
    if (c->comparable) {
        say(f, "change", arena_printf(a, "%+.2f %%", c->wall_change_pct),
            arena_printf(a, "%s of %s that can be compared; negative is a gain",
                         ns(f, c->change_ns), ns(f, c->base_ns)));
        say(f, "noise", arena_printf(a, "%.2f %%", c->noise_pct), "smaller changes mean nothing");
    }
    say(f, "wall", arena_printf(a, "%s → %s", ns(f, c->wall_a_ns), ns(f, c->wall_b_ns)),
        arena_printf(a, "the clock on the wall for the same work; noise %s",
                     ns(f, c->wall_noise_ns)));
    say(f, "window",
        arena_printf(a, "%s → %s", ns(f, c->a->breakdown.window_ns),
                     ns(f, c->b->breakdown.window_ns)),
        isnan(c->window_change_pct)
            ? "start-up and all"
            : arena_printf(a, "%+.1f %%, start-up and all", c->window_change_pct));
    if (fabs(c->steps - 1) > 0.01)
        say(f, "steps", arena_printf(a, "%.3g", c->steps),
            "B ran this many times as many steps; its figures are divided by it");
    for (size_t i = 0; i < c->reasons.n; i++)
        say(f, "comparability", c->reasons.v[i], "what differs, most important first");
    for (size_t i = 0; i < c->notes.n; i++)
        say(f, "note", c->notes.v[i], "resources, and what was assumed");
    say(f, "gpusight", GPUSIGHT_VERSION, "the program that wrote this");
}

static void add_durations(struct facts *f, const struct compare_kernel *k)
{
    struct compare_histogram h;
    if (!compare_histogram_make(&h, k))
        return;
    for (size_t i = 0; i < h.bins; i++) {
        struct compare_durations row = {k->title, h.limit[i], h.limit[i + 1], h.a[i], h.b[i]};
        vec_push(&f->t->durations, f->arena, row);
    }
}

static void compare_tables_make(struct compare_tables *t, const struct comparison *c,
                                struct arena *arena)
{
    *t = (struct compare_tables){0};
    struct facts f = {t, arena};
    say_verdict(&f, c);
    for (size_t i = 0; i < c->kernels.n && i < COMPARE_DETAILED; i++)
        add_durations(&f, &c->kernels.v[i]);
}

static void add_chart(struct sheet *s, enum sheet_chart chart, size_t label, size_t value)
{
    s->chart = chart;
    s->chart_label = label;
    s->chart_value = value;
    s->chart_rows = 15;
}

#define ADD(w, fields, rows)                                                                       \
    workbook_add(w, (fields).key, (fields).doc, &(fields), (rows).v, (rows).n)

void workbook_compare(struct workbook *w, const struct comparison *c, const struct gate *gate,
                      const struct explanation *e, struct arena *arena)
{
    struct compare_tables t;
    *w = (struct workbook){.arena = arena};
    compare_tables_make(&t, c, arena);
    ADD(w, compare_fact_fields, t.facts);
    add_chart(ADD(w, compare_cause_fields, c->causes), SHEET_BARS, 0, 2);
    add_chart(ADD(w, compare_ledger_fields, c->ledger), SHEET_BARS, 0, 3);
    ADD(w, compare_phase_fields, c->phases);
    if (c->ranks.n)
        ADD(w, compare_rank_fields, c->ranks);
    ADD(w, compare_kernel_fields, c->kernels);
    ADD(w, compare_copy_fields, c->copies);
    ADD(w, compare_api_fields, c->api);
    ADD(w, compare_duration_fields, t.durations);
    if (gate->conditions.n)
        workbook_add(w, "gate", gate_fields.doc, &gate_fields, gate->conditions.v,
                     gate->conditions.n);
    if (e && e->text)
        workbook_explanation(w, e);
}
