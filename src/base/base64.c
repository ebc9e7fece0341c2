#include "base/base64.h"

#include <stdint.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_encode(char *out, const void *data, size_t n)
{
    const uint8_t *p = data;
    for (; n >= 3; n -= 3, p += 3) {
        uint32_t v = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
        *out++ = digits[v >> 18];
        *out++ = digits[v >> 12 & 63];
        *out++ = digits[v >> 6 & 63];
        *out++ = digits[v & 63];
    }
    if (!n)
        return;
    uint32_t v = (uint32_t)p[0] << 16 | (n > 1 ? (uint32_t)p[1] << 8 : 0);
    *out++ = digits[v >> 18];
    *out++ = digits[v >> 12 & 63];
    *out++ = n > 1 ? digits[v >> 6 & 63] : '=';
    *out++ = '=';
}

void base64_append(struct str *out, const void *data, size_t n)
{
    base64_encode(str_room(out, base64_size(n)), data, n);
    out->len += base64_size(n);
    out->buf[out->len] = 0;
}
