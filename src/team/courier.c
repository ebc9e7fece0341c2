/*
 * The courier: carries pieces between its process and the couriers of the others, and nothing else.
 *
 * It is the process that the launcher started and outlives the one that does the work, so that the
 * end of that one, of whatever kind, can be told to the root. Nothing in it waits without end while
 * something else could be done: pieces queue up in both directions.
 */
#define _GNU_SOURCE /* sigaction, strsignal */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs_out.h"
#include "base/mem.h"
#include "team/module.h"
#include "team/team.h"

enum { START_SECONDS = 60, LEAVE_MS = 500, LONGEST_NAP_MS = 4, HOST_BYTES = 256 };

struct piece {
    struct piece *next;
    int to;
    size_t n, sent;
    char bytes[]; /* struct team_head and what follows it */
};

struct queue {
    struct piece *first, **last;
};

struct courier {
    const struct team_module *m;
    int fd, pid;
    int output; /* what the own process prints; -1: no more, or not through here */
    int rank, size;
    struct queue out, in; /* to others; to the own process */
    bool sending;         /* out.first is on its way */
    char *half;           /* of what the own process says, a piece that has not come whole */
    size_t half_n;
    bool ended; /* the own process */
    int status; /* of wait() */
    bool told;  /* others know that it has ended */
    bool quit;  /* the root is done */
    int left;   /* how many have left; the root's */
};

static void say(const char *text)
{
    if (fs_write_all(STDERR_FILENO, text, strlen(text)))
        return;
}

static void on_alarm(int number)
{
    (void)number;
    say("gpusight: the other processes of the launcher have not come; to work alone use '--mpi no'\n");
    _exit(GS_E_IO);
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction a = {.sa_handler = handler};
    sigemptyset(&a.sa_mask);
    sigaction(number, &a, NULL);
}

static _Noreturn void give_up(struct courier *c, const char *why)
{
    fprintf(stderr, "gpusight: MPI failed in process %d of %d: %s\n", c->rank + 1, c->size, why);
    kill(c->pid, SIGKILL);
    c->m->abort(GS_E_IO);
    _exit(GS_E_IO);
}

static void must(struct courier *c, const char *why)
{
    if (why)
        give_up(c, why);
}

/* ---- queues ---- */

static void append(struct queue *q, int to, const struct team_head *head, const void *bytes)
{
    struct piece *p = mem_alloc(sizeof(*p) + sizeof(*head) + head->n);
    *p = (struct piece){.to = to, .n = sizeof(*head) + head->n};
    memcpy(p->bytes, head, sizeof(*head));
    if (head->n)
        memcpy(p->bytes + sizeof(*head), bytes, head->n);
    *q->last = p;
    q->last = &p->next;
}

static void drop_first(struct queue *q)
{
    struct piece *p = q->first;
    q->first = p->next;
    if (!q->first)
        q->last = &q->first;
    mem_free(p);
}

static void tell(struct courier *c, int to, enum team_piece kind, const void *bytes, size_t n)
{
    struct team_head head = {(uint32_t)c->rank, (uint8_t)kind, 1, 0, (uint32_t)n};
    append(&c->out, to, &head, bytes);
}

/* ---- the other couriers ---- */

/* True: something moved. */
static bool send_next(struct courier *c)
{
    int done = 0;
    if (!c->out.first)
        return false;
    if (c->sending) {
        must(c, c->m->done(&done));
        if (!done)
            return false;
        drop_first(&c->out);
        c->sending = false;
        return true;
    }
    must(c, c->m->send(c->out.first->to, c->out.first->bytes, c->out.first->n));
    return c->sending = true;
}

static bool receive_next(struct courier *c)
{
    static char room[TEAM_PIECE + 64];
    struct team_head head;
    int from;
    long n;
    must(c, c->m->receive(&from, room, &n));
    if (n < 0)
        return false;
    if ((size_t)n < sizeof(head))
        give_up(c, "a message that is none of ours");
    memcpy(&head, room, sizeof(head));
    if (head.n != (size_t)n - sizeof(head))
        give_up(c, "a message that is none of ours");
    head.peer = (uint32_t)from;
    if (head.kind == TEAM_QUIT) {
        c->left += c->rank == 0;
        c->quit |= c->rank != 0;
    } else if (!c->ended) {
        append(&c->in, 0, &head, room + sizeof(head));
    }
    return true;
}

/* ---- the own process ---- */

static void note_end(struct courier *c)
{
    c->ended = true;
    while (waitpid(c->pid, &c->status, 0) < 0 && errno == EINTR)
        ;
    while (c->in.first)
        drop_first(&c->in);
}

