/*
 * gpusight merge TRACE... -o ALL.db: databases of a job as one, nothing lost.
 */
#include <inttypes.h>

#include "base/human.h"
#include "base/log.h"
#include "cli/command.h"
#include "rewrite/merge.h"

struct merge_settings {
    const char *out;
    bool rename;
};

static const struct opt opts[] = {
    OPT_NAMES(NAMES_OUTPUT, struct merge_settings, out, 'o', "output", "FILE",
              "the database to write (merged.db)"),
    OPT_FLAG(struct merge_settings, rename, 0, "rename",
             "a guid that two inputs have gets another in the second, instead of an error"),
    OPT_END,
};

static void defaults(void *settings)
{
    ((struct merge_settings *)settings)->out = "merged.db";
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    const struct merge_settings *o = settings;
    struct fs_set *set = fs_set_new(cli->arena);
    struct merged m = {0};
    if (!rocpd_merge(&m, &(struct merge_opts){&cli->operands, o->out, o->rename}, set, cli->arena,
                     err) ||
        !fs_set_close(set, err))
        return false;
    for (size_t i = 0; i < m.notes.n; i++)
        log_warn("%s", m.notes.v[i]);
    if (m.masked)
        log_say("%llu value%s that look%s secret in recorded commands and environments %s masked",
                (unsigned long long)m.masked, human_s(m.masked), m.masked == 1 ? "s" : "",
                m.masked == 1 ? "is" : "are");
    if (m.renamed)
        log_say("%zu set%s of tables %s a new guid", m.renamed, human_s(m.renamed),
                m.renamed == 1 ? "has" : "have");
    log_say("wrote %s: %zu set%s of tables of %zu file%s, %" PRIu64 " row%s", o->out, m.sets,
            human_s(m.sets), m.files, human_s(m.files), m.rows, human_s(m.rows));
    return true;
}

const struct command command_merge = {
    .name = "merge",
    .summary = "several rocpd databases as one, nothing lost",
    .operands = "TRACE...",
    .doc =
        "Copies every set of tables of every database, row by row, and writes the views of AMD's "
        "tools over all of them. Ids stay as they are, since they are unique with their guid. Schema "
        "versions may differ: columns that only some have are kept. Values in recorded commands "
        "and environments that look secret are masked. Two inputs with one guid are "
        "refused, or told apart with --rename.\n\n"
        "The inputs are never touched. Other formats become databases by 'gpusight convert -f "
        "rocpd'.",
    .examples = "gpusight merge job/ -o all.db  # all ranks in one file\n"
                "gpusight merge a.db b.db --rename  # two runs with the same guid",
    .opts = opts,
    .settings_size = sizeof(struct merge_settings),
    .writes_here = true,
    .defaults = defaults,
    .run = run,
};
