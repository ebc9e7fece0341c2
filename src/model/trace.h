/*
 * The trace in memory: what a reader fills and every analysis reads.
 *
 * Events are columns (tables, see table.h) that refer to each other and to the small entity lists
 * by index; NO_INDEX means "none" or "not known". Texts are string ids (strings.h). All times
 * are nanoseconds in the clock of the host that recorded them. Rows stand in file order. The last
 * columns of some tables are seldom read (TRACE_PACKED): once no row changes any more they may be
 * packed (trace_pack()), so that they are read by functions: regions_id_at(t, row).
 *
 * A reader resolves everything here, so that no analysis knows formats:
 * - a stream is (process, GPU, stream handle); a thread is (process, tid); a GPU is a physical
 *   device, shared by all processes that use it;
 * - kernels and copies point to the host call that caused them (by correlation, not by time);
 * - kernel names are demangled; the group of a kernel is its full name;
 * - copies have a direction, both ends and, where known, the kind of memory at each end.
 *
 * Ownership: the trace owns all of it; trace_release() gives it back.
 * Thread-safety: a filled trace is read-only and may be shared.
 */
#ifndef GS_MODEL_TRACE_H
#define GS_MODEL_TRACE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/vec.h"
#include "model/strings.h"
#include "model/table.h"
#include "model/vendor.h"

/* What kind of host call a region is. Names in trace.c; keep the order. */
enum region_kind {
    REGION_OTHER,
    REGION_HIP,          /* HIP or CUDA runtime API */
    REGION_HIP_COMPILER, /* code the compiler puts around a launch */
    REGION_HSA,          /* the layer below: HSA, or the CUDA driver API */
    REGION_COLLECTIVE,   /* RCCL, NCCL */
    REGION_MPI,
    REGION_OPENMP,
    REGION_OS,     /* operating-system calls, pthreads */
    REGION_MEDIA,  /* rocDecode, rocJPEG */
    REGION_DRIVER, /* kernel driver events: page migration, queue eviction */
    REGION_USER,   /* instrumented functions of the program */
    REGION_PYTHON, /* interpreter and framework operations */
    REGION_KINDS
};

enum copy_kind {
    COPY_UNKNOWN,
    COPY_H2D,
    COPY_D2H,
    COPY_D2D, /* inside one GPU */
    COPY_P2P, /* between GPUs */
    COPY_H2H,
    COPY_SET, /* memset */
    COPY_KINDS
};

enum memory_kind {
    MEMORY_UNKNOWN,
    MEMORY_PAGEABLE,
    MEMORY_PINNED,
    MEMORY_DEVICE,
    MEMORY_MANAGED,
    MEMORY_KINDS
};

enum alloc_op { ALLOC_ALLOC, ALLOC_FREE, ALLOC_REALLOC, ALLOC_RECLAIM };
enum alloc_level { LEVEL_REAL, LEVEL_VIRTUAL, LEVEL_SCRATCH };

enum marker_kind { MARKER_THREAD_RANGE, MARKER_PROCESS_RANGE, MARKER_INSTANT };

#define KERNEL_COLUMNS(X)                                                                          \
    X(int64_t, start_ns)                                                                           \
    X(int64_t, end_ns)                                                                             \
    X(uint32_t, symbol)                                                                            \
    X(uint32_t, stream)                                                                            \
    X(uint32_t, call) /* regions row of the launching call */                                      \
    X(int64_t, id)    /* as the profiler numbers dispatches */                                     \
    X(uint32_t, queue)                                                                             \
    X(uint32_t, thread) /* that launched it */                                                     \
    X(uint32_t, launch) /* grid and resources: launches[] */
TABLE(kernels, KERNEL_COLUMNS);

#define COPY_COLUMNS(X)                                                                            \
    X(int64_t, start_ns)                                                                           \
    X(int64_t, end_ns)                                                                             \
    X(uint64_t, bytes) /* BYTES_UNKNOWN where not recorded */                                      \
    X(uint32_t, stream)                                                                            \
    X(uint32_t, call)                                                                              \
    X(uint8_t, kind)       /* enum copy_kind */                                                    \
    X(uint8_t, src_memory) /* enum memory_kind */                                                  \
    X(uint8_t, dst_memory)                                                                         \
    X(int64_t, id)                                                                                 \
    X(uint32_t, thread)                                                                            \
    X(uint32_t, src) /* agents */                                                                  \
    X(uint32_t, dst)
