/* Memory and what is built on it: arena, vec, str, hash, idmap, guards, parallel_for. */
#include "unit.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/library.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/vec.h"
#include "config.h"
#include "model/trace.h"

static void arena_gives_zeroed_aligned_memory(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    for (size_t size = 0; size < 3000; size += 7) {
        unsigned char *p = arena_alloc(&a, size);
        assert_int_equal((uintptr_t)p % 16, 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(p[i], 0);
        memset(p, 0xFF, size);
    }
    unsigned char *large = arena_alloc(&a, 5 << 20);
    assert_int_equal(large[0] | large[(5 << 20) - 1], 0);
    arena_release(&a);
}

static void arena_gives_everything_back(void **state)
{
    (void)state;
    size_t before = mem_held();
    struct arena a;
    arena_init(&a);
    for (int i = 0; i < 1000; i++)
        arena_printf(&a, "%d %s", i, "some text that takes room");
    assert_true(mem_held() > before);
    assert_true(mem_peak() >= mem_held());
    arena_release(&a);
    assert_int_equal(mem_held(), before);
    assert_string_equal(arena_strndup(&a, "again", 3), "aga"); /* usable after release */
    arena_release(&a);
}

static void arena_grows_in_place_or_copies(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    char *p = arena_strdup(&a, "abc");
    char *q = arena_grow(&a, p, 4, 100);
    assert_ptr_equal(p, q);
    assert_string_equal(q, "abc");
    arena_alloc(&a, 1);
    char *r = arena_grow(&a, q, 100, 50000);
    assert_ptr_not_equal(q, r);
    assert_string_equal(r, "abc");
    for (size_t i = 4; i < 50000; i++)
        assert_int_equal(r[i], 0);
    assert_ptr_equal(arena_grow(&a, r, 50000, 10), r); /* never shrinks */
    arena_release(&a);
}

static void vec_keeps_what_was_pushed(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    VEC(uint64_t) v = {0};
    VEC(struct idmap_slot) other = {0};
    for (uint64_t i = 0; i < 10000; i++) {
        vec_push(&v, &a, i * i);
        struct idmap_slot *s = vec_add(&other, &a);
        assert_int_equal(s->key, 0);
        s->key = i;
    }
    assert_int_equal(v.n, 10000);
    assert_true(v.n <= v.cap);
    for (uint64_t i = 0; i < 10000; i++) {
        assert_int_equal(v.v[i], i * i);
        assert_int_equal(other.v[i].key, i);
    }
    vec_reserve(&v, &a, 50000);
    assert_true(v.cap >= 50000);
    assert_int_equal(v.v[9999], 9999 * 9999);
    arena_release(&a);
}

static void str_builds_text(void **state)
{
    (void)state;
    struct arena a;
    struct str s;
    arena_init(&a);
    str_init(&s, &a);
    assert_string_equal(s.buf, "");
    str_puts(&s, "one");
    str_putc(&s, ' ');
    str_printf(&s, "%d-%s", 2, "two");
    str_fill(&s, '.', 3);
    str_put(&s, "\0x", 2);
    assert_int_equal(s.len, 14);
    assert_memory_equal(s.buf, "one 2-two...\0x", 15);
    str_clear(&s);
    assert_int_equal(s.len, 0);
    assert_string_equal(s.buf, "");
    str_fill(&s, 'x', 200);
    for (int i = 0; i < 1000; i++)
        str_printf(&s, "%s", "0123456789");
    assert_int_equal(s.len, 10200);
    assert_int_equal(strlen(s.buf), 10200);
    assert_true(str_ends(s.buf, "789"));
    memcpy(str_room(&s, 2), "ab", 3);
    s.len += 2;
    assert_true(str_ends(s.buf, "9ab"));
    arena_release(&a);
}

static void str_compares(void **state)
{
    (void)state;
    assert_true(str_eq("a", "a") && !str_eq("a", "ab"));
    assert_true(str_starts("kernel", "ker") && str_starts("k", "") && !str_starts("k", "ker"));
    assert_true(str_ends("a.db", ".db") && str_ends("a", "") && !str_ends("b", ".db"));
    assert_true(str_has("abc", "bc") && !str_has("abc", "d"));
    assert_true(str_has_fold("RCCL AllReduce", "allreduce") && str_has_fold("", ""));
    assert_false(str_has_fold("abc", "abcd"));
}

static void hashes_differ_where_they_should(void **state)
{
    (void)state;
    char bytes[64] = {0};
    uint64_t seen[65];
    for (size_t n = 0; n <= 64; n++) {
        seen[n] = hash_bytes(bytes, n);
        assert_int_equal(seen[n], hash_bytes(bytes, n));
        for (size_t i = 0; i < n; i++)
            assert_true(seen[i] != seen[n]); /* the length counts */
    }
    bytes[63] = 1;
    assert_true(hash_bytes(bytes, 64) != seen[64]);
    assert_true(hash_u64(1) != hash_u64(2));
}

static void idmap_finds_every_key(void **state)
{
    (void)state;
    struct arena a;
    struct idmap m;
    arena_init(&a);
    idmap_init(&m, &a);
    assert_int_equal(idmap_get(&m, 7), NO_INDEX);
    for (uint32_t i = 0; i < 20000; i++)
        idmap_put(&m, (uint64_t)i << 32, i);
    idmap_put(&m, UINT64_MAX, 5);
    idmap_put(&m, UINT64_MAX, 6);
    assert_int_equal(m.n, 20001);
    for (uint32_t i = 0; i < 20000; i++)
        assert_int_equal(idmap_get(&m, (uint64_t)i << 32), i);
    assert_int_equal(idmap_get(&m, UINT64_MAX), 6);
    assert_int_equal(idmap_get(&m, 1), NO_INDEX);
    arena_release(&a);
}

static void idtable_claims_keep_the_least(void **state)
{
    (void)state;
    struct arena a;
    struct idtable t;
    arena_init(&a);
    idtable_init(&t, &a);
    assert_false(idtable_span(&t, 0, 1 << 20, 1)); /* too sparse for one id */
    assert_false(idtable_span(&t, 5, 4, 10));
    assert_int_equal(idtable_get(&t, 0), NO_INDEX);
    assert_true(idtable_span(&t, -10, 90, 50));
    idtable_claim(&t, -10, 7);
    idtable_claim(&t, -10, 0);
    idtable_claim(&t, -10, 3);
    idtable_claim(&t, 90, 11);
    assert_int_equal(idtable_get(&t, -10), 0);
    assert_int_equal(idtable_get(&t, 90), 11);
    assert_int_equal(idtable_get(&t, 0), NO_INDEX);
    assert_int_equal(idtable_get(&t, -11), NO_INDEX);
    assert_int_equal(idtable_get(&t, 91), NO_INDEX);
    assert_int_equal(idtable_get(&t, INT64_MIN), NO_INDEX);
    assert_int_equal(idtable_get(&t, INT64_MAX), NO_INDEX);
    arena_release(&a);
}

#define THING_COLUMNS(X) X(uint8_t, kind) X(int64_t, time) X(uint32_t, name)
TABLE(things, THING_COLUMNS);
#define THING_DESC(type, column) {#column, offsetof(struct things, column), sizeof(type)},
static const struct column_desc thing_columns[] = {THING_COLUMNS(THING_DESC)};
const struct table_desc things_desc = {"things", thing_columns, 3};

static void tables_keep_their_rows_when_they_grow(void **state)
{
    (void)state;
    struct things t = {0};
    for (size_t i = 0; i < 10000; i++) {
        table_reserve(&t, &things_desc, i + 1);
        t.kind[i] = (uint8_t)i;
        t.time[i] = -(int64_t)i;
        t.name[i] = (uint32_t)(i * 3);
        t.n++;
    }
    for (size_t i = 0; i < t.n; i++) {
        assert_int_equal(t.kind[i], (uint8_t)i);
        assert_int_equal(t.time[i], -(int64_t)i);
        assert_int_equal(t.name[i], i * 3);
    }
    assert_int_equal((uintptr_t)t.time % sizeof(*t.time), 0);
    table_release(&t, &things_desc);
    assert_null(t.kind);
    assert_null(t.name);
    assert_int_equal(t.cap, 0);
}

static void large_tables_grow_by_a_part(void **state)
{
    (void)state;
    enum { MILLION = 1000000 };
    struct things t = {0};
    table_reserve(&t, &things_desc, MILLION); /* as many as are known to come */
    assert_int_equal(t.cap, MILLION);
    memset(t.kind, 7, MILLION);
    t.n = MILLION;
    t.name[MILLION - 1] = 42;
    table_reserve(&t, &things_desc, MILLION + 3); /* and a few that nobody knew of */
    assert_int_equal(t.cap, MILLION + MILLION / 4);
    table_reserve(&t, &things_desc, 2 * MILLION); /* a million more: that many */
    assert_int_equal(t.cap, 2 * MILLION);
    table_fit(&t, &things_desc);
    assert_int_equal(t.cap, MILLION);
    assert_int_equal(t.kind[0] + t.kind[MILLION - 1], 14);
    assert_int_equal(t.name[MILLION - 1], 42);
    table_reserve(&t, &things_desc, MILLION + MILLION / 20);
    table_fit(&t, &things_desc); /* what is hardly more than the rows stays */
    assert_int_equal(t.cap, MILLION + MILLION / 20);
    table_release(&t, &things_desc);
}

static void entities_are_found_by_identity(void **state)
{
    (void)state;
    enum { MANY = 70000 }; /* so many that looking at all of them each time would be slow */
    struct trace t;
    trace_init(&t);
    for (uint32_t i = 0; i < MANY; i++)
        assert_int_equal(trace_stream(&t, i % 7, i % 3, i, 0), i);
    vec_push(&t.streams, &t.arena, ((struct stream){9, 9, 9, 0, 0})); /* by a reader on its own */
    for (uint32_t i = 0; i < MANY; i++)
        assert_int_equal(trace_stream(&t, i % 7, i % 3, i, 5), i);
    assert_int_equal(trace_stream(&t, 9, 9, 9, 0), MANY);
    assert_int_equal(trace_stream(&t, 9, 8, 9, 0), MANY + 1);
    struct gpu g = {.index = 1, .location = 5};
    assert_int_equal(trace_gpu(&t, &g), 0);
    g.location = 6;
    assert_int_equal(trace_gpu(&t, &g), 1);
    g.location = 5;
    assert_int_equal(trace_gpu(&t, &g), 0);
    trace_release(&t);
}

static void allocate_much(void *ctx)
{
    struct arena *a = ctx;
    for (int i = 0; i < 100; i++)
        arena_alloc(a, 100000);
}

static void a_guard_turns_shortage_into_an_error(void **state)
{
    (void)state;
    struct arena a;
    struct gs_error err = {0};
    arena_init(&a);
    int failures = 0;
    bool ok = false;
    for (int64_t n = 0; !ok; n++) { /* every allocation in turn */
        mem_fail_after(n);
        ok = mem_guard(allocate_much, &a, &err);
        mem_fail_never();
        failures += !ok;
        arena_release(&a);
    }
    assert_true(failures > 3);
    assert_int_equal(err.code, GS_E_IO);
    assert_string_equal(err.text, "out of memory");
    assert_null((mem_fail_after(0), mem_try_alloc(8)));
    mem_fail_never();
}

static void inner_guard(void *ctx)
{
    bool *inner_failed = ctx;
    struct arena a;
    arena_init(&a);
    mem_fail_after(0);
    *inner_failed = !mem_guard(allocate_much, &a, NULL);
    mem_fail_never();
    arena_release(&a);
}

static void guards_nest(void **state)
{
    (void)state;
    bool inner_failed = false;
    assert_true(mem_guard(inner_guard, &inner_failed, NULL));
    assert_true(inner_failed);
}

static void overflow(void *ctx)
{
    size_t *n = ctx;
    *n = mem_mul(SIZE_MAX / 2, 3);
}

static void huge(void *ctx)
{
    arena_alloc(ctx, SIZE_MAX - 8);
}

static void sizes_that_overflow_are_a_shortage(void **state)
{
    (void)state;
    struct arena a;
    size_t n = 1;
    arena_init(&a);
    assert_false(mem_guard(overflow, &n, NULL));
    assert_false(mem_guard(huge, &a, NULL));
    assert_int_equal(n, 1);
    arena_release(&a);
}

enum { ITEMS = 5000 };

static void count_item(void *ctx, size_t i, int worker)
{
    atomic_int *counts = ctx;
    assert_in_range(worker, 0, 7);
    atomic_fetch_add(&counts[i], 1);
}

static void parallel_for_runs_every_item_once(void **state)
{
    (void)state;
    atomic_int *counts = calloc(ITEMS, sizeof(*counts));
    for (int threads = 0; threads <= 8; threads += 4) {
        parallel_for(threads, ITEMS, count_item, counts);
        parallel_for(threads, 0, count_item, counts);
        parallel_for(threads, 1, count_item, counts);
    }
    assert_int_equal(counts[0], 6);
    for (int i = 1; i < ITEMS; i++)
        assert_int_equal(counts[i], 3);
    free(counts);
    assert_in_range(parallel_cores(), 1, PARALLEL_MAX);
}

enum { THREADS = 4, OUTER = 3, INNER = 20 };

struct nested {
    atomic_int running, most, done, in_use[OUTER][THREADS];
    size_t outer;
    struct nested *all;
};

static void inner_item(void *ctx, size_t i, int worker)
{
    struct nested *n = ctx, *all = n->all;
    (void)i;
    assert_in_range(worker, 0, THREADS - 1);
    assert_int_equal(atomic_fetch_add(&all->in_use[n->outer][worker], 1), 0);
    int running = atomic_fetch_add(&all->running, 1) + 1, most = atomic_load(&all->most);
    while (running > most && !atomic_compare_exchange_weak(&all->most, &most, running))
        ;
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    atomic_fetch_sub(&all->running, 1);
    atomic_fetch_sub(&all->in_use[n->outer][worker], 1);
    atomic_fetch_add(&all->done, 1);
}

static void outer_item(void *ctx, size_t i, int worker)
{
    struct nested own = {.outer = i, .all = ctx};
    (void)worker;
    parallel_for(THREADS, INNER, inner_item, &own);
}

static void loops_inside_loops_share_their_threads(void **state)
{
    (void)state;
    struct nested n = {0};
    parallel_for(THREADS, OUTER, outer_item, &n);
    assert_int_equal(n.done, OUTER * INNER);
    assert_in_range(n.most, 2, THREADS);
    n = (struct nested){0};
    parallel_for(1, OUTER, outer_item, &n); /* nothing around them: the inner ones decide */
    assert_int_equal(n.done, OUTER * INNER);
    assert_in_range(n.most, 2, THREADS);
}

enum { LOOPS = 300 };

static void of_any_length(void *ctx, size_t i, int worker)
{
    atomic_int *done = ctx;
    assert_in_range(worker, 0, THREADS - 1);
    unsigned turn = (unsigned)atomic_fetch_add(done, 1);
    nanosleep(&(struct timespec){.tv_nsec = (long)(((turn * 7) ^ i) % 5) * 20000}, NULL);
}

static void many_small_loops(void *ctx, size_t i, int worker)
{
    (void)i, (void)worker;
    for (int k = 0; k < LOOPS; k++)
        parallel_for(THREADS, 3, of_any_length, ctx);
}

/* Who waits for its own loop has not given its thread away: others would have it twice. */
static void small_loops_inside_loops_are_whole(void **state)
{
    (void)state;
    atomic_int done = 0;
    parallel_for(THREADS, OUTER, many_small_loops, &done);
    assert_int_equal(done, OUTER * LOOPS * 3);
}

static void look_who_runs(void *ctx, size_t i, int worker)
{
    atomic_int *second = ctx;
    (void)i;
    if (worker)
        atomic_fetch_add(second, 1);
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

static void short_and_long(void *ctx, size_t i, int worker)
{
    atomic_int *second = ctx;
    (void)worker;
    for (int tries = 0; i && !atomic_load(second) && tries < 5000; tries++)
        parallel_for(2, 4, look_who_runs, second);
}

static void who_is_done_helps_in_the_loops_of_others(void **state)
{
    (void)state;
    atomic_int second = 0;
    parallel_for(2, 2, short_and_long, &second);
    assert_true(second > 0);
}

static void allocate_item(void *ctx, size_t i, int worker)
{
    (void)ctx, (void)worker;
    char *p = mem_alloc(i + 1); /* nothing may be held across an allocation; see mem.h */
    mem_free(p);
}

static void run_parallel(void *ctx)
{
    parallel_for(*(int *)ctx, ITEMS, allocate_item, NULL);
}

static void a_shortage_in_a_worker_unwinds_in_the_caller(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        struct gs_error err = {0};
        mem_fail_after(ITEMS / 2);
        assert_false(mem_guard(run_parallel, &threads, &err));
        mem_fail_never();
        assert_string_equal(err.text, "out of memory");
        assert_true(mem_guard(run_parallel, &threads, &err));
    }
}

static void errors_are_wrapped_and_made_printable(void **state)
{
    (void)state;
    struct gs_error err = {0};
    assert_false(fail(&err, GS_E_FORMAT, "bad name '%s'", "a\033[31m\nb\xff"));
    assert_int_equal(err.code, GS_E_FORMAT);
    assert_string_equal(err.text, "bad name 'a?[31m?b?'");
    assert_false(wrap(&err, "cannot read '%s'", "x"));
    assert_string_equal(err.text, "cannot read 'x': bad name 'a?[31m?b?'");
    assert_false(wrap(&err, "cannot read '%s'", "x")); /* once is enough */
    assert_string_equal(err.text, "cannot read 'x': bad name 'a?[31m?b?'");
    assert_int_equal(err.code, GS_E_FORMAT);
    assert_false(fail(NULL, GS_E_IO, "nobody cares") || wrap(NULL, "still"));
    char text[3000];
    memset(text, 'y', sizeof(text) - 1);
    text[sizeof(text) - 1] = 0;
    fail(&err, GS_E_IO, "%s", text);
    wrap(&err, "%s", text);
    assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

static void the_log_level_is_kept(void **state)
{
    (void)state;
    assert_int_equal(log_level(), LOG_NORMAL);
    log_set_level(LOG_QUIET);
    log_warn("never seen");
    log_note("never seen");
    assert_int_equal(log_level(), LOG_QUIET);
    log_set_level(LOG_NORMAL);
}

/* Spread, in one heap with one far away, few different ones, the ends of the range. */
static int64_t key_like(int kind, uint64_t random, size_t i)
{
    switch (kind) {
    case 0:
        return (int64_t)(random % 1000000007) + (int64_t)i;
    case 1:
        return i ? (int64_t)(random % 1000) : INT64_MAX / 2;
    case 2:
        return (int64_t)(random % 5);
    default:
        return i % 3 ? (int64_t)random : i % 2 ? INT64_MIN : INT64_MAX;
    }
}

static void rows_are_sorted_and_equal_ones_stay_in_order(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 65, 1000, 40000};
    for (int kind = 0; kind < 4; kind++)
        for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
            struct arena a;
            arena_init(&a);
            size_t n = sizes[s];
            int64_t *key = arena_array(&a, int64_t, n + 1);
            uint32_t *rows = arena_array(&a, uint32_t, n + 1);
            bool *there = arena_array(&a, bool, n + 1);
            for (uint32_t i = 0; i < n; i++) {
                key[i] = key_like(kind, hash_u64(i + 1), i);
                rows[i] = i;
            }
            sort_rows(rows, n, key, &a);
            for (size_t i = 0; i < n; i++) {
                assert_false(there[rows[i]]);
                there[rows[i]] = true;
                if (i && key[rows[i - 1]] == key[rows[i]])
                    assert_true(rows[i - 1] < rows[i]);
                else if (i)
                    assert_true(key[rows[i - 1]] < key[rows[i]]);
            }
            arena_release(&a);
        }
}

