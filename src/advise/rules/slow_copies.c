#include <math.h>

#include "advise/copy_split.h"
#include "base/human.h"

/* Below this size the fixed cost of a copy is most of it. */
#define TINY_BYTES 65536.0

static bool eval(const struct analysis *a, struct finding *f)
{
    struct copy_split s;
    copy_split(&s, a);
    if (share_pct(a, s.slow_ns) < 0.5)
        return false;
    bool tiny = false, pageable = false;
    char lost[HUMAN_MAX];
    claim_copies(f, s.slow_ns);
    finding_change(f)->pinned = true;
    f->shares = true;
    for (size_t i = 0; i < a->copies.n; i++) {
        const struct copy_row *c = &a->copies.v[i];
        char size[HUMAN_MAX];
        if (!copy_is_slow(c) || !c->exposed_ns)
            continue;
        tiny |= c->avg_bytes < TINY_BYTES;
        pageable |= c->pageable_pct > 50;
        finding_because(f, "copies.efficiency_pct", c->efficiency_pct, SLOW_COPY_PCT, IN_PERCENT,
                        "%s: %.2f GB/s of %.0f the link can do, %s a copy on average",
                        copy_directions[c->kind], c->bandwidth_gbps, c->link_gbps,
                        human_bytes(size, count_from(c->avg_bytes)));
        finding_at_copy(f, c->slowest, "slowest large copy, %s", copy_directions[c->kind]);
    }
    finding_issue(f, "copies run far below the link; full speed would save %s",
                  human_time(lost, s.slow_ns));
    const struct vendor_words *w = vendor_words(a->trace);
    finding_suggest(f, tiny ? "make copies larger" : "copy from pinned memory");
    if (tiny)
        finding_action(f, "gather small copies into one buffer and copy it at once");
    finding_action(f,
                   "allocate the host side with %s: pageable memory goes through a bounce buffer",
                   w->pinned_alloc);
    finding_action(f, "check that the process runs on the socket the GPU is attached to");
    finding_sure(f, pageable || tiny ? 0.9 : 0.7,
                 pageable ? "the trace says the host memory is pageable"
                 : tiny   ? "the copies are small"
                          : "size and link are known; the kind of host memory is not recorded");
    return true;
}

const struct rule rule_slow_copies = {
    .name = "slow-copies",
    .id = "ROCPD-MEMBW-001",
    .category = ABOUT_MEMORY_BANDWIDTH,
    .title = "copies run far below the link (pageable or tiny)",
    .bottleneck = BOTTLENECK_TRANSFER,
    .action = ACTION_CODE,
    .needs = NEED_COPIES,
    .goals = ON(copies),
    .cites = CITES(FACT_COPY),
    .gain = 0.95,
    .eval = eval,
    .doc =
        "Fires when a direction reaches less than 30 % of the peak of the link it used (never of "
        "HBM), 50 % where the trace says that host memory is pageable, and its copies are exposed. "
        "Pageable host memory and small copies are the usual "
        "reasons. Claims the exposed time that full link speed would save.",
};
