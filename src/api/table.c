/* Tables: the list of them, making one, reading its values. */
#include <math.h>
#include <string.h>

#include "api/api.h"
#include "base/str.h"

size_t api_type_size(enum gs_type type)
{
    static const size_t sizes[] = {
        [GS_INT64] = 8,  [GS_UINT64] = 8,          [GS_INT32] = 4,
        [GS_UINT32] = 4, [GS_UINT16] = 2,          [GS_UINT8] = 1,
        [GS_DOUBLE] = 8, [GS_BOOL] = sizeof(bool), [GS_TEXT] = sizeof(char *),
        [GS_CODE] = 4,
    };
    return sizes[type];
}

struct gs_column *api_column(struct api_columns *c, const char *name, enum gs_type type,
                             const void *data, size_t stride)
{
    struct gs_column column = {.name = name,
                               .label = name,
                               .unit = "",
                               .doc = "",
                               .type = type,
                               .data = data,
                               .stride = stride ? stride : api_type_size(type)};
    vec_push(&c->v, c->arena, column);
    return &c->v.v[c->v.n - 1];
}

/* ---- results, by their fields ---- */

/* Of plain members a column is a view of the rows. */
static bool plain_type(const struct field *f, enum gs_type *out)
{
    if (f->has || f->flag || f->divide != 0)
        return false;
    switch (f->type) {
    case FIELD_I64:
        *out = GS_INT64;
        return f->null != NULL_MAYBE && f->null != NULL_OMITTED;
    case FIELD_U64:
        *out = GS_UINT64;
        return true;
    case FIELD_U32:
        *out = GS_UINT32;
        return true;
    case FIELD_I32:
        *out = GS_INT32;
        return f->null != NULL_MAYBE && f->null != NULL_OMITTED;
    case FIELD_NUM:
        *out = GS_DOUBLE;
        return true;
    case FIELD_TEXT:
        *out = GS_TEXT;
        return true;
    case FIELD_BOOL:
        *out = GS_BOOL;
        return true;
    default:
        return false;
    }
}

static bool made_type(const struct field *f, enum gs_type *out)
{
    switch (f->type) {
    case FIELD_I64:
    case FIELD_I32:
        *out = f->divide != 0 ? GS_DOUBLE : GS_INT64;
        return true;
    case FIELD_U64:
    case FIELD_U32:
        *out = f->divide != 0 ? GS_DOUBLE : GS_UINT64;
        return true;
    case FIELD_NUM:
        *out = GS_DOUBLE;
        return true;
    case FIELD_BOOL:
        *out = GS_BOOL;
        return true;
    case FIELD_TEXT:
    case FIELD_CHARS:
    case FIELD_ENUM:
    case FIELD_FIXED:
        *out = GS_TEXT;
        return true;
    default:
        return false; /* lists and objects: only in JSON */
    }
}

static void put_value(void *at, enum gs_type type, struct field_value v, struct arena *a)
{
    switch (type) {
    case GS_INT64:
        *(int64_t *)at = v.i;
        break;
    case GS_UINT64:
        *(uint64_t *)at = v.u;
        break;
    case GS_DOUBLE:
        *(double *)at = v.kind == VALUE_REAL   ? v.real
                        : v.kind == VALUE_UINT ? (double)v.u
                                               : (double)v.i;
        break;
    case GS_BOOL:
        *(bool *)at = v.yes;
        break;
    default:
        *(const char **)at = arena_strdup(a, v.text); /* may be inside of the row */
    }
}

struct rows_of {
    const char *at;
    size_t n, stride;
};

/* A member of the first row; a table without rows may have no place at all. */
static const char *member_of(struct rows_of rows, const struct field *f)
{
    return rows.at ? rows.at + f->offset : NULL;
}

