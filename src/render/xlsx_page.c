#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "render/xlsx_in.h"

void xlsx_formats(struct xlsx *x)
{
    static const char *const formats[LOOKS] = {
        [LOOK_TEXT] = "@",          [LOOK_PLAIN] = "0",         [LOOK_COUNT] = "#,##0",
        [LOOK_MICRO] = "#,##0.000", [LOOK_MILLI] = "#,##0.000", [LOOK_PERCENT] = "0.00",
        [LOOK_REAL] = "#,##0.0##",
    };
    x->head = workbook_add_format(x->book);
    for (int i = 0; i < LOOKS; i++)
        x->looks[i] = workbook_add_format(x->book);
    for (int i = 0; i < LOOKS; i++) {
        if (x->head && x->looks[i])
            continue;
        x->error = LXW_ERROR_MEMORY_MALLOC_FAILED;
        return;
    }
    format_set_bold(x->head);
    format_set_bg_color(x->head, 0xDCE6F1);
    format_set_bottom(x->head, LXW_BORDER_THIN);
    format_set_text_wrap(x->head);
    format_set_align(x->head, LXW_ALIGN_VERTICAL_TOP);
    for (int i = 0; i < LOOKS; i++)
        format_set_num_format(x->looks[i], formats[i]);
}

enum xlsx_look xlsx_look(const struct field *f)
{
    static const char *const counts[] = {"count",   "calls", "kernels", "copies", "points",
                                         "markers", "frees", "linked",  NULL};
    if (field_is_text(f))
        return LOOK_TEXT;
    if (str_eq(f->unit, "%"))
        return LOOK_PERCENT;
    if (str_eq(f->unit, "us") || str_eq(f->unit, "µs"))
        return LOOK_MICRO;
    if (str_eq(f->unit, "ms"))
        return LOOK_MILLI;
    if (f->type == FIELD_NUM)
        return LOOK_REAL;
    if (str_eq(f->unit, "ns") || str_eq(f->unit, "bytes"))
        return LOOK_COUNT;
    for (size_t i = 0; counts[i]; i++)
        if (str_eq(f->key, counts[i]))
            return LOOK_COUNT;
    return LOOK_PLAIN; /* ids: nobody wants a comma in a process id */
}

static void keep_error(struct xlsx *x, lxw_error error)
{
    if (x->error == LXW_NO_ERROR)
        x->error = error;
}

/* "_x0041_" means the character U+0041 in these files; a name that has it by chance is escaped. */
static bool is_code(const char *p)
{
    if (p[0] != '_' || p[1] != 'x')
        return false;
    for (int i = 2; i < 6; i++)
        if (!isxdigit((unsigned char)p[i]))
            return false;
    return p[6] == '_';
}

static const char *literal(struct xlsx *x, const char *text)
{
    const char *from = text;
    str_clear(&x->literal);
    for (const char *p = text; (p = strstr(p, "_x")); p++) {
        if (!is_code(p))
            continue;
        str_put(&x->literal, from, (size_t)(p - from));
        str_puts(&x->literal, "_x005F");
        from = p;
    }
    if (from == text)
        return text;
    str_puts(&x->literal, from);
    return x->literal.buf;
}

static void put_text(struct xlsx *x, lxw_worksheet *page, lxw_row_t row, lxw_col_t col,
                     const char *text, lxw_format *format)
{
    workbook_text(&x->text, text, XLSX_TEXT);
    if (x->text.len)
        keep_error(x, worksheet_write_string(page, row, col, literal(x, x->text.buf), format));
}

/* A number that a spreadsheet, which counts in doubles, cannot hold goes in as text. */
static bool is_exact(double v)
{
    return fabs(v) <= 9007199254740992.0;
}

static void put_number(struct xlsx *x, lxw_worksheet *page, lxw_row_t row, lxw_col_t col, double v,
                       lxw_format *format)
{
    if (isfinite(v))
        keep_error(x, worksheet_write_number(page, row, col, v, format));
}

static void put_integer(struct xlsx *x, lxw_worksheet *page, lxw_row_t row, lxw_col_t col,
                        uint64_t magnitude, bool negative, lxw_format *format)
{
    char text[32];
    double v = negative ? -(double)magnitude : (double)magnitude;
    if (is_exact(v)) {
        put_number(x, page, row, col, v, format);
        return;
    }
    snprintf(text, sizeof(text), "%s%llu", negative ? "-" : "", (unsigned long long)magnitude);
    put_text(x, page, row, col, text, x->looks[LOOK_TEXT]);
}

static void put_cell(struct xlsx *x, lxw_worksheet *page, lxw_row_t row, lxw_col_t col,
                     const struct field *f, const void *data)
{
    lxw_format *format = x->looks[xlsx_look(f)];
    struct field_value v = field_get(f, data);
    if (v.kind == VALUE_UINT)
        put_integer(x, page, row, col, v.u, false, format);
    else if (v.kind == VALUE_INT)
        put_integer(x, page, row, col, v.i < 0 ? 0 - (uint64_t)v.i : (uint64_t)v.i, v.i < 0,
                    format);
    else if (v.kind == VALUE_REAL)
        put_number(x, page, row, col, v.real, format);
    else if (v.kind == VALUE_TEXT)
        put_text(x, page, row, col, v.text, NULL);
    else if (v.kind == VALUE_BOOL)
        keep_error(x, worksheet_write_boolean(page, row, col, v.yes, NULL));
}

