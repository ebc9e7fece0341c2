/* Questions about other runs than the one recorded: with a change, after one, and the next. */
#include <string.h>

#include "advise/rule.h"
#include "base/str.h"
#include "compare/compare.h"
#include "depend/change_words.h"
#include "depend/whatif.h"
#include "render/compare_json.h"
#include "render/plan_json.h"
#include "tool/ask.h"

/* ---- whatif ---- */

struct whatif_doc {
    struct tool_head head;
    struct whatif w;
};

static const void *call_whatif(struct tool_ask *ask, struct gs_error *err)
{
    const struct tool_args *o = &ask->args;
    struct whatif_doc *d = arena_new(ask->arena, struct whatif_doc);
    struct change_words words = {.kernels = o->kernels,
                                 .remove = o->remove,
                                 .graph_range = o->graph_range,
                                 .overlap = o->overlap,
                                 .merge = o->merge,
                                 .fuse = o->fuse,
                                 .stay = o->stay,
                                 .link = o->link,
                                 .host = o->host,
                                 .gpu = o->gpu,
                                 .graph = o->graph,
                                 .pinned = o->pinned,
                                 .prefetch = o->prefetch,
                                 .streams = (int64_t)(o->streams < 1024 ? o->streams : 1024),
                                 .noun = "argument '"};
    struct change c = {0};
    int64_t rank;
    tool_head_set(ask, &d->head);
    if (!change_read(&c, &words, &rank, ask->arena, err) || !change_of_run(&c, &words, ask->a, err))
        return NULL;
    if (!ask->a->depend) {
        fail(err, GS_E_EMPTY, "no GPU work in the trace; 'info' shows what there is");
        return NULL;
    }
    whatif_make_in(&d->w, tool_room(ask->box, ask->run), ask->a, &c, ask->arena);
    return d;
}

#define T struct whatif_doc
PART(whatif_head, struct tool_head,
     ALWAYS(struct tool_head, trace, FIELD_TEXT, "trace", "id of the trace"));
PART(whatif_result, T, SPREAD(T, head, FIELD_OBJECT, &whatif_head),
     SPREAD(T, w, FIELD_OBJECT, &whatif_document_fields));
#undef T
static const struct field whatif_params_list[] = {
    P_TRACE,
    P(kernels, FIELD_LIST,
      "kernels whose name holds PATTERN take this much of their time: [\"gemm=0.5x\"]; '*' is all",
      .of = &field_texts),
    P(remove, FIELD_LIST, "take out: sync, allocation, launch, copy, first-use or communication",
      .of = &field_texts,
      .words = WORDS("sync", "allocation", "launch", "copy", "first-use", "communication")),
    P(graph, FIELD_BOOL, "launches that follow each other closely become one graph"),
    P(graph_range, FIELD_TEXT, "... only in this part of the run, written as 'window'"),
    P(overlap, FIELD_TEXT, "copies over the link run beside kernels, double-buffered",
      .words = WORDS("copies")),
    P(merge, FIELD_TEXT, "tiny copies in a row, of one direction, become one",
      .words = WORDS("copies")),
    P(fuse, FIELD_TEXT, "kernels become one: of an optimizer step, or chains of elementwise ones",
      .words = WORDS("optimizer", "chains")),
    P(stay, FIELD_BOOL, "data that goes to the host only to come back stays on the device"),
    P(streams, FIELD_U64, "kernels that leave room on the device run so many at once"),
    P(pinned, FIELD_BOOL, "copies from and to pageable memory run as from pinned memory"),
    P(link, FIELD_TEXT, "the link to the host is so much faster: 2x"),
    P(host, FIELD_TEXT, "the host takes so much of its time: 0.5x"),
    P(prefetch, FIELD_BOOL, "long host work between calls is done ahead by another thread"),
    P(gpu, FIELD_TEXT, "another GPU, by its name, such as H200 or MI300X"),
};
static const struct fields whatif_params = FIELDS("", "", struct tool_args, whatif_params_list);

const struct tool tool_whatif = {
    .name = "whatif",
    .title = "How long would it take with a change",
    .description = "Replays the run's dependency graph with a change and gives the new time as an "
                   "interval with its reasons, what limits then, and the ledger before and after. "
                   "Changes combine",
    .params = &whatif_params,
    .result = &whatif_result,
    .needs_run = true,
    .call = call_whatif,
};

/* ---- compare ---- */

struct compare_doc {
    struct tool_head head;
    const char *before, *after;
    struct comparison c;
    VEC(struct compare_cause) causes;
    VEC(struct compare_kernel) kernels;
    VEC(struct compare_phase) phases;
    struct compare_rows ledger;
    VEC(const char *) notes;
};

static const struct run_profile *profile_of(struct tool_ask *ask, const char *trace,
                                            const char **id, struct gs_error *err)
{
    const struct run *r = tool_run(ask->box, trace, id, err);
    const char *name;
    if (!r)
        return NULL;
    *id = arena_strdup(ask->arena, *id);
    name = r->trace.files.v[0].path;
    if (!r->trace.kernels.n && !r->trace.copies.n) {
        fail(err, GS_E_EMPTY, "no GPU work in '%s'; 'info' shows what there is", name);
        return NULL;
    }
    return tool_profile(ask->box, r);
}

