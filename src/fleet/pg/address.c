/* postgresql://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?OPTION=VALUE&... as libpq reads it. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "fleet/client.h"
#include "fleet/pg/pg.h"

#define DEFAULT_PORT "5432"

/* What may be said: where it is put, what else says it, and what of it only libpq can do. */
enum word {
    HOST,
    HOSTADDR,
    PORT,
    USER,
    PASSWORD,
    DATABASE,
    PASSFILE,
    TIMEOUT,
    OPTIONS,
    APPLICATION,
    SSLMODE,
    GSS,
    BINDING,
    ATTRS,
    SERVICE,
    PEER,
    AUTH,
    FALLBACK,
    WORDS_N,
};

static const struct {
    const char *name, *variable;
    const char *fine; /* values that need no libpq, divided by spaces; NULL: all */
} words[WORDS_N] = {
    [HOST] = {"host", "PGHOST", NULL},
    [HOSTADDR] = {"hostaddr", "PGHOSTADDR", NULL},
    [PORT] = {"port", "PGPORT", NULL},
    [USER] = {"user", "PGUSER", NULL},
    [PASSWORD] = {"password", "PGPASSWORD", NULL},
    [DATABASE] = {"dbname", "PGDATABASE", NULL},
    [PASSFILE] = {"passfile", "PGPASSFILE", NULL},
    [TIMEOUT] = {"connect_timeout", "PGCONNECT_TIMEOUT", NULL},
    [OPTIONS] = {"options", "PGOPTIONS", NULL},
    [APPLICATION] = {"application_name", "PGAPPNAME", NULL},
    [SSLMODE] = {"sslmode", "PGSSLMODE", "disable allow prefer"},
    [GSS] = {"gssencmode", "PGGSSENCMODE", "disable prefer"},
    [BINDING] = {"channel_binding", "PGCHANNELBINDING", "disable prefer"},
    [ATTRS] = {"target_session_attrs", "PGTARGETSESSIONATTRS", "any"},
    [SERVICE] = {"service", "PGSERVICE", ""},
    [PEER] = {"requirepeer", "PGREQUIREPEER", ""},
    [AUTH] = {"require_auth", "PGREQUIREAUTH", ""},
    [FALLBACK] = {"fallback_application_name", NULL, NULL},
};

/* Of libpq's that change nothing here: no TLS, no Kerberos, and the system's own keep-alive. */
static const char *const passed_over[] = {"client_encoding",
                                          "keepalives",
                                          "keepalives_idle",
                                          "keepalives_interval",
                                          "keepalives_count",
                                          "tcp_user_timeout",
                                          "sslcert",
                                          "sslkey",
                                          "sslpassword",
                                          "sslrootcert",
                                          "sslcrl",
                                          "sslcrldir",
                                          "sslsni",
                                          "sslcompression",
                                          "ssl_min_protocol_version",
                                          "ssl_max_protocol_version",
                                          "krbsrvname",
                                          "gsslib",
                                          "load_balance_hosts"};

struct reading {
    const char *said[WORDS_N];
    struct arena *arena;
};

/* ---- percent signs ---- */

static int hex(char c)
{
    return isdigit((unsigned char)c)    ? c - '0'
           : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10
                                        : -1;
}

/* NULL: no percent-encoding, or a NUL in it. */
static const char *decoded(const char *from, size_t n, struct arena *a)
{
    char *out = arena_alloc(a, n + 1), *to = out;
    for (size_t i = 0; i < n; i++) {
        if (from[i] != '%') {
            *to++ = from[i];
            continue;
        }
        int high = i + 2 < n ? hex(from[i + 1]) : -1, low = high >= 0 ? hex(from[i + 2]) : -1;
        if (low < 0 || (high == 0 && low == 0))
            return NULL;
        *to++ = (char)(high * 16 + low);
        i += 2;
    }
    *to = 0;
    return out;
}

/* ---- the address ---- */

