#include <string.h>

#include "field/field.h"

void fields_doc_text(struct str *out, const char *text)
{
    for (const char *p = text; *p; p++) {
        if (strchr("|*<\\", *p))
            str_putc(out, '\\');
        str_putc(out, *p);
    }
}

void fields_doc_row(struct str *out, const char *code, const char *second, const char *third)
{
    str_printf(out, "| `%s` | ", code);
    fields_doc_text(out, second);
    str_puts(out, " | ");
    fields_doc_text(out, third);
    str_puts(out, " |\n");
}

static void put_rows(struct str *out, const struct fields *f)
{
    for (size_t i = 0; i < f->n; i++) {
        if (f->v[i].key)
            fields_doc_row(out, f->v[i].key, unit_word(f->v[i].unit), f->v[i].doc);
        else if (f->v[i].of)
            put_rows(out, f->v[i].of);
    }
}

void fields_doc(struct str *out, const struct fields *f, bool is_object)
{
    str_printf(out, "\n### %s\n\n", f->key);
    fields_doc_text(out, f->doc);
    if (f->doc[strlen(f->doc) - 1] != '.')
        str_putc(out, '.');
    str_puts(out, is_object ? " One object.\n\n" : "\n\n");
    str_puts(out, "| field | unit | meaning |\n|---|---|---|\n");
    put_rows(out, f);
}
