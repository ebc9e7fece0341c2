#define _GNU_SOURCE /* explicit_bzero */
#include "llm/target.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "llm/headers.h"

bool llm_asked(const struct llm_opts *o)
{
    return o->provider || o->spec || o->model || o->private_model || o->local || o->local_model ||
           o->url || o->replay || o->preview || o->agent;
}

/* ---- which provider ---- */

const char *llm_find_program(const char *name, struct arena *a)
{
    const char *path = getenv("PATH");
    for (const char *p = path ? path : ""; *p; p += *p == ':') {
        size_t n = strcspn(p, ":");
        const char *full = arena_printf(a, "%.*s/%s", (int)n, p, name);
        struct stat st;
        if (n && *p == '/' && stat(full, &st) == 0 && S_ISREG(st.st_mode) &&
            access(full, X_OK) == 0)
            return full;
        p += n;
    }
    return NULL;
}

static bool by_environment(struct llm_target *t, struct arena *a)
{
    static const struct llm_provider *const order[] = {&provider_anthropic, &provider_openai,
                                                       &provider_gemini};
    const char *which;
    for (size_t i = 0; i < ARRAY_LEN(order); i++)
        if (llm_env_first(order[i]->key_vars, &which, a)) {
            t->provider = order[i];
            t->why = arena_printf(a, "%s is set", which);
            return true;
        }
    if (llm_find_program(provider_claude_code.program, a)) {
        t->provider = &provider_claude_code;
        t->why = "the program 'claude' is installed";
        return true;
    }
    return false;
}

/* A model's name says whose it is; whether there is a key for it shows later. */
static const struct llm_provider *by_model(const char *model)
{
    static const struct {
        const char *prefix;
        const struct llm_provider *p;
    } names[] = {{"claude", &provider_anthropic}, {"gpt-", &provider_openai},
                 {"chatgpt", &provider_openai},   {"o1", &provider_openai},
                 {"o3", &provider_openai},        {"o4", &provider_openai},
                 {"gemini", &provider_gemini}};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_starts(model, names[i].prefix))
            return names[i].p;
    return NULL;
}

static bool take_word(struct llm_target *t, const char *word, struct arena *a, struct gs_error *err)
{
    const char *colon = strchr(word, ':');
    const struct llm_provider *p =
        colon ? llm_provider_find(arena_strndup(a, word, (size_t)(colon - word)))
              : llm_provider_find(word);
    if (str_eq(word, "auto"))
        return true;
    if (p) {
        t->provider = p;
        t->why = "asked for";
        if (colon && colon[1])
            t->model = colon + 1;
        return true;
    }
    t->model = word;
    t->provider = by_model(word);
    t->why = t->provider ? arena_printf(a, "'%s' is one of its models", word) : NULL;
    if (t->provider || by_environment(t, a))
        return true;
    return fail(err, GS_E_USAGE, "no provider '%s'; one of %s, or auto", word,
                llm_provider_names(a));
}

static bool choose_provider(struct llm_target *t, const struct llm_opts *o, struct arena *a,
                            struct gs_error *err)
{
    if (o->local || o->local_model) {
        if (o->local && !str_eq(o->local, "ollama"))
            return fail(err, GS_E_USAGE,
                        "option '--llm-local' knows only ollama, not '%s'; for "
                        "others use '--llm private --llm-url URL'",
                        o->local);
        t->provider = &provider_local;
        t->why = "asked for";
    } else if (o->private_model) {
        t->provider = &provider_private;
        t->why = "asked for";
    }
    if (o->provider && !take_word(t, o->provider, a, err))
        return false;
    if (o->spec && !take_word(t, o->spec, a, err))
        return false;
    if (!t->provider && o->model && (t->provider = by_model(o->model)))
        t->why = arena_printf(a, "'%s' is one of its models", o->model);
    if (!t->provider && o->url) {
        t->provider = &provider_private;
        t->why = "an address was given";
    }
    if (t->provider || by_environment(t, a))
        return true;
    if (o->replay || o->preview) { /* nobody is asked */
        t->provider = &provider_anthropic;
        t->why = "nothing is sent";
        return true;
    }
    return fail(err, GS_E_NETWORK,
                "no language model: neither ANTHROPIC_API_KEY, OPENAI_API_KEY nor GOOGLE_API_KEY "
                "is set and there is no program 'claude'; choose one with '--llm'");
}

