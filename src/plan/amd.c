/*
 * Captures on AMD GPUs: rocprofv3 for the timeline, counters and instructions, rocprof-sys for what
 * the host does, rocprof-compute where it is asked for.
 */
#include <string.h>

#include "base/str.h"
#include "plan/plan_in.h"
#include "plan/quote.h"

/* What rocprofv3 records when told to. */
static const struct {
    enum item item;
    const char *flag, *answers;
} traced[] = {
    {ITEM_KERNELS, "--kernel-trace", "when kernels run and how long"},
    {ITEM_API, "--hip-trace", "what the host does between kernels"},
    {ITEM_COPIES, "--memory-copy-trace", "when copies run"},
    {ITEM_ALLOCATIONS, "--memory-allocation-trace", "allocations and footprint"},
    {ITEM_MARKERS, "--marker-trace", "time per part of the program"},
    {ITEM_COLLECTIVES, "--rccl-trace", "which calls start collectives"},
};
enum { N_TRACED = sizeof(traced) / sizeof(*traced) };

#define TRACED                                                                                     \
    (ITEM_KERNELS | ITEM_API | ITEM_COPIES | ITEM_ALLOCATIONS | ITEM_MARKERS | ITEM_COLLECTIVES)
#define SYSTEM (ITEM_MPI | ITEM_SAMPLES | ITEM_TELEMETRY)
#define SYSTEM_TOO                                                                                 \
    (ITEM_KERNELS | ITEM_API | ITEM_COPIES | ITEM_MARKERS) /* without being asked                  \
                                                            */
#define ATT_FAMILIES (CDNA2UP | GFX10 | GFX11 | GFX12)

/* Goals that nothing can be done for; a %s in the reason is the GPU. */
static void left_open(struct planner *pl, unsigned which, const char *why)
{
    const char *hole = strstr(why, "%s");
    pl->p->open |= which;
    if (hole)
        plan_note(pl, "%.*s%s", (int)(hole - why), why, *pl->p->arch ? pl->p->arch : "this GPU");
    else
        plan_note(pl, "%s", why);
}

static void output(struct planner *pl, struct capture *c, const char *format, const char *name)
{
    tool_command_value(&c->command, "--output-format", format);
    tool_command_value(&c->command, "--output-directory", pl->q->out);
    tool_command_value(&c->command, "--output-file", plan_name(pl, name));
}

static void timeline(struct planner *pl, unsigned items)
{
    struct capture *c = plan_capture(pl, "rocprofv3", plan_goals_with(pl, items));
    c->title = "timeline";
    for (size_t i = 0; i < N_TRACED; i++) {
        if (!(items & traced[i].item))
            continue;
        tool_command_flag(&c->command, traced[i].flag);
        vec_push(&c->answers, pl->arena, traced[i].answers);
    }
    output(pl, c, "rocpd", "timeline");
    estimate_trace(pl, c, items);
    plan_capture_done(pl, c);
    if ((items & ITEM_API) && (pl->have & ITEM_KERNELS))
        plan_note(pl,
                  "host calls and kernels of different runs cannot be linked to each other: add "
                  "--kernel-trace to the timeline for launch latencies");
}

static void system_capture(struct planner *pl, unsigned items)
{
    const char *tool = items & ITEM_SAMPLES ? "rocprof-sys-sample" : "rocprof-sys-run";
    struct capture *c = plan_capture(pl, tool, plan_goals_with(pl, items | ITEM_IO));
    struct tool_command *k = &c->command;
    c->title = "host and system";
    tool_command_variable(k, "ROCPROFSYS_USE_ROCPD", "ON");
    tool_command_variable(k, "ROCPROFSYS_TIME_OUTPUT", "OFF");
    tool_command_variable(k, "ROCPROFSYS_OUTPUT_PATH",
                          arena_printf(pl->arena, "%s/system", pl->q->out));
    if (pl->p->form.launcher.n && pl->p->form.rank < 0)
        tool_command_variable(k, "ROCPROFSYS_OUTPUT_PREFIX", "rank%rank%-");
    if (items & ITEM_MPI) {
        tool_command_variable(k, "ROCPROFSYS_USE_MPIP", "ON");
        vec_push(&c->answers, pl->arena, "time in MPI calls");
        plan_note(pl, "rocprof-sys writes MPI calls to rocpd from ROCm 7.2 on");
    }
    if (items & ITEM_SAMPLES)
        vec_push(&c->answers, pl->arena, "what the host does: call stacks");
    if (items & ITEM_TELEMETRY) {
        tool_command_variable(k, "ROCPROFSYS_USE_PROCESS_SAMPLING", "ON");
        tool_command_variable(k, "ROCPROFSYS_USE_AMD_SMI", "ON");
        vec_push(&c->answers, pl->arena, "power, clocks and load over time");
    }
    if (items & SYSTEM_TOO)
        vec_push(&c->answers, pl->arena, "kernels, host calls and copies of the same run");
    estimate_trace(pl, c, items | SYSTEM_TOO);
    plan_capture_done(pl, c);
}

