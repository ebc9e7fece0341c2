#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/fs.h"
#include "base/fs_out.h"
#include "base/human.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/analyze_att.h"
#include "cli/analyze_source.h"
#include "cli/analyze_workload.h"
#include "cli/analyzed.h"
#include "cli/command.h"
#include "render/analysis_json.h"
#include "render/chart_files.h"
#include "render/html/html.h"

struct analyze_opts {
    struct opt_list input, by;
    const char *format, *output, *dir, *json_profile, *prompt, *charts, *source_dir, *sections;
    int64_t top_kernels, timeline_limit;
    double min_duration_us;
    bool json, stats, list_sections;
    struct analyzed_opts in;
    struct workload_args workload;
    struct analyze_att_opts att;
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
    SECTION_OPTS(struct analyze_opts, sections, list_sections),
    OPT_TEXT(struct analyze_opts, prompt, 0, "prompt", "TEXT", "a question, kept in the JSON"),
    WORKLOAD_OPTS(struct analyze_opts, workload),
    OPT_GROUP("Output"),
    OPT_CHOICE(
        struct analyze_opts, format, 0, "format", "text|json|markdown|html|webview|pdf",
        "form of the report (text); html is one page that needs no network, webview the same"),
    OPT_FLAG(struct analyze_opts, json, 0, "json", "the same as --format json"),
    OPT_CHOICE(struct analyze_opts, json_profile, 0, "json-profile", "gpusight|rocinsight",
               "which JSON document: ours, or exactly rocinsight's 0.4.0"),
    OPT_TEXT(struct analyze_opts, output, 'o', "output", "NAME",
             "write to this file; the extension is added when it has none"),
    OPT_TEXT(struct analyze_opts, dir, 'd', "dir", "DIR",
             "write into this folder, which is made; named after the trace unless -o is given"),
    OPT_TEXT(struct analyze_opts, charts, 0, "charts", "DIR",
             "markdown: write charts as SVG into this folder and link them"),
    OPT_FLAG(struct analyze_opts, stats, 0, "stats",
             "print time and memory used, on standard error"),
    OPT_END,
};

static void defaults(void *settings)
{
    struct analyze_opts *o = settings;
    *o = (struct analyze_opts){.format = "text",
                               .json_profile = "gpusight",
                               .top_kernels = 10,
                               .in = ANALYZED_DEFAULTS,
                               .att = {.listing = "block"},
                               .timeline_limit = HTML_TIMELINE_LIMIT};
}

struct call {
    struct cli *cli;
    struct analyze_opts *o;
    struct trace trace;
    struct analyze_source source;
    struct analyze_job job;
    const char *workload; /* folder of rocprof-compute, when it is one */
    struct analyze_att att;
    struct timespec begin;
    struct gs_error *err;
    bool ok;
};

static double seconds(const struct call *c)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - c->begin.tv_sec) + (double)(now.tv_nsec - c->begin.tv_nsec) / 1e9;
}

