#include "report/workbook.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "config.h"

struct sheet *workbook_add(struct workbook *w, const char *name, const char *doc,
                           const struct fields *fields, const void *rows, size_t n)
{
    struct sheet s = {.name = name, .doc = doc, .fields = fields, .rows = rows, .n = n};
    vec_push(&w->sheets, w->arena, s);
    return &w->sheets.v[w->sheets.n - 1];
}

const void *sheet_row(const struct sheet *s, size_t i, void *scratch)
{
    if (!s->fill)
        return (const char *)s->rows + i * s->fields->row_size;
    memset(scratch, 0, s->fields->row_size);
    s->fill(s, i, scratch);
    return scratch;
}

const char *sheet_title(const struct sheet *s, size_t column, struct arena *a)
{
    const struct field *f = &s->fields->v[column];
    return s->exact_titles || f->unit == NO_UNIT || str_eq(f->label, unit_word(f->unit))
               ? f->label
               : arena_printf(a, "%s (%s)", f->label, unit_word(f->unit));
}

/* ---- results that are single objects: one sheet for all of them ---- */

struct metric_row {
    const char *table, *metric;
    double value;     /* NaN for texts */
    const char *text; /* NULL for numbers */
    const char *unit, *doc;
};

#define F(member, type, label, doc) FIELD(struct metric_row, member, type, label, NO_UNIT, doc)
static const struct field metric_v[] = {
    F(table, FIELD_TEXT, "table", "the analysis it belongs to"),
    F(metric, FIELD_TEXT, "metric", "what is measured"),
    F(value, FIELD_NUM, "value", "the number"),
    F(text, FIELD_TEXT, "text", "the value, where it is no number"),
    F(unit, FIELD_TEXT, "unit", "of the number"),
    F(doc, FIELD_TEXT, "meaning", "the formula"),
};
#undef F
static const struct fields metric_fields =
    FIELDS("metrics", "Single numbers of all analyses.", struct metric_row, metric_v);

static struct metric_row metric_of(const struct fields *table, const struct field *f,
                                   const void *row)
{
    struct field_value v = field_get(f, row);
    struct metric_row m = {
        .table = table->key, .metric = f->label, .unit = unit_word(f->unit), .doc = f->doc};
    m.value = field_number(f, row);
    if (v.kind == VALUE_BOOL || v.kind == VALUE_TEXT)
        m.text = v.kind == VALUE_TEXT ? v.text : v.yes ? "yes" : "no";
    return m;
}

/* Sheets of results that have a chart beside them, and the columns it is made of. */
static const struct charted {
    const char *key, *sheet, *label, *value;
    enum sheet_chart chart;
} charted[] = {
    {"kernel_categories", NULL, "category", "pct_of_kernel_time", SHEET_BARS},
    /* TraceLens has a sheet of that name already, and another histogram in it. */
    {"short_kernel_histogram", "short_kernel_buckets", "bucket_label", "count", SHEET_COLUMNS},
    {"copies", NULL, "direction", "bandwidth_gbps", SHEET_BARS},
    {"api_calls", NULL, "name", "exclusive_ns", SHEET_BARS},
    {"idle_gaps", NULL, "label", "total_ns", SHEET_COLUMNS},
    {"gpus", NULL, "gpu", "busy_pct", SHEET_COLUMNS},
};

static void add_rows(struct workbook *w, const struct result *r)
{
    const struct fields *f = r->fields;
    const struct charted *c = charted, *end = charted + ARRAY_LEN(charted);
    while (c < end && !str_eq(c->key, f->key))
        c++;
    const char *name = c < end && c->sheet ? c->sheet : f->key;
    struct sheet *s = workbook_add(w, name, f->doc, f, r->rows, r->n);
    if (c == end)
        return;
    s->chart_label = (size_t)(fields_find(f, c->label) - f->v);
    s->chart_value = (size_t)(fields_find(f, c->value) - f->v);
    s->chart = c->chart;
    s->chart_rows = 15;
}

static void add_results(struct workbook *w, const struct analysis *a)
{
    struct results all = {0};
    VEC(struct metric_row) metrics = {0};
    analysis_results(a, &all, w->arena);
    for (size_t i = 0; i < all.n; i++) {
        const struct result *r = &all.v[i];
        if (!r->is_object) {
            add_rows(w, r);
            continue;
        }
        for (size_t f = 0; f < r->fields->n; f++)
            vec_push(&metrics, w->arena, metric_of(r->fields, &r->fields->v[f], r->rows));
    }
    workbook_add(w, "metrics", metric_fields.doc, &metric_fields, metrics.v, metrics.n);
}

/* ---- what the workbook is and what is in it ---- */

struct about_row {
    const char *what, *value, *meaning;
};

#define F(member, label, doc) FIELD(struct about_row, member, FIELD_TEXT, label, NO_UNIT, doc)
static const struct field about_v[] = {
    F(what, "what", "a sheet, or a fact about the workbook"),
    F(value, "value", "rows of the sheet, or the fact"),
    F(meaning, "meaning", "what it shows"),
};
#undef F
static const struct fields about_fields = FIELDS(
    "about", "Where the numbers come from, and what the sheets hold.", struct about_row, about_v);

static void add_about(struct workbook *w, const struct analysis *a)
{
    VEC(struct about_row) rows = {0};
    struct arena *arena = w->arena;
    struct about_row version = {"gpusight", GPUSIGHT_VERSION, "the program that wrote this"};
    vec_push(&rows, arena, version);
    for (size_t i = 0; i < a->trace->files.n; i++)
        vec_push(&rows, arena,
                 ((struct about_row){"trace", a->trace->files.v[i].path,
                                     trace_format_names[a->trace->files.v[i].format]}));
    vec_push(&rows, arena,
             ((struct about_row){"window",
                                 arena_printf(arena, "%lld ns", (long long)view_window(&a->view)),
                                 "the part of the trace that is analyzed"}));
    vec_push(&rows, arena,
             ((struct about_row){"data quality", arena_printf(arena, "%c", a->quality.grade),
                                 "A to F; 'gpusight analyze' says why"}));
    for (size_t i = 0; i < w->sheets.n; i++) {
        const struct sheet *s = &w->sheets.v[i];
        struct about_row row = {arena_printf(arena, "sheet %s", s->name),
                                arena_printf(arena, "%zu rows", s->n), s->doc};
        if (s->n >= SHEET_ROWS)
            row.meaning =
                arena_printf(arena, "%s In XLSX it goes on in %s_2 and so on.", s->doc, s->name);
        vec_push(&rows, arena, row);
    }
    workbook_add(w, "about", about_fields.doc, &about_fields, rows.v, rows.n);
}

void workbook_fill(struct workbook *w, const struct analysis *a, const struct advice *advice)
{
    workbook_ledger(w, a);
    workbook_findings(w, advice);
    add_results(w, a);
    add_about(w, a);
}
