#include "analyze/view.h"

#include <string.h>

#include "analyze/shapes.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "base/str.h"

static bool in_window(const struct view *v, int64_t start, int64_t end)
{
    if (end < start)
        end = start;
    return start < v->end_ns && end > v->start_ns
               ? true
               : start == end && start >= v->start_ns && start <= v->end_ns;
}

static bool process_selected(const struct trace *t, uint32_t process, const struct view_opts *o)
{
    if (o->only_process && o->only_process != process + 1)
        return false;
    return o->process < 0 || t->processes.v[process].pid == o->process;
}

static bool stream_selected(const struct trace *t, const struct stream *s,
                            const struct view_opts *o)
{
    return process_selected(t, s->process, o);
}

/* Of one process, only the GPUs that it uses. */
static bool gpu_selected(const struct trace *t, size_t gpu, const struct view_opts *o)
{
    if (!t->gpus.v[gpu].used || (o->gpu >= 0 && (size_t)o->gpu != gpu))
        return false;
    if (o->process < 0 && !o->only_process)
        return true;
    for (size_t s = 0; s < t->streams.n; s++)
        if (t->streams.v[s].gpu == gpu && stream_selected(t, &t->streams.v[s], o))
            return true;
    return false;
}

/* Which slot of view.gpus a stream's work goes to; NO_INDEX for work that is filtered out. */
static uint32_t *slots_of_streams(struct view *v, const struct view_opts *o, struct arena *a)
{
    const struct trace *t = v->trace;
    uint32_t *slot = arena_array(a, uint32_t, t->streams.n + 1);
    uint32_t *of_gpu = arena_array(a, uint32_t, t->gpus.n + 1); /* last: unlisted device */
    memset(of_gpu, 0xff, (t->gpus.n + 1) * sizeof(*of_gpu));
    v->gpus = arena_array(a, struct view_gpu, t->gpus.n + 1);
    for (size_t g = 0; g < t->gpus.n; g++) {
        if (!gpu_selected(t, g, o))
            continue;
        v->gpus[v->n_gpus].gpu = (uint32_t)g;
        of_gpu[g] = (uint32_t)v->n_gpus++;
    }
    for (size_t s = 0; s < t->streams.n; s++) {
        const struct stream *st = &t->streams.v[s];
        slot[s] = NO_INDEX;
        if (!stream_selected(t, st, o))
            continue;
        if (st->gpu == NO_INDEX && o->gpu < 0 && of_gpu[t->gpus.n] == NO_INDEX) {
            v->gpus[v->n_gpus].gpu = NO_INDEX;
            of_gpu[t->gpus.n] = (uint32_t)v->n_gpus++;
        }
        slot[s] = of_gpu[st->gpu == NO_INDEX ? t->gpus.n : st->gpu];
    }
    slot[t->streams.n] = NO_INDEX;
    return slot;
}

struct split {
    const struct view *v;
    const uint32_t *slot;
    const uint32_t *stream;
    const int64_t *start, *end;
    size_t n;
};

static uint32_t slot_of(const struct split *s, size_t i)
{
    size_t n_streams = s->v->trace->streams.n;
    uint32_t slot = s->slot[s->stream[i] < n_streams ? s->stream[i] : n_streams];
    return slot != NO_INDEX && in_window(s->v, s->start[i], s->end[i]) ? slot : NO_INDEX;
}

/* Rows per GPU: counted, then placed, so that each GPU's rows lie together in file order. */
static void split_rows(const struct split *s, uint32_t **rows, size_t *counts, struct arena *a)
{
    for (size_t i = 0; i < s->n; i++) {
        uint32_t slot = slot_of(s, i);
        if (slot != NO_INDEX)
            counts[slot]++;
    }
    for (size_t g = 0; g < s->v->n_gpus; g++) {
        rows[g] = arena_array(a, uint32_t, counts[g]);
        counts[g] = 0;
    }
    for (size_t i = 0; i < s->n; i++) {
        uint32_t slot = slot_of(s, i);
        if (slot != NO_INDEX)
            rows[slot][counts[slot]++] = (uint32_t)i;
    }
}

