#include "advise/rule.h"
#include "base/human.h"

/* Below this size a copy costs what it costs to start one. */
#define TINY_BYTES (64u << 10)

enum { LEAST_COPIES = 64 };

struct tiny {
    uint64_t count, bytes;
    int64_t ns;
    uint32_t example;
};

static const struct {
    enum copy_kind kind;
    enum cause cause;
} directions[] = {
    {COPY_H2D, CAUSE_COPY_H2D},
    {COPY_D2H, CAUSE_COPY_D2H},
    {COPY_P2P, CAUSE_COPY_P2P},
    {COPY_D2D, CAUSE_COPY_D2D},
};
enum { DIRECTIONS = ARRAY_LEN(directions) };

static void look(const struct analysis *a, enum copy_kind kind, struct tiny *tiny, int64_t *all_ns)
{
    const struct copies *c = &a->trace->copies;
    *tiny = (struct tiny){.example = NO_INDEX};
    *all_ns = 0;
    for (size_t g = 0; g < a->view.n_gpus; g++)
        for (size_t i = 0; i < a->view.gpus[g].n_copies; i++) {
            uint32_t row = a->view.gpus[g].copies[i];
            if (c->kind[row] != kind || c->bytes[row] == BYTES_UNKNOWN)
                continue;
            struct span s = view_clip(&a->view, c->start_ns[row], c->end_ns[row]);
            *all_ns = add_ns(*all_ns, s.end - s.start);
            if (c->bytes[row] >= TINY_BYTES)
                continue;
            tiny->count++;
            tiny->bytes = add_bytes(tiny->bytes, c->bytes[row]);
            tiny->ns = add_ns(tiny->ns, s.end - s.start);
            tiny->example = row;
        }
}

/* Where most of the work is tiny copies, the calls and waits around them go with them. */
static int64_t claim_around(const struct analysis *a, struct finding *f, uint64_t count)
{
    static const enum cause around[] = {CAUSE_LAUNCH, CAUSE_SYNC, CAUSE_HOST};
    double share = (double)count / (double)(a->view.n_kernels + a->view.n_copies);
    int64_t claimed = 0;
    for (size_t i = 0; share > 0.5 && i < ARRAY_LEN(around); i++) {
        int64_t ns = ns_from((double)ledger_ns(a, around[i]) * share);
        finding_claim(f, around[i], ns);
        claimed = add_ns(claimed, ns);
    }
    return claimed;
}

static bool eval(const struct analysis *a, struct finding *f)
{
    struct tiny sum = {.example = NO_INDEX};
    int64_t claimed = 0;
    for (int i = 0; i < DIRECTIONS; i++) {
        struct tiny t;
        int64_t all;
        look(a, directions[i].kind, &t, &all);
        if (t.count < LEAST_COPIES || all <= 0)
            continue;
        /* Of what is exposed, the part that the tiny ones have in this direction. */
        int64_t ns =
            ns_from((double)ledger_ns(a, directions[i].cause) * (double)t.ns / (double)all);
        finding_claim(f, directions[i].cause, ns);
        claimed = add_ns(claimed, ns);
        sum.count += t.count;
        sum.bytes = add_bytes(sum.bytes, t.bytes);
        sum.ns = add_ns(sum.ns, t.ns);
        sum.example = t.example;
    }
    if (sum.count)
        claimed = add_ns(claimed, claim_around(a, f, sum.count));
    if (!sum.count || share_pct(a, claimed) < LEAST_SHARE_PCT)
        return false;
    finding_change(f)->merge_copies = true;
    char lost[HUMAN_MAX], n[HUMAN_MAX], bytes[HUMAN_MAX];
    finding_issue(f,
                  "%s copies of %s on average take %s while nothing computes, calls and waits "
                  "around them included",
                  human_count(n, sum.count), human_bytes(bytes, sum.bytes / sum.count),
                  human_time(lost, claimed));
    finding_because(f, "copy_sizes.count", (double)sum.count, LEAST_COPIES, NO_UNIT,
                    "%s copies are smaller than 64 KiB, %s each", human_count(n, sum.count),
                    human_time(lost, sum.ns / (int64_t)sum.count));
    finding_at_copy(f, sum.example, "one of them");
    finding_suggest(f, "gather small pieces and copy them at once");
    finding_action(f, "pack them into one pinned buffer and copy that");
    finding_action(f,
                   "pass small values as kernel arguments; keep what does not change on the GPU");
    finding_action(f, "compute flags and sums on the GPU and read them back once");
    finding_sure(f, 0.85, "sizes are recorded; a copy this small costs what starting one costs");
    return true;
}

const struct rule rule_tiny_copies = {
    .name = "tiny-copies",
    .id = "GS-TINYCOPY-001",
    .category = ABOUT_MEMORY_TRANSFER,
    .title = "many tiny copies",
    .bottleneck = BOTTLENECK_TRANSFER,
    .action = ACTION_CODE,
    .needs = NEED_COPIES,
    .specific = true,
    .goals = ON(copies),
    .gain = 0.8,
    .eval = eval,
    .doc = "Fires when 64 or more copies of one direction are smaller than 64 KiB and 2 % of the "
           "GPU time or more passes in such copies while nothing computes. Each costs what "
           "starting a copy costs, whatever its size. Claims their part of the exposed copies and, "
           "where they are most of the work, of the launch, sync and host time around them.",
};
