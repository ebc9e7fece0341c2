/*
 * Command-line options, declared per command.
 *
 * A command has one struct for its settings and one table that says which option fills which
 * member. Parsing, --help, man pages and shell completion come from that table.
 *
 *     struct info_opts { bool json; enum reader_mode reader; };
 *     static const struct opt opts[] = {
 *         OPT_FLAG(struct info_opts, json, 0, "json", "print JSON"),
 *         OPT_WORD(struct info_opts, reader, 0, "reader", "auto|fast|sqlite|check", "how to read"),
 *         OPT_END,
 *     };
 *
 * Options and operands may be mixed; "--" ends options; "--name=value" and "--name value" both
 * work; long names may be abbreviated where that is unambiguous. Numbers are range-checked.
 */
#ifndef GS_BASE_OPT_H
#define GS_BASE_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

enum opt_kind {
    OPT_KIND_FLAG,   /* bool */
    OPT_KIND_INT,    /* int64_t */
    OPT_KIND_NUM,    /* double */
    OPT_KIND_BYTES,  /* uint64_t: a number, or one of KiB, MiB, GiB, TiB: "500M", "2G" */
    OPT_KIND_TEXT,   /* const char * */
    OPT_KIND_CHOICE, /* const char *, one of the words in `arg`, divided by '|' */
    OPT_KIND_WORD,   /* an enum: the place of the word among those in `arg` */
    OPT_KIND_LIST,   /* struct opt_list, the option may be repeated */
};

/* What a text is the name of; for who must know what a command will write. */
enum opt_names {
    NAMES_NOTHING, /* that is written */
    NAMES_TARGET,  /* a file or folder to write */
    NAMES_OUTPUT,  /* the same: what the command is run for */
    NAMES_STORE,   /* a folder that is written to when the option with NAMES_STORED is given */
    NAMES_STORED,  /* something in that folder */
    NAMES_DB,      /* a database, which some commands fill */
};

struct opt_list {
    const char **v;
    size_t n, cap;
};

struct opt {
    const char *name; /* long name without dashes; NULL ends the table */
    char letter;      /* short name, or 0 */
    enum opt_kind kind;
    size_t offset;
    const char *arg; /* name of the value in help, or the choices */
    const char *help;
    double min, max;      /* OPT_KIND_INT and OPT_KIND_NUM; both 0: no limits */
    enum opt_names names; /* OPT_KIND_TEXT */
};

#define OPT_FLAG(T, m, c, n, h)                                                                    \
    {                                                                                              \
        n, c, OPT_KIND_FLAG, offsetof(T, m), NULL, h, 0, 0, NAMES_NOTHING                          \
    }
#define OPT_INT(T, m, c, n, lo, hi, a, h)                                                          \
    {                                                                                              \
        n, c, OPT_KIND_INT, offsetof(T, m), a, h, lo, hi, NAMES_NOTHING                            \
    }
#define OPT_NUM(T, m, c, n, lo, hi, a, h)                                                          \
    {                                                                                              \
        n, c, OPT_KIND_NUM, offsetof(T, m), a, h, lo, hi, NAMES_NOTHING                            \
    }
#define OPT_BYTES(T, m, c, n, a, h)                                                                \
    {                                                                                              \
        n, c, OPT_KIND_BYTES, offsetof(T, m), a, h, 0, 0, NAMES_NOTHING                            \
    }
#define OPT_TEXT(T, m, c, n, a, h)                                                                 \
    {                                                                                              \
        n, c, OPT_KIND_TEXT, offsetof(T, m), a, h, 0, 0, NAMES_NOTHING                             \
    }
#define OPT_NAMES(what, T, m, c, n, a, h)                                                          \
    {                                                                                              \
        n, c, OPT_KIND_TEXT, offsetof(T, m), a, h, 0, 0, what                                      \
    }
#define OPT_CHOICE(T, m, c, n, a, h)                                                               \
    {                                                                                              \
        n, c, OPT_KIND_CHOICE, offsetof(T, m), a, h, 0, 0, NAMES_NOTHING                           \
    }
#define OPT_WORD(T, m, c, n, a, h)                                                                 \
    {                                                                                              \
        n, c, OPT_KIND_WORD, offsetof(T, m), a, h, 0, 0, NAMES_NOTHING                             \
    }
#define OPT_LIST(T, m, c, n, a, h)                                                                 \
    {                                                                                              \
        n, c, OPT_KIND_LIST, offsetof(T, m), a, h, 0, 0, NAMES_NOTHING                             \
    }
#define OPT_END                                                                                    \
    {                                                                                              \
        NULL, 0, OPT_KIND_FLAG, 0, NULL, NULL, 0, 0, NAMES_NOTHING                                 \
    }

/* Whether its value is one of the words in `arg`. */
static inline bool opt_has_words(const struct opt *o)
{
    return o->kind == OPT_KIND_CHOICE || o->kind == OPT_KIND_WORD;
}

/*
 * Parses argv[0..argc) (without the command name) into `settings`; operands go to *operands.
 * Members whose option is absent keep their value, so put defaults there first.
 * "--help" and "-h" are known everywhere and set *help.
 */
bool opt_parse(const struct opt *table, void *settings, int argc, char **argv,
               struct opt_list *operands, bool *help, struct arena *a, struct gs_error *err);

/* The word nearest to `word` in a NULL-terminated list, or NULL when none is near: "did you mean".
 */
const char *opt_nearest(const char *word, const char *const *words);

#endif
