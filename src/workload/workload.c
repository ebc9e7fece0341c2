/* Finding a workload, opening its files, asking it for values. */
#include "workload/workload.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fs.h"
#include "base/str.h"
#include "workload/workload_in.h"

enum { DEPTH = 2, MOST_FOLDERS = 256 };

void workload_note(struct workload *w, const char *fmt, ...)
{
    ARENA_FORMATTED(text, w->arena);
    vec_push(&w->notes, w->arena, text);
}

bool workload_same_name(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a && !isalnum((unsigned char)*a))
            a++;
        while (*b && !isalnum((unsigned char)*b))
            b++;
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
        if (!*a)
            return true;
    }
}

/* ---- files ---- */

bool workload_csv_open(struct workload_csv *f, const struct workload *w, const char *path,
                       struct gs_error *err)
{
    f->own = arena_scratch();
    f->in = input_new_within(f->own, w->dir, path, err);
    if (f->in)
        f->csv = csv_new(f->own, input_read, f->in);
    else
        arena_release(f->own);
    return f->in;
}

bool workload_csv_close(struct workload_csv *f, struct gs_error *err)
{
    bool ok = csv_end(f->csv, err);
    if (!input_error(f->in, err))
        ok = false;
    arena_release(f->own);
    return ok;
}

const char *workload_text(struct csv *c, size_t i, struct arena *a)
{
    size_t n;
    const char *p = csv_text(c, i, &n);
    while (n && isspace((unsigned char)*p))
        p++, n--;
    while (n && isspace((unsigned char)p[n - 1]))
        n--;
    return arena_strndup(a, p, n);
}

/* ---- finding ---- */

static bool has_file(const char *dir, const char *name, struct arena *a)
{
    const char *path = arena_printf(a, "%s/%s", dir, name);
    return fs_exists(path) && !fs_is_dir(path);
}

/* In the rocpd mode of rocprof-compute the counters are in a database: that is a trace. */
static bool has_database(const char *dir, struct arena *a)
{
    struct fs_list names = {0};
    if (!fs_list(&names, dir, a, &(struct gs_error){0}))
        return false;
    for (size_t i = 0; i < names.n; i++)
        if (str_ends(names.v[i], ".db"))
            return true;
    return false;
}

static bool is_workload(const char *dir, struct arena *a)
{
    return has_file(dir, "pmc_perf.csv", a) ||
           (has_file(dir, "sysinfo.csv", a) && !has_database(dir, a));
}

struct finder {
    struct arena *arena;
    const char *found;
    size_t n, folders;
};

static void look_in(struct finder *f, const char *dir, int depth)
{
    if (++f->folders > MOST_FOLDERS)
        return;
    if (is_workload(dir, f->arena)) {
        f->found = arena_strdup(f->arena, dir);
        f->n++;
        return;
    }
    struct fs_list names = {0};
    if (depth)
        fs_names(&names, dir, false, MOST_FOLDERS, f->arena, NULL);
    for (size_t i = 0; i < names.n; i++)
        names.v[i] = fs_join(dir, names.v[i], f->arena);
    for (size_t i = 0; i < names.n; i++)
        if (!fs_is_dir(names.v[i]))
            return; /* files of another kind: rocprof-compute puts none there */
    for (size_t i = 0; i < names.n; i++)
        if (!fs_is_link(names.v[i]))
            look_in(f, names.v[i], depth - 1);
}

/* A name without '/' at its end; pmc_perf.csv stands for its folder. NULL: neither. */
static const char *folder_of(const char *path, struct arena *a)
{
    size_t n = strlen(path);
    const char *base = fs_basename(path);
    if (!fs_is_dir(path)) {
        if (!str_eq(base, "pmc_perf.csv") || !fs_exists(path))
            return NULL;
        n = (size_t)(base - path);
        if (!n)
            return ".";
    }
    while (n > 1 && path[n - 1] == '/')
        n--;
    return arena_strndup(a, path, n);
}

bool workload_find(const char *path, struct arena *a, const char **dir)
{
    struct finder f = {.arena = a};
    const char *folder = folder_of(path, a);
    if (folder)
        look_in(&f, folder, DEPTH);
    *dir = f.found;
    return f.n == 1;
}

size_t workload_count(const char *path, struct arena *a)
{
    struct finder f = {.arena = a};
    const char *folder = folder_of(path, a);
    if (folder)
        look_in(&f, folder, DEPTH);
    return f.n;
}

bool workload_read(struct workload *w, const char *dir, struct arena *a, struct gs_error *err)
{
    *w = (struct workload){.arena = a, .dir = dir};
    workload_read_system(w);
    if (!workload_read_sheets(w, err))
        return false;
    workload_complete_system(w);
    workload_read_peaks(w);
    return true;
}

/* ---- values ---- */

static const struct workload_counter *in_sheet(const struct workload *w, const char *name,
                                               const struct workload_sheet *s)
{
    for (size_t i = 0; i < w->counters.n; i++)
        if (w->counters.v[i].sheet == s && str_eq(w->counters.v[i].name, name))
            return &w->counters.v[i];
    return NULL;
}

static const struct workload_sheet *sheet_of(const struct workload *w, const char *level)
{
    for (size_t i = 1; level && i < w->sheets.n; i++)
        if (str_starts(w->sheets.v[i]->file, level) &&
            str_eq(w->sheets.v[i]->file + strlen(level), ".csv"))
            return w->sheets.v[i];
    return w->sheets.v[0];
}

const struct workload_counter *workload_counter(const struct workload *w, const char *name,
                                                const char *level)
{
    const struct workload_counter *c = in_sheet(w, name, sheet_of(w, level));
    if (!c && level)
        c = in_sheet(w, name, w->sheets.v[0]);
    size_t n = strlen(name);
    if (!c && n > 4 && str_eq(name + n - 4, "_sum")) {
        c = in_sheet(w, arena_strndup(w->arena, name, n - 4), w->sheets.v[0]);
        if (c && !c->by_channel)
            c = NULL;
    }
    return c;
}

static double cell(const struct workload_counter *c, size_t row, size_t i)
{
    uint32_t place = c->places.v[i];
    return place == NO_INDEX
               ? NAN
               : c->sheet->blocks.v[row / BLOCK_ROWS][place * BLOCK_ROWS + row % BLOCK_ROWS];
}

double workload_value(const struct workload_counter *c, size_t dispatch, int32_t channel)
{
    const struct workload_sheet *s = c->sheet;
    uint32_t row = s->row_of ? s->row_of[dispatch] : (uint32_t)dispatch;
    if (row == NO_INDEX || row >= s->rows)
        return NAN;
    if (channel >= 0 && c->by_channel)
        return (size_t)channel < c->places.n ? cell(c, row, (size_t)channel) : NAN;
    double sum = 0;
    for (size_t i = 0; i < c->places.n; i++)
        sum += cell(c, row, i);
    return sum;
}
