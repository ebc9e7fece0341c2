/*
 * gpusight whatif TRACE...: the run again, with changes.
 */
#include <stdlib.h>

#include "analyze/window.h"
#include "base/str.h"
#include "cli/analyzed.h"
#include "cli/output.h"
#include "depend/change_text.h"
#include "depend/whatif.h"
#include "field/field.h"

struct whatif_opts {
    struct opt_list kernels, remove;
    const char *graph_range, *overlap, *merge, *fuse, *link, *host, *rank, *gpu;
    bool graph, pinned, prefetch, stay;
    int64_t streams;
    struct output_opts out;
    struct analyzed_opts in;
};

static const struct opt opts[] = {
    OPT_GROUP("What changes; options combine"),
    OPT_LIST(struct whatif_opts, kernels, 0, "kernel", "PATTERN=0.5x",
             "kernels whose name holds PATTERN take this much of their time; '*' is all"),
    OPT_LIST(struct whatif_opts, remove, 0, "remove", "WHAT",
             "take out: sync, allocation, launch, copy, first-use or communication"),
    OPT_FLAG(struct whatif_opts, graph, 0, "graph",
             "launches that follow each other closely become one graph"),
    OPT_TEXT(struct whatif_opts, graph_range, 0, "graph-range", "START..END",
             "... only in this part of the run, written as for --window"),
    OPT_CHOICE(struct whatif_opts, overlap, 0, "overlap", "copies",
               "copies over the link run beside kernels, double-buffered"),
    OPT_CHOICE(struct whatif_opts, merge, 0, "merge", "copies",
               "tiny copies in a row, of one direction, become one"),
    OPT_CHOICE(struct whatif_opts, fuse, 0, "fuse", "optimizer|chains",
               "kernels become one: those of an optimizer step, or chains of elementwise ones"),
    OPT_FLAG(struct whatif_opts, stay, 0, "stay",
             "data that goes to the host only to come back stays on the device"),
    OPT_INT(struct whatif_opts, streams, 0, "streams", 1, 1024, "N",
            "kernels that leave room on the device run N at once"),
    OPT_FLAG(struct whatif_opts, pinned, 0, "pinned",
             "copies from and to pageable memory run as from pinned memory"),
    OPT_TEXT(struct whatif_opts, link, 0, "link", "2x", "the link to the host is so much faster"),
    OPT_TEXT(struct whatif_opts, host, 0, "host", "0.5x", "the host takes so much of its time"),
    OPT_FLAG(struct whatif_opts, prefetch, 0, "prefetch",
             "long host work between calls is done ahead by another thread"),
    OPT_TEXT(struct whatif_opts, rank, 0, "rank", "N=typical",
             "of a job, rank N in detail, without waiting for late ranks"),
    OPT_TEXT(
        struct whatif_opts, gpu, 0, "gpu", "MODEL",
        "another GPU, by its name: matrix kernels scale by its matrix units, others by memory"),
    OPT_GROUP("What to look at"),
    OPT_TEXT(struct whatif_opts, in.window, 0, "window", "START..END",
             "only this part: 10%..90%, 1s..2.5s, absolute ns, marker:NAME"),
    OPT_INT(struct whatif_opts, in.phase, 0, "phase", 1, 32, "N", "only this phase"),
    OPT_TEXT(struct whatif_opts, in.iteration, 0, "iteration", "N|A..B",
             "only this repetition of the step, or these"),
    OPT_INT(struct whatif_opts, in.process, 0, "process", 0, 1e15, "PID", "only this process"),
    OPT_CHOICE(struct whatif_opts, in.reader, 0, "reader", "auto|fast|sqlite|check",
               "how to read databases"),
    OPT_GROUP("Output"),
    OUTPUT_OPTS(struct whatif_opts, out, RENDERER_CHOICES),
    SECTION_OPTS(struct whatif_opts, out),
    OPT_END,
};

static void defaults(void *settings)
{
    struct whatif_opts *o = settings;
    *o = (struct whatif_opts){.in = ANALYZED_DEFAULTS};
}

/* Of a job, one rank; the others are taken as in time. */
static bool read_rank(struct whatif_opts *o, struct change *c, struct gs_error *err)
{
    char *end;
    long n = o->rank ? strtol(o->rank, &end, 10) : 0;
    if (!o->rank)
        return true;
    if (end == o->rank || n < 0 || !str_eq(end, "=typical"))
        return fail(err, GS_E_USAGE, "option '--rank' wants N=typical, not '%s'", o->rank);
    o->in.rank = n;
    c->rank_typical = true;
    return true;
}

