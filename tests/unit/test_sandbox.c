/* The box: what it refuses and what it must not. Each case is a child, since nobody gets out. */
#define _GNU_SOURCE
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/sandbox.h"

static char folder[] = "/var/tmp/sandbox.XXXXXX"; /* not in /tmp, which stays open */

static const char *in(const char *name)
{
    static char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static int make(const char *name)
{
    int fd = open(in(name), O_WRONLY | O_CREAT, 0600);
    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

/* Runs fn in a box that may write to `target`; its result is 0 or an errno. */
static int boxed(const char *target, int (*fn)(void))
{
    pid_t child = fork();
    if (!child) {
        struct gs_error err = {0};
        const char *v[] = {target};
        struct opt_list writable = {v, target ? 1 : 0, 1};
        _exit(sandbox_enter(SANDBOX_ON, &writable, &err) ? fn() : 255);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 255)
        skip();
    return WEXITSTATUS(status);
}

static int write_in_out(void)
{
    return make("out/a");
}

static int write_in_new(void)
{
    return mkdir(in("out/new"), 0700) ? errno : make("out/new/a");
}

static int write_elsewhere(void)
{
    return make("other/a");
}

static int change_elsewhere(void)
{
    int fd = open(in("other/kept"), O_WRONLY | O_TRUNC);
    return fd < 0 ? errno : 0;
}

static int remove_elsewhere(void)
{
    return unlink(in("other/kept")) ? errno : 0;
}

static int read_elsewhere(void)
{
    int fd = open(in("other/kept"), O_RDONLY);
    return fd < 0 ? errno : 0;
}

static int use_tmpdir(void)
{
    FILE *f = tmpfile();
    return f ? 0 : errno;
}

static int talk(void)
{
    return socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0;
}

static int run_program(void)
{
    char *argv[] = {"/bin/true", NULL};
    execve(argv[0], argv, NULL);
    return errno;
}

static int trace_parent(void)
{
    return ptrace(PTRACE_ATTACH, getppid(), NULL, NULL) ? errno : 0;
}

static int signal_parent(void)
{
    return kill(getppid(), 0) ? errno : 0;
}

static int signal_thread_of_parent(void)
{
    return syscall(SYS_tgkill, getppid(), getppid(), 0) ? errno : 0;
}

static int signal_oneself(void)
{
    struct rlimit files;
    signal(SIGUSR1, SIG_IGN);
    return raise(SIGUSR1) || getrlimit(RLIMIT_NOFILE, &files) ? errno : 0;
}

static int limit_parent(void)
{
    struct rlimit none = {0, 0};
    return syscall(SYS_prlimit64, getppid(), RLIMIT_NOFILE, NULL, &none) ? errno : 0;
}

static int type_into_the_terminal(void)
{
    return ioctl(STDIN_FILENO, TIOCSTI, "x") ? errno : 0;
}

static int change_mode(void)
{
    return chmod(in("other/kept"), 0777) ? errno : 0;
}

static int change_time(void)
{
    return utimensat(AT_FDCWD, in("other/kept"), NULL, 0) ? errno : 0;
}

static int cut(void)
{
    return truncate(in("other/kept"), 0) ? errno : 0;
}

static void *nothing(void *ctx)
{
    return ctx;
}

static int use_threads(void)
{
    pthread_t t;
    int failed = pthread_create(&t, NULL, nothing, NULL);
    return failed ? failed : pthread_join(t, NULL);
}

static void output_can_be_written(void **state)
{
    (void)state;
    assert_int_equal(boxed(in("out"), write_in_out), 0);
    assert_int_equal(boxed(in("out/new/deeper/report.json"), write_in_new), 0);
}

static void nothing_else_can(void **state)
{
    (void)state;
    assert_int_equal(boxed(in("out"), write_elsewhere), EACCES);
    assert_int_equal(boxed(NULL, write_elsewhere), EACCES);
    assert_int_equal(boxed(in("out"), change_elsewhere), EACCES);
    assert_int_equal(boxed(in("out"), remove_elsewhere), EACCES);
    assert_int_equal(boxed(in("out"), change_mode), EPERM);
    assert_int_equal(boxed(in("out"), change_time), EPERM);
    assert_int_equal(boxed(in("out"), cut), EPERM);
}

static void reading_threads_and_temporary_files_work(void **state)
{
    (void)state;
    assert_int_equal(boxed(NULL, read_elsewhere), 0);
    assert_int_equal(boxed(NULL, use_threads), 0);
    assert_int_equal(boxed(NULL, use_tmpdir), 0);
}

static void the_world_is_closed(void **state)
{
    (void)state;
    assert_int_equal(boxed(NULL, talk), EPERM);
    assert_int_equal(boxed(NULL, run_program), EPERM);
    assert_int_equal(boxed(NULL, trace_parent), EPERM);
    assert_int_equal(boxed(NULL, signal_parent), EPERM);
    assert_int_equal(boxed(NULL, signal_thread_of_parent), EPERM);
    assert_int_equal(boxed(NULL, limit_parent), EPERM);
    assert_int_equal(boxed(NULL, type_into_the_terminal), EPERM);
    assert_int_equal(boxed(NULL, signal_oneself), 0);
}

static int setup(void **state)
{
    (void)state;
    unsetenv("TMPDIR");
    return !mkdtemp(folder) || mkdir(in("out"), 0700) || mkdir(in("other"), 0700) ||
           make("other/kept");
}

static int cleanup(void **state)
{
    (void)state;
    static const char *const files[] = {"out/a", "out/new/a", "other/kept", "other/a"};
    static const char *const folders[] = {"out/new", "out", "other"};
    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        unlink(in(files[i]));
    for (size_t i = 0; i < ARRAY_LEN(folders); i++)
        rmdir(in(folders[i]));
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_can_be_written),
        cmocka_unit_test(nothing_else_can),
        cmocka_unit_test(reading_threads_and_temporary_files_work),
        cmocka_unit_test(the_world_is_closed),
    };
    return cmocka_run_group_tests(tests, setup, cleanup);
}
