/*
 * The memory chart: from the waves through the caches to memory, from left to right. One table of
 * boxes gives the picture and the form in characters.
 */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "report/workload_report.h"

enum { COLUMNS = 4, ROWS = 10, GAP = 4, INNER = 15 };

struct chart_row {
    const char *label, *key;
};

struct chart_box {
    int column;
    bool in; /* an arrow leads into it, from the left */
    const char *title;
    enum ink ink;
    struct chart_row rows[ROWS];
};

static const struct chart_box boxes[] = {
    {0,
     false,
     "Instructions",
     INK_BLUE,
     {{"SALU", "salu"},
      {"SMEM", "smem"},
      {"VALU", "valu"},
      {"MFMA", "mfma"},
      {"VMEM", "vmem"},
      {"LDS", "lds"},
      {"GWS", "gws"},
      {"Branch", "branch"}}},
    {0,
     false,
     "Waves",
     INK_BLUE,
     {{"Per CU", "wave_occupancy"},
      {"Life", "wave_life"},
      {"Active CUs", "active_cus"},
      {"Waves", "wavefronts"},
      {"Groups", "workgroups"},
      {"VGPR", "vgpr"},
      {"SGPR", "sgpr"},
      {"LDS", "lds_alloc"},
      {"Scratch", "scratch_alloc"}}},
    {1,
     true,
     "LDS",
     INK_ORANGE,
     {{"Requests", "lds_req"}, {"Util", "lds_util"}, {"Latency", "lds_lat"}}},
    {1,
     true,
     "Vector L1",
     INK_GREEN,
     {{"Read", "vl1_rd"},
      {"Write", "vl1_wr"},
      {"Atomic", "vl1_atomic"},
      {"Hit", "vl1_hit"},
      {"Latency", "vl1_lat"},
      {"Coalesce", "vl1_coalesce"},
      {"Stall", "vl1_stall"}}},
    {1,
     true,
     "Scalar L1",
     INK_GREEN,
     {{"Read", "sl1d_rd"}, {"Hit", "sl1d_hit"}, {"Latency", "sl1d_lat"}}},
    {1,
     true,
     "Instruction L1",
     INK_GREEN,
     {{"Fetch", "il1_fetch"}, {"Hit", "il1_hit"}, {"Latency", "il1_lat"}}},
    {2,
     false,
     "L2",
     INK_SKY,
     {{"Read", "l2_rd"},
      {"Write", "l2_wr"},
      {"Atomic", "l2_atomic"},
      {"Hit", "l2_hit"},
      {"Read lat", "l2_rd_lat"},
      {"Write lat", "l2_wr_lat"}}},
    {2,
     true,
     "Asked by L1s",
     INK_SKY,
     {{"V read", "vl1_l2_rd"},
      {"V write", "vl1_l2_wr"},
      {"V atomic", "vl1_l2_atomic"},
      {"S read", "sl1d_l2_rd"},
      {"S write", "sl1d_l2_wr"},
      {"S atomic", "sl1d_l2_atomic"},
      {"I read", "il1_l2_rd"}}},
    {3,
     true,
     "Fabric",
     INK_PURPLE,
     {{"Read", "fabric_rd"},
      {"Write", "fabric_wr"},
      {"Atomic", "fabric_atomic"},
      {"Read lat", "fabric_rd_lat"},
      {"Write lat", "fabric_wr_lat"},
      {"At. lat", "fabric_atomic_lat"}}},
    {3, false, "HBM", INK_VERMILLION, {{"Read", "hbm_rd"}, {"Write", "hbm_wr"}}},
};
enum { BOXES = ARRAY_LEN(boxes) };

static size_t rows_of(const struct chart_box *b)
{
    size_t n = 0;
    while (n < ROWS && b->rows[n].label)
        n++;
    return n;
}

