#include "analyze/domains.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/sat.h"
#include "base/sort.h"
#include "base/str.h"

/* In the order in which they are shown. */
enum domain {
    DOMAIN_KERNELS,
    DOMAIN_COPIES,
    DOMAIN_ALLOCATIONS,
    DOMAIN_SCRATCH,
    DOMAIN_HIP,
    DOMAIN_HSA,
    DOMAIN_RCCL,
    DOMAIN_MPI,
    DOMAIN_OPENMP,
    DOMAIN_ROCDECODE,
    DOMAIN_ROCJPEG,
    DOMAIN_OS,
    DOMAIN_KFD,
    DOMAIN_USER,
    DOMAIN_PYTHON,
    DOMAIN_OTHER,
    DOMAIN_MARKERS,
    DOMAINS
};

static const struct {
    const char *key, *title;
    const char *words; /* of --region-categories */
} infos[DOMAINS] = {
    {"kernels", "Kernels", ""},
    {"memory_copies", "Copies", ""},
    {"memory_allocations", "Allocations", ""},
    {"scratch_memory", "Scratch memory", ""},
    {"hip", "Runtime calls (HIP, CUDA)", " HIP CUDA "},
    {"hsa", "Calls of the layer below (HSA, driver API)", " HSA DRIVER "},
    {"rccl", "Collectives (RCCL, NCCL)", " RCCL NCCL "},
    {"mpi", "MPI", " MPI "},
    {"ompt", "OpenMP", " OMPT OPENMP "},
    {"rocdecode", "rocDecode", " ROCDECODE "},
    {"rocjpeg", "rocJPEG", " ROCJPEG "},
    {"os", "Operating system", " OS "},
    {"kfd", "Kernel driver", " KFD "},
    {"user", "Instrumented functions", " USER "},
    {"python", "Python and framework operations", " PYTHON "},
    {"other", "Other calls", " OTHER "},
    {"markers", "Markers", " MARKER MARKERS "},
};

#define T struct domain_row
#define NUMBERS                                                                                    \
    FIELD(T, calls, FIELD_U64, "Calls", NO_UNIT, "how many", AS_DECIMALS(0)),                      \
        FIELD(T, duration_ns, FIELD_I64, "DURATION (nsec)", IN_NS, "sum of their durations",       \
              AS_DECIMALS(0)),                                                                     \
        FIELD(T, average_ns, FIELD_NUM, "AVERAGE (nsec)", IN_NS, "DURATION / Calls",               \
              AS_DECIMALS(1)),                                                                     \
        FIELD(T, percent, FIELD_NUM, "PERCENT (INC)", IN_PERCENT,                                  \
              "of the durations of all in the table; calls hold one another, so not of the time",  \
              AS_DECIMALS(2)),                                                                     \
        FIELD(T, min_ns, FIELD_I64, "MIN (nsec)", IN_NS, "shortest", AS_DECIMALS(0)),              \
        FIELD(T, max_ns, FIELD_I64, "MAX (nsec)", IN_NS, "longest", AS_DECIMALS(0)),               \
        FIELD(T, std_dev_ns, FIELD_NUM, "STD_DEV", IN_NS,                                          \
              "sqrt(sum((x - mean)^2) / (n - 1)) over all calls; none for a single one",           \
              AS_DECIMALS(1))
#define WHOSE                                                                                      \
    FIELD(T, rank, FIELD_I32, "Rank", NO_UNIT, "MPI rank; none where it is not known",             \
          .null = NULL_MAYBE),                                                                     \
        FIELD(T, pid, FIELD_I64, "ProcessID", NO_UNIT, "process", AS_DECIMALS(0)),                 \
        FIELD(T, hostname, FIELD_TEXT, "Hostname", NO_UNIT, "its host")
#define NAME FIELD(T, name, FIELD_TEXT, "Name", NO_UNIT, "what is summed")
#define COVERED                                                                                    \
    FIELD(                                                                                         \
        T, covered_ns, FIELD_I64, "COVERED (nsec)", IN_NS,                                         \
        "time in which at least one runs: union per GPU or thread, summed; nothing counts twice",  \
        AS_DECIMALS(0))
static const struct field name_list[] = {NAME, NUMBERS};
static const struct field rank_list[] = {WHOSE, NAME, NUMBERS};
static const struct field total_list[] = {NAME, NUMBERS, COVERED};
static const struct field rank_total_list[] = {WHOSE, NAME, NUMBERS, COVERED};
const struct fields domain_name_fields = FIELDS("names", "A domain by name.", T, name_list);
const struct fields domain_rank_fields =
    FIELDS("names_by_rank", "A domain by process and name.", T, rank_list);
