/* The command-line program `claude -p`: one text in, one JSON document out, no tools of ours. */
#include "llm/json_copy.h"
#include "llm/wire.h"

static void write_message(struct str *out, const struct llm_message *m)
{
    for (size_t i = 0; i < m->parts.n; i++)
        if (m->parts.v[i].kind == LLM_PART_TEXT) {
            str_puts(out, m->role == LLM_USER ? "\n\n[user]\n" : "\n\n[assistant]\n");
            str_puts(out, m->parts.v[i].text);
        }
}

static void body(struct str *out, const struct llm_dialogue *d)
{
    if (d->system)
        str_puts(out, d->system);
    for (size_t i = 0; i < d->messages.n; i++)
        write_message(out, &d->messages.v[i]);
    str_putc(out, '\n');
}

struct result {
    const char *text;
    bool is_error;
};

static void whole(struct llm_parser *p, const char *text, size_t n)
{
    struct result r = {0};
    if (p->failed)
        return;
    struct jread *j = jr_text(p->arena, text, n);
    bool object = jr_object(j);
    while (object && jr_key(j)) {
        if (jr_is(j, "result"))
            r.text = llm_keep(p, j);
        else if (jr_is(j, "is_error"))
            r.is_error = jr_bool(j, false);
        else if (jr_is(j, "total_cost_usd"))
            p->usage.cost = jr_num(j, 0);
        else if (jr_is(j, "usage"))
            llm_read_tokens(p, j);
        else
            jr_skip(j);
    }
    if (!jr_end(j, NULL) || !object)
        llm_give_fault(p, LLM_FAULT_SERVER, 0, "'claude' printed something that is no answer");
    else if (r.is_error)
        llm_give_fault(p, LLM_FAULT_SERVER, 0, "'claude' failed: %s", r.text ? r.text : "");
    else if (r.text)
        llm_give_text(p, r.text, strlen(r.text));
    p->ended = true;
}

static void event(struct llm_parser *p, const char *name, const char *data, size_t n)
{
    (void)name;
    whole(p, data, n);
}

const struct llm_wire wire_claude = {"claude -p", body, event, whole};
