/*
 * The simulator, inside: processes, their threads, GPUs and streams, and the clock of each.
 *
 * Every host thread has a clock. A launch is an API region of that thread; the kernel starts
 * on its stream when the call is over plus a latency, and not before the stream's earlier work is
 * done. A wait moves the clock. Processes run side by side and meet in barriers and collectives.
 * Everything is integer ns, and random numbers are drawn in program order per thread, so a
 * pass gives the same records whatever the sink asks for.
 *
 * Files: sim.c runs blocks and threads, sim_value.c computes values, sim_process.c makes
 * processes, sim_setup.c what is declared, sim_gpu.c and sim_memory.c work on GPUs, sim_host.c
 * what the host does, sim_meet.c barriers and collectives, sim_raw.c impossible records,
 * sim_emit.c hands records to the sink, signatures.c knows the API functions.
 */
#ifndef GS_SYNTH_SIM_H
#define GS_SYNTH_SIM_H

#include "base/hash.h"
#include "base/str.h"
#include "synth/expr.h"
#include "synth/signatures.h"
#include "synth/synth.h"

enum {
    MAX_GPUS = 1024,
    MAX_STREAMS = 100000, /* of a process */
    MAX_NAMES = 2000000,
    MAX_PROCESSES = 4096,
    MAX_THREADS = 4096, /* of one process */
    QUEUES_PER_GPU = 4, /* what the HIP runtime uses */
    MAX_FRAMES = MAX_BLOCK_DEPTH + 2,
    MAX_MARKERS = 256, /* open at once in a thread */
    MAX_NAME_BYTES = 1 << 28,
};

/* No generated time lies further from 0, so that differences of two fit. */
#define MAX_TIME INT64_C(4000000000000000000)

/* Costs that `set` changes. */
enum setting {
    SET_LAUNCH_COST,
    SET_LAUNCH_LATENCY,
    SET_COPY_COST,
    SET_COPY_LATENCY,
    SET_MALLOC_COST,
    SET_FREE_COST,
    SET_SYNC_COST,
    SET_HOST_GAP,
    SET_KERNEL_GAP,
    SET_GRAPH_LATENCY,
    SET_HSA,
    SET_COUNT
};

struct gpu {
    struct gpu_spec spec;
    int64_t engine_free[3]; /* in, out, within */
    int default_stream;     /* index in process.streams */
    int queues, streams;
};

struct stream {
    int id, gpu, queue;
    uint32_t name;
    bool used;
    int64_t last_end;
};

/* A kernel that can be launched. */
struct symbol {
    struct rec_symbol rec;
    const struct value *wg, *grid, *blocks, *dur; /* of its declaration; may be NULL */
};

struct counter {
    uint32_t name, block;
    const struct value *value;
    int64_t instances;
    int first; /* index of GPU 0's; one per GPU follows */
    bool on;
};

struct buffer {
    uint32_t name;
    uint64_t address;
    int64_t size;
};

/* A sensor of one GPU: how busy the GPU was in each tick. */
struct series {
    enum metric metric;
    int gpu;
    int64_t every, idle, peak;
    VEC(int64_t) busy;
};

struct frame {
    const struct block *block;
    size_t at;
    const struct stmt *owner; /* whose body it is; NULL for the outermost */
    int64_t round, rounds;
};

enum thread_state { THREAD_RUNS, THREAD_MEETS, THREAD_JOINS, THREAD_DONE };

struct open_marker {
    uint32_t message;
    int64_t start;
    uint64_t corr;
};

struct thread {
    struct process *process;
    int index, gpu;
    enum thread_state state;
    int64_t clock;
    uint64_t random;
    int64_t locals[MAX_LOCALS];
    struct frame frames[MAX_FRAMES];
    int depth;
    struct open_marker markers[MAX_MARKERS];
    int marker_n;
    /* a graph being launched: its work has no calls of its own */
    uint64_t graph_exec, graph_node, graph_corr;
    int graph_stream;
    int64_t graph_ready;
    /* a meeting the thread waits in */
    const struct stmt *meeting;
    int64_t arrival, meeting_cost;
};

/* An event, as recorded last. */
struct event {
    int64_t reached;
    int gpu, stream;
    uint64_t corr; /* of the call */
};

struct process {
    struct rec_process rec;
    struct value settings[SET_COUNT];
    VEC(struct gpu) gpus;
    VEC(struct stream) streams;
    VEC(struct symbol *) symbols;
    VEC(struct counter) counters;
    VEC(struct buffer) buffers;
    VEC(struct series) series;
    VEC(struct thread *) threads;
    VEC(struct rec_env) env;
    struct idmap stream_by_name, symbol_by_name, buffer_by_name, event_by_name;
    VEC(struct event) events;
    int counter_n;
    uint64_t corr, dispatch, graphs, addresses, copies;
    int64_t last_ns;
    int64_t ahead_ns, drift_ppm; /* of its clock */
    bool gpus_known;             /* the list of GPUs is closed */
    bool done;
};

