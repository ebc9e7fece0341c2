#include "compare/profile_doc.h"
#include "config.h"

#define T struct profile_doc

PART(path_fields, const char *,
     {.key = "path", .type = FIELD_TEXT, .doc = "as it was named", .null = NULL_NEVER});
PART(metadata, T, FIXED("gpusight_version", GPUSIGHT_VERSION, "version of the program"),
     ALWAYS(T, p.files, FIELD_LIST, "files", "files that were read", .of = &path_fields));

#define GPU(member, type, key, doc, ...)                                                           \
    ALWAYS(struct profile_gpu, member, type, key, doc, ##__VA_ARGS__)
PART(gpu_fields, struct profile_gpu, GPU(name, FIELD_TEXT, "name", "product name"),
     GPU(arch, FIELD_TEXT, "architecture", "gfx942, sm_90, ..."),
     GPU(vendor, FIELD_ENUM, "vendor", "who made it", .words = vendor_names),
     GPU(cu_count, FIELD_U32, "cu_count", "compute units or SMs; 0: not known"),
     GPU(clock_mhz, FIELD_U32, "clock_mhz", "highest clock; 0: not known"));
PART(info, T, ALWAYS(T, p.gpus, FIELD_LIST, "gpus", "GPUs of the run", .of = &gpu_fields));

#define IF_GAPS .flag = FLAG(struct profile_cause, has_gaps)
PART(cause_fields, struct profile_cause,
     ALWAYS(struct profile_cause, cause, FIELD_TEXT, "cause", "key of the cause"),
     ALWAYS(struct profile_cause, ns, FIELD_I64, "ns", "GPU time"),
     IF_ANY(struct profile_cause, gap_sq, FIELD_NUM, "gap_sq", "sum of its gaps, squared", IF_GAPS),
     IF_ANY(struct profile_cause, gap_count, FIELD_U64, "gap_count", "gaps it is in", IF_GAPS));
PART(ledger, T,
     ALWAYS(T, p.start_ns, FIELD_I64, "start_ns", "start of the window, in the trace's clock"),
     ALWAYS(T, causes, FIELD_LIST, "causes", "GPU time by cause", .of = &cause_fields));

PART(capability_fields, struct profile_capability,
     ALWAYS(struct profile_capability, key, FIELD_TEXT, "key", "as in an analysis"),
     ALWAYS(struct profile_capability, present, FIELD_BOOL, "present", "whether it is there"));

/* Tables of an analysis; a profile has no use for the last three, which it keeps in other forms. */
PART(tables, T, ALWAYS(T, p.breakdown, FIELD_OBJECT, "breakdown", "", .of = &breakdown_fields),
     ALWAYS(T, p.launches, FIELD_OBJECT, "launch_latency", "", .of = &launch_fields),
     ALWAYS(T, p.allocations, FIELD_OBJECT, "allocations", "", .of = &allocation_fields),
     ALWAYS(T, p.collectives, FIELD_OBJECT, "collectives", "", .of = &collective_fields),
     ALWAYS(T, p.copies, FIELD_LIST, "copies", "", .of = &copy_fields),
     ALWAYS(T, p.api_classes, FIELD_LIST, "api_classes", "", .of = &api_class_fields),
     ALWAYS(T, p.telemetry, FIELD_LIST, "telemetry", "", .of = &telemetry_fields),
     IF_ANY(T, resources, FIELD_LIST, "kernel_resources", "", .of = &resource_fields),
     IF_ANY(T, phases, FIELD_LIST, "phases", "", .of = &phase_fields),
     IF_ANY(T, hotspots, FIELD_LIST, "hotspots", "", .of = &profile_kernel_fields,
            .flag = FLAG(T, has_hotspots)));

static const struct field document_list[] = {
    ALWAYS(T, document, FIELD_TEXT, "document", "what this is", .words = WORDS(PROFILE_DOCUMENT)),
    ALWAYS(T, version, FIELD_I64, "version", "of the document"),
    OR_NULL(T, p.label, FIELD_TEXT, "label", "name of the run"),
    WITHIN("metadata", "who made this of what", &metadata),
    WITHIN("profiling_info", "what was recorded", &info),
    WITHIN("ledger", "every nanosecond of every GPU, once", &ledger),
    ALWAYS(T, p.capabilities, FIELD_PAIRS, "capabilities", "what the trace can tell",
           .of = &capability_fields),
    WITHIN("analyses", "tables of the analysis", &tables),
    ALWAYS(T, p.kernels, FIELD_LIST, "kernels", "most time first", .of = &profile_kernel_fields,
           .flag = FLAG(T, has_kernels)),
    ALWAYS(T, p.phases, FIELD_LIST, "phases", "in order of time", .of = &profile_phase_fields),
    ALWAYS(T, p.ranks, FIELD_LIST, "ranks", "of a job", .of = &profile_rank_fields),
    IF_ANY(T, p.profiler_ns, FIELD_I64, "profiler_ns", "the profiler's own start"),
    IF_ANY(T, p.iteration_kernels, FIELD_U64, "iteration_kernels", "kernels in a repetition"),
    IF_ANY(T, p.blocks, FIELD_LIST, "blocks", "repetitions in blocks", .of = &profile_block_fields),
    IF_ANY(T, p.markers, FIELD_LIST, "markers", "most time first", .of = &profile_marker_fields),
    IF_ANY(T, p.repeats, FIELD_LIST, "repeats", "all runs", .of = &profile_repeat_fields),
};
const struct fields profile_document_fields =
    FIELDS("profile", "A run in brief.", T, document_list);

void profile_json(struct jwrite *w, const struct run_profile *p)
{
    T d = {.document = PROFILE_DOCUMENT, .version = PROFILE_VERSION, .has_kernels = true, .p = *p};
    for (enum cause c = 0; c < CAUSES; c++)
        vec_push(&d.causes, w->out->arena,
                 ((struct profile_cause){cause_info(c)->key, p->cause_ns[c], p->gap_sq[c],
                                         p->gap_count[c], p->has_gaps}));
    fields_write(w, NULL, &profile_document_fields, &d);
}
