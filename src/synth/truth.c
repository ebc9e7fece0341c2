#include "synth/truth.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/sat.h"

struct truth {
    struct sink sink; /* first */
    struct arena *arena;
    struct names *names;
    VEC(struct truth_process) processes;
    VEC(struct truth_kernel) kernels;
    struct idmap kernel_of;
    struct truth_process total;
};

static struct truth *self(struct sink *s)
{
    return (struct truth *)s;
}

/* --- unions ------------------------------------------------------------------------------ */

static int by_start(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* Sorts the list and returns the length of its union; empty and negative spans count as 0. */
static int64_t truth_union(struct spans *s)
{
    if (!s->n)
        return 0;
    qsort(s->v, s->n, sizeof(*s->v), by_start);
    int64_t sum = 0, reached = INT64_MIN;
    for (size_t i = 0; i < s->n; i++) {
        int64_t from = s->v[i].start > reached ? s->v[i].start : reached;
        if (s->v[i].end > from) {
            sum = add_ns(sum, sub_ns(s->v[i].end, from));
            reached = s->v[i].end;
        }
    }
    return sum;
}

/* --- records ----------------------------------------------------------------------------- */

static unsigned begin(struct sink *s, int pass, struct names *names)
{
    (void)pass;
    self(s)->names = names;
    return WANT_ALL;
}

static void on_process(struct sink *s, const struct rec_process *r)
{
    struct truth_process p = {.rec = *r, .host = names_text(self(s)->names, r->host)};
    p.all = p.gpu_window = (struct span){INT64_MAX, INT64_MIN};
    vec_push(&self(s)->processes, self(s)->arena, p);
}

static void on_agent(struct sink *s, const struct rec_agent *r)
{
    if (r->gpu)
        *vec_add(&self(s)->processes.v[r->process].gpus, self(s)->arena) = (struct truth_gpu){0};
}

static void widen(struct span *s, int64_t start, int64_t end)
{
    if (start < s->start)
        s->start = start;
    if (end > s->end)
        s->end = end;
}

static void on_region(struct sink *s, const struct rec_region *r)
{
    struct truth_process *p = &self(s)->processes.v[r->process];
    struct truth_counts *c = &p->counts;
    widen(&p->all, r->start_ns, r->end_ns);
    if (r->start_ns == r->end_ns)
        c->samples++;
    else
        c->regions++;
    c->markers += r->category == CAT_MARKER;
    c->hip += r->category == CAT_HIP || r->category == CAT_COMPILER;
    c->hsa += r->category == CAT_HSA;
    c->rccl += r->category == CAT_RCCL;
    c->mpi += r->category == CAT_MPI;
    c->arguments += (int64_t)r->arg_n;
}

static void count_name(struct truth *t, const struct rec_kernel *r, int64_t dur)
{
    uint32_t i = idmap_get(&t->kernel_of, r->symbol->name);
    if (i == NO_INDEX) {
        struct name n = names_get(t->names, r->symbol->name);
        struct truth_kernel fresh = {n.s, n.n, 0, 0, INT64_MAX, INT64_MIN};
        i = (uint32_t)t->kernels.n;
        vec_push(&t->kernels, t->arena, fresh);
        idmap_put(&t->kernel_of, r->symbol->name, i);
    }
    struct truth_kernel *k = &t->kernels.v[i];
    k->calls++;
    k->total_ns = add_ns(k->total_ns, dur);
    if (dur < k->min_ns)
        k->min_ns = dur;
    if (dur > k->max_ns)
        k->max_ns = dur;
}

static void add_span(struct truth *t, struct spans *list, int64_t start, int64_t end)
{
    struct span x = {start, end};
    if (end > start)
        vec_push(list, t->arena, x);
}

static void on_kernel(struct sink *s, const struct rec_kernel *r)
{
    struct truth *t = self(s);
    struct truth_process *p = &t->processes.v[r->process];
    struct truth_gpu *g = &p->gpus.v[r->gpu];
    int64_t dur = r->end_ns > r->start_ns ? r->end_ns - r->start_ns : 0;
    widen(&p->all, r->start_ns, r->end_ns);
    widen(&p->gpu_window, r->start_ns, r->end_ns);
    p->counts.kernels++;
    p->counts.zero_kernels += r->end_ns == r->start_ns;
    p->counts.negative_kernels += r->end_ns < r->start_ns;
    g->kernels++;
    g->times.kernel_ns = add_ns(g->times.kernel_ns, dur);
    add_span(t, &g->kernel_spans, r->start_ns, r->end_ns);
    count_name(t, r, dur);
}

static void on_counter(struct sink *s, const struct rec_counter *r)
{
    self(s)->processes.v[r->process].counts.counter_values++;
}

/* A copy occupies the GPU at either end; its bytes count once, at the source if that is a GPU. */
static void on_copy(struct sink *s, const struct rec_copy *r)
{
    struct truth *t = self(s);
    struct truth_process *p = &t->processes.v[r->process];
    int64_t dur = r->end_ns > r->start_ns ? r->end_ns - r->start_ns : 0;
    p->counts.copies++;
    widen(&p->all, r->start_ns, r->end_ns);
    int ends[] = {r->src_gpu, r->dst_gpu == r->src_gpu ? -1 : r->dst_gpu};
    bool counted = false;
    for (int i = 0; i < 2; i++) {
        if (ends[i] < 0)
            continue;
        struct truth_gpu *g = &p->gpus.v[ends[i]];
        widen(&p->gpu_window, r->start_ns, r->end_ns);
        g->copies++;
        g->times.copy_ns = add_ns(g->times.copy_ns, dur);
        add_span(t, &g->copy_spans, r->start_ns, r->end_ns);
        if (!counted)
            g->times.bytes[r->direction] = add_ns(g->times.bytes[r->direction], r->size);
        counted = true;
    }
    if (!counted)
        p->times.bytes[r->direction] =
            add_ns(p->times.bytes[r->direction], r->size); /* host to host */
}

static void on_alloc(struct sink *s, const struct rec_alloc *r)
{
    struct truth_process *p = &self(s)->processes.v[r->process];
    p->counts.allocations++;
    widen(&p->all, r->start_ns, r->end_ns);
}

static void on_sample(struct sink *s, const struct rec_sample *r)
{
    struct truth_process *p = &self(s)->processes.v[r->process];
    p->counts.samples++;
    p->counts.counter_values++;
    widen(&p->all, r->time_ns, r->time_ns);
}

/* --- totals ------------------------------------------------------------------------------ */

static void add_up(int64_t *to, const int64_t *from, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(*to); i++)
        to[i] = add_ns(to[i], from[i]);
}

