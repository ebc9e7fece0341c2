/* Fortran: program units, loops (labelled ones too), calls, launches of CUDA Fortran, directives.
 */
#include <string.h>

#include "source/source_in.h"

/* Nobody nests so deep or has names so long; without a bound each statement would cost as much. */
enum { DEEPEST = 1024, NAME_LONGEST = 1024 };

enum frame_kind { UNIT, INTERFACE, LOOP };

struct frame {
    uint8_t kind;
    uint32_t depth, function, label; /* label: token of the number that ends the loop; 0: none */
};

struct parser {
    struct source_text *t;
    struct fact_list *out;
    VEC(struct frame) frames;
    size_t beyond;     /* frames that are too deep to be kept */
    size_t launch_end; /* where the next ">>>" is; the statement's end: there is no more */
    uint32_t function; /* token of the name in function_text */
    const char *function_text;
};

static const struct token *at(const struct parser *p, size_t i)
{
    return &p->t->tokens.v[i];
}

static bool is(const struct parser *p, size_t i, const char *word)
{
    return token_eq_fold(p->t, i, word);
}

static struct frame top(const struct parser *p)
{
    return p->frames.n ? p->frames.v[p->frames.n - 1] : (struct frame){0};
}

static bool in_interface(const struct parser *p)
{
    for (size_t i = 0; i < p->frames.n; i++)
        if (p->frames.v[i].kind == INTERFACE)
            return true;
    return false;
}

static const char *token_text(const struct parser *p, size_t i)
{
    size_t n = at(p, i)->len;
    return arena_strndup(p->t->arena, p->t->text + at(p, i)->at,
                         n < NAME_LONGEST ? n : NAME_LONGEST);
}

/* The same text for all facts of a function. */
static const char *function_text(struct parser *p, uint32_t function)
{
    if (function && p->function != function) {
        p->function = function;
        p->function_text = token_text(p, function);
    }
    return function ? p->function_text : NULL;
}

static struct source_fact fact_at(struct parser *p, size_t i, enum fact_kind kind,
                                  enum source_pattern_id pattern)
{
    struct frame f = top(p);
    return (struct source_fact){.kind = kind,
                                .pattern = pattern,
                                .line = at(p, i)->line,
                                .loop_depth = f.depth,
                                .function = function_text(p, f.function)};
}

static struct source_fact *add(struct parser *p, size_t i, enum fact_kind kind,
                               enum source_pattern_id pattern)
{
    vec_push(p->out, p->t->scratch, fact_at(p, i, kind, pattern));
    return &p->out->v[p->out->n - 1];
}

static size_t statement_end(const struct parser *p, size_t i)
{
    while (at(p, i)->kind != TOKEN_LINE && at(p, i)->kind != TOKEN_DIRECTIVE &&
           at(p, i)->kind != TOKEN_END)
        i++;
    return i;
}

/* Closes the innermost frame of this kind and all inside it. */
static void close_frame(struct parser *p, uint8_t kind)
{
    if (p->beyond) {
        p->beyond--;
        return;
    }
    for (size_t n = p->frames.n; n > 0; n--)
        if (p->frames.v[n - 1].kind == kind) {
            p->frames.n = n - 1;
            return;
        }
}

static bool end_statement(struct parser *p, size_t i, size_t end)
{
    static const struct {
        const char *word, *joined;
        uint8_t kind;
    } ends[] = {{"do", "enddo", LOOP},
                {"subroutine", "endsubroutine", UNIT},
                {"function", "endfunction", UNIT},
                {"program", "endprogram", UNIT},
                {"module", "endmodule", UNIT},
                {"procedure", "endprocedure", UNIT},
                {"submodule", "endsubmodule", UNIT},
                {"interface", "endinterface", INTERFACE}};
    bool plain = is(p, i, "end");
    if (plain && i + 1 >= end) {
        close_frame(p, UNIT);
        return true;
    }
    for (size_t k = 0; k < ARRAY_LEN(ends); k++)
        if (is(p, i, ends[k].joined) || (plain && is(p, i + 1, ends[k].word))) {
            close_frame(p, ends[k].kind);
            return true;
        }
    return plain;
}

static void push(struct parser *p, uint8_t kind, size_t function, size_t label)
{
    struct frame f = top(p);
    if (p->frames.n >= DEEPEST) {
        p->beyond++;
        return;
    }
    f.kind = kind;
    f.label = (uint32_t)label;
    f.depth = kind == LOOP ? f.depth + 1 : 0;
    f.function = function ? (uint32_t)function : f.function;
    vec_push(&p->frames, p->t->scratch, f);
}

/* subroutine, function, program, module: returns true when the statement begins one. */
static bool begin_unit(struct parser *p, size_t i, size_t end)
{
    bool global = false;
    if (is(p, i, "interface") || (is(p, i, "abstract") && is(p, i + 1, "interface"))) {
        push(p, INTERFACE, 0, 0);
        return true;
    }
    for (size_t n = i; n < end; n++) {
        const struct token *k = at(p, n);
        if (token_is(k, '(')) {
            global |= is(p, n - 1, "attributes") &&
                      (is(p, n + 1, "global") || is(p, n + 1, "grid_global"));
            n = tokens_skip(p->t, n) - 1;
        } else if (k->kind != TOKEN_IDENT && !token_is(k, '*') && k->kind != TOKEN_NUMBER) {
            return false;
        } else if (is(p, n, "subroutine") || is(p, n, "function") ||
                   (n == i && (is(p, n, "program") || is(p, n, "submodule") ||
                               (is(p, n, "module") && n + 2 == end)))) {
            size_t name = is(p, n, "submodule") ? n : n + 1;
            if (at(p, name)->kind != TOKEN_IDENT || name >= end)
                return false;
            push(p, UNIT, name, 0);
            if (global) {
                struct source_fact *f = add(p, name, FACT_KERNEL, PATTERN_GLOBAL_KERNEL_DEF);
                f->name = token_text(p, name);
                f->function = NULL;
            }
            return true;
        }
    }
    return false;
}

