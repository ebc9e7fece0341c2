/* Pictures in pages: histograms of one and two runs, both ledgers, links, cutting to size. */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "analyze/iterations.h"
#include "made_trace.h"
#include "render/svg.h"
#include "report/chart/chart.h"
#include "report/compare_draw.h"

static size_t count_of(const struct draw *d, enum draw_kind kind, enum ink ink)
{
    size_t n = 0;
    for (size_t i = 0; i < d->items.n; i++)
        n += d->items.v[i].kind == kind && d->items.v[i].ink == ink;
    return n;
}

static void assert_inside(const struct draw *d)
{
    for (size_t i = 0; i < d->items.n; i++) {
        const struct draw_item *it = &d->items.v[i];
        assert_true(it->x >= 0 && it->y >= 0 && it->x <= d->width && it->y <= d->height);
        if (it->kind == DRAW_RECT)
            assert_true(it->w >= 0 && it->h >= 0 && it->x + it->w <= d->width + PX(2) &&
                        it->y + it->h <= d->height + PX(1));
    }
}

static void columns_are_as_high_as_their_share(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    const int64_t limit[] = {100, 200, 400, 800};
    const uint64_t count[] = {1, 4, 0};
    struct histogram_picture p = {
        .title = "calls", .limit = limit, .bins = 3, .side = {{NULL, count, 5}}, .sides = 1};
    struct draw *d = histogram_draw(&p, 300, 122, &arena);
    assert_inside(d);
    assert_int_equal(count_of(d, DRAW_RECT, INK_BLUE), 2); /* nothing where nothing is */
    const struct draw_item *low = NULL, *high = NULL;
    for (size_t i = 0; i < d->items.n; i++)
        if (d->items.v[i].kind == DRAW_RECT) {
            high = low ? &d->items.v[i] : high;
            low = low ? low : &d->items.v[i];
        }
    assert_int_equal(high->h, PX(100)); /* 122 less 4 above and 18 below */
    assert_int_equal(low->h, PX(25));
    assert_string_equal(high->text, "200 ns to 400 ns: 4 calls");
    arena_release(&arena);
}

static struct profile_kernel kernel_of(struct arena *arena, uint32_t first, uint64_t calls)
{
    struct profile_kernel k = {.name = "k", .calls = calls};
    vec_push(&k.durations, arena, ((struct profile_bucket){first, calls - 1}));
    vec_push(&k.durations, arena, ((struct profile_bucket){first + 3, 1}));
    return k;
}

static void two_runs_share_their_bins_and_count_every_call(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct profile_kernel a = kernel_of(&arena, 321, 10), b = kernel_of(&arena, 330, 1000);
    struct compare_kernel k = {.a = &a, .b = &b};
    struct compare_histogram h;
    assert_true(compare_histogram_make(&h, &k));
    uint64_t in_a = 0, in_b = 0;
    for (size_t i = 0; i < h.bins; i++) {
        in_a += h.a[i];
        in_b += h.b[i];
        assert_true(h.limit[i] < h.limit[i + 1]);
    }
    assert_int_equal(in_a, 10);
    assert_int_equal(in_b, 1000);
    /* From a step below 1024 ns; the one call of B that is 0.1 % of all is in the last bin. */
    assert_int_equal(h.limit[0], profile_bucket_start(320));
    assert_int_equal(h.a[1], 9);
    assert_int_equal(h.b[h.bins - 1], 1);
    struct draw *d = compare_histogram_draw(&h, "both", 420, 150, &arena);
    assert_inside(d);
    assert_int_equal(count_of(d, DRAW_RECT, INK_SKY), 1 + 2); /* the legend, and A's bins */
    assert_true(count_of(d, DRAW_RECT, INK_VERMILLION) > 2);
    b.durations.n = 0;
    assert_false(compare_histogram_make(&h, &k));
    k.b = NULL;
    assert_false(compare_histogram_make(&h, &k));
    arena_release(&arena);
}

static void far_calls_do_not_stretch_the_picture(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct profile_kernel a = {.name = "k", .calls = 1001};
    vec_push(&a.durations, &arena, ((struct profile_bucket){300, 1000}));
    vec_push(&a.durations, &arena, ((struct profile_bucket){PROFILE_BUCKETS - 1, 1}));
    struct compare_kernel k = {.a = &a, .b = &a};
    struct compare_histogram h;
    assert_true(compare_histogram_make(&h, &k));
    assert_int_equal(h.bins, 3);
    assert_int_equal(h.a[h.bins - 1], 1);
    a.durations.v[1].count = 1000; /* half of all are no outliers */
    assert_true(compare_histogram_make(&h, &k));
    assert_true(h.bins <= COMPARE_BINS && h.bins > 30);
    arena_release(&arena);
}

