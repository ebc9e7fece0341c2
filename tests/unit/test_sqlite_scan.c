/*
 * Focus: reading tables by our own walk over pages. Whatever the table looks like, the fast way and
 * libsqlite3 give the same rows; where the fast way must not be taken, it is not.
 */
#define _GNU_SOURCE /* nftw */
#include "unit.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/str.h"
#include "ingest/sqlite/scan.h"
#include "scratch.h"
#include "sql.h"

static void make(const char *sql)
{
    unlink(path);
    run_sql_in(path, sql);
}

/* `n` rows by a query over x = 1 .. n. */
#define COUNT(n) "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < " #n ") "

/* ---- a table as an array of values ---- */

enum { MOST_ROWS = 300000 };

struct value {
    int64_t id, number;
    double real;
    size_t len;
    uint64_t text; /* hash; 0: NULL */
};

struct rows {
    size_t n, begun, seen;
    struct value *v;
    bool restless; /* wants to start again, once */
    atomic_bool again;
};

static const struct scan_col columns[] = {
    {"id", SCAN_INT, false, -7},
    {"number", SCAN_INT, true, -8},
    {"real", SCAN_REAL, true, -9},
    {"text", SCAN_TEXT, true, 0},
};

static void begin(void *ctx, size_t n)
{
    struct rows *r = ctx;
    assert_true(n <= MOST_ROWS);
    r->n = n;
    r->begun++;
    r->v = mem_realloc(r->v, mem_mul(n + 1, sizeof(*r->v)));
    memset(r->v, 0, (n + 1) * sizeof(*r->v));
    r->seen = 0;
    atomic_store(&r->again, false);
}

static void take(void *ctx, const struct scan_batch *b)
{
    struct rows *r = ctx;
    if (b->first + b->n > r->n)
        abort(); /* more rows than announced; assert only works in the main thread */
    for (size_t i = 0; i < b->n; i++) {
        struct slice s = batch_texts(b, 3)[i];
        r->v[b->first + i] =
            (struct value){batch_ints(b, 0)[i], batch_ints(b, 1)[i], batch_reals(b, 2)[i], s.n,
                           s.p ? hash_bytes(s.p, s.n) | 1 : 0};
    }
    __atomic_fetch_add(&r->seen, b->n, __ATOMIC_RELAXED);
    if (r->restless && r->begun == 1)
        atomic_store(&r->again, true);
}

struct result {
    struct rows rows;
    struct gs_error err;
    bool ok, fast;
    const char *reason;
};

static struct result read_table(enum reader_mode mode, int threads, bool restless)
{
    struct result r = {.rows.restless = restless};
    struct db db;
    struct arena owner = {0};
    if (!db_open(&db, &owner, path, mode, threads, &r.err)) {
        arena_release(&owner);
        return r;
    }
    struct scan s = {"t", columns, 4, begin, take, &r.rows, &r.rows.again};
    r.ok = scan_table(&db, &s, &r.err);
    r.fast = db.fast_scans;
    r.reason = db.slow_reason;
    arena_release(&owner);
    return r;
}

static void assert_same(const struct result *a, const struct result *b)
{
    assert_int_equal(a->ok, b->ok);
    if (!a->ok)
        return;
    assert_int_equal(a->rows.n, b->rows.n);
    assert_int_equal(a->rows.seen, a->rows.n);
    for (size_t i = 0; i < a->rows.n; i++) {
        const struct value *x = &a->rows.v[i], *y = &b->rows.v[i];
        if (memcmp(x, y, sizeof(*x)))
            print_error("row %zu\n", i);
        assert_memory_equal(x, y, sizeof(*x));
    }
}

/* Reads both ways, with one thread and several; returns what they agree on. */
static struct result read_both(void)
{
    struct result slow = read_table(READER_SQLITE, 1, false);
    assert_false(slow.fast);
    struct result first = {0};
    for (int threads = 1; threads <= 8; threads *= 2) {
        struct result fast = read_table(READER_FAST, threads, false);
        assert_same(&fast, &slow);
        /* Who wishes to start again gets all rows again, at the same places. */
        struct result twice = read_table(READER_FAST, threads, true);
        assert_same(&twice, &slow);
        if (twice.ok && twice.fast && twice.rows.n)
            assert_true(twice.rows.begun > 1 && !twice.rows.again);
        mem_free(twice.rows.v);
        if (threads == 1)
            first = fast;
        else
            mem_free(fast.rows.v);
    }
    mem_free(slow.rows.v);
    return first;
}

