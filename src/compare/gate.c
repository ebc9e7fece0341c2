#include "compare/gate.h"

#include <assert.h>
#include <math.h>

#include "base/human.h"
#include "base/str.h"

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
        if (name && !(k->name && str_has(k->name, name)) &&
            !(k->name_b && str_has(k->name_b, name)))
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

static void measure_wall(struct value *v, const struct comparison *c)
{
    bool decided = c->verdict == COMPARE_FASTER || c->verdict == COMPARE_SLOWER;
    double wall = decided ? (double)c->change_ns : (double)c->wall_b_ns - (double)c->wall_a_ns;
    *v = (struct value){(double)c->wall_a_ns, (double)c->wall_a_ns + wall, wall,
                        (double)(decided ? c->noise_ns : c->wall_noise_ns), true};
}

static void add_causes(struct value *v, const struct comparison *c, enum cause first,
                       enum cause last)
{
    for (enum cause k = first; k <= last; k++)
        add_row(v, &c->ledger, cause_info(k)->key);
}

#define SET(member, per) set(&v, (double)c->a->member, (double)c->b->member, per)
static struct value measure(const struct comparison *c, const struct gate_condition *g)
{
    struct value v = {0};
    assert(c->a && c->b && (g->subject != GATE_KERNEL || g->kernel));
    switch (g->subject) {
    case GATE_CAUSE:
        add_row(&v, &c->ledger, g->metric);
        break;
    case GATE_WALL:
        measure_wall(&v, c);
        break;
    case GATE_WINDOW:
        SET(breakdown.window_ns, c->steps);
        break;
    case GATE_KERNEL_TIME:
    case GATE_KERNEL:
        kernels_of(&v, c, g->kernel);
        break;
    case GATE_BUSY:
        SET(breakdown.busy_ns, c->steps);
        break;
    case GATE_BUSY_PCT:
        SET(breakdown.busy_pct, 1);
        break;
    case GATE_IDLE:
        add_causes(&v, c, CAUSE_LAUNCH, CAUSE_HOST);
        break;
    case GATE_IDLE_PCT:
        SET(breakdown.idle_pct, 1);
        break;
    case GATE_COPY:
        add_causes(&v, c, CAUSE_COPY_H2D, CAUSE_COPY_SET);
        break;
    case GATE_COPY_BYTES:
        add_row(&v, &c->copies, NULL);
        break;
    case GATE_LAUNCHES:
        set(&v, calls_of(c->a), calls_of(c->b), c->steps);
        break;
    case GATE_LAUNCH_LATENCY:
        SET(launches.median_latency_ns, 1);
        break;
    case GATE_ALLOCATIONS:
        SET(allocations.allocations, c->steps);
        break;
    case GATE_PEAK_MEMORY:
        SET(allocations.peak_bytes, 1);
        break;
    }
    return v;
}
#undef SET

static bool beyond(const char *op, double value, double limit)
{
    return *op == '>' ? (op[1] ? value >= limit : value > limit)
                      : (op[1] ? value <= limit : value < limit);
}

static const char *show(struct arena *arena, enum unit unit, double v)
{
    char text[HUMAN_MAX];
    if (unit == IN_NS)
        return arena_strdup(arena, human_time(text, ns_from(v)));
    if (unit == IN_BYTES)
        return arena_strdup(arena, human_bytes(text, v > 0 ? (uint64_t)ns_from(v) : 0));
    return arena_printf(arena, unit == IN_PERCENT ? "%.1f %%" : "%.0f", v);
}

static void judge_change(struct gate_condition *g, const struct value *v, bool comparable,
                         struct arena *arena)
{
    if (!comparable) {
        g->failed = true;
        g->message =
            arena_printf(arena, "%s cannot be judged: the runs are not comparable", g->text);
        return;
    }
    double change = isnan(g->change_pct) ? INFINITY : g->change_pct;
    bool over = beyond(g->op, change, g->limit), noise = fabs(v->change) <= v->noise;
    g->failed = over && !noise;
    g->message =
        arena_printf(arena, "%s%s%s changed by %+.1f %% (%s to %s, noise %.1f %%), limit %s%g %%%s",
                     g->metric, g->kernel ? ":" : "", g->kernel ? g->kernel : "", g->change_pct,
                     show(arena, g->unit, v->a), show(arena, g->unit, v->b), g->noise_pct, g->op,
                     g->limit, over && noise ? ": within noise" : "");
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
            k->message =
                arena_printf(arena, "%s: neither run has a kernel '%s'", k->text, k->kernel);
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
    F(text, FIELD_TEXT, NO_UNIT, "the condition as given"),
    F(metric, FIELD_TEXT, NO_UNIT, "the metric"),
    F(failed, FIELD_BOOL, NO_UNIT, "the condition holds, so the gate fails"),
    F(a, FIELD_NUM, NO_UNIT, "value in A"),
    F(b, FIELD_NUM, NO_UNIT, "value in B"),
    F(change_pct, FIELD_NUM, IN_PERCENT, "change from A to B"),
    F(noise_pct, FIELD_NUM, IN_PERCENT, "smaller changes never fail"),
    F(message, FIELD_TEXT, NO_UNIT, "what was found"),
};
#undef F

const struct fields gate_fields =
    FIELDS("conditions", "Conditions of a gate.", struct gate_condition, fields);
