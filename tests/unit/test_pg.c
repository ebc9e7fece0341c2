/* Addresses of PostgreSQL as libpq reads them, the file of passwords, and MD5. */
#define _GNU_SOURCE /* nftw */
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "fleet/pg/pg.h"
#include "fleet/store.h"
#include "scratch.h"

static struct arena arena;

static void forget(void)
{
    static const char *const names[] = {"PGHOST",     "PGPORT",    "PGUSER",   "PGDATABASE",
                                        "PGPASSWORD", "PGSSLMODE", "PGAPPNAME"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        unsetenv(names[i]);
}

static int begin(void **state)
{
    (void)state;
    forget();
    arena_init(&arena);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_release(&arena);
    return 0;
}

static void md5_is_that_of_the_rfc(void **state)
{
    static const struct {
        const char *text, *sum;
    } v[] = {
        {"", "d41d8cd98f00b204e9800998ecf8427e"},
        {"abc", "900150983cd24fb0d6963f7d28e17f72"},
        {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
        {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
         "d174ab98d277d9f5a5611c2c9f419d9f"},
        {"1234567890123456789012345678901234567890" /* two blocks */
         "1234567890123456789012345678901234567890",
         "57edf4a22be3c955ac49da2e2107b67a"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(v); i++) {
        uint8_t sum[MD5_BYTES];
        char hex[2 * MD5_BYTES + 1];
        pg_md5(sum, v[i].text, strlen(v[i].text));
        for (size_t k = 0; k < MD5_BYTES; k++)
            snprintf(hex + 2 * k, 3, "%02x", sum[k]);
        assert_string_equal(hex, v[i].sum);
    }
}

static struct pg_target target(const char *address)
{
    struct pg_target t;
    struct gs_error err = {0};
    assert_true(pg_target_read(&t, address, &arena, &err));
    return t;
}

static void addresses_are_read(void **state)
{
    (void)state;
    struct pg_target t = target("postgresql://me:p%40ss%2Fw%3A@db.site:6000/runs?sslmode=disable");
    assert_int_equal(t.n, 1);
    assert_string_equal(t.v[0].name, "db.site");
    assert_string_equal(t.v[0].port, "6000");
    assert_string_equal(t.user, "me");
    assert_string_equal(t.password, "p@ss/w:");
    assert_string_equal(t.database, "runs");
    assert_true(t.clear);
    assert_int_equal(t.timeout_s, 30);
    t = target("postgres://me@[::1]:5433,h2,%2Ftmp:7?connect_timeout=5&application_name=x%20y");
    assert_int_equal(t.n, 3);
    assert_string_equal(t.v[0].name, "::1");
    assert_string_equal(t.v[0].port, "5433");
    assert_string_equal(t.v[1].name, "h2");
    assert_string_equal(t.v[1].port, "5432");
    assert_string_equal(t.v[2].name, "/tmp");
    assert_string_equal(t.v[2].port, "7");
    assert_string_equal(t.database, "me");
    assert_string_equal(t.application, "x y");
    assert_int_equal(t.timeout_s, 5);
    assert_false(t.clear);
    t = target("postgresql:///d?host=/run/x&port=99&user=u&password=p");
    assert_string_equal(t.v[0].name, "/run/x");
    assert_string_equal(t.v[0].port, "99");
    assert_string_equal(t.password, "p");
}

static void variables_fill_gaps(void **state)
{
    (void)state;
    setenv("PGHOST", "there", 1);
    setenv("PGPORT", "77", 1);
    setenv("PGUSER", "u", 1);
    setenv("PGDATABASE", "d", 1);
    setenv("PGPASSWORD", "w", 1);
    struct pg_target t = target("postgresql://");
    assert_string_equal(t.v[0].name, "there");
    assert_string_equal(t.v[0].port, "77");
    assert_string_equal(t.user, "u");
    assert_string_equal(t.database, "d");
    assert_string_equal(t.password, "w");
    t = target("postgresql://me:x@here:1/e");
    assert_string_equal(t.v[0].name, "here");
    assert_string_equal(t.user, "me");
    assert_string_equal(t.password, "x");
    forget();
}

static void what_makes_no_sense_is_refused(void **state)
{
    static const char *const bad[] = {
        "postgresql://h:x/d",         "postgresql://h:0/d",         "postgresql://h:65536/d",
        "postgresql://[::1/d",        "postgresql://[]/d",          "postgresql://[::1]x/d",
        "postgresql://a%2@h/d",       "postgresql://a%00@h/d",      "postgresql://h/d?&",
        "postgresql://h/d?unknown=1", "postgresql://h/d?host",      "postgresql://h/%zz",
        "postgresql://a:%f@h/d",      "postgresql://h/d?host=%",    "postgresql://h/d?=1",
        "postgresql://h/d?port=1x",   "postgresql://h:1,h2:99999/d"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct pg_target t;
        struct gs_error err = {0};
        bool ok = pg_target_read(&t, bad[i], &arena, &err);
        assert_true(!ok && err.code == GS_E_USAGE);
    }
}

static void passwords_are_found(void **state)
{
    static const char text[] = "# no line\n\nhost:*:*:other:no\nhost:5432:d:me:a\\:b\\\\c:d\r\n"
                               "localhost:*:*:me:local\n*:*:*:*:last";
    (void)state;
    struct gs_error err;
    assert_true(fs_write(path, text, sizeof(text) - 1, &err));
    struct pg_target t = {.user = "me", .database = "d", .passfile = path};
    struct pg_host host = {"host", "5432"}, other = {"host", "1"}, folder = {"/tmp", "5432"};
    chmod(path, 0600);
    assert_string_equal(pg_password(&t, &host, &arena), "a:b\\c:d");
    assert_string_equal(pg_password(&t, &other, &arena), "last");
    assert_string_equal(pg_password(&t, &folder, &arena), "local");
    chmod(path, 0640);
    assert_null(pg_password(&t, &host, &arena));
    t.password = "given";
    assert_string_equal(pg_password(&t, &host, &arena), "given");
    t = (struct pg_target){.user = "me", .database = "d", .passfile = "/nonexistent"};
    assert_null(pg_password(&t, &host, &arena));
}

static void places_show_no_password(void **state)
{
    (void)state;
    assert_string_equal(fleet_mask("postgresql://u:p@h/d", &arena), "postgresql://u:***@h/d");
    assert_string_equal(fleet_mask("postgresql://u:long-one@h/d?password=x", &arena),
                        "postgresql://u:***@h/d?password=***");
    assert_string_equal(fleet_mask("postgresql://u@h/d", &arena), "postgresql://u@h/d");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(md5_is_that_of_the_rfc, begin, end),
        cmocka_unit_test_setup_teardown(addresses_are_read, begin, end),
        cmocka_unit_test_setup_teardown(variables_fill_gaps, begin, end),
        cmocka_unit_test_setup_teardown(what_makes_no_sense_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(passwords_are_found, begin, end),
        cmocka_unit_test_setup_teardown(places_show_no_password, begin, end),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
