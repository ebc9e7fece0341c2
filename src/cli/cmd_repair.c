/*
 * gpusight repair TRACE -o FILE: what is left of a trace whose writer was ended.
 */
#include <inttypes.h>

#include "base/log.h"
#include "cli/command.h"
#include "rewrite/repair.h"

struct repair_settings {
    const char *out;
};

static const struct opt opts[] = {
    OPT_NAMES(NAMES_OUTPUT, struct repair_settings, out, 'o', "output", "FILE",
              "the file to write; needed"),
    OPT_END,
};

static void tell(const struct repaired *r, const char *out)
{
    for (size_t i = 0; i < r->notes.n; i++)
        log_say("%s", r->notes.v[i]);
    if (r->rows || r->tables)
        log_say("wrote %s: %" PRIu64 " rows%s%s", out, r->rows,
                r->log ? ", those of the log beside it included" : "",
                r->whole ? "; nothing was missing" : "");
    else
        log_say("wrote %s: %" PRIu64 " bytes kept, %" PRIu64 " at the end lost%s", out,
                r->bytes_kept, r->bytes_lost, r->whole ? "; nothing was missing" : "");
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    const struct repair_settings *o = settings;
    struct fs_set *set = fs_set_new(cli->arena);
    struct repaired r = {0};
    if (!o->out)
        return fail(err, GS_E_USAGE,
                    "no output given; use -o FILE, the trace itself is not touched");
    if (!repair_file(&r, cli->operands.v[0], o->out, set, cli->arena, err) ||
        !fs_set_close(set, err))
        return false;
    tell(&r, o->out);
    return true;
}

const struct command command_repair = {
    .name = "repair",
    .summary = "save what is left of a half-written trace, as a new file",
    .operands = "TRACE",
    .doc =
        "JSON that was cut keeps everything up to its last whole element, and what was open is "
        "closed. Of databases every page that is still there is read, also where others are "
        "missing; a journal or write-ahead log left behind is applied. It says what was saved and "
        "what is lost. The trace itself is never touched.",
    .examples = "gpusight repair cut.json -o saved.json\n"
                "gpusight repair results.db -o saved.db  # the disk was full",
    .opts = opts,
    .settings_size = sizeof(struct repair_settings),
    .run = run,
};
