#include "cli/analyzed.h"

#include "analyze/window.h"
#include "base/sat.h"
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

struct analysis_opts analyzed_base(const struct cli *cli, const struct analyzed_opts *o)
{
    return (struct analysis_opts){
        .view = {.gpu = -1, .process = o->process, .threads = cli->threads},
        .short_threshold_ns = ns_from(o->short_us * 1000),
        .max_phases = (uint32_t)o->max_phases,
    };
}

bool analyzed_choose(struct analysis_opts *out, const struct analyzed_opts *o,
                     const struct trace *t, const struct analyze_job *job, struct gs_error *err)
{
    if (!check_process(t, o->process, err) || !find_gpu(&out->view, t, o->gpu, err))
        return false;
    if (o->window && !window_parse(&out->view, t, o->window, err))
        return false;
    if (!trace_events(t))
        return fail(err, GS_E_EMPTY, "nothing to analyze: '%s' holds no event", t->files.v[0].path);
    out->view.kernel_wait_ns = job->kernel_wait_ns;
    if (job->chosen && t->processes.n > 1)
        out->view.only_process = job->chosen->process + 1;
    return true;
}

bool analyzed_run(struct analysis *a, struct advice *advice, const struct trace *t,
                  struct analysis_opts *ao, const struct analyzed_opts *o, struct analyze_job *job,
                  struct arena *arena, struct gs_error *err)
{
    analysis_run(a, t, ao, arena);
    if (!analyze_part(a, ao, o->phase, o->iteration, err))
        return false;
    a->job = job->used ? &job->job : NULL;
    if (a->job && (o->window || o->phase || o->iteration))
        vec_push(&job->job.notes, arena,
                 "the ranks are compared over their whole runs, not only over the part chosen");
    advise(advice, a, arena);
    return true;
}

bool cli_analyzed(struct cli *cli, const struct analyzed_opts *o, struct trace *t,
                  struct analysis *a, struct advice *advice, struct gs_error *err)
{
    struct analysis_opts ao = analyzed_base(cli, o);
    struct analyze_job *job = arena_new(cli->arena, struct analyze_job);
    return analyze_job_load(job, cli, t, &cli->operands, o->reader, o->rank, &ao, err) &&
           analyzed_choose(&ao, o, t, job, err) &&
           analyzed_run(a, advice, t, &ao, o, job, cli->arena, err);
}
