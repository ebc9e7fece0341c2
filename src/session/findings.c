/*
 * The findings of an analysis document, as far as a loop needs them.
 */
#include <math.h>
#include <string.h>

#include "base/jread.h"
#include "base/str.h"
#include "session/loop.h"

enum { MOST_DOCUMENT = 256 << 20 };

static const char *text_of(struct jread *j, struct arena *a)
{
    const char *t = jr_str(j, NULL);
    return t ? arena_strdup(a, t) : "";
}

/* "main.hip:12" somewhere in it. */
static bool names_a_line(const char *t)
{
    for (const char *c = strchr(t, ':'); c; c = strchr(c + 1, ':')) {
        const char *begin = c;
        while (begin > t && begin[-1] != ' ')
            begin--;
        if (c[1] >= '0' && c[1] <= '9' && memchr(begin, '.', (size_t)(c - begin)))
            return true;
    }
    return false;
}

/* Evidence that names a line of the source: "... main.hip:12". */
static void read_evidence(struct jread *j, struct loop_finding *f, struct arena *a)
{
    if (!jr_array(j))
        return;
    while (jr_item(j)) {
        if (!jr_object(j))
            continue;
        while (jr_key(j)) {
            if (!jr_is(j, "text")) {
                jr_skip(j);
                continue;
            }
            const char *t = text_of(j, a);
            if (!f->where && names_a_line(t))
                f->where = t;
        }
    }
}

static void read_finding(struct jread *j, struct loop *l)
{
    struct arena *a = l->s->arena;
    struct loop_finding f = {.priority = PRIORITY_MEDIUM, .predicted_pct = NAN};
    double recorded = NAN, predicted = NAN;
    f.id = f.rule = f.issue = f.suggestion = "";
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "id"))
            f.id = text_of(j, a);
        else if (jr_is(j, "rule"))
            f.rule = text_of(j, a);
        else if (jr_is(j, "priority"))
            f.priority = priority_of(jr_str(j, NULL));
        else if (jr_is(j, "issue"))
            f.issue = text_of(j, a);
        else if (jr_is(j, "suggestion"))
            f.suggestion = text_of(j, a);
        else if (jr_is(j, "recorded_ns"))
            recorded = jr_num(j, NAN);
        else if (jr_is(j, "predicted_ns"))
            predicted = jr_num(j, NAN);
        else if (jr_is(j, "runtime_fraction_pct"))
            f.share_pct = jr_num(j, 0);
        else if (jr_is(j, "evidence"))
            read_evidence(j, &f, a);
        else
            jr_skip(j);
    }
    if (recorded > 0 && isfinite(predicted))
        f.predicted_pct = 100 * (1 - predicted / recorded);
    vec_push(&l->findings, a, f);
}

bool loop_read_findings(struct loop *l, const char *path, struct gs_error *err)
{
    const struct mapping *m = fs_read_in(l->s->arena, path, MOST_DOCUMENT, err);
    if (!m)
        return false;
    struct jread *j = jr_text(l->s->arena, (const char *)m->data, m->size);
    l->findings.n = 0;
    if (jr_object(j))
        while (jr_key(j)) {
            if (!jr_is(j, "recommendations")) {
                jr_skip(j);
                continue;
            }
            if (jr_array(j))
                while (jr_item(j))
                    read_finding(j, l);
        }
    return jr_end(j, err);
}
