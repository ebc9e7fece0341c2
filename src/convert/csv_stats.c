/* The *_stats files: calls and times by name; domain_stats: by kind of record. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "convert/csv.h"

struct name_stat {
    const char *name;
    uint64_t calls;
    int64_t total_ns, min_ns, max_ns;
    long double squares; /* sum of squares, in the mantissa's 64 bits */
};

struct stat_table {
    const char *file, *domain;
    VEC(struct name_stat) rows;
    struct idmap of;
};

enum { KERNELS, COPIES, ALLOCATIONS, SCRATCH, MARKERS, HIP, HSA, RCCL, ROCDECODE, ROCJPEG, OTHER };
enum { TABLES = OTHER + 1 };

static const char *const files[TABLES][2] = {
    [KERNELS] = {"kernel_stats", "KERNEL_DISPATCH"},
    [COPIES] = {"memory_copy_stats", "MEMORY_COPY"},
    [ALLOCATIONS] = {"memory_allocation_stats", "MEMORY_ALLOCATION"},
    [SCRATCH] = {"scratch_memory_stats", "SCRATCH_MEMORY"},
    [MARKERS] = {"marker_api_stats", "MARKER_API"},
    [HIP] = {"hip_api_stats", "HIP_API"},
    [HSA] = {"hsa_api_stats", "HSA_API"},
    [RCCL] = {"rccl_api_stats", "RCCL_API"},
    [ROCDECODE] = {"rocdecode_api_stats", "ROCDECODE_API"},
    [ROCJPEG] = {"rocjpeg_api_stats", "ROCJPEG_API"},
    [OTHER] = {"regions_stats", "REGIONS"},
};

static void take(struct name_stat *s, int64_t ns)
{
    s->min_ns = !s->calls || ns < s->min_ns ? ns : s->min_ns;
    s->max_ns = !s->calls || ns > s->max_ns ? ns : s->max_ns;
    s->total_ns = add_ns(s->total_ns, ns);
    s->squares += (long double)ns * (long double)ns;
    s->calls++;
}

/* `key` tells names of one table apart. */
static void add(struct stat_table *t, struct arena *a, uint64_t key, const char *name,
                int64_t start, int64_t end)
{
    uint32_t at = idmap_get(&t->of, key);
    if (at == NO_INDEX) {
        at = (uint32_t)t->rows.n;
        vec_push(&t->rows, a, ((struct name_stat){.name = name}));
        idmap_put(&t->of, key, at);
    }
    take(&t->rows.v[at], sub_ns(end, start));
}

