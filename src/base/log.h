/*
 * Notes and warnings for the person at the terminal. They go to standard error, which carries
 * nothing else but the one line of a failure; results never go through here.
 *
 *     log_warn("'%s' ends in the middle of a record; the last %zu rows are missing", path, n);
 *     log_note("read %zu kernels in %s", n, human_time(buf, ns));
 *
 * One message is one line, and unsafe characters in it are made printable: names from traces may
 * be arguments, never the format. The level is global state.
 *
 * Thread-safety: all functions; a line is written whole.
 */
#ifndef GS_BASE_LOG_H
#define GS_BASE_LOG_H

#include <stddef.h>

enum log_level {
    LOG_QUIET,   /* nothing */
    LOG_NORMAL,  /* warnings; the level at the start */
    LOG_VERBOSE, /* warnings and notes */
};

void log_set_level(enum log_level level);
enum log_level log_level(void);

void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* How many warnings there were so far, printed or not. */
size_t log_warnings(void);

/*
 * A line about what was done ("wrote x.json"), whatever the level. Characters that a terminal would
 * obey, in names of files above all, are shown as escapes.
 */
void log_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
