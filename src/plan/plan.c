#include "plan/plan.h"

#include <math.h>

#include "base/str.h"
#include "plan/plan_in.h"

void plan_note(struct planner *pl, const char *fmt, ...)
{
    ARENA_FORMATTED(text, pl->arena);
    for (size_t i = 0; i < pl->p->notes.n; i++)
        if (str_eq(pl->p->notes.v[i], text))
            return;
    vec_push(&pl->p->notes, pl->arena, text);
}

/* Ranks must not write over one another; a rank profiled alone needs no number. */
const char *plan_name(const struct planner *pl, const char *name)
{
    bool nvidia = pl->p->vendor == VENDOR_NVIDIA;
    const struct launch_form *form = &pl->p->form;
    if (form->kind == LAUNCHER_WORKERS) /* nsys has all of them in one report */
        return nvidia ? name : arena_printf(pl->arena, "%s-%%pid%%", name);
    if (!form->launcher.n || form->rank >= 0)
        return name;
    if (form->kind == LAUNCHER_FLUX && nvidia)
        return arena_printf(pl->arena, "%s-rank%%q{FLUX_TASK_RANK}", name);
    if (form->kind == LAUNCHER_SLURM)
        return arena_printf(pl->arena, nvidia ? "%s-rank%%q{SLURM_PROCID}" : "%s-rank%%rank%%",
                            name);
    return arena_printf(pl->arena, nvidia ? "%s-%%h-%%p" : "%s-rank%%rank%%-%%pid%%", name);
}

/* A pointer to a new capture is good until the next one is made. */
struct capture *plan_capture(struct planner *pl, enum profiler tool, unsigned goals_served)
{
    struct capture *c = vec_add(&pl->p->captures, pl->arena);
    *c = (struct capture){.goals = goals_served, .runs = 1, .runs_exact = true};
    tool_command_begin(&c->command, tool, pl->arena);
    return c;
}

void plan_capture_done(struct planner *pl, struct capture *c)
{
    tool_command_end(&c->command, &pl->p->form);
    pl->p->runs += c->runs;
}

void plan_answers(struct planner *pl, struct capture *c)
{
    for (size_t i = 0; i < GOALS; i++)
        if (c->goals & (1u << i))
            vec_push(&c->answers, pl->arena, plan_goals[i].answers);
}

/* The first GPU that worked: mostly all are the same. */
static const struct gpu *main_gpu(const struct trace *t)
{
    const struct gpu *found = NULL;
    for (size_t i = 0; t && i < t->gpus.n; i++)
        if (t->gpus.v[i].used && !found)
            found = &t->gpus.v[i];
    return found;
}

const char *plan_trace_arch(const struct trace *t)
{
    const struct gpu *g = main_gpu(t);
    if (!g)
        return "";
    const char *arch = trace_str(t, g->arch), *product = trace_str(t, g->name);
    const struct hardware *hw =
        *arch || !*product ? NULL : hardware_find(NULL, product, (int)g->cu_count);
    return hw ? hw->arch : arch;
}

const char *const plan_gpu_sources[] = {"from the trace", "as given", "assumed", NULL};

static void use_hardware(struct plan *p, const struct hardware *hw, enum plan_gpu_source source)
{
    p->vendor = hw->vendor;
    p->arch = hw->arch;
    p->product = hw->product;
    p->gpu_source = source;
}

static void find_gpu(struct planner *pl)
{
    struct plan *p = pl->p;
    const struct gpu *g = main_gpu(pl->t);
    enum vendor vendor = pl->t ? trace_vendor(pl->t) : VENDOR_UNKNOWN;
    if (pl->q->gpu) {
        use_hardware(p, pl->q->gpu, GPU_AS_GIVEN);
    } else if (vendor != VENDOR_UNKNOWN) {
        p->vendor = vendor;
        p->arch = plan_trace_arch(pl->t);
        p->product = g ? trace_str(pl->t, g->name) : "";
        p->gpu_source = GPU_FROM_TRACE;
        if (vendor == VENDOR_AMD && !*p->arch)
            plan_note(pl, "the trace does not say which GPU it is of: give --gpu for counters");
    } else {
        use_hardware(p, hardware_find("gfx942", "MI300X", 0), GPU_ASSUMED);
        plan_note(pl, "%s: AMD Instinct MI300X is assumed; give --gpu for another",
                  pl->t ? "the trace names no GPU" : "no trace and no --gpu");
    }
    pl->family = p->vendor == VENDOR_AMD ? family_of(p->arch) : 0;
}

