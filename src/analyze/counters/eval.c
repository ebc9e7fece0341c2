#include "analyze/counters/eval.h"

#include <math.h>
#include <string.h>

#include "base/str.h"

struct scope {
    const struct counter_facts *f;
    uint32_t passes; /* that may be asked */
    uint32_t found;  /* pass of the last name, as a bit */
    bool partial;    /* a name was not measured in all dispatches of its pass */
};

double counter_duration(const struct counter_facts *f, uint32_t passes)
{
    double sum = 0;
    int n = 0;
    for (size_t p = 0; p < f->join->n_passes; p++)
        if ((passes & f->passes) >> p & 1 && f->sums[p].dispatches) {
            sum += f->sums[p].dt_ns / (double)f->sums[p].dispatches;
            n++;
        }
    return n && sum > 0 ? sum / n : NAN;
}

double counter_spread_pct(const struct counter_facts *f, uint32_t passes)
{
    double least = INFINITY, most = 0;
    for (size_t p = 0; p < f->join->n_passes; p++)
        if ((passes & f->passes) >> p & 1 && f->sums[p].dispatches) {
            double dt = f->sums[p].dt_ns / (double)f->sums[p].dispatches;
            least = fmin(least, dt);
            most = fmax(most, dt);
        }
    return least > 0 && most > 0 ? 100 * (most / least - 1) : NAN;
}

static size_t find_counter(const struct counter_join *j, const char *name)
{
    size_t i = 0;
    while (i < j->n_counters && !str_eq(j->counters[i].name, name))
        i++;
    return i;
}

static bool ends_reduced(const char *name)
{
    return str_ends(name, "_sum") || str_ends(name, "_max") || str_ends(name, "_min") ||
           str_ends(name, "_avr");
}

/*
 * One row of a block that exists many times is the sum over its instances: some writers add them
 * up. Then a maximum is gone, but for clocks, which run alike in all XCDs.
 */
static bool reduce_cell(const struct scope *s, size_t counter, const struct join_cell *cell,
                        enum reduction how, double *value)
{
    const struct join_counter *c = &s->f->join->counters[counter];
    bool is_clock = str_starts(c->name, "GRBM_"), is_alone = c->instances == 1;
    if (ends_reduced(c->name))
        how = REDUCE_SUM;
    else if (is_alone && how != REDUCE_SUM && !is_clock && !counter_is_share(c->name))
        return false;
    *value = cell->sum[how] / cell->weight;
    if (is_alone && is_clock && how != REDUCE_SUM && s->f->device->xcd > 1)
        *value /= s->f->device->xcd;
    return true;
}

static bool counter_in(struct scope *s, size_t pass, const char *name, enum reduction how,
                       double *value)
{
    size_t counter = find_counter(s->f->join, name);
    if (counter == s->f->join->n_counters || !s->f->sums[pass].cells)
        return false;
    const struct join_cell *cell = &s->f->sums[pass].cells[counter];
    if (!(cell->weight > 0) || !reduce_cell(s, counter, cell, how, value))
        return false;
    const struct join_sum *sum = &s->f->sums[pass];
    double all = counter_is_share(name) ? sum->dt_ns : (double)sum->dispatches;
    s->partial |= cell->weight < all;
    s->found = UINT32_C(1) << pass;
    return true;
}

/* How many levels the accumulator of a pass might stand for. */
static int levels_in(const struct scope *s, size_t pass)
{
    const struct counter_join *j = s->f->join;
    const struct join_cell *cells = s->f->sums[pass].cells;
    int n = 0;
    for (size_t i = 0; i < j->n_counters && cells; i++)
        n += cells[i].weight > 0 && str_starts(j->counters[i].name, "SQ_") &&
             str_has(j->counters[i].name, "LEVEL") && !str_ends(j->counters[i].name, "_ACCUM");
    return n;
}

