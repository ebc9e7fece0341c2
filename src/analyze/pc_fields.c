/* What the numbers of PC samples are called and mean. */
#include "analyze/analysis.h"

#define SHARE_FIELDS(R, of)                                                                        \
    FIELD(R, samples, FIELD_U64, "samples", NO_UNIT, "valid samples"),                             \
        FIELD(R, pct, FIELD_NUM, "share", IN_PERCENT, of),                                         \
        FIELD(R, low_pct, FIELD_NUM, "at least", IN_PERCENT,                                       \
              "lower end of the 95 % interval of that share (Wilson), for independent samples"),   \
        FIELD(R, high_pct, FIELD_NUM, "at most", IN_PERCENT, "upper end of it")
#define ENOUGH_FIELD(R)                                                                            \
    FIELD(R, enough, FIELD_BOOL, "enough", NO_UNIT, "30 samples or more; below, shares mean little")
#define ISSUED_FIELD(R)                                                                            \
    FIELD(R, issued_pct, FIELD_NUM, "issued", IN_PERCENT,                                          \
          "samples in which the wave issued, of those that say so; null with host trap")
#define STALL_FIELDS(R)                                                                            \
    FIELD(R, top_stall, FIELD_TEXT, "mostly", NO_UNIT,                                             \
          "commonest reason for not issuing; null: none"),                                         \
        FIELD(R, top_stall_pct, FIELD_NUM, "of stalls", IN_PERCENT,                                \
              "its share of the samples without an issue")

