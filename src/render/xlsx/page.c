#include <math.h>

#include "base/utf8.h"
#include "render/xlsx/xlsx_in.h"

#define MORE "http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"

enum { NUMBERS = 14, TEXTS = 22, PROSE = 50, LOOKED_AT = 200 };

/* The longest text of the first rows, from TEXTS to PROSE. */
static double text_width(const struct sheet *s, const struct field *f, struct arena *a)
{
    size_t most = TEXTS, rows = s->n < LOOKED_AT ? s->n : LOOKED_AT;
    void *scratch = arena_alloc(a, s->fields->row_size);
    for (size_t i = 0; i < rows && most < PROSE; i++) {
        struct field_value v = field_get(f, sheet_row(s, i, scratch));
        size_t width = v.kind == VALUE_TEXT ? utf8_width(v.text) : 0;
        most = width > most ? width : most;
    }
    return most < PROSE ? (double)most : PROSE;
}

/* Widths must be known before the first row is written. */
static double column_width(const struct sheet *s, size_t k, const char *title, struct arena *a)
{
    const struct field *f = &s->fields->v[k];
    double least = (double)utf8_width(title) * (s->exact_titles ? 0.7 : 1.0) + 4;
    double wanted = f->type == FIELD_TEXT || f->type == FIELD_ENUM ? text_width(s, f, a) : NUMBERS;
    double most = 255; /* that Excel has */
    return least <= wanted ? wanted : least < most ? least : most;
}

/* Whole pixels, with five around the text, in the 256ths of a digit that files count in. */
static double width_in_file(double characters)
{
    enum { DIGIT_PX = 7 };
    double pixels = floor(characters * DIGIT_PX + 0.5) + 5;
    return floor(pixels / DIGIT_PX * 256) / 256;
}

static void put_columns(struct xlsx *x, const struct sheet *s)
{
    str_puts(&x->out, "<sheetFormatPr defaultRowHeight=\"15\"/><cols>");
    for (size_t k = 0; k < s->fields->n; k++) {
        double width = width_in_file(column_width(s, k, sheet_title(s, k, x->arena), x->arena));
        str_printf(&x->out, "<col min=\"%zu\" max=\"%zu\" width=\"%.10g\" customWidth=\"1\"/>",
                   k + 1, k + 1, width);
    }
    str_puts(&x->out, "</cols>");
}

/* Titles stay in sight, and the first column where it says what a row is about. */
static void put_view(struct xlsx *x, const struct xlsx_page *p)
{
    bool names = p->sheet->fields->v[0].type == FIELD_TEXT;
    str_printf(&x->out, "<sheetViews><sheetView%s workbookViewId=\"0\">",
               p == x->pages.v ? " tabSelected=\"1\"" : "");
    str_puts(&x->out,
             names ? "<pane xSplit=\"1\" ySplit=\"1\" topLeftCell=\"B2\" activePane=\"bottomRight\""
                     " state=\"frozen\"/><selection pane=\"topRight\" activeCell=\"B1\" "
                     "sqref=\"B1\"/><selection pane=\"bottomLeft\" activeCell=\"A2\" sqref=\"A2\"/>"
                     "<selection pane=\"bottomRight\"/>"
                   : "<pane ySplit=\"1\" topLeftCell=\"A2\" activePane=\"bottomLeft\" "
                     "state=\"frozen\"/><selection pane=\"bottomLeft\"/>");
    str_puts(&x->out, "</sheetView></sheetViews>");
}

static void put_rows(struct xlsx *x, const struct xlsx_page *p)
{
    const struct fields *fields = p->sheet->fields;
    void *scratch = arena_alloc(x->arena, fields->row_size);
    enum xlsx_look *looks = arena_alloc(x->arena, fields->n * sizeof(*looks));
    str_puts(&x->out, "<sheetData><row r=\"1\" ht=\"30\" customHeight=\"1\">");
    for (size_t k = 0; k < fields->n; k++) {
        looks[k] = xlsx_look(&fields->v[k]);
        xlsx_put_text(x, (struct xlsx_cell){1, k, LOOK_HEAD}, sheet_title(p->sheet, k, x->arena));
    }
    str_puts(&x->out, "</row>");
    for (size_t i = 0; i < p->n && !zip_failed(x->zip); i++) {
        const void *row = sheet_row(p->sheet, p->first + i, scratch);
        str_printf(&x->out, "<row r=\"%zu\">", i + 2);
        for (size_t k = 0; k < fields->n; k++)
            xlsx_put_value(x, (struct xlsx_cell){i + 2, k, looks[k]}, &fields->v[k], row);
        str_puts(&x->out, "</row>");
        xlsx_flush(x);
    }
    str_puts(&x->out, "</sheetData>");
}

/* ---- bars behind shares ---- */

static bool has_bar(const struct xlsx_page *p, size_t k)
{
    return p->n && p->sheet->fields->v[k].unit == IN_PERCENT;
}

