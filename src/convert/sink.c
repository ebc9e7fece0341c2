#include "convert/sink.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"

bool sink_open(struct sink *s, struct conversion *c, const char *path, struct gs_error *err)
{
    uint64_t most = trace_text_most(c->trace);
    *s = (struct sink){.buf = arena_alloc(c->arena, SINK_BYTES),
                       .most = most > c->bytes ? most - c->bytes : 0};
    s->out = fs_set_open(c->set, path, err);
    return s->out != NULL;
}

static void write_out(struct sink *s, const void *p, size_t n)
{
    s->too_large |= n > s->most - s->total;
    if (s->too_large)
        return;
    if (!s->failed && fwrite(p, 1, n, s->out->file) != n)
        s->failed = errno ? errno : EIO;
    s->total += n;
}

void sink_flush(struct sink *s)
{
    if (s->n)
        write_out(s, s->buf, s->n);
    s->n = 0;
}

void sink_write(struct sink *s, const void *p, size_t n)
{
    if (SINK_BYTES - s->n < n)
        sink_flush(s);
    if (n > SINK_BYTES) {
        write_out(s, p, n);
        return;
    }
    memcpy(s->buf + s->n, p, n);
    s->n += n;
}

bool sink_close(struct sink *s, struct conversion *c, struct gs_error *err)
{
    sink_flush(s);
    c->bytes = c->bytes + s->total;
    if (s->too_large)
        return trace_text_fail(c->trace, err);
    if (s->failed) /* the first reason: closing would tell a later one */
        return fail(err, GS_E_IO, "cannot write '%s': %s", s->out->path, strerror(s->failed));
    return fs_set_done(c->set, s->out, err);
}

void sink_uint(struct sink *s, uint64_t v)
{
    char digits[20], *p = digits + sizeof(digits);
    do
        *--p = (char)('0' + v % 10);
    while (v /= 10);
    sink_put(s, p, (size_t)(digits + sizeof(digits) - p));
}

void sink_int(struct sink *s, int64_t v)
{
    if (v < 0)
        sink_putc(s, '-');
    sink_uint(s, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void sink_us(struct sink *s, int64_t ns)
{
    uint64_t v = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    if (ns < 0)
        sink_putc(s, '-');
    sink_uint(s, v / 1000);
    unsigned rest = (unsigned)(v % 1000);
    char *p = sink_room(s, 4);
    p[0] = '.';
    p[1] = (char)('0' + rest / 100);
    p[2] = (char)('0' + rest / 10 % 10);
    p[3] = (char)('0' + rest % 10);
    s->n += 4;
}

void sink_num(struct sink *s, double v)
{
    char text[40];
    if (!isfinite(v)) {
        sink_puts(s, "0");
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, v);
        if (strtod(text, NULL) == v)
            break;
    }
    sink_puts(s, text);
}

void sink_json(struct sink *s, const char *text)
{
    static const char hex[] = "0123456789abcdef";
    size_t n = s->too_large ? 0 : strlen(text), from = 0;
    sink_putc(s, '"');
    for (size_t i = 0, len; i < n; i += len) {
        unsigned char ch = (unsigned char)text[i];
        len = 1;
        if (ch >= 0x80)
            utf8_decode(text + i, n - i, &len);
        bool malformed = ch >= 0x80 && len == 1;
        if (ch >= 0x20 && ch != '"' && ch != '\\' && ch != 0x7f && !malformed)
            continue;
        sink_put(s, text + from, i - from);
        from = i + 1;
        if (malformed)
            sink_puts(s, "\\ufffd");
        else if (ch == '"' || ch == '\\')
            sink_put(s, (char[]){'\\', (char)ch}, 2);
        else
            sink_put(s, (char[]){'\\', 'u', '0', '0', hex[ch >> 4], hex[ch & 15]}, 6);
    }
    sink_put(s, text + from, n - from);
    sink_putc(s, '"');
}

void sink_printf(struct sink *s, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    if (n > 0)
        sink_put(s, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}
