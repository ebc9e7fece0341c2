/* docs/query-tables.md, from the tables themselves. */
#include "query/query.h"

static const struct trace *no_trace(void *ctx, unsigned leave_out, struct gs_error *err)
{
    (void)ctx, (void)leave_out, (void)err;
    return NULL;
}

static const struct run *no_run(void *ctx, bool replays, struct gs_error *err)
{
    (void)ctx, (void)replays, (void)err;
    return NULL;
}

static void put_table(struct str *out, const struct query_table_doc *t)
{
    str_printf(out, "\n## %s\n\n", t->name);
    fields_doc_text(out, t->doc);
    str_printf(out, " (%s)\n\n| column | type | meaning |\n|---|---|---|\n",
               query_kind_names[t->kind]);
    for (size_t i = 0; i < t->columns.n; i++)
        fields_doc_row(out, t->columns.v[i].name, t->columns.v[i].type, t->columns.v[i].doc);
}

void query_reference(struct str *out)
{
    struct query *q =
        query_open(&(struct query_source){.trace = no_trace, .run = no_run}, out->arena);
    const struct query_tables *all = query_tables(q);
    str_puts(out,
             "# Tables of `gpusight query`\n\n"
             "Made by `gpusight --generate query-tables` from the tables themselves; `gpusight "
             "query --schema TABLE` shows the same. [query.md](query.md) is the manual.\n\n"
             "| table | kind | rows |\n|---|---|---|\n");
    for (size_t i = 0; i < all->v.n; i++)
        fields_doc_row(out, all->v.v[i].name, query_kind_names[all->v.v[i].kind], all->v.v[i].doc);
    for (size_t i = 0; i < all->v.n; i++)
        put_table(out, &all->v.v[i]);
}
