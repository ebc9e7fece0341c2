/*
 * Lines from a person: edited, with history and completion where libedit is there, plain otherwise.
 *
 *     struct prompt *p = prompt_new("query_history", names, arena);
 *     while ((line = prompt_line(p, "query> ")))
 *         prompt_keep(p, line);
 *
 * One at a time in a process.
 */
#ifndef GS_CLI_PROMPT_H
#define GS_CLI_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct prompt;

/*
 * `file` is the name of the history in state_folder(); `words` can be completed, NULL at the end.
 * History is written back when the arena goes.
 */
struct prompt *prompt_new(const char *file, const char *const *words, struct arena *a);

/* Without its line feed, in the arena; NULL at the end of the input. */
const char *prompt_line(struct prompt *p, const char *prompt);

/* Puts what was typed into the history; several lines become one. */
void prompt_keep(struct prompt *p, const char *text);

/*
 * Where programs keep what is no setting and no cache: $XDG_STATE_HOME/gpusight, else
 * ~/.local/state/gpusight. Made when it is not there; NULL when it cannot be.
 */
const char *state_folder(struct arena *a);

/* Whether a person sits at both ends. */
bool prompt_is_possible(void);

#endif
