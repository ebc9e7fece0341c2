/* The blocks of a doc, one after the other. */
#include <string.h>

#include "render/html/html_in.h"

const char *html_tone(enum tone tone)
{
    static const char *const tones[] = {[TONE_PLAIN] = "same",
                                        [TONE_GOOD] = "good",
                                        [TONE_WARN] = "warn",
                                        [TONE_BAD] = "bad",
                                        [TONE_INFO] = "same"};
    return tones[tone];
}

const char *html_priority(enum tone tone)
{
    static const char *const words[] = {[TONE_PLAIN] = "info",
                                        [TONE_GOOD] = "low",
                                        [TONE_WARN] = "medium",
                                        [TONE_BAD] = "high",
                                        [TONE_INFO] = "low"};
    return words[tone];
}

bool html_has(const struct html *h, const char *id)
{
    for (size_t i = 0; i < h->d->blocks.n; i++) {
        const struct block *b = h->d->blocks.v[i];
        const char *own = b->kind == BLOCK_OPEN ? b->fold->id : b->id;
        if (own && !strcmp(own, id))
            return true;
    }
    return false;
}

/* ---- headings ---- */

static void end_chapter(struct html *h)
{
    if (h->chapter_open)
        html_raw(h, "</section>\n");
    h->chapter_open = false;
}

static void chapter(struct html *h, const char *id, const char *nav, const char *title)
{
    end_chapter(h);
    html(h, "<section id=\"%s\" class=\"chapter\" aria-labelledby=\"%s-title\">\n", id, id);
    html(h, "<h2 id=\"%s-title\">%s</h2>\n", id, title);
    vec_push(&h->chapters, h->arena, ((struct html_chapter){id, nav}));
    h->chapter_open = true;
    h->level = 2;
}

static void heading(struct html *h, const struct block *b, size_t i)
{
    int level = b->level == 2 || b->level <= h->level + 1 ? b->level : h->level + 1;
    h->level = level; /* a page must not leave levels out */
    if (level == 2)
        chapter(h, b->id ? b->id : arena_printf(h->arena, "part-%zu", i), b->nav ? b->nav : b->text,
                b->text);
    else if (b->id)
        html(h, "<h%d id=\"%s\">%s</h%d>\n", level, b->id, b->text, level);
    else
        html(h, "<h%d>%s</h%d>\n", level, b->text, level);
}

/* ---- words ---- */

static void words(struct html *h, const struct block *b)
{
    if (b->link && html_has(h, b->link))
        html(h, "<a href=\"#%s\">%s</a>", b->link, b->text);
    else
        html(h, "%s", b->text);
    if (b->jump) {
        html_raw(h, " ");
        html_jump(h, b->jump, doc_jump_text(h->d, b->jump));
    }
    if (b->find && h->timeline)
        html(h,
             " <button type=\"button\" class=\"small\" data-find=\"%s\">Find it in the "
             "timeline</button>",
             b->find);
}

static void callout(struct html *h, const struct block *b)
{
    html(h, "<div class=\"verdict %s\">", html_tone(b->tone));
    if (b->label)
        html(h, "<p class=\"status\">%s</p>", b->label);
    html(h, "<p class=\"headline\">%s</p></div>\n", b->text);
}

static void facts(struct html *h, const struct block *b)
{
    html_raw(h, "<dl class=\"facts\">\n");
    for (size_t i = 0; i < b->facts.n; i++) {
        const struct fact *f = &b->facts.v[i];
        html(h, "<div><dt>%s", f->label);
        if (f->doc) {
            html_raw(h, " ");
            html_tip(h, f->label, f->doc);
        }
        html(h, "</dt><dd>%s</dd></div>\n", f->value);
    }
    html_raw(h, "</dl>\n");
}

/* ---- folding ---- */

/* "finding-3" is one of the findings. */
static const char *kind_of(struct html *h, const struct disclosure *o)
{
    return arena_strndup(h->arena, o->id, strcspn(o->id, "-"));
}

static void end_list(struct html *h)
{
    if (h->list)
        html_raw(h, "</div>\n");
    h->list = NULL;
}