TABLE(copies, COPY_COLUMNS);

#define BYTES_UNKNOWN UINT64_MAX

#define ALLOCATION_COLUMNS(X)                                                                      \
    X(int64_t, start_ns)                                                                           \
    X(int64_t, end_ns)                                                                             \
    X(uint64_t, bytes)                                                                             \
    X(uint64_t, address)                                                                           \
    X(uint32_t, agent)                                                                             \
    X(uint32_t, thread)                                                                            \
    X(uint32_t, call)                                                                              \
    X(uint8_t, op)    /* enum alloc_op */                                                          \
    X(uint8_t, level) /* enum alloc_level */                                                       \
    X(int64_t, id)
TABLE(allocations, ALLOCATION_COLUMNS);

/* Calls on the host: API, MPI, operating system, instrumented functions. */
#define REGION_COLUMNS(X)                                                                          \
    X(int64_t, start_ns)                                                                           \
    X(int64_t, end_ns)                                                                             \
    X(uint32_t, name)                                                                              \
    X(uint32_t, thread)                                                                            \
    X(uint8_t, kind) /* enum region_kind */                                                        \
    X(int64_t, id)
TABLE(regions, REGION_COLUMNS);

/* What the user wrote into the trace: roctx, NVTX, annotations. */
#define MARKER_COLUMNS(X)                                                                          \
    X(int64_t, start_ns)                                                                           \
    X(int64_t, end_ns) /* == start_ns for instants */                                              \
    X(uint32_t, name)                                                                              \
    X(uint32_t, domain) /* string */                                                               \
    X(uint32_t, thread)                                                                            \
    X(uint8_t, kind) /* enum marker_kind */                                                        \
    X(int64_t, id)
TABLE(markers, MARKER_COLUMNS);

/* One row per counter, dispatch and hardware instance. */
#define COUNTER_COLUMNS(X)                                                                         \
    X(double, value)                                                                               \
    X(uint32_t, kernel)  /* kernels row, or NO_INDEX */                                            \
    X(uint32_t, counter) /* counter_infos */                                                       \
    X(uint32_t, instance)
TABLE(counters, COUNTER_COLUMNS);

/* Moments without a length that are no markers: call-stack samples, instant API records. */
#define SAMPLE_COLUMNS(X)                                                                          \
    X(int64_t, time_ns)                                                                            \
    X(uint32_t, name)                                                                              \
    X(uint32_t, thread)
TABLE(samples, SAMPLE_COLUMNS);

/* Power, clocks, load over time. */
#define TELEMETRY_COLUMNS(X)                                                                       \
    X(int64_t, time_ns)                                                                            \
    X(double, value)                                                                               \
    X(uint32_t, series) /* series list */
TABLE(telemetry, TELEMETRY_COLUMNS);

/* Where waves were, at moments: samples of the program counter. */
#define PC_SAMPLE_COLUMNS(X)                                                                       \
    X(int64_t, time_ns)                                                                            \
    X(int64_t, dispatch)   /* kernels.id */                                                        \
    X(uint64_t, offset)    /* in the code object; the address where that is 0 */                   \
    X(uint64_t, exec_mask) /* lanes at work */                                                     \
    X(uint32_t, code_object)                                                                       \
    X(uint32_t, kernel)      /* kernels row, or NO_INDEX */                                        \
    X(uint32_t, instruction) /* strings, 0 where not recorded: */                                  \
    X(uint32_t, comment)     /* source line, "file:line" */                                        \
    X(uint32_t, type)        /* of instruction: "VALU" */                                          \
    X(uint32_t, stall)       /* why none was issued: "WAITCNT" */                                  \
    X(uint16_t, waves)       /* on this SIMD; 0: not recorded */                                   \
    X(uint16_t,                                                                                    \
      pipes_issue) /* arbiter: pipelines that got an instruction, bits of enum pc_pipe */          \
    X(uint16_t, pipes_stall) /* and those that could not take one; both 0: not recorded */         \
    X(uint8_t, issued)       /* enum pc_issued */
