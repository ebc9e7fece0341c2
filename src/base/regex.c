#include "base/regex.h"

#include <assert.h>
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "base/vec.h"

/* Made in two passes: text to tree, so that its steps are counted before any is written, and tree to
 * steps. */

enum { NO_END = -1, REPEAT_MOST = 30000, CHAIN_MOST = 10 };
#define NO_STEP UINT16_MAX

enum kind {
    STEP_BYTES, /* one of a set */
    STEP_TEXT_START,
    STEP_TEXT_END,
    STEP_EDGE, /* of a word */
    STEP_NO_EDGE,
    STEP_WORD_START,
    STEP_WORD_END,
    SEQUENCE,   /* nodes only: of its children */
    CHOICE,     /* one of its children */
    REPEAT,     /* of its child */
    STEP_SPLIT, /* steps only: goes on at both */
    STEP_JUMP,
    STEP_FOUND,
};

struct byte_set {
    uint64_t has[4];
};

struct node {
    enum kind kind;
    struct byte_set *set;             /* STEP_BYTES */
    int least, most;                  /* REPEAT; most NO_END: as often as one likes */
    struct node *first, *last, *next; /* children; the one beside this */
    size_t steps;                     /* it becomes so many */
};

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

/* ---- sets of bytes ---- */

static bool has(const struct byte_set *s, unsigned char c)
{
    return s->has[c >> 6] >> (c & 63) & 1;
}

static void add(struct byte_set *s, unsigned char c)
{
    s->has[c >> 6] |= UINT64_C(1) << (c & 63);
}

static void invert(struct byte_set *s)
{
    for (size_t i = 0; i < ARRAY_LEN(s->has); i++)
        s->has[i] = ~s->has[i];
}

/* Of ASCII, whatever the locale of who calls the library. */
static int is_word(int c)
{
    return c < 128 && (isalnum(c) || c == '_');
}

