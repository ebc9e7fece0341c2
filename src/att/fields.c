#include "att/att.h"

static const struct field kernel_fields[] = {
    FIELD(struct att_kernel, name, FIELD_TEXT, "full name", NO_UNIT, "full name, demangled"),
    FIELD(struct att_kernel, short_name, FIELD_TEXT, "kernel", NO_UNIT, "name for tables"),
    FIELD(struct att_kernel, dispatches, FIELD_U32, "dispatches", NO_UNIT,
          "traced dispatches in which it ran; numbers are sums over them"),
    FIELD(struct att_kernel, waves, FIELD_U64, "waves", NO_UNIT,
          "waves that were traced: hits of the first instruction that ran"),
    FIELD(struct att_kernel, instructions_listed, FIELD_U32, "instructions", NO_UNIT,
          "instructions of its code"),
    FIELD(struct att_kernel, instructions_executed, FIELD_U32, "executed", NO_UNIT,
          "of them with at least one hit"),
    FIELD(struct att_kernel, hits, FIELD_U64, "hits", NO_UNIT,
          "instructions executed, counted per wave: sum of Hitcount"),
    FIELD(struct att_kernel, latency, FIELD_U64, "latency", IN_CYCLES,
          "sum of Latency: cycles from trying to issue to done, stall included"),
    FIELD(struct att_kernel, stall, FIELD_NUM, "stall", IN_CYCLES,
          "sum of Stall: cycles in which an instruction could not be issued; null: not recorded"),
    FIELD(struct att_kernel, idle, FIELD_NUM, "idle", IN_CYCLES,
          "sum of Idle: cycles between instructions; null: not recorded"),
    FIELD(struct att_kernel, wave_cycles, FIELD_NUM, "wave time", IN_CYCLES,
          "latency + idle: the time that waves spent in the kernel"),
    FIELD(struct att_kernel, stall_pct, FIELD_NUM, "stall share", IN_PERCENT, "stall / latency"),
    FIELD(struct att_kernel, idle_pct, FIELD_NUM, "idle share", IN_PERCENT, "idle / wave time"),
    FIELD(struct att_kernel, cycles_per_wave, FIELD_NUM, "cycles per wave", IN_CYCLES,
          "wave time / waves"),
    FIELD(struct att_kernel, top_class, FIELD_TEXT, "mostly", NO_UNIT, "class with most wave time"),
    FIELD(struct att_kernel, decoded_waves, FIELD_U32, "decoded waves", NO_UNIT,
          "waves with a file of their own in ui_output"),
    FIELD(struct att_kernel, hidden_stall_pct, FIELD_NUM, "hidden", IN_PERCENT,
          "share of the decoded waves' stall during which another wave of the same SIMD issued; "
          "null: no wave is decoded, so it cannot be told"),
    FIELD(struct att_kernel, exposed_stall, FIELD_NUM, "exposed stall", IN_CYCLES,
          "the rest of that stall: the SIMD issued nothing"),
    FIELD(struct att_kernel, mean_waves, FIELD_NUM, "mean waves", NO_UNIT,
          "waves on the traced shader engines while at least one was there"),
    FIELD(struct att_kernel, most_waves, FIELD_U32, "most waves", NO_UNIT, "most of them at once"),
    FIELD(struct att_kernel, clock_mhz, FIELD_NUM, "GPU clock", IN_MHZ,
          "shader clock while tracing, from realtime.json"),
    FIELD(struct att_kernel, rank, FIELD_I32, "#", NO_UNIT,
          "among the hotspots of the trace; -1: not in it, or no trace"),
    FIELD(struct att_kernel, calls, FIELD_U64, "calls", NO_UNIT, "dispatches in the trace"),
    FIELD(struct att_kernel, total_ns, FIELD_I64, "total", IN_NS, "its time in the trace"),
    FIELD(struct att_kernel, pct_of_kernel_time, FIELD_NUM, "of kernels", IN_PERCENT,
          "share of the summed kernel time of the trace; null: not in it"),
};
const struct fields att_kernel_fields =
    FIELDS("att_kernels",
           "kernels of the thread trace: by their rank in the trace, or most wave time first",
           struct att_kernel, kernel_fields);

