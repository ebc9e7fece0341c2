/*
 * Captures on AMD GPUs: rocprofv3 for the timeline, counters and instructions, rocprof-sys for what
 * the host does, rocprof-compute where it is asked for.
 */
#include <string.h>

#include "base/str.h"
#include "plan/amd.h"

/* What rocprofv3 records when told to, and what must be of the same run to give the answer. */
static const struct {
    enum item item;
    unsigned with;
    const char *flag, *answers;
} traced[] = {
    {ITEM_KERNELS, 0, "--kernel-trace", "when kernels run and how long"},
    {ITEM_API, ITEM_KERNELS, "--hip-trace", "what the host does between kernels"},
    {ITEM_COPIES, ITEM_KERNELS, "--memory-copy-trace", "when copies run"},
    {ITEM_ALLOCATIONS, 0, "--memory-allocation-trace", "allocations and footprint"},
    {ITEM_MARKERS, ITEM_KERNELS | ITEM_API, "--marker-trace", "time per part of the program"},
    {ITEM_COLLECTIVES, ITEM_KERNELS, "--rccl-trace", "which calls start collectives"},
};
enum { N_TRACED = ARRAY_LEN(traced) };

#define TRACED                                                                                     \
    (ITEM_KERNELS | ITEM_API | ITEM_COPIES | ITEM_ALLOCATIONS | ITEM_MARKERS | ITEM_COLLECTIVES)
#define SYSTEM (ITEM_MPI | ITEM_SAMPLES | ITEM_TELEMETRY)
/* What comes without being asked for. */
#define SYSTEM_TOO (ITEM_KERNELS | ITEM_API | ITEM_COPIES | ITEM_MARKERS)
#define ATT_FAMILIES (CDNA2UP | GFX10 | GFX11 | GFX12)

/* Goals that nothing can be done for; a %s in the reason is the GPU. */
void amd_left_open(struct planner *pl, unsigned which, const char *why)
{
    const char *hole = strstr(why, "%s");
    pl->p->open |= which;
    if (hole)
        plan_note(pl, "%.*s%s", (int)(hole - why), why, *pl->p->arch ? pl->p->arch : "this GPU");
    else
        plan_note(pl, "%s", why);
}

void amd_output(struct planner *pl, struct capture *c, const char *format, const char *name)
{
    tool_command_value(&c->command, "--output-format", format);
    tool_command_value(&c->command, "--output-directory", pl->q->out);
    tool_command_value(&c->command, "--output-file", plan_name(pl, name));
}

static unsigned plan_trace_together(unsigned items)
{
    unsigned all = items;
    for (size_t i = 0; i < N_TRACED; i++)
        all |= items & traced[i].item ? traced[i].with : 0;
    return all;
}

void plan_trace_flags(struct tool_command *c, unsigned items)
{
    for (size_t i = 0; i < N_TRACED; i++)
        if (plan_trace_together(items) & traced[i].item)
            tool_command_flag(c, traced[i].flag);
}

static void timeline(struct planner *pl, unsigned items)
{
    struct capture *c = plan_capture(pl, PROFILER_ROCPROFV3, plan_goals_with(pl, items));
    c->title = "timeline";
    plan_trace_flags(&c->command, items);
    items = plan_trace_together(items);
    for (size_t i = 0; i < N_TRACED; i++)
        if (items & traced[i].item)
            vec_push(&c->answers, pl->arena, traced[i].answers);
    amd_output(pl, c, "rocpd", "timeline");
    estimate_trace(pl, c, items);
    plan_capture_done(pl, c);
}

static void system_capture(struct planner *pl, unsigned items)
{
    enum profiler tool =
        items & ITEM_SAMPLES ? PROFILER_ROCPROF_SYS_SAMPLE : PROFILER_ROCPROF_SYS_RUN;
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

static void sampling(struct planner *pl)
{
    bool stochastic = pl->family & (GFX942 | GFX950);
    if (!(pl->family & CDNA2UP)) {
        amd_left_open(pl, ON(sampling), "program counters cannot be sampled on %s");
        return;
    }
    struct capture *c = plan_capture(pl, PROFILER_ROCPROFV3, ON(sampling));
    c->title = "program counters";
    tool_command_flag(&c->command, "--pc-sampling-beta-enabled");
    tool_command_value(&c->command, "--pc-sampling-method",
                       stochastic ? "stochastic" : "host_trap");
    tool_command_value(&c->command, "--pc-sampling-unit", stochastic ? "cycles" : "time");
    tool_command_value(&c->command, "--pc-sampling-interval", stochastic ? "1048576" : "1000");
    amd_output(pl, c, "json", "pc-samples");
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
        amd_left_open(pl, ON(instructions), "no thread trace of instructions on %s");
        return;
    }
    if (!pl->filter.regex) {
        amd_left_open(
            pl, ON(instructions),
            "a thread trace is of one kernel: give a trace or --kernel for goal instructions");
        return;
    }
    struct capture *c = plan_capture(pl, PROFILER_ROCPROFV3, ON(instructions));
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
        if ((hit & (1u << i)) && (plan_goals[i].items & items)) {
            plan_note(pl, "goal %s needs %s, which %s", plan_goals[i].name, tool,
                      plan_left_out(pl));
            pl->p->open |= 1u << i;
        }
}

void plan_amd(struct planner *pl)
{
    struct lacks lacks = plan_lacks(pl);
    unsigned needs = lacks.needs, worth = lacks.worth, covered = 0;
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
    amd_counters(pl);
    if ((needs & (ITEM_PC_SAMPLES | ITEM_INSTRUCTIONS)) && !plan_allows(pl, TOOL_ROCPROFV3)) {
        note_left_out(pl, ITEM_PC_SAMPLES | ITEM_INSTRUCTIONS, "rocprofv3");
        return;
    }
    if (needs & ITEM_PC_SAMPLES)
        sampling(pl);
    if (needs & ITEM_INSTRUCTIONS)
        thread_trace(pl);
}
