#include <math.h>
#include <string.h>

#include "base/human.h"
#include "base/sat.h"
#include "base/str.h"
#include "model/names.h"
#include "report/section.h"
#include "report/workload_report.h"
#include "workload/rows.h"

enum { KERNEL_COLUMNS = 3, MISSING_SHOWN = 4 };

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
                 family ? ", " : "", family ? family : "", value_figure(a, s->cu),
                 value_figure(a, s->sclk_mhz), value_figure(a, s->hbm_gbps));
    else
        doc_fact(d, "GPU", "not known");
    if (*s->partition || *s->memory_partition)
        doc_fact(d, "partition", "%s %s", s->partition, s->memory_partition);
    if (*s->program)
        doc_fact(d, "program", "%s", s->program);
    if (*s->rocm)
        doc_fact(d, "ROCm", "%s", s->rocm);
    doc_fact(d, "dispatches", "%zu of %zu, %s", r->all.n, w->dispatches.n,
             isnan(r->all.total_ns) ? "-" : value_ns(a, ns_from(r->all.total_ns + 0.5)));
    doc_fact(d, "measured", "%zu counter%s in %u pass%s over the program", w->counters.n,
             human_s(w->counters.n), w->passes, w->passes == 1 ? "" : "es");
}

static void kernels(struct doc *d, const struct workload_report *r)
{
    workload_kernel_rows rows = workload_kernels(r, d->arena);
    doc_rows(d, RESULT(workload_kernel_fields, rows),
             &(struct rows){.caption = r->n_kernels > r->kernels.n
                                           ? arena_printf(d->arena, "the longest %zu of %zu",
                                                          r->kernels.n, r->n_kernels)
                                           : "longest first",
                            .shown = "rank name dispatches total_ns time_pct mean_ns median_ns "
                                     "bound_by",
                            .names = "name",
                            .empty_too = true});
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

static void metrics(struct doc *d, const struct workload_report *r, int panel, const char *shown,
                    const char *caption)
{
    workload_rows rows = workload_metric_rows(r, panel, d->arena);
    doc_rows(d, RESULT(workload_metric_fields, rows),
             &(struct rows){.key = arena_printf(d->arena, "panel-%d", panel),
                            .caption = caption,
                            .shown = shown,
                            .never = "missing",
                            .empty_too = true});
    say_missing(d, r, panel);
}

static void speed_of_light(struct doc *d, const struct workload_report *r)
{
    doc_section(d, "speed-of-light", "Speed-of-light", "System speed-of-light");
    metrics(d, r, PANEL_SPEED_OF_LIGHT, "metric value weighted unit peak pct_of_peak",
            "mean of the dispatches, of which that of peak is taken; weighted: by what each did");
}

struct speed_row {
    const char *metric, *unit;
    struct {
        double mean, pct;
    } of[KERNEL_COLUMNS];
};

#define T struct speed_row
#define KERNEL(n)                                                                                  \
    WORKLOAD_FIGURE(T, of[(n)-1].mean, "mean_" #n, "#" #n, "mean of kernel " #n),                  \
        WORKLOAD_NUMBER(T, of[(n)-1].pct, "pct_" #n, "#" #n " of peak", IN_PERCENT,                \
                        "the same, of the peak")
PART(speed_fields, T, WORKLOAD_TEXT(T, metric, "metric", "metric", "its name", UNCUT),
     WORKLOAD_TEXT(T, unit, "unit", "unit", "", WORKLOAD_UNIT), KERNEL(1), KERNEL(2), KERNEL(3));
#undef T

static void speed_by_kernel(struct doc *d, const struct workload_report *r)
{
    static const char *const shown[KERNEL_COLUMNS + 1] = {
        "", "", "metric unit mean_1 pct_1 mean_2 pct_2", NULL /* all */};
    size_t n, kernels = r->kernels.n < KERNEL_COLUMNS ? r->kernels.n : KERNEL_COLUMNS;
    const struct workload_metric *m = workload_metrics(&n);
    VEC(struct speed_row) rows = {0};
    if (r->kernels.n < 2)
        return;
    for (size_t i = 0; i < n; i++) {
        struct speed_row row = {m[i].name, workload_unit(r, &m[i]), {{NAN, NAN}}};
        bool any = false;
        for (size_t k = 0; k < kernels; k++) {
            const struct workload_value *v = &r->kernels.v[k].values[i];
            row.of[k].mean = v->mean;
            row.of[k].pct = v->pct;
            any |= !isnan(v->mean);
        }
        if (m[i].panel == PANEL_SPEED_OF_LIGHT && any)
            vec_push(&rows, d->arena, row);
    }
    doc_heading(d, 3, "Speed-of-light by kernel");
    doc_rows(d, RESULT(speed_fields, rows),
             &(struct rows){.key = "speed-by-kernel",
                            .caption = "numbers as in the table of kernels; means",
                            .shown = shown[kernels],
                            .empty_too = true});
}

static void panel(struct doc *d, const struct workload_report *r, const struct workload_panel *p)
{
    doc_section(d, arena_printf(d->arena, "panel-%d", p->id), p->title, "%d. %s", p->id, p->title);
    metrics(d, r, p->id, "metric value min max unit", "over the dispatches");
}

/* A row a channel, a column a metric. */
static void channel_table(struct doc *d, const struct workload_report *r, size_t first, size_t n)
{
    const struct workload_metric *m = workload_metrics(&(size_t){0});
    size_t columns = n - first + 1;
    struct field *list = arena_array(d->arena, struct field, columns);
    struct fields *fields = arena_new(d->arena, struct fields);
    double *cells = arena_array(d->arena, double, columns * r->channels);
    for (size_t k = 0; k < columns; k++)
        list[k] = (struct field){.key = "channel",
                                 .label = "channel",
                                 .doc = "of the L2",
                                 .type = FIELD_NUM,
                                 .style = STYLE_FIGURE,
                                 .offset = k * sizeof(double)};
    for (size_t k = 1; k < columns; k++) {
        const struct workload_metric *of = &m[first + k - 1];
        list[k].key = of->key;
        list[k].label = arena_printf(d->arena, "%s [%s]", of->name, workload_unit(r, of));
        list[k].doc = of->doc;
    }
    for (uint32_t c = 0; c < r->channels; c++) {
        cells[c * columns] = c;
        for (size_t k = 1; k < columns; k++)
            cells[c * columns + k] = r->channel_values[(k - 1) * r->channels + c];
    }
    *fields = (struct fields){"channels", "", list, columns, columns * sizeof(double), NULL};
    doc_rows(d, &(struct result){fields, cells, r->channels, false},
             &(struct rows){.caption = "means over the dispatches", .empty_too = true});
}

static void channels(struct doc *d, const struct workload_report *r)
{
    size_t n, first = 0;
    const struct workload_metric *m = workload_metrics(&n);
    while (first < n && m[first].panel != PANEL_CHANNELS)
        first++;
    doc_section(d, "channels", workload_panel(PANEL_CHANNELS)->title, "%d. %s", PANEL_CHANNELS,
                workload_panel(PANEL_CHANNELS)->title);
    if (r->channels)
        channel_table(d, r, first, n);
    else
        doc_text(d, "The counters of the L2 were not measured by channel.");
}

/* ---- the roofline ---- */

struct peak_row {
    const char *roof;
    double measured, theory;
    enum unit unit;
};

#define T struct peak_row
PART(peak_fields, T, WORKLOAD_TEXT(T, roof, "roof", "roof", "memory, or type of number", UNCUT),
     WORKLOAD_FIGURE(T, measured, "measured", "measured", "by a benchmark on this GPU"),
     WORKLOAD_FIGURE(T, theory, "theory", "theory", "clock times width"),
     FIELD(T, unit, FIELD_ENUM, "unit", NO_UNIT, "", .words = unit_words, UNCUT));
#undef T

static void roof_peaks(struct doc *d, const struct workload_report *r)
{
    VEC(struct peak_row) rows = {0};
    for (int i = 0; i < ROOF_LEVELS + FLOP_KINDS; i++) {
        bool level = i < ROOF_LEVELS;
        enum flop_kind k = level ? 0 : (enum flop_kind)(i - ROOF_LEVELS);
        double used = level ? r->peaks.gbps[i] : r->peaks.gflops[k];
        double theory = level ? r->theory.gbps[i] : r->theory.gflops[k];
        bool measured = r->peaks.measured && (used < theory || used > theory);
        struct peak_row row = {.roof = level ? roof_level_label((enum roof_level)i)
                                             : flop_kind_label(k),
                               .measured = measured ? used : NAN,
                               .theory = theory > 0 ? theory : NAN,
                               .unit = level ? IN_GBPS : flop_kind_unit(k)};
        if (used > 0)
            vec_push(&rows, d->arena, row);
    }
    doc_rows(d, RESULT(peak_fields, rows),
             &(struct rows){
                 .key = "peaks",
                 .caption = r->peaks.measured
                                ? arena_printf(d->arena,
                                               "peaks; measured by micro-benchmarks on device %lld",
                                               (long long)r->w->peaks.v[r->device_row].device)
                                : "peaks; there is no roofline.csv with measured ones",
                 .empty_too = true});
}

static void roof_kernels(struct doc *d, const struct workload_report *r)
{
    workload_kernel_rows rows = workload_kernels(r, d->arena);
    doc_rows(d, RESULT(workload_point_fields, rows),
             &(struct rows){.caption = "kernels: what they compute, of the peaks of its types",
                            .shown = "rank name gflops pct_of_compute bound_by",
                            .names = "name",
                            .empty_too = true});
    for (size_t i = 0; i < r->kernels.n; i++)
        doc_item(d, "#%zu: %s", i + 1, r->kernels.v[i].roof.why);
}

#define T struct roofline_row
PART(traffic_fields, T, FIELD(T, rank, FIELD_U32, "#", NO_UNIT, "of the kernel"),
     FIELD(T, level, FIELD_ENUM, "level", NO_UNIT, "of memory", .words = roof_level_labels, UNCUT),
     FIELD(T, intensity, FIELD_NUM, "intensity", IN_FLOP_PER_BYTE, "operations / bytes"),
     FIELD(T, gbps, FIELD_NUM, "bandwidth", IN_GBPS, "bytes / duration"),
     FIELD(T, bandwidth_pct, FIELD_NUM, "of bandwidth", IN_PERCENT, "of the level's peak"),
     FIELD(T, roof_pct, FIELD_NUM, "of roof", IN_PERCENT, "at this level"));
#undef T

static void roof_traffic(struct doc *d, const struct workload_report *r)
{
    struct counter_results c = {0};
    workload_roofline(&c, r, d->arena);
    doc_rows(d, RESULT(traffic_fields, c.roofline),
             &(struct rows){.key = "traffic",
                            .caption = "kernels: traffic of each level of memory",
                            .empty_too = true});
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
    return sections_doc(s, REPORT_WORKLOAD,
                        arena_printf(arena, "Workload %s", workload_title(s->workload)), sections,
                        arena, err);
}

struct doc *workload_info_doc(const struct workload_report *r, struct arena *a)
{
    struct doc *d = doc_new(a);
    doc_title(d, "Workload %s", workload_title(r));
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
