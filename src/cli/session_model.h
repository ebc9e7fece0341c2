/*
 * Edits of a session from a language model: it gets the findings, what was tried before and the
 * source, and answers with SEARCH/REPLACE blocks. The source is sent as it is, but for what looks like
 * a secret: an edit of other names would fit nothing.
 */
#ifndef GS_CLI_SESSION_MODEL_H
#define GS_CLI_SESSION_MODEL_H

#include "cli/llm_opts.h"
#include "session/loop.h"

struct session_model {
    struct cli *cli;
    struct llm_settings *llm;
    bool agreed; /* the person was asked once */
};

/* For loop.propose; `ctx` is a struct session_model. NULL without an error: it has nothing to say. */
const char *session_propose(void *ctx, struct loop *l, struct gs_error *err);

#endif