/* "C2:C9", the rows of a column. */
static const char *cells_of(struct xlsx *x, const struct xlsx_page *p, size_t k)
{
    char first[XLSX_PLACE], last[XLSX_PLACE];
    xlsx_place(first, 2, k);
    xlsx_place(last, p->n + 1, k);
    return p->n == 1 ? arena_strdup(x->arena, first) : arena_printf(x->arena, "%s:%s", first, last);
}

/* By it the second description of a bar finds the first. */
static const char *bar_id(struct xlsx *x, const struct xlsx_page *p, size_t k)
{
    return arena_printf(x->arena, "{67707573-6967-6874-%04zX-%012zX}",
                        (size_t)(p - x->pages.v) & 0xffff, k + 1);
}

static void put_bar(struct xlsx *x, const struct xlsx_page *p, size_t k, int priority)
{
    str_printf(&x->out,
               "<conditionalFormatting sqref=\"%s\"><cfRule type=\"dataBar\" priority=\"%d\">"
               "<dataBar><cfvo type=\"num\" val=\"0\"/><cfvo type=\"num\" val=\"100\"/>"
               "<color rgb=\"FF9CC3E5\"/></dataBar><extLst><ext xmlns:x14=\"" MORE
               "\" uri=\"{B025F937-C7B1-47D3-B67F-A62EFF666E3E}\"><x14:id>%s</x14:id></ext>"
               "</extLst></cfRule></conditionalFormatting>",
               cells_of(x, p, k), priority, bar_id(x, p, k));
}

/* What newer programs know in addition: bars of one colour, whose length is the share itself. */
static void put_solid_bar(struct xlsx *x, const struct xlsx_page *p, size_t k)
{
    str_printf(&x->out,
               "<x14:conditionalFormatting xmlns:xm=\"http://schemas.microsoft.com/office/excel/"
               "2006/main\"><x14:cfRule type=\"dataBar\" id=\"%s\"><x14:dataBar minLength=\"0\" "
               "maxLength=\"100\" border=\"1\" gradient=\"0\" "
               "negativeBarBorderColorSameAsPositive=\"0\">"
               "<x14:cfvo type=\"num\"><xm:f>0</xm:f></x14:cfvo>"
               "<x14:cfvo type=\"num\"><xm:f>100</xm:f></x14:cfvo>"
               "<x14:borderColor rgb=\"FF9CC3E5\"/><x14:negativeFillColor rgb=\"FFFF0000\"/>"
               "<x14:negativeBorderColor rgb=\"FFFF0000\"/><x14:axisColor rgb=\"FF000000\"/>"
               "</x14:dataBar></x14:cfRule><xm:sqref>%s</xm:sqref></x14:conditionalFormatting>",
               bar_id(x, p, k), cells_of(x, p, k));
}

static int put_bars(struct xlsx *x, const struct xlsx_page *p)
{
    int bars = 0;
    for (size_t k = 0; k < p->sheet->fields->n; k++)
        if (has_bar(p, k))
            put_bar(x, p, k, ++bars);
    return bars;
}

static void put_solid_bars(struct xlsx *x, const struct xlsx_page *p)
{
    str_puts(&x->out,
             "<extLst><ext xmlns:x14=\"" MORE "\" uri=\"{78C0D931-6437-407d-A8EE-F0AAD7539E65}\">"
             "<x14:conditionalFormattings>");
    for (size_t k = 0; k < p->sheet->fields->n; k++)
        if (has_bar(p, k))
            put_solid_bar(x, p, k);
    str_puts(&x->out, "</x14:conditionalFormattings></ext></extLst>");
}

/* On paper as wide as a page of A4; the workbook has the titles repeated on each. */
void xlsx_put_page(struct xlsx *x, const struct xlsx_page *p)
{
    size_t number = (size_t)(p - x->pages.v) + 1, columns = p->sheet->fields->n;
    char last[XLSX_PLACE];
    xlsx_place(last, p->n + 1, columns - 1);
    xlsx_begin(x, arena_printf(x->arena, "xl/worksheets/sheet%zu.xml", number), ZIP_LARGE);
    str_printf(&x->out,
               XLSX_XML "<worksheet xmlns=\"" XLSX_MAIN "\" xmlns:r=\"" XLSX_LINKS
                        "\"><sheetPr><pageSetUpPr fitToPage=\"1\"/></sheetPr>"
                        "<dimension ref=\"A1:%s\"/>",
               last);
    put_view(x, p);
    put_columns(x, p->sheet);
    put_rows(x, p);
    str_printf(&x->out, "<autoFilter ref=\"A1:%s\"/>", last);
    int bars = put_bars(x, p);
    str_puts(&x->out, "<pageMargins left=\"0.7\" right=\"0.7\" top=\"0.75\" bottom=\"0.75\" "
                      "header=\"0.3\" footer=\"0.3\"/><pageSetup paperSize=\"9\" "
                      "fitToHeight=\"0\" orientation=\"landscape\"/>");
    if (p->chart)
        str_puts(&x->out, "<drawing r:id=\"rId1\"/>");
    if (bars)
        put_solid_bars(x, p);
    str_puts(&x->out, "</worksheet>");
    xlsx_end(x);
}
