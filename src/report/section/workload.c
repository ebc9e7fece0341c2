#include <math.h>
#include <string.h>

#include "base/fs.h"
#include "base/human.h"
#include "base/sat.h"
#include "base/str.h"
#include "model/names.h"
#include "report/section.h"
#include "report/workload_report.h"
#include "workload/results.h"

enum { KERNEL_COLUMNS = 3, MISSING_SHOWN = 4 };

const char *workload_number_text(double v, struct arena *a)
{
    char buf[HUMAN_MAX];
    double size = fabs(v);
    if (isnan(v))
        return "-";
    if (size >= 10000 && size < 1e15)
        return arena_printf(a, "%s%s", v < 0 ? "-" : "", human_count(buf, count_from(size + 0.5)));
    if (size >= 1e15)
        return arena_printf(a, "%.3e", v);
    if (size - floor(size) <= 0)
        return arena_printf(a, "%.0f", v + 0.0);
    if (size >= 100)
        return arena_printf(a, "%.1f", v);
    return arena_printf(a, size >= 1 ? "%.2f" : "%.3g", v);
}

static const char *time_text(double ns, struct arena *a)
{
    char buf[HUMAN_MAX];
    return isnan(ns) || ns > 9e18 ? "-" : arena_strdup(a, human_time(buf, ns_from(ns + 0.5)));
}

static const char *pct_text(double pct, struct arena *a)
{
    char buf[HUMAN_MAX];
    return isnan(pct) ? "-" : arena_strdup(a, human_pct(buf, pct));
}

static const char *bound_text(const struct roof_point *p, struct arena *a)
{
    return p->bound == BOUND_MEMORY ? arena_printf(a, "memory (%s)", roof_level_label(p->level))
                                    : bound_label(p->bound);
}

/* ---- what it is ---- */

static void overview(struct doc *d, const struct workload_report *r)
{
    const struct workload *w = r->w;
    const struct workload_system *s = &w->system;
    struct arena *a = d->arena;
    const struct workload_arch *arch = workload_arch(s->arch);
    const char *family = arch && strcmp(arch->family, s->model) != 0 ? arch->family : NULL;
    doc_fact(d, "folder", "%s", w->dir);
    if (*s->model || *s->arch)
        doc_fact(d, "GPU", "%s (%s%s%s), %s CUs at %s MHz, memory %s GB/s",
                 *s->model ? s->model : "not known", *s->arch ? s->arch : "architecture not known",
                 family ? ", " : "", family ? family : "", workload_number_text(s->cu, a),
                 workload_number_text(s->sclk_mhz, a), workload_number_text(s->hbm_gbps, a));
    else
        doc_fact(d, "GPU", "not known");
    if (*s->partition || *s->memory_partition)
        doc_fact(d, "partition", "%s %s", s->partition, s->memory_partition);
    if (*s->program)
        doc_fact(d, "program", "%s", s->program);
    if (*s->rocm)
        doc_fact(d, "ROCm", "%s", s->rocm);
    doc_fact(d, "dispatches", "%zu of %zu, %s", r->all.n, w->dispatches.n,
             time_text(r->all.total_ns, a));
    doc_fact(d, "measured", "%zu counter%s in %u pass%s over the program", w->counters.n,
             human_s(w->counters.n), w->passes, w->passes == 1 ? "" : "es");
}

static void kernels(struct doc *d, const struct workload_report *r)
{
    struct arena *a = d->arena;
    struct block *t =
        doc_table(d, r->n_kernels > r->kernels.n
                         ? arena_printf(a, "the longest %zu of %zu", r->kernels.n, r->n_kernels)
                         : "longest first");
    doc_column(t, "#", COLUMN_NUMBER);
    doc_column(t, "kernel", COLUMN_TEXT);
    doc_column(t, "calls", COLUMN_NUMBER);
    doc_column(t, "total", COLUMN_NUMBER);
    doc_column(t, "share", COLUMN_NUMBER);
    doc_column(t, "mean", COLUMN_NUMBER);
    doc_column(t, "median", COLUMN_NUMBER);
    doc_column(t, "bound by", COLUMN_KEEP);
    for (size_t i = 0; i < r->kernels.n; i++) {
        const struct workload_view *v = &r->kernels.v[i];
        doc_cell(t, "%zu", i + 1);
        doc_cell(t, "%s", name_short(a, name_demangle(a, v->name)));
        doc_cell(t, "%zu", v->n);
        doc_cell(t, "%s", time_text(v->total_ns, a));
        doc_cell(t, "%s", pct_text(v->time_pct, a));
        doc_cell(t, "%s", time_text(v->mean_ns, a));
        doc_cell(t, "%s", time_text(v->median_ns, a));
        doc_cell(t, "%s", bound_text(&v->roof, a));
    }
}