static void note_kernels(struct planner *pl)
{
    const struct kernel_filter *f = &pl->filter;
    bool deep = false;
    for (size_t i = 0; i < GOALS; i++)
        deep |= (pl->p->goals & (1u << i)) && (plan_goals[i].counters || *plan_goals[i].sections);
    if (!deep)
        return;
    if (!f->regex && !pl->t && pl->p->vendor == VENDOR_AMD)
        plan_note(pl, "without a trace the hot kernels are not known: all are counted; plan again "
                      "with a timeline, or give --kernel");
    else if (f->share_pct > 0)
        plan_note(pl, "kernels chosen: the %zu hottest, %.0f %% of the kernel time", f->pieces.n,
                  f->share_pct);
    if (f->unnamed)
        plan_note(pl, "hot kernels whose names cannot be searched for: %zu; %s", f->unnamed,
                  f->regex ? "left out" : "all kernels are taken");
    if (!f->first || pl->an->iterations.count < 2)
        return;
    if (pl->an->iterations.warmup)
        plan_note(pl, "dispatches chosen: iterations past %llu of warm-up",
                  (unsigned long long)pl->an->iterations.warmup);
    else
        plan_note(pl, "dispatches chosen: the first iterations; no warm-up was found");
}

/* Text for people cannot show these as they are. */
static void note_controls(struct planner *pl)
{
    const struct words *app = &pl->p->form.app;
    for (size_t i = 0; i < app->n; i++)
        for (const char *c = app->v[i]; *c; c++)
            if ((unsigned char)*c < 0x20 || *c == 0x7f) {
                plan_note(pl, "arguments hold line ends or control characters: take the commands "
                              "from --format shell");
                return;
            }
}

/* A job of several ranks is not started by its program alone. */
static void note_ranks(struct planner *pl)
{
    size_t ranks = 0;
    for (size_t i = 0; pl->t && i < pl->t->processes.n; i++)
        ranks += pl->t->processes.v[i].rank >= 0;
    if (ranks < 2 || !pl->p->captures.n)
        return;
    if (!pl->p->form.launcher.n)
        plan_note(pl,
                  "the trace is of %zu ranks: put the launcher of the job (srun, mpirun) in "
                  "front of the program",
                  ranks);
    else if (pl->p->form.rank < 0)
        plan_note(pl, "every rank is profiled and writes files of its own; --rank N profiles one");
}

static void note_mixed(struct planner *pl)
{
    for (size_t i = 0; pl->t && !pl->q->gpu && i < pl->t->gpus.n; i++)
        if (pl->t->gpus.v[i].used && *trace_str(pl->t, pl->t->gpus.v[i].arch) &&
            !str_eq(trace_str(pl->t, pl->t->gpus.v[i].arch), pl->p->arch)) {
            plan_note(pl,
                      "the trace has GPUs of several kinds: planned for %s; --gpu names another",
                      pl->p->arch);
            return;
        }
}

void plan_make(struct plan *p, const struct plan_request *q, struct arena *a)
{
    struct planner pl = {.p = p, .q = q, .an = q->analysis, .arena = a};
    pl.t = q->analysis ? q->analysis->trace : NULL;
    *p = (struct plan){.goals = q->goals,
                       .form = q->form,
                       .arch = "",
                       .product = "",
                       .out = q->out,
                       .batch = BATCH_NONE};
    find_gpu(&pl);
    pl.counter_values = pl.t ? plan_counter_values(pl.t, a) : NULL;
    plan_find_have(&pl);
    plan_find_filter(&pl);
    if (p->vendor == VENDOR_NVIDIA)
        plan_nvidia(&pl);
    else
        plan_amd(&pl);
    if (p->captures.n)
        note_kernels(&pl);
    if (p->captures.n && p->vendor == VENDOR_NVIDIA)
        plan_note(&pl, "nsys and ncu write into a folder that is there: mkdir -p %s", q->out);
    note_mixed(&pl);
    note_controls(&pl);
    note_ranks(&pl);
    if (p->form.rank >= 0 && !p->form.launcher.n)
        plan_note(&pl, "--rank means nothing without a launcher such as srun or mpirun");
}

void plan_counters(struct passes *out, const struct analysis *an, const char *const *names,
                   size_t n, struct arena *a)
{
    VEC(struct pack_counter) wanted = {0};
    unsigned family = family_of(plan_trace_arch(an->trace));
    const uint64_t *values = plan_counter_values(an->trace, a);
    for (size_t i = 0; i < n; i++) {
        struct pack_counter c;
        bool again = false;
        for (size_t k = 0; k < i && !again; k++)
            again = str_eq(names[k], names[i]);
        if (!again && !plan_counter_collected(an->trace, values, names[i]) &&
            counter_find(&c, names[i], family))
            vec_push(&wanted, a, c);
    }
    pack(out, wanted.v, wanted.n, NULL, 0, a);
}
