#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/human.h"
#include "base/mem.h"
#include "base/sat.h"
#include "base/spill.h"
#include "base/str.h"
#include "cli/analyze_alone.h"
#include "cli/analyze_workload.h"
#include "cli/analyzed.h"
#include "cli/llm_opts.h"
#include "cli/output.h"
#include "cli/report_time.h"
#include "cli/tallied.h"
#include "compat/rocinsight.h"
#include "render/chart_files.h"
#include "render/html/html.h"

struct analyze_opts {
    struct opt_list input, by;
    enum json_profile json_profile;
    const char *prompt, *charts, *source_dir;
    int64_t top_kernels, timeline_limit;
    double min_duration_us;
    bool stats;
    struct output_opts out;
    struct analyzed_opts in;
    struct workload_args workload;
    struct analyze_att_opts att;
    struct llm_settings llm;
};

static const struct opt opts[] = {
    OPT_GROUP("What to analyze"),
    OPT_LIST(struct analyze_opts, input, 'i', "input", "TRACE",
             "a trace; plain arguments work as well"),
    ANALYZED_OPTS(struct analyze_opts),
    OPT_TEXT(struct analyze_opts, source_dir, 0, "source-dir", "DIR",
             "read source code too: kernels, launches, waits and copies with their lines; works "
             "without a trace"),
    ANALYZE_ATT_OPTS(struct analyze_opts, att),
    OPT_GROUP("What to show"),
    OPT_INT(struct analyze_opts, top_kernels, 0, "top-kernels", 1, 1000000, "N",
            "rows in tables (10)"),
    OPT_NUM(struct analyze_opts, min_duration_us, 0, "min-duration", 0, 1e12, "US",
            "leave kernels shorter than this many microseconds out of the hotspots"),
    OPT_LIST(struct analyze_opts, by, 0, "by", "gpu|process|stream",
             "split hotspots by this as well"),
    OPT_INT(struct analyze_opts, timeline_limit, 0, "timeline-limit", 0, 1e9, "N",
            "html: events in the timeline, the longest are kept; 0: all (3500000)"),
    SECTION_OPTS(struct analyze_opts, out),
    OPT_TEXT(struct analyze_opts, prompt, 0, "prompt", "TEXT",
             "a question for --llm; also kept in the JSON"),
    WORKLOAD_OPTS(struct analyze_opts, workload),
    OPT_GROUP("Output"),
    OPT_CHOICE(struct analyze_opts, out.format, 0, "format", RENDERER_CHOICES,
               "form of the report (text, or what NAME ends in); html is one page that needs no "
               "network, webview the same"),
    OPT_FLAG(struct analyze_opts, out.json, 0, "json", "the same as --format json"),
    OPT_WORD(struct analyze_opts, json_profile, 0, "json-profile", "gpusight|rocinsight",
             "which JSON document: ours, or exactly rocinsight's 0.4.0"),
    OPT_NAMES(NAMES_OUTPUT, struct analyze_opts, out.name, 'o', "output", "NAME",
              "write to this file, never to one that is read; the extension is added when it has "
              "none"),
    OPT_NAMES(NAMES_TARGET, struct analyze_opts, out.dir, 'd', "dir", "DIR",
              "write into this folder, which is made; named after the trace unless -o is given"),
    OPT_NAMES(NAMES_TARGET, struct analyze_opts, charts, 0, "charts", "DIR",
              "markdown: write charts as SVG into this folder and link them"),
    OPT_FLAG(struct analyze_opts, stats, 0, "stats",
             "print time and memory used, on standard error"),
    LLM_OPTS(struct analyze_opts, llm),
    OPT_END,
};

static void defaults(void *settings)
{
    struct analyze_opts *o = settings;
    *o = (struct analyze_opts){.out.adds_extension = true,
                               .top_kernels = 10,
                               .in = ANALYZED_DEFAULTS,
                               .llm = LLM_DEFAULTS,
                               .timeline_limit = HTML_TIMELINE_LIMIT};
}