static bool choose_model(struct llm_target *t, const struct llm_opts *o, struct arena *a,
                         struct gs_error *err)
{
    const char *which;
    const struct llm_provider *p = t->provider;
    if (o->model)
        t->model = o->model;
    else if (p == &provider_private && o->private_model)
        t->model = o->private_model;
    else if (p == &provider_local && o->local_model)
        t->model = o->local_model;
    if (!t->model)
        t->model = llm_env_first(p->model_vars, &which, a);
    if (!t->model)
        t->model = p->model;
    static const char *const short_names[][2] = {{"sonnet", "claude-sonnet-4-6"},
                                                 {"opus", "claude-opus-4-6"},
                                                 {"haiku", "claude-haiku-4-5"}};
    for (size_t i = 0; t->model && p == &provider_anthropic && i < ARRAY_LEN(short_names); i++)
        if (str_eq(t->model, short_names[i][0]))
            t->model = short_names[i][1];
    if (!t->model)
        return fail(err, GS_E_USAGE, "provider '%s' needs a model; give one with '--llm-model'",
                    p->name);
    for (const char *c = t->model; *c; c++)
        if ((unsigned char)*c <= ' ' || strchr("?#%\"\\", *c))
            return fail(err, GS_E_USAGE, "'%s' is no name of a model", t->model);
    return true;
}

/* ---- the key ---- */

static bool take_key(struct llm_target *t, const struct llm_opts *o, bool offline, struct arena *a,
                     struct gs_error *err)
{
    const struct llm_provider *p = t->provider;
    const char *which = NULL, *key = NULL;
    if (offline || p->program)
        return true;
    if (o->key_file) {
        if (!(key = llm_key_file(o->key_file, a, err)))
            return false;
        which = o->key_file;
    } else
        key = llm_env_first(p->key_vars, &which, a);
    t->key_from = which;
    if (!key && !p->no_key)
        return fail(err, GS_E_NETWORK,
                    "no key for %s; set %s, or give a file of mode 0600 with "
                    "'--llm-key-file'",
                    p->name, p->key_vars[0]);
    if (key && !header_value_ok(key))
        return fail(err, GS_E_USAGE, "the key of '%s' holds characters that no key has", which);
    if (key)
        vec_push(&t->secrets, a, arena_strdup(a, key));
    t->key_line = arena_printf(a, "%s%s", p->key_header, key ? key : p->no_key);
    vec_push(&t->headers, a, t->key_line);
    return true;
}

static const char *expanded(const char *text, const struct llm_target *t, struct arena *a)
{
    struct str out;
    const char *which, *region = llm_env("AWS_REGION", &which, a),
                       *version = llm_env("OPENAI_API_VERSION", &which, a);
    if (!region)
        region = llm_env("AWS_DEFAULT_REGION", &which, a);
    str_init(&out, a);
    for (; *text; text++) {
        if (*text != '%' || !strchr("mrv", text[1])) {
            str_putc(&out, *text);
            continue;
        }
        text++;
        str_puts(&out, *text == 'm'   ? t->model
                       : *text == 'r' ? (region ? region : "us-east-1")
                                      : (version ? version : "2024-10-21"));
    }
    return out.buf;
}

/*
 * A base and the path behind it, as people write them: with the path, with its version ("/v1") or
 * with neither.
 */
static const char *join(const char *base, const char *path, struct arena *a)
{
    size_t n = strlen(base), first = strcspn(path, "/"), plain = strcspn(path, "?");
    const char *query = strchr(base, '?');
    if (query)
        return base; /* someone knows exactly */
    while (n && base[n - 1] == '/')
        n--;
    char *trimmed = arena_strndup(a, base, n);
    char *bare = arena_strndup(a, path, plain);
    if (str_ends(trimmed, bare))
        return arena_printf(a, "%s%s", trimmed, path + plain);
    const char *host = strstr(trimmed, "://"), *slash = host ? strchr(host + 3, '/') : NULL;
    bool versioned = str_starts(path, "v1");
    if (versioned && slash && (str_ends(trimmed, "/v1") || str_ends(trimmed, "/v1beta")))
        return arena_printf(a, "%s%s", trimmed, path + first);
    if (str_starts(path, "openai/") && slash && str_ends(trimmed, "/openai"))
        return arena_printf(a, "%s%s", trimmed, path + first);
    if (str_starts(path, "v1/chat") && slash) /* "https://host/api" + "/chat/completions" */
        return arena_printf(a, "%s%s", trimmed, path + first);
    return arena_printf(a, "%s/%s", trimmed, path);
}

static bool choose_address(struct llm_target *t, const struct llm_opts *o, bool offline,
                           struct arena *a, struct gs_error *err)
{
    const struct llm_provider *p = t->provider;
    const char *which;
    struct llm_url u;
    if (p->program) {
        t->host = p->program;
        t->program = llm_find_program(p->program, a);
        return t->program || offline ||
               fail(err, GS_E_NETWORK, "no program '%s' to ask; it is not on PATH", p->program);
    }
    const char *base = o->url ? o->url : llm_env_first(p->url_vars, &which, a);
    if (!base)
        base = p->url;
    if (!base && offline)
        base = "https://example.invalid/v1";
    if (!base)
        return fail(err, GS_E_USAGE, "provider '%s' needs an address; %s", p->name, p->no_endpoint);
    if (!llm_url_parse(&u, expanded(base, t, a), err))
        return false;
    t->url = join(expanded(base, t, a), expanded(p->path, t, a), a);
    if (p->count_path)
        t->count_url = join(expanded(base, t, a), expanded(p->count_path, t, a), a);
    if (!llm_url_parse(&u, t->url, err))
        return false;
    t->host = arena_strdup(a, u.host);
    if (!u.tls && !u.loopback && !offline)
        log_warn("'%s' is asked without encryption, as its address says http", t->host);
    return true;
}

