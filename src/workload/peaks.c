/* roofline.csv: what micro-benchmarks reached on the devices of that machine. */
#include <math.h>
#include <string.h>

#include "base/fs.h"
#include "base/str.h"
#include "workload/workload_in.h"

enum { MOST_DEVICES = 256, MOST_NAMES = 512 };

/* "HBMBwLow": 3, the Low and High of a peak are found by their names' beginning. */
static size_t tail(const char *name)
{
    return str_ends(name, "Low") ? 3 : str_ends(name, "High") ? 4 : 0;
}

static struct workload_peak *peak_of(struct workload_peaks *p, const char *name, size_t n,
                                     struct arena *a)
{
    const char *base = arena_strndup(a, name, n);
    for (size_t i = 0; i < p->v.n; i++)
        if (workload_same_name(p->v.v[i].name, base))
            return &p->v.v[i];
    vec_push(&p->v, a, ((struct workload_peak){base, NAN, NAN, NAN}));
    return &p->v.v[p->v.n - 1];
}

static void take_device(struct workload *w, struct csv *c, const char *const *header, size_t n,
                        size_t *odd)
{
    struct arena *a = w->arena;
    struct workload_peaks *p = vec_add(&w->peaks, a);
    *p = (struct workload_peaks){.device = (int64_t)w->peaks.n - 1};
    for (size_t i = 0; i < n; i++) {
        double v;
        if (workload_same_name(header[i], "device")) {
            csv_int(c, i, &p->device);
            continue;
        }
        if (!csv_num(c, i, &v) || v < 0 || v > 1e12) {
            ++*odd;
            continue;
        }
        /* "MFMAFI8OpsLow" is how one writer spells the Low of MFMAI8Ops. */
        const char *name = str_starts(header[i], "MFMAFI8") ? "MFMAI8OpsLow" : header[i];
        size_t cut = tail(name);
        struct workload_peak *peak = peak_of(p, name, strlen(name) - cut, a);
        double *to = cut == 3 ? &peak->low : cut == 4 ? &peak->high : &peak->value;
        if (v > 0)
            *to = v;
    }
}

void workload_read_peaks(struct workload *w)
{
    struct workload_csv f;
    struct gs_error err = {0};
    size_t odd = 0;
    const char *path = arena_printf(w->arena, "%s/roofline.csv", w->dir);
    if (!fs_exists(path))
        return;
    if (!workload_csv_open(&f, w, path, &err)) {
        workload_note(w, "%s", err.text);
        return;
    }
    if (csv_row(f.csv)) {
        size_t n = f.csv->n < MOST_NAMES ? f.csv->n : MOST_NAMES;
        const char **header = arena_array(w->arena, const char *, n);
        for (size_t i = 0; i < n; i++)
            header[i] = workload_text(f.csv, i, w->arena);
        while (w->peaks.n < MOST_DEVICES && csv_row(f.csv)) {
            if (f.csv->n < f.csv->columns)
                odd++;
            else
                take_device(w, f.csv, header, n, &odd);
        }
    }
    if (!workload_csv_close(&f, &err))
        workload_note(w, "roofline.csv is damaged: %s", err.text);
    if (odd)
        workload_note(w, "roofline.csv: %zu values or rows make no sense and are left out", odd);
    if (!w->peaks.n)
        workload_note(w, "roofline.csv holds no device");
}
