/* With libpq, which is loaded when an address is given. */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/sat.h"
#include "base/str.h"
#include "fleet/client.h"

#include <libpq-fe.h>

#define PQ_FUNCTIONS(F)                                                                            \
    F(PQconnectdb)                                                                                 \
    F(PQconnectStart)                                                                              \
    F(PQconnectPoll)                                                                               \
    F(PQsocket)                                                                                    \
    F(PQisBusy)                                                                                    \
    F(PQconsumeInput)                                                                              \
    F(PQgetResult)                                                                                 \
    F(PQgetlength)                                                                                 \
    F(PQsetSingleRowMode)                                                                          \
    F(PQstatus)                                                                                    \
    F(PQerrorMessage)                                                                              \
    F(PQfinish)                                                                                    \
    F(PQsendQueryParams)                                                                           \
    F(PQresultStatus)                                                                              \
    F(PQresultErrorField)                                                                          \
    F(PQntuples)                                                                                   \
    F(PQnfields)                                                                                   \
    F(PQgetvalue)                                                                                  \
    F(PQgetisnull)                                                                                 \
    F(PQcmdTuples)                                                                                 \
    F(PQclear)                                                                                     \
    F(PQsetNoticeProcessor)                                                                        \
    F(PQconninfoParse)                                                                             \
    F(PQconninfoFree)

struct pq {
#define F(name) __typeof__(&name) name;
    PQ_FUNCTIONS(F)
#undef F
    PGconn *conn;
    const char *password; /* from the address or the environment; NULL: none */
    int seconds;          /* to connect within */
    bool several;         /* hosts to try: only libpq's own loop goes from one to the next */
    struct arena *arena;
};

enum {
    MOST_COLUMNS = 64,
    MOST_ROUNDS = 100000,
    USUAL_SECONDS = 30,
    MOST_SECONDS = 86400,
    MOST_BUSY = 8,
    ROW_COST = 64,
    CELL_COST = 16
};

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

/* ---- statements ---- */

/* An answer that is being read: libpq would hold all of it, however much that is. */
struct answer {
    size_t before; /* memory of others as it began */
    uint64_t bytes;
    unsigned rounds; /* in which something came, but no row */
};

static const char nonsense[] = "it does not speak as PostgreSQL does";

static bool too_much(struct gs_error *err)
{
    return fail(err, GS_E_NETWORK, "it sends more than %d MiB", CLIENT_MOST_SENT >> 20);
}

/*
 * Until libpq has a result. A row that never ends is held by libpq, and seen by what that takes: it
 * makes room for all of it as soon as it knows the length, and one call may fill that.
 */
static bool wait_for_result(const struct pq *pq, struct answer *a, struct gs_error *err)
{
    while (pq->PQisBusy(pq->conn)) {
        size_t held = mem_held_by_others();
        if (held > a->before && held - a->before > CLIENT_MOST_SENT / 2) /* it doubles */
            return too_much(err);
        struct pollfd p = {.fd = pq->PQsocket(pq->conn), .events = POLLIN};
        if (poll(&p, 1, -1) < 0 && errno != EINTR)
            return fail(err, GS_E_NETWORK, "%s", strerror(errno));
        if (!pq->PQconsumeInput(pq->conn))
            return fail(err, GS_E_NETWORK, "%s", cleaned(pq, pq->PQerrorMessage(pq->conn)));
        if (++a->rounds > MOST_ROUNDS)
            return fail(err, GS_E_NETWORK, "%s", nonsense);
    }
    return true;
}

/* False: no more rows are wanted. */
static bool take_rows(const struct pq *pq, PGresult *r, struct answer *a, fleet_taker *take,
                      void *ctx)
{
    const char *columns[MOST_COLUMNS];
    int n = pq->PQnfields(r);
    for (int row = 0; row < pq->PQntuples(r); row++) {
        for (int i = 0; i < n && i < MOST_COLUMNS; i++) {
            columns[i] = pq->PQgetisnull(r, row, i) ? NULL : pq->PQgetvalue(r, row, i);
            a->bytes = add_bytes(a->bytes, CELL_COST + (uint64_t)pq->PQgetlength(r, row, i));
        }
        a->bytes = add_bytes(a->bytes, ROW_COST);
        if (take && !take(ctx, columns, n))
            return false;
    }
    a->rounds = 0;
    return true;
}

