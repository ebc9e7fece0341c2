/*
 * Between the files of the cache.
 */
#ifndef GS_CACHE_FOLDER_H
#define GS_CACHE_FOLDER_H

#include "base/arena.h"
#include "cache/cache.h"

enum { CACHE_NAME = 32 }; /* hexadecimal digits */
#define CACHE_EXTENSION ".columns"

/* Opens an entry, if it is a plain file of this user that nobody else can write; else -1. */
int cache_open(const char *path, uint64_t *bytes);

/* What an entry says of itself; nothing where it is none. */
void cache_describe(struct cache_entry *e, const char *path, struct arena *a);

#endif
