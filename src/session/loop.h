/*
 * The loop of a session: profile, analyze, propose, edit, build, test, measure, judge, keep or take
 * back.
 *
 * Builds and tests are gates. A candidate is measured with repeats, in turns with the state before
 * it, and judged by `gpusight compare` with its noise; what does not help is taken back. Everything
 * that is run runs without a shell (launch/child.h); traces are read by gpusight itself as a child, in
 * its box.
 */
#ifndef GS_SESSION_LOOP_H
#define GS_SESSION_LOOP_H

#include "compare/compare.h"
#include "model/priority.h"
#include "session/tree.h"

struct loop_finding {
    enum priority priority;
    const char *id, *rule, *issue, *suggestion, *where;
    double predicted_pct; /* less time; NaN: unknown */
    double share_pct;     /* of the time it is about */
};

struct loop {
    struct session *s;
    struct words app; /* as it is run */
    bool automatic, quiet_app;
    const char *goal; /* of the next capture, a word of 'gpusight run'; NULL: the timeline */
    double timeout_s;
    uint64_t most_bytes; /* of the results of one run */
    /* Asks the person, with the choices' letters; 0: nobody is there. */
    char (*ask)(void *ctx, const char *question, const char *letters);
    /* Another source of edits, a model; NULL text: none. */
    const char *(*propose)(void *ctx, struct loop *l, struct gs_error *err);
    void *ctx, *propose_ctx; /* of ask, of propose */
    VEC(struct loop_finding) findings;
    double ends_at;       /* by the clock; infinite: no budget */
    int64_t wasted;       /* proposals in a row that were nothing new */
    int64_t built;        /* the state that was built last; -1: none */
    int64_t flat;         /* candidates in a row that changed next to nothing */
    struct words unfit;   /* keys of edits that do not fit the current state */
    const char *analysis; /* of the last profile, JSON */
    struct words named;   /* command lines of profilers that a model has named */
};

void loop_init(struct loop *l, struct session *s);

/* The program from now on. NAME=value words in front go to the environment; their names alone are
 * kept. */
void loop_take_app(struct loop *l, const struct words *app);

/* "30m", "1h30m", "45s", "90": seconds; "20%", "20": percent. */
bool loop_read_time(double *out, const char *text, struct gs_error *err);
bool loop_read_percent(double *out, const char *text, struct gs_error *err);

/* Words of a command line as a shell would see them, quotes and backslashes; nothing else is special. */
bool loop_split(struct words *out, const char *text, struct arena *a, struct gs_error *err);

/* Builds and tests the state as it is; whether there is a profile of it already. */
bool loop_first_gates(struct loop *l, struct gs_error *err);
bool loop_has_trace(const struct loop *l);

/* Profiles and analyzes the current state; fills the findings. */
bool loop_profile(struct loop *l, struct gs_error *err);
bool loop_analyze(struct loop *l, struct gs_error *err);

/* One edit through all phases. *kept: it is the current state now. */
bool loop_try(struct loop *l, const char *text, size_t n, const char *name, bool *kept,
              struct gs_error *err);

/* All proposals there are, until the goal, the budget, a plateau, or nothing is left. */
bool loop_run(struct loop *l, struct gs_error *err);

/* Each action, and nothing is done. */
bool loop_show(struct loop *l, struct str *out, struct gs_error *err);

/* ---- measure.c ---- */

struct measure {
    enum compare_verdict verdict;
    const char *headline;
    double change_pct, noise_pct;
};

/* Runs one program with its output in a log of the session; its event is kept. */
bool loop_step(struct loop *l, enum event_kind kind, const struct words *argv, const char *log,
               const char **failure, struct gs_error *err);
/* New names in the session's folder; of a folder that was made, NULL where it cannot be. */
const char *loop_log(struct loop *l, const char *what);
const char *loop_folder(struct loop *l, const char *what, struct gs_error *err);
bool loop_build(struct loop *l, const char **failure, struct gs_error *err);
bool loop_test(struct loop *l, const char **failure, struct gs_error *err);
/* `shown`: the program's output, too. */
bool loop_capture(struct loop *l, const char *folder, bool shown, struct gs_error *err);
bool loop_measure(struct loop *l, int64_t candidate, struct measure *m, struct gs_error *err);
bool loop_read_findings(struct loop *l, const char *path, struct gs_error *err);
/* gpusight itself, with these words; its output goes into the log and, if `shown`, is seen. */
bool loop_self(struct loop *l, const struct words *words, const char *log, bool shown,
               struct gs_error *err);

/* Whether two outputs are the same: numbers within the tolerance, everything else as it is. *why
 * says where not. */
bool outputs_agree(const char *a, size_t na, const char *b, size_t nb, double tolerance,
                   const char **why, struct arena *arena);

#endif
