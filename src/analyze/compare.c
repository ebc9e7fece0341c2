#include "analyze/compare.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compare_in.h"
#include "base/str.h"

#define SAME_PCT 1.0 /* of base_ns: a smaller change is none */

const char *compare_verdict_name(enum compare_verdict v)
{
    static const char *const names[] = {
        [COMPARE_FASTER] = "faster",
        [COMPARE_SLOWER] = "slower",
        [COMPARE_SAME] = "same",
        [COMPARE_NOT_COMPARABLE] = "not_comparable",
    };
    return names[v];
}

const char *compare_match_name(enum compare_match m)
{
    static const char *const names[] = {
        [MATCH_NAME] = "name", [MATCH_SHORT] = "short name", [MATCH_SIMILAR] = "similar",
        [MATCH_CALLS] = "calls", [MATCH_ROLE] = "role",      [MATCH_NEW] = "new",
        [MATCH_GONE] = "gone",
    };
    return names[m];
}

const char *compare_kind_name(enum compare_kind k)
{
    static const char *const names[] = {
        [CHANGE_KERNEL] = "kernel",   [CHANGE_CALLS] = "calls", [CHANGE_NEW] = "new_kernel",
        [CHANGE_GONE] = "gone_kernel", [CHANGE_OVERLAP] = "overlap", [CHANGE_COPY] = "copy",
        [CHANGE_COMM] = "communication", [CHANGE_IDLE] = "idle",
    };
    return names[k];
}

/* ---- what the parts call ---- */

static const char *printed(struct arena *a, const char *fmt, va_list ap)
{
    struct str s;
    str_init(&s, a);
    str_vprintf(&s, fmt, ap);
    return s.buf;
}

void compare_say(struct comparison *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = printed(c->arena, fmt, ap);
    va_end(ap);
    vec_push(&c->reasons, c->arena, text);
}

void compare_note(struct comparison *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = printed(c->arena, fmt, ap);
    va_end(ap);
    vec_push(&c->notes, c->arena, text);
}

void compare_add(struct comparison *c, enum compare_kind kind, double change, double noise,
                 bool counted, const char *what)
{
    if (fabs(change) < 1) {
        c->still_sq += counted ? noise * noise : 0;
        return;
    }
    struct compare_cause cause = {
        .what = what,
        .kind = compare_kind_name(kind),
        .sort = kind,
        .change_ns = (int64_t)change,
        .noise_ns = (int64_t)noise,
        .significant = fabs(change) > noise,
        .counted = counted,
    };
    vec_push(&c->causes, c->arena, cause);
}

/* ---- the verdict ---- */

/* Idle time that gives way to longer kernels is their shadow: of about equal ones work goes first. */
static double weight(const struct compare_cause *c)
{
    return fabs((double)c->change_ns) * (c->sort == CHANGE_IDLE ? 0.9 : 1);
}

static int by_weight(const void *left, const void *right)
{
    const struct compare_cause *x = left, *y = right;
    bool sx = x->significant && x->counted, sy = y->significant && y->counted;
    if (sx != sy)
        return sx ? -1 : 1;
    if (weight(x) != weight(y))
        return weight(x) > weight(y) ? -1 : 1;
    return strcmp(x->what, y->what);
}

static void sum_up(struct comparison *c)
{
    double change = 0, sure = 0, all = c->still_sq;
    for (size_t i = 0; i < c->causes.n; i++) {
        const struct compare_cause *k = &c->causes.v[i];
        double noise = (double)k->noise_ns * (double)k->noise_ns;
        if (!k->counted)
            continue;
        all += noise;
        if (!k->significant)
            continue;
        change += (double)k->change_ns;
        sure += noise;
    }
    c->change_ns = (int64_t)change;
    c->noise_ns = (int64_t)sqrt(sure > 0 || change != 0 ? sure : all);
    c->wall_change_pct = percent_of(change, (double)c->base_ns);
    c->noise_pct = percent_of((double)c->noise_ns, (double)c->base_ns);
    for (size_t i = 0; i < c->causes.n; i++)
        c->causes.v[i].change_pct = percent_of((double)c->causes.v[i].change_ns, (double)c->base_ns);
    if (c->causes.n)
        qsort(c->causes.v, c->causes.n, sizeof(*c->causes.v), by_weight);
    double a = (double)c->a->breakdown.window_ns, b = (double)c->b->breakdown.window_ns / c->steps;
    c->window_change_pct = a > 0 ? 100 * (b - a) / a : NAN;
}

static void judge(struct comparison *c)
{
    if (!c->comparable)
        c->verdict = COMPARE_NOT_COMPARABLE;
    else if (fabs(c->wall_change_pct) <= more_of(c->noise_pct, SAME_PCT))
        c->verdict = COMPARE_SAME;
    else
        c->verdict = c->change_ns < 0 ? COMPARE_FASTER : COMPARE_SLOWER;
}

static void write_headline(struct comparison *c)
{
    const struct compare_cause *first = c->causes.n ? &c->causes.v[0] : NULL;
    const char *per = fabs(c->steps - 1) > 0.01 ? " per step" : "";
    bool sure = first && first->significant && first->counted;
    if (c->verdict == COMPARE_NOT_COMPARABLE)
        c->headline = arena_printf(c->arena, "not comparable: %s",
                                   c->reasons.n ? c->reasons.v[0] : "no common work");
    else if (c->verdict == COMPARE_SAME && sure)
        c->headline = arena_printf(c->arena, "the same%s within %.1f %%; largest change: %s", per,
                                   more_of(c->noise_pct, SAME_PCT), first->what);
    else if (c->verdict == COMPARE_SAME)
        c->headline = arena_printf(c->arena, "the same%s: nothing changed by more than the noise (%.1f %%)",
                                   per, c->noise_pct);
    else
        c->headline = arena_printf(c->arena, "%.1f %% %s%s (noise %.1f %%); first cause: %s",
                                   fabs(c->wall_change_pct), compare_verdict_name(c->verdict), per,
                                   c->noise_pct, first->what);
}

