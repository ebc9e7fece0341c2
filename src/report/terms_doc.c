#include <string.h>
#include <strings.h>

#include "base/opt.h"
#include "base/str.h"
#include "report/terms.h"

static const struct {
    const char *one, *many;
} kinds[TERM_KINDS] = {
    [TERM_METRIC] = {"metric", "Metrics, by table"},
    [TERM_TABLE] = {"table", "Tables"},
    [TERM_CAUSE] = {"cause of the ledger", "Causes of the ledger"},
    [TERM_PATH] = {"part of the critical path", "Parts of the critical path"},
    [TERM_RULE] = {"rule", "Rules"},
    [TERM_CATEGORY] = {"category of findings", "Categories of findings"},
    [TERM_ROLE] = {"kernel category", "Kernel categories"},
    [TERM_API] = {"class of host calls", "Classes of host calls"},
    [TERM_CAPABILITY] = {"capability of a trace", "Capabilities of a trace"},
    [TERM_QUALITY] = {"data-quality check", "Data-quality checks"},
    [TERM_COUNTER] = {"hardware counter", "Hardware counters"},
    [TERM_STALL] = {"stall class of thread traces", "Stall classes of thread traces"},
};

/* The fields of one table behind another, as the terms stand. */
static void list_metrics(const struct terms *t, struct doc *d)
{
    struct str s;
    str_init(&s, d->arena);
    for (size_t i = 0; i < t->n; i++) {
        const struct term *m = &t->v[i];
        if (m->kind != TERM_METRIC)
            continue;
        bool first = !i || t->v[i - 1].kind != TERM_METRIC || !str_eq(t->v[i - 1].where, m->where);
        bool last = i + 1 == t->n || t->v[i + 1].kind != TERM_METRIC ||
                    !str_eq(t->v[i + 1].where, m->where);
        if (first)
            str_clear(&s);
        str_printf(&s, "%s%s", first ? "" : ", ", m->name);
        if (last)
            doc_fact(d, m->where, "%s", s.buf);
    }
}

static void list_names(const struct terms *t, struct doc *d, enum term_kind kind)
{
    struct str s;
    str_init(&s, d->arena);
    for (size_t i = 0; i < t->n; i++)
        if (t->v[i].kind == kind)
            str_printf(&s, "%s%s", s.len ? ", " : "", t->v[i].name);
    doc_text(d, "%s", s.buf);
}

struct doc *terms_doc(const struct terms *t, struct arena *a)
{
    struct doc *d = doc_new(a);
    for (enum term_kind k = 0; k < TERM_KINDS; k++) {
        doc_heading(d, 2, "%s", kinds[k].many);
        if (k == TERM_METRIC)
            list_metrics(t, d);
        else
            list_names(t, d, k);
    }
    return d;
}

static bool named(const struct term *t, const char *name)
{
    return !strcasecmp(t->name, name) || (t->alias && !strcasecmp(t->alias, name));
}

static void explain_rule(struct doc *d, const struct rule *r)
{
    doc_text(d, "%s.", r->title);
    doc_fact(d, "id", "%s", r->id);
    doc_fact(d, "category", "%s", r->category);
    doc_fact(d, "bottleneck", "%s", bottleneck_name(r->bottleneck));
    doc_fact(d, "needs", "%s", rule_needs_text(r->needs, d->arena));
}

static void explain_table(const struct terms *t, struct doc *d, const char *table)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct term *m = &t->v[i];
        if (m->kind == TERM_METRIC && str_eq(m->where, table))
            doc_fact(d, m->name, "%s%s%s%s", m->doc, *m->unit ? " [" : "", m->unit,
                     *m->unit ? "]" : "");
    }
}

static void explain(const struct terms *t, struct doc *d, const struct term *m)
{
    doc_heading(d, 2, "%s (%s%s%s)", m->name, kinds[m->kind].one, m->where ? " of " : "",
                m->where ? m->where : "");
    if (m->rule)
        explain_rule(d, m->rule);
    doc_text(d, "%s", m->doc);
    if (*m->unit)
        doc_fact(d, "unit", "%s", m->unit);
    if (m->kind == TERM_TABLE)
        explain_table(t, d, m->name);
}

struct doc *term_doc(const struct terms *t, const char *name, struct arena *a)
{
    struct doc *d = doc_new(a);
    for (size_t i = 0; i < t->n; i++)
        if (named(&t->v[i], name))
            explain(t, d, &t->v[i]);
    return d->blocks.n ? d : NULL;
}

const char *term_nearest(const struct terms *t, const char *name, struct arena *a)
{
    const char **words = arena_array(a, const char *, 2 * t->n + 1);
    size_t n = 0;
    for (size_t i = 0; i < t->n; i++)
        words[n++] = t->v[i].name;
    for (size_t i = 0; i < t->n; i++)
        if (t->v[i].alias)
            words[n++] = t->v[i].alias;
    return opt_nearest(name, words);
}
