/* The columns and the header of the timeline's bytes: see timeline_pack.h. */
#include <string.h>

#include "base/fs.h"
#include "base/jwrite.h"
#include "base/utf8.h"
#include "render/timeline_pack_in.h"

enum { MOST_VARINT = 10, BATCH = 4096 };

static const char *const column_names[PACK_COLUMNS] = {
    [PACK_LENGTH] = "length", [PACK_START] = "start", [PACK_NAME] = "name",   [PACK_ID] = "id",
    [PACK_LAUNCH] = "launch", [PACK_CALL] = "call",   [PACK_COPY] = "copy",   [PACK_BYTES] = "bytes",
    [PACK_TIME] = "time",     [PACK_VALUE] = "value",
};

const char *pack_column_name(enum pack_column c)
{
    return column_names[c];
}

const enum pack_column *pack_columns(enum track_kind kind)
{
    static const enum pack_column columns[][8] = {
        [TRACK_KERNELS] = {PACK_LENGTH, PACK_START, PACK_NAME, PACK_ID, PACK_LAUNCH, PACK_CALL,
                           PACK_COLUMNS},
        [TRACK_COPIES] = {PACK_LENGTH, PACK_START, PACK_COPY, PACK_ID, PACK_BYTES, PACK_CALL,
                          PACK_COLUMNS},
        [TRACK_MARKERS] = {PACK_LENGTH, PACK_START, PACK_NAME, PACK_COLUMNS},
        [TRACK_CALLS] = {PACK_LENGTH, PACK_START, PACK_NAME, PACK_ID, PACK_COLUMNS},
        [TRACK_SERIES] = {PACK_TIME, PACK_VALUE, PACK_COLUMNS},
    };
    return columns[kind];
}

static int64_t limited(int64_t v)
{
    return v > PACK_MOST ? PACK_MOST : v < -PACK_MOST ? -PACK_MOST : v;
}

/* ---- one value of a column ---- */

struct cursor {
    const struct tracks *t;
    const struct pack_tables *tables;
    const struct track *k;
    int64_t before; /* the value, or end, of the row before */
};

static uint64_t step(struct cursor *c, int64_t v)
{
    int64_t from = c->before;
    c->before = v;
    return pack_zigzag(v - from);
}

static int64_t id_of(const struct cursor *c, uint32_t row)
{
    const struct trace *t = c->t->a->trace;
    int64_t id = c->k->kind == TRACK_KERNELS  ? t->kernels.id[row]
                 : c->k->kind == TRACK_COPIES ? t->copies.id[row]
                                              : t->regions.id[row];
    return id < -1 || id > PACK_MOST ? -1 : id;
}

static uint32_t name_of(const struct cursor *c, uint32_t row)
{
    const struct trace *t = c->t->a->trace;
    if (c->k->kind == TRACK_KERNELS)
        return c->tables->of_symbol[t->kernels.symbol[row]];
    if (c->k->kind == TRACK_MARKERS)
        return c->tables->of_marker[t->markers.name[row]];
    return c->tables
        ->of_call[(size_t)t->regions.kind[row] * c->t->a->view.n_strings + t->regions.name[row]];
}

/* Place + 1 of what a row refers to; 0 for nothing. */
static int64_t reference(const uint32_t *places, size_t n, uint32_t index)
{
    return index < n ? (int64_t)(uint32_t)(places[index] + 1) : 0;
}

static uint64_t start_of(struct cursor *c, size_t i)
{
    struct span s = track_span(c->t, c->k, i);
    int64_t origin = c->t->a->view.start_ns, start = limited(sub_ns(s.start, origin));
    uint64_t coded = pack_zigzag(start - c->before);
    c->before = start + limited(sub_ns(s.end, s.start));
    return coded;
}

