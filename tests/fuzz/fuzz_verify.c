/*
 * Any bytes as a report of each kind, as facts, and as a reference: figures must lie in the text,
 * and counts must add up.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "verify/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_as(enum verify_kind kind, const char *text, size_t n)
{
    struct arena a;
    arena_init(&a);
    struct facts *f = facts_new(&a);
    facts_add_json(f, "facts", text, n);
    if (n > 8)
        facts_add_reference(f, kind, text + n / 2, n - n / 2);
    const struct verification *v = verify_text(text, n, kind, f, &a);
    if (v->confirmed + v->contradicted + v->not_found != v->figures.n)
        abort();
    for (size_t i = 0; i < v->figures.n; i++)
        if (!v->figures.v[i].n || v->figures.v[i].at + v->figures.v[i].n > n)
            abort();
    arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size ? size : 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    for (enum verify_kind k = VERIFY_TEXT; k <= VERIFY_CSV; k++)
        read_as(k, text, size);
    free(text);
    return 0;
}
