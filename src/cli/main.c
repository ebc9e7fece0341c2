/*
 * The edge of the program: everything below returns errors as values, here they become one line
 * on standard error and an exit code.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/unfinished.h"
#include "cli/dispatch.h"

/*
 * A closed standard stream would lend its number to the next file opened, and output would go
 * there. Opened for reading, so that writing still fails as it should.
 */
static void occupy_standard_streams(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd > STDERR_FILENO)
        close(fd);
}

/* The trace of a job is a few open files for each rank, read or written. */
static void raise_file_limit(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

/* What was printed must have arrived: a full disk is an error, not a short result. */
static bool flush_output(struct gs_error *err)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    return fail(err, GS_E_IO, "cannot write to standard output: %s",
                errno ? strerror(errno) : "unknown error");
}

int main(int argc, char **argv)
{
    struct arena arena;
    struct gs_error err = {0};
    occupy_standard_streams();
    unfinished_on_signals();
    raise_file_limit();
    mem_keep();               /* clearing pages is a fifth of the time otherwise */
    signal(SIGPIPE, SIG_IGN); /* a reader that leaves is a failed write, told like any other */
    arena_init(&arena);
    bool ok = dispatch(&arena, argc, argv, &err);
    if (ok)
        ok = flush_output(&err);
    else
        fflush(stdout);
    unfinished_remove();
    arena_release(&arena);
    if (ok)
        return GS_OK;
    if (err.text[0])
        fprintf(stderr, "gpusight: %s\n", err.text);
    return err.code ? (int)err.code : GS_E_IO;
}
