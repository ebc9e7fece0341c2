#include "compare/history.h"

#include <math.h>

/* Each run with each would be too many: it is compared with so many of a group, in so many. */
enum { MOST_COMPARED = 32, MOST_GROUPS = 32, LEAST_LEVEL = 4 };

/* Why the run cannot be compared with one of the latest of a group; NULL: it can with all. */
static const char *why_not(const struct history *h, uint32_t group, const struct run_profile *p,
                           struct arena *arena)
{
    const char *why = NULL;
    struct arena *temporary = arena_scratch();
    for (size_t i = h->runs.n, n = 0; i-- > 0 && n < MOST_COMPARED && !why;) {
        struct comparison c;
        if (h->runs.v[i].group != group)
            continue;
        n++;
        compare(&c, h->runs.v[i].profile, p, temporary);
        if (!c.comparable)
            why = arena_strdup(arena, c.reasons.n ? c.reasons.v[0] : "no common work");
    }
    arena_release(temporary);
    return why;
}

/* The first run of the group this one belongs to, or NULL. */
static const struct history_run *find_group(struct history *h, struct history_run *run,
                                            struct arena *arena)
{
    for (uint32_t g = 1; g <= h->groups && g <= MOST_GROUPS; g++) {
        const char *reason = why_not(h, g, run->profile, arena);
        size_t i = 0;
        if (g == 1)
            run->apart = reason;
        while (h->runs.v[i].group != g)
            i++;
        if (!reason)
            return &h->runs.v[i];
    }
    return NULL;
}

/* The runs of a group since its last change point: together they say what runs differ by. */
static void join_level(struct run_profile *out, const struct history *h, uint32_t group,
                       struct arena *arena)
{
    struct run_profile runs[MOST_COMPARED];
    size_t n = 0;
    for (size_t i = h->runs.n; i-- > 0 && n < MOST_COMPARED;) {
        if (h->runs.v[i].group != group)
            continue;
        runs[n++] = *h->runs.v[i].profile;
        if (h->runs.v[i].change_point)
            break;
    }
    if (n < LEAST_LEVEL)
        *out = runs[0]; /* the one before */
    else
        profile_join(out, runs, n, arena);
}

static void add_run(struct history *h, const struct run_profile *p, struct arena *arena)
{
    struct comparison c;
    struct history_run run = {
        .profile = p, .label = p->label, .relative_pct = 100, .change_pct = NAN, .noise_pct = NAN};
    const struct history_run *first = h->runs.n ? find_group(h, &run, arena) : NULL;
    if (!first) {
        struct comparison self;
        compare(&self, p, p, arena);
        run.group = ++h->groups;
        run.time_ns = self.wall_a_ns;
        vec_push(&h->runs, arena, run);
        return;
    }
    run.group = first->group;
    compare(&c, first->profile, p, arena);
    run.time_ns = add_ns(first->time_ns, c.change_ns);
    run.relative_pct = percent_of((double)run.time_ns, (double)first->time_ns);
    struct run_profile before;
    join_level(&before, h, run.group, arena);
    compare(&c, &before, p, arena);
    run.change_pct = c.wall_change_pct;
    run.noise_pct = c.noise_pct;
    run.verdict = compare_verdict_name(c.verdict);
    run.change_point = c.verdict == COMPARE_FASTER || c.verdict == COMPARE_SLOWER;
    run.cause = run.change_point && c.causes.n ? c.causes.v[0].what : NULL;
    vec_push(&h->runs, arena, run);
}

void history_make(struct history *h, const struct run_profile *runs, size_t n, struct arena *arena)
{
    *h = (struct history){0};
    for (size_t i = 0; i < n; i++)
        add_run(h, &runs[i], arena);
    for (size_t i = 0; i < h->runs.n; i++) {
        struct history_run *r = &h->runs.v[i];
        r->place = 1;
        for (size_t j = 0; j < h->runs.n; j++) {
            const struct history_run *other = &h->runs.v[j];
            r->place += other->group == r->group &&
                        (other->time_ns < r->time_ns || (other->time_ns == r->time_ns && j < i));
        }
    }
    for (uint32_t place = 1; place <= h->runs.n; place++)
        for (size_t i = 0; i < h->runs.n; i++)
            if (h->runs.v[i].group == 1 && h->runs.v[i].place == place)
                vec_push(&h->leaders, arena, h->runs.v[i].label);
}

#define F(member, type, label, unit, doc, ...)                                                     \
    FIELD(struct history_run, member, type, label, unit, doc, ##__VA_ARGS__)
static const struct field fields[] = {
    F(label, FIELD_TEXT, "run", NO_UNIT, "the run"),
    F(group, FIELD_U32, "group", NO_UNIT, "workload, from 1; runs of one group are comparable"),
    F(time_ns, FIELD_I64, "time", IN_NS, "clock of the group's first run and the change from it"),
    F(relative_pct, FIELD_NUM, "of first", IN_PERCENT,
      "time_ns in percent of the group's first run"),
    F(change_pct, FIELD_NUM, "change", IN_PERCENT, "from the run before it in the group",
      AS_CHANGE),
    F(noise_pct, FIELD_NUM, "noise", IN_PERCENT, "of that change"),
    F(verdict, FIELD_TEXT, "verdict", NO_UNIT, "of that change"),
    F(change_point, FIELD_BOOL, "change point", NO_UNIT, "faster or slower than the run before"),
    F(cause, FIELD_TEXT, "cause", NO_UNIT, "what changed most, at a change point"),
    F(place, FIELD_U32, "place", NO_UNIT, "in the group; 1 is the fastest"),
    F(apart, FIELD_TEXT, "apart", NO_UNIT, "why it is not in the group of the first run"),
};
#undef F

const struct fields history_fields =
    FIELDS("runs", "A series of runs.", struct history_run, fields);

#define T struct history
static const struct field document[] = {
    FIXED("schema_version", "1.0", "version of this document"),
    ALWAYS(T, groups, FIELD_U32, "workloads", "groups of runs that did the same work"),
    ALWAYS(T, runs, FIELD_LIST, "runs", "oldest first", .of = &history_fields),
    ALWAYS(T, leaders, FIELD_LIST, "leader_board", "runs of the first group, fastest first",
           .of = &field_texts),
};
#undef T

const struct fields history_document_fields = FIELDS(
    "history", "A series of runs, and which of them were fastest.", struct history, document);

void history_json_schema(struct str *out)
{
    fields_schema_document(out, "urn:gpusight:history:1.0", "gpusight history",
                           "What 'gpusight history --json' writes; null means that it cannot be "
                           "said. Made by 'gpusight --generate history-schema'.",
                           &history_document_fields);
}
