/* With libpq, which is loaded when an address is given. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fleet/client.h"

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

enum { MOST_COLUMNS = 64 };

static bool ready(void)
{
    return dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL); /* stays, for load() */
}

static bool load(struct pq *pq, struct gs_error *err)
{
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
#define F(name)                                                                                    \
    *(void **)&pq->name = library ? dlsym(library, #name) : NULL;                                  \
    if (!pq->name)                                                                                 \
        return fail(err, GS_E_NETWORK, "libpq is too old: it has no '%s'", #name);
    PQ_FUNCTIONS(F)
#undef F
    return true;
}

static const char *cleaned(const struct pq *pq, const char *text)
{
    return client_cleaned(text, pq->password, pq->arena);
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
    const char *texts[CLIENT_MOST_VALUES];
    char numbers[CLIENT_MOST_VALUES][CLIENT_NUMBER];
    if (!client_texts(texts, numbers, v, n, err))
        return false;
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
        return client_no_address(err);
    for (PQconninfoOption *o = all; o->keyword; o++)
        if (str_eq(o->keyword, "password") && o->val && *o->val)
            pq->password = arena_strdup(pq->arena, o->val);
    pq->PQconninfoFree(all);
    const char *other = getenv("PGPASSWORD");
    if (!pq->password && other && *other)
        pq->password = arena_strdup(pq->arena, other);
    return true;
}

static bool open_libpq(struct fleet *f, const char *address, struct gs_error *err)
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

const struct client client_libpq = {.name = "libpq", .ready = ready, .open = open_libpq};