struct sim {
    struct program *program;
    const struct synth_options *options;
    struct sink *sink;
    unsigned wants, seen; /* kinds of records: asked for in this pass, met so far */
    struct arena *arena;  /* of one pass */
    int64_t params[MAX_PARAMS];
    int64_t base_ns;
    VEC(struct process *) processes;
    uint32_t api_names[API_COUNT];
    uint32_t hsa_names[HSA_NAMES];
    uint64_t events, steps, max_events;
    struct str scratch;
    int line; /* of the running statement */
    bool failed;
    struct gs_error *err;
};

/* --- for all files of the simulator ------------------------------------------------------- */

/* Fills the error of the run, once, with the line in front. */
void sim_fail(struct sim *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* sim_value.c. Values of a statement; `otherwise` where the key is absent. Errors go to sim_fail().
 */
bool sim_evaluate(struct sim *s, struct thread *t, const struct expr *e, int64_t *out);
int64_t sim_value_int(struct sim *s, struct thread *t, const struct value *v, int64_t otherwise);
int64_t arg_int(struct sim *s, struct thread *t, const struct stmt *st, enum key k,
                int64_t otherwise);
int64_t arg_time(struct sim *s, struct thread *t, const struct stmt *st, enum key k,
                 int64_t otherwise); /* not negative */
uint32_t arg_name(struct sim *s, struct thread *t, const struct stmt *st, enum key k);
void sim_value_dim(struct sim *s, struct thread *t, const struct value *v, int64_t out[3]);
int64_t sim_setting(struct sim *s, struct thread *t, enum setting which);
int64_t sim_time_add(struct sim *s, int64_t a, int64_t b); /* within MAX_TIME */

/* Counts a record against the limit; false when the run has failed. */
bool sim_count(struct sim *s);

/* The start of a statement with `at=`, or -1 when it has none. */
bool sim_exact_start(struct sim *s, struct thread *t, const struct stmt *st, int64_t *start);

/* sim_process.c */
struct process *sim_process_new(struct sim *s, const struct stmt *st, int index, int nth,
                                int count);
void sim_process_finish(struct sim *s, struct process *p);
struct thread *sim_thread_new(struct sim *s, struct process *p, const struct thread *parent,
                              const struct block *body, uint32_t name);

/* sim_setup.c */
/* Behind it the process has a GPU, a default one if none is declared: also where all has failed. */
void sim_need_gpu(struct sim *s, struct process *p);
struct stream *sim_find_stream(struct sim *s, struct thread *t, const struct stmt *st);
struct symbol *sim_find_symbol(struct sim *s, struct thread *t, uint32_t name);
struct symbol *sim_symbol_add(struct sim *s, struct process *p, uint32_t name, uint32_t mangled);
void setup_execute(struct sim *s, struct thread *t, const struct stmt *st);

/* sim_gpu.c */
/* The call is over: the clock goes there, and the host's pause behind every call is added. */
void sim_advance(struct sim *s, struct thread *t, int64_t to);
/* When work that is handed over at `ready` can start on a stream. */
int64_t sim_stream_start(struct sim *s, struct thread *t, const struct stream *st, int64_t ready);
void sim_stream_busy(struct stream *st, int64_t end);
/* A kernel's record without its times. */
struct rec_kernel sim_kernel_record(struct sim *s, struct thread *t, const struct stmt *st,
                                    const struct symbol *y, const struct stream *stream);
/* The kernel behind a call that ends at `ready`, or as the next node of a graph. */
void sim_enqueue(struct sim *s, struct thread *t, struct stream *stream, struct rec_kernel *k,
                 int64_t ready, int64_t dur);
/* The same where no call is recorded: it starts at a given time, or is a node of a graph. */
bool sim_without_call(struct sim *s, struct thread *t, const struct stmt *st, struct stream *stream,
                      struct rec_kernel *k, int64_t dur);
void gpu_execute(struct sim *s, struct thread *t, const struct stmt *st);
void graph_begin(struct sim *s, struct thread *t, const struct stmt *st);
void graph_end(struct sim *s, struct thread *t);

/* sim_raw.c */
void raw_execute(struct sim *s, struct thread *t, const struct stmt *st);

/* sim_memory.c */
void memory_execute(struct sim *s, struct thread *t, const struct stmt *st);

/* sim_host.c */
void host_execute(struct sim *s, struct thread *t, const struct stmt *st);
void marker_push(struct sim *s, struct thread *t, uint32_t message);
void marker_pop(struct sim *s, struct thread *t);
void sim_mpi_region(struct sim *s, struct thread *t, const struct stmt *st, uint32_t name,
                    int64_t start, int64_t end);

/* sim_meet.c */
void meet_arrive(struct sim *s, struct thread *t, const struct stmt *st);
bool meet_resolve(struct sim *s); /* false: nobody waits */

/* sim_emit.c */
uint64_t emit_call(struct sim *s, struct thread *t, enum api_id api, int64_t start, int64_t end,
                   const struct call *call); /* a HIP call, with its HSA calls; its corr */
/* A time as the clock of a process tells it. */
int64_t sim_told(const struct sim *s, const struct process *p, int64_t ns);
void emit_region(struct sim *s, struct rec_region *r);
void emit_kernel(struct sim *s, struct thread *t, struct rec_kernel *k);
void emit_copy(struct sim *s, struct rec_copy *c);
void emit_alloc(struct sim *s, struct rec_alloc *a);
void emit_series(struct sim *s, struct process *p);

#endif
