#include <string.h>

#include "base/utf8.h"
#include "render/pdf_in.h"

const struct pdf_font pdf_body = {CAIRO_FONT, 9, 13, false};
const struct pdf_font pdf_small = {CAIRO_FONT, 7.5, 10.5, false};
const struct pdf_font pdf_mono = {CAIRO_MONO, 7.5, 10.5, false};

void pdf_use(struct pdf *p, const struct pdf_font *f)
{
    cairo_font(p->cr, f->family, f->bold, f->size);
}

double pdf_width(struct pdf *p, const char *text)
{
    cairo_text_extents_t e;
    cairo.text_extents(p->cr, text, &e);
    return e.x_advance;
}

/* How many bytes of a word fit: at least one character, so that the work ends. */
static size_t fitting(struct pdf *p, const char *word, size_t n, double width)
{
    double used = 0;
    for (size_t i = 0, len; i < n; i += len) {
        char one[8] = {0};
        utf8_decode(word + i, n - i, &len);
        memcpy(one, word + i, len);
        used += pdf_width(p, one);
        if (used > width && i)
            return i;
    }
    return n;
}

static void flush(struct pdf *p, struct str *line, struct pdf_lines *out)
{
    if (line->len)
        vec_push(&out->all, p->arena, (const char *)arena_strdup(p->arena, line->buf));
    str_clear(line);
}

void pdf_wrap(struct pdf *p, const char *text, double width, struct pdf_lines *out)
{
    const char *s = cairo_safe(p->arena, text);
    double space = pdf_width(p, " "), at = 0;
    struct str line;
    str_init(&line, p->arena);
    while (*(s += strspn(s, " "))) {
        size_t n = strcspn(s, " ");
        const char *word = arena_strndup(p->arena, s, n);
        double w = n > 400 ? width + 1 : pdf_width(p, word);
        if (line.len && at + space + w > width) {
            flush(p, &line, out);
            at = 0;
        }
        if (line.len) {
            str_putc(&line, ' ');
            at += space;
        }
        while (w > width) {
            size_t part = fitting(p, word, n, width);
            if (part == n)
                break;
            str_put(&line, word, part);
            flush(p, &line, out);
            word += part;
            n -= part;
            w = n > 400 ? width + 1 : pdf_width(p, word);
        }
        str_put(&line, word, n);
        at += w;
        s += strcspn(s, " ");
    }
    flush(p, &line, out);
}

void pdf_clip(struct pdf *p, struct pdf_lines *lines, size_t most, double width)
{
    if (lines->all.n <= most || !most)
        return;
    const char *last = lines->all.v[most - 1];
    size_t n = fitting(p, last, strlen(last), width - pdf_width(p, "…"));
    lines->all.v[most - 1] = arena_printf(p->arena, "%.*s…", (int)n, last);
    lines->all.n = most;
}

void pdf_show(struct pdf *p, enum ink ink, double x, double y, const char *text)
{
    cairo_ink(p->cr, ink, THEME_LIGHT);
    cairo.move_to(p->cr, x, y);
    cairo.show_text(p->cr, text);
}

void pdf_paragraph(struct pdf *p, const struct pdf_font *f, enum ink ink, double x, double width,
                   const char *text)
{
    struct pdf_lines lines = {0};
    pdf_use(p, f);
    pdf_wrap(p, text, width, &lines);
    for (size_t i = 0; i < lines.all.n; i++) {
        pdf_need(p, f->leading);
        pdf_use(p, f);
        pdf_show(p, ink, x, p->y + f->size, lines.all.v[i]);
        p->y += f->leading;
    }
}
