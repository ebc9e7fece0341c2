#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "evaluate/evaluate.h"

const struct eval_bottleneck eval_bottlenecks[] = {
#define BOTTLENECK(name, types, words, rules) {#name, types, words, rules},
#include "evaluate/bottlenecks.def"
#undef BOTTLENECK
    {NULL, NULL, NULL, NULL}};

const struct eval_shipped eval_shipped[] = {
#define SHIPPED(scenario, expected, also_true, measure, suggestions)                               \
    {#scenario, expected, also_true, measure, suggestions, false},
#define SHIPPED_JOB(scenario, expected, also_true, measure, suggestions)                           \
    {#scenario, expected, also_true, measure, suggestions, true},
#include "evaluate/scenarios.def"
#undef SHIPPED
#undef SHIPPED_JOB
    {NULL, NULL, NULL, NULL, NULL, false}};

const struct eval_bottleneck *eval_bottleneck_find(const char *name)
{
    for (const struct eval_bottleneck *b = eval_bottlenecks; b->name; b++)
        if (str_eq(b->name, name))
            return b;
    return NULL;
}

struct evaluation *evaluation_new(struct arena *a)
{
    struct evaluation *e = arena_new(a, struct evaluation);
    e->arena = a;
    e->who = "rules";
    e->repeats = 1;
    return e;
}

struct eval_run *evaluation_add(struct evaluation *e, const struct eval_truth *t, int64_t repeat)
{
    struct eval_run *r = arena_new(e->arena, struct eval_run);
    *r = (struct eval_run){
        .truth = t, .repeat = repeat, .rank = -1, .coverage_pct = NAN, .error_points = NAN};
    vec_push(&e->runs, e->arena, r);
    return r;
}

/* Whether "a|b|c" has this word, or whether one of its words stands in a text. */
static bool in_list(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = list; n && (p = strstr(p, word)); p += n)
        if ((p == list || p[-1] == '|') && (p[n] == '|' || !p[n]))
            return true;
    return false;
}

static bool says_one(const char *text, const char *list)
{
    char word[64];
    for (const char *p = list; *p;) {
        size_t n = strcspn(p, "|");
        if (n < sizeof(word)) {
            memcpy(word, p, n);
            word[n] = 0;
            if (str_has_fold(text, word))
                return true;
        }
        p += n + (p[n] == '|');
    }
    return false;
}

/* Whether a claim is about this bottleneck. */
static bool claim_matches(const struct eval_claim *c, const struct eval_bottleneck *b)
{
    return c->rule ? in_list(b->rules, c->rule)
                   : in_list(b->types, c->type) && says_one(c->text, b->words);
}

static bool also_true(const struct eval_claim *c, const struct eval_truth *t)
{
    for (size_t i = 0; i < t->also_true.n; i++)
        if (claim_matches(c, t->also_true.v[i]))
            return true;
    return false;
}

void evaluation_score(struct eval_run *r)
{
    const struct eval_truth *t = r->truth;
    double judged = 0, points = 0;
    r->rank = -1;
    r->false_alarms = r->secondary = 0;
    for (size_t i = 0; i < r->claims.n; i++) {
        const struct eval_claim *c = &r->claims.v[i];
        if (t->planted && claim_matches(c, t->planted)) {
            if (r->rank < 0)
                r->rank = (int64_t)i;
        } else if (also_true(c, t))
            r->secondary++;
        else
            r->false_alarms += !c->minor;
    }
    assert(r->rank < (int64_t)r->claims.n);
    if (r->rank >= 0)
        r->error_points = r->claims.v[r->rank].share_pct - t->share_pct; /* NaN where one is */
    for (size_t i = 0; i < r->scores.n; i++)
        if (r->scores.v[i].score >= 0)
            judged++, points += (double)r->scores.v[i].score;
    r->coverage_pct = judged > 0 ? 100 * points / (2 * judged) : NAN;
}

/* ---- over all runs ---- */

struct mean {
    double sum, n;
};

static void add(struct mean *m, double v)
{
    if (!isnan(v))
        m->sum += v, m->n++;
}

static double value(const struct mean *m)
{
    return m->n > 0 ? m->sum / m->n : NAN;
}

static void sum_runs(struct eval_sums *s, struct eval_run *const *runs, size_t n, int64_t repeat)
{
    struct mean at_1 = {0}, at_3 = {0}, reciprocal = {0}, coverage = {0}, error = {0};
    uint64_t claims = 0;
    *s = (struct eval_sums){.detection_sd_pct = NAN};
    for (size_t i = 0; i < n; i++) {
        const struct eval_run *r = runs[i];
        if (repeat >= 0 && r->repeat != repeat)
            continue;
        s->runs++;
        if (r->error) {
            s->failed++;
            continue;
        }
        s->false_alarms += r->false_alarms;
        s->secondary += r->secondary;
        for (size_t k = 0; k < r->claims.n; k++)
            claims += !r->claims.v[k].minor;
        if (!r->truth->planted) {
            s->healthy++;
            s->healthy_alarms += r->false_alarms;
            continue;
        }
        s->scored++;
        add(&at_1, r->rank == 0 ? 100 : 0);
        add(&at_3, r->rank >= 0 && r->rank < 3 ? 100 : 0);
        add(&reciprocal, r->rank < 0 ? 0 : 1 / (double)(r->rank + 1));
        add(&coverage, r->coverage_pct);
        add(&error, fabs(r->error_points));
    }
    s->detection_at_1_pct = value(&at_1);
    s->detection_at_3_pct = value(&at_3);
    s->mrr = value(&reciprocal);
    s->coverage_pct = value(&coverage);
    s->error_points = value(&error);
    s->false_alarm_pct = claims ? 100 * (double)s->false_alarms / (double)claims : NAN;
}

/* What one would guess without looking: each of the usual things, the most usual first. */
static void guess(struct eval_run *r, struct arena *a)
{
    static const struct {
        const char *type, *text;
    } usual[] = {
        {"memory_bound", "kernels wait for memory; improve coalescing and arithmetic intensity"},
        {"cpu_launch_overhead", "many small kernel launches; use graphs (cuda graph, hip graph)"},
        {"synchronization", "the host calls device synchronize too often; use events"},
        {"io", "copies over pcie are not overlapped; use pinned memory and a separate stream"},
        {"mpi_latency", "ranks wait in MPI_Allreduce; pass device pointers, use NCCL or RCCL"},
        {"mpi_imbalance", "load imbalance between ranks; divide the work evenly"},
        {"compute_bound", "occupancy is low; change the launch configuration"},
    };
    for (size_t i = 0; i < ARRAY_LEN(usual); i++) {
        struct eval_claim c = {
            .title = usual[i].text, .type = usual[i].type, .text = usual[i].text, .share_pct = NAN};
        vec_push(&r->claims, a, c);
    }
}

static void sum_floor(struct evaluation *e)
{
    VEC(struct eval_run *) runs = {0};
    for (size_t i = 0; i < e->truths.n; i++) {
        struct eval_run *r = arena_new(e->arena, struct eval_run);
        *r = (struct eval_run){
            .truth = &e->truths.v[i], .rank = -1, .coverage_pct = NAN, .error_points = NAN};
        guess(r, e->arena);
        evaluation_score(r);
        vec_push(&runs, e->arena, r);
    }
    sum_runs(&e->floor, runs.v, runs.n, -1);
}

void evaluation_sum(struct evaluation *e)
{
    struct mean mean = {0};
    double squares = 0;
    sum_runs(&e->sums, e->runs.v, e->runs.n, -1);
    sum_floor(e);
    e->by_repeat.n = 0;
    for (int64_t k = 0; k < e->repeats; k++) {
        struct eval_sums one;
        sum_runs(&one, e->runs.v, e->runs.n, k);
        vec_push(&e->by_repeat, e->arena, one.detection_at_1_pct);
        add(&mean, one.detection_at_1_pct);
    }
    for (size_t k = 0; k < e->by_repeat.n; k++) {
        double d = e->by_repeat.v[k] - value(&mean);
        squares += isnan(d) ? 0 : d * d;
    }
    if (mean.n > 1)
        e->sums.detection_sd_pct = sqrt(squares / (mean.n - 1));
}