/* user:password@ */
static bool read_user(struct reading *r, const char **p)
{
    size_t n = strcspn(*p, "@/");
    if ((*p)[n] != '@')
        return true;
    size_t user = strcspn(*p, ":@");
    r->said[USER] = user ? decoded(*p, user, r->arena) : NULL;
    bool ok = !user || r->said[USER];
    if (user < n) {
        r->said[PASSWORD] = decoded(*p + user + 1, n - user - 1, r->arena);
        ok = ok && r->said[PASSWORD];
    }
    *p += n + 1;
    return ok;
}

/* One host; names and ports are lists, divided by commas, as those of host= and port= are. */
static bool read_host(struct str *hosts, struct str *ports, const char **p, struct arena *a)
{
    const char *name = *p;
    size_t n;
    if (*name == '[') {
        n = strcspn(++name, "]");
        if (name[n] != ']' || !n || !strchr(":/?,", name[n + 1]))
            return false;
        *p = name + n + 1;
    } else {
        n = strcspn(name, ":/?,");
        *p = name + n;
    }
    const char *text = decoded(name, n, a);
    if (!text)
        return false;
    str_puts(hosts, text);
    if (**p == ':') {
        size_t digits = strcspn(*p + 1, "/?,");
        if (strspn(*p + 1, "0123456789") != digits)
            return false;
        str_put(ports, *p + 1, digits);
        *p += 1 + digits;
    }
    return true;
}

static bool read_hosts(struct reading *r, const char **p)
{
    struct str hosts, ports;
    str_init(&hosts, r->arena);
    str_init(&ports, r->arena);
    for (;; (*p)++) {
        if (!read_host(&hosts, &ports, p, r->arena))
            return false;
        if (**p != ',')
            break;
        str_putc(&hosts, ',');
        str_putc(&ports, ',');
    }
    if (hosts.len)
        r->said[HOST] = hosts.buf;
    if (strspn(ports.buf, ",") < ports.len)
        r->said[PORT] = ports.buf;
    return true;
}

static bool set_option(struct reading *r, const char *name, const char *value)
{
    if (str_eq(name, "ssl") && str_eq(value, "true")) { /* of JDBC */
        r->said[SSLMODE] = "require";
        return true;
    }
    for (size_t i = 0; i < WORDS_N; i++)
        if (str_eq(name, words[i].name)) {
            r->said[i] = value;
            return true;
        }
    for (size_t i = 0; i < ARRAY_LEN(passed_over); i++)
        if (str_eq(name, passed_over[i]))
            return true;
    return false;
}

static bool read_options(struct reading *r, const char *p)
{
    while (*p) {
        size_t n = strcspn(p, "&"), equals = strcspn(p, "=&");
        if (equals >= n)
            return false;
        const char *name = decoded(p, equals, r->arena);
        const char *value = decoded(p + equals + 1, n - equals - 1, r->arena);
        if (!name || !value || !set_option(r, name, value))
            return false;
        p += n + (p[n] == '&');
    }
    return true;
}

static bool read_address(struct reading *r, const char *address)
{
    const char *p = strstr(address, "://");
    if (!p)
        return false;
    p += 3;
    if (!read_user(r, &p) || !read_hosts(r, &p))
        return false;
    if (*p == '/') {
        size_t n = strcspn(++p, "?");
        if (n && !(r->said[DATABASE] = decoded(p, n, r->arena)))
            return false;
        p += n;
    }
    return !*p || (*p == '?' && read_options(r, p + 1));
}

/* ---- what is left open ---- */

static bool among(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = list; *p; p += strcspn(p, " "), p += *p == ' ')
        if (strcspn(p, " ") == n && !strncmp(p, word, n))
            return true;
    return false;
}

static bool check_words(const struct reading *r, struct gs_error *err)
{
    for (size_t i = 0; i < WORDS_N; i++)
        if (r->said[i] && words[i].fine && !among(words[i].fine, r->said[i]))
            return fail(err, GS_E_NETWORK,
                        "'%s=%.40s' needs libpq, which is not used here; take a build that loads "
                        "it, and install libpq5",
                        words[i].name, r->said[i]);
    return true;
}

