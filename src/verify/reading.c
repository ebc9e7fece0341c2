#include "verify/reading.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "base/hash.h"

void reading_put(struct reading *r, char c, size_t source)
{
    const struct source_run *last = r->source.n ? &r->source.v[r->source.n - 1] : NULL;
    if (!last || source - last->source != r->text.len - last->at)
        vec_push(&r->source, r->arena,
                 ((struct source_run){(uint32_t)r->text.len, (uint32_t)source}));
    str_putc(&r->text, c);
}

size_t reading_source(const struct reading *r, size_t at)
{
    size_t i = 0;
    BISECT(i, r->source.n, mid, r->source.v[mid].at <= at);
    assert(i); /* the first run begins with the text */
    return r->source.v[i - 1].source + (at - r->source.v[i - 1].at);
}

struct passage *reading_begin(struct reading *r)
{
    enum { BYTES_MAX = 128 << 20 };
    struct passage p = {.at = r->text.len,
                        .titles = NO_PASSAGE,
                        .heading = NO_PASSAGE,
                        .goes_on = NO_PASSAGE,
                        .object = NO_INDEX};
    vec_push_alone(&r->passages, r->arena, p);
    r->full |= r->passages.n * sizeof(p) + r->path_size > BYTES_MAX;
    return &r->passages.v[r->passages.n - 1];
}

void reading_cell(struct reading *r, size_t at, size_t n)
{
    enum { CELLS_MAX = 4000000 };
    if (r->cells.n < CELLS_MAX)
        vec_push(&r->cells, r->arena, ((struct place){at, n}));
    else
        r->full = true;
}

const char *text_find(const char *text, size_t n, const char *part)
{
    size_t len = strlen(part);
    const char *end = text + n;
    for (const char *p = text; (size_t)(end - p) >= len; p++) {
        p = memchr(p, part[0], (size_t)(end - p) - len + 1);
        if (!p)
            return NULL;
        if (!memcmp(p, part, len))
            return p;
    }
    return NULL;
}

enum { NAME_WORDS = 7, NAME_BYTES = 8000 };

bool text_is_name(const char *text, size_t n)
{
    size_t spaces = 0;
    for (size_t i = 0; i < n; i++)
        spaces += text[i] == ' ';
    return n && n < NAME_BYTES &&
           (spaces < NAME_WORDS || memchr(text, '<', n) || memchr(text, '(', n) ||
            memchr(text, '_', n));
}

/* Escape sequences of terminals are no text. */
static size_t skip_escape(const char *text, size_t i, size_t n)
{
    if (text[i] != '\x1b' || i + 1 >= n || text[i + 1] != '[')
        return i;
    for (i += 2; i < n && (unsigned char)text[i] < 0x40;)
        i++;
    return i < n ? i + 1 : n;
}

static bool is_command(const char *line, size_t n)
{
    size_t indent = 0;
    while (indent < n && line[indent] == ' ')
        indent++;
    return (indent < n && (line[indent] == '$' && indent + 1 < n && line[indent + 1] == ' ')) ||
           (indent >= 6 && text_find(line, n, " -- "));
}

static bool underlines(const char *line, size_t n)
{
    if (n < 3)
        return false;
    for (size_t i = 0; i < n; i++)
        if (isalnum((unsigned char)line[i]))
            return false;
    return text_find(line, n, "\xe2\x95\x90\xe2\x95\x90") || text_find(line, n, "===") ||
           text_find(line, n, "---");
}

static bool has_digit(const char *line, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (isdigit((unsigned char)line[i]))
            return true;
    return false;
}

/* A line of plain text without indent, full stop or figures, behind an empty one: a heading. */
static bool looks_like_heading(const char *line, size_t n, bool after_empty)
{
    if (!n || n > 100 || line[0] == ' ' || line[0] == '-' || line[0] == '*')
        return false;
    if (line[0] == '[' && after_empty)
        return true;
    char last = line[n - 1];
    return after_empty && last != '.' && last != ',' && last != ';' && !has_digit(line, n) &&
           !text_find(line, n, "  ");
}

