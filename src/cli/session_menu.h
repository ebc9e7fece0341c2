/*
 * The menu of a session at a terminal: one key a step, a number for a finding.
 */
#ifndef GS_CLI_SESSION_MENU_H
#define GS_CLI_SESSION_MENU_H

#include "cli/command.h"
#include "session/loop.h"

/* Until the person leaves; the end of the input and Ctrl-C leave, too. All is saved by then. */
bool session_menu(struct cli *cli, struct loop *l, struct gs_error *err);

/* For loops at a terminal: the letter that was typed; the last of `letters` at the end of input. */
char session_ask(void *prompt, const char *question, const char *letters);

#endif
