/*
 * Against a reference: passages are the same where only figures differ. They are met in order, as
 * in a comparison of files; where one text goes on elsewhere, two passages in a row, or one with
 * several words, find the place again.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "verify/check.h"

enum { FEW_WORDS = 3 };

/* What is left of a passage without its figures. */
struct bones {
    uint64_t hash;
    bool wordy;
};

struct side {
    const struct reading *r;
    const struct figures *figures;
    const size_t *first;
    struct bones *bones;
};

struct places {
    struct idmap first; /* key to the first passage with it */
    uint32_t *next;     /* the next one with the same key; NO_INDEX */
    uint64_t steps;     /* along those that may still be taken: most are the next or the first */
};

static struct bones bones_of(const struct side *s, size_t i, struct str *buf)
{
    const struct passage *p = &s->r->passages.v[i];
    size_t words = 0, f = s->first[i];
    bool in_word = false;
    str_clear(buf);
    if (p->path) {
        str_printf(buf, "path %s", p->path);
        return (struct bones){hash_bytes(buf->buf, buf->len), true};
    }
    for (size_t k = p->at; k < p->at + p->n;) {
        if (f < s->first[i + 1] && s->figures->v[f].at <= k) {
            const struct figure *one = &s->figures->v[f++];
            str_putc(buf, '#');
            /* digits of a name may differ, the name itself may not */
            for (; one->dim == DIM_NAME && k < one->at + one->n; k++)
                if (!isdigit((unsigned char)s->r->text.buf[k]))
                    str_putc(buf, s->r->text.buf[k]);
            k = one->at + one->n;
            in_word = false;
            continue;
        }
        unsigned char c = (unsigned char)s->r->text.buf[k++];
        if (isspace(c) || c >= 0x80) { /* bars and lines are as long as there is room */
            in_word = false;
            continue;
        }
        words += isalpha(c) && !in_word;
        in_word = isalpha(c) != 0;
        str_putc(buf, (char)c);
    }
    return (struct bones){hash_bytes(buf->buf, buf->len), words >= FEW_WORDS};
}

static void add_bones(struct side *s, struct arena *a)
{
    struct str buf;
    str_init(&buf, a);
    s->bones = arena_array(a, struct bones, s->r->passages.n + 1);
    for (size_t i = 0; i < s->r->passages.n; i++)
        s->bones[i] = bones_of(s, i, &buf);
}

static void find_figures(struct side *s, struct arena *a)
{
    struct figures *all = arena_new(a, struct figures);
    size_t *first = arena_array(a, size_t, s->r->passages.n + 1);
    for (size_t i = 0; i < s->r->passages.n; i++) {
        first[i] = all->n;
        figures_find(all, s->r->text.buf, s->r->passages.v[i].at, s->r->passages.v[i].n, a);
    }
    first[s->r->passages.n] = all->n;
    s->figures = all;
    s->first = first;
}

static uint64_t pair_key(const struct side *s, size_t i)
{
    uint64_t next = i + 1 < s->r->passages.n ? s->bones[i + 1].hash : 0;
    return hash_u64(s->bones[i].hash ^ hash_u64(next + 1));
}

static void add_places(struct places *p, const struct side *s, bool pairs, struct arena *a)
{
    size_t n = s->r->passages.n, keys = 0;
    idmap_init(&p->first, a);
    for (size_t i = 0; i < n; i++)
        keys += !(pairs && s->r->passages.v[i].path);
    idmap_expect(&p->first, keys);
    p->steps = 100000000;
    p->next = arena_array(a, uint32_t, n + 1);
    for (size_t i = n; i-- > 0;) {
        p->next[i] = NO_INDEX;
        if (pairs && s->r->passages.v[i].path)
            continue; /* a path says where it is */
        uint64_t key = pairs ? pair_key(s, i) : s->bones[i].hash;
        p->next[i] = idmap_get(&p->first, key);
        idmap_put(&p->first, key, (uint32_t)i);
    }
}

