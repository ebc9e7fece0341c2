/*
 * rocpd's tables and views of what there is: files, hosts, processes, devices, kernels, counters. Ids are
 * those of the profiler where the trace keeps them.
 */
#include "query/query_in.h"

static const char *some(const struct trace *t, uint32_t id)
{
    return id && id != NO_INDEX ? trace_str(t, id) : NULL;
}

static int64_t moment(int64_t ns)
{
    return ns ? ns : NONE;
}

/* ---- what is listed ---- */

#define FILE_ t->files.v[i / 3]
#define METADATA(X, P)                                                                             \
    X(P, I, id, i + 1, "row")                                                                      \
    X(P, T, tag,                                                                                   \
      i % 3 == 0   ? "schema_version"                                                              \
      : i % 3 == 1 ? "guid"                                                                        \
                   : "path",                                                                       \
      "schema_version, guid or path")                                                              \
    X(P, T, value,                                                                                 \
      i % 3 == 0   ? FILE_.schema_version                                                          \
      : i % 3 == 1 ? d->guid[i / 3]                                                                \
                   : FILE_.path,                                                                   \
      "its value, for each trace")
Q_PART(metadata, METADATA)
Q_COUNT(metadata, d->t->files.n * 3)

#define STRINGS(X, P)                                                                              \
    X(P, I, id, i + 1, "number of the text")                                                       \
    X(P, T, guid, q_guid(d, 0), "which trace; texts are shared by all of them")                    \
    X(P, S, string, (d->used[i] ? (uint32_t)i : 0), "the text; empty where nothing refers to it")
#define WORD_STRINGS(X, P)                                                                         \
    X(P, I, id, q_word(d, (enum word)i), "")                                                       \
    X(P, T, guid, q_guid(d, 0), "")                                                                \
    X(P, T, string, query_words[i], "")
Q_PART(strings, STRINGS)
Q_COUNT(strings, d->t->strings.n)
Q_PART(word_strings, WORD_STRINGS)
static size_t word_strings_n(const struct qdata *d)
{
    (void)d;
    return WORDS_IN_ALL;
}

#define HOST_ d->host_process[i]
#define NODES(X, P)                                                                                \
    X(P, I, id, i + 1, "number of the host")                                                       \
    X(P, T, guid, q_guid(d, HOST_), "a trace of it")                                               \
    X(P, I, hash, i + 1, "the number again")                                                       \
    X(P, T, machine_id, some(t, t->processes.v[HOST_].host), "its name")                           \
    X(P, T, system_name, NULL, "not kept: NULL")                                                   \
    X(P, T, hostname, some(t, t->processes.v[HOST_].host), "its name")                             \
    X(P, T, release, NULL, "not kept: NULL")                                                       \
    X(P, T, version, NULL, "not kept: NULL")                                                       \
    X(P, T, hardware_name, NULL, "not kept: NULL")                                                 \
    X(P, T, domain_name, NULL, "not kept: NULL")
Q_PART(nodes, NODES)
Q_COUNT(nodes, d->n_hosts)

#define P_ t->processes.v[i]
#define PROCESSES(X, P)                                                                            \
    X(P, I, id, P_.pid, "process id")                                                              \
    X(P, T, guid, q_guid(d, (uint32_t)i), "which trace")                                           \
    X(P, I, nid, d->host[i], "number of the host")                                                 \
    X(P, I, ppid, P_.ppid, "process id of its parent")                                             \
    X(P, I, pid, P_.pid, "process id")                                                             \
    X(P, I, init, moment(P_.start_ns), "ns; NULL where it is not known")                           \
    X(P, I, fini, moment(P_.end_ns), "ns; NULL where it is not known")                             \
    X(P, I, start, moment(P_.start_ns), "ns; NULL where it is not known")                          \
    X(P, I, end, moment(P_.end_ns), "ns; NULL where it is not known")                              \
    X(P, T, command, some(t, P_.command), "command line; passwords in it are masked")              \
    X(P, T, environment, "{}", "never kept: {}")                                                   \
    X(P, T, extdata, "{}", "not kept: {}")                                                         \
    X(P, I, rank, q_rank(d, (uint32_t)i), "MPI rank, or NULL")                                     \
    X(P, T, trace, q_trace(d, (uint32_t)i), "path of the trace")
