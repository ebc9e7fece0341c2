#define _GNU_SOURCE /* PR_SET_CHILD_SUBREAPER, pipe2 */
#include "launch/child.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fs_out.h"
#include "base/str.h"

enum { GRACE_MS = 5000, TICK_MS = 50, LOOK_EVERY_MS = 1000, OTHERS = 16 };

struct running {
    const struct child_opts *o;
    struct child_result *r;
    pid_t pid;
    int from, log;                        /* of its output, where that passes through us; -1: not */
    int64_t begin_ms, told_ms, looked_ms; /* told: to end; 0: not yet */
    bool gone;
    int status;
    pid_t others[OTHERS]; /* children that were there before: the messenger of a language model */
    size_t n_others;
};

static volatile sig_atomic_t signalled;

static void note_signal(int number)
{
    signalled = number;
}

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- what it has started ---- */

static pid_t parent_of(const char *pid)
{
    char path[64], text[512];
    snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return -1;
    text[n] = 0;
    const char *behind = strrchr(text, ')'); /* the name may hold anything */
    int parent;
    return behind && sscanf(behind + 1, " %*c %d", &parent) == 1 ? parent : -1;
}

static bool is_other(const struct running *c, pid_t pid)
{
    size_t i = 0;
    while (i < c->n_others && c->others[i] != pid)
        i++;
    return i < c->n_others;
}

/* Those without another parent are ours, as we said PR_SET_CHILD_SUBREAPER. */
static size_t own_children(pid_t *out, size_t most)
{
    DIR *d = opendir("/proc");
    const struct dirent *e;
    size_t n = 0;
    while (d && n < most && (e = readdir(d)))
        if (*e->d_name >= '0' && *e->d_name <= '9' && parent_of(e->d_name) == getpid())
            out[n++] = (pid_t)atoi(e->d_name);
    if (d)
        closedir(d);
    return n;
}

/* How many there were, the group as one. */
static size_t signal_all(const struct running *c, int number)
{
    enum { MOST = 1024 };
    pid_t found[MOST];
    size_t n = own_children(found, MOST), told = kill(-c->pid, number) == 0;
    for (size_t i = 0; i < n; i++)
        if (!is_other(c, found[i])) {
            kill(found[i], number);
            told++;
        }
    return told;
}

/* ---- the child's side ---- */

static _Noreturn void become(const struct child_opts *o, int output, int report)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0); /* when we are killed, nothing goes on alone */
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(null, STDIN_FILENO); /* in the background nothing may read from the terminal */
    if (output >= 0) {
        dup2(output, STDOUT_FILENO);
        dup2(output, STDERR_FILENO);
    } else if (o->silent) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    } else if (o->output_to_stderr) {
        dup2(STDERR_FILENO, STDOUT_FILENO);
    }
    if (!o->folder || chdir(o->folder) == 0)
        execvp(o->argv[0], (char *const *)(uintptr_t)o->argv);
    int why = errno;
    ssize_t n = write(report, &why, sizeof(why));
    _exit(n > 0 ? 127 : 126);
}

/* The errno of a failed exec, or 0. */
static int exec_failure(int from)
{
    int why = 0;
    ssize_t n;
    do
        n = read(from, &why, sizeof(why));
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof(why) ? why : 0;
}

static bool start(struct running *c, struct gs_error *err)
{
    int report[2], output[2] = {-1, -1};
    bool through = c->o->log;
    if (pipe2(report, O_CLOEXEC) != 0 || (through && pipe2(output, O_CLOEXEC) != 0))
        return fail(err, GS_E_IO, "cannot make a pipe: %s", strerror(errno));
    fflush(NULL);
    c->pid = fork();
    if (c->pid == 0)
        become(c->o, output[1], report[1]);
    close(report[1]);
    if (through)
        close(output[1]);
    int why = c->pid < 0 ? errno : exec_failure(report[0]);
    close(report[0]);
    c->from = output[0];
    if (!why)
        return true;
    if (c->pid > 0)
        waitpid(c->pid, NULL, 0);
    if (through)
        close(output[0]);
    return fail(err, GS_E_IO, "cannot start '%s': %s", c->o->argv[0], strerror(why));
}

/* ---- ours, while it runs ---- */

/* False: there will be no more. */
static bool pass_output(const struct running *c)
{
    char block[8192];
    ssize_t n = read(c->from, block, sizeof(block));
    if (n < 0)
        return errno == EINTR || errno == EAGAIN;
    /* Where nobody reads it any more the child goes on all the same. */
    if (!c->o->silent)
        fs_write_all(c->o->output_to_stderr ? STDERR_FILENO : STDOUT_FILENO, block, (size_t)n);
    if (c->log >= 0)
        fs_write_all(c->log, block, (size_t)n);
    return n > 0;
}

