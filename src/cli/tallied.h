/*
 * Operands that are no traces but tables of sums (tally/tally.h): profiles of rocprof-sys, statistics,
 * databases of rocprof-compute. Commands that can show tables take them in place of traces.
 */
#ifndef GS_CLI_TALLIED_H
#define GS_CLI_TALLIED_H

#include "base/opt.h"
#include "cli/output.h"
#include "tally/tally.h"

/*
 * Takes such files out of the list and reads them; *out is NULL where there is none. A folder stands
 * for those in it when it holds no trace.
 */
bool tallied_take(struct cli *cli, struct opt_list *paths, struct tally **out,
                  struct gs_error *err);

/* The same for commands that show either traces or tables, not both. */
bool tallied_only(struct cli *cli, struct opt_list *paths, struct tally **out,
                  struct gs_error *err);

/* All tables in the form of the output; brief: only what there is. Named and finished. */
bool tallied_output(const struct tally *t, struct output *out, bool brief, struct gs_error *err);

/* Its sheets. */
void tallied_workbook(const struct tally *t, struct workbook *w, struct arena *a);

#endif