/* ---- counters ---- */

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
        if (!plan_counter_collected(pl->t, r->counters[i]))
            vec_push(&members, pl->arena, counter_index(w, r->counters[i], pl->family, pl->arena));
    if (members.n)
        vec_push(&w->groups, pl->arena, ((struct pack_group){members.v, members.n}));
}

/* The counters that the goals read; returns the goals that have none on this GPU. */
static unsigned find_wanted(struct planner *pl, struct wanted *w)
{
    unsigned served = 0, asked = 0;
    for (size_t i = 0; i < GOALS; i++)
        if (goals[i].counters)
            asked |= pl->p->goals & (1u << i);
    for (size_t i = 0; i < n_ratios; i++) {
        if (!(ratios[i].goals & asked) || !usable(&ratios[i], pl->family))
            continue;
        served |= ratios[i].goals;
        if (!*ratios[i].instead || !plan_counter_collected(pl->t, ratios[i].instead))
            want(pl, w, &ratios[i]);
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
    for (size_t r = 0; r < n_ratios; r++) {
        if (!(ratios[r].goals & pl->p->goals) || !usable(&ratios[r], pl->family))
            continue;
        size_t whole = whole_in(&ratios[r], passes);
        if (whole != at && (whole < passes->n || !touches(&ratios[r], &passes->v[at])))
            continue;
        c->goals |= ratios[r].goals & pl->p->goals;
        answer(c, ratios[r].answers, pl->arena);
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
    struct capture *c = plan_capture(pl, "rocprofv3", 0);
    c->title = n > 1 ? arena_printf(pl->arena, "counters, pass %zu of %zu", i + 1, n) : "counters";
    c->pass = *pass;
    tell_pass(pl, c, passes, i);
    tool_command_values(&c->command, "--pmc", pass->counters.v, pass->counters.n);
    filter_options(pl, c);
    output(pl, c, "rocpd", arena_printf(pl->arena, "counters-%zu", i + 1));
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
    struct capture *c = plan_capture(pl, "rocprof-compute", goals_served);
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
            plan_note(pl, "no counters are known for goal %s on %s%s", goals[i].name,
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
    for (size_t r = 0; r < n_ratios; r++) {
        const struct ratio *x = &ratios[r];
        bool missing = false;
        if (!(x->goals & pl->p->goals) || !usable(x, pl->family) ||
            (*x->instead && plan_counter_collected(pl->t, x->instead)))
            continue;
        for (size_t i = 0; i < RATIO_MOST && x->counters[i]; i++)
            missing |= !plan_counter_collected(pl->t, x->counters[i]);
        if (missing && whole_in(x, passes) == passes->n)
            str_printf(&s, "%s%s", s.len ? "; " : "", x->answers);
    }
    if (s.len)
        plan_note(pl, "counters of different runs make up: %s", s.buf);
}

static void counter_captures(struct planner *pl)
{
    struct wanted w = {0};
    struct passes passes = {0};
    unsigned unserved = find_wanted(pl, &w), served = 0;
    note_unserved(pl, unserved);
    for (size_t i = 0; i < GOALS; i++)
        served |= goals[i].counters ? pl->p->goals & (1u << i) & ~unserved : 0;
    if (!w.counters.n)
        return;
    if (!plan_allows(pl, TOOL_ROCPROFV3) && plan_allows(pl, TOOL_ROCPROF_COMPUTE)) {
        if (pl->family & CDNA)
            compute_capture(pl, served);
        else
            left_open(pl, served, "rocprof-compute does not profile %s");
        return;
    }
    if (!plan_allows(pl, TOOL_ROCPROFV3)) {
        left_open(pl, served,
                  "counters need rocprofv3 or rocprof-compute, which --tool leaves out");
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

/* ---- instructions ---- */

static void sampling(struct planner *pl)
{
    bool stochastic = pl->family & (GFX942 | GFX950);
    if (!(pl->family & CDNA2UP)) {
        left_open(pl, ON(sampling), "program counters cannot be sampled on %s");
        return;
    }
    struct capture *c = plan_capture(pl, "rocprofv3", ON(sampling));
    c->title = "program counters";
    tool_command_flag(&c->command, "--pc-sampling-beta-enabled");
    tool_command_value(&c->command, "--pc-sampling-method",
                       stochastic ? "stochastic" : "host_trap");
    tool_command_value(&c->command, "--pc-sampling-unit", stochastic ? "cycles" : "time");
    tool_command_value(&c->command, "--pc-sampling-interval", stochastic ? "1048576" : "1000");
    output(pl, c, "json", "pc-samples");
    vec_push(&c->answers, pl->arena,
             stochastic ? "hot instructions, and why waves did not issue" : "hot instructions");
    estimate_unknown(pl, c, "it grows with the waves in flight");
    plan_capture_done(pl, c);
    if (pl->filter.regex)
        plan_note(pl, "samples of the program counter cannot be restricted to a kernel");
}

static void thread_trace(struct planner *pl)
{
    if (!(pl->family & ATT_FAMILIES) || str_eq(pl->p->arch, "gfx1010")) {
        left_open(pl, ON(instructions), "no thread trace of instructions on %s");
        return;
    }
    if (!pl->filter.regex) {
        left_open(
            pl, ON(instructions),
            "a thread trace is of one kernel: give a trace or --kernel for goal instructions");
        return;
    }
    struct capture *c = plan_capture(pl, "rocprofv3", ON(instructions));
    c->title = "thread trace";
    tool_command_flag(&c->command, "--att");
    tool_command_value(&c->command, "--kernel-include-regex", pl->filter.regex);
    if (pl->filter.first)
        tool_command_value(&c->command, "--kernel-iteration-range",
                           arena_printf(pl->arena, "%llu", (unsigned long long)pl->filter.first));
    tool_command_value(&c->command, "--output-directory",
                       arena_printf(pl->arena, "%s/att", pl->q->out));
    tool_command_value(&c->command, "--output-file", plan_name(pl, "att"));
    vec_push(&c->answers, pl->arena, "latency and stalls of each instruction");
    estimate_unknown(pl, c, "raw data is 96 MiB at most for a call and a shader engine");
    plan_capture_done(pl, c);
    plan_note(pl, "a thread trace needs the rocprof-trace-decoder library; compile with -g for "
                  "source lines");
}

/* Goals whose items stay missing since --tool leaves the tool out. */
static void note_left_out(struct planner *pl, unsigned items, const char *tool)
{
    unsigned hit = plan_goals_with(pl, items);
    for (size_t i = 0; i < GOALS; i++)
        if ((hit & (1u << i)) && (goals[i].items & items)) {
            plan_note(pl, "goal %s needs %s, which --tool leaves out", goals[i].name, tool);
            pl->p->open |= 1u << i;
        }
}

void plan_amd(struct planner *pl)
{
    unsigned needs = plan_needs(pl), worth = plan_worth(pl), covered = 0;
    if (needs & ITEM_IO)
        needs |= ITEM_SAMPLES & ~pl->have;
    unsigned system = needs & SYSTEM;
    if (system && plan_allows(pl, TOOL_ROCPROF_SYS))
        covered = SYSTEM_TOO;
    unsigned rest = needs & TRACED & ~covered;
    if (rest && plan_allows(pl, TOOL_ROCPROFV3))
        timeline(pl, rest | (worth & TRACED & ~covered));
    else if (rest)
        note_left_out(pl, rest, "rocprofv3");
    if (covered)
        system_capture(pl, system | (needs & SYSTEM_TOO));
    else if (system)
        note_left_out(pl, system, "rocprof-sys");
    counter_captures(pl);
    if ((needs & (ITEM_PC_SAMPLES | ITEM_INSTRUCTIONS)) && !plan_allows(pl, TOOL_ROCPROFV3)) {
        note_left_out(pl, ITEM_PC_SAMPLES | ITEM_INSTRUCTIONS, "rocprofv3");
        return;
    }
    if (needs & ITEM_PC_SAMPLES)
        sampling(pl);
    if (needs & ITEM_INSTRUCTIONS)
        thread_trace(pl);
}
