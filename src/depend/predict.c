#include "depend/predict.h"

#include <math.h>

#include "base/str.h"

static bool removes_calls(const struct change *c)
{
    return c->remove[REMOVE_SYNC] || c->remove[REMOVE_ALLOCATION] || c->remove[REMOVE_LAUNCH] ||
           c->remove[REMOVE_COPY] || c->remove[REMOVE_FIRST_USE];
}

/* What about a change is uncertain enough to be tried from both sides. */
static const char *reasons_of(const struct change *c, struct arena *arena)
{
    const struct {
        bool applies;
        const char *text;
    } table[] = {
        {removes_calls(c), "the host's own work beside a call may go with it or stay"},
        {c->graph, "the first launch of a graph uploads it, at 0 to 1 us a kernel"},
        {c->overlap, "kernels that share the device with copies may be up to 15 % slower"},
        {c->gpu, "kernels may gain as the matrix units or only as the memory does"},
    };
    struct str s;
    str_init(&s, arena);
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
        if (table[i].applies)
            str_printf(&s, "%s%s", s.len ? "; " : "", table[i].text);
    return s.buf;
}

static int64_t time_of(const struct depend *d, const struct change *c)
{
    struct arena *temporary = arena_scratch();
    struct replay r;
    replay_run(&r, d, c, temporary);
    int64_t ns = r.end_ns - r.start_ns;
    arena_release(temporary);
    return ns;
}

static double ratio(int64_t before, int64_t after)
{
    return after > 0 ? (double)before / (double)after : NAN;
}

void predict(struct prediction *p, const struct depend *d, const struct change *c,
             struct arena *arena)
{
    struct arena *temporary = arena_scratch();
    struct replay r;
    replay_run(&r, d, c, temporary);
    *p = (struct prediction){.recorded_ns = depend_span(d), .predicted_ns = r.end_ns - r.start_ns};
    path_compose(&r, p->path);
    p->next = path_largest(p->path);
    arena_release(temporary);
    p->low_ns = p->high_ns = p->predicted_ns;
    p->reasons = reasons_of(c, arena);
    if (*p->reasons) {
        struct change other = *c;
        other.cautious = true;
        int64_t bad = time_of(d, &other);
        other.cautious = false;
        other.hopeful = true;
        int64_t good = time_of(d, &other);
        p->high_ns = bad > p->high_ns ? bad : p->high_ns;
        p->low_ns = good < p->low_ns ? good : p->low_ns;
    }
    p->speedup = ratio(p->recorded_ns, p->predicted_ns);
    p->speedup_low = ratio(p->recorded_ns, p->high_ns);
    p->speedup_high = ratio(p->recorded_ns, p->low_ns);
}

double replay_error_pct(const struct replay *unchanged)
{
    double was = (double)depend_span(unchanged->d);
    double is = (double)(unchanged->end_ns - unchanged->start_ns);
    return was > 0 ? 100 * fabs(is - was) / was : 0;
}
