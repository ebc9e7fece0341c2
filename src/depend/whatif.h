/*
 * 'gpusight whatif': the time after a change, why it is an interval, what limits
 * then, and what the GPUs do before and after.
 */
#ifndef GS_DEPEND_WHATIF_H
#define GS_DEPEND_WHATIF_H

#include "analyze/analysis.h"
#include "depend/account.h"
#include "depend/predict.h"

struct whatif_result {
    int64_t recorded_ns, predicted_ns, low_ns, high_ns;
    double speedup, speedup_low, speedup_high;
    double replay_error_pct;
    bool rough;
    const char *limit_before, *limit_after;
    const char *reasons;
};

/* A part of the critical path, or of the GPUs' time, before and after. */
struct whatif_row {
    const char *kind, *label;
    int64_t before_ns, after_ns;
};

struct whatif {
    struct whatif_result result;
    VEC(const char *) changes; /* in words */
    VEC(const char *) notes;   /* what to bear in mind */
    VEC(struct whatif_row) path, ledger;
    struct arena *arena;
};

extern const struct fields whatif_fields, whatif_path_fields, whatif_ledger_fields;
extern const struct fields whatif_document_fields; /* all of it, as JSON */
void whatif_json_schema(struct str *out);

/*
 * Room for many questions about one run: a second replay beside a->replay, and the run as it
 * was. Made once, used by one thread at a time, as a->replay is.
 */
struct whatif_room {
    struct replay *likely, other;
    int64_t path[PATH_KINDS]; /* before */
    struct account account;   /* before */
    int workers;
};
void whatif_room_make(struct whatif_room *room, const struct analysis *a, struct arena *arena);
void whatif_make_in(struct whatif *w, struct whatif_room *room, const struct analysis *a,
                    const struct change *c, struct arena *arena);

/* With a room of its own. a->depend must be there, as for the others. */
void whatif_make(struct whatif *w, const struct analysis *a, const struct change *c,
                 struct arena *arena);

#endif
