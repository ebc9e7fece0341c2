#include <stdlib.h>
#include <string.h>

#include "llm/provider.h"

const struct llm_provider *const llm_providers[] = {
#define PROVIDER(name) &provider_##name,
#include "llm/providers.def"
#undef PROVIDER
    NULL,
};

static bool same_name(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if (*a != *b && !((*a == '_' || *a == '-') && (*b == '_' || *b == '-')))
            return false;
    return *a == *b;
}

const struct llm_provider *llm_provider_find(const char *name)
{
    for (size_t i = 0; llm_providers[i]; i++) {
        const struct llm_provider *p = llm_providers[i];
        if (same_name(p->name, name) || (p->alias && same_name(p->alias, name)))
            return p;
    }
    return NULL;
}

const char *llm_provider_names(struct arena *a)
{
    struct str out;
    str_init(&out, a);
    for (size_t i = 0; llm_providers[i]; i++)
        str_printf(&out, "%s%s", i ? "|" : "", llm_providers[i]->name);
    return out.buf;
}

const char *llm_env(const char *name, const char **which, struct arena *a)
{
    static const char *const prefixes[] = {"GPUSIGHT", "ROCINSIGHT", "ROCPD"};
    size_t tries = *name == '*' ? ARRAY_LEN(prefixes) : 1;
    for (size_t i = 0; i < tries; i++) {
        const char *full = *name == '*' ? arena_printf(a, "%s%s", prefixes[i], name + 1) : name;
        const char *v = getenv(full);
        if (v && *v) {
            *which = full;
            return v;
        }
    }
    return NULL;
}

const char *llm_env_first(const char *const *names, const char **which, struct arena *a)
{
    const char *v = NULL;
    for (size_t i = 0; i < LLM_VARS && names[i] && !v; i++)
        v = llm_env(names[i], which, a);
    return v;
}
