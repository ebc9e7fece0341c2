/*
 * The ids of rocpd_event while its rows are read: which rows they stand for, and the stack ids that
 * link calls and the work they caused, in as little room as the file allows.
 *
 * Ids that count up are kept as ranges, stack ids as numbers of 32 bits (idblocks.h). Files with
 * more than one range for four rows, or with ids all over the 64 bits, are read a second time, and
 * each id is kept. Where ids have holes from the start that second time begins at once (`again`).
 */
#ifndef GS_INGEST_ROCPD_EVENT_IDS_H
#define GS_INGEST_ROCPD_EVENT_IDS_H

#include "ingest/rocpd/rocpd.h"

struct event_ranges {
    struct event_range *v;
    size_t n, cap;
};

struct event_ids {
    struct events *e;
    struct arena *arena;       /* of the events */
    bool each_id, whole_stack; /* second try: ranges, or numbers of 32 bits, do not do */
    atomic_bool again;         /* for scan.again: no need to look at the rest */
    struct {
        struct arena *arena;
        struct event_ranges ranges; /* in order of rows, for this worker */
        struct idblocks_seen seen;
        bool many_ranges, many_blocks;
        uint32_t most; /* the largest stack number */
        size_t rows;   /* so far */
        char padding[64];
    } workers[PARALLEL_MAX];
};

/* Everything is taken from the arena, what is kept too. */
void event_ids_init(struct event_ids *x, struct events *e, struct arena *arena,
                    struct arena *temporary);

void event_ids_begin(struct event_ids *x, size_t rows);
void event_ids_take(struct event_ids *x, const struct scan_batch *b, const int64_t *id,
                    const int64_t *stack);

/* False: the table must be read again. `repeated`: ids that more than one row has. */
bool event_ids_finish(struct event_ids *x, uint64_t *repeated);

#endif