static void start_list(struct html *h, const struct disclosure *o)
{
    const char *kind = kind_of(h, o);
    if (h->list && !strcmp(h->list, kind))
        return;
    end_list(h);
    h->list = kind;
    if (o->badge && h->chapters.n && o->tone != TONE_PLAIN) {
        const char *id = h->chapters.v[h->chapters.n - 1].id;
        html(h,
             "<p class=\"fold-all\"><button type=\"button\" class=\"small\" "
             "data-open-all=\"%s\">Open all</button> "
             "<button type=\"button\" class=\"small\" data-close-all=\"%s\">Close all</button>"
             "</p>\n",
             id, id);
    }
    html(h, "<div class=\"%s-list\">\n", kind);
}

static void open_fold(struct html *h, const struct disclosure *o)
{
    start_list(h, o);
    html(h, "<details id=\"%s\" class=\"%s%s%s\"", o->id, h->list, o->badge ? " p-" : "",
         o->badge ? html_priority(o->tone) : "");
    html_raw(h, o->open ? " open>\n<summary>" : ">\n<summary>");
    if (o->swatch)
        html(h,
             "<svg class=\"swatch\" width=\"12\" height=\"12\" aria-hidden=\"true\"><rect "
             "fill=\"var(--gs-%s)\" width=\"12\" height=\"12\"/></svg>",
             ink_name(o->ink));
    if (o->number)
        html(h, "<span class=\"number\">%zu.</span> ", o->number);
    if (o->badge)
        html(h, "<span class=\"badge p-%s\">%s</span> ", html_priority(o->tone), o->badge);
    html(h, "<span class=\"%s\">%s</span>", o->badge ? "title" : "name", o->title);
    if (o->cost)
        html(h, " <span class=\"cost\">%s</span>", o->cost); /* read aloud as two words */
    html_raw(h, "</summary>\n<div class=\"body\">\n");
}

/* ---- all ---- */

static void block(struct html *h, const struct block *b, size_t i)
{
    switch (b->kind) {
    case BLOCK_HEADING:
        heading(h, b, i);
        break;
    case BLOCK_TEXT:
        html_raw(h, "<p>");
        words(h, b);
        html_raw(h, "</p>\n");
        break;
    case BLOCK_ITEM:
        html_raw(h, "<li>");
        words(h, b);
        html_raw(h, "</li>\n");
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
    case BLOCK_CARDS:
        html_raw(h, "<div class=\"cards\">\n");
        for (size_t c = 0; c < b->cards.n; c++)
            html_card(h, &b->cards.v[c]);
        html_raw(h, "</div>\n");
        break;
    case BLOCK_TABLE:
        html_table(h, b);
        break;
    case BLOCK_BARS:
        html_bars(h, b);
        break;
    case BLOCK_CHART:
        html_chart(h, b->chart);
        break;
    case BLOCK_PICTURE:
        html_picture(h, b);
        break;
    case BLOCK_TIMELINE:
        html_timeline(h);
        break;
    case BLOCK_OPEN:
        open_fold(h, b->fold);
        break;
    case BLOCK_CLOSE:
        html_raw(h, "</div></details>\n");
        break;
    }
}

/* Items that follow each other are one list, and so are disclosures. */
static void lists(struct html *h, const struct block *b, size_t depth)
{
    bool item = b->kind == BLOCK_ITEM;
    if (h->items && !item)
        html_raw(h, "</ul>\n");
    if (!depth && b->kind != BLOCK_OPEN)
        end_list(h);
    /* What stands before the first section has a chapter, too. */
    if (!h->chapter_open && !(b->kind == BLOCK_HEADING && b->level == 2))
        chapter(h, "overview", "Overview", "Overview");
    if (item && !h->items)
        html_raw(h, "<ul>\n");
    h->items = item;
}

void html_blocks(struct html *h)
{
    size_t depth = 0;
    for (size_t i = 0; i < h->d->blocks.n; i++) {
        const struct block *b = h->d->blocks.v[i];
        if (b->kind == BLOCK_HEADING && b->level == 1)
            continue;
        lists(h, b, depth);
        block(h, b, i);
        depth += b->kind == BLOCK_OPEN;
        depth -= b->kind == BLOCK_CLOSE;
    }
    if (h->items)
        html_raw(h, "</ul>\n");
    end_list(h);
    end_chapter(h);
}