static void sort_gpu(void *ctx, size_t g, int worker)
{
    (void)worker;
    struct view *v = ctx;
    struct arena *temporary = arena_scratch();
    sort_rows(v->gpus[g].kernels, v->gpus[g].n_kernels, v->trace->kernels.start_ns, temporary);
    sort_rows(v->gpus[g].copies, v->gpus[g].n_copies, v->trace->copies.start_ns, temporary);
    arena_release(temporary);
}

static void order_gpu_work(struct view *v, const struct view_opts *o, struct arena *a)
{
    const struct trace *t = v->trace;
    const uint32_t *slot = slots_of_streams(v, o, a);
    uint32_t **rows = arena_array(a, uint32_t *, v->n_gpus + 1);
    size_t *counts = arena_array(a, size_t, v->n_gpus + 1);
    struct split k = {v,           slot, t->kernels.stream, t->kernels.start_ns, t->kernels.end_ns,
                      t->kernels.n};
    split_rows(&k, rows, counts, a);
    for (size_t g = 0; g < v->n_gpus; g++) {
        v->gpus[g].kernels = rows[g];
        v->n_kernels += v->gpus[g].n_kernels = counts[g];
    }
    memset(counts, 0, v->n_gpus * sizeof(*counts));
    struct split c = {v, slot, t->copies.stream, t->copies.start_ns, t->copies.end_ns, t->copies.n};
    split_rows(&c, rows, counts, a);
    for (size_t g = 0; g < v->n_gpus; g++) {
        v->gpus[g].copies = rows[g];
        v->n_copies += v->gpus[g].n_copies = counts[g];
    }
    for (size_t g = 0; o->left_out && g < v->n_gpus; g++)
        v->gpus[g].left_out = &o->left_out[v->gpus[g].gpu < t->gpus.n ? v->gpus[g].gpu : t->gpus.n];
    parallel_for(v->workers, v->n_gpus, sort_gpu, v);
}

enum { FEW_TIES = 16 };

static void swap_rows(uint32_t *a, uint32_t *b)
{
    uint32_t swap = *a;
    *a = *b;
    *b = swap;
}

/* Orders calls with one start by end, latest first; equal ones stay as they are. */
static void longer_first(const struct regions *r, uint32_t *rows, size_t n, struct arena *temporary)
{
    if (n <= FEW_TIES) {
        for (size_t i = 1; i < n; i++)
            for (size_t j = i; j > 0 && r->end_ns[rows[j]] > r->end_ns[rows[j - 1]]; j--)
                swap_rows(&rows[j], &rows[j - 1]);
        return;
    }
    for (int pass = 0; pass < 2; pass++) { /* stable: turned around, sorted, turned back */
        for (size_t i = 0; i < n / 2; i++)
            swap_rows(&rows[i], &rows[n - 1 - i]);
        if (!pass)
            sort_rows(rows, n, r->end_ns, temporary);
    }
}

/* Nested calls begin together at times: the longer one is the outer one. */
static void fix_ties(const struct regions *r, uint32_t *rows, size_t n, struct arena *temporary)
{
    for (size_t i = 0, next; i < n; i = next) {
        bool ordered = true;
        for (next = i + 1; next < n && r->start_ns[rows[next]] == r->start_ns[rows[i]]; next++)
            ordered &= r->end_ns[rows[next]] <= r->end_ns[rows[next - 1]];
        if (!ordered)
            longer_first(r, rows + i, next - i, temporary);
    }
}

/* Calls in the making: all of a thread in one list, which is divided then. */
struct ordering {
    struct view *v;
    struct calls_of {
        uint32_t *v;
        size_t n;
    } * all;
};

/* The outer calls of a thread and the others, counted, or listed where there is room for them. */
static void divide_calls(const struct view *v, const struct calls_of *all, struct view_thread *th)
{
    const struct regions *r = &v->trace->regions;
    int64_t until = INT64_MIN;
    th->n_outer = th->n_inner = 0;
    for (size_t k = 0; k < all->n; k++) {
        uint32_t call = all->v[k];
        /* One that overlaps without nesting is odd: the first one stays. */
        bool inner = view_call_class(v, call) == API_HOST || r->end_ns[call] <= until ||
                     r->start_ns[call] < until;
        if (th->outer)
            *(inner ? &th->inner[th->n_inner] : &th->outer[th->n_outer]) = call;
        th->n_inner += inner;
        th->n_outer += !inner;
        until = inner ? until : r->end_ns[call];
    }
}

