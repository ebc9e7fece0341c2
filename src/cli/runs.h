/*
 * A run as a command names it: a trace, a folder, several files divided by commas, or a saved JSON
 * document, loaded into a profile.
 */
#ifndef GS_CLI_RUNS_H
#define GS_CLI_RUNS_H

#include "base/fs.h"
#include "base/str.h"
#include "cli/command.h"
#include "compare/profile.h"
#include "ingest/ingest.h"

bool profile_load(struct cli *cli, struct run_profile *p, const char *what, enum reader_mode reader,
                  struct gs_error *err);

/*
 * The runs in a folder: its files, and its sub-folders, each as one run; hidden ones are left out.
 * In no order.
 */
bool runs_in(struct fs_list *out, const char *dir, struct arena *arena, struct gs_error *err);

/* A profile as a document. */
void profile_text(const struct run_profile *p, struct str *out);

/* DIR/NAME.json; GS_E_USAGE for names that would leave the folder. */
bool baseline_path(struct cli *cli, const char *dir, const char *name, const char **path,
                   struct gs_error *err);

#endif
