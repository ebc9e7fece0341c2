/* The host's stacks, for flame graphs: threads with calls and markers, nested. */
#ifndef GS_CONVERT_FLAME_H
#define GS_CONVERT_FLAME_H

#include "convert/lanes.h"

/* Rows of regions, then of markers from regions.n on. */
struct flame_rows {
    const struct trace *t;
    struct row_groups calls, markers;
};

struct flame_rows flame_rows_make(const struct conversion *c);

/* Intervals of one thread (threads.n: of none); how many there are. The arena owns them. */
size_t flame_thread(const struct flame_rows *f, size_t thread, struct lane_item **items,
                    struct arena *a);
uint32_t flame_name(const struct trace *t, uint32_t row); /* string */
const char *flame_thread_title(const struct trace *t, size_t thread, struct arena *a);

#endif
