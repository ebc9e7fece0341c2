#include "analyze/summary.h"

#include <math.h>
#include <stdlib.h>

#include "base/sat.h"
#include "base/str.h"

enum { TOP_KERNELS = 15, TOP_MARKERS = 20, TOP_MPI = 10 };

/* ---- kernels ---- */

struct kernel_sum {
    double registers, lds, threads, capacity, launch_ns, longest_ns;
    uint64_t calls, linked;
    bool has_registers;
};

/* One walk over all dispatches fills in what hotspots do not have. */
struct walk {
    const struct analysis *a;
    struct kernel_sum sums[TOP_KERNELS];
    uint8_t *of_symbol;    /* place in sums, or TOP_KERNELS */
    int64_t *stream_until; /* by stream: latest end of its work so far */
};

static double threads_per_cu(const struct gpu *g, const struct hardware *hw)
{
    if (g->simd_per_cu && g->max_waves_per_simd && g->wave_size)
        return (double)g->simd_per_cu * g->max_waves_per_simd * g->wave_size;
    return hw && hw->waves_per_simd ? (double)hw->simds_per_cu * hw->waves_per_simd * hw->wave_size
                                    : NAN;
}

static double cu_count(const struct gpu *g, const struct hardware *hw)
{
    double n = g->cu_count ? (double)g->cu_count : hw ? (double)hw->cu_count : 0;
    return n > 0 ? n : NAN;
}

static void work_ends(struct walk *w, uint32_t stream, int64_t end)
{
    if (stream < w->a->trace->streams.n && end > w->stream_until[stream])
        w->stream_until[stream] = end;
}

static void add_launch(struct walk *w, struct kernel_sum *s, uint32_t row)
{
    const struct trace *t = w->a->trace;
    uint32_t call = t->kernels.call[row], stream = t->kernels.stream[row];
    if (call >= t->regions.n || stream >= t->streams.n)
        return;
    int64_t ready = t->regions.start_ns[call];
    if (w->stream_until[stream] > ready)
        ready = w->stream_until[stream];
    double ns = fmax(0, (double)sub_ns(t->kernels.start_ns[row], ready));
    s->linked++;
    s->launch_ns += (double)ns;
    s->longest_ns = fmax(s->longest_ns, ns);
}

static void add_dispatch(struct walk *w, struct kernel_sum *s, uint32_t row, double capacity)
{
    const struct trace *t = w->a->trace;
    const struct symbol *symbol = &t->symbols.v[t->kernels.symbol[row]];
    uint32_t launch = kernels_launch_at(t, row), lds = symbol->lds_bytes;
    double threads = NAN;
    if (launch < t->launches.n) {
        const struct launch *l = &t->launches.v[launch];
        lds = l->lds_bytes > lds ? l->lds_bytes : lds;
        threads =
            (double)l->grid[0] * (l->grid[1] ? l->grid[1] : 1) * (l->grid[2] ? l->grid[2] : 1);
    }
    s->calls++;
    s->has_registers |= symbol->vgprs > 0;
    s->registers += symbol->vgprs + symbol->accum_vgprs;
    s->lds += lds;
    s->threads += threads;
    s->capacity += capacity;
    add_launch(w, s, row);
}

static void walk_gpu(struct walk *w, size_t slot)
{
    const struct trace *t = w->a->trace;
    const struct view_gpu *g = &w->a->view.gpus[slot];
    double capacity = NAN;
    if (g->gpu != NO_INDEX)
        capacity = cu_count(&t->gpus.v[g->gpu], w->a->hardware[g->gpu]) *
                   threads_per_cu(&t->gpus.v[g->gpu], w->a->hardware[g->gpu]);
    size_t copy = 0;
    for (size_t i = 0; i < g->n_kernels; i++) {
        uint32_t row = g->kernels[i];
        for (; copy < g->n_copies && t->copies.start_ns[g->copies[copy]] < t->kernels.start_ns[row];
             copy++)
            work_ends(w, t->copies.stream[g->copies[copy]], t->copies.end_ns[g->copies[copy]]);
        uint8_t place = w->of_symbol[t->kernels.symbol[row]];
        if (place < TOP_KERNELS)
            add_dispatch(w, &w->sums[place], row, capacity);
        work_ends(w, t->kernels.stream[row], t->kernels.end_ns[row]);
    }
}

