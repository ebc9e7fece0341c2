/*
 * From the trace to the line. Kernels are joined by name; a host call is joined when the source
 * makes a call of exactly that name. What cannot be told apart (two kernels of one name, several
 * places of one call) is said, not chosen.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "advise/advise.h"
#include "advise/rule.h"
#include "base/human.h"
#include "base/str.h"
#include "source/source.h"

/* "void ns::k<float>(int)" → "k"; "__omp_offloading_x_y_f_l12" stays. */
static const char *bare_name(struct arena *a, const char *name)
{
    size_t end = strlen(name), angle = 0;
    for (size_t i = 0; i < end; i++)
        if (name[i] == '(' && !angle && i && name[i - 1] != ' ' && name[i - 1] != ':')
            end = i;
        else if (name[i] == '<')
            angle++;
        else if (name[i] == '>' && angle)
            angle--;
    size_t from = 0, stop = end;
    angle = 0;
    for (size_t i = 0; i < end; i++) {
        if (name[i] == '<' && !angle++)
            stop = i;
        else if (name[i] == '>' && angle)
            angle--;
        else if (!angle && (name[i] == ':' || name[i] == ' ' || name[i] == '*')) {
            from = i + 1;
            stop = end;
        }
    }
    if (from >= stop)
        return name;
    return arena_strndup(a, name + from, stop - from);
}

/* OpenMP: …_function_l12; OpenACC: function_12_gpu. Ours is the middle part. */
static bool same_region(const char *traced, const char *ours)
{
    size_t n = strlen(traced), m = strlen(ours);
    if (str_starts(traced, "__omp_offloading_"))
        return n > m && traced[n - m - 1] == '_' && str_ends(traced, ours);
    return n > m && str_starts(traced, ours) && str_starts(traced + m, "_gpu");
}

const struct source_kernel *source_kernel_named(const struct source_scan *s, const char *name,
                                                uint32_t *candidates, struct arena *arena)
{
    const char *bare = bare_name(arena, name);
    const struct source_kernel *found = NULL;
    *candidates = 0;
    for (size_t i = 0; i < s->kernels.n; i++) {
        const struct source_kernel *k = &s->kernels.v[i];
        if (!str_eq(k->name, bare) && !same_region(bare, k->name))
            continue;
        ++*candidates;
        if (!found || (!found->launches && k->launches))
            found = k;
    }
    return found;
}

static void link_kernel(struct source_links *out, const struct source_scan *s,
                        const struct hotspot *h, struct arena *arena)
{
    uint32_t candidates;
    const struct source_kernel *found = source_kernel_named(s, h->name, &candidates, arena);
    if (!found)
        return;
    struct source_link l = {.rank = h->rank,
                            .kernel = h->short_name,
                            .candidates = candidates,
                            .launches = found->launches,
                            .loop_launches = found->loop_launches,
                            .configuration = found->configuration};
    if (found->defined)
        l.definition = arena_printf(arena, "%s:%u", found->file, found->line);
    if (found->launches)
        l.launch = arena_printf(arena, "%s:%u", found->launch_file, found->launch_line);
    vec_push(&out->kernels, arena, l);
}

/* ---- host calls ---- */

/* Versions that profilers add, "cudaMalloc_v3020" and "cuMemcpyHtoD_v2", do not count. */
static bool same_call(const char *traced, const char *source)
{
    size_t n = strlen(source);
    if (strncmp(traced, source, n) != 0)
        return false;
    const char *rest = traced + n;
    if (!*rest)
        return true;
    if (rest[0] != '_' || rest[1] != 'v' || !isdigit((unsigned char)rest[2]))
        return false;
    for (rest += 2; isdigit((unsigned char)*rest); rest++)
        ;
    return !*rest || str_eq(rest, "_ptsz") || str_eq(rest, "_ptds");
}

static void list_places(struct str *out, const struct source_scan *s, const char *name, bool loops,
                        uint32_t *listed)
{
    enum { MOST = 3 };
    for (size_t i = 0; i < s->facts.n && *listed < MOST; i++) {
        const struct source_fact *f = &s->facts.v[i];
        if ((f->loop_depth > 0) != loops || !same_call(name, f->name))
            continue;
        str_printf(out, "%s%s:%u%s", *listed ? ", " : "", s->files.v[f->file].path, f->line,
                   loops ? " (in loop)" : "");
        ++*listed;
    }
}