static void read_some(struct courier *c)
{
    const size_t most = sizeof(struct team_head) + TEAM_PIECE;
    ssize_t k = read(c->fd, c->half + c->half_n, most - c->half_n);
    if (k < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (k <= 0) {
        note_end(c);
        return;
    }
    c->half_n += (size_t)k;
    struct team_head head;
    while (c->half_n >= sizeof(head)) {
        memcpy(&head, c->half, sizeof(head));
        size_t whole = sizeof(head) + head.n;
        if (head.n > TEAM_PIECE || head.peer >= (uint32_t)c->size)
            give_up(c, "a message that is none of ours");
        if (c->half_n < whole)
            break;
        append(&c->out, (int)head.peer, &head, c->half + sizeof(head));
        memmove(c->half, c->half + whole, c->half_n - whole);
        c->half_n -= whole;
    }
}

static void write_some(struct courier *c)
{
    struct piece *p = c->in.first;
    ssize_t k = write(c->fd, p->bytes + p->sent, p->n - p->sent);
    if (k < 0) {
        if (errno != EAGAIN && errno != EINTR)
            note_end(c);
        return;
    }
    p->sent += (size_t)k;
    if (p->sent == p->n)
        drop_first(&c->in);
}

/* A standard output that takes no more is told to the own process by a broken pipe. */
static void print_some(struct courier *c)
{
    char room[1 << 16];
    ssize_t k = read(c->output, room, sizeof(room));
    if (k < 0 && errno == EINTR)
        return;
    if (k > 0 && fs_write_all(STDOUT_FILENO, room, (size_t)k))
        return;
    close(c->output);
    c->output = -1;
}

static bool serve_own(struct courier *c, int wait_ms)
{
    const short answers = POLLIN | POLLHUP | POLLERR;
    struct pollfd p[] = {
        {.fd = c->output, .events = POLLIN},
        {.fd = c->ended ? -1 : c->fd, .events = (short)(POLLIN | (c->in.first ? POLLOUT : 0))}};
    if (poll(p, 2, wait_ms) <= 0)
        return false;
    if (p[0].revents & answers)
        print_some(c);
    if (p[1].revents & POLLOUT)
        write_some(c);
    if (!c->ended && p[1].revents & answers)
        read_some(c);
    return true;
}

/* ---- the end ---- */

static void send_away(struct courier *c)
{
    if (c->ended)
        return;
    int left = LEAVE_MS;
    close(c->fd); /* it sees that there is nothing more to do */
    while (left > 0 && waitpid(c->pid, &c->status, WNOHANG) == 0) {
        poll(NULL, 0, 10);
        left -= 10;
    }
    if (left <= 0) { /* in the middle of what nobody needs any more */
        kill(c->pid, SIGKILL);
        waitpid(c->pid, &c->status, 0);
    }
    c->ended = true;
}

/* Says once that the own process has ended: the root's ends all, another one's is a loss. */
static void tell_end(struct courier *c)
{
    char lost[sizeof(int32_t) + HOST_BYTES] = {0};
    int32_t status = c->status;
    c->told = true;
    if (c->rank == 0) {
        for (int i = 1; i < c->size; i++)
            tell(c, i, TEAM_QUIT, "", 0);
        return;
    }
    memcpy(lost, &status, sizeof(status));
    gethostname(lost + sizeof(status), HOST_BYTES - 1);
    if (!c->quit)
        tell(c, 0, TEAM_LOST, lost, sizeof(status) + strlen(lost + sizeof(status)));
}

static int exit_code(const struct courier *c)
{
    if (c->rank)
        return GS_OK;
    if (WIFEXITED(c->status))
        return WEXITSTATUS(c->status);
    fprintf(stderr, "gpusight: the first process was ended by signal %d (%s)\n",
            WTERMSIG(c->status), strsignal(WTERMSIG(c->status)));
    return 128 + WTERMSIG(c->status);
}

static void carry(struct courier *c)
{
    bool leaving = false;
    for (int nap = 0; !leaving || c->out.first || c->output >= 0;) {
        bool moved = send_next(c);
        moved |= receive_next(c);
        moved |= serve_own(c, moved ? 0 : nap);
        nap = moved ? 0 : nap < LONGEST_NAP_MS ? nap + 1 : nap;
        if (c->quit && !leaving) {
            send_away(c);
            c->told = leaving = true;
            tell(c, 0, TEAM_QUIT, "", 0);
        }
        if (c->ended && !c->told)
            tell_end(c);
        leaving |= c->rank == 0 && c->told && c->left == c->size - 1;
    }
}

static unsigned start_seconds(void)
{
    const char *text = getenv("GPUSIGHT_MPI_TIMEOUT");
    long n = text ? strtol(text, NULL, 10) : 0;
    return n > 0 && n < 86400 ? (unsigned)n : START_SECONDS;
}

_Noreturn void courier_run(const struct team_module *m, int fd, int output, int pid, int expected)
{
    struct courier c = {.m = m, .fd = fd, .output = output, .pid = pid};
    struct team_ready ready = {0};
    c.out.last = &c.out.first;
    c.in.last = &c.in.first;
    c.half = mem_alloc(sizeof(struct team_head) + TEAM_PIECE);
    handle(SIGALRM, on_alarm);
    alarm(start_seconds());
    const char *why = m->start(&ready.rank, &ready.size, &ready.local);
    alarm(0);
    c.rank = ready.rank;
    c.size = ready.size ? ready.size : expected;
    must(&c, why);
    handle(SIGTERM, SIG_DFL); /* its process says why, and removes what is not finished */
    handle(SIGINT, SIG_DFL);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    struct team_head head = {0, TEAM_READY, 1, 0, sizeof(ready)};
    append(&c.in, 0, &head, &ready);
    carry(&c);
    int code = exit_code(&c);
    fflush(NULL);
    m->finish();
    _exit(code);
}
