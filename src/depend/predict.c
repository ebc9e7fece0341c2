#include "depend/predict.h"

#include <math.h>

#include "base/parallel.h"
#include "base/str.h"

static bool removes_calls(const struct change *c)
{
    return c->remove[REMOVE_SYNC] || c->remove[REMOVE_ALLOCATION] || c->remove[REMOVE_LAUNCH] ||
           c->remove[REMOVE_COPY] || c->remove[REMOVE_FIRST_USE] || c->stay;
}

static void add_reason(struct str *s, const char *text)
{
    str_printf(s, "%s%s", s->len ? "; " : "", text);
}

/* What about a change is uncertain enough to be tried from both sides. */
static const char *reasons_of(const struct change *c, const struct prediction *p, double noise,
                              struct arena *arena)
{
    const struct {
        bool applies;
        const char *text;
    } table[] = {
        {c->remove[REMOVE_SYNC], "waits for results that the host needs may have to stay"},
        {removes_calls(c), "the host's own work beside a call may go with it or stay"},
        {c->graph, "the first launch of a graph uploads it, at 0 to 1 us a kernel; host "
                   "work between launches of up to 0.2 ms may only prepare them or have to stay"},
        {c->overlap, "kernels that share the device with copies may be up to 20 % slower (10 % is "
                     "assumed of those of 50 us and more), and so may copies that share the link; "
                     "results may have buffers of their own or share two with what comes in"},
        {c->merge_copies, "one large copy reaches 10 to 85 % of the link"},
        {c->fuse, "fused kernels may save less of the GPU's time, or only that of their launches"},
        {c->stay, "the host may need to see the data that comes back"},
        {c->link_hope > 0, "half of the bytes may do"},
        {c->pinned, "copies of pinned memory reach 70 to 95 % of the link"},
        {c->prefetch, "up to a fifth of the host work may have to stay where it is"},
        {c->workers > 1, "two threads are assumed to share the host work; more may do more"},
        {c->streams > 1, "kernels may need a whole unit for each of their work-groups"},
        {c->scale_doubt > 0, "how much faster the kernels get is an estimate"},
        {c->gpu, "kernels may gain as the matrix units or only as the memory does"},
        {p->path[PATH_DELAY] > p->predicted_ns / 100,
         "delays that nothing recorded explains may go or stay"},
        {true, "the host's own time varies from run to run, by 10 %"},
    };
    struct str s;
    str_init(&s, arena);
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (table[i].applies)
            add_reason(&s, table[i].text);
    str_printf(&s, "; times of one run come out again to about %.1f %%", 100 * noise);
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

/* There is more to be hoped for than that the host is faster. */
static bool has_good_side(const struct change *c, const struct depend *d)
{
    bool beside = d->trace->markers.n && removes_calls(c);
    return beside || c->graph || c->pinned || c->overlap || c->link_hope > 0 || c->gpu ||
           c->scale_doubt > 0;
}

/* How much the host's own time varies. */
#define HOST_DOUBT 0.1

static double ratio(int64_t before, int64_t after)
{
    return after > 0 ? (double)before / (double)after : NAN;
}

/* The same change, seen from one side. */
static struct change seen_from(const struct change *c, enum side side)
{
    struct change other = *c;
    double host = c->host > 0 ? c->host : 1;
    other.cautious = side == SIDE_BAD;
    other.hopeful = side == SIDE_GOOD;
    other.host = host * (side == SIDE_BAD ? 1 + HOST_DOUBT : 1 - HOST_DOUBT);
    return other;
}

static void take_time(struct prediction *p, const struct replay *likely)
{
    *p = (struct prediction){.recorded_ns = depend_span(likely->d), .reasons = ""};
    p->predicted_ns = p->low_ns = p->high_ns = likely->end_ns - likely->start_ns;
}

/* What the path says, once it is composed. */
static void take_path(struct prediction *p, const struct depend *d, const struct change *c,
                      struct arena *arena)
{
    p->next = path_largest(p->path);
    p->reasons = reasons_of(c, p, d->noise, arena);
}

/* Where the change wins nothing, neither does chance. */
static bool wins(const struct prediction *p)
{
    return p->recorded_ns - p->predicted_ns >= p->recorded_ns / 1000;
}

/* Without a good side the path, at best, stays what it is. */
static int64_t best_of_path(const struct prediction *p)
{
    return p->predicted_ns - ns_from((double)host_part(p->path) * HOST_DOUBT);
}

static void take_interval(struct prediction *p, const struct depend *d, int64_t bad, int64_t good)
{
    /* What is not explained may go; and no run is like the next. */
    good = sub_ns(good, p->path[PATH_DELAY]);
    int64_t spread = ns_from((double)p->predicted_ns * d->noise);
    bad = bad > add_ns(p->predicted_ns, spread) ? bad : add_ns(p->predicted_ns, spread);
    good = good < sub_ns(p->predicted_ns, spread) ? good : sub_ns(p->predicted_ns, spread);
    p->high_ns = bad;
    p->low_ns = good > 0 ? good : 0;
    /* A change that makes it slower is taken back. */
    if (p->high_ns > p->recorded_ns)
        p->high_ns = p->recorded_ns;
}

static void take_ratios(struct prediction *p)
{
    p->speedup = ratio(p->recorded_ns, p->predicted_ns);
    p->speedup_low = ratio(p->recorded_ns, p->high_ns);
    p->speedup_high = ratio(p->recorded_ns, p->low_ns);
}

void predict_likely(struct prediction *p, struct replay *scratch, const struct change *c,
                    struct arena *arena)
{
    replay_run(scratch, c);
    take_time(p, scratch);
    path_compose(scratch, p->path);
    take_path(p, scratch->d, c, arena);
}

bool predict_asks(const struct prediction *p, const struct depend *d, const struct change *c,
                  enum side side)
{
    return wins(p) && (side == SIDE_BAD || has_good_side(c, d));
}

int64_t predict_side(struct replay *scratch, const struct change *c, enum side side)
{
    struct change other = seen_from(c, side);
    scratch->times_only = true;
    replay_run(scratch, &other);
    scratch->times_only = false;
    return scratch->end_ns - scratch->start_ns;
}

void predict_end(struct prediction *p, const struct depend *d, const struct change *c,
                 const int64_t ns[SIDES])
{
    if (wins(p))
        take_interval(p, d, ns[SIDE_BAD], has_good_side(c, d) ? ns[SIDE_GOOD] : best_of_path(p));
    take_ratios(p);
}

void predict(struct prediction *p, struct replay *scratch, const struct change *c, bool interval,
             struct arena *arena)
{
    int64_t ns[SIDES] = {0};
    if (!interval) {
        scratch->times_only = true;
        replay_run(scratch, c);
        scratch->times_only = false;
        take_time(p, scratch);
        take_ratios(p);
        return;
    }
    predict_likely(p, scratch, c, arena);
    for (enum side side = 0; side < SIDES; side++)
        if (predict_asks(p, scratch->d, c, side))
            ns[side] = predict_side(scratch, c, side);
    predict_end(p, scratch->d, c, ns);
}

/* ---- with threads ---- */

struct sides {
    const struct predict_rooms *rooms;
    struct prediction *p;
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
    if (!i)
        path_compose(s->rooms->likely, s->p->path);
    if (!i && s->rooms->beside)
        s->rooms->beside(s->rooms->ctx, s->rooms->likely);
}

void predict_in(struct prediction *p, const struct predict_rooms *rooms, const struct change *c,
                struct arena *arena)
{
    struct replay *other = rooms->other;
    struct change bad = seen_from(c, SIDE_BAD), good = seen_from(c, SIDE_GOOD);
    struct sides s = {rooms, p, c, &bad};
    int64_t ns[SIDES] = {0};
    other->times_only = true;
    parallel_for(rooms->workers, 2, run_side, &s);
    ns[SIDE_BAD] = other->end_ns - other->start_ns;
    take_time(p, rooms->likely);
    s.other = predict_asks(p, other->d, c, SIDE_GOOD) ? &good : NULL;
    parallel_for(rooms->workers, 2, run_beside, &s);
    ns[SIDE_GOOD] = other->end_ns - other->start_ns;
    take_path(p, other->d, c, arena);
    predict_end(p, other->d, c, ns);
}

double replay_error_pct(const struct replay *unchanged)
{
    double was = (double)depend_span(unchanged->d);
    double is = (double)(unchanged->end_ns - unchanged->start_ns);
    return was > 0 ? 100 * fabs(is - was) / was : 0;
}
