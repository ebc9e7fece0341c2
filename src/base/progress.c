#include "base/progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"

enum { FIRST_MS = 1000, EVERY_MS = 100, WIDTH = 30 };

static void draw(struct progress *p)
{
    uint64_t done = atomic_load(&p->done), total = atomic_load(&p->total);
    unsigned cells = total ? (unsigned)((double)done / (double)total * WIDTH) : 0;
    if (cells > WIDTH)
        cells = WIDTH;
    char bar[WIDTH + 1];
    memset(bar, '-', WIDTH);
    memset(bar, '#', cells);
    bar[WIDTH] = 0;
    fprintf(stderr, "\r%s [%s] %3u %%", p->what, bar, cells * 100 / WIDTH);
    fflush(stderr);
    p->shown = true;
}

static void *watch(void *arg)
{
    struct progress *p = arg;
    struct timespec next;
    clock_gettime(CLOCK_REALTIME, &next);
    long wait_ms = FIRST_MS;
    pthread_mutex_lock(&p->lock);
    while (!p->stop) {
        next.tv_nsec += wait_ms % 1000 * 1000000;
        next.tv_sec += wait_ms / 1000 + next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&p->wake, &p->lock, &next) != 0 && !p->stop)
            draw(p);
        wait_ms = EVERY_MS;
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

void progress_start(struct progress *p, const char *what, uint64_t total)
{
    memset(p, 0, sizeof(*p));
    p->what = what;
    progress_expect(p, total);
    p->told = task_current() != NULL;
    if (p->told)
        return;
    if (!isatty(STDERR_FILENO) || log_level() == LOG_QUIET)
        return;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    p->running = pthread_create(&p->thread, NULL, watch, p) == 0;
}

void progress_stop(struct progress *p)
{
    if (!p->running)
        return;
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_signal(&p->wake);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    if (p->shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    p->running = false;
}
