#include "model/hardware.h"

#include <string.h>

#define GENERIC(...) {__VA_ARGS__, .product = "", .keys = "", .generic = true},
#define GPU(arch_fields, product_name, key_words, ...)                                             \
    {arch_fields, .product = product_name, .keys = key_words, __VA_ARGS__},
static const struct hardware table[] = {
#include "base/array.h"
#include "model/hardware.def"
};
enum { ROWS = ARRAY_LEN(table), ARCH_MAX = 16, WORDS_MAX = 16, WORD_MAX = 16 };

const struct hardware *hardware_table(size_t *n)
{
    *n = ROWS;
    return table;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static bool is_alnum(char c)
{
    return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z');
}

/* "8.0", "80", "sm_80", "sm_90a", "compute_90" as "sm_…"; anything else as "?". */
static void cuda_arch(char out[ARCH_MAX], const char *arch)
{
    static const char *const prefixes[] = {"sm_", "sm", "compute_"};
    for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
        size_t n = strlen(prefixes[i]);
        if (strncmp(arch, prefixes[i], n) == 0 && is_digit(arch[n])) {
            arch += n;
            break;
        }
    }
    size_t n = 3;
    memcpy(out, "sm_", 3);
    for (; n + 1 < ARCH_MAX && (is_digit(*arch) || *arch == '.'); arch++)
        if (*arch != '.')
            out[n++] = *arch;
    arch += *arch == 'a' || *arch == 'f'; /* architecture-specific code, same hardware */
    out[n] = 0;
    if (*arch || n == 3)
        memcpy(out, "?", 2);
}

/* "amdgcn-amd-amdhsa--gfx90a:xnack-" → "gfx90a". */
static void arch_name(char out[ARCH_MAX], const char *arch)
{
    const char *gfx = strstr(arch, "gfx");
    size_t n = 0;
    if (!gfx) {
        cuda_arch(out, arch);
        return;
    }
    for (; n + 1 < ARCH_MAX && is_alnum(gfx[n]); n++)
        out[n] = lower(gfx[n]);
    out[n] = 0;
}

/* The words of a product name, lower case; long or late ones are cut. */
struct words {
    char v[WORDS_MAX][WORD_MAX];
    size_t n;
};

static void words_of(struct words *w, const char *text)
{
    w->n = 0;
    while (*text && w->n < WORDS_MAX) {
        size_t n = 0;
        for (; is_alnum(*text); text++)
            if (n + 1 < WORD_MAX)
                w->v[w->n][n++] = lower(*text);
        w->v[w->n][n] = 0;
        w->n += n > 0;
        text += *text != 0;
    }
}

static bool has_word(const struct words *w, const char *word)
{
    for (size_t i = 0; i < w->n; i++)
        if (strcmp(w->v[i], word) == 0)
            return true;
    return false;
}

/* Words that make another product of one: a "4070 Ti" is no "4070". */
static const char *const variants[] = {
    "ti", "super", "laptop", "mobile", "xt", "xtx", "gre", "d", "nvl", "max",
};

/* How many key words the product has; 0 when one is missing, or the product is a variant. */
static size_t match_keys(const struct words *product, const char *keys)
{
    struct words k;
    words_of(&k, keys);
    for (size_t i = 0; i < ARRAY_LEN(variants); i++)
        if (has_word(product, variants[i]) && !has_word(&k, variants[i]))
            return 0;
    for (size_t i = 0; i < k.n; i++)
        if (!has_word(product, k.v[i]))
            return 0;
    return k.n;
}

static const struct hardware *by_product(const char *arch, const char *product, int cu_count)
{
    struct words w;
    words_of(&w, product);
    const struct hardware *best = NULL;
    size_t best_score = 0;
    for (size_t i = 0; i < ROWS; i++) {
        if (*arch && strcmp(table[i].arch, arch) != 0)
            continue;
        size_t score = 2 * match_keys(&w, table[i].keys);
        if (score && cu_count > 0 && table[i].cu_count == cu_count)
            score++;
        if (score > best_score) {
            best = &table[i];
            best_score = score;
        }
    }
    return best;
}

/* The only row of the architecture with that many CUs, or NULL. */
static const struct hardware *by_cu_count(const char *arch, int cu_count)
{
    const struct hardware *only = NULL;
    for (size_t i = 0; i < ROWS && *arch && cu_count > 0; i++) {
        if (table[i].generic || table[i].cu_count != cu_count || strcmp(table[i].arch, arch) != 0)
            continue;
        if (only)
            return NULL;
        only = &table[i];
    }
    return only;
}

const struct hardware *hardware_find(const char *arch, const char *product, int cu_count)
{
    char name[ARCH_MAX] = "";
    if (arch && *arch)
        arch_name(name, arch);
    bool has_product = product && *product;
    const struct hardware *hw =
        has_product ? by_product(name, product, cu_count) : by_cu_count(name, cu_count);
    for (size_t i = 0; i < ROWS && !hw; i++)
        if (table[i].generic && strcmp(table[i].arch, name) == 0)
            hw = &table[i];
    return hw;
}
