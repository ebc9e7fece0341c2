#define _GNU_SOURCE /* O_PATH, syscall() */
#include "cli/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/str.h"
#include "base/vec.h"
#include "cli/prompt.h"
#include "config.h"
#include "fleet/store.h"

/* ---- what a command writes ---- */

static const char *text_of(const struct opt *o, const void *settings)
{
    return *(const char *const *)(const void *)((const char *)settings + o->offset);
}

/* Whether what an option names is written; `saves`: an option asks to keep something in a store. */
static bool is_written(const struct opt *o, const struct command *c, const void *settings,
                       bool saves)
{
    switch (o->names) {
    case NAMES_TARGET:
    case NAMES_OUTPUT:
        return !str_eq(text_of(o, settings), "-");
    case NAMES_STORE:
        return saves;
    case NAMES_DB:
        return c->fills_db && !fleet_is_address(text_of(o, settings));
    case NAMES_STORED:
    case NAMES_NOTHING:
        break;
    }
    return false;
}

/* Whether it may name what is read. */
static bool may_be_source(const struct opt *o, const struct command *c)
{
    return o->names == NAMES_NOTHING || o->names == NAMES_STORED ||
           (o->names == NAMES_DB && !c->fills_db);
}

void sandbox_sources(struct opt_list *out, const struct command *c, const void *settings,
                     struct arena *a)
{
    for (const struct opt *o = c->opts; o && o->name; o++)
        if (o->kind == OPT_KIND_TEXT && text_of(o, settings) && may_be_source(o, c))
            vec_push(out, a, text_of(o, settings));
}

void sandbox_targets(struct opt_list *out, const struct command *c, const void *settings,
                     struct arena *a)
{
    bool given[NAMES_DB + 1] = {false};
    for (const struct opt *o = c->opts; o && o->name; o++)
        given[o->names] |= o->kind == OPT_KIND_TEXT && text_of(o, settings);
    for (const struct opt *o = c->opts; o && o->name; o++)
        if (o->kind == OPT_KIND_TEXT && text_of(o, settings) &&
            is_written(o, c, settings, given[NAMES_STORED]))
            vec_push(out, a, text_of(o, settings));
    if (c->writes_here && !given[NAMES_OUTPUT])
        vec_push(out, a, ".");
    const char *state = c->keeps_history && prompt_is_possible() ? state_folder(a) : NULL;
    if (state)
        vec_push(out, a, state);
}

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* ---- files: Landlock ---- */

/* Rights of later kernels than the headers may be of; the kernel says what it knows. */
enum { FS_EXECUTE = 1 << 0, FS_WRITE = 1 << 1, FS_REFER = 1 << 13, FS_TRUNCATE = 1 << 14 };
enum { FS_MAKE_AND_REMOVE = 0x1ff << 4, FS_READ_FILE = 1 << 2, FS_READ_DIR = 1 << 3 };

static int landlock_version(void)
{
    return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

static void allow(int rules, const char *path, uint64_t rights)
{
    struct stat st;
    int fd = fs_open_plain(path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0) {
        struct landlock_path_beneath_attr rule = {.parent_fd = fd, .allowed_access = rights};
        if (!S_ISDIR(st.st_mode))
            rule.allowed_access &= FS_EXECUTE | FS_WRITE | FS_TRUNCATE | FS_READ_FILE;
        syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    }
    close(fd);
}

/* A target, or where it will be made: the nearest folder above it that exists. */
static void allow_target(int rules, const char *path, uint64_t rights)
{
    char above[4096];
    allow(rules, path, rights); /* also a device or a pipe that is written as it is */
    size_t n = strlen(path);
    if ((str_starts(path, "/dev/") && !str_starts(path, "/dev/shm/")) || n >= sizeof(above))
        return;
    memcpy(above, path, n + 1);
    struct stat st;
    bool is_folder = stat(above, &st) == 0 && S_ISDIR(st.st_mode);
    while (!is_folder) {
        char *slash = strrchr(above, '/');
        if (!slash)
            strcpy(above, ".");
        else
            slash[slash == above] = 0;
        is_folder = (stat(above, &st) == 0 && S_ISDIR(st.st_mode)) || !slash || slash == above;
    }
    allow(rules, above, rights);
}

static void allow_beside(int rules, uint64_t rights)
{
    const char *tmp = getenv("TMPDIR"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char fonts[4096];
    if (tmp && *tmp)
        allow(rules, tmp, rights);
    allow(rules, "/tmp", rights); /* tmpfile() knows no other */
    allow(rules, "/dev/null", rights);
    allow(rules, "/dev/full", rights);
    if (cache && *cache && strlen(cache) < sizeof(fonts) - 32)
        allow(rules, strcat(strcpy(fonts, cache), "/fontconfig"), rights);
    else if (home && strlen(home) < sizeof(fonts) - 32)
        allow(rules, strcat(strcpy(fonts, home), "/.cache/fontconfig"), rights);
}

/* A program and what is installed with it; the loader is run as well. */
static void allow_program(int rules, const char *program, uint64_t rights)
{
    static const char *const parts[] = {"lib", "lib64", "ssl", "etc", "share"};
    static const char *const loaders[] = {"/lib", "/lib64", "/usr/lib", "/usr/lib64"};
    char real[PATH_MAX], part[PATH_MAX + 16];
    if (!program || !realpath(program, real))
        return;
    allow(rules, real, rights);
    for (size_t i = 0; i < ARRAY_LEN(loaders); i++)
        allow(rules, loaders[i], rights);
    for (int up = 0; up < 2 && strrchr(real, '/'); up++)
        *strrchr(real, '/') = 0;
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        snprintf(part, sizeof(part), "%s/%s", real, parts[i]);
        allow(rules, part, rights);
    }
}

static bool close_files(const struct opt_list *writable, const char *program)
{
    int version = landlock_version();
    if (version < 2) /* the first one breaks linkat() and rename() between folders */
        return false;
    uint64_t rights = FS_WRITE | FS_MAKE_AND_REMOVE | FS_REFER | (version >= 3 ? FS_TRUNCATE : 0);
    struct landlock_ruleset_attr all = {.handled_access_fs = rights | FS_EXECUTE};
    int rules = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof(uint64_t), 0);
    if (rules < 0)
        return false;
    for (size_t i = 0; i < writable->n; i++)
        allow_target(rules, writable->v[i], rights);
    allow_beside(rules, rights);
    allow_program(rules, program, FS_EXECUTE);
    bool ok = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return ok;
}

