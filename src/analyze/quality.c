#include "analyze/quality.h"

#include <math.h>
#include <string.h>

#include "base/human.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/str.h"

/* Longer than any record is: a sign of a broken clock or an unfinished record. */
#define ABSURD_NS (7LL * 24 * 3600 * 1000000000)
/* A kernel that starts this long before the call that launched it shows unaligned clocks. */
#define CLOCK_SLACK_NS 100000

struct check {
    struct quality *q;
    const struct trace *t;
    struct arena *arena;
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

struct durations {
    uint64_t negative, zero, absurd;
};

static struct durations count_durations(const int64_t *start, const int64_t *end, size_t n)
{
    struct durations d = {0};
    for (size_t i = 0; i < n; i++) {
        d.negative += end[i] < start[i];
        d.zero += end[i] == start[i];
        d.absurd += end[i] > start[i] && (uint64_t)end[i] - (uint64_t)start[i] > ABSURD_NS;
    }
    return d;
}

static void check_durations(struct check *c)
{
    const struct trace *t = c->t;
    struct durations k = count_durations(t->kernels.start_ns, t->kernels.end_ns, t->kernels.n);
    struct durations m = count_durations(t->copies.start_ns, t->copies.end_ns, t->copies.n);
    struct durations r = count_durations(t->regions.start_ns, t->regions.end_ns, t->regions.n);
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

/* Order of kernels by start within each queue; queues are numbered, NO_INDEX is one of its own. */
static uint64_t count_overlaps(const struct trace *t, const uint32_t *rows, struct arena *a,
                               bool *unsorted)
{
    size_t n_queues = t->queues.n + 1;
    int64_t *last_end = arena_array(a, int64_t, n_queues);
    int64_t *last_start = arena_array(a, int64_t, n_queues);
    for (size_t i = 0; i < n_queues; i++)
        last_end[i] = last_start[i] = INT64_MIN;
    uint64_t overlaps = 0;
    *unsorted = false;
    for (size_t i = 0; i < t->kernels.n; i++) {
        size_t k = rows ? rows[i] : i;
        size_t q = t->kernels.queue[k] == NO_INDEX ? t->queues.n : t->kernels.queue[k];
        int64_t start = t->kernels.start_ns[k], end = t->kernels.end_ns[k];
        if (q < t->queues.n) {
            *unsorted |= start < last_start[q];
            overlaps += start < last_end[q] && end > start;
        }
        last_start[q] = start;
        if (end > last_end[q])
            last_end[q] = end;
    }
    return overlaps;
}

struct overlap_call {
    const struct trace *trace;
    struct arena temporary;
    uint64_t overlaps;
};

static void find_overlaps(void *ctx)
{
    struct overlap_call *c = ctx;
    const struct trace *t = c->trace;
    bool unsorted;
    c->overlaps = count_overlaps(t, NULL, &c->temporary, &unsorted);
    if (!unsorted)
        return;
    uint32_t *rows = arena_array(&c->temporary, uint32_t, t->kernels.n);
    for (size_t i = 0; i < t->kernels.n; i++)
        rows[i] = (uint32_t)i;
    sort_rows(rows, t->kernels.n, t->kernels.start_ns, &c->temporary);
    c->overlaps = count_overlaps(t, rows, &c->temporary, &unsorted);
}

static void check_overlaps(struct check *c)
{
    const struct trace *t = c->t;
    struct overlap_call call = {.trace = t};
    bool had_memory = mem_guard(find_overlaps, &call, NULL);
    arena_release(&call.temporary);
    if (!had_memory)
        mem_exhausted();
    reason(c, "queue-overlap", 5, call.overlaps, t->kernels.n,
           "kernels overlap another one on the same queue",
           "sums of kernel time; busy time is a union and stays right");
}

/* True when `start` lies before `call` by more than clocks may differ. */
static bool is_early(int64_t start, int64_t call)
{
    return start < call && (uint64_t)call - (uint64_t)start > CLOCK_SLACK_NS;
}

static void check_links(struct check *c)
{
    const struct trace *t = c->t;
    uint64_t unlinked = 0, early = 0;
    for (size_t i = 0; i < t->kernels.n; i++) {
        uint32_t call = t->kernels.call[i];
        unlinked += call == NO_INDEX;
        early += call != NO_INDEX && is_early(t->kernels.start_ns[i], t->regions.start_ns[call]);
    }
    if (t->regions.n) /* without any call there is nothing to link to, and that is said elsewhere */
        reason(c, "unlinked-kernels", 15, unlinked, t->kernels.n,
               "kernels are not linked to the call that launched them", "launch latency");
    reason(c, "clock-jump", 40, early, t->kernels.n,
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
        [NOTE_SKIPPED] = {"skipped-rows", 30, "counts and totals"},
        [NOTE_DUPLICATE] = {"duplicate-id", 10, "links between rows"},
        [NOTE_MISSING_TABLE] = {"missing-table", 10, "what the table would hold"},
        [NOTE_OTHER] = {"note", 5, ""},
    };
    for (size_t i = 0; i < c->t->notes.n; i++) {
        const struct note *n = &c->t->notes.v[i];
        bool whole = n->kind == NOTE_UNFINISHED || n->kind == NOTE_MISSING_TABLE;
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

void quality_check(struct quality *q, const struct trace *t, struct arena *a)
{
    *q = (struct quality){.points = 100};
    struct check c = {q, t, a};
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
