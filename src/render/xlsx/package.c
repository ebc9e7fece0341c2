#include <errno.h>
#include <string.h>

#include "render/xlsx/xlsx_in.h"

enum { FLUSH = 1 << 16 };

void xlsx_begin(struct xlsx *x, const char *name, int flags)
{
    zip_begin(x->zip, name, flags);
    str_clear(&x->out);
}

static void hand_over(struct xlsx *x)
{
    zip_put(x->zip, x->out.buf, x->out.len);
    str_clear(&x->out);
}

void xlsx_flush(struct xlsx *x)
{
    if (x->out.len >= FLUSH)
        hand_over(x);
}

void xlsx_end(struct xlsx *x)
{
    hand_over(x);
    zip_end(x->zip);
}

/* ---- the parts around the pages ---- */

static void put_kind(struct xlsx *x, const char *part, size_t number, const char *kind)
{
    char digits[24] = "";
    if (number)
        snprintf(digits, sizeof(digits), "%zu", number);
    str_printf(&x->out,
               "<Override PartName=\"/%s%s.xml\" ContentType=\"application/vnd.openxmlformats-"
               "%s+xml\"/>",
               part, digits, kind);
}

static void put_kinds(struct xlsx *x)
{
    xlsx_begin(x, "[Content_Types].xml", 0);
    str_puts(&x->out, XLSX_XML "<Types xmlns=\"" XLSX_PACKAGE "/content-types\">"
                               "<Default Extension=\"rels\" ContentType=\"application/vnd."
                               "openxmlformats-package.relationships+xml\"/>"
                               "<Default Extension=\"xml\" ContentType=\"application/xml\"/>");
    put_kind(x, "docProps/app", 0, "officedocument.extended-properties");
    put_kind(x, "docProps/core", 0, "package.core-properties");
    put_kind(x, "xl/workbook", 0, "officedocument.spreadsheetml.sheet.main");
    put_kind(x, "xl/styles", 0, "officedocument.spreadsheetml.styles");
    for (size_t i = 1; i <= x->pages.n; i++)
        put_kind(x, "xl/worksheets/sheet", i, "officedocument.spreadsheetml.worksheet");
    for (size_t i = 1; i <= x->charts; i++) {
        put_kind(x, "xl/drawings/drawing", i, "officedocument.drawing");
        put_kind(x, "xl/charts/chart", i, "officedocument.drawingml.chart");
    }
    str_puts(&x->out, "</Types>");
    xlsx_end(x);
}

static void put_links(struct xlsx *x)
{
    xlsx_begin(x, "_rels/.rels", 0);
    str_puts(&x->out,
             XLSX_XML "<Relationships xmlns=\"" XLSX_PACKAGE "/relationships\">"
                      "<Relationship Id=\"rId1\" Type=\"" XLSX_LINKS
                      "/officeDocument\" Target=\"xl/workbook.xml\"/>"
                      "<Relationship Id=\"rId2\" Type=\"" XLSX_PACKAGE
                      "/relationships/metadata/core-properties\" Target=\"docProps/core.xml\"/>"
                      "<Relationship Id=\"rId3\" Type=\"" XLSX_LINKS
                      "/extended-properties\" Target=\"docProps/app.xml\"/></Relationships>");
    xlsx_end(x);
}

/* The same trace gives the same bytes: no date of today. */
static void put_properties(struct xlsx *x)
{
    xlsx_begin(x, "docProps/core.xml", 0);
    str_puts(&x->out, XLSX_XML
             "<cp:coreProperties xmlns:cp=\"" XLSX_PACKAGE "/metadata/core-properties\" "
             "xmlns:dc=\"http://purl.org/dc/elements/1.1/\" "
             "xmlns:dcterms=\"http://purl.org/dc/terms/\" "
             "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">"
             "<dc:title>gpusight report</dc:title>"
             "<dcterms:created xsi:type=\"dcterms:W3CDTF\">2000-01-01T00:00:00Z</dcterms:created>"
             "<dcterms:modified xsi:type=\"dcterms:W3CDTF\">2000-01-01T00:00:00Z"
             "</dcterms:modified></cp:coreProperties>");
    xlsx_end(x);
    xlsx_begin(x, "docProps/app.xml", 0);
    str_puts(&x->out, XLSX_XML "<Properties xmlns=\"http://schemas.openxmlformats.org/"
                               "officeDocument/2006/extended-properties\">"
                               "<Application>gpusight</Application></Properties>");
    xlsx_end(x);
}

