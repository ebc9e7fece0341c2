#include "render/html/timeline_pack.h"

#include <string.h>
#include <zlib.h>

#include "base/base64.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "render/html/timeline_pack_in.h"

/* Pieces of this size keep all cores busy and let a page show how far it is. */
enum { CHUNK = 1 << 20, LEVEL = 4 };

/* ---- names and launches ---- */

static uint32_t *numbers(struct arena *arena, size_t n)
{
    uint32_t *v = arena_array(arena, uint32_t, n + 1);
    memset(v, 0xff, (n + 1) * sizeof(*v));
    return v;
}

static uint32_t add_name(struct pack_tables *p, struct arena *arena, struct pack_name name)
{
    vec_push(&p->names, arena, name);
    return (uint32_t)p->names.n - 1;
}

static void use_kernels(struct pack_tables *p, const struct tracks *t, const struct track *k,
                        struct arena *arena)
{
    const struct trace *trace = t->a->trace;
    for (size_t i = 0; i < k->n; i++) {
        uint32_t symbol = trace->kernels.symbol[k->rows[i]];
        uint32_t launch = kernels_launch_at(trace, k->rows[i]);
        if (p->of_symbol[symbol] == NO_INDEX) {
            const struct symbol *s = &trace->symbols.v[symbol];
            enum kernel_role role = (enum kernel_role)t->a->view.role[symbol];
            struct pack_name name = {s->name, s->short_name, NULL, kernel_role_info(role)->label};
            p->of_symbol[symbol] = add_name(p, arena, name);
        }
        if (launch < trace->launches.n && p->of_launch[launch] == NO_INDEX) {
            p->of_launch[launch] = (uint32_t)p->launches.n;
            vec_push(&p->launches, arena, launch);
        }
    }
}

static void use_calls(struct pack_tables *p, const struct tracks *t, const struct track *k,
                      uint32_t *place, struct arena *arena)
{
    const struct view *v = &t->a->view;
    for (size_t i = 0; i < k->n; i++) {
        uint32_t row = k->rows[i];
        uint32_t *of = &p->of_call[view_call_place(v, row)];
        if (*of == NO_INDEX) {
            const char *class = api_class_name(view_call_class(v, row));
            uint32_t name = v->trace->regions.name[row];
            *of = add_name(p, arena, (struct pack_name){name, name, NULL, class});
        }
        p->of_region[row] = (*place)++;
    }
}

static void use_markers(struct pack_tables *p, const struct tracks *t, const struct track *k,
                        struct arena *arena)
{
    for (size_t i = 0; i < k->n; i++) {
        uint32_t name = t->a->trace->markers.name[k->rows[i]];
        if (p->of_marker[name] == NO_INDEX)
            p->of_marker[name] = add_name(p, arena, (struct pack_name){name, name, NULL, ""});
    }
}

/* Labels are few: each is found by looking through those there are. */
static void use_path(struct pack_tables *p, const struct tracks *t, const struct track *k,
                     struct arena *arena)
{
    p->of_path = arena_array(arena, uint32_t, k->n + 1);
    size_t first = p->names.n;
    for (size_t i = 0; i < k->n; i++) {
        const char *label = t->a->path_spans.v[k->rows[i]].label;
        size_t at = first;
        while (at < p->names.n && p->names.v[at].text != label)
            at++;
        if (at == p->names.n)
            add_name(p, arena, (struct pack_name){0, 0, label, ""});
        p->of_path[i] = (uint32_t)at;
    }
}

/* Symbols of several processes share a name: the page groups by it. */
static void join_symbols(struct pack_tables *p, const struct tracks *t, struct arena *arena)
{
    const struct trace *trace = t->a->trace;
    uint32_t *of_name = numbers(arena, trace->strings.n);
    for (size_t i = 0; i < trace->symbols.n; i++) {
        uint32_t *place = &of_name[trace->symbols.v[i].name];
        if (p->of_symbol[i] != NO_INDEX && *place > p->of_symbol[i])
            *place = p->of_symbol[i];
    }
    for (size_t i = 0; i < trace->symbols.n; i++)
        if (p->of_symbol[i] != NO_INDEX)
            p->of_symbol[i] = of_name[trace->symbols.v[i].name];
}

void pack_tables_make(struct pack_tables *p, const struct tracks *t, struct arena *arena)
{
    const struct trace *trace = t->a->trace;
    *p = (struct pack_tables){
        .of_symbol = numbers(arena, trace->symbols.n),
        .of_call = numbers(arena, t->a->view.n_names * REGION_KINDS),
        .of_marker = numbers(arena, trace->strings.n),
        .of_launch = numbers(arena, trace->launches.n),
        .of_region = numbers(arena, trace->regions.n),
    };
    uint32_t place = 0;
    for (size_t i = 0; i < t->v.n; i++) {
        const struct track *k = &t->v.v[i];
        if (k->kind == TRACK_KERNELS)
            use_kernels(p, t, k, arena);
        else if (k->kind == TRACK_CALLS)
            use_calls(p, t, k, &place, arena);
        else if (k->kind == TRACK_MARKERS)
            use_markers(p, t, k, arena);
        else if (k->kind == TRACK_PATH)
            use_path(p, t, k, arena);
    }
    join_symbols(p, t, arena);
}

