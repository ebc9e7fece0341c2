/*
 * Words for a shell, and names of kernels as regular expressions. Names and arguments come from
 * strangers; what is returned here is data to a shell, whatever they hold.
 */
#ifndef GS_PLAN_QUOTE_H
#define GS_PLAN_QUOTE_H

#include <stdbool.h>

#include "base/arena.h"

/* The word so that a POSIX shell reads it back unchanged: as it is, or in single quotes. */
const char *shell_word(struct arena *a, const char *word);

/*
 * A regular expression that a search finds in the kernel's name: letters and digits as they are, a
 * dot for any other character, so that no character is special in any dialect or to a shell. Cut
 * before a line end and after 96 characters; without arguments, and without template arguments
 * unless asked for. "" where nothing of the name is left to tell it from others.
 */
const char *kernel_regex(struct arena *a, const char *name, bool templates);

/* The longest identifier of the function's own name ("gemm" of "void ns::gemm<float>(int)"): what
 * tools look for that take a piece of a name, and Nsight Compute's base name. */
const char *kernel_identifier(struct arena *a, const char *name);

#endif
