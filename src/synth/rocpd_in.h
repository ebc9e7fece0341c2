/*
 * The rocpd writer, inside. rocpd.c is the sink, rocpd_file.c opens and closes the files,
 * rocpd_schema.c and rocpd_views.c hold the SQL, rocpd_info.c writes the small tables and
 * rocpd_rows.c the bulk.
 */
#ifndef GS_SYNTH_ROCPD_IN_H
#define GS_SYNTH_ROCPD_IN_H

#include <sqlite3.h>

#include "base/fs_out.h"
#include "base/str.h"
#include "base/vec.h"
#include "synth/rocpd.h"

/* Prepared inserts of one process. */
enum insert {
    INS_EVENT,
    INS_EVENT_MESSAGE,
    INS_REGION,
    INS_SAMPLE,
    INS_KERNEL,
    INS_PMC,
    INS_COPY,
    INS_ALLOC,
    INS_GRAPH,
    INS_TRACK,
    INS_COUNT
};

/* One for each signature of an API function. */
struct arg_insert {
    size_t n;
    const char *first, *last, *type;
    sqlite3_stmt *st;
};

struct rfile {
    sqlite3 *db;
    char *path, *temp;
    struct fs_out out;
};

struct rprocess {
    struct rec_process rec;
    struct rfile *file;
    char guid[40], suffix[48];
    int64_t nid, pid_row; /* ids of the node's and the process's row */
    VEC(struct rec_agent) agents;
    VEC(struct rec_thread) threads;
    VEC(struct rec_stream) streams;
    VEC(struct rec_queue) queues;
    VEC(struct rec_symbol) symbols;
    VEC(struct rec_counter_info) counters;
    sqlite3_stmt *insert[INS_COUNT];
    VEC(struct arg_insert) arg_inserts;
    int64_t event, arg, region, pmc, copy, alloc, sample, track, graph, sensors; /* last ids used */
    int64_t first_dispatch_event;
    int64_t *thread_track; /* track id of each thread's instants, 0: none yet */
    int64_t metric_track[8];
    int64_t *sensor; /* info_pmc ids by GPU and metric */
    struct rec_sample last_sample;
    struct rec_kernel last_graph; /* a graph whose row is not written yet */
    int64_t graph_start, graph_kernels;
};

struct rocpd {
    struct sink sink; /* first: the sink is the writer */
    struct rocpd_options o;
    struct arena *arena;
    struct names *names;
    int pass;
    VEC(struct rprocess) processes;
    VEC(struct rfile *) files;
    struct sorted_name *sorted;
    size_t string_n;
    uint32_t *string_id; /* rocpd_string.id of each name */
    uint32_t category[16];
    struct str text;
};

/* Categories beyond enum category, for the records that are no regions. */
enum { RCAT_KERNEL = 8, RCAT_COPY, RCAT_ALLOC, RCAT_SCRATCH, RCAT_SMI, RCAT_HSA_AMD, RCAT_COUNT };

/* Sets the sticky error of the writer from SQLite's. */
void rocpdw_fail(struct rocpd *w, sqlite3 *db, const char *what);
bool rocpdw_exec(struct rocpd *w, sqlite3 *db, const char *sql);
sqlite3_stmt *rocpdw_prepare(struct rocpd *w, struct rprocess *p, const char *sql);
void rocpdw_step(struct rocpd *w, struct rprocess *p, sqlite3_stmt *st); /* and resets it */

/* Replaces {u} and {g} and the lines that belong to the other version; in the writer's arena. */
char *rocpdw_expand(struct rocpd *w, const struct rprocess *p, const char *sql);

/* rocpd_file.c */
struct rfile *rocpdw_open(struct rocpd *w, const struct rprocess *p);

/* rocpd_schema.c */
const char *rocpdw_table_name(size_t i); /* '@' in front: 3.0.5 only; NULL: no more */
void rocpdw_tables(struct rocpd *w, struct rprocess *p);
void rocpdw_complete(struct rocpd *w, struct rfile *f); /* after all rows */
/* rocpd_views.c: suffix-less and data views over all sets of the file */
void rocpdw_views(struct rocpd *w, struct rfile *f);

/* rocpd_info.c */
void rocpdw_identity(struct rocpd *w, struct rprocess *p);
void rocpdw_strings(struct rocpd *w); /* numbers all names */
void rocpdw_info(struct rocpd *w, struct rprocess *p);
/* The info_pmc row of a sensor and its track, made when first used. */
int64_t rocpdw_sensor(struct rocpd *w, struct rprocess *p, const struct rec_sample *r);
/* Row ids of things that rocprof-sys numbers by itself. */
int64_t row_agent(const struct rocpd *w, int id);
int64_t row_thread(const struct rocpd *w, const struct rprocess *p, int index);
int64_t row_stream(const struct rocpd *w, int id);
int64_t row_queue(const struct rocpd *w, int id);

/* rocpd_agent.c: the JSON of an agent */
void rocpdw_agent_json(struct str *out, const struct rec_agent *a, int gpu_count);

/* rocpd_rows.c */
void rocpdw_prepare_inserts(struct rocpd *w, struct rprocess *p);
void rocpdw_region(struct sink *s, const struct rec_region *r);
void rocpdw_kernel(struct sink *s, const struct rec_kernel *r);
void rocpdw_counter(struct sink *s, const struct rec_counter *r);
void rocpdw_copy(struct sink *s, const struct rec_copy *r);
void rocpdw_alloc(struct sink *s, const struct rec_alloc *r);
void rocpdw_sample(struct sink *s, const struct rec_sample *r);
void rocpdw_flush_graph(struct rocpd *w, struct rprocess *p);

#endif
