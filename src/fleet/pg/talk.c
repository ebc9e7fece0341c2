/* Start-up and statements. */
#include <stdlib.h>
#include <string.h>

#include "base/sat.h"
#include "fleet/client.h"
#include "fleet/pg/pg.h"

enum {
    VERSION = 3 << 16,
    MOST_MESSAGES = 1000,
    MOST_COLUMNS = 1664,
    ROW_COST = 64,
    CELL_COST = 32
};
static const uint64_t most_bytes = (uint64_t)1
                                   << 29; /* of all rows of a statement, as they are held */

/* ---- bytes ---- */

void pg_put_int(struct str *m, uint32_t v)
{
    for (int i = 24; i >= 0; i -= 8)
        str_putc(m, (char)(v >> i));
}

static void pg_put_short(struct str *m, uint16_t v)
{
    str_putc(m, (char)(v >> 8));
    str_putc(m, (char)v);
}

void pg_put_text(struct str *m, const char *text)
{
    str_put(m, text, strlen(text) + 1);
}

void pg_begin(struct str *m, char type, size_t *at)
{
    if (type)
        str_putc(m, type);
    *at = m->len;
    pg_put_int(m, 0);
}

void pg_end(struct str *m, size_t at)
{
    uint32_t n = (uint32_t)(m->len - at);
    for (size_t i = 0; i < 4; i++)
        m->buf[at + i] = (char)(n >> (24 - 8 * i));
}

struct pg_body pg_body_of(const struct str *s)
{
    return (struct pg_body){s->buf, s->buf + s->len, false};
}

const char *pg_get_bytes(struct pg_body *b, uint32_t n)
{
    if ((size_t)(b->end - b->at) < n) {
        b->bad = true;
        return NULL;
    }
    b->at += n;
    return b->at - n;
}

uint32_t pg_get_int(struct pg_body *b)
{
    const uint8_t *p = (const uint8_t *)pg_get_bytes(b, 4);
    return p ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3] : 0;
}

static uint16_t pg_get_short(struct pg_body *b)
{
    const uint8_t *p = (const uint8_t *)pg_get_bytes(b, 2);
    return p ? (uint16_t)(p[0] << 8 | p[1]) : 0;
}

const char *pg_get_text(struct pg_body *b)
{
    const char *text = b->at;
    const char *end = memchr(text, 0, (size_t)(b->end - text));
    b->bad |= !end;
    b->at = end ? end + 1 : b->end;
    return end ? text : "";
}

/* ---- what may come at any time ---- */

/* Field 'M' of an error, one line without the password. */
static bool refused(const struct pg *p, const struct str *body, struct gs_error *err)
{
    struct pg_body b = pg_body_of(body);
    const char *said = "it refuses without a word";
    while (b.at < b.end && *b.at && !b.bad) {
        char what = *b.at++;
        const char *text = pg_get_text(&b);
        if (what == 'M' && *text)
            said = text;
    }
    return fail(err, GS_E_NETWORK, "%s", client_cleaned(said, p->password, p->arena));
}

static bool nonsense(struct pg *p, struct gs_error *err)
{
    pg_close(p); /* nobody knows what would come next */
    return fail(err, GS_E_NETWORK, "it does not speak as PostgreSQL does");
}

/* Notices, settings and messages of others, which nobody here asks for. */
static bool is_beside(char type)
{
    return type == 'N' || type == 'S' || type == 'A';
}

/* ---- start-up ---- */

static void put_startup(struct str *m, const struct pg_target *t)
{
    const char *pairs[][2] = {{"user", t->user},
                              {"database", t->database},
                              {"client_encoding", "UTF8"},
                              {"application_name", t->application},
                              {"options", t->options}};
    size_t at;
    pg_begin(m, 0, &at);
    pg_put_int(m, VERSION);
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
        if (pairs[i][1] && *pairs[i][1]) {
            pg_put_text(m, pairs[i][0]);
            pg_put_text(m, pairs[i][1]);
        }
    str_putc(m, 0);
    pg_end(m, at);
}

bool pg_start(struct pg *p, const struct pg_target *t, struct gs_error *err)
{
    struct pg_auth auth = {
        .user = t->user, .password = p->password, .clear_is_fine = p->local || t->clear};
    struct str body, reply;
    bool in = false;
    char type;
    str_init(&body, p->arena);
    str_init(&reply, p->arena);
    put_startup(&reply, t);
    for (size_t n = 0; n < MOST_MESSAGES; n++) {
        if ((reply.len && !pg_send(p, &reply, err)) || !pg_receive(p, &type, &body, err))
            return false;
        str_clear(&reply);
        if (type == 'E')
            return refused(p, &body, err);
        if (type == 'R' && !in) {
            if (!pg_auth_answer(&auth, &body, &reply, &in, p->arena, err))
                return false;
        } else if (type == 'Z' && in) {
            p->deadline_ms = 0;
            return true;
        } else if (!is_beside(type) && type != 'v' && !(type == 'K' && in)) {
            return nonsense(p, err);
        }
    }
    return nonsense(p, err);
}

