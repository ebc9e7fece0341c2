/*
 * rocpd's data views, from the columns of any trace. Columns have rocpd's names and order; those of
 * ours come behind them. What rocpd's views lose by their joins (kernels without a queue, copies
 * without an agent, counters that no dispatch has, samples without a thread) is here.
 */
#include <math.h>

#include "query/query_in.h"

/* Behind the columns of rocpd: whose rows these are. */
#define OWNER(X, P, process)                                                                       \
    X(P, I, rank, q_rank(d, process), "MPI rank of the process; NULL where it is not known")       \
    X(P, T, trace, q_trace(d, process), "path of the trace")

/* ---- kernels ---- */

#define KER t->kernels
#define K_PROCESS process_of_work(t, KER.stream[i], kernels_thread_at(t, i))
#define K_GPU gpu_of_stream(t, KER.stream[i])
#define K_SYMBOL t->symbols.v[KER.symbol[i]]
#define K_LAUNCH q_launch(t, i)
#define KERNELS(X, P)                                                                              \
    X(P, I, id, kernels_id_at(t, i), "number of the dispatch")                                     \
    X(P, T, guid, q_guid(d, K_PROCESS), "which trace")                                             \
    X(P, I, tid, q_tid(d, kernels_thread_at(t, i)), "thread that launched it")                     \
    X(P, T, category, query_words[WORD_KERNEL], "KERNEL_DISPATCH")                                 \
    X(P, S, region, K_LAUNCH.rename, "marker text that the profiler renamed it to, or empty")      \
    X(P, S, name, K_SYMBOL.name, "full name, demangled")                                           \
    X(P, I, nid, q_nid(d, K_PROCESS), "number of the host")                                        \
    X(P, I, pid, q_pid(d, K_PROCESS), "process")                                                   \
    X(P, I, agent_abs_index, q_node(d, K_GPU), "the device as the driver numbers it")              \
    X(P, I, agent_log_index, q_node(d, K_GPU), "the same")                                         \
    X(P, I, agent_type_index, q_gpu(d, K_GPU), "the GPU as users number it")                       \
    X(P, T, agent_type, K_GPU == NO_INDEX ? NULL : "GPU", "GPU")                                   \
    X(P, I, code_object_id, NONE, "not kept: NULL")                                                \
    X(P, I, kernel_id, K_SYMBOL.id, "number of the kernel's symbol")                               \
    X(P, I, dispatch_id, kernels_id_at(t, i), "number of the dispatch")                            \
    X(P, I, stream_id, KER.stream[i] < t->streams.n ? t->streams.v[KER.stream[i]].id : NONE,       \
      "stream")                                                                                    \
    X(P, I, queue_id,                                                                              \
      kernels_queue_at(t, i) < t->queues.n ? t->queues.v[kernels_queue_at(t, i)].id : NONE,        \
      "queue")                                                                                     \
    X(P, S, queue,                                                                                 \
      kernels_queue_at(t, i) < t->queues.n ? t->queues.v[kernels_queue_at(t, i)].name : NO_INDEX,  \
      "name of the queue")                                                                         \
    X(P, S, stream, KER.stream[i] < t->streams.n ? t->streams.v[KER.stream[i]].name : NO_INDEX,    \
      "name of the stream")                                                                        \
    X(P, I, start, KER.start_ns[i], "ns")                                                          \
    X(P, I, end, KER.end_ns[i], "ns")                                                              \
    X(P, I, duration, KER.end_ns[i] - KER.start_ns[i], "end - start, ns")                          \
    X(P, I, grid_x, K_LAUNCH.grid[0], "grid in work-items (threads)")                              \
    X(P, I, grid_y, K_LAUNCH.grid[1], "grid in work-items (threads)")                              \
    X(P, I, grid_z, K_LAUNCH.grid[2], "grid in work-items (threads)")                              \
    X(P, I, workgroup_x, K_LAUNCH.group[0], "work-items of a group (block)")                       \
    X(P, I, workgroup_y, K_LAUNCH.group[1], "work-items of a group (block)")                       \
    X(P, I, workgroup_z, K_LAUNCH.group[2], "work-items of a group (block)")                       \
    X(P, I, lds_size, K_LAUNCH.lds_bytes, "LDS (shared memory) of a group, bytes")                 \
    X(P, I, scratch_size, K_LAUNCH.scratch_bytes, "scratch (local memory) of a work-item, bytes")  \
    X(P, I, vgpr_count, K_SYMBOL.vgprs, "vector registers (registers of a thread)")                \
    X(P, I, accum_vgpr_count, K_SYMBOL.accum_vgprs, "accumulation registers")                      \
    X(P, I, sgpr_count, K_SYMBOL.sgprs, "scalar registers")                                        \
    X(P, I, static_lds_size, K_SYMBOL.lds_bytes, "LDS that the code asks for")                     \
    X(P, I, static_scratch_size, K_SYMBOL.scratch_bytes, "scratch that the code asks for")         \
    X(P, I, stack_id, q_call_id(d, KER.call[i]), "id of the region that launched it")              \
    X(P, I, parent_stack_id, q_call_id(d, KER.call[i]), "the same")                                \
    X(P, I, corr_id, 0, "external correlation: not kept, 0")                                       \
    X(P, I, event_id, d->kernels_at + i + 1, "row of rocpd_event")                                 \
    X(P, S, short_name, K_SYMBOL.short_name, "name without its arguments, for tables")             \
    X(P, S, call, KER.call[i] < t->regions.n ? t->regions.name[KER.call[i]] : NO_INDEX,            \
      "the call that launched it")                                                                 \
    X(P, I, graph_exec_id, K_LAUNCH.graph, "graph it belongs to, or 0")                            \
    X(P, I, gpu, q_gpu(d, K_GPU), "the GPU as users number it")                                    \
    OWNER(X, P, K_PROCESS)
