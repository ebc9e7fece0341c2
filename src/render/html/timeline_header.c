/* The header of the timeline's bytes: see timeline_pack.h. */
#include <string.h>

#include "base/jwrite.h"
#include "base/utf8.h"
#include "render/html/timeline_pack_in.h"

/* Texts that are written are needed no more; there can be millions of them. */
static void forget(struct arena *texts, size_t i)
{
    enum { TOGETHER = 256 };
    if (i % TOGETHER == TOGETHER - 1)
        arena_release(texts);
}

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
    if (k->kind == TRACK_PATH)
        return "what the end waits for";
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
                                 const size_t *sizes, struct arena *arena)
{
    static const char *const kinds[] = {
        [TRACK_KERNELS] = "kernels", [TRACK_COPIES] = "copies", [TRACK_MARKERS] = "markers",
        [TRACK_CALLS] = "calls",     [TRACK_SERIES] = "series", [TRACK_PATH] = "path"};
    jw_open(w, NULL, '{');
    jw_str(w, "kind", kinds[k->kind]);
    jw_str(w, "label", visible(arena, label_of(t->a->trace, k, arena)));
    index_or_null(w, "process", k->process);
    index_or_null(w, "gpu", k->slot);
    jw_uint(w, "n", k->n);
    jw_uint(w, "total", k->total);
    jw_open(w, "columns", '{');
    for (const enum pack_column *c = pack_columns(k->kind); *c != PACK_COLUMNS; c++)
        jw_uint(w, pack_column_name(*c), *sizes++);
    jw_close(w);
    jw_close(w);
    return sizes;
}

static void write_places(struct jwrite *w, const struct analysis *a, struct arena *arena)
{
    const struct trace *t = a->trace;
    jw_open(w, "processes", '[');
    for (size_t i = 0; i < t->processes.n; i++) {
        const struct process *p = &t->processes.v[i];
        const char *command = trace_str(t, p->command);
        const char *rank = p->rank < 0 ? "" : arena_printf(arena, "rank %d, ", p->rank);
        jw_str(w, NULL,
               visible(arena,
                       arena_printf(arena, "%sprocess %lld %s", rank, (long long)p->pid, command)));
        forget(arena, i);
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
        forget(arena, g);
    }
    jw_close(w);
}

static void write_names(struct jwrite *w, const struct tracks *t, const struct pack_tables *tables,
                        struct arena *arena)
{
    const struct trace *trace = t->a->trace;
    jw_open(w, "names", '[');
    for (size_t i = 0; i < tables->names.n; i++) {
        const struct pack_name *n = &tables->names.v[i];
        jw_open(w, NULL, '[');
        jw_str(w, NULL, n->text ? n->text : visible(arena, trace_str(trace, n->full)));
        if (n->text || n->brief == n->full)
            jw_int(w, NULL, 0);
        else
            jw_str(w, NULL, visible(arena, trace_str(trace, n->brief)));
        jw_str(w, NULL, n->class);
        jw_close(w);
        forget(arena, i);
    }
    jw_close(w);
}

void pack_write_header(struct str *out, const struct tracks *t, const struct pack_tables *tables,
                       const size_t *sizes, size_t launches_size)
{
    const struct view *v = &t->a->view;
    struct arena *texts = arena_child(out->arena);
    struct jwrite w;
    jw_init(&w, out, 0);
    jw_open(&w, NULL, '{');
    jw_int(&w, "version", 1);
    jw_str(&w, "start_ns", arena_printf(out->arena, "%lld", (long long)v->start_ns));
    jw_int(&w, "window_ns", pack_limited(view_window(v)));
    jw_uint(&w, "total", t->total);
    jw_uint(&w, "kept", t->kept);
    jw_uint(&w, "gpu_left_out", t->gpu_left_out);
    write_places(&w, t->a, texts);
    write_names(&w, t, tables, texts);
    jw_open(&w, "launches", '{');
    jw_uint(&w, "n", tables->launches.n);
    jw_uint(&w, "size", launches_size);
    jw_close(&w);
    jw_open(&w, "tracks", '[');
    for (size_t i = 0; i < t->v.n; i++) {
        sizes = write_track(&w, t, &t->v.v[i], sizes, texts);
        forget(texts, i);
    }
    jw_close(&w);
    jw_close(&w);
    arena_release(texts);
}
