/*
 * Several runs of one program in one trace, as passes of counters are: times of different runs say
 * nothing when they are put together, the pauses between them least of all.
 */
#ifndef GS_ANALYZE_PASS_WINDOW_H
#define GS_ANALYZE_PASS_WINDOW_H

#include "analyze/view.h"

/*
 * When the processes of a trace recorded different sets of counters, one set after the other and
 * never at the same time, sets the window to the run without counters, or else to the first, and
 * returns what people call it ("the first pass (7_results.db)"). NULL, with the window as it was,
 * otherwise: one run, or a window or process asked for.
 */
const char *pass_window(struct view_opts *o, const struct trace *t, struct arena *arena);

/* The same for groups of processes (group[p] < n), each as if in a trace of its own. */
void pass_windows(struct span *windows, size_t n, const uint32_t *group, const struct trace *t);

#endif
