/* rocpd_monitor: clocks, power, load. A row is a value and the time it held. */
#include "base/str.h"
#include "ingest/rpd/rpd.h"

struct monitor_job {
    struct rpd *r;
    struct idmap gpus;    /* monitor's number -> GPU + 1, or 0; once it was asked for */
    struct idmap series;  /* name and GPU -> series */
    VEC(int64_t) devices; /* GPU numbers of the monitor, ascending */
};

static uint32_t units_of(struct rpd *r, const char *type)
{
    static const struct {
        const char *part, *units;
    } table[] = {{"clk", "MHz"}, {"power", "W"}, {"temp", "C"}, {"util", "%"}, {"use", "%"}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (str_has_fold(type, table[i].part))
            return strings_add(&r->trace->strings, table[i].units);
    return 0;
}

static size_t rank_among(const int64_t *v, size_t n, int64_t id)
{
    size_t smaller = 0;
    for (size_t i = 0; i < n; i++)
        smaller += v[i] < id;
    return smaller;
}

static bool contains(const int64_t *v, size_t n, int64_t id)
{
    for (size_t i = 0; i < n; i++)
        if (v[i] == id)
            return true;
    return false;
}

/*
 * Monitors number GPUs from 0; operations often after the CPUs of the node, which the file does
 * not count. They are the same numbers when some operation ran on 0, and in the same order when
 * there are as many of both. Otherwise it cannot be told which GPU a monitor watched.
 */
static uint32_t find_gpu(const struct monitor_job *job, int64_t device)
{
    struct rpd *r = job->r;
    size_t n = r->gpu_ids.n;
    if (contains(r->gpu_ids.v, n, 0))
        return contains(r->gpu_ids.v, n, device) ? rpd_gpu(r, device) : NO_INDEX;
    if (n != job->devices.n)
        return NO_INDEX;
    size_t want = rank_among(job->devices.v, n, device);
    for (size_t i = 0; i < n; i++)
        if (rank_among(r->gpu_ids.v, n, r->gpu_ids.v[i]) == want)
            return rpd_gpu(r, r->gpu_ids.v[i]);
    return NO_INDEX;
}

static uint32_t gpu_of(struct monitor_job *job, int64_t device)
{
    uint32_t known = idmap_get(&job->gpus, (uint64_t)device);
    if (known == NO_INDEX) {
        known = find_gpu(job, device) + 1;
        idmap_put(&job->gpus, (uint64_t)device, known);
    }
    return known - 1;
}

static uint32_t series_of(struct monitor_job *job, const char *device, int64_t id, const char *type)
{
    struct rpd *r = job->r;
    struct trace *t = r->trace;
    bool is_gpu = str_eq(device, "gpu");
    uint32_t gpu = is_gpu ? gpu_of(job, id) : NO_INDEX;
    const char *name =
        gpu != NO_INDEX ? type : arena_printf(r->arena, "%s %lld %s", device, (long long)id, type);
    struct series s = {strings_add(&t->strings, name), units_of(r, type), gpu, r->first_process};
    uint64_t key = (uint64_t)s.name << 32 | gpu;
    uint32_t known = idmap_get(&job->series, key);
    if (known != NO_INDEX || t->series.n >= RPD_SERIES_MAX) /* more than any machine has */
        return known;
    idmap_put(&job->series, key, (uint32_t)t->series.n);
    vec_push(&t->series, &t->arena, s);
    return (uint32_t)t->series.n - 1;
}

static void add_point(struct trace *t, uint32_t series, struct db_query *q)
{
    trace_room(t, telemetry, 1);
    size_t k = t->telemetry.n++;
    t->telemetry.time_ns[k] = sqlite3_column_int64(q->stmt, 3);
    t->telemetry.value[k] = sqlite3_column_double(q->stmt, 4); /* text becomes a number here */
    t->telemetry.series[k] = series;
}

static bool find_devices(struct monitor_job *job, struct gs_error *err)
{
    struct db_query q;
    if (!db_query(&q, job->r->db, err,
                  "SELECT DISTINCT deviceId FROM rocpd_monitor NOT INDEXED WHERE deviceType='gpu' "
                  "ORDER BY 1 LIMIT 1024"))
        return false;
    while (db_next(&q))
        vec_push(&job->devices, job->r->arena, sqlite3_column_int64(q.stmt, 0));
    return db_done(&q, err);
}

/* Series after series, each in order of time. */
bool rpd_read_monitors(struct rpd *r, struct gs_error *err)
{
    static const char *const columns[] = {"deviceType", "deviceId", "monitorType", "start",
                                          "value"};
    struct monitor_job job = {.r = r};
    struct db_query q;
    if (!db_has_table(r->db, "rocpd_monitor"))
        return true;
    for (size_t i = 0; i < ARRAY_LEN(columns); i++)
        if (!db_has_column(r->db, "rocpd_monitor", columns[i]))
            return fail(err, GS_E_FORMAT, "table 'rocpd_monitor' has no column '%s'", columns[i]);
    idmap_init(&job.gpus, r->arena);
    idmap_init(&job.series, r->arena);
    if (!find_devices(&job, err) ||
        !db_query(
            &q, r->db, err,
            "SELECT deviceType, deviceId, monitorType, start, value FROM rocpd_monitor NOT INDEXED "
            "WHERE "
            "start IS NOT NULL ORDER BY 1, 2, 3, 4"))
        return false;
    const char *device = NULL, *type = NULL;
    int64_t id = 0;
    uint32_t series = NO_INDEX;
    while (db_next(&q)) {
        if (!device || id != sqlite3_column_int64(q.stmt, 1) || !str_eq(device, db_text(&q, 0)) ||
            !str_eq(type, db_text(&q, 2))) {
            device = arena_strdup(r->arena, db_text(&q, 0));
            type = arena_strdup(r->arena, db_text(&q, 2));
            id = sqlite3_column_int64(q.stmt, 1);
            series = series_of(&job, device, id, type);
        }
        if (series != NO_INDEX)
            add_point(r->trace, series, &q);
    }
    return db_done(&q, err);
}