struct call {
    struct cli *cli;
    struct analyze_opts *o;
    struct run *run;                       /* NULL for a workload */
    const char *workload;                  /* folder of rocprof-compute, when it is one */
    const struct explanation *explanation; /* NULL: no model was asked */
    struct timespec begin;
    struct output *out;
    struct gs_error *err;
};

static double seconds(const struct call *c)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - c->begin.tv_sec) + (double)(now.tv_nsec - c->begin.tv_nsec) / 1e9;
}

/* What the report is called in a folder that -d names. */
static const char *base_of(const struct call *c)
{
    struct arena *a = c->cli->arena;
    return c->run        ? output_base(c->run->trace.files.v[0].path, a)
           : c->workload ? output_base(c->workload, a)
                         : "source";
}

static void json_form(const struct report *r, struct jwrite *w, bool in_page)
{
    const struct call *c = r->ctx;
    const struct analyze_opts *o = c->o;
    const struct run *run = c->run;
    struct analysis_json_opts j = run_json_opts(run, (size_t)o->top_kernels, in_page);
    j.prompt = o->prompt;
    j.explanation = c->explanation;
    bool strict = !in_page && o->json_profile == JSON_ROCINSIGHT;
    if (strict) {
        struct report_time now = report_time(&c->begin, r->arena);
        j.timestamp = now.timestamp;
        j.duration_ms = now.duration_ms;
    }
    if (strict)
        rocinsight_json(w, run->analysis, &run->advice, &j);
    else
        analysis_json(w, run->analysis, &run->advice, &j);
}

static struct subject subject_of(const struct call *c)
{
    struct subject s = subject_of_run(c->run, (size_t)c->o->top_kernels);
    s.explanation = c->explanation;
    s.listing = c->o->att.listing;
    s.timeline_limit = (uint64_t)c->o->timeline_limit;
    return s;
}

static bool write_report(struct call *c)
{
    const char *charts = c->o->charts;
    struct subject about = subject_of(c);
    struct report r = {.ctx = c,
                       .arena = c->cli->arena,
                       .about = &about,
                       .make = analysis_report,
                       .json = json_form,
                       .kind = "analysis"};
    if (!output_named(c->out, base_of(c), c->err))
        return false;
    if (charts) {
        struct doc *d = analysis_report(&about, c->o->out.sections, r.arena, c->err);
        r.chart_prefix = chart_files_link(charts, c->out->path, r.arena);
        if (!d || !chart_files_write(d, charts, &c->out->set, c->err))
            return false;
    }
    return output_report(c->out, &r, c->err) && output_finish(c->out, c->err);
}

static void print_stats(const struct call *c)
{
    char n[HUMAN_MAX], peak[HUMAN_MAX];
    uint64_t events = trace_events(&c->run->trace);
    fprintf(stderr,
            "stats: %s events, load %.3f s, analysis %.3f s, total %.3f s, peak %s, "
            "%.1f bytes per event\n",
            human_count(n, events), c->run->load_seconds, c->run->analysis_seconds, seconds(c),
            human_bytes(peak, mem_peak()), events ? (double)mem_peak() / (double)events : 0);
    if (spill_peak())
        fprintf(stderr, "stats: up to %s of that on a disk\n", human_bytes(peak, spill_peak()));
}

