#include "verify/verify.h"

#include <assert.h>
#include <string.h>

#include "verify/check.h"

enum { PASSAGE_MAX = 160 };

/* Some ten seconds; ordinary figures take 500 to 2,000 steps. */
#define WORK_MAX UINT64_C(1200000000)

static bool find_all(struct checking *c)
{
    const struct reading *r = c->r;
    c->first = arena_array(c->temporary, size_t, r->passages.n + 1);
    for (size_t i = 0; i < r->passages.n; i++) {
        c->first[i] = c->figures.n;
        figures_find(&c->figures, r->text.buf, r->passages.v[i].at, r->passages.v[i].n,
                     c->temporary);
        if (c->figures.n > FIGURES_MAX)
            return false;
    }
    c->first[r->passages.n] = c->figures.n;
    c->out = arena_array(c->arena, struct checked_figure, c->figures.n + 1);
    c->done = arena_array(c->temporary, bool, c->figures.n + 1);
    c->counts = arena_array(c->temporary, bool, c->figures.n + 1);
    return true;
}

static const char *excerpt(const struct checking *c, const struct passage *p,
                           const struct figure *f)
{
    size_t from = p->at, n = p->n;
    if (n > PASSAGE_MAX) {
        size_t into = f->at - p->at;
        from = into > PASSAGE_MAX / 2 ? f->at - PASSAGE_MAX / 2 : p->at;
        n = p->at + p->n - from < PASSAGE_MAX ? p->at + p->n - from : PASSAGE_MAX;
        /* not in the middle of a character */
        while (n && ((unsigned char)c->r->text.buf[from] & 0xc0) == 0x80)
            from++, n--;
        while (n && ((unsigned char)c->r->text.buf[from + n] & 0xc0) == 0x80)
            n--;
    }
    const char *text = c->r->text.buf + from;
    while (n && (*text == ' ' || *text == '\n'))
        text++, n--;
    return arena_strndup(c->arena, text, n);
}

static void describe(struct checking *c, size_t passage, size_t i)
{
    const struct figure *f = &c->figures.v[i];
    const struct passage *p = &c->r->passages.v[passage];
    struct checked_figure *o = &c->out[i];
    o->at = reading_source(c->r, f->at);
    o->n = reading_source(c->r, f->at + f->n - 1) + 1 - o->at;
    o->shown = arena_strndup(c->arena, c->r->text.buf + f->at, f->n);
    o->passage = p->path ? p->path : excerpt(c, p, f);
}

static void number_lines(struct verification *v, const char *text, size_t n)
{
    uint64_t line = 1;
    size_t at = 0;
    for (size_t i = 0; i < v->figures.n; i++) {
        struct checked_figure *f = &v->figures.v[i];
        for (; at < f->at && at < n; at++)
            line += text[at] == '\n';
        f->line = line;
    }
}

/* When and how fast a report was made is not about the trace. */
static bool about_the_report(const struct passage *p)
{
    static const char *const paths[] = {"metadata.analysis_duration_ms",
                                        "metadata.analysis_timestamp", "metadata.timestamp"};
    for (size_t i = 0; p->path && i < ARRAY_LEN(paths); i++)
        if (!strcmp(p->path, paths[i]))
            return true;
    return false;
}

struct verification *verify_text(const char *text, size_t n, enum verify_kind kind, struct facts *f,
                                 struct arena *arena)
{
    struct verification *v = arena_new(arena, struct verification);
    struct checking c = {.facts = f, .arena = arena, .temporary = arena_child(arena)};
    facts_seal(f);
    c.r = reading_of(text, n, kind, arena);
    v->too_many = c.r->full ? "passages" : !find_all(&c) ? "figures" : NULL;
    if (v->too_many) {
        arena_release(c.temporary);
        return v;
    }
    c.weights = arena_array(c.temporary, double, f->words.counts.n + 1);
    c.covered = arena_array(c.temporary, struct covered, 2 * f->pool.n + 2);
    c.seen = arena_array(c.temporary, uint32_t, f->v.n + 1);
    check_by_reference(&c);
    v->figures.v = c.out; /* those that count, one behind the other */
    v->figures.cap = c.figures.n + 1;
    for (size_t p = 0; p < c.r->passages.n && !v->too_many; p++)
        for (size_t i = c.first[p]; i < c.first[p + 1]; i++) {
            if (c.work > WORK_MAX) {
                v->too_many = "figures";
                break;
            }
            if (!c.done[i])
                check_by_words(&c, p, i);
            if (!c.counts[i] || about_the_report(&c.r->passages.v[p]))
                continue;
            describe(&c, p, i);
            v->figures.v[v->figures.n++] = c.out[i];
            v->confirmed += c.out[i].verdict == FIGURE_CONFIRMED;
            v->contradicted += c.out[i].verdict == FIGURE_CONTRADICTED;
            v->not_found += c.out[i].verdict == FIGURE_NOT_FOUND;
        }
    assert(v->confirmed + v->contradicted + v->not_found == v->figures.n);
    number_lines(v, text, n);
    arena_release(c.temporary);
    return v;
}