/* zlib, which every build links and so every machine with this test has. */
static void libraries_are_loaded_whole_or_not(void **state)
{
    (void)state;
    static const char *const good[] = {"zlibVersion", "zlibCompileFlags"};
    static const char *const more[] = {"zlibVersion", "zlib_of_the_next_century"};
    struct {
        const char *(*version)(void);
        unsigned long (*flags)(void);
    } f = {NULL, NULL};
    struct gs_error err = {0};
#if STATIC
    skip(); /* nothing to load with */
#endif
    assert_false(library_load("libz.so.1", more, 2, &f, &err));
    assert_string_equal(err.text, "the library 'libz.so.1' is too old: it has no "
                                  "'zlib_of_the_next_century'");
    assert_null(f.version);
    assert_false(library_load("libgpusight-has-no-such.so.7", good, 2, &f, &err));
    assert_int_equal(err.code, GS_E_USAGE);
    assert_string_equal(err.text,
                        "the library 'libgpusight-has-no-such.so.7' is not on this machine");
    assert_true(library_load("libz.so.1", good, 2, &f, &err));
    assert_int_equal(f.version()[0], '1');
}

/* Texts of all lengths lie side by side and stay where they are while their tables grow. */
static void strings_stay_where_they_are(void **state)
{
    (void)state;
    enum { N = 5000 };
    struct arena a;
    struct strings s;
    static const char *at[N];
    arena_init(&a);
    strings_init(&s, &a);
    for (uint32_t i = 0; i < N; i++) {
        struct str text;
        str_init(&text, &a);
        str_printf(&text, "%u:", i);
        str_fill(&text, 'x', i % 97 ? i % 97 : i * 20);
        assert_int_equal(strings_addn(&s, text.buf, text.len), i + 1);
        at[i] = strings_text(&s, i + 1);
        assert_string_equal(at[i], text.buf);
    }
    for (uint32_t i = 0; i < N; i++) {
        assert_ptr_equal(strings_text(&s, i + 1), at[i]);
        assert_int_equal(strings_find(&s, at[i]), i + 1);
        assert_int_equal(strings_add(&s, at[i]), i + 1);
    }
    assert_int_equal(s.n, N + 1);
    arena_release(&a);
}

