/*
 * What lies beside a trace, thread traces and source code: as tables of a run, and as what a run has
 * instead of a trace.
 */
#include "api/api.h"
#include "att/att.h"
#include "base/str.h"
#include "compat/rocinsight.h"
#include "render/att_json.h"
#include "render/renderers.h"
#include "render/source_json.h"
#include "report/section.h"
#include "report/source_report.h"

/* ---- tables ---- */

/* Rows of one kernel each, with its name before them, so that they can stand in one table. */
#define OF_KERNEL(list, part, key, doc)                                                            \
    struct list##_of_kernel {                                                                      \
        const char *kernel;                                                                        \
        struct part row;                                                                           \
    };                                                                                             \
    static const struct field list##_list[] = {                                                    \
        FIELD(struct list##_of_kernel, kernel, FIELD_TEXT, "kernel", NO_UNIT,                      \
              "the kernel it is of"),                                                              \
        SPREAD(struct list##_of_kernel, row, FIELD_OBJECT, &list##_row_fields),                    \
    };                                                                                             \
    static const struct fields list##_table =                                                      \
        FIELDS("thread_trace_" key, doc, struct list##_of_kernel, list##_list);                    \
    static void add_##list(struct results *out, const struct att *t, struct arena *a)              \
    {                                                                                              \
        VEC(struct list##_of_kernel) rows = {0};                                                   \
        for (size_t k = 0; k < t->kernels.n; k++)                                                  \
            for (size_t i = 0; i < t->kernels.v[k].list.n; i++)                                    \
                vec_push(                                                                          \
                    &rows, a,                                                                      \
                    ((struct list##_of_kernel){t->kernels.v[k].name, t->kernels.v[k].list.v[i]})); \
        vec_push(out, a, ((struct result){&list##_table, rows.v, rows.n, false}));                 \
    }

#define findings_row_fields att_finding_fields
#define classes_row_fields att_class_fields
#define instructions_row_fields att_instruction_fields
#define blocks_row_fields att_block_fields
#define occupancy_row_fields att_occupancy_fields
#define states_row_fields att_state_fields
OF_KERNEL(findings, att_finding, "findings", "what the instructions of a kernel say")
OF_KERNEL(classes, att_class_row, "stall_classes", "what waves wait for, most time first")
OF_KERNEL(instructions, att_instruction, "instructions", "all code of the kernels, by address")
OF_KERNEL(blocks, att_block, "blocks", "basic blocks, by address")
OF_KERNEL(occupancy, att_occupancy_row, "occupancy", "waves over time, where they were decoded")
OF_KERNEL(states, att_state_row, "wave_states", "what decoded waves did")

static struct fields *renamed(const struct fields *f, const char *key, const char *doc,
                              struct arena *a)
{
    struct fields *out = arena_new(a, struct fields);
    *out = *f;
    out->key = key;
    out->doc = doc;
    return out;
}

static void add_thread_trace(struct results *out, const struct att *t, struct arena *a)
{
    vec_push(out, a,
             ((struct result){renamed(&att_dispatch_fields, "thread_trace_dispatches",
                                      "one a traced dispatch", a),
                              t->dispatches.v, t->dispatches.n, false}));
    vec_push(out, a,
             ((struct result){renamed(&att_kernel_fields, "thread_trace_kernels",
                                      "kernels of the thread trace, most wave time first", a),
                              t->kernels.v, t->kernels.n, false}));
    add_findings(out, t, a);
    add_classes(out, t, a);
    add_instructions(out, t, a);
    add_blocks(out, t, a);
    add_occupancy(out, t, a);
    add_states(out, t, a);
}

static void add_source(struct results *out, const struct source_scan *s, struct arena *a)
{
    struct source_fact_row *facts = arena_array(a, struct source_fact_row, s->facts.n);
    struct source_file_row *files = arena_array(a, struct source_file_row, s->files.n);
    for (size_t i = 0; i < s->facts.n; i++)
        facts[i] = source_fact_row(s, &s->facts.v[i]);
    for (size_t i = 0; i < s->files.n; i++)
        files[i] = source_file_row(&s->files.v[i]);
    vec_push(out, a,
             ((struct result){
                 renamed(&source_kernel_fields, "source_kernels", source_kernel_fields.doc, a),
                 s->kernels.v, s->kernels.n, false}));
    vec_push(
        out, a,
        ((struct result){renamed(&source_fact_fields, "source_facts", source_fact_fields.doc, a),
                         facts, s->facts.n, false}));
    vec_push(
        out, a,
        ((struct result){renamed(&source_file_fields, "source_files", source_file_fields.doc, a),
                         files, s->files.n, false}));
}

void api_list_beside(gs_run *run)
{
    struct results all = {0};
    if (run->run->att)
        add_thread_trace(&all, run->run->att, &run->arena);
    if (run->run->source)
        add_source(&all, run->run->source, &run->arena);
    api_list_tables(run, &all);
}

/* ---- instead of a trace ---- */

bool api_take_beside(gs_run *run, const struct gs_option *options, struct gs_error *err)
{
    const struct run *r = run->run;
    if (r->att && r->source)
        return fail(err, GS_E_USAGE, "options 'att-dir' and 'source-dir' together need a trace");
    run->instead = (struct api_instead){r->att ? r->att->dir : r->source->dir,
                                        r->att ? "a thread trace" : "source code"};
    if (!api_options_fit(run, options, r->att ? "att-dir" : "source-dir", err))
        return false;
    run->rows_only = true;
    api_list_events(run);
    api_list_beside(run);
    atomic_store(&run->analyzed, true);
    return true;
}

struct beside_form {
    const struct run *run;
    const struct api_form *form;
};

static void beside_form(const struct report *r, struct jwrite *w, bool in_page)
{
    const struct beside_form *f = r->ctx;
    struct analysis_json_opts o = {0};
    if (f->run->att)
        att_json_document(w, f->run->att, &o);
    else if (!in_page && f->form->json_profile == JSON_ROCINSIGHT)
        rocinsight_source_json(w, f->run->source, &o);
    else
        source_json_document(w, f->run->source, &o);
}

bool api_render_beside(const struct run *run, const char *format, const struct api_form *form,
                       gs_sink_fn *sink, void *ctx, struct arena *a, struct gs_error *err)
{
    struct subject about = subject_of_run(run, (size_t)form->top);
    struct beside_form f = {run, form};
    struct report r = {.ctx = &f,
                       .arena = a,
                       .about = &about,
                       .make = run->att ? att_report : source_report,
                       .json = beside_form,
                       .kind = run->att ? "thread trace" : "scan"};
    if (run->att && renderer_find(format) == &renderer_json &&
        form->json_profile == JSON_ROCINSIGHT)
        return fail(err, GS_E_USAGE, "option 'json-profile' needs a trace or source code");
    return api_render(&r, format, form, sink, ctx, err);
}
