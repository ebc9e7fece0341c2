/* Whether there is a team, and the courier that connects this process with it. */
#define _GNU_SOURCE /* prctl */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/fs_out.h"
#include "base/log.h"
#include "base/parallel.h"
#include "config.h"
#include "team/launcher.h"
#include "team/module.h"
#include "team/team.h"

static const char *const mode_names[] = {"auto", "yes", "no", "openmpi", "mpich"};

bool team_follows(void)
{
    struct launcher l;
    launcher_find(&l);
    return l.name && l.rank > 0;
}

#ifdef HAVE_MPI

/* Beside the program in its build folder, where it was installed, and where that was moved to. */
const struct team_module *team_module_load(const char *name, char *why, size_t n)
{
    char exe[3000], path[4096];
    ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
    exe[len > 0 ? len : 0] = 0;
    char *slash = strrchr(exe, '/');
    if (slash)
        *slash = 0;
    const char *const places[] = {exe, GPUSIGHT_LIBDIR, exe};
    static const char *const below[] = {"/../team", "", "/../lib/gpusight"};
    snprintf(why, n, "no module 'gpusight-mpi-%s.so'", name);
    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        snprintf(path, sizeof(path), "%s%s/gpusight-mpi-%s.so", places[i], below[i], name);
        if (!*places[i] || access(path, R_OK) != 0)
            continue;
        /* Global: Open MPI's own plugins look up its symbols. */
        void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
        if (!library) {
            snprintf(why, n, "%s", dlerror());
            return NULL;
        }
        team_module_fn *get;
        *(void **)&get = dlsym(library, TEAM_MODULE_SYMBOL);
        const struct team_module *m = get ? get() : NULL;
        if (m && m->version == TEAM_MODULE_VERSION)
            return m;
        snprintf(why, n, "'%s' is of another version", path);
        return NULL;
    }
    return NULL;
}

static const struct team_module *load_any(const struct launcher *l, enum team_mode mode, char *why,
                                          size_t n)
{
    bool named = mode == TEAM_OPENMPI || mode == TEAM_MPICH;
    const struct team_module *m = named ? team_module_load(mode_names[mode], why, n) : NULL;
    for (size_t i = 0; !named && !m && i < ARRAY_LEN(l->modules) && l->modules[i]; i++)
        m = team_module_load(l->modules[i], why, n);
    return m;
}

#else

static const struct team_module *load_any(const struct launcher *l, enum team_mode mode, char *why,
                                          size_t n)
{
    (void)l;
    (void)mode;
#ifdef STATIC
    snprintf(why, n, "a static program cannot load MPI");
#else
    snprintf(why, n, "this build has no MPI");
#endif
    return NULL;
}

#endif

/* What this process may use of the machine. */
static int share_of(int local)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    int cores = parallel_cores(), share = (int)(online / (local > 0 ? local : 1));
    share = share < cores ? share : cores;
    return share < 1 ? 1 : share;
}

static bool first; /* for the handler */

/* The courier is gone, so the launcher has ended it: it does that when a process is lost. */
static void on_lone(int number)
{
    static const char text[] =
        "gpusight: ended by the launcher: another process was lost, or the job was cancelled\n";
    (void)number;
    if (first && fs_write_all(STDERR_FILENO, text, sizeof(text) - 1))
        first = false;
    raise(SIGTERM); /* as if it had been told so: what is not finished is removed */
}

/*
 * The courier stays where the launcher sees it; this process goes on. Some launchers make standard
 * output look like a terminal, wherever it leads to. It is none: what is printed, down to colours and
 * widths, must be what one process prints into a file.
 */
static bool split_off(const struct team_module *m, const struct launcher *l, int *fd,
                      struct gs_error *err)
{
    int ends[2], output[2] = {-1, -1};
    pid_t courier = getpid();
    fflush(NULL);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return fail(err, GS_E_IO, "cannot start the courier: %s", strerror(errno));
    if (isatty(STDOUT_FILENO) && pipe(output) != 0)
        return fail(err, GS_E_IO, "cannot start the courier: %s", strerror(errno));
    pid_t pid = fork();
    if (pid < 0)
        return fail(err, GS_E_IO, "cannot start the courier: %s", strerror(errno));
    if (pid > 0) {
        close(ends[1]);
        if (output[1] >= 0)
            close(output[1]);
        courier_run(m, ends[0], output[0], pid, l->size);
    }
    close(ends[0]);
    if (output[1] >= 0) {
        dup2(output[1], STDOUT_FILENO);
        close(output[0]);
        close(output[1]);
    }
    first = l->rank == 0;
    signal(SIGUSR1, on_lone);
    prctl(PR_SET_PDEATHSIG, SIGUSR1); /* it ends with the courier */
    if (getppid() != courier)
        _exit(GS_E_IO);
    *fd = ends[1];
    return true;
}

static bool join(const struct team_module *m, const struct launcher *l, int *threads,
                 enum team_role *role, struct gs_error *err)
{
    int fd = -1;
    struct team_head head;
    struct team_ready ready;
    if (!split_off(m, l, &fd, err))
        return false;
    if (!fs_read_all(fd, &head, sizeof(head)) || head.kind != TEAM_READY ||
        !fs_read_all(fd, &ready, sizeof(ready)))
        return fail(err, GS_E_IO, "%s", ""); /* the courier has said why */
    if (ready.size != l->size) { /* each is alone: another MPI than that of the launcher */
        *role = l->rank ? TEAM_IDLE : TEAM_NONE;
        if (!l->rank)
            log_warn("%s cannot join the %d processes of this launcher: the first one does all; "
                     "choose another with '--mpi openmpi' or '--mpi mpich'",
                     m->name, l->size);
        return true;
    }
    *threads = *threads ? *threads : share_of(ready.local);
    team_connect(fd, &ready);
    *role = ready.rank ? TEAM_SERVES : TEAM_ROOT;
    return true;
}

bool team_start(enum team_mode mode, int *threads, enum team_role *role, struct gs_error *err)
{
    struct launcher l;
    char why[512];
    launcher_find(&l);
    *role = TEAM_NONE;
    if (mode == TEAM_NO)
        return true;
    if (!l.name) {
        if (mode != TEAM_AUTO)
            return fail(err, GS_E_USAGE,
                        "option '--mpi %s' needs several processes; start them with mpirun or srun",
                        mode_names[mode]);
        if (l.without_mpi)
            log_warn("srun has started this several times without MPI, and each does all the "
                     "work; start it with 'srun --mpi=pmix'");
        return true;
    }
    const struct team_module *m = load_any(&l, mode, why, sizeof(why));
    if (m)
        return join(m, &l, threads, role, err);
    if (mode != TEAM_AUTO)
        return fail(err, GS_E_IO, "cannot work with the other processes: %s", why);
    *role = l.rank ? TEAM_IDLE : TEAM_NONE;
    if (!l.rank)
        log_warn("%s: of the %d processes the first one does all", why, l.size);
    return true;
}
