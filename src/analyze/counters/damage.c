/*
 * Dispatches with lost or senseless values.
 *
 * A ratio of counters is about the same dispatches above and below the line. So a dispatch that
 * lacks one of the counters which most of its kernel's dispatches have is left out whole, in all
 * passes. Counters that only few have stay as they are, and what is made from them is marked.
 */
#include "analyze/counters/join_in.h"

/* Of one kernel in one pass. */
struct tally {
    uint32_t *good; /* by counter: dispatches with a good value */
    uint32_t dispatches;
    uint32_t usual; /* counters that most of them have */
};

static bool is_usual(const struct tally *t, size_t counter)
{
    return (uint64_t)t->good[counter] * 2 > t->dispatches;
}

static struct tally *tally_of(const struct counter_join *j, struct tally *all,
                              const struct join_dispatch *d)
{
    return &all[d->kernel * j->n_passes + d->pass];
}

static bool counts(const struct counter_join *j, const struct join_dispatch *d)
{
    return d->kernel != NO_INDEX && join_is_used(j, d);
}

static struct tally *count_good(struct joiner *s)
{
    struct counter_join *j = s->j;
    size_t n = j->n_kernels * j->n_passes;
    struct tally *all = arena_array(s->scratch, struct tally, n + 1);
    for (size_t i = 0; i < j->n_dispatches; i++) {
        const struct join_dispatch *d = &j->dispatches[i];
        if (!counts(j, d))
            continue;
        struct tally *t = tally_of(j, all, d);
        if (!t->good)
            t->good = arena_array(s->scratch, uint32_t, j->n_counters);
        t->dispatches++;
        join_judge_rows(j, d->row);
        for (size_t k = 0; k < j->n_touched; k++)
            t->good[j->touched[k]] += !j->bad[j->touched[k]];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; all[i].good && c < j->n_counters; c++)
            all[i].usual += is_usual(&all[i], c);
    return all;
}

static bool is_damaged(struct counter_join *j, const struct join_dispatch *d, const struct tally *t)
{
    uint32_t usual = 0;
    join_judge_rows(j, d->row);
    for (size_t k = 0; k < j->n_touched; k++)
        usual += !j->bad[j->touched[k]] && is_usual(t, j->touched[k]);
    return usual != t->usual;
}

void join_find_damaged(struct joiner *s)
{
    struct counter_join *j = s->j;
    struct tally *all = count_good(s);
    bool *has_whole = arena_array(s->scratch, bool, j->n_kernels + 1);
    s->damaged = arena_array(s->scratch, bool, j->n_slots + 1);
    for (size_t i = 0; i < j->n_dispatches; i++) {
        const struct join_dispatch *d = &j->dispatches[i];
        if (counts(j, d) && is_damaged(j, d, tally_of(j, all, d)))
            s->damaged[d->slot] = true;
    }
    for (size_t i = 0; i < j->n_dispatches; i++)
        if (counts(j, &j->dispatches[i]) && !s->damaged[j->dispatches[i].slot])
            has_whole[j->dispatches[i].kernel] = true;
    for (size_t i = 0; i < j->n_dispatches; i++) /* better some of each than nothing */
        if (j->dispatches[i].kernel != NO_INDEX && !has_whole[j->dispatches[i].kernel])
            s->damaged[j->dispatches[i].slot] = false;
}
