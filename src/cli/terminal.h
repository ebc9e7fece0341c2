/*
 * What the terminal can show.
 */
#ifndef GS_CLI_TERMINAL_H
#define GS_CLI_TERMINAL_H

#include <stdbool.h>

/* `when` is "always", "never" or "auto": a terminal, TERM not "dumb", NO_COLOR not set. */
enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
bool terminal_color(enum color_when when);

/* Who says how wide lines may be. */
enum width_from { WIDTH_USUAL, WIDTH_TERMINAL, WIDTH_ASKED };

/* Columns to lay out for: COLUMNS when set, else the terminal's, else 80. At least 40. */
int terminal_columns(enum width_from *from);

#endif
