/*
 * Databases made of bytes, for targets whose format is tables: the bytes become rows, values of any
 * kind and size. Pages of SQLite as such are fuzzed elsewhere.
 *
 *     static const struct made_table tables[] = {{"op", "id INTEGER PRIMARY KEY,start,end", 3}};
 *     static const struct table_words words = {{"hipMemcpy", ...}};
 *     tables_read(tables, ARRAY_LEN(tables), &words, data, size);
 */
#ifndef GS_TESTS_FUZZ_TABLES_H
#define GS_TESTS_FUZZ_TABLES_H

#include <stddef.h>
#include <stdint.h>

struct made_table {
    const char *name, *columns;
    int n;
};

struct table_words {
    const char *v[8]; /* texts that mean something to the reader */
    const char *rows; /* SQL for rows that are always there; NULL: none */
};

/* Reads them both ways, by our own walk and through libsqlite3, which must agree. */
void tables_read(const struct made_table *tables, size_t n, const struct table_words *words,
                 const uint8_t *data, size_t size);

#endif
