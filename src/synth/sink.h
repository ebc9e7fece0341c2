/*
 * A sink takes the records of a generated trace: the truth is one, every file format another.
 *
 * The simulator runs the description once for each pass of the sink and calls, in each pass,
 * only what the mask of that pass asks for (a pass that asks for kinds of which there are none is
 * not run, only begun and finished). Order inside a pass: `process` of all processes first; then
 * per process, in the order of the simulation, its agents, threads, streams, queues, symbols,
 * counters (each before the first record that uses it) mixed with the records; then `process_end`
 * of each. Records of one thread come in the order in which their API call began (markers: in which
 * they ended); no order between threads is promised.
 *
 * Times are absolute ns, names are numbers in `names` (valid during the calls and until the arena
 * of the program is released). Functions may be NULL. A sink that fails fills `error` and sets
 * `failed`; the simulator then stops.
 */
#ifndef GS_SYNTH_SINK_H
#define GS_SYNTH_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "synth/gpus.h"
#include "synth/names.h"

/* What a pass wants: bits of the mask. */
enum {
    WANT_INFO = 1 << 0, /* processes, agents, threads, streams, queues, symbols, counters, series */
    WANT_HIP = 1 << 1,  /* regions by category, see enum category */
    WANT_HSA = 1 << 2,
    WANT_MARKER = 1 << 3,
    WANT_RCCL = 1 << 4,
    WANT_HOST = 1 << 5, /* MPI and host functions */
    WANT_KERNELS = 1 << 6,
    WANT_COUNTERS = 1 << 7,
    WANT_COPIES = 1 << 8,
    WANT_ALLOCS = 1 << 9,
    WANT_SAMPLES = 1 << 10,
    WANT_ALL = (1 << 11) - 1,
};

/* The order is that of the words of the key `category` in language.def. */
enum category {
    CAT_HIP,
    CAT_HSA,
    CAT_MARKER,
    CAT_RCCL,
    CAT_MPI,
    CAT_HOST,
    CAT_COMPILER,
    CAT_DRIVER
};

enum direction { COPY_H2D, COPY_D2H, COPY_D2D, COPY_P2P, COPY_H2H };

enum memory { MEM_DEVICE, MEM_PINNED, MEM_PAGEABLE, MEM_MANAGED };

enum alloc_type { ALLOC_ALLOC, ALLOC_FREE, ALLOC_REALLOC, ALLOC_RECLAIM };
enum alloc_level { LEVEL_REAL, LEVEL_VIRTUAL, LEVEL_SCRATCH };

enum metric { METRIC_POWER, METRIC_CLOCK, METRIC_BUSY, METRIC_TEMPERATURE, METRIC_MEMORY };

struct rec_env {
    uint32_t name, value;
};

struct rec_process {
    int index, count; /* of all processes of the description */
    int64_t pid, ppid, rank;
    uint32_t host, command;
    int node;                 /* processes with the same host share it */
    int64_t start_ns, end_ns; /* the end is known in process_end only */
    const struct rec_env *env;
    size_t env_n;
};

/* CPU agents come first: absolute ids 0 and 1; GPU g has id CPU_AGENTS + g. */
enum { CPU_AGENTS = 2 };

struct rec_agent {
    int process, id;
    const struct gpu_spec *gpu; /* NULL: a CPU */
    int gpu_index, gpu_count;
};

struct rec_thread {
    int process, index; /* counts from 0 in each process */
    int64_t tid;
    uint32_t name;
};

struct rec_stream {
    int process, id; /* 0 is the default stream of every GPU */
    int gpu;
    uint32_t name;
};

struct rec_queue {
    int process, id, gpu; /* ids count from 1 in each process */
};

struct rec_symbol {
    int process, id; /* ids count from 1 in each process */
    uint32_t name, mangled;
    int64_t vgpr, agpr, sgpr, lds, scratch;
};

struct rec_counter_info {
    int process, index, gpu; /* index counts from 0 in each process, one per GPU and name */
    uint32_t name, block;
};

/* An argument of an API call; the sink forms the text. */
enum arg_form { ARG_INT, ARG_POINTER, ARG_DIM3, ARG_COPY_KIND };

struct rec_arg {
    const char *type, *name;
    enum arg_form form;
    uint64_t value;
    uint32_t y, z; /* ARG_DIM3: the other two */
};

/* What a call waits for, or tells a stream to, where profilers record that beside the call. */
enum sync_kind { SYNC_NONE, SYNC_EVENT, SYNC_STREAM_WAIT, SYNC_STREAM, SYNC_DEVICE, SYNC_RECORD };

struct rec_sync {
    enum sync_kind kind;
    int gpu, stream;      /* of the stream that waits, is waited for or records the event */
    uint32_t event;       /* counts from 1 in each process; 0: none */
    int source_stream;    /* the event was recorded on, */
    uint64_t record_corr; /* by this call */
};

