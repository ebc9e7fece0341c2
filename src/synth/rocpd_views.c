/* Views of a rocpd file that is made up: those of model/rocpd_schema.h. */
#include "model/rocpd_schema.h"
#include "synth/rocpd_in.h"

static bool dropped(const struct rocpd *w, const char *table)
{
    for (size_t i = 0; i < w->o.drop.n; i++)
        if (str_eq(w->o.drop.v[i], table))
            return true;
    return false;
}

static void plain_view(struct rocpd *w, struct rfile *f, const char *table)
{
    VEC(const char *) suffixes = {0};
    struct str sql;
    str_init(&sql, w->arena);
    for (size_t i = 0; i < w->processes.n; i++)
        if (w->processes.v[i].file == f)
            vec_push(&suffixes, w->arena, (const char *)w->processes.v[i].suffix);
    rocpd_union_sql(&sql, table, suffixes.v, suffixes.n);
    rocpdw_exec(w, f->db, sql.buf);
}

void rocpdw_views(struct rocpd *w, struct rfile *f)
{
    const char *name;
    for (size_t i = 0; (name = rocpdw_table_name(i)); i++) {
        if (*name == '@' && w->o.flavor != ROCPD_V305)
            continue;
        name += *name == '@';
        if (!dropped(w, name))
            plain_view(w, f, name);
    }
    for (const struct rocpd_view *v = rocpd_views; v->name; v++) {
        struct str sql;
        if (!rocpd_in_version(v->name, w->o.flavor == ROCPD_V305))
            continue;
        str_init(&sql, w->arena);
        rocpd_view_sql(&sql, v, w->o.flavor == ROCPD_V305);
        rocpdw_exec(w, f->db, sql.buf);
    }
}
