/*
 * Tier 2: counters joined over passes, derived metrics, speed of light, roofline, what binds each
 * kernel and what is missing to say more.
 */
#include "analyze/counters/counters_in.h"

#include <math.h>

#include "base/fs.h"
#include "base/str.h"

static const struct counter_device *device_of(struct counter_run *r, uint32_t gpu)
{
    struct counter_device *d = &r->devices[gpu == NO_INDEX ? r->a->trace->gpus.n : gpu];
    if (d->made)
        return d;
    static const struct gpu unknown;
    const struct trace *t = r->a->trace;
    const struct gpu *g = gpu == NO_INDEX ? &unknown : &t->gpus.v[gpu];
    metric_device_make(&d->facts, gpu == NO_INDEX ? "" : trace_str(t, g->arch), g,
                       gpu == NO_INDEX ? NULL : r->a->hardware[gpu]);
    metric_set_init(&d->metrics, d->facts.arch, r->arena);
    roof_peaks_theory(&d->peaks, &d->facts);
    d->made = true;
    return d;
}

struct counter_facts counter_facts_of(struct counter_run *r, const struct join_sum *sums,
                                      uint32_t passes, bool joined, uint32_t gpu)
{
    const struct counter_device *d = device_of(r, gpu);
    return (struct counter_facts){.join = &r->join,
                                  .sums = sums,
                                  .passes = passes,
                                  .joined = joined,
                                  .device = &d->facts,
                                  .metrics = &d->metrics,
                                  .arena = r->arena};
}

/* A kernel that ran had waves: a zero here is a counter that was not measured. */
static bool cannot_be_zero(const struct metric_def *d)
{
    return d->group == GROUP_OCCUPANCY || d->metric == METRIC_gpu_busy_pct;
}

static struct counter_value counter_metric_of(const struct counter_facts *f, const struct metric *m)
{
    struct counter_value v = counter_value_of(f, m->formula);
    if (cannot_be_zero(m->def) && v.value <= 0) {
        v.value = NAN;
        v.refused = "zero for a kernel that ran: this GPU did not measure it";
    }
    return v;
}

/* ---- the verdict ---- */

static double roof_value(void *ctx, const struct metric *m)
{
    struct counter_roof *roof = ctx;
    struct counter_value v = counter_metric_of(roof->facts, m);
    if (isnan(v.value))
        return NAN;
    for (int l = 0; l < ROOF_LEVELS; l++)
        if (m->def->metric == roof_level_metrics[l])
            roof->level_passes[l] = v.passes;
    if (m->def->group == GROUP_FLOPS)
        roof->flop_passes |= v.passes;
    else if (m->def->group == GROUP_COMPUTE)
        roof->busy_passes |= v.passes;
    return v.value;
}

/* FLOPs of one pass over bytes of another: only where both ran equally long. */
static void check_intensity(struct counter_roof *roof)
{
    for (int l = 0; l < ROOF_LEVELS; l++) {
        uint32_t both = roof->flop_passes | roof->level_passes[l];
        bool cross = (both & (both - 1)) != 0;
        if (cross && (!roof->facts->joined ||
                      !(counter_spread_pct(roof->facts, both) <= 100 * (PASS_SPREAD_MOST - 1))))
            roof->point.intensity[l] = NAN;
        roof->cross[l] = cross;
    }
}

void counter_roof_make(struct counter_roof *roof, struct counter_run *r,
                       const struct counter_facts *f, uint32_t gpu)
{
    *roof = (struct counter_roof){.facts = f};
    struct roof_source source = {roof_value, roof};
    roof_point_from(&roof->point, f->metrics, &source, &device_of(r, gpu)->peaks,
                    counter_duration(f, f->passes), r->arena);
    check_intensity(roof);
    uint32_t all = roof->flop_passes | roof->busy_passes;
    for (int l = 0; l < ROOF_LEVELS; l++)
        all |= roof->level_passes[l];
    roof->cross_pass = (all & (all - 1)) != 0;
}

double counter_number(const struct counter_facts *f, enum metric_id id)
{
    const struct metric *m = metric_set_find(f->metrics, id);
    return m ? counter_metric_of(f, m).value : NAN;
}

/* ---- rows ---- */

