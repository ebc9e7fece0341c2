#include "llm/names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "att/att.h"
#include "base/fs.h"
#include "source/source.h"

static bool in_identifier(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/*
 * "ns::gemm" and "gemm" of "void ns::gemm<float>(int)": what people call it, and what commands
 * select it by.
 */
static void shorter_names(struct redact *r, uint32_t entry, const char *name)
{
    size_t end = strcspn(name, "<(");
    while (end && name[end - 1] == ' ')
        end--;
    size_t start = end, base = end;
    while (start && (in_identifier(name[start - 1]) || name[start - 1] == ':'))
        start--;
    while (base > start && in_identifier(name[base - 1]))
        base--;
    if (end - start >= 4)
        redact_alias(r, entry, arena_strndup(r->arena, name + start, end - start));
    if (end - base >= 4)
        redact_alias(r, entry, arena_strndup(r->arena, name + base, end - base));
    for (size_t i = start; i < base;) { /* the names of the spaces around it */
        size_t n = 0;
        while (i + n < base && in_identifier(name[i + n]))
            n++;
        if (n >= 4)
            redact_add(r, NAME_OTHER, arena_strndup(r->arena, name + i, n), NULL);
        i += n ? n : 1;
    }
}

static void kernel(struct redact *r, const char *name, const char *short_name, const char *mangled)
{
    if (r->mode == REDACT_NONE || !name)
        return;
    uint32_t e = redact_add(r, NAME_KERNEL, name, short_name && *short_name ? short_name : name);
    redact_alias(r, e, short_name);
    redact_alias(r, e, mangled);
    shorter_names(r, e, name);
    if (short_name)
        shorter_names(r, e, short_name);
}

static void user_of_path(struct redact *r, const char *path)
{
    static const char *const homes[] = {"/home/", "/Users/"};
    for (size_t i = 0; i < ARRAY_LEN(homes); i++) {
        const char *p = strstr(path, homes[i]);
        size_t n = p ? strcspn(p + strlen(homes[i]), "/ ") : 0;
        if (n >= 2)
            redact_add(r, NAME_USER, arena_strndup(r->arena, p + strlen(homes[i]), n), NULL);
    }
}

/* A path, what it ends in, and that without its extension. */
static void path(struct redact *r, const char *p)
{
    if (r->mode == REDACT_NONE || !p || !*p)
        return;
    const char *base = fs_basename(p), *dot = strrchr(base, '.');
    uint32_t e = redact_add(r, strchr(p, '/') ? NAME_PATH : NAME_FILE, p, NULL);
    if (strlen(base) >= 4)
        redact_alias(r, e, base);
    if (dot && dot - base >= 4)
        redact_alias(r, e, arena_strndup(r->arena, base, (size_t)(dot - base)));
    user_of_path(r, p);
}

static bool telling(const char *word)
{
    size_t digits = strspn(word, "0123456789.,x");
    return strlen(word) >= 4 && word[digits] && *word != '-';
}

/* A command line, its program and the words in it that say more than an option does. */
static void command(struct redact *r, const char *line)
{
    if (r->mode == REDACT_NONE || !line || !*line)
        return;
    redact_add(r, NAME_COMMAND, line, NULL);
    for (const char *p = line; *p;) {
        size_t n = strcspn(p, " \t\"'=,");
        const char *word = arena_strndup(r->arena, p, n);
        if (p == line || strchr(word, '/'))
            path(r, word);
        else if (telling(word))
            redact_add(r, NAME_COMMAND, word, NULL);
        p += n;
        p += strspn(p, " \t\"'=,");
    }
}

static void host(struct redact *r, const char *name)
{
    if (r->mode == REDACT_NONE || !name || !*name)
        return;
    uint32_t e = redact_add(r, NAME_HOST, name, NULL);
    size_t n = strcspn(name, ".");
    if (name[n] && n >= 3 && !isdigit((unsigned char)*name))
        redact_alias(r, e, arena_strndup(r->arena, name, n));
}

/* the user, this host */
static void redact_here(struct redact *r)
{
    static const char *const users[] = {"USER", "LOGNAME", "SUDO_USER"};
    char name[256];
    for (size_t i = 0; i < ARRAY_LEN(users); i++) {
        const char *u = getenv(users[i]);
        if (u && strlen(u) >= 3 && !str_eq(u, "root"))
            redact_add(r, NAME_USER, u, NULL);
    }
    if (gethostname(name, sizeof(name) - 1) == 0 && strlen(name) >= 3 && !str_eq(name, "localhost"))
        host(r, arena_strdup(r->arena, name));
}

static void kernels_of_run(struct redact *r, const struct run *run)
{
    const struct trace *t = &run->trace;
    const struct analysis *a = run->analysis;
    for (size_t i = 0; a && i < a->hotspots.n; i++) /* the hottest gets the first number */
        kernel(r, a->hotspots.v[i].name, a->hotspots.v[i].short_name, NULL);
    for (size_t i = 0; i < t->symbols.n; i++)
        kernel(r, trace_str(t, t->symbols.v[i].name), trace_str(t, t->symbols.v[i].short_name),
               trace_str(t, t->symbols.v[i].mangled));
    for (size_t i = 0; i < t->launches.n; i++)
        redact_add(r, NAME_MARKER, trace_str(t, t->launches.v[i].rename), NULL);
}

/* Names of a column of strings, each once. */
static void column(struct redact *r, const struct trace *t, const uint32_t *ids, size_t n,
                   enum name_kind kind, bool *seen)
{
    for (size_t i = 0; i < n; i++)
        if (ids[i] < t->strings.n && !seen[ids[i]]) {
            seen[ids[i]] = true;
            redact_add(r, kind, trace_str(t, ids[i]), NULL);
        }
}

static void calls_of_run(struct redact *r, const struct trace *t, bool *seen)
{
    for (size_t i = 0; i < t->regions.n; i++) {
        uint32_t id = t->regions.name[i];
        enum region_kind k = t->regions.kind[i];
        bool own = k == REGION_USER || k == REGION_PYTHON || k == REGION_OTHER;
        if (id >= t->strings.n || seen[id] || (!own && r->mode != REDACT_ALL))
            continue;
        seen[id] = true;
        redact_add(r, own ? NAME_FUNCTION : NAME_CALL, trace_str(t, id), NULL);
    }
}

static void places_of_run(struct redact *r, const struct trace *t)
{
    for (size_t i = 0; i < t->files.n; i++)
        path(r, t->files.v[i].path);
    for (size_t i = 0; i < t->processes.n; i++) {
        host(r, trace_str(t, t->processes.v[i].host));
        command(r, trace_str(t, t->processes.v[i].command));
    }
    for (size_t i = 0; i < t->gpus.n; i++) {
        host(r, trace_str(t, t->gpus.v[i].host));
        redact_add(r, NAME_GPU, trace_str(t, t->gpus.v[i].name), NULL);
    }
    for (size_t i = 0; i < t->threads.n; i++)
        redact_add(r, NAME_OTHER, trace_str(t, t->threads.v[i].name), NULL);
    for (size_t i = 0; i < t->streams.n; i++)
        redact_add(r, NAME_OTHER, trace_str(t, t->streams.v[i].name), NULL);
    for (size_t i = 0; i < t->queues.n; i++)
        redact_add(r, NAME_OTHER, trace_str(t, t->queues.v[i].name), NULL);
}

static void ranks_of_run(struct redact *r, const struct job *job)
{
    for (size_t i = 0; job && i < job->ranks.n; i++) {
        const struct job_rank *k = &job->ranks.v[i];
        host(r, k->host);
        path(r, k->file);
        command(r, k->command);
        for (size_t n = 0; n < k->top.n; n++)
            kernel(r, k->top.v[n].name, k->top.v[n].short_name, NULL);
        for (size_t n = 0; n < k->phases.n; n++)
            redact_add(r, NAME_MARKER, k->phases.v[n].name, NULL);
    }
}

static void beside_of_run(struct redact *r, const struct run *run)
{
    const struct source_scan *s = run->source;
    for (size_t i = 0; s && i < s->files.n; i++)
        path(r, s->files.v[i].path);
    for (size_t i = 0; s && i < s->facts.n; i++) {
        const struct source_fact *f = &s->facts.v[i];
        if (f->kind == FACT_KERNEL || f->kind == FACT_LAUNCH)
            kernel(r, f->name, NULL, NULL);
        redact_add(r, NAME_FUNCTION, f->function, NULL);
    }
    for (size_t i = 0; run->att && i < run->att->kernels.n; i++)
        kernel(r, run->att->kernels.v[i].name, NULL, NULL);
}

void redact_run(struct redact *r, const struct run *run)
{
    const struct trace *t = &run->trace;
    if (r->mode == REDACT_NONE)
        return;
    bool *seen = arena_array(r->arena, bool, t->strings.n + 1);
    kernels_of_run(r, run);
    column(r, t, t->markers.name, t->markers.n, NAME_MARKER, seen);
    column(r, t, t->markers.domain, t->markers.n, NAME_OTHER, seen);
    places_of_run(r, t);
    calls_of_run(r, t, seen);
    column(r, t, t->pc_samples.comment, t->pc_samples.n, NAME_PATH, seen);
    ranks_of_run(r, run->job);
    beside_of_run(r, run);
    redact_here(r);
}

static void profile(struct redact *r, const struct run_profile *p)
{
    for (size_t i = 0; i < p->kernels.n; i++)
        kernel(r, p->kernels.v[i].name, p->kernels.v[i].short_name, NULL);
    for (size_t i = 0; i < p->phases.n; i++)
        redact_add(r, NAME_MARKER, p->phases.v[i].name, NULL);
    for (size_t i = 0; i < p->markers.n; i++)
        redact_add(r, NAME_MARKER, p->markers.v[i].name, NULL);
    for (size_t i = 0; i < p->ranks.n; i++)
        host(r, p->ranks.v[i].host);
    for (size_t i = 0; i < p->files.n; i++)
        path(r, p->files.v[i]);
    for (size_t i = 0; i < p->repeats.n; i++)
        path(r, p->repeats.v[i].label);
    for (size_t i = 0; i < p->gpus.n; i++)
        redact_add(r, NAME_GPU, p->gpus.v[i].name, NULL);
    path(r, p->label);
}

void redact_comparison(struct redact *r, const struct comparison *c)
{
    if (r->mode == REDACT_NONE)
        return;
    profile(r, c->a);
    profile(r, c->b);
    redact_here(r);
}