static void expect(size_t n, const char *reason)
{
    struct result r = read_both();
    if (!r.ok)
        print_error("%s\n", r.err.text);
    assert_true(r.ok);
    assert_int_equal(r.rows.n, n);
    if (reason)
        assert_string_equal(r.reason ? r.reason : "(fast)", reason);
    else
        assert_true(r.fast);
    mem_free(r.rows.v);
}

#define TABLE_T "CREATE TABLE t (id INTEGER PRIMARY KEY, number, real REAL, text TEXT);"
#define FILL(n) "INSERT INTO t " COUNT(n) "SELECT x, x * 3, x / 4.0, 'row ' || x FROM c;"

/* ---- what the fast way reads ---- */

static void usual_tables_are_read_fast(void **state)
{
    (void)state;
    make(TABLE_T);
    expect(0, NULL);
    make(TABLE_T FILL(1));
    expect(1, NULL);
    make(TABLE_T FILL(100000));
    expect(100000, NULL);
}

static void holes_in_the_ids_are_seen(void **state)
{
    (void)state;
    make(TABLE_T FILL(60000) "DELETE FROM t WHERE id % 7 = 3");
    expect(51428, NULL);
    make(TABLE_T FILL(60000) "DELETE FROM t WHERE id = 30000");
    expect(59999, NULL);
    make(TABLE_T FILL(60000) "DELETE FROM t WHERE id < 100 OR id > 59000");
    expect(58901, NULL);
    make(TABLE_T FILL(60000) "DELETE FROM t WHERE id BETWEEN 2 AND 59999");
    expect(2, NULL);
    make(TABLE_T FILL(60000) "DELETE FROM t");
    expect(0, NULL);
    /* As many ids missing inside as rows too many at the end: the sum alone would not show it. */
    make(TABLE_T FILL(
        60000) "UPDATE t SET id = id + 1 WHERE id = 60000; DELETE FROM t WHERE id = 5");
    expect(59999, NULL);
}

static void ids_of_any_size_are_read(void **state)
{
    (void)state;
    make(TABLE_T "INSERT INTO t(id) VALUES (-9223372036854775807 - 1), (-1), (0), (1), "
                 "(127), (128), (16384), (9223372036854775807)");
    expect(8, NULL);
    make(TABLE_T "INSERT INTO t(id) " COUNT(5000) "SELECT x - 2500 FROM c");
    expect(5000, NULL);
    make(TABLE_T "INSERT INTO t(id) " COUNT(5000) "SELECT 9223372036854775807 - x FROM c");
    expect(5000, NULL);
}

static void integers_of_every_width_are_read(void **state)
{
    (void)state;
    make(TABLE_T "INSERT INTO t(number) " COUNT(
        200) "SELECT CASE x % 2 WHEN 0 THEN 1 ELSE -1 END * ((1 << (x % 63)) + x % 5 - 2) FROM c");
    expect(200, NULL);
    make(TABLE_T
         "INSERT INTO t(number, real) VALUES (9223372036854775807, 9223372036854775807), "
         "(-9223372036854775807 - 1, -9223372036854775807 - 1), (0, 0), (1, 1), (NULL, NULL),"
         "(-1, -1), (4, -0.0), (5, 1e308), (6, 1e-320), (7, 9e999), (8, -9e999)");
    expect(11, NULL);
}

static void texts_are_read(void **state)
{
    (void)state;
    make(TABLE_T "INSERT INTO t(text) VALUES (''), (NULL), ('x'), (CAST(x'00ff00' AS TEXT)),"
                 "(replace(hex(zeroblob(900)), '00', 'ab'))");
    expect(5, NULL);
}

static void every_page_size_is_read(void **state)
{
    (void)state;
    for (int bits = 9; bits <= 16; bits++) {
        char sql[400];
        snprintf(sql, sizeof(sql), "PRAGMA page_size=%d; PRAGMA auto_vacuum=%d;" TABLE_T FILL(9000),
                 1 << bits, bits % 3);
        make(sql);
        expect(9000, NULL);
    }
}

