/*
 * rocpd's views that are made of others, in SQL, and its summaries with what they should mean:
 * deviations over all rows of a name (n - 1), times in the unit that the column says, time in which a
 * device does anything as a union and not as a sum, and nothing counted twice.
 */
#include "query/query_in.h"

/* The columns of rocprof-sys' summaries. */
#define SUMMARY(source, key, where)                                                                \
    "SELECT " key " AS name, count(*) AS calls, sum(duration) AS \"DURATION (nsec)\","             \
    " sumsq(duration) AS \"SQR (nsec)\", avg(duration) AS \"AVERAGE (nsec)\","                     \
    " 100.0 * sum(duration) / (SELECT nullif(sum(duration), 0) FROM " source where ")"             \
    " AS \"PERCENT (INC)\", min(duration) AS \"MIN (nsec)\", max(duration) AS \"MAX (nsec)\","     \
    " variance(duration) AS VARIANCE, stddev(duration) AS STD_DEV"                                 \
    " FROM " source where " GROUP BY 1 ORDER BY 3 DESC, 1"
#define SUMMARY_COLUMNS                                                                            \
    "name TEXT: what is summed\n"                                                                  \
    "calls INTEGER: how many\n"                                                                    \
    "DURATION (nsec) INTEGER: sum of their durations\n"                                            \
    "SQR (nsec) REAL: sum of the squares\n"                                                        \
    "AVERAGE (nsec) REAL: mean\n"                                                                  \
    "PERCENT (INC) REAL: of the durations of all\n"                                                \
    "MIN (nsec) INTEGER: shortest\n"                                                               \
    "MAX (nsec) INTEGER: longest\n"                                                                \
    "VARIANCE REAL: of the sample, n - 1; NULL for one call\n"                                     \
    "STD_DEV REAL: its square root\n"
#define TOP_COLUMNS                                                                                \
    "name TEXT: what is summed\n"                                                                  \
    "total_calls INTEGER: how many\n"                                                              \
    "total_duration REAL: sum of durations, us\n"                                                  \
    "average REAL: mean, us\n"                                                                     \
    "percentage REAL: of all rows of its kind\n"