void reading_text(struct reading *r, const char *text, size_t n)
{
    size_t heading = NO_PASSAGE;
    bool empty = true;
    for (size_t i = 0; i < n && !r->full;) {
        const char *nl = memchr(text + i, '\n', n - i);
        size_t end = nl ? (size_t)(nl - text) : n;
        struct passage *p = reading_begin(r);
        size_t me = r->passages.n - 1, start = r->text.len;
        p->code = is_command(text + i, end - i);
        for (size_t k = i; k < end;) {
            size_t next = skip_escape(text, k, end);
            if (next != k) {
                k = next;
                continue;
            }
            if (text[k] != '\r')
                reading_put(r, text[k], k);
            k++;
        }
        p = &r->passages.v[me];
        p->n = r->text.len - start;
        reading_put(r, '\n', end);
        const char *line = r->text.buf + start;
        if (looks_like_heading(line, p->n, empty))
            p->is_heading = true, heading = me;
        else if (me && underlines(line, p->n) && !r->passages.v[me - 1].n_cells)
            r->passages.v[me - 1].is_heading = true, heading = me - 1;
        else
            p->heading = heading;
        empty = !p->n;
        if (me && p->n && !p->is_heading && r->passages.v[me - 1].n && line[0] != '-')
            r->passages.v[me - 1].goes_on = me;
        i = end + 1;
    }
    reading_find_columns(r);
}

static void find_code(const char *text, size_t n, enum verify_kind *kind)
{
    for (size_t i = 0; i < n && i < 4096; i++) {
        if (isspace((unsigned char)text[i]))
            continue;
        if (text[i] == '<')
            *kind = VERIFY_HTML;
        else if (text[i] == '{' || (text[i] == '[' && i + 1 < n && strchr("{[\"\n ", text[i + 1])))
            *kind = VERIFY_JSON;
        else if (text[i] == '#' && i + 1 < n && (text[i + 1] == ' ' || text[i + 1] == '#'))
            *kind = VERIFY_MARKDOWN;
        return;
    }
}

enum verify_kind verify_kind_of(const char *name, const char *text, size_t n)
{
    static const struct {
        const char *end;
        enum verify_kind kind;
    } ends[] = {{".json", VERIFY_JSON}, {".md", VERIFY_MARKDOWN}, {".markdown", VERIFY_MARKDOWN},
                {".html", VERIFY_HTML}, {".htm", VERIFY_HTML},    {".xhtml", VERIFY_HTML},
                {".csv", VERIFY_CSV},   {".tsv", VERIFY_CSV},     {".txt", VERIFY_TEXT},
                {".text", VERIFY_TEXT}, {".log", VERIFY_TEXT},    {".out", VERIFY_TEXT}};
    enum verify_kind kind = VERIFY_TEXT;
    for (size_t i = 0; name && i < ARRAY_LEN(ends); i++)
        if (str_ends(name, ends[i].end))
            return ends[i].kind;
    find_code(text, n, &kind);
    return kind;
}

struct reading *reading_of(const char *text, size_t n, enum verify_kind kind, struct arena *a)
{
    struct reading *r = arena_new(a, struct reading);
    r->arena = a;
    str_init(&r->text, a);
    str_room(&r->text,
             n + n / 8 + 64); /* of large texts nothing is left behind that was too small */
    if (kind == VERIFY_MARKDOWN)
        reading_markdown(r, text, n);
    else if (kind == VERIFY_HTML)
        reading_html(r, text, n);
    else if (kind == VERIFY_CSV)
        reading_csv(r, text, n);
    else if (kind == VERIFY_TEXT || (!(r->is_json = reading_json(r, text, n, 0)) && !r->full)) {
        if (kind != VERIFY_TEXT) { /* no JSON after all */
            *r = (struct reading){.arena = a, .text = r->text, .source = r->source};
            str_clear(&r->text);
            r->source.n = 0;
        }
        reading_text(r, text, n);
    }
    reading_put(r, 0, n);
    r->text.len--;
    return r;
}
