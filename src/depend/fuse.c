#include "depend/fuse.h"

#include <math.h>
#include <string.h>

#include "base/sat.h"
#include "base/sort.h"
#include "base/str.h"
#include "model/kernel_role.h"

/* A chain: so many kernels of one stream in a row, close together, of the same size and short. More
 * than MOST are not made one kernel. */
enum { CHAIN_LEAST = 3, CHAIN_MOST = 8 };
#define CLOSE_NS 20000
#define SHORT_NS 500000

/* What any kernel takes; only what comes on top can move data. */
#define FLOOR_NS 1500.0

struct finder {
    struct fusable *out;
    const struct view *v;
    float *share;
    bool cautious;
    struct arena *temporary;
};

static int64_t time_of(const struct view *v, uint32_t row)
{
    const struct kernels *k = &v->trace->kernels;
    struct span s = view_clip(v, k->start_ns[row], k->end_ns[row]);
    return s.end - s.start;
}

static void keep(const struct finder *s, uint32_t row, double ns)
{
    int64_t was = time_of(s->v, row);
    if (s->share && was > 0)
        s->share[row] = (float)(ns / (double)was);
}

static void join(const struct finder *s, uint32_t row)
{
    if (s->share)
        s->share[row] = 0;
}

/* ---- chains ---- */

static bool is_simple(const struct view *v, uint32_t row)
{
    int64_t ns = time_of(v, row);
    return v->role[v->trace->kernels.symbol[row]] == ROLE_ELEMENTWISE && ns <= SHORT_NS &&
           (double)ns >= 2 * FLOOR_NS;
}

/* Two launches over the same number of work-items. */
static bool same_size(const struct trace *t, uint32_t x, uint32_t y)
{
    uint32_t a = kernels_launch_at(t, x), b = kernels_launch_at(t, y);
    if (a >= t->launches.n || b >= t->launches.n)
        return false;
    for (int i = 0; i < 3; i++)
        if (t->launches.v[a].grid[i] != t->launches.v[b].grid[i])
            return false;
    return t->launches.v[a].grid[0] != 0;
}

struct chain {
    struct fuse_group g;
    uint32_t rows[CHAIN_MOST];
    bool mixed; /* not all of one name: those are more likely one step done to many tensors */
};

/* One kernel does what n did: it reads and writes once what they did n times; at worst it saves
 * half of that. */
static void close_chain(const struct finder *s, struct chain *c)
{
    struct fuse_group *g = &c->g;
    if (g->n >= CHAIN_LEAST && c->mixed) {
        int64_t left = g->ns / g->n;
        s->out->groups++;
        s->out->kernels += g->n;
        s->out->ns = add_ns(s->out->ns, g->ns);
        s->out->saved_ns = add_ns(s->out->saved_ns, g->ns - left);
        s->out->moving_ns +=
            /* in range: double */ fmax((double)g->ns - FLOOR_NS * g->n, 0) * (1 - 1.0 / g->n);
        if (g->ns > s->out->longest.ns)
            s->out->longest = *g;
        keep(s, c->rows[0], (double)(s->cautious ? add_ns(left, g->ns) / 2 : left));
        for (uint32_t i = 1; i < g->n; i++)
            join(s, c->rows[i]);
    }
    *c = (struct chain){0};
}

static void find_chains(const struct finder *s)
{
    const struct trace *t = s->v->trace;
    const struct kernels *k = &t->kernels;
    struct chain *of = arena_array(s->temporary, struct chain, t->streams.n + 1);
    for (size_t gpu = 0; gpu < s->v->n_gpus; gpu++) {
        const struct view_gpu *g = &s->v->gpus[gpu];
        for (size_t i = 0; i < g->n_kernels; i++) {
            uint32_t row = g->kernels[i];
            struct chain *c = &of[k->stream[row]];
            bool simple = is_simple(s->v, row);
            if (c->g.n && (!simple || c->g.n == CHAIN_MOST || !same_size(t, c->g.last, row) ||
                           k->start_ns[row] - k->end_ns[c->g.last] > CLOSE_NS))
                close_chain(s, c);
            if (!simple)
                continue;
            if (!c->g.n)
                c->g.first = row;
            c->mixed |= k->symbol[row] != k->symbol[c->g.first];
            c->g.last = row;
            c->rows[c->g.n++] = row;
            c->g.ns = add_ns(c->g.ns, time_of(s->v, row));
        }
    }
    for (size_t i = 0; i <= t->streams.n; i++)
        close_chain(s, &of[i]);
}

