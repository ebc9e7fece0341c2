/*
 * A rocpd database, row by row: for everything that writes one.
 *
 *     struct rocpd_writer *w = rocpd_writer_open(set, path, v305, arena, err);
 *     rocpd_writer_prepare(w, names, n);                   where there are many of the next
 *     struct rocpd_set *s = rocpd_writer_set(w, guid);     a process; as many as there are
 *     int64_t event = rocpd_add_event(s, "HIP_RUNTIME_API_EXT", stack, parent, NULL);
 *     rocpd_run(s, ROCPD_INS_REGION, ...);
 *     rocpd_writer_close(w, err);                          views, sequences; the file is complete
 *
 * The first thing that fails is kept and told at the end; what is called after it does nothing.
 * The file appears with the fs_set it belongs to.
 */
#ifndef GS_CONVERT_ROCPD_WRITER_H
#define GS_CONVERT_ROCPD_WRITER_H

#include <sqlite3.h>

#include "base/fs_set.h"
#include "base/hash.h"
#include "base/str.h"

enum rocpd_insert {
    ROCPD_INS_STRING,
    ROCPD_INS_NODE,
    ROCPD_INS_PROCESS,
    ROCPD_INS_THREAD,
    ROCPD_INS_AGENT,
    ROCPD_INS_QUEUE,
    ROCPD_INS_STREAM,
    ROCPD_INS_PMC_INFO,
    ROCPD_INS_CODE_OBJECT,
    ROCPD_INS_SYMBOL,
    ROCPD_INS_TRACK,
    ROCPD_INS_EVENT,
    ROCPD_INS_EVENT_EXT, /* with extdata */
    ROCPD_INS_REGION,
    ROCPD_INS_SAMPLE,
    ROCPD_INS_ARG,
    ROCPD_INS_KERNEL,
    ROCPD_INS_COPY,
    ROCPD_INS_ALLOC,
    ROCPD_INS_PMC,
    ROCPD_INSERTS
};

struct rocpd_writer;

struct rocpd_set {
    struct rocpd_writer *w;
    const char *guid, *suffix;
    sqlite3_stmt *insert[ROCPD_INSERTS]; /* made when first used */
    struct idmap strings;                /* hash of a text -> its id */
    int64_t n_strings, events;           /* last ids used */
};

struct rocpd_writer {
    struct arena *arena;
    sqlite3 *db;
    struct fs_out *out;
    struct fs_set *set;
    bool v305;
    VEC(struct rocpd_set *) sets;
    size_t prepared; /* sets that have their tables */
    struct gs_error error;
    bool failed;
};

struct rocpd_writer *rocpd_writer_open(struct fs_set *set, const char *path, bool v305,
                                       struct arena *a, struct gs_error *err);

struct rocpd_name {
    const char *guid, *suffix; /* the suffix begins with '_' */
};

/*
 * Makes the tables of many sets at once, in time linear in their number; SQLite's own way is not.
 * They are to be asked for one by one, in this order, before any other. More than
 * ROCPD_MOST_SETS are refused.
 */
#define ROCPD_MOST_SETS 1024
bool rocpd_writer_prepare(struct rocpd_writer *w, const struct rocpd_name *names, size_t n);

/* "_01234567_89ab_...": the suffix of a guid. */
const char *rocpd_suffix(const char *guid, struct arena *a);

/* A set of tables; the guid is 36 characters, hexadecimal digits and dashes. */
struct rocpd_set *rocpd_writer_set(struct rocpd_writer *w, const char *guid);

/* The same without any row, for those who copy all of a set; `suffix` begins with '_'. */
struct rocpd_set *rocpd_writer_set_empty(struct rocpd_writer *w, const char *guid,
                                         const char *suffix);

/* The id of a text in rocpd_string. */
int64_t rocpd_string(struct rocpd_set *s, const char *text);

/*
 * A row; values by letter, in the order of the statement in rocpd_writer.c: i int64_t (ROCPD_NULL
 * stands for NULL), s text (so does NULL), r double (so does NaN). False when the id is taken, or
 * nothing works any more.
 */
#define ROCPD_NULL INT64_MIN
bool rocpd_run(struct rocpd_set *s, enum rocpd_insert which, const char *form, ...);

/* The same for rows in bulk: all values are integers. */
bool rocpd_run_ints(struct rocpd_set *s, enum rocpd_insert which, const int64_t *values, int n);

int64_t rocpd_add_event(struct rocpd_set *s, const char *category, int64_t stack, int64_t parent,
                        const char *extdata);

/* For rocpd_sets.c: the connection, opened and closed, and what is told when something fails. */
bool rocpd_writer_begin(struct rocpd_writer *w);
void rocpd_writer_end(struct rocpd_writer *w);
bool rocpd_writer_exec(struct rocpd_writer *w, const char *sql);
bool rocpd_writer_failed(struct rocpd_writer *w, const char *what);

/* Stops at the first error, which it gives back; else the file is complete. */
bool rocpd_writer_close(struct rocpd_writer *w, struct gs_error *err);

#endif
