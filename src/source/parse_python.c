/*
 * Python: loops and functions by indentation, calls by dotted name after imports are resolved.
 * Launches of the form kernel[grid](...) are kept when a kernel of that name exists anywhere in
 * the scan; judge_kernels() drops the others.
 */
#include <string.h>

#include "base/hash.h"
#include "base/str.h"
#include "source/source_in.h"

struct frame {
    uint32_t indent, depth, function;
    bool opened; /* its ':' was seen */
};

/* Nobody has chains or names so long; without a bound each part would cost as much as the whole. */
enum { MOST_PARTS = 64, NAME_LONGEST = 1024, MOST_FORS = 64 };

struct alias {
    const char *name, *path;
    uint16_t symbol; /* what the last part of the path is, where the name differs from it */
};

struct parser {
    struct source_text *t;
    struct fact_list *out;
    VEC(struct frame) frames;
    VEC(struct alias) aliases;
    struct idmap alias_of; /* hash of a name -> the latest alias */
    uint32_t function;     /* token of the name in function_text */
    const char *function_text;
    VEC(size_t) bracket_facts; /* facts there were at each bracket that is open */
    uint32_t header; /* indentation of the loop whose header is being read, plus 1; 0: none */
    bool while_header, uses_gpu, renamed;
    enum source_pattern_id decorated; /* the next def is such a kernel */
};

static const struct token *at(const struct parser *p, size_t i)
{
    return &p->t->tokens.v[i];
}

static struct frame top(const struct parser *p)
{
    return p->frames.n ? p->frames.v[p->frames.n - 1] : (struct frame){0};
}

static const char *text_of(const struct parser *p, size_t i)
{
    return arena_strndup(p->t->scratch, p->t->text + at(p, i)->at, at(p, i)->len);
}

static enum keyword word_of(const struct parser *p, size_t i)
{
    const struct symbol *s = &p->t->symbols->v[at(p, i)->symbol];
    bool is_word = at(p, i)->kind == TOKEN_IDENT && at(p, i)->symbol && s->form == FORM_KEYWORD;
    return is_word && !token_is(at(p, i - 1), '.') ? s->word : WORD_NONE;
}

static struct source_fact *add(struct parser *p, size_t i, enum fact_kind kind,
                               enum source_pattern_id pattern)
{
    struct frame f = top(p);
    struct source_fact fact = {.kind = kind,
                               .pattern = pattern,
                               .line = at(p, i)->line,
                               .loop_depth = f.depth + (p->header && p->while_header)};
    if (f.function && f.function != p->function) {
        size_t n = at(p, f.function)->len;
        p->function = (uint32_t)f.function;
        p->function_text = arena_strndup(p->t->arena, p->t->text + at(p, f.function)->at,
                                         n < NAME_LONGEST ? n : NAME_LONGEST);
    }
    fact.function = f.function ? p->function_text : NULL;
    vec_push(p->out, p->t->scratch, fact);
    return &p->out->v[p->out->n - 1];
}

/* ---- imports ---- */

/* A dotted name from token i; *end is behind it. */
static const char *dotted(const struct parser *p, size_t i, size_t *end)
{
    struct str s;
    str_init(&s, p->t->scratch);
    while (at(p, i)->kind == TOKEN_IDENT && s.len < 200) {
        str_put(&s, p->t->text + at(p, i)->at, at(p, i)->len);
        i++;
        if (!token_is(at(p, i), '.'))
            break;
        str_putc(&s, '.');
        i++;
    }
    *end = i;
    return s.buf;
}

static bool is_alias(const struct alias *a, const char *name, size_t n)
{
    return strlen(a->name) == n && !memcmp(a->name, name, n);
}

/* What a name was bound to last, or NULL. Two names with one hash: all are looked at. */
static const struct alias *find_alias(const struct parser *p, const char *name, size_t n)
{
    uint32_t i = idmap_get(&p->alias_of, hash_bytes(name, n));
    if (i == NO_INDEX || is_alias(&p->aliases.v[i], name, n))
        return i == NO_INDEX ? NULL : &p->aliases.v[i];
    for (size_t a = p->aliases.n; a-- > 0;)
        if (is_alias(&p->aliases.v[a], name, n))
            return &p->aliases.v[a];
    return NULL;
}