const struct fields domain_total_fields = FIELDS(
    "domain_summary", "Each domain as a whole: of all its rows, not of its names.", T, total_list);
const struct fields domain_rank_total_fields =
    FIELDS("domain_summary_by_rank", "Each domain of each process as a whole.", T, rank_total_list);
#undef T

const struct fields *domain_fields(const struct domain_table *t)
{
    if (t->is_domains)
        return t->by_rank ? &domain_rank_total_fields : &domain_total_fields;
    return t->by_rank ? &domain_rank_fields : &domain_name_fields;
}

/* ---- adding up ---- */

/* Mean and squared distances from it by Welford: exact enough where a sum of squares is not. */
struct sums {
    uint32_t process;
    const char *name;
    uint64_t n;
    int64_t total, min, max, covered;
    long double mean, distance;
    double median;
};

static void add(struct sums *s, int64_t ns)
{
    long double x = (long double)ns, from = x - s->mean;
    if (!s->n || ns < s->min)
        s->min = ns;
    if (!s->n || ns > s->max)
        s->max = ns;
    s->n++;
    s->total = add_ns(s->total, ns);
    s->mean += from / (long double)s->n;
    s->distance += from * (x - s->mean);
}

/* A row of any table. */
struct item {
    enum domain domain;
    uint32_t process, lane; /* lane: the GPU or thread it runs on */
    uint32_t name_id;       /* of texts: strings; else NO_INDEX */
    const char *name;
    int64_t start, end;
};

struct group {
    struct idmap of;
    VEC(struct sums) v;
};

struct work {
    const struct trace *t;
    const struct domain_opts *o;
    struct arena *arena, *temporary;
    bool wanted[DOMAINS];
    struct group names[DOMAINS], rank_names[DOMAINS], rank_totals[DOMAINS];
    struct sums totals[DOMAINS];
    VEC(struct item) items[DOMAINS]; /* start, end and lane of each, for what they cover */
};

static struct sums *sums_of(struct work *w, struct group *g, uint32_t process,
                            const struct item *item)
{
    uint64_t name = item ? item->name_id != NO_INDEX ? item->name_id
                                                     : hash_bytes(item->name, strlen(item->name))
                         : 0;
    uint64_t key = hash_u64(name) ^ hash_u64((uint64_t)process + 1);
    uint32_t at = idmap_get(&g->of, key);
    if (at == NO_INDEX) {
        at = (uint32_t)g->v.n;
        idmap_put(&g->of, key, at);
        struct sums *s = vec_add(&g->v, w->temporary);
        s->process = process;
        s->name = item ? item->name : NULL;
    }
    return &g->v.v[at];
}

static void take(struct work *w, const struct item *item)
{
    enum domain d = item->domain;
    int64_t ns = item->end > item->start ? sub_ns(item->end, item->start) : 0;
    if (!w->wanted[d])
        return;
    add(sums_of(w, &w->names[d], NO_INDEX, item), ns);
    add(&w->totals[d], ns);
    if (w->o->by_rank) {
        add(sums_of(w, &w->rank_names[d], item->process, item), ns);
        add(sums_of(w, &w->rank_totals[d], item->process, NULL), ns);
    }
    vec_push(&w->items[d], w->temporary, *item);
}

/* ---- rows ---- */

static uint32_t process_of(const struct trace *t, uint32_t thread)
{
    return thread < t->threads.n ? t->threads.v[thread].process : (uint32_t)t->processes.n;
}

static uint32_t owner(const struct trace *t, uint32_t stream, uint32_t thread)
{
    return stream < t->streams.n ? t->streams.v[stream].process : process_of(t, thread);
}

static uint32_t gpu_lane(const struct trace *t, uint32_t stream)
{
    uint32_t gpu = stream < t->streams.n ? t->streams.v[stream].gpu : NO_INDEX;
    return gpu < t->gpus.n ? gpu : (uint32_t)t->gpus.n;
}

static uint32_t thread_lane(const struct trace *t, uint32_t thread)
{
    return thread < t->threads.n ? thread : (uint32_t)t->threads.n;
}

