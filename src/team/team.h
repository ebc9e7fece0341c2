/*
 * The team: several processes of this program, started together by mpirun or srun, that work as
 * one. The first of them, the root, runs the command and prints; the others serve.
 *
 *     team_start(...)           splits this process in two: the one that goes on, and a courier
 *                               that holds MPI (courier.c)
 *     team_serve(kinds, ...)    all but the root: answers until the root is done
 *     team_call(kind, ...)      the root: the same question to all, itself included
 *     team_ask(process, ...)    the root: a question to one
 *
 * The process that reads files never sees MPI: it goes into its box as always (cli/sandbox.h), and
 * all it can do is hand bytes to the courier. When it is killed, for lack of memory say, the courier
 * is still there to tell the root, which ends with one line.
 *
 * Questions go down a binomial tree and answers come up it: a process asks its children before it
 * starts on its own part, and sends one answer for all below it. So the root talks with as many
 * processes as there are bits in their number.
 *
 * This is state of the process, as its standard output is. Thread-safety: one thread.
 */
#ifndef GS_TEAM_TEAM_H
#define GS_TEAM_TEAM_H

#include "base/opt.h"
#include "base/pack.h"

/* A kind of question: its handler fills `out`, or fails. */
struct team_kind {
    const char *name;
    bool (*answer)(struct pack *question, struct str *out, struct arena *arena,
                   struct gs_error *err);
};

/* An answer. Without `ok` there is only the error. */
struct team_answer {
    bool ok;
    struct gs_error err;
    const char *bytes;
    size_t n;
};

enum team_role {
    TEAM_NONE, /* alone, as without a launcher */
    TEAM_ROOT,
    TEAM_SERVES,
    TEAM_IDLE, /* there is no MPI, and the first process does it all: nothing to do here */
};

/* Of --mpi: whether to be one, and with which MPI; TEAM_YES takes the launcher's. */
enum team_mode { TEAM_AUTO, TEAM_YES, TEAM_NO, TEAM_OPENMPI, TEAM_MPICH };
#define TEAM_MODES "auto|yes|no|openmpi|mpich"

/*
 * Returns in the process that goes on; the one that called it stays behind as the courier and ends
 * with it. No thread may run. *threads becomes this process's share of the machine, unless it is
 * set.
 */
bool team_start(enum team_mode mode, int *threads, enum team_role *role, struct gs_error *err);

/* Before that: whether the launcher counts this process as another than the first. */
bool team_follows(void);

int team_size(void); /* 1: alone */
int team_rank(void);

/* Sets which kinds of questions there are; NULL at the end. The same in all processes. */
void team_kinds(const struct team_kind *const *kinds);

/* Answers in `arena`, by process: team_size() of them. Only the root's own connection may fail. */
struct team_answer *team_call(const struct team_kind *kind, const struct str *question,
                              struct arena *arena, struct gs_error *err);
bool team_ask(int process, const struct team_kind *kind, const struct str *question,
              struct team_answer *answer, struct arena *arena, struct gs_error *err);

/* Returns when the root is done. */
void team_serve(void);

/* ---- between the two processes (courier.c, tree.c) ---- */

/* In front of the bytes of a piece. A message is the pieces up to one that is the last. */
struct team_head {
    uint32_t peer; /* to, or from */
    uint8_t kind;  /* enum team_piece */
    uint8_t last;
    uint16_t spare;
    uint32_t n;
};

enum team_piece {
    TEAM_DATA = 1,
    TEAM_READY, /* from the courier: MPI has started; struct team_ready */
    TEAM_LOST,  /* a process has ended: int32_t status of wait(), then its host */
    TEAM_QUIT,  /* the root is done */
};

struct team_ready {
    int32_t rank, size, local;
};

/*
 * Becomes the courier of `pid`, which has the other end of `fd`. Ends with its exit code. `output`:
 * what it prints, which goes on to standard output; -1: it prints there itself.
 */
struct team_module;
_Noreturn void courier_run(const struct team_module *m, int fd, int output, int pid, int expected);

/* The module by its name, or NULL with the reason. */
const struct team_module *team_module_load(const char *name, char *why, size_t n);

/* tree.c: the end of the line that leads to the courier. */
void team_connect(int fd, const struct team_ready *ready);

#endif