Q_PART(info_process, PROCESSES)
Q_COUNT(info_process, d->t->processes.n)

/* The view: host first, as rocpd has it. */
#define PROCESS_VIEW(X, P)                                                                         \
    X(P, I, nid, d->host[i], "number of the host")                                                 \
    X(P, T, machine_id, some(t, P_.host), "name of the host")                                      \
    X(P, T, system_name, NULL, "not kept: NULL")                                                   \
    X(P, T, hostname, some(t, P_.host), "name of the host")                                        \
    X(P, T, system_release, NULL, "not kept: NULL")                                                \
    X(P, T, system_version, NULL, "not kept: NULL")                                                \
    X(P, T, guid, q_guid(d, (uint32_t)i), "which trace")                                           \
    X(P, I, ppid, P_.ppid, "process id of its parent")                                             \
    X(P, I, pid, P_.pid, "process id")                                                             \
    X(P, I, init, moment(P_.start_ns), "ns; NULL where it is not known")                           \
    X(P, I, start, moment(P_.start_ns), "ns; NULL where it is not known")                          \
    X(P, I, end, moment(P_.end_ns), "ns; NULL where it is not known")                              \
    X(P, I, fini, moment(P_.end_ns), "ns; NULL where it is not known")                             \
    X(P, T, command, some(t, P_.command), "command line; passwords in it are masked")              \
    X(P, I, rank, q_rank(d, (uint32_t)i), "MPI rank, or NULL")                                     \
    X(P, T, trace, q_trace(d, (uint32_t)i), "path of the trace")
Q_PART(processes, PROCESS_VIEW)
Q_COUNT(processes, d->t->processes.n)

#define T_ t->threads.v[i]
#define T_HOST (T_.process < t->processes.n ? t->processes.v[T_.process].host : NO_INDEX)
#define T_PPID (T_.process < t->processes.n ? t->processes.v[T_.process].ppid : NONE)
#define THREADS(X, P)                                                                              \
    X(P, I, id, T_.tid, "thread id")                                                               \
    X(P, T, guid, q_guid(d, T_.process), "which trace")                                            \
    X(P, I, nid, q_nid(d, T_.process), "number of the host")                                       \
    X(P, I, ppid, T_PPID, "parent of the process")                                                 \
    X(P, I, pid, q_pid(d, T_.process), "process")                                                  \
    X(P, I, tid, T_.tid, "thread id")                                                              \
    X(P, T, name, some(t, T_.name), "name, or NULL")                                               \
    X(P, I, start, NONE, "not kept: NULL")                                                         \
    X(P, I, end, NONE, "not kept: NULL")                                                           \
    X(P, T, extdata, "{}", "not kept: {}")
Q_PART(info_thread, THREADS)
Q_COUNT(info_thread, d->t->threads.n)

#define THREAD_VIEW(X, P)                                                                          \
    X(P, I, nid, q_nid(d, T_.process), "number of the host")                                       \
    X(P, T, machine_id, some(t, T_HOST), "name of the host")                                       \
    X(P, T, system_name, NULL, "not kept: NULL")                                                   \
    X(P, T, hostname, some(t, T_HOST), "name of the host")                                         \
    X(P, T, system_release, NULL, "not kept: NULL")                                                \
    X(P, T, system_version, NULL, "not kept: NULL")                                                \
    X(P, T, guid, q_guid(d, T_.process), "which trace")                                            \
    X(P, I, ppid, T_PPID, "parent of the process")                                                 \
    X(P, I, pid, q_pid(d, T_.process), "process")                                                  \
    X(P, I, tid, T_.tid, "thread id")                                                              \
    X(P, I, start, NONE, "not kept: NULL")                                                         \
    X(P, I, end, NONE, "not kept: NULL")                                                           \
    X(P, T, name, some(t, T_.name), "name, or NULL")                                               \
    X(P, I, rank, q_rank(d, T_.process), "MPI rank, or NULL")                                      \
    X(P, T, trace, q_trace(d, T_.process), "path of the trace")
Q_PART(threads, THREAD_VIEW)
Q_COUNT(threads, d->t->threads.n)

