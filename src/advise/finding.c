#include "advise/finding.h"

#include <math.h>

#include "base/human.h"
#include "base/str.h"

const char *const bottleneck_names[] = {
    [BOTTLENECK_COMPUTE] = "compute_bound",
    [BOTTLENECK_MEMORY] = "memory_bound",
    [BOTTLENECK_MPI_LATENCY] = "mpi_latency",
    [BOTTLENECK_MPI_IMBALANCE] = "mpi_imbalance",
    [BOTTLENECK_LAUNCH] = "cpu_launch_overhead",
    [BOTTLENECK_SYNC] = "synchronization",
    [BOTTLENECK_IO] = "io",
    [BOTTLENECK_OTHER] = "other",
    [BOTTLENECK_TRANSFER] = "transfer_bound",
    [BOTTLENECK_HOST] = "idle_host",
    NULL,
};

const char *const action_category_names[] = {"runtime_config", "launch_config", "code_optimization",
                                             "algorithm", NULL};

const char *prediction_name(enum predictor p)
{
    static const char *const names[] = {NULL, "replay", "amdahl"};
    return names[p];
}

const char *bottleneck_name(enum bottleneck b)
{
    return bottleneck_names[b];
}

void finding_issue(struct finding *f, const char *fmt, ...)
{
    ARENA_FORMATTED(text, f->arena);
    f->issue = text;
}

void finding_suggest(struct finding *f, const char *fmt, ...)
{
    ARENA_FORMATTED(text, f->arena);
    f->suggestion = text;
}

void finding_scope(struct finding *f, const char *fmt, ...)
{
    ARENA_FORMATTED(text, f->arena);
    f->scope = text;
}

void finding_scope_kernel(struct finding *f, const char *short_name)
{
    f->kernel = short_name;
    finding_scope(f, "kernel %s", short_name);
}

void finding_action(struct finding *f, const char *fmt, ...)
{
    ARENA_FORMATTED(text, f->arena);
    vec_push(&f->actions, f->arena, text);
}

void finding_claim(struct finding *f, enum cause cause, int64_t ns)
{
    if (ns > 0)
        f->claim[cause] = add_ns(f->claim[cause], ns);
}

void finding_sure(struct finding *f, double confidence, const char *fmt, ...)
{
    ARENA_FORMATTED(text, f->arena);
    f->confidence = confidence;
    f->confidence_reason = text;
}

static struct evidence *add_evidence(struct finding *f, const char *text)
{
    struct evidence e = {.text = text, .value = NAN, .threshold = NAN, .gpu = -1, .id = -1};
    vec_push(&f->evidence, f->arena, e);
    return &f->evidence.v[f->evidence.n - 1];
}

void finding_because(struct finding *f, const char *metric, double value, double threshold,
                     enum unit unit, const char *fmt, ...)
{
    ARENA_FORMATTED(text, f->arena);
    struct evidence *e = add_evidence(f, text);
    e->metric = metric;
    e->value = value;
    e->threshold = threshold;
    e->unit = unit;
}

static void set_place(struct evidence *e, int64_t start, int64_t end, const char *kind, int64_t id)
{
    e->has_range = true;
    e->start_ns = start;
    e->end_ns = end;
    e->id_kind = kind;
    e->id = id;
}

static int32_t gpu_of_stream(const struct trace *t, uint32_t stream)
{
    if (stream >= t->streams.n || t->streams.v[stream].gpu == NO_INDEX)
        return -1;
    return t->gpus.v[t->streams.v[stream].gpu].index;
}

/* Evidence that is a row of the trace; of none that is not there. */
#define ADD_ROW(f, text, table, row, kind, gpu_of_row)                                             \
    do {                                                                                           \
        const struct trace *t = (f)->analysis->trace;                                              \
        if ((row) >= t->table.n)                                                                   \
            break;                                                                                 \
        struct evidence *e = add_evidence((f), (text));                                            \
        set_place(e, t->table.start_ns[row], t->table.end_ns[row], (kind), table##_id_at(t, row)); \
        e->gpu = (gpu_of_row);                                                                     \
    } while (0)

void finding_at_kernel(struct finding *f, uint32_t kernel, const char *fmt, ...)
{
    ARENA_FORMATTED(text, f->arena);
    ADD_ROW(f, text, kernels, kernel, "dispatch", gpu_of_stream(t, t->kernels.stream[kernel]));
}

void finding_at_copy(struct finding *f, uint32_t copy, const char *fmt, ...)
{
    ARENA_FORMATTED(text, f->arena);
    ADD_ROW(f, text, copies, copy, "copy", gpu_of_stream(t, t->copies.stream[copy]));
}

void finding_at_call(struct finding *f, uint32_t call, const char *fmt, ...)
{
    ARENA_FORMATTED(text, f->arena);
    ADD_ROW(f, text, regions, call, "region", -1);
}

void finding_at_gaps(struct finding *f, enum cause cause)
{
    enum { MOST = 3 };
    const struct analysis *a = f->analysis;
    int shown = 0;
    for (size_t rank = 0; rank < TOP_GAPS && shown < MOST; rank++) {
        for (size_t g = 0; g < a->ledger.n_gpus && shown < MOST; g++) {
            if (rank >= a->ledger.gpus[g].n_top)
                continue;
            const struct gap *gap = &a->ledger.gpus[g].top[rank];
            int64_t ns = gap->end_ns - gap->start_ns;
            if (gap->ns[cause] <= ns / 2)
                continue;
            char text[HUMAN_MAX];
            struct evidence *e =
                add_evidence(f, arena_printf(f->arena, "gap of %s on GPU %d", human_time(text, ns),
                                             analysis_gpu_index(a, g)));
            set_place(e, gap->start_ns, gap->end_ns, NULL, -1);
            e->gpu = analysis_gpu_index(a, g);
            shown++;
        }
    }
}

bool trace_is_nvidia(const struct trace *t)
{
    return trace_vendor(t) == VENDOR_NVIDIA;
}

const struct vendor_words *vendor_words(const struct trace *t)
{
    static const struct vendor_words amd = {.cu = "CU",
                                            .wave = "wave",
                                            .lds = "LDS",
                                            .group = "workgroup",
                                            .runtime = "HIP",
                                            .graph = "hipGraph",
                                            .pinned_alloc = "hipHostMalloc",
                                            .async_copy = "hipMemcpyAsync",
                                            .malloc_async = "hipMallocAsync",
                                            .sync = "hipStreamSynchronize",
                                            .library = "RCCL"};
    static const struct vendor_words nvidia = {.cu = "SM",
                                               .wave = "warp",
                                               .lds = "shared memory",
                                               .group = "thread block",
                                               .runtime = "CUDA",
                                               .graph = "CUDA graph",
                                               .pinned_alloc = "cudaMallocHost",
                                               .async_copy = "cudaMemcpyAsync",
                                               .malloc_async = "cudaMallocAsync",
                                               .sync = "cudaStreamSynchronize",
                                               .library = "NCCL"};
    return trace_is_nvidia(t) ? &nvidia : &amd;
}
