/*
 * Lines to statements. A statement is a word and values: bare ones fill its positional keys in
 * order, `key=value` and `key value` the others, flags stand alone. It ends at the end of the
 * line, at ';' or at a brace. What exists is in language.def.
 */
#include <stdio.h>
#include <string.h>

#include "base/opt.h"
#include "base/str.h"
#include "synth/expr.h"
#include "synth/synth.h"
#include "synth/words.h"

enum block_rule { none, may, must };

static const struct {
    const char *name;
    enum value_type type;
    const char *words;
} keys[] = {
#define KEY(name, type, words, doc) {#name, type, words},
#define STATEMENT(...)
#include "synth/language.def"
#undef KEY
#undef STATEMENT
};

struct spec {
    const char *name, *positional, *required, *keys;
    enum block_rule block;
};

static const struct spec specs[] = {
#define KEY(...)
#define STATEMENT(name, positional, required, keys, block, doc)                                    \
    {#name, positional, required, keys, block},
#include "synth/language.def"
#undef KEY
#undef STATEMENT
};

/* True when the list of keys, divided by blanks, has this word. */
static bool list_has(const char *list, const char *word, size_t n)
{
    for (const char *p = list; *p; p += strspn(p, " ")) {
        size_t len = strcspn(p, " ");
        if (len == n && !memcmp(p, word, n))
            return true;
        p += len;
    }
    return false;
}

static int key_of(const char *s, size_t n)
{
    for (int i = 0; i < KEY_COUNT; i++)
        if (strlen(keys[i].name) == n && !memcmp(keys[i].name, s, n))
            return i;
    return -1;
}

/* The key of this name, if the statement takes it. */
static int spec_key(const struct spec *sp, const char *s, size_t n)
{
    if (!list_has(sp->keys, s, n) && !list_has(sp->positional, s, n))
        return -1;
    return key_of(s, n);
}

/* --- statements -------------------------------------------------------------------------- */

struct draft {
    const struct spec *spec;
    struct stmt_arg args[MAX_TOKENS];
    size_t n;
    const char *next_positional;
};

static bool unknown_key(struct parser *ps, const struct spec *sp, struct token t)
{
    const char *words[KEY_COUNT + 1];
    size_t n = 0;
    for (int i = 0; i < KEY_COUNT; i++)
        if (spec_key(sp, keys[i].name, strlen(keys[i].name)) >= 0)
            words[n++] = keys[i].name;
    words[n] = NULL;
    char word[48];
    snprintf(word, sizeof(word), "%.*s", t.n > 40 ? 40 : (int)t.n, t.s);
    const char *near = opt_nearest(word, words);
    if (near)
        return fail(ps->err, GS_E_FORMAT, "line %d: '%s' does not take '%s'; did you mean '%s'?",
                    ps->line, sp->name, word, near);
    return fail(ps->err, GS_E_FORMAT, "line %d: '%s' does not take '%s'; see docs/synth.md",
                ps->line, sp->name, word);
}

static bool add_value(struct parser *ps, struct draft *d, int key, const char *s, const char *end)
{
    for (size_t i = 0; i < d->n; i++)
        if ((int)d->args[i].key == key)
            return fail(ps->err, GS_E_FORMAT, "line %d: '%s' is given twice", ps->line,
                        keys[key].name);
    struct scan scan = {ps->program, s, end, ps->line, 0, ps->err};
    struct stmt_arg *a = &d->args[d->n++];
    a->key = (enum key)key;
    return value_parse(&scan, keys[key].type, keys[key].words, &a->value);
}

/* The positional key whose turn it is; -1 when all are filled. */
static int take_positional(struct draft *d)
{
    const char *p = d->next_positional;
    size_t n = strcspn(p, " ");
    if (!n)
        return -1;
    d->next_positional = p + n + strspn(p + n, " ");
    return key_of(p, n);
}

/* "name=" in front of a word: the length of the name, or 0. */
static size_t key_length(struct token t)
{
    size_t n = 0;
    while (n < t.n && (t.s[n] == '_' || (t.s[n] >= 'a' && t.s[n] <= 'z')))
        n++;
    return n && n + 1 < t.n && t.s[n] == '=' && t.s[n + 1] != '=' ? n : 0;
}

static bool add_env(struct parser *ps, struct draft *d, struct token t)
{
    const char *equals = memchr(t.s, '=', t.n);
    if (!equals)
        return fail(ps->err, GS_E_FORMAT, "line %d: 'env' needs NAME=VALUE", ps->line);
    return add_value(ps, d, K_name, t.s, equals) && add_value(ps, d, K_text, equals + 1, t.s + t.n);
}

/* Takes the word number *i (and more, when they belong to it). */
static bool add_word(struct parser *ps, struct draft *d, size_t *i)
{
    struct token t = ps->tokens[*i], last = ps->tokens[ps->n - 1];
    size_t named = key_length(t);
    if (d->spec == &specs[OP_env])
        return add_env(ps, d, t);
    if (token_is(t, "="))
        return true;
    if (named) {
        int key = spec_key(d->spec, t.s, named);
        if (key < 0)
            return unknown_key(ps, d->spec, (struct token){t.s, named});
        return add_value(ps, d, key, t.s + named + 1, t.s + t.n);
    }
    int key = spec_key(d->spec, t.s, t.n);
    if (key >= 0 && keys[key].type == V_FLAG)
        return add_value(ps, d, key, t.s, t.s);
    if (key >= 0 && list_has(d->spec->keys, t.s, t.n) && *i + 1 < ps->n) {
        t = ps->tokens[++*i];
        return add_value(ps, d, key, t.s, t.s + t.n);
    }
    key = take_positional(d);
    if (key < 0)
        return unknown_key(ps, d->spec, t);
    if (key == K_number) { /* takes the rest of the line */
        *i = ps->n;
        return add_value(ps, d, key, t.s, last.s + last.n);
    }
    return add_value(ps, d, key, t.s, t.s + t.n);
}

static bool check_required(struct parser *ps, const struct draft *d)
{
    for (const char *p = d->spec->required; *p; p += strspn(p, " ")) {
        size_t len = strcspn(p, " ");
        bool found = false;
        for (size_t i = 0; i < d->n; i++)
            found = found || (int)d->args[i].key == key_of(p, len);
        if (!found)
            return fail(ps->err, GS_E_FORMAT, "line %d: '%s' needs %s'%.*s'", ps->line,
                        d->spec->name, list_has(d->spec->positional, p, len) ? "a " : "", (int)len,
                        p);
        p += len;
    }
    return true;
}

static const struct spec *find_spec(struct parser *ps)
{
    struct token t = ps->tokens[0];
    const char *words[OP_COUNT + 1];
    for (int i = 0; i < OP_COUNT; i++) {
        if (token_is(t, specs[i].name))
            return &specs[i];
        words[i] = specs[i].name;
    }
    words[OP_COUNT] = NULL;
    char word[48];
    snprintf(word, sizeof(word), "%.*s", t.n > 40 ? 40 : (int)t.n, t.s);
    const char *near = opt_nearest(word, words);
    if (near)
        fail(ps->err, GS_E_FORMAT, "line %d: unknown statement '%s'; did you mean '%s'?", ps->line,
             word, near);
    else
        fail(ps->err, GS_E_FORMAT, "line %d: unknown statement '%s'; see docs/synth.md", ps->line,
             word);
    return NULL;
}

/* `param NAME = EXPRESSION  # doc` */
static bool add_param(struct parser *ps)
{
    struct program *p = ps->program;
    struct token t = ps->n > 1 ? ps->tokens[1] : (struct token){"", 0};
    size_t first = ps->n > 2 && token_is(ps->tokens[2], "=") ? 3 : 2;
    bool good = t.n && t.n < 64;
    for (size_t i = 0; i < t.n; i++)
        good = good && (t.s[i] == '_' || (t.s[i] >= 'a' && t.s[i] <= 'z') ||
                        (i && t.s[i] >= '0' && t.s[i] <= '9'));
    if (!good || ps->n <= first)
        return fail(ps->err, GS_E_FORMAT, "line %d: 'param' needs NAME = NUMBER", ps->line);
    if (program_param(p, t.s, t.n) >= 0 || program_local(p, t.s, t.n, false) >= 0)
        return fail(ps->err, GS_E_FORMAT, "line %d: '%.*s' exists already", ps->line, (int)t.n,
                    t.s);
    if (p->params.n >= MAX_PARAMS)
        return fail(ps->err, GS_E_FORMAT, "line %d: too many parameters", ps->line);
    struct token last = ps->tokens[ps->n - 1];
    struct scan scan = {p, ps->tokens[first].s, last.s + last.n, ps->line, 0, ps->err};
    struct value v;
    if (!value_parse(&scan, V_INT, NULL, &v))
        return false;
    struct param param = {arena_strndup(p->arena, t.s, t.n), words_comment(ps), v.e, ps->line};
    vec_push(&p->params, p->arena, param);
    return true;
}

static bool parse_block(struct parser *ps, struct block *out, int depth);

static bool parse_body(struct parser *ps, const struct spec *sp, struct stmt *st, int depth)
{
    if (ps->stop != '{') {
        if (sp->block == must)
            return fail(ps->err, GS_E_FORMAT, "line %d: '%s' needs a block in braces", st->line,
                        sp->name);
        return true;
    }
    if (sp->block == none)
        return fail(ps->err, GS_E_FORMAT, "line %d: '%s' takes no block", st->line, sp->name);
    if (depth >= MAX_BLOCK_DEPTH)
        return fail(ps->err, GS_E_FORMAT, "line %d: blocks too deep", st->line);
    struct block *body = arena_new(ps->program->arena, struct block);
    st->body = body;
    return parse_block(ps, body, depth + 1);
}

static bool parse_statement(struct parser *ps, struct block *out, int depth)
{
    struct draft d = {.spec = find_spec(ps)};
    if (!d.spec)
        return false;
    enum op op = (enum op)(d.spec - specs);
    if ((op == OP_param || op == OP_process) && depth)
        return fail(ps->err, GS_E_FORMAT, "line %d: '%s' must stand outside of blocks", ps->line,
                    d.spec->name);
    if (op == OP_param)
        return ps->stop == '{'
                   ? fail(ps->err, GS_E_FORMAT, "line %d: 'param' takes no block", ps->line)
                   : add_param(ps);
    d.next_positional = d.spec->positional;
    for (size_t i = 1; i < ps->n; i++)
        if (!add_word(ps, &d, &i))
            return false;
    if (!check_required(ps, &d))
        return false;
    struct arena *a = ps->program->arena;
    struct stmt st = {.op = op, .line = ps->line, .n = d.n};
    if (d.n) {
        struct stmt_arg *args = arena_array(a, struct stmt_arg, d.n);
        memcpy(args, d.args, d.n * sizeof(*args));
        st.args = args;
    }
    if (!parse_body(ps, d.spec, &st, depth))
        return false;
    if (op == OP_process)
        vec_push(&ps->program->processes, a, st);
    else
        vec_push(&out->list, a, st);
    return true;
}

/* Statements up to the closing brace, or to the end of the text for the outermost block. */
static bool parse_block(struct parser *ps, struct block *out, int depth)
{
    int opened = ps->line;
    for (;;) {
        /* The brace that opens a block may be followed by its line's end. */
        if (!words_read(ps))
            return false;
        words_join(ps);
        char stop = ps->stop;
        if (!*ps->program->doc && ps->comment && !depth && !out->list.n)
            ps->program->doc = words_comment(ps);
        if (!ps->n && stop == '{')
            return fail(ps->err, GS_E_FORMAT, "line %d: '{' without a statement", ps->line);
        if (ps->n && !parse_statement(ps, out, depth))
            return false;
        if (stop == '\n')
            ps->line++;
        if (stop == '}' && !depth)
            return fail(ps->err, GS_E_FORMAT, "line %d: '}' without '{'", ps->line);
        if (stop == '}')
            return true;
        if (!stop && ps->at >= ps->end && depth)
            return fail(ps->err, GS_E_FORMAT, "line %d: the block is not closed; '}' is missing",
                        opened);
        if (!stop)
            return true;
    }
}

bool synth_parse(struct program **out, const char *text, size_t n, struct arena *a,
                 struct gs_error *err)
{
    struct program *p = arena_new(a, struct program);
    static const char *const builtin[] = {"rank", "nranks", "gpus", "thread"};
    p->arena = a;
    p->doc = "";
    names_init(&p->names, a);
    for (size_t i = 0; i < SLOT_FIRST_FREE; i++)
        vec_push(&p->locals, a, builtin[i]);
    struct parser *ps = arena_new(a, struct parser);
    *ps = (struct parser){.program = p, .at = text, .end = text + n, .line = 1, .err = err};
    *out = p;
    return parse_block(ps, &p->top, 0);
}

bool synth_set(struct program *p, const char *assignment, struct gs_error *err)
{
    const char *equals = strchr(assignment, '=');
    size_t n = equals ? (size_t)(equals - assignment) : 0;
    int i = program_param(p, assignment, n);
    if (!equals || !n)
        return fail(err, GS_E_USAGE, "'%s' is not of the form NAME=VALUE", assignment);
    if (i < 0) {
        const char *words[MAX_PARAMS + 1];
        for (size_t k = 0; k < p->params.n; k++)
            words[k] = p->params.v[k].name;
        words[p->params.n] = NULL;
        const char *near = opt_nearest(arena_strndup(p->arena, assignment, n), words);
        return fail(err, GS_E_USAGE, "no parameter '%.*s'%s%s%s", (int)n, assignment,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    struct scan scan = {p, equals + 1, equals + strlen(equals), p->params.v[i].line, 0, err};
    struct value v;
    if (!value_parse(&scan, V_INT, NULL, &v)) {
        if (err)
            err->code = GS_E_USAGE;
        return wrap(err, "cannot set '%s'", p->params.v[i].name);
    }
    p->params.v[i].e = v.e;
    return true;
}