static bool close_reading(const struct opt_list *readable, const char *program)
{
    static const char *const system[] = {"/usr", "/lib",      "/lib64",        "/proc",
                                         "/sys", "/dev/null", "/etc/localtime"};
    const char *tmp = getenv("TMPDIR");
    uint64_t rights = FS_READ_FILE | FS_READ_DIR;
    struct landlock_ruleset_attr all = {.handled_access_fs = rights};
    int rules = landlock_version() < 1
                    ? -1
                    : (int)syscall(SYS_landlock_create_ruleset, &all, sizeof(uint64_t), 0);
    if (rules < 0)
        return false;
    for (size_t i = 0; i < readable->n; i++)
        allow(rules, readable->v[i], rights);
    for (size_t i = 0; i < ARRAY_LEN(system); i++)
        allow(rules, system[i], rights);
    allow_program(rules, program, rights);
    allow(rules, tmp && *tmp ? tmp : "/tmp", rights); /* databases are unpacked there */
    bool ok = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return ok;
}

/* ---- calls: seccomp ---- */

#ifdef __x86_64__
#define OWN_ARCH AUDIT_ARCH_X86_64
#else
#define OWN_ARCH AUDIT_ARCH_AARCH64
#endif

#define OWN_PROCESS 0xffffffffu /* stands for the number of this process */

/* No reader of files needs these: the network, other programs and processes, the kernel itself. */
enum { NETWORK_CALLS = 2, PROGRAM_CALLS = 4 };
static const unsigned refused[] = {
    SYS_socket, SYS_connect, /* these two are left to the messenger */
    SYS_execve, SYS_kill,    /* and these, where it runs a program, which it must be able to end */
    SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_execveat, SYS_ptrace, SYS_process_vm_readv,
    SYS_process_vm_writev, SYS_rt_sigqueueinfo, SYS_pidfd_getfd, SYS_pidfd_send_signal, SYS_bpf,
    SYS_perf_event_open, SYS_userfaultfd, SYS_io_uring_setup, SYS_io_uring_enter,
    SYS_io_uring_register, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_setns,
    SYS_unshare, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_init_module, SYS_finit_module,
    SYS_delete_module, SYS_kexec_load, SYS_open_by_handle_at, SYS_reboot, SYS_tkill,
    SYS_setpriority, SYS_shmget, SYS_shmat, SYS_msgget, SYS_semget, SYS_mq_open,
    /* What Landlock does not see: the length, owner, mode and times of any file, by its name. */
    SYS_truncate, SYS_fchmodat, SYS_fchownat, SYS_utimensat, SYS_setxattr, SYS_lsetxattr,
    SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr,
#ifdef __x86_64__
    SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat,
#endif
    452, /* fchmodat2, of later kernels than the headers may be of */
};

/*
 * These are needed, but not with every argument: signals to oneself, limits of oneself, and no
 * typing into the terminal, which the shell would read after us.
 */