Q_PART(kernels, KERNELS)
Q_COUNT(kernels, d->t->kernels.n)

/* ---- host calls, markers and samples ---- */

#define NO_JSON "{}"
#define REGION_TAIL(X, P)                                                                          \
    X(P, T, call_stack, NO_JSON, "not kept: {}")                                                   \
    X(P, T, line_info, NO_JSON, "not kept: {}")

#define REG t->regions
#define R_PROCESS process_of_thread(t, REG.thread[i])
#define REGIONS(X, P)                                                                              \
    X(P, I, id, regions_id_at(t, i), "as the profiler numbers calls")                              \
    X(P, T, guid, q_guid(d, R_PROCESS), "which trace")                                             \
    X(P, T, category, query_words[WORD_REGION + REG.kind[i]],                                      \
      "kind of call: HIP_RUNTIME_API, HSA_API, MPI, OS, MARKER_CORE_RANGE_API ...")                \
    X(P, S, name, REG.name[i], "the call; of markers the text that the user gave")                 \
    X(P, I, nid, q_nid(d, R_PROCESS), "number of the host")                                        \
    X(P, I, pid, q_pid(d, R_PROCESS), "process")                                                   \
    X(P, I, tid, q_tid(d, REG.thread[i]), "thread")                                                \
    X(P, I, start, REG.start_ns[i], "ns")                                                          \
    X(P, I, end, REG.end_ns[i], "ns")                                                              \
    X(P, I, duration, REG.end_ns[i] - REG.start_ns[i], "end - start, ns")                          \
    X(P, I, event_id, i + 1, "row of rocpd_event")                                                 \
    X(P, I, stack_id, regions_id_at(t, i),                                                         \
      "the id; kernels and copies that it caused have the same")                                   \
    X(P, I, parent_stack_id, 0, "not kept: 0")                                                     \
    X(P, I, corr_id, 0, "external correlation: not kept, 0")                                       \
    X(P, T, extdata, NO_JSON, "{}; the text of a marker is in name")                               \
    REGION_TAIL(X, P)                                                                              \
    OWNER(X, P, R_PROCESS)
Q_PART(regions, REGIONS)
Q_COUNT(regions, d->n_regions)

