/* Headers of requests that users add: for private servers. */
#ifndef GS_LLM_HEADERS_H
#define GS_LLM_HEADERS_H

#include "llm/target.h"

/* Printable ASCII: nothing that could end a header and begin another. */
bool header_value_ok(const char *value);

/*
 * Those of the provider's variable, a JSON object or a dictionary as Python prints it, and `user`,
 * the login name, where the server may be told and nothing else is said.
 */
bool headers_further(struct llm_target *t, bool say_user, struct arena *a, struct gs_error *err);

#endif
