#include "render/xlsx/xlsx_in.h"

/* Ours; numbers below are the format's own (ECMA-376, 18.8.30). */
enum { OWN = 164 };
static const char *const own[] = {"#,##0.000", "#,##0.0##"};

static const int formats[LOOKS] = {
    [LOOK_TEXT] = 49,   [LOOK_PLAIN] = 1,   [LOOK_COUNT] = 3,      [LOOK_MICRO] = OWN,
    [LOOK_MILLI] = OWN, [LOOK_PERCENT] = 2, [LOOK_REAL] = OWN + 1,
};

enum xlsx_look xlsx_look(const struct field *f)
{
    if (field_is_text(f))
        return LOOK_TEXT;
    if (f->unit == IN_PERCENT)
        return LOOK_PERCENT;
    if (f->unit == IN_US)
        return LOOK_MICRO;
    if (f->unit == IN_MS)
        return LOOK_MILLI;
    if (f->type == FIELD_NUM)
        return LOOK_REAL;
    if (f->unit == IN_NS || f->unit == IN_BYTES || field_is_count(f))
        return LOOK_COUNT;
    return LOOK_PLAIN; /* ids: nobody wants a comma in a process id */
}

static void put_formats(struct str *out)
{
    str_printf(out, "<numFmts count=\"%zu\">", ARRAY_LEN(own));
    for (size_t i = 0; i < ARRAY_LEN(own); i++)
        str_printf(out, "<numFmt numFmtId=\"%d\" formatCode=\"%s\"/>", OWN + (int)i, own[i]);
    str_puts(out, "</numFmts>");
}

/* Titles are bold on light blue, with a line below; the first two fills are prescribed. */
static void put_parts(struct str *out)
{
    static const char font[] =
        "<sz val=\"11\"/><color rgb=\"FF000000\"/><name val=\"Calibri\"/><family val=\"2\"/>";
    str_printf(out, "<fonts count=\"2\"><font>%s</font><font><b/>%s</font></fonts>", font, font);
    str_puts(out, "<fills count=\"3\"><fill><patternFill patternType=\"none\"/></fill>"
                  "<fill><patternFill patternType=\"gray125\"/></fill>"
                  "<fill><patternFill patternType=\"solid\"><fgColor rgb=\"FFDCE6F1\"/>"
                  "<bgColor indexed=\"64\"/></patternFill></fill></fills>");
    str_puts(out, "<borders count=\"2\">"
                  "<border><left/><right/><top/><bottom/><diagonal/></border>"
                  "<border><left/><right/><top/><bottom style=\"thin\"><color auto=\"1\"/></bottom>"
                  "<diagonal/></border></borders>");
}

void xlsx_put_styles(struct xlsx *x)
{
    struct str *out = &x->out;
    xlsx_begin(x, "xl/styles.xml", 0);
    str_puts(out, XLSX_XML "<styleSheet xmlns=\"" XLSX_MAIN "\">");
    put_formats(out);
    put_parts(out);
    str_puts(out, "<cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" "
                  "borderId=\"0\"/></cellStyleXfs>");
    str_printf(out, "<cellXfs count=\"%d\">", LOOKS);
    for (int i = 0; i < LOOKS; i++) {
        if (i == LOOK_HEAD)
            str_puts(out, "<xf numFmtId=\"0\" fontId=\"1\" fillId=\"2\" borderId=\"1\" xfId=\"0\" "
                          "applyFont=\"1\" applyFill=\"1\" applyBorder=\"1\" applyAlignment=\"1\">"
                          "<alignment vertical=\"top\" wrapText=\"1\"/></xf>");
        else
            str_printf(out,
                       "<xf numFmtId=\"%d\" fontId=\"0\" fillId=\"0\" borderId=\"0\" "
                       "xfId=\"0\"%s/>",
                       formats[i], formats[i] ? " applyNumberFormat=\"1\"" : "");
    }
    str_puts(out, "</cellXfs><cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" "
                  "builtinId=\"0\"/></cellStyles></styleSheet>");
    xlsx_end(x);
}
