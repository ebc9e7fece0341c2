#include "cli/runs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/analyze_job.h"
#include "render/profile_json.h"

bool run_is_document(const char *path)
{
    char head[4096];
    if (fs_is_dir(path))
        return false;
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    size_t n = fread(head, 1, sizeof(head), f);
    fclose(f);
    return profile_is_document(head, n);
}

struct loading {
    struct cli *cli;
    struct run_profile *p;
    const char *label, *reader;
    struct opt_list paths;
    struct trace trace;
    struct arena temporary;
    struct gs_error *err;
    bool ok;
};

static void load_trace(void *ctx)
{
    struct loading *l = ctx;
    struct analysis_opts o = {.view = {.gpu = -1, .process = -1, .threads = l->cli->threads},
                              .short_threshold_ns = 10000,
                              .max_phases = PROFILE_SOUGHT};
    struct analyze_job *job = arena_new(l->cli->arena, struct analyze_job);
    if (!analyze_job_load(job, l->cli, &l->trace, &l->paths, l->reader, -1, &o, l->err))
        return;
    if (!l->trace.kernels.n && !l->trace.copies.n) {
        fail(l->err, GS_E_EMPTY, "no GPU work in '%s'; 'gpusight info' shows what there is",
             l->label);
        return;
    }
    o.view.kernel_wait_ns = job->kernel_wait_ns;
    struct analysis *a = arena_new(&l->temporary, struct analysis);
    analysis_run(a, &l->trace, &o, &l->temporary);
    a->job = job->used ? &job->job : NULL;
    profile_make(l->p, a, l->label, l->cli->arena);
    l->ok = true;
}

static void split_paths(struct loading *l, const char *what)
{
    struct arena *arena = l->cli->arena;
    while (!fs_exists(what) && strchr(what, ',')) {
        size_t n = strcspn(what, ",");
        if (n)
            vec_push(&l->paths, arena, arena_strndup(arena, what, n));
        what += n + 1;
    }
    if (*what)
        vec_push(&l->paths, arena, what);
}

/* The name of a file says little when it is "15_results.db": the folder goes with it. */
static const char *label_of(struct arena *arena, const char *what)
{
    size_t n = strlen(what);
    while (n > 1 && what[n - 1] == '/')
        n--;
    const char *end = what + n, *from = end;
    for (int parts = fs_is_dir(what) ? 1 : 2; from > what; from--)
        if (from[-1] == '/' && --parts <= 0)
            break;
    return arena_strndup(arena, from, (size_t)(end - from));
}

bool run_load(struct cli *cli, struct run_profile *p, const char *what, const char *reader,
              struct gs_error *err)
{
    if (run_is_document(what))
        return profile_read(p, what, cli->arena, err);
    struct loading l = {
        .cli = cli, .p = p, .label = label_of(cli->arena, what), .reader = reader, .err = err};
    split_paths(&l, what);
    trace_init(&l.trace);
    arena_init(&l.temporary);
    bool had_memory = mem_guard(load_trace, &l, err);
    trace_release(&l.trace);
    arena_release(&l.temporary);
    return had_memory && l.ok;
}

bool runs_in(struct fs_list *out, const char *dir, struct arena *arena, struct gs_error *err)
{
    DIR *d = opendir(dir);
    if (!d)
        return fail(err, GS_E_IO, "cannot open '%s': %s", dir, strerror(errno));
    size_t n = strlen(dir);
    while (n > 1 && dir[n - 1] == '/')
        n--;
    for (const struct dirent *e; (e = readdir(d)) != NULL;)
        if (*e->d_name != '.')
            vec_push(out, arena, arena_printf(arena, "%.*s/%s", (int)n, dir, e->d_name));
    closedir(d);
    return true;
}

void run_text(const struct run_profile *p, struct str *out)
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
