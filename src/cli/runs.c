#include "cli/runs.h"

#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/str.h"
#include "cli/analyzed.h"
#include "compare/profile_write.h"

/* Whether the file is a saved profile or analysis. */
static bool is_profile_document(const char *path)
{
    char head[4096];
    if (fs_is_dir(path))
        return false;
    int fd = fs_open(path, NULL);
    if (fd < 0)
        return false;
    ptrdiff_t n = fs_read_up_to(fd, head, sizeof(head));
    close(fd);
    return n > 0 && profile_is_document(head, (size_t)n);
}

static void split_paths(struct opt_list *paths, const char *what, struct arena *arena)
{
    while (!fs_exists(what) && strchr(what, ',')) {
        size_t n = strcspn(what, ",");
        if (n)
            vec_push(paths, arena, arena_strndup(arena, what, n));
        what += n + 1;
    }
    if (*what)
        vec_push(paths, arena, what);
}

bool profile_load(struct cli *cli, struct run_profile *p, const char *what, enum reader_mode reader,
                  struct gs_error *err)
{
    if (is_profile_document(what))
        return profile_read(p, what, cli->arena, err);
    struct cli own = *cli; /* of a run only its profile is kept */
    struct run_opts o = RUN_DEFAULTS;
    own.arena = arena_child(cli->arena);
    o.reader = reader;
    o.threads = cli->threads;
    o.cache = cli->cache;
    o.max_phases = PROFILE_SOUGHT;
    o.facts_only = true;
    split_paths(&o.paths, what, own.arena);
    const char *label = fs_label(what, fs_is_dir(what), cli->arena);
    struct run *r = cli_run(&own, &o, err);
    bool ok = r && (r->trace.kernels.n || r->trace.copies.n ||
                    fail(err, GS_E_EMPTY,
                         "no GPU work in '%s'; 'gpusight info' shows what there is", label));
    if (ok)
        profile_make(p, r->analysis, label, cli->arena);
    arena_release(own.arena);
    return ok;
}

bool runs_in(struct fs_list *out, const char *dir, struct arena *arena, struct gs_error *err)
{
    if (!fs_names(out, dir, false, SIZE_MAX, arena, err))
        return false;
    size_t n = strlen(dir);
    while (n > 1 && dir[n - 1] == '/')
        n--;
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = arena_printf(arena, "%.*s/%s", (int)n, dir, out->v[i]);
    return true;
}

void profile_text(const struct run_profile *p, struct str *out)
{
    struct jwrite w;
    jw_init(&w, out, 1);
    profile_json(&w, p);
    str_putc(out, '\n');
}

bool baseline_path(struct cli *cli, const char *dir, const char *name, const char **path,
                   struct gs_error *err)
{
    if (!*name || *name == '.' || strchr(name, '/'))
        return fail(err, GS_E_USAGE,
                    "'%s' is no name for a baseline; use letters, digits, '-' and '_'", name);
    *path = arena_printf(cli->arena, "%s/%s.json", dir, name);
    return true;
}
