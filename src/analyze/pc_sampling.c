#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analysis.h"
#include "analyze/name_groups.h"
#include "base/hash.h"

enum { REASONS = 32, MOST_ROWS = 2000 };

/* Words of samples are few; a reason is its number in this list. */
struct words {
    uint32_t id[REASONS]; /* strings */
    size_t n;             /* further ones share the last */
};

struct group {
    uint32_t kernel; /* group of names; NO_INDEX: not in the trace */
    uint32_t code_object, instruction, source;
    uint64_t offset;
    uint64_t samples, issued, stalled, lanes;
    uint32_t reasons[REASONS];
};

struct sampler {
    struct analysis *a;
    struct arena *arena; /* of what is kept */
    const struct pc_samples *s;
    struct arena *temporary;
    struct name_groups names;
    struct idmap by_key;
    VEC(struct group) groups;
    struct words stalls, types;
    uint64_t stall_count[REASONS], type_count[REASONS];
    uint64_t pipe_issue[PC_PIPES], pipe_stall[PC_PIPES];
    uint64_t waves, with_waves;
    bool trap, stochastic;
};

void pc_interval(uint64_t hits, uint64_t n, double *low_pct, double *high_pct)
{
    const double z = 1.959963984540054;
    if (!n) {
        *low_pct = *high_pct = NAN;
        return;
    }
    double p = (double)hits / (double)n, k = z * z / (double)n;
    double middle = (p + k / 2) / (1 + k);
    double half = z / (1 + k) * sqrt(p * (1 - p) / (double)n + k / (double)n / 4);
    *low_pct = hits ? 100 * fmax(0, middle - half) : 0;
    *high_pct = hits < n ? 100 * fmin(1, middle + half) : 100;
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : NAN;
}

static size_t word_of(struct words *w, uint32_t id)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->id[i] == id)
            return i;
    if (w->n == REASONS)
        return REASONS - 1;
    w->id[w->n] = id;
    return w->n++;
}

/* ---- samples into groups ---- */

static bool selected(const struct sampler *s, size_t i)
{
    const struct trace *t = s->a->trace;
    const struct view *v = &s->a->view;
    const struct view_opts *o = &s->a->opts.view;
    if (s->s->time_ns[i] < v->start_ns || s->s->time_ns[i] > v->end_ns)
        return false;
    if (o->gpu < 0 && o->process < 0)
        return true;
    uint32_t row = s->s->kernel[i];
    uint32_t stream = row < t->kernels.n ? t->kernels.stream[row] : NO_INDEX;
    if (stream >= t->streams.n)
        return false;
    const struct stream *st = &t->streams.v[stream];
    return (o->gpu < 0 || st->gpu == (uint32_t)o->gpu) &&
           (o->process < 0 ||
            (st->process < t->processes.n && t->processes.v[st->process].pid == o->process));
}

static struct group *group_of(struct sampler *s, size_t i)
{
    const struct pc_samples *p = s->s;
    uint32_t row = p->kernel[i];
    uint32_t kernel = row < s->a->trace->kernels.n
                          ? s->names.of_symbol[s->a->trace->kernels.symbol[row]]
                          : NO_INDEX;
    struct group g = {.kernel = kernel,
                      .code_object = p->code_object[i],
                      .offset = p->offset[i],
                      .instruction = p->instruction[i],
                      .source = p->comment[i]};
    uint64_t key = hash_u64(hash_u64(hash_u64((uint64_t)kernel << 32 | g.code_object) ^ g.offset) ^
                            ((uint64_t)g.instruction << 32 | g.source));
    for (;; key = hash_u64(key)) { /* another group may have the key */
        uint32_t at = idmap_get(&s->by_key, key);
        if (at == NO_INDEX)
            break;
        struct group *o = &s->groups.v[at];
        if (o->kernel == kernel && o->code_object == g.code_object && o->offset == g.offset &&
            o->instruction == g.instruction && o->source == g.source)
            return o;
    }
    idmap_put(&s->by_key, key, (uint32_t)s->groups.n);
    vec_push(&s->groups, s->temporary, g);
    return &s->groups.v[s->groups.n - 1];
}