static void take_work(struct work *w)
{
    static const char *const copies[COPY_KINDS] = {
        [COPY_UNKNOWN] = "MEMORY_COPY_NONE",
        [COPY_H2D] = "MEMORY_COPY_HOST_TO_DEVICE",
        [COPY_D2H] = "MEMORY_COPY_DEVICE_TO_HOST",
        [COPY_D2D] = "MEMORY_COPY_DEVICE_TO_DEVICE",
        [COPY_P2P] = "MEMORY_COPY_PEER_TO_PEER",
        [COPY_H2H] = "MEMORY_COPY_HOST_TO_HOST",
        [COPY_SET] = "MEMORY_SET",
    };
    const struct trace *t = w->t;
    const struct kernels *k = &t->kernels;
    const struct copies *c = &t->copies;
    for (size_t i = 0; i < k->n; i++) {
        const struct symbol *s = &t->symbols.v[k->symbol[i]];
        uint32_t name = w->o->names == KERNELS_SHORT                   ? s->short_name
                        : w->o->names == KERNELS_MANGLED && s->mangled ? s->mangled
                                                                       : s->name;
        take(w, &(struct item){DOMAIN_KERNELS, owner(t, k->stream[i], kernels_thread_at(t, i)),
                               gpu_lane(t, k->stream[i]), name, trace_str(t, name), k->start_ns[i],
                               k->end_ns[i]});
    }
    for (size_t i = 0; i < c->n; i++)
        take(w, &(struct item){DOMAIN_COPIES, owner(t, c->stream[i], copies_thread_at(t, i)),
                               gpu_lane(t, c->stream[i]), NO_INDEX,
                               copies[c->kind[i] < COPY_KINDS ? c->kind[i] : COPY_UNKNOWN],
                               c->start_ns[i], c->end_ns[i]});
}

static void take_allocations(struct work *w)
{
    static const char *const ops[] = {"ALLOC", "FREE", "REALLOC", "RECLAIM"};
    const struct trace *t = w->t;
    const struct allocations *a = &t->allocations;
    for (size_t i = 0; i < a->n; i++)
        take(w, &(struct item){a->level[i] == LEVEL_SCRATCH ? DOMAIN_SCRATCH : DOMAIN_ALLOCATIONS,
                               process_of(t, a->thread[i]), thread_lane(t, a->thread[i]), NO_INDEX,
                               ops[a->op[i] <= ALLOC_RECLAIM ? a->op[i] : ALLOC_ALLOC],
                               a->start_ns[i], a->end_ns[i]});
}

static void take_calls(struct work *w)
{
    static const enum domain domains[REGION_KINDS] = {
        [REGION_OTHER] = DOMAIN_OTHER,      [REGION_HIP] = DOMAIN_HIP,
        [REGION_HIP_COMPILER] = DOMAIN_HIP, [REGION_HSA] = DOMAIN_HSA,
        [REGION_COLLECTIVE] = DOMAIN_RCCL,  [REGION_MPI] = DOMAIN_MPI,
        [REGION_OPENMP] = DOMAIN_OPENMP,    [REGION_OS] = DOMAIN_OS,
        [REGION_MEDIA] = DOMAIN_ROCDECODE,  [REGION_DRIVER] = DOMAIN_KFD,
        [REGION_USER] = DOMAIN_USER,        [REGION_PYTHON] = DOMAIN_PYTHON,
    };
    const struct trace *t = w->t;
    const struct regions *r = &t->regions;
    const struct markers *m = &t->markers;
    size_t n = r->n - t->lifted_calls; /* those stand among the markers, too */
    for (size_t i = 0; i < n; i++) {
        const char *name = trace_str(t, r->name[i]);
        enum domain d = domains[r->kind[i]];
        if (d == DOMAIN_ROCDECODE && (str_starts(name, "rocJpeg") || str_starts(name, "rocjpeg")))
            d = DOMAIN_ROCJPEG;
        take(w, &(struct item){d, process_of(t, r->thread[i]), thread_lane(t, r->thread[i]),
                               r->name[i], name, r->start_ns[i], r->end_ns[i]});
    }
    for (size_t i = 0; i < m->n; i++)
        take(w, &(struct item){DOMAIN_MARKERS, process_of(t, m->thread[i]),
                               thread_lane(t, m->thread[i]), m->name[i], trace_str(t, m->name[i]),
                               m->start_ns[i], m->end_ns[i]});
}

/* ---- what they cover ---- */