static void made_column(struct api_columns *c, const struct field *f, struct rows_of rows,
                        enum gs_type type)
{
    size_t size = api_type_size(type);
    char *data = arena_calloc(c->arena, rows.n + 1, size);
    uint8_t *valid = arena_alloc(c->arena, rows.n + 1);
    bool all = true;
    for (size_t i = 0; i < rows.n; i++) {
        struct field_value v = field_get(f, rows.at + i * rows.stride);
        valid[i] = v.kind != VALUE_NONE;
        all = all && valid[i];
        if (valid[i])
            put_value(data + i * size, type, v, c->arena);
        else if (type == GS_DOUBLE)
            *(double *)(void *)(data + i * size) = NAN;
    }
    struct gs_column *column = api_column(c, f->key, type, data, size);
    column->valid = all || type == GS_TEXT || type == GS_DOUBLE ? NULL : valid;
}

static void add_fields(struct api_columns *c, const struct fields *fields, struct rows_of rows)
{
    for (size_t i = 0; i < fields->n; i++) {
        const struct field *f = &fields->v[i];
        enum gs_type type;
        size_t before = c->v.n;
        if (!f->key && f->type == FIELD_OBJECT && f->of) {
            struct rows_of inner = {member_of(rows, f), rows.n, rows.stride};
            add_fields(c, f->of, inner);
            continue;
        }
        if (!f->key)
            continue;
        if (plain_type(f, &type))
            api_column(c, f->key, type, member_of(rows, f), rows.stride);
        else if (made_type(f, &type))
            made_column(c, f, rows, type);
        if (c->v.n == before)
            continue;
        struct gs_column *column = &c->v.v[c->v.n - 1];
        column->label = f->label;
        column->unit = unit_word(f->unit);
        column->doc = f->doc;
    }
}

static void make_result(struct gs_run *run, struct api_table *t)
{
    const struct sheet *s = t->source;
    struct api_columns c = {.arena = &run->arena};
    struct rows_of rows = {s->rows, s->n, s->fields->row_size};
    add_fields(&c, s->fields, rows);
    t->table.column = c.v.v;
    t->table.columns = c.v.n;
}

static void list_result(struct gs_run *run, const char *name, const char *doc,
                        const struct fields *fields, const void *rows, size_t n, bool object)
{
    struct sheet *s = arena_new(&run->arena, struct sheet);
    *s = (struct sheet){.name = name, .fields = fields, .rows = rows, .n = n};
    for (size_t i = 0; i < run->events.n; i++)
        if (str_eq(run->events.v[i].name, name))
            name = arena_printf(&run->arena, "%s_summary", name);
    for (size_t i = 0; i < run->results.n; i++)
        if (str_eq(run->results.v[i].name, name))
            name = arena_printf(&run->arena, "%s_summary", name);
    struct api_table t = {.name = name, .make = make_result, .source = s};
    t.table = (gs_table){.name = name, .doc = doc, .rows = n, .is_object = object};
    vec_push(&run->results, &run->arena, t);
}

void api_list_tables(struct gs_run *run, const struct results *all)
{
    for (size_t i = 0; i < all->n; i++) {
        const struct result *r = &all->v[i];
        list_result(run, r->fields->key, r->fields->doc, r->fields, r->rows,
                    r->is_object ? 1 : r->n, r->is_object);
    }
}

void api_list_results(struct gs_run *run)
{
    struct results all = {0};
    struct workbook *w = &run->workbook;
    run->results.n = 0; /* of a try that did not come to its end */
    *w = (struct workbook){.arena = &run->arena};
    workbook_ledger(w, run->run->analysis);
    workbook_findings(w, &run->run->advice);
    for (size_t i = 0; i < w->sheets.n; i++) {
        const struct sheet *s = &w->sheets.v[i];
        list_result(run, s->name, s->doc, s->fields, s->rows, s->n, false);
    }
    analysis_results(run->run->analysis, &all, &run->arena);
    api_list_tables(run, &all);
    api_list_beside(run);
}

/* ---- asked for ---- */

size_t gs_run_tables(gs_run *run)
{
    return run->events.n + (atomic_load(&run->analyzed) ? run->results.n : 0);
}

