/*
 * Between the files of the room.
 *
 * A table is a list of columns, each a function of a row number; a table made of several kinds of
 * rows (host calls and markers are both rocpd_region) has a part for each, one after the other, with
 * the same columns. vtab.c turns such a table into a virtual one, with an index on any column that a
 * statement compares with something.
 */
#ifndef GS_QUERY_QUERY_IN_H
#define GS_QUERY_QUERY_IN_H

#include <sqlite3.h>

#include "ingest/args.h"
#include "query/query.h"

/* Stands for NULL in integer columns. */
#define NONE INT64_MIN

/* Words that rows have besides the strings of the trace; in rocpd_string they come behind those. */
enum word {
    WORD_REGION, /* + enum region_kind */
    WORD_MARKER = WORD_REGION + REGION_KINDS,
    WORD_KERNEL,
    WORD_COPY,
    WORD_ALLOCATION,
    WORD_SCRATCH,
    WORD_SAMPLE,
    WORD_TELEMETRY,
    WORD_COUNTER,
    WORD_COPY_KIND, /* + enum copy_kind */
    WORDS_IN_ALL = WORD_COPY_KIND + COPY_KINDS
};

extern const char *const query_words[WORDS_IN_ALL];

/* The trace, and what is derived from it when it was loaded. */
struct qdata {
    const struct trace *t;
    size_t n_regions;            /* without those that stand among the markers, too */
    uint32_t *ranges, *instants; /* rows of markers */
    size_t n_ranges, n_instants;
    uint32_t *host;         /* by process: number of its host, from 1 */
    uint32_t *host_process; /* by host: a process of it */
    const bool *used;       /* by string: some row refers to it; others may be secrets */
    size_t n_hosts;
    const char **guid;     /* by file */
    struct idmap agent_of; /* process and GPU -> agents row */
    uint32_t *bare_gpus;   /* GPUs that no agent stands for */
    size_t n_bare;
    /* Events are numbered from 1, one kind of row after the other. */
    size_t markers_at, samples_at, kernels_at, copies_at, allocations_at;
    struct trace_args args; /* only where a statement needs them */
};

void qdata_make(struct qdata *d, const struct trace *t, struct arena *a);

enum qkind { Q_I, Q_S, Q_R, Q_T };

struct qcolumn {
    const char *name;
    enum qkind kind;
    union {
        int64_t (*I)(const struct qdata *d, size_t i);     /* NONE: NULL */
        uint32_t (*S)(const struct qdata *d, size_t i);    /* a string; NO_INDEX: NULL */
        double (*R)(const struct qdata *d, size_t i);      /* NaN: NULL */
        const char *(*T)(const struct qdata *d, size_t i); /* NULL: NULL */
    };
    const char *doc;
};

struct qpart {
    size_t (*n)(const struct qdata *d);
    const struct qcolumn *columns;
};

struct qtable {
    const char *name, *doc;
    enum query_table_kind kind;
    const struct qpart *parts;
    size_t n_parts, n_columns;
    bool is_of_args; /* which are read when they are asked for */
};

/* Columns by X(part, kind, name, expression, doc); the expression knows d, t and i. */
#define Q_FN_I(p, n, e)                                                                            \
    static int64_t p##_##n(const struct qdata *d, size_t i)                                        \
    {                                                                                              \
        const struct trace *t = d->t;                                                              \
        (void)t, (void)i;                                                                          \
        return (int64_t)(e);                                                                       \
    }
#define Q_FN_S(p, n, e)                                                                            \
    static uint32_t p##_##n(const struct qdata *d, size_t i)                                       \
    {                                                                                              \
        const struct trace *t = d->t;                                                              \
        (void)t, (void)i;                                                                          \
        return (e);                                                                                \
    }
#define Q_FN_R(p, n, e)                                                                            \
    static double p##_##n(const struct qdata *d, size_t i)                                         \
    {                                                                                              \
        const struct trace *t = d->t;                                                              \
        (void)t, (void)i;                                                                          \
        return (e);                                                                                \
    }
#define Q_FN_T(p, n, e)                                                                            \
    static const char *p##_##n(const struct qdata *d, size_t i)                                    \
    {                                                                                              \
        const struct trace *t = d->t;                                                              \
        (void)t, (void)i;                                                                          \
        return (e);                                                                                \
    }
