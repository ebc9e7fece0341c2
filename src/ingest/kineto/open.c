/* The document: an object with a list of events and some facts, or the list alone. */
#include <string.h>

#include "base/fs.h"
#include "base/input.h"
#include "ingest/kineto/kineto.h"
#include "ingest/rank.h"

/* ---- detection, on the first bytes ---- */

/* Keys of the document that no other format has. */
static bool is_ours(const struct jread *j)
{
    static const char *const keys[] = {"traceEvents",     "deviceProperties",    "distributedInfo",
                                       "displayTimeUnit", "baseTimeNanoseconds", "traceName"};
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (jr_is(j, keys[i]))
            return true;
    return false;
}

static bool object_is_ours(struct jread *j)
{
    if (jr_object(j)) {
        while (jr_key(j)) {
            if (is_ours(j))
                return true;
            jr_skip(j);
        }
    }
    return false;
}

/* An event has a phase. */
static bool array_is_ours(struct jread *j)
{
    if (jr_array(j) && jr_item(j) && jr_object(j)) {
        while (jr_key(j)) {
            if (jr_is(j, "ph"))
                return true;
            jr_skip(j);
        }
    }
    return false;
}

static bool detect(const struct probe *p)
{
    if (p->is_sqlite || !p->n)
        return false;
    struct arena *temporary = arena_scratch();
    struct jread *j = jr_text(temporary, p->head, p->n);
    enum jtype type = jr_type(j);
    bool ours = type == J_OBJECT ? object_is_ours(j) : type == J_ARRAY ? array_is_ours(j) : false;
    arena_release(temporary);
    return ours;
}

/* ---- reading ---- */

static void read_events(struct kineto *k)
{
    if (!jr_array(k->json))
        return;
    k->has_events = true;
    while (jr_item(k->json))
        kineto_event(k);
}

/* Which profiler library a version belongs to tells the vendor. */
static bool read_vendor(struct kineto *k)
{
    struct jread *j = k->json;
    if (jr_is(j, "cupti_version") || jr_is(j, "cuda_runtime_version"))
        k->vendor = VENDOR_NVIDIA;
    else if (jr_is(j, "roctracer_version") || jr_is(j, "rocprofiler-sdk_version") ||
             jr_is(j, "hip_runtime_version"))
        k->vendor = VENDOR_AMD;
    else
        return false;
    jr_skip(j);
    return true;
}

/* A number or a text: 1, "1.0.1". */
static const char *version(struct kineto *k)
{
    if (jr_type(k->json) == J_NUMBER)
        return arena_printf(&k->trace->arena, "%g", jr_num(k->json, 0));
    const char *s = jr_str(k->json, NULL);
    return s ? arena_strdup(&k->trace->arena, s) : "";
}

static void read_fact(struct kineto *k)
{
    struct jread *j = k->json;
    struct trace_file *f = &k->trace->files.v[k->file];
    if (jr_is(j, "traceEvents")) {
        read_events(k);
    } else if (jr_is(j, "deviceProperties")) {
        kineto_properties(k);
        k->pytorch = true;
    } else if (jr_is(j, "distributedInfo")) {
        kineto_distributed(k);
        k->pytorch = true;
    } else if (jr_is(j, "schemaVersion")) {
        f->schema_version = version(k);
        k->pytorch = true;
    } else if (jr_is(j, "trace_id")) {
        f->guid = version(k);
    } else if (jr_is(j, "baseTimeNanoseconds")) {
        k->base_ns = jr_int(j, 0);
    } else if (!read_vendor(k)) {
        jr_skip(j); /* "metadata" and the like may hold an environment, secrets included */
    }
}

static bool read_document(struct kineto *k, struct gs_error *err)
{
    struct jread *j = k->json;
    enum jtype type = jr_type(j);
    if (type == J_ARRAY)
        read_events(k);
    else if (jr_object(j))
        while (jr_key(j))
            read_fact(k);
    if (!jr_end(j, err))
        return false;
    return k->has_events || fail(err, GS_E_FORMAT, "no list of events ('traceEvents') in it");
}

static void start(struct kineto *k, const char *path)
{
    struct trace *t = k->trace;
    struct idmap *maps[] = {&k->category_of, &k->processes, &k->threads,     &k->symbols,
                            &k->lane_of,     &k->devices,   &k->gpu_of,      &k->agents,
                            &k->streams,     &k->arrows,    &k->xla_streams, &k->xla_names};
    struct str *texts[] = {&k->name, &k->copy_kind, &k->collective, &k->data_type, &k->label};
    for (size_t i = 0; i < ARRAY_LEN(maps); i++)
        idmap_init(maps[i], k->arena);
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        str_init(texts[i], k->arena);
    struct trace_file f = ingest_file(path, TRACE_KINETO, WRITER_UNKNOWN, "json");
    struct process p = {.rank = -1, .file = (uint32_t)t->files.n};
    k->file = (uint32_t)t->files.n;
    k->process = (uint32_t)t->processes.n;
    k->rank = -1;
    vec_push(&t->files, &t->arena, f);
    vec_push(&t->processes, &t->arena, p);
    k->first.kernels = t->kernels.n;
    k->first.copies = t->copies.n;
    k->first.regions = t->regions.n;
    k->first.markers = t->markers.n;
    k->first.allocations = t->allocations.n;
    k->first.syncs = t->syncs.n;
}

static void set_ranks(struct kineto *k, const char *path)
{
    struct trace *t = k->trace;
    for (size_t i = k->process; i < t->processes.n; i++) {
        struct process *p = &t->processes.v[i];
        if (k->rank >= 0 && k->rank <= INT32_MAX) {
            p->rank = (int32_t)k->rank;
            p->rank_source = "distributedInfo";
        }
        rank_from_path(p, path);
    }
}

struct kineto *kineto_new(struct trace *t, const char *path, struct arena *a)
{
    struct kineto *k = arena_new(a, struct kineto);
    *k = (struct kineto){.trace = t, .arena = a};
    launches_init(&k->raw, a);
    launches_init(&k->launches, a);
    start(k, path);
    return k;
}

bool kineto_end(struct kineto *k, const char *path, struct gs_error *err)
{
    bool ok = kineto_finish(k, err);
    set_ranks(k, path);
    if (k->pytorch)
        k->trace->files.v[k->file].flavor = WRITER_PYTORCH;
    else if (k->xla)
        k->trace->files.v[k->file].flavor = WRITER_JAX;
    return ok;
}

static bool load(struct trace *t, const char *path, const struct ingest_opts *o,
                 struct arena *arena, struct gs_error *err)
{
    struct input *in = ingest_input(path, o, arena, err);
    if (!in)
        return false;
    struct kineto *k = kineto_new(t, path, arena);
    k->json = jr_new(arena, input_read, in);
    bool ok = read_document(k, err);
    if (!input_error(in, err) || !ok) /* the reason, when it was the file that failed */
        return false;
    return kineto_end(k, path, err);
}

const struct format format_kineto = {
    .name = "kineto",
    .label = "PyTorch profiler (Kineto) or Chrome JSON",
    .detect = detect,
    .load = load,
};
