#include <ctype.h>
#include <math.h>
#include <string.h>

#include "render/xlsx/xlsx_in.h"

size_t xlsx_place(char *out, size_t row, size_t column)
{
    char letters[8], digits[24];
    size_t n = 0, m = 0, len = 0;
    for (size_t c = column + 1; c; c = (c - 1) / 26)
        letters[n++] = (char)('A' + (c - 1) % 26);
    do
        digits[m++] = (char)('0' + row % 10);
    while (row /= 10);
    while (n)
        out[len++] = letters[--n];
    while (m)
        out[len++] = digits[--m];
    out[len] = 0;
    return len;
}

void xlsx_escape(struct str *out, const char *text)
{
    for (size_t n; *text; text += n) {
        n = strcspn(text, "&<>\"");
        str_put(out, text, n);
        if (!text[n])
            return;
        str_puts(out, text[n] == '&'   ? "&amp;"
                      : text[n] == '<' ? "&lt;"
                      : text[n] == '>' ? "&gt;"
                                       : "&quot;");
        n++;
    }
}

/* "_x0041_" means the character U+0041 in these files; a name that has it by chance is escaped. */
static bool is_code(const char *p)
{
    if (p[0] != '_' || p[1] != 'x')
        return false;
    for (int i = 2; i < 6; i++)
        if (!isxdigit((unsigned char)p[i]))
            return false;
    return p[6] == '_';
}

static void put_literal(struct str *out, char *text)
{
    char *from = text;
    for (char *p = text; (p = strstr(p, "_x")); p++) {
        if (!is_code(p))
            continue;
        *p = 0;
        xlsx_escape(out, from);
        str_puts(out, "_x005F");
        *p = '_';
        from = p;
    }
    xlsx_escape(out, from);
}

static void begin(struct xlsx *x, struct xlsx_cell at)
{
    char *p = str_room(&x->out, XLSX_PLACE + 32), *start = p;
    memcpy(p, "<c r=\"", 6);
    p += 6;
    p += xlsx_place(p, at.row, at.column);
    *p++ = '"';
    if (at.look != LOOK_NONE) {
        memcpy(p, " s=\"", 4);
        p += 4;
        *p++ = (char)('0' + at.look);
        *p++ = '"';
    }
    x->out.len += (size_t)(p - start);
    x->out.buf[x->out.len] = 0;
}
_Static_assert(LOOKS < 10, "one digit is enough");

void xlsx_put_text(struct xlsx *x, struct xlsx_cell at, const char *text)
{
    workbook_text(&x->text, text, XLSX_TEXT);
    size_t n = x->text.len;
    if (!n)
        return;
    bool spaces = x->text.buf[0] == ' ' || x->text.buf[n - 1] == ' ';
    begin(x, at);
    str_puts(&x->out, spaces ? " t=\"inlineStr\"><is><t xml:space=\"preserve\">"
                             : " t=\"inlineStr\"><is><t>");
    put_literal(&x->out, x->text.buf);
    str_puts(&x->out, "</t></is></c>");
}

/* A number that a spreadsheet, which counts in doubles, cannot hold goes in as text. */
static bool is_exact(struct field_value v)
{
    static const int64_t most = 1LL << 53;
    return v.kind == VALUE_UINT  ? v.u <= (uint64_t)most
           : v.kind == VALUE_INT ? v.i >= -most && v.i <= most
                                 : true;
}

static void put_number(struct xlsx *x, struct xlsx_cell at, struct field_value v)
{
    char buf[VALUE_MAX];
    const char *text = value_exact(v, buf);
    if (!is_exact(v)) {
        at.look = LOOK_TEXT;
        xlsx_put_text(x, at, text);
        return;
    }
    begin(x, at);
    str_puts(&x->out, "><v>");
    str_puts(&x->out, text);
    str_puts(&x->out, "</v></c>");
}

void xlsx_put_value(struct xlsx *x, struct xlsx_cell at, const struct field *f, const void *row)
{
    struct field_value v = field_get(f, row);
    if (v.kind == VALUE_TEXT || v.kind == VALUE_BOOL)
        at.look = LOOK_NONE;
    if (v.kind == VALUE_TEXT) {
        xlsx_put_text(x, at, v.text);
    } else if (v.kind == VALUE_BOOL) {
        begin(x, at);
        str_puts(&x->out, v.yes ? " t=\"b\"><v>1</v></c>" : " t=\"b\"><v>0</v></c>");
    } else if (v.kind == VALUE_INT || v.kind == VALUE_UINT ||
               (v.kind == VALUE_REAL && isfinite(v.real))) {
        put_number(x, at, v);
    }
}
