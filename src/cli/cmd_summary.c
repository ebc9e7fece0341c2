/*
 * gpusight summary TRACE...: the facts of a trace in one page, without judgement.
 */
#include "base/fs.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/load.h"
#include "render/render.h"
#include "report/section.h"

struct summary_opts {
    bool json;
    const char *reader, *output;
};

static const struct opt opts[] = {
    OPT_FLAG(struct summary_opts, json, 0, "json", "print JSON, for programs"),
    OPT_TEXT(struct summary_opts, output, 'o', "output", "FILE",
             "write to FILE instead of standard output"),
    OPT_CHOICE(struct summary_opts, reader, 0, "reader", "auto|fast|sqlite|check",
               "how to read databases"),
    OPT_END,
};

static void defaults(void *settings)
{
    struct summary_opts *o = settings;
    o->reader = "auto";
    o->output = "-";
}

struct call {
    struct cli *cli;
    const struct summary_opts *o;
    struct trace trace;
    struct gs_error *err;
    bool ok;
};

static void run_summary(void *ctx)
{
    struct call *c = ctx;
    struct arena *arena = c->cli->arena;
    if (!cli_load(c->cli, &c->trace, &c->cli->operands, c->o->reader, c->err))
        return;
    if (!c->trace.kernels.n && !c->trace.copies.n) {
        fail(c->err, GS_E_EMPTY, "no GPU work in '%s'; 'gpusight info' shows what there is",
             c->cli->operands.v[0]);
        return;
    }
    struct analysis_opts o = {.view = {.gpu = -1, .process = -1, .threads = c->cli->threads},
                              .short_threshold_ns = 10000,
                              .max_phases = 12};
    struct analysis *a = arena_new(arena, struct analysis);
    analysis_run(a, &c->trace, &o, arena);
    struct summary summary;
    summary_make(&summary, a, arena);
    summary_phases(&summary, arena);
    struct str out;
    str_init(&out, arena);
    if (c->o->json) {
        struct jwrite w;
        jw_init(&w, &out, 2);
        summary_json(&summary, &w);
    } else {
        struct render_opts r = {c->cli->columns, c->cli->color && str_eq(c->o->output, "-")};
        struct subject s = {.summary = &summary, .a = a};
        render_text(&out, summary_report(&s, NULL, arena, c->err), &r);
    }
    c->ok = fs_write(c->o->output, out.buf, out.len, c->err);
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    struct call call = {.cli = cli, .o = settings, .err = err};
    trace_init(&call.trace);
    bool had_memory = mem_guard(run_summary, &call, err);
    trace_release(&call.trace);
    return had_memory && call.ok;
}

const struct command command_summary = {
    .name = "summary",
    .summary = "the facts of a trace on one page, without judgement",
    .operands = "TRACE...",
    .doc =
        "Prints the span, kernel, copy and waiting times, the top 15 kernels with registers and "
        "launch latency, copies by direction, gaps, streams, marker ranges and MPI operations. "
        "'gpusight analyze' goes on from there to causes and advice.\n\n"
        "The JSON has the keys and units of PerfAdvisor's summary. Where its numbers mislead, "
        "these "
        "do not: busy and idle times are per GPU and then summed, utilization is of span x GPUs, "
        "copies between GPUs are a kind of their own and are compared with the link they used, "
        "launch overhead leaves out waiting behind earlier work, and registers, shared memory and "
        "launches are there for AMD as well. The list 'gpus' has every device; 'device_info' "
        "is the first of them.",
    .examples = "gpusight summary results.db  # one page\n"
                "gpusight summary --json results.db | jq .top_kernels[0]  # for a program",
    .opts = opts,
    .settings_size = sizeof(struct summary_opts),
    .defaults = defaults,
    .run = run,
};
