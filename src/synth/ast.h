/*
 * A parsed .trace description: statements in blocks, values that are computed when they run.
 *
 * Everything lives in the arena given to synth_parse() and is read-only afterwards, except the
 * expressions of parameters, which synth_set() replaces. The language is described in
 * docs/synth.md; the statements and their keys are listed in language.def.
 */
#ifndef GS_SYNTH_AST_H
#define GS_SYNTH_AST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "synth/names.h"

enum {
    MAX_EXPR_DEPTH = 64,  /* parentheses and signs inside each other */
    MAX_BLOCK_DEPTH = 24, /* blocks inside each other */
    MAX_LOCALS = 64,      /* loop variables and `let` */
    MAX_PARAMS = 64,
    MAX_TOKENS = 64, /* words in one statement */
};

enum expr_op {
    EX_CONST,
    EX_LOCAL, /* value is the slot */
    EX_PARAM, /* value is the index */
    EX_NEG,
    EX_ADD,
    EX_SUB,
    EX_MUL,
    EX_DIV,
    EX_MOD,
    EX_EQ,
    EX_NE,
    EX_LT,
    EX_LE,
    EX_GT,
    EX_GE,
    EX_MIN,
    EX_MAX,
    EX_RAND,
};

struct expr {
    enum expr_op op;
    int64_t value;
    const struct expr *a, *b;
};

/* A text, possibly with {expressions} in it. */
struct text_piece {
    const char *s;
    size_t n;
    const struct expr *e; /* when not NULL: its value in decimal, and s is not used */
};

struct text {
    VEC(struct text_piece) pieces;
    bool fixed; /* no expressions: `id` is its name */
    uint32_t id;
};

/* What may stand behind a key. */
enum value_type {
    V_INT,  /* integer expression; jitter allowed */
    V_TEXT, /* word or "text" with {expressions} */
    V_DIM3, /* 64 or 64x64 or 8x8x8 */
    V_WORD, /* one of a few fixed words; the index counts */
    V_VAR,  /* the name of a variable, made if it is new; the slot counts */
    V_FLAG, /* stands alone */
};

struct value {
    enum value_type type;
    const struct expr *e, *jitter, *y, *z; /* y, z: V_DIM3, may be NULL */
    bool jitter_pct;
    struct text text;
    int word;
};

/* Keys and statements; see language.def. */
enum key {
#define KEY(name, type, words, doc) K_##name,
#define STATEMENT(name, ...)
#include "synth/language.def"
#undef KEY
#undef STATEMENT
    KEY_COUNT
};

enum op {
#define KEY(name, type, words, doc)
#define STATEMENT(name, ...) OP_##name,
#include "synth/language.def"
#undef KEY
#undef STATEMENT
    OP_COUNT
};

struct stmt_arg {
    enum key key;
    struct value value;
};

struct block;

struct stmt {
    enum op op;
    int line;
    const struct stmt_arg *args;
    size_t n;
    const struct block *body; /* NULL when there is none */
};

struct block {
    VEC(struct stmt) list;
};

struct param {
    const char *name, *doc;
    const struct expr *e;
    int line;
};

/* Slots every thread has before any variable of the description. */
enum { SLOT_RANK, SLOT_RANKS, SLOT_GPUS, SLOT_THREAD, SLOT_FIRST_FREE };

struct program {
    const char *doc; /* the first comment line, or "" */
    VEC(struct param) params;
    VEC(const char *) locals; /* by slot */
    struct block top;         /* without `param` and `process` */
    VEC(struct stmt) processes;
    struct names names;
    struct arena *arena;
};

/* The value a statement has for a key, or NULL. */
static inline const struct value *stmt_arg(const struct stmt *st, enum key key)
{
    for (size_t i = 0; i < st->n; i++)
        if (st->args[i].key == key)
            return &st->args[i].value;
    return NULL;
}

#endif
