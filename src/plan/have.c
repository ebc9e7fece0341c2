/*
 * What a trace already holds, and what is left to capture.
 */
#include "base/str.h"
#include "plan/plan_in.h"

#define F(member, type, label, doc, ...)                                                           \
    FIELD(struct plan_have, member, type, label, NO_UNIT, doc, .null = NULL_NEVER, ##__VA_ARGS__)
static const struct field fields[] = {
    F(what, FIELD_TEXT, "what", "kind of record, or counter and its name"),
    F(count, FIELD_U64, "records", "records"),
    F(goals, FIELD_SET, "serves", "that it serves", .words = goal_names),
};
#undef F
const struct fields plan_have_fields =
    FIELDS("have", "What traces already hold.", struct plan_have, fields);

static uint64_t count_kind(const struct trace *t, enum region_kind a, enum region_kind b)
{
    uint64_t n = 0;
    for (size_t i = 0; i < t->regions.n; i++)
        n += t->regions.kind[i] == a || t->regions.kind[i] == b;
    return n;
}

/* Host calls that copy, where none was recorded on the GPU: copies are missing, not absent. */
static bool copies_were_made(const struct analysis *an)
{
    for (size_t i = 0; i < an->api.n; i++)
        if (str_has_fold(an->api.v[i].name, "memcpy"))
            return true;
    return false;
}

/* rocprofv3 writes moments without a length to the same table; they are no call stacks. */
static uint64_t count_stacks(const struct trace *t)
{
    for (size_t i = 0; i < t->files.n; i++)
        if (t->files.v[i].flavor == WRITER_ROCPROF_SYS)
            return t->samples.n;
    return 0;
}

static const struct {
    enum item item;
    const char *what;
} items[] = {
    {ITEM_KERNELS, "kernels"},
    {ITEM_API, "host calls of the GPU runtime"},
    {ITEM_COPIES, "copies"},
    {ITEM_ALLOCATIONS, "allocations"},
    {ITEM_MARKERS, "markers"},
    {ITEM_MPI, "MPI calls"},
    {ITEM_COLLECTIVES, "collectives"},
    {ITEM_TELEMETRY, "power and clocks"},
    {ITEM_SAMPLES, "call stacks"},
    {ITEM_IO, "operating-system calls"},
    {ITEM_PC_SAMPLES, "program-counter samples"},
};

static uint64_t count_item(const struct trace *t, enum item item)
{
    switch (item) {
    case ITEM_KERNELS:
        return t->kernels.n;
    case ITEM_API:
        return count_kind(t, REGION_HIP, REGION_HSA);
    case ITEM_COPIES:
        return t->copies.n;
    case ITEM_ALLOCATIONS:
        return t->allocations.n;
    case ITEM_MARKERS:
        return t->markers.n;
    case ITEM_MPI:
        return count_kind(t, REGION_MPI, REGION_MPI);
    case ITEM_COLLECTIVES:
        return count_kind(t, REGION_COLLECTIVE, REGION_COLLECTIVE);
    case ITEM_TELEMETRY:
        return t->telemetry.n;
    case ITEM_SAMPLES:
        return count_stacks(t);
    case ITEM_IO:
        return count_kind(t, REGION_OS, REGION_OS);
    case ITEM_PC_SAMPLES:
        return t->pc_samples.n;
    case ITEM_INSTRUCTIONS:
        return 0;
    }
    return 0;
}

/* Files also list counters that were not asked for. */
uint64_t *plan_counter_values(const struct trace *t, struct arena *a)
{
    uint64_t *values = arena_array(a, uint64_t, t->counter_infos.n + 1);
    for (size_t i = 0; i < t->counters.n; i++)
        if (t->counters.counter[i] < t->counter_infos.n)
            values[t->counters.counter[i]]++;
    return values;
}

bool plan_counter_collected(const struct trace *t, const uint64_t *values, const char *name)
{
    for (size_t i = 0; t && i < t->counter_infos.n; i++)
        if (values[i] && counter_same(trace_str(t, t->counter_infos.v[i].name), name))
            return true;
    return false;
}

static unsigned goals_reading(const char *counter)
{
    unsigned found = 0;
    for (size_t r = 0; r < n_plan_ratios; r++) {
        if (*plan_ratios[r].instead && counter_same(plan_ratios[r].instead, counter))
            found |= plan_ratios[r].goals;
        for (size_t i = 0; i < RATIO_MOST && plan_ratios[r].counters[i]; i++)
            if (counter_same(plan_ratios[r].counters[i], counter))
                found |= plan_ratios[r].goals;
    }
    return found;
}

static bool listed(const struct plan *p, const char *what)
{
    for (size_t i = 0; i < p->have.n; i++)
        if (str_eq(p->have.v[i].what, what))
            return true;
    return false;
}

static void find_counters(struct planner *pl)
{
    const struct trace *t = pl->t;
    const uint64_t *values = pl->counter_values;
    for (size_t i = 0; i < t->counter_infos.n; i++) {
        const char *name = trace_str(t, t->counter_infos.v[i].name);
        const char *what = arena_printf(pl->arena, "counter %s", name);
        unsigned serves = goals_reading(name) & pl->p->goals;
        if (values[i] && serves && !listed(pl->p, what))
            vec_push(&pl->p->have, pl->arena, ((struct plan_have){what, values[i], serves}));
    }
}

unsigned plan_goals_with(const struct planner *pl, unsigned which)
{
    unsigned found = 0;
    for (size_t i = 0; i < GOALS; i++)
        if ((pl->p->goals & (1u << i)) && ((plan_goals[i].items | plan_goals[i].also) & which))
            found |= 1u << i;
    return found;
}

void plan_find_have(struct planner *pl)
{
    if (!pl->t)
        return;
    for (size_t i = 0; i < ARRAY_LEN(items); i++) {
        uint64_t n = count_item(pl->t, items[i].item);
        unsigned serves = plan_goals_with(pl, items[i].item);
        if (!n)
            continue;
        pl->have |= items[i].item;
        if (serves)
            vec_push(&pl->p->have, pl->arena, ((struct plan_have){items[i].what, n, serves}));
    }
    if (!(pl->have & ITEM_COPIES) && (pl->have & ITEM_API) && (pl->have & ITEM_KERNELS) &&
        !copies_were_made(pl->an))
        pl->have |= ITEM_COPIES; /* there are none to capture */
    find_counters(pl);
}

struct lacks plan_lacks(const struct planner *pl)
{
    struct lacks l = {0};
    for (size_t i = 0; i < GOALS; i++)
        if (pl->p->goals & (1u << i)) {
            l.needs |= plan_goals[i].items & ~pl->have;
            l.worth |= plan_goals[i].also & ~pl->have;
        }
    return l;
}
