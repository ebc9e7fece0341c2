/*
 * A fleet: what is known of many runs, in one database (store.h).
 *
 *     gpusight collect DIR --db FILE
 *
 * fleet_find() says which runs there are in folders, fleet_add() puts one with all that was found
 * out about it into the database, in one transaction, unless its content is there already.
 * fleet_list() and fleet_profile() give runs back, for 'history' and 'compare'.
 *
 * The tables are in schema.c and docs/fleet.md. Everything belongs to the arena given.
 */
#ifndef GS_FLEET_FLEET_H
#define GS_FLEET_FLEET_H

#include "base/sha256.h"
#include "base/vec.h"
#include "cache/identity.h"
#include "compare/profile.h"
#include "fleet/store.h"
#include "run/run.h"

/* Of the tables; earlier ones are read as they are and brought up to date when something is added. */
enum { FLEET_VERSION = 2 };

/* ---- which runs there are ---- */

enum fleet_division {
    FLEET_AUTO,  /* traces of a folder that say which rank they are, each another, are one run */
    FLEET_FILES, /* every trace is one */
    FLEET_FOLDERS /* everything directly in the folder given is one: a file, or a folder with all below */
};

struct fleet_found_run {
    const char *path, *name; /* the latter as 'compare' labels it */
    struct ingest_files traces;
};

/* What could not be read, and why. */
struct fleet_bad {
    const char *path, *why;
    enum gs_code code;
};

struct fleet_found {
    VEC(struct fleet_found_run) runs; /* in order of their paths */
    VEC(struct fleet_bad) bad;
    size_t others; /* files of other kinds */
};

bool fleet_find(struct fleet_found *out, const struct opt_list *paths, enum fleet_division how,
                struct arena *a, struct gs_error *err);

/* ---- their content: the same wherever they lie (content.c) ---- */

struct fleet_file {
    const char *path;
    struct identity id; /* also of one that is not there, as a log of SQLite may be */
    char hash[SHA256_HEX];
    bool is_new; /* it was read, and the database can remember what it is */
};

/* Also its size and when it was changed last. */
struct fleet_content {
    char hash[SHA256_HEX];
    uint64_t bytes;
    int64_t changed_ns;
    VEC(struct fleet_file) files;
    size_t n; /* those that are there */
};

/* `anew`: files are read, whatever is remembered of them. */
bool fleet_content(struct fleet_content *out, struct fleet *f, const struct fleet_found_run *r,
                   bool anew, struct arena *a, struct gs_error *err);
/* Whether the files are still those that the content was taken of: asked when they were analyzed. */
bool fleet_unchanged(const struct fleet_content *c, const struct fleet_found_run *r,
                     struct gs_error *err);
/*
 * So that they need not be read the next time, of a run that is there. It may fail, for want of the
 * right to write say: it only saves time.
 */
void fleet_remember(struct fleet *f, const struct fleet_found_run *r,
                    const struct fleet_content *c);

/* ---- into the database ---- */

bool fleet_has(struct fleet *f, const char *hash, bool *has, struct gs_error *err);

struct fleet_add_opts {
    size_t top;   /* hotspots */
    bool replace; /* what is known of it goes first */
};

/* *added: false when somebody else has been faster. */
bool fleet_add(struct fleet *f, const struct fleet_found_run *found,
               const struct fleet_content *content, const struct run *r,
               const struct fleet_add_opts *o, bool *added, struct gs_error *err);

/* ---- out of it ---- */

struct fleet_entry {
    const char *run, *name;
    int64_t started_ns;
};

struct fleet_entries {
    VEC(struct fleet_entry) v; /* oldest first */
};

/* `pattern` of names, such as "nightly/?*"; NULL: all. */
bool fleet_list(struct fleet *f, const char *pattern, struct fleet_entries *out, struct arena *a,
                struct gs_error *err);

/*
 * The run that a word means: "latest", "latest~2", a name (of several runs the last), or the first
 * letters of its hash. NULL: none, or several.
 */
const struct fleet_entry *fleet_choose(const struct fleet_entries *all, const char *word,
                                       const struct fleet *f, struct gs_error *err);

bool fleet_profile(struct fleet *f, const struct fleet_entry *e, struct run_profile *p,
                   struct arena *a, struct gs_error *err);

#endif