struct api_table *api_table_at(gs_run *run, size_t i)
{
    return i < run->events.n        ? &run->events.v[i]
           : i < gs_run_tables(run) ? &run->results.v[i - run->events.n]
                                    : NULL;
}

const char *gs_run_table_name(gs_run *run, size_t i)
{
    const struct api_table *t = api_table_at(run, i);
    return t ? t->name : NULL;
}

struct making {
    struct gs_run *run;
    struct api_table *t;
};

static void make_table(void *ctx)
{
    struct making *m = ctx;
    m->t->make(m->run, m->t);
    atomic_store(&m->t->made, true);
}

const gs_table *gs_run_table_at(gs_run *run, size_t i, struct gs_error *err)
{
    struct making m = {run, api_table_at(run, i)};
    if (!m.t) {
        fail(err, GS_E_USAGE, "no table %zu; there are %zu", i, gs_run_tables(run));
        return NULL;
    }
    bool ok = atomic_load(&m.t->made);
    if (ok)
        return &m.t->table;
    pthread_mutex_lock(&run->lock);
    ok = atomic_load(&m.t->made) || api_call(NULL, make_table, &m, err);
    pthread_mutex_unlock(&run->lock);
    return ok ? &m.t->table : NULL;
}

/* SIZE_MAX: there is none. */
static size_t find_table(gs_run *run, const char *name, size_t first)
{
    const struct api_table *t;
    for (size_t i = first; (t = api_table_at(run, i)); i++)
        if (str_eq(t->name, name))
            return i;
    return SIZE_MAX;
}

const gs_table *gs_run_table(gs_run *run, const char *name, struct gs_error *err)
{
    size_t i = find_table(run, name, 0);
    if (i == SIZE_MAX && !run->rows_only) { /* of those that are still to be made */
        if (!gs_analyze(run, NULL, err))
            return NULL;
        i = find_table(run, name, run->events.n);
    }
    if (i != SIZE_MAX)
        return gs_run_table_at(run, i, err);
    fail(err, GS_E_USAGE, "no table is called '%s'", name);
    return NULL;
}

const struct gs_column *gs_column(const gs_table *t, const char *name)
{
    for (size_t i = 0; i < t->columns; i++)
        if (str_eq(t->column[i].name, name))
            return &t->column[i];
    return NULL;
}

static const void *at(const struct gs_column *c, size_t row)
{
    return (const char *)c->data + row * c->stride;
}

int64_t gs_int(const struct gs_column *c, size_t row)
{
    const void *p = at(c, row);
    if (c->valid && !c->valid[row])
        return 0;
    switch (c->type) {
    case GS_INT64:
    case GS_UINT64:
        return *(const int64_t *)p;
    case GS_INT32:
        return *(const int32_t *)p;
    case GS_UINT32:
    case GS_CODE:
        return *(const uint32_t *)p;
    case GS_UINT16:
        return *(const uint16_t *)p;
    case GS_UINT8:
        return *(const uint8_t *)p;
    case GS_BOOL:
        return *(const bool *)p;
    case GS_DOUBLE: {
        double v = *(const double *)p;
        return v > -9e18 && v < 9e18 ? (int64_t)v : 0;
    }
    default:
        return 0;
    }
}

double gs_real(const struct gs_column *c, size_t row)
{
    if ((c->valid && !c->valid[row]) || c->type == GS_TEXT)
        return NAN;
    if (c->type == GS_DOUBLE)
        return *(const double *)at(c, row);
    return c->type == GS_UINT64 ? (double)*(const uint64_t *)at(c, row) : (double)gs_int(c, row);
}

const char *gs_text(const struct gs_column *c, size_t row)
{
    if (c->type == GS_TEXT)
        return *(const char *const *)at(c, row);
    if (c->type != GS_CODE)
        return NULL;
    uint32_t code = *(const uint32_t *)at(c, row);
    return code < c->n_texts ? c->texts[code] : NULL;
}
