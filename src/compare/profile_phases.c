/* The phases of a run for a profile, made and read: their ledgers, the kernels that fill them. */
#include <string.h>

#include "analyze/name_groups.h"
#include "base/mem.h"
#include "base/str.h"
#include "compare/profile_doc.h"

static const struct field share_list[] = {
    FIELD(struct profile_share, name, FIELD_TEXT, "kernel", NO_UNIT, "full name"),
    FIELD(struct profile_share, ns, FIELD_I64, "time", IN_NS, "its time in the phase"),
};
static const struct fields profile_share_fields =
    FIELDS("shares", "Kernels with most time in a phase.", struct profile_share, share_list);

static const struct field cause_list[] = {
#define CAUSE(id, k, label, kind, doc)                                                             \
    IF_ANY(struct profile_phase, cause_ns[CAUSE_##id], FIELD_I64, k, doc),
#include "analyze/ledger.def"
#undef CAUSE
};
static const struct fields cause_fields =
    FIELDS("causes", "The ledger of a phase, what is not 0.", struct profile_phase, cause_list);

#define F(member, type, label, unit, doc, ...)                                                     \
    FIELD(struct profile_phase, member, type, label, unit, doc, ##__VA_ARGS__)
static const struct field phase_list[] = {
    F(name, FIELD_TEXT, "name", NO_UNIT, "marker, kernel with most time, or what the host does"),
    F(named_by, FIELD_ENUM, "named by", NO_UNIT, "marker, kernel, host or idle",
      .words = phase_naming_words),
    F(duration_ns, FIELD_I64, "duration", IN_NS, "end - start"),
    F(busy_ns, FIELD_I64, "busy", IN_NS, "time in which GPUs work, summed over GPUs"),
    F(compute_ns, FIELD_I64, "compute", IN_NS, "ledger of the phase: compute"),
    F(exposed_ns, FIELD_I64, "exposed", IN_NS, "ledger of the phase: copies and communication"),
    F(idle_ns, FIELD_I64, "idle", IN_NS, "ledger of the phase: all idle causes"),
    F(kernels, FIELD_U64, "kernels", NO_UNIT, "kernels that run in it"),
    F(copies, FIELD_U64, "copies", NO_UNIT, "copies that run in it"),
    F(iterations, FIELD_U64, "iterations", NO_UNIT, "repetitions inside; 0: none found"),
    F(iteration_ns, FIELD_I64, "iteration", IN_NS, "median length of one"),
    {.key = "causes",
     .label = "causes",
     .unit = NO_UNIT,
     .doc = "ledger of the phase",
     .type = FIELD_OBJECT,
     .of = &cause_fields,
     .null = NULL_OMITTED,
     .flag = FLAG(struct profile_phase, has_causes)},
    ALWAYS(struct profile_phase, shares, FIELD_LIST, "shares", "kernels with most time",
           .of = &profile_share_fields),
};
#undef F
const struct fields profile_phase_fields =
    FIELDS("phases", "Phases of the run.", struct profile_phase, phase_list);

enum { MOST_NAMES = 200000 }; /* with more, the table of sums would be larger than the trace */

/* By phase and name group: time of the kernels, each where it begins. */
static int64_t *sum_names(const struct analysis *a, const struct name_groups *names,
                          struct arena *temporary)
{
    const struct kernels *k = &a->trace->kernels;
    int64_t *sums = arena_array(temporary, int64_t, a->phases.n * names->n + 1);
    const uint32_t *rows = kernel_rows(&a->view, temporary);
    for (size_t i = 0; i < a->view.n_kernels; i++) {
        size_t next = 1;
        BISECT(next, a->phases.n, p, a->phases.v[p].start_ns <= k->start_ns[rows[i]]);
        int64_t *sum = &sums[(next - 1) * names->n + names->of_symbol[k->symbol[rows[i]]]];
        *sum = add_ns(*sum, kernel_ns(a, rows[i]));
    }
    return sums;
}

static void keep_shares(struct profile_phase *p, const int64_t *sums,
                        const struct name_groups *names, const struct trace *t, struct arena *arena)
{
    uint32_t best[PROFILE_SHARES];
    size_t n = 0;
    for (size_t i = 0; i < names->n; i++) {
        if (sums[i] <= 0 || (n == PROFILE_SHARES && sums[i] <= sums[best[n - 1]]))
            continue;
        size_t at = n < PROFILE_SHARES ? n++ : n - 1;
        for (; at && sums[best[at - 1]] < sums[i]; at--)
            best[at] = best[at - 1];
        best[at] = (uint32_t)i;
    }
    for (size_t i = 0; i < n; i++) {
        const char *name = arena_strdup(arena, name_groups_name(names, t, best[i]));
        vec_push(&p->shares, arena, ((struct profile_share){name, sums[best[i]]}));
    }
}

static const char *kept(struct arena *arena, const char *s)
{
    return s ? arena_strdup(arena, s) : NULL;
}

static struct profile_phase of_row(const struct phase_row *r)
{
    return (struct profile_phase){.name = r->name,
                                  .named_by = r->named_by,
                                  .duration_ns = r->duration_ns,
                                  .busy_ns = r->busy_ns,
                                  .compute_ns = r->compute_ns,
                                  .exposed_ns = r->exposed_ns,
                                  .idle_ns = r->idle_ns,
                                  .kernels = r->kernels,
                                  .copies = r->copies,
                                  .iterations = r->iterations,
                                  .iteration_ns = r->iteration_ns};
}

void profile_phases_make(struct run_profile *p, const struct analysis *a, struct arena *arena)
{
    struct arena *temporary = arena_scratch();
    const struct name_groups *names = &a->view.names;
    bool sum = a->phases.n && names->n <= MOST_NAMES;
    const int64_t *sums = sum ? sum_names(a, names, temporary) : NULL;
    for (size_t i = 0; i < a->phases.n && i < PROFILE_PHASES; i++) {
        const struct phase_row *from = &a->phases.v[i];
        struct profile_phase phase = of_row(from);
        phase.name = kept(arena, from->name);
        phase.has_causes = true;
        memcpy(phase.cause_ns, from->ledger.ns, sizeof(phase.cause_ns));
        if (sums)
            keep_shares(&phase, sums + i * names->n, names, a->trace, arena);
        vec_push(&p->phases, arena, phase);
    }
    arena_release(temporary);
}

/* ---- what was read, made harmless and whole ---- */

static bool is_sound(struct profile_phase *p)
{
    const int64_t most = INT64_C(4000000000000000000);
    const int64_t times[] = {p->duration_ns, p->busy_ns, p->compute_ns,
                             p->exposed_ns,  p->idle_ns, p->iteration_ns};
    for (size_t i = 0; i < ARRAY_LEN(times); i++)
        if (times[i] < 0 || times[i] > most)
            return false;
    for (enum cause c = 0; c < CAUSES; c++)
        if (p->cause_ns[c] < 0 || p->cause_ns[c] > most)
            return false;
    size_t n = 0;
    for (size_t i = 0; i < p->shares.n && n < PROFILE_SHARES; i++)
        if (p->shares.v[i].name && p->shares.v[i].ns > 0)
            p->shares.v[n++] = p->shares.v[i];
    p->shares.n = n;
    return p->name != NULL;
}

void profile_finish_phases(struct profile_doc *d, struct arena *arena)
{
    struct run_profile *p = &d->p;
    size_t n = 0;
    if (!p->phases.n) /* an analysis: their kernels are known only by the first of them, in short */
        for (size_t i = 0; i < d->phases.n; i++)
            vec_push(&p->phases, arena, of_row(&d->phases.v[i]));
    for (size_t i = 0; i < p->phases.n && n < PROFILE_PHASES; i++)
        if (is_sound(&p->phases.v[i]))
            p->phases.v[n++] = p->phases.v[i];
    p->phases.n = n;
}
