/* The roofline of a workload, drawn by the same chart as that of a trace with counters. */
#include <math.h>

#include "model/names.h"
#include "report/chart/chart.h"
#include "report/workload_report.h"

static bool kind_used(const struct workload_report *r, int kind)
{
    for (size_t i = 0; i < r->kernels.n; i++)
        if (r->kernels.v[i].roof.flops[kind] > 0)
            return true;
    return kind == FLOP_FP32 || kind == FLOP_FP64 || kind == FLOP_MAT_FP16;
}

static void add_roofs(struct counter_results *c, const struct workload_report *r, struct arena *a)
{
    struct roof_row row = {.gpu = r->w->system.model,
                           .source = r->peaks.measured ? ROOF_MEASURED : ROOF_THEORY};
    for (int l = 0; l < ROOF_LEVELS; l++) {
        row.roof = roof_level_label((enum roof_level)l);
        row.kind = ROOF_BANDWIDTH;
        row.level = (enum roof_level)l;
        row.unit = IN_GBPS;
        row.peak = r->peaks.gbps[l];
        if (row.peak > 0)
            vec_push(&c->roofs, a, row);
    }
    for (int k = 0; k < FLOP_KINDS; k++) {
        row.roof = flop_kind_label((enum flop_kind)k);
        row.kind = ROOF_COMPUTE;
        row.unit = IN_GFLOPS;
        row.peak = r->peaks.gflops[k];
        if (row.peak > 0 && k != FLOP_MAT_INT8 && kind_used(r, k))
            vec_push(&c->roofs, a, row);
    }
}

void workload_roofline(struct counter_results *c, const struct workload_report *r, struct arena *a)
{
    add_roofs(c, r, a);
    for (size_t i = 0; i < r->kernels.n; i++)
        for (int l = 0; l < ROOF_LEVELS; l++) {
            const struct workload_view *v = &r->kernels.v[i];
            const struct roof_point *p = &v->roof;
            vec_push(&c->roofline, a,
                     ((struct roofline_row){
                         .rank = (uint32_t)i + 1,
                         .kernel = name_short(a, name_demangle(a, v->name)),
                         .level = (enum roof_level)l,
                         .bytes = p->bytes[l],
                         .intensity = p->intensity[l],
                         .gflops = p->gflops,
                         .gbps = p->gbps[l],
                         .peak_gbps = r->peaks.gbps[l],
                         .bandwidth_pct = p->bandwidth_pct[l],
                         .roof_pct = p->roof_pct[l],
                         .cross_pass = r->w->passes > 1,
                     }));
        }
}

struct draw *workload_roof_draw(const struct workload_report *r, int width_px, struct arena *a)
{
    struct analysis *holder = arena_new(a, struct analysis);
    workload_roofline(&holder->counters, r, a);
    struct chart chart = chart_roofline;
    chart.absent = "no kernel with floating-point operations and a duration";
    return chart_draw(&chart, holder, &(struct chart_opts){.width = width_px}, a);
}

workload_draw_fn *workload_chart(const char *name, struct gs_error *err)
{
    static const struct {
        const char *name;
        workload_draw_fn *draw;
    } known[] = {{"memory", workload_memory_draw}, {"roofline", workload_roof_draw}};
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (str_eq(known[i].name, name))
            return known[i].draw;
    fail(err, GS_E_USAGE, "a workload has the charts memory and roofline, not '%s'", name);
    return NULL;
}
