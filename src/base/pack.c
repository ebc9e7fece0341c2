#include "base/pack.h"

#include <assert.h>
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
    assert(!p->out && p->at <= p->end);
    if (p->bad || n > (size_t)(p->end - p->at))
        p->bad = true;
    return !p->bad;
}

const char *pack_here(struct pack *p, size_t n)
{
    if (!has(p, n))
        return NULL;
    p->at += n;
    return p->at - n;
}

void pack_bytes(struct pack *p, void *v, size_t n)
{
    if (p->out) {
        str_put(p->out, v, n);
        return;
    }
    const char *from = pack_here(p, n);
    if (from)
        memcpy(v, from, n);
    else
        memset(v, 0, n);
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
    p->bad |= n < NO_TEXT;
    const char *from = n < 0 ? NULL : pack_here(p, (size_t)n);
    *text = from ? arena_strndup(p->arena, from, (size_t)n) : n == NO_TEXT ? NULL : "";
}

void pack_blob(struct pack *p, const char **bytes, size_t *n)
{
    *n = pack_count(p, *n, 1);
    if (p->out) {
        str_put(p->out, *bytes, *n);
        return;
    }
    *bytes = pack_here(p, *n);
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
