/* The names in formulas of panels.def: counters, facts of the GPU, of a dispatch, of all of them.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/str.h"
#include "workload/results_in.h"

const char *const workload_per_words[] = {"wave", "cycle", "second", "kernel", NULL};

enum workload_per workload_per_named(const char *word)
{
    for (int i = 0; word && workload_per_words[i]; i++)
        if (str_eq(word, workload_per_words[i]))
            return (enum workload_per)i;
    return PER_WAVE;
}

/* $denom as a formula. */
static const char *const denominators[] = {[PER_WAVE] = "SQ_WAVES",
                                           [PER_CYCLE] = "(GRBM_GUI_ACTIVE / $num_xcd)",
                                           [PER_SECOND] = "($dt_ns / 1e9)",
                                           [PER_KERNEL] = "1"};

/* Of an unknown architecture its counters decide. */
static bool is_newer(const struct workload *w)
{
    const struct workload_arch *a = workload_arch(w->system.arch);
    if (a)
        return str_eq(a->family, "MI300") || str_eq(a->family, "MI350");
    for (size_t i = 0; i < w->counters.n; i++)
        if (str_starts(w->counters.v[i].name, "TCC_EA0_"))
            return true;
    return false;
}

static double variable(const struct workload_report *r, const char *name)
{
    const struct workload_system *s = &r->w->system;
    static const struct workload_arch none;
    const struct workload_arch *a = workload_arch(s->arch);
    a = a ? a : &none;
    const struct {
        const char *name;
        double v;
    } all[] = {
        {"cu_per_gpu", s->cu},
        {"simd_per_cu", s->simd_per_cu},
        {"wave_size", s->wave_size},
        {"max_waves_per_cu", s->waves_per_cu},
        {"max_sclk", s->sclk_mhz},
        {"total_l2_chan", s->l2_channels},
        {"lds_banks_per_cu", s->lds_banks},
        {"sqc_per_gpu", s->sqc},
        {"num_xcd", s->xcd},
        {"hbm_bw", s->hbm_gbps},
        {"l1_line", a->l1_line},
        {"l2_request", a->l2_request},
        {"l2_clock", a->l2_clock},
        {"valu_f16", a->valu_f16},
        {"valu_f32", a->valu_f32},
        {"valu_f64", a->valu_f64},
        {"mfma_f6f4", a->mfma_f6f4},
        {"mfma_f8", a->mfma_f8},
        {"mfma_f16", a->mfma_f16},
        {"mfma_bf16", a->mfma_bf16},
        {"mfma_f32", a->mfma_f32},
        {"mfma_f64", a->mfma_f64},
        {"mfma_i8", a->mfma_i8},
    };
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        if (str_eq(all[i].name, name))
            return all[i].v > 0 ? all[i].v : NAN;
    return NAN;
}

static struct source find_variable(const struct workload_report *r, const char *name)
{
    static const struct {
        const char *name;
        size_t at;
    } of_dispatch[] = {
        {"dt_ns", offsetof(struct workload_dispatch, duration_ns)},
        {"grid", offsetof(struct workload_dispatch, grid)},
        {"group", offsetof(struct workload_dispatch, group)},
        {"lds", offsetof(struct workload_dispatch, lds)},
        {"scratch", offsetof(struct workload_dispatch, scratch)},
        {"vgpr", offsetof(struct workload_dispatch, vgpr)},
        {"agpr", offsetof(struct workload_dispatch, agpr)},
        {"sgpr", offsetof(struct workload_dispatch, sgpr)},
    };
    size_t n;
    const struct workload_fact *facts = workload_facts(&n);
    for (size_t i = 0; i < ARRAY_LEN(of_dispatch); i++)
        if (str_eq(of_dispatch[i].name, name))
            return (struct source){.kind = FROM_DISPATCH, .at = of_dispatch[i].at};
    for (size_t i = 0; i < n && i < FACTS_MAX; i++)
        if (str_eq(facts[i].name, name))
            return (struct source){.kind = FROM_FACT, .at = i};
    double v = variable(r, name);
    return (struct source){.kind = isnan(v) ? FROM_NOWHERE : FROM_NUMBER, .number = v};
}

static struct source find_counter(const struct workload_report *r, const struct formula_name *name,
                                  const char *level)
{
    /* spelt as in the file: the sum if one asks for it, otherwise the counter itself */
    const struct workload_counter *c = workload_counter(r->w, name->spelt, level);
    return (struct source){.kind = c ? FROM_COUNTER : FROM_NOWHERE, .counter = c};
}

void ready_make(struct ready *out, const struct workload_report *r, const char *text,
                const char *level)
{
    struct gs_error err = {0};
    const char *full = panels_formula(text, is_newer(r->w), denominators[r->per], r->arena);
    *out = (struct ready){0};
    if (!*full || !formula_parse(&out->formula, full, r->arena, &err))
        return; /* the rows of panels.def are right: a test reads them all */
    out->names = formula_names(out->formula, &out->n);
    out->sources = arena_array(r->arena, struct source, out->n);
    for (size_t i = 0; i < out->n; i++)
        out->sources[i] = out->names[i].is_variable
                              ? find_variable(r, out->names[i].text)
                              : find_counter(r, &out->names[i], *level ? level : NULL);
}

static double value_of(const struct ready *f, size_t name, const struct place *p)
{
    const struct source *s = &f->sources[name];
    switch (s->kind) {
    case FROM_COUNTER:
        return workload_value(s->counter, p->row, p->channel);
    case FROM_NUMBER:
        return s->number;
    case FROM_DISPATCH: {
        double v;
        memcpy(&v, (const char *)&p->w->dispatches.v[p->row] + s->at, sizeof(v));
        return v;
    }
    case FROM_FACT:
        return p->facts[s->at];
    default:
        return NAN;
    }
}

static bool lookup(void *ctx, const struct formula_name *name, double *value)
{
    const struct place *p = ctx;
    const struct ready *f = p->ready;
    /* A name that is asked for once more, with its suffix, is none of the formula's. */
    if (name < f->names || name >= f->names + f->n)
        return false;
    size_t i = (size_t)(name - f->names);
    /* "Not there" makes the evaluator look for other spellings, on every row. */
    if (f->sources[i].kind == FROM_NOWHERE) {
        *value = NAN;
        if (p->seen)
            p->seen[i] = NAN;
        return !p->ask;
    }
    *value = p->means ? p->means[i] : value_of(f, i, p);
    if (p->seen)
        p->seen[i] = *value;
    return !p->ask || f->sources[i].kind == FROM_COUNTER || !isnan(*value);
}

double ready_eval(const struct ready *f, const struct place *p)
{
    struct place at = *p;
    at.ready = f;
    struct formula_scope scope = {lookup, &at};
    return f->formula ? formula_eval(f->formula, &scope) : NAN;
}

struct formula_parts ready_parts(const struct ready *f, const struct place *p)
{
    struct place at = *p;
    at.ready = f;
    at.ask = true;
    struct formula_scope scope = {lookup, &at};
    return formula_parts(f->formula, &scope);
}
