/* The numbers of a job: names, units and formulas. */
#include "job/job.h"

#define R struct job_rank
static const struct field rank_v[] = {
    FIELD(R, rank, FIELD_I32, "rank", NO_UNIT, "number of the rank"),
    FIELD(R, rank_source, FIELD_TEXT, "rank from", NO_UNIT,
          "where the number comes from: a variable of the launcher, the file name, or the order of "
          "the files"),
    FIELD(R, host, FIELD_TEXT, "host", NO_UNIT, "host it ran on"),
    FIELD(R, pid, FIELD_I64, "pid", NO_UNIT, "process"),
    FIELD(R, file, FIELD_TEXT, "file", NO_UNIT, "trace it was read from"),
    FIELD(R, gpus, FIELD_U32, "GPUs", NO_UNIT, "GPUs it used"),
    FIELD(R, gpu_name, FIELD_TEXT, "GPU name", NO_UNIT, "product name of the first one"),
    FIELD(R, window_ns, FIELD_I64, "window", IN_NS, "from its first to its last event"),
    FIELD(R, gpu_busy_ns, FIELD_I64, "busy time", IN_NS,
          "sum over its GPUs of the union of kernels and copies"),
    FIELD(R, gpu_idle_ns, FIELD_I64, "idle", IN_NS,
          "sum over its GPUs of the ledger's idle causes"),
    FIELD(R, busy_pct, FIELD_NUM, "busy", IN_PERCENT, "100 x gpu_busy_ns / (window_ns x GPUs)"),
    FIELD(R, compute_ns, FIELD_I64, "compute", IN_NS,
          "sum over its GPUs of the ledger's compute time"),
    FIELD(R, comm_ns, FIELD_I64, "collectives", IN_NS,
          "sum over its GPUs of exposed collectives (RCCL, NCCL), waiting included"),
    FIELD(R, copy_ns, FIELD_I64, "exposed copies", IN_NS, "sum over its GPUs of exposed copies"),
    FIELD(R, mpi_ns, FIELD_I64, "MPI", IN_NS,
          "union over its threads of MPI calls, MPI_Init and MPI_Finalize aside"),
    FIELD(R, mpi_calls, FIELD_U64, "MPI calls", NO_UNIT, "number of these calls"),
    FIELD(R, host_ns, FIELD_I64, "host time", IN_NS,
          "window without GPU work and without MPI: the host works, launches or waits for "
          "something else"),
    FIELD(R, useful_ns, FIELD_I64, "useful", IN_NS,
          "window_ns - mpi_ns - comm_ns / GPUs: everything but communication"),
    FIELD(R, wait_ns, FIELD_I64, "waits", IN_NS,
          "waited for later ranks, summed over meetings: time in the call beyond the shortest one "
          "of all ranks"),
    FIELD(R, caused_ns, FIELD_I64, "makes wait", IN_NS,
          "sum of wait_ns of all ranks over the meetings to which this rank came last"),
    FIELD(R, late, FIELD_U64, "late", NO_UNIT, "meetings to which it came last"),
    FIELD(R, path_ns, FIELD_I64, "on path", IN_NS,
          "of the critical path over ranks, the time in this one: from the end of the job back to "
          "the last meeting at which the rank waited, on in the rank it waited for, and so on; 0 "
          "for all where nobody waits"),
    FIELD(R, path_turns, FIELD_U64, "turns", NO_UNIT, "stretches of that path in this rank"),
    FIELD(R, kernels, FIELD_U64, "kernels", NO_UNIT, "number of kernels"),
    FIELD(R, copies, FIELD_U64, "copies", NO_UNIT, "number of copies"),
    FIELD(R, iterations, FIELD_U64, "iterations", NO_UNIT, "repetitions found; 0: none"),
    FIELD(R, iteration_ns, FIELD_I64, "iteration", IN_NS, "their median, start to start"),
    FIELD(R, clock_mhz, FIELD_NUM, "GPU clock", IN_MHZ, "mean of the recorded GPU clock"),
    FIELD(R, clock_offset_ns, FIELD_I64, "clock offset", IN_NS,
          "its host's clock minus that of the first rank"),
    FIELD(R, clock_drift_ppm, FIELD_NUM, "drift", IN_PPM,
          "how much its clock gains on that of the first rank"),
    FIELD(R, clock_residual_ns, FIELD_I64, "residual", IN_NS,
          "median of what offset and drift leave unexplained; -1: clocks could not be compared"),
};
#undef R
const struct fields job_rank_fields =
    FIELDS("ranks", "the ranks of the job; empty for a single process", struct job_rank, rank_v);

