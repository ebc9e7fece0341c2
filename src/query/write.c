/* Results of statements as bytes, and as rows that fields describe. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "query/query.h"

const char *query_cell_text(const struct query_cell *c, char *buf)
{
    switch (c->kind) {
    case VALUE_INT:
        return value_exact((struct field_value){VALUE_INT, {.i = c->i}}, buf);
    case VALUE_REAL:
        return value_exact((struct field_value){VALUE_REAL, {.real = c->real}}, buf);
    case VALUE_TEXT:
        return c->text;
    default:
        return "";
    }
}

/* What a terminal or a spreadsheet would obey is written out, as in all our tables. */
static void put_safe(struct str *out, const char *text, size_t n)
{
    for (size_t i = 0, len; i < n; i += len) {
        uint32_t c = utf8_decode(text + i, n - i, &len);
        bool malformed = len == 1 && (unsigned char)text[i] >= 0x80;
        bool unsafe = (malformed || utf8_unsafe(c)) && text[i] != '\n' && text[i] != '\t';
        if (text[i] == '"')
            str_putc(out, '"');
        for (size_t k = 0; unsafe && k < len; k++)
            str_printf(out, "\\x%02x", (unsigned char)text[i + k]);
        if (!unsafe)
            str_put(out, text + i, len);
    }
}

void query_csv_cell(struct str *out, const char *text, bool safe)
{
    size_t n = strlen(text);
    bool quote = strpbrk(text, ",\"\r\n") || (n && (text[0] == ' ' || text[n - 1] == ' '));
    str_puts(out, quote ? "\"" : "");
    str_puts(out, safe && n && strchr("=+-@\t\r", *text) ? "'" : "");
    for (const char *p = text; !safe && *p; p++) {
        if (*p == '"')
            str_putc(out, '"');
        str_putc(out, *p);
    }
    if (safe)
        put_safe(out, text, n);
    str_puts(out, quote ? "\"" : "");
}

void query_csv(const struct query_result *r, struct str *out, bool raw)
{
    char buf[VALUE_MAX];
    for (size_t i = 0; i < r->columns.n; i++) {
        str_puts(out, i ? "," : "");
        query_csv_cell(out, r->columns.v[i].name, !raw);
    }
    str_puts(out, "\n");
    for (size_t row = 0; row < r->n; row++) {
        for (size_t i = 0; i < r->columns.n; i++) {
            const struct query_cell *c = query_cell(r, row, i);
            str_puts(out, i ? "," : "");
            query_csv_cell(out, query_cell_text(c, buf), !raw && c->kind == VALUE_TEXT);
        }
        str_puts(out, "\n");
    }
}

void query_json(const struct query_result *r, struct jwrite *w, const char *key)
{
    jw_open(w, key, '[');
    for (size_t row = 0; row < r->n; row++) {
        jw_open(w, NULL, '{');
        for (size_t i = 0; i < r->columns.n; i++) {
            const struct query_cell *c = query_cell(r, row, i);
            const char *name = r->columns.v[i].name;
            if (c->kind == VALUE_INT)
                jw_int(w, name, c->i);
            else if (c->kind == VALUE_REAL)
                jw_num(w, name, c->real);
            else if (c->kind == VALUE_TEXT)
                jw_str(w, name, c->text);
            else
                jw_null(w, name);
        }
        jw_close(w);
    }
    jw_close(w);
}

/* ---- rows ---- */

struct slot {
    bool has;
    union {
        int64_t i;
        double real;
        const char *text;
    };
};

static enum field_type type_of(enum value_kind kind)
{
    return kind == VALUE_INT ? FIELD_I64 : kind == VALUE_REAL ? FIELD_NUM : FIELD_TEXT;
}

/* Not cut in the middle of a character. */
static const char *cut(const char *text, size_t most, struct arena *a)
{
    size_t n = most ? strnlen(text, most + 1) : 0;
    if (n <= most)
        return text;
    while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    return arena_printf(a, "%.*s\xe2\x80\xa6", (int)n, text);
}

static void fill(struct slot *out, const struct query_cell *c, enum value_kind kind, size_t most,
                 struct arena *a)
{
    char buf[VALUE_MAX];
    out->has = c->kind != VALUE_NONE;
    if (kind == VALUE_INT)
        out->i = c->i;
    else if (kind == VALUE_REAL)
        out->real = out->has ? c->real : NAN;
    else
        out->text = !out->has               ? NULL
                    : c->kind == VALUE_TEXT ? cut(c->text, most, a)
                                            : arena_strdup(a, query_cell_text(c, buf));
}

struct result query_as_result(const struct query_result *r, const char *key, size_t most,
                              struct arena *a)
{
    size_t n = r->columns.n;
    struct field *list = arena_array(a, struct field, n);
    struct fields *f = arena_new(a, struct fields);
    struct slot *cells = arena_array(a, struct slot, r->n * n);
    for (size_t i = 0; i < n; i++) {
        size_t at = i * sizeof(struct slot);
        list[i] = (struct field){.key = r->columns.v[i].name,
                                 .label = r->columns.v[i].name,
                                 .type = type_of(r->columns.v[i].kind),
                                 .offset = at + offsetof(struct slot, i),
                                 .doc = "",
                                 .null = NULL_MAYBE,
                                 .style = STYLE_EXACT,
                                 .flag = at + offsetof(struct slot, has) + 1};
        for (size_t row = 0; row < r->n; row++)
            fill(&cells[row * n + i], query_cell(r, row, i), r->columns.v[i].kind, most, a);
    }
    *f = (struct fields){key, "", list, n, n * sizeof(struct slot), NULL};
    return (struct result){f, cells, r->n, false};
}
