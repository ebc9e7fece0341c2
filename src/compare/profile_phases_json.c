/* Phases of a profile that was read, made harmless and whole. */
#include "compare/profile_doc.h"

/* The phases of an analysis: their kernels are known only by the first of them, in short. */
static void from_analysis(struct profile_doc *d, struct arena *arena)
{
    for (size_t i = 0; i < d->phases.n; i++) {
        const struct phase_row *from = &d->phases.v[i];
        struct profile_phase p = {.name = from->name,
                                  .named_by = from->named_by,
                                  .duration_ns = from->duration_ns,
                                  .busy_ns = from->busy_ns,
                                  .compute_ns = from->compute_ns,
                                  .exposed_ns = from->exposed_ns,
                                  .idle_ns = from->idle_ns,
                                  .kernels = from->kernels,
                                  .copies = from->copies,
                                  .iterations = from->iterations,
                                  .iteration_ns = from->iteration_ns};
        vec_push(&d->p.phases, arena, p);
    }
}

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
    if (!p->phases.n)
        from_analysis(d, arena);
    for (size_t i = 0; i < p->phases.n && n < PROFILE_PHASES; i++)
        if (is_sound(&p->phases.v[i]))
            p->phases.v[n++] = p->phases.v[i];
    p->phases.n = n;
    for (size_t i = 0; i < n; i++)
        if (!p->phases.v[i].named_by)
            p->phases.v[i].named_by = "";
}