static void summarize_kernels(struct summary *s, struct arena *arena)
{
    const struct analysis *a = s->a;
    const struct trace *t = a->trace;
    struct walk w = {.a = a};
    struct idmap place;
    idmap_init(&place, arena);
    for (size_t i = 0; i < a->hotspots.n && i < TOP_KERNELS; i++)
        idmap_put(&place, a->hotspots.v[i].name_id, (uint32_t)i);
    w.of_symbol = arena_array(arena, uint8_t, t->symbols.n);
    for (size_t i = 0; i < t->symbols.n; i++) {
        uint32_t p = idmap_get(&place, t->symbols.v[i].name);
        w.of_symbol[i] = (uint8_t)(p == NO_INDEX ? TOP_KERNELS : p);
    }
    w.stream_until = arena_array(arena, int64_t, t->streams.n);
    for (size_t i = 0; i < t->streams.n; i++)
        w.stream_until[i] = INT64_MIN;
    for (size_t g = 0; g < a->view.n_gpus; g++)
        walk_gpu(&w, g);
    for (size_t i = 0; i < a->hotspots.n && i < TOP_KERNELS; i++) {
        const struct kernel_sum *k = &w.sums[i];
        double n = (double)k->calls, fill = k->threads / k->capacity;
        struct kernel_summary row = {.hotspot = &a->hotspots.v[i]};
        row.registers = k->has_registers ? k->registers / n : NAN;
        row.lds_bytes = k->has_registers ? k->lds / n : NAN;
        row.wave_fill = fill > 1 ? 1 : fill;
        row.mean_launch_ns = k->linked ? k->launch_ns / (double)k->linked : NAN;
        row.max_launch_ns = k->linked ? k->longest_ns : NAN;
        vec_push(&s->kernels, arena, row);
    }
}

/* ---- devices ---- */

static double known(double v)
{
    return v > 0 ? v : NAN;
}

/* "9.0" for sm_90; AMD's names as they are. */
static const char *capability_of(const char *arch, struct arena *arena)
{
    int digits = str_starts(arch, "sm_") ? atoi(arch + 3) : 0;
    return digits > 0 ? arena_printf(arena, "%d.%d", digits / 10, digits % 10) : arch;
}

static struct device_summary device(const struct analysis *a, size_t slot, struct arena *arena)
{
    const struct trace *t = a->trace;
    const struct gpu *g = &t->gpus.v[a->view.gpus[slot].gpu];
    const struct hardware *hw = a->hardware[a->view.gpus[slot].gpu];
    bool nvidia = g->vendor == VENDOR_NVIDIA;
    struct device_summary d = {.index = g->index};
    d.vendor = nvidia ? "nvidia" : g->vendor == VENDOR_AMD ? "amd" : NULL;
    d.host = trace_str(t, g->host);
    d.name = trace_str(t, g->name);
    d.arch = trace_str(t, g->arch);
    d.capability = capability_of(d.arch, arena);
    d.cu_count = cu_count(g, hw);
    d.threads_per_cu = threads_per_cu(g, hw);
    d.peak_gbps = known(hw ? hw->mem_gbps : 0);
    d.memory_gib = known(g->memory_bytes ? (double)g->memory_bytes / (1 << 30)
                         : hw            ? hw->mem_gib
                                         : 0);
    d.l2_mib = known(hw ? hw->l2_mib : 0);
    d.group_threads = known(hw ? hw->group_threads_max : 0);
    d.group_registers =
        known(hw && nvidia ? (double)hw->registers_per_lane * hw->wave_size * hw->simds_per_cu : 0);
    double lds = known(hw ? hw->lds_group_bytes / 1024.0 : 0);
    d.group_lds_kib = nvidia ? 48 : lds; /* more only for kernels that ask for it */
    d.group_lds_optin_kib = nvidia ? lds : NAN;
    d.clock_mhz = known(g->clock_mhz ? g->clock_mhz : hw ? hw->clock_ghz * 1000 : 0);
    d.utilization_pct =
        percent_of((double)a->ledger.gpus[slot].kernel_ns, (double)a->ledger.window_ns);
    return d;
}

