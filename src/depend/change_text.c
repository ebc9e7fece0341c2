#include "depend/change_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "depend/fuse.h"
#include "model/hardware.h"

const struct change_name change_names[] = {
    {"kernel", "PATTERN=0.5x", "kernels whose name holds PATTERN take this much of their time"},
    {"remove", "WHAT", "take out: sync, allocation, launch, copy, first-use or communication"},
    {"graph", "yes", "launches that follow each other closely become one graph"},
    {"overlap", "copies", "copies over the link run beside kernels, double-buffered"},
    {"merge", "copies", "tiny copies in a row, of one direction, become one"},
    {"fuse", "optimizer|chains", "small kernels in a row become one"},
    {"stay", "yes", "data that goes to the host and comes back stays on the GPU"},
    {"streams", "N", "kernels that leave room on the device run N at once"},
    {"pinned", "yes", "copies from and to pageable memory run as from pinned memory"},
    {"link", "2x", "the link to the host is so much faster"},
    {"host", "0.5x", "the host takes so much of its time"},
    {"prefetch", "yes", "long host work between calls is done ahead by another thread"},
    {"rank-typical", "yes", "of a job, without waiting for late ranks"},
    {"gpu", "MODEL", "another GPU, by its name"},
    {NULL, NULL, NULL},
};

/* "0.5x" */
static bool read_factor(const char *text, const char *name, double *out, struct gs_error *err)
{
    char *end;
    double v = strtod(text, &end);
    if (end == text || !(v > 0) || !isfinite(v) || v > 1e6 || (*end == 'x' ? end[1] : *end))
        return fail(err, GS_E_USAGE, "option '--%s' wants a factor above 0, not '%s'; write 0.5x",
                    name, text);
    *out = v;
    return true;
}

static bool read_kernel(struct change *c, const char *text, struct arena *arena,
                        struct gs_error *err)
{
    const char *equals = strrchr(text, '=');
    struct kernel_scale k;
    if (!equals || equals == text)
        return fail(err, GS_E_USAGE, "option '--kernel' wants PATTERN=FACTOR, not '%s'", text);
    k.pattern = arena_strndup(arena, text, (size_t)(equals - text));
    if (!read_factor(equals + 1, "kernel", &k.factor, err))
        return false;
    vec_push(&c->kernels, arena, k);
    return true;
}

static bool read_removal(struct change *c, const char *text, struct gs_error *err)
{
    int r = 0;
    while (r < REMOVALS && !str_eq(text, removal_name((enum removal)r)))
        r++;
    if (r == REMOVALS)
        return fail(err, GS_E_USAGE,
                    "option '--remove' must be one of "
                    "sync|allocation|launch|copy|first-use|communication, not '%s'",
                    text);
    c->remove[r] = true;
    return true;
}

static bool read_gpu(struct change *c, const char *name, struct gs_error *err)
{
    c->gpu = hardware_find(NULL, name, 0);
    return (c->gpu && !c->gpu->generic) ||
           fail(err, GS_E_USAGE, "no GPU '%s' in the table; try its name, as in 'H200'", name);
}

static bool read_fuse(struct change *c, const char *text, struct gs_error *err)
{
    c->fuse = str_eq(text, "chains") ? FUSE_CHAINS : FUSE_OPTIMIZER;
    return str_eq(text, "chains") || str_eq(text, "optimizer") ||
           fail(err, GS_E_USAGE, "option '--fuse' must be one of optimizer|chains, not '%s'", text);
}

static bool read_streams(struct change *c, const char *text, struct gs_error *err)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (end == text || *end || n < 1 || n > 1024)
        return fail(err, GS_E_USAGE, "option '--streams' wants a number from 1 to 1024, not '%s'",
                    text);
    c->streams = (uint32_t)n;
    return true;
}

static bool read_word(bool *out, const char *name, const char *value, const char *on,
                      const char *off, struct gs_error *err)
{
    *out = str_eq(value, on);
    return *out || (off && str_eq(value, off)) ||
           fail(err, GS_E_USAGE, "option '--%s' must be %s%s%s, not '%s'", name, on,
                off ? " or " : "", off ? off : "", value);
}

bool change_read(struct change *c, const char *name, const char *value, struct arena *arena,
                 struct gs_error *err)
{
    const struct {
        const char *name, *on, *off;
        bool *to;
    } words[] = {
        {"graph", "yes", "no", &c->graph},
        {"overlap", "copies", NULL, &c->overlap},
        {"merge", "copies", NULL, &c->merge_copies},
        {"pinned", "yes", "no", &c->pinned},
        {"prefetch", "yes", "no", &c->prefetch},
        {"stay", "yes", "no", &c->stay},
        {"rank-typical", "yes", "no", &c->rank_typical},
    };
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_eq(name, words[i].name))
            return read_word(words[i].to, name, value, words[i].on, words[i].off, err);
    if (str_eq(name, "kernel"))
        return read_kernel(c, value, arena, err);
    if (str_eq(name, "remove"))
        return read_removal(c, value, err);
    if (str_eq(name, "fuse"))
        return read_fuse(c, value, err);
    if (str_eq(name, "streams"))
        return read_streams(c, value, err);
    if (str_eq(name, "host"))
        return read_factor(value, name, &c->host, err);
    if (str_eq(name, "gpu"))
        return read_gpu(c, value, err);
    if (!str_eq(name, "link"))
        return fail(err, GS_E_USAGE, "no change is called '%s'; see 'gpusight whatif --help'",
                    name);
    if (!read_factor(value, name, &c->link, err))
        return false;
    c->link = 1 / c->link; /* of the time */
    return true;
}
