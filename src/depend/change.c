/* What a change does to the time of one op or call. */
#include <math.h>

#include "analyze/shapes.h"
#include "base/sat.h"
#include "base/str.h"
#include "depend/fuse.h"
#include "depend/replay_in.h"
#include "depend/round_trip.h"
#include "model/kernel_role.h"
#include "model/occupancy.h"

/* No kernel is shorter, whatever is done to it: start and end of the smallest. */
#define KERNEL_FLOOR_NS 1000

/* The call that launches a graph. */
#define GRAPH_LAUNCH_NS 6000

/* What a copy takes besides its bytes. */
#define COPY_FLOOR_NS 1500

/* Of a link's rate, what large copies of pinned memory reach: usually, at least, at most. */
#define LINK_SHARE 0.85
#define LINK_SHARE_LOW 0.7
#define LINK_SHARE_HIGH 0.95

/* Where the link is not known, 16 lanes of the fourth generation; and what a large copy of pageable
 * memory reaches of it, at least. */
#define MERGED_GBPS 32.0
#define PAGEABLE_SHARE_LOW 0.1

/* Kernels and copies that share the device, and copies in both directions that share the link, are
 * slower by as much, at worst. */
#define BESIDE_COPIES 1.2
#define BESIDE_COPIES_USUAL 1.1
#define LONG_KERNEL_NS 50000 /* shorter ones leave the memory idle often enough */
#define BESIDE_KERNELS 1.2

const char *removal_name(enum removal r)
{
    static const char *const names[REMOVALS] = {"sync", "allocation", "launch",
                                                "copy", "first-use",  "communication"};
    return names[r];
}

const char *removal_said(enum removal r)
{
    static const char *const says[REMOVALS] = {
        [REMOVE_SYNC] = "host waits removed, but for the last",
        [REMOVE_ALLOCATION] = "allocating and freeing calls removed",
        [REMOVE_LAUNCH] = "launching calls take no time",
        [REMOVE_COPY] = "copies removed",
        [REMOVE_FIRST_USE] = "loading and compiling code removed",
        [REMOVE_COMMUNICATION] = "collectives removed",
    };
    return says[r];
}

const char *change_said(enum change_said s)
{
    static const char *const says[] = {
        [SAID_GRAPH] = "launches that follow each other closely become one graph",
        [SAID_MERGE] = "tiny copies in a row become one",
        [SAID_OPTIMIZER] = "the kernels of optimizer steps are fused",
        [SAID_CHAINS] = "chains of elementwise kernels become one kernel each",
        [SAID_STAY] = "data that only visits the host stays on the device",
        [SAID_OVERLAP] = "copies over the link run beside kernels, double-buffered",
        [SAID_PINNED] = "copies from and to pageable memory run as from pinned memory",
        [SAID_PREFETCH] = "long host work between calls is done ahead by another thread",
        [SAID_TYPICAL] = "collectives do not wait for a late rank",
    };
    return says[s];
}

/* ---- kernels ---- */

static double pattern_scale(const struct change *c, const char *name)
{
    double factor = 1;
    for (size_t i = 0; i < c->kernels.n; i++)
        if (str_eq(c->kernels.v[i].pattern, "*") || str_has_fold(name, c->kernels.v[i].pattern))
            factor *= c->kernels.v[i].factor;
    return factor;
}

static void scale_symbols(struct recipe *p, struct arena *temporary)
{
    const struct trace *t = p->d->trace;
    if (!p->c->kernels.n && !p->c->symbol_scale)
        return;
    p->symbol_scale = arena_array(temporary, float, t->symbols.n + 1);
    for (size_t i = 0; i < t->symbols.n; i++) {
        double factor = pattern_scale(p->c, trace_str(t, t->symbols.v[i].name));
        p->symbol_scale[i] = (float)(factor * (p->c->symbol_scale ? p->c->symbol_scale[i] : 1.0f));
    }
}

static const struct hardware *hardware_of(const struct recipe *p, uint32_t stream)
{
    size_t gpu = depend_gpu(p->d->trace, stream);
    return gpu < p->d->trace->gpus.n && p->c->hardware ? p->c->hardware[gpu] : NULL;
}

static double rate(double old, double new)
{
    return old > 0 && new > 0 ? old / new : 1;
}

/* Another GPU: matrix kernels by its matrix units, the others by its memory; without a known role
 * by the lesser gain of both. */
