/*
 * Explains a gap: what the launching thread did between the end of one piece of GPU work and the
 * start of the next.
 */
#ifndef GS_ANALYZE_GAP_CAUSE_H
#define GS_ANALYZE_GAP_CAUSE_H

#include "analyze/ledger.h"

struct call_sums;

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
    const struct call_sums *sums; /* by thread; NULL: calls are few enough to walk */
    struct gap_list *host;        /* takes what the host is to blame for; NULL: nobody asks */
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

/* What a call says about a gap in which it runs, with the host having waited in it before or not. */
enum cause gap_cause_of_call(const struct view *v, uint32_t call, bool drained);
bool gap_call_waits(const struct view *v, uint32_t call);

/* How much of each stretch between calls a wait for work of that length could have hidden. */
static inline int64_t gap_hidden_ns(int64_t busy_ns)
{
    return busy_ns < LEDGER_SHORT_HOST_NS  ? LEDGER_SHORT_HOST_NS
           : busy_ns < LEDGER_SYNC_HOST_NS ? busy_ns
                                           : LEDGER_SYNC_HOST_NS; /* longer ones are not hidden */
}

/* How much of a stretch between calls the host is to blame for. */
static inline int64_t gap_host_ns(int64_t length, bool drained, int64_t hidden_ns)
{
    if (!drained)
        return length < LEDGER_SHORT_HOST_NS ? 0 : length;
    if (length > LEDGER_SYNC_HOST_NS)
        return length;
    return length < hidden_ns ? 0 : length - hidden_ns;
}

#endif
