#include "cli/analyzed.h"

#include "base/log.h"
#include "workload/workload.h"

struct run_opts cli_run_opts(const struct cli *cli, const struct analyzed_opts *o)
{
    struct run_opts r = run_opts_of(o);
    r.paths = cli->operands;
    r.seen = cli->seen;
    r.threads = cli->threads;
    r.cache = cli->cache;
    return r;
}

static bool load_failed(struct cli *cli, const struct opt_list *paths, struct gs_error *err)
{
    for (size_t i = 0; i < paths->n; i++) {
        size_t n = workload_count(paths->v[i], cli->arena);
        if (n > 1)
            return fail(err, GS_E_USAGE,
                        "'%s' holds %zu workloads of rocprof-compute; give one of them",
                        paths->v[i], n);
        if (n)
            return fail(err, GS_E_USAGE,
                        "'%s' is a workload of rocprof-compute, not a trace; 'analyze', 'info' and "
                        "'plot' take one, 'compare' two",
                        paths->v[i]);
    }
    return false;
}

struct run *cli_run(struct cli *cli, const struct run_opts *o, struct gs_error *err)
{
    struct run *r = run_make(o, cli->arena, err);
    if (!r)
        load_failed(cli, &o->paths, err);
    else if (r->only && !o->says_only)
        log_say("only %s", r->only);
    return r;
}

const struct trace *cli_load_rows(struct cli *cli, const struct run_opts *o, const char **only,
                                  struct gs_error *err)
{
    struct trace *t = trace_new(cli->arena);
    const char *left = NULL;
    if (run_load_only(t, o, &left, err)) {
        if (left && !only)
            log_say("only %s", left);
        if (only)
            *only = left;
        return t;
    }
    load_failed(cli, &o->paths, err);
    return NULL;
}

const struct trace *cli_load(struct cli *cli, enum reader_mode reader, struct gs_error *err)
{
    struct analyzed_opts all = ANALYZED_DEFAULTS;
    all.reader = reader;
    struct run_opts o = cli_run_opts(cli, &all);
    return cli_load_rows(cli, &o, NULL, err);
}
