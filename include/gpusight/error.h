/*
 * Errors are values.
 *
 * A function that can fail returns bool and takes a `struct gs_error *err` as its last argument.
 * On false, err holds a code (which is also the exit code of the command line) and one line of
 * text: lower case, what is wrong first, subjects in single quotes, one hint after "; ".
 * `err` may be NULL when the caller does not care.
 *
 * Thread-safety: an error belongs to one thread.
 */
#ifndef GPUSIGHT_ERROR_H
#define GPUSIGHT_ERROR_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers are exit codes; docs and the man page list the same table. */
enum gs_code {
    GS_OK = 0,
    GS_E_GATE = 1,        /* the gate failed */
    GS_E_USAGE = 2,       /* the command line makes no sense */
    GS_E_IO = 3,          /* the system said no: file, disk, memory, pipe */
    GS_E_FORMAT = 4,      /* the input is not what it claims to be */
    GS_E_EMPTY = 5,       /* the input is fine and holds nothing to analyze */
    GS_E_NETWORK = 6,     /* network or LLM */
    GS_E_CANCELLED = 130, /* the caller ended it */
};

struct gs_error {
    enum gs_code code;
    char text[1024];
};

#ifdef __cplusplus
}
#endif

#endif
