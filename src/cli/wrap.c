#include "cli/wrap.h"

#include <string.h>

#include "base/utf8.h"

static size_t width_of(const char *s, size_t n)
{
    size_t width = 0;
    for (size_t i = 0, len; i < n; i += len)
        width += (size_t)utf8_cell_width(utf8_decode(s + i, n - i, &len));
    return width;
}

void wrap_words(struct str *out, const char *text, size_t n, size_t at, size_t indent, size_t width)
{
    const char *p = text, *end = text + n;
    bool first = true; /* no word on this line yet */
    for (;;) {
        while (p < end && (*p == ' ' || *p == '\n'))
            p++;
        if (p == end)
            break;
        const char *word = p;
        while (p < end && *p != ' ' && *p != '\n')
            p++;
        size_t len = (size_t)(p - word), cells = width_of(word, len);
        if (!first && at + 1 + cells > width) {
            str_putc(out, '\n');
            str_fill(out, ' ', indent);
            at = indent;
            first = true;
        }
        if (!first)
            str_putc(out, ' ');
        at += cells + !first;
        str_put(out, word, len);
        first = false;
    }
    str_putc(out, '\n');
}

const char *wrap_next_paragraph(const char **text, size_t *n)
{
    const char *p = *text + strspn(*text, "\n");
    if (!*p)
        return NULL;
    const char *end = strstr(p, "\n\n");
    *n = end ? (size_t)(end - p) : strlen(p);
    *text = p + *n;
    while (*n && p[*n - 1] == '\n')
        --*n;
    return p;
}

static void put_verbatim(struct str *out, const char *text, size_t n, size_t indent)
{
    for (const char *end = text + n; text < end;) {
        const char *nl = memchr(text, '\n', (size_t)(end - text));
        size_t len = nl ? (size_t)(nl - text) : (size_t)(end - text);
        str_fill(out, ' ', indent);
        str_put(out, text, len);
        str_putc(out, '\n');
        text += len + 1;
    }
}

void wrap_paragraphs(struct str *out, const char *text, size_t indent, size_t width)
{
    size_t n;
    const char *p;
    for (bool first = true; (p = wrap_next_paragraph(&text, &n)); first = false) {
        if (!first)
            str_putc(out, '\n');
        if (*p == ' ') {
            put_verbatim(out, p, n, indent);
            continue;
        }
        str_fill(out, ' ', indent);
        wrap_words(out, p, n, indent, indent, width);
    }
}