static void add_sample(struct sampler *s, size_t i)
{
    const struct pc_samples *p = s->s;
    struct pc_stats *st = &s->a->pc_sampling.stats;
    struct group *g = group_of(s, i);
    st->samples++;
    st->unattributed += g->kernel == NO_INDEX;
    g->samples++;
    g->lanes += (uint64_t)__builtin_popcountll(p->exec_mask[i]);
    if (p->waves[i]) {
        s->waves += p->waves[i];
        s->with_waves++;
    }
    for (unsigned k = 0; k < PC_PIPES; k++) {
        s->pipe_issue[k] += p->pipes_issue[i] >> k & 1;
        s->pipe_stall[k] += p->pipes_stall[i] >> k & 1;
    }
    if (p->issued[i] == PC_ISSUED_UNKNOWN) {
        s->trap = true;
        return;
    }
    s->stochastic = true;
    if (p->issued[i] == PC_ISSUED_YES) { /* its reason means nothing then */
        g->issued++;
        st->issued++;
        s->type_count[word_of(&s->types, p->type[i])]++;
        return;
    }
    size_t reason = word_of(&s->stalls, p->stall[i]);
    g->stalled++;
    g->reasons[reason]++;
    st->stalled++;
    s->stall_count[reason]++;
}

/* ---- rows ---- */

static const char *text_or_null(const struct sampler *s, uint32_t id)
{
    const char *text = trace_str(s->a->trace, id);
    return *text ? text : NULL;
}

static const char *kernel_name(const struct sampler *s, uint32_t kernel)
{
    const struct trace *t = s->a->trace;
    return kernel == NO_INDEX ? NULL
                              : trace_str(t, t->symbols.v[s->names.symbol[kernel]].short_name);
}

static const char *top_reason(const struct sampler *s, const uint32_t *counts, uint64_t stalled,
                              double *pct)
{
    size_t best = 0;
    for (size_t i = 1; i < s->stalls.n; i++)
        if (counts[i] > counts[best])
            best = i;
    *pct = s->stalls.n ? share(counts[best], stalled) : NAN;
    return stalled ? text_or_null(s, s->stalls.id[best]) : NULL;
}

static int by_samples(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    if (x->samples != y->samples)
        return x->samples < y->samples ? 1 : -1;
    if (x->kernel != y->kernel)
        return x->kernel < y->kernel ? -1 : 1;
    if (x->code_object != y->code_object)
        return x->code_object < y->code_object ? -1 : 1;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    if (x->instruction != y->instruction)
        return x->instruction < y->instruction ? -1 : 1;
    return (x->source > y->source) - (x->source < y->source);
}

static void add_instruction(struct sampler *s, const struct group *g, uint64_t of_kernel)
{
    struct analysis *a = s->a;
    uint64_t all = a->pc_sampling.stats.samples;
    struct pc_instruction_row r = {.rank = (uint32_t)a->pc_sampling.instructions.n + 1,
                                   .kernel = kernel_name(s, g->kernel),
                                   .code_object = g->code_object,
                                   .offset = g->offset,
                                   .instruction = text_or_null(s, g->instruction),
                                   .source = text_or_null(s, g->source),
                                   .samples = g->samples,
                                   .pct = share(g->samples, all),
                                   .pct_of_kernel = share(g->samples, of_kernel),
                                   .issued_pct = share(g->issued, g->issued + g->stalled),
                                   .mean_lanes = (double)g->lanes / (double)g->samples,
                                   .enough = g->samples >= PC_ENOUGH};
    pc_interval(g->samples, all, &r.low_pct, &r.high_pct);
    r.top_stall = top_reason(s, g->reasons, g->stalled, &r.top_stall_pct);
    vec_push(&a->pc_sampling.instructions, s->arena, r);
}

/* Adds groups up: by kernel, or by source line. `into` has one more for "none". */
static void fold(struct group *into, const struct group *g)
{
    into->samples += g->samples;
    into->issued += g->issued;
    into->stalled += g->stalled;
    into->lanes += g->lanes;
    for (size_t i = 0; i < REASONS; i++)
        into->reasons[i] += g->reasons[i];
}

static int64_t kernel_time(const struct sampler *s, uint32_t kernel)
{
    const struct trace *t = s->a->trace;
    const char *name = name_groups_name(&s->names, t, kernel);
    for (size_t i = 0; i < s->a->hotspots.n; i++)
        if (!strcmp(s->a->hotspots.v[i].name, name))
            return s->a->hotspots.v[i].total_duration_ns;
    return 0;
}

