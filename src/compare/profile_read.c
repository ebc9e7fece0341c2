#include <math.h>
#include <string.h>

#include "base/fs.h"
#include "base/str.h"
#include "compare/profile_doc.h"

enum { HEAD_MAX = 4096, PROFILE_LARGEST = 1 << 30 };

bool profile_is_document(const char *head, size_t n)
{
    char text[HEAD_MAX + 1];
    size_t len = 0;
    while (n && strchr(" \t\r\n", *head)) {
        head++;
        n--;
    }
    for (; len < n && len < HEAD_MAX && head[len]; len++)
        text[len] = head[len];
    text[len] = 0;
    if (*text != '{')
        return false;
    return strstr(text, "\"" PROFILE_DOCUMENT "\"") || strstr(text, "\"gpusight_version\"");
}

/* False: there is no ledger. */
static bool take_causes(struct profile_doc *d)
{
    bool any = false;
    for (size_t i = 0; i < d->causes.n; i++) {
        const struct profile_cause *from = &d->causes.v[i];
        enum cause c = 0;
        while (c < CAUSES && (!from->cause || !str_eq(cause_info(c)->key, from->cause)))
            c++;
        if (c == CAUSES)
            continue;
        any = true;
        d->p.cause_ns[c] = from->ns;
        if (!from->has_gaps || isnan(from->gap_sq))
            continue;
        d->p.has_gaps = true;
        d->p.gap_sq[c] = from->gap_sq;
        d->p.gap_count[c] = from->gap_count;
    }
    return any;
}

/* What is left out of a document, is not; what has no name is not there. */
static void take_files_and_gpus(struct run_profile *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->files.n; i++)
        if (p->files.v[i])
            p->files.v[n++] = p->files.v[i];
    p->files.n = n;
}

/* Blocks, markers and repeats that cannot be are left out. */
static void take_whole(struct run_profile *p)
{
    const int64_t most = INT64_C(4000000000000000000);
    size_t n = 0;
    for (size_t i = 0; i < p->blocks.n && n < PROFILE_BLOCKS; i++)
        if (p->blocks.v[i].iterations && p->blocks.v[i].ns > 0 && p->blocks.v[i].ns < most)
            p->blocks.v[n++] = p->blocks.v[i];
    p->blocks.n = n;
    n = 0;
    for (size_t i = 0; i < p->markers.n && n < PROFILE_MARKERS; i++)
        if (p->markers.v[i].name && p->markers.v[i].wall_ns >= 0)
            p->markers.v[n++] = p->markers.v[i];
    p->markers.n = n;
    n = 0;
    for (size_t i = 0; i < p->repeats.n; i++)
        if (p->repeats.v[i].label && p->repeats.v[i].wall_ns > 0 && p->repeats.v[i].wall_ns < most)
            p->repeats.v[n++] = p->repeats.v[i];
    p->repeats.n = n;
    if (p->profiler_ns < 0)
        p->profiler_ns = 0;
}

static bool finish(struct profile_doc *d, const char *path, struct arena *arena,
                   struct gs_error *err)
{
    struct run_profile *p = &d->p;
    bool is_profile = d->document && str_eq(d->document, PROFILE_DOCUMENT);
    if (is_profile && (d->version < 1 || d->version > PROFILE_VERSION))
        return fail(err, GS_E_FORMAT,
                    "'%s' is a profile of version %lld, this program reads 1 to %d", path,
                    (long long)d->version, PROFILE_VERSION);
    if (!take_causes(d) || (!d->has_kernels && !d->has_hotspots))
        return fail(
            err, GS_E_FORMAT,
            "'%s' holds no ledger or no kernels; save it with 'gpusight analyze --format json'",
            path);
    if (!p->label)
        p->label = arena_strdup(arena, fs_basename(path));
    take_files_and_gpus(p);
    take_whole(p);
    p->has_whole = is_profile && d->version >= 2;
    profile_finish_kernels(d, arena);
    profile_finish_phases(d, arena);
    if (!is_profile)
        vec_push(
            &p->missing, arena,
            "quartiles (noise is taken from the deviation) and grids beyond the top 20 kernels");
    return true;
}

bool profile_parse(struct run_profile *p, const char *data, size_t n, const char *path,
                   struct arena *arena, struct gs_error *err)
{
    struct profile_doc d = {0};
    struct arena *temporary = arena_scratch();
    struct jread *j = jr_text(temporary, data, n);
    fields_read(j, &profile_document_fields, &d, arena);
    bool ok = jr_end(j, err) ? finish(&d, path, arena, err) : wrap(err, "cannot read '%s'", path);
    arena_release(temporary);
    *p = d.p;
    return ok;
}

bool profile_read(struct run_profile *p, const char *path, struct arena *arena,
                  struct gs_error *err)
{
    struct arena *temporary = arena_scratch();
    const struct mapping *file = fs_read_in(temporary, path, PROFILE_LARGEST, err);
    bool ok = file && profile_parse(p, (const char *)file->data, file->size, path, arena, err);
    arena_release(temporary);
    return ok;
}
