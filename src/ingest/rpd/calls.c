/* rocpd_api: host calls and, under the name UserMarker, what the user wrote into the trace. */
#include <ctype.h>
#include <string.h>

#include "base/str.h"
#include "ingest/rank.h"
#include "ingest/rpd/rpd.h"

static const struct scan_col api_columns[] = {
    [API_ID] = {"id", SCAN_INT, false, 0},
    [API_PID] = {"pid", SCAN_INT, false, 0},
    [API_TID] = {"tid", SCAN_INT, false, 0},
    [API_START] = {"start", SCAN_INT, false, RPD_NONE},
    [API_END] = {"end", SCAN_INT, false, RPD_NONE},
    [API_NAME] = {"apiName_id", SCAN_INT, false, RPD_NONE},
    [API_ARGS] = {"args_id", SCAN_INT, true, RPD_NONE},
};

enum { API_COLS = ARRAY_LEN(api_columns) };

/* In kinds[] while reading: the row is a marker. */
enum { KIND_MARKER = REGION_KINDS };

struct call_job {
    struct rpd *r;
    uint8_t *kinds;              /* by trace string */
    struct rpd_columns autograd; /* ids of calls that are operations of PyTorch */
    uint32_t autograd_domain;
    size_t n_markers;
};

static uint8_t kind_of(const char *name)
{
    static const struct {
        const char *prefix;
        uint8_t kind;
    } table[] = {
        {"UserMarker", KIND_MARKER},
        {"hip", REGION_HIP},
        {"hsa_", REGION_HSA},
        {"cuda", REGION_HIP},
        {"nccl", REGION_COLLECTIVE},
        {"rccl", REGION_COLLECTIVE},
        {"MPI_", REGION_MPI},
        {"hcc_activity_callback", REGION_OTHER}, /* this and the next: the tracer itself */
        {"rpdflush", REGION_OTHER},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (str_starts(name, table[i].prefix))
            return table[i].kind;
    if (str_ends(name, "::writeRows"))
        return REGION_OTHER;
    return name[0] == 'c' && name[1] == 'u' && isupper((unsigned char)name[2]) ? REGION_HSA
                                                                               : REGION_USER;
}

static void classify(struct call_job *job)
{
    struct rpd *r = job->r;
    const struct strings *s = &r->trace->strings;
    job->kinds = arena_array(r->arena, uint8_t, s->n);
    for (size_t i = 0; i < s->n; i++)
        job->kinds[i] = kind_of(s->v[i].text);
    for (size_t i = 0; i < r->apis.n; i++) {
        uint32_t name = rpd_string(r, r->apis.col[API_NAME][i]);
        job->n_markers += job->kinds[name] == KIND_MARKER;
        r->cuda |= str_starts(trace_str(r->trace, name), "cuda");
    }
}

static uint32_t process_of(struct rpd *r, int64_t pid)
{
    uint32_t p = idmap_get(&r->processes, (uint64_t)pid);
    if (p != NO_INDEX)
        return p;
    struct process made = {.pid = pid, .rank = -1, .file = r->file};
    rank_from_path(&made, r->trace->files.v[r->file].path);
    p = (uint32_t)r->trace->processes.n;
    vec_push(&r->trace->processes, &r->trace->arena, made);
    idmap_put(&r->processes, (uint64_t)pid, p);
    return p;
}

static uint32_t thread_of(struct rpd *r, int64_t pid, int64_t tid)
{
    uint32_t process = process_of(r, pid);
    uint64_t key = hash_u64((uint64_t)pid) ^ (uint64_t)tid;
    uint32_t t = idmap_get(&r->threads, key);
    if (t != NO_INDEX && r->trace->threads.v[t].process == process &&
        r->trace->threads.v[t].tid == tid)
        return t;
    t = (uint32_t)r->trace->threads.n;
    vec_push(&r->trace->threads, &r->trace->arena,
             ((struct thread){.process = process, .tid = tid}));
    idmap_put(&r->threads, key, t);
    return t;
}

/*
 * What torch.autograd.profiler.emit_nvtx() writes is an operation and its details ("aten::add, seq
 * = 7, op_id = 12, sizes = [[2]]"): the operation is the name.
 */
static uint32_t marker_name(struct call_job *job, size_t i, uint32_t *domain)
{
    struct rpd *r = job->r;
    struct trace *t = r->trace;
    uint32_t name = rpd_string(r, r->apis.col[API_ARGS][i]);
    const char *text = trace_str(t, name), *end = strstr(text, ", seq = ");
    if (!end)
        end = strstr(text, ", op_id = ");
    bool operation = end || rpd_row(&job->autograd, r->apis.col[API_ID][i]) != NO_INDEX;
    *domain = operation ? job->autograd_domain : 0;
    if (end) {
        char *copy = arena_strndup(r->arena, text, (size_t)(end - text));
        return strings_add(&t->strings, copy);
    }
    return name ? name : strings_add(&t->strings, "UserMarker");
}

static void add_marker(struct call_job *job, size_t i, int64_t start, int64_t end)
{
    struct markers *m = &job->r->trace->markers;
    size_t k = m->n++;
    m->start_ns[k] = start;
    m->end_ns[k] = end;
    m->id[k] = job->r->apis.col[API_ID][i];
    m->name[k] = marker_name(job, i, &m->domain[k]);
    m->thread[k] = job->r->api_thread[i];
    m->kind[k] = start == end ? MARKER_INSTANT : MARKER_THREAD_RANGE;
}

static void add_region(struct rpd *r, size_t i, int64_t start, int64_t end, uint8_t kind)
{
    struct regions *g = &r->trace->regions;
    size_t k = g->n++;
    g->start_ns[k] = start;
    g->end_ns[k] = end;
    g->id[k] = r->apis.col[API_ID][i];
    g->name[k] = rpd_string(r, r->apis.col[API_NAME][i]);
    g->thread[k] = r->api_thread[i];
    g->kind[k] = kind;
    r->api_region[i] = (uint32_t)k;
}

static void convert(struct call_job *job)
{
    struct rpd *r = job->r;
    const struct rpd_columns *a = &r->apis;
    uint64_t no_name = 0, no_time = 0;
    r->api_region = arena_array(r->arena, uint32_t, a->n);
    r->api_thread = arena_array(r->arena, uint32_t, a->n);
    trace_room(r->trace, markers, job->n_markers);
    trace_room(r->trace, regions, a->n - job->n_markers);
    for (size_t i = 0; i < a->n; i++) {
        int64_t start = a->col[API_START][i], end = a->col[API_END][i];
        uint32_t name = rpd_string(r, a->col[API_NAME][i]);
        uint8_t kind = job->kinds[name];
        start = start == RPD_NONE ? end : start;
        end = end == RPD_NONE ? start : end;
        r->api_region[i] = NO_INDEX;
        r->api_thread[i] = thread_of(r, a->col[API_PID][i], a->col[API_TID][i]);
        no_name += !name;
        no_time += start == RPD_NONE;
        if (start == RPD_NONE)
            continue;
        if (kind == KIND_MARKER)
            add_marker(job, i, start, end);
        else
            add_region(r, i, start, end, kind);
    }
    trace_note(r->trace, NOTE_DANGLING, no_name, "calls whose name is not listed");
    trace_note(r->trace, NOTE_NULL, no_time, "calls without times");
}

bool rpd_read_calls(struct rpd *r, struct gs_error *err)
{
    static const struct scan_col ids[] = {{"api_ptr_id", SCAN_INT, false, 0}};
    struct call_job job = {.r = r};
    if (!rpd_read_columns(r, "rocpd_api", api_columns, API_COLS, &r->apis, err))
        return false;
    if (db_has_table(r->db, "ext_autogradapi") &&
        !rpd_read_columns(r, "ext_autogradapi", ids, 1, &job.autograd, err))
        return false;
    job.autograd_domain = strings_add(&r->trace->strings, "autograd");
    classify(&job);
    convert(&job);
    return true;
}
