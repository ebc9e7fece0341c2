/* Sockets: finding a server, and messages to and from it. */
#define _GNU_SOURCE /* SOCK_NONBLOCK, pipe2 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fs.h"
#include "fleet/pg/pg.h"

/* What a server may say at once; rows as long as PostgreSQL's longest values. */
enum { MOST_ROW = 1 << 28, MOST_OTHER = 1 << 24, PIECE = 1 << 16, MOST_ADDRESSES = 16 };

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool await(const struct pg *p, short what, struct gs_error *err)
{
    for (;;) {
        struct pollfd f = {.fd = p->fd, .events = what};
        int64_t left = p->deadline_ms ? p->deadline_ms - now_ms() : -1;
        if (p->deadline_ms && left <= 0)
            return fail(err, GS_E_NETWORK, "it does not answer");
        int n = poll(&f, 1, left > 1000000 ? 1000000 : (int)left);
        if (n > 0)
            return true;
        if (n < 0 && errno != EINTR)
            return fail(err, GS_E_NETWORK, "%s", strerror(errno));
    }
}

/* ---- names ---- */

struct addresses {
    struct sockaddr_storage v[MOST_ADDRESSES];
    size_t n;
};

static bool add_number(struct addresses *out, const char *text, uint16_t port)
{
    struct sockaddr_storage s = {0};
    struct sockaddr_in *four = (struct sockaddr_in *)&s;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&s;
    if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(port);
    } else if (inet_pton(AF_INET6, text, &six->sin6_addr) == 1) {
        six->sin6_family = AF_INET6;
        six->sin6_port = htons(port);
    } else {
        return false;
    }
    for (size_t i = 0; i < out->n; i++)
        if (!memcmp(&out->v[i], &s, sizeof(s)))
            return true;
    if (out->n < MOST_ADDRESSES)
        out->v[out->n++] = s;
    return true;
}

/* Lines of "ADDRESS ...", each with `name` behind it unless that is NULL. */
static void add_lines(struct addresses *out, char *text, const char *name, uint16_t port)
{
    char *line_end, *word_end;
    for (char *line = strtok_r(text, "\n", &line_end); line;
         line = strtok_r(NULL, "\n", &line_end)) {
        line[strcspn(line, "#")] = 0;
        char *number = strtok_r(line, " \t\r", &word_end), *word = NULL;
        bool found = number && !name;
        while (number && !found && (word = strtok_r(NULL, " \t\r", &word_end)))
            found = str_eq(word, name);
        if (found)
            add_number(out, number, port);
    }
}

/*
 * What a name stands for is asked of the program getent, which does what this system does; a static
 * program cannot load the modules that know. It is told nothing but the name.
 */
static void ask_getent(struct addresses *out, const char *name, uint16_t port, struct arena *a)
{
    const char *path = getenv("PATH");
    char *argv[] = {"getent", "ahosts", (char *)(uintptr_t)name, NULL};
    char *envp[] = {arena_printf(a, "PATH=%s", path ? path : "/usr/bin:/bin"), NULL};
    char text[8192];
    int ends[2];
    pid_t pid;
    posix_spawn_file_actions_t actions;
    if (*name == '-' || pipe2(ends, O_CLOEXEC) != 0)
        return;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int failed = posix_spawnp(&pid, argv[0], &actions, NULL, argv, envp);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    ptrdiff_t n = failed ? 0 : fs_read_up_to(ends[0], text, sizeof(text) - 1);
    close(ends[0]);
    while (!failed && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    text[n > 0 ? n : 0] = 0;
    add_lines(out, text, NULL, port);
}

static void resolve(struct addresses *out, const struct pg_host *h, struct arena *a)
{
    uint16_t port = (uint16_t)strtoul(h->port, NULL, 10);
    struct gs_error ignored;
    if (add_number(out, h->name, port))
        return;
    ask_getent(out, h->name, port, a);
    const struct mapping *m = out->n ? NULL : fs_read_in(a, "/etc/hosts", 1 << 20, &ignored);
    if (m)
        add_lines(out, arena_strndup(a, (const char *)m->data, m->size), h->name, port);
    if (!out->n && str_eq(h->name, "localhost")) {
        add_number(out, "::1", port);
        add_number(out, "127.0.0.1", port);
    }
}

/* ---- connecting ---- */

static bool is_loopback(const struct sockaddr *s)
{
    const struct sockaddr_in *four = (const struct sockaddr_in *)(const void *)s;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)(const void *)s;
    return s->sa_family == AF_UNIX ||
           (s->sa_family == AF_INET && ntohl(four->sin_addr.s_addr) >> 24 == 127) ||
           (s->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&six->sin6_addr));
}