static const struct field instruction_fields[] = {
    FIELD(struct att_instruction, address, FIELD_U64, "address", AN_ADDRESS, "in its code object"),
    FIELD(struct att_instruction, text, FIELD_TEXT, "instruction", NO_UNIT, "as disassembled"),
    FIELD(struct att_instruction, source, FIELD_TEXT, "source", NO_UNIT,
          "file and line; null: compiled without -g"),
    FIELD(struct att_instruction, source_text, FIELD_TEXT, "line", NO_UNIT,
          "that line, from the copies of source in ui_output; null: not there"),
    FIELD(struct att_instruction, hits, FIELD_U64, "hits", NO_UNIT, "executions, counted per wave"),
    FIELD(struct att_instruction, latency, FIELD_U64, "latency", IN_CYCLES, "sum over hits"),
    FIELD(struct att_instruction, stall, FIELD_NUM, "stall", IN_CYCLES, "sum over hits"),
    FIELD(struct att_instruction, idle, FIELD_NUM, "idle", IN_CYCLES,
          "sum over hits, before the instruction"),
    FIELD(struct att_instruction, stall_pct, FIELD_NUM, "stall share", IN_PERCENT,
          "stall / latency"),
    FIELD(struct att_instruction, pct_of_time, FIELD_NUM, "of kernel", IN_PERCENT,
          "latency + idle, of the kernel's wave time"),
    FIELD(struct att_instruction, cycles_per_hit, FIELD_NUM, "per hit", IN_CYCLES,
          "(latency + idle) / hits"),
    FIELD(struct att_instruction, stall_class, FIELD_TEXT, "class", NO_UNIT,
          "what its latency goes to, see docs/thread-trace.md"),
    FIELD(struct att_instruction, idle_class, FIELD_TEXT, "idle class", NO_UNIT,
          "what its idle time goes to; null: it has none"),
    FIELD(struct att_instruction, cause, FIELD_TEXT, "cause", NO_UNIT,
          "what it waits for; null: nothing was found"),
    FIELD(struct att_instruction, feeders, FIELD_TEXT, "fed by", NO_UNIT,
          "addresses of the instructions it waits for, the one that decides first"),
    FIELD(struct att_instruction, feeders_from, FIELD_TEXT, "known from", NO_UNIT,
          "decoded: recorded in the waves; inferred: counted back from the wait"),
    FIELD(struct att_instruction, hidden_stall, FIELD_NUM, "hidden stall", IN_CYCLES,
          "decoded stall during which another wave of the SIMD issued; null: not decoded"),
    FIELD(struct att_instruction, hidden_pct, FIELD_NUM, "hidden", IN_PERCENT,
          "the same, of its decoded stall"),
    FIELD(struct att_instruction, block, FIELD_U32, "block", NO_UNIT, "basic block, from 0"),
};
const struct fields att_instruction_fields =
    FIELDS("att_instructions", "the code of a kernel, by address", struct att_instruction,
           instruction_fields);

static const struct field class_fields[] = {
    FIELD(struct att_class_row, class, FIELD_ENUM, "class", NO_UNIT, "see docs/thread-trace.md",
          .words = att_class_keys),
    FIELD(struct att_class_row, label, FIELD_TEXT, "what", NO_UNIT, "in words"),
    FIELD(struct att_class_row, instructions, FIELD_U32, "instructions", NO_UNIT,
          "with time in it"),
    FIELD(struct att_class_row, latency, FIELD_NUM, "latency", IN_CYCLES, "of its instructions"),
    FIELD(struct att_class_row, stall, FIELD_NUM, "stall", IN_CYCLES, "part of that latency"),
    FIELD(struct att_class_row, idle, FIELD_NUM, "idle", IN_CYCLES, "idle time that it explains"),
    FIELD(struct att_class_row, time, FIELD_NUM, "wave time", IN_CYCLES,
          "latency + idle; over all classes this is the wave time of the kernel"),
    FIELD(struct att_class_row, pct_of_time, FIELD_NUM, "of time", IN_PERCENT, "of that wave time"),
    FIELD(struct att_class_row, pct_of_stall, FIELD_NUM, "of stall", IN_PERCENT,
          "its stall, of the kernel's"),
    FIELD(struct att_class_row, hottest, FIELD_TEXT, "hottest", NO_UNIT,
          "instruction with most time in it"),
    FIELD(struct att_class_row, hottest_address, FIELD_U64, "at", AN_ADDRESS, "its address"),
};
const struct fields att_class_fields =
    FIELDS("stall_classes", "where the waves of a kernel spent their time", struct att_class_row,
           class_fields);

static const struct field block_fields[] = {
    FIELD(struct att_block, block, FIELD_U32, "block", NO_UNIT, "from 0, by address"),
    FIELD(struct att_block, first_address, FIELD_U64, "first", AN_ADDRESS, "address"),
    FIELD(struct att_block, last_address, FIELD_U64, "last", AN_ADDRESS, "address"),
    FIELD(struct att_block, instructions, FIELD_U32, "instructions", NO_UNIT, "in it"),
    FIELD(struct att_block, hits, FIELD_U64, "hits", NO_UNIT, "how often waves entered it"),
    FIELD(struct att_block, latency, FIELD_U64, "latency", IN_CYCLES, "sum"),
    FIELD(struct att_block, stall, FIELD_NUM, "stall", IN_CYCLES, "sum"),
    FIELD(struct att_block, idle, FIELD_NUM, "idle", IN_CYCLES, "sum"),
    FIELD(struct att_block, stall_pct, FIELD_NUM, "stall share", IN_PERCENT, "stall / latency"),
    FIELD(struct att_block, pct_of_time, FIELD_NUM, "of kernel", IN_PERCENT,
          "latency + idle, of the kernel's wave time"),
    FIELD(struct att_block, loop_depth, FIELD_U32, "loops", NO_UNIT, "loops around it"),
    FIELD(struct att_block, loop_header, FIELD_TEXT, "loop", NO_UNIT,
          "address at which the innermost of them begins; null: none"),
    FIELD(struct att_block, trips, FIELD_NUM, "trips per wave", NO_UNIT,
          "hits / waves of the kernel"),
    FIELD(struct att_block, hottest, FIELD_TEXT, "hottest", NO_UNIT, "instruction with most time"),
    FIELD(struct att_block, hottest_address, FIELD_U64, "at", AN_ADDRESS, "its address"),
};
const struct fields att_block_fields =
    FIELDS("att_blocks", "basic blocks of a kernel, by address", struct att_block, block_fields);

