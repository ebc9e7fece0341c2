#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/task.h"
#include "base/utf8.h"

static atomic_int current = LOG_NORMAL;
static atomic_size_t warnings;

void log_set_level(enum log_level level)
{
    atomic_store(&current, (int)level);
}

enum log_level log_level(void)
{
    return (enum log_level)atomic_load(&current);
}

/* Whoever called the library hears it instead of the terminal. */
static bool heard(struct task *t, const char *text)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    if (!t)
        return false;
    if (t->warning) {
        pthread_mutex_lock(&one_at_a_time);
        t->warning(t->ctx, text);
        pthread_mutex_unlock(&one_at_a_time);
    }
    return true;
}

static void put_line(const char *kind, const char *fmt, va_list ap)
{
    char text[1024];
    vsnprintf(text, sizeof(text), fmt, ap);
    utf8_make_printable(text);
    if (heard(task_current(), text))
        return;
    fprintf(stderr, "gpusight: %s%s\n", kind, text);
}

size_t log_warnings(void)
{
    return atomic_load(&warnings);
}

void log_warn(const char *fmt, ...)
{
    atomic_fetch_add(&warnings, 1);
    if (log_level() < LOG_NORMAL)
        return;
    va_list ap;
    va_start(ap, fmt);
    put_line("warning: ", fmt, ap);
    va_end(ap);
}

void log_note(const char *fmt, ...)
{
    if (log_level() < LOG_VERBOSE)
        return;
    va_list ap;
    va_start(ap, fmt);
    put_line("", fmt, ap);
    va_end(ap);
}

void log_say(const char *fmt, ...)
{
    struct arena a;
    struct str line;
    char text[8192]; /* a path is at most half of it */
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    if (heard(task_current(), text))
        return;
    arena_init(&a);
    str_init(&line, &a);
    utf8_escape(&line, text, strlen(text));
    fprintf(stderr, "%s\n", line.buf);
    arena_release(&a);
}
