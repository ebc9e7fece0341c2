#include "report/chart/parts.h"

#include <math.h>

#include "base/human.h"
#include "base/sat.h"

const char *chart_ns(struct canvas *c, int64_t ns)
{
    char text[HUMAN_MAX];
    return arena_strdup(c->d->arena, human_time(text, ns));
}

const char *chart_pct(struct canvas *c, double pct)
{
    char text[HUMAN_MAX];
    return arena_strdup(c->d->arena, human_pct(text, pct));
}

const char *chart_count(struct canvas *c, uint64_t n)
{
    char text[HUMAN_MAX];
    return arena_strdup(c->d->arena, human_count(text, n));
}

static bool several_hosts(const struct analysis *a)
{
    uint32_t host = NO_INDEX;
    for (size_t i = 0; i < a->view.n_gpus; i++) {
        uint32_t gpu = a->view.gpus[i].gpu;
        if (gpu == NO_INDEX)
            continue;
        if (host != NO_INDEX && a->trace->gpus.v[gpu].host != host)
            return true;
        host = a->trace->gpus.v[gpu].host;
    }
    return false;
}

const char *chart_gpu_name(struct canvas *c, size_t slot)
{
    const struct trace *t = c->a->trace;
    uint32_t gpu = c->a->view.gpus[slot].gpu;
    if (gpu == NO_INDEX)
        return "unlisted GPU";
    if (c->hosts == CANVAS_HOSTS_UNKNOWN)
        c->hosts = several_hosts(c->a) ? CANVAS_HOSTS_SEVERAL : CANVAS_HOSTS_ONE;
    if (c->hosts == CANVAS_HOSTS_SEVERAL)
        return arena_printf(c->d->arena, "%s GPU %d", trace_str(t, t->gpus.v[gpu].host),
                            t->gpus.v[gpu].index);
    return arena_printf(c->d->arena, "GPU %d", t->gpus.v[gpu].index);
}

enum ink cause_ink(enum cause cause)
{
    static const enum ink inks[CAUSES] = {
        [CAUSE_COMPUTE] = INK_GREEN,     [CAUSE_COMM] = INK_BLUE,
        [CAUSE_COMM_WAIT] = INK_SKY,     [CAUSE_COPY_H2D] = INK_ORANGE,
        [CAUSE_COPY_D2H] = INK_YELLOW,   [CAUSE_COPY_P2P] = INK_INDIGO,
        [CAUSE_COPY_D2D] = INK_SAND,     [CAUSE_COPY_SET] = INK_PALE,
        [CAUSE_LAUNCH] = INK_VERMILLION, [CAUSE_SYNC] = INK_PURPLE,
        [CAUSE_ALLOC] = INK_WINE,        [CAUSE_HOST_IO] = INK_TEAL,
        [CAUSE_HOST] = INK_OLIVE,        [CAUSE_STARTUP] = INK_GREY,
        [CAUSE_TAIL] = INK_BLACK,        [CAUSE_UNKNOWN] = INK_SILVER,
    };
    return inks[cause];
}

enum ink series_ink(size_t i)
{
    static const enum ink inks[] = {INK_BLUE,       INK_ORANGE, INK_GREEN,  INK_SKY,
                                    INK_VERMILLION, INK_PURPLE, INK_YELLOW, INK_GREY};
    return inks[i % ARRAY_LEN(inks)];
}

/* ---- the legend ---- */

int chart_legend_height(size_t n)
{
    return (int)((n + 1) / 2) * LEGEND_HEIGHT + 8;
}

void chart_legend(struct canvas *c, const struct legend_item *items, size_t n)
{
    int32_t widest = PX(60);
    for (size_t i = 0; i < n; i++) {
        int32_t w = draw_text_width(items[i].text, LABEL_SIZE) + PX(32);
        widest = w > widest ? w : widest;
    }
    size_t columns = (size_t)(c->box.w / widest);
    columns = columns < 1 ? 1 : columns > 4 ? 4 : columns > n ? n : columns;
    if (!n)
        return;
    size_t rows = (n + columns - 1) / columns;
    int32_t high = PX(LEGEND_HEIGHT) * (int32_t)rows;
    int32_t y = c->box.y + c->box.h - high;
    for (size_t i = 0; i < n; i++) {
        int32_t x = c->box.x + c->box.w / (int32_t)columns * (int32_t)(i / rows);
        int32_t at = y + PX(LEGEND_HEIGHT) * (int32_t)(i % rows);
        draw_rect(c->d, INK_GREY, x, at + PX(3), PX(12), PX(12), NULL);
        draw_rect(c->d, items[i].ink, x + PX(1), at + PX(4), PX(10), PX(10), NULL);
        int32_t room = c->box.w / (int32_t)columns - PX(22);
        draw_text(c->d, INK_TEXT, x + PX(18), at + PX(13), LABEL_SIZE, ANCHOR_START,
                  draw_fit(c->d->arena, items[i].text, LABEL_SIZE, room));
    }
    c->box.h -= high + PX(8);
}

/* ---- the time axis ---- */

/* 1, 2 or 5 times a power of ten, at least `least`. */
static int64_t round_step(int64_t least)
{
    int64_t power = 1;
    while (power * 10 <= least && power < INT64_MAX / 100)
        power *= 10;
    for (int64_t k = 1; k <= 5; k += k == 1 ? 1 : 3)
        if (k * power >= least)
            return k * power;
    return 10 * power;
}

/* Round numbers without the digits that are all zero: 20 ms, not 20.0 ms. */
static const char *tick_label(struct canvas *c, int64_t ns, int64_t step)
{
    static const struct {
        int64_t ns;
        const char *name;
    } units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "µs"}, {1, "ns"}};
    size_t u = 0;
    while (u < 3 && units[u].ns > step)
        u++;
    return arena_printf(c->d->arena, "%lld %s", (long long)(ns / units[u].ns), units[u].name);
}

void chart_time_axis(struct canvas *c, struct box plot, int64_t window_ns)
{
    int32_t ticks = plot.w / PX(110);
    int64_t step = round_step(window_ns / (ticks < 1 ? 1 : ticks) + 1);
    for (int64_t k = 0; k <= window_ns / step; k++) { /* a count cannot run past the end */
        int64_t t = k * step;
        int32_t x = plot.x + int_from((double)t / (double)(window_ns ? window_ns : 1) * plot.w);
        draw_line(c->d, INK_GRID, x, plot.y, x, plot.y + plot.h);
        bool last = x + PX(30) > plot.x + plot.w;
        draw_text(c->d, INK_MUTED, x, plot.y + plot.h + PX(14), LABEL_SIZE,
                  last ? ANCHOR_END
                  : t  ? ANCHOR_MIDDLE
                       : ANCHOR_START,
                  tick_label(c, t, step));
    }
}