static const struct field dispatch_fields[] = {
    FIELD(struct att_dispatch, name, FIELD_TEXT, "dispatch", NO_UNIT, "as its files are named"),
    FIELD(struct att_dispatch, agent, FIELD_I64, "agent", NO_UNIT, "-1: the name does not say"),
    FIELD(struct att_dispatch, dispatch, FIELD_I64, "number", NO_UNIT, "-1: the name does not say"),
    FIELD(struct att_dispatch, stats, FIELD_TEXT, "stats", NO_UNIT, "file; null: none"),
    FIELD(struct att_dispatch, folder, FIELD_TEXT, "decoded", NO_UNIT, "folder; null: none"),
    FIELD(struct att_dispatch, kernels, FIELD_U32, "kernels", NO_UNIT, "that ran in it"),
    FIELD(struct att_dispatch, hits, FIELD_U64, "hits", NO_UNIT, "sum"),
    FIELD(struct att_dispatch, latency, FIELD_U64, "latency", IN_CYCLES, "sum"),
    FIELD(struct att_dispatch, stall, FIELD_NUM, "stall", IN_CYCLES, "sum"),
    FIELD(struct att_dispatch, idle, FIELD_NUM, "idle", IN_CYCLES, "sum"),
    FIELD(struct att_dispatch, waves, FIELD_U32, "waves", NO_UNIT, "decoded wave files"),
    FIELD(struct att_dispatch, clock_mhz, FIELD_NUM, "GPU clock", IN_MHZ,
          "shader clock; null: unknown"),
};
const struct fields att_dispatch_fields =
    FIELDS("att_dispatches", "traced dispatches", struct att_dispatch, dispatch_fields);

static const struct field occupancy_fields[] = {
    FIELD(struct att_occupancy_row, start_cycle, FIELD_U64, "from", IN_CYCLES, "shader clock"),
    FIELD(struct att_occupancy_row, end_cycle, FIELD_U64, "to", IN_CYCLES, "shader clock"),
    FIELD(struct att_occupancy_row, waves, FIELD_NUM, "waves", NO_UNIT,
          "mean number of waves on the traced shader engines"),
    FIELD(struct att_occupancy_row, most, FIELD_U32, "max", NO_UNIT, "at once"),
    FIELD(struct att_occupancy_row, started, FIELD_U32, "started", NO_UNIT, "waves that began"),
};
const struct fields att_occupancy_fields =
    FIELDS("att_occupancy", "waves over time, in 50 stretches of equal length",
           struct att_occupancy_row, occupancy_fields);

static const struct field state_fields[] = {
    FIELD(struct att_state_row, state, FIELD_ENUM, "state", NO_UNIT,
          "execute, wait (s_waitcnt, barrier), stall (cannot issue), idle (nothing to issue) or "
          "empty",
          .words = att_state_words),
    FIELD(struct att_state_row, cycles, FIELD_NUM, "cycles", IN_CYCLES, "over all decoded waves"),
    FIELD(struct att_state_row, pct, FIELD_NUM, "share", IN_PERCENT, "of their time"),
};
const struct fields att_state_fields =
    FIELDS("att_wave_states", "what decoded waves were doing", struct att_state_row, state_fields);

static const struct field finding_fields[] = {
    FIELD(struct att_finding, class, FIELD_ENUM, "class", NO_UNIT, "of the time",
          .words = att_class_keys),
    FIELD(struct att_finding, title, FIELD_TEXT, "title", NO_UNIT, "in short"),
    FIELD(struct att_finding, text, FIELD_TEXT, "text", NO_UNIT,
          "how much, the instruction and what feeds it"),
    FIELD(struct att_finding, advice, FIELD_TEXT, "advice", NO_UNIT, "what to try"),
    FIELD(struct att_finding, address, FIELD_U64, "address", AN_ADDRESS, "of the instruction"),
    FIELD(struct att_finding, pct_of_time, FIELD_NUM, "of kernel", IN_PERCENT,
          "of the kernel's wave time"),
};
const struct fields att_finding_fields =
    FIELDS("att_findings", "what the instructions say; classes with 15 % of the wave time or more",
           struct att_finding, finding_fields);