/* All results of a statement, rows one by one as they come. */
static bool take_answer(const struct pq *pq, fleet_taker *take, void *ctx, uint64_t *changed,
                        struct gs_error *err)
{
    struct answer a = {.before = mem_held_by_others()};
    bool ok = true, more = true;
    while (more) {
        if (!wait_for_result(pq, &a, err))
            return false;
        PGresult *r = pq->PQgetResult(pq->conn);
        if (!r)
            return ok;
        ExecStatusType status = pq->PQresultStatus(r);
        if (pq->PQnfields(r) > MOST_COLUMNS) {
            more = ok = fail(err, GS_E_NETWORK, "%s", nonsense);
        } else if (status == PGRES_SINGLE_TUPLE || status == PGRES_TUPLES_OK) {
            take = take_rows(pq, r, &a, take, ctx) ? take : NULL;
        } else if (status != PGRES_COMMAND_OK && ok) {
            more = status == PGRES_FATAL_ERROR; /* copying would have no end */
            const char *said = pq->PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
            said = said ? said : pq->PQerrorMessage(pq->conn);
            ok = fail(err, GS_E_NETWORK, "%s", more && *said ? cleaned(pq, said) : nonsense);
        }
        if (changed)
            *changed = strtoull(pq->PQcmdTuples(r), NULL, 10);
        pq->PQclear(r);
        if (a.bytes > CLIENT_MOST_SENT)
            return too_much(err);
    }
    return ok;
}

static bool run(void *ctx, const char *sql, const struct fleet_value *v, size_t n,
                fleet_taker *take, void *take_ctx, uint64_t *changed, struct gs_error *err)
{
    const struct pq *pq = ctx;
    const char *texts[CLIENT_MOST_VALUES];
    char numbers[CLIENT_MOST_VALUES][CLIENT_NUMBER];
    if (!client_texts(texts, numbers, v, n, err))
        return false;
    if (!pq->PQsendQueryParams(pq->conn, sql, (int)n, NULL, texts, NULL, NULL, 0))
        return fail(err, GS_E_NETWORK, "%s", cleaned(pq, pq->PQerrorMessage(pq->conn)));
    pq->PQsetSingleRowMode(pq->conn);
    return take_answer(pq, take, take_ctx, changed, err);
}

static const struct fleet_backend backend = {
    .begin = "BEGIN", .alone = FLEET_ALONE, .has_to_timestamp = true, .run = run};

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

/* One for each host; an empty one is the usual one. */
static bool are_ports(const char *list)
{
    for (const char *p = list; *p; p += *p == ',') {
        size_t n = strcspn(p, ",");
        if (n && !client_is_port(p, n))
            return false;
        p += n;
    }
    return true;
}

/* Its own words would hold the address, and so the password, where it makes no sense. */
static bool read_address(struct pq *pq, const char *address, struct gs_error *err)
{
    char *said = NULL;
    const char *seconds = getenv("PGCONNECT_TIMEOUT");
    bool ports = true;
    PQconninfoOption *all = pq->PQconninfoParse(address, &said);
    if (!all)
        return client_no_address(err);
    for (PQconninfoOption *o = all; o->keyword; o++) {
        if (!o->val || !*o->val)
            continue;
        if (str_eq(o->keyword, "password"))
            pq->password = arena_strdup(pq->arena, o->val);
        else if (str_eq(o->keyword, "connect_timeout"))
            seconds = arena_strdup(pq->arena, o->val);
        else if (str_eq(o->keyword, "host") || str_eq(o->keyword, "hostaddr"))
            pq->several |= strchr(o->val, ',') != NULL;
        else if (str_eq(o->keyword, "port"))
            ports = are_ports(o->val);
    }
    long given = seconds ? strtol(seconds, NULL, 10) : 0;
    pq->seconds = given <= 0 ? USUAL_SECONDS : given > MOST_SECONDS ? MOST_SECONDS : (int)given;
    pq->PQconninfoFree(all);
    const char *other = getenv("PGPASSWORD");
    if (!pq->password && other && *other)
        pq->password = arena_strdup(pq->arena, other);
    return ports || client_no_address(err);
}