static void order_thread(void *ctx, size_t i, int worker)
{
    (void)worker;
    const struct ordering *o = ctx;
    const struct regions *r = &o->v->trace->regions;
    struct arena *temporary = arena_scratch();
    sort_rows(o->all[i].v, o->all[i].n, r->start_ns, temporary);
    fix_ties(r, o->all[i].v, o->all[i].n, temporary);
    arena_release(temporary);
    divide_calls(o->v, &o->all[i], &o->v->threads[i]);
}

static void divide_thread(void *ctx, size_t i, int worker)
{
    (void)worker;
    const struct ordering *o = ctx;
    divide_calls(o->v, &o->all[i], &o->v->threads[i]);
}

bool view_has_thread(const struct trace *t, size_t thread, const struct view_opts *o)
{
    if (thread >= t->threads.n)
        return o->process < 0 && !o->only_process;
    return process_selected(t, t->threads.v[thread].process, o);
}

static void room_for_all(struct ordering *o, struct arena *temporary)
{
    struct view *v = o->v;
    for (size_t i = 0; i < v->n_threads; i++)
        v->n_calls += o->all[i].n;
    uint32_t *calls = arena_array(temporary, uint32_t, v->n_calls + 1);
    for (size_t i = 0; i < v->n_threads; i++) {
        o->all[i].v = calls;
        calls += o->all[i].n;
        o->all[i].n = 0;
    }
}

static void room_for_each(struct view *v, struct arena *a)
{
    size_t n = 0;
    for (size_t i = 0; i < v->n_threads; i++)
        n += v->threads[i].n_outer;
    uint32_t *outer = v->outer = arena_array(a, uint32_t, n + 1);
    uint32_t *inner = arena_array(a, uint32_t, v->n_calls - n + 1);
    for (size_t i = 0; i < v->n_threads; i++) {
        struct view_thread *th = &v->threads[i];
        th->outer = outer;
        th->inner = inner;
        outer += th->n_outer;
        inner += th->n_inner;
    }
}

static void order_calls(struct view *v, const struct view_opts *opts, struct arena *a)
{
    const struct trace *t = v->trace;
    const struct regions *r = &t->regions;
    struct arena *temporary = arena_scratch();
    v->n_threads = t->threads.n + 1;
    v->threads = arena_array(a, struct view_thread, v->n_threads);
    struct ordering o = {v, arena_array(temporary, struct calls_of, v->n_threads)};
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < r->n; i++) {
            size_t thread = r->thread[i] < t->threads.n ? r->thread[i] : t->threads.n;
            struct calls_of *all = &o.all[thread];
            if (!in_window(v, r->start_ns[i], r->end_ns[i]) || !view_has_thread(t, thread, opts))
                continue;
            if (pass)
                all->v[all->n] = (uint32_t)i;
            all->n++;
        }
        if (!pass)
            room_for_all(&o, temporary);
    }
    parallel_for(v->workers, v->n_threads, order_thread, &o);
    room_for_each(v, a);
    parallel_for(v->workers, v->n_threads, divide_thread, &o);
    arena_release(temporary);
}

struct view_calls view_calls(const struct view *v, size_t thread)
{
    return (struct view_calls){&v->trace->regions, v->threads[thread]};
}

/* In the order in which all of them were: by start, longer ones first, then as recorded. */
static bool comes_first(const struct regions *r, uint32_t x, uint32_t y)
{
    if (r->start_ns[x] != r->start_ns[y])
        return r->start_ns[x] < r->start_ns[y];
    return r->end_ns[x] != r->end_ns[y] ? r->end_ns[x] > r->end_ns[y] : x < y;
}