static uint64_t value_of(struct cursor *c, enum pack_column column, size_t i)
{
    const struct trace *t = c->t->a->trace;
    uint32_t row = c->k->rows[i];
    struct span s;
    switch (column) {
    case PACK_LENGTH:
        s = track_span(c->t, c->k, i);
        return (uint64_t)limited(sub_ns(s.end, s.start));
    case PACK_START:
        return start_of(c, i);
    case PACK_NAME:
        return name_of(c, row);
    case PACK_ID:
        return step(c, id_of(c, row));
    case PACK_LAUNCH:
        return step(c, reference(c->tables->of_launch, t->launches.n, t->kernels.launch[row]));
    case PACK_CALL:
        return step(c, reference(c->tables->of_region, t->regions.n,
                                 c->k->kind == TRACK_KERNELS ? t->kernels.call[row]
                                                             : t->copies.call[row]));
    case PACK_COPY:
        return t->copies.kind[row];
    case PACK_BYTES:
        return t->copies.bytes[row] >= (uint64_t)PACK_MOST ? 0 : t->copies.bytes[row] + 1;
    case PACK_TIME:
        return step(c, limited(sub_ns(t->telemetry.time_ns[row], c->t->a->view.start_ns)));
    default:
        return 0;
    }
}

static void write_values(struct str *out, const struct tracks *t, const struct track *k)
{
    for (size_t i = 0; i < k->n; i++) {
        uint64_t bits;
        uint8_t bytes[8];
        memcpy(&bits, &t->a->trace->telemetry.value[k->rows[i]], sizeof(bits));
        for (int b = 0; b < 8; b++)
            bytes[b] = (uint8_t)(bits >> 8 * b);
        str_put(out, (const char *)bytes, sizeof(bytes));
    }
}

void pack_write_column(struct str *out, const struct tracks *t, const struct pack_tables *tables,
                       const struct track *k, enum pack_column column)
{
    if (column == PACK_VALUE) {
        write_values(out, t, k);
        return;
    }
    struct cursor c = {t, tables, k, 0};
    for (size_t i = 0; i < k->n;) {
        size_t end = k->n - i < BATCH ? k->n : i + BATCH;
        uint8_t *begin = (uint8_t *)str_room(out, MOST_VARINT * (end - i)), *p = begin;
        for (; i < end; i++)
            p = pack_varint(p, value_of(&c, column, i));
        out->len += (size_t)(p - begin);
    }
}

void pack_write_launches(struct str *out, const struct tracks *t, const struct pack_tables *tables)
{
    for (size_t i = 0; i < tables->launches.n; i++) {
        const struct launch *l = &t->a->trace->launches.v[tables->launches.v[i]];
        const uint32_t v[] = {l->grid[0],  l->grid[1],  l->grid[2],   l->group[0],
                              l->group[1], l->group[2], l->lds_bytes, l->scratch_bytes};
        uint8_t *begin = (uint8_t *)str_room(out, MOST_VARINT * 8), *p = begin;
        for (size_t k = 0; k < 8; k++)
            p = pack_varint(p, v[k]);
        out->len += (size_t)(p - begin);
    }
}

/* ---- the header ---- */

static const char *visible(struct arena *arena, const char *s)
{
    struct str e;
    str_init(&e, arena);
    utf8_escape(&e, s, strlen(s));
    return e.buf;
}

static const char *named(struct arena *arena, const char *what, int64_t number, const char *name)
{
    return *name ? arena_printf(arena, "%s (%lld)", name, (long long)number)
                 : arena_printf(arena, "%s %lld", what, (long long)number);
}

static const char *label_of(const struct trace *t, const struct track *k, struct arena *arena)
{
    if (k->kind == TRACK_SERIES) {
        const struct series *s = &t->series.v[k->of];
        const char *units = trace_str(t, s->units);
        return *units ? arena_printf(arena, "%s (%s)", trace_str(t, s->name), units)
                      : trace_str(t, s->name);
    }
    if (k->kind == TRACK_KERNELS || k->kind == TRACK_COPIES) {
        const struct stream *s = &t->streams.v[k->of];
        const char *label = named(arena, "stream", s->id, trace_str(t, s->name));
        return k->kind == TRACK_COPIES ? arena_printf(arena, "copies, %s", label) : label;
    }
    if (k->of == NO_INDEX)
        return k->kind == TRACK_MARKERS ? "markers" : "calls without a thread";
    const struct thread *th = &t->threads.v[k->of];
    const char *label = named(arena, "thread", th->tid, trace_str(t, th->name));
    return k->kind == TRACK_MARKERS ? arena_printf(arena, "markers, %s", label) : label;
}

static void index_or_null(struct jwrite *w, const char *key, uint32_t index)
{
    if (index == NO_INDEX)
        jw_null(w, key);
    else
        jw_uint(w, key, index);
}

