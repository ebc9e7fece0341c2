/*
 * Folded stacks, one line a stack with its nanoseconds, for flamegraph.pl and its like. Two kinds of
 * roots: threads, with the time of the host in calls and ranges; GPUs, with the time of kernels and
 * copies under the stack that launched them.
 */
#include <stdio.h>

#include "convert/flame.h"
#include "convert/sink.h"

struct node {
    uint32_t parent, name; /* name: string, or of a root its place in titles */
    int64_t self_ns;
};

struct open {
    uint32_t node;
    int64_t start_ns, inner_ns;
};

struct folded {
    struct conversion *c;
    const struct trace *t;
    struct sink s;
    VEC(struct node) nodes;
    struct idmap of;    /* (parent, name) -> node */
    struct idmap under; /* (node of a thread, GPU + 1) -> the same stack under the GPU */
    size_t most;        /* nodes: a deep stack may launch on many GPUs */
    bool full;
    VEC(const char *) titles;
    uint32_t *gpu_root;     /* by GPU + 1 */
    struct row_groups work; /* kernels, then copies, by call */
    VEC(struct open) stack[16];
    uint32_t root;
};

#define ROOT (NO_INDEX - 1)

static uint32_t child(struct folded *w, uint32_t parent, uint32_t name)
{
    uint64_t key = (uint64_t)parent << 32 | name;
    uint32_t node = idmap_get(&w->of, key);
    if (node != NO_INDEX)
        return node;
    if (w->nodes.n >= w->most) {
        w->full = true;
        return 0;
    }
    node = (uint32_t)w->nodes.n;
    vec_push_alone(&w->nodes, w->c->arena, ((struct node){parent, name, 0}));
    idmap_put(&w->of, key, node);
    return node;
}

static uint32_t root(struct folded *w, const char *title)
{
    vec_push(&w->titles, w->c->arena, title);
    return child(w, ROOT, (uint32_t)w->titles.n - 1);
}

static void add(struct folded *w, uint32_t node, int64_t ns)
{
    w->nodes.v[node].self_ns = add_ns(w->nodes.v[node].self_ns, ns);
}

static uint32_t gpu_root(struct folded *w, uint32_t gpu)
{
    uint32_t *node = &w->gpu_root[gpu == NO_INDEX ? 0 : gpu + 1];
    if (!*node) {
        const char *title = "GPU ?";
        if (gpu != NO_INDEX)
            title = arena_printf(w->c->arena, "GPU %d", (int)w->t->gpus.v[gpu].index);
        *node = root(w, title) + 1;
    }
    return *node - 1;
}

/* The stack of a lane under a GPU: from the innermost call on that has been met there before. */
static uint32_t stack_under(struct folded *w, uint32_t gpu, uint32_t lane)
{
    size_t known = w->stack[lane].n;
    uint32_t node = NO_INDEX, key = gpu == NO_INDEX ? 0 : gpu + 1;
    const struct open *v = w->stack[lane].v;
    for (; known && node == NO_INDEX; known -= node == NO_INDEX)
        node = idmap_get(&w->under, (uint64_t)v[known - 1].node << 32 | key);
    if (node == NO_INDEX)
        node = gpu_root(w, gpu);
    for (; known < w->stack[lane].n && !w->full; known++) {
        node = child(w, node, w->nodes.v[v[known].node].name);
        idmap_put(&w->under, (uint64_t)v[known].node << 32 | key, node);
    }
    return node;
}

/* A kernel or copy (rows of kernels come first) under a stack of the host. */
static void add_work(struct folded *w, uint32_t op, uint32_t lane)
{
    const struct trace *t = w->t;
    bool kernel = op < t->kernels.n;
    uint32_t row = kernel ? op : op - (uint32_t)t->kernels.n;
    uint32_t stream = kernel ? t->kernels.stream[row] : t->copies.stream[row];
    int64_t start = kernel ? t->kernels.start_ns[row] : t->copies.start_ns[row];
    int64_t end = kernel ? t->kernels.end_ns[row] : t->copies.end_ns[row];
    uint32_t gpu = gpu_of_stream(t, stream), name;
    uint32_t node = lane < 16 ? stack_under(w, gpu, lane) : gpu_root(w, gpu);
    if (kernel)
        name = t->symbols.v[t->kernels.symbol[row]].name;
    else
        name = NO_INDEX - 2 - t->copies.kind[row]; /* one of our words: strings end before */
    add(w, child(w, node, name), sub_ns(later_of(start, end), start));
}

static void begin(void *ctx, uint32_t lane, const struct lane_item *item)
{
    struct folded *w = ctx;
    const struct trace *t = w->t;
    uint32_t name = flame_name(t, item->row);
    if (lane >= 16) { /* beside everything else: it stands alone */
        add(w, child(w, w->root, name), sub_ns(item->end_ns, item->start_ns));
    } else {
        uint32_t above = w->stack[lane].n ? w->stack[lane].v[w->stack[lane].n - 1].node : w->root;
        vec_push(&w->stack[lane], w->c->arena,
                 ((struct open){child(w, above, name), item->start_ns, 0}));
    }
    if (item->row >= t->regions.n)
        return;
    for (size_t i = w->work.at[item->row]; i < w->work.at[item->row + 1]; i++)
        add_work(w, w->work.list[i], lane);
}

