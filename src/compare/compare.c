#include "compare/compare.h"

#include <math.h>

#include "base/str.h"
#include "compare/compare_in.h"

const char *const compare_verdict_names[] = {
    [COMPARE_FASTER] = "faster",
    [COMPARE_SLOWER] = "slower",
    [COMPARE_SAME] = "same",
    [COMPARE_NOT_COMPARABLE] = "not_comparable",
    NULL,
};

const char *compare_verdict_name(enum compare_verdict v)
{
    return compare_verdict_names[v];
}

const char *compare_match_name(enum compare_match m)
{
    static const char *const names[] = {
        [MATCH_NAME] = "name",   [MATCH_SHORT] = "short name", [MATCH_SIMILAR] = "similar",
        [MATCH_CALLS] = "calls", [MATCH_ROLE] = "role",        [MATCH_NEW] = "new",
        [MATCH_GONE] = "gone",
    };
    return names[m];
}

static const char *compare_kind_name(enum compare_kind k)
{
    static const char *const names[] = {
        [CHANGE_KERNEL] = "kernel",      [CHANGE_CALLS] = "calls",     [CHANGE_NEW] = "new_kernel",
        [CHANGE_GONE] = "gone_kernel",   [CHANGE_OVERLAP] = "overlap", [CHANGE_COPY] = "copy",
        [CHANGE_COMM] = "communication", [CHANGE_IDLE] = "idle",
    };
    return names[k];
}

/* ---- what the parts call ---- */

void compare_say(struct comparison *c, const char *fmt, ...)
{
    ARENA_FORMATTED(text, c->arena);
    vec_push(&c->reasons, c->arena, text);
}

void compare_note(struct comparison *c, const char *fmt, ...)
{
    ARENA_FORMATTED(text, c->arena);
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
        .change_ns = ns_from(change),
        .noise_ns = ns_from(noise),
        .significant = fabs(change) > noise,
        .counted = counted,
        .ledger = -1,
    };
    vec_push(&c->causes, c->arena, cause);
}

static bool other_vendor(const struct run_profile *a, const struct run_profile *b)
{
    if (!a->gpus.n || !b->gpus.n)
        return false;
    const struct profile_gpu *x = &a->gpus.v[0], *y = &b->gpus.v[0];
    return x->vendor != y->vendor && x->vendor != VENDOR_UNKNOWN && y->vendor != VENDOR_UNKNOWN &&
           !(x->name && y->name && *x->name && str_eq(x->name, y->name));
}

/* What the profiler took to start is left out of both clocks, or, where one does not say, of none. */
static const struct run_profile *alike(const struct run_profile *p, const struct run_profile *other,
                                       struct arena *arena)
{
    if (other->has_whole || !p->profiler_ns)
        return p;
    struct run_profile *without = arena_new(arena, struct run_profile);
    *without = *p;
    without->profiler_ns = 0;
    return without;
}

void compare(struct comparison *c, const struct run_profile *a, const struct run_profile *b,
             struct arena *arena)
{
    *c = (struct comparison){.a = a, .b = b, .arena = arena, .steps = 1};
    c->a = alike(a, b, arena);
    c->b = alike(b, a, arena);
    c->cross_vendor = other_vendor(a, b);
    compare_match(c);
    compare_kernels(c);
    compare_common(c);
    compare_check(c);
    compare_times(c);
    compare_phases(c);
    compare_ranks(c);
    compare_wall(c);
    compare_judge(c);
}
