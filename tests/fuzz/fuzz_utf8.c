/*
 * Any bytes, shown: what reaches a terminal or a JSON file is always safe and well-formed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/jwrite.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_safe(const struct str *s)
{
    must(utf8_valid(s->buf, s->len));
    for (size_t i = 0, len; i < s->len; i += len)
        must(!utf8_unsafe(utf8_decode(s->buf + i, s->len - i, &len)));
}

static void check_printable(struct arena *a, const char *text)
{
    char *copy = arena_strdup(a, text);
    utf8_make_printable(copy);
    must(strlen(copy) == strlen(text));
    must(utf8_valid(copy, strlen(copy)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    arena_init(&a);
    const char *text = arena_strndup(&a, (const char *)data, size);
    struct str out;
    str_init(&out, &a);
    utf8_escape(&out, text, size);
    check_safe(&out);
    str_clear(&out);
    jw_quote(&out, text, size);
    must(utf8_valid(out.buf, out.len) && out.len >= 2 && !memchr(out.buf, '\n', out.len));
    for (size_t width = 0; width < 20; width += 7) {
        str_clear(&out);
        utf8_clip(&out, text, width);
        must(utf8_width(out.buf) <= width || utf8_width(text) <= width);
    }
    check_printable(&a, text);
    arena_release(&a);
    return 0;
}
