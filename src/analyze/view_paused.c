/*
 * When recording was paused: the program told the profiler to stop and to go on (roctxProfilerPause
 * and Resume, cudaProfilerStop and Start, hipProfilerStop and Start), and nothing is recorded
 * between the two. A profiler that does not listen goes on recording: then there is no pause.
 */
#include <stdlib.h>

#include "analyze/view.h"
#include "base/str.h"
#include "base/vec.h"

/* More than these are not looked at: a pause is something that a person writes. */
enum { MOST_MOMENTS = 4096 };

enum told { TOLD_NOTHING, TOLD_PAUSE, TOLD_RESUME };

struct moment {
    int64_t at;
    uint32_t process;
    enum told told;
};

struct search {
    const struct view *v;
    struct arena *temporary;
    uint8_t *told; /* by string: enum told + 1; 0: not asked yet */
    VEC(struct moment) moments;
};

static enum told judge(const char *name)
{
    return str_ends(name, "ProfilerPause") || str_ends(name, "ProfilerStop")     ? TOLD_PAUSE
           : str_ends(name, "ProfilerResume") || str_ends(name, "ProfilerStart") ? TOLD_RESUME
                                                                                 : TOLD_NOTHING;
}

/* Most programs never do: the names are few, the calls are many. */
static bool any_pause(const struct view *v)
{
    for (size_t i = 0; i < v->trace->strings.n; i++)
        if (judge(trace_str(v->trace, (uint32_t)i)) == TOLD_PAUSE)
            return true;
    return false;
}

static void add(struct search *s, uint32_t name, uint32_t thread, int64_t start, int64_t end)
{
    const struct trace *t = s->v->trace;
    if (!s->told[name])
        s->told[name] = (uint8_t)(judge(trace_str(t, name)) + 1);
    enum told told = (enum told)(s->told[name] - 1);
    if (told == TOLD_NOTHING || thread >= t->threads.n || s->moments.n == MOST_MOMENTS)
        return;
    struct moment m = {told == TOLD_PAUSE ? end : start, t->threads.v[thread].process, told};
    vec_push(&s->moments, s->temporary, m);
}

static int by_process(const void *x, const void *y)
{
    const struct moment *a = x, *b = y;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return (int)a->told - (int)b->told;
}

/* A call of the process begins in between: the profiler went on. */
static bool goes_on(const struct view *v, uint32_t process, int64_t start, int64_t end)
{
    const struct trace *t = v->trace;
    const int64_t *start_ns = t->regions.start_ns;
    for (size_t i = 0; i < v->n_threads && i < t->threads.n; i++) {
        const struct view_thread *h = &v->threads[i];
        size_t lo = 0;
        BISECT(lo, t->threads.v[i].process == process ? h->n_outer : 0, mid,
               start_ns[h->outer[mid]] < start);
        if (lo < h->n_outer && t->threads.v[i].process == process && start_ns[h->outer[lo]] < end)
            return true;
    }
    return false;
}

/* The pauses of one process; its moments are [from, to). */
static void pauses_of(struct search *s, size_t from, size_t to, struct spans *out)
{
    for (size_t i = from; i < to; i++) {
        const struct moment *m = &s->moments.v[i];
        if (m->told != TOLD_PAUSE || (i + 1 < to && m[1].told == TOLD_PAUSE))
            continue;
        int64_t end = i + 1 < to ? m[1].at : s->v->end_ns;
        struct span span = view_clip(s->v, m->at, end);
        if (!goes_on(s->v, m->process, m->at, end))
            spans_append(out, s->temporary, span.start, span.end);
    }
}

/* Work that was still on its way when recording stopped was recorded. */
static void without_work(const struct search *s, struct spans *paused)
{
    struct spans busy = {0}, rest = {0};
    view_busy_spans(&busy, s->v, s->temporary);
    spans_subtract(&rest, paused, &busy, s->temporary);
    *paused = rest;
}