/* ---- the bytes ---- */

static struct arena **arena_per_worker(struct arena *arena)
{
    struct arena **v = arena_array(arena, struct arena *, PARALLEL_MAX);
    for (int i = 0; i < PARALLEL_MAX; i++)
        v[i] = arena_child(arena);
    return v;
}

struct column_job {
    const struct tracks *t;
    const struct pack_tables *tables;
    struct arena **arenas; /* one a worker: columns are written side by side */
    struct str *out;
    uint32_t *track;
    enum pack_column *column;
};

static void write_column(void *ctx, size_t i, int worker)
{
    struct column_job *j = ctx;
    j->out[i] = (struct str){.arena = j->arenas[worker]}; /* grows to what it needs, no more */
    pack_write_column(&j->out[i], j->t, j->tables, &j->t->v.v[j->track[i]], j->column[i]);
}

static size_t list_columns(struct column_job *j, struct arena *arena)
{
    size_t n = 0;
    j->track = arena_array(arena, uint32_t, j->t->v.n * PACK_COLUMNS);
    j->column = arena_array(arena, enum pack_column, j->t->v.n * PACK_COLUMNS);
    for (size_t i = 0; i < j->t->v.n; i++)
        for (const enum pack_column *c = pack_columns(j->t->v.v[i].kind); *c != PACK_COLUMNS; c++) {
            j->track[n] = (uint32_t)i;
            j->column[n++] = *c;
        }
    j->out = arena_array(arena, struct str, n);
    j->arenas = arena_per_worker(arena);
    return n;
}

void timeline_pack_make(struct timeline_pack *p, const struct tracks *t, struct arena *arena)
{
    struct pack_tables tables;
    pack_tables_make(&tables, t, arena);
    struct column_job j = {.t = t, .tables = &tables};
    size_t n = list_columns(&j, arena);
    parallel_for(t->a->view.workers, n, write_column, &j);
    struct str launches, header;
    str_init(&launches, arena);
    pack_write_launches(&launches, t, &tables);
    size_t *sizes = arena_array(arena, size_t, n), total = launches.len;
    for (size_t i = 0; i < n; i++)
        total += sizes[i] = j.out[i].len;
    str_init(&header, arena);
    pack_write_header(&header, t, &tables, sizes, launches.len);
    *p = (struct timeline_pack){.arena = arena, .header_size = header.len};
    str_room(&header, total);
    str_put(&header, launches.buf, launches.len);
    for (size_t i = 0; i < n; i++)
        str_put(&header, j.out[i].buf, j.out[i].len);
    p->bytes = (uint8_t *)header.buf;
    p->size = header.len;
    for (int i = 0; i < PARALLEL_MAX; i++)
        arena_release(j.arenas[i]);
}

/* ---- compression ---- */

struct compress_job {
    const struct timeline_pack *p;
    struct pack_chunk *out;
    struct arena **arenas; /* one a worker: nobody knows before how long the texts are */
};

static void compress_chunk(void *ctx, size_t i, int worker)
{
    struct compress_job *j = ctx;
    struct pack_chunk *c = &j->out[i];
    uLongf size = compressBound((uLong)c->raw_size);
    struct arena *temporary = arena_scratch();
    Bytef *bytes = arena_alloc(temporary, size);
    int status = compress2(bytes, &size, j->p->bytes + i * CHUNK, (uLong)c->raw_size, LEVEL);
    if (status != Z_OK) { /* there is room enough, so it is memory that lacks */
        arena_release(temporary);
        mem_exhausted();
    }
    c->size = base64_size(size);
    c->text = arena_alloc(j->arenas[worker], c->size + 1);
    base64_encode(c->text, bytes, size);
    arena_release(temporary);
}

void timeline_pack_compress(struct pack_chunks *out, const struct timeline_pack *p, int threads)
{
    out->n = (p->size + CHUNK - 1) / CHUNK;
    out->v = arena_array(p->arena, struct pack_chunk, out->n);
    for (size_t i = 0; i < out->n; i++) {
        struct pack_chunk *c = &out->v[i];
        c->raw_size = p->size - i * CHUNK < CHUNK ? p->size - i * CHUNK : CHUNK;
    }
    struct compress_job j = {p, out->v, arena_per_worker(p->arena)};
    parallel_for(threads, out->n, compress_chunk, &j);
}