/* Options that mean nothing for a workload are not passed over in silence. */
static const char *only_for_traces(const struct analyze_opts *o)
{
    bool profile = o->json_profile != JSON_GPUSIGHT;
    const struct filter_opts *f = &o->in.filter;
    return o->in.window             ? "window"
           : f->streams.n           ? "stream"
           : f->threads.n           ? "thread"
           : f->categories.n        ? "category"
           : f->markers.n           ? "marker"
           : f->start               ? "start"
           : f->end                 ? "end"
           : f->start_marker        ? "start-marker"
           : f->end_marker          ? "end-marker"
           : f->inclusive           ? "inclusive"
           : f->kernels.n > 1       ? "kernel"
           : o->in.phase            ? "phase"
           : o->in.gpu              ? "gpu"
           : o->in.process >= 0     ? "process"
           : o->by.n                ? "by"
           : o->source_dir          ? "source-dir"
           : o->charts              ? "charts"
           : profile                ? "json-profile"
           : cli_llm_asked(&o->llm) ? "llm"
                                    : NULL;
}

static bool only_workload(struct call *c)
{
    const struct analyze_opts *o = c->o;
    const char *wrong = only_for_traces(o);
    struct workload_report r;
    char peak[HUMAN_MAX];
    if (o->in.filter.kernels.n == 1) /* a part of a name, or a number of the table */
        c->o->workload.kernel = o->in.filter.kernels.v[0];
    if (wrong)
        return fail(c->err, GS_E_USAGE,
                    "option '--%s' needs a trace; '%s' is a workload of rocprof-compute", wrong,
                    c->workload);
    bool ok =
        workload_load(&r, c->cli, c->workload, &o->workload, (size_t)o->top_kernels, c->err) &&
        output_named(c->out, base_of(c), c->err) && workload_output(&r, c->out, c->err) &&
        output_finish(c->out, c->err);
    if (ok && o->stats)
        fprintf(stderr, "stats: %zu dispatches, total %.3f s, peak %s\n", r.w->dispatches.n,
                seconds(c), human_bytes(peak, mem_peak()));
    return ok;
}

/* Sums without times: nothing to analyze, but something to show. */
static bool show_tables(struct call *c, const struct tally *tables)
{
    const char *wrong = only_for_traces(c->o);
    wrong = c->o->in.filter.kernels.n ? "kernel" : wrong;
    if (wrong)
        return fail(c->err, GS_E_USAGE, "option '--%s' needs a trace; '%s' is %s", wrong,
                    tables->files.v[0].path, tables->files.v[0].kind);
    return tallied_output(tables, c->out, false, c->err);
}

/* What there is without a trace: a scan of source code, or a thread trace. */
static bool without_trace(struct call *c)
{
    const struct analyze_opts *o = c->o;
    const struct run *r = c->run;
    if (r->att && r->source)
        return fail(c->err, GS_E_USAGE,
                    "options '--att-dir' and '--source-dir' together need a trace");
    struct subject about = subject_of(c);
    struct alone x = {&about, o->json_profile, o->prompt, &c->begin};
    return analyze_alone(&x, c->out, c->err) && output_finish(c->out, c->err);
}

static bool analyze_run_opts(struct call *c, struct run_opts *ro)
{
    const struct analyze_opts *o = c->o;
    *ro = cli_run_opts(c->cli, &o->in);
    ro->paths = o->input;
    ro->min_duration_ns = ns_from(o->min_duration_us * 1000);
    ro->source_dir = o->source_dir;
    ro->att_dirs = o->att.dir;
    ro->att_beside = !o->att.off;
    ro->says_only = true;
    if (!ro->paths.n && !ro->source_dir && !ro->att_dirs.n)
        return fail(c->err, GS_E_USAGE, "no trace given; see 'gpusight analyze --help'");
    return run_split_by(ro, &o->by, "--by", c->err);
}

/* A model's words, where one was asked for. *done: that was all there is to do. */
static bool explain(struct call *c, bool *done)
{
    struct run *r = c->run;
    struct explain_of of = {
        .run = r, .question = c->o->prompt, .agent = c->o->llm.o.agent, .threads = c->cli->threads};
    *done = false;
    if (!r->analysis && !r->source)
        return !cli_llm_asked(&c->o->llm) ||
               fail(c->err, GS_E_USAGE, "option '--llm' needs a trace or source code");
    c->explanation = cli_llm_explain(c->cli, &c->o->llm, &of, done, c->err);
    return c->explanation || *done || !c->o->llm.o.preview;
}

