#include "cli/analyze_workload.h"

#include "render/workload_json.h"

bool workload_operand(const struct opt_list *paths, struct arena *a, const char **dir)
{
    return paths->n == 1 && workload_find(paths->v[0], a, dir);
}

bool workload_args_unused(const struct workload_args *args, struct gs_error *err)
{
    const char *given = args->dispatch   ? "dispatch"
                        : args->panels.n ? "panel"
                        : args->per      ? "per"
                                         : NULL;
    return !given ||
           fail(err, GS_E_USAGE,
                "option '--%s' is for workloads of rocprof-compute, which this is not", given);
}

bool workload_load(struct workload_report *r, struct cli *cli, const char *dir,
                   const struct workload_args *args, size_t top, struct gs_error *err)
{
    struct workload *w = arena_new(cli->arena, struct workload);
    struct workload_opts o = {.top = top};
    if (args) {
        o.kernel = args->kernel;
        o.dispatches = args->dispatch;
        o.per = workload_per_named(args->per);
        o.panels = (const char *const *)args->panels.v;
        o.n_panels = args->panels.n;
    }
    return workload_read(w, dir, cli->arena, err) && workload_evaluate(r, w, &o, cli->arena, err);
}

static struct doc *info_doc_form(const struct report *report)
{
    return workload_info_doc(report->about->workload, report->arena);
}

bool workload_output(struct workload_report *r, struct output *out, struct gs_error *err)
{
    struct subject about = {.workload = r};
    struct report report = report_about(REPORT_WORKLOAD, &about, out->cli->arena);
    return output_report(out, &report, err);
}

bool workload_info(struct output *out, const char *dir, struct gs_error *err)
{
    struct workload_report r;
    struct subject about = {.workload = &r};
    struct report report = report_about(REPORT_WORKLOAD, &about, out->cli->arena);
    report.make = NULL;
    report.doc = info_doc_form;
    return workload_load(&r, out->cli, dir, NULL, 1000, err) && output_named(out, NULL, err) &&
           output_report(out, &report, err);
}

struct draw *workload_plot(struct cli *cli, const char *dir, const char *chart, int width,
                           struct gs_error *err)
{
    struct workload_report r;
    workload_draw_fn *draw = workload_chart(chart, err);
    return draw && workload_load(&r, cli, dir, NULL, 10, err) ? draw(&r, width, cli->arena) : NULL;
}

bool workload_compare_report(struct output *out, const char *dir_a, const char *dir_b, size_t top,
                             struct gs_error *err)
{
    enum { KERNELS = 100 };
    struct cli *cli = out->cli;
    struct workload_report a, b;
    struct workload_comparison c;
    struct subject about = {.workloads = &c, .top = top};
    struct report report = report_about(REPORT_WORKLOADS, &about, cli->arena);
    if (!workload_load(&a, cli, dir_a, NULL, KERNELS, err) ||
        !workload_load(&b, cli, dir_b, NULL, KERNELS, err))
        return false;
    workload_compare(&c, &a, &b, cli->arena);
    return output_named(out, NULL, err) && output_report(out, &report, err);
}
