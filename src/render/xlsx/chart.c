#include "render/xlsx/xlsx_in.h"

/* Chart pixels on a screen, and what drawings count in. */
enum { PIXEL = 9525, COLUMN_PX = 64, ROW_PX = 20, CHART_PX = 672, LOW_PX = 317, HIGH_PX = 461 };

static size_t rows_of(const struct xlsx_page *p)
{
    return p->n < p->sheet->chart_rows ? p->n : p->sheet->chart_rows;
}

/* "sheet!$B$2:$B$9" */
static void put_range(struct xlsx *x, const struct xlsx_page *p, size_t column, size_t first,
                      size_t last)
{
    char letters[XLSX_PLACE];
    size_t n = xlsx_place(letters, 1, column) - 1;
    str_printf(&x->out, "<c:f>%s!$%.*s$%zu", p->name, (int)n, letters, first);
    if (last > first)
        str_printf(&x->out, ":$%.*s$%zu", (int)n, letters, last);
    str_puts(&x->out, "</c:f>");
}

static void put_series(struct xlsx *x, const struct xlsx_page *p)
{
    const struct sheet *s = p->sheet;
    size_t last = rows_of(p) + 1;
    const char *ref = field_is_text(&s->fields->v[s->chart_label]) ? "strRef" : "numRef";
    str_printf(&x->out,
               "<c:barChart><c:barDir val=\"%s\"/><c:grouping val=\"clustered\"/>"
               "<c:ser><c:idx val=\"0\"/><c:order val=\"0\"/><c:tx><c:strRef>",
               s->chart == SHEET_BARS ? "bar" : "col");
    put_range(x, p, s->chart_value, 1, 1);
    str_printf(&x->out,
               "</c:strRef></c:tx><c:spPr><a:solidFill><a:srgbClr val=\"0072B2\"/></a:solidFill>"
               "</c:spPr><c:invertIfNegative val=\"0\"/><c:cat><c:%s>",
               ref);
    put_range(x, p, s->chart_label, 2, last);
    str_printf(&x->out, "</c:%s></c:cat><c:val><c:numRef>", ref);
    put_range(x, p, s->chart_value, 2, last);
    str_puts(&x->out, "</c:numRef></c:val></c:ser><c:axId val=\"1\"/><c:axId val=\"2\"/>"
                      "</c:barChart>");
}

/* Lying bars begin at the top, as the table does. */
static void put_axes(struct xlsx *x, bool lying)
{
    str_printf(&x->out,
               "<c:catAx><c:axId val=\"1\"/><c:scaling><c:orientation val=\"%s\"/></c:scaling>"
               "<c:delete val=\"0\"/><c:axPos val=\"%s\"/>"
               "<c:numFmt formatCode=\"General\" sourceLinked=\"1\"/>"
               "<c:majorTickMark val=\"out\"/><c:minorTickMark val=\"none\"/>"
               "<c:tickLblPos val=\"nextTo\"/><c:crossAx val=\"2\"/><c:crosses val=\"autoZero\"/>"
               "<c:auto val=\"1\"/><c:lblAlgn val=\"ctr\"/><c:lblOffset val=\"100\"/></c:catAx>",
               lying ? "maxMin" : "minMax", lying ? "l" : "b");
    str_printf(&x->out,
               "<c:valAx><c:axId val=\"2\"/><c:scaling><c:orientation val=\"minMax\"/></c:scaling>"
               "<c:delete val=\"0\"/><c:axPos val=\"%s\"/><c:majorGridlines/>"
               "<c:numFmt formatCode=\"General\" sourceLinked=\"1\"/>"
               "<c:majorTickMark val=\"out\"/><c:minorTickMark val=\"none\"/>"
               "<c:tickLblPos val=\"nextTo\"/><c:crossAx val=\"1\"/><c:crosses val=\"autoZero\"/>"
               "<c:crossBetween val=\"between\"/></c:valAx>",
               lying ? "t" : "l");
}

