#include "ingest/sqlite/guard.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "ingest/sqlite/db.h"

/*
 * A row is some bytes at least and costs a step a column and a few more; reading at a thousandth
 * of the usual speed would still be within the time. Texts may grow when their encoding changes.
 */
enum {
    STEPS_A_REPORT = 1000,
    STEPS_PER_BYTE = 64,
    FREE_STEPS = 20 * 1000 * 1000,
    MS_PER_MB = 1000,
    FREE_MS = 3000,
    TEXT_PER_BYTE = 2,
    FREE_TEXT = 4 * 1024 * 1024,
    SHORT_TEXT = 64, /* numbers as text, which may be longer than stored, are not counted */
    MOST_SQL = 1000 * 1000,
    LEAST_ROW = 4, /* where it is, its length, its number, its header */
    FREE_ROWS = 1000,
};

static const char *const functions[] = {"count", "like", "substr", NULL};
static const char *const pragmas[] = {"table_xinfo", "index_list", "cell_size_check",
                                      "schema_version", NULL};

static bool is_in(const char *const *list, const char *word)
{
    for (; word && *list; list++)
        if (str_eq(*list, word))
            return true;
    return false;
}

static bool refuse(struct db *db, const char *table, const char *why)
{
    snprintf(db->guard.why, sizeof(db->guard.why), "%s%s%s", table ? table : "", table ? ": " : "",
             why);
    return false;
}

/* A table that is read for the first time: its pages are walked before SQLite does. */
static bool check_table(struct db *db, struct db_table *t)
{
    struct tree_check check;
    char name[64];
    if (t->is_checked || !db->can_check)
        return true;
    snprintf(name, sizeof(name), "table '%.50s'", t->name);
    if (!t->root)
        return refuse(db, name, "another table has the same page");
    if (!pages_check(&db->pages, t->root, &check)) {
        db->guard.lacks_memory = check.lacks_memory;
        return refuse(db, name, check.why);
    }
    t->is_checked = true;
    t->rows = check.rows;
    return true;
}

static bool may_read(struct db *db, const char *name)
{
    if (str_eq(name, "sqlite_master") || str_eq(name, "sqlite_schema"))
        return true;
    struct db_table *t = db->schema.is_loaded ? schema_table(&db->schema, name) : NULL;
    return t ? check_table(db, t) : refuse(db, name, "no table");
}

static int authorize(void *ctx, int action, const char *first, const char *second,
                     const char *database, const char *cause)
{
    struct db *db = ctx;
    bool ok = false;
    (void)database;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_TRANSACTION:
        ok = true;
        break;
    case SQLITE_PRAGMA:
        ok = is_in(pragmas, first);
        break;
    case SQLITE_FUNCTION:
        ok = is_in(functions, second);
        break;
    case SQLITE_READ:
        ok = !cause && may_read(db, first);
        break;
    default:
        break;
    }
    return ok ? SQLITE_OK : SQLITE_DENY;
}

static struct timespec cpu_now(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t;
}

/* Every STEPS_A_REPORT steps; anything but 0 ends the statement. */
static int report(void *ctx)
{
    struct db *db = ctx;
    struct guard *g = &db->guard;
    struct timespec now = cpu_now();
    g->time_left_ms -=
        (now.tv_sec - g->since.tv_sec) * 1000 + (now.tv_nsec - g->since.tv_nsec) / 1000000;
    if (now.tv_sec != g->since.tv_sec || now.tv_nsec - g->since.tv_nsec >= 1000000)
        g->since = now;
    if (g->steps_left > STEPS_A_REPORT && g->time_left_ms > 0) {
        g->steps_left -= STEPS_A_REPORT;
        return 0;
    }
    refuse(db, NULL, "reading it takes longer than its size explains");
    return 1;
}

void guard_query(struct db *db)
{
    db->guard.since = cpu_now();
    db->guard.text_left = TEXT_PER_BYTE * db_room(db) + FREE_TEXT;
}

bool guard_text(struct db *db, uint64_t n)
{
    if (n <= SHORT_TEXT)
        return true;
    if (n > db->guard.text_left)
        return refuse(db, NULL, "it has more text than there is room for");
    db->guard.text_left -= n;
    return true;
}

bool guard_row(struct db *db, uint64_t n)
{
    return n <= db_room(db) / LEAST_ROW + FREE_ROWS ||
           refuse(db, NULL, "a table has more rows than there is room for");
}

static void set_limits(struct db *db)
{
    static const struct {
        int what, most;
    } limits[] = {
        {SQLITE_LIMIT_SQL_LENGTH, MOST_SQL},  {SQLITE_LIMIT_ATTACHED, 0},
        {SQLITE_LIMIT_TRIGGER_DEPTH, 0},      {SQLITE_LIMIT_WORKER_THREADS, 0},
        {SQLITE_LIMIT_VARIABLE_NUMBER, 0},    {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100},
        {SQLITE_LIMIT_LENGTH, LONGEST_VALUE},
    };
    for (size_t i = 0; i < ARRAY_LEN(limits); i++)
        sqlite3_limit(db->handle, limits[i].what, limits[i].most);
}

void guard_install(struct db *db)
{
    static const struct {
        int what, on;
    } settings[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
        {SQLITE_DBCONFIG_DQS_DML, 0},        {SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1},
    };
    for (size_t i = 0; i < ARRAY_LEN(settings); i++)
        sqlite3_db_config(db->handle, settings[i].what, settings[i].on, (int *)NULL);
    set_limits(db);
    sqlite3_drop_modules(db->handle, NULL);
    db->guard = (struct guard){.steps_left = STEPS_PER_BYTE * db_room(db) + FREE_STEPS,
                               .time_left_ms = FREE_MS + (int64_t)(db_room(db) >> 20) * MS_PER_MB};
    guard_query(db);
    sqlite3_progress_handler(db->handle, STEPS_A_REPORT, report, db);
    sqlite3_set_authorizer(db->handle, authorize, db);
}
