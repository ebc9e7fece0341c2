#include "analyze/gate.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/opt.h"
#include "base/str.h"

static const struct gate_metric plain[] = {
    {"wall", "what the verdict is about: compute, exposed copies, communication, regular idle time",
     UNIT_TIME},
    {"window", "length of the window, as it is", UNIT_TIME},
    {"kernel_time", "summed durations of kernels", UNIT_TIME},
    {"busy", "time in which the GPUs run anything", UNIT_TIME},
    {"busy_pct", "the same in percent of window x GPUs", UNIT_PCT},
    {"idle", "idle time between pieces of work", UNIT_TIME},
    {"idle_pct", "all idle time in percent of window x GPUs", UNIT_PCT},
    {"copy", "exposed copies", UNIT_TIME},
    {"copy_bytes", "bytes copied", UNIT_BYTES},
    {"communication", "exposed communication", UNIT_TIME},
    {"launches", "number of kernels", UNIT_COUNT},
    {"launch_latency", "median time from a launch to its kernel", UNIT_TIME},
    {"allocations", "number of allocations", UNIT_COUNT},
    {"peak_memory", "most device memory held at once", UNIT_BYTES},
    {"kernel", "kernel:NAME: kernels whose name has NAME in it", UNIT_TIME},
};
enum { PLAIN = sizeof(plain) / sizeof(*plain) };

const struct gate_metric *gate_metrics(struct arena *arena)
{
    struct gate_metric *all = arena_array(arena, struct gate_metric, PLAIN + CAUSES + 1);
    size_t n = PLAIN;
    memcpy(all, plain, sizeof(plain));
    for (enum cause c = 0; c < CAUSES; c++)
        if (!str_eq(cause_info(c)->key, "communication"))
            all[n++] = (struct gate_metric){cause_info(c)->key, cause_info(c)->doc, UNIT_TIME};
    return all;
}

/* ---- reading ---- */

static bool unknown_metric(const char *word, const struct gate_metric *all, struct arena *arena,
                           struct gs_error *err)
{
    VEC(const char *) words = {0};
    for (; all->key; all++)
        vec_push(&words, arena, all->key);
    vec_push(&words, arena, NULL);
    const char *near = opt_nearest(word, words.v);
    if (near)
        return fail(err, GS_E_USAGE, "unknown metric '%s' in '--fail-on'; did you mean '%s'?", word, near);
    return fail(err, GS_E_USAGE, "unknown metric '%s' in '--fail-on'; 'gpusight compare --help' lists them",
                word);
}

struct unit {
    const char *word;
    enum gate_unit kind;
    double factor;
};

static const struct unit units[] = {
    {"ns", UNIT_TIME, 1},      {"us", UNIT_TIME, 1e3},     {"ms", UNIT_TIME, 1e6},
    {"s", UNIT_TIME, 1e9},     {"B", UNIT_BYTES, 1},       {"kB", UNIT_BYTES, 1e3},
    {"MB", UNIT_BYTES, 1e6},   {"GB", UNIT_BYTES, 1e9},    {"KiB", UNIT_BYTES, 1024},
    {"MiB", UNIT_BYTES, 1048576}, {"GiB", UNIT_BYTES, 1073741824},
};

static bool read_limit(struct gate_condition *c, const char *p, struct gs_error *err)
{
    char *end;
    while (*p == ' ')
        p++;
    c->limit = strtod(p, &end);
    if (end == p || !isfinite(c->limit))
        return fail(err, GS_E_USAGE, "'%s' has no number; write it like 'wall>5%%'", c->text);
    while (*end == ' ')
        end++;
    size_t n = strlen(end);
    while (n && end[n - 1] == ' ')
        n--;
    if (n == 1 && *end == '%') {
        c->relative = c->unit != UNIT_PCT;
        return true;
    }
    for (size_t i = 0; n && i < sizeof(units) / sizeof(*units); i++)
        if (strlen(units[i].word) == n && !strncmp(units[i].word, end, n) && units[i].kind == c->unit) {
            c->limit *= units[i].factor;
            return true;
        }
    if (n)
        return fail(err, GS_E_USAGE, "unit '%.*s' in '%s' does not fit '%s'", (int)n, end, c->text, c->metric);
    return true;
}

