/* Rows of a trace that rocpd has no table for. */
#include <math.h>

#include "query/query_in.h"

static const char *some(const struct trace *t, uint32_t id)
{
    return id && id != NO_INDEX ? trace_str(t, id) : NULL;
}

static int64_t positive(uint64_t n)
{
    return n ? (int64_t)n : NONE;
}

#define F_ t->files.v[i]
#define TRACES(X, P)                                                                               \
    X(P, I, id, i + 1, "number of the trace")                                                      \
    X(P, T, guid, d->guid[i], "as the other tables call it")                                       \
    X(P, T, trace, F_.path, "path")                                                                \
    X(P, T, format, trace_format_names[F_.format], "rocpd, nsys ...")                              \
    X(P, T, flavor, trace_writer_names[F_.flavor], "the writer, where formats differ by it")       \
    X(P, T, schema_version, F_.schema_version, "as the file says")                                 \
    X(P, T, tool_version, F_.tool_version, "as the file says")                                     \
    X(P, I, bytes, F_.bytes, "size")
Q_PART(traces, TRACES)
Q_COUNT(traces, d->t->files.n)

#define G_ t->gpus.v[i]
#define DEVICES(X, P)                                                                              \
    X(P, I, gpu, G_.index, "the number users know")                                                \
    X(P, T, host, some(t, G_.host), "where it is")                                                 \
    X(P, I, node_id, G_.node_id, "as the driver numbers it")                                       \
    X(P, T, vendor, G_.vendor == VENDOR_NVIDIA ? "NVIDIA" : "AMD", "AMD or NVIDIA")                \
    X(P, T, name, some(t, G_.name), "product")                                                     \
    X(P, T, arch, some(t, G_.arch), "gfx942, sm_90")                                               \
    X(P, I, cu_count, positive(G_.cu_count), "compute units (SMs)")                                \
    X(P, I, simd_per_cu, positive(G_.simd_per_cu), "SIMDs of one")                                 \
    X(P, I, wave_size, positive(G_.wave_size), "work-items of a wave (warp)")                      \
    X(P, I, lds_bytes_per_cu, positive(G_.lds_bytes_per_cu), "LDS (shared memory) of one")         \
    X(P, I, xcc_count, positive(G_.xcc_count), "XCDs")                                             \
    X(P, I, clock_mhz, positive(G_.clock_mhz), "highest clock")                                    \
    X(P, I, memory_bytes, positive(G_.memory_bytes), "memory")                                     \
    X(P, I, used, G_.used, "1: some kernel or copy ran on it")
Q_PART(devices, DEVICES)
Q_COUNT(devices, d->t->gpus.n)

static const char *const marker_kinds[] = {"thread range", "process range", "instant"};
#define M t->markers
#define M_PROCESS process_of_thread(t, M.thread[i])
#define MARKER_ROWS(X, P)                                                                          \
    X(P, I, id, markers_id_at(t, i), "as the profiler numbers them")                               \
    X(P, T, guid, q_guid(d, M_PROCESS), "which trace")                                             \
    X(P, S, name, M.name[i], "the user's text")                                                    \
    X(P, S, domain, M.domain[i], "domain of NVTX, or empty")                                       \
    X(P, T, kind, M.kind[i] <= MARKER_INSTANT ? marker_kinds[M.kind[i]] : NULL,                    \
      "thread range, process range or instant")                                                    \
    X(P, I, pid, q_pid(d, M_PROCESS), "process")                                                   \
    X(P, I, tid, q_tid(d, M.thread[i]), "thread")                                                  \
    X(P, I, start, M.start_ns[i], "ns")                                                            \
    X(P, I, end, M.end_ns[i], "ns")                                                                \
    X(P, I, duration, M.end_ns[i] - M.start_ns[i], "end - start, ns")                              \
    X(P, I, rank, q_rank(d, M_PROCESS), "MPI rank, or NULL")                                       \
    X(P, T, trace, q_trace(d, M_PROCESS), "path of the trace")
Q_PART(marker_rows, MARKER_ROWS)
Q_COUNT(marker_rows, d->t->markers.n)

#define E_ t->series.v[t->telemetry.series[i]]
#define POINTS(X, P)                                                                               \
    X(P, S, series, E_.name, "what is measured")                                                   \
    X(P, S, units, E_.units, "unit")                                                               \
    X(P, I, gpu, q_gpu(d, E_.gpu), "the GPU as users number it; NULL: of the host or process")     \
    X(P, I, timestamp, t->telemetry.time_ns[i], "ns")                                              \
    X(P, R, value, t->telemetry.value[i], "what was measured")                                     \
    X(P, I, pid, q_pid(d, E_.process), "process")                                                  \
    X(P, I, rank, q_rank(d, E_.process), "MPI rank, or NULL")                                      \
    X(P, T, trace, q_trace(d, E_.process), "path of the trace")
Q_PART(points, POINTS)
Q_COUNT(points, d->t->telemetry.n)

