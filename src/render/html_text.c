/* Escaping and the small pieces of the page. */
#include <string.h>

#include "base/human.h"
#include "base/sat.h"
#include "base/utf8.h"
#include "render/html_in.h"

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

/* ---- numbers ---- */

const char *html_ns(struct html *h, int64_t ns)
{
    char text[HUMAN_MAX];
    return arena_strdup(h->arena, human_time(text, ns));
}

const char *html_pct(struct html *h, double pct)
{
    char text[HUMAN_MAX];
    return arena_strdup(h->arena, human_pct(text, pct));
}

const char *html_count(struct html *h, uint64_t n)
{
    char text[HUMAN_MAX];
    return arena_strdup(h->arena, human_count(text, n));
}

const char *html_bytes(struct html *h, uint64_t n)
{
    char text[HUMAN_MAX];
    return arena_strdup(h->arena, human_bytes(text, n));
}

/* ---- pieces ---- */

void html_chapter_end(struct html *h)
{
    if (h->chapter_open)
        html_raw(h, "</section>\n");
    h->chapter_open = false;
}

void html_chapter(struct html *h, const char *id, const char *brief, const char *title)
{
    html_chapter_end(h);
    html(h, "<section id=\"%s\" class=\"chapter\" aria-labelledby=\"%s-title\">\n", id, id);
    html(h, "<h2 id=\"%s-title\">%s</h2>\n", id, title);
    vec_push(&h->chapters, h->arena, ((struct html_chapter){id, brief}));
    h->chapter_open = true;
}

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

void html_jump(struct html *h, int64_t start_ns, int64_t end_ns, const char *kind, int64_t id,
               const char *text)
{
    int64_t origin = h->a->view.start_ns;
    html(h, "<a href=\"#timeline\" class=\"jump\" data-from=\"%lld\" data-to=\"%lld\"",
         (long long)sub_ns(start_ns, origin), (long long)sub_ns(end_ns, origin));
    if (kind)
        html(h, " data-kind=\"%s\" data-id=\"%lld\"", kind, (long long)id);
    html(h, ">%s</a>", text);
}
