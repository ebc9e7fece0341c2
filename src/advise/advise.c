#include "advise/advise.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advise/rule.h"
#include "base/human.h"
#include "base/parallel.h"
#include "base/str.h"

/* What must be won for these priorities. */
#define HIGH_WIN_PCT 10.0
#define MEDIUM_WIN_PCT 4.0

/* Without a finding, a GPU that is busy this much from its first to its last work is healthy. */
#define HEALTHY_BUSY_PCT 70.0

/* Faults that are small one by one and come to this together are worth a look. */
#define HEALTHY_LOSS_PCT 5.0

/* So few pieces of work say nothing about how a program runs. */
enum { LEAST_WORK = 4 };

static const char all_gpus[] = "all GPUs";

const struct rule *const rules[] = {
#define RULE(name) &rule_##name,
#include "advise/rules.def"
#undef RULE
    NULL,
};

const char *const rule_categories[] = {
#define CATEGORY(id, words) words,
#include "advise/rule_categories.def"
#undef CATEGORY
    NULL,
};

const struct rule *rule_named(const char *name)
{
    const struct rule *const *r = rules;
    while (*r && !str_eq((*r)->name, name))
        r++;
    return *r;
}

const char *const verdict_status_names[] = {"healthy", "improvable", "problem", "no_gpu_work",
                                            NULL};

const char *verdict_status_name(enum verdict_status s)
{
    return verdict_status_names[s];
}

static unsigned abilities(const struct analysis *a)
{
    return (a->view.n_kernels ? NEED_KERNELS : 0u) | (a->view.n_calls ? NEED_API : 0u) |
           (a->view.n_copies ? NEED_COPIES : 0u) | (a->markers.n ? NEED_MARKERS : 0u) |
           (a->trace->counters.n ? NEED_COUNTERS : 0u);
}

static struct finding *run_rule(const struct rule *r, const struct analysis *a,
                                const struct beside *beside, struct arena *arena)
{
    struct finding *f = arena_new(arena, struct finding);
    *f = (struct finding){
        .rule = r, .analysis = a, .arena = arena, .gain = r->gain, .beside = beside};
    f->title = r->title;
    f->category = rule_categories[r->category];
    f->bottleneck = r->bottleneck;
    f->action_category = r->action;
    f->suggestion = "";
    f->scope = all_gpus;
    f->confidence = 0.5;
    f->confidence_reason = "";
    return r->eval(a, f) ? f : NULL;
}

struct questions {
    const struct analysis *a;
    const struct beside *beside;
    unsigned have;
    struct {
        struct arena *arena;
        struct finding *answer; /* NULL: nothing to say */
    } of[ARRAY_LEN(rules)];
    size_t
        turn[ARRAY_LEN(rules)]; /* those that take long come first, so that nobody waits for them */
};

static void ask_rule(void *ctx, size_t item, int worker)
{
    struct questions *q = ctx;
    size_t i = q->turn[item];
    (void)worker;
    if ((rules[i]->needs & q->have) == rules[i]->needs)
        q->of[i].answer = run_rule(rules[i], q->a, q->beside, q->of[i].arena);
}

/* Rules know nothing of each other: several are asked at once, answers stand in their order. */
static void ask_rules(struct advice *out, const struct analysis *a, const struct beside *beside,
                      struct arena *arena)
{
    struct questions *q = arena_new(arena, struct questions);
    size_t n = ARRAY_LEN(rules) - 1, turns = 0;
    *q = (struct questions){.a = a, .beside = beside, .have = abilities(a)};
    for (size_t i = 0; i < n; i++)
        q->of[i].arena = arena_child(arena);
    for (int brief = 0; brief < 2; brief++)
        for (size_t i = 0; i < n; i++)
            if (rules[i]->takes_long == !brief)
                q->turn[turns++] = i;
    parallel_for(a->view.workers, n, ask_rule, q);
    for (size_t i = 0; i < n; i++)
        if (q->of[i].answer)
            vec_push(&out->findings, arena, q->of[i].answer);
}

static int64_t total(const int64_t *ns)
{
    int64_t sum = 0;
    for (enum cause c = 0; c < CAUSES; c++)
        sum = add_ns(sum, ns[c]);
    return sum;
}