/* ---- optimizers ---- */

/*
 * A step with fewer kernels is fused already. Fused kernels take many tensors at once, and Python
 * prepares them in about a 14th of the time it needs for seven kernels a tensor: one launch of
 * every two tensors is left. They read and write each value once: about three kernels' worth.
 */
enum { STEP_LEAST = 16, EVERY_LEAST = 4, EVERY_MOST = 16 };
#define PASSES 3.0
#define SHARE_MOST 0.7

/* A name of so many of the kernels is that of an operation on every tensor. */
#define COMMON_SHARE 0.05

struct step {
    int64_t start, end;
    uint32_t first, n; /* its kernels, in `rows` */
};

struct steps {
    VEC(struct step) v;
    uint32_t *first;   /* by thread, and one more */
    uint32_t *rows;    /* kernels by step */
    uint32_t *step_of; /* by kernels row, + 1 */
};

static bool is_step(const struct markers *m, const struct trace *t, size_t i)
{
    const char *name = trace_str(t, m->name[i]);
    return m->kind[i] == MARKER_THREAD_RANGE && m->thread[i] < t->threads.n &&
           str_has_fold(name, "optim") && !str_has_fold(name, "zero_grad");
}

/* Ranges of optimizer steps by thread and time; those inside another one are left out. */
static void find_steps(struct steps *s, const struct view *v, struct arena *temporary)
{
    const struct trace *t = v->trace;
    const struct markers *m = &t->markers;
    VEC(uint32_t) rows = {0};
    uint32_t *at = arena_array(temporary, uint32_t, t->threads.n + 2);
    for (uint32_t i = 0; i < m->n; i++) {
        if (!is_step(m, t, i))
            continue;
        vec_push(&rows, temporary, i);
        at[m->thread[i] + 1]++;
    }
    s->first = arena_array(temporary, uint32_t, t->threads.n + 1);
    if (!rows.n)
        return;
    for (size_t i = 0; i < t->threads.n; i++)
        at[i + 1] += at[i];
    sort_rows(rows.v, rows.n, m->start_ns, temporary);
    uint32_t *by_thread = arena_array(temporary, uint32_t, rows.n);
    for (size_t i = 0; i < rows.n; i++)
        by_thread[at[m->thread[rows.v[i]]]++] = rows.v[i];
    for (uint32_t thread = 0, i = 0; thread < t->threads.n; thread++) {
        s->first[thread] = (uint32_t)s->v.n;
        for (; i < at[thread]; i++) {
            struct step step = {.start = m->start_ns[by_thread[i]], .end = m->end_ns[by_thread[i]]};
            if (s->v.n == s->first[thread] || s->v.v[s->v.n - 1].end < step.end)
                vec_push(&s->v, temporary, step);
        }
    }
    s->first[t->threads.n] = (uint32_t)s->v.n;
}

/* The step that a kernel was launched in, + 1. */
static uint32_t step_of(const struct steps *s, const struct trace *t, uint32_t row)
{
    uint32_t call = t->kernels.call[row];
    uint32_t thread = call < t->regions.n ? t->regions.thread[call] : NO_INDEX;
    if (thread >= t->threads.n)
        return 0;
    uint32_t lo = s->first[thread]; /* the first that starts later */
    int64_t at = t->regions.start_ns[call];
    BISECT(lo, s->first[thread + 1], mid, s->v.v[mid].start <= at);
    return lo > s->first[thread] && at < s->v.v[lo - 1].end ? lo : 0;
}