static void finish_gpu(struct truth *t, struct truth_process *p, struct truth_gpu *g)
{
    struct truth_times *x = &g->times;
    x->kernel_union_ns = truth_union(&g->kernel_spans);
    x->copy_union_ns = truth_union(&g->copy_spans);
    struct spans both = {0};
    for (size_t i = 0; i < g->kernel_spans.n; i++)
        vec_push(&both, t->arena, g->kernel_spans.v[i]);
    for (size_t i = 0; i < g->copy_spans.n; i++)
        vec_push(&both, t->arena, g->copy_spans.v[i]);
    int64_t busy = truth_union(&both);
    x->exposed_copy_ns = sub_ns(busy, x->kernel_union_ns);
    if (p->gpu_window.end > p->gpu_window.start)
        x->idle_ns = sub_ns(sub_ns(p->gpu_window.end, p->gpu_window.start), busy);
    add_up((int64_t *)&p->times, (const int64_t *)x, sizeof(*x));
}

static int by_total(const void *a, const void *b)
{
    const struct truth_kernel *x = a, *y = b;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void finish(struct sink *s, int pass)
{
    (void)pass;
    struct truth *t = self(s);
    struct truth_process *all = &t->total;
    all->all = all->gpu_window = (struct span){INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < t->processes.n; i++) {
        struct truth_process *p = &t->processes.v[i];
        for (size_t k = 0; k < p->gpus.n; k++)
            finish_gpu(t, p, &p->gpus.v[k]);
        add_up((int64_t *)&all->counts, (const int64_t *)&p->counts, sizeof(p->counts));
        add_up((int64_t *)&all->times, (const int64_t *)&p->times, sizeof(p->times));
        widen(&all->all, p->all.start, p->all.end);
        widen(&all->gpu_window, p->gpu_window.start, p->gpu_window.end);
    }
    if (t->kernels.n)
        qsort(t->kernels.v, t->kernels.n, sizeof(*t->kernels.v), by_total);
}

struct truth *truth_new(struct arena *a)
{
    struct truth *t = arena_new(a, struct truth);
    t->arena = a;
    idmap_init(&t->kernel_of, a);
    t->sink = (struct sink){
        .passes = 1,
        .begin = begin,
        .process = on_process,
        .agent = on_agent,
        .region = on_region,
        .kernel = on_kernel,
        .counter = on_counter,
        .copy = on_copy,
        .alloc = on_alloc,
        .sample = on_sample,
        .finish = finish,
    };
    return t;
}

struct sink *truth_sink(struct truth *t)
{
    return &t->sink;
}

size_t truth_processes(const struct truth *t)
{
    return t->processes.n;
}

const struct truth_process *truth_process(const struct truth *t, size_t i)
{
    return &t->processes.v[i];
}

const struct truth_process *truth_total(const struct truth *t)
{
    return &t->total;
}

size_t truth_kernels(const struct truth *t)
{
    return t->kernels.n;
}

const struct truth_kernel *truth_kernel(const struct truth *t, size_t i)
{
    return &t->kernels.v[i];
}
