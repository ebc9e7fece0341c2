#include <ctype.h>
#include <string.h>

#include "base/str.h"
#include "synth/expr.h"

int program_local(struct program *p, const char *s, size_t n, bool make)
{
    for (size_t i = 0; i < p->locals.n; i++)
        if (strlen(p->locals.v[i]) == n && !memcmp(p->locals.v[i], s, n))
            return (int)i;
    if (!make || p->locals.n >= MAX_LOCALS)
        return -1;
    vec_push(&p->locals, p->arena, arena_strndup(p->arena, s, n));
    return (int)p->locals.n - 1;
}

int program_param(const struct program *p, const char *s, size_t n)
{
    for (size_t i = 0; i < p->params.n; i++)
        if (strlen(p->params.v[i].name) == n && !memcmp(p->params.v[i].name, s, n))
            return (int)i;
    return -1;
}

static bool complain(const struct scan *s, const char *what)
{
    int n = s->end - s->at > 40 ? 40 : (int)(s->end - s->at);
    return fail(s->err, GS_E_FORMAT, "line %d: %s '%.*s'", s->line, what, n, s->at);
}

/* One escaped character behind a backslash; *at is moved past it. */
static bool escape(struct scan *s, struct str *out)
{
    static const char letters[] = "ntre0\"\\{}b", bytes[] = "\n\t\r\033\0\"\\{}\b";
    if (s->at >= s->end)
        return complain(s, "the text ends in a backslash");
    char c = *s->at++;
    if (c == 'x') {
        int v = 0;
        for (int i = 0; i < 2; i++, s->at++) {
            if (s->at >= s->end || !isxdigit((unsigned char)*s->at))
                return complain(s, "'\\x' needs two hex digits before");
            int d = tolower((unsigned char)*s->at);
            v = v * 16 + (d <= '9' ? d - '0' : d - 'a' + 10);
        }
        str_putc(out, (char)v);
        return true;
    }
    const char *found = memchr(letters, c, sizeof(letters) - 1);
    if (!found)
        return complain(s, "unknown escape before");
    str_putc(out, bytes[found - letters]);
    return true;
}

static void literal(struct scan *s, struct text *t, struct str *run)
{
    if (!run->len)
        return;
    struct text_piece p = {arena_strndup(s->program->arena, run->buf, run->len), run->len, NULL};
    vec_push(&t->pieces, s->program->arena, p);
    str_clear(run);
}

static bool insertion(struct scan *s, struct text *t)
{
    const char *close = memchr(s->at, '}', (size_t)(s->end - s->at));
    if (!close)
        return complain(s, "'}' is missing in");
    struct scan inner = *s;
    inner.end = close;
    const struct expr *e = expr_parse(&inner);
    if (!e)
        return false;
    if (inner.at != close)
        return complain(&inner, "cannot read");
    struct text_piece p = {NULL, 0, e};
    vec_push(&t->pieces, s->program->arena, p);
    s->at = close + 1;
    return true;
}

static bool text_parse(struct scan *s, struct text *t)
{
    bool quoted = s->at < s->end && *s->at == '"';
    s->at += quoted;
    struct str run;
    str_init(&run, s->program->arena);
    while (s->at < s->end && !(quoted && *s->at == '"')) {
        char c = *s->at++;
        if (c == '\\') {
            if (!escape(s, &run))
                return false;
        } else if (c == '{') {
            literal(s, t, &run);
            if (!insertion(s, t))
                return false;
        } else {
            str_putc(&run, c);
        }
    }
    if (quoted && s->at >= s->end)
        return fail(s->err, GS_E_FORMAT, "line %d: the text is not closed; '\"' is missing",
                    s->line);
    s->at += quoted;
    literal(s, t, &run);
    t->fixed = t->pieces.n == 0 || (t->pieces.n == 1 && !t->pieces.v[0].e);
    if (t->fixed)
        t->id = t->pieces.n ? names_add(&s->program->names, t->pieces.v[0].s, t->pieces.v[0].n) : 0;
    return true;
}

static bool int_parse(struct scan *s, struct value *out)
{
    if (!(out->e = expr_parse(s)))
        return false;
    if (s->at < s->end && *s->at == '~') {
        s->at++;
        if (!(out->jitter = expr_parse(s)))
            return false;
        if (s->at < s->end && *s->at == '%') {
            out->jitter_pct = true;
            s->at++;
        }
    }
    return true;
}

static bool dim_parse(struct scan *s, struct value *out)
{
    if (!(out->e = expr_parse(s)))
        return false;
    const struct expr **rest[] = {&out->y, &out->z};
    for (int i = 0; i < 2 && s->at < s->end && *s->at == 'x'; i++) {
        s->at++;
        if (!(*rest[i] = expr_parse(s)))
            return false;
    }
    return true;
}

static bool word_parse(struct scan *s, const char *words, struct value *out)
{
    size_t n = (size_t)(s->end - s->at);
    const char *p = words;
    for (int i = 0; p; i++, p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL)
        if (n && strcspn(p, "|") == n && !memcmp(p, s->at, n)) {
            out->word = i;
            s->at = s->end;
            return true;
        }
    return fail(s->err, GS_E_FORMAT, "line %d: '%.*s' is not one of %s", s->line,
                n > 40 ? 40 : (int)n, s->at, words);
}

static bool var_parse(struct scan *s, struct value *out)
{
    size_t n = (size_t)(s->end - s->at);
    bool good = n && n < 64 && !isdigit((unsigned char)*s->at);
    for (size_t i = 0; i < n; i++)
        good = good && (s->at[i] == '_' || isalnum((unsigned char)s->at[i]));
    if (!good)
        return complain(s, "not a name for a variable:");
    if (program_param(s->program, s->at, n) >= 0)
        return complain(s, "there is a parameter of that name already:");
    out->word = program_local(s->program, s->at, n, true);
    if (out->word < 0)
        return complain(s, "too many variables at");
    if (out->word < SLOT_FIRST_FREE)
        return complain(s, "cannot be assigned:");
    s->at = s->end;
    return true;
}

bool value_parse(struct scan *s, enum value_type type, const char *words, struct value *out)
{
    *out = (struct value){.type = type};
    bool ok = true;
    switch (type) {
    case V_INT:
        ok = int_parse(s, out);
        break;
    case V_TEXT:
        ok = text_parse(s, &out->text);
        break;
    case V_DIM3:
        ok = dim_parse(s, out);
        break;
    case V_WORD:
        ok = word_parse(s, words, out);
        break;
    case V_VAR:
        ok = var_parse(s, out);
        break;
    case V_FLAG:
        break;
    }
    while (ok && s->at < s->end && (*s->at == ' ' || *s->at == '\t'))
        s->at++;
    if (ok && s->at != s->end)
        return complain(s, "cannot read");
    return ok;
}
