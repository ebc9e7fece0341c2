/*
 * Captures that were made one after the other: what was not recorded between them is nobody's time.
 *
 * Files of one program may be hours or days apart. Put into one window, the pause between them
 * would be idle time of the GPUs, and nearly all of it.
 */
#ifndef GS_ANALYZE_CAPTURES_H
#define GS_ANALYZE_CAPTURES_H

#include "model/trace.h"

/*
 * Where the captures of a trace (process.file) fall into groups that do not overlap in time, says
 * so in a note of the trace, and with `join` moves later ones forward, so that each begins where
 * the one before has ended. Returns the time between them, 0 where there is none.
 */
int64_t captures_find(struct trace *t, bool join);

#endif
