/*
 * The cache: columns of traces that were loaded before, kept in a folder on request (`--cache DIR`).
 *
 *     struct cache_of *of = cache_of(dir, names, n, options, threads, arena, err);
 *     if (!of)
 *         return false;                       the folder is not fit for it
 *     if (cache_load(t, of))
 *         return true;                        as it was when cache_store() saw it
 *     ... load ...
 *     cache_store(t, of);
 *
 * An entry is one file. It is known by the names of the traces and by what was asked of the reader, and
 * used only if all of this holds: this program wrote it (version, features, layout of the columns); each
 * file that was read is still the same file, of the same size and times, with the same samples of its
 * content; no such file is missing and none came; its checksums are right; and every number in it that
 * leads somewhere leads to something. Otherwise it is as if it were not there, and is written anew.
 *
 * It is mapped, privately: the columns of the trace are the pages of the file, and what filters change
 * in them stays in this process. The mapping belongs to the trace's arena.
 *
 * The folder must belong to the user and be writable by nobody else, else it is refused: whoever can
 * write it decides what commands say. Entries can be read by nobody else either, as the traces may not
 * be. They appear whole (base/fs_out.h); several processes may read and write them at once.
 *
 * Thread-safety: all functions; a struct cache_of belongs to one thread.
 */
#ifndef GS_CACHE_CACHE_H
#define GS_CACHE_CACHE_H

#include "base/err.h"
#include "model/trace.h"

/* A file whose content makes the trace, or which would if it were there (a journal). */
struct cache_inputs {
    const char **v;
    size_t n, cap;
};

struct cache_of;

/*
 * `names` are the traces as the user gave them: they are in the result, and ranks may come from them.
 * `options` is all else that the result depends on. NULL, with the error: the folder is refused.
 */
struct cache_of *cache_of(const char *dir, const struct cache_inputs *names,
                          const struct cache_inputs *inputs, const char *options, int threads,
                          struct arena *a, struct gs_error *err);

/* Fills an empty trace; false: nothing that can be used is there, and the trace is untouched. */
bool cache_load(struct trace *t, struct cache_of *of);

bool cache_is_hit(const struct cache_of *of); /* that cache_load() did */

/* Keeps it. What goes wrong is a warning, as the result is there all the same. */
void cache_store(const struct trace *t, struct cache_of *of);

/* Makes the folder where it is missing, and says why it is none for a cache. */
bool cache_folder(const char *dir, struct gs_error *err);

/* ---- what is in a folder ---- */

struct cache_entry {
    const char *file;  /* name in the folder */
    const char *trace; /* the first of its traces; "" where it cannot be read */
    size_t n_traces;
    uint64_t bytes;
    int64_t used; /* seconds since 1970 */
    bool current; /* of this version of the program */
};

struct cache_entries {
    struct cache_entry *v;
    size_t n, cap;
};

/* All of them, the one that was used last first. */
bool cache_list(struct cache_entries *out, const char *dir, struct arena *a, struct gs_error *err);

/* Removes those that were not used for the longest time until the rest fits, those of other versions first. */
bool cache_prune(const char *dir, uint64_t most, size_t *removed, struct arena *a,
                 struct gs_error *err);

/* cache_store() keeps a folder below this. */
#define CACHE_MOST (UINT64_C(32) << 30)

#endif
