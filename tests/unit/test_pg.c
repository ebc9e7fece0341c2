/* Addresses of PostgreSQL as libpq reads them, the file of passwords, MD5, servers that mean harm. */
#define _GNU_SOURCE /* nftw */
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* ---- servers that mean harm ---- */

static void put(struct str *s, char type, const char *body, size_t n)
{
    str_putc(s, type);
    pg_put_int(s, (uint32_t)(n + 4));
    str_put(s, body, n);
}

/* What becomes of a statement when the server says this and no more. */
static bool told(const struct str *said, struct pg_rows *rows, struct gs_error *err)
{
    struct pg p = {.arena = &arena, .local = true};
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_int_equal(send(ends[1], said->buf, said->len, MSG_DONTWAIT), said->len);
    assert_int_equal(shutdown(ends[1], SHUT_WR), 0);
    p.fd = ends[0];
    bool ok = pg_run(&p, "SELECT 1", NULL, 0, rows, &arena, err);
    if (p.fd >= 0)
        close(ends[0]);
    close(ends[1]);
    return ok;
}

/* Rows lie one behind the other: nobody may make them wider later. */
static void rows_are_described_once(void **state)
{
    (void)state;
    for (int twice = 0; twice < 2; twice++) {
        struct str said;
        struct pg_rows rows;
        struct gs_error err = {0};
        str_init(&said, &arena);
        put(&said, 'T', "\0\1", 2);
        put(&said, 'D', "\0\1\0\0\0\1x", 7);
        if (twice)
            put(&said, 'T', "\0\3", 2);
        put(&said, 'Z', "I", 1);
        assert_int_equal(told(&said, &rows, &err), !twice);
        assert_true(twice ? strstr(err.text, "does not speak") != NULL
                          : rows.rows == 1 && rows.columns == 1 && rows.cells.n == 1);
    }
}

static void nothing_comes_for_ever(void **state)
{
    (void)state;
    static const char types[] = "12nICENSA";
    for (size_t t = 0; types[t]; t++) {
        struct str said;
        struct pg_rows rows;
        struct gs_error err = {0};
        str_init(&said, &arena);
        for (int i = 0; i < 2000; i++)
            put(&said, types[t], "", 0);
        put(&said, 'Z', "I", 1);
        assert_false(told(&said, &rows, &err));
        assert_non_null(strstr(err.text, "does not speak"));
    }
}

static void passwords_are_not_hashed_for_ever(void **state)
{
    (void)state;
    static const char *const rounds[] = {"2147483648", "2000000", "0", "-1", ""};
    for (size_t i = 0; i < sizeof(rounds) / sizeof(*rounds); i++) {
        struct pg_auth auth = {
            .password = "p", .scram = AUTH_FIRST, .nonce = "abc", .first_bare = "n=,r=abc"};
        struct gs_error err = {0};
        struct str body, reply;
        bool done = false;
        str_init(&body, &arena);
        str_init(&reply, &arena);
        pg_put_int(&body, 11);
        str_printf(&body, "r=abcdef,s=c2FsdA==,i=%s", rounds[i]);
        assert_false(pg_auth_answer(&auth, &body, &reply, &done, &arena, &err));
        assert_int_equal(reply.len, 0);
    }
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
        cmocka_unit_test_setup_teardown(rows_are_described_once, begin, end),
        cmocka_unit_test_setup_teardown(nothing_comes_for_ever, begin, end),
        cmocka_unit_test_setup_teardown(passwords_are_not_hashed_for_ever, begin, end),
        cmocka_unit_test_setup_teardown(places_show_no_password, begin, end),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
