#include "llm/record.h"

#include <string.h>

#include "base/fs.h"
#include "base/log.h"
#include "base/sha256.h"
#include "llm/event_json.h"
#include "llm/journal.h"
#include "llm/json_copy.h"

enum { REPLAY_MAX = 64 * 1024 * 1024 };

static const char *digest(const char *p, size_t n, struct arena *a)
{
    uint8_t sum[SHA256_BYTES];
    char *out = arena_alloc(a, SHA256_HEX);
    sha256(sum, p, n);
    sha256_hex(out, sum);
    return out;
}

void recorder_begin(struct recorder *r, const struct llm *l, const char *body, size_t n,
                    struct arena *a)
{
    str_init(&r->line, a);
    jw_init(&r->w, &r->line, 0);
    jw_open(&r->w, NULL, '{');
    jw_uint(&r->w, "exchange", l->requests);
    jw_str(&r->w, "provider", l->target.provider->name);
    jw_str(&r->w, "model", l->target.model);
    jw_str(&r->w, "sha256", digest(body, n, a));
    jw_strn(&r->w, "request", body, n);
    jw_open(&r->w, "events", '[');
}

void recorder_take(void *recorder, const struct llm_event *e)
{
    struct recorder *r = recorder;
    event_write(&r->w, e);
    r->take(r->ctx, e);
}

void recorder_end(struct recorder *r, struct journal *to)
{
    jw_close(&r->w);
    jw_close(&r->w);
    str_putc(&r->line, '\n');
    journal_put(to, &r->line);
}

/* ---- playing ---- */

struct replay_file {
    struct arena *arena;
    const char *path, *at;
    size_t left;
    size_t played;
};

struct replay_file *replay_open(const char *path, struct arena *a, struct gs_error *err)
{
    const struct mapping *m = fs_read_in(a, path, REPLAY_MAX, err);
    if (!m)
        return NULL;
    struct replay_file *f = arena_new(a, struct replay_file);
    *f = (struct replay_file){a, path, (const char *)m->data, m->size, 0};
    return f;
}

static void give_fault(llm_taker *take, void *ctx, const char *text)
{
    take(ctx, &(struct llm_event){.kind = LLM_EVENT_FAULT,
                                  .fault = LLM_FAULT_NETWORK,
                                  .text = text,
                                  .len = strlen(text)});
}

/* The next line that is not empty. */
static const char *next_line(struct replay_file *f, size_t *n)
{
    while (f->left) {
        const char *line = f->at, *end = memchr(line, '\n', f->left);
        *n = end ? (size_t)(end - line) : f->left;
        f->at += *n + (end != NULL);
        f->left -= *n + (end != NULL);
        if (*n)
            return line;
    }
    return NULL;
}

static bool play_events(struct jread *j, struct replay_file *f, llm_taker *take, void *ctx)
{
    bool last = false;
    if (!jr_array(j))
        return false;
    while (jr_item(j)) {
        struct llm_event e;
        if (!event_read(j, &e, f->arena) || last)
            continue;
        last = e.kind == LLM_EVENT_STOP || e.kind == LLM_EVENT_FAULT;
        take(ctx, &e);
    }
    return last;
}

void replay_next(struct replay_file *f, const char *body, size_t n, llm_taker *take, void *ctx)
{
    size_t len;
    const char *line = next_line(f, &len), *sum = NULL;
    bool last = false;
    if (!line) {
        give_fault(take, ctx,
                   arena_printf(f->arena, "the recording '%s' has no exchange %zu", f->path,
                                f->played + 1));
        return;
    }
    f->played++;
    struct jread *j = jr_text(f->arena, line, len);
    if (jr_object(j))
        while (jr_key(j)) {
            if (jr_is(j, "sha256") && jr_type(j) == J_STRING) {
                sum = jr_strdup(j, f->arena);
            } else if (jr_is(j, "events"))
                last |= play_events(j, f, take, ctx);
            else
                jr_skip(j);
        }
    if (sum && !str_eq(sum, digest(body, n, f->arena)))
        log_note("request %zu is not the one that was recorded", f->played);
    if (!last)
        give_fault(take, ctx,
                   arena_printf(f->arena, "line %zu of the recording '%s' holds no whole answer",
                                f->played, f->path));
}
