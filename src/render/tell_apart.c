#include "render/tell_apart.h"

#include <stdbool.h>
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"

enum {
    MOST_ROWS = 500, /* rows are compared with one another; nobody reads more by eye */
    ROUNDS = 3,
    HEAD_PART = 4, /* the head takes one in so many characters of the column */
};

struct column {
    const char **cells;
    size_t n, stride, width;
    struct arena *arena;
    const char **text; /* by row: in full */
    const char **cut;  /* by row: as it would be printed, NULL where that is all of it */
};

/* A character, or a part of one, that words are made of. */
static bool in_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (unsigned char)c >= 0x80;
}

static const char *clipped(const struct column *c, const char *s)
{
    struct str out;
    str_init(&out, c->arena);
    utf8_clip(&out, s, c->width);
    return out.buf;
}

/* Width of the start that is always kept, with its "…". */
static size_t least_head(const struct column *c, const char *text)
{
    return strspn(text, " ") + c->width / HEAD_PART + 1;
}

/* As much of the start as there is room for, "…", and what begins at byte `at`. */
static const char *without_middle(const struct column *c, const char *text, size_t at)
{
    struct str out;
    str_init(&out, c->arena);
    size_t least = least_head(c, text), tail = utf8_width(text + at);
    utf8_clip(&out, text, tail + least < c->width ? c->width - tail : least);
    str_puts(&out, text + at);
    return out.buf;
}

/* Where the texts of all rows that look like this one start to differ; 0: they do not. */
static size_t differ_at(const struct column *c, size_t row)
{
    const char *text = c->text[row];
    size_t all = strlen(text), at = all;
    for (size_t k = row + 1; k < c->n; k++)
        if (c->cut[k] && !strcmp(c->cut[k], c->cut[row]))
            for (size_t i = 0; i < at; i++)
                if (c->text[k][i] != text[i])
                    at = i;
    if (at == all)
        return 0;
    while (at && in_word(text[at - 1]))
        at--;
    return at;
}

/* Rows that look like this one, itself last. A second cut must not throw away what the first won.
 */
static void cut_alike(struct column *c, size_t row, bool again)
{
    size_t at = differ_at(c, row), head = least_head(c, c->text[row]);
    for (size_t k = c->n; k-- > row;) {
        if (!c->cut[k] || strcmp(c->cut[k], c->cut[row]) != 0)
            continue;
        bool full = head + utf8_width(c->text[k] + at) >= c->width;
        if (at > head && (full || !again))
            c->cells[k * c->stride] = without_middle(c, c->text[k], at);
        c->cut[k] = NULL;
    }
}

void tell_apart(const char **cells, size_t n, size_t stride, size_t width, struct arena *arena)
{
    if (n > MOST_ROWS || width < HEAD_PART)
        return;
    struct column c = {cells, n, stride, width, arena, NULL, NULL};
    c.text = arena_array(arena, const char *, n);
    c.cut = arena_array(arena, const char *, n);
    for (size_t i = 0; i < n; i++)
        c.text[i] = cells[i * stride];
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < n; i++)
            c.cut[i] =
                utf8_width(cells[i * stride]) > width ? clipped(&c, cells[i * stride]) : NULL;
        for (size_t i = 0; i < n; i++)
            if (c.cut[i])
                cut_alike(&c, i, round > 0);
    }
}
