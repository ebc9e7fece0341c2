/*
 * A system that fails, for faults.py: loaded before all other libraries (LD_PRELOAD), it has the
 * kernel hand over the calls that libc makes for whoever it is (the program, SQLite, stdio) and
 * lets one of them go wrong.
 *
 *     FAULTS=CALLS:N:WHAT     CALLS: write, sync, name, close, open, read, size, folder or any;
 *                             N: which of them, from 1; 0: none, "3+": the third and all after it;
 *                             WHAT: a number of errno; kill: the process ends there, by SIGKILL;
 *                             short: only a part is read or written; eintr: every second one is
 *                             interrupted before it does anything
 *     FAULTS_COUNT=FILE       how many calls there were: one uint64_t a kind, in this order
 *     FAULTS_CLOCK=SECONDS    what the clock is off by
 *
 * Calls are told by where they come from: those of libc's own code. So the calls made here are
 * not handed over again, and a program that is started (it has libc elsewhere) is left alone.
 * Standard error always works: what went wrong must be told.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef __x86_64__
#error "faults.c knows the registers of x86-64 only; meson.build leaves it out elsewhere"
#endif

enum kind { WRITE, SYNC, NAME, CLOSE, OPEN, READ, SIZE, FOLDER, KINDS, ANY = KINDS };
static const char *const kind_names[] = {"write", "sync", "name",   "close", "open",
                                         "read",  "size", "folder", "any"};
static const struct {
    long call;
    enum kind kind;
} calls[] = {
    {SYS_write, WRITE},    {SYS_pwrite64, WRITE}, {SYS_writev, WRITE},   {SYS_pwritev, WRITE},
    {SYS_fsync, SYNC},     {SYS_fdatasync, SYNC}, {SYS_rename, NAME},    {SYS_renameat, NAME},
    {SYS_renameat2, NAME}, {SYS_linkat, NAME},    {SYS_link, NAME},      {SYS_close, CLOSE},
    {SYS_open, OPEN},      {SYS_openat, OPEN},    {SYS_read, READ},      {SYS_pread64, READ},
    {SYS_readv, READ},     {SYS_ftruncate, SIZE}, {SYS_fallocate, SIZE}, {SYS_mkdir, FOLDER},
    {SYS_mkdirat, FOLDER},
};
enum { CALLS = sizeof(calls) / sizeof(*calls) };

enum what { AN_ERROR, A_KILL, SHORT, INTERRUPTED };
static enum what what;
static enum kind which;
static int error_code;
static uint64_t at;
static _Bool and_after;
static uint64_t own_counts[KINDS + 1];
static uint64_t *counts = own_counts; /* the last: all kinds together */
static _Thread_local _Bool interrupted;

static long do_call(long nr, const long a[6])
{
    long result;
    register long r10 __asm__("r10") = a[3];
    register long r8 __asm__("r8") = a[4];
    register long r9 __asm__("r9") = a[5];
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(nr), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static long do_call2(long nr, long x, long y, long z)
{
    return do_call(nr, (const long[6]){x, y, z, 0, 0, 0});
}

/* A part of what is asked for: of much half, of little one byte. */
static size_t part_of(size_t n)
{
    return n > 64 ? n / 2 + 1 : n > 1 ? 1 : n;
}

static _Bool is_due(enum kind kind)
{
    uint64_t n = __atomic_add_fetch(&counts[kind], 1, __ATOMIC_RELAXED);
    uint64_t all = __atomic_add_fetch(&counts[KINDS], 1, __ATOMIC_RELAXED);
    if (which != ANY && which != kind)
        return 0;
    n = which == ANY ? all : n;
    return at && (n == at || (and_after && n > at));
}

static long answer(long nr, enum kind kind, long a[6])
{
    _Bool due = is_due(kind);
    _Bool counted = which == ANY || which == kind;
    if (what == SHORT && counted && (kind == READ || kind == WRITE) && nr != SYS_writev &&
        nr != SYS_readv && nr != SYS_pwritev)
        a[2] = (long)part_of((size_t)a[2]);
    if (what == INTERRUPTED && counted && kind != CLOSE && kind != NAME && kind != FOLDER) {
        interrupted = !interrupted;
        if (interrupted)
            return -EINTR;
    }
    if (due && what == A_KILL)
        do_call2(SYS_tgkill, do_call2(SYS_getpid, 0, 0, 0), do_call2(SYS_gettid, 0, 0, 0), SIGKILL);
    if (due && what == AN_ERROR) {
        if (kind == CLOSE) /* the descriptor is gone nevertheless */
            do_call(nr, a);
        return -error_code;
    }
    if (kind == SYNC)
        return 0; /* nobody pulls the plug, and a busy disk takes its time */
    return do_call(nr, a);
}

static void on_call(int number, siginfo_t *info, void *context)
{
    (void)number;
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    long a[6] = {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]};
    enum kind kind = ANY;
    for (size_t i = 0; i < CALLS; i++)
        if (calls[i].call == info->si_syscall)
            kind = calls[i].kind;
    _Bool told = kind == WRITE && a[0] == STDERR_FILENO;
    r[REG_RAX] =
        kind == ANY || told ? do_call(info->si_syscall, a) : answer(info->si_syscall, kind, a);
}