static void bind(struct parser *p, const char *name, const char *path)
{
    static const char *const frameworks[] = {"torch",      "jax",    "cupy",
                                             "numba.cuda", "triton", "numba"};
    const char *dot = strrchr(path, '.'), *last = dot ? dot + 1 : path;
    struct alias a = {.name = name, .path = path};
    if (!str_eq(name, last)) {
        uint32_t h = SYMBOL_HASH_START;
        for (const char *c = last; *c; c++)
            h = symbol_hash(h, (uint8_t)*c);
        a.symbol = *last ? symbols_find(p->t->symbols, last, strlen(last), h) : 0;
        p->renamed |= a.symbol != 0;
    }
    idmap_put(&p->alias_of, hash_bytes(name, strlen(name)), (uint32_t)p->aliases.n);
    vec_push(&p->aliases, p->t->scratch, a);
    for (size_t i = 0; i < ARRAY_LEN(frameworks); i++) {
        size_t n = strlen(frameworks[i]);
        p->uses_gpu |= str_starts(path, frameworks[i]) && (!path[n] || path[n] == '.');
    }
}

static size_t import_names(struct parser *p, size_t i, const char *module)
{
    for (;;) {
        size_t end;
        while (token_is(at(p, i), '(') || token_is(at(p, i), ','))
            i++;
        if (at(p, i)->kind != TOKEN_IDENT)
            return i - 1;
        const char *name = dotted(p, i, &end);
        const char *path = module ? arena_printf(p->t->scratch, "%s.%s", module, name) : name;
        if (token_eq(p->t, end, "as") && at(p, end + 1)->kind == TOKEN_IDENT) {
            bind(p, text_of(p, end + 1), path);
            end += 2;
        } else if (module) {
            bind(p, name, path);
        } else {
            bind(p, text_of(p, i), text_of(p, i));
        }
        if (!token_is(at(p, end), ','))
            return end - 1;
        i = end;
    }
}

static size_t import(struct parser *p, size_t i)
{
    if (word_of(p, i) == WORD_IMPORT)
        return import_names(p, i + 1, NULL);
    size_t end;
    const char *module = dotted(p, i + 1, &end);
    return word_of(p, end) == WORD_IMPORT ? import_names(p, end + 1, module) : i;
}

/* ---- names ---- */

/* What owns the name at i: "torch.cuda" of torch.cuda.synchronize; "" nothing; "?" unknown. */
static const char *owner_of(const struct parser *p, size_t i, const char **name)
{
    size_t from = i, end;
    *name = text_of(p, i);
    while (from >= 3 && i - from < 2 * MOST_PARTS && token_is(at(p, from - 1), '.') &&
           at(p, from - 2)->kind == TOKEN_IDENT)
        from -= 2;
    if (token_is(at(p, from - 1), '.'))
        return "?";
    const char *path = dotted(p, from, &end);
    size_t head = strcspn(path, ".");
    const struct alias *a = find_alias(p, path, head);
    if (a)
        path = arena_printf(p->t->scratch, "%s%s", a->path, path + head);
    /* The path ends where the name does, whatever follows it. */
    const char *cut = strrchr(path, '.');
    size_t n = 0;
    for (size_t k = i + 1;
         n < MOST_PARTS && token_is(at(p, k), '.') && at(p, k + 1)->kind == TOKEN_IDENT; k += 2)
        n++;
    for (; n && cut; n--) {
        path = arena_strndup(p->t->scratch, path, (size_t)(cut - path));
        cut = strrchr(path, '.');
    }
    if (!cut) {
        *name = path;
        return "";
    }
    *name = cut + 1;
    return arena_strndup(p->t->scratch, path, (size_t)(cut - path));
}

