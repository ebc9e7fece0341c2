#include "cli/rewritten.h"

#include <inttypes.h>

#include "base/fs_set.h"
#include "base/str.h"

/* A phase or an iteration is found by an analysis; then it is a window. */
static bool window_of_part(struct cli *cli, struct run_opts *ro, struct gs_error *err)
{
    struct run_opts search = *ro;
    search.facts_only = true;
    search.replay = false;
    const struct run *r = cli_run(cli, &search, err);
    if (!r)
        return false;
    ro->window = arena_printf(cli->arena, "%" PRId64 "..%" PRId64, r->analysis->view.start_ns,
                              r->analysis->view.end_ns);
    ro->phase = 0;
    ro->iteration = NULL;
    return true;
}

struct trace *rewritten_load(struct cli *cli, const struct rewritten_opts *o, const char **only,
                             struct gs_error *err)
{
    struct run_opts ro = cli_run_opts(cli, &o->in);
    if (!o->name) {
        fail(err, GS_E_USAGE, "no output given; use -o FILE, the trace itself is not touched");
        return NULL;
    }
    if ((ro.phase || ro.iteration) && !window_of_part(cli, &ro, err))
        return NULL;
    return (struct trace *)(uintptr_t)cli_load_rows(cli, &ro, only, err);
}

bool rewritten_put(struct cli *cli, const struct rewritten_opts *o, const struct trace *t,
                   bool args, struct fs_set *set, struct opt_list *files, struct gs_error *err)
{
    const struct converter *named = converter_by_extension(o->name);
    const struct converter *w = o->format ? converter_find(o->format)
                                : named   ? named
                                          : converter_find("rocpd");
    struct convert_opts co = {.threads = cli->threads, .args = args};
    if (named && named != w)
        return fail(err, GS_E_USAGE, "cannot write %s into '%s', which says %s", w->name, o->name,
                    named->name);
    struct conversion c = {.trace = t,
                           .o = &co,
                           .set = set,
                           .arena = cli->arena,
                           .base = o->name,
                           .path = w->extension ? o->name : NULL,
                           .process = NO_INDEX};
    if (!convert_write(w, &c, err))
        return false;
    for (size_t i = 0; i < c.written.n; i++)
        vec_push(files, cli->arena, c.written.v[i]);
    return true;
}

bool rewritten_write(struct cli *cli, const struct rewritten_opts *o, const struct trace *t,
                     bool args, struct opt_list *files, struct gs_error *err)
{
    struct fs_set *set = fs_set_new(cli->arena);
    return rewritten_put(cli, o, t, args, set, files, err) && fs_set_close(set, err);
}