/* Sums by kernel, the kernels that are not in the trace last; returned for their samples. */
static struct group *add_kernels(struct sampler *s)
{
    struct analysis *a = s->a;
    size_t n = s->names.n;
    struct group *sums = arena_array(s->temporary, struct group, n + 1);
    uint64_t *instructions = arena_array(s->temporary, uint64_t, n + 1);
    for (size_t i = 0; i < s->groups.n; i++) {
        size_t k = s->groups.v[i].kernel == NO_INDEX ? n : s->groups.v[i].kernel;
        fold(&sums[k], &s->groups.v[i]);
        instructions[k]++;
    }
    struct group *order = arena_array(s->temporary, struct group, n + 1);
    for (size_t k = 0; k <= n; k++) {
        order[k] = sums[k];
        order[k].kernel = k == n ? NO_INDEX : (uint32_t)k;
    }
    qsort(order, n + 1, sizeof(*order), by_samples);
    for (size_t i = 0; i <= n && order[i].samples; i++) {
        const struct group *g = &order[i];
        bool known = g->kernel != NO_INDEX;
        struct pc_kernel_row r = {.rank = (uint32_t)i + 1,
                                  .kernel = kernel_name(s, g->kernel),
                                  .samples = g->samples,
                                  .pct = share(g->samples, a->pc_sampling.stats.samples),
                                  .instructions = instructions[known ? g->kernel : n],
                                  .issued_pct = share(g->issued, g->issued + g->stalled),
                                  .mean_lanes = (double)g->lanes / (double)g->samples,
                                  .total_ns = known ? kernel_time(s, g->kernel) : 0,
                                  .enough = g->samples >= PC_ENOUGH};
        pc_interval(g->samples, a->pc_sampling.stats.samples, &r.low_pct, &r.high_pct);
        r.top_stall = top_reason(s, g->reasons, g->stalled, &r.top_stall_pct);
        vec_push(&a->pc_sampling.kernels, s->arena, r);
    }
    return sums;
}

static int by_source(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    return x->source != y->source ? (x->source < y->source ? -1 : 1) : by_samples(a, b);
}

static int lines_by_samples(const void *a, const void *b)
{
    const struct pc_line_row *x = a, *y = b;
    return x->samples != y->samples ? (x->samples < y->samples ? 1 : -1)
                                    : strcmp(x->source, y->source);
}

/* By source line; the first group of a line is its hottest. */
static void add_lines(struct sampler *s)
{
    struct analysis *a = s->a;
    struct pc_sampling *out = &a->pc_sampling;
    if (s->groups.n)
        qsort(s->groups.v, s->groups.n, sizeof(*s->groups.v), by_source);
    for (size_t i = 0; i < s->groups.n;) {
        const struct group *first = &s->groups.v[i];
        struct group sum = {0};
        for (; i < s->groups.n && s->groups.v[i].source == first->source; i++)
            fold(&sum, &s->groups.v[i]);
        if (!text_or_null(s, first->source))
            continue;
        struct pc_line_row r = {.source = trace_str(a->trace, first->source),
                                .kernel = kernel_name(s, first->kernel),
                                .instruction = text_or_null(s, first->instruction),
                                .samples = sum.samples,
                                .pct = share(sum.samples, out->stats.samples),
                                .issued_pct = share(sum.issued, sum.issued + sum.stalled),
                                .enough = sum.samples >= PC_ENOUGH};
        pc_interval(sum.samples, out->stats.samples, &r.low_pct, &r.high_pct);
        vec_push(&out->lines, s->arena, r);
    }
    if (out->lines.n)
        qsort(out->lines.v, out->lines.n, sizeof(*out->lines.v), lines_by_samples);
    if (out->lines.n > MOST_ROWS)
        out->lines.n = MOST_ROWS;
}

/* ---- why nothing was issued ---- */

static const struct {
    const char *word, *meaning;
} meanings[] = {
#define PC_REASON(word, meaning) {word, meaning},
#include "analyze/pc_reasons.def"
#undef PC_REASON
};

