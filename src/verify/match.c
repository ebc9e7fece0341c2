/*
 * By words: which facts a figure may be about, how well the words around it fit each, and what
 * follows from their values.
 *
 * Rare words weigh more than common ones, near ones more than far ones. A value that fits is
 * confirmed by few words where it has many digits, by more where it has few. Where the words name
 * one fact well and its value does not fit, it is contradicted.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "verify/around.h"

enum { FITS_MAX = 4000, POSTINGS_MAX = 2000, NEAR_MAX = 24 };

/* What words must reach to say which fact is meant. */
#define NAMED 0.48
/* What a value that fits must reach of the score of the fact that is named best. */
#define OF_ANOTHER 0.85
#define OF_THE_SAME 0.55
/* And what they must reach to be one of several. */
#define LEAST 0.2

/* Of identifiers that are keys of ours: people say what they mean instead. */
#define KEY_WEIGHT 0.2

/* ---- how well words fit ---- */

/* How much of these words was said. `keys`: identifiers among them are keys of ours. */
static const struct covered *covered(const struct context *x, uint32_t list, size_t n, bool keys)
{
    static const struct covered nothing;
    const struct facts *f = x->c->facts;
    struct covered *out = &x->c->covered[(size_t)list * 2 + keys];
    if (!n)
        return &nothing;
    if (out->turn == x->c->turn)
        return out;
    double all = 0, said = 0;
    *out = (struct covered){.turn = x->c->turn};
    x->c->work += n + 3; /* it lies anywhere, and so do its words */
    for (size_t i = 0; i < n; i++) {
        uint32_t word = f->pool.v[list + i];
        double w = f->rarity[word], weight = x->c->weights[word];
        if (keys && weight == 0 && f->words.names.v[word])
            w *= KEY_WEIGHT;
        all += w;
        said += w * weight;
        if (f->words.names.v[word])
            out->name = fmax(out->name, weight);
    }
    out->share = all > 0 ? said / all : 0;
    return out;
}

static double add_told(const struct context *x, uint32_t list, size_t n, double told)
{
    const struct facts *f = x->c->facts;
    for (size_t i = 0; i < n; i++) {
        double weight = x->c->weights[f->pool.v[list + i]];
        told += f->rarity[f->pool.v[list + i]] * weight * weight;
    }
    return told;
}

/* 0 where it cannot be more than `least`. */
static double score(const struct context *x, const struct known *one, double least)
{
    const struct covered *label = covered(x, one->words, one->n_words, true);
    const struct covered *table = covered(x, one->table, one->n_table, true);
    double about = 0.85 * label->share + 0.15 * table->share, all;
    /* Where a thing is named, what is said is said of it. */
    if (!one->n_subject)
        all = (x->names_one && !one->weak ? 0.6 : 1) * about;
    else {
        if (0.5 * about + 0.5 <= least)
            return 0;
        const struct covered *subject = covered(x, one->subject, one->n_subject, false);
        /* The name of a function without its arguments names it well enough. */
        double named = fmax(subject->share, 0.95 * subject->name);
        /* Names of templates are alike; the whole of one says which. */
        if (x->whole && one->whole)
            named = x->whole == one->whole ? 1 : 0.3 * named;
        all = (named < 0.25 ? 0.4 : 1) * (0.5 * about + 0.5 * named);
    }
    /* Who it is about alone does not say what. */
    if (label->share < 0.05 && x->titled)
        all *= 0.7;
    if (all <= least)
        return 0;
    double told = add_told(x, one->words, one->n_words, 0);
    told = add_told(x, one->subject, one->n_subject, told);
    x->c->work += 2;
    /* "time" and "share" are said of everything: common words alone name nothing. */
    return all * (1 - exp(-told / 2.5));
}

static double enough(const struct figure *f)
{
    static const double by_digits[] = {0.5, 0.42, 0.33, 0.22, 0.16};
    int d = f->digits < 0 ? 0 : f->digits > 4 ? 4 : f->digits;
    return by_digits[d] + (f->dim == DIM_NUMBER ? 0.06 : 0);
}

struct found {
    const struct known *fact;
    double score;
};