static int by_total(const void *a, const void *b)
{
    const struct name_stat *x = a, *y = b;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* As AMD prints numbers: six digits behind the point, below one as a power of ten. */
static void put_real(struct csv_out *w, double v)
{
    char text[64];
    snprintf(text, sizeof(text), fabs(v) >= 1 ? "%.6f" : "%.8e", v);
    csv_put_empty(w);
    sink_puts(&w->s, text);
}

static double deviation(const struct name_stat *s)
{
    if (s->calls < 2)
        return 0;
    long double n = (long double)s->calls, sum = (long double)s->total_ns;
    long double v = (s->squares - sum * sum / n) / (n - 1);
    return (double)sqrtl(v < 0 ? -v : v);
}

static void put_stat(struct csv_out *w, const struct name_stat *s, double all_ns)
{
    char percent[32];
    snprintf(percent, sizeof(percent), "%.2f",
             all_ns > 0 ? 100.0 * (double)s->total_ns / all_ns : 0.0);
    csv_put_text(w, s->name);
    csv_put_uint(w, s->calls);
    csv_put_int(w, s->total_ns);
    put_real(w, (double)s->total_ns / (double)s->calls);
    csv_put_empty(w);
    sink_puts(&w->s, percent);
    csv_put_int(w, s->min_ns);
    csv_put_int(w, s->max_ns);
    put_real(w, deviation(s));
    csv_end_row(w);
}

static bool put_table(struct csv_out *w, const char *file, struct name_stat *rows, size_t n,
                      struct gs_error *err)
{
    double all_ns = 0;
    if (!csv_begin(w, file, "Name Calls TotalDurationNs AverageNs Percentage MinNs MaxNs StdDev",
                   false, err))
        return false;
    qsort(rows, n, sizeof(*rows), by_total);
    for (size_t i = 0; i < n; i++)
        all_ns += (double)rows[i].total_ns;
    for (size_t i = 0; i < n; i++)
        put_stat(w, &rows[i], all_ns);
    return csv_finish(w, err);
}

/* ---- rows ---- */

static int table_of(enum region_kind kind, const char *name)
{
    static const int tables[CSV_DOMAINS] = {
        [CSV_HIP] = HIP,         [CSV_HSA] = HSA,    [CSV_RCCL] = RCCL, [CSV_ROCDECODE] = ROCDECODE,
        [CSV_ROCJPEG] = ROCJPEG, [CSV_OMPT] = OTHER, [CSV_KFD] = OTHER, [CSV_REGIONS] = OTHER};
    return tables[csv_domain(kind, name)];
}

static void add_host(struct csv_out *w, struct stat_table *tables)
{
    const struct trace *t = w->t;
    struct arena *a = w->c->arena;
    const struct regions *r = &t->regions;
    const struct markers *m = &t->markers;
    size_t n = conversion_regions(t);
    for (size_t i = 0; i < n; i++)
        if (conversion_takes(w->c, process_of_thread(t, r->thread[i])))
            add(&tables[table_of(r->kind[i], trace_str(t, r->name[i]))], a, r->name[i],
                trace_str(t, r->name[i]), r->start_ns[i], r->end_ns[i]);
    for (size_t i = 0; i < m->n; i++)
        if (conversion_takes(w->c, process_of_thread(t, m->thread[i])))
            add(&tables[MARKERS], a, m->name[i], trace_str(t, m->name[i]), m->start_ns[i],
                m->end_ns[i]);
}

static void add_device(struct csv_out *w, struct stat_table *tables)
{
    const struct trace *t = w->t;
    struct arena *a = w->c->arena;
    const struct allocations *m = &t->allocations;
    for (size_t i = 0; i < t->kernels.n; i++) {
        const struct launch *l = &t->launches.v[kernels_launch_at(t, i)];
        uint32_t name = t->symbols.v[t->kernels.symbol[i]].name;
        name = w->c->o->kernel_rename && l->rename ? l->rename : name;
        if (conversion_takes(w->c, process_of_kernel(t, i)))
            add(&tables[KERNELS], a, name, trace_str(t, name), t->kernels.start_ns[i],
                t->kernels.end_ns[i]);
    }
    for (size_t i = 0; i < t->copies.n; i++) {
        const char *name = copy_operation(t->copies.kind[i]);
        if (conversion_takes(w->c, process_of_copy(t, i)))
            add(&tables[COPIES], a, (uint64_t)(uintptr_t)name, name, t->copies.start_ns[i],
                t->copies.end_ns[i]);
    }
    for (size_t i = 0; i < m->n; i++) {
        const char *name = alloc_operation(m->op[i], m->level[i]);
        if (conversion_takes(w->c, process_of_thread(t, m->thread[i])))
            add(&tables[m->level[i] == LEVEL_SCRATCH ? SCRATCH : ALLOCATIONS], a,
                (uint64_t)(uintptr_t)name, name, m->start_ns[i], m->end_ns[i]);
    }
}

/* All rows of a table as one. */
static struct name_stat sum_of(const struct stat_table *t)
{
    struct name_stat sum = {.name = t->domain};
    for (size_t i = 0; i < t->rows.n; i++) {
        const struct name_stat *s = &t->rows.v[i];
        sum.min_ns = !sum.calls || s->min_ns < sum.min_ns ? s->min_ns : sum.min_ns;
        sum.max_ns = !sum.calls || s->max_ns > sum.max_ns ? s->max_ns : sum.max_ns;
        sum.total_ns = add_ns(sum.total_ns, s->total_ns);
        sum.squares += s->squares;
        sum.calls += s->calls;
    }
    return sum;
}

bool csv_stats(struct csv_out *w, struct gs_error *err)
{
    struct stat_table tables[TABLES] = {0};
    struct name_stat domains[TABLES];
    size_t n = 0;
    for (int i = 0; i < TABLES; i++) {
        tables[i].file = files[i][0];
        tables[i].domain = files[i][1];
        idmap_init(&tables[i].of, w->c->arena);
    }
    add_host(w, tables);
    add_device(w, tables);
    for (int i = 0; i < TABLES; i++) {
        if (!tables[i].rows.n)
            continue;
        domains[n++] = sum_of(&tables[i]);
        if (!put_table(w, tables[i].file, tables[i].rows.v, tables[i].rows.n, err))
            return false;
    }
    return !n || put_table(w, "domain_stats", domains, n, err);
}