#define R struct job_phase
static const struct field phase_v[] = {
    FIELD(R, phase, FIELD_U32, "phase", NO_UNIT, "number of the phase, from 1"),
    FIELD(R, name, FIELD_TEXT, "name", NO_UNIT, "name of the phase, as on most ranks"),
    FIELD(R, ranks, FIELD_U32, "ranks", NO_UNIT, "ranks that have it"),
    FIELD(R, mean_ns, FIELD_I64, "duration", IN_NS, "mean length over these ranks"),
    FIELD(R, compute_mean_ns, FIELD_I64, "compute", IN_NS,
          "mean over ranks of the compute time per GPU"),
    FIELD(R, compute_min_ns, FIELD_I64, "min", IN_NS, "least of a rank"),
    FIELD(R, compute_max_ns, FIELD_I64, "max", IN_NS, "most of a rank"),
    FIELD(R, mpi_mean_ns, FIELD_I64, "MPI", IN_NS, "mean over ranks of the time in MPI"),
    FIELD(R, imbalance, FIELD_NUM, "imbalance", NO_UNIT,
          "(most - least) / mean of the ranks' compute time per GPU"),
    FIELD(R, mpi_imbalance, FIELD_NUM, "MPI imbalance", NO_UNIT,
          "(most - least) / mean of the ranks' time in MPI"),
    FIELD(R, slowest, FIELD_I32, "slowest", NO_UNIT, "rank that computes longest"),
    FIELD(R, most_mpi, FIELD_I32, "most MPI", NO_UNIT,
          "rank that is longest in MPI; -1 without MPI"),
};
#undef R
const struct fields job_phase_fields =
    FIELDS("rank_phases", "phases that the ranks share, in order", struct job_phase, phase_v);

#define R struct straggler
static const struct field straggler_v[] = {
    FIELD(R, rank, FIELD_I32, "rank", NO_UNIT, "rank that the others wait for"),
    FIELD(R, cause, FIELD_TEXT, "cause", NO_UNIT,
          "what it spends more time on than the others: kernel_time, slow_clocks, copies, host or "
          "start_up"),
    FIELD(R, detail, FIELD_TEXT, "detail", NO_UNIT, "the same in a sentence, with numbers"),
    FIELD(R, cost_ns, FIELD_I64, "cost", IN_NS,
          "by how much it lengthens the job: sum over the meetings to which it came last of the "
          "median wait of the others, at most their mean"),
    FIELD(R, waited_ns, FIELD_I64, "waited", IN_NS, "time that all others waited for it, summed"),
    FIELD(R, late, FIELD_U64, "late", NO_UNIT, "meetings to which it came last"),
    FIELD(R, meetings, FIELD_U64, "meetings", NO_UNIT, "meetings in all"),
    FIELD(R, late_pct, FIELD_NUM, "late share", IN_PERCENT, "100 x late / meetings"),
    FIELD(R, share_pct, FIELD_NUM, "of all waiting", IN_PERCENT,
          "share of the job's waiting that it causes"),
    FIELD(R, always, FIELD_BOOL, "always", NO_UNIT, "late in nine of ten meetings or more"),
    FIELD(R, confidence, FIELD_NUM, "sure", NO_UNIT, "of the cause, 0 to 1"),
};
#undef R
const struct fields straggler_fields =
    FIELDS("straggler", "the rank that the others wait for", struct straggler, straggler_v);