/* Rows of markers through a list of them. */
#define MARK t->markers
#define MARKED(X, P, LIST)                                                                         \
    X(P, I, id, markers_id_at(t, LIST), "")                                                        \
    X(P, T, guid, q_guid(d, process_of_thread(t, MARK.thread[LIST])), "")                          \
    X(P, T, category, query_words[WORD_MARKER], "")                                                \
    X(P, S, name, MARK.name[LIST], "")                                                             \
    X(P, I, nid, q_nid(d, process_of_thread(t, MARK.thread[LIST])), "")                            \
    X(P, I, pid, q_pid(d, process_of_thread(t, MARK.thread[LIST])), "")                            \
    X(P, I, tid, q_tid(d, MARK.thread[LIST]), "")                                                  \
    X(P, I, start, MARK.start_ns[LIST], "")                                                        \
    X(P, I, end, MARK.end_ns[LIST], "")                                                            \
    X(P, I, duration, MARK.end_ns[LIST] - MARK.start_ns[LIST], "")                                 \
    X(P, I, event_id, d->markers_at + LIST + 1, "")                                                \
    X(P, I, stack_id, markers_id_at(t, LIST), "")                                                  \
    X(P, I, parent_stack_id, 0, "")                                                                \
    X(P, I, corr_id, 0, "")                                                                        \
    X(P, T, extdata, NO_JSON, "")                                                                  \
    REGION_TAIL(X, P)                                                                              \
    OWNER(X, P, process_of_thread(t, MARK.thread[LIST]))
#define RANGES(X, P) MARKED(X, P, d->ranges[i])
#define INSTANTS(X, P) MARKED(X, P, d->instants[i])
Q_PART(ranges, RANGES)
Q_COUNT(ranges, d->n_ranges)
Q_PART(instants, INSTANTS)
Q_COUNT(instants, d->n_instants)

/* Samples and telemetry as regions without a length. */
#define SAMP t->samples
#define S_PROCESS process_of_thread(t, SAMP.thread[i])
#define SAMPLED(X, P)                                                                              \
    X(P, I, id, i + 1, "")                                                                         \
    X(P, T, guid, q_guid(d, S_PROCESS), "")                                                        \
    X(P, T, category, query_words[WORD_SAMPLE], "")                                                \
    X(P, S, name, SAMP.name[i], "")                                                                \
    X(P, I, nid, q_nid(d, S_PROCESS), "")                                                          \
    X(P, I, pid, q_pid(d, S_PROCESS), "")                                                          \
    X(P, I, tid, q_tid(d, SAMP.thread[i]), "")                                                     \
    X(P, I, start, SAMP.time_ns[i], "")                                                            \
    X(P, I, end, SAMP.time_ns[i], "")                                                              \
    X(P, I, duration, 0, "")                                                                       \
    X(P, I, event_id, d->samples_at + i + 1, "")                                                   \
    X(P, I, stack_id, 0, "")                                                                       \
    X(P, I, parent_stack_id, 0, "")                                                                \
    X(P, I, corr_id, 0, "")                                                                        \
    X(P, T, extdata, NO_JSON, "")                                                                  \
    REGION_TAIL(X, P)                                                                              \
    OWNER(X, P, S_PROCESS)
Q_PART(sampled, SAMPLED)
Q_COUNT(sampled, d->t->samples.n)

#define SERIES t->series.v[t->telemetry.series[i]]
#define MEASURED(X, P)                                                                             \
    X(P, I, id, i + 1, "")                                                                         \
    X(P, T, guid, q_guid(d, SERIES.process), "")                                                   \
    X(P, T, category, query_words[WORD_TELEMETRY], "")                                             \
    X(P, S, name, SERIES.name, "")                                                                 \
    X(P, I, nid, q_nid(d, SERIES.process), "")                                                     \
    X(P, I, pid, q_pid(d, SERIES.process), "")                                                     \
    X(P, I, tid, NONE, "")                                                                         \
    X(P, I, start, t->telemetry.time_ns[i], "")                                                    \
    X(P, I, end, t->telemetry.time_ns[i], "")                                                      \
    X(P, I, duration, 0, "")                                                                       \
    X(P, I, event_id, NONE, "")                                                                    \
    X(P, I, stack_id, 0, "")                                                                       \
    X(P, I, parent_stack_id, 0, "")                                                                \
    X(P, I, corr_id, 0, "")                                                                        \
    X(P, T, extdata, NO_JSON, "")                                                                  \
    REGION_TAIL(X, P)                                                                              \
    OWNER(X, P, SERIES.process)
Q_PART(measured, MEASURED)
Q_COUNT(measured, d->t->telemetry.n)

