#include "verify/verify_doc.h"

#include <string.h>

struct figure_row {
    struct checked_figure f;
    uint64_t at, n;
    const char *mark;
};

struct verify_document {
    const char *report, *traces, *verdict;
    uint64_t figures, confirmed, contradicted, not_found, facts;
    VEC(struct figure_row) rows;
};

static const char *const verdicts[] = {"confirmed", "contradicted", "not found", NULL};

#define T struct figure_row
static const struct field figure_list[] = {
    FIELD_AS(T, mark, FIELD_TEXT, "mark", "", NO_UNIT,
             "\xe2\x9c\x93 confirmed, \xe2\x9c\x97 contradicted, ? not found", UNCUT),
    FIELD_AS(T, f.line, FIELD_U64, "line", "line", NO_UNIT, "line of the report, from 1"),
    FIELD_AS(T, f.shown, FIELD_TEXT, "figure", "figure", NO_UNIT, "as the report has it", UNCUT),
    FIELD_AS(T, f.verdict, FIELD_ENUM, "verdict", "verdict", NO_UNIT, "what became of it",
             .words = verdicts),
    FIELD_AS(T, f.right, FIELD_TEXT, "value", "should be", NO_UNIT,
             "of the fact it was matched with; null: there is none", UNCUT),
    FIELD_AS(T, f.about, FIELD_TEXT, "fact", "fact", NO_UNIT,
             "what it was matched with; null: nothing"),
    FIELD_AS(T, f.passage, FIELD_TEXT, "passage", "passage", NO_UNIT,
             "the words it stands in, or its path in JSON"),
    FIELD_AS(T, at, FIELD_U64, "offset", "offset", NO_UNIT, "first byte in the report, from 0"),
    FIELD_AS(T, n, FIELD_U64, "length", "length", NO_UNIT, "bytes, with the unit"),
};
#undef T
static const struct fields figure_fields =
    FIELDS("figures", "Every figure of the report, in its order.", struct figure_row, figure_list);

#define T struct verify_document
PART(document_fields, T, ALWAYS(T, report, FIELD_TEXT, "report", "the text that was verified"),
     ALWAYS(T, traces, FIELD_TEXT, "traces", "what it was compared with"),
     ALWAYS(T, verdict, FIELD_TEXT, "verdict",
            "confirmed: all figures, of one or more; contradicted: at least one; else not found"),
     ALWAYS(T, figures, FIELD_U64, "figure_count", "figures in the report"),
     ALWAYS(T, confirmed, FIELD_U64, "confirmed", "a fact has this value"),
     ALWAYS(T, contradicted, FIELD_U64, "contradicted", "the fact it is about has another value"),
     ALWAYS(T, not_found, FIELD_U64, "not_found", "no fact is like it"),
     ALWAYS(T, facts, FIELD_U64, "facts", "values that were looked at"),
     ALWAYS(T, rows, FIELD_LIST, "figures", "all of them", .of = &figure_fields));
#undef T

static struct verify_document *document_of(const struct verify_report *r, bool all,
                                           struct arena *arena)
{
    static const char *const marks[] = {"\xe2\x9c\x93", "\xe2\x9c\x97", "?"};
    struct verify_document *d = arena_new(arena, struct verify_document);
    const struct verification *v = r->v;
    *d = (struct verify_document){.report = r->name,
                                  .traces = r->about,
                                  .figures = v->figures.n,
                                  .confirmed = v->confirmed,
                                  .contradicted = v->contradicted,
                                  .not_found = v->not_found,
                                  .facts = r->facts};
    d->verdict = v->contradicted                 ? "contradicted"
                 : v->not_found || !v->figures.n ? "not found"
                                                 : "confirmed";
    vec_reserve(&d->rows, arena, all ? v->figures.n : v->contradicted + v->not_found);
    for (size_t i = 0; i < v->figures.n; i++) {
        const struct checked_figure *f = &v->figures.v[i];
        struct figure_row row = {.f = *f, .at = f->at, .n = f->n, .mark = marks[f->verdict]};
        if (!all && f->verdict != FIGURE_CONTRADICTED)
            row.f.right = NULL; /* it is what it should be, or nobody knows */
        if (all || f->verdict != FIGURE_CONFIRMED)
            vec_push(&d->rows, arena, row);
    }
    return d;
}

/* In documents for people. */
enum { ROWS_MOST = 20000 };

static const char *headline(const struct verification *v, struct arena *a)
{
    size_t n = v->figures.n;
    const char *of = n == 1 ? "figure" : "figures";
    if (!n)
        return "there is no figure in it";
    if (!v->contradicted && !v->not_found)
        return n == 1 ? "its one figure is confirmed"
                      : arena_printf(a, "all %zu figures are confirmed", n);
    if (!v->contradicted)
        return arena_printf(a, "%llu of %zu %s cannot be found in the trace",
                            (unsigned long long)v->not_found, n, of);
    return arena_printf(a, "%llu of %zu %s %s contradicted by the trace",
                        (unsigned long long)v->contradicted, n, of,
                        v->contradicted == 1 ? "is" : "are");
}

struct doc *verify_doc(const struct verify_report *r, struct arena *arena)
{
    const struct verification *v = r->v;
    const struct verify_document *all = document_of(r, r->all, arena);
    struct doc *d = doc_new(arena);
    doc_title(d, "%s", r->name);
    doc_about(d, "compared with", "%s", r->about);
    doc_callout(d,
                v->contradicted ? TONE_BAD
                : v->not_found  ? TONE_WARN
                                : TONE_GOOD,
                "%s", headline(v, arena));
    doc_fact(d, "confirmed", "%llu", (unsigned long long)v->confirmed);
    doc_fact(d, "contradicted", "%llu", (unsigned long long)v->contradicted);
    doc_fact(d, "not found", "%llu", (unsigned long long)v->not_found);
    if (!all->rows.n)
        return d;
    doc_section(d, "figures", "Figures", r->all ? "Figures" : "Figures that are not confirmed");
    doc_rows(d,
             &(struct result){&figure_fields, all->rows.v,
                              all->rows.n < ROWS_MOST ? all->rows.n : ROWS_MOST, false},
             &(struct rows){.caption = "",
                            .shown = "mark line figure value fact passage",
                            .most = ROWS_MOST,
                            .empty_too = true});
    if (all->rows.n > ROWS_MOST)
        doc_text(d, "Only the first %d of %zu; --json has all of them.", ROWS_MOST, all->rows.n);
    return d;
}

void verify_json(const struct verify_report *r, struct jwrite *w, bool in_page, struct arena *arena)
{
    struct verify_document *d = document_of(r, true, arena);
    if (in_page && d->rows.n > ROWS_MOST)
        d->rows.n = ROWS_MOST;
    fields_write(w, NULL, &document_fields, d);
}

void verify_json_schema(struct str *out)
{
    fields_schema_document(out, "verify.schema.json", "gpusight verify",
                           "What `gpusight verify --json` prints.", &document_fields);
}