static void add_metric(struct counter_run *r, const struct counter_facts *f, const struct metric *m,
                       const struct counter_kernel *kernel)
{
    struct counter_value v = counter_metric_of(f, m);
    if (isnan(v.value) && !v.refused)
        return; /* the counters were not collected */
    struct counter_metric row = {.rank = kernel->rank,
                                 .kernel = kernel->short_name,
                                 .group = m->def->group,
                                 .metric = m->def->id,
                                 .label = m->def->label,
                                 .unit = m->def->unit,
                                 .value = v.value,
                                 .peak = NAN,
                                 .pct_of_peak = NAN,
                                 .passes = counter_pass_list(v.passes, r->arena),
                                 .cross_pass = v.cross_pass,
                                 .remark = v.refused,
                                 .doc = m->def->doc};
    if (m->peak)
        row.peak = counter_value_of(f, m->peak).value;
    if (row.peak > 0)
        row.pct_of_peak = 100 * v.value / row.peak;
    if (!v.refused && (row.pct_of_peak > 105 || (row.unit == IN_PERCENT && v.value > 105)))
        row.remark = "above what the hardware can do: a counter or the clock is not what it seems";
    else if (!v.refused && v.value < 0)
        row.remark = "below zero: the counters contradict each other";
    vec_push(&r->out->metrics, r->arena, row);
}

static void add_roofline(struct counter_run *r, const struct counter_roof *roof,
                         const struct counter_kernel *kernel, const struct roof_peaks *peaks)
{
    const struct roof_point *p = &roof->point;
    for (int l = 0; l < ROOF_LEVELS; l++) {
        if (isnan(p->bytes[l]))
            continue;
        struct roofline_row row = {kernel->rank,        kernel->short_name,
                                   (enum roof_level)l,  p->bytes[l],
                                   p->intensity[l],     p->gflops,
                                   p->gbps[l],          peaks->gbps[l] > 0 ? peaks->gbps[l] : NAN,
                                   p->bandwidth_pct[l], p->roof_pct[l],
                                   roof->cross[l]};
        vec_push(&r->out->roofline, r->arena, row);
    }
}

static void add_kernel(struct counter_run *r, const struct join_kernel *k)
{
    const struct trace *t = r->a->trace;
    const struct symbol *symbol = &t->symbols.v[k->symbol];
    struct counter_facts f = counter_facts_of(r, k->sums, k->passes, k->joined, k->gpu);
    struct counter_roof roof;
    counter_roof_make(&roof, r, &f, k->gpu);
    struct counter_kernel row = {
        .rank = (uint32_t)r->out->kernels.n + 1,
        .name = trace_str(t, symbol->name),
        .short_name = trace_str(t, symbol->short_name),
        .arch = device_of(r, k->gpu)->facts.arch,
        .dispatches = k->dispatches,
        .unmatched = k->unmatched,
        .passes = counter_pass_list(k->passes, r->arena),
        .duration_ns = counter_duration(&f, k->passes),
        .spread_pct = counter_spread_pct(&f, k->passes),
        .measured_ns = k->total_ns,
        .of = roof.point.level,
        .bound = roof.point.bound,
        .level = roof.point.bound == BOUND_MEMORY ? roof_level_label(roof.point.level) : NULL,
        .why = roof.point.why,
        .cross_pass = roof.cross_pass,
        .occupancy_pct = counter_number(&f, METRIC_occupancy_pct),
        .memory_pct = roof.point.bandwidth_pct[ROOF_HBM],
        .level_pct =
            roof.point.level < ROOF_LEVELS ? roof.point.bandwidth_pct[roof.point.level] : NAN,
        .compute_pct = roof.point.compute_pct,
        .valu_busy_pct = roof.point.valu_busy_pct,
        .mfma_util_pct = roof.point.mfma_util_pct,
        .wait_pct = counter_number(&f, METRIC_wait_pct),
        .l1_hit_pct = counter_number(&f, METRIC_l1_hit_pct),
        .l2_hit_pct = counter_number(&f, METRIC_l2_hit_pct),
        .lds_conflict_pct = counter_number(&f, METRIC_lds_conflict_pct),
        .fabric_gbps = roof.point.gbps[ROOF_HBM],
        .gflops = roof.point.gflops,
        .intensity = roof.point.intensity[ROOF_HBM],
        .not_counted = roof.point.not_known,
        .missing = roof.point.bound == BOUND_UNKNOWN ? counter_missing_text(r, &f) : "",
        .slowest = k->slowest,
        .name_id = symbol->name,
    };
    vec_push(&r->out->kernels, r->arena, row);
    for (size_t i = 0; i < f.metrics->n; i++)
        add_metric(r, &f, &f.metrics->v[i], &row);
    add_roofline(r, &roof, &row, &device_of(r, k->gpu)->peaks);
    if (!metric_set_find(f.metrics, METRIC_occupancy_pct)) /* every family has it */
        r->out->summary.unknown_arch = *row.arch ? row.arch : "not recorded";
}

