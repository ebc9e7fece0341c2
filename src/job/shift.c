/* What the job knows, brought into a trace with several ranks: clocks and waiting. */
#include <string.h>

#include "base/hash.h"
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

/* A process of a capture, of which a file may hold several. */
struct who {
    uint32_t place;
    int64_t pid;
    const char *file, *capture;
};

static uint64_t key_of(const struct who *w)
{
    return hash_u64(hash_u64(w->place) ^ (uint64_t)w->pid) ^
           hash_u64(hash_bytes(w->file, strlen(w->file)) +
                    3 * hash_bytes(w->capture, strlen(w->capture)));
}

static struct who who_is(const struct job_rank *r)
{
    return (struct who){r->place, r->pid, r->file, r->capture};
}

static bool is_rank(const struct job_rank *r, const struct who *w)
{
    return r->place == w->place && r->pid == w->pid && str_eq(r->file, w->file) &&
           str_eq(r->capture, w->capture);
}

/* Two ranks with one hash: all are looked at, the last counts. */
static const struct job_rank *find_rank(const struct job *job, const struct idmap *ranks,
                                        const struct who *who)
{
    uint32_t at = idmap_get(ranks, key_of(who));
    if (at == NO_INDEX)
        return NULL;
    if (is_rank(&job->ranks.v[at], who))
        return &job->ranks.v[at];
    for (size_t r = job->ranks.n; r-- > 0;)
        if (is_rank(&job->ranks.v[r], who))
            return &job->ranks.v[r];
    return NULL;
}

/* Which rank each process is. */
static void find_ranks(struct shifting *s, const struct job *job, struct arena *arena)
{
    s->of = arena_array(arena, const struct job_rank *, s->t->processes.n + 1);
    uint32_t place = 0;
    struct idmap ranks;
    idmap_init(&ranks, arena);
    for (size_t r = 0; r < job->ranks.n; r++) {
        struct who who = who_is(&job->ranks.v[r]);
        idmap_put(&ranks, key_of(&who), (uint32_t)r);
    }
    for (size_t p = 0; p < s->t->processes.n; p++) {
        const struct process *process = &s->t->processes.v[p];
        place = p && process[-1].file == process->file ? place + 1 : 0;
        struct who who = {place, process->pid, "", ""};
        if (process->file < s->t->files.n) {
            const struct trace_file *f = &s->t->files.v[process->file];
            who.file = f->path;
            who.capture = f->guid ? f->guid : "";
        }
        s->of[p] = find_rank(job, &ranks, &who);
    }
}

/* Only those whose clock differs. */
static bool keep_moved(struct shifting *s)
{
    bool any = false;
    for (size_t p = 0; p < s->t->processes.n; p++) {
        if (s->of[p] && !moved(s->of[p]))
            s->of[p] = NULL;
        any |= s->of[p] != NULL;
    }
    return any;
}

static struct shifting shifting_of(const struct job *job, struct trace *t, struct arena *arena)
{
    struct shifting s = {.t = t, .origin_ns = t->files.n ? t->files.v[0].origin_ns : 0};
    find_ranks(&s, job, arena);
    return s;
}

uint32_t *job_kernel_waits(const struct job *job, const struct trace *t, struct arena *arena)
{
    size_t n = 0;
    for (size_t r = 0; r < job->ranks.n; r++)
        n += job->ranks.v[r].gpu_waits.n;
    if (!n)
        return NULL;
    struct arena *temporary = arena_scratch();
    struct idmap *waits; /* by process: start -> place in gpu_waits */
    struct shifting s = shifting_of(job, (struct trace *)t, temporary);
    waits = arena_array(temporary, struct idmap, t->processes.n + 1);
    for (size_t p = 0; p < t->processes.n; p++) {
        idmap_init(&waits[p], temporary);
        for (size_t i = 0; s.of[p] && i < s.of[p]->gpu_waits.n; i++)
            idmap_put(&waits[p], (uint64_t)s.of[p]->gpu_waits.v[i].start_ns, (uint32_t)i);
    }
    uint32_t *out = arena_array(arena, uint32_t, t->kernels.n);
    for (size_t i = 0; i < t->kernels.n; i++) {
        const struct job_rank *r = by_stream(&s, t->kernels.stream[i]);
        if (!r)
            continue;
        uint32_t process = t->streams.v[t->kernels.stream[i]].process;
        uint32_t at =
            idmap_get(&waits[process], (uint64_t)add_ns(t->kernels.start_ns[i], s.origin_ns));
        if (at != NO_INDEX) {
            int64_t ns = r->gpu_waits.v[at].wait_ns;
            out[i] = ns > UINT32_MAX ? UINT32_MAX : (uint32_t)ns;
        }
    }
    arena_release(temporary);
    return out;
}

void job_shift(const struct job *job, struct trace *t)
{
    struct arena *temporary = arena_scratch();
    struct shifting s = shifting_of(job, t, temporary);
    if (keep_moved(&s)) {
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
        for (size_t i = 0; i < t->syncs.n; i++)
            if (t->syncs.call[i] < t->regions.n)
                shift(&s, by_thread(&s, t->regions.thread[t->syncs.call[i]]), &t->syncs.start_ns[i],
                      NULL);
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
    arena_release(temporary);
}
