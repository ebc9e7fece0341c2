#include "llm/dialogue.h"

void llm_dialogue_init(struct llm_dialogue *d, struct arena *a)
{
    *d = (struct llm_dialogue){.arena = a, .max_tokens = 4096, .stream = true};
}

struct llm_message *llm_message_add(struct llm_dialogue *d, enum llm_role role)
{
    struct llm_message *m = vec_add(&d->messages, d->arena);
    *m = (struct llm_message){.role = role};
    return m;
}

struct llm_part *llm_part_add(struct llm_dialogue *d, enum llm_part_kind kind, const char *text)
{
    struct llm_message *m = &d->messages.v[d->messages.n - 1];
    struct llm_part *p = vec_add(&m->parts, d->arena);
    *p = (struct llm_part){.kind = kind, .text = text};
    return p;
}

void llm_say(struct llm_dialogue *d, enum llm_role role, const char *text)
{
    llm_message_add(d, role);
    llm_part_add(d, LLM_PART_TEXT, text);
}

static const char *const effort_words[] = {"low", "medium", "high", "xhigh", "max", NULL};

enum llm_effort llm_effort_of(const char *word)
{
    return (enum llm_effort)(str_word(word, effort_words) + 1);
}

const char *llm_effort_word(enum llm_effort effort)
{
    return effort == EFFORT_OWN ? NULL : effort_words[effort - 1];
}

const char *llm_openai_effort(enum llm_effort effort)
{
    return llm_effort_word(effort == EFFORT_MAX ? EFFORT_XHIGH : effort);
}