static bool read_condition(struct gate_condition *c, struct arena *arena, struct gs_error *err)
{
    const struct gate_metric *all = gate_metrics(arena);
    /* Names of kernels may hold '<' and '>': the last one that a number follows divides. */
    const char *at = NULL;
    for (const char *p = c->text; *p; p++) {
        const char *after = p + 1 + (p[1] == '=');
        while (*after == ' ')
            after++;
        if ((*p == '<' || *p == '>') && (isdigit((unsigned char)*after) || *after == '-' || *after == '.'))
            at = p;
    }
    if (!at)
        return fail(err, GS_E_USAGE, "'%s' is no condition; write it like 'wall>5%%'", c->text);
    size_t n = (size_t)(at - c->text);
    while (n && c->text[n - 1] == ' ')
        n--;
    c->metric = arena_strndup(arena, c->text, n);
    if (str_starts(c->metric, "kernel:")) {
        c->kernel = c->metric + strlen("kernel:");
        c->metric = "kernel";
        if (!*c->kernel)
            return fail(err, GS_E_USAGE, "'%s' names no kernel", c->text);
    } else if (str_eq(c->metric, "kernel")) {
        return fail(err, GS_E_USAGE, "'%s' names no kernel; write it like 'kernel:NAME>5%%'", c->text);
    }
    while (all->key && !str_eq(all->key, c->metric))
        all++;
    if (!all->key)
        return unknown_metric(c->metric, gate_metrics(arena), arena, err);
    c->unit = all->unit;
    bool equal = at[1] == '=';
    c->op = *at == '>' ? (equal ? ">=" : ">") : (equal ? "<=" : "<");
    return read_limit(c, at + 1 + equal, err);
}

bool gate_parse(struct gate *g, const char *text, struct arena *arena, struct gs_error *err)
{
    const char *p = text;
    do {
        size_t depth = 0, n = 0; /* commas inside of template arguments divide nothing */
        while (p[n] && (p[n] != ',' || depth)) {
            if (p[n] == '<' && !isdigit((unsigned char)p[n + 1]) && p[n + 1] != '=' && p[n + 1] != '-')
                depth++;
            if (p[n] == '>' && depth)
                depth--;
            n++;
        }
        struct gate_condition c = {.op = ">"};
        const char *start = p;
        p += n + (p[n] == ',');
        for (; n && *start == ' '; n--)
            start++;
        c.text = arena_strndup(arena, start, n);
        if (!read_condition(&c, arena, err))
            return false;
        vec_push(&g->conditions, arena, c);
    } while (*p);
    return true;
}

/* ---- judging ---- */

struct value {
    double a, b, change, noise; /* change and noise: of B per A's steps */
    bool known;
};

static void add_row(struct value *v, const struct compare_rows *rows, const char *key)
{
    for (size_t i = 0; i < rows->n; i++) {
        const struct compare_row *r = &rows->v[i];
        if (key && !str_eq(r->key, key))
            continue;
        v->a += (double)r->a;
        v->b += (double)r->b;
        v->change += (double)r->change;
        v->noise = sqrt(v->noise * v->noise + (double)r->noise * (double)r->noise);
    }
    v->known = true;
}

static void set(struct value *v, double a, double b, double steps)
{
    *v = (struct value){a, b, b / steps - a, v->noise, true};
}

static void kernels_of(struct value *v, const struct comparison *c, const char *name)
{
    double squares = 0;
    for (size_t i = 0; i < c->kernels.n; i++) {
        const struct compare_kernel *k = &c->kernels.v[i];
        if (name && !(k->name && str_has(k->name, name)) && !(k->name_b && str_has(k->name_b, name)))
            continue;
        v->known = true;
        v->a += (double)k->total_a_ns;
        v->b += (double)k->total_b_ns;
        v->change += (double)k->change_ns;
        squares += (double)k->noise_ns * (double)k->noise_ns;
    }
    v->noise = sqrt(squares);
}

static double calls_of(const struct run_profile *p)
{
    double n = 0;
    for (size_t i = 0; i < p->kernels.n; i++)
        n += (double)p->kernels.v[i].calls;
    return n;
}

static void measure_times(struct value *v, const struct comparison *c, const char *m)
{
    const struct run_profile *a = c->a, *b = c->b;
    if (str_eq(m, "wall"))
        *v = (struct value){(double)c->base_ns, (double)(c->base_ns + c->change_ns),
                            (double)c->change_ns, (double)c->noise_ns, true};
    else if (str_eq(m, "window"))
        set(v, (double)a->breakdown.window_ns, (double)b->breakdown.window_ns, c->steps);
    else if (str_eq(m, "busy"))
        set(v, (double)a->breakdown.busy_ns, (double)b->breakdown.busy_ns, c->steps);
    else if (str_eq(m, "launch_latency"))
        set(v, (double)a->launches.median_latency_ns, (double)b->launches.median_latency_ns, 1);
    else if (str_eq(m, "idle"))
        for (enum cause k = CAUSE_LAUNCH; k <= CAUSE_HOST; k++)
            add_row(v, &c->ledger, cause_info(k)->key);
    else if (str_eq(m, "copy"))
        for (enum cause k = CAUSE_COPY_H2D; k <= CAUSE_COPY_SET; k++)
            add_row(v, &c->ledger, cause_info(k)->key);
    else
        add_row(v, &c->ledger, m);
}

