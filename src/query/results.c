/*
 * Results as tables: every table of every analysis by its key, the ledger, the findings and all gaps.
 * What an analysis adds to its fields is a column here by itself.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "query/query_in.h"
#include "report/workbook.h"
#include "tally/tally.h"

/* ---- gaps: each of them, not only the longest ---- */

struct gap_line {
    int32_t gpu;
    int64_t start_ns, end_ns, duration_ns;
    const char *main_cause, *next_kernel;
};

#define F(member, type, label, unit, doc, ...)                                                     \
    FIELD(struct gap_line, member, type, label, unit, doc, ##__VA_ARGS__)
static const struct field gap_list[] = {
    F(gpu, FIELD_I32, "GPU", NO_UNIT, "which GPU is idle"),
    F(start_ns, FIELD_I64, "start", IN_NS, "end of the work before", AS_MOMENT),
    F(end_ns, FIELD_I64, "end", IN_NS, "start of the next work", AS_MOMENT),
    F(duration_ns, FIELD_I64, "length", IN_NS, "end - start"),
    F(main_cause, FIELD_TEXT, "cause", NO_UNIT, "the cause of most of it"),
    F(next_kernel, FIELD_TEXT, "next kernel", NO_UNIT, "that ends it; null: a copy"),
};
#undef F
static const struct fields gap_fields =
    FIELDS("gaps", "Every stretch between two pieces of work in which a GPU does nothing.",
           struct gap_line, gap_list);

struct gap_lines {
    VEC(struct gap_line) v;
    const struct analysis *a;
    struct arena *arena;
};

static void add_gap(void *ctx, const struct gap *g)
{
    struct gap_lines *l = ctx;
    const struct trace *t = l->a->trace;
    enum cause most = CAUSE_UNKNOWN;
    for (enum cause c = 0; c < CAUSES; c++)
        if (g->ns[c] > g->ns[most])
            most = c;
    vec_push(&l->v, l->arena,
             ((struct gap_line){
                 analysis_gpu_index(l->a, g->gpu), g->start_ns, g->end_ns, g->end_ns - g->start_ns,
                 cause_info(most)->label,
                 g->next_kernel == NO_INDEX
                     ? NULL
                     : trace_str(t, t->symbols.v[t->kernels.symbol[g->next_kernel]].name)}));
}

/* ---- the list ---- */

/* A column may lie in a struct inside the row, or behind a pointer in it. */
static void add_columns(struct rtable *r, const struct fields *f, size_t offset, bool through,
                        struct arena *a)
{
    for (size_t i = 0; i < f->n; i++) {
        const struct field *x = &f->v[i];
        if (x->key) {
            vec_push(&r->columns, a, x);
            vec_push(&r->offsets, a, offset);
            vec_push(&r->through, a, (uint8_t)through);
        } else if (x->type == FIELD_OBJECT && !through) {
            add_columns(r, x->of, offset + x->offset, false, a);
        } else if (x->type == FIELD_REF && !through) {
            add_columns(r, x->of, offset + x->offset, true, a);
        }
    }
}

static bool is_taken(const struct query *q, const char *name)
{
    for (size_t l = 0; query_tables_of_traces[l]; l++)
        for (const struct qtable *t = query_tables_of_traces[l]; t->name; t++)
            if (str_eq(t->name, name))
                return true;
    for (const struct qview *v = query_views; v->name; v++)
        if (str_eq(v->name, name))
            return true;
    for (size_t i = 0; i < q->tables.n; i++)
        if (str_eq(q->tables.v[i].name, name))
            return true;
    return false;
}

static void add_table(struct query *q, const char *key, const struct fields *f, bool of_replays)
{
    struct rtable r = {.name = key, .fields = f, .of_replays = of_replays};
    if (is_taken(q, key))
        r.name = arena_printf(q->arena, "%s_results", key);
    add_columns(&r, f, 0, false, q->arena);
    vec_push(&q->tables, q->arena, r);
}

static struct workbook *sheets_of(const struct analysis *a, const struct advice *advice,
                                  size_t *first_finding, struct arena *arena)
{
    struct workbook *w = arena_new(arena, struct workbook);
    w->arena = arena;
    workbook_ledger(w, a);
    *first_finding = w->sheets.n;
    workbook_findings(w, advice);
    return w;
}

void rtables_make(struct query *q)
{
    struct analysis *none = arena_new(q->arena, struct analysis);
    struct advice *nothing = arena_new(q->arena, struct advice);
    size_t findings;
    const struct workbook *w = sheets_of(none, nothing, &findings, q->arena);
    for (size_t i = 0; i < w->sheets.n; i++)
        add_table(q, w->sheets.v[i].name, w->sheets.v[i].fields, i >= findings);
    add_table(q, gap_fields.key, &gap_fields, false);
    for (const struct analysis_kind *const *k = analysis_kinds; *k; k++) {
        struct results of = {0};
        analysis_kind_results(*k, none, &of, q->arena);
        for (size_t i = 0; i < of.n; i++)
            add_table(q, of.v[i].fields->key, of.v[i].fields, (*k)->beside != NULL);
    }
}

void rtables_sums(struct query *q)
{
    struct tally none = {.arena = q->arena};
    const struct results *all = tally_tables(&none, true);
    for (size_t i = 0; i < all->n; i++) {
        const char *key = all->v[i].fields->key;
        const struct result *there = q->source.sums ? results_find(q->source.sums, key) : NULL;
        add_table(q, key, all->v[i].fields, false);
        q->tables.v[q->tables.n - 1].is_sums = true;
        q->tables.v[q->tables.n - 1].rows = there ? *there : all->v[i];
    }
}

void rtables_fill(struct query *q)
{
    const struct analysis *a = q->run->analysis;
    struct gap_lines gaps = {.a = a, .arena = q->arena};
    size_t at = 0, findings;
    if (!a)
        return;
    q->book = sheets_of(a, &q->run->advice, &findings, q->arena);
    for (size_t i = 0; i < q->book->sheets.n; i++)
        q->tables.v[at++].sheet = &q->book->sheets.v[i];
    ledger_gaps(&a->view, add_gap, &gaps);
    q->tables.v[at++].rows = (struct result){&gap_fields, gaps.v.v, gaps.v.n, false};
    q->results.n = 0;
    analysis_results(a, &q->results, q->arena);
    for (size_t i = 0; i < q->results.n; i++)
        for (size_t k = at; k < q->tables.n; k++)
            if (q->tables.v[k].fields == q->results.v[i].fields)
                q->tables.v[k].rows = q->results.v[i];
}

/* ---- as virtual tables ---- */

struct raux {
    struct query *q;
    struct rtable *table;
};

struct rcursor {
    struct walk walk;
    uint64_t scratch[]; /* a row of a sheet */
};

static const char *type_of(const struct field *f)
{
    switch (f->type) {
    case FIELD_I64:
    case FIELD_U64:
    case FIELD_U32:
    case FIELD_I32:
    case FIELD_BOOL:
        return f->divide != 0 ? "REAL" : "INTEGER";
    case FIELD_NUM:
        return "REAL";
    default:
        return "TEXT";
    }
}

static const char *name_at(const void *of, size_t i)
{
    return ((const struct rtable *)of)->columns.v[i]->key;
}

static const char *type_at(const void *of, size_t i)
{
    return type_of(((const struct rtable *)of)->columns.v[i]);
}

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out,
                   char **error)
{
    struct raux *x = aux;
    struct vtab_columns c = {x->table->columns.n, name_at, type_at, x->table};
    (void)db, (void)argc, (void)argv, (void)error;
    return vtab_declare(x->q, &c, x, out);
}

