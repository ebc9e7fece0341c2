/* What there is to ask, as results. */
#include "query/query.h"

enum { COLUMNS = 3 };

static struct query_result list_new(const char *what, const char *const names[COLUMNS],
                                    struct arena *a)
{
    struct query_result r = {.sql = what, .arena = a};
    for (size_t i = 0; i < COLUMNS; i++)
        vec_push(&r.columns, a, ((struct query_column){names[i], VALUE_TEXT}));
    return r;
}

static void add_row(struct query_result *r, const char *const texts[COLUMNS])
{
    for (size_t i = 0; i < COLUMNS; i++)
        vec_push(&r->cells, r->arena,
                 ((struct query_cell){texts[i] ? VALUE_TEXT : VALUE_NONE, {.text = texts[i]}}));
    r->n++;
}

struct query_result query_list_tables(struct query *q, struct arena *a)
{
    static const char *const names[COLUMNS] = {"table", "kind", "rows"};
    const struct query_tables *all = query_tables(q);
    struct query_result r = list_new("tables", names, a);
    for (size_t i = 0; i < all->v.n; i++) {
        const struct query_table_doc *t = &all->v.v[i];
        add_row(&r, (const char *const[COLUMNS]){t->name, query_kind_names[t->kind], t->doc});
    }
    return r;
}

struct query_result query_list_columns(const struct query_table_doc *t, struct arena *a)
{
    static const char *const names[COLUMNS] = {"column", "type", "meaning"};
    struct query_result r = list_new(t->name, names, a);
    for (size_t i = 0; i < t->columns.n; i++) {
        const struct query_column_doc *c = &t->columns.v[i];
        add_row(&r, (const char *const[COLUMNS]){c->name, c->type, c->doc});
    }
    return r;
}
