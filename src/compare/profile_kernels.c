#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/name_groups.h"
#include "analyze/quantile.h"
#include "base/mem.h"
#include "compare/profile.h"

/* ---- durations of the calls of a kernel, counted on one scale for all runs ---- */

int64_t profile_bucket_start(uint32_t bucket)
{
    if (!bucket)
        return 0;
    double start = ceil(exp2((double)(bucket - 1) / PROFILE_OCTAVE));
    return ns_from(start);
}

uint32_t profile_bucket_of(int64_t ns)
{
    if (ns < 1)
        return 0;
    uint32_t b = 1 + (uint32_t)int_from(log2((double)ns) * PROFILE_OCTAVE);
    b = b < PROFILE_BUCKETS ? b : PROFILE_BUCKETS - 1;
    /* A logarithm may be off by a hair; the starts decide. */
    while (b + 1 < PROFILE_BUCKETS && profile_bucket_start(b + 1) <= ns)
        b++;
    while (b > 1 && profile_bucket_start(b) > ns)
        b--;
    return b;
}

void profile_buckets_make(struct profile_buckets *b, const int64_t *v, size_t n,
                          struct arena *arena)
{
    for (size_t i = 0; i < n;) {
        struct profile_bucket row = {profile_bucket_of(v[i]), 0};
        int64_t next =
            row.bucket + 1 < PROFILE_BUCKETS ? profile_bucket_start(row.bucket + 1) : INT64_MAX;
        size_t from = i++;
        while (i < n && (v[i] < next || next == INT64_MAX))
            i++;
        row.count = i - from;
        vec_push(b, arena, row);
    }
}

/* ---- kernels ---- */

/* One kernel name with one grid and group on one GPU. */
struct config {
    uint32_t name, launch; /* launch: one of those with this shape, or NO_INDEX */
    uint32_t gpu;          /* slot of the view */
    size_t calls, first;   /* in durations */
    int64_t total_ns;
};

struct grouping {
    const struct analysis *a;
    struct arena *arena;
    struct name_groups names;
    struct idmap of_key; /* name, shape and GPU to config */
    uint32_t *slot;      /* by stream: slot of its GPU in the view */
    VEC(struct config) configs;
    uint64_t *shape; /* by launch: hash of grid and group */
    const uint32_t *rows;
    uint32_t *of_kernel; /* by place in rows: config */
    uint32_t *order;     /* configs: those of a name side by side, most time first */
    int64_t *durations;
};

static void find_shapes(struct grouping *s)
{
    const struct trace *t = s->a->trace;
    s->shape = arena_array(s->arena, uint64_t, t->launches.n);
    for (size_t i = 0; i < t->launches.n; i++) {
        uint32_t sizes[6];
        memcpy(sizes, t->launches.v[i].grid, 3 * sizeof(*sizes));
        memcpy(sizes + 3, t->launches.v[i].group, 3 * sizeof(*sizes));
        s->shape[i] = hash_bytes(sizes, sizeof(sizes));
    }
}

static void find_slots(struct grouping *s)
{
    const struct trace *t = s->a->trace;
    s->slot = arena_array(s->arena, uint32_t, t->streams.n);
    for (size_t i = 0; i < t->streams.n; i++)
        for (size_t g = 0; g < s->a->view.n_gpus; g++)
            if (s->a->view.gpus[g].gpu == t->streams.v[i].gpu)
                s->slot[i] = (uint32_t)g;
}

static uint32_t config_of(struct grouping *s, uint32_t row)
{
    const struct trace *t = s->a->trace;
    uint32_t name = s->names.of_symbol[t->kernels.symbol[row]], launch = kernels_launch_at(t, row);
    if (launch >= t->launches.n)
        launch = NO_INDEX;
    uint32_t gpu = s->slot[t->kernels.stream[row]];
    uint64_t key =
        hash_u64((uint64_t)gpu << 32 | name) ^ (launch == NO_INDEX ? 0 : s->shape[launch]);
    uint32_t found = idmap_get(&s->of_key, key);
    if (found != NO_INDEX)
        return found;
    found = (uint32_t)s->configs.n;
    vec_push(&s->configs, s->arena, ((struct config){.name = name, .launch = launch, .gpu = gpu}));
    idmap_put(&s->of_key, key, found);
    return found;
}

