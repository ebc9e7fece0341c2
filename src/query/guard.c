/* What statements may do, and for how long. */
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/task.h"
#include "query/query_in.h"

enum { STEPS_BETWEEN_LOOKS = 200 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Functions that reach files, load code or change how others work. */
static bool is_forbidden(const char *function)
{
    static const char *const names[] = {"load_extension", "readfile",  "writefile",
                                        "edit",           "fsdir",     "zipfile",
                                        "fts3_tokenizer", "rtreecheck"};
    for (size_t i = 0; function && i < ARRAY_LEN(names); i++)
        if (sqlite3_stricmp(function, names[i]) == 0)
            return true;
    return false;
}

/* Functions whose texts are whole texts of the trace, or none: those that count and calculate. */
static bool keeps_names(const char *function)
{
    static const char *const names[] = {
        "abs",          "avg",    "ceil",         "ceiling",      "coalesce", "count",
        "cume_dist",    "exp",    "dense_rank",   "first_value",  "floor",    "glob",
        "group_concat", "ifnull", "iif",          "json_extract", "lag",      "last_value",
        "lead",         "length", "like",         "ln",           "log",      "log10",
        "log2",         "max",    "median",       "min",          "mod",      "nth_value",
        "ntile",        "nullif", "percent_rank", "percentile",   "pow",      "power",
        "rank",         "round",  "row_number",   "sign",         "sqrt",     "stddev",
        "stddev_pop",   "sum",    "sumsq",        "total",        "typeof",   "union_ns",
        "variance"};
    for (size_t i = 0; function && i < ARRAY_LEN(names); i++)
        if (sqlite3_stricmp(function, names[i]) == 0)
            return true;
    return false;
}

/* Those that only tell what there is. */
static bool is_harmless(const char *pragma)
{
    static const char *const names[] = {"table_info",    "table_xinfo",   "table_list",
                                        "function_list", "database_list", "compile_options",
                                        "module_list",   "pragma_list",   "collation_list"};
    for (size_t i = 0; pragma && i < ARRAY_LEN(names); i++)
        if (sqlite3_stricmp(pragma, names[i]) == 0)
            return true;
    return false;
}

static const char *what_of(const struct query *q, int action)
{
    switch (action) {
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
        return "attach files";
    case SQLITE_PRAGMA:
        return "change settings";
    case SQLITE_FUNCTION:
        return q->whole_names ? "cut or encode texts while names are hidden"
                              : "call functions that reach files or load code";
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
        return "begin or end transactions";
    default:
        return "write";
    }
}

static int authorize(void *query, int action, const char *a, const char *b, const char *database,
                     const char *by)
{
    struct query *q = query;
    (void)database, (void)by;
    bool ok =
        q->declaring || action == SQLITE_SELECT || action == SQLITE_READ ||
        action == SQLITE_RECURSIVE ||
        (action == SQLITE_FUNCTION && !is_forbidden(b) && (!q->whole_names || keeps_names(b))) ||
        (action == SQLITE_PRAGMA && is_harmless(a));
    if (ok)
        return SQLITE_OK;
    if (!q->refused)
        q->refused = what_of(q, action);
    return SQLITE_DENY;
}

/*
 * SQLite counts the bytes it asks for. Rows that wait to be sorted are small, and each takes up to
 * twice as much: what is really held is looked at in steps of what it counts.
 */
static bool holds_too_much(struct query *q)
{
    enum { STEPS = 32 };
    int64_t counted = q->sort_memory ? sqlite3_memory_used() : 0;
    if (!q->sort_memory || counted < q->look_from)
        return false;
    q->look_from = counted + (int64_t)(q->sort_memory / STEPS);
    size_t held = mem_held_by_others();
    return held > q->others_before && held - q->others_before > q->sort_memory;
}

void query_guard_begin(struct query *q)
{
    q->timed_out = q->too_much = false;
    q->look_from = 0;
    q->others_before = q->sort_memory ? mem_held_by_others() : 0;
}

static int look(void *query)
{
    struct query *q = query;
    q->timed_out = q->until > 0 && now() > q->until;
    q->too_much = holds_too_much(q);
    return q->timed_out || q->too_much || task_cancelled();
}

void query_guard_install(struct query *q)
{
    static const struct {
        int limit, most;
    } limits[] = {
        /* A function is not interrupted: its arguments must not make it slow. */
        {SQLITE_LIMIT_LENGTH, 1000000},
        {SQLITE_LIMIT_SQL_LENGTH, 1000000},
        {SQLITE_LIMIT_COLUMN, 1000},
        {SQLITE_LIMIT_EXPR_DEPTH, 500},
        {SQLITE_LIMIT_COMPOUND_SELECT, 200},
        {SQLITE_LIMIT_VDBE_OP, 1000000},
        {SQLITE_LIMIT_FUNCTION_ARG, 100},
        {SQLITE_LIMIT_ATTACHED, 0},
        {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
        {SQLITE_LIMIT_TRIGGER_DEPTH, 0},
        {SQLITE_LIMIT_WORKER_THREADS, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(limits); i++)
        sqlite3_limit(q->db, limits[i].limit, limits[i].most);
    sqlite3_db_config(q->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(q->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    sqlite3_set_authorizer(q->db, authorize, q);
    sqlite3_progress_handler(q->db, STEPS_BETWEEN_LOOKS, look, q);
}
