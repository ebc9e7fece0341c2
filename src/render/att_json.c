#include "render/att_json.h"

#include "config.h"
#include "field/field.h"

#define ROWS(key, f, vec) fields_write_rows(w, key, f, (vec).v, (vec).n)

static void write_kernel(struct jwrite *w, const struct att *t, const struct att_kernel *k)
{
    jw_open(w, NULL, '{');
    fields_write_members(w, &att_kernel_fields, k);
    ROWS("findings", &att_finding_fields, k->findings);
    ROWS("stall_classes", &att_class_fields, k->classes);
    ROWS("instructions", &att_instruction_fields, k->instructions);
    ROWS("blocks", &att_block_fields, k->blocks);
    ROWS("occupancy", &att_occupancy_fields, k->occupancy);
    ROWS("wave_states", &att_state_fields, k->states);
    jw_open(w, "dispatch_names", '[');
    for (size_t i = 0; i < k->from.n; i++)
        jw_str(w, NULL, t->dispatches.v[k->from.v[i]].name);
    jw_close(w);
    jw_close(w);
}

void att_json(struct jwrite *w, const char *key, const struct att *t)
{
    jw_open(w, key, '{');
    jw_str(w, "folder", t->dir);
    jw_bool(w, "detected", t->detected);
    ROWS("dispatches", &att_dispatch_fields, t->dispatches);
    jw_open(w, "kernels", '[');
    for (size_t i = 0; i < t->kernels.n; i++)
        write_kernel(w, t, &t->kernels.v[i]);
    jw_close(w);
    jw_open(w, "notes", '[');
    for (size_t i = 0; i < t->notes.n; i++)
        jw_str(w, NULL, t->notes.v[i]);
    jw_close(w);
    jw_close(w);
}

void att_json_document(struct jwrite *w, const struct att *t, const struct analysis_json_opts *o)
{
    jw_open(w, NULL, '{');
    jw_str(w, "schema_version", ANALYSIS_SCHEMA_VERSION);
    jw_open(w, "metadata", '{');
    jw_str(w, "gpusight_version", GPUSIGHT_VERSION);
    jw_str(w, "rocpd_version", GPUSIGHT_VERSION);
    jw_str(w, "analysis_version", ANALYSIS_SCHEMA_VERSION);
    jw_null(w, "database_file");
    jw_open(w, "files", '[');
    jw_close(w);
    jw_str(w, "analysis_timestamp", o->timestamp);
    jw_int(w, "analysis_duration_ms", o->duration_ms);
    jw_str(w, "custom_prompt", o->prompt);
    jw_close(w);
    jw_open(w, "profiling_info", '{');
    jw_str(w, "profiling_mode", "thread_trace_only");
    jw_int(w, "analysis_tier", 3);
    jw_close(w);
    att_json(w, "thread_trace", t);
    jw_close(w);
}
