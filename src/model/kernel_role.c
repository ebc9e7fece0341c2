#include "model/kernel_role.h"

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/array.h"
#include "model/name_scan.h"

static const struct kernel_role_info infos[] = {
#define KERNEL_ROLE(id, label, rocinsight, doc) {label, rocinsight, doc},
#include "model/kernel_roles.def"
};

const char *const kernel_role_labels[] = {
#define KERNEL_ROLE(id, label, rocinsight, doc) label,
#include "model/kernel_roles.def"
    NULL};

struct row {
    enum kernel_role role;
    const char *library;
    const char *pattern;
};

static const struct row rows[] = {
#define ROLE_WORDS(id, library, pattern) {ROLE_##id, library, pattern},
#include "model/kernel_roles.def"
};
static const struct row fallbacks[] = {
#define ROLE_FALLBACK(id, library, pattern) {ROLE_##id, library, pattern},
#include "model/kernel_roles.def"
};

/*
 * A part of a name made ready for matching: lower case, '_' left out, "::" as ':', any other
 * punctuation as ' '. edge[i] says that a word starts, or the one before ends, at s[i];
 * fresh[i] that an identifier starts there. What does not fit does not count.
 */
enum { TEXT_MAX = 2048 };

struct text {
    size_t n;
    char last, before; /* the letters put last, case kept; 0 after punctuation */
    char s[TEXT_MAX + 1];
    bool edge[TEXT_MAX + 1], fresh[TEXT_MAX + 1];
    size_t starts; /* start[]: the positions of edges, where a match can begin */
    uint16_t start[TEXT_MAX + 1];
};

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return is_upper(c) || (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80;
}

static void text_gap(struct text *t, char c)
{
    if (t->n < TEXT_MAX && !(c == ' ' && t->n && t->s[t->n - 1] == ' ')) {
        t->edge[t->n] = true;
        t->s[t->n++] = c;
    }
    t->edge[t->n] = t->fresh[t->n] = true;
    t->last = t->before = 0;
}

static void text_letter(struct text *t, char c)
{
    if (t->n == TEXT_MAX)
        return;
    char last = t->last;
    if (last && (is_digit(c) != is_digit(last) || (is_upper(c) && !is_upper(last))))
        t->edge[t->n] = true;
    /* GPUKernel: the K turns out to start a word when the e comes */
    if (is_letter(c) && !is_upper(c) && is_upper(last) && is_upper(t->before))
        t->edge[t->n - 1] = true;
    t->s[t->n++] = (char)(is_upper(c) ? c - 'A' + 'a' : c);
    t->edge[t->n] = t->fresh[t->n] = false;
    t->before = last;
    t->last = c;
}

static void text_token(struct text *t, const char *p, const char *next)
{
    if (next - p == 2 && *p == ':') {
        text_gap(t, ':');
        return;
    }
    for (; p < next && t->n < TEXT_MAX; p++) {
        if (is_letter(*p) || is_digit(*p)) {
            text_letter(t, *p);
        } else if (*p == '_' || *p == '$') {
            t->edge[t->n] = true;
            t->last = t->before = 0;
        } else {
            text_gap(t, ' ');
        }
    }
}

static void text_init(struct text *t)
{
    t->n = 0;
    t->last = t->before = 0;
    t->edge[0] = t->fresh[0] = true;
}

static void text_end(struct text *t)
{
    t->s[t->n] = 0;
    t->edge[t->n] = true;
    t->starts = 0;
    for (size_t i = 0; i < t->n; i++)
        if (t->edge[i])
            t->start[t->starts++] = (uint16_t)i;
}

/* The name itself, and what is in its template brackets. */
struct parts {
    struct text core, args;
};

static void split(struct parts *parts, const char *full)
{
    struct name_head h = name_head(full);
    text_init(&parts->core);
    text_init(&parts->args);
    bool callable = false;
    for (const char *p = h.at, *next; p < h.end; p = next) {
        next = name_token(p, h.end);
        bool names = name_is_callable(p, next);
        if (*p == '<' && callable) {
            next = name_group(p, h.end, NULL);
            for (const char *q = p + 1, *r; q < next && parts->args.n < TEXT_MAX; q = r)
                text_token(&parts->args, q, r = name_token(q, next));
            text_gap(&parts->args, ' ');
            names = true;
        } else if (*p == '(' && !h.plain) {
            next = name_group(p, h.end, NULL);
            text_gap(&parts->core, ' ');
        } else {
            text_token(&parts->core, p, next);
        }
        callable = names;
    }
    text_end(&parts->core);
    text_end(&parts->args);
}

/*
 * All alternatives of all patterns as one automaton. A match begins where a word does, so a trie is
 * enough: from each edge of the text it is walked once, and says which alternatives stand there.
 */
enum {
    SYMBOLS = 40, /* letters, digits, ':', ' ', and one for all that no pattern has */
    OTHER_SYMBOL = SYMBOLS - 1,
    ROWS = ARRAY_LEN(rows),
    ALL_ROWS = ROWS + ARRAY_LEN(fallbacks),
    LETTERS = 1 /* of all patterns: no more nodes, and no more alternatives */
#define ROLE_WORDS(id, library, pattern) +(int)sizeof(pattern)
#define ROLE_FALLBACK(id, library, pattern) +(int)sizeof(pattern)
#include "model/kernel_roles.def"
};
_Static_assert(LETTERS <= UINT16_MAX, "nodes have numbers of 16 bits");

