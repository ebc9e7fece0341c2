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
    struct str line, text;
};

static void put_text(struct csv *c, const char *text)
{
    workbook_text(&c->text, text, 0);
    const char *s = c->text.buf;
    bool quote = strpbrk(s, ",;\"\r\n") || *s == ' ' || (c->text.len && s[c->text.len - 1] == ' ');
    if (quote)
        str_putc(&c->line, '"');
    if (looks_like_formula(text))
        str_putc(&c->line, '\'');
    for (; *s; s++) {
        if (*s == '"')
            str_putc(&c->line, '"');
        str_putc(&c->line, *s);
    }
    if (quote)
        str_putc(&c->line, '"');
}

static void put_cell(struct csv *c, const struct field *f, const void *row)
{
    char buf[VALUE_MAX];
    struct field_value v = field_get(f, row);
    if (v.kind == VALUE_TEXT)
        put_text(c, v.text);
    else
        str_puts(&c->line, value_exact(v, buf));
}

static void put_titles(struct csv *c, const struct sheet *s, struct arena *a)
{
    for (size_t k = 0; k < s->fields->n; k++) {
        str_puts(&c->line, k ? "," : "");
        put_text(c, sheet_title(s, k, a));
    }
    str_puts(&c->line, "\r\n");
}

static void put_row(struct csv *c, const struct sheet *s, const void *row)
{
    for (size_t k = 0; k < s->fields->n; k++) {
        if (k)
            str_putc(&c->line, ',');
        put_cell(c, &s->fields->v[k], row);
    }
    str_puts(&c->line, "\r\n");
}

static bool flush(struct csv *c, struct fs_out *out, struct gs_error *err)
{
    bool ok = fs_out_write(out, c->line.buf, c->line.len, err);
    str_clear(&c->line);
    return ok;
}

static bool write_sheet(struct csv *c, const struct sheet *s, const char *path, struct fs_set *set,
                        struct gs_error *err)
{
    void *scratch = arena_alloc(set->arena, s->fields->row_size);
    struct fs_out *out = fs_set_open(set, path, err);
    if (!out)
        return false;
    bool ok = true;
    put_titles(c, s, set->arena);
    for (size_t i = 0; ok && i < s->n; i++) {
        ok = flush(c, out, err);
        put_row(c, s, sheet_row(s, i, scratch));
    }
    return ok && flush(c, out, err) && fs_set_done(set, out, err);
}

void sheet_csv(struct str *out, const struct sheet *s, size_t rows, struct arena *arena)
{
    struct csv c = {.line = *out};
    void *scratch = arena_alloc(arena, s->fields->row_size);
    str_init(&c.text, arena);
    put_titles(&c, s, arena);
    for (size_t i = 0; i < s->n && i < rows; i++)
        put_row(&c, s, sheet_row(s, i, scratch));
    *out = c.line;
}

bool render_csv(const struct workbook *w, const char *dir, struct fs_set *set, struct gs_error *err)
{
    struct csv c = {0};
    str_init(&c.text, w->arena);
    str_init(&c.line, w->arena);
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
