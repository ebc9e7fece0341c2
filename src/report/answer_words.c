#include <ctype.h>
#include <string.h>

#include "report/answer.h"

static const char *const stops[] = {
#define STOP(word) word,
#define GENERAL(word)
#define MEANS(word, other)
#include "report/answer_words.def"
#undef STOP
#undef GENERAL
#undef MEANS
    NULL,
};

static const char *const generals[] = {
#define STOP(word)
#define GENERAL(word) word,
#define MEANS(word, other)
#include "report/answer_words.def"
#undef STOP
#undef GENERAL
#undef MEANS
    NULL,
};

static const struct {
    const char *word, *other;
} meanings[] = {
#define STOP(word)
#define GENERAL(word)
#define MEANS(word, other) {word, other},
#include "report/answer_words.def"
#undef STOP
#undef GENERAL
#undef MEANS
};

static bool listed(const char *const *list, const char *word)
{
    for (size_t i = 0; list[i]; i++)
        if (str_eq(list[i], word))
            return true;
    return false;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static void add(struct question_words *out, const char *word, struct arena *a)
{
    enum { MOST = 64 };
    for (size_t i = 0; i < out->n; i++)
        if (str_eq(out->v[i], word))
            return;
    if (out->n < MOST)
        vec_push(out, a, word);
}

void words_of(struct question_words *out, const char *text, struct arena *a)
{
    *out = (struct question_words){0};
    while (*text) {
        size_t n = 0;
        while (is_word(text[n]))
            n++;
        if (n >= 2) {
            char *word = arena_strndup(a, text, n);
            for (size_t i = 0; i < n; i++)
                word[i] = (char)tolower((unsigned char)word[i]);
            if (listed(generals, word))
                out->general = true;
            else if (!listed(stops, word))
                add(out, word, a);
            for (size_t i = 0; i < ARRAY_LEN(meanings); i++)
                if (str_eq(meanings[i].word, word))
                    add(out, meanings[i].other, a);
        }
        text += n ? n : 1;
    }
}

/* The same word but for its ending: kernel and kernels, copy and copies, launch and launching. */
static bool same(const char *a, size_t n, const char *b, size_t m)
{
    size_t k = 0;
    while (k < n && k < m && tolower((unsigned char)a[k]) == tolower((unsigned char)b[k]))
        k++;
    if (k == n && k == m)
        return true;
    size_t most = n > m ? n : m;
    bool y = k >= 3 && k + 1 == (n < m ? n : m) && (a[k] == 'y' || b[k] == 'y'); /* copy, copies */
    return (k >= 4 && most - k <= 3) || y;
}

size_t words_in(const struct question_words *w, const char *text)
{
    size_t found = 0;
    for (size_t i = 0; text && i < w->n; i++) {
        bool hit = false;
        for (const char *p = text; *p && !hit;) {
            size_t n = 0;
            while (is_word(p[n]))
                n++;
            hit = n && same(p, n, w->v[i], strlen(w->v[i]));
            p += n ? n : 1;
        }
        found += hit;
    }
    return found;
}