/* ---- panels ---- */

static const char *missing_text(const struct workload_value *v, struct arena *a)
{
    struct str s;
    str_init(&s, a);
    if (!v->n_missing)
        return "divides by 0 in every dispatch";
    str_puts(&s, "needs ");
    for (uint32_t i = 0; i < v->n_missing && i < MISSING_SHOWN; i++)
        str_printf(&s, "%s%s", i ? ", " : "", v->missing[i]);
    if (v->n_missing > MISSING_SHOWN)
        str_printf(&s, " and %u more", v->n_missing - MISSING_SHOWN);
    return s.buf;
}

/* Metrics of a panel without a value, those that lack the same on one line. */
static void say_missing(struct doc *d, const struct workload_report *r, int panel)
{
    struct arena *a = d->arena;
    size_t n;
    const struct workload_metric *m = workload_metrics(&n);
    const char **why = arena_array(a, const char *, n);
    for (size_t i = 0; i < n; i++)
        if (m[i].panel == panel && isnan(r->all.values[i].mean))
            why[i] = missing_text(&r->all.values[i], a);
    bool said = false;
    for (size_t i = 0; i < n; i++) {
        struct str names;
        const char *reason = why[i];
        str_init(&names, a);
        for (size_t k = i; k < n && reason; k++)
            if (why[k] && str_eq(why[k], reason)) {
                str_printf(&names, "%s%s", names.len ? ", " : "", m[k].name);
                why[k] = NULL;
            }
        if (reason && !said)
            doc_text(d, "Not known:");
        if (reason)
            doc_item(d, "%s: %s", names.buf, reason);
        said |= reason != NULL;
    }
}

static void speed_of_light(struct doc *d, const struct workload_report *r)
{
    struct arena *a = d->arena;
    size_t n;
    const struct workload_metric *m = workload_metrics(&n);
    doc_section(d, "speed-of-light", "Speed-of-light", "System speed-of-light");
    struct block *t = doc_table(
        d, "mean of the dispatches, of which % of peak is taken; weighted: by what each did");
    doc_column(t, "metric", COLUMN_KEEP);
    doc_column(t, "mean", COLUMN_NUMBER);
    doc_column(t, "weighted", COLUMN_NUMBER);
    doc_column(t, "unit", COLUMN_KEEP);
    doc_column(t, "peak", COLUMN_NUMBER);
    doc_column(t, "% of peak", COLUMN_NUMBER);
    for (size_t i = 0; i < n; i++) {
        const struct workload_value *v = &r->all.values[i];
        if (m[i].panel != PANEL_SPEED_OF_LIGHT)
            continue;
        doc_cell(t, "%s", m[i].name);
        doc_cell(t, "%s", workload_number_text(v->mean, a));
        doc_cell(t, "%s", workload_number_text(v->weighted, a));
        doc_cell(t, "%s", workload_unit(r, &m[i]));
        doc_cell(t, "%s", workload_number_text(v->peak, a));
        doc_cell(t, "%s", isnan(v->pct) ? "-" : arena_printf(a, "%.1f", v->pct));
    }
    say_missing(d, r, PANEL_SPEED_OF_LIGHT);
}

