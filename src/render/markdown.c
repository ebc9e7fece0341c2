#include <string.h>

#include "base/utf8.h"
#include "render/render.h"
#include "report/chart/chart.h"

/* Escapes for running text and table cells: nothing from a trace can become markup. */
static void escape(struct str *out, const char *s)
{
    struct str visible;
    str_init(&visible, out->arena);
    utf8_escape(&visible, s, strlen(s));
    for (const char *p = visible.buf; *p; p++) {
        if (*p == '<')
            str_puts(out, "&lt;");
        else if (*p == '>')
            str_puts(out, "&gt;");
        else if (*p == '&')
            str_puts(out, "&amp;");
        else {
            if (strchr("\\`*_[]|~#", *p))
                str_putc(out, '\\');
            str_putc(out, *p);
        }
    }
}

static void table(struct str *out, const struct block *b)
{
    size_t n = b->columns.n;
    if (!n)
        return;
    for (size_t c = 0; c < n; c++) {
        str_puts(out, c ? " | " : "| ");
        escape(out, b->columns.v[c].title);
    }
    str_puts(out, " |\n");
    for (size_t c = 0; c < n; c++)
        str_puts(out, b->columns.v[c].kind == COLUMN_NUMBER ? "|---:" : "|---");
    str_puts(out, "|\n");
    for (size_t i = 0; i < b->cells.n - b->cells.n % n; i++) {
        str_puts(out, i % n ? " | " : "| ");
        escape(out, b->cells.v[i]);
        if (i % n == n - 1)
            str_puts(out, " |\n");
    }
    str_putc(out, '\n');
    if (b->text && *b->text) {
        escape(out, b->text);
        str_puts(out, "\n\n");
    }
}

static void item(struct str *out, const char *label, const char *mark, const char *value)
{
    str_printf(out, "- %s", mark);
    escape(out, label);
    str_printf(out, "%s: ", mark);
    escape(out, value);
    str_putc(out, '\n');
}

static void bars(struct str *out, const struct block *b)
{
    for (size_t i = 0; i < b->bars.n; i++)
        item(out, b->bars.v[i].label, "", b->bars.v[i].value);
    str_putc(out, '\n');
}

static void facts(struct str *out, const struct block *b)
{
    for (size_t i = 0; i < b->facts.n; i++)
        item(out, b->facts.v[i].label, "**", b->facts.v[i].value);
    str_putc(out, '\n');
}

static void line(struct str *out, const char *before, const char *text, const char *after)
{
    str_puts(out, before);
    escape(out, text);
    str_puts(out, after);
}

/* A fence longer than any run of backticks inside. */
static void code(struct str *out, const char *text)
{
    struct str visible;
    str_init(&visible, out->arena);
    utf8_escape(&visible, text, strlen(text));
    const char *fence = strstr(visible.buf, "```") ? "``````````" : "```";
    str_printf(out, "%s\n%s\n%s\n\n", fence, visible.buf, fence);
}

/* A drawing in characters: its line ends stay what they are. */
static void drawing(struct str *out, const char *text)
{
    if (!*text)
        return;
    str_puts(out, "```\n");
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, "\n");
        utf8_escape(out, p, n);
        str_putc(out, '\n');
        p += n + (p[n] == '\n');
    }
    str_puts(out, "```\n\n");
}

/* ![title](<prefix/name.svg>), with all that could end the link encoded. */
static void picture(struct str *out, const struct chart *chart, const char *prefix)
{
    str_puts(out, "![");
    escape(out, chart->title);
    str_puts(out, "](");
    for (const char *p = prefix; *p; p++) {
        bool plain =
            (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || strchr("0123456789._-/", *p);
        if (plain)
            str_putc(out, *p);
        else
            str_printf(out, "%%%02X", (unsigned)(unsigned char)*p);
    }
    str_printf(out, "%s%s.svg)\n\n", *prefix ? "/" : "", chart->name);
}

static void block(struct str *out, const struct block *b, bool more_items)
{
    switch (b->kind) {
    case BLOCK_HEADING:
        line(out, b->level == 1 ? "# " : b->level == 2 ? "## " : "### ", b->text, "\n\n");
        break;
    case BLOCK_TEXT:
        line(out, "", b->text, "\n\n");
        break;
    case BLOCK_ITEM:
        line(out, "- ", b->text, more_items ? "\n" : "\n\n");
        break;
    case BLOCK_CALLOUT:
        line(out, "> **", b->text, "**\n\n");
        break;
    case BLOCK_CODE:
        code(out, b->text);
        break;
    case BLOCK_FACTS:
        facts(out, b);
        break;
    case BLOCK_TABLE:
        table(out, b);
        break;
    case BLOCK_BARS:
        bars(out, b);
        break;
    case BLOCK_PICTURE:
        drawing(out, b->lines);
        break;
    default:
        break;
    }
}

void render_markdown(struct str *out, const struct doc *d, const char *pictures)
{
    d = doc_linear(d);
    for (size_t i = 0; i < d->blocks.n; i++) {
        const struct block *b = d->blocks.v[i];
        if (b->kind == BLOCK_HEADING && b->level > 1 && !pictures && doc_is_bare(d, i))
            continue;
        block(out, b, i + 1 < d->blocks.n && d->blocks.v[i + 1]->kind == BLOCK_ITEM);
        const struct chart *chart = pictures && d->a && b->chart ? chart_find(b->chart) : NULL;
        if (chart && chart->has(d->a))
            picture(out, chart, pictures);
    }
}