/* A region; an instant when start and end are equal. */
struct rec_region {
    int process, thread;
    enum category category;
    uint32_t name;    /* the function */
    uint32_t message; /* markers: the user's text; else 0 */
    int64_t start_ns, end_ns;
    uint64_t corr, parent; /* correlation ids, unique in the process; parent 0: none */
    const struct rec_arg *args;
    size_t arg_n;
    int64_t bytes; /* MPI: of the message, else 0 */
    int64_t peer;  /* MPI: the other rank, or -1 */
    struct rec_sync sync;
};

struct rec_kernel {
    int process, thread, gpu, stream, queue;
    const struct rec_symbol *symbol;
    uint64_t dispatch; /* counts from 1 in each process */
    uint64_t corr;     /* of the launching call; 0 when there is none */
    int64_t start_ns, end_ns;
    int64_t wg[3], grid[3]; /* both in work-items; the grid is a multiple of wg */
    int64_t lds, scratch;
    int64_t memset_bytes;            /* > 0: it fills memory (a record of its own on NVIDIA) */
    uint64_t graph_exec, graph_node; /* 0: not of a graph */
};

struct rec_counter {
    int process, index, instance;
    uint64_t dispatch;
    double value;
};

struct rec_copy {
    int process, thread, stream;
    enum direction direction;
    int src_agent, dst_agent; /* agent ids */
    int src_gpu, dst_gpu;     /* -1: host */
    enum memory src_memory, dst_memory;
    uint64_t src_address, dst_address;
    int64_t start_ns, end_ns, size;
    uint64_t corr;
    bool async;
    uint64_t graph_exec, graph_node;
};

struct rec_alloc {
    int process, thread;
    enum alloc_type type;
    enum alloc_level level;
    int agent; /* id */
    enum memory memory;
    uint64_t address;
    int64_t start_ns, end_ns, size;
    uint64_t corr;
};

struct rec_sample {
    int process, gpu;
    enum metric metric;
    int64_t time_ns;
    double value;
};

struct fs_set;

struct sink {
    int passes;
    /* Before each pass; returns its mask. */
    unsigned (*begin)(struct sink *, int pass, struct names *); /* may add names */
    void (*process)(struct sink *, const struct rec_process *);
    void (*process_end)(struct sink *, const struct rec_process *);
    void (*agent)(struct sink *, const struct rec_agent *);
    void (*thread)(struct sink *, const struct rec_thread *);
    void (*stream)(struct sink *, const struct rec_stream *);
    void (*queue)(struct sink *, const struct rec_queue *);
    void (*symbol)(struct sink *, const struct rec_symbol *);
    void (*counter_info)(struct sink *, const struct rec_counter_info *);
    void (*region)(struct sink *, const struct rec_region *);
    void (*kernel)(struct sink *, const struct rec_kernel *);
    void (*counter)(struct sink *, const struct rec_counter *); /* behind its kernel */
    void (*copy)(struct sink *, const struct rec_copy *);
    void (*alloc)(struct sink *, const struct rec_alloc *);
    void (*sample)(struct sink *, const struct rec_sample *); /* by time, then GPU, then metric */
    void (*finish)(struct sink *, int pass);                  /* after each pass */
    bool failed;
    struct gs_error error;
    struct fs_set *set; /* the files appear when it is closed; NULL: each when it is whole */
};

/* Copies that outlive the call: of an agent with its GPU, of a process with its environment. */
struct rec_agent rec_keep_agent(const struct rec_agent *r, struct arena *a);
struct rec_process rec_keep_process(const struct rec_process *r, struct arena *a);

/* A function of a sink W that keeps records in a list of their process. */
#define SINK_KEEP(W, function, type, list)                                                         \
    static void function(struct sink *s, const struct type *r)                                     \
    {                                                                                              \
        W *w = (W *)s;                                                                             \
        vec_push(&w->processes.v[r->process].list, w->arena, *r);                                  \
    }

/* The same of processes themselves, each a P with the record in `rec`. */
#define SINK_ADD_PROCESS(W, P)                                                                     \
    static void add_process(struct sink *s, const struct rec_process *r)                           \
    {                                                                                              \
        W *w = (W *)s;                                                                             \
        P *p = vec_add(&w->processes, w->arena);                                                   \
        *p = (P){.rec = *r};                                                                       \
    }

/* What is known of it at its end. */
#define SINK_END_PROCESS(W)                                                                        \
    static void end_process(struct sink *s, const struct rec_process *r)                           \
    {                                                                                              \
        W *w = (W *)s;                                                                             \
        w->processes.v[r->index].rec = rec_keep_process(r, w->arena);                              \
    }

#endif
