/*
 * What a request takes, before it is made: tokens by the length of the text, dollars by the price
 * list (prices.def), or by --llm-price IN/OUT where that is newer.
 */
#ifndef GS_LLM_PRICE_H
#define GS_LLM_PRICE_H

#include "llm/session.h"

struct estimate {
    int64_t input, output; /* tokens of one request; output is the most there can be */
    double cost;           /* NaN: no price is known */
    bool counted;          /* by the provider */
    int64_t turns;         /* as often as that, at most: */
    int64_t most_input, most_output;
    double most_cost;
};

/* `turns`: how often the dialogue goes back and forth, at most. */
struct estimate llm_estimate(struct llm *l, const struct llm_dialogue *d, int64_t turns);

/* Dollars for what was used; NaN: no price is known. */
double llm_cost(const struct llm *l, const struct llm_usage *u);

/* "about 5,200 tokens in, up to 4,096 out, $0.08"; "used 5,120 tokens in (3,000 cached), ...". */
const char *llm_estimate_text(const struct llm *l, const struct estimate *e);
const char *llm_usage_text(const struct llm *l);

/* Whether --llm-price can be read. */
bool llm_price_check(const char *text, struct gs_error *err);

#endif
