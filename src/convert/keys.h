/*
 * Output keys: %pid% and its like in names of files, as rocprofv3 and rocpd know them.
 *
 * Values come from the trace where it says them (host, pid, rank, words of the command), from this
 * process where they are about the conversion (%cwd%, %launch_date%, %env{X}%). What a trace says
 * is one word of a path: a '/' in it becomes '_'.
 */
#ifndef GS_CONVERT_KEYS_H
#define GS_CONVERT_KEYS_H

#include "model/trace.h"

/* True when the name differs from process to process. */
bool keys_tell_apart(const char *path);

/* `process` may be NO_INDEX where there is none. An unknown key stays as it is. */
const char *keys_expand(const char *path, const struct trace *t, uint32_t process, struct arena *a);

#endif
