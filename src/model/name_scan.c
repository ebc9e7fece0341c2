#include "model/name_scan.h"

#include <stddef.h>
#include <string.h>

#include "base/array.h"

bool name_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '~' || c == '\'' || (unsigned char)c >= 0x80;
}

static bool at(const char *p, const char *end, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(end - p) >= n && memcmp(p, text, n) == 0;
}

/* p is behind the word "operator"; its symbol, longest first. */
static const char *operator_symbol(const char *p, const char *end)
{
    static const char *const symbols[] = {
        "()", "[]", "<=>", "<<=", ">>=", "->*", "->", "<<", ">>", "<=", ">=", "==", "!=",
        "&&", "||", "++",  "--",  "+=",  "-=",  "*=", "/=", "%=", "^=", "&=", "|=", "<",
        ">",  "=",  "+",   "-",   "*",   "/",   "%",  "^",  "&",  "|",  "!",  ",",
    };
    for (size_t i = 0; i < ARRAY_LEN(symbols); i++) {
        if (at(p, end, symbols[i])) {
            p += strlen(symbols[i]);
            return at(p, end, " <") ? p + 1 : p;
        }
    }
    if (p < end && *p == ' ') /* a conversion, new, delete: up to the parameters */
        while (p < end && *p != '(' && *p != '<' && *p != ',' && *p != '>' && *p != ')')
            p++;
    return p;
}

const char *name_token(const char *p, const char *end)
{
    if (at(p, end, "::") || at(p, end, "->"))
        return p + 2;
    if (!name_is_word(*p))
        return p + 1;
    const char *q = p;
    while (q < end && name_is_word(*q))
        q++;
    return q - p == 8 && at(p, end, "operator") ? operator_symbol(q, end) : q;
}

bool name_is_callable(const char *p, const char *next)
{
    return next > p && name_is_word(*p);
}

static char closer(char c)
{
    return c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : '>';
}

/*
 * The open brackets. A closing ')' takes every '<' opened since its '(' with it, for those were
 * comparisons; a '>' closes only a '<'. Past NESTING the kinds are no longer told apart.
 */
enum { NESTING = 256 };

struct brackets {
    char stack[NESTING]; /* the closers awaited */
    size_t depth, beyond;
    size_t awaited[4]; /* how many of ')' ']' '}' '>' are in the stack */
};

static size_t *awaited(struct brackets *b, char c)
{
    return &b->awaited[c == ')' ? 0 : c == ']' ? 1 : c == '}' ? 2 : 3];
}

static void bracket_open(struct brackets *b, char c)
{
    if (b->depth == NESTING) {
        b->beyond++;
        return;
    }
    b->stack[b->depth++] = closer(c);
    ++*awaited(b, closer(c));
}

static void bracket_close(struct brackets *b, char c)
{
    if (b->beyond) {
        b->beyond--;
        return;
    }
    bool mine = c == '>' ? b->stack[b->depth - 1] == '>' : *awaited(b, c) > 0;
    for (char top = 0; mine && top != c;) {
        top = b->stack[--b->depth];
        --*awaited(b, top);
    }
}

const char *name_group(const char *p, const char *end, bool *closed)
{
    struct brackets b = {.depth = 0};
    bool callable = true; /* the '<' we may start at is a bracket */
    for (const char *next; p < end; p = next) {
        next = name_token(p, end);
        if (*p == '(' || *p == '[' || *p == '{' || (*p == '<' && callable))
            bracket_open(&b, *p);
        else if (*p == ')' || *p == ']' || *p == '}' || *p == '>')
            bracket_close(&b, *p);
        if (b.depth == 0) {
            if (closed)
                *closed = true;
            return next;
        }
        callable = name_is_callable(p, next);
    }
    if (closed)
        *closed = false;
    return end;
}

const char *name_scope(const char *p, const char *end)
{
    static const char *const qualifiers[] = {" const", " volatile", " &&", " &"};
    for (size_t i = 0; i < ARRAY_LEN(qualifiers); i++)
        if (at(p, end, qualifiers[i]))
            p += strlen(qualifiers[i]);
    while (at(p, end, "[abi:"))
        p = name_group(p, end, NULL);
    return at(p, end, "::") ? p : NULL;
}

/* Without " [clone .constprop.0]" and the like; there may be several. */
static const char *without_clones(const char *p, const char *end)
{
    while (end > p && end[-1] == ']') {
        const char *open = end - 1;
        while (open > p && *open != '[')
            open--;
        if (open == p || open[-1] != ' ' || !at(open, end, "[clone"))
            break;
        end = open - 1;
    }
    return end;
}

/*
 * Walks the outermost level to the parameter list: the first '(' right behind a name that is not
 * just the scope of what follows. *word is set behind the last space before it.
 */
static const char *find_parameters(const char *p, const char *end, const char **word)
{
    bool callable = false;
    for (const char *next; p < end; p = next) {
        next = name_token(p, end);
        if (*p == '(') {
            const char *close = name_group(p, end, NULL), *scope = name_scope(close, end);
            if (callable && !scope)
                return p;
            next = scope ? scope : close;
            callable = *p == '(' && !scope;
        } else if ((*p == '<' && callable) || *p == '[' || *p == '{') {
            next = name_group(p, end, NULL);
            callable = true;
        } else {
            callable = name_is_callable(p, next);
            if (*p == ' ')
                *word = next;
        }
    }
    return NULL;
}

struct name_head name_head(const char *full)
{
    struct name_head h = {.at = full};
    h.end = without_clones(full, full + strlen(full));
    const char *word = full;
    const char *parameters = find_parameters(full, h.end, &word);
    if (parameters && parameters > word) {
        h.at = word;
        h.end = parameters;
    } else if (word != full) { /* spaces, but no function: only "void f<…" is C++ */
        h.plain = word != full + 5 || memcmp(full, "void ", 5) != 0;
        h.at = h.plain ? full : word;
    }
    if (h.at == h.end) {
        h = (struct name_head){full, full + strlen(full), true};
    }
    return h;
}
