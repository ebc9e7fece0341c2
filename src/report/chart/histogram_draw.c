#include "report/chart/histogram_draw.h"

#include <math.h>

#include "base/human.h"
#include "base/sat.h"
#include "report/chart/parts.h"

struct plot {
    const struct histogram_picture *h;
    struct draw *d;
    struct box box;
    double most; /* the highest share */
};

static double share_of(const struct histogram_side *s, size_t bin)
{
    return s->calls ? (double)s->count[bin] / (double)s->calls : 0;
}

static int32_t left_of(const struct plot *p, size_t bin)
{
    return p->box.x + (int32_t)((int64_t)p->box.w * (int64_t)bin / (int64_t)p->h->bins);
}

/* What is there at all is seen. */
static int32_t height_of(const struct plot *p, size_t side, size_t bin)
{
    double share = share_of(&p->h->side[side], bin);
    int32_t high = int_from(round(share / p->most * p->box.h));
    return share > 0 && high < PX(1) ? PX(1) : high;
}

static const char *tip_of(const struct plot *p, size_t bin)
{
    char low[HUMAN_MAX], high[HUMAN_MAX], a[HUMAN_MAX], b[HUMAN_MAX];
    const struct histogram_side *s = p->h->side;
    human_time(low, p->h->limit[bin]);
    human_time(high, p->h->limit[bin + 1]);
    if (p->h->sides == 1)
        return arena_printf(p->d->arena, "%s to %s: %s call%s", low, high,
                            human_count(a, s[0].count[bin]), human_s(s[0].count[bin]));
    return arena_printf(p->d->arena, "%s to %s: %s %s calls (%.1f %%), %s %s calls (%.1f %%)", low,
                        high, s[0].label, human_count(a, s[0].count[bin]),
                        100 * share_of(&s[0], bin), s[1].label, human_count(b, s[1].count[bin]),
                        100 * share_of(&s[1], bin));
}

static void columns(struct plot *p)
{
    for (size_t i = 0; i < p->h->bins; i++) {
        int32_t x = left_of(p, i), w = left_of(p, i + 1) - x, high = height_of(p, 0, i);
        if (high)
            draw_rect(p->d, p->h->sides == 1 ? INK_BLUE : INK_SKY, x + PX(0.5),
                      p->box.y + p->box.h - high, w > PX(3) ? w - PX(1) : w, high, tip_of(p, i));
    }
}

/* The outline of the second side: level pieces, and what joins them. */
static void outline(struct plot *p)
{
    int32_t ground = p->box.y + p->box.h, before = ground;
    for (size_t i = 0; i <= p->h->bins; i++) {
        int32_t y = i < p->h->bins ? ground - height_of(p, 1, i) : ground, x = left_of(p, i);
        int32_t top = y < before ? y : before, down = (y > before ? y : before) - top;
        if (down)
            draw_rect(p->d, INK_VERMILLION, x - PX(1), top, PX(2), down, NULL);
        if (i < p->h->bins && y < ground)
            draw_rect(p->d, INK_VERMILLION, x - PX(1), y - PX(1), left_of(p, i + 1) - x + PX(2),
                      PX(2), tip_of(p, i));
        before = y;
    }
}

static void axis(struct plot *p)
{
    char text[HUMAN_MAX];
    int32_t y = p->box.y + p->box.h;
    size_t at[] = {0, p->h->bins / 2, p->h->bins};
    static const enum anchor anchors[] = {ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END};
    draw_line(p->d, INK_GREY, p->box.x, y, p->box.x + p->box.w, y);
    for (size_t i = 0; i < ARRAY_LEN(at); i++)
        if (i != 1 || p->h->bins > 3)
            draw_text(p->d, INK_MUTED, left_of(p, at[i]), y + PX(14), LABEL_SIZE, anchors[i],
                      human_time(text, p->h->limit[at[i]]));
}

static void legend(struct plot *p)
{
    static const enum ink inks[] = {INK_SKY, INK_VERMILLION};
    int32_t x = p->box.x;
    for (size_t i = 0; p->h->sides == 2 && i < 2; i++) {
        const char *label = draw_fit(p->d->arena, p->h->side[i].label, LABEL_SIZE, p->box.w / 2);
        draw_rect(p->d, inks[i], x, PX(i ? 7 : 2), PX(12), PX(i ? 2 : 11), NULL);
        draw_text(p->d, INK_TEXT, x + PX(17), PX(12), LABEL_SIZE, ANCHOR_START, label);
        x += draw_text_width(label, LABEL_SIZE) + PX(36);
    }
}

struct draw *histogram_draw(const struct histogram_picture *h, int width, int height,
                            struct arena *arena)
{
    struct plot p = {.h = h, .d = draw_new(arena, width, height)};
    int top = h->sides == 2 ? 22 : 4;
    p.box = (struct box){PX(1), PX(top), PX(width - 2), PX(height - top - 18)};
    p.d->title = h->title;
    p.d->doc = "";
    for (size_t s = 0; s < h->sides; s++)
        for (size_t i = 0; i < h->bins; i++)
            p.most = fmax(p.most, share_of(&h->side[s], i));
    p.most = p.most > 0 ? p.most : 1;
    legend(&p);
    columns(&p);
    if (h->sides == 2)
        outline(&p);
    axis(&p);
    return p.d;
}
