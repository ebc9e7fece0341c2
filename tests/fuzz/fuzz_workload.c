/*
 * Fuzzing the reader of rocprof-compute workloads: any bytes as the CSV files of a folder, divided
 * by lines of "=". It must read them or fail with one message; what it has read must be in range,
 * finite or NaN; and all formulas, reports and comparisons must go through.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "render/render.h"
#include "render/workload_json.h"
#include "report/section.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const files[] = {"pmc_perf.csv", "sysinfo.csv", "roofline.csv",
                                    "SQ_LEVEL_WAVES.csv", "SQ_IFETCH_LEVEL.csv"};
enum { FILES = ARRAY_LEN(files) };

static void write_file(const char *dir, const char *name, const char *p, size_t n)
{
    char path[64];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    FILE *f = fopen(path, "wb");
    if (!f)
        abort();
    fwrite(p, 1, n, f);
    fclose(f);
}

static void check(const struct workload *w)
{
    for (size_t i = 0; i < w->dispatches.n; i++)
        if (w->dispatches.v[i].kernel >= w->kernels.n || isinf(w->dispatches.v[i].duration_ns))
            abort();
    for (size_t i = 0; i < w->counters.n; i++)
        for (size_t d = 0; d < w->dispatches.n; d++) {
            double v = workload_value(&w->counters.v[i], d, ALL_CHANNELS);
            if (isinf(v) || v < 0)
                abort();
        }
}

struct call {
    const char *dir;
    struct arena *arena;
    size_t size;
};

static void run(void *ctx)
{
    struct call *c = ctx;
    struct gs_error err = {0};
    struct workload w;
    struct workload_report r;
    struct workload_comparison both;
    if (!workload_read(&w, c->dir, c->arena, &err)) {
        if (!*err.text)
            abort();
        return;
    }
    check(&w);
    if (c->size % 4)
        return; /* formulas and reports are slow; the sizes of inputs vary enough */
    if (!workload_evaluate(&r, &w, &(struct workload_opts){.top = 5}, c->arena, &err))
        abort();
    if (c->size % 16)
        return;
    struct str out;
    struct jwrite json;
    str_init(&out, c->arena);
    jw_init(&json, &out, 0);
    workload_json(&json, &r);
    workload_compare(&both, &r, &r, c->arena);
    struct subject one = {.workload = &r, .top = 5}, two = {.workloads = &both, .top = 3};
    render_markdown(&out, workload_doc_report(&one, NULL, c->arena, &err), NULL);
    render_markdown(&out, workloads_report(&two, NULL, c->arena, &err), NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char dir[] = "/tmp/gpusight-fuzz-XXXXXX";
    if (dir[sizeof(dir) - 2] == 'X' && !mkdtemp(dir))
        abort();
    const char *p = (const char *)data, *end = p + size;
    for (int i = 0; i < FILES; i++) {
        const char *stop = p;
        while (stop < end && !(*stop == '=' && (stop == (const char *)data || stop[-1] == '\n')))
            stop++;
        write_file(dir, files[i], p, (size_t)(stop - p));
        p = stop;
        while (p < end && (*p == '=' || *p == '\n'))
            p++;
    }
    struct arena arena;
    arena_init(&arena);
    struct call c = {dir, &arena, size};
    mem_guard(run, &c, NULL);
    arena_release(&arena);
    return 0;
}