TABLE(pc_samples, PC_SAMPLE_COLUMNS);

enum pc_issued { PC_ISSUED_UNKNOWN, PC_ISSUED_NO, PC_ISSUED_YES };

enum pc_pipe {
    PC_PIPE_VALU,
    PC_PIPE_MATRIX,
    PC_PIPE_LDS,
    PC_PIPE_LDS_DIRECT,
    PC_PIPE_SCALAR,
    PC_PIPE_VMEM_TEX,
    PC_PIPE_FLAT,
    PC_PIPE_EXP,
    PC_PIPE_MISC,
    PC_PIPE_BRMSG,
    PC_PIPES
};

/* Whom a call of MPI sends to or receives from, where that is recorded. */
#define MESSAGE_COLUMNS(X)                                                                         \
    X(uint64_t, bytes) /* BYTES_UNKNOWN where not recorded */                                      \
    X(uint32_t, call)  /* regions row */                                                           \
    X(int32_t, peer)   /* rank; negative: any or none */
TABLE(messages, MESSAGE_COLUMNS);

/*
 * Waiting as the profiler records it beside the calls: who waits for whom. Order on one stream and
 * the calls themselves need no row here.
 */
#define SYNC_COLUMNS(X)                                                                            \
    X(uint8_t, kind) /* enum sync_kind */                                                          \
    X(int64_t, start_ns)                                                                           \
    X(uint32_t, call)   /* regions row of the call that waits, or tells a stream to */             \
    X(uint32_t, stream) /* that waits (stream wait) or is waited for; NO_INDEX: all, or unknown */ \
    X(uint32_t, source) /* stream the event was recorded on, or NO_INDEX */                        \
    X(uint32_t, record) /* regions row of the call that recorded the event, or NO_INDEX */
TABLE(syncs, SYNC_COLUMNS);

enum sync_kind {
    SYNC_OTHER,
    SYNC_STREAM_WAIT, /* a stream waits for an event */
    SYNC_EVENT,       /* the host waits for an event */
    SYNC_STREAM,      /* the host waits for a stream */
    SYNC_DEVICE,      /* the host waits for all of it */
};

/* Every table of a trace: X(member, TABLE NAME). */
#define TRACE_TABLES(X)                                                                            \
    X(kernels)                                                                                     \
    X(copies)                                                                                      \
    X(allocations)                                                                                 \
    X(regions)                                                                                     \
    X(markers)                                                                                     \
    X(counters)                                                                                    \
    X(samples)                                                                                     \
    X(telemetry)                                                                                   \
    X(pc_samples)                                                                                  \
    X(messages)                                                                                    \
    X(syncs)

struct process {
    int64_t pid, ppid;
    int32_t rank;             /* -1: not known */
    const char *rank_source;  /* "OMPI_COMM_WORLD_RANK", "file name", or NULL */
    uint32_t host, command;   /* strings */
    bool only_named;          /* command is a name that was given to it, no command line */
    uint32_t file;            /* index into files */
    int64_t start_ns, end_ns; /* of the process itself; 0: not known */
};

/* The lists are compared and kept as bytes: what lies between two members has a name, and is zero. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

struct thread {
    int64_t tid;
    uint32_t process;
    uint32_t name;
    uint32_t gets_from; /* thread that hands work over to it, + 1; 0: not recorded */
    uint32_t unused;
};

/* A physical device. Zero means "not known" in every number. */
struct gpu {
    uint32_t host;
    int32_t index;   /* the number users know: 0, 1, ... per host */
    int32_t node_id; /* as the driver numbers devices, CPUs included */
    enum vendor vendor;
    uint32_t name;     /* product, as a string */
    uint32_t arch;     /* "gfx942", "sm_90" */
    uint32_t cu_count; /* SMs on NVIDIA */
    uint32_t simd_per_cu, max_waves_per_simd, wave_size;
    uint32_t lds_bytes_per_cu;
    uint32_t xcc_count;
    uint32_t clock_mhz, memory_clock_mhz, memory_width_bits;
    bool used; /* some kernel or copy ran on it */
    uint8_t unused[3];
    uint64_t memory_bytes;
    uint64_t host_link_mbps, peer_link_mbps; /* megabytes per second and direction */
    uint64_t location;                       /* PCI domain and address, to tell devices apart */
};