/* Of the user that runs this, by the system's own list: a static program cannot ask others. */
static const char *system_user(struct arena *a)
{
    struct gs_error ignored;
    const struct mapping *m = fs_read_in(a, "/etc/passwd", 1 << 24, &ignored);
    char id[24];
    snprintf(id, sizeof(id), "%lu", (unsigned long)geteuid());
    for (const char *p = m ? (const char *)m->data : NULL, *end = m ? p + m->size : NULL;
         p && p < end;) {
        const char *line = memchr(p, '\n', (size_t)(end - p));
        size_t n = (size_t)((line ? line : end) - p);
        const char *name = memchr(p, ':', n);
        const char *uid = name ? memchr(name + 1, ':', n - (size_t)(name + 1 - p)) : NULL;
        size_t left = uid ? n - (size_t)(uid + 1 - p) : 0;
        if (uid && left > strlen(id) && !strncmp(uid + 1, id, strlen(id)) &&
            uid[1 + strlen(id)] == ':')
            return arena_strndup(a, p, (size_t)(name - p));
        p += n + 1;
    }
    const char *logged = getenv("LOGNAME");
    return logged && *logged ? logged : getenv("USER");
}

static const char *socket_folder(void)
{
    static const char *const folders[] = {"/var/run/postgresql", "/run/postgresql"};
    for (size_t i = 0; i < ARRAY_LEN(folders); i++)
        if (fs_is_dir(folders[i]))
            return folders[i];
    return "/tmp";
}

/* Item i of a list with commas; the only one stands for all. */
static const char *item(const char *list, size_t i, struct arena *a)
{
    if (!list || !strchr(list, ','))
        return list;
    for (; i; i--) {
        list += strcspn(list, ",");
        if (!*list++)
            return NULL;
    }
    return arena_strndup(a, list, strcspn(list, ","));
}

static bool set_hosts(struct pg_target *t, const struct reading *r, struct arena *a,
                      struct gs_error *err)
{
    const char *names = r->said[HOSTADDR] ? r->said[HOSTADDR] : r->said[HOST];
    size_t n = 1;
    for (const char *p = names; p && (p = strchr(p, ',')); p++)
        n++;
    for (size_t i = 0; i < n; i++) {
        struct pg_host h = {item(names, i, a), item(r->said[PORT], i, a)};
        h.name = h.name && *h.name ? h.name : socket_folder();
        h.port = h.port && *h.port ? h.port : DEFAULT_PORT;
        if (!client_is_port(h.port, strlen(h.port)))
            return client_no_address(err);
        vec_push(t, a, h);
    }
    return true;
}

bool pg_target_read(struct pg_target *t, const char *address, struct arena *a, struct gs_error *err)
{
    enum { MOST_SECONDS = 86400, USUAL_SECONDS = 30 };
    struct reading r = {.arena = a};
    *t = (struct pg_target){0};
    if (!read_address(&r, address))
        return client_no_address(err);
    for (size_t i = 0; i < WORDS_N; i++) {
        const char *v = words[i].variable ? getenv(words[i].variable) : NULL;
        if (!r.said[i] && v && *v)
            r.said[i] = arena_strdup(a, v);
    }
    if (!check_words(&r, err) || !set_hosts(t, &r, a, err))
        return false;
    t->user = r.said[USER] ? r.said[USER] : system_user(a);
    if (!t->user || !*t->user)
        return fail(err, GS_E_USAGE, "no user; write 'postgresql://USER@HOST/DATABASE'");
    t->database = r.said[DATABASE] ? r.said[DATABASE] : t->user;
    t->password = r.said[PASSWORD] && *r.said[PASSWORD] ? r.said[PASSWORD] : NULL;
    t->passfile = r.said[PASSFILE];
    t->options = r.said[OPTIONS];
    t->application = r.said[APPLICATION] ? r.said[APPLICATION]
                     : r.said[FALLBACK]  ? r.said[FALLBACK]
                                         : "gpusight";
    t->clear = r.said[SSLMODE] && str_eq(r.said[SSLMODE], "disable");
    long seconds = r.said[TIMEOUT] ? strtol(r.said[TIMEOUT], NULL, 10) : 0;
    t->timeout_s = seconds <= 0             ? USUAL_SECONDS
                   : seconds > MOST_SECONDS ? MOST_SECONDS
                                            : (int)seconds;
    return true;
}