/* Devices as processes see them, and GPUs of formats that list only those. */
#define AGENT_TAIL(X, P, gpu_)                                                                     \
    X(P, I, uuid, NONE, "not kept: NULL")                                                          \
    X(P, T, name, gpu_ < t->gpus.n ? some(t, t->gpus.v[gpu_].arch) : NULL, "gfx942, sm_90")        \
    X(P, T, model_name, gpu_ < t->gpus.n ? some(t, t->gpus.v[gpu_].name) : NULL, "product")        \
    X(P, T, vendor_name,                                                                           \
      gpu_ >= t->gpus.n                         ? NULL                                             \
      : t->gpus.v[gpu_].vendor == VENDOR_NVIDIA ? "NVIDIA"                                         \
                                                : "AMD",                                           \
      "AMD or NVIDIA")                                                                             \
    X(P, T, product_name, gpu_ < t->gpus.n ? some(t, t->gpus.v[gpu_].name) : NULL, "product")      \
    X(P, T, user_name, gpu_ < t->gpus.n ? some(t, t->gpus.v[gpu_].name) : NULL, "product")         \
    X(P, T, extdata, "{}", "not kept: {}; the table devices has the numbers")
#define G_ t->agents.v[i]
#define AGENTS(X, P)                                                                               \
    X(P, I, id, G_.id, "as the profiler numbers devices")                                          \
    X(P, T, guid, q_guid(d, G_.process), "which trace")                                            \
    X(P, I, nid, q_nid(d, G_.process), "number of the host")                                       \
    X(P, I, pid, q_pid(d, G_.process), "process that sees it")                                     \
    X(P, T, type,                                                                                  \
      G_.type == AGENT_CPU   ? "CPU"                                                               \
      : G_.type == AGENT_GPU ? "GPU"                                                               \
                             : "OTHER",                                                            \
      "CPU or GPU")                                                                                \
    X(P, I, absolute_index, G_.id, "as the profiler numbers devices")                              \
    X(P, I, logical_index, G_.id, "the same")                                                      \
    X(P, I, type_index, q_gpu(d, G_.gpu), "the GPU as users number it")                            \
    AGENT_TAIL(X, P, G_.gpu)
#define BARE_AGENTS(X, P)                                                                          \
    X(P, I, id, d->bare_gpus[i], "")                                                               \
    X(P, T, guid, q_guid(d, NO_INDEX), "")                                                         \
    X(P, I, nid, NONE, "")                                                                         \
    X(P, I, pid, NONE, "")                                                                         \
    X(P, T, type, "GPU", "")                                                                       \
    X(P, I, absolute_index, q_node(d, d->bare_gpus[i]), "")                                        \
    X(P, I, logical_index, q_node(d, d->bare_gpus[i]), "")                                         \
    X(P, I, type_index, q_gpu(d, d->bare_gpus[i]), "")                                             \
    AGENT_TAIL(X, P, d->bare_gpus[i])
Q_PART(agents, AGENTS)
Q_COUNT(agents, d->t->agents.n)
Q_PART(bare_agents, BARE_AGENTS)
Q_COUNT(bare_agents, d->n_bare)

#define LISTED(X, P, what)                                                                         \
    X(P, I, id, what.id, "as the profiler numbers them")                                           \
    X(P, T, guid, q_guid(d, what.process), "which trace")                                          \
    X(P, I, nid, q_nid(d, what.process), "number of the host")                                     \
    X(P, I, pid, q_pid(d, what.process), "process")                                                \
    X(P, T, name, some(t, what.name), "name")                                                      \
    X(P, T, extdata, "{}", "not kept: {}")
#define QUEUES(X, P) LISTED(X, P, t->queues.v[i])
#define STREAMS(X, P)                                                                              \
    LISTED(X, P, t->streams.v[i])                                                                  \
    X(P, I, gpu, q_gpu(d, t->streams.v[i].gpu), "the GPU that runs it, as users number it")
Q_PART(queues, QUEUES)
Q_COUNT(queues, d->t->queues.n)
Q_PART(streams, STREAMS)
Q_COUNT(streams, d->t->streams.n)

