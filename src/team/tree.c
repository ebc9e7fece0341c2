/* Questions down the tree, answers up it. */
#include <assert.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/fs_out.h"
#include "base/mem.h"
#include "config.h"
#include "team/module.h"
#include "team/team.h"

/* One per process: the line to its courier. */
static struct {
    int fd, rank, size;
    const struct team_kind *const *kinds;
} own = {.fd = -1, .size = 1};

/* In front of a question. Both sides must be of one build, for structs go over as they are. */
struct question_head {
    char version[64];
    uint32_t kind;
    uint32_t in_tree; /* children are asked as well, and answer through their parent */
};

void team_connect(int fd, const struct team_ready *ready)
{
    own.fd = fd;
    own.rank = ready->rank;
    own.size = ready->size;
}

int team_size(void)
{
    return own.size;
}

int team_rank(void)
{
    return own.rank;
}

void team_kinds(const struct team_kind *const *kinds)
{
    own.kinds = kinds;
}

/* ---- messages ---- */

static bool gone(struct gs_error *err)
{
    return fail(err, GS_E_IO, "the other processes cannot be reached any more");
}

static bool send_to(int process, const char *at, size_t n, struct gs_error *err)
{
    do {
        size_t part = n < TEAM_PIECE ? n : TEAM_PIECE;
        struct team_head head = {(uint32_t)process, TEAM_DATA, part == n, 0, (uint32_t)part};
        if (!fs_write_all(own.fd, &head, sizeof(head)) || !fs_write_all(own.fd, at, part))
            return gone(err);
        at += part;
        n -= part;
        if (head.last)
            return true;
    } while (true);
}

static bool tell_lost(int process, const char *bytes, size_t n, struct gs_error *err)
{
    int32_t status = 0;
    if (n >= sizeof(status))
        memcpy(&status, bytes, sizeof(status));
    const char *host = n > sizeof(status) ? bytes + sizeof(status) : "";
    int len = n > sizeof(status) ? (int)(n - sizeof(status)) : 0;
    bool killed = WIFSIGNALED(status);
    return fail(err, GS_E_IO, "process %d of %d on '%.*s' was lost: %s %d%s", process + 1, own.size,
                len, host, killed ? "killed by signal" : "it ended with code",
                killed ? WTERMSIG(status) : WEXITSTATUS(status),
                killed && WTERMSIG(status) == SIGKILL ? "; it may have run out of memory" : "");
}

/* Messages that come in pieces, by process. */
struct mail {
    struct str *of; /* by process; buf NULL: nothing has come */
    struct arena *arena;
};

/* Reads one piece; true with *from when a message is whole. */
static bool take_piece(struct mail *m, int *from, bool *whole, struct gs_error *err)
{
    struct team_head head;
    if (!fs_read_all(own.fd, &head, sizeof(head)))
        return gone(err);
    if (head.peer >= (uint32_t)own.size || head.n > TEAM_PIECE)
        return fail(err, GS_E_IO, "a message of another process cannot be read");
    struct str *s = &m->of[head.peer];
    if (!s->buf)
        str_init(s, m->arena);
    if (!fs_read_all(own.fd, str_room(s, head.n), head.n))
        return gone(err);
    s->len += head.n;
    *from = (int)head.peer;
    *whole = head.last;
    if (head.kind == TEAM_LOST)
        return tell_lost(*from, s->buf, s->len, err);
    return head.kind == TEAM_DATA ||
           fail(err, GS_E_IO, "a message of another process cannot be read");
}

/* ---- the tree: the parent of a process is it without its lowest bit ---- */

static uint32_t lowest_bit(uint32_t rank)
{
    return rank & (~rank + 1);
}

/* The n-th child, largest part of the tree first, or -1. */
static int child(int rank, int n)
{
    assert(rank >= 0 && rank < own.size);
    uint32_t limit = rank ? lowest_bit((uint32_t)rank) : UINT32_C(1) << 31;
    for (uint32_t bit = UINT32_C(1) << 30; bit; bit >>= 1)
        if (bit < limit && (int64_t)rank + bit < own.size && !n--)
            return rank + (int)bit;
    return -1;
}

static int children(int rank)
{
    int n = 0;
    while (child(rank, n) >= 0)
        n++;
    return n;
}

/* An answer with the process it is of, out or in. */
static void pack_answer(struct pack *p, int *process, struct team_answer *a)
{
    PACK(p, *process);
    PACK(p, a->ok);
    if (a->ok)
        pack_blob(p, &a->bytes, &a->n);
    else
        pack_error(p, &a->err);
}

static void put_answer(struct str *out, int process, const struct team_answer *a)
{
    struct pack p;
    struct team_answer copy = *a;
    assert(process >= 0 && process < own.size);
    pack_write(&p, out);
    pack_answer(&p, &process, &copy);
}

/* All answers in a message, to their places. */
static bool take_answers(const struct str *message, struct team_answer *by_process, bool *has,
                         struct arena *arena)
{
    struct pack p;
    pack_read(&p, message->buf, message->len, arena);
    while (p.at < p.end && !p.bad) {
        struct team_answer a = {0};
        int process;
        pack_answer(&p, &process, &a);
        if (p.bad || process < 0 || process >= own.size)
            return false;
        by_process[process] = a;
        has[process] = true;
    }
    return pack_done(&p);
}

struct answering {
    struct pack question;
    uint32_t kind;
    struct str *out;
    struct arena *arena;
    struct team_answer *answer;
};

