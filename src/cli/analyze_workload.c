#include "cli/analyze_workload.h"

#include "render/workload_json.h"

bool workload_operand(const struct opt_list *paths, struct arena *a, const char **dir)
{
    return paths->n == 1 && workload_find(paths->v[0], a, dir);
}

bool workload_args_unused(const struct workload_args *args, struct gs_error *err)
{
    const char *given = args->kernel     ? "kernel"
                        : args->dispatch ? "dispatch"
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
        o.per = args->per;
        o.panels = (const char *const *)args->panels.v;
        o.n_panels = args->panels.n;
    }
    return workload_read(w, dir, cli->arena, err) && workload_evaluate(r, w, &o, cli->arena, err);
}

static void write_json(struct jwrite *w, const void *of)
{
    workload_json(w, of);
}

bool workload_render(const struct workload_report *r, const struct report_form *f, struct str *out,
                     struct gs_error *err)
{
    struct subject about = {.workload = r, .top = f->top};
    if (str_eq(f->format, "json") && !f->list) {
        struct jwrite w;
        jw_init(&w, out, 2);
        workload_json(&w, r);
        str_putc(out, '\n');
        return true;
    }
    struct doc *d = report_doc(&about, workload_doc_report, f, out->arena, err);
    if (!d)
        return false;
    d->kind = "workload";
    d->json = write_json;
    d->json_of = r;
    return render_doc(out, d, f->format, &f->text, err);
}

bool workload_info(struct cli *cli, const char *dir, bool json, struct str *out,
                   struct gs_error *err)
{
    struct workload_report r;
    if (!workload_load(&r, cli, dir, NULL, 1000, err))
        return false;
    struct report_form f = {.format = "json", .text = {cli->columns, cli->color}};
    if (json)
        return workload_render(&r, &f, out, err);
    render_text(out, workload_info_doc(&r, cli->arena), &f.text);
    return true;
}

struct draw *workload_plot(struct cli *cli, const char *dir, const char *chart, int width,
                           struct gs_error *err)
{
    struct workload_report r;
    bool memory = str_eq(chart, "memory");
    if (!memory && !str_eq(chart, "roofline")) {
        fail(err, GS_E_USAGE, "a workload has the charts memory and roofline, not '%s'", chart);
        return NULL;
    }
    if (!workload_load(&r, cli, dir, NULL, 10, err))
        return NULL;
    return memory ? workload_memory_draw(&r, width, cli->arena)
                  : workload_roof_draw(&r, width, cli->arena);
}

static void write_compare_json(struct jwrite *w, const void *of)
{
    workload_compare_json(w, of);
}

bool workload_compare_report(struct cli *cli, const char *dir_a, const char *dir_b,
                             const struct report_form *f, struct str *out, struct gs_error *err)
{
    enum { KERNELS = 100 };
    struct workload_report a, b;
    struct workload_comparison c;
    if (!workload_load(&a, cli, dir_a, NULL, KERNELS, err) ||
        !workload_load(&b, cli, dir_b, NULL, KERNELS, err))
        return false;
    workload_compare(&c, &a, &b, cli->arena);
    if (str_eq(f->format, "json") && !f->list) {
        struct jwrite w;
        jw_init(&w, out, 2);
        workload_compare_json(&w, &c);
        str_putc(out, '\n');
        return true;
    }
    struct subject about = {.workloads = &c, .top = f->top};
    struct doc *d = report_doc(&about, workloads_report, f, cli->arena, err);
    if (!d)
        return false;
    d->kind = "comparison";
    d->json = write_compare_json;
    d->json_of = &c;
    return render_doc(out, d, f->format, &f->text, err);
}
