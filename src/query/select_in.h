/* Between regroup.c, which writes statements anew, and select.c, which reads their parts. */
#ifndef GS_QUERY_SELECT_IN_H
#define GS_QUERY_SELECT_IN_H

#include "base/str.h"
#include "query/groups_in.h"

enum { MOST_ITEMS = 64, DEEPEST_SELECT = 8 };

/* [from, to) of the tokens. */
struct range {
    size_t from, to;
};

struct item {
    struct range of;
    const struct token *alias; /* NULL: none */
};

struct simple {
    size_t begin, end; /* with its SELECT; without what ends it */
    struct range head; /* DISTINCT */
    struct item items[MOST_ITEMS];
    size_t n_items;
    struct range where, group, having, order, limit;
    struct range keys[MOST_KEYS];
    struct scope scope;
    struct grouping *g;
};

struct regrouping {
    struct query *q;
    struct arena *arena;
    struct tokens t;
    int depth;
    size_t changes;
};

static inline bool is_at(const struct regrouping *r, size_t i, const char *word)
{
    return sql_is(&r->t.v[i], word);
}

bool sql_is_any(const struct token *t, const char *const *words); /* NULL at the end */

/* The bracket that closes the one at i; the end of all where there is none. */
size_t sql_closing(const struct regrouping *r, size_t i);

/* The next comma outside of brackets, or the end. */
size_t sql_next_comma(const struct regrouping *r, size_t i, size_t end);

/* WITH kernels AS (...): not our table. */
bool sql_is_shadowed(const struct regrouping *r, const char *table);

/* The SELECT at this place, with its keys; false: it is none of those that are written anew. */
bool select_read(struct regrouping *r, struct simple *s, size_t at);

/* Whose alias this name is; NULL: nobody's. */
const struct item *select_item(const struct simple *s, const struct token *name,
                               struct arena *arena);

/* A column, or an expression of whole numbers. */
bool select_operand(struct simple *s, struct range at, struct operand *out);

/* where.c: the terms of its WHERE, where all are simple. */
void where_read(struct regrouping *r, struct simple *s);

#endif
