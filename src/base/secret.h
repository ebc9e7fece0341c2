/*
 * Hides passwords in command lines, so that a report can be passed on.
 *
 * A value is hidden behind a name whose last word says what it is: password, token, secret, key,
 * auth, credentials and their like, as an option (--api-key X, --token=X, ["--token", "X"]), a
 * variable (HF_TOKEN=X), a setting (password = X), a query parameter (?token=X, ?sig=X), a header
 * (Authorization: Bearer X) or a JSON member; so are passwords in addresses (https://user:X@host,
 * user:X@host), short options of programs that take a password so (mysql -pX, curl -u me:X), private
 * keys and words that look like the tokens of well-known services. Names are read as words:
 * --max-tokens 512, --tokenizer gpt2 and --key-size 4 stay. Values are words as a shell has them.
 * Time is linear in the text.
 *
 *     secret_mask("./app --token abc --steps 3", arena, &n)  ->  "./app --token *** --steps 3", n =
 * 1
 *
 * Returns `text` itself where there is nothing to hide. What is hidden already counts for nothing.
 */
#ifndef GS_BASE_SECRET_H
#define GS_BASE_SECRET_H

#include <stddef.h>

#include "base/arena.h"

#define SECRET_MASK "***"

/* `hidden` is set to the number of values. */
const char *secret_mask(const char *text, struct arena *a, size_t *hidden);

#endif
