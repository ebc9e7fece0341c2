#define _GNU_SOURCE /* pipe2, close_range, strptime, timegm, explicit_bzero */
/*
 * The program of that name, where the library is not built in: one file to carry to a cluster still
 * reaches a server through the curl that is there.
 *
 * It is started for one request, without a shell and without its own configuration. What it is to do,
 * the key among it, is written to its standard input, the body to another pipe; its arguments are
 * the same for every request, and of the environment it gets what leads to proxies, certificates
 * and libraries. It prints the head of the answer and the body as they come.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "llm/http.h"

enum { BODY_FD = 3, HEAD_MAX = 256 * 1024 };

/* ---- what it is told ---- */

static void put_option(struct str *out, const char *name, const char *value)
{
    str_printf(out, "%s = \"", name);
    for (; *value; value++) {
        if (*value == '"' || *value == '\\')
            str_putc(out, '\\');
        str_putc(out, *value);
    }
    str_puts(out, "\"\n");
}

static void put_header(void *ctx, const char *line)
{
    put_option(ctx, "header", line);
}

static void put_config(struct str *out, const struct errand *e)
{
    const struct llm_target *t = e->target;
    struct llm_url u;
    llm_url_parse(&u, e->url, NULL);
    str_puts(out, "silent\nshow-error\nno-buffer\ninclude\nsuppress-connect-headers\ngloboff\n"
                  "tlsv1.2\n");
    put_option(out, "url", e->url);
    put_option(out, "proto", u.tls ? "=https" : "=http");
    put_option(out, "user-agent", "gpusight");
    http_headers(t, put_header, out);
    str_printf(out, "data-binary = \"@/dev/fd/%d\"\nconnect-timeout = %d\n", BODY_FD,
               http_connect_s(t));
    if (t->insecure)
        str_puts(out, "insecure\n");
    if (t->ca)
        put_option(out, "cacert", t->ca);
    if (t->proxy)
        put_option(out, "proxy", t->proxy);
    else if (u.loopback) /* this machine is reached without the proxy of the variables */
        put_option(out, "noproxy", "*");
}

/* ---- the process ---- */

struct feed {
    int fd;
    const char *at;
    size_t n;
};

struct child {
    pid_t pid;
    struct feed config, body;
    int out, err;
    struct str head; /* of the answer, until its end has come */
    bool in_body;
    struct str said; /* on standard error */
};

static char **environment(struct arena *a)
{
    static const char *const kept[] = {"http_proxy",   "https_proxy",    "HTTPS_PROXY",
                                       "all_proxy",    "ALL_PROXY",      "no_proxy",
                                       "NO_PROXY",     "CURL_CA_BUNDLE", "SSL_CERT_FILE",
                                       "SSL_CERT_DIR", "LD_LIBRARY_PATH"};
    char **env = arena_alloc(a, (ARRAY_LEN(kept) + 2) * sizeof(*env));
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
        const char *v = getenv(kept[i]);
        if (v)
            env[n++] = arena_printf(a, "%s=%s", kept[i], v);
    }
    env[n] = arena_strdup(a, "LC_ALL=C");
    return env;
}

/* `fds`: what it gets as descriptors 0 to 3; all of them lie above. */
static _Noreturn void become(const char *program, const int *fds, char **env)
{
    static const char *const argv[] = {"curl", "--disable", "--config", "-", NULL};
    setpgid(0, 0); /* Ctrl-C is for us */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int s = 1; s < 32; s++)
        signal(s, SIG_DFL);
    for (int i = 0; i <= BODY_FD; i++)
        if (dup2(fds[i], i) < 0)
            _exit(127);
    if (close_range(BODY_FD + 1, ~0U, 0) != 0)
        for (int fd = BODY_FD + 1; fd < 1024; fd++)
            close(fd);
    execve(program, (char *const *)(uintptr_t)argv, env);
    _exit(127);
}

