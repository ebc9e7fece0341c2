#include "base/regex.h"

#include <assert.h>
#include <string.h>

#include "base/array.h"
#include "base/regex_in.h"
#include "base/vec.h"

#define NO_STEP UINT16_MAX

struct step {
    enum kind kind;
    const struct byte_set *set;
    uint16_t to, or_to; /* STEP_SPLIT, STEP_JUMP */
};

struct regex {
    struct {
        struct step *v;
        size_t n, cap;
    } steps;
    struct byte_set first; /* what a match begins with ... */
    bool may_skip;         /* ... which is one byte at least */
};

/* ---- tree to steps ---- */

static uint16_t here(const struct regex *r)
{
    return (uint16_t)r->steps.n;
}

static uint16_t emit(struct regex *r, struct arena *a, struct step step)
{
    vec_push(&r->steps, a, step);
    return (uint16_t)(here(r) - 1);
}

/* Where else it goes on is set later. */
static uint16_t write_split(struct regex *r, struct arena *a)
{
    return emit(r, a, (struct step){.kind = STEP_SPLIT, .to = (uint16_t)(here(r) + 1)});
}

static void write_steps(struct regex *r, struct arena *a, const struct node *n);

static void write_choice(struct regex *r, struct arena *a, const struct node *n)
{
    uint16_t jumps = NO_STEP; /* to the end: each leads to the one before, until that is known */
    for (const struct node *child = n->first; child; child = child->next) {
        if (!child->next) {
            write_steps(r, a, child);
            break;
        }
        uint16_t split = write_split(r, a);
        write_steps(r, a, child);
        jumps = emit(r, a, (struct step){.kind = STEP_JUMP, .to = jumps});
        r->steps.v[split].or_to = here(r);
    }
    for (uint16_t i = jumps, before; i != NO_STEP; i = before) {
        before = r->steps.v[i].to;
        r->steps.v[i].to = here(r);
    }
}

static void write_repeat(struct regex *r, struct arena *a, const struct node *n)
{
    for (int i = 0; i < n->least; i++)
        write_steps(r, a, n->first);
    if (n->most == NO_END) {
        uint16_t split = write_split(r, a);
        write_steps(r, a, n->first);
        emit(r, a, (struct step){.kind = STEP_JUMP, .to = split});
        r->steps.v[split].or_to = here(r);
        return;
    }
    for (int i = n->least; i < n->most; i++) { /* each of them, or the next: all the same */
        uint16_t split = write_split(r, a);
        write_steps(r, a, n->first);
        r->steps.v[split].or_to = here(r);
    }
}

static void write_steps(struct regex *r, struct arena *a, const struct node *n)
{
    switch (n->kind) {
    case SEQUENCE:
        for (const struct node *child = n->first; child; child = child->next)
            write_steps(r, a, child);
        break;
    case CHOICE:
        write_choice(r, a, n);
        break;
    case REPEAT:
        write_repeat(r, a, n);
        break;
    default:
        emit(r, a, (struct step){.kind = n->kind, .set = n->set});
    }
}

/* ---- looking ---- */

/* A place in a text, with the bytes beside it; -1: there are none. */
struct place {
    int before, after;
};

static struct place place_at(const char *text, const char *p)
{
    return (struct place){p > text ? (unsigned char)p[-1] : -1, *p ? (unsigned char)*p : -1};
}

struct run {
    const struct regex *r;
    uint32_t generation, *seen; /* by step: the last place where it was come to */
    uint16_t *open;             /* steps that are to be looked at; room for twice as many */
};

static bool holds(enum kind kind, struct place at)
{
    bool before = at.before >= 0 && is_word(at.before), after = at.after >= 0 && is_word(at.after);
    switch (kind) {
    case STEP_TEXT_START:
        return at.before < 0;
    case STEP_TEXT_END:
        return at.after < 0;
    case STEP_EDGE:
        return before != after;
    case STEP_NO_EDGE:
        return before == after;
    case STEP_WORD_START:
        return !before && after;
    default:
        return before && !after;
    }
}

/* Adds the steps that wait for a byte, from this one on; true: the end is among them. */
static bool go_on(struct run *x, uint16_t from, struct place at, uint16_t *list, size_t *n)
{
    size_t open = 0;
    x->open[open++] = from;
    while (open) {
        uint16_t i = x->open[--open];
        const struct step *s = &x->r->steps.v[i];
        if (x->seen[i] == x->generation)
            continue;
        x->seen[i] = x->generation;
        switch (s->kind) {
        case STEP_FOUND:
            return true;
        case STEP_BYTES:
            list[(*n)++] = i;
            break;
        case STEP_SPLIT:
            x->open[open++] = s->or_to;
            x->open[open++] = s->to;
            break;
        case STEP_JUMP:
            x->open[open++] = s->to;
            break;
        default:
            if (holds(s->kind, at))
                x->open[open++] = (uint16_t)(i + 1);
        }
    }
    return false;
}

bool regex_found(const struct regex *r, const char *text)
{
    uint32_t seen[REGEX_MOST + 1];
    uint16_t open[2 * REGEX_MOST + 2], lists[2][REGEX_MOST + 1], *now = lists[0], *then = lists[1];
    struct run x = {.r = r, .seen = seen, .open = open};
    size_t n_now = 0;
    memset(seen, 0, r->steps.n * sizeof(*seen));
    for (const char *p = text;; p++) {
        size_t n_then = 0;
        if (!n_now) { /* nothing is seen here yet */
            while (r->may_skip && *p && !has(&r->first, (unsigned char)*p))
                p++;
            x.generation++;
        }
        /* `now` has what the byte before led to; and here another match may begin. */
        if (go_on(&x, 0, place_at(text, p), now, &n_now))
            return true;
        if (!*p)
            return false;
        x.generation++;
        for (size_t i = 0; i < n_now; i++)
            if (has(r->steps.v[now[i]].set, (unsigned char)*p) &&
                go_on(&x, (uint16_t)(now[i] + 1), place_at(text, p + 1), then, &n_then))
                return true;
        uint16_t *other = now;
        now = then;
        then = other;
        n_now = n_then;
    }
}

/* ---- all of it ---- */

/* The bytes a match can begin with; may_skip stays false where it may have none. */
static void find_first(struct regex *r)
{
    uint8_t seen[REGEX_MOST + 1] = {0};
    uint16_t open[2 * REGEX_MOST + 2];
    size_t n = 0;
    open[n++] = 0;
    while (n) {
        uint16_t i = open[--n];
        const struct step *s = &r->steps.v[i];
        if (seen[i]++)
            continue;
        if (s->kind == STEP_FOUND)
            return;
        if (s->kind == STEP_BYTES) {
            for (size_t k = 0; k < ARRAY_LEN(r->first.has); k++)
                r->first.has[k] |= s->set->has[k];
            continue;
        }
        if (s->kind == STEP_SPLIT)
            open[n++] = s->or_to;
        open[n++] = s->kind == STEP_SPLIT || s->kind == STEP_JUMP ? s->to : (uint16_t)(i + 1);
    }
    r->may_skip = true;
}

struct regex *regex_new(const char *text, struct arena *arena, const char **why)
{
    struct arena *temporary = arena_scratch();
    const struct node *n = regex_parse(text, arena, temporary, why);
    struct regex *r = NULL;
    if (n) {
        r = arena_new(arena, struct regex);
        write_steps(r, arena, n);
        emit(r, arena, (struct step){.kind = STEP_FOUND});
        assert(r->steps.n <= n->steps + 1);
        find_first(r);
    }
    arena_release(temporary);
    return r;
}