/* ---- the host ---- */

static int by_wall(const void *x, const void *y)
{
    const struct marker_row *a = *(const struct marker_row *const *)x;
    const struct marker_row *b = *(const struct marker_row *const *)y;
    if (a->wall_ns != b->wall_ns)
        return a->wall_ns < b->wall_ns ? 1 : -1;
    return a < b ? -1 : a > b; /* rows of one array */
}

static void select_markers(struct summary *s, struct arena *arena)
{
    for (size_t i = 0; i < s->a->markers.n; i++)
        if (s->a->markers.v[i].wall_ns > 0)
            vec_push(&s->markers, arena, &s->a->markers.v[i]);
    if (s->markers.n)
        qsort(s->markers.v, s->markers.n, sizeof(*s->markers.v), by_wall);
    if (s->markers.n > TOP_MARKERS)
        s->markers.n = TOP_MARKERS;
}

void summary_markers(struct summary *s, const struct analysis *a, struct arena *arena)
{
    *s = (struct summary){.a = a};
    select_markers(s, arena);
}

void summary_make(struct summary *s, const struct analysis *a, struct arena *arena)
{
    *s = (struct summary){.a = a};
    summarize_kernels(s, arena);
    for (size_t g = 0; g < a->view.n_gpus; g++)
        if (a->view.gpus[g].gpu != NO_INDEX)
            vec_push(&s->devices, arena, device(a, g, arena));
    select_markers(s, arena);
    for (size_t i = 0; i < a->api.n && s->mpi.n < TOP_MPI; i++)
        if (a->api.v[i].class == API_COMM)
            vec_push(&s->mpi, arena, &a->api.v[i]);
    s->sync_ns = view_call_time(&a->view, 1u << API_SYNC);
    for (size_t i = 0; i < a->gaps.n; i++)
        s->gap_ns = add_ns(s->gap_ns, a->gaps.v[i].total_ns);
}

/* ---- phases: each is a summary of its own part of the run ---- */

/* What the summary of a phase shows: the rest of the analyses is left out. */
static const struct analysis_kind *const kinds[] = {&analysis_breakdown, &analysis_hotspots,
                                                    &analysis_api, &analysis_gaps};

static void analyze_phase(struct analysis *part, const struct analysis *a, const struct view *whole,
                          const struct phase_row *p, struct arena *arena)
{
    *part = (struct analysis){.trace = a->trace,
                              .arena = arena,
                              .opts = a->opts,
                              .capabilities = a->capabilities,
                              .hardware = a->hardware,
                              .ledger = p->ledger};
    view_slice(&part->view, whole, p->start_ns, p->end_ns, arena);
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        kinds[i]->run(part, arena);
}

void summary_phases(struct summary *s, struct arena *arena)
{
    struct view whole;
    view_to_slice(&whole, &s->a->view, arena);
    for (size_t i = 0; i < s->a->phases.n; i++) {
        struct analysis *part = arena_new(arena, struct analysis);
        struct summary *of = arena_new(arena, struct summary);
        analyze_phase(part, s->a, &whole, &s->a->phases.v[i], arena);
        summary_make(of, part, arena);
        vec_push(&s->phases, arena, ((struct phase_summary){&s->a->phases.v[i], of}));
    }
}
