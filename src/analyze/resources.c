#include <math.h>
#include <string.h>

#include "analyze/analysis.h"
#include "analyze/name_groups.h"
#include "analyze/shapes.h"

enum { MAX_KERNELS = 20 };

/* One launch configuration of one of the kernels. */
struct config {
    uint64_t calls;
    int64_t total_ns;
    uint32_t launch;
    uint32_t first, symbol; /* the dispatch that comes first in the file */
};

struct selection {
    const struct analysis *a;
    struct arena *arena;
    uint32_t names[MAX_KERNELS];
    uint8_t *of_symbol;  /* by symbol: place in names, or MAX_KERNELS */
    struct idmap of_key; /* kernel and shape to config */
    VEC(struct config) configs;
    uint32_t last[MAX_KERNELS]; /* most kernels are launched like the time before */
    uint32_t n_configs[MAX_KERNELS], best[MAX_KERNELS];
    size_t n;
};

/* The first names among the hotspots; split hotspots name a kernel more than once. */
static void select_names(struct selection *s)
{
    const struct trace *t = s->a->trace;
    struct idmap place;
    idmap_init(&place, s->arena);
    for (size_t i = 0; i < s->a->hotspots.n && s->n < MAX_KERNELS; i++) {
        uint32_t name = s->a->hotspots.v[i].name_id;
        if (idmap_get(&place, name) != NO_INDEX)
            continue;
        s->last[s->n] = s->best[s->n] = NO_INDEX;
        s->names[s->n] = name;
        idmap_put(&place, name, (uint32_t)s->n++);
    }
    s->of_symbol = arena_array(s->arena, uint8_t, t->symbols.n);
    for (size_t i = 0; i < t->symbols.n; i++) {
        uint32_t k = idmap_get(&place, t->symbols.v[i].name);
        s->of_symbol[i] = (uint8_t)(k == NO_INDEX ? MAX_KERNELS : k);
    }
}

static struct config *config_of(struct selection *s, size_t kernel, uint32_t shape)
{
    if (s->last[kernel] != NO_INDEX && s->configs.v[s->last[kernel]].launch == shape)
        return &s->configs.v[s->last[kernel]];
    uint64_t key = (uint64_t)kernel << 32 | shape;
    uint32_t found = idmap_get(&s->of_key, key);
    if (found == NO_INDEX) {
        found = (uint32_t)s->configs.n;
        vec_push(&s->configs, s->arena, ((struct config){.launch = shape}));
        idmap_put(&s->of_key, key, found);
        s->n_configs[kernel]++;
    }
    s->last[kernel] = found;
    return &s->configs.v[found];
}

static void count_launches(struct selection *s)
{
    const struct trace *t = s->a->trace;
    const uint32_t *rows = kernel_rows(&s->a->view, s->arena);
    for (size_t i = 0; i < s->a->view.n_kernels; i++) {
        uint32_t row = rows[i], launch = kernels_launch_at(t, row);
        uint8_t kernel = s->of_symbol[t->kernels.symbol[row]];
        if (kernel == MAX_KERNELS || launch >= t->launches.n)
            continue;
        struct config *c = config_of(s, kernel, s->a->view.shapes[launch]);
        c->total_ns = add_ns(c->total_ns, kernel_ns(s->a, row));
        if (!c->calls++ || row < c->first) {
            c->first = row;
            c->symbol = t->kernels.symbol[row];
        }
    }
    for (size_t i = 0; i < s->configs.n; i++) { /* the earlier one at a draw */
        uint32_t *best = &s->best[s->of_symbol[s->configs.v[i].symbol]];
        if (*best == NO_INDEX || s->configs.v[i].total_ns > s->configs.v[*best].total_ns)
            *best = (uint32_t)i;
    }
}

