/*
 * Tables: structs of parallel arrays, one array a column.
 *
 *     #define THING_COLUMNS(X) X(int64_t, start_ns) X(uint32_t, name)
 *     TABLE(things, THING_COLUMNS);
 *
 * declares struct things { size_t n, cap; ...; int64_t *start_ns; uint32_t *name; } and
 * things_desc, which the functions here work from. Rows [0, n) are filled, [n, cap) is room.
 * The table owns its arrays, which lie in one block; table_release() frees it. Arrays that are lent to it
 * (cache/cache.h) may be written to as well; table_reserve() moves them to a block of its own. The
 * last columns may be packed (packed.h) once no row changes any more: then rows can only be read.
 *
 * Thread-safety: several threads may fill different rows once the room is reserved.
 */
#ifndef GS_MODEL_TABLE_H
#define GS_MODEL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/packed.h"

struct column_desc {
    const char *name;
    size_t offset; /* of the array pointer in the table struct */
    size_t size;   /* of one value */
};

struct table_desc {
    const char *name;
    const struct column_desc *columns;
    size_t n_columns;
};

/* Every table struct starts like this. */
struct table {
    size_t n, cap;
    bool lent; /* the arrays belong to somebody else, who keeps them for as long as the table is */
    size_t n_packed;
    struct packed *packed; /* its last columns, whose arrays are NULL then */
};

#define TABLE_MEMBER_(type, column) type *column;
#define TABLE(name, COLUMNS)                                                                       \
    struct name {                                                                                  \
        size_t n, cap;                                                                             \
        bool lent;                                                                                 \
        size_t n_packed;                                                                           \
        struct packed *packed;                                                                     \
        COLUMNS(TABLE_MEMBER_)                                                                     \
    };                                                                                             \
    extern const struct table_desc name##_desc

/* Row `from` in place of row `to`, in all its columns. */
#define TABLE_MOVE_(type, column) moved_->column[to_] = moved_->column[from_];
#define table_move(table, COLUMNS, to, from)                                                       \
    do {                                                                                           \
        __typeof__(table) moved_ = (table);                                                        \
        size_t to_ = (to), from_ = (from);                                                         \
        COLUMNS(TABLE_MOVE_)                                                                       \
    } while (0)

/*
 * Makes room for at least `want` rows in all: exactly so many when thousands are asked for at once,
 * which are all that are known to come, or when that is more than double. Large tables that grow row
 * by row grow by a quarter, so that a few rows behind millions take no room for millions more.
 */
void table_reserve(void *table, const struct table_desc *desc, size_t want);
/* Gives back the room beyond the rows, where that is more than a sixteenth of them. */
void table_fit(void *table, const struct table_desc *desc);
/* Room for exactly `cap` rows, also less than there was; nothing happens when there are more rows. */
void table_resize(void *table, const struct table_desc *desc, size_t cap);
void table_release(void *table, const struct table_desc *desc);
size_t table_bytes(const void *table, const struct table_desc *desc); /* of the room */

/*
 * Packs the columns from `first` on: table_pack_column() for each of them, in any thread, between begin and
 * end. A table that is lent or packed, or has no rows, is left alone: begin says false.
 */
bool table_pack_begin(void *table, const struct table_desc *desc, size_t first);
void table_pack_column(void *table, const struct table_desc *desc, size_t first, size_t column);
void table_pack_end(void *table, const struct table_desc *desc, size_t first);

/* The first column and row in which two tables differ; false when they are equal. */
bool table_differs(const void *a, const void *b, const struct table_desc *desc, const char **column,
                   size_t *row);

#endif
