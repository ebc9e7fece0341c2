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

static long raw_columns(enum width_from *from)
{
    const char *text = getenv("COLUMNS");
    char *end;
    long n = text ? strtol(text, &end, 10) : 0;
    *from = WIDTH_ASKED;
    if (n > 0 && !*end)
        return n;
    struct winsize size;
    *from = WIDTH_TERMINAL;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
        return size.ws_col;
    *from = WIDTH_USUAL;
    return USUAL;
}

int terminal_columns(enum width_from *from)
{
    long n = raw_columns(from);
    return (int)(n < NARROWEST ? NARROWEST : n > WIDEST ? WIDEST : n);
}
