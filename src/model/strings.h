/*
 * Strings: every text of a trace once, known by a 32-bit id. Id 0 is "".
 *
 * Texts are stored with a NUL behind them; a NUL inside becomes U+FFFD, so that a C string holds
 * the whole text. Nothing else is changed: names are data, whoever prints them escapes them.
 *
 * Thread-safety: adding is for one thread; reading for all while nobody adds.
 */
#ifndef GS_MODEL_STRINGS_H
#define GS_MODEL_STRINGS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct string_entry {
    const char *text;
    uint32_t len;
    uint32_t hash;
};

struct strings {
    struct string_entry *v;
    size_t n, cap;
    uint32_t *slots; /* open addressing: id + 1, or 0 */
    size_t mask;
    char *at;               /* where the next text goes, and how much room there is */
    size_t room_left, room; /* the next room is so large */
    struct arena *arena;
};

void strings_init(struct strings *s, struct arena *a);
uint32_t strings_add(struct strings *s, const char *text);
uint32_t strings_addn(struct strings *s, const char *text, size_t len);

/* Adds entry `id` of another, which must not be there yet and must outlive this one: no copy. */
void strings_share(struct strings *s, const struct strings *from, uint32_t id);

/* Adds a text that must not be there yet, holds no NUL, and must outlive this one: no copy. */
void strings_place(struct strings *s, const char *text, uint32_t len);

/* The next id for a text that is not known: an empty one, which no search finds. */
void strings_skip(struct strings *s);

/* Gives back room that is there for more: few are added from now on. */
void strings_fit(struct strings *s);

/* The id of a text that is already there, or NO_INDEX (hash.h). */
uint32_t strings_find(const struct strings *s, const char *text);

static inline const char *strings_text(const struct strings *s, uint32_t id)
{
    return id < s->n ? s->v[id].text : "";
}

#endif