#define N_ t->counter_infos.v[i]
#define ONLY_PROCESS (t->processes.n == 1 ? 0 : NO_INDEX)
static int64_t agent_of_gpu(const struct qdata *d, uint32_t gpu)
{
    return q_agent(d, d->t->processes.n == 1 ? 0 : NO_INDEX, gpu);
}
#define PMCS(X, P)                                                                                 \
    X(P, I, id, N_.id, "as the profiler numbers counters")                                         \
    X(P, T, guid, q_guid(d, ONLY_PROCESS), "which trace, where there is one")                      \
    X(P, I, nid, q_nid(d, ONLY_PROCESS), "number of the host")                                     \
    X(P, I, pid, q_pid(d, ONLY_PROCESS), "process, where there is one")                            \
    X(P, I, agent_id, agent_of_gpu(d, N_.gpu), "row of rocpd_info_agent")                          \
    X(P, T, target_arch, "GPU", "GPU")                                                             \
    X(P, I, event_code, NONE, "not kept: NULL")                                                    \
    X(P, I, instance_id, NONE, "not kept: NULL")                                                   \
    X(P, S, name, N_.name, "name of the counter")                                                  \
    X(P, S, symbol, N_.name, "the same")                                                           \
    X(P, S, description, N_.description, "what it counts")                                         \
    X(P, T, long_description, "", "not kept: empty")                                               \
    X(P, T, component, "rocm", "rocm")                                                             \
    X(P, S, units, N_.units, "unit")                                                               \
    X(P, T, value_type, "ABS", "ABS")                                                              \
    X(P, S, block, N_.block, "hardware block")                                                     \
    X(P, S, expression, N_.expression, "formula of derived ones")                                  \
    X(P, I, is_constant, 0, "0")                                                                   \
    X(P, I, is_derived, N_.derived, "1: computed from others")                                     \
    X(P, T, extdata, "{}", "not kept: {}")                                                         \
    X(P, I, gpu, q_gpu(d, N_.gpu), "the GPU as users number it")
#define E_ t->series.v[i]
#define SERIES_PMCS(X, P)                                                                          \
    X(P, I, id, (int64_t)1000000000 + (int64_t)i, "")                                              \
    X(P, T, guid, q_guid(d, E_.process), "")                                                       \
    X(P, I, nid, q_nid(d, E_.process), "")                                                         \
    X(P, I, pid, q_pid(d, E_.process), "")                                                         \
    X(P, I, agent_id, q_agent(d, E_.process, E_.gpu), "")                                          \
    X(P, T, target_arch, E_.gpu == NO_INDEX ? "CPU" : "GPU", "")                                   \
    X(P, I, event_code, NONE, "")                                                                  \
    X(P, I, instance_id, NONE, "")                                                                 \
    X(P, S, name, E_.name, "")                                                                     \
    X(P, S, symbol, E_.name, "")                                                                   \
    X(P, S, description, 0, "")                                                                    \
    X(P, T, long_description, "", "")                                                              \
    X(P, T, component, "telemetry", "")                                                            \
    X(P, S, units, E_.units, "")                                                                   \
    X(P, T, value_type, "ABS", "")                                                                 \
    X(P, S, block, 0, "")                                                                          \
    X(P, S, expression, 0, "")                                                                     \
    X(P, I, is_constant, 0, "")                                                                    \
    X(P, I, is_derived, 0, "")                                                                     \
    X(P, T, extdata, "{}", "")                                                                     \
    X(P, I, gpu, q_gpu(d, E_.gpu), "")
Q_PART(pmcs, PMCS)
Q_COUNT(pmcs, d->t->counter_infos.n)
Q_PART(series_pmcs, SERIES_PMCS)
Q_COUNT(series_pmcs, d->t->series.n)

#define PMC_VIEW(X, P)                                                                             \
    X(P, I, id, N_.id, "as the profiler numbers counters")                                         \
    X(P, T, guid, q_guid(d, ONLY_PROCESS), "which trace, where there is one")                      \
    X(P, I, nid, q_nid(d, ONLY_PROCESS), "number of the host")                                     \
    X(P, I, pid, q_pid(d, ONLY_PROCESS), "process, where there is one")                            \
    X(P, I, agent_abs_index, q_node(d, N_.gpu), "the device as the driver numbers it")             \
    X(P, I, is_constant, 0, "0")                                                                   \
    X(P, I, is_derived, N_.derived, "1: computed from others")                                     \
    X(P, S, name, N_.name, "name of the counter")                                                  \
    X(P, S, description, N_.description, "what it counts")                                         \
    X(P, S, block, N_.block, "hardware block")                                                     \
    X(P, S, expression, N_.expression, "formula of derived ones")                                  \
    X(P, I, gpu, q_gpu(d, N_.gpu), "the GPU as users number it")
