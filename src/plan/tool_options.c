#include "plan/tool_options.h"

#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "plan/command.h"

#define OPTION(tool, name, takes, values) {tool, name, TAKES_##takes, values},
#define SUBCOMMAND(tool, word)
#define SEPARATOR(tool)
#define VARIABLE(tool, name)
static const struct option_row options[] = {
#include "plan/tool_options.def"
};
#undef OPTION
#undef SUBCOMMAND
#undef SEPARATOR
#undef VARIABLE

/* What is known of a tool besides its options. */
enum fact_kind { FACT_SUBCOMMAND, FACT_SEPARATOR, FACT_VARIABLE };

#define OPTION(tool, name, takes, values)
#define SUBCOMMAND(tool, word) {FACT_SUBCOMMAND, tool, word},
#define SEPARATOR(tool) {FACT_SEPARATOR, tool, ""},
#define VARIABLE(tool, name) {FACT_VARIABLE, tool, name},
static const struct {
    enum fact_kind kind;
    const char *tool, *word;
} facts[] = {
#include "plan/tool_options.def"
};

enum { N_OPTIONS = ARRAY_LEN(options), N_FACTS = ARRAY_LEN(facts) };

bool tool_known(const char *tool)
{
    for (size_t i = 0; i < N_OPTIONS; i++)
        if (str_eq(options[i].tool, tool))
            return true;
    for (size_t i = 0; i < N_FACTS; i++)
        if (str_eq(facts[i].tool, tool))
            return true;
    return false;
}

static const char *fact(enum fact_kind kind, const char *tool, const char *word)
{
    for (size_t i = 0; i < N_FACTS; i++)
        if (facts[i].kind == kind && str_eq(facts[i].tool, tool) &&
            (!word || str_eq(facts[i].word, word)))
            return facts[i].word;
    return NULL;
}

bool tool_separator(const char *tool)
{
    return fact(FACT_SEPARATOR, tool, NULL);
}

const char *tool_subcommand(const char *tool)
{
    return fact(FACT_SUBCOMMAND, tool, NULL);
}

bool tool_variable(const char *tool, const char *name)
{
    return fact(FACT_VARIABLE, tool, name);
}

const struct option_row *option_find(const char *tool, const char *name)
{
    for (size_t i = 0; i < N_OPTIONS; i++)
        if (str_eq(options[i].tool, tool) && str_eq(options[i].name, name))
            return &options[i];
    return NULL;
}

static bool allowed(const char *values, const char *value)
{
    size_t n = strlen(value);
    for (const char *p = values; *p; p += *p == '|') {
        size_t len = strcspn(p, "|");
        if (len == n && strncmp(p, value, n) == 0)
            return true;
        p += len;
    }
    return !*values;
}

bool option_takes(const struct option_row *o, const char *const *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!allowed(o->values, values[i]))
            return false;
    switch (o->takes) {
    case TAKES_NONE:
        return n == 0;
    case TAKES_ONE:
    case TAKES_JOINED:
        return n == 1;
    case TAKES_MANY:
        return n >= 1;
    }
    return false;
}

/* The values behind option `at`; returns where the next option is. */
static size_t take_values(const struct words *argv, size_t at, const struct option_row *o,
                          struct words *values, struct arena *a)
{
    size_t most = o->takes == TAKES_NONE ? 0 : o->takes == TAKES_ONE ? 1 : SIZE_MAX;
    while (at < argv->n && values->n < most && argv->v[at][0] != '-')
        vec_push(values, a, argv->v[at++]);
    return at;
}

static const char *option_fault(const char *tool, const struct words *argv, size_t *at,
                                struct arena *a)
{
    const char *word = argv->v[(*at)++];
    const char *equals = strchr(word, '=');
    struct words values = {0};
    if (equals) {
        const struct option_row *o =
            option_find(tool, arena_strndup(a, word, (size_t)(equals - word)));
        vec_push(&values, a, equals + 1);
        if (!o || o->takes != TAKES_JOINED || !option_takes(o, values.v, 1))
            return arena_printf(a, "%s: '%s'", tool, word);
        return NULL;
    }
    const struct option_row *o = option_find(tool, word);
    if (!o || o->takes == TAKES_JOINED)
        return arena_printf(a, "%s: no option '%s'", tool, word);
    *at = take_values(argv, *at, o, &values, a);
    return option_takes(o, values.v, values.n) ? NULL
                                               : arena_printf(a, "%s: value of '%s'", tool, word);
}

const char *tool_argv_fault(const struct words *argv, struct arena *a)
{
    size_t at = 0, first_variable = 0;
    if (argv->n && str_eq(argv->v[0], "env"))
        for (first_variable = at = 1; at < argv->n && strchr(argv->v[at], '=');)
            at++;
    if (at == argv->n || !tool_known(argv->v[at]))
        return arena_printf(a, "no tool '%s'", at < argv->n ? argv->v[at] : "");
    const char *tool = argv->v[at];
    for (size_t i = first_variable; first_variable && i < at; i++)
        if (!tool_variable(tool, arena_strndup(a, argv->v[i], strcspn(argv->v[i], "="))))
            return arena_printf(a, "%s: no variable '%s'", tool, argv->v[i]);
    at++;
    if (tool_subcommand(tool) && (at == argv->n || !str_eq(argv->v[at++], tool_subcommand(tool))))
        return arena_printf(a, "%s: without '%s'", tool, tool_subcommand(tool));
    while (at < argv->n && argv->v[at][0] == '-' && !str_eq(argv->v[at], "--")) {
        const char *fault = option_fault(tool, argv, &at, a);
        if (fault)
            return fault;
    }
    bool dashes = at < argv->n && str_eq(argv->v[at], "--");
    if (dashes != tool_separator(tool))
        return arena_printf(a, "%s: %s '--'", tool, dashes ? "does not know" : "wants");
    return at + dashes < argv->n ? NULL : arena_printf(a, "%s: no program", tool);
}
