#include "run/filter.h"

#include "base/human.h"
#include "base/sort.h"
#include "base/str.h"
#include "run/filter_in.h"

static void start(struct filtering *x, struct trace *t, const struct run_opts *o, struct arena *a,
                  struct gs_error *err)
{
    *x = (struct filtering){.t = t, .o = o, .f = &o->filter, .arena = a, .err = err};
    x->temporary = arena_scratch();
    str_init(&x->only, a);
#define KEEP_(name) x->keep.name = arena_array(x->temporary, uint8_t, t->name.n + 1);
    TRACE_TABLES(KEEP_)
#undef KEEP_
}

/* What ran on each GPU and is taken out, by place in the trace's list. */
static struct spans *left_out(const struct filtering *x)
{
    const struct trace *t = x->t;
    struct spans *out = arena_array(x->arena, struct spans, t->gpus.n + 1);
    for (int table = 0; table < 2; table++) {
        size_t n = table ? t->copies.n : t->kernels.n, count = 0;
        const uint32_t *stream = table ? t->copies.stream : t->kernels.stream;
        const int64_t *from = table ? t->copies.start_ns : t->kernels.start_ns;
        const int64_t *to = table ? t->copies.end_ns : t->kernels.end_ns;
        const uint8_t *keep = table ? x->keep.copies : x->keep.kernels;
        struct spans *one = arena_array(x->temporary, struct spans, t->gpus.n + 1);
        uint32_t *rows = arena_array(x->temporary, uint32_t, n + 1);
        for (size_t i = 0; i < n; i++)
            if (!keep[i])
                rows[count++] = (uint32_t)i;
        sort_rows(rows, count, from, x->temporary);
        for (size_t i = 0; i < count; i++) {
            uint32_t s = stream[rows[i]], gpu = s < t->streams.n ? t->streams.v[s].gpu : NO_INDEX;
            spans_append(&one[gpu < t->gpus.n ? gpu : t->gpus.n], x->arena, from[rows[i]],
                         to[rows[i]]);
        }
        for (size_t g = 0; g <= t->gpus.n; g++) {
            struct spans both = {0};
            spans_union(&both, &out[g], &one[g], x->arena);
            out[g] = both;
        }
    }
    return out;
}

static size_t count(const uint8_t *keep, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        kept += keep[i];
    return kept;
}

static bool is_empty(const struct trace *t)
{
    return !trace_events(t) && !t->counters.n && !t->pc_samples.n;
}

static const char *finish(struct filtering *x, const char *consequence)
{
    const char *only = x->only.len ? arena_strdup(x->arena, x->only.buf) : NULL;
    if (only && *consequence)
        only = arena_printf(x->arena, "%s (%s)", only, consequence);
    arena_release(x->temporary);
    return only;
}

static bool nothing_left(const char *only, struct gs_error *err)
{
    return fail(err, GS_E_EMPTY, "nothing is left of the trace: only %s", only);
}

static bool choose(struct filtering *x, struct trace *t, const struct run_opts *o, bool all,
                   struct arena *a, struct gs_error *err)
{
    start(x, t, o, a, err);
    bool ok = filter_understand(x, all);
    if (ok)
        filter_choose(x);
    else
        arena_release(x->temporary);
    return ok;
}

bool filter_rows(struct trace *t, const struct run_opts *o, const char **only, struct arena *a,
                 struct gs_error *err)
{
    struct filtering x;
    *only = NULL;
    if (!filter_any(&o->filter) && !o->window && !o->gpu && o->process < 0 && o->rank < 0)
        return true;
    if (!choose(&x, t, o, true, a, err))
        return false;
    filter_compact(&x, NULL);
    *only = finish(&x, "");
    return !is_empty(t) || nothing_left(*only, err);
}

bool filter_for_view(struct trace *t, const struct run_opts *o, struct view_opts *view,
                     const char **only, struct arena *a, struct gs_error *err)
{
    struct filtering x;
    char n[HUMAN_MAX], m[HUMAN_MAX];
    const char *consequence = "";
    *only = NULL;
    if (!filter_any(&o->filter))
        return true;
    if (!choose(&x, t, o, false, a, err))
        return false;
    size_t kernels = t->kernels.n - count(x.keep.kernels, t->kernels.n);
    size_t copies = t->copies.n - count(x.keep.copies, t->copies.n);
    if (kernels || copies) {
        view->left_out = left_out(&x);
        consequence = arena_printf(a,
                                   "%s kernels and %s copies are left out; their time is idle, "
                                   "unknown",
                                   human_count(n, kernels), human_count(m, copies));
    }
    filter_compact(&x, &view->kernel_wait_ns);
    *only = finish(&x, consequence);
    return !is_empty(t) || nothing_left(*only, err);
}
