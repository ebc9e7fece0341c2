#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "ingest/nsys/nsys.h"

/* Any of these is enough: exports hold only the tables something was recorded for. */
static bool is_mark(const char *table)
{
    return str_starts(table, "CUPTI_ACTIVITY_KIND_") || str_starts(table, "TARGET_INFO_") ||
           str_eq(table, "META_DATA_EXPORT") || str_eq(table, "EXPORT_META_DATA") ||
           str_eq(table, "NVTX_EVENTS");
}

static bool detect(const struct probe *p)
{
    bool strings = false, mark = false;
    for (const char *const *t = p->tables; *t; t++) {
        strings |= str_eq(*t, "StringIds");
        mark |= is_mark(*t);
    }
    return strings && mark;
}

static void note_schema(struct nsys *n, const struct trace_file *f)
{
    char *end;
    long major = strtol(f->schema_version, &end, 10);
    if (end != f->schema_version && major > 3)
        trace_note(n->trace, NOTE_OTHER, 1,
                   "file has an Nsight Systems schema newer than 3, the newest known");
}

struct file_call {
    struct nsys *n;
    struct gs_error *err;
    bool ok;
};

static void read_file(void *ctx)
{
    struct file_call *call = ctx;
    struct nsys *n = call->n;
    struct gs_error *err = call->err;
    call->ok = nsys_read_strings(n, err) && nsys_read_who(n, err) && nsys_read_gpus(n, err) &&
               nsys_read_regions(n, err) && nsys_read_kernels(n, err) && nsys_read_graphs(n, err) &&
               nsys_read_copies(n, err) && nsys_read_memsets(n, err) &&
               nsys_read_allocations(n, err) && nsys_read_syncs(n, err) &&
               nsys_read_markers(n, err) && nsys_read_metrics(n, err) &&
               nsys_read_samples(n, err) && nsys_finish_processes(n, err) &&
               nsys_read_diagnostics(n, err) && nsys_count_tables(n, err);
}

static void begin_file(struct nsys *n)
{
    struct trace *t = n->trace;
    n->file = (uint32_t)t->files.n;
    n->first_process = (uint32_t)t->processes.n;
    n->kernels0 = t->kernels.n;
    n->copies0 = t->copies.n;
    n->allocations0 = t->allocations.n;
    n->regions0 = t->regions.n;
    n->markers0 = t->markers.n;
    n->env.rank = -1;
    struct idmap *maps[] = {&n->hosts,          &n->processes,  &n->names,     &n->thread_names,
                            &n->ranks,          &n->cuda_users, &n->gpu_by_id, &n->gpu_by_device,
                            &n->gpu_of_process, &n->sm_counts,  &n->agents,    &n->null_streams,
                            &n->count_of,       &n->machines};
    for (size_t i = 0; i < ARRAY_LEN(maps); i++)
        idmap_init(maps[i], n->arena);
    idtable_init(&n->strings, n->arena);
}

static void release_file(struct nsys *n)
{
    keys_release(&n->threads);
    keys_release(&n->streams);
    keys_release(&n->symbols);
    keys_release(&n->graphs);
    keys_release(&n->series);
    keys_release(&n->domains);
    texts_release(&n->texts);
    launches_release(&n->launches);
    arena_release(n->arena);
}

static void load_file(void *ctx)
{
    struct file_call *call = ctx;
    struct nsys *n = call->n;
    struct trace *t = n->trace;
    begin_file(n);
    struct trace_file file = {
        .path = n->db->path, .format = "nsys", .flavor = "Nsight Systems", .bytes = n->db->bytes};
    call->ok = nsys_read_meta(n, &file, call->err);
    if (!call->ok)
        return;
    note_schema(n, &file);
    vec_push(&t->files, &t->arena, file);
    read_file(call);
    const struct db *db = n->db;
    struct trace_file *f = &t->files.v[n->file];
    f->reader = db->slow_scans && !db->fast_scans ? "sqlite" : db->slow_scans ? "mixed" : "fast";
    f->reader_reason = db->slow_reason;
}

static bool load(struct trace *t, const char *path, const struct ingest_opts *o,
                 struct gs_error *err)
{
    struct db db;
    if (!db_open(&db, path, o->reader, o->threads, err))
        return false;
    db.progress = o->progress;
    db.progress = o->progress;
    struct arena arena;
    arena_init(&arena);
    struct nsys *n = mem_try_alloc(sizeof(*n));
    if (!n) {
        db_close(&db);
        return fail(err, GS_E_IO, "out of memory");
    }
    memset(n, 0, sizeof(*n));
    n->trace = t;
    n->db = &db;
    n->arena = &arena;
    struct file_call call = {n, err, false};
    bool had_memory = mem_guard(load_file, &call, err);
    if (had_memory && call.ok)
        trace_note(t, NOTE_UNFINISHED, db.unfinished,
                   "the writer had not finished; its last changes were recovered");
    release_file(n);
    mem_free(n);
    db_close(&db);
    return had_memory && call.ok;
}

const struct format format_nsys = {
    .name = "nsys",
    .label = "Nsight Systems database",
    .detect = detect,
    .load = load,
};
