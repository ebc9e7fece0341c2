/*
 * Fuzzing the source scan: any bytes as C, OpenCL, Fortran in both forms and Python. Lines of facts
 * must lie in the file, in a loop or not; the bytes are copied, so that reading past them shows.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "source/source_in.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct fact_list *facts, uint32_t lines)
{
    for (size_t i = 0; i < facts->n; i++) {
        const struct source_fact *f = &facts->v[i];
        if (!f->line || f->line > lines || !f->name || f->kind >= FACT_KINDS ||
            f->pattern == PATTERN_NONE || f->pattern >= PATTERNS)
            abort();
    }
}

static void read_as(enum source_language language, const char *text, size_t n)
{
    static struct symbols tables[3];
    static bool made;
    if (!made) {
        symbols_init_c(&tables[0], false);
        symbols_init_c(&tables[1], true);
        symbols_init_python(&tables[2]);
        made = true;
    }
    struct arena a;
    arena_init(&a);
    struct source_text t = {.text = text,
                            .size = n,
                            .language = language,
                            .scratch = &a,
                            .arena = &a,
                            .token_arena = &a,
                            .symbols = &tables[0]};
    struct fact_list facts = {0};
    if (language == SOURCE_PYTHON) {
        t.symbols = &tables[2];
        lex_python(&t);
        parse_python(&t, &facts);
    } else if (language == SOURCE_FORTRAN || language == SOURCE_FORTRAN_FIXED) {
        t.symbols = &tables[1];
        lex_fortran(&t);
        parse_fortran(&t, &facts);
    } else {
        lex_c(&t);
        parse_c(&t, &facts);
    }
    check(&facts, t.lines + 1);
    arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size ? size : 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    for (enum source_language l = SOURCE_C; l <= SOURCE_PYTHON; l++)
        read_as(l, text, size);
    if (size < 512) { /* the first line as a pattern, the rest as a path */
        char *pattern = malloc(size + 1);
        memcpy(pattern, data, size);
        pattern[size] = 0;
        char *nl = strchr(pattern, '\n');
        if (nl) {
            *nl = 0;
            size_t steps = 0;
            glob_match(pattern, nl + 1, &steps);
        }
        free(pattern);
    }
    free(text);
    return 0;
}