bool pg_connect(struct pg *p, const struct pg_target *t, struct arena *a, struct gs_error *err)
{
    const struct pg_host *host;
    p->fd = -1;
    p->arena = a;
    p->password = t->password;
    if (!pg_dial(p, t, &host, err))
        return false;
    p->password = pg_password(t, host, a);
    if (pg_start(p, t, err))
        return true;
    pg_close(p);
    return false;
}

/* ---- statements ---- */

static void put_statement(struct str *m, const char *sql, const char *const *values, size_t n)
{
    size_t at;
    pg_begin(m, 'P', &at); /* parse: types are the server's to find */
    pg_put_text(m, "");
    pg_put_text(m, sql);
    pg_put_short(m, 0);
    pg_end(m, at);
    pg_begin(m, 'B', &at); /* bind: all of it as text, there and back */
    pg_put_text(m, "");
    pg_put_text(m, "");
    pg_put_short(m, 0);
    pg_put_short(m, (uint16_t)n);
    for (size_t i = 0; i < n; i++) {
        pg_put_int(m, values[i] ? (uint32_t)strlen(values[i]) : UINT32_MAX);
        if (values[i])
            str_puts(m, values[i]);
    }
    pg_put_short(m, 0);
    pg_end(m, at);
    pg_begin(m, 'D', &at); /* describe the portal */
    str_putc(m, 'P');
    pg_put_text(m, "");
    pg_end(m, at);
    pg_begin(m, 'E', &at); /* execute: all rows */
    pg_put_text(m, "");
    pg_put_int(m, 0);
    pg_end(m, at);
    pg_begin(m, 'S', &at); /* sync */
    pg_end(m, at);
}

/* As many columns as were described, each with its length before it. */
static bool read_row(struct pg_rows *out, const struct str *body, struct arena *a)
{
    struct pg_body b = pg_body_of(body);
    uint16_t n = pg_get_short(&b);
    if (b.bad || n != out->columns)
        return false;
    for (uint16_t i = 0; i < n; i++) {
        uint32_t size = pg_get_int(&b);
        const char *bytes = size == UINT32_MAX ? NULL : pg_get_bytes(&b, size);
        if (b.bad)
            return false;
        vec_push_alone(&out->cells, a, bytes ? arena_strndup(a, bytes, size) : NULL);
    }
    out->rows++;
    return b.at == b.end;
}

/* "INSERT 0 5": the last word, where it is a number. */
static uint64_t count_of(const struct str *body)
{
    const char *space = strrchr(body->buf, ' ');
    return space ? strtoull(space + 1, NULL, 10) : 0;
}

struct answer {
    struct pg *p;
    struct pg_rows *out;
    struct arena *arena;
    struct gs_error said; /* the first error of the server */
    uint64_t bytes;
    size_t others;  /* messages that are no rows: none of them may come for ever */
    bool described; /* rows have as many columns as the first one: they lie one behind the other */
};

static bool take_message(struct answer *w, char type, const struct str *body, struct gs_error *err)
{
    struct pg_body b = pg_body_of(body);
    if (type != 'D' && w->others++ > MOST_MESSAGES)
        return nonsense(w->p, err);
    switch (type) {
    case 'T':
        if (w->described)
            return nonsense(w->p, err);
        w->described = true;
        w->out->columns = pg_get_short(&b);
        return (!b.bad && w->out->columns <= MOST_COLUMNS) || nonsense(w->p, err);
    case 'D':
        w->bytes = add_bytes(w->bytes, body->len + ROW_COST + w->out->columns * CELL_COST);
        if (w->bytes > most_bytes) {
            pg_close(w->p);
            return fail(err, GS_E_NETWORK, "it sends more than 512 MiB");
        }
        return read_row(w->out, body, w->arena) || nonsense(w->p, err);
    case 'C':
        w->out->changed = count_of(body);
        return true;
    case 'E':
        if (w->said.code == GS_OK)
            refused(w->p, body, &w->said);
        return true;
    case '1': /* parsed, bound, no rows to describe, nothing to do */
    case '2':
    case 'n':
    case 'I':
        return true;
    default:
        return is_beside(type) || nonsense(w->p, err);
    }
}

bool pg_run(struct pg *p, const char *sql, const char *const *values, size_t n, struct pg_rows *out,
            struct arena *a, struct gs_error *err)
{
    struct answer w = {.p = p, .out = out, .arena = a};
    struct str message, body;
    char type = 0;
    *out = (struct pg_rows){0};
    str_init(&message, a);
    str_init(&body, a);
    put_statement(&message, sql, values, n);
    if (!pg_send(p, &message, err))
        return false;
    while (pg_receive(p, &type, &body, err)) {
        if (type == 'Z') {
            *err = w.said.code == GS_OK ? *err : w.said;
            return w.said.code == GS_OK;
        }
        if (!take_message(&w, type, &body, err))
            return false;
    }
    pg_close(p);
    if (w.said.code != GS_OK) /* it has said why before it went */
        *err = w.said;
    return false;
}