/* Both ends above the descriptors that the child gets. */
static bool open_pipe(int ends[2])
{
    int low[2];
    if (pipe2(low, O_CLOEXEC) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, BODY_FD + 1);
        close(low[i]);
    }
    return ends[0] >= 0 && ends[1] >= 0;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static bool start(struct child *c, const struct errand *e)
{
    int pipes[4][2] = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}}; /* in, out, err, body */
    char **env = environment(e->arena);
    bool ok = true;
    for (int i = 0; i < 4 && ok; i++)
        ok = open_pipe(pipes[i]);
    const int fds[] = {pipes[0][0], pipes[1][1], pipes[2][1], pipes[3][0]};
    c->pid = ok ? fork() : -1;
    if (c->pid == 0)
        become(e->program, fds, env);
    close_fd(&pipes[0][0]);
    close_fd(&pipes[1][1]);
    close_fd(&pipes[2][1]);
    close_fd(&pipes[3][0]);
    c->config.fd = pipes[0][1];
    c->out = pipes[1][0];
    c->err = pipes[2][0];
    c->body.fd = pipes[3][1];
    if (c->pid > 0) {
        fcntl(c->config.fd, F_SETFL, O_NONBLOCK);
        fcntl(c->body.fd, F_SETFL, O_NONBLOCK);
    }
    return c->pid > 0;
}

/* ---- the answer ---- */

/* The value of a line of the head, or NULL: it is another. */
static const char *field_value(const char *line, const char *name)
{
    size_t n = strlen(name);
    if (strncasecmp(line, name, n) != 0 || line[n] != ':')
        return NULL;
    line += n + 1;
    return line + strspn(line, " \t");
}

/* Seconds, or a date. */
static int64_t retry_after(const char *value)
{
    struct tm at = {0};
    if (isdigit((unsigned char)*value))
        return strtol(value, NULL, 10);
    if (!strptime(value, "%a, %d %b %Y %H:%M:%S GMT", &at))
        return 0;
    time_t left = timegm(&at) - time(NULL);
    return left > 0 ? left : 0;
}

static void read_head(struct http_exchange *x, char *head)
{
    char *rest = head, *line;
    x->status = 0;
    while ((line = strsep(&rest, "\n"))) {
        const char *v;
        line[strcspn(line, "\r")] = 0;
        if (line == head)
            x->status = strtol(line + strcspn(line, " "), NULL, 10);
        else if ((v = field_value(line, "content-type")))
            x->type = arena_strdup(x->e->arena, v);
        else if ((v = field_value(line, "location")))
            x->redirect = arena_strdup(x->e->arena, v);
        else if ((v = field_value(line, "retry-after")))
            x->retry_after_s = retry_after(v);
    }
}

/* Where the empty line ends that follows a head; NULL: it has not come. */
static char *end_of_head(char *head)
{
    char *crlf = strstr(head, "\r\n\r\n"), *lf = strstr(head, "\n\n");
    return crlf && (!lf || crlf < lf) ? crlf + 4 : lf ? lf + 2 : NULL;
}

static bool is_odd(struct http_exchange *x, const char *why)
{
    x->code = HTTP_ODD_REPLY;
    snprintf(x->problem, sizeof(x->problem), "%s", why);
    return false;
}

/* False: no more is wanted. */
static bool take_output(struct child *c, struct http_exchange *x, const char *bytes, size_t n)
{
    if (c->in_body)
        return http_take(x, bytes, n);
    str_put(&c->head, bytes, n);
    char *end;
    while (!c->in_body && (end = end_of_head(c->head.buf))) {
        size_t used = (size_t)(end - c->head.buf), left = c->head.len - used;
        const char *rest = arena_strndup(x->e->arena, end, left);
        end[-1] = 0;
        if (!str_starts(c->head.buf, "HTTP/"))
            return is_odd(x, "what came is no HTTP");
        read_head(x, c->head.buf);
        str_clear(&c->head);
        c->in_body = x->status >= 200 || x->status < 100; /* those below announce another */
        if (c->in_body)
            return !left || http_take(x, rest, left);
        str_put(&c->head, rest, left);
    }
    x->too_large |= c->head.len > HEAD_MAX;
    return !x->too_large;
}

static void write_feed(struct feed *f)
{
    ssize_t n = f->n ? write(f->fd, f->at, f->n) : 0;
    if (n > 0) {
        f->at += n;
        f->n -= (size_t)n;
    }
    if (!f->n || (n < 0 && errno != EAGAIN && errno != EINTR))
        close_fd(&f->fd);
}