enum agent_type { AGENT_CPU, AGENT_GPU, AGENT_OTHER, AGENT_TYPES };

/* A device as one process sees it. */
struct agent {
    uint32_t process;
    enum agent_type type;
    uint32_t gpu; /* NO_INDEX unless AGENT_GPU */
    uint32_t unused;
    int64_t id;      /* as the profiler numbers it */
    uint64_t handle; /* as its records refer to it, where that is another number; otherwise 0 */
};

/* What a stream has to do with the default stream of its GPU. */
enum stream_kind {
    STREAM_UNKNOWN,
    STREAM_NULL,         /* it is that */
    STREAM_BLOCKING,     /* waits for its work, and is waited for */
    STREAM_NON_BLOCKING, /* made to do neither */
};

struct stream {
    uint32_t process, gpu;
    int64_t id;
    uint32_t name;
    uint32_t kind; /* enum stream_kind */
};

struct queue {
    int64_t id;
    uint32_t process, name;
};

struct symbol {
    uint32_t name;       /* full, demangled: what kernels are grouped by */
    uint32_t short_name; /* for tables */
    uint32_t mangled;
    uint32_t process;
    int64_t id;
    uint32_t vgprs, accum_vgprs, sgprs; /* allocated, per work-item or wave; NVIDIA: vgprs */
    uint32_t lds_bytes, scratch_bytes;
    uint32_t unused;
};

/* How a kernel was launched; equal launches share one entry. Sizes are in work-items (threads). */
struct launch {
    uint32_t grid[3], group[3];
    uint32_t lds_bytes, scratch_bytes; /* of this dispatch, static part included */
    uint32_t rename;                   /* the marker text a profiler renamed it to, or 0 */
    uint32_t graph;                    /* graph the dispatch belongs to, or 0 */
};

struct counter_info {
    uint32_t name, block, expression, units, description;
    uint32_t gpu;
    int64_t id;
    bool derived;
    uint8_t unused[7];
};

struct series {
    uint32_t name, units;
    uint32_t gpu; /* NO_INDEX: of the host or process */
    uint32_t process;
};
#pragma GCC diagnostic pop

enum trace_format {
    TRACE_UNKNOWN,
#define FORMAT(id, name) TRACE_##id,
#define WRITER(id, name)
#include "model/origins.def"
#undef FORMAT
#undef WRITER
    TRACE_FORMATS
};
extern const char *const trace_format_names[]; /* "rocpd", ...; NULL at the end */

/* The program that wrote a trace. */
enum trace_writer {
    WRITER_UNKNOWN,
#define FORMAT(id, name)
#define WRITER(id, name) WRITER_##id,
#include "model/origins.def"
#undef FORMAT
#undef WRITER
    WRITERS
};
extern const char *const trace_writer_names[]; /* NULL at the end */

struct trace_file {
    const char *path;
    enum trace_format format;
    enum trace_writer flavor;
    const char *schema_version; /* "3", "3.0.5" */
    const char *tool_version;   /* "" where the file does not say */
    const char *guid;
    const char *reader;        /* "fast", "sqlite" */
    const char *reader_reason; /* why not fast; NULL otherwise */
    uint64_t bytes;
    int64_t origin_ns; /* to add to times for UTC, where they count from another moment */
};

/* Something a reader saw that lowers trust: printed with the data-quality grade. */
enum note_kind {
    NOTE_UNFINISHED,    /* the writer had not finished */
    NOTE_DANGLING,      /* rows that refer to rows which do not exist */
    NOTE_NULL,          /* values missing where none should be */
    NOTE_SKIPPED,       /* rows that could not be used at all */
    NOTE_DUPLICATE,     /* ids that repeat */
    NOTE_MISSING_TABLE, /* a table of the format is absent */
    NOTE_RANGE,         /* numbers too large to count with, cut to the largest */
    NOTE_APART,         /* captures with pauses between them that nobody recorded */
    NOTE_OTHER
};

