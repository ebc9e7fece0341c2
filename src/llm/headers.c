#include "llm/headers.h"

#include <ctype.h>
#include <pwd.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "llm/json_copy.h"

bool header_value_ok(const char *value)
{
    for (; *value; value++)
        if ((unsigned char)*value < ' ' || (unsigned char)*value > '~')
            return false;
    return true;
}

static bool header_name_ok(const char *name)
{
    const char *p = name;
    for (; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("-_.", *p))
            return false;
    return p > name;
}

/* {'a': 'b'} of Python as JSON: other quotes, None, True and False. */
static const char *as_json(const char *text, struct arena *a)
{
    struct str out;
    char quote = 0;
    str_init(&out, a);
    for (const char *p = text; *p; p++) {
        if (quote && *p == '\\' && p[1]) {
            if (p[1] != '\'')
                str_putc(&out, '\\');
            str_putc(&out, *++p);
        } else if (quote ? *p == quote : *p == '\'' || *p == '"') {
            quote = quote ? 0 : *p;
            str_putc(&out, '"');
        } else if (quote == '\'' && *p == '"')
            str_puts(&out, "\\\"");
        else
            str_putc(&out, *p);
    }
    return out.buf;
}

static bool take_header(struct llm_target *t, const char *name, const char *value, struct arena *a,
                        struct gs_error *err)
{
    if (!header_name_ok(name) || !value || !header_value_ok(value))
        return fail(err, GS_E_USAGE, "'%.80s' is no header with a plain text", name);
    vec_push(&t->headers, a, arena_printf(a, "%s: %s", name, value));
    if (strlen(value) >= 8) /* any of them may be a key */
        vec_push(&t->secrets, a, arena_strdup(a, value));
    return true;
}

static bool take_object(struct llm_target *t, const char *json, bool *has_user, struct arena *a,
                        struct gs_error *err)
{
    struct jread *j = jr_text(a, json, strlen(json));
    bool ok = jr_type(j) == J_OBJECT && jr_object(j);
    while (ok && jr_key(j)) {
        const char *name = arena_strdup(a, j->text), *value;
        *has_user |= !strcasecmp(name, "user");
        value = jr_type(j) == J_NUMBER ? arena_printf(a, "%lld", (long long)jr_int(j, 0))
                                       : jr_str(j, NULL);
        if (!take_header(t, name, value, a, err))
            return false;
    }
    return (ok && jr_end(j, NULL)) || fail(err, GS_E_USAGE, "%s", "");
}

bool headers_further(struct llm_target *t, bool say_user, struct arena *a, struct gs_error *err)
{
    const struct llm_provider *p = t->provider;
    const char *which, *text = p->headers_var ? llm_env(p->headers_var, &which, a) : NULL;
    bool has_user = false;
    if (text && !take_object(t, as_json(text, a), &has_user, a, err)) {
        if (!err->text[0]) /* the value may hold a key: it is not repeated */
            fail(err, GS_E_USAGE, "%s is no object of headers; write it as {\"name\": \"value\"}",
                 which);
        return false;
    }
    const struct passwd *who = say_user && p->headers_var && !has_user ? getpwuid(getuid()) : NULL;
    return !who || !header_value_ok(who->pw_name) || take_header(t, "user", who->pw_name, a, err);
}