static const char *const issued[] = {NULL, "no", "yes"};
#define PC t->pc_samples
#define PC_HAS (PC.kernel[i] < t->kernels.n)
#define PC_ROWS(X, P)                                                                              \
    X(P, I, timestamp, PC.time_ns[i], "ns")                                                        \
    X(P, I, dispatch_id, PC.dispatch[i] < 0 ? NONE : PC.dispatch[i], "id of kernels")              \
    X(P, S, kernel, PC_HAS ? t->symbols.v[t->kernels.symbol[PC.kernel[i]]].name : NO_INDEX,        \
      "full name")                                                                                 \
    X(P, I, code_object, PC.code_object[i], "number of the code object")                           \
    X(P, I, offset, PC.offset[i], "in it")                                                         \
    X(P, I, exec_mask, PC.exec_mask[i], "lanes at work")                                           \
    X(P, S, instruction, PC.instruction[i], "")                                                    \
    X(P, S, source, PC.comment[i], "file:line")                                                    \
    X(P, T, issued, PC.issued[i] <= PC_ISSUED_YES ? issued[PC.issued[i]] : NULL,                   \
      "whether the wave issued an instruction")                                                    \
    X(P, S, type, PC.type[i], "of the instruction")                                                \
    X(P, S, stall, PC.stall[i], "why none was issued")                                             \
    X(P, I, waves, positive(PC.waves[i]), "on this SIMD")
Q_PART(pc_rows, PC_ROWS)
Q_COUNT(pc_rows, d->t->pc_samples.n)

#define CALL_(x) (x < t->regions.n)
#define MESSAGES(X, P)                                                                             \
    X(P, I, region_id, q_call_id(d, t->messages.call[i]), "id of regions")                         \
    X(P, S, name, CALL_(t->messages.call[i]) ? t->regions.name[t->messages.call[i]] : NO_INDEX,    \
      "the call")                                                                                  \
    X(P, I, start, CALL_(t->messages.call[i]) ? t->regions.start_ns[t->messages.call[i]] : NONE,   \
      "ns")                                                                                        \
    X(P, I, end, CALL_(t->messages.call[i]) ? t->regions.end_ns[t->messages.call[i]] : NONE, "ns") \
    X(P, I, peer, t->messages.peer[i], "rank at the other end; negative: any or none")             \
    X(P, I, size, t->messages.bytes[i] == BYTES_UNKNOWN ? NONE : (int64_t)t->messages.bytes[i],    \
      "bytes")                                                                                     \
    X(P, I, rank,                                                                                  \
      CALL_(t->messages.call[i])                                                                   \
          ? q_rank(d, process_of_thread(t, t->regions.thread[t->messages.call[i]]))                \
          : NONE,                                                                                  \
      "rank of the caller")
Q_PART(messages, MESSAGES)
Q_COUNT(messages, d->t->messages.n)

static const char *const sync_kinds[] = {"other", "stream wait", "event", "stream", "device"};
static int64_t id_of_stream(const struct trace *t, uint32_t s)
{
    return s < t->streams.n ? t->streams.v[s].id : NONE;
}
#define Y t->syncs
#define SYNCS(X, P)                                                                                \
    X(P, I, start, syncs_start_ns_at(t, i), "ns")                                                  \
    X(P, T, kind, Y.kind[i] < ARRAY_LEN(sync_kinds) ? sync_kinds[Y.kind[i]] : NULL,                \
      "stream wait: a stream waits for an event; else the host waits for this")                    \
    X(P, I, region_id, q_call_id(d, syncs_call_at(t, i)), "id of regions")                         \
    X(P, S, name, CALL_(syncs_call_at(t, i)) ? t->regions.name[syncs_call_at(t, i)] : NO_INDEX,    \
      "the call")                                                                                  \
    X(P, I, stream_id, id_of_stream(t, syncs_stream_at(t, i)), "that waits, or is waited for")     \
    X(P, I, source_stream_id, id_of_stream(t, syncs_source_at(t, i)),                              \
      "where the event was recorded")
Q_PART(syncs, SYNCS)
Q_COUNT(syncs, d->t->syncs.n)

#define NOTES(X, P)                                                                                \
    X(P, T, note, t->notes.v[i].text, "what a reader saw that lowers trust")                       \
    X(P, I, count, (int64_t)t->notes.v[i].count, "how often")
Q_PART(notes, NOTES)
Q_COUNT(notes, d->t->notes.n)

const struct qtable query_rows[] = {
    Q_TABLE("traces", "The files.", QUERY_ROWS, traces, Q_OF(traces)),
    Q_TABLE("devices", "GPUs with their numbers.", QUERY_ROWS, devices, Q_OF(devices)),
    Q_TABLE("marker_rows", "Every range and mark of roctx, NVTX and annotations.", QUERY_ROWS,
            marker_rows, Q_OF(marker_rows)),
    Q_TABLE("telemetry_points", "Power, clocks and load over time.", QUERY_ROWS, points,
            Q_OF(points)),
    Q_TABLE("pc_samples", "Samples of the program counter.", QUERY_ROWS, pc_rows, Q_OF(pc_rows)),
    Q_TABLE("messages", "Whom calls of MPI send to or receive from.", QUERY_ROWS, messages,
            Q_OF(messages)),
    Q_TABLE("syncs", "Waiting as the profiler records it beside the calls.", QUERY_ROWS, syncs,
            Q_OF(syncs)),
    Q_TABLE("notes", "What readers saw that lowers trust.", QUERY_ROWS, notes, Q_OF(notes)),
    {0},
};
