#include "llm/scrub.h"

#include <string.h>

void scrub_init(struct scrub *s, const char *const *secrets, size_t n, struct arena *a,
                llm_taker *take, void *ctx)
{
    *s = (struct scrub){.secrets = secrets, .n = n, .arena = a, .take = take, .ctx = ctx};
    str_init(&s->held, a);
}

enum { FAULT_MAX = 500 };

static size_t secret_at(const struct scrub *s, const char *p, size_t n)
{
    size_t most = 0;
    for (size_t i = 0; i < s->n; i++) {
        size_t len = strlen(s->secrets[i]);
        if (len >= 4 && len <= n && len > most && !memcmp(p, s->secrets[i], len))
            most = len;
    }
    return most;
}

/* Every secret in a text becomes "***". */
static const char *scrub_text(const struct scrub *s, const char *text)
{
    struct str out;
    if (!text)
        return NULL;
    str_init(&out, s->arena);
    for (size_t n = strlen(text); n;) {
        size_t k = secret_at(s, text, n);
        if (k)
            str_puts(&out, "***");
        else
            str_putc(&out, *text);
        text += k ? k : 1;
        n -= k ? k : 1;
    }
    return out.buf;
}

/* How much of the end could become a secret with what follows. */
static size_t possible(const struct scrub *s, const struct str *t)
{
    size_t most = 0;
    for (size_t i = 0; i < s->n; i++) {
        size_t len = strlen(s->secrets[i]);
        size_t k = len - (len > 0) < t->len ? len - (len > 0) : t->len;
        while (k > most && memcmp(t->buf + t->len - k, s->secrets[i], k))
            k--;
        most = k > most ? k : most;
    }
    return most;
}

static void give(struct scrub *s, bool all)
{
    const char *clean = scrub_text(s, s->held.buf);
    str_clear(&s->held);
    str_puts(&s->held, clean);
    size_t keep = all ? 0 : possible(s, &s->held), n = s->held.len - keep;
    if (!n)
        return;
    const char *text = arena_strndup(s->arena, s->held.buf, n);
    const char *rest = arena_strndup(s->arena, s->held.buf + n, keep);
    str_clear(&s->held);
    str_puts(&s->held, rest);
    s->take(s->ctx, &(struct llm_event){.kind = LLM_EVENT_TEXT, .text = text, .len = n});
}

void scrub_take(void *scrub, const struct llm_event *e)
{
    struct scrub *s = scrub;
    if (e->kind == LLM_EVENT_TEXT) {
        if (!s->n) {
            s->take(s->ctx, e);
            return;
        }
        str_put(&s->held, e->text, e->len);
        give(s, false);
        return;
    }
    if (e->kind != LLM_EVENT_NOTE)
        give(s, true);
    struct llm_event clean = *e;
    if (e->text)
        clean.text = scrub_text(s, arena_strndup(s->arena, e->text, e->len));
    clean.len = clean.text ? strlen(clean.text) : 0;
    if (e->kind == LLM_EVENT_FAULT && clean.len > FAULT_MAX) {
        clean.text = arena_printf(s->arena, "%.*s ...", FAULT_MAX, clean.text);
        clean.len = strlen(clean.text);
    }
    clean.id = scrub_text(s, e->id);
    clean.name = scrub_text(s, e->name);
    clean.extra = scrub_text(s, e->extra);
    s->take(s->ctx, &clean);
}
