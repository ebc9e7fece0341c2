/* SQL over the rows of a trace and the results of its analysis. */
#include "query/query.h"

#include <string.h>

#include "base/str.h"
#include "tool/ask.h"

/* A statement of a model's may be anything: it gets little of each. */
enum { SQL_SECONDS = 30, SQL_ROWS = 200, SQL_MEMORY_MB = 512, SQL_RESULT_MB = 64 };

static const struct trace *trace_of(void *ask, unsigned leave_out, struct gs_error *err)
{
    (void)leave_out, (void)err;
    return &((struct tool_ask *)ask)->run->trace;
}

static const struct run *run_of(void *ask, bool replays, struct gs_error *err)
{
    (void)replays, (void)err;
    return ((struct tool_ask *)ask)->run;
}

static struct query *open_query(struct tool_ask *ask)
{
    struct query_source source = {.ctx = ask,
                                  .trace = trace_of,
                                  .run = run_of,
                                  .run_has_rows = true,
                                  .kept = ask->run ? tool_kept(ask->box, ask->run) : NULL};
    return query_open(&source, ask->arena);
}

/* ---- query ---- */

struct sql_doc {
    struct tool_head head;
    VEC(const char *) columns;
    VEC(const void *) rows;
};

#define T struct sql_doc
PART(page_part, struct tool_head,
     OR_NULL(struct tool_head, next_cursor, FIELD_TEXT, "next_cursor",
             "cursor of the next page; null: no more"));
PART(any_row, const void *, {.label = "", .type = FIELD_TABLES, .null = NULL_NEVER});
enum { PLACE_OF_ROWS = 1 };
static const struct field sql_list[] = {
    ALWAYS(T, columns, FIELD_LIST, "columns", "names, in order", .of = &field_texts),
    ALWAYS(T, rows, FIELD_LIST, "rows", "an object for each, by the names of the columns",
           .of = &any_row),
    ALWAYS(T, rows.n, FIELD_U64, "count", "rows on this page"),
    SPREAD(T, head, FIELD_OBJECT, &page_part),
};
static const struct fields sql_result = FIELDS("", "", T, sql_list);
#undef T

/* The same with the columns of this result: they are known only now. */
static const struct fields *with_rows(const struct fields *rows, struct arena *arena)
{
    struct field *list = arena_array(arena, struct field, ARRAY_LEN(sql_list));
    struct fields *f = arena_new(arena, struct fields);
    memcpy(list, sql_list, sizeof(sql_list));
    list[PLACE_OF_ROWS].of = rows;
    *f = sql_result;
    f->v = list;
    return f;
}

static const void *call_query(struct tool_ask *ask, struct gs_error *err)
{
    struct sql_doc *d = arena_new(ask->arena, struct sql_doc);
    struct query_result r;
    struct query_limits limits = {.seconds = SQL_SECONDS,
                                  .memory = (uint64_t)SQL_MEMORY_MB << 20,
                                  .result_size = (uint64_t)SQL_RESULT_MB << 20,
                                  .whole_names = tool_box_settings(ask->box)->whole_names};
    tool_head_set(ask, &d->head);
    if (!ask->args.has_limit)
        ask->limit = SQL_ROWS;
    limits.rows = (uint64_t)ask->first + ask->limit + 1; /* one more shows that there are more */
    if (!query_run(open_query(ask), ask->args.sql, &limits, &r, err))
        return NULL;
    for (size_t i = 0; i < r.columns.n; i++)
        vec_push(&d->columns, ask->arena, r.columns.v[i].name);
    struct result rows = query_as_result(&r, "rows", 0, ask->arena);
    ask->result = with_rows(rows.fields, ask->arena);
    tool_rows_(ask, &d->rows, rows.fields->row_size, (void *)(uintptr_t)rows.rows, rows.n);
    return d;
}

#define SQL(doc) ALWAYS(struct tool_args, sql, FIELD_TEXT, "sql", doc)
static const struct field query_list[] = {
    P_TRACE,
    SQL("one statement that reads: SELECT or WITH; 'sql_tables' lists the tables"),
    P_NUMBER(limit, has_limit, "rows, 200 when not given, 1000 at most", .least = "1"),
    P(cursor, FIELD_TEXT, "next_cursor of the answer before: goes on there"),
};
static const struct fields query_params = FIELDS("", "", struct tool_args, query_list);

