#include "verify/words.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"

enum { WORD_BYTES = 96, LONGEST_STOP = 7 };

static const struct {
    const char *said, *means;
} same[] = {
#define WORD(said, means) {said, means},
#include "verify/words.def"
#undef WORD
};

/* Words that say nothing about what a figure is. */
static const char stop_words[] =
    " a an and are as at be been between but by can could do does each every for from has have he "
    "if in into is it its more most mostly much no not of off on one only or other out over "
    "per so some such than that the their them then there these they this those to too under up "
    "very was we were what when which while who will with would you your ns us ms sec ";

void words_init(struct words *w, struct arena *a)
{
    *w = (struct words){.arena = a};
    idmap_init(&w->ids, a);
    idmap_init(&w->same, a);
    for (size_t i = ARRAY_LEN(same); i-- > 0;) /* of two the first one counts */
        idmap_put(&w->same, hash_bytes(same[i].said, strlen(same[i].said)), (uint32_t)i);
}

/* What a word means, where it is one of ours; NULL: it is not. */
static const char *meaning(const struct words *w, const char *word, size_t n)
{
    uint32_t i = idmap_get(&w->same, hash_bytes(word, n));
    return i != NO_INDEX && str_eq(word, same[i].said) ? same[i].means : NULL;
}

static size_t stem(char *word, size_t n)
{
    if (n > 5 && !memcmp(word + n - 3, "ing", 3))
        n -= 3;
    else if (n > 4 && !memcmp(word + n - 2, "ed", 2))
        n -= 2;
    else if (n > 3 && word[n - 1] == 's' && word[n - 2] != 's' && word[n - 2] != 'u')
        n -= 1;
    word[n] = 0;
    return n;
}

static uint32_t number(struct words *w, const char *word, bool add, bool name)
{
    uint64_t key = hash_bytes(word, strlen(word));
    uint32_t id = idmap_get(&w->ids, key);
    if (id == NO_INDEX && add) {
        id = (uint32_t)w->counts.n;
        vec_push(&w->counts, w->arena, 0);
        vec_push(&w->names, w->arena, name);
        vec_push(&w->subjects, w->arena, false);
        idmap_put(&w->ids, key, id);
    }
    if (id != NO_INDEX && name)
        w->names.v[id] = true;
    return id;
}

static void plain(struct words *w, char *word, size_t n, bool add, word_use *use, void *ctx,
                  size_t at)
{
    char padded[WORD_BYTES + 3];
    if (n < 1 || n >= WORD_BYTES)
        return;
    memcpy(padded + 1, word, n);
    padded[0] = padded[n + 1] = ' ';
    padded[n + 2] = 0;
    if (n <= LONGEST_STOP && strstr(stop_words, padded))
        return;
    const char *means = meaning(w, word, n);
    if (!means) {
        size_t stemmed = stem(word, n);
        means = stemmed < n ? meaning(w, word, stemmed) : NULL;
    }
    use(ctx, number(w, means ? means : word, add, false), at);
}

