#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "source/source_in.h"

static const struct symbol c_symbols[] = {
#define KW(n, w) {.name = #n, .form = FORM_KEYWORD, .word = WORD_##w},
#define CALL(n, k, p) {.name = #n, .form = FORM_CALL, .kind = FACT_##k, .pattern = PATTERN_##p},
#define LAUNCH(n, p, a)                                                                            \
    {.name = #n, .form = FORM_LAUNCH, .kind = FACT_LAUNCH, .pattern = PATTERN_##p, .argument = a},
#define OWNED(o, n, k, p)                                                                          \
    {.name = #n, .owner = #o, .form = FORM_OWNED, .kind = FACT_##k, .pattern = PATTERN_##p},
#define PREFIX(n, k, p)
#include "source/c_symbols.def"
#undef KW
#undef CALL
#undef LAUNCH
#undef OWNED
#undef PREFIX
};

static const struct symbol c_prefixes[] = {
#define KW(n, w)
#define CALL(n, k, p)
#define LAUNCH(n, p, a)
#define OWNED(o, n, k, p)
#define PREFIX(n, k, p) {.name = #n, .form = FORM_CALL, .kind = FACT_##k, .pattern = PATTERN_##p},
#include "source/c_symbols.def"
#undef KW
#undef CALL
#undef LAUNCH
#undef OWNED
#undef PREFIX
};

#define FACT_TO FACT_FRAMEWORK
#define FACT_RAW FACT_KERNEL
static const struct symbol python_symbols[] = {
#define KW(n, w) {.name = #n, .form = FORM_KEYWORD, .word = WORD_##w},
#define PY(o, n, k, p)                                                                             \
    {.name = #n, .owner = #o, .form = PY_FORM_##k, .kind = FACT_##k, .pattern = PATTERN_##p},
#define DECO(o, n, p)                                                                              \
    {.name = #n,                                                                                   \
     .owner = #o,                                                                                  \
     .form = FORM_DECORATOR,                                                                       \
     .kind = FACT_FRAMEWORK,                                                                       \
     .pattern = PATTERN_##p},
#define PY_FORM_TO FORM_TO
#define PY_FORM_RAW FORM_RAW
#define PY_FORM_SYNC FORM_CALL
#define PY_FORM_COPY FORM_CALL
#define PY_FORM_ALLOC FORM_CALL
#define PY_FORM_FREE FORM_CALL
#define PY_FORM_STREAM FORM_CALL
#define PY_FORM_GRAPH FORM_CALL
#define PY_FORM_MARKER FORM_CALL
#define PY_FORM_COLLECTIVE FORM_CALL
#define PY_FORM_FRAMEWORK FORM_CALL
#include "source/python_symbols.def"
#undef KW
#undef PY
#undef DECO
};

static bool same(const struct symbols *s, const char *a, const char *b, size_t n)
{
    return s->fold ? !strncasecmp(a, b, n) : !memcmp(a, b, n);
}

static uint32_t hash_of(const struct symbols *s, const char *name, size_t n)
{
    uint32_t h = SYMBOL_HASH_START;
    for (size_t i = 0; i < n; i++)
        h = symbol_hash(h, (uint8_t)(s->fold ? tolower((unsigned char)name[i]) : name[i]));
    return h;
}

static size_t slot_of(uint32_t hash)
{
    return (hash ^ hash >> 15) & (SYMBOL_SLOTS - 1);
}

static void add(struct symbols *s, const struct symbol *symbol)
{
    size_t n = strlen(symbol->name);
    size_t at = slot_of(hash_of(s, symbol->name, n));
    uint16_t number = s->n++;
    s->v[number] = *symbol;
    s->v[number].next = 0;
    for (; s->slot[at]; at = (at + 1) & (SYMBOL_SLOTS - 1)) {
        struct symbol *other = &s->v[s->slot[at]];
        if (strlen(other->name) != n || !same(s, other->name, symbol->name, n))
            continue;
        while (other->next)
            other = &s->v[other->next];
        other->next = number;
        return;
    }
    s->slot[at] = number;
}

static unsigned letter_of(const struct symbols *s, char c)
{
    return (unsigned char)(s->fold ? tolower((unsigned char)c) : c) & 127u;
}

void symbols_init_c(struct symbols *s, bool fold)
{
    memset(s, 0, sizeof(*s));
    s->fold = fold;
    s->n = 1;
    for (size_t i = 0; i < ARRAY_LEN(c_symbols); i++)
        add(s, &c_symbols[i]);
    for (size_t i = 0; i < ARRAY_LEN(c_prefixes); i++) {
        uint16_t *first = &s->by_letter[letter_of(s, c_prefixes[i].name[0])];
        s->v[s->n] = c_prefixes[i];
        s->v[s->n].next = *first;
        *first = s->n++;
    }
}

void symbols_init_python(struct symbols *s)
{
    memset(s, 0, sizeof(*s));
    s->n = 1;
    for (size_t i = 0; i < ARRAY_LEN(python_symbols); i++)
        add(s, &python_symbols[i]);
}

_Static_assert(ARRAY_LEN(c_symbols) + ARRAY_LEN(c_prefixes) < SYMBOLS_MAX - 1,
               "make SYMBOLS_MAX larger");

static uint16_t find_prefix(const struct symbols *s, const char *name, size_t n)
{
    uint16_t i = s->by_letter[letter_of(s, name[0])];
    for (; i; i = s->v[i].next) {
        size_t length = strlen(s->v[i].name);
        if (n > length && same(s, s->v[i].name, name, length))
            return i;
    }
    return 0;
}

uint16_t symbols_find(const struct symbols *s, const char *name, size_t n, uint32_t hash)
{
    for (size_t at = slot_of(hash); s->slot[at]; at = (at + 1) & (SYMBOL_SLOTS - 1)) {
        const struct symbol *v = &s->v[s->slot[at]];
        if (strlen(v->name) == n && same(s, v->name, name, n))
            return s->slot[at];
    }
    return find_prefix(s, name, n);
}
