#include "fleet/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"

static const struct client *const clients[] = {
#define CLIENT(name) &client_##name,
#include "fleet/clients.def"
#undef CLIENT
};

/*
 * Whether what should be a port is one. Where a password has a sign that must not stand there, its
 * beginning is taken for a port, and would be told in an error.
 */
static bool ports_are_numbers(const char *address)
{
    const char *host = strstr(address, "://") + 3;
    size_t n = strcspn(host, "/?#");
    if (memchr(host, '@', n))
        return true;
    for (size_t i = 0; i < n && *host != '['; i++)
        if (host[i] == ':' && strspn(host + i + 1, "0123456789") < strcspn(host + i + 1, ",/?#"))
            return false;
    return true;
}

bool fleet_open_postgresql(struct fleet *f, const char *address, struct gs_error *err)
{
    if (!ports_are_numbers(address))
        return client_no_address(err);
    const char *wanted = getenv("GPUSIGHT_POSTGRESQL");
    bool known = false;
    for (size_t i = 0; i < ARRAY_LEN(clients); i++) {
        if (wanted && *wanted && !str_eq(wanted, clients[i]->name))
            continue;
        known = true;
        if (clients[i]->ready())
            return clients[i]->open(f, address, err);
    }
    if (known)
        return fail(err, GS_E_NETWORK,
                    "no libpq here; install libpq5, or leave 'GPUSIGHT_POSTGRESQL' unset");
    return fail(err, GS_E_USAGE,
                "this build has no way '%.40s' to PostgreSQL (GPUSIGHT_POSTGRESQL); leave it unset",
                wanted);
}

bool client_texts(const char *texts[CLIENT_MOST_VALUES],
                  char numbers[CLIENT_MOST_VALUES][CLIENT_NUMBER], const struct fleet_value *v,
                  size_t n, struct gs_error *err)
{
    if (n > CLIENT_MOST_VALUES)
        return fail(err, GS_E_USAGE, "too many values");
    for (size_t i = 0; i < n; i++) {
        texts[i] = v[i].kind == FLEET_NULL ? NULL : numbers[i];
        if (v[i].kind == FLEET_INT)
            snprintf(numbers[i], CLIENT_NUMBER, "%lld", (long long)v[i].number);
        else if (v[i].kind == FLEET_REAL)
            snprintf(numbers[i], CLIENT_NUMBER, "%.17g", v[i].real);
        else if (v[i].kind == FLEET_TEXT)
            texts[i] = v[i].text;
    }
    return true;
}

const char *client_cleaned(const char *text, const char *password, struct arena *a)
{
    struct str s;
    str_init(&s, a);
    size_t hidden = password ? strlen(password) : 0;
    for (const char *p = text; *p;) {
        if (hidden && !strncmp(p, password, hidden)) {
            str_puts(&s, "***");
            p += hidden;
        } else {
            str_putc(&s, *p == '\n' || *p == '\t' ? ' ' : *p);
            p++;
        }
    }
    while (s.len && s.buf[s.len - 1] == ' ')
        s.buf[--s.len] = 0;
    utf8_make_printable(s.buf);
    return s.buf;
}

bool client_is_port(const char *text, size_t n)
{
    unsigned long port = strtoul(text, NULL, 10);
    return strspn(text, "0123456789") >= n && n && port >= 1 && port <= 65535;
}

bool client_no_address(struct gs_error *err)
{
    return fail(err, GS_E_USAGE,
                "the address of the database makes no sense; write "
                "'postgresql://USER@HOST:PORT/DATABASE'");
}
