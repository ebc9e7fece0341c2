/*
 * rocpd's tables of what happened, filled from the columns of any trace. Strings and events are
 * numbered here, so that joins over them work.
 */
#include "query/query_in.h"

#define ONLY_PROCESS (t->processes.n == 1 ? 0 : NO_INDEX)

/* ---- what happened ---- */

#define EVENT(X, P, base, process_, word_, stack_)                                                 \
    X(P, I, id, base + i + 1, "number of the event")                                               \
    X(P, T, guid, q_guid(d, process_), "which trace")                                              \
    X(P, I, category_id, q_word(d, (enum word)(word_)), "row of rocpd_string")                     \
    X(P, I, stack_id, stack_, "id of the region itself, or of the one that caused it")             \
    X(P, I, parent_stack_id, stack_, "the same")                                                   \
    X(P, I, correlation_id, 0, "not kept: 0")                                                      \
    X(P, T, call_stack, "{}", "not kept: {}")                                                      \
    X(P, T, line_info, "{}", "not kept: {}")                                                       \
    X(P, T, extdata, "{}", "not kept: {}")
#define R_PROCESS process_of_thread(t, t->regions.thread[i])
#define M_PROCESS(row) process_of_thread(t, t->markers.thread[row])
#define S_PROCESS process_of_thread(t, t->samples.thread[i])
#define K_PROCESS process_of_work(t, t->kernels.stream[i], kernels_thread_at(t, i))
#define C_PROCESS process_of_work(t, t->copies.stream[i], copies_thread_at(t, i))
#define A_PROCESS process_of_thread(t, t->allocations.thread[i])
#define REGION_EVENTS(X, P)                                                                        \
    EVENT(X, P, (size_t)0, R_PROCESS, WORD_REGION + t->regions.kind[i], regions_id_at(t, i))
#define MARKER_EVENTS(X, P)                                                                        \
    EVENT(X, P, d->markers_at, M_PROCESS(i), WORD_MARKER, markers_id_at(t, i))
#define SAMPLE_EVENTS(X, P) EVENT(X, P, d->samples_at, S_PROCESS, WORD_SAMPLE, 0)
#define KERNEL_EVENTS(X, P)                                                                        \
    EVENT(X, P, d->kernels_at, K_PROCESS, WORD_KERNEL, q_call_id(d, t->kernels.call[i]))
#define COPY_EVENTS(X, P)                                                                          \
    EVENT(X, P, d->copies_at, C_PROCESS, WORD_COPY, q_call_id(d, t->copies.call[i]))
#define ALLOCATION_EVENTS(X, P)                                                                    \
    EVENT(X, P, d->allocations_at, A_PROCESS,                                                      \
          t->allocations.level[i] == LEVEL_SCRATCH ? WORD_SCRATCH : WORD_ALLOCATION,               \
          q_call_id(d, t->allocations.call[i]))
Q_PART(region_events, REGION_EVENTS)
Q_COUNT(region_events, d->n_regions)
Q_PART(marker_events, MARKER_EVENTS)
Q_COUNT(marker_events, d->t->markers.n)
Q_PART(sample_events, SAMPLE_EVENTS)
Q_COUNT(sample_events, d->t->samples.n)
Q_PART(kernel_events, KERNEL_EVENTS)
Q_COUNT(kernel_events, d->t->kernels.n)
Q_PART(copy_events, COPY_EVENTS)
Q_COUNT(copy_events, d->t->copies.n)
Q_PART(allocation_events, ALLOCATION_EVENTS)
Q_COUNT(allocation_events, d->t->allocations.n)

#define ARG d->args.v.v[i]
static const char *arg_text(const struct qdata *d, uint32_t id)
{
    return strings_text(&d->args.strings, id);
}

static uint32_t arg_process(const struct qdata *d, const struct trace_arg *a)
{
    const struct trace *t = d->t;
    return process_of_thread(t, a->region != NO_INDEX ? t->regions.thread[a->region]
                                                      : t->markers.thread[a->marker]);
}
#define ARGS(X, P)                                                                                 \
    X(P, I, id, ARG.id, "number of the argument")                                                  \
    X(P, T, guid, q_guid(d, arg_process(d, &ARG)), "which trace")                                  \
    X(P, I, event_id,                                                                              \
      ARG.region != NO_INDEX ? ARG.region + (size_t)1 : d->markers_at + ARG.marker + 1,            \
      "row of rocpd_event")                                                                        \
    X(P, I, position, ARG.position, "from 0")                                                      \
    X(P, T, type, arg_text(d, ARG.type), "type in C")                                              \
    X(P, T, name, arg_text(d, ARG.name), "name of the parameter")                                  \
    X(P, T, value, arg_text(d, ARG.value), "what was passed")                                      \
    X(P, T, extdata, arg_text(d, ARG.extdata), "JSON")