static const struct {
    const char *name;
    int (*is)(int);
} classes[] = {
    {"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl},
    {"digit", isdigit}, {"graph", isgraph}, {"lower", islower}, {"print", isprint},
    {"punct", ispunct}, {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit},
};

static void add_class(struct byte_set *s, int (*is)(int))
{
    for (int c = 0; c < 128; c++)
        if (is(c))
            add(s, (unsigned char)c);
}

/* ---- text to tree ---- */

struct parser {
    const char *p;
    struct arena *arena, *kept; /* sets outlive the nodes */
    const char *why;            /* NULL: nothing is wrong so far */
    int deep;                   /* brackets around p */
};

static struct node *wrong(struct parser *x, const char *why)
{
    x->why = x->why ? x->why : why;
    return NULL;
}

static struct node *node_new(struct parser *x, enum kind kind)
{
    struct node *n = arena_new(x->arena, struct node);
    n->kind = kind;
    n->steps = kind < SEQUENCE;
    return n;
}

static size_t at_most(size_t steps)
{
    return steps < REGEX_MOST ? steps : REGEX_MOST;
}

static void add_child(struct node *to, struct node *child)
{
    if (to->last)
        to->last->next = child;
    else
        to->first = child;
    to->last = child;
    to->steps = at_most(to->steps + child->steps + (to->kind == CHOICE ? 2 : 0));
}

static struct node *bytes_new(struct parser *x)
{
    struct node *n = node_new(x, STEP_BYTES);
    n->set = arena_new(x->kept, struct byte_set);
    return n;
}

static struct node *one_byte(struct parser *x, char c)
{
    struct node *n = bytes_new(x);
    add(n->set, (unsigned char)c);
    return n;
}

/* "[:alpha:]", "[.x.]", "[=x=]"; false: it is none, and p stands before it. */
static bool named_member(struct parser *x, struct byte_set *set)
{
    char kind = x->p[1];
    const char *name = x->p + 2, *end = name;
    if (!kind || !strchr(":.=", kind))
        return false;
    while (*end && !(*end == kind && end[1] == ']'))
        end++;
    if (!*end)
        return false;
    size_t n = (size_t)(end - name);
    x->p = end + 2;
    if (kind != ':' && n == 1) {
        add(set, (unsigned char)*name);
        return true;
    }
    for (size_t i = 0; kind == ':' && i < ARRAY_LEN(classes); i++)
        if (strlen(classes[i].name) == n && !memcmp(classes[i].name, name, n)) {
            add_class(set, classes[i].is);
            return true;
        }
    wrong(x, "a class in '[[:...:]]' is not known");
    return true;
}

/* From behind its "[". */
static struct node *set(struct parser *x)
{
    struct node *n = bytes_new(x);
    bool inverted = *x->p == '^';
    x->p += inverted;
    for (bool first = true; *x->p && (first || *x->p != ']'); first = false) {
        if (*x->p == '[' && named_member(x, n->set))
            continue;
        unsigned char from = (unsigned char)*x->p++, to = from;
        if (*x->p == '-' && x->p[1] && x->p[1] != ']') {
            to = (unsigned char)x->p[1];
            x->p += 2;
        }
        if (to < from)
            return wrong(x, "a range in a set ends before it begins");
        for (int c = from; c <= to; c++)
            add(n->set, (unsigned char)c);
    }
    if (!*x->p)
        return wrong(x, "a set is open: '[' without ']'");
    x->p++;
    if (inverted)
        invert(n->set);
    return n;
}

/* From behind its backslash. */
static struct node *escaped(struct parser *x)
{
    static const struct {
        char name;
        enum kind kind;
    } places[] = {
        {'b', STEP_EDGE}, {'B', STEP_NO_EDGE}, {'<', STEP_WORD_START}, {'>', STEP_WORD_END}};
    static const struct {
        char name;
        int (*is)(int);
    } kinds[] = {{'w', is_word}, {'s', isspace}, {'d', isdigit}};
    char c = *x->p;
    if (!c)
        return wrong(x, "it ends in a backslash");
    x->p++;
    for (size_t i = 0; i < ARRAY_LEN(places); i++)
        if (c == places[i].name)
            return node_new(x, places[i].kind);
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (tolower((unsigned char)c) != kinds[i].name)
            continue;
        struct node *n = bytes_new(x);
        add_class(n->set, kinds[i].is);
        if (c != kinds[i].name)
            invert(n->set);
        return n;
    }
    if (c >= '1' && c <= '9')
        return wrong(x, "back-references are not known");
    if (isalnum((unsigned char)c))
        return wrong(x, "a letter behind a backslash is not known; there are \\w \\s \\d \\b and "
                        "their opposites \\W \\S \\D \\B");
    return one_byte(x, c);
}

static struct node *choice(struct parser *x);

/* From behind its "(". */
static struct node *group(struct parser *x)
{
    if (++x->deep > REGEX_DEEP)
        return wrong(x, "its brackets are too deep");
    struct node *n = choice(x);
    x->deep--;
    if (!n)
        return NULL;
    if (*x->p != ')')
        return wrong(x, "a bracket is open: '(' without ')'");
    x->p++;
    return n;
}

static struct node *atom(struct parser *x)
{
    char c = *x->p++;
    switch (c) {
    case '(':
        return group(x);
    case '[':
        return set(x);
    case '\\':
        return escaped(x);
    case '^':
        return node_new(x, STEP_TEXT_START);
    case '$':
        return node_new(x, STEP_TEXT_END);
    case '*':
    case '+':
    case '?':
    case '{':
        return wrong(x, "nothing stands before a repeat; a backslash makes '*', '+', '?' and '{' "
                        "characters");
    case '.': {
        struct node *n = bytes_new(x);
        invert(n->set);
        return n;
    }
    default:
        return one_byte(x, c);
    }
}

