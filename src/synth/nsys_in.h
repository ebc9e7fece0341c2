/*
 * The Nsight Systems writer, inside. nsys.c is the sink, nsys_file.c opens and closes files,
 * nsys_schema.c holds the SQL, nsys_info.c writes the small tables, nsys_rows.c the bulk.
 */
#ifndef GS_SYNTH_NSYS_IN_H
#define GS_SYNTH_NSYS_IN_H

#include <sqlite3.h>

#include "base/fs_out.h"
#include "base/str.h"
#include "base/vec.h"
#include "synth/nsys.h"

/* Prepared inserts, in the order of the tables in nsys_schema.c. */
enum nsys_insert {
    NI_RUNTIME,
    NI_KERNEL,
    NI_MEMCPY,
    NI_MEMSET,
    NI_SYNC,
    NI_EVENT,
    NI_MEMORY,
    NI_NVTX,
    NI_MPI_P2P,
    NI_MPI_COLLECTIVE,
    NI_MPI_WAIT,
    NI_MPI_OTHER,
    NI_MPI_RANKS,
    NI_METRIC,
    NI_COUNT
};

struct nfile {
    sqlite3 *db;
    char *path, *temp;
    struct fs_out out;
    sqlite3_stmt *insert[NI_COUNT];
    int64_t origin_ns; /* times in the file count from here */
    int first_process;
    VEC(uint8_t) used; /* by name: it is in StringIds */
    bool mpi, metrics, nccl;
};

struct nprocess {
    struct rec_process rec;
    struct nfile *file;
    VEC(struct rec_agent) agents; /* GPUs only */
    VEC(struct rec_thread) threads;
    VEC(struct rec_stream) streams;
};

struct nsys_writer {
    struct sink sink; /* first: the sink is the writer */
    struct nsys_options o;
    struct arena *arena;
    struct names *names;
    VEC(struct nprocess) processes;
    VEC(struct nfile *) files;
    VEC(uint32_t) cuda; /* by name: its CUDA counterpart + 1, 0: not looked up yet */
};

#define NI_NULL INT64_MIN
#define NI_KEEP (INT64_MIN + 1) /* bound by hand before */

/* Sets the sticky error of the writer. */
void nsysw_fail(struct nsys_writer *w, sqlite3 *db, const char *what);
void nsysw_exec(struct nsys_writer *w, struct nfile *f, const char *sql);

/* Inserts a row of integers; NI_NULL is NULL. */
void nsysw_row(struct nsys_writer *w, struct nfile *f, enum nsys_insert insert, const int64_t *v,
               size_t n);
#define NROW(w, f, insert, ...)                                                                    \
    nsysw_row((w), (f), (insert), (const int64_t[]){__VA_ARGS__},                                  \
              sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* The StringIds id of a name, which is listed from now on. */
int64_t nsysw_string(struct nsys_writer *w, struct nfile *f, uint32_t name);

/* Numbers of processes and threads that hold the machine. */
int64_t nsysw_machine(const struct nprocess *p);
int64_t nsysw_global(const struct nprocess *p, int64_t tid);
int64_t nsysw_stream(int id);

/* nsys_file.c */
struct nfile *nsysw_open(struct nsys_writer *w, int process);

/* nsys_schema.c */
void nsysw_tables(struct nsys_writer *w, struct nfile *f);
void nsysw_complete(struct nsys_writer *w, struct nfile *f); /* after all rows */

/* nsys_info.c */
void nsysw_info(struct nsys_writer *w, struct nfile *f);

/* nsys_rows.c */
void nsysw_region(struct sink *s, const struct rec_region *r);
void nsysw_kernel(struct sink *s, const struct rec_kernel *r);
void nsysw_copy(struct sink *s, const struct rec_copy *r);
void nsysw_alloc(struct sink *s, const struct rec_alloc *r);
void nsysw_sample(struct sink *s, const struct rec_sample *r);

#endif