static struct found best_that_fits(const struct context *x, enum dimension dim, double factor)
{
    const struct facts *f = x->c->facts;
    struct figure like = *x->figure;
    struct found best = {0};
    like.value *= factor;
    like.tolerance *= factor;
    double room = like.tolerance * 1.02 + fabs(like.value) * 1e-11 +
                  (like.about ? fabs(like.value) * 0.06 : 0);
    size_t at = facts_from(f, dim, like.value - room);
    for (size_t tries = 0; at < f->v.n && tries < FITS_MAX; at++, tries++) {
        const struct known *one = &f->v.v[f->by_value[at]];
        if (one->dim != dim || one->value > like.value + room)
            break;
        double s = figure_fits(&like, one->value) ? score(x, one, best.score) : 0;
        x->c->work++;
        if (s > best.score)
            best = (struct found){one, s};
    }
    return best;
}

/* Into a list that has the best first; those that came first go before equal ones. */
static size_t keep_best(struct found *list, size_t n, size_t most, struct found one)
{
    if (n == most && list[n - 1].score >= one.score)
        return n;
    size_t k = n < most ? n++ : n - 1;
    for (; k && list[k - 1].score < one.score; k--)
        list[k] = list[k - 1];
    list[k] = one;
    return n;
}

/* The facts that the words name best, whatever their value: for each of the rarest words, those
 * that have it. */
static size_t named_best(const struct context *x, const bool *dims, struct found *out, size_t most)
{
    const struct facts *f = x->c->facts;
    size_t n = 0, looked = 0;
    bool used[SAID_MAX] = {0};
    uint32_t search = ++x->c->search;
    for (int round = 0; round < 8 && looked < POSTINGS_MAX * 4; round++) {
        size_t pick = SIZE_MAX;
        double most_rare = 0;
        for (size_t i = 0; i < x->n; i++) {
            double w = used[i] ? 0 : f->rarity[x->words[i].word] * x->words[i].weight;
            if (w > most_rare)
                most_rare = w, pick = i;
        }
        if (pick == SIZE_MAX)
            break;
        used[pick] = true;
        uint32_t from = f->starts[x->words[pick].word], to = f->starts[x->words[pick].word + 1];
        for (uint32_t p = from; p < to && p - from < POSTINGS_MAX; p++, looked++) {
            const struct known *one = &f->v.v[f->postings[p]];
            uint32_t *seen = &x->c->seen[f->postings[p]];
            if (*seen == search)
                continue;
            *seen = search;
            double least = n == most ? out[n - 1].score : LEAST;
            double s = dims[one->dim] && !one->weak ? score(x, one, least) : 0;
            if (s < LEAST)
                continue;
            n = keep_best(out, n, most, (struct found){one, s});
        }
    }
    x->c->work += looked + x->n * 8;
    return n;
}

static void confirm(struct checking *c, size_t i, const struct known *one)
{
    c->out[i].verdict = FIGURE_CONFIRMED;
    c->out[i].about = fact_about(one, c->arena);
    c->out[i].right = dimension_text(one->dim, one->value, c->arena);
}

/* A share or a ratio of two things that are named. */
static bool derived(struct context *x, size_t i)
{
    struct checking *c = x->c;
    const struct figure *f = x->figure;
    struct found near[NEAR_MAX] = {0};
    bool dims[DIM_NAME + 1] = {
        [DIM_TIME] = true, [DIM_BYTES] = true, [DIM_RATE] = true, [DIM_NUMBER] = true};
    if ((f->dim != DIM_PCT && f->dim != DIM_RATIO) || f->digits < (f->dim == DIM_PCT ? 3 : 2))
        return false;
    size_t n = named_best(x, dims, near, NEAR_MAX);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            const struct known *p = near[a].fact, *q = near[b].fact;
            if (a == b || p->dim != q->dim || q->value == 0 ||
                fmin(near[a].score, near[b].score) < 0.5)
                continue;
            if (!figure_fits(f, (f->dim == DIM_PCT ? 100 : 1) * p->value / q->value))
                continue;
            c->out[i].verdict = FIGURE_CONFIRMED;
            c->out[i].about = arena_printf(c->arena, "%s divided by %s", fact_about(p, c->arena),
                                           fact_about(q, c->arena));
            c->out[i].right = dimension_text(
                f->dim, (f->dim == DIM_PCT ? 100 : 1) * p->value / q->value, c->arena);
            return true;
        }
    return false;
}