static double score(const struct finding *f, const int64_t *ns)
{
    return (double)total(ns) * f->gain;
}

static int turn(const struct rule *r)
{
    return r->specific ? 0 : r->tuning ? 2 : 1;
}

/* Order of settling: specific rules first, tuning last, then by what is asked for. */
static int by_claim(const void *x, const void *y)
{
    const struct finding *a = *(struct finding *const *)x, *b = *(struct finding *const *)y;
    if (turn(a->rule) != turn(b->rule))
        return turn(a->rule) - turn(b->rule);
    double sa = score(a, a->claim), sb = score(b, b->claim);
    if (sa != sb)
        return sa < sb ? 1 : -1;
    return strcmp(a->rule->name, b->rule->name);
}

/* Faults come before what only may be won inside kernels or once a run, what matters before what
 * does not. */
static int place(const struct finding *f)
{
    bool fault = !f->rule->tuning && !f->once;
    if (f->priority == PRIORITY_INFO)
        return 4;
    if (f->priority <= PRIORITY_MEDIUM)
        return fault ? 0 : 1;
    return fault ? 2 : 3;
}

/* Order of ranking: by what can be won; of two that win as good as the same, who knows more. */
static int by_rank(const void *x, const void *y)
{
    const struct finding *a = *(struct finding *const *)x, *b = *(struct finding *const *)y;
    if (place(a) != place(b))
        return place(a) - place(b);
    if (round(a->win_pct) == round(b->win_pct) && a->rule->specific != b->rule->specific)
        return a->rule->specific ? -1 : 1;
    if (a->win_pct != b->win_pct)
        return a->win_pct < b->win_pct ? 1 : -1;
    return strcmp(a->rule->name, b->rule->name);
}

static bool same_cause(const struct finding *x, const struct finding *y)
{
    for (enum cause c = 0; c < CAUSES; c++)
        if (x->claim[c] && y->claim[c])
            return true;
    return false;
}

/*
 * Who knows more about a cause comes before the general advice for it, when that wins a good part
 * of what the general one does: it is the smaller change.
 */
static void specific_first(struct advice *out)
{
    enum { PART = 4 };
    for (size_t i = 1; i < out->findings.n; i++) {
        struct finding *f = out->findings.v[i];
        if (!f->rule->specific || f->priority != PRIORITY_HIGH)
            continue;
        for (size_t k = i; k > 0; k--) {
            struct finding *g = out->findings.v[k - 1];
            if (g->rule->specific || place(f) != place(g) || !same_cause(f, g) ||
                PART * f->win_pct < g->win_pct)
                break;
            out->findings.v[k] = g;
            out->findings.v[k - 1] = f;
        }
    }
}

/* What is left of each cause goes to whoever asks; nobody gets what another one has. */
static void settle(struct advice *out, const struct analysis *a)
{
    int64_t left[CAUSES];
    memcpy(left, a->ledger.ns, sizeof(left));
    for (size_t i = 0; i < out->findings.n; i++) {
        struct finding *f = out->findings.v[i];
        for (enum cause c = 0; c < CAUSES; c++) {
            f->granted[c] = f->claim[c] < left[c] ? f->claim[c] : left[c];
            left[c] = sub_ns(left[c], f->granted[c]);
            assert(left[c] >= 0 && f->granted[c] >= 0); /* nothing is claimed twice */
        }
        f->claimed_ns = total(f->granted);
    }
}

/* Who asked for time that others explain better, all of it, has nothing to add. */
static void drop_empty(struct advice *out)
{
    size_t n = 0;
    for (size_t i = 0; i < out->findings.n; i++) {
        struct finding *f = out->findings.v[i];
        if (f->claimed_ns || !total(f->claim))
            out->findings.v[n++] = f;
    }
    out->findings.n = n;
}

/* Texts tell of all a rule saw; what counts for it may be less. */
static void tell_shared(struct finding *f)
{
    char part[HUMAN_MAX];
    if (!f->rule->tuning && (double)f->claimed_ns < 0.95 * (double)total(f->claim))
        finding_because(f, "recommendations.claimed_ns", (double)f->claimed_ns, NAN, IN_NS,
                        "%s of it count here, the rest for findings that know more about it",
                        human_time(part, f->claimed_ns));
}