bool view_next_call(struct view_calls *c, uint32_t *call)
{
    struct view_thread *l = &c->left;
    if (!l->n_outer && !l->n_inner)
        return false;
    if (l->n_outer && (!l->n_inner || comes_first(c->r, *l->outer, *l->inner))) {
        *call = *l->outer++;
        l->n_outer--;
    } else {
        *call = *l->inner++;
        l->n_inner--;
    }
    return true;
}

uint32_t *view_calls_list(const struct view *v, size_t thread, struct arena *a)
{
    const struct view_thread *th = &v->threads[thread];
    struct view_calls c = view_calls(v, thread);
    if (!th->n_inner)
        return th->outer;
    uint32_t *rows = arena_array(a, uint32_t, view_thread_calls(th));
    for (size_t n = 0; view_next_call(&c, &rows[n]);)
        n++;
    return rows;
}

/* Copies that the AMD runtime does with a kernel; filling memory is work like any other. */
static bool is_blit(const char *name)
{
    return str_starts(name, "__amd_rocclr_copy");
}

enum { NAMES_PER_ITEM = 64 };

static void classify_some(void *ctx, size_t item, int worker)
{
    (void)worker;
    struct view *v = ctx;
    size_t end = (item + 1) * NAMES_PER_ITEM;
    for (size_t i = item * NAMES_PER_ITEM; i < end && i < v->names.n; i++) {
        uint32_t symbol = v->names.symbol[i];
        const char *name = name_groups_name(&v->names, v->trace, i);
        enum kernel_role role = kernel_role_of(name);
        v->role[symbol] = (uint8_t)role;
        v->kernel_class[symbol] = (uint8_t)(role == ROLE_COLLECTIVE ? KERNEL_COLLECTIVE
                                            : is_blit(name)         ? KERNEL_BLIT
                                                                    : KERNEL_COMPUTE);
    }
}

/* Each name once: many symbols may share one that is long. */
static void classify_symbols(struct view *v, struct arena *a)
{
    size_t n = v->trace->symbols.n;
    v->role = arena_array(a, uint8_t, n);
    v->kernel_class = arena_array(a, uint8_t, n);
    parallel_for(v->workers, (v->names.n + NAMES_PER_ITEM - 1) / NAMES_PER_ITEM, classify_some, v);
    for (size_t i = 0; i < n; i++) {
        uint32_t first = v->names.symbol[v->names.of_symbol[i]];
        v->role[i] = v->role[first];
        v->kernel_class[i] = v->kernel_class[first];
    }
}

/* Names of calls are few, and mostly lie together: classify the pairs of name and kind that occur. */
static void classify_calls(struct view *v, struct arena *a)
{
    const struct regions *r = &v->trace->regions;
    uint32_t least = UINT32_MAX, most = 0;
    for (size_t i = 0; i < r->n; i++) {
        least = r->name[i] < least ? r->name[i] : least;
        most = r->name[i] > most ? r->name[i] : most;
    }
    v->first_name = r->n ? least : 0;
    v->n_names = r->n ? (size_t)most - least + 1 : 0;
    v->call_class = arena_array(a, uint8_t, v->n_names * REGION_KINDS);
    memset(v->call_class, 0xff, v->n_names * REGION_KINDS);
    for (size_t i = 0; i < r->n; i++) {
        uint8_t *c = &v->call_class[view_call_place(v, (uint32_t)i)];
        if (*c == 0xff)
            *c = (uint8_t)api_class_of(trace_str(v->trace, r->name[i]),
                                       (enum region_kind)r->kind[i]);
    }
}

/* GPU work and host calls know nothing of each other. */
struct halves {
    struct view *v;
    const struct view_opts *o;
    struct arena *arena[2];
};

static void make_half(void *ctx, size_t i, int worker)
{
    const struct halves *h = ctx;
    struct arena *a = h->arena[i];
    (void)worker;
    if (i) {
        classify_calls(h->v, a);
        order_calls(h->v, h->o, a);
    } else {
        name_groups_make(&h->v->names, h->v->trace, a);
        h->v->shapes = shapes_find(h->v->trace, a);
        classify_symbols(h->v, a);
        order_gpu_work(h->v, h->o, a);
    }
}