static void speed_by_kernel(struct doc *d, const struct workload_report *r)
{
    struct arena *a = d->arena;
    size_t n, shown = r->kernels.n < KERNEL_COLUMNS ? r->kernels.n : KERNEL_COLUMNS;
    const struct workload_metric *m = workload_metrics(&n);
    if (r->kernels.n < 2)
        return;
    doc_heading(d, 3, "Speed-of-light by kernel");
    struct block *t = doc_table(d, "numbers as in the table of kernels; means");
    doc_column(t, "metric", COLUMN_KEEP);
    doc_column(t, "unit", COLUMN_KEEP);
    for (size_t k = 0; k < shown; k++) {
        doc_column(t, arena_printf(a, "#%zu", k + 1), COLUMN_NUMBER);
        doc_column(t, "%", COLUMN_NUMBER);
    }
    for (size_t i = 0; i < n; i++) {
        bool any = false;
        for (size_t k = 0; k < shown; k++)
            any |= !isnan(r->kernels.v[k].values[i].mean);
        if (m[i].panel != PANEL_SPEED_OF_LIGHT || !any)
            continue;
        doc_cell(t, "%s", m[i].name);
        doc_cell(t, "%s", workload_unit(r, &m[i]));
        for (size_t k = 0; k < shown; k++) {
            const struct workload_value *v = &r->kernels.v[k].values[i];
            doc_cell(t, "%s", workload_number_text(v->mean, a));
            doc_cell(t, "%s", isnan(v->pct) ? "-" : arena_printf(a, "%.1f", v->pct));
        }
    }
}

static void panel(struct doc *d, const struct workload_report *r, const struct workload_panel *p)
{
    struct arena *a = d->arena;
    size_t n;
    const struct workload_metric *m = workload_metrics(&n);
    doc_section(d, arena_printf(a, "panel-%d", p->id), p->title, "%d. %s", p->id, p->title);
    struct block *t = doc_table(d, "over the dispatches");
    doc_column(t, "metric", COLUMN_KEEP);
    doc_column(t, "mean", COLUMN_NUMBER);
    doc_column(t, "min", COLUMN_NUMBER);
    doc_column(t, "max", COLUMN_NUMBER);
    doc_column(t, "unit", COLUMN_KEEP);
    for (size_t i = 0; i < n; i++) {
        const struct workload_value *v = &r->all.values[i];
        if (m[i].panel != p->id)
            continue;
        doc_cell(t, "%s", m[i].name);
        doc_cell(t, "%s", workload_number_text(v->mean, a));
        doc_cell(t, "%s", workload_number_text(v->least, a));
        doc_cell(t, "%s", workload_number_text(v->most, a));
        doc_cell(t, "%s", workload_unit(r, &m[i]));
    }
    say_missing(d, r, p->id);
}

/* A row a channel; what no channel was asked for has no column. */
static void channels(struct doc *d, const struct workload_report *r)
{
    size_t n, first = 0;
    const struct workload_metric *m = workload_metrics(&n);
    struct arena *a = d->arena;
    while (first < n && m[first].panel != PANEL_CHANNELS)
        first++;
    doc_section(d, "channels", workload_panel(PANEL_CHANNELS)->title, "%d. %s", PANEL_CHANNELS,
                workload_panel(PANEL_CHANNELS)->title);
    if (!r->channels) {
        doc_text(d, "The counters of the L2 were not measured by channel.");
        return;
    }
    struct block *t = doc_table(d, "means over the dispatches");
    doc_column(t, "channel", COLUMN_NUMBER);
    for (size_t i = first; i < n; i++)
        doc_column(t, arena_printf(a, "%s [%s]", m[i].name, workload_unit(r, &m[i])),
                   COLUMN_NUMBER);
    for (uint32_t c = 0; c < r->channels; c++) {
        doc_cell(t, "%u", c);
        for (size_t i = first; i < n; i++) {
            double v = r->channel_values[(i - first) * r->channels + c];
            doc_cell(t, "%s", workload_number_text(v, a));
        }
    }
}

/* ---- the roofline ---- */

