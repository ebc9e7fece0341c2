#include "plan/tool_options.h"

#include <string.h>

#include "base/str.h"

#define OPTION(tool, name, takes, values) {PROFILER_##tool, name, TAKES_##takes, values},
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
#define SUBCOMMAND(tool, word) {FACT_SUBCOMMAND, PROFILER_##tool, word},
#define SEPARATOR(tool) {FACT_SEPARATOR, PROFILER_##tool, ""},
#define VARIABLE(tool, name) {FACT_VARIABLE, PROFILER_##tool, name},
static const struct {
    enum fact_kind kind;
    enum profiler tool;
    const char *word;
} facts[] = {
#include "plan/tool_options.def"
};

enum { N_OPTIONS = ARRAY_LEN(options), N_FACTS = ARRAY_LEN(facts) };

static const char *fact(enum fact_kind kind, enum profiler tool, const char *word)
{
    for (size_t i = 0; i < N_FACTS; i++)
        if (facts[i].kind == kind && facts[i].tool == tool &&
            (!word || str_eq(facts[i].word, word)))
            return facts[i].word;
    return NULL;
}

bool tool_separator(enum profiler tool)
{
    return fact(FACT_SEPARATOR, tool, NULL);
}

const char *tool_subcommand(enum profiler tool)
{
    return fact(FACT_SUBCOMMAND, tool, NULL);
}

bool tool_variable(enum profiler tool, const char *name)
{
    return fact(FACT_VARIABLE, tool, name);
}

const struct option_row *option_find(enum profiler tool, const char *name)
{
    for (size_t i = 0; i < N_OPTIONS; i++)
        if (options[i].tool == tool && str_eq(options[i].name, name))
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
