#include "report/compare_draw.h"

#include <math.h>

#include "base/sat.h"
#include "report/chart/parts.h"

/* ---- durations ---- */

static uint64_t calls_in(const struct profile_buckets *d)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < d->n; i++)
        sum += d->v[i].count;
    return sum;
}

/* The bucket below which a share of the calls lies. */
static uint32_t bucket_at(const struct profile_buckets *d, double share)
{
    double want = share * (double)calls_in(d), sum = 0;
    for (size_t i = 0; i < d->n; i++) {
        sum += (double)d->v[i].count;
        if (sum >= want)
            return d->v[i].bucket;
    }
    return d->n ? d->v[d->n - 1].bucket : 0;
}

static void fill(const struct compare_histogram *h, const struct profile_buckets *d, uint32_t first,
                 uint32_t wide, uint64_t *count)
{
    for (size_t i = 0; i < d->n; i++) {
        uint32_t bucket = d->v[i].bucket;
        size_t bin = bucket < first ? 0 : (bucket - first) / wide;
        count[bin < h->bins ? bin : h->bins - 1] += d->v[i].count;
    }
}

bool compare_histogram_make(struct compare_histogram *h, const struct compare_kernel *k)
{
    *h = (struct compare_histogram){0};
    if (!k->a || !k->b || !k->a->durations.n || !k->b->durations.n)
        return false;
    const struct profile_buckets *a = &k->a->durations, *b = &k->b->durations;
    uint32_t first = bucket_at(a, 0.005), last = bucket_at(a, 0.995);
    uint32_t first_b = bucket_at(b, 0.005), last_b = bucket_at(b, 0.995);
    first = first_b < first ? first_b : first;
    last = last_b > last ? last_b : last;
    first -= first > 0; /* room on both sides */
    last += 1;
    uint32_t wide = (last - first) / COMPARE_BINS + 1;
    h->bins = (last - first) / wide + 1;
    for (size_t i = 0; i <= h->bins; i++) {
        uint32_t at = first + (uint32_t)i * wide;
        h->limit[i] = profile_bucket_start(at < PROFILE_BUCKETS ? at : PROFILE_BUCKETS - 1);
    }
    fill(h, a, first, wide, h->a);
    fill(h, b, first, wide, h->b);
    h->calls_a = calls_in(a);
    h->calls_b = calls_in(b);
    return true;
}

struct draw *compare_histogram_draw(const struct compare_histogram *h, const char *title, int width,
                                    int height, struct arena *arena)
{
    struct histogram_picture p = {.title = title,
                                  .limit = h->limit,
                                  .bins = h->bins,
                                  .side = {{"A", h->a, h->calls_a}, {"B", h->b, h->calls_b}},
                                  .sides = 2};
    return histogram_draw(&p, width, height, arena);
}

/* ---- bars of both runs ---- */

static struct canvas canvas_of(int width, int height, const char *title, struct arena *arena)
{
    struct canvas c = {.d = draw_new(arena, width, height), .bare = true};
    c.d->title = title;
    c.d->doc = "";
    c.box = (struct box){0, 0, c.d->width, c.d->height};
    return c;
}

static double sum_of(const int64_t *ns)
{
    double sum = 0;
    for (enum cause k = 0; k < CAUSES; k++)
        sum += (double)ns[k];
    return sum;
}

static struct bar_row ledger_row(struct canvas *c, const char *label, const int64_t *ns,
                                 double steps, double whole)
{
    struct bar_row row = {.label = label, .mark = NAN};
    double all = sum_of(ns);
    for (enum cause k = 0; k < CAUSES; k++) {
        const char *pct = chart_pct(c, percent_of((double)ns[k], all));
        if (ns[k] <= 0)
            continue;
        struct bar_part part = {(double)ns[k] / steps / whole, cause_ink(k), NULL, pct};
        part.tip = arena_printf(c->d->arena, "%s, %s: %s (%s)", label, cause_info(k)->label,
                                chart_ns(c, ns_from((double)ns[k] / steps)), pct);
        vec_push(&row.parts, c->d->arena, part);
    }
    row.value = chart_ns(c, ns_from(all / steps));
    return row;
}

