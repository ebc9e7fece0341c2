/*
 * Explains a gap: what the launching thread did between the end of one piece of GPU work and the
 * start of the next.
 */
#ifndef GS_ANALYZE_GAP_CAUSE_H
#define GS_ANALYZE_GAP_CAUSE_H

#include "analyze/ledger.h"

/* By thread: the first outer call that may still matter to the GPU in `gpu`, of any other 0. */
struct gap_cursor {
    size_t at;
    uint32_t gpu;
};

/* Gaps of one GPU are explained in order of time; each thread's calls are walked once. */
struct gap_reader {
    const struct view *v;
    struct gap_cursor *cursor;
    uint32_t gpu;         /* 1 + its place in the view */
    uint32_t last_thread; /* that launched work, for work without a link */
    bool has_calls;
    struct gap_list *host; /* takes what the host is to blame for; NULL: nobody asks */
};

/*
 * One cursor a thread of the view, zero at first: readers may have them in common one after the
 * other, for otherwise GPUs times threads would be needed.
 */
void gap_reader_init(struct gap_reader *r, const struct view *v, size_t slot,
                     struct gap_cursor *cursor);

/*
 * Adds to ns[] the causes of [start, end), a gap ended by work that `call` launched (or NO_INDEX).
 * `busy_ns` is how long the GPU was busy before it: host work up to that length could have been
 * hidden, had the host not waited.
 */
void gap_explain(struct gap_reader *r, int64_t start, int64_t end, uint32_t call, int64_t busy_ns,
                 int64_t *ns);

#endif