/* What was made room for is given back, and made again for those that come later. */
static void strings_fit_what_they_hold(void **state)
{
    (void)state;
    enum { N = 140000, MORE = 60000 };
    struct arena a;
    struct strings s;
    char text[16];
    arena_init(&a);
    strings_init(&s, &a);
    size_t before = mem_held();
    for (uint32_t i = 1; i <= N + MORE; i++) {
        if (i == N + 1) {
            size_t slots = s.mask + 1, grown = mem_held();
            strings_fit(&s);
            assert_int_equal(s.cap, N + 1);
            assert_int_equal(s.mask + 1, slots / 2);
            assert_true(mem_held() < grown && mem_held() > before);
        }
        snprintf(text, sizeof(text), "%x", i * 2654435761u);
        assert_int_equal(strings_add(&s, text), i);
    }
    for (uint32_t i = 1; i <= N + MORE; i++) {
        snprintf(text, sizeof(text), "%x", i * 2654435761u);
        assert_int_equal(strings_find(&s, text), i);
        assert_string_equal(strings_text(&s, i), text);
    }
    assert_int_equal(strings_find(&s, "no hex"), NO_INDEX);
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(libraries_are_loaded_whole_or_not),
        unit_test(strings_stay_where_they_are),
        unit_test(strings_fit_what_they_hold),
        unit_test(arena_gives_zeroed_aligned_memory),
        unit_test(arena_gives_everything_back),
        unit_test(arena_grows_in_place_or_copies),
        unit_test(vec_keeps_what_was_pushed),
        unit_test(str_builds_text),
        unit_test(str_compares),
        unit_test(hashes_differ_where_they_should),
        unit_test(idmap_finds_every_key),
        unit_test(idtable_claims_keep_the_least),
        unit_test(tables_keep_their_rows_when_they_grow),
        unit_test(large_tables_grow_by_a_part),
        unit_test(entities_are_found_by_identity),
        unit_test(a_guard_turns_shortage_into_an_error),
        unit_test(guards_nest),
        unit_test(sizes_that_overflow_are_a_shortage),
        unit_test(parallel_for_runs_every_item_once),
        unit_test(loops_inside_loops_share_their_threads),
        unit_test(small_loops_inside_loops_are_whole),
        unit_test(who_is_done_helps_in_the_loops_of_others),
        unit_test(a_shortage_in_a_worker_unwinds_in_the_caller),
        unit_test(errors_are_wrapped_and_made_printable),
        unit_test(the_log_level_is_kept),
        unit_test(rows_are_sorted_and_equal_ones_stay_in_order),
    };
    return unit_run(tests);
}
