#define _GNU_SOURCE /* pipe2 */
/*
 * A model that is a program: started for one question, without a shell, in an empty folder, so that
 * it finds neither files nor instructions of the place where the user works.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "llm/messenger.h"

enum { PRINTED_MAX = 8 * 1024 * 1024 };

struct child {
    pid_t pid;
    int in, out; /* its own: we write to `in` */
    char folder[64];
};

static _Noreturn void become(const struct llm_target *t, const char *folder, int in, int out)
{
    setpgid(0, 0);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    for (int s = 1; s < 32; s++)
        signal(s, SIG_DFL);
    if (chdir(folder) == 0)
        execl(t->program, t->program, "-p", "--output-format", "json", "--model", t->model,
              "--no-session-persistence", "--tools", "", (char *)NULL);
    _exit(127);
}

static bool start(struct child *c, const struct llm_target *t)
{
    int in[2], out[2];
    const char *tmp = getenv("TMPDIR");
    snprintf(c->folder, sizeof(c->folder), "%s/gpusight-XXXXXX",
             tmp && strlen(tmp) < 40 ? tmp : "/tmp");
    if (!mkdtemp(c->folder))
        return false;
    if (pipe2(in, O_CLOEXEC) != 0)
        return false;
    if (pipe2(out, O_CLOEXEC) != 0) {
        close(in[0]);
        close(in[1]);
        return false;
    }
    c->pid = fork();
    if (c->pid == 0)
        become(t, c->folder, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    c->in = in[1];
    c->out = out[0];
    fcntl(c->in, F_SETFL, O_NONBLOCK);
    return c->pid > 0;
}

static int64_t now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

enum end { END_DONE, END_STOPPED, END_LATE, END_TOO_LARGE };

/* Writes the question and reads the answer, as both sides are ready. */
static enum end converse(struct errand *e, struct child *c, struct str *out)
{
    size_t sent = 0;
    int64_t deadline = now_s() + e->target->timeout_s;
    char buf[65536];
    for (;;) {
        struct pollfd p[] = {{.fd = c->out, .events = POLLIN},
                             {.fd = c->in, .events = POLLOUT},
                             {.fd = e->control, .events = POLLIN}};
        poll(p, 3, 500);
        if (p[2].revents)
            return END_STOPPED;
        if (now_s() > deadline)
            return END_LATE;
        if (c->in >= 0 && p[1].revents) {
            ssize_t n = write(c->in, e->body + sent, e->n - sent);
            sent += n > 0 ? (size_t)n : 0;
            if (sent == e->n || (n < 0 && errno != EAGAIN && errno != EINTR)) {
                close(c->in);
                c->in = -1;
            }
        }
        if (!p[0].revents)
            continue;
        ssize_t n = read(c->out, buf, sizeof(buf));
        if (n == 0 || (n < 0 && errno != EINTR))
            return END_DONE;
        if (n > 0)
            str_put(out, buf, (size_t)n);
        if (out->len > PRINTED_MAX)
            return END_TOO_LARGE;
    }
}

void program_run(struct errand *e)
{
    struct child c = {.in = -1, .out = -1};
    struct llm_parser p;
    struct str out;
    int status = 0;
    str_init(&out, e->arena);
    llm_parser_init(&p, e->wire, e->arena, e->take, e->ctx);
    if (!start(&c, e->target)) {
        llm_give_fault(&p, LLM_FAULT_NETWORK, 0, "cannot start '%s': %s", e->target->program,
                       strerror(errno));
        return;
    }
    enum end end = converse(e, &c, &out);
    if (end != END_DONE)
        kill(-c.pid, SIGKILL);
    waitpid(c.pid, &status, 0);
    if (c.in >= 0)
        close(c.in);
    close(c.out);
    rmdir(c.folder);
    if (end == END_STOPPED)
        llm_give_fault(&p, LLM_FAULT_STOPPED, 0, "stopped");
    else if (end == END_LATE)
        llm_give_fault(&p, LLM_FAULT_NETWORK, 0, "'%s' did not answer within %d s",
                       e->target->provider->program, e->target->timeout_s);
    else if (end == END_TOO_LARGE)
        llm_give_fault(&p, LLM_FAULT_TOO_LARGE, 0, "'%s' printed more than 8 MiB",
                       e->target->provider->program);
    else if (!out.len)
        llm_give_fault(&p, LLM_FAULT_NETWORK, 0, "'%s' ended with code %d and without an answer",
                       e->target->provider->program,
                       WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    else
        p.wire->whole(&p, out.buf, out.len);
    llm_parser_finish(&p);
}