/*
 * Shares and speed-ups are of the window. What a finding is worth is judged against the time from
 * the first to the last GPU work: a long start-up must not make a bad loop look good.
 */
static void weigh(struct finding *f)
{
    const struct breakdown *b = &f->analysis->breakdown;
    double share = (double)f->claimed_ns / (double)b->gpu_time_ns;
    if (!(share >= 0))
        share = 0;
    f->runtime_fraction_pct = 100 * share;
    double reach = share * f->gain;
    f->speedup_lower_pct = 100 * (1 / (1 - 0.5 * reach) - 1);
    f->speedup_upper_pct = reach < 0.999 ? 100 * (1 / (1 - reach) - 1) : NAN;
    double active = (double)b->gpu_span_ns * b->gpu_count;
    if (f->once || !(active > 0))
        f->win_pct = 100 * share * f->gain;
    else
        f->win_pct = fmin(100 * (double)f->claimed_ns / active, 100) * f->gain;
    if (f->no_promise)
        f->speedup_lower_pct = f->speedup_upper_pct = 0;
    else if (!f->once && !f->advisory)
        finding_by_share(f);
}

/* From what was won, by replay where there was one. */
static void prioritise(struct finding *f)
{
    if (f->advisory || f->runtime_fraction_pct < LEAST_SHARE_PCT)
        f->priority = PRIORITY_INFO;
    else if (f->win_pct < MEDIUM_WIN_PCT || f->once)
        f->priority = PRIORITY_LOW;
    else
        f->priority = f->win_pct < HIGH_WIN_PCT ? PRIORITY_MEDIUM : PRIORITY_HIGH;
}

/* The phase that holds most of what a finding claims, where it says nothing more exact itself. */
static void name_phase(struct finding *f)
{
    const struct analysis *a = f->analysis;
    int64_t most = 0, all = 0;
    size_t best = 0;
    for (size_t p = 0; p < a->phases.n; p++) {
        int64_t ns = 0;
        for (enum cause c = 0; c < CAUSES; c++)
            ns = add_ns(ns, f->granted[c] ? a->phases.v[p].ledger.ns[c] : 0);
        all = add_ns(all, ns);
        if (ns > most) {
            most = ns;
            best = p;
        }
    }
    if (a->phases.n < 2 || !most || f->scope != all_gpus)
        return;
    f->scope =
        arena_printf(f->arena, "%.0f %% in phase %u, %s", percent_of((double)most, (double)all),
                     a->phases.v[best].phase, a->phases.v[best].name);
}

/* Ids are rocinsight's; the last digits count repeats. */
static void number(struct advice *out, struct arena *arena)
{
    for (size_t i = 0; i < out->findings.n; i++) {
        struct finding *f = out->findings.v[i];
        int same = 1;
        for (size_t j = 0; j < i; j++)
            same += str_eq(out->findings.v[j]->rule->id, f->rule->id);
        size_t stem = strlen(f->rule->id) - 3;
        f->id = arena_printf(arena, "%.*s%03d", (int)stem, f->rule->id, same);
    }
}

static const char *trust(const struct analysis *a)
{
    return a->quality.grade == 'F' ? "; the data is too odd to trust" : "";
}

static bool by_replay(const struct finding *f)
{
    return f->predicted_by == PREDICTED_REPLAY;
}

/* Of what is claimed, what following the advice wins: no more than a replay finds. */
static int64_t won_back(const struct finding *f)
{
    if (!by_replay(f))
        return f->no_promise ? 0 : f->claimed_ns;
    double gpus = f->analysis->breakdown.gpu_count;
    int64_t won = ns_from((double)(f->recorded_ns - f->predicted_ns) * gpus);
    return won < f->claimed_ns ? won : f->claimed_ns;
}

/* What the verdict rests on. */
struct grounds {
    const struct finding *fault;  /* the first that matters */
    const struct finding *kernel; /* the first worth tuning */
    const struct finding *faster; /* of these, the first of which a replay says what it wins */
    const struct finding *once;   /* the largest that is paid once a run */
    const struct finding *lost;   /* the largest fault, whether it can be won back or not */
    int64_t lost_ns;              /* all of them */
};

