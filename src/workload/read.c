/* The sheets of a workload: dispatches of pmc_perf.csv, and what other files say about them. */
#include <math.h>

#include "base/fs.h"
#include "workload/panels.h"
#include "workload/sheet.h"

/* ---- the dispatches ---- */

static void take_dispatches(struct sheet_reader *r)
{
    struct workload *w = r->w;
    for (size_t i = 0; i < r->rows.n; i++)
        r->rows.v[i].occurrence = w->kernels.v[r->rows.v[i].kernel].dispatches++;
    w->dispatches.v = r->rows.v;
    w->dispatches.n = r->rows.n;
    w->dispatches.cap = r->rows.n;
}

static void sum_durations(struct sheet_reader *r)
{
    struct workload *w = r->w;
    size_t untimed = 0;
    for (size_t i = 0; i < w->dispatches.n; i++) {
        const struct workload_dispatch *d = &w->dispatches.v[i];
        struct workload_kernel *k = &w->kernels.v[d->kernel];
        if (isnan(d->duration_ns)) {
            untimed++;
            continue;
        }
        k->total_ns += (double)d->duration_ns;
        k->timed++;
    }
    for (size_t k = 0; k < w->kernels.n; k++)
        if (!w->kernels.v[k].timed)
            w->kernels.v[k].total_ns = NAN;
    if (untimed)
        workload_note(w,
                      "%zu of %zu dispatches have no duration%s: nothing per second can be said of "
                      "them",
                      untimed, r->rows.n,
                      !r->has_times ? " (there are no columns of timestamps)"
                      : r->rounded  ? " (the timestamps were rounded by whatever saved the file)"
                                    : " (their end is not after their start)");
}

/* Rows of another file are the same dispatch when kernel, occurrence and grid agree. */
static void join_rows(struct sheet_reader *r)
{
    struct workload *w = r->w;
    struct idmap by = {0};
    uint32_t *seen = arena_array(w->arena, uint32_t, w->kernels.n + 1);
    size_t joined = 0;
    idmap_init(&by, w->arena);
    for (size_t i = 0; i < r->rows.n; i++) {
        uint32_t k = r->rows.v[i].kernel;
        idmap_put(&by, (uint64_t)k << 32 | seen[k]++, (uint32_t)i);
    }
    r->sheet->row_of = arena_array(w->arena, uint32_t, w->dispatches.n);
    for (size_t i = 0; i < w->dispatches.n; i++) {
        const struct workload_dispatch *d = &w->dispatches.v[i];
        uint32_t row = idmap_get(&by, (uint64_t)d->kernel << 32 | d->occurrence);
        bool other_grid = row != NO_INDEX && !isnan(d->grid) && !isnan(r->rows.v[row].grid) &&
                          (d->grid < r->rows.v[row].grid || d->grid > r->rows.v[row].grid);
        r->sheet->row_of[i] = other_grid ? NO_INDEX : row;
        joined += r->sheet->row_of[i] != NO_INDEX;
    }
    if (joined < w->dispatches.n || joined < r->rows.n)
        workload_note(w, "%s: %zu of %zu rows belong to one of the %zu dispatches of pmc_perf.csv",
                      r->sheet->file, joined, r->rows.n, w->dispatches.n);
}

/* Without a single duration in pmc_perf.csv, timestamps.csv may have them. */
static void read_times(struct sheet_reader *main)
{
    struct workload *w = main->w;
    struct gs_error err = {0};
    struct sheet_reader r = {.w = w, .kernels = main->kernels, .used = main->used};
    size_t counters = w->counters.n, found = 0;
    const char *path = arena_printf(w->arena, "%s/timestamps.csv", w->dir);
    for (size_t i = 0; i < w->dispatches.n; i++)
        if (!isnan(w->dispatches.v[i].duration_ns))
            return;
    if (!fs_exists(path))
        return;
    r.sheet = arena_new(w->arena, struct workload_sheet);
    r.sheet->file = "timestamps.csv";
    if (!sheet_read(&r, path, &err)) {
        workload_note(w, "%s", err.text);
        return;
    }
    w->counters.n = counters;
    main->kernels = r.kernels;
    join_rows(&r);
    for (size_t i = 0; i < w->dispatches.n; i++) {
        uint32_t row = r.sheet->row_of[i];
        if (row == NO_INDEX)
            continue;
        w->dispatches.v[i].duration_ns = r.rows.v[row].duration_ns;
        found += isnan(r.rows.v[row].duration_ns) ? 0 : 1;
    }
    if (found)
        workload_note(w, "durations are those of timestamps.csv, another run of the program");
}

static void read_level(struct sheet_reader *main, const char *level)
{
    struct workload *w = main->w;
    struct gs_error err = {0};
    struct sheet_reader r = {.w = w, .kernels = main->kernels, .used = main->used};
    size_t counters = w->counters.n;
    const char *path = arena_printf(w->arena, "%s/%s.csv", w->dir, level);
    if (!fs_exists(path))
        return;
    r.sheet = arena_new(w->arena, struct workload_sheet);
    r.sheet->file = arena_printf(w->arena, "%s.csv", level);
    if (!sheet_read(&r, path, &err)) {
        workload_note(w, "%s", err.text);
        w->counters.n = counters;
        return;
    }
    join_rows(&r);
    main->kernels = r.kernels;
    for (size_t i = counters; i < w->counters.n; i++)
        w->counters.v[i].pass = w->passes;
    w->passes++;
    vec_push(&w->sheets, w->arena, r.sheet);
}

bool workload_read_sheets(struct workload *w, struct gs_error *err)
{
    static const char *const levels[] = {"SQ_LEVEL_WAVES", "SQ_IFETCH_LEVEL", "SQ_INST_LEVEL_LDS",
                                         "SQ_INST_LEVEL_SMEM", "SQ_INST_LEVEL_VMEM"};
    const char *path = arena_printf(w->arena, "%s/pmc_perf.csv", w->dir);
    struct idmap used;
    struct sheet_reader r = {.w = w, .used = &used};
    idmap_init(&r.kernels, w->arena);
    panels_names(&used, w->arena);
    if (!fs_exists(path))
        return fail(err, GS_E_EMPTY,
                    "nothing to analyze: no pmc_perf.csv in '%s'; copy the whole folder, or "
                    "profile once more",
                    w->dir);
    r.sheet = arena_new(w->arena, struct workload_sheet);
    r.sheet->file = "pmc_perf.csv";
    if (!sheet_read(&r, path, err))
        return false;
    if (!r.rows.n)
        return fail(err, GS_E_EMPTY, "nothing to analyze: '%s' holds no dispatch", path);
    if (!r.has_kernel && !w->counters.n)
        return fail(err, GS_E_FORMAT,
                    "cannot read '%s': neither kernels nor counters among its %zu columns", path,
                    r.roles.n);
    w->columns = r.roles.n;
    if (!r.has_kernel)
        workload_note(w,
                      "pmc_perf.csv has no column Kernel_Name: all dispatches count as one kernel");
    take_dispatches(&r);
    vec_push(&w->sheets, w->arena, r.sheet);
    read_times(&r);
    sum_durations(&r);
    for (size_t i = 0; i < ARRAY_LEN(levels); i++)
        read_level(&r, levels[i]);
    return true;
}
