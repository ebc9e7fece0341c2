#include <string.h>

#include "base/fs.h"
#include "base/input.h"
#include "base/mem.h"
#include "ingest/ingest.h"
#include "ingest/rank.h"
#include "ingest/rocprofv3_json/json.h"

static const char ROOT[] = "rocprofiler-sdk-tool";

/* The root key is the first one rocprofv3 writes; anything small may stand before it. */
static bool detect(const struct probe *p)
{
    struct jread j;
    bool found = false;
    if (p->is_sqlite)
        return false;
    jr_memory(&j, p->head, p->n);
    if (jr_object(&j)) {
        while (!found && jr_key(&j)) {
            found = jr_is(&j, ROOT);
            if (jr_is(&j, "traceEvents"))
                break;
            if (!found)
                jr_skip(&j);
        }
    }
    jr_release(&j);
    return found;
}

struct load_call {
    struct trace *trace;
    struct jread *j;
    const char *path;
    uint32_t file;
    struct rv3j *r; /* the process being read, to be released */
};

static void release_process(void *call)
{
    struct load_call *c = call;
    if (!c->r)
        return;
    rv3_release(&c->r->build);
    table_release(&c->r->marker_texts, &rv3_texts_desc);
    table_release(&c->r->rename_texts, &rv3_texts_desc);
    mem_free(c->r);
    c->r = NULL;
}

static void load_process(struct load_call *c)
{
    struct rv3j *r = c->r = mem_calloc(1, sizeof(*r));
    r->trace = c->trace;
    r->j = c->j;
    rv3_init(&r->build, c->trace, c->file);
    idmap_init(&r->rename_slots, &r->build.arena);
    str_init(&r->full_name, &r->build.arena);
    str_init(&r->shown_name, &r->build.arena);
    r->process = rv3_process(&r->build, &(struct process){.rank = -1, .file = c->file});
    rv3j_read_process(r);
    struct process *p = &c->trace->processes.v[r->build.processes.v[0].process];
    rank_from_path(p, c->path);
    rv3j_resolve(r);
    rv3_finish(&r->build);
    release_process(c);
}

static void load_all(struct load_call *c)
{
    struct jread *j = c->j;
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (!jr_is(j, ROOT))
            jr_skip(j);
        else if (jr_type(j) == J_OBJECT)
            load_process(c);
        else if (jr_array(j))
            while (jr_item(j))
                load_process(c);
    }
}

static bool load(struct trace *t, const char *path, const struct ingest_opts *o,
                 struct arena *arena, struct gs_error *err)
{
    struct input *in = input_new(arena, path, err);
    if (!in)
        return false;
    in->progress = o->progress;
    int64_t bytes = fs_size(path);
    struct trace_file file = {.path = path,
                              .format = "rocprofv3-json",
                              .flavor = "rocprofv3",
                              .schema_version = "",
                              .tool_version = "",
                              .guid = "",
                              .reader = "fast",
                              .bytes = bytes < 0 ? 0 : (uint64_t)bytes};
    struct load_call *call = arena_new(arena, struct load_call);
    *call = (struct load_call){
        .trace = t, .j = jr_new(arena, input_read, in), .path = path, .file = (uint32_t)t->files.n};
    arena_defer(arena, release_process, call);
    vec_push(&t->files, &t->arena, file);
    load_all(call);
    bool ok = jr_end(call->j, err);
    return input_error(in, err) && ok;
}

const struct format format_rocprofv3_json = {
    .name = "rocprofv3-json",
    .label = "AMD rocprofv3 JSON",
    .detect = detect,
    .load = load,
};
