/*
 * Counters of AMD GPUs: which ones goals read that no trace holds yet, in passes.
 */
#include "base/str.h"
#include "plan/amd.h"

struct wanted {
    VEC(struct pack_counter) counters;
    VEC(struct pack_group) groups;
};

static bool usable(const struct ratio *r, unsigned family)
{
    struct pack_counter c;
    for (size_t i = 0; i < RATIO_MOST && r->counters[i]; i++)
        if (!counter_find(&c, r->counters[i], family))
            return false;
    return true;
}

static size_t counter_index(struct wanted *w, const char *name, unsigned family, struct arena *a)
{
    struct pack_counter c;
    for (size_t i = 0; i < w->counters.n; i++)
        if (str_eq(w->counters.v[i].name, name))
            return i;
    counter_find(&c, name, family);
    vec_push(&w->counters, a, c);
    return w->counters.n - 1;
}

static void want(struct planner *pl, struct wanted *w, const struct ratio *r)
{
    VEC(size_t) members = {0};
    for (size_t i = 0; i < RATIO_MOST && r->counters[i]; i++)
        if (!plan_counter_collected(pl->t, pl->counter_values, r->counters[i]))
            vec_push(&members, pl->arena, counter_index(w, r->counters[i], pl->family, pl->arena));
    if (members.n)
        vec_push(&w->groups, pl->arena, ((struct pack_group){members.v, members.n}));
}

/* The counters that the goals read; returns the goals that have none on this GPU. */
static unsigned find_wanted(struct planner *pl, struct wanted *w)
{
    unsigned served = 0, asked = 0;
    for (size_t i = 0; i < GOALS; i++)
        if (plan_goals[i].counters)
            asked |= pl->p->goals & (1u << i);
    for (size_t i = 0; i < n_plan_ratios; i++) {
        if (!(plan_ratios[i].goals & asked) || !usable(&plan_ratios[i], pl->family))
            continue;
        served |= plan_ratios[i].goals;
        if (!*plan_ratios[i].instead ||
            !plan_counter_collected(pl->t, pl->counter_values, plan_ratios[i].instead))
            want(pl, w, &plan_ratios[i]);
    }
    return asked & ~served;
}

static bool in_pass(const struct pass *p, const char *name)
{
    for (size_t i = 0; i < p->counters.n; i++)
        if (str_eq(p->counters.v[i], name))
            return true;
    return false;
}

static void answer(struct capture *c, const char *text, struct arena *a)
{
    for (size_t i = 0; i < c->answers.n; i++)
        if (str_eq(c->answers.v[i], text))
            return;
    vec_push(&c->answers, a, text);
}

/* The first pass that holds all counters of the ratio; passes->n: none does. */
static size_t whole_in(const struct ratio *r, const struct passes *passes)
{
    size_t p = 0;
    for (; p < passes->n; p++) {
        size_t i = 0;
        while (i < RATIO_MOST && r->counters[i] && in_pass(&passes->v[p], r->counters[i]))
            i++;
        if (i == RATIO_MOST || !r->counters[i])
            break;
    }
    return p;
}

static bool touches(const struct ratio *r, const struct pass *p)
{
    for (size_t i = 0; i < RATIO_MOST && r->counters[i]; i++)
        if (in_pass(p, r->counters[i]))
            return true;
    return false;
}

/* Ratios that pass `at` answers: alone and first, or with others where none does alone. */
static void tell_pass(struct planner *pl, struct capture *c, const struct passes *passes, size_t at)
{
    for (size_t r = 0; r < n_plan_ratios; r++) {
        if (!(plan_ratios[r].goals & pl->p->goals) || !usable(&plan_ratios[r], pl->family))
            continue;
        size_t whole = whole_in(&plan_ratios[r], passes);
        if (whole != at && (whole < passes->n || !touches(&plan_ratios[r], &passes->v[at])))
            continue;
        c->goals |= plan_ratios[r].goals & pl->p->goals;
        answer(c, plan_ratios[r].answers, pl->arena);
    }
}

static void filter_options(struct planner *pl, struct capture *c)
{
    const struct kernel_filter *f = &pl->filter;
    if (f->regex)
        tool_command_value(&c->command, "--kernel-include-regex", f->regex);
    if (f->first)
        tool_command_value(&c->command, "--kernel-iteration-range",
                           arena_printf(pl->arena, "[%llu-%llu]", (unsigned long long)f->first,
                                        (unsigned long long)f->last));
}

