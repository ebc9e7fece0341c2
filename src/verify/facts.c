#include "verify/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A hundred bytes each, with what finds them: more than reports talk about, less than memory. */
enum { FEW_FACTS = 1000, FACTS_MOST = 3 << 19 };

struct facts *facts_new(struct arena *arena)
{
    struct facts *f = arena_new(arena, struct facts);
    f->arena = arena;
    words_init(&f->words, arena);
    idmap_init(&f->lists, arena);
    idmap_init(&f->wholes, arena);
    return f;
}

size_t facts_count(const struct facts *f)
{
    return f->v.n;
}

bool facts_left_out(const struct facts *f)
{
    return f->left_out;
}

static uint32_t keep(struct facts *f, const struct word_list *list)
{
    if (!list || !list->n)
        return 0;
    for (size_t i = 0; i < list->n; i++)
        f->words.counts.v[list->v[i]]++;
    uint64_t key = hash_bytes(list->v, list->n * sizeof(*list->v));
    uint32_t at = idmap_get(&f->lists, key);
    if (at != NO_INDEX)
        return at;
    at = (uint32_t)f->pool.n;
    idmap_put(&f->lists, key, at);
    for (size_t i = 0; i < list->n; i++)
        vec_push(&f->pool, f->arena, list->v[i]);
    return at;
}

uint64_t fact_name(const char *name, size_t n)
{
    while (n && *name == ' ')
        name++, n--;
    while (n && name[n - 1] == ' ')
        n--;
    return n ? hash_bytes(name, n) | 1 : 0;
}

void facts_put(struct facts *f, const struct fact_kind *kind, double value, const char *whom,
               const struct word_list *subject)
{
    if (!isfinite(value))
        return;
    if (f->v.n >= FACTS_MOST) {
        f->left_out = true;
        return;
    }
    struct known one = {.value = value,
                        .dim = kind->dim,
                        .what = kind->what,
                        .whom = whom,
                        .weak = kind->weak,
                        .n_words = (uint16_t)kind->words.n,
                        .n_table = (uint16_t)kind->table.n,
                        .n_subject = (uint16_t)(subject ? subject->n : 0)};
    if (whom && subject && subject->n) {
        one.whole = fact_name(whom, strlen(whom));
        if (idmap_get(&f->wholes, one.whole) == NO_INDEX)
            idmap_put(&f->wholes, one.whole, 0);
    }
    one.words = keep(f, &kind->words);
    one.table = keep(f, &kind->table);
    one.subject = keep(f, subject);
    for (size_t i = 0; subject && i < subject->n; i++)
        f->words.subjects.v[subject->v[i]] = true;
    vec_push_alone(&f->v, f->arena, one);
}

enum dimension facts_dimension(const char *unit, double *scale)
{
    enum dimension dim;
    *scale = 1;
    if (!*unit)
        return DIM_NUMBER;
    if (unit_at(unit, strlen(unit), &dim, scale) == strlen(unit))
        return dim;
    *scale = 1;
    return DIM_NUMBER;
}

void facts_add_reference(struct facts *f, enum verify_kind kind, const char *text, size_t n)
{
    struct reference r = {.kind = kind, .n = n};
    if (n > facts_reference_room(f))
        return;
    f->reference_size += n;
    r.text = arena_strndup(f->arena, text, n);
    vec_push(&f->references, f->arena, r);
}

size_t facts_reference_room(const struct facts *f)
{
    enum { REFERENCE_BYTES_MAX = 32 << 20 };
    return REFERENCE_BYTES_MAX - f->reference_size;
}

/* ---- order ---- */

/* Byte-wise radix order of doubles, least first: keys that sort as integers do. */
static uint64_t sort_key(const struct known *f)
{
    union {
        double d;
        uint64_t u;
    } v = {f->value == 0 ? 0 : f->value};
    return v.u >> 63 ? ~v.u : v.u | UINT64_C(1) << 63;
}

static void order(struct facts *f)
{
    size_t n = f->v.n;
    struct arena *own = arena_child(f->arena);
    uint32_t *from = arena_array(own, uint32_t, n + 1), *to = arena_array(own, uint32_t, n + 1);
    uint64_t *keys = arena_array(own, uint64_t, n + 1);
    for (size_t i = 0; i < n; i++) {
        from[i] = (uint32_t)i;
        keys[i] = sort_key(&f->v.v[i]);
    }
    for (int pass = 0; pass < 9; pass++) {
        size_t starts[257] = {0};
        for (size_t i = 0; i < n; i++) {
            uint64_t b = pass < 8 ? keys[i] >> (8 * pass) & 255 : (uint64_t)f->v.v[i].dim;
            starts[b + 1]++;
        }
        for (int b = 0; b < 256; b++)
            starts[b + 1] += starts[b];
        for (size_t i = 0; i < n; i++) {
            uint64_t b =
                pass < 8 ? keys[from[i]] >> (8 * pass) & 255 : (uint64_t)f->v.v[from[i]].dim;
            to[starts[b]++] = from[i];
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    f->by_value = arena_array(f->arena, uint32_t, n + 1);
    memcpy(f->by_value, from, n * sizeof(*from));
    arena_release(own);
}

static void post(struct facts *f)
{
    size_t words = f->words.counts.n, n = 0;
    f->starts = arena_array(f->arena, uint32_t, words + 2);
    for (size_t w = 0; w < words; w++) {
        n += f->words.counts.v[w];
        f->starts[w + 2] = (uint32_t)n;
    }
    f->postings = arena_array(f->arena, uint32_t, n + 1);
    for (size_t i = 0; i < f->v.n; i++) {
        const struct known *one = &f->v.v[i];
        for (size_t k = 0; k < one->n_words; k++)
            f->postings[f->starts[f->pool.v[one->words + k] + 1]++] = (uint32_t)i;
        for (size_t k = 0; k < one->n_table; k++)
            f->postings[f->starts[f->pool.v[one->table + k] + 1]++] = (uint32_t)i;
        for (size_t k = 0; k < one->n_subject; k++)
            f->postings[f->starts[f->pool.v[one->subject + k] + 1]++] = (uint32_t)i;
    }
}

void facts_seal(struct facts *f)
{
    if (f->sealed == f->v.n && f->by_value)
        return;
    vec_reserve(&f->pool, f->arena, 1); /* never NULL */
    order(f);
    post(f);
    f->rarity = arena_array(f->arena, double, f->words.counts.n + 1);
    /* among few facts, too, a name is a name */
    double all = fmax((double)f->v.n, FEW_FACTS);
    for (size_t w = 0; w < f->words.counts.n; w++)
        f->rarity[w] = log(1 + all / (1 + (double)f->words.counts.v[w]));
    f->sealed = f->v.n;
}

size_t facts_from(const struct facts *f, enum dimension dim, double value)
{
    size_t lo = 0;
    const struct known *m;
    BISECT(lo, f->v.n, mid,
           (m = &f->v.v[f->by_value[mid]])->dim < dim || (m->dim == dim && m->value < value));
    return lo;
}

const char *fact_about(const struct known *f, struct arena *a)
{
    return f->whom && *f->whom ? arena_printf(a, "%s of '%.120s'", f->what, f->whom)
                               : arena_strdup(a, f->what);
}
