#include <stdlib.h>
#include <string.h>

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

static bool read_file(struct nsys *n, struct gs_error *err)
{
    return nsys_read_strings(n, err) && nsys_read_who(n, err) && nsys_read_gpus(n, err) &&
           nsys_read_regions(n, err) && nsys_read_kernels(n, err) && nsys_read_graphs(n, err) &&
           nsys_read_copies(n, err) && nsys_read_memsets(n, err) && nsys_read_allocations(n, err) &&
           nsys_read_syncs(n, err) && nsys_read_markers(n, err) && nsys_read_metrics(n, err) &&
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
    n->regions0 = t->regions.n;
    n->env.rank = -1;
    struct idmap *maps[] = {&n->hosts,          &n->processes,  &n->names,     &n->thread_names,
                            &n->ranks,          &n->cuda_users, &n->gpu_by_id, &n->gpu_by_device,
                            &n->gpu_of_process, &n->sm_counts,  &n->agents,    &n->stream_kinds,
                            &n->count_of,       &n->machines};
    for (size_t i = 0; i < ARRAY_LEN(maps); i++)
        idmap_init(maps[i], n->arena);
    idtable_init(&n->strings, n->arena);
}

static void release_file(void *file)
{
    struct nsys *n = file;
    keys_release(&n->threads);
    keys_release(&n->streams);
    keys_release(&n->symbols);
    keys_release(&n->graphs);
    keys_release(&n->series);
    keys_release(&n->domains);
    keys_release(&n->waited);
    texts_release(&n->texts);
}

static bool load(struct trace *t, const char *path, const struct ingest_opts *o,
                 struct arena *arena, struct gs_error *err)
{
    struct db *db = ingest_db(path, o, detect, arena, err);
    if (!db)
        return false;
    struct nsys *n = arena_new(arena, struct nsys);
    n->trace = t;
    n->db = db;
    n->arena = arena;
    arena_defer(arena, release_file, n);
    launches_init(&n->launches, arena);
    begin_file(n);
    struct trace_file file = {
        .path = db->path, .format = TRACE_NSYS, .flavor = WRITER_NSYS, .bytes = db->bytes};
    if (!nsys_read_meta(n, &file, err))
        return false;
    note_schema(n, &file);
    vec_push(&t->files, &t->arena, file);
    bool ok = read_file(n, err);
    struct trace_file *f = &t->files.v[n->file];
    f->reader = db_reader(db);
    f->reader_reason = db->slow_reason;
    if (ok)
        trace_note(t, NOTE_UNFINISHED, db->unfinished,
                   "the writer had not finished; its last changes were recovered");
    return ok;
}

const struct format format_nsys = {
    .name = "nsys",
    .label = "Nsight Systems database",
    .detect = detect,
    .load = load,
};