void view_begin(struct view *v, const struct trace *t, const struct view_opts *o, struct arena *a)
{
    *v = (struct view){.trace = t,
                       .kernel_wait_ns = o->kernel_wait_ns,
                       .workers = o->threads < 1 ? 1 : o->threads};
    if (o->has_window) {
        v->start_ns = o->start_ns;
        v->end_ns = o->end_ns;
    } else if (!trace_span(t, v->workers, &v->start_ns, &v->end_ns)) {
        v->start_ns = v->end_ns = 0;
    }
    v->start_ns = bound_moment(v->start_ns); /* as every moment inside */
    v->end_ns = bound_moment(v->end_ns);
    if (v->end_ns < v->start_ns)
        v->end_ns = v->start_ns;
    struct halves h = {v, o, {arena_child(a), arena_child(a)}};
    parallel_for(v->workers, ARRAY_LEN(h.arena), make_half, &h);
    view_find_pauses(v, a);
}

void view_make(struct view *v, const struct trace *t, const struct view_opts *o, struct arena *a)
{
    view_begin(v, t, o, a);
    view_find_first_uses(v, a);
}

const uint32_t *kernel_rows(const struct view *v, struct arena *a)
{
    if (v->n_gpus == 1)
        return v->gpus[0].kernels;
    uint32_t *rows = arena_array(a, uint32_t, v->n_kernels);
    struct arena *temporary = arena_scratch();
    size_t words = v->trace->kernels.n / 64 + 1, n = 0;
    uint64_t *in_view = arena_array(temporary, uint64_t, words);
    for (size_t g = 0; g < v->n_gpus; g++)
        for (size_t i = 0; i < v->gpus[g].n_kernels; i++)
            in_view[v->gpus[g].kernels[i] / 64] |= UINT64_C(1) << v->gpus[g].kernels[i] % 64;
    for (size_t w = 0; w < words; w++)
        for (uint64_t bits = in_view[w]; bits; bits &= bits - 1)
            rows[n++] = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
    arena_release(temporary);
    return rows;
}

void view_spans_of(struct spans *out, const struct view *v, const uint32_t *rows, size_t n,
                   const int64_t *start_ns, const int64_t *end_ns, struct arena *a)
{
    for (size_t i = 0; i < n; i++) {
        struct span s = view_clip(v, start_ns[rows[i]], end_ns[rows[i]]);
        spans_append(out, a, s.start, s.end);
    }
}

void view_busy_spans(struct spans *out, const struct view *v, struct arena *a)
{
    const struct kernels *k = &v->trace->kernels;
    const struct copies *c = &v->trace->copies;
    struct spans *sets = arena_array(a, struct spans, 2 * v->n_gpus + 1);
    for (size_t g = 0; g < v->n_gpus; g++) {
        const struct view_gpu *u = &v->gpus[g];
        view_spans_of(&sets[2 * g], v, u->kernels, u->n_kernels, k->start_ns, k->end_ns, a);
        view_spans_of(&sets[2 * g + 1], v, u->copies, u->n_copies, c->start_ns, c->end_ns, a);
    }
    spans_union_all(out, sets, 2 * v->n_gpus, a);
}

int64_t view_call_time(const struct view *v, unsigned classes)
{
    const struct regions *r = &v->trace->regions;
    struct arena *temporary = arena_scratch();
    VEC(uint32_t) rows = {0};
    for (size_t t = 0; t < v->n_threads; t++)
        for (size_t i = 0; i < v->threads[t].n_outer; i++)
            if (classes >> view_call_class(v, v->threads[t].outer[i]) & 1)
                vec_push_alone(&rows, temporary, v->threads[t].outer[i]);
    sort_rows(rows.v, rows.n, r->start_ns, temporary);
    int64_t ns = 0, until = INT64_MIN;
    for (size_t i = 0; i < rows.n; i++) {
        struct span s = view_clip(v, r->start_ns[rows.v[i]], r->end_ns[rows.v[i]]);
        int64_t from = s.start > until ? s.start : until;
        if (s.end > from)
            ns = add_ns(ns, sub_ns(s.end, from));
        until = s.end > until ? s.end : until;
    }
    arena_release(temporary);
    return ns;
}