/* What a proxy wants to know of us is as secret as a key. */
static void hide_password(struct llm_target *t, const char *proxy, struct arena *a)
{
    const char *from = proxy ? strstr(proxy, "://") : NULL,
               *at = proxy ? strrchr(proxy, '@') : NULL;
    from = from ? from + 3 : proxy;
    const char *colon = at ? memchr(from, ':', (size_t)(at - from)) : NULL;
    if (colon && at - colon > 1)
        vec_push(&t->secrets, a, arena_strndup(a, colon + 1, (size_t)(at - colon - 1)));
}

static bool take_network(struct llm_target *t, const struct llm_opts *o, struct arena *a,
                         struct gs_error *err)
{
    static const char *const ca_vars[LLM_VARS] = {"*_LLM_CA", "SSL_CERT_FILE", "CURL_CA_BUNDLE",
                                                  "REQUESTS_CA_BUNDLE"};
    const struct llm_provider *p = t->provider;
    const char *which;
    static const char *const proxies[] = {"https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy",
                                          "ALL_PROXY"};
    if (o->proxy && strchr(o->proxy, '@'))
        return fail(err, GS_E_USAGE,
                    "a password on the command line can be read by others; set "
                    "the variable https_proxy instead of '--llm-proxy'");
    for (size_t i = 0; i < ARRAY_LEN(proxies); i++)
        hide_password(t, getenv(proxies[i]), a);
    t->proxy = o->proxy;
    t->ca = o->ca ? o->ca : llm_env_first(ca_vars, &which, a);
    t->timeout_s = o->timeout_s ? (int)o->timeout_s : p->timeout_s;
    t->retries = o->retries >= 0 ? (int)o->retries : 2;
    if (o->ca && access(o->ca, R_OK) != 0)
        return fail(err, GS_E_IO, "cannot read the certificates of '%s'", o->ca);
    const char *verify = p->verify_var ? llm_env(p->verify_var, &which, a) : NULL;
    t->insecure =
        verify && (str_eq(verify, "0") || str_eq(verify, "false") || str_eq(verify, "no"));
    if (t->insecure)
        log_warn("the certificate of '%s' is not checked, as %s says", t->host, which);
    return true;
}

bool llm_target_find(struct llm_target *t, const struct llm_opts *o, bool offline, bool say_user,
                     struct arena *a, struct gs_error *err)
{
    *t = (struct llm_target){0};
    if (o->refused_key)
        return fail(err, GS_E_USAGE,
                    "a key on the command line can be read by others; set the provider's variable "
                    "(ANTHROPIC_API_KEY, OPENAI_API_KEY, GOOGLE_API_KEY) or use '--llm-key-file'");
    if (!choose_provider(t, o, a, err) || !choose_model(t, o, a, err) ||
        !take_key(t, o, offline, a, err) || !choose_address(t, o, offline, a, err) ||
        !take_network(t, o, a, err))
        return false;
    if (o->thinking && !t->provider->thinks)
        return fail(err, GS_E_USAGE,
                    "option '--llm-thinking' is for anthropic and bedrock; for "
                    "'%s' use '--reasoning-effort'",
                    t->provider->name);
    for (size_t i = 0; i < LLM_VARS && t->provider->headers[i]; i++)
        vec_push(&t->headers, a, t->provider->headers[i]);
    return headers_further(t, say_user, a, err);
}

void llm_target_forget(struct llm_target *t)
{
    if (t->key_line)
        explicit_bzero(t->key_line, strlen(t->key_line));
    for (size_t i = 0; i < t->secrets.n; i++) {
        char *s = (char *)(uintptr_t)t->secrets.v[i]; /* our own copy */
        explicit_bzero(s, strlen(s));
    }
    t->headers.n = t->secrets.n = 0;
}

void llm_forget_environment(struct arena *a)
{
    for (size_t i = 0; llm_providers[i]; i++)
        for (size_t k = 0; k < LLM_VARS && llm_providers[i]->key_vars[k]; k++) {
            const char *which, *v;
            while ((v = llm_env(llm_providers[i]->key_vars[k], &which, a))) {
                explicit_bzero((char *)(uintptr_t)v, strlen(v));
                unsetenv(which);
            }
        }
}
