#include "model/strings.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

enum { LONGEST = 1024 * 1024 }; /* longer texts are cut; no name is */

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

static void grow_slots(struct strings *s)
{
    size_t size = s->slots ? (s->mask + 1) * 2 : 64;
    s->slots = arena_array(s->arena, uint32_t, size);
    s->mask = size - 1;
    for (size_t id = 0; id < s->n; id++) {
        size_t i = s->v[id].hash & s->mask;
        while (s->slots[i])
            i = (i + 1) & s->mask;
        s->slots[i] = (uint32_t)id + 1;
    }
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
    struct string_entry e = {arena_strndup(s->arena, text, len), (uint32_t)len, hash};
    vec_push(s, s->arena, e);
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
    vec_push(s, s->arena, e);
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