static void put_names(struct xlsx *x)
{
    str_puts(&x->out, "<definedNames>");
    for (size_t i = 0; i < x->pages.n; i++) {
        const struct xlsx_page *p = &x->pages.v[i];
        char last[XLSX_PLACE];
        size_t letters = xlsx_place(last, 1, p->sheet->fields->n - 1) - 1;
        str_printf(&x->out,
                   "<definedName name=\"_xlnm._FilterDatabase\" localSheetId=\"%zu\" "
                   "hidden=\"1\">%s!$A$1:$%.*s$%zu</definedName>",
                   i, p->name, (int)letters, last, p->n + 1);
        str_printf(&x->out,
                   "<definedName name=\"_xlnm.Print_Titles\" localSheetId=\"%zu\">"
                   "%s!$1:$1</definedName>",
                   i, p->name);
    }
    str_puts(&x->out, "</definedNames>");
}

static void put_book(struct xlsx *x)
{
    xlsx_begin(x, "xl/workbook.xml", 0);
    str_puts(&x->out, XLSX_XML "<workbook xmlns=\"" XLSX_MAIN "\" xmlns:r=\"" XLSX_LINKS
                               "\"><workbookPr/><bookViews><workbookView xWindow=\"240\" "
                               "yWindow=\"15\" windowWidth=\"16095\" windowHeight=\"9660\"/>"
                               "</bookViews><sheets>");
    for (size_t i = 0; i < x->pages.n; i++)
        str_printf(&x->out, "<sheet name=\"%s\" sheetId=\"%zu\" r:id=\"rId%zu\"/>",
                   x->pages.v[i].name, i + 1, i + 1);
    str_puts(&x->out, "</sheets>");
    put_names(x);
    str_puts(&x->out, "</workbook>");
    xlsx_end(x);
    xlsx_begin(x, "xl/_rels/workbook.xml.rels", 0);
    str_puts(&x->out, XLSX_XML "<Relationships xmlns=\"" XLSX_PACKAGE "/relationships\">");
    for (size_t i = 1; i <= x->pages.n; i++)
        str_printf(&x->out,
                   "<Relationship Id=\"rId%zu\" Type=\"" XLSX_LINKS
                   "/worksheet\" Target=\"worksheets/sheet%zu.xml\"/>",
                   i, i);
    str_printf(&x->out,
               "<Relationship Id=\"rId%zu\" Type=\"" XLSX_LINKS
               "/styles\" Target=\"styles.xml\"/></Relationships>",
               x->pages.n + 1);
    xlsx_end(x);
}

/* ---- the whole ---- */

static void plan_pages(struct xlsx *x, const struct sheet *s, size_t *split)
{
    size_t most = SHEET_ROWS - 1;
    for (size_t first = 0, part = 1; first < s->n || part == 1; first += most, part++) {
        struct xlsx_page p = {.sheet = s, .name = s->name, .first = first};
        p.n = s->n - first < most ? s->n - first : most;
        if (part > 1)
            p.name = arena_printf(x->arena, "%s_%zu", s->name, part);
        else if (s->chart != SHEET_NO_CHART && s->n && s->chart_rows)
            p.chart = ++x->charts;
        vec_push(&x->pages, x->arena, p);
        *split += part > 1;
    }
}

static void put_all(struct xlsx *x)
{
    put_kinds(x);
    put_links(x);
    put_properties(x);
    put_book(x);
    xlsx_put_styles(x);
    for (size_t i = 0; i < x->pages.n; i++) {
        xlsx_put_page(x, &x->pages.v[i]);
        if (x->pages.v[i].chart)
            xlsx_put_chart(x, &x->pages.v[i]);
    }
}

bool render_xlsx(const struct workbook *w, const char *path, size_t *split, struct fs_set *set,
                 struct gs_error *err)
{
    struct xlsx x = {.arena = w->arena};
    *split = 0;
    struct fs_out *out = fs_set_name(set, path, err);
    if (!out)
        return false;
    str_init(&x.out, w->arena);
    str_init(&x.text, w->arena);
    x.zip = zip_new(out->fd, w->arena);
    for (size_t i = 0; i < w->sheets.n; i++)
        plan_pages(&x, &w->sheets.v[i], split);
    put_all(&x);
    if (!zip_finish(x.zip))
        return fail(err, GS_E_IO, "cannot write '%s': %s", path, strerror(errno));
    return fs_set_done(set, out, err);
}