/* The kernels of each step. */
static void collect(struct steps *s, const struct view *v, struct arena *temporary)
{
    uint32_t n = 0;
    s->step_of = arena_array(temporary, uint32_t, v->trace->kernels.n + 1);
    for (size_t g = 0; g < v->n_gpus; g++) {
        for (size_t i = 0; i < v->gpus[g].n_kernels; i++) {
            uint32_t row = v->gpus[g].kernels[i], step = step_of(s, v->trace, row);
            s->step_of[row] = step;
            if (step)
                s->v.v[step - 1].n++;
        }
    }
    for (size_t i = 0; i < s->v.n; i++) {
        s->v.v[i].first = n;
        n += s->v.v[i].n;
        s->v.v[i].n = 0;
    }
    s->rows = arena_array(temporary, uint32_t, n + 1);
    for (size_t g = 0; g < v->n_gpus; g++) {
        for (size_t i = 0; i < v->gpus[g].n_kernels; i++) {
            uint32_t row = v->gpus[g].kernels[i];
            if (!s->step_of[row])
                continue;
            struct step *step = &s->v.v[s->step_of[row] - 1];
            s->rows[step->first + step->n++] = row;
        }
    }
}

/* Names that many of the kernels have. */
static uint32_t common_names(const struct steps *s, const struct trace *t, struct arena *temporary)
{
    uint64_t *count = arena_array(temporary, uint64_t, t->symbols.n + 1), all = 0;
    for (size_t i = 0; i < s->v.n; i++) {
        for (uint32_t k = 0; s->v.v[i].n >= STEP_LEAST && k < s->v.v[i].n; k++) {
            count[t->kernels.symbol[s->rows[s->v.v[i].first + k]]]++;
            all++;
        }
    }
    uint32_t n = 0;
    for (size_t i = 0; i < t->symbols.n; i++)
        n += (double)count[i] >= COMMON_SHARE * (double)all && count[i];
    return n;
}

static void fuse_group(const struct finder *s, const uint32_t *rows, uint32_t n, double share)
{
    struct fuse_group g = {rows[0], rows[n - 1], n, 0};
    for (uint32_t i = 0; i < n; i++)
        g.ns = add_ns(g.ns, time_of(s->v, rows[i]));
    double left = (double)g.ns * (s->cautious ? 1 : share);
    s->out->groups++;
    s->out->kernels += n;
    s->out->ns = add_ns(s->out->ns, g.ns);
    s->out->saved_ns = add_ns(s->out->saved_ns, g.ns - ns_from((double)g.ns * share));
    if (g.ns > s->out->longest.ns)
        s->out->longest = g;
    keep(s, rows[0], left);
    for (uint32_t i = 1; i < n; i++)
        join(s, rows[i]);
}

static void find_optimizer(const struct finder *f)
{
    struct steps s = {0};
    find_steps(&s, f->v, f->temporary);
    if (!s.v.n)
        return;
    collect(&s, f->v, f->temporary);
    uint32_t names = common_names(&s, f->v->trace, f->temporary);
    uint32_t every = 2 * names < EVERY_LEAST  ? EVERY_LEAST
                     : 2 * names > EVERY_MOST ? EVERY_MOST
                                              : 2 * names;
    double share = names ? fmin(PASSES / names, SHARE_MOST) : 1;
    f->out->names = names;
    for (size_t i = 0; i < s.v.n; i++) {
        const struct step *step = &s.v.v[i];
        if (step->n < STEP_LEAST)
            continue;
        f->out->steps++;
        for (uint32_t k = 0; k < step->n; k += every)
            fuse_group(f, s.rows + step->first + k, step->n - k < every ? step->n - k : every,
                       share);
    }
}

void fuse_find(struct fusable *out, const struct view *v, unsigned what, float *share,
               bool cautious, struct arena *temporary)
{
    *out = (struct fusable){0};
    struct finder s = {out, v, share, cautious, temporary};
    if (what & FUSE_OPTIMIZER)
        find_optimizer(&s);
    if (what & FUSE_CHAINS)
        find_chains(&s);
}