/* Where an alternative is used: a word of a row. */
struct place {
    uint16_t row;     /* fallbacks stand behind the others */
    uint8_t word;     /* bit of the row's words */
    bool bound, open; /* "^": only where an identifier starts; "*": whatever follows */
    uint16_t next;    /* of the same node; 0: none */
};

static struct {
    uint16_t next[LETTERS][SYMBOLS]; /* 0: nothing goes on */
    uint16_t places[LETTERS];        /* first of the alternatives that end here; 0: none */
    bool colon[LETTERS];             /* they end in ':', behind which anything may stand */
    struct place place[LETTERS];
    uint8_t words[ALL_ROWS]; /* all bits of a row */
    size_t nodes, n_places;
} automaton;
static pthread_once_t automaton_made = PTHREAD_ONCE_INIT;

static unsigned symbol_of(char c)
{
    return c >= 'a' && c <= 'z' ? (unsigned)(c - 'a')
           : is_digit(c)        ? 26 + (unsigned)(c - '0')
           : c == ':'           ? 36
           : c == ' '           ? 37
                                : OTHER_SYMBOL;
}

static void add_alternative(const char *w, const char *end, size_t row, unsigned word)
{
    struct place p = {.row = (uint16_t)row, .word = (uint8_t)(1u << word)};
    size_t node = 0;
    p.bound = *w == '^';
    for (w += p.bound; w < end && *w != '*'; w++) {
        if (*w == '_')
            continue;
        if (*w == ':' && w + 1 < end && w[1] == ':')
            w++;
        uint16_t *next = &automaton.next[node][symbol_of(*w)];
        if (!*next)
            *next = (uint16_t)automaton.nodes++;
        node = *next;
    }
    p.open = w < end;
    automaton.colon[node] |= end[-1] == ':';
    p.next = automaton.places[node];
    automaton.places[node] = (uint16_t)automaton.n_places;
    automaton.place[automaton.n_places++] = p;
}

static void add_row(const char *pattern, size_t row)
{
    for (unsigned word = 0; *pattern; word++) {
        const char *end = pattern + strcspn(pattern, " ");
        assert(word < 8);
        for (const char *w = pattern; w < end;) {
            const char *stop = w + strcspn(w, "| ");
            add_alternative(w, stop, row, word);
            w = stop < end ? stop + 1 : end;
        }
        automaton.words[row] |= (uint8_t)(1u << word);
        pattern = *end ? end + 1 : end;
    }
}

static void make_automaton(void)
{
    automaton.nodes = automaton.n_places = 1;
    for (size_t i = 0; i < ALL_ROWS; i++)
        add_row(i < ROWS ? rows[i].pattern : fallbacks[i - ROWS].pattern, i);
}

/* Which words of which rows a text has. */
struct found {
    uint8_t words[ALL_ROWS];
};

static void note_places(struct found *f, const struct text *t, size_t node, size_t from, size_t to)
{
    bool ends = t->edge[to] || automaton.colon[node];
    for (size_t k = automaton.places[node]; k; k = automaton.place[k].next) {
        const struct place *p = &automaton.place[k];
        if ((ends || p->open) && (!p->bound || t->fresh[from]))
            f->words[p->row] |= p->word;
    }
}

static void walk(struct found *f, const struct text *t)
{
    memset(f, 0, sizeof(*f));
    for (size_t k = 0; k < t->starts; k++) {
        size_t node = 0, from = t->start[k];
        for (size_t i = from; i < t->n; i++) {
            node = automaton.next[node][symbol_of(t->s[i])];
            if (!node)
                break;
            if (automaton.places[node])
                note_places(f, t, node, from, i + 1);
        }
    }
}

enum want { WANT_ROLE, WANT_LIBRARY };

static const struct row *row_at(size_t i)
{
    return i < ROWS ? &rows[i] : &fallbacks[i - ROWS];
}

/* The first row that says what is wanted and has all its words. */
static const struct row *find(const struct found *f, size_t from, size_t to, enum want want)
{
    for (size_t i = from; i < to; i++) {
        const struct row *r = row_at(i);
        if (f->words[i] == automaton.words[i] &&
            (want == WANT_ROLE ? r->role != ROLE_OTHER : r->library != NULL))
            return r;
    }
    return NULL;
}

static const struct row *classify(const char *full_name, enum want want)
{
    struct parts parts;
    struct found core, args;
    pthread_once(&automaton_made, make_automaton);
    split(&parts, full_name);
    walk(&core, &parts.core);
    const struct row *r = find(&core, 0, ROWS, want);
    if (!r) {
        walk(&args, &parts.args);
        r = find(&args, 0, ROWS, want);
    }
    return r ? r : find(&core, ROWS, ALL_ROWS, want);
}

enum kernel_role kernel_role_of(const char *full_name)
{
    const struct row *r = classify(full_name, WANT_ROLE);
    return r ? r->role : ROLE_OTHER;
}

const char *kernel_library_of(const char *full_name)
{
    const struct row *r = classify(full_name, WANT_LIBRARY);
    return r ? r->library : NULL;
}

const struct kernel_role_info *kernel_role_info(enum kernel_role role)
{
    return &infos[(unsigned)role < ROLE_COUNT ? role : ROLE_OTHER];
}
