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
    doc_fact(d, "category", "%s", rule_categories[r->category]);
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

/* ---- for programs ---- */

#define T struct rule
PART(rule_part, T, ALWAYS(T, title, FIELD_TEXT, "title", "what is wrong, in general"),
     ALWAYS(T, category, FIELD_ENUM, "category", "subject", .words = rule_categories),
     ALWAYS(T, bottleneck, FIELD_ENUM, "bottleneck", "", .words = bottleneck_names),
     ALWAYS(T, needs, FIELD_SET, "needs", "what a trace must hold", .words = rule_need_names));
#undef T

#define T struct term
PART(term_fields, T,
     ALWAYS(T, kind, FIELD_ENUM, "kind", "what it is",
            .words = WORDS("metric", "table", "cause", "path", "rule", "category", "kernel",
                           "calls", "capability", "quality", "counter", "stall")),
     ALWAYS(T, name, FIELD_TEXT, "name", "the term"),
     OR_NULL(T, alias, FIELD_TEXT, "alias", "another name: the id of a rule, table.metric"),
     OR_NULL(T, where, FIELD_TEXT, "table", "of a metric"),
     ALWAYS(T, unit, FIELD_TEXT, "unit", "of a metric; empty: none"),
     ALWAYS(T, doc, FIELD_TEXT, "doc", "what it means: of a metric, its formula"),
     OR_NULL(T, rule, FIELD_REF, "rule", "of a rule", .of = &rule_part));
#undef T

#define T struct terms
PART(document, T, FIXED("schema_version", "1.0", "version of this document"),
     FIELD_AS(T, v, FIELD_LIST, "terms", "", NO_UNIT, "those of the name asked for, or all",
              .null = NULL_NEVER, .of = &term_fields));
#undef T

void terms_json(const struct terms *t, const char *name, struct jwrite *w)
{
    struct terms found = {0};
    for (size_t i = 0; i < t->n; i++)
        if (!name || named(&t->v[i], name))
            vec_push(&found, w->out->arena, t->v[i]);
    fields_write(w, NULL, &document, &found);
}

void terms_json_schema(struct str *out)
{
    fields_schema_document(out, "urn:gpusight:explain:1.0", "gpusight terms",
                           "What 'gpusight explain --json' writes. Made by 'gpusight --generate "
                           "explain-schema'.",
                           &document);
}