static void roof_peaks(struct doc *d, const struct workload_report *r)
{
    struct arena *a = d->arena;
    struct block *t = doc_table(
        d, r->peaks.measured ? arena_printf(a, "peaks; measured by micro-benchmarks on device %lld",
                                            (long long)r->w->peaks.v[r->device_row].device)
                             : "peaks; there is no roofline.csv with measured ones");
    doc_column(t, "roof", COLUMN_KEEP);
    doc_column(t, "measured", COLUMN_NUMBER);
    doc_column(t, "theory", COLUMN_NUMBER);
    doc_column(t, "unit", COLUMN_KEEP);
    for (int i = 0; i < ROOF_LEVELS + FLOP_KINDS; i++) {
        bool level = i < ROOF_LEVELS;
        int k = i - ROOF_LEVELS;
        double used = level ? r->peaks.gbps[i] : r->peaks.gflops[k];
        double theory = level ? r->theory.gbps[i] : r->theory.gflops[k];
        bool measured = r->peaks.measured && (used < theory || used > theory);
        if (!(used > 0))
            continue;
        doc_cell(t, "%s",
                 level ? roof_level_label((enum roof_level)i) : flop_kind_label((enum flop_kind)k));
        doc_cell(t, "%s", measured ? workload_number_text(used, a) : "-");
        doc_cell(t, "%s", theory > 0 ? workload_number_text(theory, a) : "-");
        doc_cell(t, "%s", level ? "GB/s" : k == FLOP_MAT_INT8 ? "GIOP/s" : "GFLOP/s");
    }
}

static const char *tenth(double v, struct arena *a)
{
    return isnan(v) ? "-" : arena_printf(a, "%.1f", v);
}

static void roof_kernels(struct doc *d, const struct workload_report *r)
{
    struct arena *a = d->arena;
    struct block *t = doc_table(d, "kernels: what they compute, of the peaks of its types");
    doc_column(t, "#", COLUMN_NUMBER);
    doc_column(t, "kernel", COLUMN_TEXT);
    doc_column(t, "GFLOP/s", COLUMN_NUMBER);
    doc_column(t, "% of peak", COLUMN_NUMBER);
    doc_column(t, "bound by", COLUMN_KEEP);
    for (size_t i = 0; i < r->kernels.n; i++) {
        const struct workload_view *v = &r->kernels.v[i];
        doc_cell(t, "%zu", i + 1);
        doc_cell(t, "%s", name_short(a, name_demangle(a, v->name)));
        doc_cell(t, "%s", workload_number_text(v->roof.gflops, a));
        doc_cell(t, "%s", tenth(v->roof.flop_pct, a));
        doc_cell(t, "%s", bound_text(&v->roof, a));
    }
    for (size_t i = 0; i < r->kernels.n; i++)
        doc_item(d, "#%zu: %s", i + 1, r->kernels.v[i].roof.why);
}

static void roof_traffic(struct doc *d, const struct workload_report *r)
{
    struct arena *a = d->arena;
    struct block *t = doc_table(d, "kernels: traffic of each level of memory");
    doc_column(t, "#", COLUMN_NUMBER);
    doc_column(t, "level", COLUMN_KEEP);
    doc_column(t, "FLOP per byte", COLUMN_NUMBER);
    doc_column(t, "GB/s", COLUMN_NUMBER);
    doc_column(t, "% of bandwidth", COLUMN_NUMBER);
    doc_column(t, "% of roof", COLUMN_NUMBER);
    for (size_t i = 0; i < r->kernels.n; i++)
        for (int l = 0; l < ROOF_LEVELS; l++) {
            const struct roof_point *p = &r->kernels.v[i].roof;
            doc_cell(t, "%zu", i + 1);
            doc_cell(t, "%s", roof_level_label((enum roof_level)l));
            doc_cell(t, "%s", workload_number_text(p->intensity[l], a));
            doc_cell(t, "%s", workload_number_text(p->gbps[l], a));
            doc_cell(t, "%s", tenth(p->bandwidth_pct[l], a));
            doc_cell(t, "%s", tenth(p->roof_pct[l], a));
        }
}

