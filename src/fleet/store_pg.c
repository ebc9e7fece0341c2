/* A fleet on a server of PostgreSQL, with libpq, which is loaded when an address is given. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"
#include "config.h"
#include "fleet/store.h"

#ifdef HAVE_PQ

#include <libpq-fe.h>

#define PQ_FUNCTIONS(F)                                                                            \
    F(PQconnectdb)                                                                                 \
    F(PQstatus)                                                                                    \
    F(PQerrorMessage)                                                                              \
    F(PQfinish)                                                                                    \
    F(PQexecParams)                                                                                \
    F(PQresultStatus)                                                                              \
    F(PQresultErrorField)                                                                          \
    F(PQntuples)                                                                                   \
    F(PQnfields)                                                                                   \
    F(PQgetvalue)                                                                                  \
    F(PQgetisnull)                                                                                 \
    F(PQcmdTuples)                                                                                 \
    F(PQclear)                                                                                     \
    F(PQsetNoticeProcessor)                                                                        \
    F(PQsetClientEncoding)                                                                         \
    F(PQconninfoParse)                                                                             \
    F(PQconninfoFree)

struct pq {
#define F(name) __typeof__(&name) name;
    PQ_FUNCTIONS(F)
#undef F
    PGconn *conn;
    const char *password; /* from the address or the environment; NULL: none */
    struct arena *arena;
};

enum { MOST_VALUES = 64, NUMBER_TEXT = 32, MOST_COLUMNS = 64 };

static bool load(struct pq *pq, struct gs_error *err)
{
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return fail(err, GS_E_NETWORK,
                    "no libpq here, so no server can be reached; install libpq5, or give a file");
#define F(name)                                                                                    \
    *(void **)&pq->name = dlsym(library, #name);                                                   \
    if (!pq->name)                                                                                 \
        return fail(err, GS_E_NETWORK, "libpq is too old: it has no '%s'", #name);
    PQ_FUNCTIONS(F)
#undef F
    return true;
}

/* One line of what the server or libpq says, without the password. */
static const char *cleaned(const struct pq *pq, const char *text)
{
    struct str s;
    str_init(&s, pq->arena);
    size_t hidden = pq->password ? strlen(pq->password) : 0;
    for (const char *p = text; *p;) {
        if (hidden && !strncmp(p, pq->password, hidden)) {
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

static bool finish(const struct pq *pq, PGresult *r, fleet_taker *take, void *ctx,
                   uint64_t *changed, struct gs_error *err)
{
    const char *columns[MOST_COLUMNS];
    ExecStatusType status = pq->PQresultStatus(r);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        const char *said = pq->PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
        return fail(err, GS_E_NETWORK, "%s",
                    cleaned(pq, said ? said : pq->PQerrorMessage(pq->conn)));
    }
    if (changed)
        *changed = strtoull(pq->PQcmdTuples(r), NULL, 10);
    int n = pq->PQnfields(r);
    for (int row = 0; take && row < pq->PQntuples(r); row++) {
        for (int i = 0; i < n && i < MOST_COLUMNS; i++)
            columns[i] = pq->PQgetisnull(r, row, i) ? NULL : pq->PQgetvalue(r, row, i);
        if (!take(ctx, columns, n))
            break;
    }
    return true;
}

static bool run(void *ctx, const char *sql, const struct fleet_value *v, size_t n,
                fleet_taker *take, void *take_ctx, uint64_t *changed, struct gs_error *err)
{
    const struct pq *pq = ctx;
    const char *texts[MOST_VALUES];
    char numbers[MOST_VALUES][NUMBER_TEXT];
    if (n > MOST_VALUES)
        return fail(err, GS_E_USAGE, "too many values");
    for (size_t i = 0; i < n; i++) {
        texts[i] = v[i].kind == FLEET_NULL ? NULL : numbers[i];
        if (v[i].kind == FLEET_INT)
            snprintf(numbers[i], NUMBER_TEXT, "%lld", (long long)v[i].number);
        else if (v[i].kind == FLEET_REAL)
            snprintf(numbers[i], NUMBER_TEXT, "%.17g", v[i].real);
        else if (v[i].kind == FLEET_TEXT)
            texts[i] = v[i].text;
    }
    PGresult *r = pq->PQexecParams(pq->conn, sql, (int)n, NULL, texts, NULL, NULL, 0);
    bool ok = finish(pq, r, take, take_ctx, changed, err);
    pq->PQclear(r);
    return ok;
}

static const struct fleet_backend backend = {
    .begin = "BEGIN", .has_to_timestamp = true, .run = run};

static void say_nothing(void *ctx, const char *text)
{
    (void)ctx;
    (void)text;
}

static void release(void *what)
{
    struct pq *pq = what;
    if (pq->conn)
        pq->PQfinish(pq->conn);
}

/* Its own words would hold the address, and so the password, where it makes no sense. */
static bool find_password(struct pq *pq, const char *address, struct gs_error *err)
{
    char *said = NULL;
    PQconninfoOption *all = pq->PQconninfoParse(address, &said);
    if (!all)
        return fail(err, GS_E_USAGE,
                    "the address of the database makes no sense; write "
                    "'postgresql://USER@HOST:PORT/DATABASE'");
    for (PQconninfoOption *o = all; o->keyword; o++)
        if (str_eq(o->keyword, "password") && o->val && *o->val)
            pq->password = arena_strdup(pq->arena, o->val);
    pq->PQconninfoFree(all);
    const char *other = getenv("PGPASSWORD");
    if (!pq->password && other && *other)
        pq->password = arena_strdup(pq->arena, other);
    return true;
}

bool fleet_open_postgresql(struct fleet *f, const char *address, struct gs_error *err)
{
    struct pq *pq = arena_new(f->arena, struct pq);
    pq->arena = f->arena;
    arena_defer(f->arena, release, pq);
    if (!load(pq, err) || !find_password(pq, address, err))
        return false;
    f->place = cleaned(pq, f->place); /* wherever else it may stand in it */
    pq->conn = pq->PQconnectdb(address);
    unsetenv("PGPASSWORD"); /* nobody needs it any more */
    if (!pq->conn || pq->PQstatus(pq->conn) != CONNECTION_OK)
        return fail(err, GS_E_NETWORK, "cannot reach '%s': %s", f->place,
                    pq->conn ? cleaned(pq, pq->PQerrorMessage(pq->conn)) : "out of memory");
    pq->PQsetNoticeProcessor(pq->conn, say_nothing, NULL);
    if (pq->PQsetClientEncoding(pq->conn, "UTF8") != 0)
        return fail(err, GS_E_NETWORK, "the server of '%s' knows no UTF-8", f->place);
    f->backend = &backend;
    f->db = pq;
    return true;
}

#else

bool fleet_open_postgresql(struct fleet *f, const char *address, struct gs_error *err)
{
    (void)f;
    (void)address;
    return fail(
        err, GS_E_NETWORK,
        "this build knows no PostgreSQL; build with -Dpostgresql=enabled (libpq), or give a "
        "file");
}

#endif
