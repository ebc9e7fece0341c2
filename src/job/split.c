#include "job/split.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows by process ---- */

/* The rows of a process stay in order. */
static void bucket(struct split *s, struct split_rows *rows, size_t n,
                   uint32_t (*owner)(const struct owners *o, size_t i))
{
    uint32_t *of_row = arena_array(s->arena, uint32_t, n);
    size_t processes = s->t->processes.n;
    for (size_t i = 0; i < n; i++)
        of_row[i] = owner(s->owners, i);
    rows->of = row_groups_make(of_row, n, processes, s->arena);
    rows->place = of_row; /* of use for nothing else now */
    for (size_t p = 0; p <= processes; p++)
        for (size_t at = rows->of.at[p]; at < rows->of.at[p + 1]; at++)
            rows->place[rows->of.list[at]] =
                p < processes ? (uint32_t)(at - rows->of.at[p]) : NO_INDEX;
}

/* ---- what processes share ---- */

static void map_init(struct split_map *m, size_t n, struct arena *arena)
{
    *m = (struct split_map){.to = arena_array(arena, uint32_t, n), .n = n};
    memset(m->to, 0xff, n * sizeof(*m->to));
}

static void map_use(struct split *s, struct split_map *m, uint32_t i)
{
    if (i >= m->n || m->to[i] != NO_INDEX)
        return;
    m->to[i] = 0;
    vec_push(&m->used, s->arena, i);
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* In the order of the whole trace, so that nothing that goes by it comes out differently. */
static void map_number(struct split_map *m)
{
    if (m->used.n)
        qsort(m->used.v, m->used.n, sizeof(*m->used.v), by_number);
    for (size_t i = 0; i < m->used.n; i++)
        m->to[m->used.v[i]] = (uint32_t)i;
}

static void map_clear(struct split_map *m)
{
    for (size_t i = 0; i < m->used.n; i++)
        m->to[m->used.v[i]] = NO_INDEX;
    m->used.n = 0;
}

static uint32_t map_get(const struct split_map *m, uint32_t i)
{
    return i < m->n ? m->to[i] : NO_INDEX;
}

static uint32_t place_at(const struct split_rows *rows, size_t n, uint32_t i)
{
    return i < n ? rows->place[i] : NO_INDEX;
}

static uint32_t place_of(const struct split_rows *rows, size_t n, uint32_t i, uint32_t process,
                         uint32_t owner)
{
    return owner == process ? place_at(rows, n, i) : NO_INDEX;
}

void split_init(struct split *s, const struct owners *o, struct arena *arena)
{
    const struct trace *t = o->t;
    *s = (struct split){.t = t, .owners = o, .arena = arena};
    bucket(s, &s->kernels, t->kernels.n, owner_of_kernel);
    bucket(s, &s->copies, t->copies.n, owner_of_copy);
    bucket(s, &s->regions, t->regions.n, owner_of_region);
    bucket(s, &s->markers, t->markers.n, owner_of_marker);
    bucket(s, &s->messages, t->messages.n, owner_of_message);
    bucket(s, &s->telemetry, t->telemetry.n, owner_of_telemetry);
    bucket(s, &s->series, t->series.n, owner_of_series);
    bucket(s, &s->threads, t->threads.n, owner_of_thread);
    bucket(s, &s->streams, t->streams.n, owner_of_stream);
    map_init(&s->strings, t->strings.n, arena);
    map_init(&s->symbols, t->symbols.n, arena);
    map_init(&s->launches, t->launches.n, arena);
    map_init(&s->gpus, t->gpus.n, arena);
}

uint32_t split_gpu(const struct split *s, uint32_t gpu)
{
    return map_get(&s->gpus, gpu);
}

/* ---- one process ---- */

static size_t count(const struct split_rows *rows, uint32_t p)
{
    return rows->of.at[p + 1] - rows->of.at[p];
}

#define EACH(table, p, i)                                                                          \
    for (size_t at_ = s->table.of.at[p], i;                                                        \
         at_ < s->table.of.at[(p) + 1] && (i = s->table.of.list[at_], 1); at_++)

static void find_used(struct split *s, uint32_t p)
{
    const struct trace *t = s->t;
    map_clear(&s->strings);
    map_clear(&s->symbols);
    map_clear(&s->launches);
    map_clear(&s->gpus);
    map_use(s, &s->strings, 0);
    map_use(s, &s->strings, t->processes.v[p].host);
    map_use(s, &s->strings, t->processes.v[p].command);
    EACH(kernels, p, i)
    {
        map_use(s, &s->symbols, t->kernels.symbol[i]);
        map_use(s, &s->launches, t->kernels.launch[i]);
    }
    EACH(regions, p, i)
    map_use(s, &s->strings, t->regions.name[i]);
    EACH(markers, p, i)
    {
        map_use(s, &s->strings, t->markers.name[i]);
        map_use(s, &s->strings, t->markers.domain[i]);
    }
    EACH(threads, p, i)
    map_use(s, &s->strings, t->threads.v[i].name);
    EACH(series, p, i)
    {
        map_use(s, &s->strings, t->series.v[i].name);
        map_use(s, &s->strings, t->series.v[i].units);
    }
    EACH(streams, p, i)
    {
        map_use(s, &s->strings, t->streams.v[i].name);
        map_use(s, &s->gpus, t->streams.v[i].gpu);
    }
    for (size_t i = 0; i < s->symbols.used.n; i++) {
        const struct symbol *symbol = &t->symbols.v[s->symbols.used.v[i]];
        map_use(s, &s->strings, symbol->name);
        map_use(s, &s->strings, symbol->short_name);
        map_use(s, &s->strings, symbol->mangled);
    }
    for (size_t i = 0; i < s->launches.used.n; i++)
        map_use(s, &s->strings, t->launches.v[s->launches.used.v[i]].rename);
    for (size_t i = 0; i < s->gpus.used.n; i++) {
        const struct gpu *gpu = &t->gpus.v[s->gpus.used.v[i]];
        map_use(s, &s->strings, gpu->host);
        map_use(s, &s->strings, gpu->name);
        map_use(s, &s->strings, gpu->arch);
    }
    map_number(&s->strings);
    map_number(&s->symbols);
    map_number(&s->launches);
    map_number(&s->gpus);
}

static uint32_t text(const struct split *s, uint32_t id)
{
    uint32_t to = map_get(&s->strings, id);
    return to == NO_INDEX ? 0 : to;
}

static void take_shared(struct split *s, struct trace *out)
{
    const struct trace *t = s->t;
    for (size_t i = 1; i < s->strings.used.n; i++) /* the first is "", which is there */
        strings_share(&out->strings, &t->strings, s->strings.used.v[i]);
    for (size_t i = 0; i < s->symbols.used.n; i++) {
        struct symbol symbol = t->symbols.v[s->symbols.used.v[i]];
        symbol.name = text(s, symbol.name);
        symbol.short_name = text(s, symbol.short_name);
        symbol.mangled = text(s, symbol.mangled);
        symbol.process = 0;
        vec_push(&out->symbols, &out->arena, symbol);
    }
    for (size_t i = 0; i < s->launches.used.n; i++) {
        struct launch launch = t->launches.v[s->launches.used.v[i]];
        launch.rename = text(s, launch.rename);
        vec_push(&out->launches, &out->arena, launch);
    }
    for (size_t i = 0; i < s->gpus.used.n; i++) {
        struct gpu gpu = t->gpus.v[s->gpus.used.v[i]];
        gpu.host = text(s, gpu.host);
        gpu.name = text(s, gpu.name);
        gpu.arch = text(s, gpu.arch);
        vec_push(&out->gpus, &out->arena, gpu);
    }
}

static void take_entities(struct split *s, uint32_t p, struct trace *out)
{
    const struct trace *t = s->t;
    struct process process = t->processes.v[p];
    if (process.file < t->files.n)
        vec_push(&out->files, &out->arena, t->files.v[process.file]);
    process.file = process.file < t->files.n ? 0 : NO_INDEX;
    process.host = text(s, process.host);
    process.command = text(s, process.command);
    vec_push(&out->processes, &out->arena, process);
    EACH(threads, p, i)
    {
        struct thread thread = t->threads.v[i];
        thread.process = 0;
        thread.name = text(s, thread.name);
        vec_push(&out->threads, &out->arena, thread);
    }
    EACH(series, p, i)
    {
        struct series series = t->series.v[i];
        series.process = 0;
        series.gpu = map_get(&s->gpus, series.gpu);
        series.name = text(s, series.name);
        series.units = text(s, series.units);
        vec_push(&out->series, &out->arena, series);
    }
    EACH(streams, p, i)
    {
        struct stream stream = t->streams.v[i];
        stream.process = 0;
        stream.gpu = map_get(&s->gpus, stream.gpu);
        stream.name = text(s, stream.name);
        vec_push(&out->streams, &out->arena, stream);
    }
}

/* Copies the rows of a process, column by column; references are still those of the whole. */
static void take_rows(const struct split_rows *rows, uint32_t p, const void *from, void *to,
                      const struct table_desc *desc)
{
    size_t n = count(rows, p);
    const uint32_t *row = rows->of.list + rows->of.at[p];
    table_reserve(to, desc, n);
    for (size_t c = 0; c < desc->n_columns; c++) {
        const struct column_desc *column = &desc->columns[c];
        const char *source = *(char *const *)((const char *)from + column->offset);
        char *target = *(char **)((char *)to + column->offset);
        for (size_t i = 0; i < n; i++)
            memcpy(target + i * column->size, source + row[i] * column->size, column->size);
    }
    ((struct table *)to)->n = n;
}

static uint32_t call_of(const struct split *s, uint32_t p, uint32_t call)
{
    size_t n = s->t->regions.n;
    return place_of(&s->regions, n, call, p,
                    call < n ? owner_of_region(s->owners, call) : NO_INDEX);
}

static uint32_t thread_of(const struct split *s, uint32_t p, uint32_t thread)
{
    return place_of(&s->threads, s->t->threads.n, thread, p, owner_of_thread(s->owners, thread));
}

static void take_tables(struct split *s, uint32_t p, struct trace *out)
{
    const struct trace *t = s->t;
#define TAKE(name) take_rows(&s->name, p, &t->name, &out->name, &name##_desc)
    TAKE(kernels);
    TAKE(copies);
    TAKE(regions);
    TAKE(markers);
    TAKE(messages);
    TAKE(telemetry);
#undef TAKE
    for (size_t i = 0; i < out->kernels.n; i++) {
        struct kernels *k = &out->kernels;
        k->symbol[i] = map_get(&s->symbols, k->symbol[i]);
        k->launch[i] = map_get(&s->launches, k->launch[i]);
        k->stream[i] = place_at(&s->streams, t->streams.n, k->stream[i]);
        k->queue[i] = NO_INDEX;
        k->thread[i] = thread_of(s, p, k->thread[i]);
        k->call[i] = call_of(s, p, k->call[i]);
    }
    for (size_t i = 0; i < out->copies.n; i++) {
        struct copies *c = &out->copies;
        c->stream[i] = place_at(&s->streams, t->streams.n, c->stream[i]);
        c->thread[i] = thread_of(s, p, c->thread[i]);
        c->call[i] = call_of(s, p, c->call[i]);
        c->src[i] = c->dst[i] = NO_INDEX;
    }
    for (size_t i = 0; i < out->regions.n; i++) {
        out->regions.name[i] = text(s, out->regions.name[i]);
        out->regions.thread[i] = place_at(&s->threads, t->threads.n, out->regions.thread[i]);
    }
    for (size_t i = 0; i < out->markers.n; i++) {
        out->markers.name[i] = text(s, out->markers.name[i]);
        out->markers.domain[i] = text(s, out->markers.domain[i]);
        out->markers.thread[i] = place_at(&s->threads, t->threads.n, out->markers.thread[i]);
    }
    for (size_t i = 0; i < out->telemetry.n; i++)
        out->telemetry.series[i] = s->series.place[out->telemetry.series[i]];
    for (size_t i = 0; i < out->messages.n; i++)
        out->messages.call[i] = call_of(s, p, out->messages.call[i]);
}

void split_take(struct split *s, uint32_t process, struct trace *out)
{
    find_used(s, process);
    take_shared(s, out);
    take_entities(s, process, out);
    take_tables(s, process, out);
    assert(out->processes.n == 1);
    assert(out->kernels.n == count(&s->kernels, process));
}