#define Q_FN(p, k, n, e, doc) Q_FN_##k(p, n, e)
#define Q_COLUMN(p, k, n, e, doc) {#n, Q_##k, {.k = p##_##n}, doc},
/* One part: the functions, and p_columns[]. */
#define Q_PART(p, LIST)                                                                            \
    LIST(Q_FN, p)                                                                                  \
    static const struct qcolumn p##_columns[] = {LIST(Q_COLUMN, p)};
#define Q_COUNT(p, e)                                                                              \
    static size_t p##_n(const struct qdata *d)                                                     \
    {                                                                                              \
        return (e);                                                                                \
    }
#define Q_EMPTY(p)                                                                                 \
    static size_t p##_n(const struct qdata *d)                                                     \
    {                                                                                              \
        (void)d;                                                                                   \
        return 0;                                                                                  \
    }
#define Q_TABLE(name, doc, kind, p, ...) Q_TABLE_WITH(false, name, doc, kind, p, __VA_ARGS__)
#define Q_TABLE_WITH(args, name, doc, kind, p, ...)                                                \
    {                                                                                              \
        name, doc, kind, (const struct qpart[]){__VA_ARGS__},                                      \
            sizeof((const struct qpart[]){__VA_ARGS__}) / sizeof(struct qpart),                    \
            ARRAY_LEN(p##_columns), args                                                           \
    }
#define Q_OF(p)                                                                                    \
    {                                                                                              \
        p##_n, p##_columns                                                                         \
    }

/* The tables of trace_lists.c, trace_tables.c, trace_views.c, trace_rows.c; .name NULL at the end. */
extern const struct qtable query_rocpd_lists[], query_rocpd_tables[], query_rocpd_views[],
    query_rows[];
extern const struct qtable *const query_tables_of_traces[]; /* these, NULL at the end */

/* Views made of others, in SQL (sql_views.c); .name NULL at the end. */
struct qview {
    const char *name, *doc, *sql;
    enum query_table_kind kind;
    const char *columns; /* "name: what it is; ..." */
};
extern const struct qview query_views[];

/* ---- results (results.c) ---- */

/* A table of results: fields and, once the run was made, rows. */
struct rtable {
    const char *name;
    const struct fields *fields;
    VEC(const struct field *) columns;
    VEC(size_t) offsets;  /* of nested objects: where in the row their struct is */
    VEC(uint8_t) through; /* a pointer is followed there */
    struct result rows;
    const struct sheet *sheet; /* rows are made by it; NULL: in `rows` */
    bool is_sums;              /* rows are there before anything is run */
    bool of_replays;           /* rows come of the dependency graph, or are findings */
};

/* ---- the connection ---- */

struct query {
    sqlite3 *db;
    sqlite3 *plain;       /* SQLite as it is, for functions that we put our own before */
    sqlite3_stmt *format; /* of printf() with so many arguments: */
    int format_args;
    struct arena *arena;
    struct query_source source;
    struct query_kept *kept; /* what was found out about the rows */
    struct qdata data;
    bool has_trace, has_run, has_replays;
    bool wants_args, has_args;
    unsigned parts; /* of the trace that is there: enum ingest_part */
    unsigned needs; /* of the statement being prepared */
    unsigned loads; /* how often a trace was loaded: indexes are of one */
    bool declaring; /* a table of ours: SQLite asks whether that is allowed, too */
    bool wants_trace, wants_run, wants_replays; /* of the statement being prepared */
    const struct run *run;
    struct results results;
    struct workbook *book;
    VEC(struct rtable) tables;       /* of results */
    VEC(struct vaux *) aux;          /* tables of the trace (vtab_in.h) */
    VEC(const char *) grouped_views; /* by number of query_views; NULL: as they are */
    VEC(struct grouping *) groups;   /* by number (groups_in.h) */
    bool only_sqlite;                /* can say what the statement at hand gives */
    struct query_tables docs;
    struct gs_error load_error; /* why the source failed, in full */
    struct gs_error shortage;   /* of memory that is ours, while the statement at hand ran */
    uint64_t sort_memory;       /* of the limits of the statement at hand; 0: none */
    size_t others_before;       /* mem_held_by_others() as the statement began */
    int64_t look_from;          /* bytes of libsqlite3 from which memory is looked at again */
    double until;               /* when the statement must end; 0: no limit */
    bool timed_out, too_much;   /* why it was ended */
    const char *refused;        /* what the statement tried and may not */
    bool whole_names;           /* of the limits of the statement at hand */
};

/* ---- cursor.c: what virtual tables share; they differ by what a row is ---- */

/* A table, and what its module was registered with. */
struct vtab {
    sqlite3_vtab base;
    void *of;
};

/* What a cursor begins with: it goes from `at` to `end`, which its filter() sets. */
struct walk {
    sqlite3_vtab_cursor base;
    void *of; /* of the table */
    size_t at, end;
};

/* Its columns, "name" TYPE by number. */
struct vtab_columns {
    size_t n;
    const char *(*name)(const void *of, size_t i);
    const char *(*type)(const void *of, size_t i);
    const void *of;
};
int vtab_declare(struct query *q, const struct vtab_columns *c, void *of, sqlite3_vtab **out);
int vtab_disconnect(sqlite3_vtab *v);
int walk_open(sqlite3_vtab *v, size_t size, sqlite3_vtab_cursor **out); /* zeroed */
int walk_close(sqlite3_vtab_cursor *c);
int walk_next(sqlite3_vtab_cursor *c);
int walk_at_end(sqlite3_vtab_cursor *c);
int walk_rowid(sqlite3_vtab_cursor *c, sqlite3_int64 *out); /* at, from 1 */

/* Without xCreate: the table is there under its own name, and no other can be made of it. */
#define VTAB_MODULE(BEST_INDEX, CLOSE, NEXT, ROWID)                                                \
    {                                                                                              \
        .xConnect = connect, .xBestIndex = BEST_INDEX, .xDisconnect = vtab_disconnect,             \
        .xOpen = open_cursor, .xClose = CLOSE, .xFilter = filter, .xNext = NEXT,                   \
        .xEof = walk_at_end, .xColumn = column, .xRowid = ROWID                                    \
    }

bool vtab_register(struct query *q, const struct qtable *table);
bool rtab_register(struct query *q, struct rtable *table);
void rtables_make(struct query *q); /* the list of them, before anything is run */
void rtables_sums(struct query *q); /* tables of sums, behind them */
void rtables_fill(struct query *q); /* their rows, after */
void functions_register(struct query *q);
void query_guard_install(struct query *q);
void query_guard_begin(struct query *q); /* a statement: what it holds is counted from now on */

/* ---- small questions about rows ---- */

/* In rocpd_string. */
static inline int64_t q_string(uint32_t id)
{
    return id == NO_INDEX ? NONE : (int64_t)id + 1;
}

static inline uint32_t process_of_thread(const struct trace *t, uint32_t thread)
{
    return thread < t->threads.n ? t->threads.v[thread].process : NO_INDEX;
}

static inline uint32_t process_of_work(const struct trace *t, uint32_t stream, uint32_t thread)
{
    return stream < t->streams.n ? t->streams.v[stream].process : process_of_thread(t, thread);
}

static inline uint32_t gpu_of_stream(const struct trace *t, uint32_t stream)
{
    return stream < t->streams.n ? t->streams.v[stream].gpu : NO_INDEX;
}

/* How a kernel was launched; zeros where nobody says. */
static inline struct launch q_launch(const struct trace *t, size_t kernel)
{
    uint32_t at = kernels_launch_at(t, kernel);
    return at < t->launches.n ? t->launches.v[at] : (struct launch){0};
}

int64_t q_pid(const struct qdata *d, uint32_t process);
int64_t q_rank(const struct qdata *d, uint32_t process);
int64_t q_nid(const struct qdata *d, uint32_t process);
const char *q_guid(const struct qdata *d, uint32_t process);
const char *q_trace(const struct qdata *d, uint32_t process);
int64_t q_tid(const struct qdata *d, uint32_t thread);
int64_t q_gpu(const struct qdata *d, uint32_t gpu); /* the number users know */
int64_t q_node(const struct qdata *d, uint32_t gpu);
int64_t q_agent(const struct qdata *d, uint32_t process, uint32_t gpu); /* its id */
int64_t q_call_id(const struct qdata *d, uint32_t call);
int64_t q_word(const struct qdata *d, enum word w); /* its id in rocpd_string */

#endif