static void end(void *ctx, uint32_t lane, const struct lane_item *item)
{
    struct folded *w = ctx;
    if (lane >= 16)
        return;
    struct open o = w->stack[lane].v[--w->stack[lane].n];
    int64_t ns = sub_ns(item->end_ns, o.start_ns);
    add(w, o.node, sub_ns(ns, o.inner_ns));
    if (w->stack[lane].n) {
        struct open *outer = &w->stack[lane].v[w->stack[lane].n - 1];
        outer->inner_ns = add_ns(outer->inner_ns, ns);
    }
}

/* Semicolons divide frames and line feeds stacks: neither may stand in a name. */
static void put_frame(struct sink *s, const char *name)
{
    for (; *name; name++) {
        char c = *name;
        sink_putc(s, c == ';' ? ':' : (unsigned char)c < 0x20 || c == 0x7f ? ' ' : c);
    }
}

static const char *node_name(const struct folded *w, const struct node *n)
{
    if (n->parent == ROOT)
        return w->titles.v[n->name];
    if (n->name >= NO_INDEX - 2 - COPY_KINDS)
        return copy_kind_name((enum copy_kind)(NO_INDEX - 2 - n->name));
    return trace_str(w->t, n->name);
}

static void put_stack(struct folded *w, uint32_t node, uint32_t *path, size_t most)
{
    size_t depth = 0;
    int64_t ns = w->nodes.v[node].self_ns;
    for (uint32_t at = node; at != ROOT && depth < most; at = w->nodes.v[at].parent)
        path[depth++] = at;
    for (size_t i = depth; i-- > 0;) {
        put_frame(&w->s, node_name(w, &w->nodes.v[path[i]]));
        sink_putc(&w->s, i ? ';' : ' ');
    }
    sink_int(&w->s, ns);
    sink_putc(&w->s, '\n');
}

static void index_work(struct folded *w)
{
    const struct trace *t = w->t;
    size_t n = t->kernels.n + t->copies.n;
    uint32_t *call = arena_array(w->c->arena, uint32_t, n + 1);
    for (size_t i = 0; i < n; i++) {
        bool kernel = i < t->kernels.n;
        size_t row = kernel ? i : i - t->kernels.n;
        uint32_t process = kernel ? process_of_kernel(t, row) : process_of_copy(t, row);
        call[i] = kernel ? t->kernels.call[row] : t->copies.call[row];
        if (call[i] >= conversion_regions(t))
            call[i] = NO_INDEX;
        if (!conversion_takes(w->c, process))
            call[i] = (uint32_t)t->regions.n + 1; /* of nobody here */
    }
    w->work = row_groups_make(call, n, t->regions.n, w->c->arena);
    /* What no call launched stands right under its GPU. */
    for (size_t i = w->work.at[t->regions.n]; i < w->work.at[t->regions.n + 1]; i++)
        if (call[w->work.list[i]] == NO_INDEX)
            add_work(w, w->work.list[i], NO_INDEX);
}

static bool write_folded(struct conversion *c, struct gs_error *err)
{
    enum { DEEPEST = 4096, BYTES_A_NODE = 320 }; /* two maps have it, too */
    struct folded *w = arena_new(c->arena, struct folded);
    const struct trace *t = c->trace;
    *w = (struct folded){.c = c, .t = t};
    if (!sink_open(&w->s, c, conversion_path(c, converter_folded.ends), err))
        return false;
    w->most = trace_text_most(t) / BYTES_A_NODE;
    idmap_init(&w->of, c->arena);
    idmap_init(&w->under, c->arena);
    w->gpu_root = arena_array(c->arena, uint32_t, t->gpus.n + 1);
    index_work(w);
    struct flame_rows rows = flame_rows_make(c);
    for (size_t thread = 0; thread <= t->threads.n; thread++) {
        struct arena *a = arena_scratch();
        struct lane_item *items;
        size_t n = flame_thread(&rows, thread, &items, a);
        if (n && conversion_takes(c, process_of_thread(t, (uint32_t)thread))) {
            w->root = root(w, flame_thread_title(t, thread, c->arena));
            lanes_walk(items, n, false, &(struct lane_events){begin, end, w}, a);
        }
        arena_release(a);
    }
    uint32_t *path = arena_array(c->arena, uint32_t, DEEPEST);
    if (w->full)
        return trace_text_fail(t, err);
    for (uint32_t i = 0; i < w->nodes.n && !w->s.too_large; i++)
        if (w->nodes.v[i].self_ns > 0)
            put_stack(w, i, path, DEEPEST);
    return sink_close(&w->s, c, err);
}

const struct converter converter_folded = {
    .name = "folded",
    .ends = ".folded",
    .extension = ".folded",
    .summary = "folded stacks for flamegraph.pl: nanoseconds of the host and of GPUs",
    .write = write_folded,
};