static size_t rows_of(const struct rtable *r)
{
    if (r->sheet)
        return r->sheet->n;
    return r->rows.is_object ? r->rows.rows != NULL : r->rows.n;
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    struct raux *x = ((struct vtab *)base)->of;
    x->q->wants_run |= !x->table->is_sums;
    x->q->wants_replays |= x->table->of_replays;
    info->estimatedRows = (sqlite3_int64)rows_of(x->table) + 1;
    info->estimatedCost = (double)info->estimatedRows;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *v, sqlite3_vtab_cursor **out)
{
    const struct raux *x = ((struct vtab *)v)->of;
    return walk_open(v, sizeof(struct rcursor) + x->table->fields->row_size, out);
}

static int filter(sqlite3_vtab_cursor *base, int n, const char *plan, int argc,
                  sqlite3_value **argv)
{
    struct rcursor *c = (struct rcursor *)base;
    const struct raux *x = c->walk.of;
    (void)n, (void)plan, (void)argc, (void)argv;
    c->walk.at = 0;
    c->walk.end = rows_of(x->table);
    return x->q->has_run || x->table->is_sums ? SQLITE_OK : SQLITE_ERROR;
}

struct json_job {
    const struct field *f;
    const void *row;
    sqlite3_context *ctx;
};

/* Objects and lists, as JSON. */
static void put_json(void *ctx)
{
    struct json_job *j = ctx;
    struct arena *temporary = arena_scratch();
    struct fields one = {.v = j->f, .n = 1};
    struct str out;
    struct jwrite w;
    str_init(&out, temporary);
    jw_init(&w, &out, 0);
    jw_open(&w, NULL, '{');
    fields_write_members(&w, &one, j->row);
    jw_close(&w);
    sqlite3_result_text(j->ctx, out.buf, (int)out.len, SQLITE_TRANSIENT);
    arena_release(temporary);
}