static const struct {
    unsigned call, argument;
    bool only; /* with these values; else: with any but these */
    unsigned values[2];
} narrowed[] = {
    {SYS_tgkill, 0, true, {OWN_PROCESS, OWN_PROCESS}},
    {SYS_prlimit64, 0, true, {OWN_PROCESS, 0}},
    {SYS_ioctl, 1, false, {0x5412 /* TIOCSTI */, 0x541c /* TIOCLINUX */}},
};

enum { NARROWED_CODE = 6 };

static unsigned short narrow(struct sock_filter *code, size_t i)
{
    unsigned own = (unsigned)getpid(), v[2];
    for (int k = 0; k < 2; k++)
        v[k] = narrowed[i].values[k] == OWN_PROCESS ? own : narrowed[i].values[k];
    size_t at = offsetof(struct seccomp_data, args) + 8 * narrowed[i].argument; /* its low half */
    const unsigned no = SECCOMP_RET_ERRNO | EPERM, yes = SECCOMP_RET_ALLOW;
    const struct sock_filter lines[NARROWED_CODE] = {
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, narrowed[i].call, 0, NARROWED_CODE - 1),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)at),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, v[0], 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, v[1], 0, 1),
        BPF_STMT(BPF_RET | BPF_K, narrowed[i].only ? yes : no),
        BPF_STMT(BPF_RET | BPF_K, narrowed[i].only ? no : yes),
    };
    memcpy(code, lines, sizeof(lines));
    return NARROWED_CODE;
}

static bool close_calls(unsigned first)
{
    enum { ALL = ARRAY_LEN(refused), NARROWED = ARRAY_LEN(narrowed) };
    enum { REST = NARROWED * NARROWED_CODE }; /* between the calls and the last two lines */
    unsigned n_calls = ALL - first;
    struct sock_filter code[ALL + REST + 8] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCH, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, (unsigned char)(n_calls + REST + 1),
                 0), /* the other calls of x86: x32 */
    };
    unsigned short n = 5;
    for (unsigned i = 0; i < n_calls; i++)
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[first + i],
                                                 (unsigned char)(n_calls - i + REST), 0);
    for (size_t i = 0; i < NARROWED; i++)
        n = (unsigned short)(n + narrow(code + n, i));
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    struct sock_fprog program = {n, code};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool sandbox_enter(enum sandbox_mode mode, const struct opt_list *writable, struct gs_error *err)
{
    bool must = mode == SANDBOX_ON;
#ifdef SANITIZED
    if (!must)
        return true;
#endif
    if (mode == SANDBOX_OFF)
        return true;
    bool files = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && close_files(writable, NULL);
    bool calls = close_calls(0);
    if (must && !files)
        return fail(err, GS_E_IO,
                    "no sandbox: the kernel has no Landlock; run with --sandbox=auto");
    if (must && !calls)
        return fail(err, GS_E_IO,
                    "no sandbox: the kernel filters no system calls; run with --sandbox=auto");
    return true;
}

void sandbox_messenger(void *cli, const char *ca, const char *program)
{
    struct opt_list nothing = {0};
    const char *system[] = {"/etc", "/run", ca};
    struct opt_list readable = {.v = system, .n = ca ? 3 : 2};
    enum sandbox_mode mode = ((const struct cli *)cli)->sandbox;
#ifdef SANITIZED
    if (mode != SANDBOX_ON)
        return;
#endif
    if (mode == SANDBOX_OFF || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return;
    close_files(&nothing, program);
    close_reading(&readable, program);
    close_calls(program ? PROGRAM_CALLS : NETWORK_CALLS);
}

bool sandbox_confine(enum sandbox_mode mode, const struct opt_list *readable, struct gs_error *err)
{
#ifdef SANITIZED
    if (mode != SANDBOX_ON)
        return true;
#endif
    if (mode == SANDBOX_OFF || close_reading(readable, NULL) || mode != SANDBOX_ON)
        return true;
    return fail(err, GS_E_IO, "no sandbox: the kernel has no Landlock; run with --sandbox=auto");
}

#else

void sandbox_messenger(void *cli, const char *ca, const char *program)
{
    (void)cli, (void)ca, (void)program;
}

bool sandbox_confine(enum sandbox_mode mode, const struct opt_list *readable, struct gs_error *err)
{
    (void)readable;
    return mode != SANDBOX_ON ||
           fail(err, GS_E_IO, "no sandbox on this kind of machine; run with --sandbox=auto");
}

bool sandbox_enter(enum sandbox_mode mode, const struct opt_list *writable, struct gs_error *err)
{
    (void)writable;
    return mode != SANDBOX_ON ||
           fail(err, GS_E_IO, "no sandbox on this kind of machine; run with --sandbox=auto");
}

#endif