/* SQ_LEVEL_WAVES_ACCUM: the accumulator of the pass that has SQ_LEVEL_WAVES, and no other level. */
static bool accumulated_in(struct scope *s, size_t pass, const char *name, double *value)
{
    char level[FORMULA_NAME_BYTES];
    size_t n = strlen(name);
    double ignored;
    if (!str_ends(name, "_ACCUM") || n >= sizeof(level))
        return false;
    memcpy(level, name, n + 1);
    level[n - strlen("_ACCUM")] = 0;
    return levels_in(s, pass) == 1 && counter_in(s, pass, level, REDUCE_SUM, &ignored) &&
           counter_in(s, pass, "SQ_ACCUM_PREV_HIRES", REDUCE_SUM, value);
}

static bool lookup(void *ctx, const struct formula_name *name, double *value)
{
    struct scope *s = ctx;
    s->found = 0;
    if (name->is_variable && str_eq(name->text, "dt_ns")) {
        *value = counter_duration(s->f, s->passes);
        return !isnan(*value);
    }
    if (name->is_variable)
        return metric_device_variable(s->f->device, name->text, value);
    if (name->instance >= 0)
        return false;
    for (size_t p = 0; p < s->f->join->n_passes; p++)
        if ((s->passes & s->f->passes) >> p & 1 &&
            (counter_in(s, p, name->text, name->reduction, value) ||
             accumulated_in(s, p, name->text, value)))
            return true;
    return false;
}

/* The passes that the used names come from; and whether all of their dispatches have them. */
static uint32_t passes_of(struct scope *s, const struct formula *formula, uint64_t used)
{
    uint32_t passes = 0;
    size_t n;
    const struct formula_name *names = formula_names(formula, &n);
    s->partial = false;
    for (size_t i = 0; i < n; i++) {
        double ignored;
        if (used >> i & 1 &&
            formula_lookup(&(struct formula_scope){lookup, s}, &names[i], &ignored))
            passes |= s->found;
    }
    return passes;
}

const char *counter_pass_list(uint32_t passes, struct arena *arena)
{
    struct str s;
    str_init(&s, arena);
    for (int p = 0; p < 32; p++)
        if (passes >> p & 1)
            str_printf(&s, "%s%d", s.len ? "+" : "", p + 1);
    return s.buf;
}

static struct counter_value across(const struct counter_facts *f, const struct formula *formula)
{
    struct scope s = {f, f->passes, 0, false};
    struct formula_scope scope = {lookup, &s};
    struct formula_parts parts = formula_parts(formula, &scope);
    struct counter_value v = {.value = NAN, .missing = parts.missing};
    if (parts.missing)
        return v;
    v.passes = passes_of(&s, formula, parts.used);
    bool several = (v.passes & (v.passes - 1)) != 0;
    v.cross_pass = several || s.partial;
    double spread = counter_spread_pct(f, v.passes);
    if (several && !f->joined)
        v.refused = arena_printf(f->arena, "passes %s have no dispatch in common",
                                 counter_pass_list(v.passes, f->arena));
    else if (several && !(spread <= 100 * (PASS_SPREAD_MOST - 1)))
        v.refused = arena_printf(f->arena, "passes %s ran it for times that differ by %.0f %%",
                                 counter_pass_list(v.passes, f->arena), spread);
    s.passes = v.passes ? v.passes : f->passes;
    if (!v.refused)
        v.value = formula_eval(formula, &scope);
    return v;
}

struct counter_value counter_value_of(const struct counter_facts *f, const struct formula *formula)
{
    for (size_t p = 0; p < f->join->n_passes; p++) {
        struct scope s = {f, UINT32_C(1) << p, 0, false};
        struct formula_scope scope = {lookup, &s};
        struct formula_parts parts = formula_parts(formula, &scope);
        if (!(f->passes >> p & 1) || parts.missing)
            continue;
        passes_of(&s, formula, parts.used);
        return (struct counter_value){
            .value = formula_eval(formula, &scope), .passes = s.passes, .cross_pass = s.partial};
    }
    return across(f, formula);
}