#define R struct pc_stats
static const struct field stat_fields[] = {
    FIELD(R, method, FIELD_TEXT, "method", NO_UNIT,
          "host trap, stochastic or both; null without samples"),
    FIELD(R, samples, FIELD_U64, "samples", NO_UNIT, "valid samples in the view"),
    FIELD(R, invalid, FIELD_U64, "invalid", NO_UNIT,
          "samples with neither an address nor an instruction: set aside"),
    FIELD(R, outside, FIELD_U64, "outside", NO_UNIT,
          "samples outside of the window, or of another GPU or process than asked for"),
    FIELD(R, unattributed, FIELD_U64, "without kernel", NO_UNIT,
          "valid samples of a dispatch that is not in the trace"),
    FIELD(R, issued, FIELD_U64, "issued", NO_UNIT,
          "samples in which the wave issued an instruction"),
    FIELD(R, stalled, FIELD_U64, "not issued", NO_UNIT, "samples in which it did not"),
    ISSUED_FIELD(R),
    FIELD(R, mean_waves, FIELD_NUM, "waves", NO_UNIT, "mean number of waves on the sampled SIMD"),
    ENOUGH_FIELD(R),
};
#undef R
#define R struct pc_kernel_row
static const struct field kernel_fields[] = {
    FIELD(R, rank, FIELD_U32, "#", NO_UNIT, "by samples"),
    FIELD(R, kernel, FIELD_TEXT, "kernel", NO_UNIT, "short name; null: dispatch not in the trace"),
    SHARE_FIELDS(R, "of all samples"),
    FIELD(R, instructions, FIELD_U64, "instructions", NO_UNIT, "different ones that were hit"),
    ISSUED_FIELD(R),
    STALL_FIELDS(R),
    FIELD(R, mean_lanes, FIELD_NUM, "lanes", NO_UNIT, "mean number of active lanes"),
    FIELD(R, total_ns, FIELD_I64, "total", IN_NS, "of its dispatches in the window"),
    ENOUGH_FIELD(R),
};
#undef R
#define R struct pc_instruction_row
static const struct field instruction_fields[] = {
    FIELD(R, rank, FIELD_U32, "#", NO_UNIT, "by samples"),
    FIELD(R, kernel, FIELD_TEXT, "kernel", NO_UNIT, "short name; null: dispatch not in the trace"),
    FIELD(R, code_object, FIELD_U64, "code object", NO_UNIT, "its id; 0: not recorded"),
    FIELD(R, offset, FIELD_U64, "offset", AN_ADDRESS, "in the code object; 0: not recorded (CSV)"),
    FIELD(R, instruction, FIELD_TEXT, "instruction", NO_UNIT,
          "as disassembled; null: not recorded"),
    FIELD(R, source, FIELD_TEXT, "source", NO_UNIT, "file and line; null: compiled without -g"),
    SHARE_FIELDS(R, "of all samples"),
    FIELD(R, pct_of_kernel, FIELD_NUM, "of kernel", IN_PERCENT, "of the samples of its kernel"),
    ISSUED_FIELD(R),
    STALL_FIELDS(R),
    FIELD(R, mean_lanes, FIELD_NUM, "lanes", NO_UNIT, "mean number of active lanes"),
    ENOUGH_FIELD(R),
};
#undef R
#define R struct pc_line_row
static const struct field line_fields[] = {
    FIELD(R, source, FIELD_TEXT, "source", NO_UNIT, "file and line"),
    FIELD(R, kernel, FIELD_TEXT, "kernel", NO_UNIT, "of its hottest instruction"),
    FIELD(R, instruction, FIELD_TEXT, "hottest", NO_UNIT, "instruction with most samples"),
    SHARE_FIELDS(R, "of all samples"),
    ISSUED_FIELD(R),
    ENOUGH_FIELD(R),
};
#undef R
#define R struct pc_reason_row
static const struct field reason_fields[] = {
    FIELD(R, state, FIELD_TEXT, "state", NO_UNIT, "issued or not issued"),
    FIELD(R, what, FIELD_TEXT, "what", NO_UNIT,
          "type of the instruction that was issued; the reason why none was"),
    FIELD(R, meaning, FIELD_TEXT, "meaning", NO_UNIT, "in words; null: not known"),
    SHARE_FIELDS(R, "of the samples that say whether one was issued"),
    ENOUGH_FIELD(R),
};
#undef R
#define R struct pc_pipe_row
static const struct field pipe_fields[] = {
    FIELD(R, pipe, FIELD_TEXT, "pipeline", NO_UNIT, "of the SIMD's arbiter"),
    FIELD(R, issue, FIELD_U64, "issues", NO_UNIT, "samples in which an instruction went to it"),
    FIELD(R, stall, FIELD_U64, "held up", NO_UNIT, "samples in which it could not take one"),
    FIELD(R, stall_pct, FIELD_NUM, "held up share", IN_PERCENT, "held up / (issues + held up)"),
};
#undef R

static const struct fields stats_table =
    FIELDS("pc_sampling", "samples of the program counter", struct pc_stats, stat_fields);
static const struct fields kernels_table =
    FIELDS("pc_kernels", "kernels by samples", struct pc_kernel_row, kernel_fields);
static const struct fields instructions_table =
    FIELDS("pc_instructions", "instructions by samples, at most 2000", struct pc_instruction_row,
           instruction_fields);
static const struct fields lines_table =
    FIELDS("pc_lines", "source lines by samples, at most 2000", struct pc_line_row, line_fields);
static const struct fields reasons_table =
    FIELDS("pc_reasons", "what was issued, and why nothing was; stochastic sampling only",
           struct pc_reason_row, reason_fields);
static const struct fields pipes_table =
    FIELDS("pc_pipes", "state of the arbiter; stochastic sampling in JSON only", struct pc_pipe_row,
           pipe_fields);

const struct analysis_table pc_tables[] = {
    ANALYSIS_ONE(stats_table, pc_sampling.stats),
    ANALYSIS_ROWS(kernels_table, pc_sampling.kernels),
    ANALYSIS_ROWS(instructions_table, pc_sampling.instructions),
    ANALYSIS_ROWS(lines_table, pc_sampling.lines),
    ANALYSIS_ROWS(reasons_table, pc_sampling.reasons),
    ANALYSIS_ROWS(pipes_table, pc_sampling.pipes),
    {0},
};
