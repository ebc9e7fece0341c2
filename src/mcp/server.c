#include "mcp/server.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

/* Lines of the input. One that is too long is passed over to its end, and told. */
struct lines {
    char *buf;
    size_t n, cap;
    bool too_long;
};

static void take_line(struct server *s, struct lines *l)
{
    if (l->too_long)
        send_error(s, NULL, "null", RPC_REQUEST, "the message is longer than 8 MiB");
    else if (l->n) {
        l->buf[l->n] = 0;
        message_take(s, l->buf, l->n);
    }
    l->n = 0;
    l->too_long = false;
}

static void take_bytes(struct server *s, struct lines *l, const char *p, size_t n)
{
    while (n) {
        const char *end = memchr(p, '\n', n);
        size_t part = end ? (size_t)(end - p) : n;
        if (l->n + part > LINE_MOST)
            l->too_long = true;
        if (!l->too_long && l->n + part + 1 > l->cap) {
            l->cap = (l->n + part + 1) * 2;
            l->buf = mem_realloc(l->buf, l->cap);
        }
        if (!l->too_long) {
            memcpy(l->buf + l->n, p, part);
            l->n += part;
        }
        if (end)
            take_line(s, l);
        p += part + (end != NULL);
        n -= part + (end != NULL);
    }
}

struct reading {
    struct server *s;
    struct lines *lines;
    const char *p;
    size_t n;
};

static void take_guarded(void *ctx)
{
    struct reading *r = ctx;
    take_bytes(r->s, r->lines, r->p, r->n);
}

static bool serve(struct server *s, struct lines *l, struct gs_error *err)
{
    static const int TELL_MS = 200;
    char buf[65536];
    while (!atomic_load(&s->broken)) {
        struct pollfd p = {.fd = s->o.in, .events = POLLIN};
        int ready = poll(&p, 1, worker_busy(s) ? TELL_MS : -1);
        if (ready < 0 && errno != EINTR)
            return fail(err, GS_E_IO, "cannot wait for input: %s", strerror(errno));
        worker_tell_progress(s);
        if (ready <= 0)
            continue;
        ssize_t n = read(s->o.in, buf, sizeof(buf));
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n < 0)
            return fail(err, GS_E_IO, "cannot read the input: %s", strerror(errno));
        struct reading r = {s, l, n ? buf : "\n", n ? (size_t)n : 1};
        if (!mem_guard(take_guarded, &r, err)) {
            l->n = 0; /* a line that there is no memory for is passed over */
            l->too_long = true;
        }
        if (!n)
            return true;
    }
    return fail(err, GS_E_IO, "cannot write the output");
}

bool mcp_serve(const struct mcp_opts *o, struct arena *arena, struct gs_error *err)
{
    struct server *s = arena_new(arena, struct server);
    struct lines l = {0};
    pthread_t worker;
    mem_keep();
    s->o = *o;
    s->arena = arena;
    atomic_store(&s->version, mcp_versions[0]);
    atomic_store(&s->level, LEVELS);
    struct tool_box_opts box = {
        .roots = o->roots, .threads = o->threads, .cache = o->cache, .progress = &s->progress};
    s->box = tool_box_new(&box, arena);
    pthread_mutex_init(&s->writing, NULL);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->wake, NULL);
    if (!worker_start(s, &worker))
        return fail(err, GS_E_IO, "cannot start a thread");
    bool ok = serve(s, &l, err);
    if (ok)
        while (worker_busy(s) && !atomic_load(&s->broken)) {
            worker_tell_progress(s);
            poll(NULL, 0, 20);
        }
    worker_end(s, worker);
    mem_free(l.buf);
    if (ok && atomic_load(&s->broken)) /* the last answers, behind the end of the input */
        return fail(err, GS_E_IO, "cannot write the output");
    return ok;
}