/* Digits, held where a repeat may not be; -1: there are none. */
static int number(struct parser *x)
{
    int n = -1;
    for (; *x->p >= '0' && *x->p <= '9'; x->p++) {
        n = (n < 0 ? 0 : n) * 10 + (*x->p - '0');
        n = n <= REPEAT_MOST ? n : REPEAT_MOST + 1;
    }
    return n;
}

/* "{3}", "{3,}", "{,5}" or "{3,5}", from behind the brace. */
static bool braces(struct parser *x, int *least, int *most)
{
    *least = *most = number(x);
    bool open = *x->p == ',';
    if (open) {
        x->p++;
        *most = number(x);
    }
    if (*x->p != '}' || (*least < 0 && *most < 0))
        return wrong(x, "a repeat is none of {3}, {3,}, {,5} and {3,5}; a backslash makes '{' a "
                        "character");
    x->p++;
    *least = *least < 0 ? 0 : *least;
    *most = *most < 0 ? NO_END : *most;
    if (*least > REPEAT_MOST || *most > REPEAT_MOST)
        return wrong(x, "it is too long, with its repeats written out");
    return *most == NO_END || *least <= *most || wrong(x, "a repeat ends before it begins");
}

/* "a*?" and the like: "*", "+" and "?" of each other are one of them again. */
static bool is_simple(int least, int most)
{
    return least <= 1 && (most == 1 || most == NO_END);
}

static struct node *repeated(struct parser *x, struct node *of, int least, int most)
{
    if (of->kind == REPEAT && is_simple(of->least, of->most) && is_simple(least, most)) {
        of->least *= least;
        of->most = most == NO_END ? NO_END : of->most;
    } else {
        struct node *n = node_new(x, REPEAT);
        n->least = least;
        n->most = most;
        add_child(n, of);
        of = n;
    }
    /* Each copy, and what leads past those that need not be; one of nothing takes time, too. */
    size_t each = of->first->steps + !of->first->steps, must = (size_t)of->least;
    size_t more = of->most == NO_END ? each + 2 : ((size_t)of->most - must) * (each + 1);
    of->steps = at_most(must * each + more);
    return of;
}

static struct node *piece(struct parser *x)
{
    struct node *n = atom(x);
    for (int chain = 0; n && *x->p && strchr("*+?{", *x->p); chain++) {
        char c = *x->p++;
        int least = c == '+', most = c == '?' ? 1 : NO_END;
        if (c == '{' && !braces(x, &least, &most))
            return NULL;
        const struct node *before = n;
        n = repeated(x, n, least, most);
        chain -= n == before; /* which has become this */
        if (chain == CHAIN_MOST)
            return wrong(x, "too many repeats stand in a row");
    }
    return n;
}

static struct node *sequence(struct parser *x)
{
    struct node *n = node_new(x, SEQUENCE);
    while (*x->p && *x->p != '|' && !(*x->p == ')' && x->deep)) {
        struct node *child = piece(x);
        if (!child)
            return NULL;
        add_child(n, child);
    }
    return n;
}

static struct node *choice(struct parser *x)
{
    struct node *n = node_new(x, CHOICE);
    for (;;) {
        struct node *child = sequence(x);
        if (!child)
            return NULL;
        add_child(n, child);
        if (*x->p != '|')
            return n->first->next ? n : n->first;
        x->p++;
    }
}

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
    struct parser x = {.p = text, .arena = arena_scratch(), .kept = arena};
    struct node *n = choice(&x);
    struct regex *r = NULL;
    if (n && n->steps >= REGEX_MOST)
        wrong(&x, "it is too long, with its repeats written out");
    *why = x.why;
    if (!x.why) {
        r = arena_new(arena, struct regex);
        write_steps(r, arena, n);
        emit(r, arena, (struct step){.kind = STEP_FOUND});
        assert(r->steps.n <= n->steps + 1);
        find_first(r);
    }
    arena_release(x.arena);
    return r;
}
