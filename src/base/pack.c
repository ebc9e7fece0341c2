#include "base/pack.h"

#include <string.h>

enum { NO_TEXT = -1 };

void pack_write(struct pack *p, struct str *out)
{
    *p = (struct pack){.out = out};
}

void pack_read(struct pack *p, const void *bytes, size_t n, struct arena *arena)
{
    *p = (struct pack){.at = bytes, .end = (const char *)bytes + n, .arena = arena};
}

bool pack_done(const struct pack *p)
{
    return !p->bad && p->at == p->end;
}

static bool has(struct pack *p, size_t n)
{
    if (p->bad || n > (size_t)(p->end - p->at))
        p->bad = true;
    return !p->bad;
}

void pack_bytes(struct pack *p, void *v, size_t n)
{
    if (p->out) {
        str_put(p->out, v, n);
    } else if (has(p, n)) {
        memcpy(v, p->at, n);
        p->at += n;
    } else {
        memset(v, 0, n);
    }
}

void pack_text(struct pack *p, const char **text)
{
    int64_t n = p->out ? *text ? (int64_t)strlen(*text) : NO_TEXT : 0;
    PACK(p, n);
    if (p->out) {
        if (*text)
            str_put(p->out, *text, (size_t)n);
        return;
    }
    *text = n == NO_TEXT ? NULL : "";
    if (n == NO_TEXT || n < 0 || !has(p, (size_t)n)) {
        p->bad |= n < NO_TEXT;
        return;
    }
    *text = arena_strndup(p->arena, p->at, (size_t)n);
    p->at += n;
}

void pack_blob(struct pack *p, const char **bytes, size_t *n)
{
    *n = pack_count(p, *n, 1);
    if (p->out) {
        str_put(p->out, *bytes, *n);
        return;
    }
    *bytes = p->at;
    p->at += *n;
}

size_t pack_count(struct pack *p, size_t n, size_t least)
{
    uint64_t count = n;
    PACK(p, count);
    if (!p->out && count > (uint64_t)(p->end - p->at) / least) {
        p->bad = true;
        count = 0;
    }
    return (size_t)count;
}

void pack_error(struct pack *p, struct gs_error *err)
{
    PACK(p, err->code);
    PACK(p, err->text);
    err->text[sizeof(err->text) - 1] = 0;
}