/* The roofs of each GPU that a kernel shown ran on, once per architecture. */
static void add_roofs(struct counter_run *r, uint32_t gpu)
{
    const struct counter_device *d = device_of(r, gpu);
    const char *name = gpu == NO_INDEX ? "" : trace_str(r->a->trace, r->a->trace->gpus.v[gpu].name);
    for (size_t i = 0; i < r->out->roofs.n; i++)
        if (str_eq(r->out->roofs.v[i].gpu, name))
            return;
    enum roof_origin source = d->peaks.measured ? ROOF_MEASURED : ROOF_THEORY;
    for (int l = 0; l < ROOF_LEVELS; l++)
        if (d->peaks.gbps[l] > 0)
            vec_push(&r->out->roofs, r->arena,
                     ((struct roof_row){name, roof_level_label((enum roof_level)l), ROOF_BANDWIDTH,
                                        (enum roof_level)l, d->peaks.gbps[l], IN_GBPS, source}));
    for (int k = 0; k < FLOP_KINDS; k++)
        if (d->peaks.gflops[k] > 0)
            vec_push(&r->out->roofs, r->arena,
                     ((struct roof_row){name, flop_kind_label((enum flop_kind)k), ROOF_COMPUTE,
                                        ROOF_LEVELS, d->peaks.gflops[k],
                                        flop_kind_unit((enum flop_kind)k), source}));
}

static void add_pass(struct counter_run *r, size_t p)
{
    const struct join_pass *pass = &r->join.passes[p];
    const struct trace *t = r->a->trace;
    struct str names;
    str_init(&names, r->arena);
    for (size_t c = 0; c < r->join.n_counters; c++)
        if (pass->has[c])
            str_printf(&names, "%s%s", names.len ? " " : "", r->join.counters[c].name);
    uint32_t file = t->processes.v[pass->process].file;
    vec_push(&r->out->passes, r->arena,
             ((struct counter_pass_row){
                 (uint32_t)p + 1, file < t->files.n ? fs_basename(t->files.v[file].path) : "",
                 pass->n_processes, pass->dispatches, pass->total_ns, names.buf}));
}

static void summarise(struct counter_run *r)
{
    struct counter_summary *s = &r->out->summary;
    const struct counter_join *j = &r->join;
    s->counters = (uint32_t)j->n_counters;
    s->dispatches = j->n_dispatches;
    for (size_t i = 0; i < j->n_dispatches; i++)
        s->values += j->first[j->dispatches[i].row + 1] - j->first[j->dispatches[i].row];
    s->without_kernel = r->a->trace->counters.n - s->values;
    s->passes = (uint32_t)j->n_passes;
    s->kernels = (uint32_t)j->all_kernels;
    s->kernels_shown = (uint32_t)j->n_kernels;
    s->bad_values = j->bad_values;
    s->odd_dispatches = j->odd_dispatches;
    s->left_out_passes = j->left_out_passes;
    s->times_of = r->a->times_of;
}

static void run(struct analysis *a, struct arena *arena)
{
    struct arena *scratch = arena_scratch();
    struct counter_run r = {.a = a, .out = &a->counters, .arena = arena, .scratch = scratch};
    a->counters = (struct counter_results){.summary = {.unknown_arch = ""}};
    counter_stats_make(&a->counter_stats, a, arena);
    if (!a->trace->counters.n)
        return;
    r.devices = arena_array(arena, struct counter_device, a->trace->gpus.n + 1);
    counter_join_make(&r.join, a, scratch);
    for (size_t p = 0; p < r.join.n_passes; p++)
        add_pass(&r, p);
    for (size_t k = 0; k < r.join.n_kernels; k++) {
        add_kernel(&r, &r.join.kernels[k]);
        add_roofs(&r, r.join.kernels[k].gpu);
    }
    summarise(&r);
    counter_missing_find(&r);
    counter_dispatches_find(&r);
    arena_release(scratch);
}

const struct analysis_kind analysis_counters = {
    .name = "counters",
    .doc = "What hardware counters say about the kernels they were collected for: derived metrics, "
           "how near each part of the GPU is to its peak, roofline, and whether compute, memory or "
           "latency binds; with the counters that are still missing to say so.",
    .run = run,
    .tables = counter_tables,
};