/* "GPU 3", "rank 0": the number belongs to the name. */
static size_t numbered(const char *word, size_t n, const char *text, size_t i, size_t end)
{
    static const char *const kinds[] = {"gpu", "rank", "phase", "stream", "process", "device"};
    for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
        if (strlen(kinds[k]) != n || memcmp(kinds[k], word, n) != 0)
            continue;
        size_t d = i + (i < end && (text[i] == ' ' || text[i] == ':'));
        size_t first = d;
        while (d < end && isdigit((unsigned char)text[d]))
            d++;
        bool unit =
            d < end && (isalnum((unsigned char)text[d]) || text[d] == '.' || text[d] == ',');
        return d > first && d - first < 8 && !unit ? d : 0;
    }
    return 0;
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t place_word(const char *text, size_t n, bool *host)
{
    static const char *const words[] = {"host", "cpu", "device", "gpu"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (n >= strlen(words[i]) && !strncasecmp(text, words[i], strlen(words[i]))) {
            *host = i < 2;
            return strlen(words[i]);
        }
    return 0;
}

/* "Host-to-Device", "host to device", "HtoD": which way a copy goes is its name; words alone would
 * say the same of both ways. NULL: none begins here. */
static const char *direction(const char *text, size_t n)
{
    static const char *const ways[2][2] = {{"d2d", "d2h"}, {"h2d", "h2h"}};
    static const char *const letters[] = {"h2d", "htod", "d2h", "dtoh", "d2d", "dtod"};
    bool from, to;
    if (!n || !strchr("hdcgHDCG", text[0])) /* host, device, cpu, gpu */
        return NULL;
    for (size_t i = 0; i < ARRAY_LEN(letters); i++) {
        size_t len = strlen(letters[i]);
        if (n >= len && !strncasecmp(text, letters[i], len) && (n == len || !in_word(text[len])))
            return letters[i - i % 2];
    }
    size_t at = place_word(text, n, &from);
    if (!at || n < at + 4 || !strchr("-_ ", text[at]) || strncasecmp(text + at + 1, "to", 2) != 0 ||
        text[at + 3] != text[at])
        return NULL;
    return place_word(text + at + 4, n - at - 4, &to) ? ways[from][to] : NULL;
}

void words_each(struct words *w, const char *text, size_t n, bool add, word_use *use, void *ctx)
{
    char word[WORD_BYTES + 16];
    for (size_t i = 0; i < n;) {
        if (!in_word(text[i])) {
            i++;
            continue;
        }
        size_t start = i, len = 0, parts = 0;
        bool digits = false, letters = false, hump = false;
        for (; i < n && in_word(text[i]); i++) {
            char c = (char)tolower((unsigned char)text[i]);
            hump |=
                i > start && isupper((unsigned char)text[i]) && islower((unsigned char)text[i - 1]);
            digits |= isdigit((unsigned char)c) != 0;
            letters |= isalpha((unsigned char)c) != 0;
            parts += c == '_';
            if (len < WORD_BYTES)
                word[len++] = c;
        }
        word[len] = 0;
        if (!letters)
            continue;
        if (parts || digits || hump)
            use(ctx, number(w, word, add, parts || hump), start);
        size_t after = numbered(word, len, text, i, n);
        if (after) {
            char named[WORD_BYTES + 16];
            memcpy(named, word, len);
            size_t from = i + (text[i] == ' ' || text[i] == ':');
            memcpy(named + len, text + from, after - from);
            named[len + after - from] = 0;
            use(ctx, number(w, named, add, true), start);
        }
        if (hump && !parts) { /* a name, unless it is a word of ours: HtoD, StdDev */
            const char *means = direction(text + start, n - start);
            if (!means)
                means = meaning(w, word, len);
            if (means)
                use(ctx, number(w, means, add, false), start);
            continue;
        }
        for (size_t p = 0; p < len;) {
            size_t e = p;
            while (e < len && word[e] != '_')
                e++;
            const char *way = direction(text + start + p, n - start - p);
            if (way)
                use(ctx, number(w, way, add, true), start);
            if (e > p) {
                char part[WORD_BYTES + 1];
                memcpy(part, word + p, e - p);
                part[e - p] = 0;
                plain(w, part, e - p, add, use, ctx, start);
            }
            p = e + 1;
        }
    }
}

struct adding {
    struct word_list *list;
    struct arena *arena;
};

static void add_one(void *ctx, uint32_t word, size_t at)
{
    struct adding *a = ctx;
    (void)at;
    for (size_t i = 0; i < a->list->n; i++)
        if (a->list->v[i] == word)
            return;
    if (a->list->n < 48)
        vec_push(a->list, a->arena, word);
}

void words_add(struct words *w, struct word_list *list, const char *text, struct arena *a)
{
    struct adding ctx = {list, a};
    words_each(w, text, strlen(text), true, add_one, &ctx);
}
