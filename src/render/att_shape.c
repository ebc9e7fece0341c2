/* What att_json() writes. */
#include "render/att_json.h"

#include "render/analysis_json_in.h"

static const struct member kernel_members[] = {
    MEMBER("findings", "object[]", "what the instructions say", .fields = &att_finding_fields),
    MEMBER("stall_classes", "object[]", "most time first", .fields = &att_class_fields),
    MEMBER("instructions", "object[]", "all of its code, by address",
           .fields = &att_instruction_fields),
    MEMBER("blocks", "object[]", "basic blocks, by address", .fields = &att_block_fields),
    MEMBER("occupancy", "object[]", "waves over time; empty: not decoded",
           .fields = &att_occupancy_fields),
    MEMBER("wave_states", "object[]", "of decoded waves", .fields = &att_state_fields),
    MEMBER("dispatch_names", "string[]", "dispatches it is the sum of"),
    {0},
};

const struct member att_members[] = {
    MEMBER("folder", "string", "where it was read from"),
    MEMBER("detected", "boolean", "found beside the trace, not asked for"),
    MEMBER("dispatches", "object[]", "one a traced dispatch", .fields = &att_dispatch_fields),
    MEMBER("kernels", "object[]", "most wave time first", .fields = &att_kernel_fields,
           .members = kernel_members),
    MEMBER("notes", "string[]", "what is missing, damaged or odd"),
    {0},
};