static const struct symbol *meaning(const struct parser *p, size_t i, bool decorator)
{
    const char *name, *owner = NULL;
    for (const struct symbol *s = &p->t->symbols->v[at(p, i)->symbol];;
         s = &p->t->symbols->v[s->next]) {
        if (s->form != FORM_KEYWORD && (s->form == FORM_DECORATOR) == decorator) {
            owner = owner ? owner : owner_of(p, i, &name);
            bool method = str_eq(s->owner, ".") && p->uses_gpu && token_is(at(p, i - 1), '.');
            if (method || (str_eq(owner, s->owner) && str_eq(name, s->name)))
                return s;
        }
        if (!s->next)
            return NULL;
    }
}

/* .to("cuda"), .to(device="cuda:0"), .to('hip') */
static bool goes_to_gpu(const struct parser *p, size_t paren)
{
    size_t i = paren + 1;
    if (token_eq(p->t, i, "device") && token_is(at(p, i + 1), '='))
        i += 2;
    const struct token *k = at(p, i);
    return k->kind == TOKEN_STRING && k->len > 5 && !memcmp(p->t->text + k->at + 1, "cuda", 4);
}

static void raw_kernel(struct parser *p, struct source_fact *f, size_t paren)
{
    size_t end = tokens_skip(p->t, paren);
    const struct token *name = NULL;
    for (size_t i = paren + 1; i < end; i++)
        if (at(p, i)->kind == TOKEN_STRING &&
            !memchr(p->t->text + at(p, i)->at, '\n', at(p, i)->len) && at(p, i)->len > 2 &&
            at(p, i)->len < 200)
            name = at(p, i);
    f->name =
        name ? arena_strndup(p->t->arena, p->t->text + name->at + 1, name->len - 2) : "(text)";
}

static void call(struct parser *p, size_t i)
{
    size_t paren = i + 1;
    if (!token_is(at(p, paren), '('))
        return;
    const struct symbol *s = meaning(p, i, false);
    if (!s || (s->form == FORM_TO && !goes_to_gpu(p, paren)))
        return;
    struct source_fact *f = add(p, i, s->kind, s->pattern);
    f->name =
        str_eq(s->owner, ".") ? s->name : arena_printf(p->t->arena, "%s.%s", s->owner, s->name);
    if (s->form == FORM_RAW) {
        raw_kernel(p, f, paren);
    } else if (s->kind == FACT_MARKER || s->kind == FACT_COPY) {
        size_t end = tokens_skip(p->t, paren);
        f->detail = end > paren + 2 ? tokens_text(p->t, paren + 1, end - 1) : NULL;
    }
}

/* jax.jit(f), @jax.jit, @partial(jax.jit, …), @triton.jit */
static void decorator(struct parser *p, size_t i, bool decorates)
{
    const struct symbol *s = meaning(p, i, true);
    if (!s)
        return;
    bool kernel = s->pattern == PATTERN_TRITON_JIT || s->pattern == PATTERN_NUMBA_JIT ||
                  s->pattern == PATTERN_CUPY_KERNEL;
    if (kernel && decorates) {
        p->decorated = s->pattern;
    } else if (!kernel && (decorates || token_is(at(p, i + 1), '('))) {
        struct source_fact *f = add(p, i, FACT_FRAMEWORK, s->pattern);
        f->name = arena_printf(p->t->arena, "%s.%s", s->owner, s->name);
    }
}

/* name[grid](…): a launch if name is a kernel. */
static void subscript_launch(struct parser *p, size_t i)
{
    if (!p->uses_gpu || !token_is(at(p, i + 1), '[') ||
        at(p, i + 1)->at != at(p, i)->at + at(p, i)->len)
        return;
    size_t end = tokens_skip(p->t, i + 1);
    if (!token_is(at(p, end), '('))
        return;
    struct source_fact *f = add(p, i, FACT_LAUNCH, PATTERN_PY_KERNEL_LAUNCH);
    f->name = arena_strndup(p->t->arena, p->t->text + at(p, i)->at, at(p, i)->len);
    f->detail = tokens_text(p->t, i + 2, end - 1);
}

/* ---- lines ---- */

