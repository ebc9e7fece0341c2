#include "llm/sse.h"

#include <string.h>

void sse_init(struct sse *s, struct arena *a, sse_taker *take, void *ctx)
{
    *s = (struct sse){.take = take, .ctx = ctx};
    str_init(&s->line, a);
    str_init(&s->data, a);
}

static void dispatch(struct sse *s)
{
    if (s->has_data)
        s->take(s->ctx, s->name, s->data.buf, s->data.len);
    str_clear(&s->data);
    s->has_data = false;
    s->name[0] = 0;
}

/* What stands behind "field:"; NULL: it is another field. */
static const char *value_of(const struct str *line, const char *field)
{
    size_t n = strlen(field);
    if (line->len < n || memcmp(line->buf, field, n))
        return NULL;
    if (line->len == n)
        return line->buf + n;
    if (line->buf[n] != ':')
        return NULL;
    return line->buf + n + 1 + (line->buf[n + 1] == ' ');
}

static void end_line(struct sse *s)
{
    const char *v;
    if (!s->line.len) {
        dispatch(s);
        return;
    }
    if ((v = value_of(&s->line, "data"))) {
        if (s->has_data)
            str_putc(&s->data, '\n');
        str_put(&s->data, v, s->line.len - (size_t)(v - s->line.buf));
        s->has_data = true;
    } else if ((v = value_of(&s->line, "event"))) {
        size_t n = strlen(v) < sizeof(s->name) ? strlen(v) : sizeof(s->name) - 1;
        memcpy(s->name, v, n);
        s->name[n] = 0;
    }
    str_clear(&s->line);
}

bool sse_feed(struct sse *s, const char *piece, size_t n)
{
    if (!s->started && n >= 3 && !memcmp(piece, "\xef\xbb\xbf", 3)) {
        piece += 3;
        n -= 3;
    }
    s->started |= n > 0;
    while (n) {
        size_t plain = 0;
        while (plain < n && piece[plain] != '\n' && piece[plain] != '\r')
            plain++;
        str_put(&s->line, piece, plain);
        if (plain)
            s->after_cr = false;
        if (s->line.len + s->data.len > SSE_MAX)
            return false;
        if (plain == n)
            return true;
        bool lf_of_crlf = piece[plain] == '\n' && s->after_cr;
        if (!lf_of_crlf)
            end_line(s);
        s->after_cr = piece[plain] == '\r';
        piece += plain + 1;
        n -= plain + 1;
    }
    return true;
}

void sse_end(struct sse *s)
{
    if (s->line.len)
        end_line(s);
    dispatch(s);
}