static double gpu_scale(const struct recipe *p, const struct hardware *old, bool is_matrix)
{
    const struct hardware *new = p->c->gpu;
    if (!old)
        return 1;
    double memory = rate(old->mem_gbps, new->mem_gbps);
    double matrix = rate(old->tflops.mat_fp16 > 0 ? old->tflops.mat_fp16 : old->tflops.fp16,
                         new->tflops.mat_fp16 > 0 ? new->tflops.mat_fp16 : new->tflops.fp16);
    if (p->c->cautious)
        return fmax(memory, matrix);
    if (p->c->hopeful)
        return fmin(memory, matrix);
    return is_matrix ? matrix : memory;
}

static void scale_gpus(struct recipe *p, struct arena *temporary)
{
    size_t n = p->d->trace->gpus.n;
    p->other_gpu = arena_calloc(temporary, n + 1, sizeof(*p->other_gpu));
    for (size_t g = 0; g <= n; g++)
        for (int matrix = 0; matrix < 2; matrix++)
            p->other_gpu[g][matrix] =
                gpu_scale(p, g < n && p->c->hardware ? p->c->hardware[g] : NULL, matrix);
}

/* Work-groups of a kernel that fit on the device at once; 0: not known. */
static double resident(const struct recipe *p, uint32_t row)
{
    const struct trace *t = p->d->trace;
    const struct launch *l = &t->launches.v[kernels_launch_at(t, row)];
    const struct symbol *s = &t->symbols.v[t->kernels.symbol[row]];
    uint32_t stream = t->kernels.stream[row];
    uint32_t gpu = stream < t->streams.n ? t->streams.v[stream].gpu : NO_INDEX;
    const struct hardware *hw = hardware_of(p, stream);
    double units = gpu < t->gpus.n ? t->gpus.v[gpu].cu_count : 0;
    units = units <= 0 && hw ? hw->cu_count : units;
    struct occupancy o;
    struct occupancy_in in = {
        .hw = hw,
        .group_threads = (int64_t)(l->group[0] ? l->group[0] : 1) *
                         (l->group[1] ? l->group[1] : 1) * (l->group[2] ? l->group[2] : 1),
        .registers = s->vgprs,
        .accum_registers = s->accum_vgprs,
        .sgprs = s->sgprs,
        .lds_bytes = l->lds_bytes,
    };
    if (p->c->cautious || !hw || !occupancy_of(&o, &in) || !o.groups)
        return units;
    return units / o.cus_per_unit * o.groups;
}

/* Several streams: as many at once as there are, while they leave room on the device. */
static double stream_scale(const struct recipe *p, uint32_t row)
{
    const struct trace *t = p->d->trace;
    uint32_t launch = kernels_launch_at(t, row);
    if (launch >= t->launches.n || !t->launches.v[launch].grid[0])
        return 1; /* what it fills is not known */
    if (p->filled[launch] <= 0) {
        double fit = resident(p, row);
        p->filled[launch] =
            (float)(fit > 0 ? fmin((double)launch_groups(&t->launches.v[launch]) / fit, 1) : 1);
    }
    return fmax(1.0 / p->c->streams, (double)p->filled[launch]);
}

/* A factor that a rule estimated, from the good or the bad side. */
static double doubtful(const struct change *c, double factor)
{
    if (factor >= 1 || c->scale_doubt <= 0 || !(c->cautious || c->hopeful))
        return factor;
    double hope = c->scale_hope > c->scale_doubt ? c->scale_hope : c->scale_doubt;
    return c->cautious ? fmin(factor * (1 + c->scale_doubt), 1) : factor * (1 - hope);
}

/* Beside copies, long kernels are slower. */
static double beside_copies(const struct change *c, int64_t ns)
{
    if (!c->overlap || c->hopeful || ns < LONG_KERNEL_NS)
        return 1;
    return c->cautious ? BESIDE_COPIES : BESIDE_COPIES_USUAL;
}

static int64_t kernel_time(const struct recipe *p, uint32_t row, int64_t ns)
{
    const struct trace *t = p->d->trace;
    const struct change *c = p->c;
    if (p->share && p->share[row] != 1)
        return ns_from((double)ns * (double)p->share[row]);
    double factor = p->symbol_scale ? p->symbol_scale[t->kernels.symbol[row]] : 1;
    int64_t wait =
        c->rank_typical && p->d->view->kernel_wait_ns ? p->d->view->kernel_wait_ns[row] : 0;
    if (c->remove[REMOVE_COMMUNICATION] &&
        p->d->view->kernel_class[t->kernels.symbol[row]] == KERNEL_COLLECTIVE)
        return 0;
    if (c->launch_scale && kernels_launch_at(t, row) < t->launches.n)
        factor *= (double)c->launch_scale[kernels_launch_at(t, row)];
    factor = doubtful(c, factor);
    if (c->streams > 1)
        factor *= stream_scale(p, row);
    if (c->gpu)
        factor *= p->other_gpu[depend_gpu(t, t->kernels.stream[row])]
                              [p->d->view->role[t->kernels.symbol[row]] == ROLE_GEMM];
    factor *= beside_copies(c, ns);
    ns = sub_ns(ns, wait < ns ? wait : ns);
    if (factor == 1)
        return ns;
    int64_t scaled = ns_from((double)ns * factor),
            floor = ns < KERNEL_FLOOR_NS ? ns : KERNEL_FLOOR_NS;
    return scaled > floor ? scaled : floor;
}