static void take_said(struct child *c)
{
    char buf[4096];
    ssize_t n = read(c->err, buf, sizeof(buf));
    if (n > 0 && c->said.len < sizeof(buf))
        str_put(&c->said, buf, (size_t)n);
    else if (n == 0 || (n < 0 && errno != EINTR))
        close_fd(&c->err);
}

/* Until it has closed its output, as all sides are ready. */
static enum http_state converse(struct child *c, struct http_exchange *x)
{
    char buf[65536];
    while (c->out >= 0) {
        struct pollfd p[] = {{.fd = c->out, .events = POLLIN},
                             {.fd = c->err, .events = POLLIN},
                             {.fd = c->config.fd, .events = POLLOUT},
                             {.fd = c->body.fd, .events = POLLOUT},
                             {.fd = x->e->control, .events = POLLIN}};
        poll(p, ARRAY_LEN(p), 500);
        enum http_state state = http_state(x);
        if (state != HTTP_GOES_ON)
            return state;
        if (p[1].revents)
            take_said(c);
        if (p[2].revents)
            write_feed(&c->config);
        if (p[3].revents)
            write_feed(&c->body);
        if (!p[0].revents)
            continue;
        ssize_t n = read(c->out, buf, sizeof(buf));
        if (n > 0 && !take_output(c, x, buf, (size_t)n))
            return HTTP_DONE;
        if (n == 0 || (n < 0 && errno != EINTR))
            close_fd(&c->out);
    }
    return HTTP_DONE;
}

/* ---- its end ---- */

/* "curl: (7) Failed to connect ...": the words, of one line. */
static void take_problem(struct http_exchange *x, const char *said)
{
    const char *words = strstr(said, "curl: (");
    words = words ? strchr(words, ')') : NULL;
    words = words ? words + 1 + strspn(words + 1, " ") : said;
    snprintf(x->problem, sizeof(x->problem), "%.*s", (int)strcspn(words, "\n"), words);
}

/* What it still has to say, where it ended by itself; it has little time for that. */
static void end_child(struct child *c, struct http_exchange *x, bool by_itself)
{
    int status = 0;
    close_fd(&c->config.fd);
    close_fd(&c->body.fd);
    close_fd(&c->out);
    while (by_itself && c->err >= 0) {
        struct pollfd p = {.fd = c->err, .events = POLLIN};
        if (poll(&p, 1, 1000) <= 0)
            break;
        take_said(c);
    }
    by_itself = by_itself && c->err < 0;
    close_fd(&c->err);
    if (!by_itself)
        kill(c->pid, SIGKILL);
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (!by_itself)
        return;
    x->code = WIFEXITED(status) ? WEXITSTATUS(status) : HTTP_NOT_RECEIVED;
    if (x->code == 127)
        snprintf(x->problem, sizeof(x->problem), "cannot start '%s'", x->e->program);
    else if (x->code != HTTP_OK)
        take_problem(x, c->said.len ? c->said.buf : "curl ended without a word");
    else if (!x->status)
        is_odd(x, "curl gave no answer");
}

static enum http_state run(struct http_exchange *x)
{
    struct child c = {.pid = -1, .out = -1, .err = -1};
    struct str config;
    str_init(&config, x->e->arena);
    str_init(&c.head, x->e->arena);
    str_init(&c.said, x->e->arena);
    put_config(&config, x->e);
    c.config = (struct feed){-1, config.buf, config.len};
    c.body = (struct feed){-1, x->e->body, x->e->n};
    if (!start(&c, x->e)) {
        x->code = HTTP_NOT_SENT;
        snprintf(x->problem, sizeof(x->problem), "cannot start '%s': %s", x->e->program,
                 strerror(errno));
        c.pid = 0;
    }
    enum http_state state = c.pid > 0 ? converse(&c, x) : HTTP_DONE;
    explicit_bzero(config.buf, config.len);
    if (c.pid > 0)
        end_child(&c, x, state == HTTP_DONE && c.out < 0);
    return state;
}

static bool ready(const char **program, struct arena *a, struct gs_error *err)
{
    *program = llm_find_program("curl", a);
    return *program || fail(err, GS_E_NETWORK, "there is no program 'curl' on PATH");
}

const struct transport transport_curl = {.name = "curl", .ready = ready, .run = run};
