/*
 * What a change would win: the time after it, as an interval, and what limits then.
 *
 *     struct change c = {.graph = true};
 *     struct prediction p;
 *     replay_init(&r, &depend, arena);
 *     predict(&p, &r, &c, true, arena);
 *     p.predicted_ns, p.low_ns, p.high_ns, p.speedup, path_info(p.next)->label
 *
 * The interval comes from replays with what is uncertain about the change taken at its likely, its
 * good and its bad side (where only the host's pace is, the good side follows from the path), from
 * delays that nothing explains, and from how much iterations differ; p.reasons says what there is.
 * A change that wins nothing has none.
 */
#ifndef GS_DEPEND_PREDICT_H
#define GS_DEPEND_PREDICT_H

#include "depend/path.h"

struct prediction {
    int64_t recorded_ns;              /* as recorded: depend_span() */
    int64_t predicted_ns;             /* after the change */
    int64_t low_ns, high_ns;          /* shortest and longest that may come true */
    double speedup;                   /* recorded / predicted */
    double speedup_low, speedup_high; /* recorded / high, recorded / low */
    int64_t path[PATH_KINDS];         /* the critical path after it */
    enum path_kind next;              /* its largest part */
    const char *reasons;              /* of the interval, "; " between them; "" when it has none */
};

/*
 * `scratch` is made by replay_init() and may serve many predictions, one after another; the arena
 * keeps the reasons. Without `interval` there is one replay instead of three: low and high are as
 * predicted, and there is no path.
 */
void predict(struct prediction *p, struct replay *scratch, const struct change *c, bool interval,
             struct arena *arena);

/*
 * The same interval in steps, for those who have several replays to run at once: the change itself,
 * then each side that is asked for, in any order and any room, and the end of it.
 */
enum side { SIDE_BAD, SIDE_GOOD, SIDES };
void predict_likely(struct prediction *p, struct replay *scratch, const struct change *c,
                    struct arena *arena);
bool predict_asks(const struct prediction *p, const struct depend *d, const struct change *c,
                  enum side side);
int64_t predict_side(struct replay *scratch, const struct change *c, enum side side);
/* By side; of one that was not asked for, anything. */
void predict_end(struct prediction *p, const struct depend *d, const struct change *c,
                 const int64_t ns[SIDES]);

/*
 * The same interval with two rooms and several threads: the replay of the change itself stays in
 * `likely`, for those who look at it further. `beside` runs while the good side is tried.
 */
struct predict_rooms {
    struct replay *likely, *other;
    int workers;
    void (*beside)(void *ctx, const struct replay *likely); /* may be NULL */
    void *ctx;
};
void predict_in(struct prediction *p, const struct predict_rooms *rooms, const struct change *c,
                struct arena *arena);

/* How far a replay without changes is from the recorded time, in percent of it. */
double replay_error_pct(const struct replay *unchanged);

/* Above this the predictions of a trace are rough. */
#define REPLAY_ROUGH_PCT 2.0

#endif
