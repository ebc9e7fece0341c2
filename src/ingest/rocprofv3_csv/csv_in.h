/*
 * The rocprofv3 CSV reader, inside. A capture is a set of files that share a prefix, each with one
 * kind of record; what kind shows in its header, not in its name (columns.c). Files are read in the
 * order of enum file_kind, so that most things are known before they are used, and none needs to
 * be.
 */
#ifndef GS_INGEST_ROCPROFV3_CSV_CSV_IN_H
#define GS_INGEST_ROCPROFV3_CSV_CSV_IN_H

#include "base/csv.h"
#include "ingest/rocprofv3/build.h"

enum column {
#define COLUMN(name, header) COL_##name,
#include "ingest/rocprofv3_csv/columns.def"
#undef COLUMN
    N_COLUMNS
};

/* In the order of reading. */
enum file_kind {
    FILE_AGENTS,
    FILE_CALLS,
    FILE_KERNELS,
    FILE_COPIES,
    FILE_ALLOCS,
    FILE_COUNTERS,
    FILE_PC_SAMPLES,
    FILE_KINDS,
    FILE_UNKNOWN = FILE_KINDS,
};

/* Where a column stands in the rows of this file; NO_COLUMN when it does not. */
#define NO_COLUMN ((size_t)-1)
struct header {
    size_t at[N_COLUMNS];
    enum file_kind kind;
    enum column twice; /* the column that is there again; N_COLUMNS: none */
    enum column lacks; /* the one without which counter values mean nothing; N_COLUMNS: none */
};

void header_read(struct header *h, struct csv *c); /* the row at hand is the header */

/* How a row tells its process: by guid, by pid, or not at all. */
struct csv_process {
    uint32_t guid; /* string, 0: none */
    int64_t pid;   /* negative: not known */
    uint32_t process;
};

struct csv_agent {
    uint32_t process; /* NO_INDEX: of all */
    enum agent_type type;
    int64_t node, logical, type_index;
    struct gpu gpu;
};

struct csv_counter {
    uint32_t slot, name, agent; /* agent: slot */
};

struct rv3c {
    struct rv3_build build;
    struct trace *trace;
    struct csv *csv;      /* of the file being read */
    struct header header; /* of the file being read */
    uint32_t host;
    VEC(struct csv_process) processes;       /* as in build */
    struct idmap of_pid, of_guid, of_thread; /* -> processes; of a thread the first that has it */
    uint32_t unknown, never;                 /* without guid and pid: may be told later, or not */
    size_t threads_seen;                     /* of the trace's: in of_thread */
    VEC(struct csv_agent) agents;
    struct idmap of_node[AGENT_TYPES]; /* process and node -> agents */
    VEC(struct csv_counter) counters;
    VEC(uint8_t) evidence; /* by agent slot: 1 + enum agent_type, as copies show it */
    uint32_t last_counted, last_counter, instance;
};

void header_warn(const struct header *h, const char *path); /* of what is wrong with it */

/* Cells of the row at hand. */
const char *rv3c_text(struct rv3c *r, enum column c, size_t *n);
uint32_t rv3c_string(struct rv3c *r, enum column c); /* as a string of the trace */
uint64_t rv3c_id(struct rv3c *r, enum column c);     /* RV3_NO_ID: none */
int64_t rv3c_time(struct rv3c *r, enum column c);    /* NO_TIME: none */
uint32_t rv3c_small(struct rv3c *r, enum column c);  /* 0: none; at most UINT32_MAX */

/* The process of the row at hand, in the build. */
uint32_t rv3c_process(struct rv3c *r);
uint32_t rv3c_any_process(struct rv3c *r); /* the first, made if there is none */
/* The slot of the agent a cell names: "Agent 4", "GPU 0", "4"; NO_INDEX: none. */
uint32_t rv3c_agent(struct rv3c *r, uint32_t process, enum column c);
void rv3c_saw_agent(struct rv3c *r, uint32_t slot, enum agent_type type);

/* One row each, by kind of file. */
void rv3c_add_agent(struct rv3c *r);
void rv3c_add_call(struct rv3c *r);
void rv3c_add_kernel(struct rv3c *r);
void rv3c_add_copy(struct rv3c *r);
void rv3c_add_alloc(struct rv3c *r);
void rv3c_add_counter(struct rv3c *r);
void rv3c_add_pc_sample(struct rv3c *r);
void rv3c_kernel(struct rv3c *r, struct rv3_kernel *k); /* what kernel and counter rows share */

/* Processes: before the first row, and one that is known (guid: 0, pid: negative: not). */
void rv3c_init_processes(struct rv3c *r);
struct csv_process *rv3c_new_process(struct rv3c *r, uint32_t guid, int64_t pid);

/* Agents and counters, when all files have been read. */
void rv3c_resolve(struct rv3c *r);

/* The capture a file belongs to, and the files of a capture. */
const char *rv3c_capture(const char *path, struct arena *a);
struct csv_files {
    char **v;
    size_t n, cap;
};
bool rv3c_files(struct csv_files *out, const char *capture, struct arena *a, struct gs_error *err);

#endif