/* The same three with a timestamp. */
#define MOMENT(X, P, FROM, process_, what, tid_, time_, event_, word_)                             \
    X(P, I, id, FROM, "of the sample")                                                             \
    X(P, T, guid, q_guid(d, process_), "which trace")                                              \
    X(P, T, category, query_words[word_], "MARKER_CORE_RANGE_API for marks, SAMPLE, TELEMETRY")    \
    X(P, S, name, what, "text of a mark, frame or call, or name of the series")                    \
    X(P, I, nid, q_nid(d, process_), "number of the host")                                         \
    X(P, I, pid, q_pid(d, process_), "process")                                                    \
    X(P, I, tid, tid_, "thread; NULL for telemetry")                                               \
    X(P, I, timestamp, time_, "ns")                                                                \
    X(P, I, event_id, event_, "row of rocpd_event; NULL for telemetry")                            \
    X(P, I, stack_id, 0, "not kept: 0")                                                            \
    X(P, I, parent_stack_id, 0, "not kept: 0")                                                     \
    X(P, I, corr_id, 0, "not kept: 0")                                                             \
    X(P, T, extdata, NO_JSON, "not kept: {}")                                                      \
    REGION_TAIL(X, P)                                                                              \
    OWNER(X, P, process_)
#define MARK_MOMENTS(X, P)                                                                         \
    MOMENT(X, P, markers_id_at(t, d->instants[i]),                                                 \
           process_of_thread(t, MARK.thread[d->instants[i]]), MARK.name[d->instants[i]],           \
           q_tid(d, MARK.thread[d->instants[i]]), MARK.start_ns[d->instants[i]],                   \
           d->markers_at + d->instants[i] + 1, WORD_MARKER)
#define SAMPLE_MOMENTS(X, P)                                                                       \
    MOMENT(X, P, i + 1, S_PROCESS, SAMP.name[i], q_tid(d, SAMP.thread[i]), SAMP.time_ns[i],        \
           d->samples_at + i + 1, WORD_SAMPLE)
#define SERIES_MOMENTS(X, P)                                                                       \
    MOMENT(X, P, i + 1, SERIES.process, SERIES.name, NONE, t->telemetry.time_ns[i], NONE,          \
           WORD_TELEMETRY)
Q_PART(mark_moments, MARK_MOMENTS)
Q_COUNT(mark_moments, d->n_instants)
Q_PART(sample_moments, SAMPLE_MOMENTS)
Q_COUNT(sample_moments, d->t->samples.n)
Q_PART(series_moments, SERIES_MOMENTS)
Q_COUNT(series_moments, d->t->telemetry.n)

/* ---- memory ---- */

#define COPY_ t->copies
#define C_PROCESS process_of_work(t, COPY_.stream[i], copies_thread_at(t, i))
#define AGENT(x) (x < t->agents.n ? &t->agents.v[x] : NULL)
static uint32_t agent_gpu(const struct trace *t, uint32_t agent)
{
    return agent < t->agents.n ? t->agents.v[agent].gpu : NO_INDEX;
}

static const char *agent_type(const struct trace *t, uint32_t agent)
{
    static const char *const names[] = {"CPU", "GPU", "OTHER"};
    return agent < t->agents.n ? names[t->agents.v[agent].type] : NULL;
}

static uint32_t agent_name(const struct trace *t, uint32_t agent)
{
    uint32_t gpu = agent_gpu(t, agent);
    return gpu < t->gpus.n ? t->gpus.v[gpu].arch : NO_INDEX;
}

static int64_t agent_id(const struct trace *t, uint32_t agent)
{
    return agent < t->agents.n ? t->agents.v[agent].id : NONE;
}

static const char *memory_kind(uint8_t kind)
{
    const char *name = memory_kind_name(kind);
    return *name ? name : NULL;
}

static int64_t known(uint64_t bytes)
{
    return bytes == BYTES_UNKNOWN ? NONE : (int64_t)bytes;
}