static void count(struct grouping *s)
{
    size_t n = s->a->view.n_kernels;
    s->rows = kernel_rows(&s->a->view, s->arena);
    s->of_kernel = arena_array(s->arena, uint32_t, n);
    for (size_t i = 0; i < n; i++) {
        s->of_kernel[i] = config_of(s, s->rows[i]);
        struct config *c = &s->configs.v[s->of_kernel[i]];
        c->calls++;
        c->total_ns = add_ns(c->total_ns, kernel_ns(s->a, s->rows[i]));
    }
}

static int by_name_then_time(const void *left, const void *right)
{
    const struct config *x = *(const struct config *const *)left;
    const struct config *y = *(const struct config *const *)right;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void place(struct grouping *s)
{
    size_t n = s->configs.n, sum = 0;
    struct config **sorted = arena_array(s->arena, struct config *, n);
    s->order = arena_array(s->arena, uint32_t, n);
    size_t *at = arena_array(s->arena, size_t, n);
    for (size_t i = 0; i < n; i++)
        sorted[i] = &s->configs.v[i];
    if (n)
        qsort(sorted, n, sizeof(*sorted), by_name_then_time);
    for (size_t i = 0; i < n; i++) {
        s->order[i] = (uint32_t)(sorted[i] - s->configs.v);
        sorted[i]->first = at[s->order[i]] = sum;
        sum += sorted[i]->calls;
    }
    s->durations = arena_array(s->arena, int64_t, sum);
    for (size_t i = 0; i < s->a->view.n_kernels; i++)
        s->durations[at[s->of_kernel[i]]++] = kernel_ns(s->a, s->rows[i]);
}

/* ---- statistics ---- */

static int by_value(const void *left, const void *right)
{
    int64_t x = *(const int64_t *)left, y = *(const int64_t *)right;
    return x < y ? -1 : x > y;
}

void typical_of(int64_t *v, size_t n, double *typical, double *error)
{
    *typical = *error = 0;
    if (!n)
        return;
    qsort(v, n, sizeof(*v), by_value);
    size_t cut = n / 4, middle = n - 2 * cut;
    double base = (double)v[cut], high = (double)(v[n - cut - 1] - v[cut]), sum = 0, squares = 0;
    for (size_t i = cut; i < n - cut; i++) {
        double d = (double)(v[i] - v[cut]);
        sum += d;
        squares += d * d;
    }
    *typical = base + sum / (double)middle;
    if (n < 4) {
        *error = *typical / 20;
        return;
    }
    /* Winsorised: the outer quarters count as the innermost of them. */
    double total = sum + (double)cut * high, all = (double)n;
    double variance = (squares + (double)cut * high * high - total * total / all) / (all - 1);
    *error = variance > 0 ? sqrt(variance / all) * all / (double)middle : 0;
}

static double spread_of(const int64_t *v, size_t n, double mean)
{
    double squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += ((double)v[i] - mean) * ((double)v[i] - mean);
    return sqrt(squares / (double)n);
}

static int64_t deviation_of(const int64_t *v, size_t n, int64_t median, int64_t *room)
{
    for (size_t i = 0; i < n; i++)
        room[i] = v[i] > median ? v[i] - median : median - v[i];
    return percentile(room, n, 50);
}

static double items_of(const struct launch *l)
{
    return (double)l->grid[0] * (double)(l->grid[1] ? l->grid[1] : 1) *
           (double)(l->grid[2] ? l->grid[2] : 1);
}

static void add_configs(struct profile_kernel *k, struct grouping *s, size_t from, size_t to,
                        struct arena *arena)
{
    double items = 0;
    size_t known = 0;
    for (size_t i = from; i < to; i++) {
        const struct config *c = &s->configs.v[s->order[i]];
        if (c->launch == NO_INDEX)
            continue;
        const struct launch *l = &s->a->trace->launches.v[c->launch];
        if (l->grid[0]) {
            items += items_of(l) * (double)c->calls;
            known += c->calls;
        }
        if (k->configs.n == PROFILE_CONFIGS) {
            k->many_configs = true;
            continue;
        }
        struct profile_config row = {c->gpu,      l->grid[0],  l->grid[1],  l->grid[2],
                                     l->group[0], l->group[1], l->group[2], c->calls,
                                     c->total_ns, 0,           0,           0};
        row.std_dev_ns =
            spread_of(s->durations + c->first, c->calls, (double)c->total_ns / (double)c->calls);
        typical_of(s->durations + c->first, c->calls, &row.typical_ns, &row.error_ns);
        vec_push(&k->configs, arena, row);
    }
    k->work_items = known ? items / (double)known : NAN;
}

/* Registers and grid of the launch that takes most time, with what the resources analysis says. */
void profile_resources(struct profile_kernel *k, const struct resource_row *r)
{
    k->vgpr = r->vgpr;
    k->accum_vgpr = r->accum_vgpr;
    k->lds_bytes = r->lds_bytes;
    k->scratch_bytes = r->scratch_bytes;
    k->occupancy_pct = r->occupancy_pct;
}

static void add_resources(struct profile_kernel *k, const struct grouping *s,
                          const struct config *best, struct arena *arena)
{
    const struct trace *t = s->a->trace;
    const struct symbol *symbol = &t->symbols.v[s->names.symbol[best->name]];
    k->vgpr = symbol->vgprs;
    k->accum_vgpr = symbol->accum_vgprs;
    k->lds_bytes = symbol->lds_bytes;
    k->scratch_bytes = symbol->scratch_bytes;
    k->occupancy_pct = NAN;
    for (size_t i = 0; i < s->a->resources.n; i++) {
        const struct resource_row *r = &s->a->resources.v[i];
        if (t->symbols.v[r->symbol].name != symbol->name)
            continue;
        profile_resources(k, r);
    }
    if (best->launch == NO_INDEX || !t->launches.v[best->launch].grid[0])
        return;
    const struct launch *l = &t->launches.v[best->launch];
    k->grid = arena_printf(arena, "%ux%ux%u", l->grid[0], l->grid[1], l->grid[2]);
    k->block = arena_printf(arena, "%ux%ux%u", l->group[0], l->group[1], l->group[2]);
}

static void add_kernel(struct run_profile *p, struct grouping *s, size_t from, size_t to,
                       struct arena *arena)
{
    const struct config *best = &s->configs.v[s->order[from]];
    const struct trace *t = s->a->trace;
    uint32_t symbol = s->names.symbol[best->name];
    struct profile_kernel k = {
        .name = arena_strdup(arena, trace_str(t, t->symbols.v[symbol].name)),
        .short_name = arena_strdup(arena, trace_str(t, t->symbols.v[symbol].short_name)),
        .category = (enum kernel_role)s->a->view.role[symbol],
        .class = (enum kernel_class)s->a->view.kernel_class[symbol],
    };
    k.dependence = 1;
    for (size_t i = from; i < to; i++) { /* before their durations are put in order */
        const struct config *c = &s->configs.v[s->order[i]];
        k.dependence = fmax(k.dependence, dependence_of(s->durations + c->first, c->calls));
    }
    add_configs(&k, s, from, to, arena);
    add_resources(&k, s, best, arena);
    for (size_t i = from; i < to; i++) {
        k.calls += s->configs.v[s->order[i]].calls;
        k.total_duration_ns = add_ns(k.total_duration_ns, s->configs.v[s->order[i]].total_ns);
    }
    int64_t *v = s->durations + best->first;
    k.avg_duration_ns = (double)k.total_duration_ns / (double)k.calls;
    k.std_dev_ns = spread_of(v, k.calls, k.avg_duration_ns);
    typical_of(v, k.calls, &k.typical_ns, &k.error_ns); /* puts them in order */
    profile_buckets_make(&k.durations, v, k.calls, arena);
    k.median_ns = percentile(v, k.calls, 50);
    k.p95_ns = percentile(v, k.calls, 95);
    k.mad_ns = deviation_of(v, k.calls, k.median_ns, arena_array(s->arena, int64_t, k.calls));
    vec_push(&p->kernels, arena, k);
}

static int by_total(const void *left, const void *right)
{
    const struct profile_kernel *x = left, *y = right;
    if (x->total_duration_ns != y->total_duration_ns)
        return x->total_duration_ns > y->total_duration_ns ? -1 : 1;
    return strcmp(x->name, y->name);
}

void profile_kernels_make(struct run_profile *p, const struct analysis *a, struct arena *arena)
{
    struct grouping s = {.a = a};
    s.arena = arena_scratch();
    s.names = a->view.names;
    idmap_init(&s.of_key, s.arena);
    find_shapes(&s);
    find_slots(&s);
    count(&s);
    place(&s);
    for (size_t i = 0, next; i < s.configs.n; i = next) {
        for (next = i + 1; next < s.configs.n; next++)
            if (s.configs.v[s.order[next]].name != s.configs.v[s.order[i]].name)
                break;
        add_kernel(p, &s, i, next, arena);
    }
    if (p->kernels.n)
        qsort(p->kernels.v, p->kernels.n, sizeof(*p->kernels.v), by_total);
    for (size_t i = PROFILE_DURATIONS; i < p->kernels.n; i++)
        p->kernels.v[i].durations = (struct profile_buckets){0};
    arena_release(s.arena);
}
