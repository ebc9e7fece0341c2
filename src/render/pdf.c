/*
 * A doc as PDF. It is set twice: the first time to learn on which page each heading falls, the
 * second time with those numbers in the contents.
 */
#include "base/mem.h"
#include "config.h"
#include "render/pdf_in.h"
#include "render/picture.h"

static void furniture(struct pdf *p)
{
    static const struct pdf_font f = {CAIRO_FONT, 7, 9, false};
    struct pdf_lines title = {0};
    pdf_use(p, &f);
    if (p->page > 1) {
        pdf_wrap(p, p->title, CONTENT_W, &title);
        pdf_clip(p, &title, 1, CONTENT_W);
        if (title.all.n)
            pdf_show(p, INK_MUTED, MARGIN, 40, title.all.v[0]);
    }
    const char *number = arena_printf(p->arena, "page %d of %d", p->page, p->pages);
    pdf_show(p, INK_MUTED, MARGIN, PAGE_H - 34, "gpusight " GPUSIGHT_VERSION);
    pdf_show(p, INK_MUTED, PAGE_W - MARGIN - pdf_width(p, number), PAGE_H - 34, number);
}

void pdf_next_page(struct pdf *p)
{
    if (p->page)
        cairo.show_page(p->cr);
    if (!mem_has(MEM_LIBRARY_STEP))
        mem_exhausted();
    p->page++;
    p->y = TOP;
    furniture(p);
}

void pdf_need(struct pdf *p, double room)
{
    if (p->y + room > BOTTOM && p->y > TOP)
        pdf_next_page(p);
}

static size_t count_headings(const struct doc *d)
{
    size_t n = 0;
    for (size_t i = 0; i < d->blocks.n; i++)
        n += d->blocks.v[i]->kind == BLOCK_HEADING && d->blocks.v[i]->level <= PDF_LISTED;
    return n;
}

static void contents_line(struct pdf *p, size_t i)
{
    struct pdf_heading h = {"", 2, 0};
    struct pdf_lines text = {0};
    if (i < p->headings.n)
        h = p->headings.v[i];
    double x = MARGIN + (h.level > 2 ? 14 : 0), end = PAGE_W - MARGIN;
    pdf_need(p, pdf_body.leading);
    pdf_use(p, &pdf_body);
    const char *page = arena_printf(p->arena, "%d", h.page);
    pdf_wrap(p, h.text, end - x - 40, &text);
    pdf_clip(p, &text, 1, end - x - 40);
    cairo.tag_begin(p->cr, CAIRO_TAG_LINK, arena_printf(p->arena, "dest='s%zu'", i));
    if (text.all.n)
        pdf_show(p, INK_TEXT, x, p->y + pdf_body.size, text.all.v[0]);
    pdf_show(p, INK_MUTED, end - pdf_width(p, page), p->y + pdf_body.size, page);
    cairo.tag_end(p->cr, CAIRO_TAG_LINK);
    p->y += pdf_body.leading;
}

/* One line a heading in both passes, so that what follows stays where it is. */
static void contents(struct pdf *p)
{
    static const struct pdf_font bold = {CAIRO_FONT, 11, 16, true};
    size_t n = count_headings(p->doc);
    if (n < 3)
        return;
    p->y += 10;
    pdf_paragraph(p, &bold, INK_TEXT, MARGIN, CONTENT_W, "Contents");
    for (size_t i = 1; i < n; i++)
        contents_line(p, i);
    p->y += 8;
}

static void set(struct pdf *p)
{
    bool done = false;
    size_t headings = 0;
    pdf_next_page(p);
    for (size_t i = 0; i < p->doc->blocks.n; i++) {
        const struct block *b = p->doc->blocks.v[i];
        if (b->kind == BLOCK_HEADING && ++headings == 2 && !done) {
            contents(p);
            done = true;
        }
        pdf_block(p, b, i + 1 < p->doc->blocks.n ? p->doc->blocks.v[i + 1] : NULL);
    }
}

/* `out` may be NULL: then nothing is written. */
static cairo_status_t pass(struct pdf *p, struct str *out)
{
    if (!mem_has(MEM_LIBRARY))
        return CAIRO_STATUS_NO_MEMORY;
    struct arena *temporary = arena_scratch();
    struct cairo_owned *own = cairo_owned_new(temporary, out);
    p->surface = own->surface =
        cairo.pdf_surface_create_for_stream(cairo_write, own, PAGE_W, PAGE_H);
    cairo.pdf_surface_set_metadata(p->surface, CAIRO_PDF_METADATA_TITLE, p->title);
    cairo.pdf_surface_set_metadata(p->surface, CAIRO_PDF_METADATA_CREATOR,
                                   "gpusight " GPUSIGHT_VERSION);
    /* The same trace gives the same bytes: no date of today. */
    cairo.pdf_surface_set_metadata(p->surface, CAIRO_PDF_METADATA_CREATE_DATE,
                                   "2000-01-01T00:00:00Z");
    p->cr = own->cr = cairo.create(p->surface);
    p->page = 0;
    p->heading = 0;
    p->outline[0] = p->outline[1] = p->outline[2] = p->outline[3] = CAIRO_PDF_OUTLINE_ROOT;
    set(p);
    cairo_status_t status = cairo.status(p->cr);
    cairo.destroy(p->cr);
    own->cr = NULL;
    cairo.surface_finish(p->surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo.surface_status(p->surface);
    arena_release(temporary);
    return status;
}

bool render_pdf(struct str *out, const struct doc *d, struct gs_error *err)
{
    if (!cairo_load(err))
        return false;
    struct pdf p = {.arena = d->arena, .doc = doc_linear(d), .title = "gpusight"};
    if (doc_title_of(d))
        p.title = cairo_safe(d->arena, doc_title_of(d)->text);
    cairo_status_t status = pass(&p, NULL);
    p.pages = p.page;
    p.final = true;
    if (status == CAIRO_STATUS_SUCCESS)
        status = pass(&p, out);
    return status == CAIRO_STATUS_SUCCESS || cairo_failed(err, status);
}
