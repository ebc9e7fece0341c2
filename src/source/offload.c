/* OpenMP and OpenACC directives: regions that run on the GPU, data they move, waits. */
#include <string.h>

#include "source/source_in.h"

struct words {
    const struct source_text *t;
    size_t from, to;
};

static bool has(const struct words *w, const char *word)
{
    for (size_t i = w->from; i < w->to; i++) {
        if (token_eq_fold(w->t, i, word))
            return true;
        if (token_is(&w->t->tokens.v[i], '('))
            i = tokens_skip(w->t, i) - 1;
    }
    return false;
}

static bool first(const struct words *w, size_t n, const char *word)
{
    return w->from + n < w->to && token_eq_fold(w->t, w->from + n, word);
}

static void openmp(const struct words *w, struct source_fact *f)
{
    if (first(w, 0, "end") || first(w, 0, "declare") || !has(w, "target"))
        return;
    bool data = has(w, "data") || has(w, "update");
    f->kind = data ? FACT_COPY : FACT_LAUNCH;
    f->pattern = data ? PATTERN_OMP_DATA : PATTERN_OMP_TARGET;
}

static void openacc(const struct words *w, struct source_fact *f)
{
    if (first(w, 0, "parallel") || first(w, 0, "kernels") || first(w, 0, "serial")) {
        f->kind = FACT_LAUNCH;
        f->pattern = PATTERN_ACC_REGION;
    } else if (first(w, 0, "wait")) {
        f->kind = FACT_SYNC;
        f->pattern = PATTERN_ACC_WAIT;
    } else if (first(w, 0, "update") || first(w, 0, "data") || first(w, 0, "enter") ||
               first(w, 0, "exit")) {
        f->kind = FACT_COPY;
        f->pattern = PATTERN_ACC_DATA;
    }
}

void parse_offload(struct source_text *t, size_t i, struct source_fact around,
                   struct fact_list *out)
{
    struct words w = {t, i + 1, i + 1};
    while (t->tokens.v[w.to].kind != TOKEN_DIRECTIVE_END && t->tokens.v[w.to].kind != TOKEN_END &&
           t->tokens.v[w.to].kind != TOKEN_LINE && t->tokens.v[w.to].kind != TOKEN_DIRECTIVE)
        w.to++;
    bool omp = token_eq_fold(t, i, "omp");
    around.pattern = PATTERN_NONE;
    around.detail = NULL;
    if (omp)
        openmp(&w, &around);
    else
        openacc(&w, &around);
    if (around.pattern == PATTERN_NONE)
        return;
    const char *text = tokens_text(t, i, w.to);
    const char *function = around.function ? around.function : "main";
    /* As compilers call it: …_FUNCTION_lLINE and FUNCTION_LINE_gpu. */
    around.name = around.kind == FACT_LAUNCH
                      ? arena_printf(t->arena, omp ? "%s_l%u" : "%s_%u", function, around.line)
                      : text;
    around.detail = text;
    vec_push(out, t->scratch, around);
}