static bool run_traces(struct call *c)
{
    struct run_opts ro;
    bool done;
    if (!analyze_run_opts(c, &ro) || !workload_args_unused(&c->o->workload, c->err))
        return false;
    c->run = cli_run(c->cli, &ro, c->err);
    if (!c->run)
        return false;
    if (!explain(c, &done))
        return false;
    if (done)
        return true;
    if (!c->run->analysis)
        return without_trace(c);
    if (!write_report(c))
        return false;
    if (c->o->stats)
        print_stats(c);
    return true;
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    struct analyze_opts *o = settings;
    struct call *c = arena_new(cli->arena, struct call);
    *c = (struct call){.cli = cli, .o = o, .err = err};
    c->out = output_begin(cli, &o->out, RENDERER_CHOICES, err);
    if (!c->out)
        return false;
    if (o->charts && c->out->form != &renderer_markdown)
        return fail(err, GS_E_USAGE, "option '--charts' goes with '--format markdown'");
    clock_gettime(CLOCK_MONOTONIC, &c->begin);
    for (size_t i = 0; i < cli->operands.n; i++)
        vec_push(&o->input, cli->arena, cli->operands.v[i]);
    if (o->input.n && workload_operand(&o->input, cli->arena, &c->workload))
        return only_workload(c);
    struct tally *tables;
    if (!tally_only(&o->input, &tables, cli->seen, cli->arena, err))
        return false;
    if (tables)
        return show_tables(c, tables);
    return run_traces(c);
}

static bool before(struct cli *cli, void *settings, struct gs_error *err)
{
    struct analyze_opts *o = settings;
    cli_llm_form(&o->llm, &o->out);
    return cli_llm_before(cli, &o->llm, err);
}

const struct command command_analyze = {
    .name = "analyze",
    .summary = "where the time went, what can be won back, and how",
    .operands = "[TRACE...]",
    .doc =
        "Loads the trace, accounts for every nanosecond of every GPU, and prints a verdict, the "
        "ledger of GPU time by cause, findings ranked by what they can win (with evidence, how "
        "sure they are, and what to do), hotspots, copies, host calls and more.\n\n"
        "A folder of rocprof-compute (pmc_perf.csv, sysinfo.csv) gives its speed-of-light, "
        "memory chart, roofline and panels instead; see docs/workloads.md. Profiles of rocprof-sys, statistics of rocprof and "
        "rocprofv3 and databases of rocprof-compute are shown as tables; see "
        "docs/formats.md.\n\n"
        "A folder stands for the traces in it and below; several files are one job. The exit "
        "code is 5 when there is nothing to analyze.\n\n"
        "'gpusight explain TERM' says what a number, a cause or a rule means.",
    .examples =
        "gpusight analyze results.db  # the report\n"
        "gpusight analyze --window marker:training results.db  # one part of the run\n"
        "gpusight analyze --iteration 3..5 results.db  # three steps of the program\n"
        "gpusight analyze --format html -o report results.db  # a page with a timeline\n"
        "gpusight analyze --format json -o report results.db  # for programs\n"
        "gpusight analyze --format markdown results.db > ticket.md  # for a ticket\n"
        "gpusight analyze --source-dir src results.db  # with the lines of kernels and waits\n"
        "gpusight analyze --source-dir src  # before the first run: what to capture\n"
        "gpusight analyze --att-dir att results.db  # with stalls by instruction\n"
        "gpusight analyze --format pdf -o report results.db  # pages, with charts\n"
        "gpusight analyze --panel 2 workloads/vcopy/MI300X  # a workload of rocprof-compute",
    .opts = opts,
    .settings_size = sizeof(struct analyze_opts),
    .defaults = defaults,
    .before = before,
    .run = run,
    .spreads = true,
};