static int64_t threads_in(const struct launch *l)
{
    uint64_t n = 1;
    for (int i = 0; i < 3; i++)
        if (__builtin_mul_overflow(n, l->group[i] ? l->group[i] : 1, &n))
            return INT64_MAX;
    return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

static void rate(struct resource_row *r, const struct analysis *a, const struct config *c,
                 struct arena *arena)
{
    uint32_t device = a->trace->streams.v[a->trace->kernels.stream[c->first]].gpu;
    const struct gpu *gpu = device == NO_INDEX ? NULL : &a->trace->gpus.v[device];
    const struct hardware *hw = gpu ? a->hardware[device] : NULL;
    r->occupancy_pct = r->rounds = r->tail_efficiency_pct = NAN;
    r->cu_count = gpu && gpu->cu_count ? gpu->cu_count : hw ? (uint32_t)hw->cu_count : 0;
    struct occupancy_in in = {
        .hw = hw,
        .group_threads = threads_in(&a->trace->launches.v[c->launch]),
        .registers = r->vgpr,
        .accum_registers = r->accum_vgpr,
        .sgprs = r->sgpr,
        .lds_bytes = r->lds_bytes,
        .scratch_bytes = r->scratch_bytes,
        .wave_size = gpu ? (int)gpu->wave_size : 0,
    };
    struct occupancy o;
    if (!r->vgpr || !a->trace->launches.v[c->launch].group[0] || !occupancy_of(&o, &in))
        return; /* not recorded: no limit would look like 100 % */
    r->occupancy_pct = o.percent;
    r->waves_per_cu = (uint32_t)(o.waves / o.cus_per_unit);
    r->max_waves_per_cu = (uint32_t)(o.max_waves / o.cus_per_unit);
    r->limiter = occupancy_limit_label(o.limit);
    r->arithmetic = arena_strdup(arena, o.arithmetic);
    struct tail tail;
    if (!tail_of(&tail, &o, (int)r->cu_count, r->workgroups))
        return;
    r->rounds = (double)tail.groups / (double)tail.resident;
    r->tail_efficiency_pct = tail.efficiency_pct;
}

static const char *sizes(struct arena *arena, const uint32_t *n)
{
    return arena_printf(arena, "%ux%ux%u", n[0], n[1], n[2]);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void add_row(struct analysis *a, const struct selection *s, size_t kernel,
                    struct arena *arena)
{
    if (s->best[kernel] == NO_INDEX)
        return;
    const struct config *c = &s->configs.v[s->best[kernel]];
    const struct symbol *symbol = &a->trace->symbols.v[c->symbol];
    const struct launch *l = &a->trace->launches.v[c->launch];
    struct resource_row r = {
        .name = trace_str(a->trace, s->names[kernel]),
        .vgpr = symbol->vgprs,
        .accum_vgpr = symbol->accum_vgprs,
        .sgpr = symbol->sgprs,
        .lds_bytes = larger(l->lds_bytes, symbol->lds_bytes),
        .scratch_bytes = larger(l->scratch_bytes, symbol->scratch_bytes),
        .block = sizes(arena, l->group),
        .grid = sizes(arena, l->grid),
        .calls = c->calls,
        .total_ns = c->total_ns,
        .configurations = s->n_configs[kernel],
        .workgroups = launch_groups(l),
        .symbol = c->symbol,
        .launch = c->launch,
    };
    rate(&r, a, c, arena);
    vec_push(&a->resources, arena, r);
}

static void run(struct analysis *a, struct arena *arena)
{
    struct selection s = {.a = a};
    s.arena = arena_scratch();
    idmap_init(&s.of_key, s.arena);
    select_names(&s);
    if (s.n)
        count_launches(&s);
    for (size_t i = 0; i < s.n; i++)
        add_row(a, &s, i, arena);
    arena_release(s.arena);
}

#define F(member, type, label, unit, doc) FIELD(struct resource_row, member, type, label, unit, doc)
static const struct field fields[] = {
    F(name, FIELD_TEXT, "kernel", NO_UNIT, "full, demangled name"),
    F(vgpr, FIELD_U32, "VGPRs", NO_UNIT,
      "vector registers a work-item is given (NVIDIA: registers per thread)"),
    F(accum_vgpr, FIELD_U32, "AGPRs", NO_UNIT,
      "accumulation registers a work-item is given (AMD matrix units)"),
    F(sgpr, FIELD_U32, "SGPRs", NO_UNIT, "scalar registers a wave is given"),
    F(lds_bytes, FIELD_U32, "LDS", IN_BYTES,
      "LDS (shared memory) of a work-group: the larger of the dispatch's and the code object's "
      "value"),
    F(scratch_bytes, FIELD_U32, "scratch", IN_BYTES,
      "private memory of a work-item: the larger of the dispatch's and the code object's value"),
    F(block, FIELD_TEXT, "block", NO_UNIT, "work-items in a work-group, x by y by z"),
    F(grid, FIELD_TEXT, "grid", NO_UNIT, "work-items in the whole grid, x by y by z"),
    F(calls, FIELD_U64, "calls", NO_UNIT, "dispatches of this kernel with this configuration"),
    F(total_ns, FIELD_I64, "total", IN_NS,
      "sum of their durations; the configuration with the largest sum is shown"),
    F(configurations, FIELD_U32, "configurations", NO_UNIT,
      "different sets of grid, block, LDS and scratch this kernel was launched with"),
    F(occupancy_pct, FIELD_NUM, "occupancy limit", IN_PERCENT,
      "theoretical: 100 x waves that fit on a unit (CU, WGP or SM) at once / its wave slots; "
      "unknown "
      "when the device or the registers are"),
    F(waves_per_cu, FIELD_U32, "waves/CU", NO_UNIT,
      "waves that fit on a CU (SM) at once; 0 when not known"),
    F(max_waves_per_cu, FIELD_U32, "max waves/CU", NO_UNIT,
      "wave slots of a CU (SM); 0 when not known"),
    F(limiter, FIELD_TEXT, "limited by", NO_UNIT, "the resource that allows the fewest waves"),
    F(arithmetic, FIELD_TEXT, "arithmetic", NO_UNIT, "how occupancy_pct comes about"),
    F(workgroups, FIELD_U64, "work-groups", NO_UNIT,
      "product over x, y and z of ceil(grid / block)"),
    F(rounds, FIELD_NUM, "rounds", NO_UNIT,
      "workgroups / (work-groups that fit on all CUs at once): below 1 the device is never full"),
    F(tail_efficiency_pct, FIELD_NUM, "tail efficiency", IN_PERCENT,
      "100 x workgroups / (ceil(rounds) x work-groups that fit at once): the rest idles in the "
      "last "
      "round"),
    F(cu_count, FIELD_U32, "CUs", NO_UNIT,
      "CUs (SMs) of the GPU, of the trace or else the hardware table"),
};
#undef F

const struct fields resource_fields = FIELDS(
    "kernel_resources",
    "What the top 20 kernels use, in the launch configuration that takes most of their time.",
    struct resource_row, fields);

const struct analysis_kind analysis_resources = {
    .name = "resources",
    .doc = "Which registers, LDS and grid the hottest kernels use, how many waves that leaves room "
           "for, "
           "and how well the grid fills the device.",
    .run = run,
    .tables = ANALYSIS_TABLES(ANALYSIS_ROWS(resource_fields, resources)),
};