Q_PART(args, ARGS)
Q_COUNT(args, d->args.v.n)

#define PMC_EVENT(X, P)                                                                            \
    X(P, I, id, i + 1, "of the value")                                                             \
    X(P, T, guid, q_guid(d, ONLY_PROCESS), "which trace, where there is one")                      \
    X(P, I, event_id,                                                                              \
      t->counters.kernel[i] < t->kernels.n ? (int64_t)(d->kernels_at + t->counters.kernel[i] + 1)  \
                                           : NONE,                                                 \
      "event of the dispatch")                                                                     \
    X(P, I, pmc_id, t->counter_infos.v[t->counters.counter[i]].id, "row of rocpd_info_pmc")        \
    X(P, R, value, t->counters.value[i], "of one hardware instance")                               \
    X(P, T, extdata, "{}", "not kept: {}")
#define SERIES_EVENT(X, P)                                                                         \
    X(P, I, id, t->counters.n + i + 1, "")                                                         \
    X(P, T, guid, q_guid(d, t->series.v[t->telemetry.series[i]].process), "")                      \
    X(P, I, event_id, NONE, "")                                                                    \
    X(P, I, pmc_id, (int64_t)1000000000 + t->telemetry.series[i], "")                              \
    X(P, R, value, t->telemetry.value[i], "")                                                      \
    X(P, T, extdata, "{}", "")
Q_PART(pmc_event, PMC_EVENT)
Q_COUNT(pmc_event, d->t->counters.n)
Q_PART(series_event, SERIES_EVENT)
Q_COUNT(series_event, d->t->telemetry.n)

#define REGION(X, P, id_, process_, thread_, start_, end_, name_, event_)                          \
    X(P, I, id, id_, "as the profiler numbers calls")                                              \
    X(P, T, guid, q_guid(d, process_), "which trace")                                              \
    X(P, I, nid, q_nid(d, process_), "number of the host")                                         \
    X(P, I, pid, q_pid(d, process_), "process")                                                    \
    X(P, I, tid, q_tid(d, thread_), "thread")                                                      \
    X(P, I, start, start_, "ns")                                                                   \
    X(P, I, end, end_, "ns")                                                                       \
    X(P, I, name_id, q_string(name_), "row of rocpd_string; of markers the user's text")           \
    X(P, I, event_id, event_, "row of rocpd_event")                                                \
    X(P, T, extdata, "{}", "not kept: {}")
#define REGION_ROWS(X, P)                                                                          \
    REGION(X, P, regions_id_at(t, i), R_PROCESS, t->regions.thread[i], t->regions.start_ns[i],     \
           t->regions.end_ns[i], t->regions.name[i], i + 1)
#define RANGE_ROWS(X, P)                                                                           \
    REGION(X, P, markers_id_at(t, d->ranges[i]), M_PROCESS(d->ranges[i]),                          \
           t->markers.thread[d->ranges[i]], t->markers.start_ns[d->ranges[i]],                     \
           t->markers.end_ns[d->ranges[i]], t->markers.name[d->ranges[i]],                         \
           d->markers_at + d->ranges[i] + 1)
Q_PART(region_rows, REGION_ROWS)
Q_COUNT(region_rows, d->n_regions)
Q_PART(range_rows, RANGE_ROWS)
Q_COUNT(range_rows, d->n_ranges)

#define SAMPLE(X, P, id_, process_, track_, time_, event_)                                         \
    X(P, I, id, id_, "of the sample")                                                              \
    X(P, T, guid, q_guid(d, process_), "which trace")                                              \
    X(P, I, track_id, track_, "row of rocpd_track")                                                \
    X(P, I, timestamp, time_, "ns")                                                                \
    X(P, I, event_id, event_, "row of rocpd_event; NULL for telemetry")                            \
    X(P, T, extdata, "{}", "not kept: {}")
static int64_t track_of(const struct trace *t, uint32_t thread)
{
    return thread < t->threads.n ? (int64_t)thread + 1 : NONE;
}
#define MARK_ROWS(X, P)                                                                            \
    SAMPLE(X, P, markers_id_at(t, d->instants[i]), M_PROCESS(d->instants[i]),                      \
           track_of(t, t->markers.thread[d->instants[i]]), t->markers.start_ns[d->instants[i]],    \
           d->markers_at + d->instants[i] + 1)
#define SAMPLE_ROWS(X, P)                                                                          \
    SAMPLE(X, P, i + 1, S_PROCESS, track_of(t, t->samples.thread[i]), t->samples.time_ns[i],       \
           d->samples_at + i + 1)
