/*
 * Captures on NVIDIA GPUs: one run of Nsight Systems for everything on the timeline, one of Nsight
 * Compute for everything about kernels.
 */
#include <string.h>

#include "base/str.h"
#include "plan/plan_in.h"

#define CUDA_ITEMS (ITEM_KERNELS | ITEM_API | ITEM_COPIES)
#define NSYS_ITEMS                                                                                 \
    (CUDA_ITEMS | ITEM_ALLOCATIONS | ITEM_MARKERS | ITEM_MPI | ITEM_COLLECTIVES | ITEM_TELEMETRY | \
     ITEM_SAMPLES | ITEM_IO)
/* What is worth nothing without the kernels and calls of the same run. */
#define WITH_CUDA (ITEM_ALLOCATIONS | ITEM_MARKERS | ITEM_COLLECTIVES)

static const struct {
    unsigned items;
    const char *word, *answers;
} sources[] = {
    {CUDA_ITEMS, "cuda", "kernels, copies and host calls on one timeline"},
    {ITEM_MARKERS | ITEM_COLLECTIVES, "nvtx", "time per part of the program; calls of NCCL"},
    {ITEM_IO, "osrt", "calls of the operating system"},
    {ITEM_MPI, "mpi", "time in MPI calls"},
};

static const char *trace_words(struct planner *pl, struct capture *c, unsigned items)
{
    struct str s;
    str_init(&s, pl->arena);
    for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
        if (!(items & sources[i].items))
            continue;
        str_printf(&s, "%s%s", s.len ? "," : "", sources[i].word);
        vec_push(&c->answers, pl->arena, sources[i].answers);
    }
    return s.len ? s.buf : "none";
}

static void timeline(struct planner *pl, unsigned items)
{
    struct capture *c = plan_capture(pl, PROFILER_NSYS, plan_goals_with(pl, items));
    struct tool_command *k = &c->command;
    c->title = "timeline";
    if (items & WITH_CUDA)
        items |= CUDA_ITEMS;
    tool_command_value(k, "--trace", trace_words(pl, c, items));
    tool_command_value(k, "--sample", items & ITEM_SAMPLES ? "process-tree" : "none");
    if (items & ITEM_SAMPLES) {
        if (items & CUDA_ITEMS) /* of calls that are traced */
            tool_command_value(k, "--cudabacktrace", "all");
        vec_push(&c->answers, pl->arena, "what the host does: call stacks");
    }
    if (items & ITEM_ALLOCATIONS) {
        tool_command_value(k, "--cuda-memory-usage", "true");
        vec_push(&c->answers, pl->arena, "allocations and footprint");
    }
    if (items & ITEM_TELEMETRY) {
        tool_command_value(k, "--gpu-metrics-device", "all");
        vec_push(&c->answers, pl->arena, "load of the GPU over time");
    }
    tool_command_value(k, "--export", "sqlite");
    tool_command_value(k, "--output",
                       arena_printf(pl->arena, "%s/%s", pl->q->out, plan_name(pl, "timeline")));
    estimate_trace(pl, c, items);
    plan_capture_done(pl, c);
}

static bool has_word(const struct words *w, const char *word)
{
    for (size_t i = 0; i < w->n; i++)
        if (str_eq(w->v[i], word))
            return true;
    return false;
}

/* Sections of all goals that want some, each once. */
static unsigned find_sections(struct planner *pl, struct words *sections)
{
    unsigned found = 0;
    for (size_t i = 0; i < GOALS; i++) {
        struct words w = {0};
        if (!(pl->p->goals & (1u << i)) || !*plan_goals[i].sections)
            continue;
        found |= 1u << i;
        words_split(&w, plan_goals[i].sections, pl->arena);
        for (size_t k = 0; k < w.n; k++)
            if (!has_word(sections, w.v[k]))
                vec_push(sections, pl->arena, w.v[k]);
    }
    return found;
}

static void kernel_capture(struct planner *pl, const struct words *sections, unsigned found)
{
    const struct kernel_filter *f = &pl->filter;
    struct capture *c = plan_capture(pl, PROFILER_NCU, found);
    struct tool_command *k = &c->command;
    c->title = "kernels in depth";
    for (size_t i = 0; i < sections->n; i++)
        tool_command_value(k, "--section", sections->v[i]);
    if (f->regex)
        tool_command_value(k, "--kernel-name", arena_printf(pl->arena, "regex:%s", f->regex));
    if (f->count) {
        tool_command_value(k, "--launch-skip",
                           arena_printf(pl->arena, "%llu", (unsigned long long)f->skip));
        tool_command_value(k, "--launch-count",
                           arena_printf(pl->arena, "%llu", (unsigned long long)f->count));
    } else if (!f->regex) {
        tool_command_value(k, "--launch-count", "10");
        plan_note(pl,
                  "without a trace the hot kernels are not known: ncu takes the first ten; plan "
                  "again with a timeline, or give --kernel");
    }
    tool_command_value(k, "--export",
                       arena_printf(pl->arena, "%s/%s", pl->q->out, plan_name(pl, "kernels")));
    plan_answers(pl, c);
    estimate_unknown(pl, c, "each chosen kernel is replayed once for each set of counters");
    plan_capture_done(pl, c);
    plan_note(pl, "reports of ncu are read with ncu itself: ncu --import FILE --page details");
}

void plan_nvidia(struct planner *pl)
{
    struct words sections = {0};
    if (pl->have & CUDA_ITEMS)
        pl->have |= CUDA_ITEMS; /* one word asks for all three */
    unsigned needs = plan_lacks(pl).needs & NSYS_ITEMS;
    unsigned found = find_sections(pl, &sections);
    if (needs && plan_allows(pl, TOOL_NSYS))
        timeline(pl, needs | (plan_lacks(pl).worth & NSYS_ITEMS));
    else if (needs) {
        plan_note(pl, "the timeline needs nsys, which %s", plan_left_out(pl));
        pl->p->open |= plan_goals_with(pl, needs);
    }
    if (found && plan_allows(pl, TOOL_NCU))
        kernel_capture(pl, &sections, found);
    else if (found) {
        plan_note(pl, "metrics of kernels need ncu, which %s", plan_left_out(pl));
        pl->p->open |= found;
    }
}
