/*
 * gpusight package TRACE... -o NAME.rpdb: the files of a job with the list that stands for them.
 */
#include "base/human.h"
#include "base/log.h"
#include "base/str.h"
#include "cli/command.h"
#include "rewrite/package.h"

struct package_settings {
    const char *out;
    bool copy, consolidate;
};

static const struct opt opts[] = {
    OPT_NAMES(NAMES_OUTPUT, struct package_settings, out, 'o', "output", "NAME",
              "the folder to make, NAME.rpdb (package.rpdb)"),
    OPT_FLAG(struct package_settings, copy, 0, "copy", "copy the files into it, as they are"),
    OPT_FLAG(struct package_settings, consolidate, 0, "consolidate", "move the files into it"),
    OPT_END,
};

static void defaults(void *settings)
{
    ((struct package_settings *)settings)->out = "package.rpdb";
}

static bool moves(const void *settings)
{
    return ((const struct package_settings *)settings)->consolidate;
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    const struct package_settings *o = settings;
    struct packaged p = {0};
    char size[HUMAN_MAX];
    const char *folder =
        str_ends(o->out, ".rpdb") ? o->out : arena_printf(cli->arena, "%s.rpdb", o->out);
    if (o->copy && o->consolidate)
        return fail(err, GS_E_USAGE, "give '--copy' or '--consolidate', not both");
    enum package_way way = o->copy ? PACKAGE_COPY : o->consolidate ? PACKAGE_MOVE : PACKAGE_NAMES;
    if (!package_make(&p, &cli->operands, folder, way, cli->arena, err))
        return false;
    log_say("wrote %s/index.yaml: %zu file%s, %s", folder, p.files, human_s(p.files),
            human_bytes(size, p.bytes));
    return true;
}

const struct command command_package = {
    .name = "package",
    .summary = "a folder that stands for the traces of a job",
    .operands = "TRACE...",
    .doc =
        "Makes a folder NAME.rpdb with index.yaml, as rocpd has it: the list of the files, which "
        "is taken as a trace by every command. The files stay where they are, or go into the "
        "folder with --copy or --consolidate.",
    .examples = "gpusight package --copy job/*.db -o run7  # run7.rpdb, to send away\n"
                "gpusight analyze run7.rpdb/index.yaml",
    .opts = opts,
    .settings_size = sizeof(struct package_settings),
    .writes_here = true,
    .moves = moves,
    .defaults = defaults,
    .run = run,
};
