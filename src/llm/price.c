#include "llm/price.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/sat.h"

struct price {
    const char *model;
    double in, out; /* dollars per million tokens */
};

static const struct price prices[] = {
#define PRICE(model, in, out) {model, in, out},
#include "llm/prices.def"
#undef PRICE
};

static bool read_price(const char *text, struct price *p)
{
    char *end;
    p->in = strtod(text, &end);
    if (end == text || (*end != '/' && *end != ':'))
        return false;
    const char *second = end + 1;
    p->out = strtod(second, &end);
    return end != second && !*end && p->in >= 0 && p->out >= 0 && isfinite(p->in + p->out);
}

bool llm_price_check(const char *text, struct gs_error *err)
{
    struct price p;
    return !text || read_price(text, &p) ||
           fail(err, GS_E_USAGE,
                "option '--llm-price' wants dollars per million tokens, IN/OUT, not '%s'", text);
}

static struct price price_of(const struct llm *l)
{
    struct price best = {"", NAN, NAN};
    if (l->o->price && read_price(l->o->price, &best))
        return best;
    if (l->target.provider->free)
        return (struct price){"", 0, 0};
    for (size_t i = 0; i < ARRAY_LEN(prices); i++)
        if (str_starts(l->target.model, prices[i].model) &&
            strlen(prices[i].model) > strlen(best.model))
            best = prices[i];
    return best;
}

/* Prose takes four letters a token, JSON fewer. */
struct estimate llm_estimate(struct llm *l, const struct llm_dialogue *d, int64_t turns)
{
    size_t n;
    struct arena *scratch = arena_scratch();
    const char *body = llm_body(l, d, &n, scratch);
    size_t system = d->system ? strlen(d->system) : 0, rest = n > system ? n - system : 0;
    bool openai = l->target.provider->wire == &wire_chat ||
                  l->target.provider->wire == &wire_responses ||
                  l->target.provider->wire == &wire_gemini;
    (void)body;
    arena_release(scratch);
    enum { TURN_TOKENS = 1500 };
    int64_t first = (int64_t)(system / 4 + rest * 2 / (openai ? 7 : 5));
    int64_t exact = l->o->exact_count ? llm_count(l, d) : -1;
    first = exact >= 0 ? exact : first;
    struct estimate e = {.input = first,
                         .output = d->max_tokens + d->thinking,
                         .turns = turns,
                         .counted = exact >= 0};
    struct llm_usage once = {.input = first, .output = e.output, .cost = NAN}, all = once;
    e.cost = llm_cost(l, &once);
    int64_t more = turns - 1,
            added = TURN_TOKENS * more * turns / 2; /* each sends what was before */
    all.input = turns * first + added;
    all.output = turns > 1 ? 600 * turns + 800 : e.output;
    e.most_input = all.input;
    e.most_output = all.output;
    if (l->target.provider->wire == &wire_anthropic && more) { /* which marks what to keep */
        all.cache_write = first + TURN_TOKENS * more;
        all.cache_read = more * first + TURN_TOKENS * more * (more - 1) / 2;
        all.input = 0;
    }
    e.most_cost = llm_cost(l, &all);
    return e;
}

double llm_cost(const struct llm *l, const struct llm_usage *u)
{
    struct price p = price_of(l);
    if (!isnan(u->cost))
        return u->cost;
    /* Writing to a cache costs a quarter more, reading a tenth. */
    double in = (double)u->input + 1.25 * (double)u->cache_write + 0.1 * (double)u->cache_read;
    return (in * p.in + (double)u->output * p.out) / 1e6;
}

static const char *dollars(struct arena *a, double cost)
{
    return isnan(cost)    ? "cost not known"
           : cost == 0    ? "no cost"
           : cost < 0.005 ? "under 1 cent"
                          : arena_printf(a, "$%.2f", cost);
}

const char *llm_estimate_text(const struct llm *l, const struct estimate *e)
{
    char in[HUMAN_MAX], out[HUMAN_MAX];
    struct arena *a = l->arena;
    const char *once = arena_printf(a, "%s%s tokens in, up to %s out, %s",
                                    e->counted ? "" : "about ", human_count(in, (uint64_t)e->input),
                                    human_count(out, (uint64_t)e->output), dollars(a, e->cost));
    if (e->turns < 2)
        return once;
    return arena_printf(a, "%s; at most %lld turns with %s in, %s out, %s", once,
                        (long long)e->turns, human_count(in, (uint64_t)e->most_input),
                        human_count(out, (uint64_t)e->most_output), dollars(a, e->most_cost));
}

const char *llm_usage_text(const struct llm *l)
{
    char in[HUMAN_MAX], out[HUMAN_MAX], read[HUMAN_MAX];
    const struct llm_usage *u = &l->usage;
    int64_t all = add_ns(add_ns(u->input, u->cache_read), u->cache_write);
    const char *cached = u->cache_read ? arena_printf(l->arena, " (%s from the cache)",
                                                      human_count(read, (uint64_t)u->cache_read))
                                       : "";
    return arena_printf(l->arena, "%zu request%s, %s tokens in%s, %s out; %s", l->requests,
                        human_s(l->requests), human_count(in, (uint64_t)all), cached,
                        human_count(out, (uint64_t)u->output), dollars(l->arena, llm_cost(l, u)));
}
