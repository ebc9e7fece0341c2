/* Escaping and the small pieces of the page. */
#include <string.h>

#include "base/utf8.h"
#include "render/html/html_in.h"

static const char *entity(char c)
{
    switch (c) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

static void escape_plain(struct str *out, const char *s, size_t n)
{
    size_t from = 0;
    for (size_t i = 0; i < n; i++) {
        const char *e = entity(s[i]);
        if (!e)
            continue;
        str_put(out, s + from, i - from);
        str_puts(out, e);
        from = i + 1;
    }
    str_put(out, s + from, n - from);
}

static bool is_plain(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)s[i] < ' ' || (unsigned char)s[i] >= 0x7f)
            return false;
    return true;
}

void html_escape(struct str *out, const char *s)
{
    size_t n = strlen(s);
    if (is_plain(s, n)) {
        escape_plain(out, s, n);
        return;
    }
    struct arena *temporary = arena_scratch();
    struct str visible;
    str_init(&visible, temporary);
    utf8_escape(&visible, s, n);
    escape_plain(out, visible.buf, visible.len);
    arena_release(temporary);
}

/* One conversion, "%.1f": everything but strings goes through printf. */
static void convert(struct str *out, const char *spec, size_t n, va_list *ap)
{
    char fmt[16], type = spec[n - 1];
    if (n >= sizeof(fmt))
        return;
    memcpy(fmt, spec, n);
    fmt[n] = 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (type == '%')
        str_putc(out, '%');
    else if (type == 's') {
        const char *s = va_arg(*ap, const char *);
        html_escape(out, s ? s : "");
    } else if (type == 'f' || type == 'g')
        str_printf(out, fmt, va_arg(*ap, double));
    else if (strchr(fmt, 'z'))
        str_printf(out, fmt, va_arg(*ap, size_t));
    else if (strstr(fmt, "ll"))
        str_printf(out, fmt, va_arg(*ap, long long));
    else
        str_printf(out, fmt, va_arg(*ap, int));
#pragma GCC diagnostic pop
}

void html(struct html *h, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    while (*fmt) {
        size_t n = strcspn(fmt, "%");
        str_put(h->out, fmt, n);
        fmt += n;
        if (!*fmt)
            break;
        n = 1 + strspn(fmt + 1, "0123456789.lz") + 1;
        convert(h->out, fmt, n, &ap);
        fmt += n;
    }
    va_end(ap);
}

void html_raw(struct html *h, const char *markup)
{
    str_puts(h->out, markup);
}

/* ---- pieces ---- */

void html_tip(struct html *h, const char *what, const char *doc)
{
    html(h,
         "<button type=\"button\" class=\"tip\" aria-label=\"what is: %s\" "
         "data-tip=\"%s\">?</button>",
         what, doc);
}

void html_command(struct html *h, const char *command)
{
    html(h,
         "<div class=\"command\"><pre><code>%s</code></pre><button type=\"button\" class=\"copy\" "
         "aria-label=\"Copy this command\">Copy</button></div>\n",
         command);
}

void html_jump(struct html *h, const struct jump *j, const char *text)
{
    int64_t origin = h->d->a ? h->d->a->view.start_ns : 0;
    if (!h->timeline) {
        html(h, "%s", text);
        return;
    }
    html(h, "<a href=\"#timeline\" class=\"jump\" data-from=\"%lld\" data-to=\"%lld\"",
         (long long)sub_ns(j->start_ns, origin), (long long)sub_ns(j->end_ns, origin));
    if (j->kind)
        html(h, " data-kind=\"%s\" data-id=\"%lld\"", j->kind, (long long)j->id);
    html(h, ">%s</a>", text);
}
