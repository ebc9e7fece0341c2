/*
 * What a server asks of who comes: nothing, the password, MD5 of it, or SCRAM-SHA-256 (RFC 5802 and
 * 7677), in which the server proves that it knows the password, too.
 */
#define _GNU_SOURCE /* explicit_bzero */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/base64.h"
#include "base/sha256.h"
#include "fleet/pg/pg.h"

/* Codes of message 'R'. */
enum {
    ASK_NOTHING = 0,
    ASK_CLEAR = 3,
    ASK_MD5 = 5,
    ASK_SASL = 10,
    ASK_SASL_MORE = 11,
    ASK_SASL_LAST = 12,
};

#define MECHANISM "SCRAM-SHA-256"
enum { MOST_ROUNDS = 1000 * 1000, MOST_SALT = 1024, NONCE_BYTES = 18 };

/* ---- HMAC, and what SCRAM makes of it ---- */

static void hmac(uint8_t out[SHA256_BYTES], const void *key, size_t key_n, const void *data,
                 size_t n, const void *more, size_t more_n)
{
    uint8_t block[64] = {0}, inner[SHA256_BYTES];
    struct sha256 s;
    if (key_n > sizeof(block))
        sha256(block, key, key_n);
    else
        memcpy(block, key, key_n);
    for (size_t i = 0; i < sizeof(block); i++)
        block[i] ^= 0x36;
    sha256_init(&s);
    sha256_add(&s, block, sizeof(block));
    sha256_add(&s, data, n);
    sha256_add(&s, more, more_n);
    sha256_end(&s, inner);
    for (size_t i = 0; i < sizeof(block); i++)
        block[i] ^= 0x36 ^ 0x5c;
    sha256_init(&s);
    sha256_add(&s, block, sizeof(block));
    sha256_add(&s, inner, sizeof(inner));
    sha256_end(&s, out);
}

/* PBKDF2 with one block of output. */
static void salted(uint8_t out[SHA256_BYTES], const char *password, const void *salt, size_t salt_n,
                   uint32_t rounds)
{
    static const uint8_t one[4] = {0, 0, 0, 1};
    uint8_t u[SHA256_BYTES];
    size_t n = strlen(password);
    hmac(u, password, n, salt, salt_n, one, sizeof(one));
    memcpy(out, u, sizeof(u));
    for (uint32_t i = 1; i < rounds; i++) {
        hmac(u, password, n, u, sizeof(u), "", 0);
        for (size_t k = 0; k < sizeof(u); k++)
            out[k] ^= u[k];
    }
}

static int sixbit(char c)
{
    static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(all, c) : NULL;
    return at ? (int)(at - all) : -1;
}

/* Bytes written; 0 where it is no base64. */
static size_t unbase64(uint8_t *out, const char *text, size_t n)
{
    size_t bytes = 0;
    if (n % 4 || !n || n > MOST_SALT)
        return 0;
    for (size_t i = 0; i < n; i += 4) {
        int v[4];
        bool last = i + 4 == n;
        int pad = last && text[i + 3] == '=' ? 1 + (text[i + 2] == '=') : 0;
        for (int k = 0; k < 4; k++) {
            v[k] = k >= 4 - pad ? 0 : sixbit(text[i + (size_t)k]);
            if (v[k] < 0)
                return 0;
        }
        uint32_t word =
            (uint32_t)v[0] << 18 | (uint32_t)v[1] << 12 | (uint32_t)v[2] << 6 | (uint32_t)v[3];
        for (int k = 0; k < 3 - pad; k++)
            out[bytes++] = (uint8_t)(word >> (16 - 8 * k));
    }
    return bytes;
}

/* ---- SCRAM ---- */

static bool garbled(struct gs_error *err)
{
    return fail(err, GS_E_NETWORK, "the server garbles the login");
}

static const char *random_text(struct arena *a)
{
    uint8_t bytes[NONCE_BYTES];
    struct str s;
    if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
        return NULL;
    str_init(&s, a);
    base64_append(&s, bytes, sizeof(bytes)); /* has no comma */
    return s.buf;
}

static bool scram_first(struct pg_auth *auth, struct pg_body *b, struct str *reply, struct arena *a,
                        struct gs_error *err)
{
    bool found = false;
    for (const char *name; *(name = pg_get_text(b)) && !b->bad;)
        found |= str_eq(name, MECHANISM);
    if (!found)
        return fail(err, GS_E_NETWORK,
                    "the server asks for a login that only libpq knows; take a build that loads "
                    "it, and install libpq5");
    auth->nonce = random_text(a);
    if (!auth->nonce)
        return fail(err, GS_E_IO, "no random numbers");
    auth->first_bare = arena_printf(a, "n=,r=%s", auth->nonce); /* the user is the start-up's */
    size_t at;
    pg_begin(reply, 'p', &at);
    pg_put_text(reply, MECHANISM);
    pg_put_int(reply, (uint32_t)(3 + strlen(auth->first_bare)));
    str_printf(reply, "n,,%s", auth->first_bare);
    pg_end(reply, at);
    auth->scram = AUTH_FIRST;
    return true;
}

struct scram {
    const char *nonce;
    size_t nonce_n, salt_n;
    uint8_t salt[MOST_SALT];
    uint32_t rounds;
};