static const struct finding *larger(const struct finding *x, const struct finding *y)
{
    return !x || y->claimed_ns > x->claimed_ns ? y : x;
}

static void look_through(struct advice *out, struct grounds *g)
{
    for (size_t i = 0; i < out->findings.n; i++) {
        const struct finding *f = out->findings.v[i];
        if (f->priority == PRIORITY_INFO || !(f->gain > 0))
            continue;
        if (f->once) {
            g->once = larger(g->once, f);
        } else if (f->rule->tuning) {
            g->kernel = g->kernel ? g->kernel : f;
            if (!g->faster && f->priority <= PRIORITY_MEDIUM && by_replay(f) &&
                f->predicted_speedup >= 1 + HEALTHY_LOSS_PCT / 100)
                g->faster = f;
        } else {
            g->lost = larger(g->lost, f);
            g->lost_ns = add_ns(g->lost_ns, f->claimed_ns);
            out->verdict.recoverable_ns = add_ns(out->verdict.recoverable_ns, won_back(f));
            if (!g->fault && f->priority <= PRIORITY_MEDIUM)
                g->fault = f;
        }
    }
}

/* Much of the window lies before or after the GPUs' work. */
static bool much_outside(const struct breakdown *b)
{
    return b->gpu_span_ns < b->window_ns - b->window_ns / 10;
}

/* "99.8 % of the time", or of what lies between first and last work. */
static const char *busy_text(const struct analysis *a, double active_pct, struct arena *arena)
{
    const struct breakdown *b = &a->breakdown;
    char busy[HUMAN_MAX];
    if (!much_outside(b))
        return arena_printf(arena, "%s of the time", human_pct(busy, b->busy_pct));
    return arena_printf(arena, "%s of the time between its first and last work",
                        human_pct(busy, active_pct));
}

/* What a finding costs, as the headline of a report. */
static const char *headline(const struct finding *f, const char *often, struct arena *arena)
{
    const struct analysis *a = f->analysis;
    char busy[HUMAN_MAX], share[HUMAN_MAX];
    return arena_printf(arena, "%s: %s of the GPU time%s; GPU busy %s%s", f->title,
                        human_pct(share, f->runtime_fraction_pct), often,
                        human_pct(busy, a->breakdown.busy_pct), trust(a));
}

/* The GPU is busy enough: what is there to win besides, if anything? */
static void judge_busy(struct verdict *v, const struct analysis *a, const struct grounds *g,
                       const char *busy, struct arena *arena)
{
    char share[HUMAN_MAX];
    size_t n_kernels = a->view.n_kernels, n_copies = a->view.n_copies;
    double lost_pct = share_pct(a, g->lost_ns);
    v->status = VERDICT_IMPROVABLE;
    if (g->faster) {
        v->headline = headline(g->faster, "", arena);
    } else if (v->recoverable_pct >= HEALTHY_LOSS_PCT) {
        v->headline = arena_printf(
            arena, "the GPU is busy %s, but %s of the GPU time can be won back in small parts%s",
            busy, human_pct(share, v->recoverable_pct), trust(a));
    } else if (lost_pct >= 2 * HEALTHY_LOSS_PCT) {
        v->headline =
            arena_printf(arena, "the GPU is busy %s, but %s of the GPU time does not compute: %s%s",
                         busy, human_pct(share, lost_pct), g->lost->title, trust(a));
    } else if (n_kernels + n_copies < LEAST_WORK) {
        v->headline = arena_printf(
            arena, "too little GPU work to judge: %zu kernel%s and %zu cop%s%s", n_kernels,
            human_s(n_kernels), n_copies, n_copies == 1 ? "y" : "ies", trust(a));
    } else {
        v->status = VERDICT_HEALTHY;
        v->headline =
            arena_printf(arena, "healthy: the GPU is busy %s; %s%s%s", busy,
                         g->kernel ? "what is left is inside kernels: " : "stop tuning here",
                         g->kernel ? g->kernel->issue : "", trust(a));
    }
}

