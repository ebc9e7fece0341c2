#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

bool fail(struct gs_error *err, enum gs_code code, const char *fmt, ...)
{
    if (!err)
        return false;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(err->text, sizeof(err->text), fmt, ap);
    va_end(ap);
    err->code = code;
    utf8_make_printable(err->text);
    return false;
}

bool wrap(struct gs_error *err, const char *fmt, ...)
{
    if (!err)
        return false;
    char old[sizeof(err->text)];
    memcpy(old, err->text, sizeof(old));
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(err->text, sizeof(err->text), fmt, ap);
    va_end(ap);
    utf8_make_printable(err->text);
    size_t said = strlen(err->text);
    if (!strncmp(old, err->text, said) && old[said] == ':')
        memcpy(err->text, old, sizeof(old)); /* who was called has said so */
    else
        snprintf(err->text + said, sizeof(err->text) - said, ": %s", old);
    utf8_make_printable(err->text);
    return false;
}
