/* Charts as draw lists, and draw lists as SVG. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "made_trace.h"
#include "render/picture.h"
#include "render/svg.h"
#include "report/chart/chart.h"

/* Two GPUs, a kernel each, copies, a gap, a marker. */
static void make(struct made *m, struct analysis *a)
{
    made_init(m);
    uint32_t s0 = made_stream(m, made_gpu(m), 1), s1 = made_stream(m, made_gpu(m), 2);
    made_kernel(m, "gemm", s0, US(100), US(500), made_launch(m, US(10), US(20)));
    made_kernel(m, "</text><script>alert(1)</script>", s0, US(600), US(800),
                made_launch(m, US(560), US(590)));
    made_kernel(m, "a\x1b[31m\"&'\xff\xe2\x80\xae", s1, US(0), US(1000), made_launch(m, 0, US(5)));
    made_copy(m, COPY_H2D, s0, US(520), US(550), NO_INDEX);
    struct analysis_opts o = made_options(0, US(1000));
    made_analyze(m, a, &o);
}

static const char *svg_of(struct made *m, const struct draw *d, bool css)
{
    struct str out;
    str_init(&out, &m->arena);
    render_svg(&out, d, &(struct svg_opts){.css = css});
    return out.buf;
}

static void every_chart_is_described_and_draws(void **state)
{
    (void)state;
    struct made m;
    struct analysis a;
    make(&m, &a);
    for (size_t i = 0; charts[i]; i++) {
        assert_ptr_equal(chart_find(charts[i]->name), charts[i]);
        assert_true(strlen(charts[i]->title) > 3 && strlen(charts[i]->doc) > 20);
        struct draw *d = chart_draw(charts[i], &a, &(struct chart_opts){0}, &m.arena);
        assert_true(d->items.n >= 3); /* the page, the title, and something on it */
    }
    assert_null(chart_find("nothing"));
    assert_string_equal(chart_nearest("hotspot"), "hotspots");
    made_release(&m);
}

static void without_data_a_chart_says_so(void **state)
{
    (void)state;
    struct made m;
    struct analysis a;
    made_init(&m);
    struct analysis_opts o = made_options(0, 0);
    made_analyze(&m, &a, &o);
    for (size_t i = 0; charts[i]; i++) {
        assert_false(charts[i]->has(&a));
        struct draw *d = chart_draw(charts[i], &a, &(struct chart_opts){0}, &m.arena);
        assert_string_equal(d->items.v[d->items.n - 1].text, charts[i]->absent);
    }
    made_release(&m);
}

static void assert_inside(const struct draw *d, const struct draw_item *it)
{
    int32_t w = it->w, x = it->x;
    if (it->kind == DRAW_TEXT) {
        w = draw_text_width(it->text, it->h / DRAW_UNIT);
        x -= it->anchor == ANCHOR_END ? w : it->anchor == ANCHOR_MIDDLE ? w / 2 : 0;
    }
    bool inside = x >= -10 && x + w <= d->width + 10 && it->y >= 0 && it->y <= d->height;
    inside = inside && (it->kind == DRAW_TEXT || it->y + it->h <= d->height + 10);
    if (!inside)
        print_error("%s: %d %d %d %d '%s' in %d x %d\n", d->title, x, it->y, w, it->h,
                    it->text ? it->text : "", d->width, d->height);
    assert_true(inside);
}

static void everything_stays_inside_the_picture(void **state)
{
    (void)state;
    struct made m;
    struct analysis a;
    make(&m, &a);
    static const struct chart_opts sizes[] = {{.width = 0},
                                              {.width = 400},
                                              {.width = 1600, .height = 900, .no_title = true},
                                              {.width = 300, .height = 300, .top = 3},
                                              {.width = 340, .bare = true},
                                              {.width = 960, .bare = true},
                                              {.width = 16384, .height = 4000}};
    for (size_t i = 0; charts[i]; i++)
        for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
            struct draw *d = chart_draw(charts[i], &a, &sizes[s], &m.arena);
            assert_true(!sizes[s].width || d->width == PX(sizes[s].width));
            assert_true(!sizes[s].height || d->height == PX(sizes[s].height));
            for (size_t k = 0; k < d->items.n; k++)
                assert_inside(d, &d->items.v[k]);
        }
    made_release(&m);
}

static void the_smallest_pictures_are_drawn_too(void **state)
{
    (void)state;
    struct made m;
    struct analysis a;
    make(&m, &a);
    static const struct chart_opts least = {
        .width = CHART_LEAST, .height = CHART_LEAST / 2, .top = 1};
    for (size_t i = 0; charts[i]; i++) {
        struct draw *d = chart_draw(charts[i], &a, &least, &m.arena);
        assert_int_equal(d->width, PX(CHART_LEAST));
        assert_int_equal(d->height, PX(CHART_LEAST / 2));
    }
    made_release(&m);
}