static void counter_pass(struct planner *pl, const struct passes *passes, size_t i)
{
    const struct pass *pass = &passes->v[i];
    size_t n = passes->n;
    struct capture *c = plan_capture(pl, PROFILER_ROCPROFV3, 0);
    c->title = n > 1 ? arena_printf(pl->arena, "counters, pass %zu of %zu", i + 1, n) : "counters";
    vec_push(&c->passes, pl->arena, *pass);
    tell_pass(pl, c, passes, i);
    tool_command_values(&c->command, "--pmc", pass->counters.v, pass->counters.n);
    filter_options(pl, c);
    amd_output(pl, c, "rocpd", arena_printf(pl->arena, "counters-%zu", i + 1));
    estimate_counters(pl, c);
    plan_capture_done(pl, c);
}

/* Runs that rocprof-compute's full set takes, counted in workloads of each GPU. */
static uint64_t compute_runs(unsigned family)
{
    return family == GFX908 ? 17 : family == GFX90A ? 19 : 18;
}

static void compute_capture(struct planner *pl, unsigned goals_served)
{
    struct launch_form all = pl->p->form;
    if (all.launcher.n && all.rank < 0) {
        pl->p->form.rank = 0;
        plan_note(pl, "rocprof-compute runs on rank 0 only: it writes one workload");
    }
    struct capture *c = plan_capture(pl, PROFILER_ROCPROF_COMPUTE, goals_served);
    c->title = "all counters of rocprof-compute";
    tool_command_value(&c->command, "--name", "gpusight");
    tool_command_value(&c->command, "--path", arena_printf(pl->arena, "%s/compute", pl->q->out));
    if (pl->filter.pieces.n)
        tool_command_values(&c->command, "--kernel", pl->filter.pieces.v, pl->filter.pieces.n);
    c->runs = compute_runs(pl->family);
    c->runs_exact = false;
    plan_answers(pl, c);
    estimate_counters(pl, c);
    plan_capture_done(pl, c);
    pl->p->form = all;
}

static void note_unserved(struct planner *pl, unsigned unserved)
{
    struct pack_counter c;
    for (size_t i = 0; i < GOALS; i++)
        if (unserved & (1u << i))
            plan_note(pl, "no counters are known for goal %s on %s%s", plan_goals[i].name,
                      *pl->p->arch ? pl->p->arch : "this GPU",
                      pl->q->gpu ? "" : "; --gpu may name a relative");
    pl->p->open |= unserved;
    if ((pl->p->goals & ~unserved & ON(roofline)) &&
        !counter_find(&c, "SQ_INSTS_VALU_FMA_F32", pl->family)) {
        plan_note(pl, "%s does not count floating-point operations: roofline shows traffic only",
                  pl->p->arch);
        pl->p->open |= ON(roofline);
    }
}

/* A ratio of numbers from different runs is to be read with care: say which are. */
static void note_split(struct planner *pl, const struct passes *passes)
{
    struct str s;
    str_init(&s, pl->arena);
    for (size_t r = 0; r < n_plan_ratios; r++) {
        const struct ratio *x = &plan_ratios[r];
        bool missing = false;
        if (!(x->goals & pl->p->goals) || !usable(x, pl->family) ||
            (*x->instead && plan_counter_collected(pl->t, pl->counter_values, x->instead)))
            continue;
        for (size_t i = 0; i < RATIO_MOST && x->counters[i]; i++)
            missing |= !plan_counter_collected(pl->t, pl->counter_values, x->counters[i]);
        if (missing && whole_in(x, passes) == passes->n)
            str_printf(&s, "%s%s", s.len ? "; " : "", x->answers);
    }
    if (s.len)
        plan_note(pl, "counters of different runs make up: %s", s.buf);
}

void amd_counters(struct planner *pl)
{
    struct wanted w = {0};
    struct passes passes = {0};
    unsigned unserved = find_wanted(pl, &w), served = 0;
    note_unserved(pl, unserved);
    for (size_t i = 0; i < GOALS; i++)
        served |= plan_goals[i].counters ? pl->p->goals & (1u << i) & ~unserved : 0;
    if (!w.counters.n)
        return;
    if (!plan_allows(pl, TOOL_ROCPROFV3) && plan_allows(pl, TOOL_ROCPROF_COMPUTE)) {
        if (pl->family & CDNA)
            compute_capture(pl, served);
        else
            amd_left_open(pl, served, "rocprof-compute does not profile %s");
        return;
    }
    if (!plan_allows(pl, TOOL_ROCPROFV3)) {
        amd_left_open(pl, served,
                      arena_printf(pl->arena,
                                   "counters need rocprofv3 or rocprof-compute, which %s",
                                   plan_left_out(pl)));
        return;
    }
    pack(&passes, w.counters.v, w.counters.n, w.groups.v, w.groups.n, pl->arena);
    for (size_t i = 0; i < passes.n; i++)
        counter_pass(pl, &passes, i);
    note_split(pl, &passes);
    if (!family_limits_sure(pl->family))
        plan_note(pl,
                  "how many counters %s can count at a time is not published: the limits of its "
                  "relatives are used",
                  pl->p->arch);
}