/* Short: four digits, and a letter for thousands and millions. */
static const char *compact(double v, struct arena *a)
{
    double size = fabs(v);
    if (isnan(v))
        return "-";
    if (size >= 1e9)
        return arena_printf(a, "%.3g", v);
    if (size >= 1e6)
        return arena_printf(a, "%.1fM", v / 1e6);
    if (size >= 1e4)
        return arena_printf(a, "%.1fk", v / 1e3);
    if (size - floor(size) <= 0 || size >= 1000)
        return arena_printf(a, "%.0f", v);
    return arena_printf(a, size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.2g", v);
}

static const char *value_of(const struct workload_report *r, const char *key, struct arena *a)
{
    size_t n, i = workload_metric_index(PANEL_MEMORY_CHART, key);
    const struct workload_metric *m = workload_metrics(&n);
    if (i == SIZE_MAX)
        return "-";
    double v = r->all.values[i].mean;
    const char *text = compact(v, a);
    return isnan(v) || m[i].unit != WORKLOAD_IN_percent ? text : arena_printf(a, "%s %%", text);
}

static const char *caption(const struct workload_report *r, struct arena *a)
{
    return arena_printf(a, "instructions and requests per %s, latencies in cycles",
                        workload_per_words[r->per]);
}

/* ---- characters ---- */

struct cell_grid {
    struct arena *arena;
    size_t lines;
    const char **cell[COLUMNS]; /* by line: INNER + 2 columns wide */
    bool *arrow[COLUMNS];
};

static size_t column_height(int column)
{
    size_t n = 0;
    for (size_t i = 0; i < BOXES; i++)
        if (boxes[i].column == column)
            n += rows_of(&boxes[i]) + 2;
    return n;
}

static const char *repeat(const char *piece, size_t n, struct arena *a)
{
    struct str s;
    str_init(&s, a);
    for (size_t i = 0; i < n; i++)
        str_puts(&s, piece);
    return s.buf;
}

static const char *row_text(const char *label, const char *value, struct arena *a)
{
    size_t room = INNER - strlen(label);
    if (strlen(value) > room)
        value = "~";
    return arena_printf(a, "│%s%*s│", label, (int)room, value);
}

static void put_column(struct cell_grid *g, const struct workload_report *r, int column)
{
    struct arena *a = g->arena;
    size_t line = 0, extra = g->lines - column_height(column), left = 0;
    for (size_t i = 0; i < BOXES; i++)
        left += boxes[i].column == column;
    for (size_t i = 0; i < BOXES; i++) {
        const struct chart_box *b = &boxes[i];
        if (b->column != column)
            continue;
        size_t title = strlen(b->title), n = rows_of(b);
        g->arrow[column][line + 1] = b->in;
        g->cell[column][line++] =
            arena_printf(a, "┌%s%s┐", b->title, repeat("─", INNER - title, a));
        for (size_t k = 0; k < n; k++)
            g->cell[column][line++] = row_text(b->rows[k].label, value_of(r, b->rows[k].key, a), a);
        for (size_t k = 0; --left == 0 && k < extra; k++, left = 1)
            g->cell[column][line++] = row_text("", "", a);
        g->cell[column][line++] = arena_printf(a, "└%s┘", repeat("─", INNER, a));
    }
}

const char *workload_memory_text(const struct workload_report *r, struct arena *a)
{
    struct cell_grid g = {.arena = a};
    struct str out;
    for (int c = 0; c < COLUMNS; c++)
        g.lines = column_height(c) > g.lines ? column_height(c) : g.lines;
    for (int c = 0; c < COLUMNS; c++) {
        g.cell[c] = arena_array(a, const char *, g.lines + 2);
        g.arrow[c] = arena_array(a, bool, g.lines + 2);
        put_column(&g, r, c);
    }
    str_init(&out, a);
    for (size_t i = 0; i < g.lines; i++) {
        for (int c = 0; c < COLUMNS; c++) {
            if (c)
                str_puts(&out, g.arrow[c][i] ? "──▶" : "   ");
            str_puts(&out, g.cell[c][i]);
        }
        str_putc(&out, '\n');
    }
    str_puts(&out, caption(r, a));
    return out.buf;
}

/* ---- picture ---- */

enum { LINE = 17, HEAD = 24, SPACE = 14, MARGIN = 16, FONT = 11 };

static void draw_arrow(struct draw *d, int32_t x0, int32_t x1, int32_t y)
{
    struct draw_point head[] = {{x1, y}, {x1 - PX(8), y - PX(5)}, {x1 - PX(8), y + PX(5)}};
    draw_line(d, INK_MUTED, x0, y, x1 - PX(8), y);
    draw_shape(d, INK_MUTED, head, 3, NULL);
}

static void draw_box(struct draw *d, const struct workload_report *r, const struct chart_box *b,
                     int32_t x, int32_t y, int32_t w, int32_t h)
{
    size_t n = rows_of(b), metrics;
    const struct workload_metric *m = workload_metrics(&metrics);
    draw_rect(d, INK_TRACK, x, y, w, h, NULL);
    draw_rect(d, b->ink, x, y, w, PX(HEAD - 4), b->title);
    draw_text(d, ink_over(b->ink), x + PX(6), y + PX(14), FONT, ANCHOR_START, b->title);
    draw_bold(d);
    for (size_t k = 0; k < n; k++) {
        int32_t at = y + PX(HEAD) + PX(LINE) * (int32_t)k + PX(10);
        size_t i = workload_metric_index(PANEL_MEMORY_CHART, b->rows[k].key);
        draw_text(d, INK_MUTED, x + PX(6), at, FONT, ANCHOR_START, b->rows[k].label);
        draw_text(d, INK_TEXT, x + w - PX(6), at, FONT, ANCHOR_END,
                  value_of(r, b->rows[k].key, d->arena));
        if (i != SIZE_MAX)
            draw_rect(d, INK_GRID, x, at + PX(4), w, PX(0.5),
                      arena_printf(d->arena, "%s: %s", m[i].name, m[i].doc));
    }
}

static int32_t pixels_of(int column)
{
    int32_t high = 0;
    for (size_t i = 0; i < BOXES; i++)
        if (boxes[i].column == column)
            high += HEAD + LINE * (int32_t)rows_of(&boxes[i]) + SPACE;
    return high;
}

struct draw *workload_memory_draw(const struct workload_report *r, int width_px, struct arena *a)
{
    int32_t high = 0, width = width_px ? width_px : 800;
    width = width < 560 ? 560 : width;
    for (int c = 0; c < COLUMNS; c++)
        high = pixels_of(c) > high ? pixels_of(c) : high;
    struct draw *d = draw_new(a, width, high + 2 * MARGIN + 46);
    int32_t gap = PX(34), top = PX(MARGIN + 24);
    int32_t w = (d->width - PX(2 * MARGIN) - gap * (COLUMNS - 1)) / COLUMNS;
    d->title = "Memory chart";
    d->doc = "From the instructions through the caches to memory, from left to right.";
    draw_rect(d, INK_PAGE, 0, 0, d->width, d->height, NULL);
    draw_text(d, INK_TEXT, PX(MARGIN), PX(MARGIN + 10), 14, ANCHOR_START,
              draw_fit(a, arena_printf(a, "Memory chart: %s", r->all.name), 14,
                       d->width - PX(2 * MARGIN)));
    draw_bold(d);
    for (int c = 0; c < COLUMNS; c++) {
        int32_t x = PX(MARGIN) + (w + gap) * c, y = top;
        size_t left = 0;
        for (size_t i = 0; i < BOXES; i++)
            left += boxes[i].column == c;
        for (size_t i = 0; i < BOXES; i++) {
            if (boxes[i].column != c)
                continue;
            int32_t h = PX(HEAD + LINE * (int32_t)rows_of(&boxes[i]));
            if (--left == 0) /* the last of a column reaches down to the others */
                h = top + PX(high - SPACE) - y;
            draw_box(d, r, &boxes[i], x, y, w, h);
            if (boxes[i].in)
                draw_arrow(d, x - gap + PX(3), x - PX(3), y + PX(HEAD + 8));
            y += h + PX(SPACE);
        }
    }
    draw_text(d, INK_MUTED, PX(MARGIN), d->height - PX(MARGIN - 4), FONT, ANCHOR_START,
              caption(r, a));
    return d;
}