#define R struct efficiencies
static const struct field efficiency_v[] = {
    FIELD(R, parallel, FIELD_NUM, "parallel", NO_UNIT,
          "load_balance x communication: mean useful_ns / window of the job, 0 to 1"),
    FIELD(R, load_balance, FIELD_NUM, "load balance", NO_UNIT,
          "mean useful_ns / largest useful_ns"),
    FIELD(R, communication, FIELD_NUM, "communication", NO_UNIT,
          "largest useful_ns / window of the job"),
    FIELD(R, device, FIELD_NUM, "device", NO_UNIT,
          "compute time of all GPUs / (GPUs x window of the job): orchestration x "
          "device_load_balance"),
    FIELD(R, device_load_balance, FIELD_NUM, "device load balance", NO_UNIT,
          "mean compute time of a GPU / that of the busiest rank's GPUs"),
    FIELD(R, orchestration, FIELD_NUM, "orchestration", NO_UNIT,
          "compute time per GPU of the busiest rank / window of the job"),
};
#undef R
const struct fields efficiency_fields = FIELDS(
    "efficiencies", "POP efficiencies of the job, 0 to 1", struct efficiencies, efficiency_v);

#define R struct staging_row
static const struct field staging_v[] = {
    FIELD(R, operation, FIELD_TEXT, "operation", NO_UNIT, "MPI call between the copies"),
    FIELD(R, kind, FIELD_TEXT, "kind", NO_UNIT,
          "collective, ring (every message goes to a neighbour, round and round), halo, or "
          "point-to-point where peers were not recorded"),
    FIELD(R, between, FIELD_TEXT, "between", NO_UNIT, "one node, nodes, both, or not known"),
    FIELD(R, ranks, FIELD_U32, "ranks", NO_UNIT, "ranks that do it"),
    FIELD(R, chains, FIELD_U64, "chains", NO_UNIT,
          "times a copy to the host, the call and a copy back follow one another"),
    FIELD(R, bytes, FIELD_U64, "bytes", IN_BYTES, "moved both ways: the smaller of the two copies"),
    FIELD(R, copy_ns, FIELD_I64, "copy time", IN_NS, "sum of the copies' durations"),
    FIELD(R, mpi_ns, FIELD_I64, "MPI", IN_NS, "sum of the calls' durations"),
};
#undef R
const struct fields staging_fields =
    FIELDS("staging", "data that is sent by way of the host", struct staging_row, staging_v);

#define R struct mpi_op_row
static const struct field mpi_v[] = {
    FIELD(R, name, FIELD_TEXT, "call", NO_UNIT, "MPI call"),
    FIELD(R, calls, FIELD_U64, "calls", NO_UNIT, "number of calls on all ranks"),
    FIELD(R, total_ns, FIELD_I64, "total", IN_NS, "sum of their durations"),
    FIELD(R, max_ns, FIELD_I64, "max", IN_NS, "longest call"),
};
#undef R
const struct fields mpi_op_fields =
    FIELDS("mpi_operations", "MPI calls of all ranks, by name", struct mpi_op_row, mpi_v);

#define R struct job_stats
static const struct field stats_v[] = {
    FIELD(R, ranks, FIELD_U32, "ranks", NO_UNIT, "ranks that were read"),
    FIELD(R, hosts, FIELD_U32, "hosts", NO_UNIT, "different hosts among them"),
    FIELD(R, gpus, FIELD_U32, "GPUs", NO_UNIT, "GPUs of all ranks"),
    FIELD(R, window_ns, FIELD_I64, "window", IN_NS,
          "first start to last end on one clock; of the longest rank when clocks could not be "
          "compared"),
    FIELD(R, imbalance, FIELD_NUM, "imbalance", NO_UNIT,
          "(most - least) / mean of the ranks' compute time per GPU"),
    FIELD(R, meetings, FIELD_U64, "meetings", NO_UNIT,
          "barriers, collectives and, without those, messages that were matched over the ranks"),
    FIELD(R, wait_ns, FIELD_I64, "waiting", IN_NS, "sum of wait_ns of the ranks"),
    FIELD(R, aligned, FIELD_TEXT, "clocks aligned on", NO_UNIT,
          "what the clocks were aligned on, or none"),
    FIELD(R, clock_residual_ns, FIELD_I64, "clock residual", IN_NS,
          "largest of the ranks' residuals; -1: clocks could not be compared"),
    FIELD(R, phase_confidence, FIELD_NUM, "phases alike", NO_UNIT,
          "likeness of the ranks' phases, 0 to 1; 0: they could not be aligned"),
    FIELD(R, analyzed_rank, FIELD_I32, "analyzed", NO_UNIT,
          "rank that the rest of the report is about; -1: all of them"),
};
#undef R
const struct fields job_stats_fields =
    FIELDS("job", "the job as a whole", struct job_stats, stats_v);
