/*
 * gpusight anonymise TRACE... -o FILE: a trace under other names.
 */
#include <sys/stat.h>

#include "base/fs_set.h"
#include "base/log.h"
#include "cli/rewritten.h"
#include "rewrite/anonymise.h"

struct anonymise_settings {
    struct rewritten_opts out;
    const char *key, *undo;
};

static const struct opt opts[] = {
    REWRITTEN_OPTS(struct anonymise_settings, out),
    OPT_NAMES(NAMES_TARGET, struct anonymise_settings, key, 'k', "key", "FILE",
              "write the names and their pseudonyms there, readable by you alone, to undo it"),
    OPT_TEXT(struct anonymise_settings, undo, 0, "undo", "FILE",
             "put the names back that this key has"),
    READER_OPT(struct anonymise_settings, out.in.reader),
    OPT_END,
};

static void defaults(void *settings)
{
    struct anonymise_settings *s = settings;
    *s = (struct anonymise_settings){.out = REWRITTEN_DEFAULTS};
}

static bool write_key(const struct pseudonyms *p, const char *path, struct fs_set *set,
                      struct gs_error *err)
{
    struct str text;
    str_init(&text, p->arena);
    pseudonyms_json(p, &text);
    mode_t before = umask(077);
    struct fs_out *out = fs_set_open(set, path, err);
    umask(before);
    if (!out)
        return false;
    out->is_private = true;
    return fs_out_write(out, text.buf, text.len, err) && fs_set_done(set, out, err);
}

/* What was written is read again, before it has its name: what is still in it is told. */
static bool prove(struct pseudonyms *p, const struct fs_set *set, struct gs_error *err)
{
    enum { SHOWN = 10 };
    struct opt_list files = {0};
    for (size_t i = 0; i < set->files.n; i++)
        if (set->files.v[i]->out.temp[0])
            vec_push(&files, p->arena, (const char *)set->files.v[i]->out.temp);
    if (!anonymise_scan(p, &files, err))
        return false;
    for (size_t i = 0; i < p->left.n && i < SHOWN; i++)
        log_warn("still in the output, where it may mean something else: %s", p->left.v[i]);
    log_say(
        "%zu names replaced; %zu of them occur in the bytes of the output, %zu are too short to "
        "be looked for",
        p->v.n, p->left.n, p->too_short);
    return true;
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    struct anonymise_settings *s = settings;
    const char *only = NULL;
    struct opt_list files = {0};
    struct pseudonyms p;
    pseudonyms_init(&p, cli->arena);
    if (s->undo && s->key)
        return fail(err, GS_E_USAGE, "give '--key' or '--undo', not both");
    if (s->undo && !pseudonyms_read(&p, s->undo, err))
        return false;
    struct trace *t = rewritten_load(cli, &s->out, &only, err);
    if (!t)
        return false;
    if (s->undo)
        anonymise_undo(t, &p);
    else
        anonymise_trace(t, &p);
    struct fs_set *set = fs_set_new(cli->arena);
    if (!rewritten_put(cli, &s->out, t, false, set, &files, err) ||
        (!s->undo && !prove(&p, set, err)) || (s->key && !write_key(&p, s->key, set, err)) ||
        !fs_set_close(set, err))
        return false;
    for (size_t i = 0; i < files.n; i++)
        log_say("wrote %s", files.v[i]);
    if (s->key)
        log_say("wrote %s: keep it to yourself", s->key);
    return true;
}

const struct command command_anonymise = {
    .name = "anonymise",
    .summary = "a trace under other names, to show to strangers",
    .operands = "TRACE...",
    .doc =
        "Replaces what people have named (kernels, markers, functions, threads, streams, hosts, "
        "commands, source lines) by pseudonyms, the same for the same name everywhere, and writes "
        "the trace in any form that 'gpusight convert' knows. A kernel keeps its kind (gemm_0007), so "
        "the analysis says the same. Names of APIs, counters and GPUs stay, times too.\n\n"
        "The output is then searched for every original name, and what is found is told. With "
        "--key the names are kept in a file of your own, and --undo puts them back.",
    .examples = "gpusight anonymise results.db -o public.db --key names.json\n"
                "gpusight anonymise public.db --undo names.json -o again.db",
    .opts = opts,
    .settings_size = sizeof(struct anonymise_settings),
    .defaults = defaults,
    .run = run,
};
