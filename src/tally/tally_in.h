/* Between the files of the room: one reader for each kind of file. */
#ifndef GS_TALLY_TALLY_IN_H
#define GS_TALLY_TALLY_IN_H

#include "ingest/ingest.h"
#include "tally/tally.h"

struct tally_kind {
    const char *what; /* "a profile of rocprof-sys" */
    bool (*detect)(const struct probe *p);
    bool (*read)(struct tally *t, const char *path, struct gs_error *err);
};

extern const struct tally_kind tally_profile_text, tally_profile_json, tally_statistics_csv,
    tally_compute_db;

/*
 * "|01|03>>>   |_main" to "main", with rank and thread where they are there. How many steps the name
 * is set in goes to *indent, -1: it has no mark of a tree.
 */
const char *tally_label(const char *text, size_t n, struct tally_line *line, int64_t *indent,
                        struct arena *a);

/*
 * Adds a line below the one that stands above it in the tree. A measure with several values has a
 * line for each, `value` from 0 on. tally_root() begins a tree.
 */
void tally_push(struct tally *t, struct tally_line *line, size_t value);
void tally_root(struct tally *t);

/* A row repeats texts of so many bytes that stand elsewhere; false: those of the file take too many. */
bool tally_text(struct tally *t, size_t bytes);

#endif
