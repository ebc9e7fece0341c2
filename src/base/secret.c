#include "base/secret.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"

/* A piece of text. */
struct cut {
    const char *p;
    size_t n;
};

static bool is(struct cut w, const char *word)
{
    return strlen(word) == w.n && !strncasecmp(w.p, word, w.n);
}

static bool ends(struct cut w, const char *word)
{
    size_t n = strlen(word);
    return w.n >= n && !strncasecmp(w.p + w.n - n, word, n);
}

static bool listed(struct cut w, const char *const *list)
{
    for (; *list; list++)
        if (is(w, *list))
            return true;
    return false;
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Takes the last word off a name: at - _ . and before a capital, as in apiKey. */
static struct cut last_word(struct cut *name)
{
    size_t end = name->n;
    while (end && !isalnum((unsigned char)name->p[end - 1]))
        end--;
    size_t from = end;
    while (from && isalnum((unsigned char)name->p[from - 1])) {
        from--;
        if (from && isupper((unsigned char)name->p[from]) &&
            islower((unsigned char)name->p[from - 1]))
            break;
    }
    name->n = from;
    return (struct cut){name->p + from, end - from};
}

enum secrecy {
    NOT_SECRET,
    SECRET,
    SECRET_TEXT, /* unless it is a small number: --key 4, --pass 2 */
};

/* Tokens of a vocabulary and keys of a sort are none that open doors. */
static enum secrecy secrecy_of(struct cut name)
{
    static const char *const surely[] = {
        "password",      "passwd",     "passphrase",  "pwd",    "secret", "apikey",   "auth",
        "authorization", "credential", "credentials", "bearer", "cookie", "passcode", NULL};
    static const char *const suffixes[] = {"password",  "passwd",     "secret",
                                           "token",     "apikey",     "accesskey",
                                           "secretkey", "privatekey", NULL};
    static const char *const filler[] = {"value", "string", "text", "header",
                                         "hex",   "base64", NULL};
    static const char *const harmless[] = {
        "sort",  "group", "primary", "foreign", "public", "partition", "shard", "row",
        "index", "cache", "hash",    "hot",     "order",  "by",        "dict",  "map",
        "eos",   "bos",   "pad",     "unk",     "mask",   "sep",       "cls",   "special",
        "stop",  "image", "start",   "end",     "next",   "first",     "last",  "per",
        "new",   "num",   "max",     "min",     NULL};
    struct cut word = last_word(&name);
    while (name.n && listed(word, filler))
        word = last_word(&name);
    if (is(word, "id") &&
        (ends(name, "access_key_") || ends(name, "access-key-") || ends(name, "AccessKey")))
        return SECRET; /* half of a key of AWS */
    struct cut before = last_word(&name);
    if (listed(word, surely))
        return SECRET;
    if (listed(before, harmless))
        return NOT_SECRET;
    for (size_t i = 0; suffixes[i]; i++)
        if (ends(word, suffixes[i]))
            return SECRET;
    return is(word, "key") || is(word, "pass") ? SECRET_TEXT : NOT_SECRET;
}

/* Programs whose short options are passwords; elsewhere -p may be anything. */
struct tool {
    const char *name;
    char letter;
    bool apart; /* -p X, too; mysql reads X as another operand */
};

static const struct tool tools[] = {
    {"mysql", 'p', false},       {"mysqldump", 'p', false}, {"mysqladmin", 'p', false},
    {"mysqlimport", 'p', false}, {"mariadb", 'p', false},   {"mariadb-dump", 'p', false},
    {"7z", 'p', false},          {"7za", 'p', false},       {"sshpass", 'p', true},
    {"mongo", 'p', true},        {"mongosh", 'p', true},    {"mongodump", 'p', true},
    {"login", 'p', true},        {"redis-cli", 'a', true},  {"ldapsearch", 'w', true},
    {"ldapmodify", 'w', true},   {"unzip", 'P', true},      {"zip", 'P', true},
    {"sqlcmd", 'P', true},
};

struct mask {
    const struct tool *tool; /* whose options these are, or NULL */
    struct str out;
    const char *text, *done; /* copied up to here */
    size_t hidden;
};

static void hide(struct mask *m, struct cut value)
{
    static const char *const plain[] = {SECRET_MASK, "true", "false", "yes",  "no",
                                        "on",        "off",  "none",  "auto", NULL};
    if (!value.n || value.p < m->done || listed(value, plain))
        return;
    str_put(&m->out, m->done, (size_t)(value.p - m->done));
    str_puts(&m->out, SECRET_MASK);
    m->done = value.p + value.n;
    m->hidden++;
}

static bool small_number(struct cut v)
{
    for (size_t i = 0; i < v.n; i++)
        if (!isdigit((unsigned char)v.p[i]))
            return false;
    return v.n < 5;
}

/* The value that starts here: to its closing quote, else to a space or to one of `stops`. */
static struct cut value_at(const char *p, const char *stops)
{
    if (*p == '"' || *p == '\'') {
        const char *end = strchr(p + 1, *p);
        return (struct cut){p + 1, end ? (size_t)(end - p - 1) : strlen(p + 1)};
    }
    size_t n = 0;
    for (; p[n] && !is_space(p[n]) && !strchr(stops, p[n]); n++)
        if ((p[n] == '"' || p[n] == '\'') && (!p[n + 1] || strchr(" ,;})]", p[n + 1])))
            break; /* closes what began before */
    return (struct cut){p, n};
}

static const char *skip_spaces(const char *p)
{
    while (is_space(*p))
        p++;
    return p;
}

/* Behind "Authorization:", or behind "Bearer" itself. */
static struct cut header_value(const char *p)
{
    static const char *const schemes[] = {"bearer", "basic", "token", "digest", "apikey", NULL};
    struct cut v = value_at(p, ",}");
    for (; listed(v, schemes) && is_space(v.p[v.n]); v = value_at(p, ",}"))
        p = skip_spaces(v.p + v.n);
    return v;
}

/* "--use-auth-token" is a switch; what follows it is another word. */
static bool is_switch(struct cut name)
{
    static const char *const verbs[] = {"use",     "no",   "with", "enable",
                                        "disable", "skip", "has",  NULL};
    size_t from = strspn(name.p, "-");
    size_t n = strcspn(name.p + from, "-_ =");
    return listed((struct cut){name.p + from, n}, verbs);
}

/* A name in the text and what stands behind it. */
static void look_at_name(struct mask *m, struct cut name)
{
    const char *p = name.p + name.n;
    char before = name.p > m->text ? name.p[-1] : ' ';
    enum secrecy s = secrecy_of(name);
    struct cut v = {p, 0};
    if (s == NOT_SECRET)
        return;
    const char *colon = *p == '"' || *p == '\'' ? p + 1 : p; /* "token": "x" */
    if (*p == '=')
        v = value_at(p + 1, strchr("?&", before) ? "&#" : "");
    else if (*skip_spaces(colon) == ':' && colon[1] != '/')
        v = header_value(skip_spaces(skip_spaces(colon) + 1));
    else if (is(name, "bearer") && is_space(*p))
        v = header_value(skip_spaces(p));
    else if (*name.p == '-' && is_space(before) && is_space(*p) && !is_switch(name))
        v = value_at(skip_spaces(p), "");
    if (*p != '=' && v.n > 1 && *v.p == '-' && (v.p[1] == '-' || isalpha((unsigned char)v.p[1])))
        return; /* the next option */
    struct cut rest = name;
    if (is(last_word(&rest), "pwd") && v.n && strchr("/.~", *v.p))
        return; /* where it ran */
    if (s == SECRET || !small_number(v))
        hide(m, v);
}

/* scheme://user:password@host, or https://token@host */
static void look_at_address(struct mask *m, const char *p)
{
    size_t n = strcspn(p, "/?#'\" \t\n");
    const char *at = NULL;
    for (size_t i = 0; i < n; i++)
        at = p[i] == '@' ? p + i : at;
    if (!at)
        return;
    const char *colon = memchr(p, ':', (size_t)(at - p));
    bool web = p - m->text >= 7 &&
               (!strncasecmp(p - 7, "http://", 7) || !strncasecmp(p - 7, "ttps://", 7));
    if (colon)
        hide(m, (struct cut){colon + 1, (size_t)(at - colon - 1)});
    else if (web)
        hide(m, (struct cut){p, (size_t)(at - p)});
}

/* -u user:password, as curl has it. */
static void look_at_user(struct mask *m, struct cut name)
{
    const char *p = name.p + name.n;
    if ((!is(name, "-u") && !is(name, "--user") && !is(name, "--proxy-user")) ||
        (!is_space(*p) && *p != '='))
        return;
    struct cut v = value_at(skip_spaces(p + 1), "");
    const char *colon = memchr(v.p, ':', v.n);
    if (colon)
        hide(m, (struct cut){colon + 1, (size_t)(v.p + v.n - colon - 1)});
}

/* mysql -pSECRET, sshpass -p SECRET */
static void look_at_letter(struct mask *m, struct cut name)
{
    for (size_t i = 0; i < ARRAY_LEN(tools); i++)
        if (is(name, tools[i].name))
            m->tool = &tools[i];
    bool option = m->tool && name.n > 1 && *name.p == '-' && name.p[1] == m->tool->letter;
    if (!option || (name.p > m->text && !is_space(name.p[-1])))
        return;
    const char *p = name.p + 2;
    if (*p && !is_space(*p))
        hide(m, value_at(p, ""));
    else if (m->tool->apart)
        hide(m, value_at(skip_spaces(p), ""));
}

/* ghp_..., hf_...: what services give out begins in a way that nothing else does. */
static bool looks_given_out(struct cut w)
{
    static const char *const heads[] = {"ghp_", "gho_", "ghs_",  "github_pat_", "glpat-", "hf_",
                                        "sk-",  "AKIA", "xoxb-", "xoxp-",       "nvapi-", NULL};
    for (size_t i = 0; heads[i]; i++) {
        size_t n = strlen(heads[i]);
        if (w.n < n + 16 || strncmp(w.p, heads[i], n) != 0)
            continue;
        bool digits = false;
        for (size_t k = n; k < w.n; k++)
            digits |= isdigit((unsigned char)w.p[k]) != 0;
        return digits;
    }
    return false;
}

const char *secret_mask(const char *text, struct arena *a, size_t *hidden)
{
    struct mask m = {.text = text, .done = text};
    str_init(&m.out, a);
    for (const char *p = text; *p;) {
        struct cut name = {p, 0};
        while (is_name(p[name.n]))
            name.n++;
        if (p >= m.done) {
            if (name.n && looks_given_out(name)) {
                hide(&m, name);
            } else if (name.n) {
                look_at_user(&m, name);
                look_at_letter(&m, name);
                look_at_name(&m, name);
            } else if (!strncmp(p, "://", 3)) {
                look_at_address(&m, p + 3);
                p += 2;
            } else if (strchr(";|&", *p)) {
                m.tool = NULL; /* another program */
            }
        }
        p += name.n ? name.n : 1;
    }
    *hidden = m.hidden;
    if (!m.hidden)
        return text;
    str_puts(&m.out, m.done);
    return m.out.buf;
}
