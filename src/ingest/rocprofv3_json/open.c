#include <string.h>

#include "base/fs.h"
#include "base/input.h"
#include "ingest/ingest.h"
#include "ingest/rank.h"
#include "ingest/rocprofv3_json/json.h"

static const char ROOT[] = "rocprofiler-sdk-tool";

/* The root key is the first one rocprofv3 writes; anything small may stand before it. */
static bool detect(const struct probe *p)
{
    bool found = false;
    if (p->is_sqlite)
        return false;
    struct arena *temporary = arena_scratch();
    struct jread *j = jr_text(temporary, p->head, p->n);
    if (jr_object(j)) {
        while (!found && jr_key(j)) {
            found = jr_is(j, ROOT);
            if (jr_is(j, "traceEvents"))
                break;
            if (!found)
                jr_skip(j);
        }
    }
    arena_release(temporary);
    return found;
}

struct load_call {
    struct trace *trace;
    struct jread *j;
    const struct input *in;
    const char *path;
    uint32_t file;
    struct arena *own; /* of the process being read */
};

static void release_texts(void *process)
{
    struct rv3j *r = process;
    table_release(&r->marker_texts, &rv3_texts_desc);
    table_release(&r->rename_texts, &rv3_texts_desc);
}

static void load_process(struct load_call *c)
{
    struct rv3j *r = arena_new(c->own, struct rv3j);
    arena_defer(c->own, release_texts, r);
    r->trace = c->trace;
    r->j = c->j;
    rv3_init(&r->build, c->trace, c->file, c->own);
    r->build.input = c->in;
    idmap_init(&r->rename_slots, c->own);
    str_init(&r->full_name, c->own);
    str_init(&r->shown_name, c->own);
    r->process = rv3_process(&r->build, &(struct process){.rank = -1, .file = c->file});
    rv3j_read_process(r);
    struct process *p = &c->trace->processes.v[r->build.processes.v[0].process];
    rank_from_path(p, c->path);
    rv3j_resolve(r);
    rv3_finish(&r->build);
    arena_release(c->own);
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
    struct input *in = ingest_input(path, o, arena, err);
    if (!in)
        return false;
    struct trace_file file = ingest_file(path, TRACE_ROCPROFV3_JSON, WRITER_ROCPROFV3, "fast");
    struct load_call call = {.trace = t,
                             .j = jr_new(arena, input_read, in),
                             .in = in,
                             .path = path,
                             .file = (uint32_t)t->files.n,
                             .own = arena_child(arena)};
    vec_push(&t->files, &t->arena, file);
    load_all(&call);
    table_resize(&t->kernels, &kernels_desc, t->kernels.n);
    table_resize(&t->regions, &regions_desc, t->regions.n);
    bool ok = jr_end(call.j, err);
    return input_error(in, err) && ok;
}

const struct format format_rocprofv3_json = {
    .name = "rocprofv3-json",
    .label = "AMD rocprofv3 JSON",
    .detect = detect,
    .load = load,
};