#define SIDE(X, P, side, agent)                                                                    \
    X(P, S, side##_device, agent_name(t, agent), "the device at this end")                         \
    X(P, I, side##_agent_abs_index, agent_id(t, agent), "its number in rocpd_info_agent")          \
    X(P, I, side##_agent_log_index, agent_id(t, agent), "the same")                                \
    X(P, I, side##_agent_type_index, q_gpu(d, agent_gpu(t, agent)), "the GPU as users number it")  \
    X(P, T, side##_agent_type, agent_type(t, agent), "CPU or GPU")                                 \
    X(P, I, side##_address, NONE, "not kept: NULL")
#define COPIES(X, P)                                                                               \
    X(P, I, id, copies_id_at(t, i), "number of the copy")                                          \
    X(P, T, guid, q_guid(d, C_PROCESS), "which trace")                                             \
    X(P, T, category, query_words[WORD_COPY], "MEMORY_COPY")                                       \
    X(P, I, nid, q_nid(d, C_PROCESS), "number of the host")                                        \
    X(P, I, pid, q_pid(d, C_PROCESS), "process")                                                   \
    X(P, I, tid, q_tid(d, copies_thread_at(t, i)), "thread that asked for it")                     \
    X(P, I, start, COPY_.start_ns[i], "ns")                                                        \
    X(P, I, end, COPY_.end_ns[i], "ns")                                                            \
    X(P, I, duration, COPY_.end_ns[i] - COPY_.start_ns[i], "end - start, ns")                      \
    X(P, T, name, query_words[WORD_COPY_KIND + COPY_.kind[i]],                                     \
      "MEMORY_COPY_HOST_TO_DEVICE and so on")                                                      \
    X(P, T, region_name, NULL, "not kept: NULL")                                                   \
    X(P, I, stream_id, COPY_.stream[i] < t->streams.n ? t->streams.v[COPY_.stream[i]].id : NONE,   \
      "stream")                                                                                    \
    X(P, I, queue_id, NONE, "not kept: NULL")                                                      \
    X(P, S, stream_name,                                                                           \
      COPY_.stream[i] < t->streams.n ? t->streams.v[COPY_.stream[i]].name : NO_INDEX,              \
      "name of the stream")                                                                        \
    X(P, T, queue_name, NULL, "not kept: NULL")                                                    \
    X(P, I, size, known(COPY_.bytes[i]), "bytes; NULL where they are not recorded")                \
    SIDE(X, P, dst, copies_dst_at(t, i))                                                           \
    SIDE(X, P, src, copies_src_at(t, i))                                                           \
    X(P, I, stack_id, q_call_id(d, COPY_.call[i]), "id of the region that asked for it")           \
    X(P, I, parent_stack_id, q_call_id(d, COPY_.call[i]), "the same")                              \
    X(P, I, corr_id, 0, "external correlation: not kept, 0")                                       \
    X(P, I, event_id, d->copies_at + i + 1, "row of rocpd_event")                                  \
    X(P, T, direction, copy_kind_name((enum copy_kind)COPY_.kind[i]),                              \
      "as gpusight understood it; copies between GPUs are a kind of their own")                    \
    X(P, T, src_memory, memory_kind(COPY_.src_memory[i]), "pageable, pinned, device, managed")     \
    X(P, T, dst_memory, memory_kind(COPY_.dst_memory[i]), "pageable, pinned, device, managed")     \
    X(P, S, call, COPY_.call[i] < t->regions.n ? t->regions.name[COPY_.call[i]] : NO_INDEX,        \
      "the call that asked for it")                                                                \
    X(P, I, gpu, q_gpu(d, gpu_of_stream(t, COPY_.stream[i])), "the GPU whose stream it is in")     \
    OWNER(X, P, C_PROCESS)
Q_PART(copies, COPIES)
Q_COUNT(copies, d->t->copies.n)

static const char *const alloc_ops[] = {"ALLOC", "FREE", "REALLOC", "RECLAIM"};
static const char *const alloc_levels[] = {"REAL", "VIRTUAL", "SCRATCH"};
#define ALLOC_ t->allocations
#define A_PROCESS process_of_thread(t, ALLOC_.thread[i])
#define ALLOCATIONS(X, P)                                                                          \
    X(P, I, id, allocations_id_at(t, i), "number of the record")                                   \
    X(P, T, guid, q_guid(d, A_PROCESS), "which trace")                                             \
    X(P, T, category,                                                                              \
      query_words[ALLOC_.level[i] == LEVEL_SCRATCH ? WORD_SCRATCH : WORD_ALLOCATION],              \
      "MEMORY_ALLOCATION, or SCRATCH_MEMORY")                                                      \
    X(P, I, nid, q_nid(d, A_PROCESS), "number of the host")                                        \
    X(P, I, pid, q_pid(d, A_PROCESS), "process")                                                   \
    X(P, I, tid, q_tid(d, ALLOC_.thread[i]), "thread")                                             \
    X(P, I, start, ALLOC_.start_ns[i], "ns")                                                       \
    X(P, I, end, ALLOC_.end_ns[i], "ns")                                                           \
    X(P, I, duration, ALLOC_.end_ns[i] - ALLOC_.start_ns[i], "end - start, ns")                    \
    X(P, T, type, ALLOC_.op[i] <= ALLOC_RECLAIM ? alloc_ops[ALLOC_.op[i]] : NULL,                  \
      "ALLOC, FREE, REALLOC or RECLAIM")                                                           \
    X(P, T, level, ALLOC_.level[i] <= LEVEL_SCRATCH ? alloc_levels[ALLOC_.level[i]] : NULL,        \
      "REAL, VIRTUAL or SCRATCH")                                                                  \
    X(P, S, agent_name, agent_name(t, ALLOC_.agent[i]), "the device")                              \
    X(P, I, agent_abs_index, agent_id(t, ALLOC_.agent[i]), "its number in rocpd_info_agent")       \
    X(P, I, agent_log_index, agent_id(t, ALLOC_.agent[i]), "the same")                             \
    X(P, I, agent_type_index, q_gpu(d, agent_gpu(t, ALLOC_.agent[i])),                             \
      "the GPU as users number it")                                                                \
    X(P, T, agent_type, agent_type(t, ALLOC_.agent[i]), "CPU or GPU")                              \
    X(P, I, address, (int64_t)ALLOC_.address[i], "where")                                          \
    X(P, I, size, known(ALLOC_.bytes[i]), "bytes")                                                 \
    X(P, I, queue_id, NONE, "not kept: NULL")                                                      \
    X(P, T, queue_name, NULL, "not kept: NULL")                                                    \
    X(P, I, stream_id, NONE, "not kept: NULL")                                                     \
    X(P, T, stream_name, NULL, "not kept: NULL")                                                   \
    X(P, I, stack_id, q_call_id(d, ALLOC_.call[i]), "id of the region that asked for it")          \
    X(P, I, parent_stack_id, q_call_id(d, ALLOC_.call[i]), "the same")                             \
    X(P, I, corr_id, 0, "external correlation: not kept, 0")                                       \
    X(P, I, event_id, d->allocations_at + i + 1, "row of rocpd_event")                             \
    OWNER(X, P, A_PROCESS)
Q_PART(allocations, ALLOCATIONS)
Q_COUNT(allocations, d->t->allocations.n)

/* ---- counters ---- */

#define CNT t->counters
#define N_INFO t->counter_infos.v[CNT.counter[i]]
#define N_KERNEL CNT.kernel[i]
static uint32_t kernel_process(const struct trace *t, uint32_t kernel)
{
    return kernel < t->kernels.n
               ? process_of_work(t, t->kernels.stream[kernel], kernels_thread_at(t, kernel))
           : t->processes.n == 1 ? 0
                                 : NO_INDEX;
}
#define N_PROCESS kernel_process(t, N_KERNEL)
#define HAS_KERNEL (N_KERNEL < t->kernels.n)
#define PMC_EVENTS(X, P)                                                                           \
    X(P, I, id, i + 1, "of the value")                                                             \
    X(P, T, guid, q_guid(d, N_PROCESS), "which trace")                                             \
    X(P, I, pmc_id, N_INFO.id, "row of rocpd_info_pmc")                                            \
    X(P, I, event_id, HAS_KERNEL ? (int64_t)(d->kernels_at + N_KERNEL + 1) : NONE,                 \
      "row of rocpd_event")                                                                        \
    X(P, T, category, query_words[HAS_KERNEL ? WORD_KERNEL : WORD_COUNTER],                        \
      "KERNEL_DISPATCH, COUNTER_COLLECTION without a dispatch, TELEMETRY")                         \
    X(P, S, name, HAS_KERNEL ? t->symbols.v[t->kernels.symbol[N_KERNEL]].name : NO_INDEX,          \
      "the kernel; NULL for telemetry")                                                            \
    X(P, I, nid, q_nid(d, N_PROCESS), "number of the host")                                        \
    X(P, I, pid, q_pid(d, N_PROCESS), "process")                                                   \
    X(P, I, dispatch_id, HAS_KERNEL ? kernels_id_at(t, N_KERNEL) : NONE, "the dispatch, or NULL")  \
    X(P, I, start, HAS_KERNEL ? t->kernels.start_ns[N_KERNEL] : NONE, "ns; of telemetry when")     \
    X(P, I, end, HAS_KERNEL ? t->kernels.end_ns[N_KERNEL] : NONE, "ns; of telemetry when")         \
    X(P, I, duration,                                                                              \
      HAS_KERNEL ? t->kernels.end_ns[N_KERNEL] - t->kernels.start_ns[N_KERNEL] : NONE,             \
      "end - start, ns")                                                                           \
    X(P, S, counter_name, N_INFO.name, "the counter")                                              \
    X(P, R, counter_value, CNT.value[i], "value of one hardware instance")                         \
    X(P, I, instance, CNT.instance[i], "which instance")                                           \
    X(P, I, gpu, q_gpu(d, N_INFO.gpu), "the GPU as users number it")                               \
    OWNER(X, P, N_PROCESS)
Q_PART(pmc_events, PMC_EVENTS)
Q_COUNT(pmc_events, d->t->counters.n)

#define PMC_SERIES(X, P)                                                                           \
    X(P, I, id, t->counters.n + i + 1, "")                                                         \
    X(P, T, guid, q_guid(d, SERIES.process), "")                                                   \
    X(P, I, pmc_id, (int64_t)1000000000 + t->telemetry.series[i], "")                              \
    X(P, I, event_id, NONE, "")                                                                    \
    X(P, T, category, query_words[WORD_TELEMETRY], "")                                             \
    X(P, S, name, NO_INDEX, "")                                                                    \
    X(P, I, nid, q_nid(d, SERIES.process), "")                                                     \
    X(P, I, pid, q_pid(d, SERIES.process), "")                                                     \
    X(P, I, dispatch_id, NONE, "")                                                                 \
    X(P, I, start, t->telemetry.time_ns[i], "")                                                    \
    X(P, I, end, t->telemetry.time_ns[i], "")                                                      \
    X(P, I, duration, 0, "")                                                                       \
    X(P, S, counter_name, SERIES.name, "")                                                         \
    X(P, R, counter_value, t->telemetry.value[i], "")                                              \
    X(P, I, instance, 0, "")                                                                       \
    X(P, I, gpu, q_gpu(d, SERIES.gpu), "")                                                         \
    OWNER(X, P, SERIES.process)
Q_PART(pmc_series, PMC_SERIES)
Q_COUNT(pmc_series, d->t->telemetry.n)

const struct qtable query_rocpd_views[] = {
    Q_TABLE("kernels", "Kernel dispatches, with everything known about them.", QUERY_VIEW, kernels,
            Q_OF(kernels)),
    Q_TABLE("regions", "Calls of the host and ranges of markers.", QUERY_VIEW, regions,
            Q_OF(regions), Q_OF(ranges)),
    Q_TABLE("samples", "Moments: marks, call-stack samples, calls without a length, and telemetry.",
            QUERY_VIEW, mark_moments, Q_OF(mark_moments), Q_OF(sample_moments),
            Q_OF(series_moments)),
    Q_TABLE("sample_regions", "Samples, as regions without a length.", QUERY_VIEW, instants,
            Q_OF(instants), Q_OF(sampled), Q_OF(measured)),
    Q_TABLE("regions_and_samples", "Both, samples with a length of 0.", QUERY_VIEW, regions,
            Q_OF(regions), Q_OF(ranges), Q_OF(instants), Q_OF(sampled), Q_OF(measured)),
    Q_TABLE("memory_copies", "Copies and memsets.", QUERY_VIEW, copies, Q_OF(copies)),
    Q_TABLE("memory_allocations",
            "Allocating and freeing, scratch memory of the driver included: level tells.",
            QUERY_VIEW, allocations, Q_OF(allocations)),
    Q_TABLE("pmc_events",
            "Values of counters, one row for each hardware instance, and points of telemetry.",
            QUERY_VIEW, pmc_events, Q_OF(pmc_events), Q_OF(pmc_series)),
    {0},
};
