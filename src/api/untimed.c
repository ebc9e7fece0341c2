/*
 * What is no trace, and has no moments: workloads of rocprof-compute, and tables of sums. They have
 * tables and reports; all else of a run needs a trace.
 */
#include <math.h>
#include <string.h>

#include "api/api.h"
#include "base/str.h"
#include "render/renderers.h"
#include "render/workload_json.h"
#include "report/tally_doc.h"
#include "report/workload_report.h"
#include "tally/tally.h"

/* ---- a workload as tables ---- */

static const char *metric_key(const struct workload_metric *m, struct arena *a)
{
    return arena_printf(a, "%d.%s", m->panel, m->key);
}

static void add_values(struct tally *t, const struct workload_report *r,
                       const struct workload_view *v, const char *name)
{
    size_t n;
    const struct workload_metric *metrics = workload_metrics(&n);
    for (size_t i = 0; i < n; i++) {
        const struct workload_value *x = &v->values[i];
        const struct {
            const char *name;
            double value;
        } values[] = {{"mean", x->mean}, {"min", x->least}, {"max", x->most}};
        const struct workload_panel *panel = workload_panel(metrics[i].panel);
        for (size_t k = 0; k < ARRAY_LEN(values) && !isnan(x->mean); k++)
            vec_push(&t->metrics, t->arena,
                     ((struct tally_metric){.file = r->w->dir,
                                            .workload = name,
                                            .kernel = v->kernel == NO_INDEX ? NULL : v->name,
                                            .id = metric_key(&metrics[i], t->arena),
                                            .panel = panel ? panel->title : "",
                                            .table = panel ? panel->title : "",
                                            .metric = metrics[i].name,
                                            .value_name = values[k].name,
                                            .unit = workload_unit(r, &metrics[i]),
                                            .value = values[k].value}));
    }
}

static void add_dispatches(struct tally *t, const struct workload *w, const char *name)
{
    for (size_t i = 0; i < w->dispatches.n; i++) {
        const struct workload_dispatch *d = &w->dispatches.v[i];
        struct tally_dispatch row = {.file = w->dir, .workload = name, .id = d->id, .gpu = d->gpu};
        row.kernel = w->kernels.v[d->kernel].name;
        row.start_ns = row.end_ns = -1;
        row.duration_ns = isnan(d->duration_ns) ? -1 : (int64_t)d->duration_ns;
        vec_push(&t->dispatches, t->arena, row);
    }
}

static struct tally *tables_of(const struct workload_report *r, struct arena *a)
{
    struct tally *t = arena_new(a, struct tally);
    const char *name = workload_title(r);
    t->arena = a;
    vec_push(&t->files, a,
             ((struct tally_file){r->w->dir, "a workload of rocprof-compute", r->w->dispatches.n}));
    add_values(t, r, &r->all, name);
    for (size_t i = 0; i < r->kernels.n; i++) {
        const struct workload_view *v = &r->kernels.v[i];
        vec_push(&t->kernels, a,
                 ((struct tally_kernel){r->w->dir, name, v->name, v->n, v->total_ns, v->mean_ns,
                                        v->least_ns, v->most_ns}));
        add_values(t, r, v, name);
    }
    add_dispatches(t, r->w, name);
    return t;
}

/* ---- opening ---- */

static bool evaluate(struct workload_report *r, const gs_run *run, size_t top, struct arena *a,
                     struct gs_error *err)
{
    struct workload_opts o = run->part;
    o.top = top;
    return workload_evaluate(r, run->workload, &o, a, err);
}

bool api_part_unused(const gs_run *run, struct gs_error *err)
{
    const struct workload_opts *o = &run->part;
    const char *given = o->dispatches  ? "dispatch"
                        : o->n_panels  ? "panel"
                        : o->per_given ? "per"
                                       : NULL;
    return !given ||
           fail(err, GS_E_USAGE,
                "option '%s' is for workloads of rocprof-compute, which this is not", given);
}

bool api_options_fit(const gs_run *run, const struct gs_option *o, const char *own,
                     struct gs_error *err)
{
    static const char *const fine[] = {"analyze", "threads", "reader",
                                       "cache",   "replay",  "findings"};
    static const char *const of_workloads[] = {"kernel", "dispatch", "panel", "per"};
    for (; o && o->name; o++) {
        bool found = own && str_eq(o->name, own);
        for (size_t i = 0; i < ARRAY_LEN(fine); i++)
            found |= str_eq(o->name, fine[i]);
        for (size_t i = 0; run->workload && i < ARRAY_LEN(of_workloads); i++)
            found |= str_eq(o->name, of_workloads[i]);
        if (!found)
            return fail(err, GS_E_USAGE, "option '%s' needs a trace; '%s' is %s", o->name,
                        run->instead.path, run->instead.kind);
    }
    return true;
}

bool api_is_untimed(gs_run *run, const struct run_opts *o, const struct gs_option *options,
                    struct gs_error *err)
{
    struct arena *a = &run->arena;
    struct opt_list left = o->paths;
    const char *dir;
    if (left.n == 1 && workload_find(left.v[0], a, &dir)) {
        struct workload_report *r = arena_new(a, struct workload_report);
        run->workload = arena_new(a, struct workload);
        if (!workload_read(run->workload, dir, a, err) || !evaluate(r, run, SIZE_MAX, a, err))
            return true;
        run->sums = tables_of(r, a);
    } else if (!tally_only(&left, &run->sums, o->seen, a, err)) {
        return true;
    }
    if (!run->sums)
        return false;
    run->instead = (struct api_instead){run->sums->files.v[0].path, run->sums->files.v[0].kind};
    run->run = arena_new(a, struct run);
    run->run->arena = a;
    trace_init_in(&run->run->trace, a);
    run->rows_only = true;
    if (api_options_fit(run, options, NULL, err)) {
        api_list_events(run);
        api_list_tables(run, tally_tables(run->sums, false));
        atomic_store(&run->analyzed, true);
    }
    return true;
}

bool api_has_trace(const gs_run *run, struct gs_error *err)
{
    const struct api_instead *i = &run->instead;
    return !i->kind || fail(err, GS_E_USAGE, "that needs a trace; '%s' is %s", i->path, i->kind);
}

/* ---- reports ---- */

static struct doc *sums_doc(const struct report *r)
{
    return tally_doc(r->ctx, false, r->arena);
}

static void sums_form(const struct report *r, struct jwrite *w, bool in_page)
{
    (void)in_page;
    fields_write(w, NULL, &tally_fields, r->ctx);
}

bool api_render_untimed(const gs_run *run, const char *format, const struct api_form *form,
                        gs_sink_fn *sink, void *ctx, struct arena *a, struct gs_error *err)
{
    struct workload_report r;
    struct subject about = {.workload = &r};
    struct report report = {.arena = a};
    if (run->workload) {
        if (!evaluate(&r, run, (size_t)form->top, a, err))
            return false;
        report = report_about(REPORT_WORKLOAD, &about, a);
    } else {
        report.ctx = run->sums;
        report.doc = sums_doc;
        report.json = sums_form;
        report.kind = "tables";
    }
    return api_render(&report, format, form, sink, ctx, err);
}

const struct draw *api_draw_untimed(const gs_run *run, const char *chart, int width,
                                    struct arena *a, struct gs_error *err)
{
    struct workload_report *r = arena_new(a, struct workload_report);
    if (!run->workload) {
        api_has_trace(run, err);
        return NULL;
    }
    workload_draw_fn *draw = workload_chart(chart, err);
    return draw && evaluate(r, run, 10, a, err) ? draw(r, width, a) : NULL;
}
