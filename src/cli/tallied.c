#include "cli/tallied.h"

#include "report/tally_doc.h"

struct shown {
    struct tally *t;
    bool brief;
};

static struct doc *doc_form(const struct report *report)
{
    const struct shown *s = report->ctx;
    return tally_doc(s->t, s->brief, report->arena);
}

static void json_form(const struct report *report, struct jwrite *w, bool in_page)
{
    (void)in_page;
    const struct shown *s = report->ctx;
    fields_write(w, NULL, &tally_fields, s->t);
}

void tallied_workbook(const struct tally *t, struct workbook *w, struct arena *a)
{
    struct tally copy = *t;
    const struct results *tables = tally_tables(&copy, false);
    *w = (struct workbook){.arena = a};
    for (size_t i = 0; i < tables->n; i++)
        workbook_add(w, tables->v[i].fields->key, tables->v[i].fields->doc, tables->v[i].fields,
                     tables->v[i].rows, tables->v[i].n);
}

bool tallied_output(const struct tally *t, struct output *out, bool brief, struct gs_error *err)
{
    struct tally copy = *t;
    struct shown s = {&copy, brief};
    struct report r = {
        .ctx = &s, .arena = out->cli->arena, .doc = doc_form, .json = json_form, .kind = "tables"};
    return output_named(out, output_base(t->files.v[0].path, out->cli->arena), err) &&
           output_report(out, &r, err) && output_finish(out, err);
}
