/*
 * Estimates: what a capture costs, from the events of the trace at hand. docs/planner.md has the
 * formulas; the figures below are round ones, to tell 1 % from 100 %, no measurements.
 */
#include <math.h>

#include "base/human.h"
#include "base/sat.h"
#include "base/str.h"
#include "plan/plan_in.h"

#define EVENT_COST_NS 1000.0     /* to record one event */
#define EVENT_BYTES 250.0        /* where the trace does not tell */
#define DISPATCH_COST_NS 50000.0 /* to read counters behind a kernel, which then runs alone */
#define COUNTER_BYTES 150.0      /* one value in a database */
#define SAMPLES_PER_S 300.0      /* per thread */
#define SAMPLE_COST_NS 10000.0
#define ENGINES_PER_XCC 4.0
#define CALLS_PER_KERNEL 4.0 /* host calls, where none were recorded */
#define BASE_BYTES 1048576.0 /* agents, counters and code objects are described in each file */

#define F(member, type, label, unit, doc, ...)                                                     \
    FIELD(struct capture, member, type, label, unit, doc, ##__VA_ARGS__)
static const struct field fields[] = {
    F(title, FIELD_TEXT, "capture", NO_UNIT, "what the command records, and which pass it is",
      .null = NULL_NEVER),
    F(runs, FIELD_U64, "runs", NO_UNIT,
      "how often the program runs: 1, or the runs a tool makes on its own", .least = "1"),
    F(runs_exact, FIELD_BOOL, "exact", NO_UNIT,
      "false: the tool decides, runs is what it took elsewhere"),
    F(overhead_pct, FIELD_NUM, "overhead", IN_PERCENT,
      "estimate of added run time; tracing: (events x 1 us + samples x 10 us) / span of the trace, "
      "counters: (dispatches counted x 50 us + summed - united kernel time) / span; null without a "
      "trace",
      .least = "0"),
    F(size_bytes, FIELD_NUM, "size", IN_BYTES,
      "estimate of what is written; tracing: 1 MiB + events x bytes per event of the trace (250 "
      "where that is not known) + samples x 250, counters: 1 MiB + dispatches x (values x 150 + "
      "250); null without a trace",
      .least = "0"),
    F(basis, FIELD_TEXT, "estimate", NO_UNIT, "the numbers that both estimates rest on",
      .null = NULL_NEVER),
};
#undef F
const struct fields capture_fields =
    FIELDS("captures", "Command lines of a capture plan, 'gpusight plan'.", struct capture, fields);

static double span_ns(const struct planner *pl)
{
    int64_t start, end;
    if (!pl->t || !trace_span(pl->t, 1, &start, &end) || end <= start)
        return NAN;
    return (double)end - (double)start;
}

/* Bytes per event of the files at hand, if there are enough to tell. */
static double event_bytes(const struct planner *pl)
{
    double bytes = 0, events = (double)trace_events(pl->t);
    for (size_t i = 0; i < pl->t->files.n; i++)
        bytes += (double)pl->t->files.v[i].bytes;
    return events >= 1000 && bytes > 0 ? bytes / events : EVENT_BYTES;
}

static double events_of(const struct planner *pl, unsigned items)
{
    const struct trace *t = pl->t;
    double n = 0, calls = 0, mpi = 0;
    for (size_t i = 0; i < t->regions.n; i++) {
        calls += t->regions.kind[i] == REGION_HIP || t->regions.kind[i] == REGION_HSA;
        mpi += t->regions.kind[i] == REGION_MPI;
    }
    if (items & ITEM_KERNELS)
        n += (double)t->kernels.n;
    if (items & ITEM_API)
        n += calls > 0 ? calls : CALLS_PER_KERNEL * (double)t->kernels.n;
    if (items & ITEM_COPIES)
        n += (double)t->copies.n;
    if (items & ITEM_ALLOCATIONS)
        n += (double)t->allocations.n;
    if (items & ITEM_MARKERS)
        n += (double)t->markers.n;
    return n + (items & ITEM_MPI ? mpi : 0);
}

void estimate_unknown(const struct planner *pl, struct capture *c, const char *why)
{
    c->overhead_pct = c->size_bytes = NAN;
    c->basis = arena_printf(pl->arena, "not known: %s", why);
}

void estimate_trace(const struct planner *pl, struct capture *c, unsigned items)
{
    char rate[HUMAN_MAX], length[HUMAN_MAX];
    double span = span_ns(pl);
    if (isnan(span)) {
        estimate_unknown(pl, c, "no trace to count events in");
        return;
    }
    double events = events_of(pl, items), bytes = event_bytes(pl), cost = events * EVENT_COST_NS;
    double samples =
        items & ITEM_SAMPLES ? SAMPLES_PER_S * span / 1e9 * (double)pl->t->threads.n : 0;
    cost += samples * SAMPLE_COST_NS;
    c->overhead_pct = 100 * cost / span;
    c->size_bytes = BASE_BYTES + events * bytes + samples * EVENT_BYTES;
    c->basis = arena_printf(
        pl->arena, "%s events in %s as in the trace, 1 µs and %.0f bytes each%s",
        human_count(rate, count_from(events)), human_time(length, ns_from(span)), bytes,
        samples > 0 ? "; 300 samples a second and thread, 10 µs and 250 bytes each" : "");
}

/* Values that a counter gives for one dispatch. */
static double instances(const struct planner *pl, const char *counter)
{
    const struct hardware *hw = pl->q->gpu;
    double xcc = hw && hw->xcc_count ? hw->xcc_count : 1;
    for (size_t g = 0; pl->t && !hw && g < pl->t->gpus.n; g++)
        if (pl->t->gpus.v[g].used && pl->t->gpus.v[g].xcc_count)
            xcc = pl->t->gpus.v[g].xcc_count;
    if (str_ends(counter, "_sum") || str_ends(counter, "_SIZE"))
        return 1;
    return str_starts(counter, "GRBM_") ? xcc : xcc * ENGINES_PER_XCC;
}

void estimate_counters(const struct planner *pl, struct capture *c)
{
    char calls[HUMAN_MAX];
    double span = span_ns(pl), values = 0;
    if (isnan(span)) {
        estimate_unknown(pl, c, "no trace to count kernels in");
        return;
    }
    const struct breakdown *b = &pl->an->breakdown;
    bool all = !pl->filter.calls;
    double n = all ? (double)pl->t->kernels.n : (double)pl->filter.calls;
    double alone = (double)(b->kernel_sum_ns - b->kernel_ns);
    for (size_t i = 0; i < c->passes.n; i++)
        for (size_t k = 0; k < c->passes.v[i].counters.n; k++)
            values += instances(pl, c->passes.v[i].counters.v[k]);
    c->overhead_pct = 100 * (n * DISPATCH_COST_NS + (alone > 0 ? alone : 0)) / span;
    c->size_bytes = c->passes.n ? BASE_BYTES + n * (values * COUNTER_BYTES + EVENT_BYTES) : NAN;
    c->basis =
        arena_printf(pl->arena, "%s dispatches counted, 50 us each; kernels run one by one%s",
                     human_count(calls, count_from(n)), c->passes.n ? ", 150 bytes a value" : "");
}
