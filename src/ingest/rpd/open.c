#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "ingest/rank.h"
#include "ingest/rpd/rpd.h"

static bool detect(const struct probe *p)
{
    bool api = false, op = false;
    for (const char *const *t = p->tables; *t; t++) {
        api |= str_eq(*t, "rocpd_api");
        op |= str_eq(*t, "rocpd_op");
    }
    return api && op;
}

uint32_t rpd_gpu(struct rpd *r, int64_t id)
{
    if (id == RPD_NONE || id < 0 || id > INT32_MAX)
        return NO_INDEX;
    uint32_t g = idmap_get(&r->gpus, (uint64_t)id);
    if (g != NO_INDEX || r->gpu_ids.n >= RPD_GPUS_MAX)
        return g;
    struct gpu made = {.index = (int32_t)id,
                       .node_id = (int32_t)id,
                       .vendor = r->cuda ? VENDOR_NVIDIA : VENDOR_AMD};
    g = trace_gpu(r->trace, &made);
    r->trace->gpus.v[g].used = true;
    idmap_put(&r->gpus, (uint64_t)id, g);
    vec_push(&r->gpu_ids, r->arena, id);
    return g;
}

static bool read_metadata(struct rpd *r, struct trace_file *f, struct gs_error *err)
{
    struct db_query q;
    if (!db_has_column(r->db, "rocpd_metadata", "tag") ||
        !db_has_column(r->db, "rocpd_metadata", "value"))
        return true;
    if (!db_query(&q, r->db, err,
                  "SELECT value FROM rocpd_metadata NOT INDEXED WHERE tag='schema_version'"))
        return false;
    while (db_next(&q))
        f->schema_version = arena_strdup(&r->trace->arena, db_text(&q, 0));
    return db_done(&q, err);
}

/* Operations without a call must belong to something. */
static void ensure_process(struct rpd *r)
{
    if (r->trace->processes.n > r->first_process)
        return;
    struct process p = {.rank = -1, .file = r->file};
    rank_from_path(&p, r->trace->files.v[r->file].path);
    vec_push(&r->trace->processes, &r->trace->arena, p);
}

static bool read_file(struct rpd *r, struct gs_error *err)
{
    struct idmap *maps[] = {&r->processes, &r->threads, &r->symbols, &r->graphs,
                            &r->streams,   &r->queues,  &r->gpus,    &r->agents};
    for (size_t i = 0; i < ARRAY_LEN(maps); i++)
        idmap_init(maps[i], r->arena);
    struct trace_file file = ingest_file(r->db->path, TRACE_RPD, WRITER_RPD, NULL);
    file.bytes = r->db->bytes;
    r->file = (uint32_t)r->trace->files.n;
    r->first_process = (uint32_t)r->trace->processes.n;
    trace_note(r->trace, NOTE_UNFINISHED, r->db->unfinished,
               "the writer had not finished; its last changes were recovered");
    if (!read_metadata(r, &file, err))
        return false;
    vec_push(&r->trace->files, &r->trace->arena, file);
    bool ok = rpd_read_strings(r, err) && rpd_read_calls(r, err);
    ensure_process(r);
    ok = ok && rpd_read_ops(r, err) && rpd_read_monitors(r, err);
    struct trace_file *f = &r->trace->files.v[r->file];
    f->reader = db_reader(r->db);
    f->reader_reason = r->db->slow_reason;
    return ok;
}

static bool load(struct trace *t, const char *path, const struct ingest_opts *o,
                 struct arena *arena, struct gs_error *err)
{
    struct db *db = ingest_db(path, o, detect, arena, err);
    if (!db)
        return false;
    struct rpd *r = arena_new(arena, struct rpd);
    *r = (struct rpd){.trace = t, .db = db, .arena = arena};
    launches_init(&r->launches, arena);
    return read_file(r, err);
}

const struct format format_rpd = {
    .name = "rpd",
    .label = "rocmProfileData (rpd) database",
    .detect = detect,
    .load = load,
};
