#include <math.h>

#include "advise/rule.h"
#include "base/human.h"
#include "base/sat.h"

/* A chain: so many kernels of one stream in a row, close together, of the same size and short. */
enum { LEAST_LENGTH = 3 };
#define CLOSE_NS 20000
#define SHORT_NS 500000

/* What any kernel takes; only what comes on top can move data. */
#define FLOOR_NS 1500.0

/* What is known of one stream while its kernels are walked. */
struct chain {
    uint32_t first, last; /* kernels rows */
    uint32_t n;
    int64_t ns;
};

struct search {
    const struct analysis *a;
    struct chain *of; /* by stream */
    uint64_t chains, kernels;
    int64_t saved_ns;
    double saved_traffic;
    struct chain longest;
};

static bool is_simple(const struct analysis *a, uint32_t row)
{
    const struct kernels *k = &a->trace->kernels;
    uint8_t role = a->view.role[k->symbol[row]];
    int64_t ns = kernel_ns(a, row);
    return role == ROLE_ELEMENTWISE && ns <= SHORT_NS && (double)ns >= 2 * FLOOR_NS;
}

/* Two launches over the same number of work-items. */
static bool same_size(const struct trace *t, uint32_t x, uint32_t y)
{
    uint32_t a = t->kernels.launch[x], b = t->kernels.launch[y];
    if (a >= t->launches.n || b >= t->launches.n)
        return false;
    for (int i = 0; i < 3; i++)
        if (t->launches.v[a].grid[i] != t->launches.v[b].grid[i])
            return false;
    return t->launches.v[a].grid[0] != 0;
}

static double rate_of(const struct analysis *a, uint32_t row)
{
    uint32_t gpu = a->trace->streams.v[a->trace->kernels.stream[row]].gpu;
    const struct hardware *hw = gpu == NO_INDEX ? NULL : a->hardware[gpu];
    return hw && !hw->generic ? hw->mem_gbps : NAN;
}

/* One kernel does what n did: it reads and writes once what they did n times. */
static void close_chain(struct search *s, struct chain *c)
{
    if (c->n >= LEAST_LENGTH) {
        int64_t saved = c->ns - c->ns / c->n;
        s->chains++;
        s->kernels += c->n;
        s->saved_ns = add_ns(s->saved_ns, saved);
        double moving = fmax((double)c->ns - FLOOR_NS * c->n, 0) * (1 - 1.0 / c->n);
        s->saved_traffic += moving * rate_of(s->a, c->first);
        if (c->ns > s->longest.ns)
            s->longest = *c;
    }
    *c = (struct chain){0};
}

static void walk(struct search *s, const struct view_gpu *g)
{
    const struct trace *t = s->a->trace;
    const struct kernels *k = &t->kernels;
    for (size_t i = 0; i < g->n_kernels; i++) {
        uint32_t row = g->kernels[i];
        struct chain *c = &s->of[k->stream[row]];
        bool simple = is_simple(s->a, row);
        if (c->n && (!simple || !same_size(t, c->last, row) ||
                     k->start_ns[row] - k->end_ns[c->last] > CLOSE_NS))
            close_chain(s, c);
        if (!simple)
            continue;
        if (!c->n)
            c->first = row;
        c->last = row;
        c->n++;
        c->ns = add_ns(c->ns, kernel_ns(s->a, row));
    }
}

static bool eval(const struct analysis *a, struct finding *f)
{
    struct search s = {.a = a};
    struct arena *temporary = arena_scratch();
    s.of = arena_array(temporary, struct chain, a->trace->streams.n + 1);
    for (size_t g = 0; g < a->view.n_gpus; g++)
        walk(&s, &a->view.gpus[g]);
    for (size_t i = 0; i < a->trace->streams.n; i++)
        close_chain(&s, &s.of[i]);
    arena_release(temporary);
    int64_t compute = ledger_ns(a, CAUSE_COMPUTE);
    int64_t ns = s.saved_ns < compute ? s.saved_ns : compute;
    if (!s.chains || share_pct(a, ns) < LEAST_SHARE_PCT)
        return false;
    char lost[HUMAN_MAX], n[HUMAN_MAX], bytes[HUMAN_MAX];
    const struct trace *t = a->trace;
    finding_claim(f, CAUSE_COMPUTE, ns);
    finding_issue(f,
                  "%s short elementwise kernels run in chains of %.0f on average: what each writes "
                  "the next one reads again, %s that one kernel would not need",
                  human_count(n, s.kernels), (double)s.kernels / (double)s.chains,
                  human_time(lost, ns));
    finding_because(f, "hotspots.calls", (double)s.chains, NAN, "",
                    "%s chains; the longest has %u kernels, from %s to %s",
                    human_count(n, s.chains), s.longest.n,
                    trace_str(t, t->symbols.v[t->kernels.symbol[s.longest.first]].short_name),
                    trace_str(t, t->symbols.v[t->kernels.symbol[s.longest.last]].short_name));
    if (isfinite(s.saved_traffic))
        finding_because(f, "hotspots.total_duration_ns", s.saved_traffic, NAN, "B",
                        "fused they move up to %s less, at the rate of this memory",
                        human_bytes(bytes, count_from(s.saved_traffic)));
    finding_at_kernel(f, s.longest.first, "begin of the longest chain");
    finding_suggest(f,
                    "fuse them: one kernel that keeps the values between the steps in registers");
    finding_action(f, "let a compiler do it (torch.compile, XLA), or write one kernel by hand");
    finding_action(f, "put them behind the matrix product before them, as its epilogue");
    finding_sure(f, 0.6,
                 "by name they work on one element each, on the same grid, in a row; that "
                 "they use each other's results is likely, not recorded");
    return true;
}

const struct rule rule_fusable_chain = {
    .name = "fusable-chain",
    .id = "GS-FUSE-001",
    .category = "Launch Overhead",
    .title = "chains of short kernels that could be one",
    .bottleneck = BOTTLENECK_MEMORY,
    .action = ACTION_CODE,
    .needs = NEED_KERNELS,
    .tuning = true,
    .gain = 0.6,
    .eval = eval,
    .doc = "Fires when three or more elementwise kernels (by their names) of 3 to 500 us follow "
           "each other on a stream, within 20 us and with the same grid. They are bound by memory: "
           "fused, the values between the steps stay in registers. Claims the time of all but one "
           "n-th of each chain of n, and says how many bytes that is at most.",
};
