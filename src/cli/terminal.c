#include "cli/terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/str.h"

enum { USUAL = 80, NARROWEST = 40, WIDEST = 1000 };

bool terminal_color(enum color_when when)
{
    if (when != COLOR_AUTO)
        return when == COLOR_ALWAYS;
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    if ((no_color && *no_color) || (term && str_eq(term, "dumb")))
        return false;
    return isatty(STDOUT_FILENO) == 1;
}

static long raw_columns(void)
{
    const char *text = getenv("COLUMNS");
    char *end;
    long n = text ? strtol(text, &end, 10) : 0;
    if (n > 0 && !*end)
        return n;
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
        return size.ws_col;
    return USUAL;
}

int terminal_columns(void)
{
    long n = raw_columns();
    return (int)(n < NARROWEST ? NARROWEST : n > WIDEST ? WIDEST : n);
}
