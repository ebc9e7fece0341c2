/*
 * The window of an analysis, as users write it.
 *
 *     10%..90%            shares of the trace
 *     1.5s..3s            from the start of the trace (ns, us, ms, s, min)
 *     123456789..234567   absolute nanoseconds, as the profiler records them
 *     marker:NAME         from the first start to the last end of ranges of this name
 *     marker:A..marker:B  from the first start of A to the first start of B after it
 *
 * Either side may be left out; ':' may stand for '..' between numbers.
 */
#ifndef GS_ANALYZE_WINDOW_H
#define GS_ANALYZE_WINDOW_H

#include "analyze/view.h"
#include "base/err.h"

bool window_parse(struct view_opts *o, const struct trace *t, const char *text,
                  struct gs_error *err);

#endif