static bool begin_loop(struct parser *p, size_t i, size_t end)
{
    if (at(p, i)->kind == TOKEN_IDENT && token_is(at(p, i + 1), ':'))
        i += 2;
    if (i >= end || !is(p, i, "do") || token_is(at(p, i + 1), '=') || token_is(at(p, i + 1), '('))
        return false;
    push(p, LOOP, 0, i + 1 < end && at(p, i + 1)->kind == TOKEN_NUMBER ? i + 1 : 0);
    return true;
}

/* "10 continue": loops that end with this label are over. */
static void end_labelled(struct parser *p, size_t label)
{
    for (size_t n = p->frames.n; n > 0 && p->frames.v[n - 1].kind == LOOP; n--) {
        const struct token *k = at(p, p->frames.v[n - 1].label);
        if (p->frames.v[n - 1].label && k->len == at(p, label)->len &&
            !memcmp(p->t->text + k->at, p->t->text + at(p, label)->at, k->len))
            p->frames.n = n - 1;
    }
}

static void launch(struct parser *p, size_t i, size_t end)
{
    size_t n = i + 1 > p->launch_end ? i + 1 : p->launch_end;
    while (n + 2 < end &&
           !(token_is(at(p, n), '>') && token_is(at(p, n + 1), '>') && token_is(at(p, n + 2), '>')))
        n++;
    p->launch_end = n;
    if (n + 2 >= end || at(p, i - 1)->kind != TOKEN_IDENT)
        return;
    struct source_fact *f = add(p, i - 1, FACT_LAUNCH, PATTERN_TRIPLE_ANGLE_LAUNCH);
    f->name = token_text(p, i - 1);
    f->detail = tokens_text(p->t, i + 1, n);
}

static void call(struct parser *p, size_t i)
{
    const struct symbol *s = &p->t->symbols->v[at(p, i)->symbol];
    bool called = token_is(at(p, i + 1), '(') || is(p, i - 1, "call");
    if ((s->form != FORM_CALL && s->form != FORM_LAUNCH) || !called || token_is(at(p, i - 1), '%'))
        return;
    struct source_fact *f = add(p, i, s->kind, s->pattern);
    bool whole = at(p, i)->len == strlen(s->name);
    f->name = whole ? s->name : token_text(p, i);
    if (s->form == FORM_LAUNCH) {
        f->name = "(expression)";
        f->indirect = true;
    }
    if ((s->kind == FACT_COPY || s->kind == FACT_MARKER || s->kind == FACT_ALLOC) &&
        token_is(at(p, i + 1), '(')) {
        size_t end = tokens_skip(p->t, i + 1);
        f->detail = tokens_text(p->t, i + 2, end - 1);
    }
}

static void statement(struct parser *p, size_t i, size_t end)
{
    size_t label = i < end && at(p, i)->kind == TOKEN_NUMBER ? i++ : 0;
    if (i < end && at(p, i)->kind == TOKEN_IDENT && !end_statement(p, i, end) &&
        !begin_unit(p, i, end) && !in_interface(p)) {
        bool declares = false;
        p->launch_end = 0;
        begin_loop(p, i, end);
        for (size_t n = i; n < end; n++) {
            declares |= token_is(at(p, n), PUNCT_SCOPE);
            if (token_is(at(p, n), PUNCT_LAUNCH))
                launch(p, n, end);
            else if (at(p, n)->kind == TOKEN_IDENT && at(p, n)->symbol && !declares)
                call(p, n);
        }
    }
    if (label)
        end_labelled(p, label);
}

static void directive(struct parser *p, size_t i)
{
    if (in_interface(p))
        return;
    if (at(p, i)->ch == DIRECTIVE_CUF) {
        if (!is(p, i + 2, "kernel"))
            return;
        struct source_fact *f = add(p, i + 1, FACT_LAUNCH, PATTERN_CUF_KERNEL);
        f->name = arena_printf(p->t->arena, "%s_%u", f->function ? f->function : "main", f->line);
        f->detail = tokens_text(p->t, i + 1, statement_end(p, i + 1));
        return;
    }
    parse_offload(p->t, i + 1, fact_at(p, i, FACT_LAUNCH, PATTERN_NONE), p->out);
}

void parse_fortran(struct source_text *t, struct fact_list *out)
{
    struct parser p = {.t = t, .out = out};
    for (size_t i = 1; t->tokens.v[i].kind != TOKEN_END;) {
        bool is_directive = t->tokens.v[i].kind == TOKEN_DIRECTIVE;
        size_t end = statement_end(&p, i + 1);
        if (is_directive)
            directive(&p, i);
        else
            statement(&p, i + 1, end);
        i = end;
    }
}