static void both_ledgers_have_one_scale(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct run_profile a = {.label = "a"}, b = {.label = "b"};
    a.cause_ns[CAUSE_COMPUTE] = 1000;
    a.cause_ns[CAUSE_SYNC] = 1000;
    b.cause_ns[CAUSE_COMPUTE] = 1000;
    struct comparison c = {.a = &a, .b = &b, .steps = 1, .arena = &arena};
    c.ledger.n = 2;
    for (int width = 340; width <= 960; width += 310) {
        struct draw *d = compare_ledger_draw(&c, width, &arena);
        int32_t long_a = 0, long_b = 0;
        assert_inside(d);
        for (size_t i = 0; i < d->items.n; i++) {
            const struct draw_item *it = &d->items.v[i];
            if (it->kind == DRAW_RECT && it->text)
                *(it->text[0] == 'A' ? &long_a : &long_b) += it->w;
        }
        assert_in_range(long_a - 2 * long_b + 20, 0, 40); /* twice as long, but for rounding */
    }
    arena_release(&arena);
}

static void links_lead_somewhere_only_in_pages(void **state)
{
    (void)state;
    struct arena arena;
    struct str page, file;
    arena_init(&arena);
    struct draw *d = draw_new(&arena, 100, 400);
    d->title = "a \"title\"";
    d->doc = "";
    draw_rect(d, INK_GREEN, 0, 0, PX(10), PX(20), "a tip");
    draw_link(d, "cause-compute");
    draw_trim(d, 2);
    assert_int_equal(d->height, PX(23));
    str_init(&page, &arena);
    str_init(&file, &arena);
    render_svg(&page, d, &(struct svg_opts){.css = true, .class = "draw wide"});
    render_svg(&file, d, &(struct svg_opts){0});
    assert_non_null(strstr(page.buf, "<a href=\"#cause-compute\" aria-label=\"a tip\"><rect"));
    assert_non_null(strstr(page.buf, "role=\"group\" aria-label=\"a &quot;title&quot;\""));
    assert_non_null(strstr(page.buf, "class=\"draw wide\""));
    assert_null(strstr(file.buf, "<a "));
    assert_non_null(strstr(file.buf, "role=\"img\""));
    arena_release(&arena);
}

static void narrow_charts_put_labels_above_bars(void **state)
{
    (void)state;
    struct made m;
    struct analysis a;
    made_init(&m);
    uint32_t s = made_stream(&m, made_gpu(&m), 1);
    made_kernel(&m, "first", s, US(0), US(500), NO_INDEX);
    made_kernel(&m, "second", s, US(600), US(700), NO_INDEX);
    struct analysis_opts o = made_options(0, US(1000));
    made_analyze(&m, &a, &o);
    struct chart_opts size = {.width = 340, .bare = true};
    struct draw *d = chart_draw(&chart_hotspots, &a, &size, &m.arena);
    const struct draw_item *label = NULL, *bar = NULL;
    for (size_t i = 0; i < d->items.n; i++) {
        const struct draw_item *it = &d->items.v[i];
        if (it->kind == DRAW_TEXT && !strcmp(it->text, "first"))
            label = it;
        if (it->kind == DRAW_RECT && it->text && !strcmp(it->text, "first"))
            bar = it;
    }
    assert_non_null(label);
    assert_non_null(bar);
    assert_true(bar->y > label->y && bar->x == 0);
    made_release(&m);
}

static void iterations_have_a_span_each(void **state)
{
    (void)state;
    struct made m;
    struct analysis a;
    struct span s = {0};
    made_init(&m);
    uint32_t stream = made_stream(&m, made_gpu(&m), 1);
    for (int i = 0; i < 10; i++) { /* every 100 us: two kernels */
        made_kernel(&m, "one", stream, US(100 * i), US(100 * i + 30), NO_INDEX);
        made_kernel(&m, "two", stream, US(100 * i + 40), US(100 * i + 90), NO_INDEX);
    }
    struct analysis_opts o = made_options(0, US(1000));
    made_analyze(&m, &a, &o);
    assert_int_equal(a.iterations.count, 10);
    assert_int_equal(iterations_span(&s, &a.view, 3, 4, &m.arena), 10);
    assert_int_equal(s.end - s.start, US(200));
    assert_int_equal(iterations_span(&s, &a.view, 10, 10, &m.arena), 10);
    assert_int_equal(s.end - s.start, US(90)); /* the last ends with its last kernel */
    s = (struct span){7, 7};
    assert_int_equal(iterations_span(&s, &a.view, 10, 11, &m.arena), 10);
    assert_int_equal(iterations_span(&s, &a.view, 0, 1, &m.arena), 10);
    assert_int_equal(s.start, 7);
    made_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(columns_are_as_high_as_their_share),
        unit_test(two_runs_share_their_bins_and_count_every_call),
        unit_test(far_calls_do_not_stretch_the_picture),
        unit_test(both_ledgers_have_one_scale),
        unit_test(links_lead_somewhere_only_in_pages),
        unit_test(narrow_charts_put_labels_above_bars),
        unit_test(iterations_have_a_span_each),
    };
    return unit_run(tests);
}
