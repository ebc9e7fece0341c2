/*
 * Base64 (RFC 4648, with padding), writing only.
 */
#ifndef GS_BASE_BASE64_H
#define GS_BASE_BASE64_H

#include "base/str.h"

/* Characters that n bytes become. */
static inline size_t base64_size(size_t n)
{
    return (n + 2) / 3 * 4;
}

/* Writes base64_size(n) characters to out, no NUL behind them. */
void base64_encode(char *out, const void *data, size_t n);

void base64_append(struct str *out, const void *data, size_t n);

#endif