static void reserved_bytes_are_left_alone(void **state)
{
    (void)state;
    for (int reserve = 1; reserve <= 255; reserve += 127) {
        sqlite3 *db;
        int n = reserve;
        unlink(path);
        assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
        run_sql(db, "PRAGMA page_size=1024");
        assert_int_equal(sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &n),
                         SQLITE_OK);
        run_sql(db, TABLE_T FILL(9000));
        sqlite3_close(db);
        expect(9000, NULL);
    }
}

static void unwanted_columns_may_overflow(void **state)
{
    (void)state;
    make("CREATE TABLE t (id INTEGER PRIMARY KEY, number, other);"
         "INSERT INTO t " COUNT(500) "SELECT x, -x, zeroblob(x * 40) FROM c");
    expect(500, NULL);
}

/* ---- what it leaves to libsqlite3 ---- */

static void wanted_columns_that_overflow_are_not_read_fast(void **state)
{
    (void)state;
    make(TABLE_T FILL(
        500) "UPDATE t SET text = replace(hex(zeroblob(5000)), '00', 'ab') WHERE id = 400");
    expect(500, "unusual records");
}

static void values_of_other_types_are_not_read_fast(void **state)
{
    (void)state;
    static const char *const changes[] = {
        "number = '12'",  "number = 1.5",     "number = x'01'", "real = 'text'",
        "text = x'4142'", "number = '12abc'", "number = 1e300", "real = x'3132'",
    };
    for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
        char sql[600];
        snprintf(sql, sizeof(sql), TABLE_T FILL(5000) "UPDATE t SET %s WHERE id = 4000",
                 changes[i]);
        make(sql);
        expect(5000, "unusual records");
    }
    /* A text column makes a text of a number, an integer column a number of a text. */
    make("CREATE TABLE t (id INTEGER PRIMARY KEY, number INTEGER, text TEXT);"
         "INSERT INTO t VALUES (1, '12', 12), (2, ' 13 ', 1.5), (3, 'x', NULL)");
    expect(3, "unusual records");
}

static void columns_added_later_are_not_read_fast(void **state)
{
    (void)state;
    make("CREATE TABLE t (id INTEGER PRIMARY KEY);"
         "INSERT INTO t " COUNT(500) "SELECT x FROM c;"
                                     "ALTER TABLE t ADD COLUMN number INTEGER DEFAULT 42;"
                                     "INSERT INTO t VALUES (501, 1)");
    expect(501, "unusual records");
    make("CREATE TABLE t (id INTEGER PRIMARY KEY, number, other);"
         "INSERT INTO t " COUNT(500) "SELECT x, x, 5 FROM c; ALTER TABLE t DROP COLUMN other;"
                                     "ALTER TABLE t ADD COLUMN unwanted DEFAULT 1");
    expect(500, NULL);
}

static void keys_that_are_not_the_rowid_are_seen(void **state)
{
    (void)state;
    make("CREATE TABLE t (id INTEGER PRIMARY KEY DESC, number);"
         "INSERT INTO t " COUNT(500) "SELECT 1000 - x, x FROM c");
    expect(500, NULL);
    make("CREATE TABLE t (id INTEGER PRIMARY KEY DESC, number); INSERT INTO t(number) VALUES (5), "
         "(6)");
    expect(2, NULL); /* ids are NULL, not the rowid */
    make("CREATE TABLE t (id INT PRIMARY KEY, number); INSERT INTO t VALUES (9, 5), (NULL, 6)");
    expect(2, NULL);
    make("CREATE TABLE t (id INTEGER PRIMARY KEY, number) WITHOUT ROWID;"
         "INSERT INTO t " COUNT(500) "SELECT 1000 - x, x FROM c");
    expect(500, "unusual records");
    make("CREATE TABLE t (id INTEGER, number, PRIMARY KEY (id, number));"
         "INSERT INTO t " COUNT(500) "SELECT 1000 - x, x FROM c");
    expect(500, NULL);
    make("CREATE TABLE t (number, id, text); INSERT INTO t " COUNT(500) "SELECT x, -x, 'a' FROM c");
    expect(500, NULL);
}

static void generated_columns_are_not_read_fast(void **state)
{
    (void)state;
    make("CREATE TABLE t (id INTEGER PRIMARY KEY, a, number AS (a * 2), text TEXT AS ('t' || a) "
         "STORED);"
         "INSERT INTO t(id, a) " COUNT(500) "SELECT x, x FROM c");
    expect(500, "generated columns");
}

