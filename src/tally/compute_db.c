/*
 * The database of 'rocprof-compute analyze --output-format db': tables compute_*, of schema 1 and 2.
 * Rows are read table by table and joined here, since the file has no indexes; a row that refers to
 * nothing keeps what it has.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/jread.h"
#include "base/sat.h"
#include "base/str.h"
#include "tally/tally_in.h"

struct definition {
    const char *id, *name, *unit, *panel, *table;
    int64_t workload;
    size_t size; /* of its texts: rows repeat them */
};

struct kernel {
    const char *name;
    size_t size; /* of the name */
    int64_t workload;
    uint64_t dispatches;
    double total, least_ns, most_ns; /* ns */
};

struct reading {
    struct tally *t;
    struct db *db;
    const char *path;
    struct arena *arena;
    struct idmap workloads, kernels, metrics; /* id -> row */
    VEC(const char *) workload_names;
    VEC(size_t) workload_sizes;
    VEC(struct kernel) kernel_rows;
    VEC(struct definition) metric_rows;
    struct gs_error *err;
};

static bool detect(const struct probe *p)
{
    bool workload = false, other = false;
    for (const char *const *t = p->tables; *t; t++) {
        workload |= str_eq(*t, "compute_workload");
        other |= str_eq(*t, "compute_kernel") || str_eq(*t, "compute_metric_definition") ||
                 str_eq(*t, "compute_metadata");
    }
    return workload && other;
}

static const char *text_at(struct reading *r, struct db_query *q, int column)
{
    if (sqlite3_column_type(q->stmt, column) == SQLITE_NULL)
        return NULL;
    const char *text = db_text(q, column);
    return arena_strndup(r->t->arena, text, strlen(text));
}

static size_t size_of(const char *text)
{
    return text ? strlen(text) : 0;
}

static double real_at(struct db_query *q, int column)
{
    int type = sqlite3_column_type(q->stmt, column);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT ? sqlite3_column_double(q->stmt, column)
                                                          : NAN;
}

/*
 * SELECT of these columns, in this order; NULL where the table does not have one. False without an
 * error when there is no such table, or none of its columns.
 */
static bool ask(struct reading *r, struct db_query *q, const char *table,
                const char *const *columns, size_t n, bool *failed)
{
    struct str s;
    bool any = false;
    *failed = false;
    if (!db_has_table(r->db, table))
        return false;
    str_init(&s, r->arena);
    for (size_t i = 0; i < n; i++) {
        bool has = db_has_column(r->db, table, columns[i]);
        str_printf(&s, "%s%s%s%s", i ? ", " : "", has ? "\"" : "", has ? columns[i] : "NULL",
                   has ? "\"" : "");
        any |= has;
    }
    if (!any)
        return false;
    *failed = !db_query(q, r->db, r->err, "SELECT %s FROM \"%w\" NOT INDEXED", s.buf, table);
    return !*failed;
}

#define ASK(r, q, table, failed, ...)                                                              \
    ask(r, q, table, (const char *const[]){__VA_ARGS__},                                           \
        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), failed)

/* "MI300X" of {"gpu_model": "MI300X", ...}, or of the list that holds one such object. */
static const char *gpu_of(struct reading *r, const char *json)
{
    static const char *const keys[] = {"gpu_model", "gpu_series", "gpu_arch"};
    const char *found = NULL;
    size_t best = ARRAY_LEN(keys);
    struct jread *j = json ? jr_text(r->arena, json, strlen(json)) : NULL;
    if (j && jr_type(j) == J_ARRAY && jr_array(j) && !jr_item(j))
        return NULL;
    if (j && jr_object(j))
        while (jr_key(j)) {
            size_t k = 0;
            while (k < best && !jr_is(j, keys[k]))
                k++;
            const char *text = k < best && jr_type(j) == J_STRING ? jr_str(j, NULL) : NULL;
            if (text) {
                found = arena_strdup(r->t->arena, text);
                best = k;
            } else if (k >= best || jr_type(j) != J_NONE) {
                jr_skip(j);
            }
        }
    return found;
}

static bool read_workloads(struct reading *r)
{
    struct db_query q;
    bool failed;
    const char *version = NULL, *schema = NULL;
    if (ASK(r, &q, "compute_metadata", &failed, "compute_version", "schema_version")) {
        while (db_next(&q)) {
            version = text_at(r, &q, 0);
            schema = text_at(r, &q, 1);
        }
        failed = !db_done(&q, r->err);
    }
    if (failed)
        return false;
    if (!ASK(r, &q, "compute_workload", &failed, "workload_id", "name", "sub_name",
             "sys_info_extdata"))
        return !failed;
    while (db_next(&q)) {
        const char *name = text_at(r, &q, 1), *sub = text_at(r, &q, 2);
        struct tally_workload w = {.file = r->path,
                                   .id = sqlite3_column_int64(q.stmt, 0),
                                   .version = version,
                                   .schema = schema,
                                   .system = text_at(r, &q, 3)};
        w.name = arena_printf(r->t->arena, "%s%s%s", name ? name : "", sub && *sub ? "/" : "",
                              sub ? sub : "");
        w.gpu = gpu_of(r, w.system);
        idmap_put(&r->workloads, (uint64_t)w.id, (uint32_t)r->workload_names.n);
        vec_push(&r->workload_names, r->arena, w.name);
        vec_push(&r->workload_sizes, r->arena, strlen(w.name));
        vec_push(&r->t->workloads, r->t->arena, w);
    }
    return db_done(&q, r->err);
}

