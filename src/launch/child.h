/*
 * Children: programs that are run for the user, without a shell.
 *
 *     struct child_opts o = {.argv = argv, .timeout_s = 600};
 *     struct child_result r;
 *     if (!child_run(&o, &r, err)) ...  // could not be started
 *     if (r.exit_code || r.signal) ...  // it failed
 *
 * A child has a process group of its own. When it is to end (Ctrl-C, a signal to us, the time limit,
 * a disk that fills up), it and everything it has started, wherever that went, is told to, and
 * killed some seconds later. Its environment is ours, and nothing of it is kept.
 *
 * Thread-safety: one child at a time in a process.
 */
#ifndef GS_LAUNCH_CHILD_H
#define GS_LAUNCH_CHILD_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

/* What results may take on the disk where nothing else is said: 50 GiB. */
#define CHILD_MOST_BYTES (UINT64_C(50) << 30)

struct child_opts {
    const char *const *argv; /* NULL at the end; argv[0] is looked up in PATH */
    const char *folder;      /* to run in; NULL: here */
    double timeout_s;        /* 0: none */
    bool output_to_stderr;   /* its standard output goes to standard error */
    bool silent;             /* its output goes nowhere, or into `log` alone */
    const char *log;         /* its output goes there as well, appended; NULL: not */
    const char *watched;     /* folder whose size is limited by most_bytes; NULL: none */
    uint64_t most_bytes;
};

struct child_result {
    int exit_code; /* 0: well; -1: ended by a signal */
    int signal;    /* that ended it; 0: none */
    bool timed_out, interrupted, too_large;
    double seconds; /* on the wall */
};

/* False, with the error, when it could not be started. */
bool child_run(const struct child_opts *o, struct child_result *r, struct gs_error *err);

/* Why it failed, in words: "ended with exit code 3"; NULL: it did not. */
const char *child_failure(const struct child_result *r, struct arena *a);

/* The file that argv[0] = `name` would start, by PATH and the folders given; NULL: none. */
const char *program_find(const char *name, const char *const *folders, struct arena *a);

#endif
