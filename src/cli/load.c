#include "cli/load.h"

#include "base/mem.h"
#include "workload/workload.h"

struct load_call {
    struct trace *trace;
    const struct opt_list *paths;
    struct ingest_opts opts;
    struct gs_error *err;
    bool ok;
};

static void load(void *ctx)
{
    struct load_call *c = ctx;
    c->ok = ingest_load(c->trace, c->paths, &c->opts, c->err);
}

bool cli_load_failed(struct cli *cli, const struct opt_list *paths, struct gs_error *err)
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

bool cli_load(struct cli *cli, struct trace *t, const struct opt_list *paths, const char *reader,
              struct gs_error *err)
{
    struct progress progress;
    struct load_call c = {t, paths, {reader_mode_of(reader), cli->threads, &progress}, err, false};
    progress_start(&progress, "reading", 0);
    bool had_memory = mem_guard(load, &c, err);
    progress_stop(&progress); /* before anything is printed, also when memory ran out */
    if (!had_memory)
        mem_exhausted();
    return c.ok || cli_load_failed(cli, paths, err);
}
