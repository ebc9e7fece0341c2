/* A trace of several hosts, brought to the clock of the first rank. */
#include "base/str.h"
#include "job/job.h"

struct shifting {
    struct trace *t;
    const struct job_rank **of; /* by process; NULL: stays */
    int64_t origin_ns;          /* of the trace's times */
};

static bool moved(const struct job_rank *r)
{
    return r->clock_offset_ns || r->clock_drift_ppm != 0;
}

static const struct job_rank *by_thread(const struct shifting *s, uint32_t thread)
{
    return thread < s->t->threads.n ? s->of[s->t->threads.v[thread].process] : NULL;
}

static const struct job_rank *by_stream(const struct shifting *s, uint32_t stream)
{
    return stream < s->t->streams.n ? s->of[s->t->streams.v[stream].process] : NULL;
}

static int64_t moved_time(const struct shifting *s, const struct job_rank *r, int64_t ns)
{
    return sub_ns(job_time(r, add_ns(ns, s->origin_ns)), s->origin_ns);
}

static void shift(const struct shifting *s, const struct job_rank *r, int64_t *start_ns,
                  int64_t *end_ns)
{
    if (!r)
        return;
    *start_ns = moved_time(s, r, *start_ns);
    if (end_ns)
        *end_ns = moved_time(s, r, *end_ns);
}

static bool find_ranks(struct shifting *s, const struct job *job, struct arena *arena)
{
    bool any = false;
    s->of = arena_array(arena, const struct job_rank *, s->t->processes.n + 1);
    for (size_t p = 0; p < s->t->processes.n; p++) {
        const struct process *process = &s->t->processes.v[p];
        const char *file = process->file < s->t->files.n ? s->t->files.v[process->file].path : "";
        for (size_t r = 0; r < job->ranks.n; r++)
            if (job->ranks.v[r].pid == process->pid && str_eq(job->ranks.v[r].file, file) &&
                moved(&job->ranks.v[r])) {
                s->of[p] = &job->ranks.v[r];
                any = true;
            }
    }
    return any;
}

void job_shift(const struct job *job, struct trace *t)
{
    struct arena temporary;
    arena_init(&temporary);
    struct shifting s = {.t = t, .origin_ns = t->files.n ? t->files.v[0].origin_ns : 0};
    if (find_ranks(&s, job, &temporary)) {
        for (size_t i = 0; i < t->kernels.n; i++)
            shift(&s, by_stream(&s, t->kernels.stream[i]), &t->kernels.start_ns[i],
                  &t->kernels.end_ns[i]);
        for (size_t i = 0; i < t->copies.n; i++)
            shift(&s, by_stream(&s, t->copies.stream[i]), &t->copies.start_ns[i],
                  &t->copies.end_ns[i]);
        for (size_t i = 0; i < t->allocations.n; i++)
            shift(&s, by_thread(&s, t->allocations.thread[i]), &t->allocations.start_ns[i],
                  &t->allocations.end_ns[i]);
        for (size_t i = 0; i < t->regions.n; i++)
            shift(&s, by_thread(&s, t->regions.thread[i]), &t->regions.start_ns[i],
                  &t->regions.end_ns[i]);
        for (size_t i = 0; i < t->markers.n; i++)
            shift(&s, by_thread(&s, t->markers.thread[i]), &t->markers.start_ns[i],
                  &t->markers.end_ns[i]);
        for (size_t i = 0; i < t->samples.n; i++)
            shift(&s, by_thread(&s, t->samples.thread[i]), &t->samples.time_ns[i], NULL);
        for (size_t i = 0; i < t->pc_samples.n; i++)
            if (t->pc_samples.kernel[i] < t->kernels.n)
                shift(&s, by_stream(&s, t->kernels.stream[t->pc_samples.kernel[i]]),
                      &t->pc_samples.time_ns[i], NULL);
        for (size_t i = 0; i < t->telemetry.n; i++) {
            uint32_t series = t->telemetry.series[i];
            if (series < t->series.n && t->series.v[series].process < t->processes.n)
                shift(&s, s.of[t->series.v[series].process], &t->telemetry.time_ns[i], NULL);
        }
        for (size_t p = 0; p < t->processes.n; p++)
            if (t->processes.v[p].start_ns)
                shift(&s, s.of[p], &t->processes.v[p].start_ns, &t->processes.v[p].end_ns);
    }
    arena_release(&temporary);
}
