/* How alike the names of kernels are. */
#include <ctype.h>

#include "compare/compare_in.h"

/* Words of letters, in lower case; numbers are tuning parameters and do not count. */
void split_words(struct words *w, const char *name)
{
    w->n = 0;
    for (const char *p = name; *p && *p != '(' && w->n < MAX_WORDS;) {
        char word[32];
        size_t n = 0;
        while (*p && *p != '(' && !isalpha((unsigned char)*p))
            p++;
        while (isalpha((unsigned char)*p)) {
            bool hump = n && isupper((unsigned char)*p) && islower((unsigned char)p[-1]);
            if (hump)
                break;
            if (n < sizeof(word))
                word[n++] = (char)tolower((unsigned char)*p);
            p++;
        }
        uint64_t hash = hash_bytes(word, n);
        bool known = n < 2;
        for (size_t i = 0; i < w->n && !known; i++)
            known = w->v[i] == hash;
        if (!known)
            w->v[w->n++] = hash;
    }
}

double words_alike(const struct words *a, const struct words *b)
{
    size_t both = 0;
    for (size_t i = 0; i < a->n; i++)
        for (size_t j = 0; j < b->n; j++)
            both += a->v[i] == b->v[j];
    size_t all = a->n + b->n - both;
    return all ? (double)both / (double)all : 0;
}

/* Whether the numbers in two names are the same: tile sizes and other parameters. */
bool same_numbers(const char *a, const char *b)
{
    for (;;) {
        while (*a && *a != '(' && !isdigit((unsigned char)*a))
            a++;
        while (*b && *b != '(' && !isdigit((unsigned char)*b))
            b++;
        bool end_a = !*a || *a == '(', end_b = !*b || *b == '(';
        if (end_a || end_b)
            return end_a && end_b;
        while (isdigit((unsigned char)*a) || isdigit((unsigned char)*b))
            if (*a++ != *b++)
                return false;
    }
}
