/*
 * What a word of a command says of itself: is it the name of a secret, or one that a service gave
 * out? secret.c looks at what stands around it.
 *
 * Thread-safety: no state.
 */
#ifndef GS_BASE_SECRET_WORDS_H
#define GS_BASE_SECRET_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* A piece of a text. */
struct cut {
    const char *p;
    size_t n;
};

/* In any letters, large or small; `list` ends with NULL. */
bool cut_is(struct cut w, const char *word);
bool cut_ends(struct cut w, const char *word);
bool cut_listed(struct cut w, const char *const *list);

enum secrecy {
    NOT_SECRET,
    SECRET,
    SECRET_TEXT, /* unless it is a small number: --key 4, --pass 2 */
};

/* Of what a name stands for, by its last words: --hf-token, dbPassword, AWS_SECRET_ACCESS_KEY. */
enum secrecy secrecy_of(struct cut name);

/* What stands behind it is its value even without a dash or a sign: "aws_secret_access_key X". */
bool secret_stands_alone(struct cut name);

/* It signs an address: ?sig=X */
bool secret_signature(struct cut name);

/* "--use-auth-token" is a switch; what follows it is another word. */
bool secret_is_switch(struct cut name);

/* A token itself: ghp_..., hf_..., eyJ... . */
bool secret_given_out(struct cut word);

#endif