static void answer_guarded(void *ctx)
{
    struct answering *a = ctx;
    uint32_t n = 0;
    while (own.kinds && own.kinds[n])
        n++;
    if (a->kind >= n)
        fail(&a->answer->err, GS_E_IO, "a question of another process cannot be read");
    else
        a->answer->ok = own.kinds[a->kind]->answer(&a->question, a->out, a->arena, &a->answer->err);
}

static struct team_answer answer_own(const char *bytes, size_t n, uint32_t kind,
                                     struct arena *arena)
{
    struct team_answer answer = {0};
    struct answering a = {.kind = kind, .out = arena_new(arena, struct str), .answer = &answer};
    str_init(a.out, arena);
    a.arena = arena_child(arena);
    pack_read(&a.question, bytes, n, a.arena);
    if (!mem_guard(answer_guarded, &a, &answer.err))
        answer.ok = false;
    answer.bytes = a.out->buf;
    answer.n = a.out->len;
    return answer;
}

static uint32_t number_of(const struct team_kind *kind)
{
    uint32_t n = 0;
    while (own.kinds[n] && own.kinds[n] != kind)
        n++;
    return n;
}

static void begin_question(struct str *out, const struct team_kind *kind, bool in_tree,
                           const struct str *question, struct arena *arena)
{
    struct question_head head = {
        .version = GPUSIGHT_VERSION, .kind = number_of(kind), .in_tree = in_tree};
    str_init(out, arena);
    str_put(out, (const char *)&head, sizeof(head));
    str_put(out, question->buf, question->len);
}

static bool ask_children(const char *message, size_t n, struct gs_error *err)
{
    for (int i = 0, c; (c = child(own.rank, i)) >= 0; i++)
        if (!send_to(c, message, n, err))
            return false;
    return true;
}

struct team_answer *team_call(const struct team_kind *kind, const struct str *question,
                              struct arena *arena, struct gs_error *err)
{
    struct team_answer *by_process = arena_array(arena, struct team_answer, (size_t)own.size);
    struct mail mail = {arena_array(arena, struct str, (size_t)own.size), arena};
    bool *has = arena_array(arena, bool, (size_t)own.size);
    struct str message;
    begin_question(&message, kind, true, question, arena);
    if (!ask_children(message.buf, message.len, err))
        return NULL;
    by_process[own.rank] = answer_own(question->buf, question->len, number_of(kind), arena);
    has[own.rank] = true;
    for (int waiting = children(own.rank); waiting;) {
        int from;
        bool whole;
        if (!take_piece(&mail, &from, &whole, err))
            return NULL;
        if (!whole)
            continue;
        waiting--;
        if (!take_answers(&mail.of[from], by_process, has, arena)) {
            fail(err, GS_E_IO, "the answer of process %d cannot be read", from + 1);
            return NULL;
        }
    }
    for (int i = 0; i < own.size; i++)
        if (!has[i]) {
            fail(err, GS_E_IO, "process %d has not answered", i + 1);
            return NULL;
        }
    return by_process;
}

bool team_ask(int process, const struct team_kind *kind, const struct str *question,
              struct team_answer *answer, struct arena *arena, struct gs_error *err)
{
    struct mail mail = {arena_array(arena, struct str, (size_t)own.size), arena};
    struct team_answer *all = arena_array(arena, struct team_answer, (size_t)own.size);
    bool *has = arena_array(arena, bool, (size_t)own.size), whole = false;
    struct str message;
    int from = -1;
    begin_question(&message, kind, false, question, arena);
    if (!send_to(process, message.buf, message.len, err))
        return false;
    while (!whole || from != process)
        if (!take_piece(&mail, &from, &whole, err))
            return false;
    if (!take_answers(&mail.of[process], all, has, arena) || !has[process])
        return fail(err, GS_E_IO, "the answer of process %d cannot be read", process + 1);
    *answer = all[process];
    return answer->ok || (*err = answer->err, false);
}

/* ---- the others ---- */

static bool serve_one(struct arena *arena, struct gs_error *err)
{
    struct mail mail = {arena_array(arena, struct str, (size_t)own.size), arena};
    struct question_head head;
    struct str out;
    int from;
    bool whole = false;
    while (!whole)
        if (!take_piece(&mail, &from, &whole, err))
            return false;
    struct str question = mail.of[from];
    mail.of[from] = (struct str){0};
    if (question.len < sizeof(head))
        return false;
    memcpy(&head, question.buf, sizeof(head));
    if (head.in_tree && !ask_children(question.buf, question.len, err))
        return false;
    struct team_answer mine = {0};
    if (strncmp(head.version, GPUSIGHT_VERSION, sizeof(head.version)) != 0)
        fail(&mine.err, GS_E_USAGE,
             "process %d is gpusight %s, the first one another version; use one on all machines",
             own.rank + 1, GPUSIGHT_VERSION);
    else
        mine =
            answer_own(question.buf + sizeof(head), question.len - sizeof(head), head.kind, arena);
    str_init(&out, arena);
    put_answer(&out, own.rank, &mine);
    for (int waiting = head.in_tree ? children(own.rank) : 0; waiting;) {
        int child_of;
        if (!take_piece(&mail, &child_of, &whole, err))
            return false;
        if (!whole)
            continue;
        waiting--;
        str_put(&out, mail.of[child_of].buf, mail.of[child_of].len);
    }
    return send_to(from, out.buf, out.len, err);
}

void team_serve(void)
{
    struct gs_error err;
    bool more = true;
    while (more) {
        struct arena *arena = arena_scratch();
        more = serve_one(arena, &err);
        arena_release(arena);
    }
}
