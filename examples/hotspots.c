/*
 * The kernels that take most time, and what to do first.
 *
 *     cc hotspots.c $(pkg-config --cflags --libs gpusight) -o hotspots && ./hotspots results.db
 */
#include <gpusight/gpusight.h>
#include <inttypes.h>
#include <stdio.h>

static bool show_progress(void *ctx, const char *what, uint64_t done, uint64_t total)
{
    (void)ctx;
    if (total)
        fprintf(stderr, "\r%s %3.0f %%", what, 100.0 * (double)done / (double)total);
    return false; /* go on */
}

int main(int argc, char **argv)
{
    struct gs_error err;
    gs_task *task = gs_task_new(show_progress, NULL, NULL);
    if (argc < 2 || !task)
        return fprintf(stderr, "usage: hotspots TRACE...\n"), 2;
    gs_run *run = gs_open((const char *const *)argv + 1, (size_t)argc - 1, NULL, task, &err);
    gs_task_free(task);
    if (!run)
        return fprintf(stderr, "%s\n", err.text), (int)err.code;

    const gs_table *hotspots = gs_run_table(run, "hotspots", &err);
    const struct gs_column *name = gs_column(hotspots, "short_name");
    const struct gs_column *time = gs_column(hotspots, "total_duration_ns");
    const struct gs_column *calls = gs_column(hotspots, "calls");
    for (size_t i = 0; i < hotspots->rows && i < 5; i++)
        printf("%12" PRId64 " ns  %6" PRId64 " calls  %s\n", gs_int(time, i), gs_int(calls, i),
               gs_text(name, i));

    const gs_table *findings = gs_run_table(run, "findings", &err);
    if (findings->rows)
        printf("first: %s\n", gs_text(gs_column(findings, "title"), 0));
    gs_close(run);
    return 0;
}