/* A row with these: its texts count. False: there are too many. */
static bool row_fits(const struct reading *r, int64_t workload, const struct kernel *k,
                     const struct definition *d)
{
    uint32_t at = idmap_get(&r->workloads, (uint64_t)workload);
    size_t named = at == NO_INDEX ? 0 : r->workload_sizes.v[at];
    return tally_text(r->t, named + (k ? k->size : 0) + (d ? d->size : 0));
}

static const char *workload_name(const struct reading *r, int64_t id)
{
    uint32_t at = idmap_get(&r->workloads, (uint64_t)id);
    return at == NO_INDEX ? NULL : r->workload_names.v[at];
}

static bool read_kernels(struct reading *r)
{
    struct db_query q;
    bool failed;
    if (!ASK(r, &q, "compute_kernel", &failed, "kernel_uuid", "workload_id", "kernel_name"))
        return !failed;
    while (db_next(&q)) {
        struct kernel k = {.workload = sqlite3_column_int64(q.stmt, 1), .name = text_at(r, &q, 2)};
        idmap_put(&r->kernels, (uint64_t)sqlite3_column_int64(q.stmt, 0),
                  (uint32_t)r->kernel_rows.n);
        k.size = size_of(k.name);
        vec_push(&r->kernel_rows, r->arena, k);
    }
    return db_done(&q, r->err);
}

static struct kernel *kernel_at(struct reading *r, struct db_query *q, int column)
{
    if (sqlite3_column_type(q->stmt, column) != SQLITE_INTEGER)
        return NULL;
    uint32_t at = idmap_get(&r->kernels, (uint64_t)sqlite3_column_int64(q->stmt, column));
    return at == NO_INDEX ? NULL : &r->kernel_rows.v[at];
}

static void count_dispatch(struct kernel *k, double ns)
{
    k->least_ns = !k->dispatches || ns < k->least_ns ? ns : k->least_ns;
    k->most_ns = !k->dispatches || ns > k->most_ns ? ns : k->most_ns;
    k->total += ns;
    k->dispatches++;
}

static bool read_dispatches(struct reading *r)
{
    struct db_query q;
    bool failed;
    if (!ASK(r, &q, "compute_dispatch", &failed, "kernel_uuid", "dispatch_id", "gpu_id",
             "start_timestamp", "end_timestamp"))
        return !failed;
    while (db_next(&q)) {
        struct kernel *k = kernel_at(r, &q, 0);
        struct tally_dispatch d = {.file = r->path,
                                   .workload = k ? workload_name(r, k->workload) : NULL,
                                   .kernel = k ? k->name : NULL,
                                   .id = sqlite3_column_int64(q.stmt, 1),
                                   .gpu = sqlite3_column_int64(q.stmt, 2),
                                   .start_ns = sqlite3_column_int64(q.stmt, 3),
                                   .end_ns = sqlite3_column_int64(q.stmt, 4)};
        if (!row_fits(r, k ? k->workload : -1, k, NULL))
            break;
        d.duration_ns = sub_ns(d.end_ns, d.start_ns);
        if (k)
            count_dispatch(k, (double)d.duration_ns);
        vec_push(&r->t->dispatches, r->t->arena, d);
    }
    return db_done(&q, r->err);
}

static int by_time(const void *a, const void *b)
{
    const struct tally_kernel *x = a, *y = b;
    if (x->total_ns != y->total_ns)
        return isnan(x->total_ns) ? 1 : isnan(y->total_ns) || x->total_ns > y->total_ns ? -1 : 1;
    return strcmp(x->name ? x->name : "", y->name ? y->name : "");
}

static void keep_kernels(struct reading *r)
{
    size_t first = r->t->kernels.n;
    for (size_t i = 0; i < r->kernel_rows.n; i++) {
        const struct kernel *k = &r->kernel_rows.v[i];
        bool any = k->dispatches > 0;
        if (!row_fits(r, k->workload, NULL, NULL))
            break;
        struct tally_kernel row = {.file = r->path,
                                   .workload = workload_name(r, k->workload),
                                   .name = k->name,
                                   .dispatches = k->dispatches,
                                   .total_ns = any ? k->total : NAN,
                                   .mean_ns = any ? k->total / (double)k->dispatches : NAN,
                                   .least_ns = any ? k->least_ns : NAN,
                                   .most_ns = any ? k->most_ns : NAN};
        vec_push(&r->t->kernels, r->t->arena, row);
    }
    if (r->t->kernels.n > first)
        qsort(r->t->kernels.v + first, r->t->kernels.n - first, sizeof(*r->t->kernels.v), by_time);
}

