#define _GNU_SOURCE /* sigaction */
#include "llm/messenger.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/fs_out.h"
#include "base/mem.h"
#include "llm/event_json.h"
#include "llm/http.h"
#include "llm/json_copy.h"
#include "llm/scrub.h"

enum { FRAME_MAX = 32 * 1024 * 1024 };
enum { KIND_ASK = 'a', KIND_COUNT = 'c' }; /* the first byte of a frame that asks */

struct messenger {
    int fd;
    pid_t pid;
    bool dead;
};

/* ---- frames: a length, and so many bytes ---- */

static bool write_frame(int fd, const char *p, size_t n)
{
    uint32_t len = (uint32_t)n;
    return n <= FRAME_MAX && fs_write_all(fd, &len, sizeof(len)) && fs_write_all(fd, p, n);
}

static bool write_request(int fd, char kind, const char *p, size_t n)
{
    uint32_t len = (uint32_t)n + 1;
    return n < FRAME_MAX && fs_write_all(fd, &len, sizeof(len)) && fs_write_all(fd, &kind, 1) &&
           fs_write_all(fd, p, n);
}

/* NULL: the other side is gone. An empty one is "stop". */
static char *read_frame(int fd, size_t *n, struct arena *a)
{
    uint32_t len;
    if (!fs_read_all(fd, &len, sizeof(len)) || len > FRAME_MAX)
        return NULL;
    char *p = arena_alloc(a, (size_t)len + 1);
    *n = len;
    return fs_read_all(fd, p, len) ? p : NULL;
}

/* ---- the messenger's side ---- */

struct outlet {
    int fd;
    struct scrub scrub;
};

static void send_event(void *ctx, const struct llm_event *e)
{
    const struct outlet *o = ctx;
    struct arena *scratch = arena_scratch();
    struct str out;
    struct jwrite w;
    str_init(&out, scratch);
    jw_init(&w, &out, 0);
    event_write(&w, e);
    if (!write_frame(o->fd, out.buf, out.len))
        _exit(0);
    arena_release(scratch);
}

bool errand_interrupted(const struct errand *e, int wait_ms)
{
    struct pollfd p = {.fd = e->control, .events = POLLIN};
    return poll(&p, 1, wait_ms) > 0;
}

struct service {
    const struct llm_target *target;
    const struct transport *transport;
    const char *program;
    int fd;
};

static void serve(void *ctx)
{
    const struct service *s = ctx;
    for (;;) {
        struct arena *a = arena_scratch();
        size_t n;
        char *body = read_frame(s->fd, &n, a);
        if (!body)
            _exit(0);
        if (n) {
            struct outlet o = {.fd = s->fd};
            scrub_init(&o.scrub, s->target->secrets.v, s->target->secrets.n, a, send_event, &o);
            bool count = body[0] == KIND_COUNT;
            struct errand e = {.target = s->target,
                               .transport = s->transport,
                               .program = s->program,
                               .url = count ? s->target->count_url : s->target->url,
                               .wire = count ? &wire_count : s->target->provider->wire,
                               .body = body + 1,
                               .n = n - 1,
                               .arena = a,
                               .take = scrub_take,
                               .ctx = &o.scrub,
                               .control = s->fd};
            if (s->target->program)
                program_run(&e);
            else
                http_run(&e);
        }
        arena_release(a);
    }
}

static void detach(void)
{
    static const int signals[] = {SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < ARRAY_LEN(signals); i++)
        signal(signals[i], SIG_DFL);
    signal(SIGINT, SIG_IGN); /* the other side says when to stop */
    signal(SIGPIPE, SIG_IGN);
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; null >= 0 && fd <= 2; fd++)
        dup2(null, fd);
}

static _Noreturn void run_messenger(struct service *s, messenger_confine *confine, void *ctx)
{
    detach();
    if (confine)
        confine(ctx, s->target->ca, s->program);
    mem_guard(serve, s, NULL);
    _exit(0);
}

