/* What libsqlite3 is told about a table before a statement runs: what it can find, in which order. */
#include "base/str.h"
#include "query/vtab_in.h"

enum { BYTES_TO_ORDER = 40 }; /* of a row, while it is sorted */

static double rows_in(const struct vaux *x)
{
    double n = 0;
    for (size_t i = 0; x->q->has_trace && i < x->table->n_parts; i++)
        n += (double)x->table->parts[i].n(&x->q->data);
    return n < 1 ? 1 : n;
}

/*
 * What must be loaded for these columns of a table: work of the GPU can do without the calls of the
 * host, which are most of a trace, unless a column refers to them.
 */
unsigned vtab_needs(const struct qtable *t, uint64_t used)
{
    static const struct {
        const char *name;
        unsigned part;
    } known[] = {
        {"kernels", INGEST_KERNELS},
        {"rocpd_kernel_dispatch", INGEST_KERNELS},
        {"memory_copies", INGEST_COPIES},
        {"rocpd_memory_copy", INGEST_COPIES},
        {"memory_allocations", INGEST_ALLOCATIONS},
        {"rocpd_memory_allocate", INGEST_ALLOCATIONS},
    };
    static const char *const links[] = {"stack_id", "parent_stack_id", "event_id", "call"};
    for (size_t i = 0; i < t->n_columns; i++)
        for (size_t k = 0; used >> (i < 63 ? i : 63) & 1 && k < ARRAY_LEN(links); k++)
            if (str_eq(t->parts[0].columns[i].name, links[k]))
                return INGEST_ALL;
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (str_eq(t->name, known[i].name))
            return known[i].part;
    return INGEST_ALL;
}

/* What a condition leaves, for the planner. */
static double share(int op)
{
    return op == SQLITE_INDEX_CONSTRAINT_EQ ? 0.01 : op == SQLITE_INDEX_CONSTRAINT_NE ? 0.9 : 0.3;
}

static bool usable(const struct qcolumn *columns, sqlite3_index_info *info, int i)
{
    const struct sqlite3_index_constraint *c = &info->aConstraint[i];
    if (!c->usable || c->iColumn < 0 || !match_can(columns[c->iColumn].kind, c->op))
        return false;
    if (columns[c->iColumn].kind == Q_T && sqlite3_vtab_in(info, i, -1))
        return false;
    bool compares = c->op == SQLITE_INDEX_CONSTRAINT_EQ || c->op == SQLITE_INDEX_CONSTRAINT_NE;
    return columns[c->iColumn].kind == Q_I || !compares ||
           sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY") == 0;
}

/* Whether SELECT DISTINCT or count(DISTINCT) sees nothing but the columns that it compares. */
static bool only_these(const sqlite3_index_info *info)
{
    uint64_t columns = 0;
    for (int i = 0; i < info->nOrderBy; i++)
        columns |= info->aOrderBy[i].iColumn < 63 ? (uint64_t)1 << info->aOrderBy[i].iColumn : 0;
    return info->colUsed == columns;
}

/* '>5 <7 ' for ORDER BY column 5, column 7 DESC; '=' before it for DISTINCT. */
static void plan_order(const struct vaux *x, sqlite3_index_info *info, sqlite3_str *plan)
{
    int distinct = sqlite3_vtab_distinct(info);
    double rows = rows_in(x);
    if (!info->nOrderBy || info->nOrderBy > MOST_ORDER || rows >= UINT32_MAX)
        return;
    if (x->q->sort_memory && rows * BYTES_TO_ORDER > (double)x->q->sort_memory)
        return;
    if (distinct == 2 && !only_these(info))
        return; /* the first of each comes first */
    for (int i = 0; i < info->nOrderBy; i++)
        if (info->aOrderBy[i].iColumn < 0)
            return;
    sqlite3_str_appendall(plan, distinct == 2 ? "=" : "");
    for (int i = 0; i < info->nOrderBy; i++)
        sqlite3_str_appendf(plan, "%c%d ", info->aOrderBy[i].desc ? '<' : '>',
                            info->aOrderBy[i].iColumn);
    info->orderByConsumed = 1;
}

/*
 * idxStr: for each argument the number of the operator and that of the column, with '*' between them for
 * IN, whose values come all at once; then the order.
 */
int vtab_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    struct vaux *x = ((struct vtab *)base)->of;
    const struct qcolumn *columns = x->table->parts[0].columns;
    sqlite3_str *plan = sqlite3_str_new(NULL);
    double rows = rows_in(x), cost = rows;
    int n = 0;
    bool equal = false, joins = false;
    x->q->wants_trace = true;
    x->q->wants_args |= x->table->is_of_args;
    x->q->needs |= vtab_needs(x->table, info->colUsed);
    for (int i = 0; i < info->nConstraint && n < MOST_CONDITIONS; i++) {
        if (!usable(columns, info, i))
            continue;
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];
        sqlite3_value *v = NULL;
        enum qkind kind = columns[c->iColumn].kind;
        bool known = sqlite3_vtab_rhs_value(info, i, &v) == SQLITE_OK;
        bool eq = c->op == SQLITE_INDEX_CONSTRAINT_EQ && kind != Q_T;
        info->aConstraintUsage[i].argvIndex = ++n;
        bool list = sqlite3_vtab_in(info, i, 1);
        info->aConstraintUsage[i].omit = match_is_exact(kind, c->op, known ? v : NULL);
        sqlite3_str_appendf(plan, "%d%c%d ", (int)c->op, list ? '*' : ':', c->iColumn);
        rows *= list ? 0.1 : share(c->op);
        equal |= eq && !list;
        joins |= eq && !known && !list;
    }
    if (!joins) /* what another table looks up comes in that one's order */
        plan_order(x, info, plan);
    rows = rows < 1 ? 1 : rows;
    info->estimatedRows = (sqlite3_int64)rows;
    info->estimatedCost = equal ? 20 + 2 * rows : cost / 20 + 2 * rows;
    bool empty = !sqlite3_str_length(plan);
    info->idxStr = sqlite3_str_finish(plan);
    info->needToFreeIdxStr = 1;
    info->idxNum = n;
    return info->idxStr || empty ? SQLITE_OK : SQLITE_NOMEM;
}
