/*
 * What the terminal can show.
 */
#ifndef GS_CLI_TERMINAL_H
#define GS_CLI_TERMINAL_H

#include <stdbool.h>

/* `when` is "always", "never" or "auto": a terminal, TERM not "dumb", NO_COLOR not set. */
bool terminal_color(const char *when);

/* Columns to lay out for: COLUMNS when set, else the terminal's, else 80. At least 40. */
int terminal_columns(void);

#endif