/* By process: it gave the GPUs work. Each of them must have paused. */
static bool *users_of_gpus(const struct search *s)
{
    const struct view *v = s->v;
    const struct trace *t = v->trace;
    bool *uses = arena_array(s->temporary, bool, t->processes.n + 1);
    for (size_t g = 0; g < v->n_gpus; g++) {
        for (size_t i = 0; i < v->gpus[g].n_kernels; i++)
            uses[t->streams.v[t->kernels.stream[v->gpus[g].kernels[i]]].process] = true;
        for (size_t i = 0; i < v->gpus[g].n_copies; i++)
            uses[t->streams.v[t->copies.stream[v->gpus[g].copies[i]]].process] = true;
    }
    return uses;
}

static void common_pauses(struct search *s, struct spans *out)
{
    const struct view *v = s->v;
    struct spans all = {0}, recorded = {0};
    const bool *uses = users_of_gpus(s);
    spans_append(&all, s->temporary, v->start_ns, v->end_ns);
    size_t at = 0;
    for (uint32_t p = 0; p < v->trace->processes.n; p++) {
        size_t from = at;
        while (at < s->moments.n && s->moments.v[at].process == p)
            at++;
        if (!uses[p])
            continue;
        struct spans paused = {0}, own = {0}, both = {0};
        pauses_of(s, from, at, &paused);
        spans_subtract(&own, &all, &paused, s->temporary);
        spans_union(&both, &recorded, &own, s->temporary);
        recorded = both;
    }
    spans_subtract(out, &all, &recorded, s->temporary);
}

void view_find_pauses(struct view *v, struct arena *a)
{
    const struct trace *t = v->trace;
    if (!any_pause(v))
        return;
    struct search s = {.v = v, .temporary = arena_scratch()};
    s.told = arena_array(s.temporary, uint8_t, t->strings.n + 1);
    for (size_t i = 0; i < t->regions.n; i++)
        add(&s, t->regions.name[i], t->regions.thread[i], t->regions.start_ns[i],
            t->regions.end_ns[i]);
    for (size_t i = 0; i < t->markers.n; i++)
        add(&s, t->markers.name[i], t->markers.thread[i], t->markers.start_ns[i],
            t->markers.end_ns[i]);
    if (s.moments.n) {
        struct spans paused = {0};
        qsort(s.moments.v, s.moments.n, sizeof(*s.moments.v), by_process);
        common_pauses(&s, &paused);
        without_work(&s, &paused);
        v->paused_before = arena_array(a, int64_t, paused.n + 1);
        for (size_t i = 0; i < paused.n; i++) {
            spans_append(&v->paused, a, paused.v[i].start, paused.v[i].end);
            v->paused_before[i + 1] =
                add_ns(v->paused_before[i], paused.v[i].end - paused.v[i].start);
        }
    }
    arena_release(s.temporary);
}

size_t view_next_pause(const struct view *v, int64_t at)
{
    size_t lo = 0;
    BISECT(lo, v->paused.n, mid, v->paused.v[mid].end <= at);
    return lo;
}

/* All pauses up to a moment. */
static int64_t paused_until(const struct view *v, int64_t ns)
{
    size_t i = view_next_pause(v, ns);
    bool inside = i < v->paused.n && v->paused.v[i].start < ns;
    return v->paused.n ? v->paused_before[i] + (inside ? ns - v->paused.v[i].start : 0) : 0;
}

int64_t view_paused(const struct view *v, int64_t start, int64_t end)
{
    return end > start ? paused_until(v, end) - paused_until(v, start) : 0;
}

int64_t view_elapsed(const struct view *v, int64_t ns)
{
    ns = view_clip(v, ns, ns).start;
    ns = ns > v->end_ns ? v->end_ns : ns;
    return ns - v->start_ns - view_paused(v, v->start_ns, ns);
}

int64_t view_moment(const struct view *v, int64_t elapsed)
{
    int64_t at = add_ns(v->start_ns, elapsed), skipped = paused_until(v, v->start_ns);
    size_t lo = view_next_pause(v, v->start_ns);
    size_t first = lo; /* then the first pause that begins later than `at`, by the same clock */
    BISECT(lo, v->paused.n, mid, v->paused.v[mid].start - (v->paused_before[mid] - skipped) <= at);
    return lo > first ? add_ns(at, v->paused_before[lo] - skipped) : at;
}