/* Where the report goes: "-" unless -o or -d say otherwise. */
static bool target_of(struct call *c, const char *extension, const char **target)
{
    const struct analyze_opts *o = c->o;
    struct arena *a = c->cli->arena;
    *target = "-";
    if (!o->output && !o->dir)
        return true;
    const char *name = o->output;
    if (name && str_eq(name, "-") && !o->dir)
        return true;
    if (!name) {
        const char *base = c->trace.files.n ? fs_basename(c->trace.files.v[0].path)
                           : c->workload    ? fs_basename(c->workload)
                                            : "source";
        const char *dot = strrchr(base, '.');
        name = arena_strndup(a, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
    }
    if (!strchr(fs_basename(name), '.') && !str_starts(name, "/dev/"))
        name = arena_printf(a, "%s%s", name, extension);
    if (o->dir && !fs_make_folders(o->dir, a, c->err))
        return false;
    *target = o->dir ? arena_printf(a, "%s/%s", o->dir, name) : name;
    return true;
}

static bool split_options(const struct analyze_opts *o, struct analysis_opts *out,
                          struct gs_error *err)
{
    for (size_t i = 0; i < o->by.n; i++) {
        if (str_eq(o->by.v[i], "gpu"))
            out->by_gpu = true;
        else if (str_eq(o->by.v[i], "process"))
            out->by_process = true;
        else if (str_eq(o->by.v[i], "stream"))
            out->by_stream = true;
        else
            return fail(err, GS_E_USAGE,
                        "option '--by' must be one of gpu|process|stream, not '%s'", o->by.v[i]);
    }
    return true;
}

/* What the JSON document of the analysis is made of. */
struct document {
    const struct analysis *a;
    const struct advice *advice;
    struct analysis_json_opts o;
};

static void write_json(struct jwrite *w, const void *of)
{
    const struct document *d = of;
    analysis_json(w, d->a, d->advice, &d->o);
}

static struct report_form form_of(const struct call *c)
{
    const struct analyze_opts *o = c->o;
    bool to_terminal = !o->output && !o->dir;
    return (struct report_form){.format = o->format,
                                .profile = o->json_profile,
                                .sections = o->sections,
                                .list = o->list_sections,
                                .top = (size_t)o->top_kernels,
                                .text = {c->cli->columns, c->cli->color && to_terminal}};
}

static bool write_doc(struct call *c, const struct document *j, struct str *out)
{
    const struct analyze_opts *o = c->o;
    struct report_form f = form_of(c);
    const char *target;
    struct document page = {j->a, j->advice, {.top_kernels = f.top, .prompt = o->prompt}};
    struct subject s = {.a = j->a,
                        .advice = j->advice,
                        .source = j->o.source,
                        .links = j->o.links,
                        .att = j->o.att,
                        .listing = c->att.listing,
                        .top = f.top};
    struct doc *d = report_doc(&s, analysis_report, &f, c->cli->arena, c->err);
    if (!d)
        return false;
    d->kind = "analysis";
    d->json = write_json;
    d->json_of = &page;
    d->timeline_limit = (uint64_t)o->timeline_limit;
    if (!o->charts)
        return render_doc(out, d, f.format, &f.text, c->err);
    if (!target_of(c, ".md", &target) || !chart_files_write(d, o->charts, c->err))
        return false;
    render_markdown(out, d, chart_files_link(o->charts, target, c->cli->arena));
    return true;
}

static bool write_report(struct call *c, const struct analysis *a, const struct advice *advice,
                         struct str *out)
{
    const struct analyze_opts *o = c->o;
    struct document j = {a, advice, {.top_kernels = (size_t)o->top_kernels, .prompt = o->prompt}};
    if (c->source.used) {
        j.o.source = &c->source.scan;
        j.o.links = &c->source.links;
    }
    j.o.att = c->att.used ? &c->att.att : NULL;
    if (!str_eq(o->format, "json") || o->list_sections)
        return write_doc(c, &j, out);
    struct jwrite w;
    jw_init(&w, out, 2);
    if (str_eq(o->json_profile, "rocinsight"))
        analysis_json_rocinsight(&w, a, advice, &j.o);
    else
        analysis_json(&w, a, advice, &j.o);
    return true;
}

static void print_stats(const struct call *c, double loaded, double analyzed)
{
    char n[HUMAN_MAX], peak[HUMAN_MAX];
    uint64_t events = trace_events(&c->trace);
    fprintf(stderr,
            "stats: %s events, load %.3f s, analysis %.3f s, total %.3f s, peak %s, "
            "%.1f bytes per event\n",
            human_count(n, events), loaded, analyzed - loaded, seconds(c),
            human_bytes(peak, mem_peak()), events ? (double)mem_peak() / (double)events : 0);
}

static bool write_out(struct call *c, const struct str *out)
{
    const char *target;
    const char *extension = str_eq(c->o->format, "json")       ? ".json"
                            : str_eq(c->o->format, "markdown") ? ".md"
                            : str_eq(c->o->format, "html")     ? ".html"
                            : str_eq(c->o->format, "pdf")      ? ".pdf"
                                                               : ".txt";
    if (!target_of(c, extension, &target) || !fs_write(target, out->buf, out->len, c->err))
        return false;
    if (!str_eq(target, "-"))
        fprintf(stderr, "wrote %s\n", target);
    return true;
}

/* --source-dir without a trace. */
static bool only_source(struct call *c)
{
    struct report_form f = form_of(c);
    struct str out;
    str_init(&out, c->cli->arena);
    c->source.prompt = c->o->prompt;
    return analyze_source_report(&c->source, &f, &out, c->err) && write_out(c, &out);
}

/* Options that mean nothing for a workload are not passed over in silence. */
static const char *only_for_traces(const struct analyze_opts *o)
{
    bool profile = !str_eq(o->json_profile, "gpusight");
    return o->in.window         ? "window"
           : o->in.phase        ? "phase"
           : o->in.gpu >= 0     ? "gpu"
           : o->in.process >= 0 ? "process"
           : o->by.n            ? "by"
           : o->source_dir      ? "source-dir"
           : o->charts          ? "charts"
           : profile            ? "json-profile"
                                : NULL;
}

static bool only_workload(struct call *c)
{
    const struct analyze_opts *o = c->o;
    const char *wrong = only_for_traces(o);
    struct report_form f = form_of(c);
    struct workload_report r;
    struct str out;
    char peak[HUMAN_MAX];
    str_init(&out, c->cli->arena);
    if (wrong)
        return fail(c->err, GS_E_USAGE,
                    "option '--%s' needs a trace; '%s' is a workload of rocprof-compute", wrong,
                    c->workload);
    bool ok =
        workload_load(&r, c->cli, c->workload, &o->workload, (size_t)o->top_kernels, c->err) &&
        workload_render(&r, &f, &out, c->err) && write_out(c, &out);
    if (ok && o->stats)
        fprintf(stderr, "stats: %zu dispatches, total %.3f s, peak %s\n", r.w->dispatches.n,
                seconds(c), human_bytes(peak, mem_peak()));
    return ok;
}

/* --att-dir, or a folder with nothing but a thread trace. */
static bool only_att(struct call *c)
{
    struct report_form f = form_of(c);
    struct str out;
    str_init(&out, c->cli->arena);
    c->att.prompt = c->o->prompt;
    return analyze_att_report(&c->att, &f, &out, c->err) && write_out(c, &out);
}

static bool load(struct call *c, const struct opt_list *paths, const struct analysis_opts *ao)
{
    if (analyze_job_load(&c->job, c->cli, &c->trace, paths, c->o->in.reader, c->o->in.rank, ao,
                         c->err))
        return true;
    if (analyze_att_instead(&c->att, &c->o->att, paths, c->err))
        c->ok = only_att(c);
    return false;
}

static void run_analyze(void *ctx)
{
    struct call *c = ctx;
    struct arena *arena = c->cli->arena;
    struct opt_list *paths = &c->o->input;
    for (size_t i = 0; i < c->cli->operands.n; i++)
        vec_push(paths, arena, c->cli->operands.v[i]);
    if (!analyze_source_scan(&c->source, c->o->source_dir, c->cli, c->err) ||
        !analyze_att_asked(&c->att, &c->o->att, c->err))
        return;
    if (!paths->n && c->att.used && c->source.used) {
        fail(c->err, GS_E_USAGE, "options '--att-dir' and '--source-dir' together need a trace");
        return;
    }
    if (!paths->n && c->att.used) {
        c->ok = only_att(c);
        return;
    }
    if (!paths->n && c->source.used) {
        c->ok = only_source(c);
        return;
    }
    if (!paths->n) {
        fail(c->err, GS_E_USAGE, "no trace given; see 'gpusight analyze --help'");
        return;
    }
    if (workload_operand(paths, arena, &c->workload)) {
        c->ok = only_workload(c);
        return;
    }
    struct analysis_opts ao = analyzed_base(c->cli, &c->o->in);
    ao.min_duration_ns = (int64_t)(c->o->min_duration_us * 1000);
    if (!split_options(c->o, &ao, c->err) || !workload_args_unused(&c->o->workload, c->err) ||
        !load(c, paths, &ao) || !analyzed_choose(&ao, &c->o->in, &c->trace, &c->job, c->err))
        return;
    double loaded = seconds(c);
    struct analysis *a = arena_new(arena, struct analysis);
    struct advice advice;
    if (!analyzed_run(a, &advice, &c->trace, &ao, &c->o->in, &c->job, arena, c->err))
        return;
    if (c->source.used)
        source_link(&c->source.links, &c->source.scan, a, &advice, arena);
    analyze_att_beside(&c->att, &c->o->att, a, &advice);
    double analyzed = seconds(c);
    struct str out;
    str_init(&out, arena);
    if (!write_report(c, a, &advice, &out))
        return;
    c->ok = write_out(c, &out);
    if (c->o->stats)
        print_stats(c, loaded, analyzed);
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    struct call c = {.cli = cli, .o = settings, .err = err};
    if (c.o->json)
        c.o->format = "json";
    if (str_eq(c.o->format, "webview"))
        c.o->format = "html";
    if (c.o->charts && !str_eq(c.o->format, "markdown"))
        return fail(err, GS_E_USAGE, "option '--charts' goes with '--format markdown'");
    clock_gettime(CLOCK_MONOTONIC, &c.begin);
    trace_init(&c.trace);
    source_scan_init(&c.source.scan);
    att_init(&c.att.att);
    bool had_memory = mem_guard(run_analyze, &c, err);
    trace_release(&c.trace);
    source_scan_release(&c.source.scan);
    att_release(&c.att.att);
    return had_memory && c.ok;
}

const struct command command_analyze = {
    .name = "analyze",
    .summary = "where the time went, what can be won back, and how",
    .operands = "[TRACE...]",
    .doc = "Loads the trace, accounts for every nanosecond of every GPU, and prints a verdict, the "
           "ledger of GPU time by cause, findings ranked by what they can win (with evidence, how "
           "sure they are, and what to do), hotspots, copies, host calls and more.\n\n"
           "A folder of rocprof-compute (pmc_perf.csv, sysinfo.csv) gives its speed-of-light, "
           "memory chart, roofline and panels instead; see docs/workloads.md.\n\n"
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
    .run = run,
};
