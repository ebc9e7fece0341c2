/*
 * The program, started once for many command lines: mutate.py --serve runs thousands of files
 * through a build with sanitizers, which takes longer to start than to read them.
 *
 *     serve --serve     reads command lines, answers each with how it ended
 *     serve ANYTHING    is gpusight
 *
 * A command line is one line of words divided by \x1f: the folder to run in, the folder for
 * temporary files, seconds of processor time, then what stands behind `gpusight`. It runs in a
 * process of its own, a copy of this one, so that nothing of it stays; standard output and error
 * go to files beside the folder for temporary files, NAME.stdout and NAME.stderr. The answer is
 * "STATUS CPU_MS PEAK_KB", STATUS as wait() has it.
 */
#define _GNU_SOURCE /* wait4 */
#undef main

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int cli_main(int argc, char **argv); /* cli/main.c under another name */

enum { MOST_WORDS = 256 };

static int to_file(const char *path, int as)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int ok = fd >= 0 && dup2(fd, as) == as;
    close(fd);
    return ok;
}

static void run_one(int n, char **words)
{
    char out[4200], err[4200];
    rlim_t seconds = (rlim_t)atoi(words[2]);
    struct rlimit cpu = {seconds, seconds};
    snprintf(out, sizeof(out), "%s.stdout", words[1]);
    snprintf(err, sizeof(err), "%s.stderr", words[1]);
    if (chdir(words[0]) != 0 || setenv("TMPDIR", words[1], 1) != 0 ||
        setrlimit(RLIMIT_CPU, &cpu) != 0 || !to_file(out, STDOUT_FILENO) ||
        !to_file(err, STDERR_FILENO) || !freopen("/dev/null", "r", stdin))
        _exit(99);
    alarm((unsigned)seconds); /* one that waits for ever takes no processor time */
    words[2] = (char *)"gpusight";
    exit(cli_main(n - 2, words + 2));
}

static void serve(char *line)
{
    static char *words[MOST_WORDS + 1];
    int n = 0, status = 0;
    struct rusage used = {0};
    for (char *w = strtok(line, "\x1f"); w && n < MOST_WORDS; w = strtok(NULL, "\x1f"))
        words[n++] = w;
    words[n] = NULL;
    if (n < 4)
        exit(98);
    pid_t child = fork();
    if (child == 0)
        run_one(n, words);
    if (child < 0 || wait4(child, &status, 0, &used) != child)
        exit(97);
    long ms = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
              (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000;
    printf("%d %ld %ld\n", status, ms, used.ru_maxrss);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static char line[1 << 16];
    if (argc < 2 || strcmp(argv[1], "--serve") != 0)
        return cli_main(argc, argv);
    while (fgets(line, sizeof(line), stdin)) {
        line[strcspn(line, "\n")] = 0;
        serve(line);
    }
    return 0;
}