struct range {
    uintptr_t from, to;
};

static int find_libc(struct dl_phdr_info *info, size_t size, void *out)
{
    (void)size;
    const char *base = strrchr(info->dlpi_name, '/');
    if (!base || strncmp(base, "/libc.so", 8) != 0)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
            struct range *range = out;
            range->from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            range->to = range->from + info->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define IS(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no)

static _Bool hand_over(struct range libc)
{
    struct sock_filter code[CALLS + 16];
    unsigned short n = 0;
    if (!libc.from || libc.from >> 32 != libc.to >> 32)
        return 0; /* it lies across 4 GiB: another start will do */
    code[n++] = (struct sock_filter)LOAD(arch);
    code[n++] = (struct sock_filter)IS(AUDIT_ARCH_X86_64, 0, CALLS + 1);
    code[n++] = (struct sock_filter)LOAD(nr);
    for (size_t i = 0; i < CALLS; i++)
        code[n++] = (struct sock_filter)IS((unsigned)calls[i].call, (unsigned char)(CALLS - i), 0);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[n++] = (struct sock_filter)BPF_STMT(
        BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4);
    code[n++] = (struct sock_filter)IS((unsigned)(libc.from >> 32), 0, 4);
    code[n++] = (struct sock_filter)LOAD(instruction_pointer);
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (unsigned)libc.from, 0, 2);
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (unsigned)libc.to, 1, 0);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {n, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void read_plan(char *text)
{
    char *n = strchr(text, ':'), *how = n ? strchr(n + 1, ':') : NULL;
    if (!how)
        _exit(98);
    *n++ = *how++ = 0;
    while (which < ANY && strcmp(kind_names[which], text) != 0)
        which++;
    at = strtoull(n, &n, 10);
    and_after = *n == '+';
    what = !strcmp(how, "kill")    ? A_KILL
           : !strcmp(how, "short") ? SHORT
           : !strcmp(how, "eintr") ? INTERRUPTED
                                   : AN_ERROR;
    error_code = atoi(how);
}

static void map_counts(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    void *m = fd >= 0 && ftruncate(fd, sizeof(own_counts)) == 0
                  ? mmap(NULL, sizeof(own_counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                  : MAP_FAILED;
    if (m == MAP_FAILED)
        _exit(98);
    counts = m;
    close(fd);
}

__attribute__((constructor)) static void begin(void)
{
    struct range libc = {0, 0};
    struct sigaction act = {.sa_sigaction = on_call,
                            .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    char *plan = getenv("FAULTS");
    const char *file = getenv("FAULTS_COUNT");
    unsetenv("LD_PRELOAD"); /* programs that are started are not what is tested */
    if (!plan)
        return;
    if (file)
        map_counts(file);
    read_plan(plan);
    dl_iterate_phdr(find_libc, &libc);
    if (sigaction(SIGSYS, &act, NULL) != 0 || !hand_over(libc))
        _exit(97);
}

/* ---- a clock that is wrong ---- */

static time_t off(void)
{
    const char *s = getenv("FAULTS_CLOCK");
    return s ? (time_t)strtoll(s, NULL, 10) : 0;
}

int clock_gettime(clockid_t id, struct timespec *t)
{
    long r = do_call2(SYS_clock_gettime, id, (long)t, 0);
    if (r < 0) {
        errno = (int)-r;
        return -1;
    }
    if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)
        t->tv_sec += off();
    return 0;
}

time_t time(time_t *out)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    if (out)
        *out = t.tv_sec;
    return t.tv_sec;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *t = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}
