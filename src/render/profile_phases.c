/* Reading durations and phases of a profile. */
#include <string.h>

#include "render/profile_read.h"

/* Pairs that rise and count something; anything else, and there are none. */
void read_durations(struct reading *r, struct profile_buckets *out)
{
    struct profile_bucket row = {0};
    uint64_t before = 0, sum = 0;
    bool sound = true, second = false;
    if (!jr_array(&r->j))
        return;
    for (; jr_item(&r->j); second = !second) {
        uint64_t v = jr_uint(&r->j, UINT64_MAX); /* in range: checked below */
        if (!second) {
            sound = sound && v < PROFILE_BUCKETS && (!out->n || v > before);
            before = v;
            row.bucket = (uint32_t)v;
            continue;
        }
        sound = sound && v && v <= (uint64_t)1e15 && (sum += v) <= (uint64_t)1e15;
        row.count = v;
        if (sound)
            vec_push(out, r->arena, row);
    }
    if (!sound || second)
        *out = (struct profile_buckets){0};
}

static void read_causes(struct reading *r, struct profile_phase *p)
{
    if (!jr_object(&r->j))
        return;
    p->has_causes = true;
    while (jr_key(&r->j)) {
        enum cause cause = CAUSES;
        for (enum cause c = 0; c < CAUSES; c++)
            if (jr_is(&r->j, cause_info(c)->key))
                cause = c;
        int64_t ns = bound_ns(jr_int(&r->j, 0));
        if (cause < CAUSES)
            p->cause_ns[cause] = ns;
    }
}

void read_phases(struct reading *r)
{
    if (!jr_array(&r->j))
        return;
    while (jr_item(&r->j)) {
        struct profile_phase *p = vec_add(&r->p->phases, r->arena);
        if (!jr_object(&r->j))
            continue;
        while (jr_key(&r->j)) {
            if (jr_is(&r->j, "causes"))
                read_causes(r, p);
            else if (jr_is(&r->j, "shares"))
                READ_ROWS(r, &profile_share_fields, &p->shares);
            else if (!read_member(r, &profile_phase_fields, p))
                jr_skip(&r->j);
        }
    }
}

/* The phases of an analysis: their kernels are known only by the first of them, in short. */
static void from_analysis(struct reading *r)
{
    for (size_t i = 0; i < r->phases.n; i++) {
        const struct phase_row *from = &r->phases.v[i];
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
        vec_push(&r->p->phases, r->arena, p);
    }
}

static bool is_sound(struct profile_phase *p)
{
    const int64_t most = INT64_C(4000000000000000000);
    const int64_t times[] = {p->duration_ns, p->busy_ns, p->compute_ns,
                             p->exposed_ns,  p->idle_ns, p->iteration_ns};
    for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
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

void finish_phases(struct reading *r)
{
    struct run_profile *p = r->p;
    size_t n = 0;
    if (!p->phases.n)
        from_analysis(r);
    for (size_t i = 0; i < p->phases.n && n < PROFILE_PHASES; i++)
        if (is_sound(&p->phases.v[i]))
            p->phases.v[n++] = p->phases.v[i];
    p->phases.n = n;
    for (size_t i = 0; i < n; i++)
        if (!p->phases.v[i].named_by)
            p->phases.v[i].named_by = "";
}