/* ---- connecting ---- */

/* A server can keep libpq busy within one call for hours, such as by rounds of a hash. */
static void on_busy(int number)
{
    static const char text[] = "gpusight: the server keeps us busy and never lets us in\n";
    (void)number;
    ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);
    (void)n;
    _exit(GS_E_NETWORK);
}

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Step by step, so that what the server says on the way does not go to the terminal. */
static bool connect_steps(struct pq *pq, const char *address)
{
    PostgresPollingStatusType s = PGRES_POLLING_WRITING;
    int64_t until = now_ms() + (int64_t)pq->seconds * 1000, left;
    pq->conn = pq->PQconnectStart(address);
    if (!pq->conn || pq->PQstatus(pq->conn) == CONNECTION_BAD)
        return true;
    pq->PQsetNoticeProcessor(pq->conn, say_nothing, NULL);
    while (s == PGRES_POLLING_READING || s == PGRES_POLLING_WRITING) {
        struct pollfd p = {.fd = pq->PQsocket(pq->conn),
                           .events = s == PGRES_POLLING_READING ? POLLIN : POLLOUT};
        if ((left = until - now_ms()) <= 0)
            return false;
        if (poll(&p, 1, (int)left) > 0)
            s = pq->PQconnectPoll(pq->conn);
    }
    return true;
}

/* False: no answer in time. */
static bool connect_in_time(struct pq *pq, const char *address)
{
    struct itimerval most = {.it_value.tv_sec = MOST_BUSY}, none = {0};
    struct sigaction own = {.sa_handler = on_busy}, before;
    bool in_time = true;
    sigaction(SIGPROF, &own, &before);
    setitimer(ITIMER_PROF, &most, NULL);
    if (pq->several)
        pq->conn = pq->PQconnectdb(address);
    else
        in_time = connect_steps(pq, address);
    setitimer(ITIMER_PROF, &none, NULL);
    sigaction(SIGPROF, &before, NULL);
    return in_time;
}

static bool open_libpq(struct fleet *f, const char *address, struct gs_error *err)
{
    struct pq *pq = arena_new(f->arena, struct pq);
    pq->arena = f->arena;
    arena_defer(f->arena, release, pq);
    if (!load(pq, err) || !read_address(pq, address, err))
        return false;
    f->place = cleaned(pq, f->place); /* wherever else it may stand in it */
    bool in_time = connect_in_time(pq, address);
    unsetenv("PGPASSWORD"); /* nobody needs it any more */
    if (!in_time)
        return fail(err, GS_E_NETWORK, "cannot reach '%s': no answer within %d s", f->place,
                    pq->seconds);
    if (!pq->conn || pq->PQstatus(pq->conn) != CONNECTION_OK)
        return fail(err, GS_E_NETWORK, "cannot reach '%s': %s", f->place,
                    pq->conn ? cleaned(pq, pq->PQerrorMessage(pq->conn)) : "out of memory");
    pq->PQsetNoticeProcessor(pq->conn, say_nothing, NULL);
    if (!run(pq, "SET client_encoding TO 'UTF8'", NULL, 0, NULL, NULL, NULL, err))
        return wrap(err, "cannot use '%s'", f->place);
    f->backend = &backend;
    f->db = pq;
    return true;
}

const struct client client_libpq = {.name = "libpq", .ready = ready, .open = open_libpq};
