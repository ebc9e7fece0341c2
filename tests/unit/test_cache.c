/* What the cache believes of numbers, and its checksums. tests/e2e/check_cache.py has the rest. */
#include "unit.h"

#include <string.h>

#include "base/sat.h"
#include "cache/layout.h"
#include "cache/sum.h"

static void every_column_was_thought_of(void **state)
{
    (void)state;
    const struct table_desc *const tables[] = {
#define TABLE_OF(name) &name##_desc,
        TRACE_TABLES(TABLE_OF)};
    for (size_t t = 0; t < ARRAY_LEN(tables); t++)
        for (size_t i = 0; i < tables[t]->n_columns; i++) {
            const struct column_desc *c = &tables[t]->columns[i];
            if (!cache_column_known(tables[t]->name, c))
                print_error("%s.%s has no rule in cache/layout.c\n", tables[t]->name, c->name);
            assert_true(cache_column_known(tables[t]->name, c));
        }
}

static bool holds(enum cache_kind kind, uint32_t most, size_t size, const void *values, size_t n)
{
    struct cache_rule rule = {"", "", kind, most, 0, 0};
    size_t counts[CK_KINDS];
    for (size_t i = 0; i < CK_KINDS; i++)
        counts[i] = 3;
    return cache_values_hold(&rule, size, values, n, counts);
}

static void numbers_lead_to_rows(void **state)
{
    (void)state;
    const uint32_t good[] = {0, 1, 2, NO_INDEX, 0}, bad[] = {0, 1, 3, 0, 0}, none[] = {NO_INDEX};
    assert_true(holds(CK_THREAD, 0, 4, good, 5));
    assert_false(holds(CK_THREAD, 0, 4, bad, 5));
    assert_true(holds(CK_THREAD, 0, 4, bad, 2));
    assert_false(holds(CK_SYMBOL, CACHE_ALWAYS, 4, none, 1));
    assert_true(holds(CK_STRING, 0, 4, good, 3));
    assert_false(holds(CK_STRING, 0, 4, good, 4));
    assert_false(holds(CK_THREAD, 0, 8, good, 1));
}

static void kinds_and_ranges_are_kept(void **state)
{
    (void)state;
    const uint8_t kinds[] = {0, 4, 2};
    const int64_t moments[] = {0, MOMENT_LEAST, MOMENT_MOST, MOMENT_MOST + 1};
    const uint64_t sizes[] = {0, BYTES_UNKNOWN, QUANTITY_MOST, (uint64_t)QUANTITY_MOST + 1};
    assert_true(holds(CK_BELOW, 5, 1, kinds, 3));
    assert_false(holds(CK_BELOW, 4, 1, kinds, 3));
    assert_false(holds(CK_BOOL, 0, 1, kinds, 3));
    assert_true(holds(CK_MOMENT, 0, 8, moments, 3));
    assert_false(holds(CK_MOMENT, 0, 8, moments, 4));
    assert_true(holds(CK_SIZE, 0, 8, sizes, 3));
    assert_false(holds(CK_SIZE, 0, 8, sizes, 4));
}

static void a_bit_changes_the_checksum(void **state)
{
    (void)state;
    unsigned char data[200] = {0};
    uint64_t whole = cache_sum(data, sizeof(data));
    for (size_t i = 0; i < sizeof(data) * 8; i++) {
        data[i / 8] ^= (unsigned char)(1 << i % 8);
        assert_true(cache_sum(data, sizeof(data)) != whole);
        data[i / 8] ^= (unsigned char)(1 << i % 8);
    }
    for (size_t n = 0; n < sizeof(data); n++)
        assert_true(cache_sum(data, n) != whole);
    assert_true(cache_fingerprint() == cache_fingerprint());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(every_column_was_thought_of),
        unit_test(numbers_lead_to_rows),
        unit_test(kinds_and_ranges_are_kept),
        unit_test(a_bit_changes_the_checksum),
    };
    return unit_run(tests);
}
