#include "advise/rule.h"
#include "base/human.h"
#include "base/str.h"

struct moved {
    uint64_t count, bytes;
    int64_t ns;
    uint32_t longest; /* copies or regions row */
    int64_t longest_ns;
    int64_t union_ns; /* of the driver's events: those at the same time count once */
};

static void add(struct moved *m, uint32_t row, int64_t ns, uint64_t bytes)
{
    m->count++;
    m->ns = add_ns(m->ns, ns);
    if (bytes != BYTES_UNKNOWN)
        m->bytes = add_bytes(m->bytes, bytes);
    if (m->longest == NO_INDEX || ns > m->longest_ns) {
        m->longest = row;
        m->longest_ns = ns;
    }
}

/* Migrations of one direction, and the time of all its copies. */
static void look(const struct analysis *a, enum copy_kind kind, struct moved *m, int64_t *all_ns)
{
    const struct copies *c = &a->trace->copies;
    for (size_t g = 0; g < a->view.n_gpus; g++)
        for (size_t i = 0; i < a->view.gpus[g].n_copies; i++) {
            uint32_t row = a->view.gpus[g].copies[i];
            if (c->kind[row] != kind)
                continue;
            struct span s = view_clip(&a->view, c->start_ns[row], c->end_ns[row]);
            *all_ns = add_ns(*all_ns, s.end - s.start);
            if (c->src_memory[row] == MEMORY_MANAGED || c->dst_memory[row] == MEMORY_MANAGED)
                add(m, row, s.end - s.start, c->bytes[row]);
        }
}

/* What the driver says of pages: faults and migrations. */
static void look_at_driver(const struct analysis *a, struct moved *m)
{
    const struct regions *r = &a->trace->regions;
    int64_t until = INT64_MIN;
    for (size_t t = 0; t < a->view.n_threads; t++, until = INT64_MIN) {
        struct view_calls calls = view_calls(&a->view, t);
        for (uint32_t row; view_next_call(&calls, &row);) {
            const char *name = trace_str(a->trace, r->name[row]);
            if (r->kind[row] != REGION_DRIVER ||
                !(str_has_fold(name, "migrat") || str_has_fold(name, "fault")))
                continue;
            struct span s = view_clip(&a->view, r->start_ns[row], r->end_ns[row]);
            add(m, row, s.end - s.start, BYTES_UNKNOWN);
            int64_t from = s.start > until ? s.start : until;
            m->union_ns = add_ns(m->union_ns, s.end > from ? s.end - from : 0);
            until = s.end > until ? s.end : until;
        }
    }
}

static void advise_it(struct finding *f)
{
    finding_suggest(f, "move the pages before they are needed, or copy explicitly");
    finding_action(f, "prefetch what a kernel reads: %sMemPrefetchAsync on its stream",
                   trace_is_nvidia(f->analysis->trace) ? "cuda" : "hip");
    finding_action(f, "tell the driver who reads and who writes: %sMemAdvise",
                   trace_is_nvidia(f->analysis->trace) ? "cuda" : "hip");
    finding_action(f, "keep data that host and GPU use in turn in two explicit copies");
}

static bool eval(const struct analysis *a, struct finding *f)
{
    struct moved copies = {.longest = NO_INDEX}, driver = {.longest = NO_INDEX};
    static const enum copy_kind kinds[] = {COPY_H2D, COPY_D2H};
    static const enum cause causes[] = {CAUSE_COPY_H2D, CAUSE_COPY_D2H};
    int64_t exposed = 0;
    for (int i = 0; i < 2; i++) {
        int64_t all = 0, before = copies.ns;
        look(a, kinds[i], &copies, &all);
        int64_t ns = all > 0 ? ns_from((double)ledger_ns(a, causes[i]) *
                                       (double)(copies.ns - before) / (double)all)
                             : 0;
        finding_claim(f, causes[i], ns);
        exposed = add_ns(exposed, ns);
    }
    look_at_driver(a, &driver);
    bool told = share_pct(a, exposed) >= LEAST_SHARE_PCT;
    if (!told &&
        percent_of((double)driver.union_ns, (double)view_window(&a->view)) < LEAST_SHARE_PCT)
        return false;
    char time[HUMAN_MAX], n[HUMAN_MAX], bytes[HUMAN_MAX];
    if (told) {
        finding_issue(f, "the GPU waits %s for %s migrations of managed memory (%s)",
                      human_time(time, exposed), human_count(n, copies.count),
                      human_bytes(bytes, copies.bytes));
        finding_because(f, "copies.exposed_ns", share_pct(a, exposed), LEAST_SHARE_PCT, IN_PERCENT,
                        "%.1f %% of the GPU time is exposed migration", share_pct(a, exposed));
        finding_at_copy(f, copies.longest, "the longest migration");
    } else {
        /* Kernels stand still while their pages come. */
        int64_t compute = ledger_ns(a, CAUSE_COMPUTE);
        finding_claim(f, CAUSE_COMPUTE, driver.union_ns < compute ? driver.union_ns : compute);
        finding_issue(f, "kernels wait while the driver spends %s in %s page faults and migrations",
                      human_time(time, driver.union_ns), human_count(n, driver.count));
    }
    if (driver.count) {
        finding_because(f, "api.total_ns", (double)driver.ns, 0, IN_NS,
                        "%s events of the driver about pages, %s", human_count(n, driver.count),
                        human_time(time, driver.ns));
        finding_at_call(f, driver.longest, "the longest of them");
    }
    advise_it(f);
    finding_sure(f, 0.85, "the trace says which copies the driver made, and its page events");
    return true;
}

const struct rule rule_unified_memory = {
    .name = "unified-memory",
    .id = "GS-MANAGED-001",
    .category = ABOUT_MEMORY_TRANSFER,
    .title = "managed memory migrates while the GPU waits",
    .bottleneck = BOTTLENECK_TRANSFER,
    .action = ACTION_CODE,
    .needs = NEED_KERNELS,
    .specific = true,
    .goals = ON(copies),
    .gain = 0.8,
    .eval = eval,
    .doc =
        "Fires when migrations of managed (unified) memory take 2 % or more of the GPU time "
        "while nothing computes, or when the driver's page faults and migrations take as much of "
        "the window: kernels stand still meanwhile. Page by page the link is used badly; prefetching moves "
        "the same bytes in large pieces ahead of time. Claims the exposed migrations, "
        "or the time of these events from that of the kernels.",
};
