/*
 * Anonymise: a trace under other names, so that it can be shown to strangers.
 *
 * Names that people gave (kernels, markers, functions, threads, hosts, commands, paths) are replaced
 * by pseudonyms that are the same wherever the name stands; a kernel's keeps its kind, so that the
 * analysis says the same. Names that everybody has (calls of HIP, CUDA, MPI, counters, GPUs) stay.
 *
 *     struct pseudonyms p;
 *     pseudonyms_init(&p, arena);
 *     anonymise_trace(&t, &p);       now write it; then prove it:
 *     anonymise_scan(&p, &paths, err); no original name is in the bytes
 *     pseudonyms_json(&p, &text);    the key, to undo it
 */
#ifndef GS_REWRITE_ANONYMISE_H
#define GS_REWRITE_ANONYMISE_H

#include "base/err.h"
#include "base/opt.h"
#include "base/str.h"
#include "model/trace.h"

struct pseudonym {
    const char *kind; /* "kernel", "marker" ... */
    const char *original, *name;
};

struct pseudonyms {
    struct arena *arena;
    VEC(struct pseudonym) v;
    struct idmap by_name;   /* hash of kind and original -> v */
    VEC(const char *) left; /* originals that are in the output all the same */
    size_t too_short;       /* originals that are too short to be looked for */
};

void pseudonyms_init(struct pseudonyms *p, struct arena *a);

/* Replaces the names in the trace. */
void anonymise_trace(struct trace *t, struct pseudonyms *p);

/* Puts the originals back, by a key that was read. */
void anonymise_undo(struct trace *t, const struct pseudonyms *p);

/* Fills p->left with what the files hold of the originals, each once. */
bool anonymise_scan(struct pseudonyms *p, const struct opt_list *paths, struct gs_error *err);

void pseudonyms_json(const struct pseudonyms *p, struct str *out);
bool pseudonyms_read(struct pseudonyms *p, const char *path, struct gs_error *err);

#endif
