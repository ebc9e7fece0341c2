/*
 * Other names of the program: rocpd2csv and its like, as AMD's tools are called. A link of that name
 * stands for a command with options. And rocinsight's options that are a command here:
 * "analyze --interactive" and "analyze --resume-session".
 */
#ifndef GS_CLI_ALIAS_H
#define GS_CLI_ALIAS_H

#include "base/arena.h"

/* The words to go by: argv itself, or what its first one stands for; *argc follows. */
char **alias_expand(struct arena *a, int *argc, char **argv);

#endif
