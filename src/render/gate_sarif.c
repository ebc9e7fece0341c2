/*
 * A gate as SARIF 2.1.0, which code hosts show beside lines: a result for each condition that failed,
 * and one for each kernel that became slower and whose lines are known.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "advise/beside.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "config.h"
#include "render/compare_json.h"
#include "source/source.h"

enum { MOST_PLACES = 10 }; /* of one result */

struct sarif {
    struct jwrite w;
    const struct comparison *c;
    const struct source_scan *source; /* NULL: none */
    struct arena *arena;
};

/* A path as a relative reference: what URIs do not allow is escaped. */
static const char *uri_of(const char *dir, const char *file, struct arena *a)
{
    struct str out;
    str_init(&out, a);
    const char *path =
        dir && *dir && !str_eq(dir, ".") ? arena_printf(a, "%s/%s", dir, file) : file;
    while (str_starts(path, "./"))
        path += 2;
    for (const char *p = path; *p; p++)
        if (isalnum((unsigned char)*p) || strchr("/-._~+=@,", *p))
            str_putc(&out, *p);
        else
            str_printf(&out, "%%%02X", (unsigned)(unsigned char)*p);
    return out.buf;
}

static void put_place(struct sarif *s, const char *uri, uint32_t line, const char *what)
{
    jw_open(&s->w, NULL, '{');
    jw_open(&s->w, "physicalLocation", '{');
    jw_open(&s->w, "artifactLocation", '{');
    jw_str(&s->w, "uri", uri);
    jw_close(&s->w);
    jw_open(&s->w, "region", '{');
    jw_uint(&s->w, "startLine", line);
    jw_close(&s->w);
    jw_close(&s->w);
    jw_open(&s->w, "message", '{');
    jw_str(&s->w, "text", what);
    jw_close(&s->w);
    jw_close(&s->w);
}

static const char *visible(const char *text, struct arena *a)
{
    struct str out;
    str_init(&out, a);
    utf8_escape(&out, text, strlen(text));
    return out.buf;
}

/* The lines of a kernel; false: not known. */
static bool put_kernel(struct sarif *s, const struct compare_kernel *k)
{
    const char *name = k->name_b ? k->name_b : k->name;
    uint32_t candidates;
    const struct source_kernel *found =
        s->source && name ? source_kernel_named(s->source, name, &candidates, s->arena) : NULL;
    if (!found || !(found->defined || found->launches))
        return false;
    const char *file = found->defined ? found->file : found->launch_file;
    const char *what =
        arena_printf(s->arena, "%s '%s'%s", found->defined ? "kernel" : "launch of",
                     visible(k->title, s->arena), candidates > 1 ? ", one of several" : "");
    put_place(s, uri_of(s->source->dir, file, s->arena),
              found->defined ? found->line : found->launch_line, what);
    return true;
}

/* Where to look for a condition: the kernels it names, else those that became slower, largest first. */
static void put_places(struct sarif *s, const struct gate_condition *g)
{
    const struct comparison *c = s->c;
    size_t n = 0;
    jw_open(&s->w, "locations", '[');
    for (size_t i = 0; i < c->kernels.n && n < MOST_PLACES; i++) {
        const struct compare_kernel *k = &c->kernels.v[i];
        const char *name = k->name_b ? k->name_b : k->name;
        bool meant =
            g && g->kernel ? name && strstr(name, g->kernel) : k->significant && k->change_ns > 0;
        n += meant && put_kernel(s, k);
    }
    if (!n)
        put_place(s, uri_of(NULL, c->b->files.n ? c->b->files.v[0] : c->b->label, s->arena), 1,
                  "the trace; no source line is known");
    jw_close(&s->w);
}

static void begin_result(struct sarif *s, const char *rule, const char *level, const char *text,
                         const char *about)
{
    char print[32];
    uint64_t hash = hash_fixed_bytes(rule, strlen(rule)) ^ hash_fixed_bytes(about, strlen(about));
    snprintf(print, sizeof(print), "%016" PRIx64, hash);
    jw_open(&s->w, NULL, '{');
    jw_str(&s->w, "ruleId", rule);
    jw_str(&s->w, "level", level);
    jw_open(&s->w, "message", '{');
    jw_str(&s->w, "text", visible(text, s->arena));
    jw_close(&s->w);
    jw_open(&s->w, "partialFingerprints", '{');
    jw_str(&s->w, "gpusight/v1", print);
    jw_close(&s->w);
}

static void put_results(struct sarif *s, const struct gate *gate)
{
    const struct comparison *c = s->c;
    if (!c->comparable) {
        begin_result(s, "comparable", "warning", c->headline, "");
        put_places(s, NULL);
        jw_close(&s->w);
    }
    for (size_t i = 0; i < gate->conditions.n; i++) {
        const struct gate_condition *g = &gate->conditions.v[i];
        if (!g->failed)
            continue;
        begin_result(s, "gate", "error", g->message, g->text);
        put_places(s, g);
        jw_close(&s->w);
    }
    for (size_t i = 0; c->comparable && i < c->causes.n; i++) {
        const struct compare_cause *k = &c->causes.v[i];
        uint32_t candidates;
        const char *name = !k->kernel          ? NULL
                           : k->kernel->name_b ? k->kernel->name_b
                                               : k->kernel->name;
        if (!name || !k->significant || k->change_ns <= 0 || !s->source ||
            !source_kernel_named(s->source, name, &candidates, s->arena))
            continue;
        begin_result(s, "slower", "warning", k->what, name);
        jw_open(&s->w, "locations", '[');
        put_kernel(s, k->kernel);
        jw_close(&s->w);
        jw_close(&s->w);
    }
}

static void put_rule(struct jwrite *w, const char *id, const char *text)
{
    jw_open(w, NULL, '{');
    jw_str(w, "id", id);
    jw_open(w, "shortDescription", '{');
    jw_str(w, "text", text);
    jw_close(w);
    jw_close(w);
}

void gate_sarif(struct str *out, const struct gate *gate, const struct comparison *c,
                const struct source_scan *source)
{
    struct sarif s = {.c = c, .source = source, .arena = out->arena};
    struct jwrite *w = &s.w;
    jw_init(w, out, 2);
    jw_open(w, NULL, '{');
    jw_str(w, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    jw_str(w, "version", "2.1.0");
    jw_open(w, "runs", '[');
    jw_open(w, NULL, '{');
    jw_open(w, "tool", '{');
    jw_open(w, "driver", '{');
    jw_str(w, "name", "gpusight compare");
    jw_str(w, "version", GPUSIGHT_VERSION);
    jw_open(w, "rules", '[');
    put_rule(w, "comparable", "the runs did the same work");
    put_rule(w, "gate", "a condition of the gate holds");
    put_rule(w, "slower", "a kernel became slower, beyond noise");
    jw_close(w);
    jw_close(w);
    jw_close(w);
    jw_open(w, "results", '[');
    put_results(&s, gate);
    jw_close(w);
    jw_close(w);
    jw_close(w);
    jw_close(w);
    str_putc(out, '\n');
}