static void roofline(struct doc *d, const struct workload_report *r)
{
    doc_section(d, "roofline", "Roofline", "Roofline");
    doc_picture(d, workload_roof_draw(r, 0, d->arena), "");
    roof_peaks(d, r);
    roof_kernels(d, r);
    roof_traffic(d, r);
}

static void notes(struct doc *d, const struct workload_report *r)
{
    size_t n, mixed = 0, all = 0;
    workload_metrics(&n);
    for (size_t i = 0; i < n; i++) {
        all += isnan(r->all.values[i].mean) ? 0 : 1;
        mixed += !isnan(r->all.values[i].mean) && r->all.values[i].passes > 1;
    }
    for (size_t i = 0; i < r->notes.n; i++)
        doc_item(d, "%s", r->notes.v[i]);
    if (mixed)
        doc_item(d,
                 "%zu of %zu values divide counters of different passes, that is of different runs "
                 "of the program; the JSON says which",
                 mixed, all);
}

/* ---- the whole ---- */

static const char *title_of(const struct workload_report *r)
{
    const char *name = r->w->system.name;
    return *name ? name : fs_basename(r->w->dir);
}

static void panels(const struct subject *s, struct doc *d)
{
    const struct workload_report *r = s->workload;
    size_t n;
    const struct workload_panel *p = workload_panels(&n);
    for (size_t i = 0; i < n; i++) {
        if (!workload_shows(r, p[i].id))
            continue;
        if (p[i].id == PANEL_SPEED_OF_LIGHT) {
            speed_of_light(d, r);
            speed_by_kernel(d, r);
        } else if (p[i].id == PANEL_MEMORY_CHART) {
            doc_section(d, "memory-chart", p[i].title, "%s", p[i].title);
            doc_picture(d, workload_memory_draw(r, 0, d->arena), workload_memory_text(r, d->arena));
            say_missing(d, r, PANEL_MEMORY_CHART);
            roofline(d, r);
        } else if (p[i].id == PANEL_CHANNELS) {
            channels(d, r);
        } else {
            panel(d, r, &p[i]);
        }
    }
}

static bool has(const struct subject *s)
{
    return s->workload != NULL;
}

static void build_system(const struct subject *s, struct doc *d)
{
    overview(d, s->workload);
}

static void build_kernels(const struct subject *s, struct doc *d)
{
    kernels(d, s->workload);
}

static void build_notes(const struct subject *s, struct doc *d)
{
    notes(d, s->workload);
}

const struct section section_workload_system = {
    "system", "System", "System", IN(REPORT_WORKLOAD), has, build_system};
const struct section section_workload_kernels = {"kernels",           "Kernels", "Top kernels",
                                                 IN(REPORT_WORKLOAD), has,       build_kernels};
const struct section section_workload_panels = {"panels", "Panels", "", IN(REPORT_WORKLOAD),
                                                has,      panels};
const struct section section_workload_notes = {"notes", "Notes",    "Notes", IN(REPORT_WORKLOAD),
                                               has,     build_notes};

struct doc *workload_doc_report(struct subject *s, const char *sections, struct arena *arena,
                                struct gs_error *err)
{
    struct doc *d = doc_new(arena);
    s->kind = REPORT_WORKLOAD;
    doc_title(d, "Workload %s", title_of(s->workload));
    return sections_build(d, s, sections, err) ? d : NULL;
}

struct doc *workload_info_doc(const struct workload_report *r, struct arena *a)
{
    struct doc *d = doc_new(a);
    doc_title(d, "Workload %s", title_of(r));
    doc_fact(d, "format", "%s", "rocprof-compute workload");
    overview(d, r);
    doc_fact(d, "files", "%zu with counters, %s sysinfo.csv, %s roofline.csv", r->w->sheets.n,
             r->w->system.found ? "a" : "no", r->w->peaks.n ? "a" : "no");
    doc_fact(d, "columns", "%zu in pmc_perf.csv, %zu of them not used", r->w->columns,
             r->w->unused);
    doc_section(d, "kernels", "Kernels", "Top kernels");
    kernels(d, r);
    doc_section(d, "notes", "Notes", "Notes");
    notes(d, r);
    return d;
}