/* ---- copies ---- */

static bool over_link(enum copy_kind kind)
{
    return kind == COPY_H2D || kind == COPY_D2H || kind == COPY_P2P;
}

static int64_t copy_time(const struct recipe *p, uint32_t row, int64_t ns)
{
    const struct copies *t = &p->d->trace->copies;
    const struct change *c = p->c;
    enum copy_kind kind = (enum copy_kind)t->kind[row];
    const struct hardware *hw = hardware_of(p, t->stream[row]);
    double time = (double)ns;
    if (c->remove[REMOVE_COPY] || (p->gone && p->gone[row]))
        return 0;
    if (!over_link(kind))
        return ns;
    bool pageable = (kind == COPY_H2D && t->src_memory[row] != MEMORY_PINNED) ||
                    (kind == COPY_D2H && t->dst_memory[row] != MEMORY_PINNED);
    if (c->pinned && pageable && hw && hw->host_gbps > 0 && t->bytes[row] != BYTES_UNKNOWN) {
        double share = c->cautious ? LINK_SHARE_LOW : c->hopeful ? LINK_SHARE_HIGH : LINK_SHARE;
        double best = COPY_FLOOR_NS + (double)t->bytes[row] / (hw->host_gbps * share);
        time = fmin(time, best);
    }
    double link = c->hopeful && c->link_hope > 0 ? c->link_hope : c->link > 0 ? c->link : 1;
    if (c->gpu && hw && kind != COPY_P2P)
        link *= rate(hw->host_gbps, c->gpu->host_gbps);
    if (c->overlap && c->cautious)
        link *= BESIDE_KERNELS;
    if (link != 1 && time > COPY_FLOOR_NS)
        time = COPY_FLOOR_NS + (time - COPY_FLOOR_NS) * link;
    return ns_from(time);
}

/* One of many copies made as one: its bytes go with the others'. */
static int64_t merged_time(const struct recipe *p, uint32_t row, int64_t ns)
{
    const struct copies *t = &p->d->trace->copies;
    const struct hardware *hw = hardware_of(p, t->stream[row]);
    double gbps = hw && hw->host_gbps > 0 ? hw->host_gbps : MERGED_GBPS;
    double share = p->c->cautious ? PAGEABLE_SHARE_LOW : LINK_SHARE;
    return ns_from(fmin((double)ns, (double)t->bytes[row] / (gbps * share)));
}

int64_t recipe_op(const struct recipe *p, uint32_t op)
{
    struct span s = op_span(p->d, op);
    if (p->same_ops)
        return s.end - s.start;
    uint32_t row = op_row(p->d, op), call = op_call(p->d, op);
    if (p->same_kernels && !op_is_copy(p->d, op)) {
        double factor = beside_copies(p->c, s.end - s.start);
        return factor == 1 ? s.end - s.start : ns_from((double)(s.end - s.start) * factor);
    }
    if (op_is_copy(p->d, op) && call != NO_INDEX && recipe_mark(p, call) & MARK_MERGED)
        return merged_time(p, row, s.end - s.start);
    return op_is_copy(p->d, op) ? copy_time(p, row, s.end - s.start)
                                : kernel_time(p, row, s.end - s.start);
}

bool recipe_gone(const struct recipe *p, uint32_t op)
{
    uint32_t row = op_row(p->d, op);
    if (op_is_copy(p->d, op))
        return p->c->remove[REMOVE_COPY] || (p->gone && p->gone[row]);
    return p->share && p->share[row] <= 0;
}

/* ---- calls ---- */

double recipe_warm(const struct recipe *p)
{
    return p->c->cautious ? 1 : p->c->hopeful ? WARM_SHARE_BEST : WARM_SHARE;
}

uint32_t recipe_awaited(const struct recipe *p, uint32_t call)
{
    return recipe_mark(p, call) & (MARK_REMOVED | MARK_GRAPH | MARK_FREE | MARK_MERGED)
               ? NO_INDEX
               : awaited_op(p->d, call);
}