/* Whether two facts are about things of different names. */
static bool of_another(const struct facts *f, const struct known *a, const struct known *b)
{
    bool identifier = false;
    if (!a->n_subject || !b->n_subject || (a->whom && b->whom && str_eq(a->whom, b->whom)))
        return false;
    for (size_t k = 0; k < b->n_subject; k++)
        identifier |= f->words.names.v[f->pool.v[b->subject + k]];
    if (!identifier)
        return false;
    for (size_t i = 0; i < a->n_subject; i++)
        for (size_t k = 0; k < b->n_subject; k++) {
            uint32_t word = f->pool.v[a->subject + i];
            if (word == f->pool.v[b->subject + k] && f->words.names.v[word])
                return false;
        }
    return true;
}

static void judge(struct context *x, size_t i)
{
    struct checking *c = x->c;
    struct checked_figure *o = &c->out[i];
    const struct figure *f = x->figure;
    bool dims[DIM_NAME + 1] = {[DIM_TIME] = f->dim == DIM_TIME, [DIM_BYTES] = f->dim == DIM_BYTES};
    struct found best[NEAR_MAX] = {0}, fits = best_that_fits(x, f->dim, 1);
    dims[f->dim] = true;
    if (f->dim == DIM_PCT) { /* 0.43 of a JSON document may be what 43 % is */
        struct found part = best_that_fits(x, DIM_NUMBER, 0.01);
        if (part.score > fits.score && f->digits > 2)
            fits = part;
    } else if (f->dim == DIM_RATIO) {
        struct found plain = best_that_fits(x, DIM_NUMBER, 1);
        if (plain.score > fits.score)
            fits = plain;
        dims[DIM_NUMBER] = false;
    } else if (f->dim == DIM_NUMBER && x->titled &&
               (f->digits > 3 || f->value == 0)) { /* profilers mean ns */
        struct found time = best_that_fits(x, DIM_TIME, 1);
        if (time.score > fits.score)
            fits = time;
    } else if (f->dim == DIM_OTHER || f->dim == DIM_FLOPS || f->dim == DIM_HZ) {
        struct found plain = best_that_fits(x, DIM_NUMBER, 1 / f->scale);
        if (plain.score > fits.score)
            fits = plain;
    }
    if (fits.fact && fits.score >= fmax(enough(f), OF_ANOTHER)) { /* whatever else is named */
        confirm(c, i, fits.fact);
        return;
    }
    size_t n = named_best(x, dims, best, NEAR_MAX);
    bool named = n && best[0].score >= NAMED;
    /* One that fits by chance and is hardly meant does not outweigh what the words name. */
    bool chance =
        named && fits.fact && !figure_fits(f, best[0].fact->value) &&
        fits.score < (of_another(c->facts, fits.fact, best[0].fact) ? OF_ANOTHER : OF_THE_SAME) *
                         best[0].score;
    if (fits.fact && fits.score >= enough(f) && !chance)
        confirm(c, i, fits.fact);
    else if (named && best[0].fact->dim == f->dim && figure_fits(f, best[0].fact->value))
        confirm(c, i, best[0].fact); /* few digits, many words */
    else if (derived(x, i))
        return;
    else if (named) {
        o->verdict = FIGURE_CONTRADICTED;
        o->about = fact_about(best[0].fact, c->arena);
        o->right = dimension_text(best[0].fact->dim, best[0].fact->value, c->arena);
    } else
        o->verdict = FIGURE_NOT_FOUND;
}

void check_by_words(struct checking *c, size_t passage, size_t i)
{
    if (!c->context)
        c->context = arena_new(c->arena, struct context);
    struct context *x = c->context;
    *x = (struct context){.c = c, .figure = &c->figures.v[i]};
    c->done[i] = true;
    c->turn++;
    c->work += 50;
    if (!around_figure(x, passage, i))
        return;
    c->counts[i] = true;
    for (size_t k = 0; k < x->n; k++)
        c->weights[x->words[k].word] = x->words[k].weight;
    judge(x, i);
    for (size_t k = 0; k < x->n; k++)
        c->weights[x->words[k].word] = 0;
}