static bool dial_one(struct pg *p, const struct sockaddr *s, socklen_t n, struct gs_error *err)
{
    int on = 1, failed = 0;
    socklen_t size = sizeof(failed);
    p->fd = socket(s->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (p->fd < 0)
        return fail(err, GS_E_NETWORK, "%s", strerror(errno));
    if (connect(p->fd, s, n) != 0 && errno != EINPROGRESS)
        return fail(err, GS_E_NETWORK, "%s", strerror(errno));
    if (!await(p, POLLOUT, err))
        return false;
    if (getsockopt(p->fd, SOL_SOCKET, SO_ERROR, &failed, &size) != 0 || failed)
        return fail(err, GS_E_NETWORK, "%s", strerror(failed ? failed : errno));
    p->local = is_loopback(s);
    if (s->sa_family != AF_UNIX) {
        setsockopt(p->fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
        setsockopt(p->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    }
    return true;
}

static bool dial_socket(struct pg *p, const struct pg_host *h, struct gs_error *err)
{
    struct sockaddr_un s = {.sun_family = AF_UNIX};
    const char *path = arena_printf(p->arena, "%s/.s.PGSQL.%s", h->name, h->port);
    if (strlen(path) >= sizeof(s.sun_path))
        return fail(err, GS_E_USAGE, "the path of the socket is too long");
    memcpy(s.sun_path, path, strlen(path) + 1);
    return dial_one(p, (const struct sockaddr *)&s, sizeof(s), err);
}

static bool dial_host(struct pg *p, const struct pg_host *h, struct gs_error *err)
{
    struct addresses all = {.n = 0};
    if (*h->name == '/')
        return dial_socket(p, h, err);
    resolve(&all, h, p->arena);
    for (size_t i = 0; i < all.n; i++) {
        const struct sockaddr *s = (const struct sockaddr *)&all.v[i];
        if (dial_one(p, s,
                     s->sa_family == AF_INET ? sizeof(struct sockaddr_in)
                                             : sizeof(struct sockaddr_in6),
                     err))
            return true;
        pg_close(p);
    }
    return all.n ? false : fail(err, GS_E_NETWORK, "no address is known for '%s'", h->name);
}

bool pg_dial(struct pg *p, const struct pg_target *t, const struct pg_host **host,
             struct gs_error *err)
{
    for (size_t i = 0; i < t->n; i++) {
        p->deadline_ms = now_ms() + (int64_t)t->timeout_s * 1000;
        *host = &t->v[i];
        if (dial_host(p, *host, err))
            return true;
        pg_close(p);
    }
    return false;
}

void pg_close(struct pg *p)
{
    if (p->fd >= 0)
        close(p->fd);
    p->fd = -1;
}

/* ---- messages ---- */

static bool gone(struct gs_error *err)
{
    return fail(err, GS_E_NETWORK, "%s",
                errno == ECONNRESET || errno == EPIPE ? "the server has hung up" : strerror(errno));
}

bool pg_send(struct pg *p, const struct str *m, struct gs_error *err)
{
    for (size_t at = 0; at < m->len;) {
        if (p->fd < 0)
            return fail(err, GS_E_NETWORK, "the connection is gone");
        ssize_t n = send(p->fd, m->buf + at, m->len - at, MSG_NOSIGNAL);
        if (n >= 0) {
            at += (size_t)n;
        } else if (errno == EAGAIN) {
            if (!await(p, POLLOUT, err))
                return false;
        } else if (errno != EINTR) {
            return gone(err);
        }
    }
    return true;
}

static bool fill(struct pg *p, struct gs_error *err)
{
    for (;;) {
        if (p->fd < 0)
            return fail(err, GS_E_NETWORK, "the connection is gone");
        ssize_t n = recv(p->fd, p->in, sizeof(p->in), 0);
        if (n > 0) {
            p->in_at = 0;
            p->in_n = (size_t)n;
            return true;
        }
        if (n == 0)
            return fail(err, GS_E_NETWORK, "the server has hung up");
        if (errno == EAGAIN) {
            if (!await(p, POLLIN, err))
                return false;
        } else if (errno != EINTR) {
            return gone(err);
        }
    }
}

/* n bytes behind those of `out`, which grows as they come, not as they are announced. */
static bool take(struct pg *p, struct str *out, size_t n, struct gs_error *err)
{
    while (n) {
        if (p->in_at == p->in_n && !fill(p, err))
            return false;
        size_t there = p->in_n - p->in_at;
        there = there < n ? there : n;
        str_put(out, p->in + p->in_at, there);
        p->in_at += there;
        n -= there;
    }
    return true;
}

bool pg_receive(struct pg *p, char *type, struct str *body, struct gs_error *err)
{
    str_clear(body);
    if (p->deadline_ms && now_ms() >= p->deadline_ms)
        return fail(err, GS_E_NETWORK, "it does not come to an end");
    if (!take(p, body, 5, err))
        return false;
    struct pg_body b = {body->buf + 1, body->buf + 5, false};
    uint32_t n = pg_get_int(&b);
    *type = body->buf[0];
    if (n < 4 || n - 4 > (*type == 'D' ? (uint32_t)MOST_ROW : (uint32_t)MOST_OTHER))
        return fail(err, GS_E_NETWORK, "it does not speak as PostgreSQL does");
    str_clear(body);
    return take(p, body, n - 4, err);
}