static void cover(struct work *w, enum domain d)
{
    const struct trace *t = w->t;
    size_t n = w->items[d].n, lanes = t->threads.n + t->gpus.n + 2;
    struct arena *temporary = arena_child(w->temporary);
    uint32_t *rows = arena_array(temporary, uint32_t, n);
    int64_t *start = arena_array(temporary, int64_t, n);
    /* Of all, then of each process on its own. */
    for (int pass = 0; pass < 1 + w->o->by_rank; pass++) {
        struct idmap until_of;
        VEC(int64_t) until = {0};
        idmap_init(&until_of, temporary);
        for (size_t i = 0; i < n; i++) {
            rows[i] = (uint32_t)i;
            start[i] = w->items[d].v[i].start;
        }
        sort_rows(rows, n, start, temporary);
        for (size_t i = 0; i < n; i++) {
            const struct item *x = &w->items[d].v[rows[i]];
            uint64_t key = (pass ? (uint64_t)x->process + 1 : 0) * lanes + x->lane;
            uint32_t at = idmap_get(&until_of, key);
            if (at == NO_INDEX) {
                at = (uint32_t)until.n;
                idmap_put(&until_of, key, at);
                vec_push(&until, temporary, INT64_MIN);
            }
            int64_t from = x->start > until.v[at] ? x->start : until.v[at];
            if (x->end <= from)
                continue;
            struct sums *s =
                pass ? sums_of(w, &w->rank_totals[d], x->process, NULL) : &w->totals[d];
            s->covered = add_ns(s->covered, sub_ns(x->end, from));
            until.v[at] = x->end;
        }
    }
    arena_release(temporary);
}

/* ---- what is in the middle ---- */