/* ---- this side ---- */

static void stop_messenger(void *what)
{
    struct messenger *m = what;
    close(m->fd);
    waitpid(m->pid, NULL, 0); /* it sees the end at once */
}

struct messenger *messenger_start(const struct llm_target *t, messenger_confine *confine, void *ctx,
                                  struct arena *a, struct gs_error *err)
{
    int ends[2];
    struct service s = {.target = t};
    if (!t->program && !(s.transport = transport_find(&s.program, a, err)))
        return NULL;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        fail(err, GS_E_IO, "cannot start the messenger: %s", strerror(errno));
        return NULL;
    }
    struct messenger *m = arena_new(a, struct messenger);
    m->fd = ends[0];
    m->pid = fork();
    if (m->pid == 0) {
        close(ends[0]);
        s.fd = ends[1];
        run_messenger(&s, confine, ctx);
    }
    close(ends[1]);
    if (m->pid < 0) {
        close(ends[0]);
        fail(err, GS_E_IO, "cannot start the messenger: %s", strerror(errno));
        return NULL;
    }
    arena_defer(a, stop_messenger, m);
    return m;
}

static volatile sig_atomic_t interrupted;

static void note_signal(int number)
{
    (void)number;
    interrupted = 1;
}

static void give_fault(llm_taker *take, void *ctx, enum llm_fault fault, const char *text)
{
    take(ctx, &(struct llm_event){
                  .kind = LLM_EVENT_FAULT, .fault = fault, .text = text, .len = strlen(text)});
}

/* Takes events until the last; false: the messenger is gone. */
static bool take_events(struct messenger *m, llm_taker *take, void *ctx)
{
    bool asked_to_stop = false;
    int quiet_ms = 0;
    for (;;) {
        struct pollfd p = {.fd = m->fd, .events = POLLIN};
        int ready = poll(&p, 1, 100);
        if (interrupted && !asked_to_stop) {
            asked_to_stop = true;
            if (!write_frame(m->fd, "", 0))
                return false;
        }
        if (ready <= 0) {
            quiet_ms += 100;
            if (asked_to_stop && quiet_ms > 3000)
                return false;
            continue;
        }
        quiet_ms = 0;
        struct arena *scratch = arena_scratch();
        size_t n;
        char *frame = read_frame(m->fd, &n, scratch);
        struct llm_event e;
        bool ok = frame && event_read(jr_text(scratch, frame, n), &e, scratch);
        bool last = ok && (e.kind == LLM_EVENT_STOP || e.kind == LLM_EVENT_FAULT);
        if (ok)
            take(ctx, &e);
        arena_release(scratch);
        if (!ok || last)
            return ok;
    }
}

static void exchange(struct messenger *m, char kind, const char *body, size_t n, llm_taker *take,
                     void *ctx)
{
    struct sigaction before,
        now = {.sa_handler = note_signal, .sa_flags = (int)SA_RESETHAND}; /* the second one ends */
    if (m->dead) {
        give_fault(take, ctx, LLM_FAULT_NETWORK, "the messenger has ended");
        return;
    }
    interrupted = 0;
    sigemptyset(&now.sa_mask);
    sigaction(SIGINT, &now, &before);
    m->dead = !write_request(m->fd, kind, body, n) || !take_events(m, take, ctx);
    sigaction(SIGINT, &before, NULL);
    if (m->dead)
        give_fault(take, ctx, interrupted ? LLM_FAULT_STOPPED : LLM_FAULT_NETWORK,
                   interrupted ? "stopped" : "the messenger ended in the middle of an answer");
}

void messenger_ask(struct messenger *m, const char *body, size_t n, llm_taker *take, void *ctx)
{
    exchange(m, KIND_ASK, body, n, take, ctx);
}

void messenger_count(struct messenger *m, const char *body, size_t n, llm_taker *take, void *ctx)
{
    exchange(m, KIND_COUNT, body, n, take, ctx);
}
