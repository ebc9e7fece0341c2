/* GPU_METRICS: hardware counters sampled over time; TARGET_INFO_GPU_METRICS names them. */
#include <string.h>

#include "ingest/nsys/nsys.h"

struct metric_job {
    struct nsys *n;
    size_t base;
    struct idmap names;      /* type and metric -> trace string */
    uint32_t first_gpu[256]; /* by number, on whatever machine */
};

enum { TIME, TYPE, METRIC, VALUE, N_COLS };

static const struct scan_col columns[N_COLS] = {
    [TIME] = {"timestamp", SCAN_INT, false, NO_VALUE},
    [TYPE] = {"typeId", SCAN_INT, true, 0},
    [METRIC] = {"metricId", SCAN_INT, false, 0},
    [VALUE] = {"value", SCAN_REAL, false, 0},
};

static void begin(void *ctx, size_t rows)
{
    struct metric_job *job = ctx;
    struct trace *t = job->n->trace;
    trace_rows_from(t, telemetry, job->base, rows);
}

static void rows(void *ctx, const struct scan_batch *b)
{
    struct metric_job *job = ctx;
    struct nsys *n = job->n;
    struct telemetry *out = &n->trace->telemetry;
    for (size_t i = 0; i < b->n; i++) {
        size_t row = job->base + b->first + i;
        struct key series = {{batch_ints(b, TYPE)[i], batch_ints(b, METRIC)[i]}};
        out->time_ns[row] = nsys_time(n, batch_ints(b, TIME)[i]);
        out->value[row] = batch_reals(b, VALUE)[i];
        out->series[row] = keys_add(&n->series, b->worker, series);
    }
}

static uint64_t metric_key(int64_t type, int64_t metric)
{
    int64_t pair[2] = {type, metric};
    return hash_bytes(pair, sizeof(pair));
}

static void find_gpus(struct metric_job *job)
{
    const struct idmap *gpus = &job->n->gpu_by_id;
    memset(job->first_gpu, 0xff, sizeof(job->first_gpu));
    for (size_t i = 0; gpus->n && i <= gpus->mask; i++) {
        uint32_t number = (uint32_t)gpus->slots[i].key, gpu = gpus->slots[i].value;
        if (gpu != NO_INDEX && number < 256 && gpu < job->first_gpu[number])
            job->first_gpu[number] = gpu;
    }
}

static bool read_names(struct metric_job *job, struct gs_error *err)
{
    static const char *const names[] = {"typeId", "metricId", "metricName", NULL};
    struct nsys *n = job->n;
    struct db_query q;
    idmap_init(&job->names, n->arena);
    if (!db_select(&q, n->db, "TARGET_INFO_GPU_METRICS", names, err))
        return false;
    while (db_next(&q))
        idmap_put(&job->names,
                  metric_key(sqlite3_column_int64(q.stmt, 0), sqlite3_column_int64(q.stmt, 1)),
                  nsys_text(n, &q, 2));
    return db_done(&q, err);
}

/* "SMs Active [Throughput %]" is a name and its unit; the GPU is in the low byte of the type. */
static uint32_t resolve_series(void *ctx, const struct key *key)
{
    struct metric_job *job = ctx;
    struct nsys *n = job->n;
    struct trace *t = n->trace;
    uint32_t name = idmap_get(&job->names, metric_key(key->v[0], key->v[1]));
    const char *text = name == NO_INDEX ? "" : trace_str(t, name);
    const char *open = strrchr(text, '[');
    size_t len = strlen(text);
    struct series s = {.process = NO_INDEX};
    if (!len)
        text = arena_printf(n->arena, "metric %lld", (long long)key->v[1]);
    if (open && open > text && open[-1] == ' ' && text[len - 1] == ']') {
        s.units = strings_addn(&t->strings, open + 1, (size_t)(text + len - open) - 2);
        s.name = strings_addn(&t->strings, text, (size_t)(open - text) - 1);
    } else {
        s.name = strings_add(&t->strings, text);
    }
    uint64_t machine = gid_machine(key->v[0]);
    s.gpu = idmap_get(&n->gpu_by_id, pair_key(machine, key->v[0] & 0xff));
    if (s.gpu == NO_INDEX) /* types without a machine */
        s.gpu = job->first_gpu[key->v[0] & 0xff];
    vec_push(&t->series, &t->arena, s);
    return (uint32_t)t->series.n - 1;
}

static void drop_timeless(struct metric_job *job)
{
    struct telemetry *out = &job->n->trace->telemetry;
    size_t to = job->base, all = out->n;
    for (size_t from = job->base; from < all; from++) {
        if (out->time_ns[from] == NO_VALUE)
            continue;
        table_move(out, TELEMETRY_COLUMNS, to++, from);
    }
    out->n = to;
    trace_note(job->n->trace, NOTE_SKIPPED, all - to, "metric samples without a time");
}

bool nsys_read_metrics(struct nsys *n, struct gs_error *err)
{
    struct telemetry *out = &n->trace->telemetry;
    struct metric_job job = {.n = n, .base = out->n};
    struct scan scan = {"GPU_METRICS", columns, N_COLS, begin, rows, &job, NULL};
    if (!nsys_has_column(n, "GPU_METRICS", "timestamp"))
        return true;
    if (!read_names(&job, err))
        return false;
    find_gpus(&job);
    if (!nsys_scan(n, &scan, err))
        return false;
    drop_timeless(&job);
    keys_finish(&n->series, out->series, job.base, out->n, resolve_series, &job);
    return true;
}
