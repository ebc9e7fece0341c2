#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/base64.h"
#include "base/sha256.h"
#include "base/str.h"
#include "made_trace.h"
#include "render/html/html_in.h"
#include "render/html/timeline_pack_in.h"

/* ---- hashes and base64 ---- */

static void assert_sha256(const char *text, size_t n, const char *want)
{
    uint8_t digest[SHA256_BYTES];
    char hex[2 * SHA256_BYTES + 1];
    sha256(digest, text, n);
    for (size_t i = 0; i < SHA256_BYTES; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(hex, want);
}

static void sha256_has_the_values_of_the_standard(void **state)
{
    (void)state;
    assert_sha256("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_sha256("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    static char million[1000000];
    memset(million, 'a', sizeof(million));
    assert_sha256(million, sizeof(million),
                  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void sha256_is_the_same_in_pieces_and_without_instructions(void **state)
{
    (void)state;
    static unsigned char bytes[1000];
    uint64_t random = 7;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        bytes[i] = (unsigned char)(random >> 56);
    }
    for (size_t n = 0; n <= sizeof(bytes); n++) {
        uint8_t whole[SHA256_BYTES], pieces[SHA256_BYTES];
        struct sha256 s;
        sha256(whole, bytes, n);
        sha256_init(&s);
        s.plain = true;
        for (size_t at = 0, step = 1; at < n; at += step, step = 1 + (step * 7 + n) % 150) {
            step = step < n - at ? step : n - at;
            sha256_add(&s, bytes + at, step);
        }
        sha256_end(&s, pieces);
        assert_memory_equal(whole, pieces, sizeof(whole));
    }
}

static void base64_has_the_values_of_the_standard(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
    };
    struct arena a;
    arena_init(&a);
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        struct str s;
        str_init(&s, &a);
        base64_append(&s, pairs[i][0], strlen(pairs[i][0]));
        assert_string_equal(s.buf, pairs[i][1]);
    }
    arena_release(&a);
}

/* ---- escaping ---- */

static void assert_escaped(const char *text, const char *want)
{
    struct arena a;
    arena_init(&a);
    struct str s;
    str_init(&s, &a);
    html_escape(&s, text);
    assert_string_equal(s.buf, want);
    arena_release(&a);
}

static void text_cannot_become_markup(void **state)
{
    (void)state;
    assert_escaped("plain", "plain");
    assert_escaped("", "");
    assert_escaped("</script><b a=\"1\" c='2'>&amp;",
                   "&lt;/script&gt;&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;");
    assert_escaped("a\nb\tc\x1b[0m", "a\\nb\\tc\\x1b[0m");
    assert_escaped("\xe2\x80\xae<x", "\\u202e&lt;x");
    assert_escaped("bad \xff<", "bad \\xff&lt;");
    assert_escaped("\xe6\xbc\xa2 ok", "\xe6\xbc\xa2 ok");
}

static void markup_takes_text_only_escaped(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    struct str s;
    str_init(&s, &a);
    struct html h = {.out = &s, .arena = &a};
    html(&h, "<td a=\"%s\" b=%d c=%zu d=%lld e=%.1f>%s %c 100%%</td>", "x\"y", -1, (size_t)2, 3LL,
         4.25, "<&>", 'Q');
    assert_string_equal(s.buf, "<td a=\"x&quot;y\" b=-1 c=2 d=3 e=4.2>&lt;&amp;&gt; Q 100%</td>");
    arena_release(&a);
}

/* ---- tracks and their bytes ---- */

/* A marker and everything around it that has no helper. */
static void add_marker(struct made *m, const char *name, int64_t start, int64_t end)
{
    trace_room(&m->t, markers, 1);
    struct markers *k = &m->t.markers;
    size_t i = k->n++;
    k->start_ns[i] = start;
    k->end_ns[i] = end;
    k->id[i] = (int64_t)i;
    k->name[i] = strings_add(&m->t.strings, name);
    k->domain[i] = 0;
    k->thread[i] = 0;
    k->kind[i] = MARKER_THREAD_RANGE;
}

static void add_points(struct made *m)
{
    vec_push(&m->t.series, &m->t.arena,
             ((struct series){.name = strings_add(&m->t.strings, "power"), .gpu = 0}));
    for (int i = 0; i < 5; i++) {
        trace_room(&m->t, telemetry, 1);
        struct telemetry *p = &m->t.telemetry;
        p->time_ns[p->n] = US(1000 - 100 * i);
        p->value[p->n] = 0.1 * i;
        p->series[p->n++] = 0;
    }
}

/* Two GPUs, two streams on one, calls that nest, copies, markers, telemetry; odd rows among them.
 */
static void fill(struct made *m, size_t kernels)
{
    struct made_random r = {42};
    uint32_t gpus[2] = {made_gpu(m), made_gpu(m)};
    uint32_t streams[3] = {made_stream(m, gpus[0], 1), made_stream(m, gpus[0], 2),
                           made_stream(m, gpus[1], 1)};
    static const char *const names[] = {"gemm", "axpy", "</script>", "reduce"};
    vec_push(&m->t.launches, &m->t.arena,
             ((struct launch){.grid = {1024, 2, 1}, .group = {256, 1, 1}, .lds_bytes = 70000}));
    for (size_t i = 0; i < kernels; i++) {
        int64_t at = US(10 * (int64_t)i), length = made_random(&r, 20000);
        uint32_t call = made_launch(m, at - 4000, at - 1000);
        if (i % 3 == 0)
            made_call(m, "hsa_signal", at - 3500, at - 2000);
        uint32_t k = made_kernel(m, names[made_random(&r, 4)], streams[made_random(&r, 3)], at,
                                 at + length, i % 7 ? call : NO_INDEX);
        m->t.kernels.launch[k] = i % 5 ? 0 : NO_INDEX;
        if (i % 10 == 0) {
            uint32_t c = made_copy(m, COPY_H2D, streams[1], at, at + 3000, call);
            m->t.copies.bytes[c] = i % 20 ? 4096 * i : BYTES_UNKNOWN;
        }
    }
    if (kernels > 2)
        m->t.kernels.end_ns[2] = m->t.kernels.start_ns[2] - 5; /* ends before it starts */
    add_marker(m, "step", US(0), US(500));
    add_marker(m, "part", US(0), US(100));
    add_marker(m, "later", US(300), US(301));
    add_points(m);
}

static uint64_t read_varint(const uint8_t **p)
{
    uint64_t v = 0;
    for (int shift = 0;; shift += 7) {
        uint8_t b = *(*p)++;
        v |= (uint64_t)(b & 0x7f) << shift;
        if (!(b & 0x80))
            return v;
    }
}

static int64_t unzigzag(uint64_t v)
{
    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

static int64_t *read_column(const uint8_t **p, size_t n, bool steps, struct arena *arena)
{
    int64_t *v = arena_array(arena, int64_t, n), sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t x = read_varint(p);
        v[i] = steps ? (sum += unzigzag(x)) : (int64_t)x;
    }
    return v;
}

/* The bytes of one track hold what the trace has. */
static void check_track(const struct tracks *t, const struct pack_tables *tables,
                        const struct track *k, const uint8_t **p, struct arena *arena)
{
    const struct trace *trace = t->a->trace;
    if (k->kind == TRACK_SERIES) {
        int64_t *time = read_column(p, k->n, true, arena);
        for (size_t i = 0; i < k->n; i++, *p += 8) {
            double value;
            memcpy(&value, *p, sizeof(value)); /* tests run on little-endian machines */
            assert_int_equal(time[i], trace->telemetry.time_ns[k->rows[i]] - t->a->view.start_ns);
            assert_true(value == trace->telemetry.value[k->rows[i]]);
        }
        return;
    }
    int64_t *length = read_column(p, k->n, false, arena), end = 0;
    for (size_t i = 0; i < k->n; i++) {
        struct span s = track_span(t, k, i);
        int64_t start = end + unzigzag(read_varint(p));
        end = start + length[i];
        assert_int_equal(start, s.start - t->a->view.start_ns);
        assert_int_equal(length[i], s.end - s.start);
    }
    int64_t *name = read_column(p, k->n, false, arena);
    if (k->kind == TRACK_MARKERS)
        return;
    int64_t *id = read_column(p, k->n, true, arena);
    for (size_t i = 0; i < k->n; i++) {
        uint32_t row = k->rows[i];
        int64_t want = k->kind == TRACK_KERNELS  ? trace->kernels.id[row]
                       : k->kind == TRACK_COPIES ? trace->copies.id[row]
                                                 : trace->regions.id[row];
        assert_int_equal(id[i], want);
        if (k->kind == TRACK_KERNELS)
            assert_int_equal(tables->names.v[name[i]].full,
                             trace->symbols.v[trace->kernels.symbol[row]].name);
        else if (k->kind == TRACK_CALLS)
            assert_int_equal(tables->names.v[name[i]].full, trace->regions.name[row]);
        else
            assert_int_equal(name[i], trace->copies.kind[row]);
    }
    if (k->kind == TRACK_CALLS)
        return;
    int64_t *other = read_column(p, k->n, k->kind == TRACK_KERNELS, arena);
    int64_t *call = read_column(p, k->n, true, arena);
    for (size_t i = 0; i < k->n; i++) {
        uint32_t row = k->rows[i];
        uint32_t want =
            k->kind == TRACK_KERNELS ? trace->kernels.call[row] : trace->copies.call[row];
        uint32_t place = want == NO_INDEX ? NO_INDEX : tables->of_region[want];
        assert_int_equal(call[i], place == NO_INDEX ? 0 : place + 1);
        if (k->kind == TRACK_KERNELS)
            assert_int_equal(other[i], trace->kernels.launch[row] == NO_INDEX ? 0 : 1);
        else
            assert_int_equal(other[i], (int64_t)(trace->copies.bytes[row] + 1)); /* unknown: 0 */
    }
}

static void events_come_back_from_their_bytes(void **state)
{
    (void)state;
    struct made m;
    made_init(&m);
    fill(&m, 2000);
    struct analysis a = {0};
    struct analysis_opts o = made_options(US(3), US(19000));
    made_analyze(&m, &a, &o);
    for (uint64_t limit = 0; limit <= 1000; limit += 500) {
        struct tracks t;
        struct timeline_pack p;
        struct pack_tables tables;
        tracks_make(&t, &a, limit, &m.arena);
        timeline_pack_make(&p, &t, &m.arena);
        pack_tables_make(&tables, &t, &m.arena);
        const uint8_t *at = p.bytes + p.header_size;
        static const uint64_t launch[] = {1024, 2, 1, 256, 1, 1, 70000, 0};
        for (size_t i = 0; i < 8; i++)
            assert_int_equal(read_varint(&at), launch[i]);
        for (size_t i = 0; i < t.v.n; i++)
            check_track(&t, &tables, &t.v.v[i], &at, &m.arena);
        assert_ptr_equal(at, p.bytes + p.size);
    }
    made_release(&m);
}

static size_t base64_decode(uint8_t *out, const char *text, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t len = 0;
    uint32_t v = 0;
    for (size_t i = 0; i < n && text[i] != '='; i++) {
        v = v << 6 | (uint32_t)(strchr(digits, text[i]) - digits);
        if (i % 4)
            out[len++] = (uint8_t)(v >> (6 - 2 * (i % 4)));
    }
    return len;
}

static void compressed_pieces_are_the_bytes(void **state)
{
    (void)state;
    struct made m;
    made_init(&m);
    struct timeline_pack p = {.arena = &m.arena, .size = 2500000};
    p.bytes = arena_array(&m.arena, uint8_t, p.size);
    struct made_random r = {7};
    for (size_t i = 0; i < p.size; i++)
        p.bytes[i] = (uint8_t)made_random(&r, 1 + (int64_t)(i / 20000));
    struct pack_chunks chunks, same;
    timeline_pack_compress(&chunks, &p, 1);
    timeline_pack_compress(&same, &p, 3);
    assert_int_equal(chunks.n, 3);
    size_t at = 0;
    for (size_t i = 0; i < chunks.n; i++) {
        uint8_t *packed = arena_alloc(&m.arena, chunks.v[i].size);
        uint8_t *raw = arena_alloc(&m.arena, chunks.v[i].raw_size);
        uLongf size = (uLongf)chunks.v[i].raw_size;
        size_t n = base64_decode(packed, chunks.v[i].text, chunks.v[i].size);
        assert_int_equal(uncompress(raw, &size, packed, (uLong)n), Z_OK);
        assert_int_equal(size, chunks.v[i].raw_size);
        assert_memory_equal(raw, p.bytes + at, size);
        assert_int_equal(chunks.v[i].size, same.v[i].size);
        assert_memory_equal(chunks.v[i].text, same.v[i].text, same.v[i].size);
        at += size;
    }
    assert_int_equal(at, p.size);
    made_release(&m);
}

static void above_the_limit_the_longest_stay(void **state)
{
    (void)state;
    struct made m;
    made_init(&m);
    fill(&m, 1000);
    struct analysis a = {0};
    struct analysis_opts o = made_options(-US(10), US(20000));
    made_analyze(&m, &a, &o);
    struct tracks all, some;
    tracks_make(&all, &a, 0, &m.arena);
    tracks_make(&some, &a, 400, &m.arena);
    assert_int_equal(all.total, m.t.kernels.n + m.t.copies.n + m.t.regions.n + m.t.markers.n);
    assert_int_equal(all.kept, all.total);
    assert_int_equal(some.total, all.total);
    assert_in_range(some.kept, 380, 410);
    assert_int_equal(some.v.n, all.v.n);
    for (size_t i = 0; i < some.v.n; i++) {
        const struct track *k = &some.v.v[i], *whole = &all.v.v[i];
        int64_t shortest = INT64_MAX, before = INT64_MIN;
        assert_int_equal(k->total, whole->n);
        if (k->kind == TRACK_SERIES)
            continue;
        for (size_t j = 0; j < k->n; j++) {
            struct span s = track_span(&some, k, j);
            assert_true(s.start >= before);
            before = s.start;
            shortest = s.end - s.start < shortest ? s.end - s.start : shortest;
        }
        size_t longer = 0;
        for (size_t j = 0; j < whole->n; j++) {
            struct span s = track_span(&all, whole, j);
            longer += s.end - s.start > shortest;
        }
        assert_true(longer <= k->n); /* all that is longer than the shortest that was kept */
    }
    made_release(&m);
}

/* ---- histograms ---- */

static void histograms_count_every_call(void **state)
{
    (void)state;
    struct made m;
    made_init(&m);
    uint32_t stream = made_stream(&m, made_gpu(&m), 1);
    int64_t at = 0;
    for (int64_t i = 0; i < 1000; i++, at += US(10000))
        made_kernel(&m, "wide", stream, at, at + 1000 + i * i * 9, NO_INDEX);
    for (int64_t i = 0; i < 10; i++, at += US(10))
        made_kernel(&m, "even", stream, at, at + 5000, NO_INDEX);
    for (int64_t i = 0; i < 3; i++, at += US(10))
        made_kernel(&m, "none", stream, at, at, NO_INDEX);
    struct analysis a = {0};
    struct analysis_opts o = made_options(0, at);
    made_analyze(&m, &a, &o);
    assert_int_equal(a.hotspots.n, 3);
    for (size_t i = 0; i < a.hotspots.n; i++) {
        const struct histogram *g = &a.hotspot_durations[i];
        uint64_t sum = 0;
        for (size_t b = 0; b < g->bins; b++) {
            sum += g->count[b];
            assert_true(g->limit[b] <= g->limit[b + 1]);
        }
        assert_int_equal(sum, a.hotspots.v[i].calls);
        assert_int_equal(g->calls, sum);
        assert_int_equal(g->limit[0], a.hotspots.v[i].min_duration_ns);
        assert_int_equal(g->limit[g->bins], a.hotspots.v[i].max_duration_ns);
    }
    assert_int_equal(a.hotspot_durations[0].bins, HISTOGRAM_BINS);
    assert_int_equal(a.hotspot_durations[1].bins, 1);
    made_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(sha256_has_the_values_of_the_standard),
        unit_test(sha256_is_the_same_in_pieces_and_without_instructions),
        unit_test(base64_has_the_values_of_the_standard),
        unit_test(text_cannot_become_markup),
        unit_test(markup_takes_text_only_escaped),
        unit_test(events_come_back_from_their_bytes),
        unit_test(compressed_pieces_are_the_bytes),
        unit_test(above_the_limit_the_longest_stay),
        unit_test(histograms_count_every_call),
    };
    return unit_run(tests);
}
