/*
 * Convert: a trace as a file of another tool.
 *
 * A writer is one `const struct converter converter_NAME` and one line in converters.def. It gets a
 * loaded trace and writes all of it, streaming: its memory is a buffer and, for some forms, a few
 * bytes a row for the order of time. What a form cannot hold is in docs/convert.md.
 *
 *     struct conversion c = {.trace = t, .o = &opts, .set = &set, .arena = arena, .base = "out"};
 *     if (!convert_write(converter_find("pftrace"), &c, err)) ...
 *     fs_set_close(&set, err);     now the files are there, whole
 *
 * Rows that readers made of other rows (MPI calls lifted out of markers) are not written: whoever
 * reads the file makes them again.
 */
#ifndef GS_CONVERT_CONVERT_H
#define GS_CONVERT_CONVERT_H

#include "base/fs_set.h"
#include "base/hash.h"
#include "base/sat.h"
#include "base/str.h"
#include "model/trace.h"

enum agent_index { AGENT_ABSOLUTE, AGENT_RELATIVE, AGENT_TYPE_RELATIVE };
#define AGENT_INDEX_WORDS "absolute|relative|type-relative"

struct convert_opts {
    enum agent_index agent_index;
    bool group_by_queue; /* tracks of hardware queues instead of streams */
    bool kernel_rename;  /* kernels by the marker they were launched in, where that is known */
    bool annotate_args;  /* what is known of a call goes with it */
    bool annotate_pmc;   /* counters go with their kernel */
    bool compress;
    bool durations; /* CSV: one column more */
    bool args;      /* rocpd: arguments of calls go along, read from the files once more */
    int threads;
};

struct conversion {
    const struct trace *trace;
    const struct convert_opts *o;
    struct fs_set *set;
    struct arena *arena; /* goes when this conversion is done */
    const char *base;    /* "dir/out": writers add what their files end in */
    const char *path;    /* the very name that was asked for, or NULL */
    uint32_t process;    /* only what belongs to this one; NO_INDEX: all */
    VEC(const char *) written;
    uint64_t bytes; /* of all files */
    /* made by convert_write(): */
    int64_t *agent_place, *agent_type_place; /* by agent: among those of its process */
    int64_t *agent_node;                     /* as the driver numbers it, unique in the process */
    bool own_ids;          /* calls of the source are not told apart by their ids: rows are */
    struct idmap agent_of; /* (process, GPU) -> agent */
};

struct converter {
    const char *name;      /* "pftrace" */
    const char *other;     /* another name for it, or NULL */
    const char *ends;      /* of files: "_results.pftrace"; "" where there are several */
    const char *extension; /* by which -o asks for it: ".pftrace", or NULL */
    const char *summary;   /* one line for help */
    bool binary;
    bool (*write)(struct conversion *c, struct gs_error *err);
};

#define CONVERTER(name) extern const struct converter converter_##name;
#include "convert/converters.def"
#undef CONVERTER

extern const struct converter *const converters[]; /* NULL at the end */

/* Prepares and writes; what the writer took is given back. */
bool convert_write(const struct converter *w, struct conversion *c, struct gs_error *err);

const struct converter *converter_find(const char *name);
const struct converter *converter_by_extension(const char *path);

/* c->path, or c->base with `ends`; noted in c->written. */
const char *conversion_path(struct conversion *c, const char *ends);

/* ---- what is asked of a row by every writer ---- */

/* Regions without those that were made of markers. */
static inline size_t conversion_regions(const struct trace *t)
{
    return t->regions.n - (t->lifted_calls < t->regions.n ? t->lifted_calls : t->regions.n);
}

/* The process of a thread or stream; 0 where the row does not say. */
static inline uint32_t process_of_thread(const struct trace *t, uint32_t thread)
{
    return thread < t->threads.n ? t->threads.v[thread].process : 0;
}

static inline uint32_t process_of_stream(const struct trace *t, uint32_t stream)
{
    return stream < t->streams.n ? t->streams.v[stream].process : 0;
}

static inline uint32_t process_of_series(const struct trace *t, uint32_t series)
{
    uint32_t process = t->series.v[series].process;
    return process < t->processes.n ? process : 0;
}

static inline uint32_t process_of_kernel(const struct trace *t, size_t i)
{
    uint32_t s = t->kernels.stream[i];
    return s < t->streams.n ? t->streams.v[s].process
                            : process_of_thread(t, kernels_thread_at(t, i));
}

static inline uint32_t process_of_copy(const struct trace *t, size_t i)
{
    uint32_t s = t->copies.stream[i];
    return s < t->streams.n ? t->streams.v[s].process
                            : process_of_thread(t, copies_thread_at(t, i));
}

static inline bool conversion_takes(const struct conversion *c, uint32_t process)
{
    return c->process == NO_INDEX || c->process == process;
}

static inline uint32_t gpu_of_stream(const struct trace *t, uint32_t stream)
{
    return stream < t->streams.n ? t->streams.v[stream].gpu : NO_INDEX;
}

/* What links a call and its work, unique in a process; 0: there is no call. */
static inline int64_t conversion_call(const struct conversion *c, uint32_t call)
{
    if (call >= c->trace->regions.n)
        return 0;
    return c->own_ids ? (int64_t)call + 1 : regions_id_at(c->trace, call);
}

/* An end that does not lie before its start. */
static inline int64_t later_of(int64_t start_ns, int64_t end_ns)
{
    return end_ns < start_ns ? start_ns : end_ns;
}

/* The name of a kernel: its own, or that of its marker with kernel_rename. */
const char *conversion_kernel_name(const struct conversion *c, size_t kernel);

/* The agent of a GPU in a process, or NO_INDEX. */
uint32_t conversion_agent(const struct conversion *c, uint32_t process, uint32_t gpu);

/* "Agent 4", "GPU 0", "CPU 0": as agent_index asks. "" for NO_INDEX. */
void agent_label(const struct conversion *c, uint32_t agent, char *out, size_t n);
int64_t agent_number(const struct conversion *c, uint32_t agent);

/* "MEMORY_COPY_HOST_TO_DEVICE", "SCRATCH_MEMORY_ALLOC", "HIP_RUNTIME_API_EXT": AMD's words. */
const char *copy_operation(enum copy_kind kind);
const char *alloc_operation(enum alloc_op op, enum alloc_level level);
const char *region_category(enum region_kind kind, const char *name);
/* "hip_api", "mpi": the same in the small letters of timelines. */
const char *region_word(enum region_kind kind);

/* The rows of counters of each kernel, by counter: of[k]..of[k + 1] in rows. NULL without any. */
struct counter_index {
    uint32_t *of, *rows;
};
struct counter_index *counter_index_make(const struct trace *t, struct arena *a);

#endif
