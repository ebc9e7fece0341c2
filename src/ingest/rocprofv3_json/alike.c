/*
 * Records that look like one before them, see jread_alike.h. Which number belongs to which member is
 * not written down a second time: the reader of records is shown the record with one number changed,
 * and what it changes then is the member.
 */
#include <stddef.h>
#include <string.h>

#include "ingest/rocprofv3_json/json.h"

enum { WORDS = sizeof(struct record) / sizeof(uint32_t), PROBE = 7 };

static bool in_launch(size_t word)
{
    return word * sizeof(uint32_t) >= offsetof(struct record, launch);
}

/* What the reader makes of the record with these numbers. */
static bool read_with(struct rv3j_alike *x, const uint64_t *numbers, uint32_t words[WORDS])
{
    char text[JALIKE_TEXT * 2];
    struct record k = record_blank;
    size_t n = jalike_print(&x->like, numbers, text, sizeof(text));
    jr_next_text(x->probe, text, n);
    if (!n || !jr_object(x->probe))
        return false;
    while (jr_key(x->probe))
        rv3j_read_key(x->probe, &k);
    memcpy(words, &k, sizeof(k));
    return !jr_failed(x->probe);
}

/* The only word in which they differ, WORDS: none. False: several do. */
static bool differs_in(const uint32_t *a, const uint32_t *b, size_t *word)
{
    *word = WORDS;
    for (size_t w = 0; w < WORDS; w++) {
        if (a[w] == b[w])
            continue;
        if (*word != WORDS)
            return false;
        *word = w;
    }
    return true;
}

/* Small numbers differ in the low half of a member only. */
static bool find_members(struct rv3j_alike *x)
{
    uint64_t numbers[JALIKE_NUMBERS];
    uint32_t plain[WORDS], changed[WORDS];
    for (size_t i = 0; i < x->like.n; i++)
        numbers[i] = 1;
    if (!read_with(x, numbers, plain))
        return false;
    for (size_t i = 0; i < x->like.n; i++) {
        size_t word;
        numbers[i] = PROBE;
        if (!read_with(x, numbers, changed) || !differs_in(plain, changed, &word))
            return false;
        if (word != WORDS && changed[word] != PROBE)
            return false;
        numbers[i] = 1;
        x->member[i] = (uint16_t)word;
    }
    return true;
}

void rv3j_alike_begin(struct rv3j *r)
{
    struct rv3j_alike *x = &r->alike;
    if (!x->probe)
        x->probe = jr_text(r->build.arena, NULL, 0);
    x->known = false;
    x->tries = 0;
}

void rv3j_learn(struct rv3j_alike *x, const struct jread *j, const char *from, const char *end)
{
    enum { TRIES = 64 };
    /* Only from a record that lies in one window, far from its end, and not for ever. Members are
     * found by their low halves, which come first only here. */
    if (x->tries >= TRIES || j->end != end || j->at <= from || end - from < 2 * JALIKE_TEXT ||
        __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        return;
    x->tries++;
    x->known = jalike_learn(&x->like, from, (size_t)(j->at - from)) && find_members(x);
}

bool rv3j_read_alike(struct rv3j_alike *x, struct jread *j, struct record *k)
{
    uint64_t numbers[JALIKE_NUMBERS];
    if (!x->known || !jr_alike(j, &x->like, numbers))
        return false;
    for (size_t i = 0; i < x->like.n; i++) {
        char *to = (char *)k + x->member[i] * sizeof(uint32_t);
        if (x->member[i] == WORDS)
            continue;
        if (in_launch(x->member[i])) {
            uint32_t v = numbers[i] > UINT32_MAX ? UINT32_MAX : (uint32_t)numbers[i];
            memcpy(to, &v, sizeof(v));
        } else {
            memcpy(to, &numbers[i], sizeof(numbers[i]));
        }
    }
    return true;
}