static const size_t *write_track(struct jwrite *w, const struct tracks *t, const struct track *k,
                                 const size_t *sizes)
{
    static const char *const kinds[] = {[TRACK_KERNELS] = "kernels",
                                        [TRACK_COPIES] = "copies",
                                        [TRACK_MARKERS] = "markers",
                                        [TRACK_CALLS] = "calls",
                                        [TRACK_SERIES] = "series"};
    struct arena *arena = w->out->arena;
    jw_open(w, NULL, '{');
    jw_str(w, "kind", kinds[k->kind]);
    jw_str(w, "label", visible(arena, label_of(t->a->trace, k, arena)));
    index_or_null(w, "process", k->process);
    index_or_null(w, "gpu", k->slot);
    jw_uint(w, "n", k->n);
    jw_uint(w, "total", k->total);
    jw_open(w, "columns", '{');
    for (const enum pack_column *c = pack_columns(k->kind); *c != PACK_COLUMNS; c++)
        jw_uint(w, column_names[*c], *sizes++);
    jw_close(w);
    jw_close(w);
    return sizes;
}

static void write_places(struct jwrite *w, const struct analysis *a)
{
    const struct trace *t = a->trace;
    struct arena *arena = w->out->arena;
    jw_open(w, "processes", '[');
    for (size_t i = 0; i < t->processes.n; i++) {
        const struct process *p = &t->processes.v[i];
        const char *command = fs_basename(trace_str(t, p->command));
        const char *rank = p->rank < 0 ? "" : arena_printf(arena, "rank %d, ", p->rank);
        jw_str(w, NULL,
               visible(arena, arena_printf(arena, "%sprocess %lld %s", rank, (long long)p->pid,
                                           command)));
    }
    jw_close(w);
    jw_open(w, "gpus", '[');
    for (size_t g = 0; g < a->view.n_gpus; g++) {
        uint32_t gpu = a->view.gpus[g].gpu;
        const char *name = gpu == NO_INDEX ? "not listed" : trace_str(t, t->gpus.v[gpu].name);
        jw_open(w, NULL, '{');
        jw_int(w, "index", analysis_gpu_index(a, g));
        jw_str(w, "name", visible(arena, name));
        jw_str(w, "host", gpu == NO_INDEX ? "" : visible(arena, trace_str(t, t->gpus.v[gpu].host)));
        jw_close(w);
    }
    jw_close(w);
}

static void write_names(struct jwrite *w, const struct tracks *t, const struct pack_tables *tables)
{
    const struct trace *trace = t->a->trace;
    jw_open(w, "names", '[');
    for (size_t i = 0; i < tables->names.n; i++) {
        const struct pack_name *n = &tables->names.v[i];
        jw_open(w, NULL, '[');
        jw_str(w, NULL, visible(w->out->arena, trace_str(trace, n->full)));
        if (n->brief == n->full)
            jw_int(w, NULL, 0);
        else
            jw_str(w, NULL, visible(w->out->arena, trace_str(trace, n->brief)));
        jw_str(w, NULL, n->class);
        jw_close(w);
    }
    jw_close(w);
}

void pack_write_header(struct str *out, const struct tracks *t, const struct pack_tables *tables,
                       const size_t *sizes, size_t launches_size)
{
    const struct view *v = &t->a->view;
    struct jwrite w;
    jw_init(&w, out, 0);
    jw_open(&w, NULL, '{');
    jw_int(&w, "version", 1);
    jw_str(&w, "start_ns", arena_printf(out->arena, "%lld", (long long)v->start_ns));
    jw_int(&w, "window_ns", limited(view_window(v)));
    jw_uint(&w, "total", t->total);
    jw_uint(&w, "kept", t->kept);
    jw_uint(&w, "gpu_left_out", t->gpu_left_out);
    write_places(&w, t->a);
    write_names(&w, t, tables);
    jw_open(&w, "launches", '{');
    jw_uint(&w, "n", tables->launches.n);
    jw_uint(&w, "size", launches_size);
    jw_close(&w);
    jw_open(&w, "tracks", '[');
    for (size_t i = 0; i < t->v.n; i++)
        sizes = write_track(&w, t, &t->v.v[i], sizes);
    jw_close(&w);
    jw_close(&w);
}
