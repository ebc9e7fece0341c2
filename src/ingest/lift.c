#include "ingest/lift.h"

#include <ctype.h>

#include "base/str.h"

static bool is_call(const char *name)
{
    if (!str_starts(name, "MPI_") || !isupper((unsigned char)name[4]))
        return false;
    for (const char *p = name + 5; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '_')
            return false;
    return true;
}

static uint32_t process_of(const struct trace *t, uint32_t thread)
{
    return thread < t->threads.n ? t->threads.v[thread].process : (uint32_t)t->processes.n;
}

/* What comes next is lifted from the files whose markers begin up to `marker`, the last of them. */
static size_t begin_loads(struct trace *t, size_t load, size_t marker)
{
    while (load < t->loads.n && t->loads.v[load].markers <= marker)
        t->loads.v[load++].lifted = t->regions.n;
    return load;
}

void lift_mpi(struct trace *t)
{
    enum { UNKNOWN, NO, YES };
    const struct markers *m = &t->markers;
    if (!m->n)
        return;
    struct arena *temporary = arena_scratch();
    bool *has_mpi = arena_array(temporary, bool, t->processes.n + 1);
    uint8_t *call = arena_array(temporary, uint8_t, t->strings.n);
    size_t n = 0, load = 0;
    for (size_t i = 0; i < t->regions.n; i++)
        if (t->regions.kind[i] == REGION_MPI)
            has_mpi[process_of(t, t->regions.thread[i])] = true;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < m->n; i++) {
            uint8_t *is = &call[m->name[i]];
            if (*is == UNKNOWN)
                *is = is_call(trace_str(t, m->name[i])) ? YES : NO;
            if (*is == NO || m->kind[i] == MARKER_INSTANT || has_mpi[process_of(t, m->thread[i])])
                continue;
            if (!pass) {
                n++;
                continue;
            }
            load = begin_loads(t, load, i);
            struct regions *r = &t->regions;
            r->start_ns[r->n] = m->start_ns[i];
            r->end_ns[r->n] = m->end_ns[i];
            r->id[r->n] = m->id[i];
            r->name[r->n] = m->name[i];
            r->thread[r->n] = m->thread[i];
            r->kind[r->n++] = REGION_MPI;
        }
        if (!pass)
            trace_room(t, regions, n);
    }
    begin_loads(t, load, SIZE_MAX);
    t->lifted_calls += n;
    arena_release(temporary);
}