static void judge(struct advice *out, const struct analysis *a, struct arena *arena)
{
    struct verdict *v = &out->verdict;
    const struct breakdown *b = &a->breakdown;
    struct grounds g = {0};
    /* What was not recorded is no idle time. */
    double active = percent_of((double)b->busy_ns, (double)b->gpu_span_ns * b->gpu_count -
                                                       (double)a->ledger.left_out_ns);
    look_through(out, &g);
    v->recoverable_pct = share_pct(a, v->recoverable_ns);
    if (!a->view.n_kernels && !a->view.n_copies) {
        v->status = VERDICT_NO_GPU_WORK;
        v->headline = "no GPU work in the window";
    } else if (g.fault) {
        v->status = g.fault->priority == PRIORITY_HIGH ? VERDICT_PROBLEM : VERDICT_IMPROVABLE;
        v->headline = headline(g.fault, "", arena);
    } else if (active >= HEALTHY_BUSY_PCT) {
        judge_busy(v, a, &g, busy_text(a, active, arena), arena);
    } else if (g.once && g.once->runtime_fraction_pct >= HEALTHY_LOSS_PCT) {
        v->status = VERDICT_IMPROVABLE;
        v->headline = headline(g.once, ", once a run", arena);
    } else {
        v->status = VERDICT_IMPROVABLE;
        v->headline =
            arena_printf(arena, "no cause stands out, but the GPU is busy only %s%s%s",
                         busy_text(a, active, arena),
                         much_outside(b) ? ": analyze that part (--window)" : "", trust(a));
    }
}

/* Fixes overlap: what they win together is less than the sum. */
struct first_few {
    struct finding *v[3];
    size_t n;
};

static void find_first(struct first_few *few, const struct advice *out)
{
    for (size_t i = 0; i < out->findings.n && few->n < ARRAY_LEN(few->v); i++) {
        struct finding *f = out->findings.v[i];
        if (f->analysis->depend && f->priority <= PRIORITY_MEDIUM && f->change && !f->once)
            few->v[few->n++] = f;
    }
}

static void tell_together(struct verdict *v, const struct first_few *few,
                          const struct prediction *after)
{
    v->together = (uint32_t)few->n;
    v->together_speedup = NAN;
    if (few->n == 1) {
        v->together_ns = few->v[0]->predicted_ns;
        v->together_speedup = few->v[0]->predicted_speedup;
    } else if (few->n) {
        v->together_ns = after->predicted_ns;
        v->together_speedup = after->speedup;
    }
}

/* Puts findings in order by what is likely, then finds the rest that a replay can tell. */
static void rank(struct advice *out, const struct analysis *a, struct arena *arena)
{
    struct arena *temporary = arena_scratch();
    struct finding **v = out->findings.v;
    size_t n = out->findings.n;
    struct predictions *of = findings_likely(v, n, a->view.workers, temporary);
    struct first_few few = {0};
    struct prediction after = {0};
    for (size_t i = 0; i < n; i++) {
        prioritise(v[i]);
        name_phase(v[i]);
    }
    if (n)
        qsort(v, n, sizeof(*v), by_rank);
    specific_first(out);
    find_first(&few, out);
    findings_predict(of, few.n > 1 ? findings_together(few.v, few.n, arena) : NULL, &after);
    tell_together(&out->verdict, &few, &after);
    arena_release(temporary);
}

static void join(struct advice *out, const struct analysis *a, const struct beside *b,
                 struct arena *arena)
{
    if (b && b->source)
        source_link(b->links, b->source, a, out, arena);
    if (b && b->att)
        att_join(b->att, a, out);
}

void advise(struct advice *out, const struct analysis *a, const struct beside *beside,
            struct arena *arena)
{
    *out = (struct advice){0};
    ask_rules(out, a, beside, arena);
    if (out->findings.n)
        qsort(out->findings.v, out->findings.n, sizeof(*out->findings.v), by_claim);
    settle(out, a);
    drop_empty(out);
    for (size_t i = 0; i < out->findings.n; i++)
        weigh(out->findings.v[i]);
    for (size_t i = 0; i < out->findings.n; i++)
        tell_shared(out->findings.v[i]);
    rank(out, a, arena);
    number(out, arena);
    judge(out, a, arena);
    join(out, a, beside, arena);
    overview_make(&out->overview, a, out, arena);
}