static void put_chart(struct xlsx *x, const struct xlsx_page *p)
{
    xlsx_begin(x, arena_printf(x->arena, "xl/charts/chart%zu.xml", p->chart), 0);
    str_puts(&x->out, XLSX_XML "<c:chartSpace xmlns:c=\"" XLSX_CHART "\" xmlns:a=\"" XLSX_DRAWING
                               "\" xmlns:r=\"" XLSX_LINKS "\"><c:chart><c:title><c:tx><c:rich>"
                               "<a:bodyPr/><a:p><a:pPr><a:defRPr/></a:pPr><a:r>"
                               "<a:rPr lang=\"en-US\"/><a:t>");
    workbook_text(&x->text, sheet_title(p->sheet, p->sheet->chart_value, x->arena), XLSX_TEXT);
    xlsx_escape(&x->out, x->text.buf);
    str_puts(&x->out, "</a:t></a:r></a:p></c:rich></c:tx><c:overlay val=\"0\"/></c:title>"
                      "<c:autoTitleDeleted val=\"0\"/><c:plotArea><c:layout/>");
    put_series(x, p);
    put_axes(x, p->sheet->chart == SHEET_BARS);
    str_puts(&x->out, "</c:plotArea><c:plotVisOnly val=\"1\"/></c:chart></c:chartSpace>");
    xlsx_end(x);
}

static void put_corner(struct xlsx *x, const char *name, size_t column, size_t row, int right,
                       int down)
{
    str_printf(&x->out,
               "<xdr:%s><xdr:col>%zu</xdr:col><xdr:colOff>%d</xdr:colOff><xdr:row>%zu</xdr:row>"
               "<xdr:rowOff>%d</xdr:rowOff></xdr:%s>",
               name, column, right * PIXEL, row, down * PIXEL, name);
}

/* Behind the last column, below the titles; columns and rows there are of the usual size. */
static void put_drawing(struct xlsx *x, const struct xlsx_page *p)
{
    size_t column = p->sheet->fields->n + 1;
    int high = rows_of(p) > 8 ? HIGH_PX : LOW_PX;
    xlsx_begin(x, arena_printf(x->arena, "xl/drawings/drawing%zu.xml", p->chart), 0);
    str_puts(&x->out,
             XLSX_XML "<xdr:wsDr xmlns:xdr=\"http://schemas.openxmlformats.org/drawingml/"
                      "2006/spreadsheetDrawing\" xmlns:a=\"" XLSX_DRAWING "\"><xdr:twoCellAnchor>");
    put_corner(x, "from", column, 1, 0, 0);
    put_corner(x, "to", column + CHART_PX / COLUMN_PX, 1 + (size_t)(high / ROW_PX),
               CHART_PX % COLUMN_PX, high % ROW_PX);
    str_printf(&x->out,
               "<xdr:graphicFrame macro=\"\"><xdr:nvGraphicFramePr>"
               "<xdr:cNvPr id=\"2\" name=\"Chart %zu\"/><xdr:cNvGraphicFramePr/>"
               "</xdr:nvGraphicFramePr><xdr:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"0\" "
               "cy=\"0\"/></xdr:xfrm><a:graphic><a:graphicData uri=\"" XLSX_CHART
               "\"><c:chart xmlns:c=\"" XLSX_CHART "\" xmlns:r=\"" XLSX_LINKS
               "\" r:id=\"rId1\"/></a:graphicData></a:graphic></xdr:graphicFrame>"
               "<xdr:clientData/></xdr:twoCellAnchor></xdr:wsDr>",
               p->chart);
    xlsx_end(x);
}

static void put_link(struct xlsx *x, const char *part, const char *kind, const char *folder,
                     size_t number)
{
    xlsx_begin(x, part, 0);
    str_printf(&x->out,
               XLSX_XML "<Relationships xmlns=\"" XLSX_PACKAGE "/relationships\">"
                        "<Relationship Id=\"rId1\" Type=\"" XLSX_LINKS
                        "/%s\" Target=\"../%s/%s%zu.xml\"/></Relationships>",
               kind, folder, kind, number);
    xlsx_end(x);
}

void xlsx_put_chart(struct xlsx *x, const struct xlsx_page *p)
{
    size_t page = (size_t)(p - x->pages.v) + 1;
    put_link(x, arena_printf(x->arena, "xl/worksheets/_rels/sheet%zu.xml.rels", page), "drawing",
             "drawings", p->chart);
    put_drawing(x, p);
    put_link(x, arena_printf(x->arena, "xl/drawings/_rels/drawing%zu.xml.rels", p->chart), "chart",
             "charts", p->chart);
    put_chart(x, p);
}