void compare(struct comparison *c, const struct run_profile *a, const struct run_profile *b,
             struct arena *arena)
{
    *c = (struct comparison){.a = a, .b = b, .arena = arena, .steps = 1};
    c->cross_vendor = a->gpus.n && b->gpus.n && !str_eq(a->gpus.v[0].vendor, b->gpus.v[0].vendor);
    compare_match(c);
    compare_kernels(c);
    compare_check(c);
    compare_times(c);
    sum_up(c);
    judge(c);
    write_headline(c);
}

#define F(member, type, label, unit, doc)                                                          \
    FIELD(struct compare_kernel, member, type, label, unit, doc)
static const struct field kernel_fields[] = {
    F(name, FIELD_TEXT, "kernel", "", "of A, or a role; null: only in B"),
    F(name_b, FIELD_TEXT, "in B", "", "its partner; null: only in A"),
    F(role, FIELD_TEXT, "role", "", "what it does"),
    F(match, FIELD_TEXT, "match", "", "how they were paired: name, short name, similar, calls, role, new, gone"),
    F(calls_a, FIELD_U64, "calls A", "", "dispatches in A"),
    F(calls_b, FIELD_U64, "calls B", "", "dispatches in B"),
    F(total_a_ns, FIELD_I64, "total A", "ns", "sum of durations in A"),
    F(total_b_ns, FIELD_I64, "total B", "ns", "sum of durations in B"),
    F(median_a_ns, FIELD_NUM, "median A", "ns", "median duration in A"),
    F(median_b_ns, FIELD_NUM, "median B", "ns", "median duration in B"),
    F(typical_a_ns, FIELD_NUM, "typical A", "ns", "mean of the middle half of durations in A"),
    F(typical_b_ns, FIELD_NUM, "typical B", "ns", "mean of the middle half of durations in B"),
    F(change_ns, FIELD_I64, "change", "ns", "calls both have x (typical B - typical A), and calls that came or went"),
    F(change_pct, FIELD_NUM, "change", "%", "of A's calls x typical duration"),
    F(noise_ns, FIELD_I64, "noise", "ns", "smaller changes are not significant"),
    F(noise_pct, FIELD_NUM, "noise", "%", "the same, of A's time"),
    F(significant, FIELD_BOOL, "significant", "", "beyond noise and at least 0.5 %"),
    F(other_work, FIELD_BOOL, "other work", "", "work-items of a call differ by more than 1 %"),
    F(vgpr_a, FIELD_U32, "registers A", "", "vector and accumulation registers in A"),
    F(vgpr_b, FIELD_U32, "registers B", "", "vector and accumulation registers in B"),
    F(lds_a_bytes, FIELD_U32, "LDS A", "bytes", "LDS (shared memory) in A"),
    F(lds_b_bytes, FIELD_U32, "LDS B", "bytes", "LDS (shared memory) in B"),
    F(occupancy_a_pct, FIELD_NUM, "occupancy A", "%", "theoretical occupancy in A"),
    F(occupancy_b_pct, FIELD_NUM, "occupancy B", "%", "theoretical occupancy in B"),
    F(grid_a, FIELD_TEXT, "grid A", "", "work-items of the configuration with most time in A"),
    F(grid_b, FIELD_TEXT, "grid B", "", "work-items of the configuration with most time in B"),
};
#undef F

#define F(member, type, label, unit, doc)                                                          \
    FIELD(struct compare_cause, member, type, label, unit, doc)
static const struct field cause_fields[] = {
    F(what, FIELD_TEXT, "what", "", "what changed"),
    F(kind, FIELD_TEXT, "kind", "", "kernel, calls, new_kernel, gone_kernel, overlap, copy, communication, idle"),
    F(change_ns, FIELD_I64, "change", "ns", "of GPU time; negative is a gain"),
    F(change_pct, FIELD_NUM, "change", "%", "of base_ns"),
    F(noise_ns, FIELD_I64, "noise", "ns", "smaller changes are not significant"),
    F(significant, FIELD_BOOL, "significant", "", "beyond noise"),
    F(counted, FIELD_BOOL, "counted", "", "part of the verdict when significant"),
};
#undef F

#define F(member, type, label, unit, doc) FIELD(struct compare_row, member, type, label, unit, doc)
static const struct field row_fields[] = {
    F(key, FIELD_TEXT, "key", "", "what"),
    F(a, FIELD_I64, "A", "", "in A"),
    F(b, FIELD_I64, "B", "", "in B"),
    F(change, FIELD_I64, "change", "", "B per A's number of steps - A"),
    F(change_pct, FIELD_NUM, "change", "%", "of A"),
    F(noise, FIELD_I64, "noise", "", "smaller changes mean nothing; 0: not known"),
};
#undef F

const struct fields compare_kernel_fields =
    FIELDS("kernels", "Kernels of both runs.", struct compare_kernel, kernel_fields);
const struct fields compare_cause_fields =
    FIELDS("causes", "What changed, largest first.", struct compare_cause, cause_fields);
const struct fields compare_row_fields =
    FIELDS("rows", "A time or a count on both sides.", struct compare_row, row_fields);