const struct qview query_views[] = {
    {"scratch_memory", "Scratch memory of the driver: records of level SCRATCH.",
     "SELECT id, guid, nid, pid, type AS operation, agent_name, agent_abs_index, agent_log_index,"
     " agent_type_index, agent_type, queue_id, tid, NULL AS alloc_flags, start, \"end\", duration,"
     " size, address, corr_id AS correlation_id, stack_id, parent_stack_id, corr_id, category,"
     " '{}' AS event_extdata FROM memory_allocations WHERE level = 'SCRATCH' ORDER BY start",
     QUERY_VIEW,
     "id INTEGER: number of the record\nguid TEXT: which trace\nnid INTEGER: number of the host\n"
     "pid INTEGER: process\noperation TEXT: ALLOC, FREE or RECLAIM\nagent_name TEXT: the device\n"
     "agent_abs_index INTEGER: its number\nagent_log_index INTEGER: its number\n"
     "agent_type_index INTEGER: the GPU as users number it\nagent_type TEXT: GPU\n"
     "queue_id INTEGER: not kept\ntid INTEGER: thread\nalloc_flags TEXT: not kept\n"
     "start INTEGER: ns\nend INTEGER: ns\nduration INTEGER: ns\nsize INTEGER: bytes\n"
     "address INTEGER: where\ncorrelation_id INTEGER: 0\nstack_id INTEGER: id of the region\n"
     "parent_stack_id INTEGER: the same\ncorr_id INTEGER: 0\ncategory TEXT: SCRATCH_MEMORY\n"
     "event_extdata TEXT: {}\n"},
    {"counters_collection",
     "Counters by dispatch: the values of all instances of a counter, added up.",
     "SELECT min(c.id) AS id, c.guid, c.dispatch_id, k.kernel_id, c.event_id,"
     " 0 AS correlation_id, k.stack_id, k.parent_stack_id, k.pid, k.tid,"
     " k.agent_abs_index AS agent_id, k.agent_abs_index, k.agent_log_index, k.agent_type_index,"
     " k.agent_type, k.queue_id, k.grid_x AS grid_size_x, k.grid_y AS grid_size_y,"
     " k.grid_z AS grid_size_z, k.grid_x * k.grid_y * k.grid_z AS grid_size,"
     " k.name AS kernel_name, k.region AS kernel_region, k.workgroup_x AS workgroup_size_x,"
     " k.workgroup_y AS workgroup_size_y, k.workgroup_z AS workgroup_size_z,"
     " k.workgroup_x * k.workgroup_y * k.workgroup_z AS workgroup_size,"
     " k.lds_size AS lds_block_size, k.scratch_size, k.vgpr_count, k.accum_vgpr_count,"
     " k.sgpr_count, c.counter_name, c.counter_name AS counter_symbol, 'rocm' AS component,"
     " c.pmc_id AS counter_id, sum(c.counter_value) AS value, c.start, c.\"end\", c.duration,"
     " c.category, k.nid, count(*) AS instances, k.rank, k.trace"
     " FROM pmc_events c JOIN kernels k ON k.event_id = c.event_id"
     " GROUP BY c.event_id, c.counter_name",
     QUERY_VIEW,
     "id INTEGER: of its first value\nguid TEXT: which trace\ndispatch_id INTEGER: the dispatch\n"
     "kernel_id INTEGER: number of the kernel\nevent_id INTEGER: row of rocpd_event\n"
     "correlation_id INTEGER: 0\nstack_id INTEGER: region that launched it\n"
     "parent_stack_id INTEGER: the same\npid INTEGER: process\ntid INTEGER: thread\n"
     "agent_id INTEGER: the device\nagent_abs_index INTEGER: the device\n"
     "agent_log_index INTEGER: the device\nagent_type_index INTEGER: the GPU as users number it\n"
     "agent_type TEXT: GPU\nqueue_id INTEGER: queue\ngrid_size_x INTEGER: work-items\n"
     "grid_size_y INTEGER: work-items\ngrid_size_z INTEGER: work-items\n"
     "grid_size INTEGER: all of them\nkernel_name TEXT: full name\nkernel_region TEXT: rename\n"
     "workgroup_size_x INTEGER: work-items\nworkgroup_size_y INTEGER: work-items\n"
     "workgroup_size_z INTEGER: work-items\nworkgroup_size INTEGER: all of them\n"
     "lds_block_size INTEGER: bytes\nscratch_size INTEGER: bytes\nvgpr_count INTEGER: registers\n"
     "accum_vgpr_count INTEGER: registers\nsgpr_count INTEGER: registers\n"
     "counter_name TEXT: the counter\ncounter_symbol TEXT: the same\ncomponent TEXT: rocm\n"
     "counter_id INTEGER: row of rocpd_info_pmc\nvalue REAL: sum over instances\n"
     "start INTEGER: ns\nend INTEGER: ns\nduration INTEGER: ns\ncategory TEXT: KERNEL_DISPATCH\n"
     "nid INTEGER: host\ninstances INTEGER: values summed\nrank INTEGER: MPI rank\n"
     "trace TEXT: path\n"},
    {"events_args", "Arguments of calls, with their events.",
     "SELECT a.event_id, s.string AS category, e.stack_id, e.parent_stack_id, e.correlation_id,"
     " a.position AS arg_position, a.type AS arg_type, a.name AS arg_name, a.value AS arg_value,"
     " e.call_stack, e.line_info, a.extdata FROM rocpd_arg a JOIN rocpd_event e ON e.id ="
     " a.event_id LEFT JOIN rocpd_string s ON s.id = e.category_id",
     QUERY_VIEW,
     "event_id INTEGER: row of rocpd_event\ncategory TEXT: kind of call\nstack_id INTEGER: id of the region\nparent_stack_id INTEGER: the same\n"
     "correlation_id INTEGER: 0\narg_position INTEGER: from 0\narg_type TEXT: type in C\narg_name TEXT: name of the parameter\n"
     "arg_value TEXT: what was passed\ncall_stack TEXT: {}\nline_info TEXT: {}\nextdata TEXT: JSON\n"},
    {"region_args", "Arguments of regions.",
     "SELECT r.id, r.guid, r.nid, r.pid, a.type, a.name, a.value FROM rocpd_arg a"
     " JOIN rocpd_region r ON r.event_id = a.event_id",
     QUERY_VIEW,
     "id INTEGER: id of the region\nguid TEXT: which trace\nnid INTEGER: number of the host\npid INTEGER: process\ntype TEXT: type in C\nname TEXT: name of the parameter\n"
     "value TEXT: what was passed\n"},
    {"stream_args", "Arguments that are streams, with these.",
     "SELECT a.id AS argument_id, a.event_id, a.position AS arg_position, a.type AS arg_type,"
     " a.value AS arg_value, s.id AS stream_id, s.nid, s.pid, s.name AS stream_name, a.extdata"
     " FROM rocpd_arg a JOIN (SELECT guid, id, min(nid) AS nid, min(pid) AS pid, min(name) AS name"
     " FROM rocpd_info_stream GROUP BY guid, id) s"
     " ON s.id = json_extract(a.extdata, '$.stream_id') AND s.guid = a.guid"
     " WHERE a.name = 'stream'",
     QUERY_VIEW,
     "argument_id INTEGER: row of rocpd_arg\nevent_id INTEGER: row of rocpd_event\narg_position INTEGER: from 0\narg_type TEXT: type in C\n"
     "arg_value TEXT: what was passed\nstream_id INTEGER: stream\nnid INTEGER: number of the host\npid INTEGER: process\nstream_name TEXT: its name\n"
     "extdata TEXT: JSON\n"},
    {"top_kernels", "Kernels by their time.",
     "SELECT name, count(*) AS total_calls, sum(duration) / 1000.0 AS total_duration,"
     " avg(duration) / 1000.0 AS average, 100.0 * sum(duration) /"
     " (SELECT nullif(sum(duration), 0) FROM kernels) AS percentage FROM kernels"
     " GROUP BY name ORDER BY 3 DESC, 1",
     QUERY_SUMMARY, TOP_COLUMNS},
    {"top",
     "Kernels, copies and host calls by their time; shares are of the rows of one kind, as calls"
     " hold one another and wait for kernels.",
     "SELECT name, total_calls, total_duration, average, percentage, kind FROM ("
     "SELECT name, count(*) AS total_calls, sum(duration) / 1000.0 AS total_duration,"
     " avg(duration) / 1000.0 AS average, 100.0 * sum(duration) /"
     " (SELECT nullif(sum(duration), 0) FROM kernels) AS percentage, 'kernel' AS kind"
     " FROM kernels GROUP BY name UNION ALL "
     "SELECT name, count(*), sum(duration) / 1000.0, avg(duration) / 1000.0, 100.0 *"
     " sum(duration) / (SELECT nullif(sum(duration), 0) FROM memory_copies), 'copy'"
     " FROM memory_copies GROUP BY name UNION ALL "
     "SELECT name, count(*), sum(duration) / 1000.0, avg(duration) / 1000.0, 100.0 *"
     " sum(duration) / (SELECT nullif(sum(duration), 0) FROM regions), 'region'"
     " FROM regions GROUP BY name) ORDER BY 3 DESC, 1",
     QUERY_SUMMARY, TOP_COLUMNS "kind TEXT: kernel, copy or region\n"},
    {"busy",
     "How long each GPU does anything: the union of its kernels and copies, in the time from the"
     " first start to the last end on it.",
     "SELECT agent_id, type, GpuTime, WallTime, CAST(GpuTime AS REAL) / nullif(WallTime, 0)"
     " AS Busy, gpu, nid FROM (SELECT max(agent_abs_index) AS agent_id, 'GPU' AS type,"
     " union_ns(start, \"end\") AS GpuTime, max(\"end\") - min(start) AS WallTime, gpu, nid FROM ("
     "SELECT nid, gpu, agent_abs_index, start, \"end\" FROM kernels UNION ALL "
     "SELECT nid, gpu, NULL, start, \"end\""
     " FROM memory_copies) WHERE gpu IS NOT NULL GROUP BY nid, gpu) ORDER BY nid, gpu",
     QUERY_SUMMARY,
     "agent_id INTEGER: the device\ntype TEXT: GPU\nGpuTime INTEGER: union of its work, ns\n"
     "WallTime INTEGER: first start to last end on it, ns\nBusy REAL: their ratio, 0 to 1\n"
     "gpu INTEGER: as users number it\nnid INTEGER: host\n"},
    {"kernel_summary", "Kernels by name.", SUMMARY("kernels", "name", ""), QUERY_SUMMARY,
     SUMMARY_COLUMNS},
    {"kernel_summary_region", "Kernels by what the profiler renamed them to, else by name.",
     SUMMARY("kernels", "coalesce(nullif(region, ''), name)", ""), QUERY_SUMMARY, SUMMARY_COLUMNS},
    {"memory_copy_summary", "Copies by direction.", SUMMARY("memory_copies", "name", ""),
     QUERY_SUMMARY, SUMMARY_COLUMNS},
    {"memory_allocation_summary",
     "Allocating and freeing by type, without scratch memory of the driver.",
     SUMMARY("memory_allocations", "type", " WHERE level <> 'SCRATCH'"), QUERY_SUMMARY,
     SUMMARY_COLUMNS},
    {0},
};