#define POINT_ROWS(X, P)                                                                           \
    SAMPLE(X, P, i + 1, t->series.v[t->telemetry.series[i]].process,                               \
           t->threads.n + t->telemetry.series[i] + 1, t->telemetry.time_ns[i], NONE)
Q_PART(mark_rows, MARK_ROWS)
Q_COUNT(mark_rows, d->n_instants)
Q_PART(sample_rows, SAMPLE_ROWS)
Q_COUNT(sample_rows, d->t->samples.n)
Q_PART(point_rows, POINT_ROWS)
Q_COUNT(point_rows, d->t->telemetry.n)

#define K_LAUNCH q_launch(t, i)
#define K_STREAM t->kernels.stream[i]
#define DISPATCHES(X, P)                                                                           \
    X(P, I, id, kernels_id_at(t, i), "number of the dispatch")                                     \
    X(P, T, guid, q_guid(d, K_PROCESS), "which trace")                                             \
    X(P, I, nid, q_nid(d, K_PROCESS), "number of the host")                                        \
    X(P, I, pid, q_pid(d, K_PROCESS), "process")                                                   \
    X(P, I, tid, q_tid(d, kernels_thread_at(t, i)), "thread that launched it")                     \
    X(P, I, agent_id, q_agent(d, K_PROCESS, gpu_of_stream(t, K_STREAM)),                           \
      "row of rocpd_info_agent")                                                                   \
    X(P, I, kernel_id, t->symbols.v[t->kernels.symbol[i]].id, "row of rocpd_info_kernel_symbol")   \
    X(P, I, dispatch_id, kernels_id_at(t, i), "number of the dispatch")                            \
    X(P, I, queue_id,                                                                              \
      kernels_queue_at(t, i) < t->queues.n ? t->queues.v[kernels_queue_at(t, i)].id : NONE,        \
      "queue")                                                                                     \
    X(P, I, stream_id, K_STREAM < t->streams.n ? t->streams.v[K_STREAM].id : NONE, "stream")       \
    X(P, I, start, t->kernels.start_ns[i], "ns")                                                   \
    X(P, I, end, t->kernels.end_ns[i], "ns")                                                       \
    X(P, I, private_segment_size, K_LAUNCH.scratch_bytes, "scratch of a work-item, bytes")         \
    X(P, I, group_segment_size, K_LAUNCH.lds_bytes, "LDS of a group, bytes")                       \
    X(P, I, workgroup_size_x, K_LAUNCH.group[0], "work-items of a group")                          \
    X(P, I, workgroup_size_y, K_LAUNCH.group[1], "work-items of a group")                          \
    X(P, I, workgroup_size_z, K_LAUNCH.group[2], "work-items of a group")                          \
    X(P, I, grid_size_x, K_LAUNCH.grid[0], "grid in work-items")                                   \
    X(P, I, grid_size_y, K_LAUNCH.grid[1], "grid in work-items")                                   \
    X(P, I, grid_size_z, K_LAUNCH.grid[2], "grid in work-items")                                   \
    X(P, I, region_name_id, q_string(K_LAUNCH.rename), "row of rocpd_string")                      \
    X(P, I, event_id, d->kernels_at + i + 1, "row of rocpd_event")                                 \
    X(P, T, extdata, "{}", "not kept: {}")
Q_PART(dispatches, DISPATCHES)
Q_COUNT(dispatches, d->t->kernels.n)

static int64_t id_of_agent(const struct trace *t, uint32_t agent)
{
    return agent < t->agents.n ? t->agents.v[agent].id : NONE;
}

static int64_t known(uint64_t bytes)
{
    return bytes == BYTES_UNKNOWN ? NONE : (int64_t)bytes;
}
#define COPY_ROWS(X, P)                                                                            \
    X(P, I, id, copies_id_at(t, i), "number of the copy")                                          \
    X(P, T, guid, q_guid(d, C_PROCESS), "which trace")                                             \
    X(P, I, nid, q_nid(d, C_PROCESS), "number of the host")                                        \
    X(P, I, pid, q_pid(d, C_PROCESS), "process")                                                   \
    X(P, I, tid, q_tid(d, copies_thread_at(t, i)), "thread that asked for it")                     \
    X(P, I, start, t->copies.start_ns[i], "ns")                                                    \
    X(P, I, end, t->copies.end_ns[i], "ns")                                                        \
    X(P, I, name_id, q_word(d, (enum word)(WORD_COPY_KIND + t->copies.kind[i])),                   \
      "row of rocpd_string")                                                                       \
    X(P, I, dst_agent_id, id_of_agent(t, copies_dst_at(t, i)), "row of rocpd_info_agent")          \
    X(P, I, dst_address, NONE, "not kept: NULL")                                                   \
    X(P, I, src_agent_id, id_of_agent(t, copies_src_at(t, i)), "row of rocpd_info_agent")          \
    X(P, I, src_address, NONE, "not kept: NULL")                                                   \
    X(P, I, size, known(t->copies.bytes[i]), "bytes; NULL where they are not recorded")            \
    X(P, I, queue_id, NONE, "not kept: NULL")                                                      \
    X(P, I, stream_id,                                                                             \
      t->copies.stream[i] < t->streams.n ? t->streams.v[t->copies.stream[i]].id : NONE, "stream")  \
    X(P, I, region_name_id, NONE, "not kept: NULL")                                                \
    X(P, I, event_id, d->copies_at + i + 1, "row of rocpd_event")                                  \
    X(P, T, extdata, "{}", "not kept: {}")
