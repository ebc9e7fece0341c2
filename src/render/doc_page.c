#include "render/doc_page.h"

#include "render/html_in.h"

struct doc_page {
    const struct doc *d;
    const struct str *json;
};

static void nothing(struct html *h)
{
    (void)h;
}

static void callout(struct html *h, const struct block *b)
{
    static const char *const tones[] = {[TONE_PLAIN] = "same",
                                        [TONE_GOOD] = "good",
                                        [TONE_WARN] = "warn",
                                        [TONE_BAD] = "bad",
                                        [TONE_INFO] = "same"};
    html(h, "<div class=\"verdict %s\"><p class=\"headline\">%s</p></div>\n", tones[b->tone],
         b->text);
}

static void facts(struct html *h, const struct block *b)
{
    html_raw(h, "<dl class=\"facts\">\n");
    for (size_t i = 0; i < b->facts.n; i++)
        html(h, "<div><dt>%s</dt><dd>%s</dd></div>\n", b->facts.v[i].label, b->facts.v[i].value);
    html_raw(h, "</dl>\n");
}

static void cells(struct html *h, const struct block *b, size_t row)
{
    size_t n = b->columns.n;
    html_raw(h, "<tr>");
    for (size_t c = 0; c < n; c++) {
        html_raw(h, c ? "<td" : "<th scope=\"row\"");
        html(h, " class=\"%s\">%s", b->columns.v[c].kind == COLUMN_NUMBER ? "num" : "name",
             b->cells.v[row * n + c]);
        html_raw(h, c ? "</td>" : "</th>");
    }
    html_raw(h, "</tr>\n");
}

/* As html_table_of() writes tables, so that the same script sorts and searches them. */
static void table(struct html *h, const struct block *b, size_t number)
{
    size_t n = b->columns.n;
    if (!n || b->cells.n < n)
        return;
    const char *caption = b->text && *b->text ? b->text : "Table";
    html(h, "<div class=\"table\" data-name=\"table-%zu\">\n", number);
    html(h, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">\n", caption);
    html(h, "<table id=\"table-%zu\">\n<caption>%s</caption>\n<thead><tr>", number,
         b->text ? b->text : "");
    for (size_t c = 0; c < n; c++)
        html(h, "<th scope=\"col\" data-key=\"c%zu\" class=\"%s\">%s</th>", c,
             b->columns.v[c].kind == COLUMN_NUMBER ? "num" : "", b->columns.v[c].title);
    html_raw(h, "</tr></thead>\n<tbody>\n");
    for (size_t row = 0; row < b->cells.n / n; row++)
        cells(h, b, row);
    html_raw(h, "</tbody>\n</table>\n</div>\n</div>\n");
}

static void bars(struct html *h, const struct block *b)
{
    struct html_bar *v = arena_array(h->arena, struct html_bar, b->bars.n + 1);
    for (size_t i = 0; i < b->bars.n; i++)
        v[i] = (struct html_bar){b->bars.v[i].label, b->bars.v[i].value, b->bars.v[i].share};
    html_bars(h, b->text && *b->text ? b->text : "Shares", v, b->bars.n);
}

/* What stands before the first heading of the second level has a chapter, too. */
static void open_chapter(struct html *h, const struct block *b, size_t i)
{
    bool starts = b->kind == BLOCK_HEADING && b->level == 2;
    if (starts)
        html_chapter(h, arena_printf(h->arena, "part-%zu", i), b->text, b->text);
    else if (!h->chapter_open)
        html_chapter(h, "overview", "Overview", "Overview");
}

static void block(struct html *h, const struct block *b, size_t i)
{
    switch (b->kind) {
    case BLOCK_HEADING:
        if (b->level > 2)
            html(h, "<h3>%s</h3>\n", b->text);
        break;
    case BLOCK_TEXT:
        html(h, "<p>%s</p>\n", b->text);
        break;
    case BLOCK_ITEM:
        html(h, "<li>%s</li>\n", b->text);
        break;
    case BLOCK_CALLOUT:
        callout(h, b);
        break;
    case BLOCK_CODE:
        html_command(h, b->text);
        break;
    case BLOCK_FACTS:
        facts(h, b);
        break;
    case BLOCK_TABLE:
        table(h, b, i);
        break;
    case BLOCK_BARS:
        bars(h, b);
        break;
    case BLOCK_PICTURE:
        html_raw(h, "<figure class=\"chart\">\n");
        html_draw(h, b->picture, "draw");
        html_raw(h, "</figure>\n");
        break;
    }
}

/* Blocks one after the other; items that follow each other are one list. */
static void blocks(struct html *h, const struct doc *d, bool as_chapters)
{
    bool listing = false;
    for (size_t i = 0; i < d->blocks.n; i++) {
        const struct block *b = d->blocks.v[i];
        if (b->kind == BLOCK_HEADING && b->level == 1)
            continue;
        bool item = b->kind == BLOCK_ITEM;
        if (listing && !item)
            html_raw(h, "</ul>\n");
        if (as_chapters)
            open_chapter(h, b, i);
        if (item && !listing)
            html_raw(h, "<ul>\n");
        listing = item;
        block(h, b, i);
    }
    if (listing)
        html_raw(h, "</ul>\n");
}

void html_blocks(struct html *h, const struct doc *d)
{
    blocks(h, d, false);
}

static void chapters(struct html *h)
{
    blocks(h, ((const struct doc_page *)h->context)->d, true);
}

static void data(struct html *h)
{
    html_json(h, ((const struct doc_page *)h->context)->json);
}

void render_doc_html(struct str *out, const struct doc *d, const char *kind, const struct str *json)
{
    struct doc_page page = {d, json};
    struct html h = {.arena = out->arena, .context = &page};
    struct html_frame f = {.title = "gpusight",
                           .kind = kind,
                           .badges = nothing,
                           .pills = nothing,
                           .chapters = chapters,
                           .data = data};
    for (size_t i = d->blocks.n; i-- > 0;)
        if (d->blocks.v[i]->kind == BLOCK_HEADING && d->blocks.v[i]->level == 1)
            f.title = d->blocks.v[i]->text;
    html_page(out, &h, &f);
}