static void define(struct parser *p, size_t i, uint32_t indent)
{
    struct frame f = {.indent = indent, .function = (uint32_t)(i + 1)};
    if (p->decorated != PATTERN_NONE && at(p, i + 1)->kind == TOKEN_IDENT) {
        struct source_fact *k = add(p, i + 1, FACT_KERNEL, p->decorated);
        k->name = arena_strndup(p->t->arena, p->t->text + at(p, i + 1)->at, at(p, i + 1)->len);
        k->loop_depth = 0;
    }
    p->decorated = PATTERN_NONE;
    vec_push(&p->frames, p->t->scratch, f);
}

/* Statements that begin a line; returns the last token taken. */
static size_t begin_line(struct parser *p, size_t line)
{
    uint32_t indent = at(p, line)->len;
    while (p->frames.n && p->frames.v[p->frames.n - 1].indent >= indent)
        p->frames.n--;
    p->bracket_facts.n = 0;
    p->header = 0;
    size_t i = line + 1;
    if (word_of(p, i) == WORD_ASYNC)
        i++;
    switch (word_of(p, i)) {
    case WORD_IMPORT:
    case WORD_FROM:
        return import(p, i);
    case WORD_DEF:
        define(p, i, indent);
        return i;
    case WORD_FOR:
    case WORD_WHILE:
        p->while_header = word_of(p, i) == WORD_WHILE;
        p->header = indent + 1;
        return i;
    default:
        break;
    }
    if (token_is(at(p, line + 1), '@'))
        for (size_t n = line + 2; at(p, n)->kind != TOKEN_LINE && at(p, n)->kind != TOKEN_END; n++)
            if (at(p, n)->kind == TOKEN_IDENT && at(p, n)->symbol)
                decorator(p, n, true);
    return line;
}

static void bracket(struct parser *p, const struct token *k)
{
    if (k->ch == '(' || k->ch == '[' || k->ch == '{') {
        vec_push(&p->bracket_facts, p->t->scratch, p->out->n);
    } else if ((k->ch == ')' || k->ch == ']' || k->ch == '}') && p->bracket_facts.n) {
        p->bracket_facts.n--;
    } else if (k->ch == ':' && p->header && !p->bracket_facts.n) {
        struct frame f = top(p);
        f.indent = p->header - 1;
        f.depth++;
        vec_push(&p->frames, p->t->scratch, f);
        p->header = 0;
    }
}

/* A comprehension: what stands before its "for" runs once an item. */
static void comprehension(struct parser *p)
{
    size_t first = p->bracket_facts.n ? p->bracket_facts.v[p->bracket_facts.n - 1] : p->out->n;
    if (first >= p->out->n || p->out->v[first].loop_depth >= MOST_FORS)
        return;
    for (size_t f = first; f < p->out->n; f++)
        p->out->v[f].loop_depth++;
}

/* A call by another name: "from torch.cuda import synchronize as wait". */
static void resolve(struct parser *p, size_t i)
{
    const struct token *k = at(p, i);
    if (k->symbol || !p->renamed || token_is(k - 1, '.') || !token_is(k + 1, '('))
        return;
    const struct alias *a = find_alias(p, p->t->text + k->at, k->len);
    if (a)
        p->t->tokens.v[i].symbol = a->symbol;
}

void parse_python(struct source_text *t, struct fact_list *out)
{
    struct parser p = {.t = t, .out = out};
    idmap_init(&p.alias_of, t->scratch);
    bool decorating = false;
    for (size_t i = 1; t->tokens.v[i].kind != TOKEN_END; i++) {
        const struct token *k = &t->tokens.v[i];
        if (k->kind == TOKEN_LINE) {
            decorating = token_is(k + 1, '@');
            i = begin_line(&p, i);
        } else if (k->kind == TOKEN_PUNCT) {
            bracket(&p, k);
        } else if (k->kind == TOKEN_IDENT) {
            resolve(&p, i);
            if (word_of(&p, i) == WORD_FOR) {
                comprehension(&p);
            } else if (k->symbol && !decorating) {
                call(&p, i);
                decorator(&p, i, false);
            }
            if (!token_is(k - 1, '.'))
                subscript_launch(&p, i);
        }
    }
}
