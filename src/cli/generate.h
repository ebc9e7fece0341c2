/*
 * gpusight --generate WHAT: files that come from the program's own tables. Man pages and completion
 * are made by the build; the others are in the tree, and a test compares them. Not shown in help.
 *
 *     --generate list          names and summaries of the commands, divided by a tab
 *     --generate man gpusight  the main page; with the name of a command, its page
 *     --generate bash          and zsh, fish: completion for that shell
 *     --generate schema        schema/analysis.schema.json
 *     --generate metrics       docs/metrics.md
 *     --generate rules         docs/rules.md
 */
#ifndef GS_CLI_GENERATE_H
#define GS_CLI_GENERATE_H

#include "base/str.h"
#include "cli/command.h"

bool generate(struct arena *a, int argc, char **argv, struct gs_error *err);

/* Each appends one whole file. */
void man_overview(struct str *out);
void man_command(struct str *out, const struct command *c);
void complete_bash(struct str *out);
void complete_zsh(struct str *out);
void complete_fish(struct str *out);

/*
 * Calls fn for every option that can be given to c: its own, the global ones and --help;
 * headings are left out. c may be NULL for the global ones alone.
 */
void each_option(const struct command *c, void (*fn)(const struct opt *o, void *ctx), void *ctx);

/* What the operands of a command are, as far as a shell cares. */
enum operand_kind { OPERAND_NONE, OPERAND_COMMAND, OPERAND_FILE };
enum operand_kind operand_kind(const struct command *c);

#endif
