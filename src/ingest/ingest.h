/*
 * Ingest: files in, one struct trace out.
 *
 * A format is one folder with one `const struct format format_NAME` and one line in formats.def.
 * The format is found by content, never by file extension.
 */
#ifndef GS_INGEST_INGEST_H
#define GS_INGEST_INGEST_H

#include "base/err.h"
#include "base/fs.h"
#include "base/opt.h"
#include "base/progress.h"
#include "ingest/sqlite/db.h"
#include "model/trace.h"

struct ingest_opts {
    enum reader_mode reader;
    int threads;               /* 0: all cores */
    struct progress *progress; /* counts bytes; may be NULL */
    const char *cache;         /* folder of loaded traces (cache/cache.h); NULL: none */
    unsigned leave_out;        /* enum ingest_part: a reader may pass over these; 0: all is read */
};

/* Parts of a trace that not everyone needs. */
enum ingest_part {
    INGEST_CALLS = 1, /* host calls, markers, samples, waits, and what links work to them */
    INGEST_KERNELS = 2,
    INGEST_COPIES = 4,
    INGEST_ALLOCATIONS = 8,
    INGEST_COUNTERS = 16, /* telemetry, too */
    INGEST_ALL = 31
};

/* The first bytes of a file, decompressed, and the tables when it is a database. */
struct probe {
    const char *path;
    const char *head;
    size_t n;
    bool is_sqlite;
    const char *const *tables; /* NULL-terminated; empty when not a database */
};

struct format {
    const char *name;  /* "rocpd" */
    const char *label; /* "AMD rocpd database" */
    bool scattered;    /* in more files than the one it is known by */
    bool (*detect)(const struct probe *p);
    /*
     * Where several files make one capture: the name they share, made from the path of any of
     * them. The capture is loaded once, by that name, which users may give, too. NULL: a file is
     * a capture.
     */
    const char *(*capture)(const char *path, struct arena *a);
    /* The files it reads for that path, where there are others than the one and its journals. */
    void (*parts)(struct fs_list *out, const char *path, struct arena *a);
    /* Appends the file to the trace. What it acquires belongs to the arena, which goes after it. */
    bool (*load)(struct trace *t, const char *path, const struct ingest_opts *o,
                 struct arena *arena, struct gs_error *err);
};

#define FORMAT(name) extern const struct format format_##name;
#include "ingest/formats.def"
#undef FORMAT

/* A trace, or a capture of several files by the name they share. */
struct remote;
struct ingest_file {
    const char *path;
    const struct format *format;
    const struct remote *remote; /* who sees it (remote.h); NULL: there is only this process */
};

struct ingest_files {
    struct ingest_file *v;
    size_t n, cap;
};

/*
 * The traces that paths stand for, in order, each once. All must be of one format. `seen`: what is
 * known of files already (detect.h); may be NULL.
 */
struct sightings;
bool ingest_find(struct ingest_files *out, const struct opt_list *paths, struct sightings *seen,
                 struct arena *a, struct gs_error *err);
/* The same, of any formats: for rows that are asked and not compared on one clock. */
bool ingest_find_mixed(struct ingest_files *out, const struct opt_list *paths,
                       struct sightings *seen, struct arena *a, struct gs_error *err);

/* The same without the other processes of a team: what this one sees. */
bool ingest_find_here(struct ingest_files *out, const struct opt_list *paths, bool mixed,
                      struct sightings *seen, struct arena *a, struct gs_error *err);

/* What is passed over in a folder, since it is part of another trace there, or says the same. */
bool ingest_belongs_to_another(const char *path, bool folder, struct arena *a);

/*
 * All files that a trace is made of, or would be if they were there, as a log of SQLite is. `as`: the
 * path, if the name that it is known by were no link.
 */
struct ingest_member {
    const char *path, *as;
};
struct ingest_members {
    VEC(struct ingest_member) v;
};
void ingest_members(struct ingest_members *out, const char *path, const struct format *f,
                    struct arena *a);

/* In bytes; 0 when that cannot be told. */
uint64_t ingest_size(const struct ingest_file *file);

/* One of them as its reader leaves it; a shortage of memory is an error of that file. */
bool ingest_load_one(struct trace *t, const struct ingest_file *file, const struct ingest_opts *o,
                     struct gs_error *err);

/*
 * Loads them into one trace. On failure the trace may be partly filled; release it all the same.
 * With READER_CHECK everything is loaded twice and compared.
 */
bool ingest_load_files(struct trace *t, const struct ingest_files *files,
                       const struct ingest_opts *o, struct gs_error *err);

/*
 * A file for a reader, with what the options say: a stream of its bytes, or a database, which must
 * still be what it was taken for (format.detect).
 */
struct input *ingest_input(const char *path, const struct ingest_opts *o, struct arena *arena,
                           struct gs_error *err);
struct db *ingest_db(const char *path, const struct ingest_opts *o,
                     bool (*detect)(const struct probe *p), struct arena *arena,
                     struct gs_error *err);

/* What a reader knows of its file before it reads it; the rest is "", to be filled in. */
struct trace_file ingest_file(const char *path, enum trace_format format, enum trace_writer flavor,
                              const char *reader);

#endif