/* The next place from here on, or the first of all. */
static size_t find_place(struct places *p, uint64_t key, size_t from)
{
    uint32_t first = idmap_get(&p->first, key), at = first;
    for (int tries = 0; at != NO_INDEX && at < from && tries < 4096 && p->steps; tries++) {
        at = p->next[at];
        p->steps--;
    }
    return at != NO_INDEX && at >= from ? at : first == NO_INDEX ? NO_PASSAGE : first;
}

/* Between passages that are the same, one with as many figures is the same place, whatever else
 * was changed. */
static bool between_same(const struct side *t, const struct side *ref, size_t i, size_t at)
{
    return i && at && i + 1 < t->r->passages.n && at + 1 < ref->r->passages.n &&
           !t->r->passages.v[i].path && !ref->r->passages.v[at].path &&
           t->bones[i - 1].hash == ref->bones[at - 1].hash &&
           t->bones[i + 1].hash == ref->bones[at + 1].hash && t->first[i + 1] > t->first[i] &&
           t->first[i + 1] - t->first[i] == ref->first[at + 1] - ref->first[at];
}

/* By passage of the text: the one of the reference, or NO_PASSAGE; how many there are. */
static size_t align(const struct side *t, const struct side *ref, size_t *out, struct arena *a)
{
    struct places pairs, single;
    size_t at = 0, found = 0, n = t->r->passages.n;
    add_places(&pairs, ref, true, a);
    add_places(&single, ref, false, a);
    for (size_t i = 0; i < n; i++) {
        size_t to = NO_PASSAGE;
        if (t->r->passages.v[i].path)
            to = find_place(&single, t->bones[i].hash, 0);
        else if (at < ref->r->passages.n && ref->bones[at].hash == t->bones[i].hash)
            to = at;
        else {
            to = find_place(&pairs, pair_key(t, i), at);
            if (to == NO_PASSAGE && t->bones[i].wordy)
                to = find_place(&single, t->bones[i].hash, at);
        }
        if (to == NO_PASSAGE && between_same(t, ref, i, at))
            to = at;
        out[i] = to;
        if (to == NO_PASSAGE)
            continue;
        found++;
        if (!t->r->passages.v[i].path)
            at = to + 1;
    }
    return found;
}

static bool same_value(const struct figure *a, const char *a_text, const struct figure *b,
                       const char *b_text)
{
    if (a->n == b->n && !memcmp(a_text + a->at, b_text + b->at, a->n))
        return true;
    /* written in another way: 1800 and 1,800 */
    return a->dim == b->dim && a->dim != DIM_NAME && a->value == b->value && a->scale == b->scale &&
           a->tolerance == b->tolerance;
}

static const char *names_beside(const struct side *s, size_t i)
{
    uint32_t object = s->r->passages.v[i].object;
    const char *names = object == NO_INDEX ? NULL : s->r->objects.v[object].names.buf;
    return names ? names : "";
}

/* In JSON the same path is the same thing only where the texts beside it are the same. */
static bool same_row(const struct side *t, size_t i, const struct side *ref, size_t j)
{
    const char *a = names_beside(t, i), *b = names_beside(ref, j);
    for (;; a++, b++) {
        while (isdigit((unsigned char)*a) || *a == '-' || *a == '.' || *a == ',')
            a++;
        while (isdigit((unsigned char)*b) || *b == '-' || *b == '.' || *b == ',')
            b++;
        if (*a != *b || !*a)
            return *a == *b;
    }
}

static bool same_figures(const struct side *t, size_t i, const struct side *ref, size_t j)
{
    size_t n = t->first[i + 1] - t->first[i];
    if (n != ref->first[j + 1] - ref->first[j] ||
        (t->r->passages.v[i].path && !same_row(t, i, ref, j)))
        return false;
    for (size_t k = 0; k < n; k++)
        if (!same_value(&t->figures->v[t->first[i] + k], t->r->text.buf,
                        &ref->figures->v[ref->first[j] + k], ref->r->text.buf))
            return false;
    return true;
}

