/* Lines to messages, and back. */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "mcp/server.h"

/* ---- reading ---- */

/* The value that comes next, whole. */
static struct raw raw_next(struct jread *j)
{
    struct raw r = {.type = jr_type(j)};
    r.text = j->at;
    jr_skip(j);
    r.n = jr_failed(j) ? 0 : (size_t)(j->at - r.text);
    return r;
}

struct raw raw_member(struct raw object, const char *key, struct arena *arena)
{
    struct raw found = {0};
    if (!object.text || object.type != J_OBJECT)
        return found;
    struct jread *j = jr_text(arena, object.text, object.n);
    jr_object(j);
    while (jr_key(j)) {
        bool same = jr_is(j, key);
        struct raw value = raw_next(j);
        found = same ? value : found;
    }
    return found;
}

const char *raw_text(struct raw r, struct arena *arena)
{
    size_t n;
    if (!r.text || r.type != J_STRING)
        return NULL;
    const char *s = jr_str(jr_text(arena, r.text, r.n), &n);
    return s && strlen(s) == n ? arena_strndup(arena, s, n) : NULL;
}

/* ---- writing ---- */

static void write_all(struct server *s, const char *text, size_t n)
{
    while (n && !atomic_load(&s->broken)) {
        ssize_t put = write(s->o.out, text, n);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            atomic_store(&s->broken, true);
        else {
            text += put;
            n -= (size_t)put;
        }
    }
}

void send_line(struct server *s, const char *text, size_t n)
{
    pthread_mutex_lock(&s->writing);
    write_all(s, text, n);
    write_all(s, "\n", 1);
    pthread_mutex_unlock(&s->writing);
}

struct put {
    struct batch *b;
    const char *text;
    size_t n;
};

static void put_answer(void *ctx)
{
    struct put *p = ctx;
    str_puts(&p->b->out, p->b->out.len ? "," : "[");
    str_put(&p->b->out, p->text, p->n);
}

/*
 * Under the lock: an answer, or none, of one of the messages. A guard of its own keeps a shortage
 * of memory from leaving with the lock held; the answer is then lost.
 */
static void batch_put(struct server *s, struct batch *b, const char *text, size_t n)
{
    struct put p = {b, text, n};
    assert(b->left); /* each message of a batch is done once */
    if (n) {
        struct task *outer = task_enter(NULL); /* the answer of a call that is ended, too */
        mem_guard(put_answer, &p, NULL);
        task_leave(outer);
    }
    if (--b->left)
        return;
    if (b->out.len) {
        write_all(s, b->out.buf, b->out.len);
        write_all(s, "]\n", 2);
    }
    arena_release(&b->arena);
    mem_free(b);
}

static void deliver(struct server *s, struct batch *b, const struct str *message)
{
    if (!b) {
        send_line(s, message->buf, message->len);
        return;
    }
    pthread_mutex_lock(&s->writing);
    batch_put(s, b, message->buf, message->len);
    pthread_mutex_unlock(&s->writing);
}

void batch_done(struct server *s, struct batch *b)
{
    if (!b)
        return;
    pthread_mutex_lock(&s->writing);
    batch_put(s, b, "", 0);
    pthread_mutex_unlock(&s->writing);
}

void send_result(struct server *s, struct batch *b, const char *id, const char *result, size_t n)
{
    struct arena *temporary = arena_scratch();
    struct str out;
    str_init(&out, temporary);
    str_printf(&out, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":", id);
    str_put(&out, result, n);
    str_putc(&out, '}');
    deliver(s, b, &out);
    arena_release(temporary);
}

void send_error(struct server *s, struct batch *b, const char *id, enum rpc_code code,
                const char *text)
{
    struct arena *temporary = arena_scratch();
    struct str out;
    str_init(&out, temporary);
    str_printf(&out, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d,\"message\":", id,
               (int)code);
    jw_quote(&out, text, strlen(text));
    str_puts(&out, "}}");
    deliver(s, b, &out);
    arena_release(temporary);
}

static const char *const levels[LEVELS] = {"debug", "info",     "notice", "warning",
                                           "error", "critical", "alert",  "emergency"};

int log_level_of(const char *name)
{
    for (int i = 0; i < LEVELS; i++)
        if (str_eq(levels[i], name))
            return i;
    return -1;
}

void send_log(struct server *s, const char *level, const char *text)
{
    if (log_level_of(level) < atomic_load(&s->level))
        return;
    struct arena *temporary = arena_scratch();
    struct str out;
    str_init(&out, temporary);
    str_printf(
        &out,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"%s\","
        "\"logger\":\"gpusight\",\"data\":",
        level);
    jw_quote(&out, text, strlen(text));
    str_puts(&out, "}}");
    send_line(s, out.buf, out.len);
    arena_release(temporary);
}

/* ---- one message ---- */

static const struct method *find_method(const char *name)
{
    for (const struct method *m = mcp_methods; m->name; m++)
        if (str_eq(m->name, name))
            return m;
    return NULL;
}

