#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "render/workbook_out.h"

void workbook_text(struct str *out, const char *text, size_t most)
{
    str_clear(out);
    utf8_escape(out, text, strlen(text));
    if (!most || out->len <= most)
        return;
    size_t units = 0, at = 0;
    for (size_t len; at < out->len && units + 2 < most; at += len)
        units += utf8_decode(out->buf + at, out->len - at, &len) > 0xffff ? 2 : 1;
    if (at == out->len)
        return;
    out->len = at;
    out->buf[at] = 0;
    str_puts(out, "…");
}

static bool looks_like_formula(const char *s)
{
    size_t n = strlen(s), len;
    if (!n)
        return false;
    uint32_t c = utf8_decode(s, n, &len);
    return c == '=' || c == '+' || c == '-' || c == '@' || c == '\t' || c == '\r' || c == 0xff1d ||
           c == 0xff0b || c == 0xff0d || c == 0xff20;
}

struct csv {
    FILE *file;
    struct str text;
};

static void put_text(struct csv *c, const char *text)
{
    workbook_text(&c->text, text, 0);
    const char *s = c->text.buf;
    bool quote = strpbrk(s, ",;\"\r\n") || *s == ' ' || (c->text.len && s[c->text.len - 1] == ' ');
    if (quote)
        fputc('"', c->file);
    if (looks_like_formula(text))
        fputc('\'', c->file);
    for (; *s; s++) {
        if (*s == '"')
            fputc('"', c->file);
        fputc(*s, c->file);
    }
    if (quote)
        fputc('"', c->file);
}

static void put_cell(struct csv *c, const struct field *f, const void *row)
{
    char buf[VALUE_MAX];
    struct field_value v = field_get(f, row);
    if (v.kind == VALUE_TEXT)
        put_text(c, v.text);
    else
        fputs(value_exact(v, buf), c->file);
}

static bool write_sheet(struct csv *c, const struct sheet *s, const char *path, struct fs_set *set,
                        struct gs_error *err)
{
    struct arena *a = set->arena;
    void *scratch = arena_alloc(a, s->fields->row_size);
    struct fs_out *out = fs_set_open(set, path, err);
    if (!out)
        return false;
    c->file = out->file;
    for (size_t k = 0; k < s->fields->n; k++) {
        fputs(k ? "," : "", c->file);
        put_text(c, sheet_title(s, k, a));
    }
    fputs("\r\n", c->file);
    for (size_t i = 0; i < s->n && !ferror(c->file); i++) {
        const void *row = sheet_row(s, i, scratch);
        for (size_t k = 0; k < s->fields->n; k++) {
            if (k)
                fputc(',', c->file);
            put_cell(c, &s->fields->v[k], row);
        }
        fputs("\r\n", c->file);
    }
    return fs_set_done(set, out, err);
}

bool render_csv(const struct workbook *w, const char *dir, struct fs_set *set, struct gs_error *err)
{
    struct csv c = {0};
    str_init(&c.text, w->arena);
    if (!fs_set_folder(set, dir, err))
        return false;
    for (size_t i = 0; i < w->sheets.n; i++) {
        const struct sheet *s = &w->sheets.v[i];
        const char *path = arena_printf(w->arena, "%s/%s.csv", dir, s->name);
        if (!write_sheet(&c, s, path, set, err))
            return false;
    }
    return true;
}