static bool read_definitions(struct reading *r)
{
    struct db_query q;
    bool failed;
    if (!ASK(r, &q, "compute_metric_definition", &failed, "metric_uuid", "workload_id", "metric_id",
             "name", "unit", "table_name", "sub_table_name"))
        return !failed;
    while (db_next(&q)) {
        struct definition d = {.workload = sqlite3_column_int64(q.stmt, 1),
                               .id = text_at(r, &q, 2),
                               .name = text_at(r, &q, 3),
                               .unit = text_at(r, &q, 4),
                               .panel = text_at(r, &q, 5),
                               .table = text_at(r, &q, 6)};
        d.size =
            size_of(d.id) + size_of(d.name) + size_of(d.unit) + size_of(d.panel) + size_of(d.table);
        idmap_put(&r->metrics, (uint64_t)sqlite3_column_int64(q.stmt, 0),
                  (uint32_t)r->metric_rows.n);
        vec_push(&r->metric_rows, r->arena, d);
    }
    return db_done(&q, r->err);
}

static bool read_values(struct reading *r, const char *table)
{
    struct db_query q;
    bool failed;
    if (!ASK(r, &q, table, &failed, "metric_uuid", "kernel_uuid", "workload_id", "value_name",
             "value"))
        return !failed;
    while (db_next(&q)) {
        uint32_t at = idmap_get(&r->metrics, (uint64_t)sqlite3_column_int64(q.stmt, 0));
        struct definition d =
            at == NO_INDEX ? (struct definition){.workload = -1} : r->metric_rows.v[at];
        const struct kernel *k = kernel_at(r, &q, 1);
        bool has = sqlite3_column_type(q.stmt, 2) == SQLITE_INTEGER;
        int64_t workload = has ? sqlite3_column_int64(q.stmt, 2) : k ? k->workload : d.workload;
        if (!row_fits(r, workload, k, &d))
            break;
        struct tally_metric m = {.file = r->path,
                                 .workload = workload_name(r, workload),
                                 .kernel = k ? k->name : NULL,
                                 .id = d.id,
                                 .panel = d.panel,
                                 .table = d.table,
                                 .metric = d.name,
                                 .unit = d.unit,
                                 .value_name = text_at(r, &q, 3),
                                 .value = real_at(&q, 4)};
        vec_push(&r->t->metrics, r->t->arena, m);
    }
    return db_done(&q, r->err);
}

static bool read_roofs(struct reading *r, const char *table)
{
    struct db_query q;
    bool failed;
    if (!ASK(r, &q, table, &failed, "kernel_uuid", "workload_id", "total_flops", "l1_cache_data",
             "l2_cache_data", "hbm_cache_data", "lds_cache_data"))
        return !failed;
    while (db_next(&q)) {
        const struct kernel *k = kernel_at(r, &q, 0);
        bool has = sqlite3_column_type(q.stmt, 1) == SQLITE_INTEGER;
        int64_t workload = has ? sqlite3_column_int64(q.stmt, 1) : k ? k->workload : -1;
        if (!row_fits(r, workload, k, NULL))
            break;
        struct tally_roof row = {.file = r->path,
                                 .workload = workload_name(r, workload),
                                 .kernel = k ? k->name : NULL,
                                 .flops = real_at(&q, 2),
                                 .l1_bytes = real_at(&q, 3),
                                 .l2_bytes = real_at(&q, 4),
                                 .hbm_bytes = real_at(&q, 5),
                                 .lds_bytes = real_at(&q, 6)};
        vec_push(&r->t->roofs, r->t->arena, row);
    }
    return db_done(&q, r->err);
}

static bool read(struct tally *t, const char *path, struct gs_error *err)
{
    static const char *const values[] = {"compute_workload_metric_value",
                                         "compute_kernel_metric_value", "compute_metric_value",
                                         "compute_value"};
    static const char *const roofs[] = {"compute_workload_roofline_data",
                                        "compute_kernel_roofline_data", "compute_roofline_data"};
    struct arena *temporary = arena_scratch();
    struct reading *r = arena_new(temporary, struct reading);
    *r = (struct reading){.t = t, .path = path, .arena = temporary, .err = err};
    r->db = db_new(temporary, path, READER_SQLITE, 1, err);
    idmap_init(&r->workloads, temporary);
    idmap_init(&r->kernels, temporary);
    idmap_init(&r->metrics, temporary);
    bool ok =
        r->db && read_workloads(r) && read_kernels(r) && read_dispatches(r) && read_definitions(r);
    for (size_t i = 0; ok && i < ARRAY_LEN(values); i++)
        ok = read_values(r, values[i]);
    for (size_t i = 0; ok && i < ARRAY_LEN(roofs); i++)
        ok = read_roofs(r, roofs[i]);
    if (ok)
        keep_kernels(r);
    arena_release(temporary);
    return ok;
}

const struct tally_kind tally_compute_db = {"a database of rocprof-compute", detect, read};