int64_t recipe_own(const struct recipe *p, uint32_t call)
{
    unsigned mark = recipe_mark(p, call);
    int64_t own = call_span(p->d, call).end - call_waits_until(p->d, call);
    if (mark & (MARK_REMOVED | MARK_MERGED))
        return 0;
    if (mark & MARK_FIRST_USE && own > p->usual_launch_ns)
        own = p->usual_launch_ns;
    if (mark & MARK_GRAPH) {
        /* What a first use costs is paid with graphs as well. */
        int64_t usual = p->usual_launch_ns > SHORT_GAP_NS ? p->usual_launch_ns : SHORT_GAP_NS;
        own = own > usual ? own - p->usual_launch_ns : 0;
        if (mark & (MARK_GRAPH_HEAD | MARK_GRAPH_AGAIN))
            own = add_ns(own, mark & MARK_GRAPH_HEAD ? p->graph_launch_ns : GRAPH_LAUNCH_NS);
    }
    if (mark & MARK_WARM && own < SHORT_GAP_NS)
        own = ns_from((double)own * recipe_warm(p));
    return p->host == 1 ? own : ns_from((double)own * p->host);
}

/* ---- all of it ---- */

/*
 * A graph launches its kernels on the device: about 1.3 us from start to start on NVIDIA GPUs,
 * 2 us on AMD's, and closer to each other than from the host's queue. The first launch of a graph
 * uploads its nodes, about half a microsecond each (none to one, when hopeful or cautious).
 */
static void recipe_graph(struct recipe *p)
{
    const struct change *c = p->c;
    bool nvidia = trace_vendor(p->d->trace) == VENDOR_NVIDIA;
    uint64_t nodes = c->graph_nodes ? c->graph_nodes : p->d->n_ops;
    double node_ns = c->cautious ? 1000 : c->hopeful ? 0 : 500;
    p->graph_gap_ns = c->cautious ? 3 * p->d->between_ns : AHEAD_GAP_NS;
    if (p->graph_gap_ns < SHORT_GAP_NS)
        p->graph_gap_ns = SHORT_GAP_NS;
    p->period_ns = nvidia ? 1300 : 2000;
    p->follow_ns = c->cautious ? p->d->queue_ns : nvidia ? 700 : 1500;
    p->graph_launch_ns = GRAPH_LAUNCH_NS + ns_from(fmin((double)nodes * node_ns, 1e12));
}

/* Changes of copies leave all kernels as they are, but for what they share. */
static bool leaves_kernels(const struct change *c)
{
    return !c->kernels.n && !c->symbol_scale && !c->launch_scale && c->streams <= 1 && !c->gpu &&
           !c->rank_typical && !c->remove[REMOVE_COMMUNICATION] && !c->fuse;
}

/* Changes of the host only leave all ops as they are. */
static bool leaves_ops(const struct change *c)
{
    return leaves_kernels(c) && !c->overlap && !c->pinned && !(c->link > 0) && !c->merge_copies &&
           !c->remove[REMOVE_COPY] && !c->stay && !(c->link_hope > 0);
}

/* What is left of kernels that are fused. */
static void share_kernels(struct recipe *p, struct arena *temporary)
{
    struct fusable found;
    size_t n = p->d->trace->kernels.n;
    p->share = arena_array(temporary, float, n + 1);
    for (size_t i = 0; i < n; i++)
        p->share[i] = 1;
    fuse_find(&found, p->d->view, p->c->fuse, p->share, p->c->cautious, temporary);
}

void recipe_make(struct recipe *p, const struct depend *d, const struct change *c, uint8_t *marks,
                 struct arena *temporary)
{
    *p = (struct recipe){.d = d, .c = c, .host = c->host > 0 ? c->host : 1};
    p->same_ops = leaves_ops(c);
    p->same_kernels = leaves_kernels(c);
    p->some_gone = c->remove[REMOVE_COPY] || c->stay || c->fuse;
    p->usual_launch_ns = d->call_ns;
    scale_symbols(p, temporary);
    if (c->fuse)
        share_kernels(p, temporary);
    if (c->stay) {
        struct round_trips trips;
        p->gone = arena_array(temporary, uint8_t, d->trace->copies.n + 1);
        round_trips_find(&trips, d->view, p->gone, temporary);
    }
    if (c->streams > 1)
        p->filled = arena_array(temporary, float, d->trace->launches.n + 1);
    if (c->gpu)
        scale_gpus(p, temporary);
    if (c->graph)
        recipe_graph(p);
    recipe_mark_calls(p, marks, temporary);
}
