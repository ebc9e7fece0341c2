#include "job/owners.h"

#include "base/array.h"

static size_t first_of(const struct trace *t, size_t load, size_t first)
{
    return *(const size_t *)((const char *)&t->loads.v[load] + first);
}

static uint32_t load_at(const struct trace *t, size_t first, size_t row)
{
    size_t load = 0;
    BISECT(load, t->loads.n, i, first_of(t, i, first) <= row);
    return load ? (uint32_t)load - 1 : NO_INDEX;
}

uint32_t owners_load_(const struct owners *o, size_t first, size_t row)
{
    const struct trace *t = o->t;
    if (first == offsetof(struct trace_load, regions) && row >= t->regions.n - t->lifted_calls)
        first = offsetof(struct trace_load, lifted);
    return load_at(t, first, row);
}

static uint32_t known(const struct owners *o, uint32_t process)
{
    return process < o->t->processes.n ? process : NO_INDEX;
}

/* That of the row, where it is known; otherwise by the file. */
#define OR_BY_FILE(o, process, table, row)                                                         \
    ((process) != NO_INDEX ? (process) : owner_by_load((o), owners_load((o), table, (row))))

static uint32_t owner_by_load(const struct owners *o, uint32_t load)
{
    return load == NO_INDEX ? NO_INDEX : o->only[load];
}

uint32_t owner_of_thread(const struct owners *o, size_t thread)
{
    return thread < o->t->threads.n ? known(o, o->t->threads.v[thread].process) : NO_INDEX;
}

uint32_t owner_of_stream(const struct owners *o, size_t stream)
{
    return stream < o->t->streams.n ? known(o, o->t->streams.v[stream].process) : NO_INDEX;
}

uint32_t owner_of_series(const struct owners *o, size_t series)
{
    return series < o->t->series.n ? o->series[series] : NO_INDEX;
}

/* By the thread or stream that a row names. */
#define OWNER(one, table, place)                                                                   \
    uint32_t owner_of_##one(const struct owners *o, size_t row)                                    \
    {                                                                                              \
        uint32_t p = owner_of_##place(o, o->t->table.place[row]);                                  \
        return OR_BY_FILE(o, p, table, row);                                                       \
    }
OWNER(kernel, kernels, stream)
OWNER(copy, copies, stream)
OWNER(region, regions, thread)
OWNER(marker, markers, thread)

uint32_t owner_of_message(const struct owners *o, size_t row)
{
    uint32_t call = o->t->messages.call[row];
    uint32_t p = call < o->t->regions.n ? owner_of_region(o, call) : NO_INDEX;
    return OR_BY_FILE(o, p, messages, row);
}

uint32_t owner_of_telemetry(const struct owners *o, size_t row)
{
    return owner_of_series(o, o->t->telemetry.series[row]);
}

static void find_only(struct owners *o)
{
    const struct trace *t = o->t;
    for (size_t i = 0; i < t->loads.n; i++) {
        size_t from = t->loads.v[i].processes;
        size_t to = i + 1 < t->loads.n ? t->loads.v[i + 1].processes : t->processes.n;
        o->only[i] = to == from + 1 ? known(o, (uint32_t)from) : NO_INDEX;
    }
}

/* Series have no rows of their own: one of no process is of the file that its first value is in. */
static void find_series(struct owners *o)
{
    const struct trace *t = o->t;
    for (size_t i = 0; i < t->series.n; i++)
        o->series[i] = known(o, t->series.v[i].process);
    for (size_t i = 0; i < t->telemetry.n; i++) {
        uint32_t series = t->telemetry.series[i];
        if (series < t->series.n && o->series[series] == NO_INDEX)
            o->series[series] = owner_by_load(o, owners_load(o, telemetry, i));
    }
}

void owners_find(struct owners *o, const struct trace *t, struct arena *arena)
{
    *o = (struct owners){.t = t,
                         .only = arena_array(arena, uint32_t, t->loads.n),
                         .series = arena_array(arena, uint32_t, t->series.n)};
    find_only(o);
    find_series(o);
}