static const void *call_compare(struct tool_ask *ask, struct gs_error *err)
{
    struct compare_doc *d = arena_new(ask->arena, struct compare_doc);
    const struct run_profile *a = profile_of(ask, ask->args.before, &d->before, err);
    const struct run_profile *b = a ? profile_of(ask, ask->args.after, &d->after, err) : NULL;
    if (!b)
        return NULL;
    d->head.trace = d->after;
    tool_head_set(ask, &d->head);
    compare(&d->c, a, b, ask->arena);
    tool_rows(ask, &d->causes, d->c.causes.v, d->c.causes.n);
    tool_rows(ask, &d->kernels, d->c.kernels.v, d->c.kernels.n);
    tool_rows(ask, &d->phases, d->c.phases.v, d->c.phases.n);
    tool_rows(ask, &d->ledger, d->c.ledger.v, d->c.ledger.n);
    tool_rows(ask, &d->notes, d->c.notes.v, d->c.notes.n);
    return d;
}

#define T struct compare_doc
#define ROWS(member, doc, fields) ALWAYS(T, member, FIELD_LIST, #member, doc, .of = fields)
PART(compare_page, struct tool_head,
     ALWAYS(struct tool_head, total, FIELD_U64, "total", "causes, on all pages"),
     OR_NULL(struct tool_head, next_cursor, FIELD_TEXT, "next_cursor",
             "cursor of the next page of causes; null: no more"));
PART(compare_result, T, ALWAYS(T, before, FIELD_TEXT, "before", "id of the first trace"),
     ALWAYS(T, after, FIELD_TEXT, "after", "id of the second one"),
     SPREAD(T, head, FIELD_OBJECT, &compare_page),
     SPREAD(T, c, FIELD_OBJECT, &compare_verdict_fields),
     ROWS(causes, "what changed, largest first", &compare_cause_fields),
     ROWS(kernels, "largest change first", &compare_kernel_fields),
     ROWS(phases, "in order of time", &compare_phase_fields),
     ROWS(ledger, "GPU time by cause", &compare_row_fields),
     ROWS(notes, "registers, occupancy, what was assumed", &field_texts));
#undef T
static const struct field compare_params_list[] = {
    ALWAYS(struct tool_args, before, FIELD_TEXT, "before",
           "the trace before the change: file or id"),
    ALWAYS(struct tool_args, after, FIELD_TEXT, "after", "the trace after it: file or id"),
    P_PAGE,
};
static const struct fields compare_params = FIELDS("", "", struct tool_args, compare_params_list);

const struct tool tool_compare = {
    .name = "compare",
    .not_offered = true,
    .title = "Did a change help",
    .description = "Compares two traces of one program: whether they can be compared, the verdict "
                   "with its noise, ranked causes, kernels, phases and the ledger",
    .params = &compare_params,
    .result = &compare_result,
    .call = call_compare,
};

/* ---- plan ---- */

static bool read_app(struct plan_request *q, const struct opt_list *app, struct arena *arena,
                     struct gs_error *err)
{
    struct words command = {0};
    for (size_t i = 0; i < app->n; i++)
        vec_push(&command, arena, app->v[i]);
    if (!app->n)
        vec_push(&command, arena, "./app");
    q->form.rank = -1;
    return launch_form_find(&q->form, &command, arena) ||
           fail(err, GS_E_USAGE, "cannot tell where the program begins in '%.200s'",
                shell_line(arena, &command));
}

static const void *call_plan(struct tool_ask *ask, struct gs_error *err)
{
    struct plan *p = arena_new(ask->arena, struct plan);
    struct plan_request q = {.out = "gpusight-plan", .kernel = ask->args.name};
    struct tool_loaded_list loaded = {0};
    const struct run *r = NULL;
    const char *id;
    tool_box_list(ask->box, &loaded, ask->arena);
    if (ask->args.trace || (loaded.n && !ask->args.gpu)) {
        r = tool_run(ask->box, ask->args.trace, &id, err);
        if (!r)
            return NULL;
        q.analysis = r->analysis;
    }
    for (size_t i = 0; i < ask->args.goals.n; i++)
        if (!goals_parse(&q.goals, ask->args.goals.v[i], err))
            return NULL;
    if (!q.goals)
        q.goals = advice_goals(r ? &r->advice : NULL);
    if (!plan_request_gpu(&q, ask->args.gpu, err) || !read_app(&q, &ask->args.app, ask->arena, err))
        return NULL;
    plan_make(p, &q, ask->arena);
    return p;
}

static const struct field plan_params_list[] = {
    P(trace, FIELD_TEXT, "file or id of the trace: what it holds is not asked for again"),
    P(goals, FIELD_LIST,
      "what to find out: timeline, launch, copies, allocations, markers, host, io, mpi, "
      "communication, power, roofline, memory, compute, occupancy, latency, instructions, "
      "sampling, all; what the findings call for when not given",
      .of = &field_texts),
    P(gpu, FIELD_TEXT, "the GPU to run on: gfx942, MI300X, sm_90, H100; that of the trace"),
    P(name, FIELD_TEXT, "regular expression: these kernels instead of the hottest ones"),
    P(app, FIELD_LIST, "the program and its arguments, a launcher such as srun in front",
      .of = &field_texts),
};
static const struct fields plan_params = FIELDS("", "", struct tool_args, plan_params_list);

const struct tool tool_plan = {
    .name = "plan",
    .title = "What to capture next",
    .description =
        "Profiler command lines that answer open questions in the fewest runs: counters "
        "in passes that the GPU can do, for the hottest kernels; each option is one that "
        "the tool has. Nothing is run",
    .params = &plan_params,
    .result = &plan_json_fields,
    .call = call_plan,
};
