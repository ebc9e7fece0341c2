#include "depend/predict.h"

#include <math.h>

#include "base/parallel.h"
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
        {c->remove[REMOVE_SYNC], "waits for results that the host needs may have to stay"},
        {removes_calls(c), "the host's own work beside a call may go with it or stay"},
        {c->graph, "the first launch of a graph uploads it, at 0 to 1 us a kernel; host "
                   "work between launches of up to 0.2 ms may only prepare them or have to stay"},
        {c->overlap, "kernels that share the device with copies may be up to 20 % slower, and "
                     "so may copies that share the link"},
        {c->merge_copies, "one large copy reaches 10 to 85 % of the link"},
        {c->pinned, "copies of pinned memory reach 70 to 95 % of the link"},
        {c->prefetch, "up to a fifth of the host work may have to stay where it is"},
        {c->streams > 1, "kernels may need a whole unit for each of their work-groups"},
        {c->scale_doubt > 0, "how much faster the kernels get is an estimate"},
        {c->gpu, "kernels may gain as the matrix units or only as the memory does"},
        {true, "the host's own time varies from run to run, by 10 %"},
    };
    struct str s;
    str_init(&s, arena);
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (table[i].applies)
            str_printf(&s, "%s%s", s.len ? "; " : "", table[i].text);
    return s.buf;
}

/* What the host does itself, of a path. */
static int64_t host_part(const int64_t *path)
{
    int64_t ns = 0;
    for (int k = PATH_CALL_LAUNCH; k <= PATH_HANDOVER; k++) /* path.def: from calls on */
        ns = add_ns(ns, path[k]);
    return ns;
}

/* For the others the likely side is the good one, unless the host limits. */
static bool has_good_side(const struct change *c, const struct prediction *p)
{
    return c->graph || c->pinned || c->gpu || c->scale_doubt > 0 ||
           host_part(p->path) > p->predicted_ns / 100;
}

/* How much the host's own time varies. */
#define HOST_DOUBT 0.1

static int64_t time_of(struct replay *r, const struct change *c)
{
    replay_run(r, c);
    return r->end_ns - r->start_ns;
}

static double ratio(int64_t before, int64_t after)
{
    return after > 0 ? (double)before / (double)after : NAN;
}

static struct change bad_side(const struct change *c)
{
    struct change other = *c;
    other.cautious = true;
    other.host = (c->host > 0 ? c->host : 1) * (1 + HOST_DOUBT);
    return other;
}

/* Where the change wins nothing, neither does chance. */
static struct change good_side(const struct change *c, const struct prediction *p)
{
    struct change other = *c;
    other.hopeful = true;
    if (p->recorded_ns - p->predicted_ns >= p->recorded_ns / 1000)
        other.host = (c->host > 0 ? c->host : 1) * (1 - HOST_DOUBT);
    return other;
}

static void take_sides(struct prediction *p, int64_t bad, int64_t good)
{
    p->high_ns = bad > p->high_ns ? bad : p->high_ns;
    p->low_ns = good < p->low_ns ? good : p->low_ns;
    /* A change that makes it slower is taken back. */
    if (p->high_ns > p->recorded_ns && p->predicted_ns <= p->recorded_ns)
        p->high_ns = p->recorded_ns;
}

static void take_likely(struct prediction *p, const struct replay *likely)
{
    p->recorded_ns = depend_span(likely->d);
    p->predicted_ns = p->low_ns = p->high_ns = likely->end_ns - likely->start_ns;
    path_compose(likely, p->path);
    p->next = path_largest(p->path);
}

static void take_ratios(struct prediction *p)
{
    p->speedup = ratio(p->recorded_ns, p->predicted_ns);
    p->speedup_low = ratio(p->recorded_ns, p->high_ns);
    p->speedup_high = ratio(p->recorded_ns, p->low_ns);
}

void predict(struct prediction *p, struct replay *scratch, const struct change *c, bool interval,
             struct arena *arena)
{
    *p = (struct prediction){0};
    replay_run(scratch, c);
    take_likely(p, scratch);
    p->reasons = interval ? reasons_of(c, arena) : "";
    if (*p->reasons) {
        struct change bad = bad_side(c), good = good_side(c, p);
        int64_t bad_ns = time_of(scratch, &bad);
        take_sides(p, bad_ns, has_good_side(c, p) ? time_of(scratch, &good) : p->low_ns);
    }
    take_ratios(p);
}

/* ---- with threads ---- */

struct sides {
    const struct predict_rooms *rooms;
    const struct change *likely, *other; /* other NULL: not tried */
};

static void run_side(void *ctx, size_t i, int worker)
{
    const struct sides *s = ctx;
    (void)worker;
    if (i)
        replay_run(s->rooms->other, s->other);
    else
        replay_run(s->rooms->likely, s->likely);
}

static void run_beside(void *ctx, size_t i, int worker)
{
    const struct sides *s = ctx;
    (void)worker;
    if (i && s->other)
        replay_run(s->rooms->other, s->other);
    if (!i && s->rooms->beside)
        s->rooms->beside(s->rooms->ctx, s->rooms->likely);
}

void predict_in(struct prediction *p, const struct predict_rooms *rooms, const struct change *c,
                struct arena *arena)
{
    const struct replay *other = rooms->other;
    struct change bad = bad_side(c), good;
    struct sides s = {rooms, c, &bad};
    *p = (struct prediction){.reasons = reasons_of(c, arena)};
    parallel_for(rooms->workers, 2, run_side, &s);
    int64_t bad_ns = other->end_ns - other->start_ns;
    take_likely(p, rooms->likely);
    good = good_side(c, p);
    s.other = has_good_side(c, p) ? &good : NULL;
    parallel_for(rooms->workers, 2, run_beside, &s);
    take_sides(p, bad_ns, s.other ? other->end_ns - other->start_ns : p->low_ns);
    take_ratios(p);
}

double replay_error_pct(const struct replay *unchanged)
{
    double was = (double)depend_span(unchanged->d);
    double is = (double)(unchanged->end_ns - unchanged->start_ns);
    return was > 0 ? 100 * fabs(is - was) / was : 0;
}
