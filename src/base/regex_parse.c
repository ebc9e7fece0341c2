#include "base/regex_in.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { REPEAT_MOST = 30000, CHAIN_MOST = 10 };

/* ---- sets of bytes ---- */

static void add(struct byte_set *s, unsigned char c)
{
    s->has[c >> 6] |= UINT64_C(1) << (c & 63);
}

static void invert(struct byte_set *s)
{
    for (size_t i = 0; i < ARRAY_LEN(s->has); i++)
        s->has[i] = ~s->has[i];
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

struct node *regex_parse(const char *text, struct arena *kept, struct arena *temporary,
                         const char **why)
{
    struct parser x = {.p = text, .arena = temporary, .kept = kept};
    struct node *n = choice(&x);
    if (n && n->steps >= REGEX_MOST)
        wrong(&x, "it is too long, with its repeats written out");
    *why = x.why;
    return x.why ? NULL : n;
}