struct note {
    enum note_kind kind;
    uint64_t count;
    const char *text; /* "kernels refer to a queue that is not listed" */
};

/* A kind of record as the profiler names it, and how many there are. */
struct category_count {
    uint32_t name;
    uint64_t count;
};

/* Finds an entity by what identifies it; kept by trace_gpu() and its like (entities.c). */
struct entity_index {
    struct idmap map; /* hash of the identity -> row */
    size_t n;         /* so many rows are in it */
};

/*
 * A file that was read: where its processes and its rows begin. In every table those of the next
 * one follow, so that a row of no known process is known by its file.
 */
struct trace_load {
    size_t processes;
#define FIRST_(name) size_t name;
    TRACE_TABLES(FIRST_)
#undef FIRST_
    size_t lifted; /* regions that are markers, too: they stand behind all others */
};

struct trace {
    struct arena arena;
    struct strings strings;
    VEC(struct trace_file) files;
    VEC(struct process) processes;
    VEC(struct thread) threads;
    VEC(struct gpu) gpus;
    VEC(struct agent) agents;
    VEC(struct stream) streams;
    VEC(struct queue) queues;
    VEC(struct symbol) symbols;
    VEC(struct launch) launches;
    VEC(struct counter_info) counter_infos;
    VEC(struct series) series;
    VEC(struct note) notes;
    VEC(struct category_count) categories;
    VEC(struct trace_load) loads;
    struct entity_index gpu_of, stream_of;
    struct idmap category_of; /* string -> categories */
#define MEMBER_(name) struct name name;
    TRACE_TABLES(MEMBER_)
#undef MEMBER_
    uint64_t masked_values;   /* hidden in commands: passwords and their like (base/secret.h) */
    uint64_t lifted_calls;    /* regions that are markers, too: MPI that was recorded as such */
    uint64_t sample_records;  /* rows of the format's sample table, whatever they became */
    uint64_t counter_records; /* rows of the format's counter table, telemetry included */
};

void trace_init(struct trace *t);
void trace_release(struct trace *t);

/* The arena owns it: it is released with the arena, at the latest. */
void trace_init_in(struct trace *t, struct arena *owner);
struct trace *trace_new(struct arena *owner);

/* *to is what *from was, which is empty then. */
void trace_move(struct trace *to, struct trace *from);

/* What is read from here on is another file; what of one that cannot be read is there already, goes. */
void trace_next_load(struct trace *t);
void trace_drop_load(struct trace *t);

/* Room for `more` rows beyond those there; the caller fills them and adds to n. */
#define trace_room(t, table, more) table_reserve(&(t)->table, &table##_desc, (t)->table.n + (more))

/* The table has rows [0, base + rows): what an earlier try has put behind `base` is gone. */
#define trace_rows_from(t, table, base, rows)                                                      \
    ((t)->table.n = (base), trace_room(t, table, rows), (t)->table.n += (rows))

static inline const char *trace_str(const struct trace *t, uint32_t id)
{
    return strings_text(&t->strings, id);
}

/*
 * The same for rows whose words mean something ("GPU [1] STREAM [3]", "MemcpyHtoD"): one text may
 * belong to millions of rows, so one that is too long to be searched for each of them says nothing.
 */
enum { TRACE_PHRASE_MAX = 4096 };
static inline const char *trace_phrase(const struct trace *t, uint32_t id)
{
    return id < t->strings.n && t->strings.v[id].len <= TRACE_PHRASE_MAX ? t->strings.v[id].text
                                                                         : "";
}

/* Adds a kernel of that full name, which may be mangled, and returns its index. */
uint32_t trace_symbol(struct trace *t, const struct symbol *s, const char *full);

/*
 * Finds or adds an entity by its identity and returns its index. A GPU is known by host,
 * location and node id; the first description wins and missing numbers are filled in later.
 */
uint32_t trace_gpu(struct trace *t, const struct gpu *g);
uint32_t trace_stream(struct trace *t, uint32_t process, uint32_t gpu, int64_t id, uint32_t name);

