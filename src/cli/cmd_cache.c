/*
 * gpusight cache [DIR]: what --cache has kept, and how to be rid of it.
 */
#include <string.h>
#include <time.h>

#include "base/fs.h"
#include "base/human.h"
#include "base/jwrite.h"
#include "base/log.h"
#include "base/utf8.h"
#include "cache/cache.h"
#include "cli/command.h"

struct cache_settings {
    bool clear, json;
    uint64_t keep;
};

static const struct opt opts[] = {
    OPT_FLAG(struct cache_settings, clear, 0, "clear", "remove all that is kept"),
    OPT_BYTES(struct cache_settings, keep, 0, "keep", "SIZE",
              "remove what was not used for the longest time until no more than this is left, such "
              "as 2G"),
    OPT_FLAG(struct cache_settings, json, 0, "json", "the list for programs"),
    OPT_END,
};

static const char *moment(int64_t seconds, struct arena *a)
{
    char text[32];
    time_t t = (time_t)seconds;
    struct tm utc;
    if (!gmtime_r(&t, &utc) || !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc))
        return "";
    return arena_strdup(a, text);
}

static void list_text(struct str *out, const struct cache_entries *all)
{
    char size[HUMAN_MAX];
    uint64_t total = 0;
    for (size_t i = 0; i < all->n; i++) {
        const struct cache_entry *e = &all->v[i];
        total += e->bytes;
        str_printf(out, "%10s  %s  ", human_bytes(size, e->bytes), moment(e->used, out->arena));
        if (e->current)
            utf8_escape(out, e->trace, strlen(e->trace));
        else
            str_puts(out, "(of another version, or damaged)");
        if (e->n_traces > 1)
            str_printf(out, " and %zu more", e->n_traces - 1);
        str_putc(out, '\n');
    }
    str_printf(out, "%10s  in %zu %s\n", human_bytes(size, total), all->n,
               all->n == 1 ? "entry" : "entries");
}

static void list_json(struct str *out, const struct cache_entries *all)
{
    struct jwrite w;
    jw_init(&w, out, 2);
    jw_open(&w, NULL, '{');
    jw_open(&w, "entries", '[');
    for (size_t i = 0; i < all->n; i++) {
        const struct cache_entry *e = &all->v[i];
        jw_open(&w, NULL, '{');
        jw_str(&w, "file", e->file);
        jw_str(&w, "trace", e->trace);
        jw_uint(&w, "traces", e->n_traces);
        jw_uint(&w, "bytes", e->bytes);
        jw_str(&w, "used", moment(e->used, out->arena));
        jw_bool(&w, "current", e->current);
        jw_close(&w);
    }
    jw_close(&w);
    jw_close(&w);
}

static bool list(struct cli *cli, const struct cache_settings *o, const char *dir,
                 struct gs_error *err)
{
    struct cache_entries all;
    struct str out;
    if (!cache_list(&all, dir, cli->arena, err))
        return false;
    str_init(&out, cli->arena);
    if (o->json)
        list_json(&out, &all);
    else
        list_text(&out, &all);
    return fs_write("-", out.buf, out.len, err);
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    const struct cache_settings *o = settings;
    size_t removed;
    if (!o->clear && !o->keep)
        return list(cli, o, cli->cache, err);
    if (!cache_prune(cli->cache, o->clear ? 0 : o->keep, &removed, cli->arena, err))
        return false;
    log_say("removed %zu %s", removed, removed == 1 ? "entry" : "entries");
    return true;
}

/* The folder is the cache of this command, so the box lets it be changed. */
static bool before(struct cli *cli, void *settings, struct gs_error *err)
{
    (void)settings;
    if (cli->operands.n)
        cli->cache = cli->operands.v[0];
    if (!cli->cache)
        return fail(err, GS_E_USAGE,
                    "no folder given; name it, or set GPUSIGHT_CACHE to the one you use");
    return fs_is_dir(cli->cache) || fail(err, GS_E_IO, "no folder '%s'", cli->cache);
}

const struct command command_cache = {
    .name = "cache",
    .summary = "what --cache has kept, and how to be rid of it",
    .operands = "[DIR]",
    .doc =
        "Lists the traces that '--cache DIR' keeps loaded, the one that was used last first: what "
        "each takes on the disk, when it was used, and which trace it is. Without DIR, the "
        "folder that GPUSIGHT_CACHE names.\n\n"
        "Entries are never needed: what is removed here is made again by the next command that "
        "reads the trace. Entries of other versions go first. Other files in the folder are "
        "left alone.",
    .examples = "gpusight analyze --cache ~/.cache/gpusight results.db  # keeps the loaded trace\n"
                "gpusight cache ~/.cache/gpusight  # what is there\n"
                "gpusight cache --keep 2G ~/.cache/gpusight  # the latest two gigabytes stay\n"
                "gpusight cache --clear ~/.cache/gpusight  # nothing stays",
    .opts = opts,
    .settings_size = sizeof(struct cache_settings),
    .before = before,
    .run = run,
};
