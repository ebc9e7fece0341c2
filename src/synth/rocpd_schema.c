/* The tables of a rocpd file that is made up: those of model/rocpd_schema.h, and what tests change. */
#include <string.h>

#include "model/rocpd_schema.h"
#include "synth/rocpd_in.h"

const char *rocpdw_table_name(size_t i)
{
    return rocpd_tables[i].name; /* called with i in order, up to the NULL */
}

char *rocpdw_expand(struct rocpd *w, const struct rprocess *p, const char *sql)
{
    struct str out;
    str_init(&out, w->arena);
    rocpd_expand(&out, sql, p ? p->suffix : "", p ? p->guid : "", w->o.flavor == ROCPD_V305);
    return out.buf;
}

static void metadata(struct rocpd *w, struct rprocess *p, const char *tag, const char *value)
{
    char *sql = rocpdw_expand(w, p,
                              arena_printf(w->arena,
                                           "INSERT INTO \"rocpd_metadata{u}\"(tag, value) "
                                           "VALUES('%s', '%s')",
                                           tag, value));
    rocpdw_exec(w, p->file->db, sql);
}

void rocpdw_tables(struct rocpd *w, struct rprocess *p)
{
    for (const struct rocpd_table *t = rocpd_tables; t->name; t++) {
        const char *name = t->name;
        if (*name == '@' && w->o.flavor != ROCPD_V305)
            continue;
        /* Without foreign keys any column can be dropped later. */
        const char *keys = w->o.drop.n ? strstr(t->columns, ",\nFOREIGN") : NULL;
        int n = (int)(keys ? (size_t)(keys - t->columns) : strlen(t->columns));
        char *sql = arena_printf(w->arena, "CREATE TABLE \"rocpd_%s{u}\" (\n%.*s)",
                                 name + (*name == '@'), n, t->columns);
        rocpdw_exec(w, p->file->db, rocpdw_expand(w, p, sql));
    }
    metadata(w, p, "schema_version", w->o.flavor == ROCPD_V305 ? "3.0.5" : "3");
    if (w->o.flavor == ROCPD_V305) {
        metadata(w, p, "schema_version_major", "3");
        metadata(w, p, "schema_version_minor", "0");
        metadata(w, p, "schema_version_patch", "5");
    }
    metadata(w, p, "uuid", p->suffix);
    metadata(w, p, "guid", p->guid);
    if (w->o.flavor == ROCPD_SYS)
        metadata(w, p, "upid", p->guid);
}

/* What AUTOINCREMENT would have left behind. */
static void write_sequence(struct rocpd *w, struct rprocess *p)
{
    for (const struct rocpd_table *t = rocpd_tables + 1; t->name; t++) {
        const char *name = t->name;
        if (*name == '@')
            continue;
        char *sql = arena_printf(w->arena,
                                 "INSERT INTO sqlite_sequence(name, seq) SELECT "
                                 "'rocpd_%s{u}', max(id) FROM \"rocpd_%s{u}\" HAVING count(*) > 0",
                                 name, name);
        rocpdw_exec(w, p->file->db, rocpdw_expand(w, p, sql));
    }
}

static void drop(struct rocpd *w, struct rprocess *p, const char *what)
{
    const char *dot = strchr(what, '.');
    int n = dot ? (int)(dot - what) : (int)strlen(what);
    char *sql = dot ? arena_printf(w->arena, "ALTER TABLE \"rocpd_%.*s{u}\" DROP COLUMN \"%s\"", n,
                                   what, dot + 1)
                    : arena_printf(w->arena, "DROP TABLE \"rocpd_%s{u}\"", what);
    rocpdw_exec(w, p->file->db, rocpdw_expand(w, p, sql));
}

void rocpdw_complete(struct rocpd *w, struct rfile *f)
{
    for (size_t i = 0; i < w->processes.n; i++)
        if (w->processes.v[i].file == f)
            write_sequence(w, &w->processes.v[i]);
    rocpdw_exec(w, f->db, rocpd_autoincrement_sql);
    for (size_t i = 0; i < w->processes.n; i++)
        for (size_t k = 0; k < w->o.drop.n; k++)
            if (w->processes.v[i].file == f)
                drop(w, &w->processes.v[i], w->o.drop.v[k]);
}