static void the_ledger_has_the_numbers(void **state)
{
    (void)state;
    struct made m;
    struct analysis a;
    make(&m, &a);
    struct str out;
    str_init(&out, &m.arena);
    struct chart_opts o = {.width = 600};
    draw_dump(&out, chart_draw(&chart_ledger, &a, &o, &m.arena));
    /* GPU 10 computes for 600 of 1000 us and copies for 30; GPU 11 computes all the time. */
    assert_non_null(
        strstr(out.buf, "text text 160 290 150 start bold | Where the GPU time went\n"));
    assert_non_null(strstr(out.buf, "GPU 10, compute: 600 µs (60.0 %)"));
    assert_non_null(strstr(out.buf, "GPU 10, exposed copy to device: 30.0 µs (3.0 %)"));
    assert_non_null(strstr(out.buf, "GPU 11, compute: 1.00 ms (100.0 %)"));
    assert_non_null(strstr(out.buf, "compute: 1.60 ms, 80.0 %"));
    made_release(&m);
}

static void the_timeline_is_right_at_picture_resolution(void **state)
{
    (void)state;
    struct made m;
    struct analysis a;
    made_init(&m);
    uint32_t s = made_stream(&m, made_gpu(&m), 1);
    /* Half of the time in kernels far shorter than a pixel, then one long kernel. */
    for (int i = 0; i < 50000; i++)
        made_kernel(&m, "tick", s, i * 10, i * 10 + 5, NO_INDEX);
    made_kernel(&m, "long", s, 500000, 1000000, NO_INDEX);
    struct analysis_opts o = made_options(0, 1000000);
    made_analyze(&m, &a, &o);
    struct draw *d = chart_draw(&chart_timeline, &a, &(struct chart_opts){0}, &m.arena);
    int32_t half = 0, full = 0, high = 0;
    for (size_t i = 0; i < d->items.n; i++) {
        const struct draw_item *it = &d->items.v[i];
        if (it->kind != DRAW_RECT || it->ink != INK_GREEN || it->w <= PX(12))
            continue;
        high = it->h > high ? it->h : high;
    }
    for (size_t i = 0; i < d->items.n; i++) {
        const struct draw_item *it = &d->items.v[i];
        if (it->kind != DRAW_RECT || it->ink != INK_GREEN || it->w <= PX(12))
            continue;
        *(it->h == high ? &full : &half) += it->w;
        assert_true(it->h == high || (it->h >= high / 2 && it->h <= high * 5 / 8));
    }
    assert_true(abs(half - full) <= PX(4));
    assert_true(d->items.n < 400); /* as many shapes as pixels at most, not as kernels */
    made_release(&m);
}

static void hostile_names_stay_text(void **state)
{
    (void)state;
    struct made m;
    struct analysis a;
    make(&m, &a);
    struct draw *d = chart_draw(&chart_hotspots, &a, &(struct chart_opts){0}, &m.arena);
    for (int css = 0; css < 2; css++) {
        const char *svg = svg_of(&m, d, css);
        assert_null(strstr(svg, "<script"));
        assert_null(strchr(svg, 0x1b));
        assert_null(strstr(svg, "\xff"));
        assert_null(strstr(svg, "\xe2\x80\xae"));
        assert_non_null(strstr(svg, "&lt;/text&gt;&lt;script&gt;"));
        assert_non_null(strstr(svg, "\\x1b[31m&quot;&amp;&#39;\\xff\\u202e"));
    }
    assert_non_null(strstr(svg_of(&m, d, true), "var(--gs-blue,#0072b2)"));
    made_release(&m);
}

static void text_is_cut_to_fit(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    char name[5000];
    memset(name, 'W', sizeof(name) - 1);
    name[sizeof(name) - 1] = 0;
    const char *cut = draw_fit(&arena, name, 11, PX(100));
    assert_true(draw_text_width(cut, 11) <= PX(100));
    assert_true(strlen(cut) > 5 && str_ends(cut, "…"));
    assert_string_equal(draw_fit(&arena, "short", 11, PX(100)), "short");
    assert_string_equal(draw_fit(&arena, "none", 11, 0), "");
    arena_release(&arena);
}

static void png_needs_cairo(void **state)
{
    (void)state;
    struct made m;
    struct analysis a;
    struct gs_error err = {0};
    struct str out;
    make(&m, &a);
    str_init(&out, &m.arena);
    struct draw *d = chart_draw(&chart_ledger, &a, &(struct chart_opts){0}, &m.arena);
    bool ok = render_png(&out, d, THEME_DARK, &err);
#ifdef HAVE_CAIRO
    assert_true(ok);
    assert_memory_equal(out.buf, "\x89PNG", 4);
#else
    assert_false(ok);
    assert_non_null(strstr(err.text, "built without cairo"));
#endif
    made_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(every_chart_is_described_and_draws),
        unit_test(without_data_a_chart_says_so),
        unit_test(everything_stays_inside_the_picture),
        unit_test(the_smallest_pictures_are_drawn_too),
        unit_test(the_ledger_has_the_numbers),
        unit_test(the_timeline_is_right_at_picture_resolution),
        unit_test(hostile_names_stay_text),
        unit_test(text_is_cut_to_fit),
        unit_test(png_needs_cairo),
    };
    return unit_run(tests);
}
