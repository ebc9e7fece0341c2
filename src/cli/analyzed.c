#include "cli/analyzed.h"

#include "analyze/window.h"
#include "cli/analyze_job.h"
#include "cli/analyze_part.h"

static bool find_gpu(struct view_opts *view, const struct trace *t, int64_t index,
                     struct gs_error *err)
{
    for (size_t g = 0; index >= 0 && g < t->gpus.n && view->gpu < 0; g++)
        if (t->gpus.v[g].index == index && t->gpus.v[g].used)
            view->gpu = (int32_t)g;
    if (index < 0 || view->gpu >= 0)
        return true;
    return fail(err, GS_E_USAGE, "no GPU %lld with work in the trace; see 'gpusight info'",
                (long long)index);
}

static bool check_process(const struct trace *t, int64_t pid, struct gs_error *err)
{
    for (size_t i = 0; i < t->processes.n; i++)
        if (t->processes.v[i].pid == pid)
            return true;
    return pid < 0 || fail(err, GS_E_USAGE, "no process %lld in the trace; see 'gpusight info'",
                           (long long)pid);
}

bool cli_analyzed(struct cli *cli, const struct analyzed_opts *o, struct trace *t,
                  struct analysis *a, struct advice *advice, struct gs_error *err)
{
    struct analysis_opts ao = {.view = {.gpu = -1, .process = o->process, .threads = cli->threads},
                               .short_threshold_ns = (int64_t)(o->short_us * 1000),
                               .max_phases = 12};
    struct analyze_job *job = arena_new(cli->arena, struct analyze_job);
    if (!analyze_job_load(job, cli, t, &cli->operands, o->reader, -1, &ao, err) ||
        !check_process(t, o->process, err) || !find_gpu(&ao.view, t, o->gpu, err))
        return false;
    if (o->window && !window_parse(&ao.view, t, o->window, err))
        return false;
    if (!trace_events(t))
        return fail(err, GS_E_EMPTY, "nothing to analyze: '%s' holds no event", t->files.v[0].path);
    ao.view.kernel_wait_ns = job->kernel_wait_ns;
    analysis_run(a, t, &ao, cli->arena);
    if (!analyze_part(a, &ao, o->phase, o->iteration, err))
        return false;
    a->job = job->used ? &job->job : NULL;
    advise(advice, a, cli->arena);
    return true;
}