Q_PART(pmc_info, PMC_VIEW)
Q_COUNT(pmc_info, d->t->counter_infos.n)

#define CODE_OBJECTS(X, P)                                                                         \
    X(P, I, id, NONE, "")                                                                          \
    X(P, T, guid, NULL, "")                                                                        \
    X(P, I, nid, NONE, "")                                                                         \
    X(P, I, pid, NONE, "")                                                                         \
    X(P, I, agent_id, NONE, "")                                                                    \
    X(P, T, uri, NULL, "")                                                                         \
    X(P, I, load_base, NONE, "")                                                                   \
    X(P, I, load_size, NONE, "")                                                                   \
    X(P, I, load_delta, NONE, "")                                                                  \
    X(P, T, storage_type, NULL, "")                                                                \
    X(P, T, extdata, NULL, "")
Q_PART(info_code, CODE_OBJECTS)
Q_EMPTY(info_code)
#define CODE_VIEW(X, P)                                                                            \
    X(P, I, id, NONE, "")                                                                          \
    X(P, T, guid, NULL, "")                                                                        \
    X(P, I, nid, NONE, "")                                                                         \
    X(P, I, pid, NONE, "")                                                                         \
    X(P, I, agent_abs_index, NONE, "")                                                             \
    X(P, T, uri, NULL, "")                                                                         \
    X(P, I, load_base, NONE, "")                                                                   \
    X(P, I, load_size, NONE, "")                                                                   \
    X(P, I, load_delta, NONE, "")                                                                  \
    X(P, T, storage_type_str, NULL, "")                                                            \
    X(P, I, code_object_size, NONE, "")                                                            \
    X(P, I, storage_type, NONE, "")                                                                \
    X(P, I, memory_base, NONE, "")                                                                 \
    X(P, I, memory_size, NONE, "")
Q_PART(code_objects, CODE_VIEW)
Q_EMPTY(code_objects)

#define Y_ t->symbols.v[i]
#define SYMBOL_HEAD(X, P)                                                                          \
    X(P, I, id, Y_.id, "as the profiler numbers kernels")                                          \
    X(P, T, guid, q_guid(d, Y_.process), "which trace")                                            \
    X(P, I, nid, q_nid(d, Y_.process), "number of the host")                                       \
    X(P, I, pid, q_pid(d, Y_.process), "process")                                                  \
    X(P, I, code_object_id, NONE, "not kept: NULL")                                                \
    X(P, T, kernel_name, Y_.mangled ? some(t, Y_.mangled) : some(t, Y_.name),                      \
      "mangled, where the trace has it")                                                           \
    X(P, S, display_name, Y_.name, "full name, demangled")                                         \
    X(P, I, kernel_object, NONE, "not kept: NULL")                                                 \
    X(P, I, kernarg_segment_size, NONE, "not kept: NULL")                                          \
    X(P, I, kernarg_segment_alignment, NONE, "not kept: NULL")                                     \
    X(P, I, group_segment_size, Y_.lds_bytes, "LDS that the code asks for, bytes")                 \
    X(P, I, private_segment_size, Y_.scratch_bytes, "scratch that the code asks for, bytes")       \
    X(P, I, sgpr_count, Y_.sgprs, "scalar registers")                                              \
    X(P, I, arch_vgpr_count, Y_.vgprs, "vector registers")                                         \
    X(P, I, accum_vgpr_count, Y_.accum_vgprs, "accumulation registers")
#define SYMBOLS(X, P)                                                                              \
    SYMBOL_HEAD(X, P)                                                                              \
    X(P, T, extdata, "{}", "not kept: {}")
Q_PART(symbols, SYMBOLS)
Q_COUNT(symbols, d->t->symbols.n)
#define SYMBOL_VIEW(X, P)                                                                          \
    SYMBOL_HEAD(X, P)                                                                              \
    X(P, I, kernel_symbol_size, NONE, "not kept: NULL")                                            \
    X(P, I, kernel_id, Y_.id, "the id")                                                            \
    X(P, I, kernel_code_entry_byte_offset, NONE, "not kept: NULL")                                 \
    X(P, S, formatted_kernel_name, Y_.name, "full name, demangled")                                \
    X(P, S, demangled_kernel_name, Y_.name, "full name, demangled")                                \
    X(P, S, truncated_kernel_name, Y_.short_name, "name without its arguments")                    \
    X(P, I, kernel_address, NONE, "not kept: NULL")                                                \
    X(P, T, trace, q_trace(d, Y_.process), "path of the trace")