static void other_encodings_are_not_read_fast(void **state)
{
    (void)state;
    make("PRAGMA encoding='UTF-16le';" TABLE_T FILL(500));
    expect(500, "text is not UTF-8");
}

static void a_missing_column_is_an_error(void **state)
{
    (void)state;
    make("CREATE TABLE t (number)");
    struct result r = read_table(READER_FAST, 1, false);
    assert_false(r.ok);
    assert_int_equal(r.err.code, GS_E_FORMAT);
    assert_string_equal(r.err.text, "table 't' has no column 'id'");
}

/* ---- pages that lie ---- */

static uint8_t *load(size_t *size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *size = (size_t)ftell(f);
    rewind(f);
    uint8_t *data = malloc(*size);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *size, f), *size);
    fclose(f);
    return data;
}

/*
 * The last cell of a table says how many rows there are, when ids are dense. Here it points to an
 * early row, so that far more rows come than there is room for.
 */
static void a_last_cell_with_a_small_id_does_no_harm(void **state)
{
    (void)state;
    make("PRAGMA page_size=65536; CREATE TABLE t (id INTEGER PRIMARY KEY, number);"
         "INSERT INTO t " COUNT(3000) "SELECT x, x FROM c");
    size_t size;
    uint8_t *data = load(&size), *leaf = data + 65536; /* page 2 */
    assert_int_equal(leaf[0], 13);
    assert_int_equal(leaf[3] << 8 | leaf[4], 3000);
    memcpy(leaf + 8 + 2 * 2999, leaf + 8 + 2 * 4, 2);
    scratch_write(data, size);
    expect(3000, NULL);
    free(data);
}

/* The same over many leaves and items: the keys above the leaves promise fewer rows than come. */
static void keys_that_promise_too_little_do_no_harm(void **state)
{
    (void)state;
    make("PRAGMA page_size=512; CREATE TABLE t (id INTEGER PRIMARY KEY, number);"
         "INSERT INTO t " COUNT(60000) "SELECT x, x FROM c");
    size_t size;
    uint8_t *data = load(&size);
    for (size_t page = 512; page < size; page += 512) {
        uint8_t *p = data + page;
        unsigned n = (unsigned)(p[3] << 8 | p[4]);
        if (p[0] == 5 && n > 2) /* the second key is as small as the first */
            memcpy(p + (p[14] << 8 | p[15]) + 4, p + (p[12] << 8 | p[13]) + 4, 2);
    }
    scratch_write(data, size);
    struct result slow = read_table(READER_SQLITE, 1, false),
                  fast = read_table(READER_FAST, 4, false);
    if (slow.ok && fast.ok)
        assert_same(&fast, &slow);
    mem_free(slow.rows.v);
    mem_free(fast.rows.v);
    free(data);
}

static void damage_gives_the_same_or_an_error(void **state)
{
    (void)state;
    make("PRAGMA page_size=512;" TABLE_T FILL(700) "DELETE FROM t WHERE id % 50 = 9");
    size_t size;
    uint8_t *data = load(&size), *copy = malloc(size);
    assert_non_null(copy);
    uint32_t random = 12345;
    for (int round = 0; round < 600; round++) {
        memcpy(copy, data, size);
        for (int i = 0; i < 1 + round % 4; i++) {
            random = random * 1664525 + 1013904223;
            copy[512 + (random >> 8) % (size - 512)] ^= (uint8_t)(1u << (random >> 3 & 7));
        }
        scratch_write(copy, size);
        struct result slow = read_table(READER_SQLITE, 1, false),
                      fast = read_table(READER_FAST, 2, false);
        if (slow.ok) /* what libsqlite3 accepts, both read alike */
            assert_same(&fast, &slow);
        mem_free(slow.rows.v);
        mem_free(fast.rows.v);
    }
    free(data);
    free(copy);
}

