#include "depend/change_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/window.h"
#include "base/sat.h"
#include "base/str.h"
#include "depend/fuse.h"

/* "0.5x" */
static bool read_factor(const char *text, const char *noun, const char *option, double *out,
                        struct gs_error *err)
{
    char *end;
    double v = strtod(text, &end);
    if (end == text || !(v > 0) || !isfinite(v) || v > 1e6 || (*end == 'x' ? end[1] : *end))
        return fail(err, GS_E_USAGE, "%s%s' wants a factor above 0, not '%s'; write 0.5x", noun,
                    option, text);
    *out = v;
    return true;
}

static bool read_kernels(const struct change_words *o, struct change *c, struct arena *arena,
                         struct gs_error *err)
{
    for (size_t i = 0; i < o->kernels.n; i++) {
        const char *text = o->kernels.v[i], *equals = strrchr(text, '=');
        struct kernel_scale k;
        if (!equals || equals == text)
            return fail(err, GS_E_USAGE, "%skernel' wants PATTERN=FACTOR, not '%s'", o->noun, text);
        k.pattern = arena_strndup(arena, text, (size_t)(equals - text));
        if (!read_factor(equals + 1, o->noun, "kernel", &k.factor, err))
            return false;
        vec_push(&c->kernels, arena, k);
    }
    return true;
}

static bool read_removals(const struct change_words *o, struct change *c, struct gs_error *err)
{
    for (size_t i = 0; i < o->remove.n; i++) {
        int r = 0;
        while (r < REMOVALS && !str_eq(o->remove.v[i], removal_name((enum removal)r)))
            r++;
        if (r == REMOVALS)
            return fail(err, GS_E_USAGE,
                        "%sremove' must be one of "
                        "sync|allocation|launch|copy|first-use|communication, not '%s'",
                        o->noun, o->remove.v[i]);
        c->remove[r] = true;
    }
    return true;
}

static bool read_rank(const struct change_words *o, struct change *c, int64_t *rank,
                      struct gs_error *err)
{
    char *end;
    long n = o->rank ? strtol(o->rank, &end, 10) : 0;
    if (!o->rank)
        return true;
    if (end == o->rank || n < 0 || !str_eq(end, "=typical"))
        return fail(err, GS_E_USAGE, "%srank' wants N=typical, not '%s'", o->noun, o->rank);
    *rank = n;
    c->rank_typical = true;
    return true;
}

static bool read_gpu(const struct change_words *o, struct change *c, struct gs_error *err)
{
    if (!o->gpu)
        return true;
    c->gpu = hardware_find(NULL, o->gpu, 0);
    return (c->gpu && !c->gpu->generic) ||
           fail(err, GS_E_USAGE, "no GPU '%s' in the table; try its name, as in 'H200'", o->gpu);
}

bool change_read(struct change *c, const struct change_words *o, int64_t *rank, struct arena *arena,
                 struct gs_error *err)
{
    *rank = -1;
    c->graph = o->graph || o->graph_range;
    c->overlap = o->overlap != NULL;
    c->merge_copies = o->merge != NULL;
    if (o->fuse)
        c->fuse = str_eq(o->fuse, "chains") ? FUSE_CHAINS : FUSE_OPTIMIZER;
    c->stay = o->stay;
    c->streams = (uint32_t)o->streams;
    c->pinned = o->pinned;
    c->prefetch = o->prefetch;
    if (!read_kernels(o, c, arena, err) || !read_removals(o, c, err) ||
        !read_rank(o, c, rank, err) || !read_gpu(o, c, err) ||
        (o->host && !read_factor(o->host, o->noun, "host", &c->host, err)) ||
        (o->link && !read_factor(o->link, o->noun, "link", &c->link, err)))
        return false;
    c->link = o->link ? 1 / c->link : 0;
    return true;
}

bool change_of_run(struct change *c, const struct change_words *o, const struct analysis *a,
                   struct gs_error *err)
{
    struct view_opts v = {.gpu = -1, .process = -1};
    c->hardware = a->hardware;
    if (!o->graph_range)
        return true;
    if (!window_parse(&v, a->trace, o->graph_range, err))
        return false;
    c->graph_from_ns = view_elapsed(&a->view, v.start_ns);
    c->graph_to_ns = view_elapsed(&a->view, v.end_ns);
    if (!c->graph_from_ns && !c->graph_to_ns)
        c->graph_to_ns = 1;
    return true;
}
