#include "llm/explain.h"

#include <math.h>

#include "llm/hypothesis.h"
#include "llm/price.h"

static enum prompt_task task_of(const struct explain_of *of)
{
    return of->agent        ? TASK_HYPOTHESES
           : of->comparison ? TASK_COMPARE
           : of->question   ? TASK_QUESTION
                            : TASK_EXPLAIN;
}

static const char *data_of(struct llm *l, const struct explain_of *of)
{
    if (of->comparison) {
        redact_comparison(&l->redact, of->comparison);
        redact_seal(&l->redact);
        return prompt_comparison(l, of->comparison);
    }
    redact_run(&l->redact, of->run);
    redact_seal(&l->redact);
    return of->run->analysis ? prompt_analysis(l, of->run) : prompt_source(l, of->run);
}

void explain_begin(struct llm *l, const struct explain_of *of, struct llm_dialogue *d,
                   struct llm_agent *agent)
{
    enum prompt_task task = task_of(of);
    llm_begin(l, d);
    const char *data = data_of(l, of);
    d->system = prompt_system(l, task, of->agent, of->run, of->question, false);
    l->brief_system = prompt_system(l, task, of->agent, of->run, of->question, true);
    llm_say(d, LLM_USER, prompt_message(l, data, task, of->question));
    agent_init(agent, l, of->agent ? of->run : NULL, of->threads);
    agent->wants_array = task == TASK_HYPOTHESES;
    agent->wants_differences = task == TASK_COMPARE;
    agent_offer(agent, d);
}

void explain_failed(struct explanation *out, const char *provider, const char *model,
                    const char *why)
{
    *out =
        (struct explanation){.provider = provider, .model = model, .problem = why, .cost_usd = NAN};
}

static void take_usage(const struct llm *l, struct explanation *out)
{
    out->requests = l->requests;
    out->input_tokens = l->usage.input;
    out->output_tokens = l->usage.output;
    out->cache_read_tokens = l->usage.cache_read;
    out->cache_write_tokens = l->usage.cache_write;
    out->cost_usd = llm_cost(l, &l->usage);
}

enum { MORE_TOKENS = 16384 };

/* A thought that used up all tokens: once more, with room for an answer behind it. */
static bool used_up(const struct llm_dialogue *d, const struct llm_answer *a)
{
    return a->fault == LLM_FAULT_EMPTY && d->max_tokens < MORE_TOKENS &&
           str_has(a->fault_text, "tokens");
}

/* After it was read, since a name may hold what would end a string. */
static void put_names_back(const struct llm *l, struct explanation *out)
{
    for (size_t i = 0; i < out->hypotheses.n; i++) {
        struct hypothesis *h = &out->hypotheses.v[i];
        const char **texts[] = {&h->phase, &h->description, &h->evidence, &h->suggestion};
        for (size_t k = 0; k < ARRAY_LEN(texts); k++)
            *texts[k] = redact_restore(&l->redact, *texts[k], false);
    }
}

void explain_take(const struct llm *l, const struct llm_agent *agent, const struct llm_answer *a,
                  bool ok, struct explanation *out)
{
    explain_failed(out, l->target.provider->name, l->target.model, NULL);
    take_usage(l, out);
    out->tool_calls = agent->calls;
    out->text = a->text && *a->text && a->fault != LLM_FAULT_TOO_LARGE ? a->text : NULL;
    if (!ok)
        out->problem = a->fault_text;
    else if (a->stop == LLM_STOP_LENGTH)
        out->problem = "the answer was cut at the limit of tokens; raise '--llm-max-tokens'";
}

/* They stand at the end, as JSON; people are shown a table instead. */
static void take_differences(const struct llm *l, const struct llm_answer *a,
                             struct explanation *out)
{
    size_t n = differences_read(out, a->raw, l->arena);
    if (!out->differences.n)
        return;
    out->text = redact_restore(&l->redact, arena_strndup(l->arena, a->raw, n), false);
    for (size_t i = 0; i < out->differences.n; i++) {
        struct key_difference *k = &out->differences.v[i];
        const char **texts[] = {&k->metric, &k->phase, &k->profile_a, &k->profile_b, &k->note};
        for (size_t m = 0; m < ARRAY_LEN(texts); m++)
            *texts[m] = redact_restore(&l->redact, *texts[m], false);
    }
}

void explain_run(struct llm *l, struct llm_dialogue *d, struct llm_agent *agent,
                 struct explanation *out, llm_shower *show, void *ctx)
{
    struct llm_answer a;
    bool ok = agent_run(agent, d, &a, show, ctx);
    if (!ok && used_up(d, &a)) {
        d->max_tokens = MORE_TOKENS;
        if (l->brief_system)
            d->system = l->brief_system;
        ok = agent_run(agent, d, &a, show, ctx);
    }
    explain_take(l, agent, &a, ok, out);
    if (agent->wants_differences && ok)
        take_differences(l, &a, out);
    if (!agent->wants_array || !ok)
        return;
    if (hypotheses_read(out, a.raw, l->arena)) {
        out->text = NULL; /* nothing but the array was asked for */
        put_names_back(l, out);
    } else
        out->problem = "the answer holds no hypotheses";
}
