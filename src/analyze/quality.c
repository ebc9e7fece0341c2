#include "analyze/quality.h"

#include <math.h>
#include <string.h>

#include "analyze/quality_count.h"
#include "base/human.h"
#include "base/str.h"

struct check {
    struct quality *q;
    const struct trace *t;
    struct arena *arena;
    struct quality_counts counts;
};

static void reason(struct check *c, const char *code, int weight, uint64_t count, uint64_t total,
                   const char *what, const char *affects)
{
    if (!count)
        return;
    double share = total ? (double)count / (double)total : 1;
    int points = share >= 0.05 ? weight : share >= 0.005 ? weight / 2 : weight / 5;
    char n[HUMAN_MAX];
    struct quality_reason r = {code, arena_printf(c->arena, "%s %s", human_count(n, count), what),
                               affects, count, points ? points : 1};
    vec_push(&c->q->reasons, c->arena, r);
    c->q->points -= r.points;
}

static void check_durations(struct check *c)
{
    const struct trace *t = c->t;
    struct durations k = c->counts.kernels, m = c->counts.copies, r = c->counts.regions;
    reason(c, "negative-duration", 40, k.negative, t->kernels.n, "kernels end before they start",
           "kernel times; such kernels count as zero");
    reason(c, "negative-duration", 40, m.negative, t->copies.n, "copies end before they start",
           "copy times; such copies count as zero");
    reason(c, "negative-duration", 20, r.negative, t->regions.n, "host calls end before they start",
           "host times; such calls count as zero");
    reason(c, "zero-duration", 15, k.zero, t->kernels.n, "kernels take no time", "kernel times");
    reason(c, "zero-duration", 10, m.zero, t->copies.n, "copies take no time", "bandwidths");
    uint64_t absurd = k.absurd + m.absurd + r.absurd;
    reason(c, "absurd-duration", 60, absurd, t->kernels.n + t->copies.n + t->regions.n,
           "records last longer than a week", "every share of time");
}

static void check_overlaps(struct check *c)
{
    const struct trace *t = c->t;
    reason(c, "queue-overlap", 5, c->counts.overlaps, t->kernels.n,
           "kernels overlap another one on the same queue",
           "sums of kernel time; busy time is a union and stays right");
}

static void check_links(struct check *c)
{
    const struct trace *t = c->t;
    if (t->regions.n) /* without any call there is nothing to link to, and that is said elsewhere */
        reason(c, "unlinked-kernels", 15, c->counts.unlinked, t->kernels.n,
               "kernels are not linked to the call that launched them", "launch latency");
    reason(c, "clock-jump", 40, c->counts.early, t->kernels.n,
           "kernels start before the call that launched them",
           "everything that compares host and GPU times");
}

static bool is_launch(const char *name)
{
    return str_has(name, "LaunchKernel") || str_has(name, "launchKernel") ||
           str_has(name, "ModuleLaunch") || str_has(name, "GraphLaunch");
}

/* Calls that must have left something behind, and have not. */
static void check_empty(struct check *c)
{
    const struct trace *t = c->t;
    if (t->kernels.n || !t->regions.n)
        return;
    bool *launches = arena_array(c->arena, bool, t->strings.n);
    for (size_t i = 0; i < t->strings.n; i++)
        launches[i] = is_launch(t->strings.v[i].text);
    uint64_t n = 0;
    for (size_t i = 0; i < t->regions.n; i++)
        n += launches[t->regions.name[i]];
    reason(c, "empty-table", 40, n, n, "launches but no kernel recorded",
           "everything about the GPU");
}

static void check_notes(struct check *c)
{
    static const struct {
        const char *code;
        int weight;
        const char *affects;
    } kinds[] = {
        [NOTE_UNFINISHED] = {"unfinished-writer", 20, "the end of the run"},
        [NOTE_DANGLING] = {"dangling-reference", 20, "names and devices of these rows"},
        [NOTE_NULL] = {"missing-value", 20, "these rows"},
        [NOTE_RANGE] = {"out-of-range", 40, "times and totals"},
        [NOTE_SKIPPED] = {"skipped-rows", 30, "counts and totals"},
        [NOTE_DUPLICATE] = {"duplicate-id", 10, "links between rows"},
        [NOTE_MISSING_TABLE] = {"missing-table", 10, "what the table would hold"},
        [NOTE_APART] = {"captures-apart", 10, "moments of the later captures"},
        [NOTE_OTHER] = {"note", 5, ""},
    };
    for (size_t i = 0; i < c->t->notes.n; i++) {
        const struct note *n = &c->t->notes.v[i];
        bool whole =
            n->kind == NOTE_UNFINISHED || n->kind == NOTE_MISSING_TABLE || n->kind == NOTE_APART;
        reason(c, kinds[n->kind].code, kinds[n->kind].weight, n->count,
               whole ? n->count : trace_events(c->t), n->text, kinds[n->kind].affects);
        if (whole) /* a sentence, not a count */
            c->q->reasons.v[c->q->reasons.n - 1].text = n->text;
    }
}

static void check_counters(struct check *c)
{
    const struct counters *v = &c->t->counters;
    uint64_t bad = 0;
    for (size_t i = 0; i < v->n; i++)
        bad += !(v->value[i] >= 0 && isfinite(v->value[i]));
    reason(c, "bad-counter", 20, bad, v->n, "counter values are below zero or not finite",
           "counters; such values are left out");
}

void quality_check(struct quality *q, const struct trace *t, const struct view *v, int workers,
                   struct arena *a)
{
    *q = (struct quality){.points = 100};
    struct check c = {.q = q, .t = t, .arena = a};
    quality_count(&c.counts, t, v, workers);
    check_durations(&c);
    check_overlaps(&c);
    check_links(&c);
    check_empty(&c);
    check_counters(&c);
    check_notes(&c);
    if (!trace_events(t)) {
        reason(&c, "empty-trace", 100, 1, 1, "", "everything");
        q->reasons.v[q->reasons.n - 1].text = "the trace holds no event";
    }
    if (q->points < 0)
        q->points = 0;
    q->grade = q->points >= 95   ? 'A'
               : q->points >= 85 ? 'B'
               : q->points >= 70 ? 'C'
               : q->points >= 50 ? 'D'
                                 : 'F';
}