/* Agents by process and GPU, the first of each pair; trace_agent_of() is NO_INDEX where none is. */
void trace_map_agents(const struct trace *t, struct idmap *m, struct arena *a);
uint32_t trace_agent_of(const struct idmap *m, uint32_t process, uint32_t gpu);

/* Adds `count` to the note with this text. */
void trace_note(struct trace *t, enum note_kind kind, uint64_t count, const char *text);

/* Adds `count` events to the category of this name, a string of the trace. */
void trace_category(struct trace *t, uint32_t name, uint64_t count);

/* The tables whose last columns are seldom read, and the first of these. */
#define TRACE_PACKED(X)                                                                            \
    X(kernels, id)                                                                                 \
    X(copies, id)                                                                                  \
    X(allocations, id)                                                                             \
    X(regions, id)                                                                                 \
    X(markers, id)                                                                                 \
    X(syncs, start_ns)

/* These in little room; rows are final then. What is lent stays as it is. A second time does
 * nothing. */
void trace_pack(struct trace *t, int workers);

/* Values of such a column, packed or not: by its number, from 0. */
#define SELDOM_READ(type, table, column, number)                                                   \
    static inline type table##_##column##_at(const struct trace *t, size_t row)                    \
    {                                                                                              \
        return t->table.column ? t->table.column[row]                                              \
                               : (type)packed_get(&t->table.packed[number], row);                  \
    }
SELDOM_READ(int64_t, kernels, id, 0)
SELDOM_READ(uint32_t, kernels, queue, 1)
SELDOM_READ(uint32_t, kernels, thread, 2)
SELDOM_READ(uint32_t, kernels, launch, 3)
SELDOM_READ(int64_t, copies, id, 0)
SELDOM_READ(uint32_t, copies, thread, 1)
SELDOM_READ(uint32_t, copies, src, 2)
SELDOM_READ(uint32_t, copies, dst, 3)
SELDOM_READ(int64_t, allocations, id, 0)
SELDOM_READ(int64_t, regions, id, 0)
SELDOM_READ(int64_t, markers, id, 0)
SELDOM_READ(int64_t, syncs, start_ns, 0)
SELDOM_READ(uint32_t, syncs, call, 1)
SELDOM_READ(uint32_t, syncs, stream, 2)
SELDOM_READ(uint32_t, syncs, source, 3)
SELDOM_READ(uint32_t, syncs, record, 4)
#undef SELDOM_READ

/* Number of events, and bytes the tables hold: for --stats. */
uint64_t trace_events(const struct trace *t);
size_t trace_bytes(const struct trace *t);

/*
 * What its rows may take as text: a name stands once in a file and in every row that is written, so
 * kilobytes could become gigabytes. 64 MiB, or 64 times the files or the tables, whichever is most,
 * up to 1 GiB; 16 times where that is more; or what --max-unpacked allows (base/input.h).
 */
uint64_t trace_text_most(const struct trace *t);
/* Always false: the error for more. */
bool trace_text_fail(const struct trace *t, struct gs_error *err);

/* First and last moment of anything in the trace; false when it holds no event. */
bool trace_span(const struct trace *t, int workers, int64_t *start_ns, int64_t *end_ns);

/* Where two traces differ ("kernels.end_ns, row 17"), or NULL when they are equal. */
const char *trace_difference(const struct trace *a, const struct trace *b, struct arena *arena);

/* Whose words to use: of the GPUs that worked, else of those listed, else by the format. */
enum vendor trace_vendor(const struct trace *t);

const char *pc_pipe_name(enum pc_pipe pipe); /* "valu", as in the profiler's keys */
const char *region_kind_name(enum region_kind kind);
const char *copy_kind_name(enum copy_kind kind);
const char *memory_kind_name(uint8_t kind); /* "" where it is not known */
/* In one of the forms of AMD's profilers of today, rocpd included: ids and names are as they write them. */
bool trace_by_rocprofv3(const struct trace_file *f);
extern const char *const vendor_names[]; /* by value, NULL at the end */
const char *vendor_name(enum vendor v);

#endif