static int by_value(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

static void find_medians(struct work *w, enum domain d)
{
    struct group *g = &w->names[d];
    size_t n = w->items[d].n;
    struct arena *temporary = arena_child(w->temporary);
    int64_t *ns = arena_array(temporary, int64_t, n + 1);
    size_t *next = arena_array(temporary, size_t, g->v.n + 1), from = 0;
    for (size_t i = 0; i < g->v.n; i++) {
        next[i] = from;
        from += g->v.v[i].n;
    }
    for (size_t i = 0; i < n; i++) {
        const struct item *x = &w->items[d].v[i];
        size_t at = (size_t)(sums_of(w, g, NO_INDEX, x) - g->v.v);
        ns[next[at]++] = x->end > x->start ? sub_ns(x->end, x->start) : 0;
    }
    for (size_t i = 0; i < g->v.n; i++) {
        size_t calls = g->v.v[i].n;
        int64_t *v = ns + next[i] - calls;
        qsort(v, calls, sizeof(*v), by_value);
        g->v.v[i].median = ((double)v[(calls - 1) / 2] + (double)v[calls / 2]) / 2;
    }
    arena_release(temporary);
}

/* ---- tables ---- */

static struct domain_row row_of(const struct work *w, const struct sums *s, const char *name)
{
    const struct trace *t = w->t;
    const struct process *p = s->process < t->processes.n ? &t->processes.v[s->process] : NULL;
    return (struct domain_row){
        .pid = p ? p->pid : -1,
        .rank = p ? p->rank : -1,
        .hostname = p ? trace_str(t, p->host) : NULL,
        .name = name,
        .calls = s->n,
        .duration_ns = s->total,
        .average_ns = (double)s->mean,
        .min_ns = s->min,
        .max_ns = s->max,
        .std_dev_ns = s->n > 1 ? (double)sqrtl(s->distance / (long double)(s->n - 1)) : NAN,
        .median_ns = s->median,
        .covered_ns = s->covered,
    };
}

static int by_duration(const void *x, const void *y)
{
    const struct domain_row *a = x, *b = y;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    int host = strcmp(a->hostname ? a->hostname : "", b->hostname ? b->hostname : "");
    if (host)
        return host;
    if (a->duration_ns != b->duration_ns)
        return a->duration_ns > b->duration_ns ? -1 : 1;
    return strcmp(a->name, b->name);
}

static bool same_process(const struct domain_row *a, const struct domain_row *b)
{
    return a->pid == b->pid && a->rank == b->rank &&
           str_eq(a->hostname ? a->hostname : "", b->hostname ? b->hostname : "");
}

/* In order, with shares of each process. */
static void finish(struct domain_table *t)
{
    struct domain_row *v = t->rows.v;
    if (t->rows.n)
        qsort(v, t->rows.n, sizeof(*v), by_duration);
    for (size_t i = 0, end; i < t->rows.n; i = end) {
        int64_t sum = 0;
        for (end = i; end < t->rows.n && same_process(&v[end], &v[i]); end++)
            sum = add_ns(sum, v[end].duration_ns);
        for (size_t k = i; k < end; k++)
            v[k].percent = sum ? 100 * (double)v[k].duration_ns / (double)sum : 0;
    }
}

static void add_table(struct domain_tables *out, struct work *w, enum domain d, bool by_rank)
{
    const struct group *g = by_rank ? &w->rank_names[d] : &w->names[d];
    struct domain_table t = {.title = infos[d].title, .by_rank = by_rank};
    t.key = arena_printf(w->arena, "%s_summary%s", infos[d].key, by_rank ? "_by_rank" : "");
    for (size_t i = 0; i < g->v.n; i++)
        vec_push(&t.rows, w->arena, row_of(w, &g->v.v[i], g->v.v[i].name));
    finish(&t);
    if (t.rows.n)
        vec_push(&out->v, w->arena, t);
}

static const char *upper(const char *key, struct arena *a)
{
    char *s = arena_strdup(a, key);
    for (char *p = s; *p; p++)
        if (*p >= 'a' && *p <= 'z')
            *p = (char)(*p - 'a' + 'A');
    return s;
}

static void add_totals(struct domain_tables *out, struct work *w, bool by_rank)
{
    struct domain_table t = {.title = by_rank ? "Domains by rank" : "Domains",
                             .key = by_rank ? "domain_summary_by_rank" : "domain_summary",
                             .by_rank = by_rank,
                             .is_domains = true};
    for (enum domain d = 0; d < DOMAINS; d++) {
        const char *name = upper(infos[d].key, w->arena);
        w->totals[d].process = NO_INDEX;
        if (!by_rank && w->totals[d].n)
            vec_push(&t.rows, w->arena, row_of(w, &w->totals[d], name));
        for (size_t i = 0; by_rank && i < w->rank_totals[d].v.n; i++)
            vec_push(&t.rows, w->arena, row_of(w, &w->rank_totals[d].v.v[i], name));
    }
    finish(&t);
    if (t.rows.n)
        vec_push(&out->v, w->arena, t);
}

/* "HIP,MPI" or "HIP MPI": the host's domains that are meant. */
static bool choose(struct work *w, const char *words, struct gs_error *err)
{
    for (enum domain d = 0; d < DOMAINS; d++)
        w->wanted[d] = !words || !*infos[d].words;
    for (const char *p = words; p && *p;) {
        size_t n = strcspn(p, ", ");
        const char *word = upper(arena_printf(w->temporary, " %.*s ", (int)n, p), w->temporary);
        bool found = !n || str_eq(word, " NONE ");
        for (enum domain d = 0; n && d < DOMAINS; d++)
            if (strstr(infos[d].words, word))
                found = w->wanted[d] = true;
        if (!found)
            return fail(err, GS_E_USAGE,
                        "no region category is called '%.*s'; there are HIP, HSA, RCCL, MPI, OMPT, "
                        "ROCDECODE, ROCJPEG, OS, KFD, USER, PYTHON, OTHER, MARKER and NONE",
                        (int)n, p);
        p += n;
        p += *p != 0;
    }
    return true;
}

bool domains_make(struct domain_tables *out, const struct trace *t, const struct domain_opts *o,
                  struct arena *a, struct gs_error *err)
{
    struct arena *temporary = arena_scratch();
    struct work *w = arena_new(temporary, struct work);
    *w = (struct work){.t = t, .o = o, .arena = a, .temporary = temporary};
    for (enum domain d = 0; d < DOMAINS; d++) {
        idmap_init(&w->names[d].of, temporary);
        idmap_init(&w->rank_names[d].of, temporary);
        idmap_init(&w->rank_totals[d].of, temporary);
    }
    bool ok = choose(w, o->regions, err);
    if (ok) {
        take_work(w);
        take_allocations(w);
        take_calls(w);
        for (enum domain d = 0; d < DOMAINS; d++) {
            cover(w, d);
            if (o->medians)
                find_medians(w, d);
            add_table(out, w, d, false);
        }
        add_totals(out, w, false);
        for (enum domain d = 0; o->by_rank && d < DOMAINS; d++)
            add_table(out, w, d, true);
        if (o->by_rank)
            add_totals(out, w, true);
    }
    arena_release(temporary);
    return ok;
}