static bool read_list(struct change *c, const char *name, const struct opt_list *values,
                      struct arena *arena, struct gs_error *err)
{
    for (size_t i = 0; i < values->n; i++)
        if (!change_read(c, name, values->v[i], arena, err))
            return false;
    return true;
}

static bool read_change(struct whatif_opts *o, struct change *c, struct arena *arena,
                        struct gs_error *err)
{
    const struct {
        const char *name, *value;
    } words[] = {{"overlap", o->overlap}, {"merge", o->merge}, {"fuse", o->fuse},
                 {"gpu", o->gpu},         {"host", o->host},   {"link", o->link}};
    c->graph = o->graph || o->graph_range;
    c->stay = o->stay;
    c->streams = (uint32_t)o->streams;
    c->pinned = o->pinned;
    c->prefetch = o->prefetch;
    if (!read_list(c, "kernel", &o->kernels, arena, err) ||
        !read_list(c, "remove", &o->remove, arena, err) || !read_rank(o, c, err))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (words[i].value && !change_read(c, words[i].name, words[i].value, arena, err))
            return false;
    return true;
}

static bool limit_graph(const struct whatif_opts *o, const struct run *r, struct change *c,
                        struct gs_error *err)
{
    struct view_opts v = {.gpu = -1, .process = -1};
    if (!o->graph_range)
        return true;
    if (!window_parse(&v, &r->trace, o->graph_range, err))
        return false;
    c->graph_from_ns = sub_ns(v.start_ns, r->analysis->view.start_ns);
    c->graph_to_ns = sub_ns(v.end_ns, r->analysis->view.start_ns);
    if (!c->graph_from_ns && !c->graph_to_ns)
        c->graph_to_ns = 1;
    return true;
}

static void json_form(const struct report *r, struct str *out, bool in_page)
{
    struct jwrite w;
    jw_init(&w, out, in_page ? 0 : 2);
    fields_write(&w, NULL, &whatif_document_fields, r->ctx);
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    struct whatif_opts *o = settings;
    struct arena *arena = cli->arena;
    struct change c = {0};
    struct whatif *w = arena_new(arena, struct whatif);
    struct subject about = {.whatif = w};
    struct report report = {.ctx = w,
                            .arena = arena,
                            .about = &about,
                            .make = whatif_report,
                            .json = json_form,
                            .kind = "what if"};
    struct output *out = output_begin(cli, &o->out, RENDERER_CHOICES, err);
    if (!out || !read_change(o, &c, arena, err))
        return false;
    struct run_opts ro = cli_run_opts(cli, &o->in);
    ro.facts_only = true;
    ro.replay = true;
    struct run *r = cli_run(cli, &ro, err);
    if (!r || !limit_graph(o, r, &c, err))
        return false;
    if (!r->analysis->depend)
        return fail(err, GS_E_EMPTY, "no GPU work in '%s'; 'gpusight info' shows what there is",
                    cli->operands.v[0]);
    c.hardware = r->analysis->hardware;
    whatif_make(w, r->analysis, &c, arena);
    return output_named(out, NULL, err) && output_report(out, &report, err) &&
           output_finish(out, err);
}

const struct command command_whatif = {
    .name = "whatif",
    .summary = "how long the run would take with a change",
    .operands = "TRACE...",
    .doc =
        "Makes the graph of what each kernel, copy and host call waited for, and runs it again "
        "with changes: faster kernels, waits or allocations taken out, launches as graphs, "
        "copies beside kernels, another link, host or GPU. Prints the new time as an interval "
        "with its reasons, what limits then, and what the GPUs do before and after.\n\n"
        "Without a change it is a check: the replay gives the recorded time. docs/whatif.md says "
        "how each change is modelled.",
    .examples = "gpusight whatif --remove sync results.db  # without waits\n"
                "gpusight whatif --graph --kernel gemm=0.5x results.db  # both together\n"
                "gpusight whatif --overlap copies --pinned results.db  # copies beside kernels\n"
                "gpusight whatif --gpu H200 results.db  # on another GPU",
    .opts = opts,
    .settings_size = sizeof(struct whatif_opts),
    .defaults = defaults,
    .run = run,
};