static struct value measure(const struct comparison *c, const struct gate_condition *g)
{
    const struct run_profile *a = c->a, *b = c->b;
    struct value v = {0};
    if (str_eq(g->metric, "kernel") || str_eq(g->metric, "kernel_time"))
        kernels_of(&v, c, g->kernel);
    else if (str_eq(g->metric, "busy_pct"))
        set(&v, a->breakdown.busy_pct, b->breakdown.busy_pct, 1);
    else if (str_eq(g->metric, "idle_pct"))
        set(&v, a->breakdown.idle_pct, b->breakdown.idle_pct, 1);
    else if (str_eq(g->metric, "copy_bytes"))
        add_row(&v, &c->copies, NULL);
    else if (str_eq(g->metric, "launches"))
        set(&v, calls_of(a), calls_of(b), c->steps);
    else if (str_eq(g->metric, "allocations"))
        set(&v, (double)a->allocations.allocations, (double)b->allocations.allocations, c->steps);
    else if (str_eq(g->metric, "peak_memory"))
        set(&v, (double)a->allocations.peak_bytes, (double)b->allocations.peak_bytes, 1);
    else
        measure_times(&v, c, g->metric);
    return v;
}

static bool beyond(const char *op, double value, double limit)
{
    return *op == '>' ? (op[1] ? value >= limit : value > limit)
                      : (op[1] ? value <= limit : value < limit);
}

static const char *show(struct arena *arena, enum gate_unit unit, double v)
{
    char text[HUMAN_MAX];
    if (unit == UNIT_TIME)
        return arena_strdup(arena, human_time(text, (int64_t)v));
    if (unit == UNIT_BYTES)
        return arena_strdup(arena, human_bytes(text, v > 0 ? (uint64_t)v : 0));
    return arena_printf(arena, unit == UNIT_PCT ? "%.1f %%" : "%.0f", v);
}

static void judge_change(struct gate_condition *g, const struct value *v, bool comparable,
                         struct arena *arena)
{
    if (!comparable) {
        g->failed = true;
        g->message = arena_printf(arena, "%s cannot be judged: the runs are not comparable", g->text);
        return;
    }
    double change = isnan(g->change_pct) ? INFINITY : g->change_pct;
    bool over = beyond(g->op, change, g->limit), noise = fabs(v->change) <= v->noise;
    g->failed = over && !noise;
    g->message = arena_printf(
        arena, "%s%s%s changed by %+.1f %% (%s to %s, noise %.1f %%), limit %s%g %%%s", g->metric,
        g->kernel ? ":" : "", g->kernel ? g->kernel : "", g->change_pct, show(arena, g->unit, v->a),
        show(arena, g->unit, v->b), g->noise_pct, g->op, g->limit, over && noise ? ": within noise" : "");
}

static void judge_value(struct gate_condition *g, const struct value *v, struct arena *arena)
{
    g->failed = beyond(g->op, v->b, g->limit);
    g->message = arena_printf(arena, "%s%s%s is %s, limit %s%s", g->metric, g->kernel ? ":" : "",
                              g->kernel ? g->kernel : "", show(arena, g->unit, v->b), g->op,
                              show(arena, g->unit, g->limit));
}

void gate_run(struct gate *g, const struct comparison *c, struct arena *arena)
{
    g->failed = 0;
    for (size_t i = 0; i < g->conditions.n; i++) {
        struct gate_condition *k = &g->conditions.v[i];
        struct value v = measure(c, k);
        k->known = v.known;
        k->a = v.a;
        k->b = v.b;
        /* Of kernels only the calls both runs have are in `change`: its whole is theirs, too. */
        k->change_pct = v.a > 0 ? 100 * v.change / v.a : v.change > 0 ? NAN : 0;
        k->noise_pct = v.a > 0 ? 100 * v.noise / v.a : 0;
        if (!v.known) {
            k->failed = true;
            k->message = arena_printf(arena, "%s: neither run has a kernel '%s'", k->text, k->kernel);
        } else if (k->relative) {
            judge_change(k, &v, c->comparable, arena);
        } else {
            judge_value(k, &v, arena);
        }
        g->failed += k->failed;
    }
}

#define F(member, type, unit, doc) FIELD(struct gate_condition, member, type, #member, unit, doc)
static const struct field fields[] = {
    F(text, FIELD_TEXT, "", "the condition as given"),
    F(metric, FIELD_TEXT, "", "the metric"),
    F(failed, FIELD_BOOL, "", "the condition holds, so the gate fails"),
    F(a, FIELD_NUM, "", "value in A"),
    F(b, FIELD_NUM, "", "value in B"),
    F(change_pct, FIELD_NUM, "%", "change from A to B"),
    F(noise_pct, FIELD_NUM, "%", "smaller changes never fail"),
    F(message, FIELD_TEXT, "", "what was found"),
};
#undef F

const struct fields gate_fields =
    FIELDS("conditions", "Conditions of a gate.", struct gate_condition, fields);