/* Widths must be known before the first row is written; they follow from what a column holds. */
static double column_width(const struct sheet *s, size_t k, const char *title)
{
    const struct field *f = &s->fields->v[k];
    double least = (double)utf8_width(title) * (s->exact_titles ? 0.7 : 1.0) + 4;
    bool prose =
        f->type == FIELD_TEXT &&
        (str_eq(f->key, "name") || str_eq(f->key, "kernel_name") || str_eq(f->key, "issue") ||
         str_eq(f->key, "suggestion") || str_eq(f->key, "doc") || str_eq(f->key, "meaning") ||
         str_eq(f->key, "title") || str_eq(f->key, "value"));
    double wanted = prose ? 50 : f->type == FIELD_TEXT ? 22 : 14;
    return least > wanted ? least : wanted;
}

static void data_bar(lxw_worksheet *page, size_t column, size_t n, bool percent)
{
    lxw_conditional_format bar = {
        .type = LXW_CONDITIONAL_DATA_BAR, .bar_color = 0x9CC3E5, .bar_solid = 1};
    if (percent) {
        bar.min_rule_type = bar.max_rule_type = LXW_CONDITIONAL_RULE_TYPE_NUMBER;
        bar.min_value = 0;
        bar.max_value = 100;
    }
    worksheet_conditional_format_range(page, 1, (lxw_col_t)column, (lxw_row_t)n, (lxw_col_t)column,
                                       &bar);
}

/* Titles in two lines; on paper as wide as a page, with the titles on each. */
static void set_page(lxw_worksheet *page)
{
    enum { A4 = 9 };
    worksheet_set_row(page, 0, 30, NULL);
    worksheet_set_paper(page, A4);
    worksheet_set_landscape(page);
    worksheet_fit_to_pages(page, 1, 0);
    worksheet_repeat_rows(page, 0, 0);
}

lxw_worksheet *xlsx_page(struct xlsx *x, const struct sheet *s, const char *name, size_t first,
                         size_t n)
{
    void *scratch = arena_alloc(x->arena, s->fields->row_size);
    bool room = mem_has(MEM_LIBRARY_STEP);
    lxw_worksheet *page = room ? workbook_add_worksheet(x->book, name) : NULL;
    if (!page) {
        keep_error(x, LXW_ERROR_MEMORY_MALLOC_FAILED);
        return NULL;
    }
    set_page(page);
    for (size_t k = 0; k < s->fields->n; k++) {
        const char *title = sheet_title(s, k, x->arena);
        worksheet_set_column(page, (lxw_col_t)k, (lxw_col_t)k, column_width(s, k, title), NULL);
        put_text(x, page, 0, (lxw_col_t)k, title, x->head);
        if (n && str_eq(s->fields->v[k].unit, "%"))
            data_bar(page, k, n, true);
    }
    worksheet_freeze_panes(page, 1, s->fields->v[0].type == FIELD_TEXT ? 1 : 0);
    worksheet_autofilter(page, 0, 0, (lxw_row_t)n, (lxw_col_t)(s->fields->n - 1));
    for (size_t i = 0; i < n && x->error == LXW_NO_ERROR; i++) {
        const void *row = sheet_row(s, first + i, scratch);
        for (size_t k = 0; k < s->fields->n; k++)
            put_cell(x, page, (lxw_row_t)(i + 1), (lxw_col_t)k, &s->fields->v[k], row);
    }
    return page;
}

void xlsx_chart(struct xlsx *x, const struct sheet *s, lxw_worksheet *page, const char *name,
                size_t n)
{
    size_t shown = n < s->chart_rows ? n : s->chart_rows;
    lxw_col_t label = (lxw_col_t)s->chart_label, value = (lxw_col_t)s->chart_value;
    if (s->chart == SHEET_NO_CHART || !shown)
        return;
    bool bars = s->chart == SHEET_BARS;
    lxw_chart *chart = workbook_add_chart(x->book, bars ? LXW_CHART_BAR : LXW_CHART_COLUMN);
    lxw_chart_series *series = chart ? chart_add_series(chart, NULL, NULL) : NULL;
    if (!series) {
        keep_error(x, LXW_ERROR_MEMORY_MALLOC_FAILED);
        return;
    }
    chart_series_set_categories(series, name, 1, label, (lxw_row_t)shown, label);
    chart_series_set_values(series, name, 1, value, (lxw_row_t)shown, value);
    chart_series_set_name_range(series, name, 0, value);
    lxw_chart_fill fill = {.color = 0x0072B2};
    chart_series_set_fill(series, &fill);
    chart_title_set_name(chart, sheet_title(s, s->chart_value, x->arena));
    chart_legend_set_position(chart, LXW_CHART_LEGEND_NONE);
    if (bars) /* the first row on top, as in the table */
        chart_axis_set_reverse(chart->y_axis);
    lxw_chart_options place = {.x_scale = 1.4, .y_scale = shown > 8 ? 1.6 : 1.1};
    keep_error(x,
               worksheet_insert_chart_opt(page, 1, (lxw_col_t)(s->fields->n + 1), chart, &place));
}