static uint64_t bytes_below(const char *folder, int depth)
{
    uint64_t sum = 0;
    struct stat st;
    const struct dirent *e;
    DIR *d = depth ? opendir(folder) : NULL;
    while (d && (e = readdir(d))) {
        char path[PATH_MAX];
        int n = snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
        if (str_eq(e->d_name, ".") || str_eq(e->d_name, "..") || n >= (int)sizeof(path) ||
            lstat(path, &st) != 0)
            continue;
        sum += S_ISDIR(st.st_mode) ? bytes_below(path, depth - 1) : (uint64_t)st.st_blocks * 512;
    }
    if (d)
        closedir(d);
    return sum;
}

/* Tells it to end when it must, and kills it when it does not. */
static void judge(struct running *c)
{
    int64_t now = now_ms();
    struct child_result *r = c->r;
    if (signalled)
        r->interrupted = true;
    if (c->o->timeout_s > 0 && (double)(now - c->begin_ms) > c->o->timeout_s * 1000)
        r->timed_out = true;
    if (c->o->watched && now - c->looked_ms >= LOOK_EVERY_MS) {
        c->looked_ms = now;
        r->too_large |= bytes_below(c->o->watched, 8) > c->o->most_bytes;
    }
    bool end = r->interrupted || r->timed_out || r->too_large;
    if (end && !c->told_ms) {
        c->told_ms = now;
        signal_all(c, r->interrupted ? signalled : SIGTERM);
    } else if (end && now - c->told_ms > GRACE_MS) {
        signal_all(c, SIGKILL);
    }
}

static void reap(struct running *c)
{
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        if (pid == c->pid) {
            c->gone = true;
            c->status = status;
        }
}

/* What it had started becomes ours only when its own parent is gone, so more than one round. */
static void kill_rest(struct running *c)
{
    enum { ROUNDS = 200, ROUND_MS = 10 };
    for (int i = 0; i < ROUNDS && signal_all(c, SIGKILL); i++) {
        poll(NULL, 0, ROUND_MS);
        reap(c);
    }
}

static void wait_for(struct running *c)
{
    bool open = c->from >= 0;
    while (!c->gone) {
        struct pollfd p = {c->from, POLLIN, 0};
        int n = poll(&p, open ? 1 : 0, TICK_MS);
        if (n > 0 && open)
            open = pass_output(c);
        reap(c);
        judge(c);
    }
    /* What it wrote last is still in the pipe; what its children may write later is theirs. */
    for (struct pollfd p = {c->from, POLLIN, 0}; open && poll(&p, 1, 0) > 0;)
        open = pass_output(c);
    if (c->r->interrupted || c->r->timed_out || c->r->too_large)
        kill_rest(c);
}

bool child_run(const struct child_opts *o, struct child_result *r, struct gs_error *err)
{
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction before[3], catcher = {.sa_handler = note_signal};
    assert(o->argv && o->argv[0]);
    *r = (struct child_result){0};
    struct running c = {.o = o, .r = r, .from = -1, .log = -1};
    c.begin_ms = c.looked_ms = now_ms();
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    if (o->log) {
        c.log = open(o->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (c.log < 0)
            return fail(err, GS_E_IO, "cannot write '%s': %s", o->log, strerror(errno));
    }
    signalled = 0;
    for (size_t i = 0; i < ARRAY_LEN(caught); i++)
        sigaction(caught[i], &catcher, &before[i]);
    c.n_others = own_children(c.others, OTHERS);
    bool ok = start(&c, err);
    if (ok)
        wait_for(&c);
    for (size_t i = 0; i < ARRAY_LEN(caught); i++)
        sigaction(caught[i], &before[i], NULL);
    if (c.from >= 0)
        close(c.from);
    if (c.log >= 0)
        close(c.log);
    r->seconds = (double)(now_ms() - c.begin_ms) / 1000;
    r->exit_code = WIFEXITED(c.status) ? WEXITSTATUS(c.status) : -1;
    r->signal = WIFSIGNALED(c.status) ? WTERMSIG(c.status) : 0;
    return ok;
}

const char *child_failure(const struct child_result *r, struct arena *a)
{
    if (r->interrupted)
        return "was interrupted";
    if (r->timed_out)
        return arena_printf(a, "was ended after %.0f s, its time limit", r->seconds);
    if (r->too_large)
        return "was ended because its output grew beyond the limit";
    if (r->signal)
        return arena_printf(a, "was ended by signal %d (%s)", r->signal, strsignal(r->signal));
    return r->exit_code ? arena_printf(a, "ended with exit code %d", r->exit_code) : NULL;
}

static const char *runnable(struct arena *a, const char *folder, size_t n, const char *name)
{
    struct stat st;
    const char *path = arena_printf(a, "%.*s/%s", (int)n, folder, name);
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0 ? path : NULL;
}

const char *program_find(const char *name, const char *const *folders, struct arena *a)
{
    const char *found = NULL;
    if (strchr(name, '/'))
        return access(name, X_OK) == 0 ? name : NULL;
    for (const char *p = getenv("PATH"); p && !found;) {
        size_t n = strcspn(p, ":");
        found = n ? runnable(a, p, n, name) : NULL;
        p = p[n] ? p + n + 1 : NULL;
    }
    for (; folders && *folders && !found; folders++)
        found = runnable(a, *folders, strlen(*folders), name);
    return found;
}
