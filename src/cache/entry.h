/*
 * The file of an entry, for its writer and its reader:
 *
 *     struct entry_header      what wrote it, how long it is, checksums of itself and of the next part
 *     what is small            names, options, the files that were read, lists, strings, numbers of rows,
 *                              and a checksum for every piece of the columns
 *     the columns              as in memory, each at a multiple of ENTRY_ALIGN
 *
 * Where a column lies follows from the numbers of rows: no place is written down that could be wrong.
 */
#ifndef GS_CACHE_ENTRY_H
#define GS_CACHE_ENTRY_H

#include "base/pack.h"
#include "base/vec.h"
#include "cache/cache.h"
#include "cache/identity.h"
#include "cache/layout.h"

enum { ENTRY_ALIGN = 64, ENTRY_PAGE = 4096, ENTRY_PIECE = 1 << 20 };

#define ENTRY_MAGIC "gpusight columns" /* 16 bytes, no NUL */

struct entry_header {
    char magic[16];
    uint64_t fingerprint;
    uint64_t file_bytes;
    uint64_t small_bytes; /* behind the header */
    uint64_t small_sum;
    uint64_t columns_at;
    uint64_t own_sum; /* of what is above */
};

struct cache_of {
    const char *dir, *path; /* of the entry */
    struct cache_inputs names, inputs;
    const char *options;
    struct identity *identities; /* of the inputs, as they were before anything was read */
    bool readable, settled;      /* all of them are; a change from then on would show */
    bool hit;
    int threads;
    struct arena *arena;
};

/* A column of a table that has rows, and where it lies behind columns_at. */
struct entry_column {
    struct cache_rule rule;
    const struct column_desc *desc;
    void *table;
    size_t rows;
    uint64_t at, bytes;
    size_t first_piece;
};

struct entry_columns {
    VEC(struct entry_column) v;
    uint64_t bytes; /* all of them */
    size_t pieces;
};

/*
 * What is small, in two parts: what the entry was made from, which is only ever written and compared
 * with what is asked for, and what there is of the trace besides its columns. The latter takes what it
 * reads from p->arena, but strings, which stay where they are.
 */
void entry_pack_origin(struct pack *p, struct cache_of *of);
void entry_pack_trace(struct pack *p, struct trace *t);

/* False when sizes overflow. */
bool entry_columns(struct entry_columns *out, struct trace *t, struct arena *a);

/* The column a piece belongs to, and its part of it. */
const struct entry_column *entry_piece(const struct entry_columns *c, size_t piece, uint64_t *from,
                                       size_t *bytes);

#endif