const struct tool tool_query = {
    .name = "query",
    .takes_sql = true,
    .title = "SQL",
    .description = "One SQL statement over the trace (tables and views as rocpd has them: kernels, "
                   "memory_copies, regions, top_kernels, ..., whatever the format) and over every "
                   "table of the analysis. Read-only, 30 s at most. For what no other tool answers",
    .params = &query_params,
    .result = &sql_result,
    .needs_run = true,
    .varies = true, /* random() */
    .call = call_query,
};

const struct tool tool_sql_query = {
    .name = "sql_query",
    .title = "SQL query",
    .description = "The same as 'query', under PerfAdvisor's name: SELECT or WITH, 200 rows",
    .params = &query_params,
    .result = &sql_result,
    .group = TOOL_PERFADVISOR,
    .needs_run = true,
    .varies = true,
    .call = call_query,
};

/* ---- what there is ---- */

#define T struct query_table_doc
static const char *const kind_words[] = {"table",  "view", "summary", "rows",
                                         "result", "sums", NULL};
PART(
    table_fields, T, ALWAYS(T, name, FIELD_TEXT, "name", "for SQL"),
    ALWAYS(T, kind, FIELD_ENUM, "kind",
           "table and view: as in rocpd; summary: added up; rows: as gpusight has them; result: of "
           "the analysis; sums: of a file that holds no times",
           .words = kind_words),
    ALWAYS(T, doc, FIELD_TEXT, "doc", "what its rows are"));
#undef T
struct tables_doc {
    struct tool_head head;
    VEC(struct query_table_doc) tables;
};

static const void *call_tables(struct tool_ask *ask, struct gs_error *err)
{
    struct tables_doc *d = arena_new(ask->arena, struct tables_doc);
    const struct query_tables *all = query_tables(open_query(ask));
    (void)err;
    tool_head_set(ask, &d->head);
    tool_rows(ask, &d->tables, all->v.v, all->v.n);
    if (!ask->args.has_limit)
        ask->limit = 200;
    return d;
}

#define T struct tables_doc
PART(tables_result, T,
     ALWAYS(T, tables, FIELD_LIST, "tables", "that SQL can name", .of = &table_fields),
     SPREAD(T, head, FIELD_OBJECT, &page_part));
#undef T
static const struct field tables_list[] = {P_PAGE};
static const struct fields tables_params = FIELDS("", "", struct tool_args, tables_list);

const struct tool tool_sql_tables = {
    .name = "sql_tables",
    .title = "Tables for SQL",
    .description = "What 'query' can name; 'get_table_schema' has the columns of one",
    .params = &tables_params,
    .result = &tables_result,
    .call = call_tables,
};

struct schema_doc {
    const struct query_table_doc *table;
    VEC(struct query_column_doc) columns;
    const char *name;
};

static const void *call_schema(struct tool_ask *ask, struct gs_error *err)
{
    struct schema_doc *d = arena_new(ask->arena, struct schema_doc);
    struct query *q = open_query(ask);
    const struct query_tables *all = query_tables(q);
    for (size_t i = 0; i < all->v.n && !d->table; i++)
        if (str_eq(all->v.v[i].name, ask->args.table))
            d->table = &all->v.v[i];
    if (!d->table) {
        const char *near = query_nearest_table(q, ask->args.table);
        fail(err, GS_E_USAGE, "no table '%.80s'; %s%s%s", ask->args.table,
             near ? "did you mean '" : "'sql_tables' lists all", near ? near : "",
             near ? "'?" : "");
        return NULL;
    }
    d->name = d->table->name;
    d->columns.v = d->table->columns.v;
    d->columns.n = d->table->columns.n;
    return d;
}

#define T struct schema_doc
PART(schema_result, T, ALWAYS(T, name, FIELD_TEXT, "table", "its name"),
     ALWAYS(T, columns, FIELD_LIST, "columns", "in order", .of = &query_column_fields));
#undef T
static const struct field schema_list[] = {
    ALWAYS(struct tool_args, table, FIELD_TEXT, "table", "a name of 'sql_tables'"),
};
static const struct fields schema_params = FIELDS("", "", struct tool_args, schema_list);

const struct tool tool_get_table_schema = {
    .name = "get_table_schema",
    .title = "Columns of a table",
    .description = "Names, types and meanings of the columns of a table for SQL",
    .params = &schema_params,
    .result = &schema_result,
    .group = TOOL_PERFADVISOR,
    .call = call_schema,
};
