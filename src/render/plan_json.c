#include "render/plan_json.h"

#include "field/field.h"

#define SET_OF_GOALS(T, member, key, doc)                                                          \
    ALWAYS(T, member, FIELD_SET, key, doc, .words = goal_names)
#define TEXTS(T, member, key, doc) ALWAYS(T, member, FIELD_LIST, key, doc, .of = &field_texts)

PART(pass_fields, struct pass, TEXTS(struct pass, counters, "counters", "names"));

#define T struct capture
PART(capture_json_fields, T,
     ALWAYS(T, command.tool, FIELD_ENUM, "tool", "the profiler", .words = profiler_names),
     SET_OF_GOALS(T, goals, "goal", "the goals it serves"),
     ALWAYS(T, command.text, FIELD_TEXT, "command", "for a POSIX shell"),
     TEXTS(T, command.argv, "argv", "the same without a shell, the launcher first"),
     ALWAYS(T, passes, FIELD_LIST, "passes", "counters, where the tool is told which",
            .of = &pass_fields),
     ALL_OF(&capture_fields), TEXTS(T, answers, "answers", "what it will tell"));
#undef T

#define T struct plan
PART(gpu_fields, T, ALWAYS(T, vendor, FIELD_ENUM, "vendor", "who made it", .words = vendor_names),
     ALWAYS(T, arch, FIELD_TEXT, "arch", "gfx942; empty where not known"),
     ALWAYS(T, product, FIELD_TEXT, "product", "empty where not known"),
     ALWAYS(T, gpu_source, FIELD_ENUM, "source", "how it is known", .words = plan_gpu_sources));

SHARED_PART(plan_json_fields, T, FIXED("schema_version", "1.0", "version of this document"),
            WITHIN("gpu", "what the plan is made for", &gpu_fields),
            SET_OF_GOALS(T, goals, "goals", "what was planned for"),
            SET_OF_GOALS(T, open, "open", "goals that stay unanswered, in whole or in part"),
            TEXTS(T, form.environment, "environment", "variables in front of the program"),
            TEXTS(T, form.launcher, "launcher", "what starts the ranks"),
            TEXTS(T, form.app, "app", "the program and its arguments"),
            ALWAYS(T, have, FIELD_LIST, "have", "what traces already hold",
                   .of = &plan_have_fields),
            ALWAYS(T, captures, FIELD_LIST, "captures", "in the order to run them",
                   .of = &capture_json_fields),
            ALWAYS(T, runs, FIELD_U64, "runs", "sum over captures"),
            TEXTS(T, notes, "notes", "what to know before running it"));

void plan_json(struct jwrite *w, const T *p)
{
    fields_write(w, NULL, &plan_json_fields, p);
}

void plan_json_schema(struct str *out)
{
    fields_schema_document(
        out, "urn:gpusight:plan:1.0", "gpusight plan",
        "What 'gpusight plan --json' writes; null means that it cannot be said. docs/planner.md "
        "explains it. Made by 'gpusight --generate plan-schema'.",
        &plan_json_fields);
}
