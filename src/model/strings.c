#include "model/strings.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

enum {
    LONGEST = 1024 * 1024, /* longer texts are cut; no name is */
    FIRST_ROOM = 1024,
    MOST_ROOM = 64 * 1024,
};

void strings_init(struct strings *s, struct arena *a)
{
    *s = (struct strings){.arena = a};
    strings_addn(s, "", 0);
}

static size_t find_slot(const struct strings *s, const char *text, size_t len, uint32_t hash)
{
    size_t i = hash & s->mask;
    for (; s->slots[i]; i = (i + 1) & s->mask) {
        const struct string_entry *e = &s->v[s->slots[i] - 1];
        if (e->hash == hash && e->len == len && !memcmp(e->text, text, len))
            break;
    }
    return i;
}

static void make_slots(struct strings *s, size_t size)
{
    uint32_t *slots = arena_array(s->arena, uint32_t, size);
    if (s->slots)
        arena_give_back(s->arena, s->slots, (s->mask + 1) * sizeof(*s->slots));
    s->slots = slots;
    s->mask = size - 1;
    for (size_t id = 0; id < s->n; id++) {
        size_t i = s->v[id].hash & s->mask;
        while (s->slots[i])
            i = (i + 1) & s->mask;
        s->slots[i] = (uint32_t)id + 1;
    }
}

static void grow_slots(struct strings *s)
{
    make_slots(s, s->slots ? (s->mask + 1) * 2 : 64);
}

void strings_fit(struct strings *s)
{
    enum { WORTH_IT = 1 << 16 };
    size_t half = (s->mask + 1) / 2;
    vec_fit(s, s->arena);
    if (half >= WORTH_IT && s->n <= half / 8 * 7)
        make_slots(s, half);
}

static const char *without_nul(struct arena *a, const char *text, size_t *len)
{
    struct str s;
    str_init(&s, a);
    for (size_t i = 0; i < *len; i++) {
        if (text[i])
            str_putc(&s, text[i]);
        else
            str_puts(&s, "\xEF\xBF\xBD");
    }
    *len = s.len;
    return s.buf;
}

/* A copy with a NUL behind it. Texts lie side by side: an arena would align each of them. */
static const char *keep_text(struct strings *s, const char *text, size_t len)
{
    if (len >= MOST_ROOM / 4)
        return arena_strndup(s->arena, text, len);
    if (s->room_left < len + 1) {
        for (s->room = s->room ? s->room : FIRST_ROOM; s->room < 4 * (len + 1);)
            s->room *= 2;
        s->at = arena_alloc(s->arena, s->room);
        s->room_left = s->room;
        s->room = s->room < MOST_ROOM ? s->room * 2 : MOST_ROOM;
    }
    char *kept = s->at;
    if (len)
        memcpy(kept, text, len);
    s->at += len + 1;
    s->room_left -= len + 1;
    return kept;
}

uint32_t strings_addn(struct strings *s, const char *text, size_t len)
{
    if (len > LONGEST)
        len = LONGEST;
    if (len && memchr(text, 0, len))
        text = without_nul(s->arena, text, &len);
    if (!s->slots || (s->n + 1) * 2 > s->mask + 1)
        grow_slots(s);
    uint32_t hash = (uint32_t)hash_bytes(text, len);
    size_t slot = find_slot(s, text, len, hash);
    if (s->slots[slot])
        return s->slots[slot] - 1;
    if (s->n >= NO_INDEX - 1)
        mem_exhausted();
    struct string_entry e = {keep_text(s, text, len), (uint32_t)len, hash};
    vec_push_alone(s, s->arena, e);
    s->slots[slot] = (uint32_t)s->n;
    return (uint32_t)s->n - 1;
}

static void place(struct strings *s, struct string_entry e)
{
    if (!s->slots || (s->n + 1) * 2 > s->mask + 1)
        grow_slots(s);
    size_t i = e.hash & s->mask;
    while (s->slots[i])
        i = (i + 1) & s->mask;
    vec_push_alone(s, s->arena, e);
    s->slots[i] = (uint32_t)s->n;
}

void strings_share(struct strings *s, const struct strings *from, uint32_t id)
{
    place(s, from->v[id]);
}

void strings_place(struct strings *s, const char *text, uint32_t len)
{
    place(s, (struct string_entry){text, len, (uint32_t)hash_bytes(text, len)});
}

/* With a hash of its own: many that are alike would lie in one row. */
void strings_skip(struct strings *s)
{
    place(s, (struct string_entry){"", 0, (uint32_t)hash_u64(s->n) | 1});
}

uint32_t strings_add(struct strings *s, const char *text)
{
    return strings_addn(s, text, strlen(text));
}

uint32_t strings_find(const struct strings *s, const char *text)
{
    size_t len = strlen(text);
    uint32_t id = s->slots[find_slot(s, text, len, (uint32_t)hash_bytes(text, len))];
    return id ? id - 1 : NO_INDEX;
}