Q_PART(kernel_symbols, SYMBOL_VIEW)
Q_COUNT(kernel_symbols, d->t->symbols.n)

/* A track for each thread, and one for each series. */
#define TRACKS(X, P)                                                                               \
    X(P, I, id, i + 1, "number of the track")                                                      \
    X(P, T, guid, q_guid(d, T_.process), "which trace")                                            \
    X(P, I, nid, q_nid(d, T_.process), "number of the host")                                       \
    X(P, I, pid, q_pid(d, T_.process), "process")                                                  \
    X(P, I, tid, T_.tid, "thread; NULL for telemetry")                                             \
    X(P, I, name_id, q_string(T_.name), "row of rocpd_string")                                     \
    X(P, T, extdata, "{}", "not kept: {}")
#define SERIES_TRACKS(X, P)                                                                        \
    X(P, I, id, t->threads.n + i + 1, "")                                                          \
    X(P, T, guid, q_guid(d, E_.process), "")                                                       \
    X(P, I, nid, q_nid(d, E_.process), "")                                                         \
    X(P, I, pid, q_pid(d, E_.process), "")                                                         \
    X(P, I, tid, NONE, "")                                                                         \
    X(P, I, name_id, q_string(E_.name), "")                                                        \
    X(P, T, extdata, "{}", "")
Q_PART(tracks, TRACKS)
Q_COUNT(tracks, d->t->threads.n)
Q_PART(series_tracks, SERIES_TRACKS)
Q_COUNT(series_tracks, d->t->series.n)

const struct qtable query_rocpd_lists[] = {
    Q_TABLE("rocpd_metadata", "What the files say about themselves.", QUERY_TABLE, metadata,
            Q_OF(metadata)),
    Q_TABLE("rocpd_string", "Texts that other tables refer to.", QUERY_TABLE, strings,
            Q_OF(strings), Q_OF(word_strings)),
    Q_TABLE("rocpd_info_node", "Hosts.", QUERY_TABLE, nodes, Q_OF(nodes)),
    Q_TABLE("rocpd_info_process", "Processes.", QUERY_TABLE, info_process, Q_OF(info_process)),
    Q_TABLE("rocpd_info_thread", "Threads.", QUERY_TABLE, info_thread, Q_OF(info_thread)),
    Q_TABLE("rocpd_info_agent", "Devices, as each process sees them.", QUERY_TABLE, agents,
            Q_OF(agents), Q_OF(bare_agents)),
    Q_TABLE("rocpd_info_queue", "Queues.", QUERY_TABLE, queues, Q_OF(queues)),
    Q_TABLE("rocpd_info_stream", "Streams, one row for each GPU they run on.", QUERY_TABLE, streams,
            Q_OF(streams)),
    Q_TABLE("rocpd_info_pmc", "Counters, and series of telemetry.", QUERY_TABLE, pmcs, Q_OF(pmcs),
            Q_OF(series_pmcs)),
    Q_TABLE("rocpd_info_code_object", "Not kept: empty.", QUERY_TABLE, info_code, Q_OF(info_code)),
    Q_TABLE("rocpd_info_kernel_symbol", "Kernels.", QUERY_TABLE, symbols, Q_OF(symbols)),
    Q_TABLE("rocpd_track", "Where samples lie: threads and series.", QUERY_TABLE, tracks,
            Q_OF(tracks), Q_OF(series_tracks)),
    Q_TABLE("code_objects", "Not kept: empty.", QUERY_VIEW, code_objects, Q_OF(code_objects)),
    Q_TABLE("kernel_symbols", "Kernels.", QUERY_VIEW, kernel_symbols, Q_OF(kernel_symbols)),
    Q_TABLE("processes", "Processes with their hosts.", QUERY_VIEW, processes, Q_OF(processes)),
    Q_TABLE("threads", "Threads with their processes and hosts.", QUERY_VIEW, threads,
            Q_OF(threads)),
    Q_TABLE("pmc_info", "Counters.", QUERY_VIEW, pmc_info, Q_OF(pmc_info)),
    {0},
};