Q_PART(copy_rows, COPY_ROWS)
Q_COUNT(copy_rows, d->t->copies.n)

static const char *const alloc_ops[] = {"ALLOC", "FREE", "REALLOC", "RECLAIM"};
static const char *const alloc_levels[] = {"REAL", "VIRTUAL", "SCRATCH"};
#define ALLOCATION_ROWS(X, P)                                                                      \
    X(P, I, id, allocations_id_at(t, i), "number of the record")                                   \
    X(P, T, guid, q_guid(d, A_PROCESS), "which trace")                                             \
    X(P, I, nid, q_nid(d, A_PROCESS), "number of the host")                                        \
    X(P, I, pid, q_pid(d, A_PROCESS), "process")                                                   \
    X(P, I, tid, q_tid(d, t->allocations.thread[i]), "thread")                                     \
    X(P, I, agent_id, id_of_agent(t, t->allocations.agent[i]), "row of rocpd_info_agent")          \
    X(P, T, type, t->allocations.op[i] <= ALLOC_RECLAIM ? alloc_ops[t->allocations.op[i]] : NULL,  \
      "ALLOC, FREE, REALLOC or RECLAIM")                                                           \
    X(P, T, level,                                                                                 \
      t->allocations.level[i] <= LEVEL_SCRATCH ? alloc_levels[t->allocations.level[i]] : NULL,     \
      "REAL, VIRTUAL or SCRATCH")                                                                  \
    X(P, I, start, t->allocations.start_ns[i], "ns")                                               \
    X(P, I, end, t->allocations.end_ns[i], "ns")                                                   \
    X(P, I, address, t->allocations.address[i], "where")                                           \
    X(P, I, size, known(t->allocations.bytes[i]), "bytes")                                         \
    X(P, I, queue_id, NONE, "not kept: NULL")                                                      \
    X(P, I, stream_id, NONE, "not kept: NULL")                                                     \
    X(P, I, event_id, d->allocations_at + i + 1, "row of rocpd_event")                             \
    X(P, T, extdata, "{}", "not kept: {}")
Q_PART(allocation_rows, ALLOCATION_ROWS)
Q_COUNT(allocation_rows, d->t->allocations.n)

const struct qtable query_rocpd_tables[] = {
    Q_TABLE("rocpd_event", "One row for each call, marker, sample, dispatch, copy and allocation.",
            QUERY_TABLE, region_events, Q_OF(region_events), Q_OF(marker_events),
            Q_OF(sample_events), Q_OF(kernel_events), Q_OF(copy_events), Q_OF(allocation_events)),
    Q_TABLE_WITH(true, "rocpd_arg",
                 "Arguments of calls, of traces in rocpd's format; read when they are asked for.",
                 QUERY_TABLE, args, Q_OF(args)),
    Q_TABLE("rocpd_pmc_event", "Values of counters and telemetry.", QUERY_TABLE, pmc_event,
            Q_OF(pmc_event), Q_OF(series_event)),
    Q_TABLE("rocpd_region", "Calls of the host and ranges of markers.", QUERY_TABLE, region_rows,
            Q_OF(region_rows), Q_OF(range_rows)),
    Q_TABLE("rocpd_sample", "Marks, samples and points of telemetry.", QUERY_TABLE, mark_rows,
            Q_OF(mark_rows), Q_OF(sample_rows), Q_OF(point_rows)),
    Q_TABLE("rocpd_kernel_dispatch", "Kernel dispatches.", QUERY_TABLE, dispatches,
            Q_OF(dispatches)),
    Q_TABLE("rocpd_memory_copy", "Copies.", QUERY_TABLE, copy_rows, Q_OF(copy_rows)),
    Q_TABLE("rocpd_memory_allocate", "Allocating and freeing.", QUERY_TABLE, allocation_rows,
            Q_OF(allocation_rows)),
    {0},
};
