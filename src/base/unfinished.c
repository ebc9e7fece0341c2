#define _GNU_SOURCE /* sigaction */
#include "base/unfinished.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/mem.h"

enum { ROUND = 256 };

/*
 * A signal may come at any instruction of any thread: entries are only ever added at the head and
 * switched off, never moved or freed, and their names are complete before they are switched on.
 * One that is done is used again, so there are no more than files were open at once.
 */
struct unfinished {
    struct unfinished *next;
    atomic_bool taken; /* somebody has it, whose names are in it */
    atomic_bool live;  /* the file is there */
    size_t stride;     /* FS_DB_FILES names follow, this many bytes each */
    char names[];
};

static _Atomic(struct unfinished *) head;

/* One with room for such names: one that is done, or a new one. */
static struct unfinished *take(size_t stride)
{
    struct unfinished *u = atomic_load(&head);
    for (; u; u = u->next)
        if (u->stride >= stride && !atomic_exchange(&u->taken, true))
            return u;
    stride = (stride + ROUND - 1) / ROUND * ROUND;
    u = mem_try_alloc(sizeof(*u) + FS_DB_FILES * stride);
    if (!u)
        return NULL;
    u->stride = stride;
    atomic_init(&u->taken, true);
    atomic_init(&u->live, false);
    u->next = atomic_load(&head);
    while (!atomic_compare_exchange_weak(&head, &u->next, u))
        continue;
    return u;
}

struct unfinished *unfinished_add(const char *name)
{
    struct unfinished *u = take(strlen(name) + sizeof("-journal"));
    if (!u)
        return NULL;
    for (size_t i = 0; i < FS_DB_FILES; i++)
        snprintf(u->names + i * u->stride, u->stride, "%s%s", name, fs_db_ends[i]);
    atomic_store(&u->live, true);
    return u;
}

void unfinished_done(struct unfinished *u)
{
    if (!u)
        return;
    atomic_store(&u->live, false);
    atomic_store(&u->taken, false);
}

/* The last first: what is in a folder goes before the folder. Only calls that signals allow. */
void unfinished_remove(void)
{
    for (struct unfinished *u = atomic_load(&head); u; u = u->next) {
        if (!atomic_exchange(&u->live, false))
            continue;
        for (size_t i = 0; i < FS_DB_FILES; i++)
            unlink(u->names + i * u->stride);
        rmdir(u->names);
    }
}

static void end(int number)
{
    unfinished_remove();
    raise(number); /* once more, and now as if it had not been caught */
}

/* A page of a mapped file is gone: an entry of the cache was cut, or the disk of --memory fails. */
static void lost_page(int number)
{
    static const char text[] = "gpusight: a file in use was cut or cannot be read any more\n";
    (void)number;
    unfinished_remove();
    ssize_t told = write(STDERR_FILENO, text, sizeof(text) - 1);
    (void)told; /* there is nobody else to tell */
    _exit(GS_E_IO);
}

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2};
enum { N_ENDING = ARRAY_LEN(ending) };

void unfinished_on_signals(void)
{
    for (size_t i = 0; i < N_ENDING; i++) {
        struct sigaction before,
            now = {.sa_handler = end, .sa_flags = (int)SA_RESETHAND | SA_NODEFER};
        sigemptyset(&now.sa_mask);
        if (sigaction(ending[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(ending[i], &now, NULL);
    }
    struct sigaction before, lost = {.sa_handler = lost_page};
    sigemptyset(&lost.sa_mask);
    if (sigaction(SIGBUS, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        sigaction(SIGBUS, &lost, NULL);
    signal(SIGXFSZ, SIG_IGN);
}

static void mask(int how)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < N_ENDING; i++)
        sigaddset(&set, ending[i]);
    pthread_sigmask(how, &set, NULL);
}

void unfinished_hold(void)
{
    mask(SIG_BLOCK);
}

void unfinished_let_go(void)
{
    mask(SIG_UNBLOCK);
}