static const char *meaning_of(const char *word)
{
    for (size_t i = 0; i < ARRAY_LEN(meanings); i++)
        if (!strcmp(meanings[i].word, word))
            return meanings[i].meaning;
    return NULL;
}

static int reasons_by_samples(const void *a, const void *b)
{
    const struct pc_reason_row *x = a, *y = b;
    if (x->samples != y->samples)
        return x->samples < y->samples ? 1 : -1;
    int state = strcmp(x->state, y->state);
    return state ? state : strcmp(x->what, y->what);
}

static void add_reasons(struct sampler *s)
{
    struct analysis *a = s->a;
    struct pc_sampling *out = &a->pc_sampling;
    uint64_t all = out->stats.issued + out->stats.stalled;
    for (int issued = 0; issued < 2; issued++) {
        const struct words *w = issued ? &s->types : &s->stalls;
        const uint64_t *count = issued ? s->type_count : s->stall_count;
        for (size_t i = 0; i < w->n; i++) {
            const char *word = trace_str(a->trace, w->id[i]);
            struct pc_reason_row r = {.state = issued ? "issued" : "not issued",
                                      .what = *word ? word : "not recorded",
                                      .meaning = meaning_of(word),
                                      .samples = count[i],
                                      .pct = share(count[i], all),
                                      .enough = count[i] >= PC_ENOUGH};
            pc_interval(count[i], all, &r.low_pct, &r.high_pct);
            vec_push(&out->reasons, s->arena, r);
        }
    }
    if (out->reasons.n)
        qsort(out->reasons.v, out->reasons.n, sizeof(*out->reasons.v), reasons_by_samples);
}

static void add_pipes(struct sampler *s)
{
    for (unsigned k = 0; k < PC_PIPES; k++) {
        struct pc_pipe_row r = {.pipe = pc_pipe_name((enum pc_pipe)k),
                                .issue = s->pipe_issue[k],
                                .stall = s->pipe_stall[k],
                                .stall_pct =
                                    share(s->pipe_stall[k], s->pipe_stall[k] + s->pipe_issue[k])};
        if (r.issue + r.stall)
            vec_push(&s->a->pc_sampling.pipes, s->arena, r);
    }
}

static void make_rows(struct sampler *s)
{
    struct pc_stats *st = &s->a->pc_sampling.stats;
    st->method = !st->samples               ? NULL
                 : s->trap && s->stochastic ? "both"
                 : s->trap                  ? "host trap"
                                            : "stochastic";
    st->issued_pct = share(st->issued, st->issued + st->stalled);
    st->mean_waves = s->with_waves ? (double)s->waves / (double)s->with_waves : NAN;
    st->enough = st->samples >= PC_ENOUGH;
    struct group *kernels = add_kernels(s);
    if (s->groups.n)
        qsort(s->groups.v, s->groups.n, sizeof(*s->groups.v), by_samples);
    for (size_t i = 0; i < s->groups.n && i < MOST_ROWS; i++) {
        const struct group *g = &s->groups.v[i];
        add_instruction(s, g, kernels[g->kernel == NO_INDEX ? s->names.n : g->kernel].samples);
    }
    add_lines(s);
    add_reasons(s);
    add_pipes(s);
}

static void run(struct analysis *a, struct arena *arena)
{
    const struct pc_samples *p = &a->trace->pc_samples;
    a->pc_sampling.stats.issued_pct = a->pc_sampling.stats.mean_waves = NAN;
    if (!p->n)
        return;
    struct sampler *s = arena_new(arena, struct sampler);
    s->a = a;
    s->arena = arena;
    s->s = p;
    s->temporary = arena_scratch();
    s->names = a->view.names;
    idmap_init(&s->by_key, s->temporary);
    for (size_t i = 0; i < p->n; i++) {
        if (!selected(s, i))
            a->pc_sampling.stats.outside++;
        else if (!p->offset[i] && !p->code_object[i] && !p->instruction[i])
            a->pc_sampling.stats.invalid++;
        else
            add_sample(s, i);
    }
    make_rows(s);
    arena_release(s->temporary);
}

const struct analysis_kind analysis_pc_sampling = {
    .name = "pc_sampling",
    .doc = "Where waves were when the profiler looked: hot instructions and source lines, what was "
           "issued and why nothing was, each share with its 95 % interval.",
    .run = run,
    .tables = pc_tables,
};