static void settle(struct checking *c, const struct side *t, const struct side *ref, size_t i,
                   size_t j)
{
    size_t n = t->first[i + 1] - t->first[i];
    if (n != ref->first[j + 1] - ref->first[j] ||
        (t->r->passages.v[i].path && !same_row(t, i, ref, j)))
        return;
    for (size_t k = 0; k < n; k++) {
        size_t at = t->first[i] + k;
        const struct figure *mine = &t->figures->v[at],
                            *right = &ref->figures->v[ref->first[j] + k];
        const struct passage *p = &ref->r->passages.v[j];
        bool same = same_value(mine, t->r->text.buf, right, ref->r->text.buf);
        c->done[at] = true;
        c->counts[at] = mine->dim != DIM_NAME || !same;
        c->out[at].verdict = same ? FIGURE_CONFIRMED : FIGURE_CONTRADICTED;
        c->out[at].right = arena_strndup(c->arena, ref->r->text.buf + right->at, right->n);
        c->out[at].about = !p->path ? "our own report of this trace"
                           : str_eq(p->path, t->r->passages.v[i].path)
                               ? t->r->passages.v[i].path
                               : arena_strdup(c->arena, p->path);
    }
}

/* One text of ours, and where each passage of the other stands in it. */
struct aligned {
    struct side side;
    size_t *to;
    size_t found;
};

/* Shorter ones are read once for all texts; of longer ones the memory is needed elsewhere. */
enum { REFERENCE_KEPT_MAX = 1 << 20 };

static struct aligned align_with(struct checking *c, const struct side *t, struct reference *ref)
{
    struct aligned out = {.to = arena_array(c->temporary, size_t, c->r->passages.n + 1)};
    /* JSON that was damaged is compared line by line */
    bool lines = ref->kind == VERIFY_JSON && !c->r->is_json;
    bool large = ref->n > REFERENCE_KEPT_MAX;
    out.side.r = ref->reading;
    if (!out.side.r)
        out.side.r = reading_of(ref->text, ref->n, lines ? VERIFY_TEXT : ref->kind,
                                large ? c->temporary : c->facts->arena);
    if (!large)
        ref->reading = out.side.r;
    find_figures(&out.side, c->temporary);
    struct arena *own = arena_child(c->temporary); /* bones and places are of use to nobody else */
    add_bones(&out.side, own);
    out.found = align(t, &out.side, out.to, own);
    out.side.bones = NULL;
    arena_release(own);
    return out;
}

/*
 * The text that has most of the passages decides. Where it contradicts one, or does not have it,
 * another may have it whole: sections with all their details, or a longer table.
 */
void check_by_reference(struct checking *c)
{
    struct side t = {.r = c->r, .figures = &c->figures, .first = c->first};
    size_t n = c->facts->references.n, best = 0;
    if (!n)
        return;
    struct aligned *all = arena_array(c->temporary, struct aligned, n);
    add_bones(&t, c->temporary);
    for (size_t i = 0; i < n; i++) {
        all[i] = align_with(c, &t, &c->facts->references.v[i]);
        if (all[i].found > all[best].found)
            best = i;
    }
    for (size_t p = 0; p < c->r->passages.n; p++) {
        size_t by = best;
        for (size_t i = 0; i < n && t.first[p + 1] > t.first[p]; i++) {
            size_t at = all[by].to[p];
            if (at != NO_PASSAGE && same_figures(&t, p, &all[by].side, at))
                break;
            at = all[i].to[p];
            if (at != NO_PASSAGE && t.bones[p].wordy && same_figures(&t, p, &all[i].side, at))
                by = i;
        }
        if (all[by].to[p] != NO_PASSAGE)
            settle(c, &t, &all[by].side, p, all[by].to[p]);
    }
}
