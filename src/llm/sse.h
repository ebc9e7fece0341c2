/*
 * Server-sent events: bytes as they come, events as they end. Lines end in LF, CR or both, "data"
 * lines of an event are joined with LF, comments are passed over, as the standard has it.
 *
 *     struct sse s;
 *     sse_init(&s, arena, take, ctx);
 *     ok = sse_feed(&s, piece, n) && ...;   false: an event is larger than SSE_MAX
 *     sse_end(&s);                          the last event, when no empty line followed it
 */
#ifndef GS_LLM_SSE_H
#define GS_LLM_SSE_H

#include "base/str.h"

enum { SSE_MAX = 4 * 1024 * 1024 };

typedef void sse_taker(void *ctx, const char *name, const char *data, size_t n);

struct sse {
    struct str line, data;
    char name[64];
    bool has_data, after_cr, started;
    sse_taker *take;
    void *ctx;
};

void sse_init(struct sse *s, struct arena *a, sse_taker *take, void *ctx);
bool sse_feed(struct sse *s, const char *piece, size_t n);
void sse_end(struct sse *s);

#endif
