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
    SECRET_WORD, /* if it is no plain word, number or path: --tokens 2048, --tokens all */
    SECRET_LONG, /* the same, and long: --license mit, --keys a,b */
    SECRET_PIN,  /* if it is digits, and not a few: --pin 0-7, --pin on */
};

/* Of what a name stands for, by its last words: --hf-token, dbPassword, AWS_SECRET_ACCESS_KEY. */
enum secrecy secrecy_of(struct cut name);

/* Whether this is one, behind a name of that kind. */
bool secret_value(enum secrecy s, struct cut value);

/* A value that begins with a dash, behind a name that always has one: not the next option. Only its
 * beginning is looked at. */
bool secret_dashed(struct cut name, const char *value);

/* What stands behind it is its value even without a dash or a sign: "aws_secret_access_key X". */
bool secret_stands_alone(struct cut name);

/* It signs an address: ?sig=X */
bool secret_signature(struct cut name);

/* "--use-auth-token" is a switch; what follows it is another word. */
bool secret_is_switch(struct cut name);

/* The part of an address, behind "://", that lets anyone who knows it write there; n 0: none. */
struct cut secret_path(const char *address);

/* A token itself: ghp_..., hf_..., eyJ... . */
bool secret_given_out(struct cut word);

#endif