static void cycles_end(void **state)
{
    (void)state;
    make("PRAGMA page_size=512; CREATE TABLE t (id INTEGER PRIMARY KEY, number);"
         "INSERT INTO t " COUNT(20000) "SELECT x, x FROM c");
    size_t size;
    uint8_t *data = load(&size);
    struct pages p;
    assert_true(pages_init(&p, data, size, NULL));
    struct arena a;
    arena_init(&a);
    for (uint32_t number = 2; number <= p.n_pages; number++) {
        uint8_t *page = data + (size_t)(number - 1) * 512, kept[4];
        if (page[0] != 5)
            continue;
        memcpy(kept, page + 8, 4);
        for (uint32_t other = 0; other <= 2; other++) { /* nobody, the schema, the table's root */
            page[8] = page[9] = page[10] = 0;
            page[11] = (uint8_t)other;
            struct leaf_list leaves = {0};
            assert_false(pages_leaves(&p, 2, &leaves, &a) && other != 1);
        }
        memcpy(page + 8, kept, 4);
    }
    struct leaf_list leaves = {0};
    assert_true(pages_leaves(&p, 2, &leaves, &a));
    assert_false(pages_leaves(&p, 0, &leaves, &a));
    assert_false(pages_leaves(&p, p.n_pages + 1, &leaves, &a));
    assert_false(pages_leaves(&p, UINT32_MAX, &leaves, &a));
    arena_release(&a);
    free(data);
}

static void odd_headers_are_refused(void **state)
{
    (void)state;
    make("PRAGMA page_size=512;" TABLE_T);
    size_t size;
    uint8_t *data = load(&size);
    struct pages p;
    static const struct {
        size_t at;
        uint8_t value;
    } odd[] = {{0, 's'}, {16, 0}, {16, 3}, {17, 1}, {20, 255}, {21, 65}, {22, 31}, {23, 33}};
    assert_true(pages_init(&p, data, size, NULL));
    for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
        uint8_t kept = data[odd[i].at];
        data[odd[i].at] = odd[i].value;
        assert_false(pages_init(&p, data, size, NULL));
        data[odd[i].at] = kept;
    }
    assert_false(pages_init(&p, data, 99, NULL));
    assert_false(pages_init(&p, data, size - 1, NULL));
    free(data);
}

static void varints_end_where_they_must(void **state)
{
    (void)state;
    static const uint8_t nine[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    uint64_t v;
    for (unsigned n = 0; n < 9; n++)
        assert_int_equal(varint_read(nine, nine + n, &v), 0);
    assert_int_equal(varint_read(nine, nine + 9, &v), 9);
    assert_true(v == UINT64_MAX);
    static const uint8_t two[] = {0x81, 0x00};
    assert_int_equal(varint_read(two, two + 1, &v), 0);
    assert_int_equal(varint_read(two, two + 2, &v), 2);
    assert_int_equal(v, 128);
}

/* Numbers that readers give out while they read have room for so many (keys.h, launches.h). */
static void no_more_threads_read_than_are_told_apart(void **state)
{
    (void)state;
    static const int asked[] = {1, PARALLEL_USUAL, PARALLEL_USUAL + 1, PARALLEL_MAX};
    make("CREATE TABLE t(id INTEGER PRIMARY KEY)");
    for (size_t i = 0; i < 4; i++) {
        struct db db;
        struct arena owner = {0};
        struct gs_error err;
        assert_true(db_open(&db, &owner, path, READER_FAST, asked[i], &err));
        assert_int_equal(db.threads, asked[i] < PARALLEL_USUAL ? asked[i] : PARALLEL_USUAL);
        arena_release(&owner);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(usual_tables_are_read_fast),
        unit_test(holes_in_the_ids_are_seen),
        unit_test(ids_of_any_size_are_read),
        unit_test(integers_of_every_width_are_read),
        unit_test(texts_are_read),
        unit_test(every_page_size_is_read),
        unit_test(reserved_bytes_are_left_alone),
        unit_test(unwanted_columns_may_overflow),
        unit_test(wanted_columns_that_overflow_are_not_read_fast),
        unit_test(values_of_other_types_are_not_read_fast),
        unit_test(columns_added_later_are_not_read_fast),
        unit_test(keys_that_are_not_the_rowid_are_seen),
        unit_test(generated_columns_are_not_read_fast),
        unit_test(other_encodings_are_not_read_fast),
        unit_test(a_missing_column_is_an_error),
        unit_test(a_last_cell_with_a_small_id_does_no_harm),
        unit_test(keys_that_promise_too_little_do_no_harm),
        unit_test(damage_gives_the_same_or_an_error),
        unit_test(cycles_end),
        unit_test(odd_headers_are_refused),
        unit_test(no_more_threads_read_than_are_told_apart),
        unit_test(varints_end_where_they_must),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
