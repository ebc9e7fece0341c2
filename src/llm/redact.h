/*
 * Redaction: names of people, machines, files, kernels, markers and commands do not leave the
 * machine unless the user says so. What is sent has placeholders, "[KERNEL_1]"; in what comes back
 * the names are put in their place again. The table of both never leaves this process.
 *
 *     struct redact r;
 *     redact_init(&r, REDACT_NAMES, arena);
 *     redact_add(&r, NAME_KERNEL, full, short_name);    all of a trace: redact_run() (names.h)
 *     redact_seal(&r);
 *     const char *sent = redact_text(&r, "gemm takes 3 ms");     "[KERNEL_1] takes 3 ms"
 *     const char *read = redact_restore(&r, answer);
 *
 * A name is found where it stands as a word, the longest first; also where it was cut: when an
 * ellipsis follows, or 24 letters of it are there. Paths, addresses of mail and of machines are found by their looks. What is known is
 * the same for the same trace, so are the placeholders.
 */
#ifndef GS_LLM_REDACT_H
#define GS_LLM_REDACT_H

#include "base/hash.h"
#include "base/str.h"
#include "base/vec.h"

enum redact_mode {
    REDACT_NONE,
    REDACT_NAMES, /* the default */
    REDACT_ALL,   /* names of host calls, GPUs, threads and shapes of launches as well */
};

enum name_kind {
    NAME_KERNEL,
    NAME_MARKER,
    NAME_FUNCTION, /* of the program: instrumented, Python */
    NAME_CALL,     /* host calls of runtimes and libraries; only with REDACT_ALL */
    NAME_HOST,
    NAME_USER,
    NAME_PATH,
    NAME_FILE,
    NAME_COMMAND,
    NAME_OTHER, /* threads, streams, domains */
    NAME_GPU,   /* only with REDACT_ALL */
    NAME_TEXT,  /* cells of tables that are not known as anything else */
    NAME_KINDS
};

struct redact_entry {
    enum name_kind kind;
    uint32_t number;   /* from 1, of its kind */
    const char *exact; /* for tools */
    const char *shown; /* for people */
};

struct redact_word {
    const char *text;
    uint32_t len;
    uint32_t entry;
    uint32_t inside; /* the longest other word this one begins with, or NO_INDEX */
};

struct redact {
    enum redact_mode mode;
    struct arena *arena;
    VEC(struct redact_entry) entries;
    VEC(struct redact_word) words; /* sorted once sealed */
    uint32_t numbers[NAME_KINDS];
    struct idmap known; /* of texts */
    size_t replaced;    /* so far */
};

void redact_init(struct redact *r, enum redact_mode mode, struct arena *a);
/* A thing and its name; `shown` may be NULL. The entry: for redact_alias(). */
uint32_t redact_add(struct redact *r, enum name_kind kind, const char *name, const char *shown);
/* Another name for it. */
void redact_alias(struct redact *r, uint32_t entry, const char *name);
void redact_seal(struct redact *r);

/* Into the arena of the redaction. The text itself where there is nothing to replace. */
const char *redact_text(struct redact *r, const char *text);
/* Every string of a JSON document; `cells`: whole, unless they are words of ours. */
const char *redact_json(struct redact *r, const char *json, bool cells);

/* "[KERNEL_1]", "KERNEL_1" and "\[KERNEL_1\]" as names; exact: full ones. */
const char *redact_restore(const struct redact *r, const char *text, bool exact);

/* The same in pieces: what may be the beginning of a placeholder is held back. */
struct restore {
    const struct redact *r;
    struct str held;
    void (*give)(void *ctx, const char *text, size_t n);
    void *ctx;
};
void restore_init(struct restore *s, const struct redact *r, struct arena *a,
                  void (*give)(void *ctx, const char *text, size_t n), void *ctx);
void restore_feed(struct restore *s, const char *text, size_t n);
void restore_end(struct restore *s);

enum redact_mode redact_mode_of(const char *word); /* "none|names|all" */

/* Whether a placeholder stands at p; its length, or 0. */
size_t redact_placeholder(const char *p);

/* What a text looks like at p: a path, an address; its length, or 0. */
size_t look_like_name(const char *text, size_t at, enum name_kind *kind);

#endif
