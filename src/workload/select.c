/* Which dispatches and panels: --kernel, --dispatch, --panel. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "workload/results_in.h"
#include "workload/workload_in.h"

static bool is_number(const char *text)
{
    size_t n = strspn(text, "0123456789");
    return n && n < 10 && !text[n];
}

/* ---- kernels ---- */

struct kernel_time {
    double ns;
    uint32_t kernel, dispatches;
};

static int by_time(const void *a, const void *b)
{
    const struct kernel_time *x = a, *y = b;
    if (x->ns < y->ns || x->ns > y->ns)
        return x->ns < y->ns ? 1 : -1;
    if (x->dispatches != y->dispatches)
        return x->dispatches < y->dispatches ? 1 : -1;
    return x->kernel < y->kernel ? -1 : x->kernel > y->kernel;
}

/* The kernel that the table of kernels of the whole workload numbers so. */
static bool pick_rank(const struct workload *w, size_t rank, bool *picked, struct arena *a)
{
    struct kernel_time *all = arena_array(a, struct kernel_time, w->kernels.n + 1);
    size_t n = 0;
    for (size_t k = 0; k < w->kernels.n; k++)
        if (w->kernels.v[k].dispatches)
            all[n++] =
                (struct kernel_time){isnan(w->kernels.v[k].total_ns) ? 0 : w->kernels.v[k].total_ns,
                                     (uint32_t)k, w->kernels.v[k].dispatches};
    qsort(all, n, sizeof(*all), by_time);
    if (rank < 1 || rank > n)
        return false;
    picked[all[rank - 1].kernel] = true;
    return true;
}

static bool pick_kernels(const struct workload *w, const char *text, bool *picked, struct arena *a,
                         struct gs_error *err)
{
    size_t n = 0, there = 0;
    for (size_t k = 0; k < w->kernels.n; k++) {
        there += w->kernels.v[k].dispatches > 0;
        picked[k] = w->kernels.v[k].dispatches && str_eq(w->kernels.v[k].name, text);
        n += picked[k];
    }
    if (!n && is_number(text) && pick_rank(w, strtoul(text, NULL, 10), picked, a))
        return true;
    for (size_t k = 0; k < w->kernels.n && (!n || n == SIZE_MAX); k++)
        if (*text && w->kernels.v[k].dispatches && str_has_fold(w->kernels.v[k].name, text)) {
            picked[k] = true;
            n = SIZE_MAX; /* more may follow */
        }
    return n ||
           fail(err, GS_E_USAGE,
                "no kernel matches '%s'; the workload has %zu, see 'gpusight info'", text, there);
}

/* ---- dispatches ---- */

struct range {
    int64_t from, to;
    bool met;
};

static bool parse_ranges(const char *text, struct range *out, size_t most, size_t *n,
                         struct gs_error *err)
{
    for (const char *p = text; *n < most;) {
        char *end;
        if (!isdigit((unsigned char)*p))
            break;
        out[*n] = (struct range){strtoll(p, &end, 10), 0, false};
        out[*n].to = out[*n].from;
        p = end;
        if (*p == '-' && isdigit((unsigned char)p[1])) {
            out[*n].to = strtoll(p + 1, &end, 10);
            p = end;
        }
        ++*n;
        if (!*p)
            return true;
        if (*p++ != ',')
            break;
    }
    return fail(err, GS_E_USAGE, "'%s' is no list of dispatches; write it like '0,4,10-20'", text);
}

static bool pick_dispatches(struct workload_report *r, const char *text, bool *picked,
                            struct gs_error *err)
{
    size_t most = strlen(text) + 1, n = 0;
    struct range *ranges = arena_array(r->arena, struct range, most);
    if (!parse_ranges(text, ranges, most, &n, err))
        return false;
    for (size_t i = 0; i < r->w->dispatches.n; i++) {
        int64_t id = r->w->dispatches.v[i].id;
        bool in = false;
        for (size_t k = 0; k < n; k++)
            if (id >= ranges[k].from && id <= ranges[k].to)
                in = ranges[k].met = true;
        picked[i] &= in;
    }
    for (size_t k = 0; k < n; k++)
        if (!ranges[k].met)
            return fail(err, GS_E_USAGE, "no dispatch %lld in the workload, which has %lld to %lld",
                        (long long)ranges[k].from, (long long)r->w->dispatches.v[0].id,
                        (long long)r->w->dispatches.v[r->w->dispatches.n - 1].id);
    return true;
}

static bool pick_panels(struct workload_report *r, const struct workload_opts *o,
                        struct gs_error *err)
{
    for (size_t i = 0; i < o->n_panels; i++)
        for (const char *p = o->panels[i];; p++) {
            char *end;
            long id = strtol(p, &end, 10);
            if (end == p || (*end && *end != ',') || id < 0 || id > 1000 ||
                !workload_panel((int)id))
                return fail(err, GS_E_USAGE, "no panel '%s'; there are 2, 3, 5 to 7 and 10 to 18",
                            o->panels[i]);
            vec_push(&r->panels, r->arena, (int)id);
            p = end;
            if (!*p)
                break;
        }
    return true;
}

bool workload_select(struct workload_report *r, const struct workload_opts *o, struct gs_error *err)
{
    const struct workload *w = r->w;
    bool *rows = arena_array(r->arena, bool, w->dispatches.n + 1);
    bool *kernels = arena_array(r->arena, bool, w->kernels.n + 1);
    memset(rows, 1, w->dispatches.n);
    if (!pick_panels(r, o, err) ||
        (o->kernel && !pick_kernels(w, o->kernel, kernels, r->arena, err)) ||
        (o->dispatches && !pick_dispatches(r, o->dispatches, rows, err)))
        return false;
    uint32_t *list = arena_array(r->arena, uint32_t, w->dispatches.n + 1);
    for (size_t i = 0; i < w->dispatches.n; i++)
        if (rows[i] && (!o->kernel || kernels[w->dispatches.v[i].kernel]))
            list[r->all.n++] = (uint32_t)i;
    r->all.rows = list;
    return r->all.n ||
           fail(err, GS_E_USAGE, "no dispatch of '%s' is among those of '--dispatch %s'",
                o->kernel ? o->kernel : "the workload", o->dispatches);
}