static void put_field(sqlite3_context *ctx, const struct field *f, const void *row)
{
    if (f->type == FIELD_OBJECT || f->type == FIELD_REF || f->type == FIELD_LIST ||
        f->type == FIELD_MAP || f->type == FIELD_PAIRS || f->type == FIELD_SET) {
        struct gs_error ignored;
        if (!mem_guard(put_json, &(struct json_job){f, row, ctx}, &ignored))
            sqlite3_result_error_nomem(ctx);
        return;
    }
    struct field_value v = field_get(f, row);
    if (v.kind == VALUE_INT)
        sqlite3_result_int64(ctx, v.i);
    else if (v.kind == VALUE_UINT)
        sqlite3_result_int64(ctx, v.u > INT64_MAX ? INT64_MAX : (int64_t)v.u);
    else if (v.kind == VALUE_REAL)
        sqlite3_result_double(ctx, v.real);
    else if (v.kind == VALUE_TEXT)
        sqlite3_result_text(ctx, v.text, -1, SQLITE_TRANSIENT);
    else if (v.kind == VALUE_BOOL)
        sqlite3_result_int(ctx, v.yes);
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int n)
{
    struct rcursor *c = (struct rcursor *)base;
    const struct rtable *r = ((const struct raux *)c->walk.of)->table;
    const char *row = r->sheet ? sheet_row(r->sheet, c->walk.at, c->scratch)
                               : (const char *)r->rows.rows + c->walk.at * r->fields->row_size;
    row += r->offsets.v[n];
    if (r->through.v[n])
        row = *(const char *const *)row;
    if (row)
        put_field(ctx, r->columns.v[n], row);
    return SQLITE_OK;
}

static const sqlite3_module module = VTAB_MODULE(best_index, walk_close, walk_next, walk_rowid);

bool rtab_register(struct query *q, struct rtable *table)
{
    struct raux *x = arena_new(q->arena, struct raux);
    *x = (struct raux){q, table};
    return sqlite3_create_module(q->db, table->name, &module, x) == SQLITE_OK;
}
