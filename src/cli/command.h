/*
 * A command is one file, cmd_NAME.c, and one line in commands.def. The const struct at the foot of
 * the file is all that the rest of the program knows of it: dispatch, help, the man page and
 * shell completion are made from it.
 *
 * The options every command has (--color, --threads, --max-unpacked, --sandbox, --mpi, --verbose, --quiet,
 * --help, --version) are parsed by the program itself; a command sees only what they amount to, in struct
 * cli. So it must not use the letters h, q, v for its own options.
 */
#ifndef GS_CLI_COMMAND_H
#define GS_CLI_COMMAND_H

#include "base/arena.h"
#include "base/err.h"
#include "base/opt.h"
#include "cli/terminal.h"

/* The words of --sandbox, as sandbox.h explains them. */
enum sandbox_mode { SANDBOX_AUTO, SANDBOX_ON, SANDBOX_OFF };

/* What a command gets. The arena lives until the command is done. */
struct cli {
    struct arena *arena;
    struct opt_list operands; /* as many as `operands` of the command asks for */
    struct sightings *seen;   /* what files turned out to be (ingest/detect.h) */
    size_t behind;            /* how many of them, at the end, stood behind "--" */
    bool color;               /* stdout may carry colour */
    int columns;              /* width to lay out for */
    enum width_from width_from;
    int threads;               /* for parallel_for(), at least 1 */
    bool forget_keys;          /* set by `before`: keys of language models must not stay here */
    const char *cache;         /* folder of loaded traces; NULL: none */
    bool one_of_many;          /* of processes that a launcher has started, not the first */
    enum sandbox_mode sandbox; /* how foreign files are read */
};

struct command {
    const char *name;
    const char *summary; /* one line, lower case, no full stop */
    /*
     * As in the usage line: "" for none, "TRACE" for exactly one, "TRACE..." for one or more,
     * "[TRACE]" and "[TRACE...]" where there may be none. Checked before run() is called.
     */
    const char *operands;
    const char *doc;        /* paragraphs for --help and the man page, divided by blank lines */
    const char *examples;   /* lines "command  # what it does" */
    const struct opt *opts; /* may be NULL */
    size_t settings_size;
    bool writes_here;   /* without --output, a file into this folder */
    bool keeps_history; /* of what is typed, in state_folder() */
    bool fills_db;      /* what --db names is written */
    bool spreads; /* over the processes of a launcher: all its files come from ingest_find() */
    bool (*moves)(const void *settings); /* whether it moves its operands; may be NULL: never */
    void (*defaults)(void *settings);    /* may be NULL: all zero */
    /*
     * Runs outside of the box (sandbox.h), before any file is read: for what must be started while
     * it still can be. May be NULL.
     */
    bool (*before)(struct cli *cli, void *settings, struct gs_error *err);
    /*
     * Writes the result to standard output itself. On false, main prints the error once and its
     * code is the exit code; an error without text (a gate that has said why) prints nothing.
     */
    bool (*run)(struct cli *cli, void *settings, struct gs_error *err);
};

/* A row that starts a group of options in help; the rows below it belong to it. */
#define OPT_GROUP(title)                                                                           \
    {                                                                                              \
        "", 0, OPT_KIND_FLAG, 0, NULL, title, 0, 0, NAMES_NOTHING                                  \
    }

#define COMMAND(name) extern const struct command command_##name;
#include "cli/commands.def"
#undef COMMAND

/* All of them in the order of commands.def, NULL at the end. */
extern const struct command *const cli_commands[];

const struct command *command_find(const char *name); /* NULL: there is none */

/* Fails with "unknown command" and the nearest name there is. */
bool command_unknown(const char *name, struct gs_error *err);

#endif
