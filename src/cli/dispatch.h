/*
 * From the command line to the command: options before and after its name, operands, help.
 */
#ifndef GS_CLI_DISPATCH_H
#define GS_CLI_DISPATCH_H

#include "base/arena.h"
#include "base/err.h"

/* Under the one guard of the program: a shortage of memory is an error like others. */
bool dispatch(struct arena *a, int argc, char **argv, struct gs_error *err);

#endif
