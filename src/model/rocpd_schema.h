/*
 * The schema of AMD's rocpd databases, as text: for those who write them.
 *
 * A file holds one or more sets of tables, each with a suffix made of its guid: rocpd_event_SUFFIX.
 * Views without a suffix are the union of all sets, and the views of AMD's tools stand on these.
 *
 *     for (const struct rocpd_table *t = rocpd_tables; t->name; t++)
 *         if (rocpd_in_version(t->name, v305)) {
 *             rocpd_table_sql(&sql, t, suffix, guid, v305); // run it
 *         }
 *     ... rows ...
 *     rocpd_finish_sql(&sql, suffix, v305);                 // each set: what AUTOINCREMENT leaves
 *     rocpd_union_sql(&sql, "event", suffixes, n);          // each table
 *     rocpd_view_sql(&sql, view, v305);                     // each view
 *
 * The tables are made without AUTOINCREMENT, which would cost as much as the insert itself, and
 * get it by rewriting sqlite_schema at the end. On disk the two are the same.
 */
#ifndef GS_MODEL_ROCPD_SCHEMA_H
#define GS_MODEL_ROCPD_SCHEMA_H

#include "base/str.h"

/* A name that starts with '@' belongs to schema 3.0.5 only, and so does such a line of the text. */
struct rocpd_table {
    const char *name, *columns;
};

struct rocpd_view {
    const char *name, *sql;
};

extern const struct rocpd_table rocpd_tables[]; /* a NULL name ends each */
extern const struct rocpd_view rocpd_views[];

/* Without the sign. */
static inline const char *rocpd_plain_name(const char *name)
{
    return name + (*name == '@');
}

static inline bool rocpd_in_version(const char *name, bool v305)
{
    return *name != '@' || v305;
}

/* {u} and {g} are the suffix and the guid; lines of the other version go. Appends. */
void rocpd_expand(struct str *out, const char *sql, const char *suffix, const char *guid,
                  bool v305);

void rocpd_table_sql(struct str *out, const struct rocpd_table *t, const char *suffix,
                     const char *guid, bool v305);
void rocpd_finish_sql(struct str *out, const char *suffix, bool v305);
/* Once a file, after all sets: turns AUTOINCREMENT on. */
extern const char rocpd_autoincrement_sql[];
void rocpd_union_sql(struct str *out, const char *table, const char *const *suffixes, size_t n);
void rocpd_view_sql(struct str *out, const struct rocpd_view *v, bool v305);

#endif
