/* Counting tokens: the same dialogue, answered with a number, which is given as text. */
#include "llm/wire.h"

static void body(struct str *out, const struct llm_dialogue *d)
{
    (void)d; /* made of the body of another wire, see llm_count() */
    str_puts(out, "{}");
}

static void key(struct llm_parser *p, struct jread *j)
{
    if (!jr_is(j, "input_tokens")) {
        jr_skip(j);
        return;
    }
    int64_t n = jr_int(j, -1);
    const char *text = arena_printf(p->arena, "%lld", (long long)n);
    if (n >= 0)
        llm_give_text(p, text, strlen(text));
    p->ended = true;
}

static void whole(struct llm_parser *p, const char *text, size_t n)
{
    llm_read_object(p, text, n, key);
}

const struct llm_wire wire_count = {"count of tokens", body, NULL, whole};