static void answer(struct request *q, const char *id)
{
    struct gs_error err = {0};
    const struct method *m = find_method(q->method);
    struct jwrite w;
    struct str out;
    if (!m && !str_eq(q->method, "tools/call")) {
        send_error(q->s, q->batch, id, RPC_METHOD,
                   arena_printf(q->arena, "no method '%.100s'", q->method));
        return;
    }
    if (q->params.text && q->params.type != J_OBJECT) {
        send_error(q->s, q->batch, id, RPC_PARAMS, "params must be an object");
        return;
    }
    if (!m) {
        if (!worker_call(q, &err))
            send_error(q->s, q->batch, id, (enum rpc_code)(int)err.code, err.text);
        return;
    }
    str_init(&out, q->arena);
    jw_init(&w, &out, 0);
    jw_open(&w, NULL, '{');
    if (!m->fn(q, &w, &err)) {
        send_error(q->s, q->batch, id, (enum rpc_code)(int)err.code, err.text);
        return;
    }
    jw_close(&w);
    while (out.len && out.buf[out.len - 1] == '\n')
        out.len--;
    send_result(q->s, q->batch, id, out.buf, out.len);
}

static void notified(struct request *q)
{
    if (str_eq(q->method, "notifications/cancelled")) {
        struct raw id = raw_member(q->params, "requestId", q->arena);
        if (id.n)
            worker_cancel(q->s, arena_strndup(q->arena, id.text, id.n));
    }
    batch_done(q->s, q->batch);
}

static void take_object(struct server *s, struct raw message, struct batch *batch,
                        struct arena *arena)
{
    struct request q = {.s = s, .arena = arena, .batch = batch};
    struct raw version = raw_member(message, "jsonrpc", arena),
               method = raw_member(message, "method", arena);
    const char *jsonrpc = raw_text(version, arena);
    q.id = raw_member(message, "id", arena);
    q.params = raw_member(message, "params", arena);
    q.method = raw_text(method, arena);
    bool has_id = q.id.text != NULL;
    bool good_id = has_id && q.id.n <= ID_MOST && (q.id.type == J_STRING || q.id.type == J_NUMBER);
    const char *id = good_id ? arena_strndup(arena, q.id.text, q.id.n) : "null";
    bool is_answer = !method.text && (raw_member(message, "result", arena).text ||
                                      raw_member(message, "error", arena).text);
    if (is_answer) {
        batch_done(s, batch); /* we ask nothing */
        return;
    }
    if (!jsonrpc || !str_eq(jsonrpc, "2.0") || !q.method || (has_id && !good_id)) {
        send_error(s, batch, id, RPC_REQUEST,
                   !q.method            ? "no method in the message"
                   : has_id && !good_id ? "the id must be a text or a number"
                                        : "jsonrpc must be \"2.0\"");
        return;
    }
    if (has_id)
        answer(&q, id);
    else
        notified(&q);
}

/* ---- batches: only one version of the protocol has them ---- */

static void take_batch(struct server *s, struct raw message, struct arena *arena)
{
    VEC(struct raw) items = {0};
    struct jread *j = jr_text(arena, message.text, message.n);
    jr_array(j);
    while (jr_item(j) && items.n <= BATCH_MOST)
        vec_push(&items, arena, raw_next(j));
    if (!str_eq(s->version, "2025-03-26") || !items.n || items.n > BATCH_MOST) {
        send_error(
            s, NULL, "null", RPC_REQUEST,
            !items.n ? "the batch is empty"
            : items.n > BATCH_MOST
                ? "the batch has too many messages"
                : arena_printf(arena, "no batches in version %s of the protocol", s->version));
        return;
    }
    struct batch *b = mem_calloc(1, sizeof(*b));
    arena_init(&b->arena);
    str_init(&b->out, &b->arena);
    b->left = items.n;
    for (size_t i = 0; i < items.n; i++) {
        if (items.v[i].type == J_OBJECT)
            take_object(s, items.v[i], b, arena);
        else
            send_error(s, b, "null", RPC_REQUEST, "a message must be an object");
    }
}

struct take {
    struct server *s;
    char *line;
    size_t n;
    struct arena arena;
};

static void take(void *ctx)
{
    struct take *t = ctx;
    struct gs_error err = {0};
    struct raw all = {t->line, t->n, J_NONE};
    struct jread *j = jr_text(&t->arena, all.text, all.n);
    all = raw_next(j);
    if (!jr_end(j, &err)) {
        send_error(t->s, NULL, "null", RPC_PARSE, err.text);
        return;
    }
    if (all.type == J_ARRAY)
        take_batch(t->s, all, &t->arena);
    else if (all.type == J_OBJECT)
        take_object(t->s, all, NULL, &t->arena);
    else
        send_error(t->s, NULL, "null", RPC_REQUEST, "a message must be an object");
}

void message_take(struct server *s, char *line, size_t n)
{
    struct take t = {.s = s, .line = line, .n = n};
    struct gs_error err;
    arena_init(&t.arena);
    if (strspn(line, " \t\r") < n && !mem_guard(take, &t, &err)) {
        static const char text[] = "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32603,"
                                   "\"message\":\"out of memory\"}}";
        send_line(s, text, sizeof(text) - 1);
    }
    arena_release(&t.arena);
}
