#include "base/utf8.h"

#include <string.h>

enum { REPLACEMENT = 0xFFFD };

uint32_t utf8_decode(const char *s, size_t n, size_t *len)
{
    const unsigned char *p = (const unsigned char *)s;
    *len = 1;
    if (p[0] < 0x80)
        return p[0];
    size_t need = p[0] >= 0xF0 ? 3 : p[0] >= 0xE0 ? 2 : 1;
    if (p[0] < 0xC2 || p[0] > 0xF4 || n <= need)
        return REPLACEMENT;
    uint32_t c = p[0] & (0x3Fu >> need);
    for (size_t i = 1; i <= need; i++) {
        if ((p[i] & 0xC0) != 0x80)
            return REPLACEMENT;
        c = c << 6 | (p[i] & 0x3F);
    }
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    if (c < least[need] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
        return REPLACEMENT;
    *len = need + 1;
    return c;
}

bool utf8_valid(const char *s, size_t n)
{
    for (size_t i = 0; i < n;) {
        if (!((unsigned char)s[i] & 0x80)) {
            i++;
            continue;
        }
        size_t len;
        utf8_decode(s + i, n - i, &len);
        if (len == 1)
            return false;
        i += len;
    }
    return true;
}

bool utf8_unsafe(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
           c == 0x061C || (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE007F) ||
           (c & 0xFFFE) == 0xFFFE;
}

struct range {
    uint32_t first, last;
};

/* The blocks that matter for names: combining marks, and East Asian wide forms with emoji. */
static const struct range combining[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F},
    {0x0900, 0x0902}, {0x093C, 0x093C}, {0x0941, 0x0948}, {0x094D, 0x094D}, {0x0E31, 0x0E31},
    {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x20D0, 0x20F0},
    {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
};
static const struct range wide[] = {
    {0x1100, 0x115F},   {0x2329, 0x232A},   {0x2E80, 0x303E},   {0x3041, 0x33FF},
    {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
    {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD},
};

static bool in_ranges(const struct range *r, size_t n, uint32_t c)
{
    for (size_t i = 0; i < n && r[i].first <= c; i++)
        if (c <= r[i].last)
            return true;
    return false;
}

int utf8_cell_width(uint32_t c)
{
    if (c < 0x300)
        return 1;
    if (in_ranges(combining, ARRAY_LEN(combining), c))
        return 0;
    return in_ranges(wide, ARRAY_LEN(wide), c) ? 2 : 1;
}

size_t utf8_width(const char *s)
{
    size_t n = strlen(s), width = 0;
    for (size_t i = 0, len; i < n; i += len)
        width += (size_t)utf8_cell_width(utf8_decode(s + i, n - i, &len));
    return width;
}

static void escape_one(struct str *out, uint32_t c, unsigned char raw, size_t len)
{
    if (c == '\n')
        str_puts(out, "\\n");
    else if (c == '\t')
        str_puts(out, "\\t");
    else if (len == 1)
        str_printf(out, "\\x%02x", raw);
    else
        str_printf(out, "\\u%04x", c);
}

static void escape_but(struct str *out, const char *s, size_t n, const char *kept)
{
    for (size_t i = 0, len; i < n; i += len) {
        uint32_t c = utf8_decode(s + i, n - i, &len);
        bool unsafe = utf8_unsafe(c) || (c == REPLACEMENT && len == 1);
        if (unsafe && !(s[i] && strchr(kept, s[i])))
            escape_one(out, c, (unsigned char)s[i], len);
        else
            str_put(out, s + i, len);
    }
}

void utf8_escape(struct str *out, const char *s, size_t n)
{
    escape_but(out, s, n, "");
}

void utf8_escape_lines(struct str *out, const char *s, size_t n)
{
    escape_but(out, s, n, "\n\t");
}

const char *utf8_to_valid(const char *text, struct arena *a)
{
    size_t n = strlen(text);
    struct str s;
    if (utf8_valid(text, n))
        return text;
    str_init(&s, a);
    for (size_t i = 0, len; i < n; i += len) {
        if (utf8_decode(text + i, n - i, &len) == REPLACEMENT && len == 1)
            str_puts(&s, "\xef\xbf\xbd");
        else
            str_put(&s, text + i, len);
    }
    return s.buf;
}

void utf8_make_printable(char *s)
{
    size_t n = strlen(s);
    for (size_t i = 0, len; i < n; i += len) {
        uint32_t c = utf8_decode(s + i, n - i, &len);
        if (utf8_unsafe(c) || (c == REPLACEMENT && len == 1))
            memset(s + i, '?', len);
    }
}

void utf8_clip(struct str *out, const char *s, size_t width)
{
    size_t n = strlen(s);
    if (utf8_width(s) <= width) {
        str_put(out, s, n);
        return;
    }
    size_t used = 0;
    for (size_t i = 0, len; i < n; i += len) {
        size_t w = (size_t)utf8_cell_width(utf8_decode(s + i, n - i, &len));
        if (used + w + 1 > width)
            break;
        used += w;
        str_put(out, s + i, len);
    }
    if (width)
        str_puts(out, "…");
}

const char *utf8_file_word(const char *text, struct arena *a)
{
    enum { MOST = 100 };
    struct str out;
    str_init(&out, a);
    size_t n = strlen(text);
    if (!n || *text == '.' || *text == '-')
        str_putc(&out, '_');
    for (size_t i = 0, len; i < n && out.len < MOST; i += len) {
        uint32_t c = utf8_decode(text + i, n - i, &len);
        bool malformed = len == 1 && (unsigned char)text[i] >= 0x80;
        if (malformed || c == '/' || utf8_unsafe(c))
            str_putc(&out, '_');
        else
            str_put(&out, text + i, len);
    }
    return out.buf;
}