/* r=NONCE,s=SALT,i=ROUNDS */
static bool scram_read(struct scram *s, const struct pg_auth *auth, const char *text)
{
    if (!str_starts(text, "r=") || !str_starts(text + 2, auth->nonce))
        return false;
    s->nonce = text + 2;
    s->nonce_n = strcspn(s->nonce, ",");
    const char *p = s->nonce + s->nonce_n;
    if (s->nonce_n <= strlen(auth->nonce) || !str_starts(p, ",s="))
        return false;
    p += 3;
    size_t n = strcspn(p, ",");
    s->salt_n = unbase64(s->salt, p, n);
    p += n;
    if (!s->salt_n || !str_starts(p, ",i=") || strspn(p + 3, "0123456789") == 0)
        return false;
    unsigned long times = strtoul(p + 3, NULL, 10);
    s->rounds = times > UINT32_MAX ? UINT32_MAX : (uint32_t)times;
    return s->rounds > 0;
}

static bool scram_proof(struct pg_auth *auth, const char *text, struct str *reply, struct arena *a,
                        struct gs_error *err)
{
    uint8_t key[SHA256_BYTES], client[SHA256_BYTES], stored[SHA256_BYTES], sign[SHA256_BYTES];
    struct scram s = {0};
    if (!scram_read(&s, auth, text))
        return garbled(err);
    if (s.rounds > MOST_ROUNDS)
        return fail(err, GS_E_NETWORK, "the server wants the password hashed %u times", s.rounds);
    salted(key, auth->password, s.salt, s.salt_n, s.rounds);
    const char *last = arena_printf(a, "c=biws,r=%.*s", (int)s.nonce_n, s.nonce);
    const char *all = arena_printf(a, "%s,%s,%s", auth->first_bare, text, last);
    hmac(client, key, sizeof(key), "Client Key", 10, "", 0);
    sha256(stored, client, sizeof(client));
    hmac(sign, stored, sizeof(stored), all, strlen(all), "", 0);
    for (size_t i = 0; i < sizeof(client); i++)
        client[i] ^= sign[i];
    size_t at;
    pg_begin(reply, 'p', &at);
    str_printf(reply, "%s,p=", last);
    base64_append(reply, client, sizeof(client));
    pg_end(reply, at);
    hmac(stored, key, sizeof(key), "Server Key", 10, "", 0);
    hmac(sign, stored, sizeof(stored), all, strlen(all), "", 0);
    base64_encode(auth->signature, sign, sizeof(sign));
    explicit_bzero(key, sizeof(key));
    explicit_bzero(stored, sizeof(stored));
    auth->scram = AUTH_PROOF;
    return true;
}

static bool scram_last(struct pg_auth *auth, const char *text, struct gs_error *err)
{
    size_t n = strlen(auth->signature);
    if (!str_starts(text, "v=") || strncmp(text + 2, auth->signature, n) != 0 ||
        (text[2 + n] && text[2 + n] != ','))
        return fail(err, GS_E_NETWORK, "the server does not know the password: it is another one");
    auth->scram = AUTH_DONE;
    return true;
}

/* ---- the others ---- */

static const char *md5_hex(const char *text, const void *more, size_t more_n, struct arena *a)
{
    size_t n = strlen(text);
    uint8_t sum[MD5_BYTES], *all = arena_alloc(a, n + more_n + 1);
    memcpy(all, text, n);
    memcpy(all + n, more, more_n);
    pg_md5(sum, all, n + more_n);
    explicit_bzero(all, n + more_n);
    struct str s;
    str_init(&s, a);
    for (size_t i = 0; i < sizeof(sum); i++)
        str_printf(&s, "%02x", sum[i]);
    return s.buf;
}

static void say(struct str *reply, const char *text)
{
    size_t at;
    pg_begin(reply, 'p', &at);
    pg_put_text(reply, text);
    pg_end(reply, at);
}

static bool by_md5(const struct pg_auth *auth, struct pg_body *b, struct str *reply,
                   struct arena *a, struct gs_error *err)
{
    const char *salt = pg_get_bytes(b, 4);
    if (!salt)
        return garbled(err);
    const char *once = md5_hex(auth->password, auth->user, strlen(auth->user), a);
    say(reply, arena_printf(a, "md5%s", md5_hex(once, salt, 4, a)));
    return true;
}

static bool in_clear(const struct pg_auth *auth, struct str *reply, struct gs_error *err)
{
    if (!auth->clear_is_fine)
        return fail(err, GS_E_NETWORK,
                    "the server wants the password readable on the network; say 'sslmode=disable' "
                    "where that is fine, or take a build with libpq");
    say(reply, auth->password);
    return true;
}

bool pg_auth_answer(struct pg_auth *auth, const struct str *body, struct str *reply, bool *done,
                    struct arena *a, struct gs_error *err)
{
    struct pg_body b = pg_body_of(body);
    uint32_t code = pg_get_int(&b);
    if (b.bad)
        return garbled(err);
    if (code == ASK_NOTHING) { /* but not half-way through a proof */
        *done = auth->scram == AUTH_NONE || auth->scram == AUTH_DONE;
        return *done || garbled(err);
    }
    if ((code == ASK_CLEAR || code == ASK_MD5 || code == ASK_SASL) && !auth->password)
        return fail(err, GS_E_NETWORK,
                    "the server wants a password; put it into '~/.pgpass' or PGPASSWORD");
    if (code == ASK_SASL_MORE && auth->scram == AUTH_FIRST)
        return scram_proof(auth, b.at, reply, a, err);
    if (code == ASK_SASL_LAST && auth->scram == AUTH_PROOF)
        return scram_last(auth, b.at, err);
    if (auth->scram != AUTH_NONE || code == ASK_SASL_MORE || code == ASK_SASL_LAST)
        return garbled(err);
    if (code == ASK_SASL)
        return scram_first(auth, &b, reply, a, err);
    if (code == ASK_MD5)
        return by_md5(auth, &b, reply, a, err);
    if (code == ASK_CLEAR)
        return in_clear(auth, reply, err);
    return fail(
        err, GS_E_NETWORK,
        "the server asks for a login that only libpq knows; take a build that loads it, and "
        "install libpq5");
}
