#include "render/att_json.h"

#include "render/analysis_json_in.h"

#define T struct att_kernel
PART(part_fields, T, ALL_OF(&att_kernel_fields),
     ALWAYS(T, findings, FIELD_LIST, "findings", "what the instructions say",
            .of = &att_finding_fields),
     ALWAYS(T, classes, FIELD_LIST, "stall_classes", "most time first", .of = &att_class_fields),
     ALWAYS(T, instructions, FIELD_LIST, "instructions", "all of its code, by address",
            .of = &att_instruction_fields),
     ALWAYS(T, blocks, FIELD_LIST, "blocks", "basic blocks, by address", .of = &att_block_fields),
     ALWAYS(T, occupancy, FIELD_LIST, "occupancy", "waves over time; empty: not decoded",
            .of = &att_occupancy_fields),
     ALWAYS(T, states, FIELD_LIST, "wave_states", "of decoded waves", .of = &att_state_fields));
#undef T

PART(kernel_fields, struct att_kernel_json,
     SPREAD(struct att_kernel_json, k, FIELD_REF, &part_fields),
     ALWAYS(struct att_kernel_json, dispatch_names, FIELD_LIST, "dispatch_names",
            "dispatches it is the sum of", .of = &field_texts));

#define T struct att
PART(head, T, ALWAYS(T, dir, FIELD_TEXT, "folder", "where it was read from"),
     ALWAYS(T, detected, FIELD_BOOL, "detected", "found beside the trace, not asked for"),
     ALWAYS(T, dispatches, FIELD_LIST, "dispatches", "one a traced dispatch",
            .of = &att_dispatch_fields));
PART(tail, T,
     ALWAYS(T, notes, FIELD_LIST, "notes", "what is missing, damaged or odd", .of = &field_texts));
#undef T

#define T struct att_json
static const struct field att_list[] = {
    SPREAD(T, t, FIELD_REF, &head),
    ALWAYS(T, kernels, FIELD_LIST, "kernels", "most wave time first", .of = &kernel_fields),
    SPREAD(T, t, FIELD_REF, &tail),
};
const struct fields att_json_fields = FIELDS("thread_trace", "", T, att_list);

T *att_json_make(const struct att *t, struct arena *arena)
{
    T *out = arena_new(arena, T);
    out->t = t;
    for (size_t i = 0; i < t->kernels.n; i++) {
        struct att_kernel_json *k = vec_add(&out->kernels, arena);
        k->k = &t->kernels.v[i];
        for (size_t n = 0; n < k->k->from.n; n++)
            vec_push(&k->dispatch_names, arena, t->dispatches.v[k->k->from.v[n]].name);
    }
    return out;
}

void att_json_document(struct jwrite *w, const struct att *t, const struct analysis_json_opts *o)
{
    struct analysis_document d = {.att = att_json_make(t, w->out->arena)};
    metadata_make(&d.metadata, o, ANALYSIS_SCHEMA_VERSION);
    d.overview.profiling_mode = "thread_trace_only";
    d.overview.tier = 3;
    fields_write(w, NULL, &att_document_fields, &d);
}