static void link_call(struct source_links *out, const struct source_scan *s,
                      const struct api_row *r, struct arena *arena)
{
    struct source_call c = {.name = r->name, .calls = r->calls, .total_ns = r->total_ns};
    for (size_t i = 0; i < s->facts.n; i++) {
        const struct source_fact *f = &s->facts.v[i];
        bool host = f->kind >= FACT_SYNC && f->kind <= FACT_MPI;
        if (!host || !same_call(r->name, f->name))
            continue;
        c.sites++;
        c.loop_sites += f->loop_depth > 0;
    }
    if (!c.sites)
        return;
    struct str places;
    uint32_t listed = 0;
    str_init(&places, arena);
    list_places(&places, s, r->name, true, &listed);
    list_places(&places, s, r->name, false, &listed);
    if (listed < c.sites)
        str_printf(&places, " and %u more", c.sites - listed);
    c.places = places.buf;
    vec_push(&out->calls, arena, c);
}

/* ---- evidence ---- */

/* In front of the fifth, so that reports that show five have it. */
static void add_evidence(struct finding *f, const char *text)
{
    enum { SHOWN = 3 };
    struct evidence e = {.text = text, .value = NAN, .threshold = NAN, .gpu = -1, .id = -1};
    vec_push(&f->evidence, f->arena, e);
    size_t at = f->evidence.n - 1;
    for (; at > SHOWN; at--)
        f->evidence.v[at] = f->evidence.v[at - 1];
    f->evidence.v[at] = e;
}

/* Whether a finding of this rule may cite a call, by what the source scan took it for. */
static bool may_cite(const struct rule *rule, const struct source_scan *s, const char *call)
{
    for (size_t i = 0; i < s->facts.n; i++)
        if (same_call(call, s->facts.v[i].name))
            return rule->cites & CITES(s->facts.v[i].kind);
    return false;
}

static void cite_calls(struct finding *f, const struct source_scan *s, const struct source_links *l)
{
    enum { MOST = 2 };
    int cited = 0;
    for (size_t i = 0; i < l->calls.n && cited < MOST; i++) {
        const struct source_call *c = &l->calls.v[i];
        if (!may_cite(f->rule, s, c->name))
            continue;
        char ns[HUMAN_MAX];
        bool all_loop = c->sites == 1 && c->loop_sites;
        const char *places =
            all_loop ? arena_strndup(f->arena, c->places, strcspn(c->places, " ")) : c->places;
        add_evidence(f,
                     arena_printf(f->arena, "%s%s, %s, costs %s of host time", c->name,
                                  all_loop ? " in loop" : "", places, human_time(ns, c->total_ns)));
        cited++;
    }
}

/* The name as a word of its own. */
static bool mentions(const char *text, const char *name)
{
    size_t n = strlen(name);
    if (!text || n < 3)
        return false;
    for (const char *p = text; (p = strstr(p, name)); p++) {
        bool starts = p == text || (!isalnum((unsigned char)p[-1]) && p[-1] != '_');
        bool ends = !isalnum((unsigned char)p[n]) && p[n] != '_';
        if (starts && ends)
            return true;
    }
    return false;
}

static void cite_kernels(struct finding *f, const struct source_links *l)
{
    for (size_t i = 0; i < l->kernels.n; i++) {
        const struct source_link *k = &l->kernels.v[i];
        if (!mentions(f->issue, k->kernel) && !mentions(f->scope, k->kernel))
            continue;
        add_evidence(f, arena_printf(f->arena, "%s%s%s%s%s%s%s", k->kernel,
                                     k->definition ? " is defined at " : "",
                                     k->definition ? k->definition : "",
                                     k->launch ? ", launched at " : "", k->launch ? k->launch : "",
                                     k->loop_launches ? " (in loop)" : "",
                                     k->candidates > 1 ? "; other kernels have that name" : ""));
        return;
    }
}

void source_link(struct source_links *out, const struct source_scan *s, const struct analysis *a,
                 struct advice *advice, struct arena *arena)
{
    enum { HOT = 50, CALLS = 40 };
    *out = (struct source_links){0};
    for (size_t i = 0; i < a->hotspots.n && i < HOT; i++)
        link_kernel(out, s, &a->hotspots.v[i], arena);
    for (size_t i = 0; i < a->api.n && i < CALLS; i++)
        link_call(out, s, &a->api.v[i], arena);
    for (size_t i = 0; i < advice->findings.n; i++) {
        cite_calls(advice->findings.v[i], s, out);
        cite_kernels(advice->findings.v[i], out);
    }
}