static void ledger_legend(struct canvas *c, const struct comparison *cmp)
{
    VEC(struct legend_item) items = {0};
    for (enum cause k = 0; k < CAUSES; k++) {
        int64_t a = cmp->a->cause_ns[k], b = ns_from((double)cmp->b->cause_ns[k] / cmp->steps);
        struct legend_item item = {cause_ink(k), NULL};
        item.text = arena_printf(c->d->arena, "%s: %s → %s", cause_info(k)->label, chart_ns(c, a),
                                 chart_ns(c, b));
        if (a || b)
            vec_push(&items, c->d->arena, item);
    }
    chart_legend(c, items.v, items.n);
}

struct draw *compare_ledger_draw(const struct comparison *c, int width, struct arena *arena)
{
    size_t used = c->ledger.n;
    int rows = width < CHART_NARROW ? 2 * 40 : 2 * 34;
    int legend = width < CHART_NARROW ? (int)used * LEGEND_HEIGHT + 8 : chart_legend_height(used);
    struct canvas v = canvas_of(width, rows + legend, "GPU time by cause in both runs", arena);
    double a = sum_of(c->a->cause_ns), b = sum_of(c->b->cause_ns) / c->steps;
    double whole = fmax(fmax(a, b), 1);
    struct bar_row bars[2];
    ledger_legend(&v, c);
    bars[0] = ledger_row(&v, "A", c->a->cause_ns, 1, whole);
    bars[1] = ledger_row(&v, "B", c->b->cause_ns, c->steps, whole);
    chart_rows(&v, bars, 2);
    draw_trim(v.d, 2);
    return v.d;
}

static void phase_part(struct canvas *c, struct bar_row *row, const char *what, double ns,
                       double whole, enum ink ink)
{
    struct bar_part part = {ns / whole, ink, NULL, NULL};
    part.tip = arena_printf(c->d->arena, "%s, %s: %s", row->label, what, chart_ns(c, ns_from(ns)));
    if (ns > 0)
        vec_push(&row->parts, c->d->arena, part);
}

/* The length of the phase, divided as its GPU time is. */
static struct bar_row phase_row_of(struct canvas *c, const char *label,
                                   const struct profile_phase *p, double factor, double whole)
{
    struct bar_row row = {.label = label, .value = "-", .mark = NAN};
    if (!p)
        return row;
    double all = (double)p->compute_ns + (double)p->exposed_ns + (double)p->idle_ns;
    double scale = all > 0 ? (double)p->duration_ns / factor / all : 0;
    phase_part(c, &row, "compute", (double)p->compute_ns * scale, whole, INK_GREEN);
    phase_part(c, &row, "exposed copies and communication", (double)p->exposed_ns * scale, whole,
               INK_ORANGE);
    phase_part(c, &row, "idle", (double)p->idle_ns * scale, whole, INK_GREY);
    row.value = chart_ns(c, ns_from((double)p->duration_ns / factor));
    return row;
}

struct draw *compare_phases_draw(const struct comparison *c, int width, struct arena *arena)
{
    static const struct legend_item items[] = {{INK_GREEN, "compute"},
                                               {INK_ORANGE, "exposed copies and communication"},
                                               {INK_GREY, "idle"}};
    bool narrow = width < CHART_NARROW;
    int legend = narrow ? 3 * LEGEND_HEIGHT + 8 : chart_legend_height(3);
    struct canvas v = canvas_of(width, (int)c->phases.n * 2 * (narrow ? 36 : 22) + legend,
                                "Phases of both runs", arena);
    struct bar_row *rows = arena_array(arena, struct bar_row, 2 * c->phases.n);
    double whole = 1;
    for (size_t i = 0; i < c->phases.n; i++) {
        const struct compare_phase *p = &c->phases.v[i];
        whole = fmax(whole, p->a ? (double)p->a->duration_ns : 0);
        whole = fmax(whole, p->b ? (double)p->b->duration_ns / p->factor : 0);
    }
    for (size_t i = 0; i < c->phases.n; i++) {
        const struct compare_phase *p = &c->phases.v[i];
        rows[2 * i] = phase_row_of(&v, arena_printf(arena, "%s: A", p->title), p->a, 1, whole);
        rows[2 * i + 1] = phase_row_of(&v, "B", p->b, p->factor, whole);
    }
    chart_legend(&v, items, 3);
    chart_rows(&v, rows, 2 * c->phases.n);
    draw_trim(v.d, 2);
    return v.d;
}
