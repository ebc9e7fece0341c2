/*
 * Profiler commands of findings: made of the planner's pieces (plan/), so that a finding and a plan
 * never disagree. Nothing the trace already holds is asked for.
 */
#include "advise/advise.h"
#include "advise/rule.h"
#include "base/array.h"
#include "base/str.h"
#include "metric/counters.h"
#include "plan/plan.h"
#include "plan/quote.h"

static void begin(struct tool_command *c, struct finding *f, enum profiler tool)
{
    tool_command_begin(c, tool, f->arena);
}

/* Options as rocinsight lists them: flags, and names with a value. */
static void list_option(struct profiler_command *out, const struct tool_option *o, bool joined,
                        struct arena *a)
{
    if (joined)
        vec_push(&out->flags, a, arena_printf(a, "%s=%s", o->name, o->values.v[0]));
    else if (!o->values.n)
        vec_push(&out->flags, a, o->name);
    else
        vec_push(&out->args, a, ((struct command_arg){o->name, shell_line(a, &o->values)}));
}

static void end(struct tool_command *c, struct finding *f, const char *why)
{
    struct arena *a = f->arena;
    struct launch_form how = {.rank = -1};
    bool nsys = c->tool == PROFILER_NSYS;
    struct profiler_command made = {.profiler = c->tool,
                                    .tool = nsys ? "nsys profile" : profiler_name(c->tool),
                                    .description = why};
    words_split(&how.app, trace_command(f->analysis->trace, a), a);
    tool_command_end(c, &how);
    made.full_command = c->text;
    if (c->subcommand && !nsys)
        vec_push(&made.flags, a, c->subcommand);
    for (size_t i = 0; i < c->options.n; i++)
        list_option(&made, &c->options.v[i], nsys, a);
    vec_push(&f->commands, a, made);
}

/* What a timeline holds that this trace does not and may. */
static unsigned wanted_items(const struct finding *f)
{
    static const struct {
        enum capability_id id;
        enum item item;
    } of_timeline[] = {{CAPABLE_KERNELS, ITEM_KERNELS},
                       {CAPABLE_API, ITEM_API},
                       {CAPABLE_COPIES, ITEM_COPIES},
                       {CAPABLE_ALLOCATIONS, ITEM_ALLOCATIONS},
                       {CAPABLE_MARKERS, ITEM_MARKERS}};
    const struct capabilities *c = &f->analysis->capabilities;
    unsigned items = 0;
    for (size_t i = 0; i < ARRAY_LEN(of_timeline); i++)
        if (of_timeline[i].id < c->n && c->v[of_timeline[i].id].wanted)
            items |= of_timeline[i].item;
    return items;
}

void finding_capture_trace(struct finding *f, const char *why)
{
    unsigned items = wanted_items(f);
    struct tool_command c;
    if (!trace_is_nvidia(f->analysis->trace)) {
        begin(&c, f, PROFILER_ROCPROFV3);
        plan_trace_flags(&c, items);
    } else {
        items &= ~(unsigned)(ITEM_COPIES | ITEM_ALLOCATIONS);
        begin(&c, f, PROFILER_NSYS);
        tool_command_value(&c, "--trace", "cuda,nvtx,osrt");
    }
    if (items)
        end(&c, f, why);
}

void finding_capture_host(struct finding *f, const char *why)
{
    struct tool_command c;
    if (trace_is_nvidia(f->analysis->trace)) {
        begin(&c, f, PROFILER_NSYS);
        tool_command_value(&c, "--trace", "cuda,nvtx,osrt");
        tool_command_value(&c, "--sample", "process-tree");
        tool_command_value(&c, "--cudabacktrace", "all");
    } else {
        begin(&c, f, PROFILER_ROCPROF_SYS_SAMPLE);
        tool_command_variable(&c, "ROCPROFSYS_USE_ROCPD", "ON");
    }
    end(&c, f, why);
}

/* rocprof-compute knows Instinct GPUs only; of one that is not named we take that for granted. */
static bool compute_profiles(const struct trace *t)
{
    const char *arch = plan_trace_arch(t);
    return !*arch || (family_of(arch) & CDNA);
}

void finding_capture_kernel(struct finding *f, const char *kernel, const char *why)
{
    static const char *const basic[] = {"GRBM_GUI_ACTIVE", "SQ_WAVES", "SQ_WAVE_CYCLES",
                                        "SQ_BUSY_CYCLES", NULL};
    struct tool_command c;
    const char *piece = kernel_identifier(f->arena, kernel);
    if (trace_is_nvidia(f->analysis->trace)) {
        begin(&c, f, PROFILER_NCU);
        tool_command_value(&c, "--set", "full");
        if (*piece)
            tool_command_value(&c, "--kernel-name", arena_printf(f->arena, "regex:%s", piece));
        tool_command_value(&c, "--launch-count", "5");
    } else if (compute_profiles(f->analysis->trace)) {
        begin(&c, f, PROFILER_ROCPROF_COMPUTE);
        tool_command_value(&c, "--name", "gpusight");
        if (*piece)
            tool_command_value(&c, "--kernel", piece);
    } else {
        finding_capture_counters(f, basic, kernel, why);
        return;
    }
    end(&c, f, why);
}

void finding_capture_counters(struct finding *f, const char *const *counters, const char *kernel,
                              const char *why)
{
    struct passes passes = {0};
    size_t n = 0;
    while (counters[n])
        n++;
    if (trace_is_nvidia(f->analysis->trace))
        return;
    plan_counters(&passes, f->analysis, counters, n, f->arena);
    const char *regex = kernel ? kernel_regex(f->arena, kernel, false) : "";
    for (size_t i = 0; i < passes.n; i++) {
        struct tool_command c;
        begin(&c, f, PROFILER_ROCPROFV3);
        tool_command_values(&c, "--pmc", passes.v[i].counters.v, passes.v[i].counters.n);
        if (*regex)
            tool_command_value(&c, "--kernel-include-regex", regex);
        end(&c, f, why);
    }
}

unsigned advice_goals(const struct advice *advice)
{
    unsigned found = 0;
    for (size_t i = 0; advice && i < advice->findings.n; i++) {
        const struct finding *f = advice->findings.v[i];
        if (f->priority != PRIORITY_INFO || f->advisory)
            found |= f->rule->goals;
    }
    return found ? found : ON(timeline);
}
