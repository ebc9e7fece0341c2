/*
 * The menu of a session at a terminal: one key a step, a number for a finding.
 */
#ifndef GS_CLI_SESSION_MENU_H
#define GS_CLI_SESSION_MENU_H

#include "cli/command.h"
#include "cli/prompt.h"
#include "session/loop.h"

struct menu {
    struct cli *cli;
    struct loop *l;
    struct prompt *prompt;
    struct words aside; /* rules that the person does not want to hear of now */
};

/* Until the person leaves; the end of the input and Ctrl-C leave, too. All is saved by then. */
bool session_menu(struct cli *cli, struct loop *l, struct gs_error *err);

/* For loops at a terminal: the letter that was typed; the last of `letters` at the end of input. */
char session_ask(void *menu, const char *question, const char *letters);
void session_say(struct menu *m, const char *text);
void session_show_findings(struct menu *m);

/*
 * session_capture.c: profiles the current state for a goal, a word of 'gpusight run'; "" is the
 * timeline, NULL asks. One that fails can be tried again, with other words, or the state be taken
 * back.
 */
bool session_capture(struct menu *m, const char *goal, struct gs_error *err);
/* Whether the same was captured in this state before. */
bool session_captured(const struct menu *m, const char *goal);

#endif
