#include "base/secret_words.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"

bool cut_is(struct cut w, const char *word)
{
    return strlen(word) == w.n && !strncasecmp(w.p, word, w.n);
}

bool cut_ends(struct cut w, const char *word)
{
    size_t n = strlen(word);
    return w.n >= n && !strncasecmp(w.p + w.n - n, word, n);
}

bool cut_listed(struct cut w, const char *const *list)
{
    for (; *list; list++)
        if (cut_is(w, *list))
            return true;
    return false;
}

static bool ends_in_one(struct cut w, const char *const *list)
{
    for (; *list; list++)
        if (cut_ends(w, *list))
            return true;
    return false;
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

/* --api-keys and --secrets hold several; --keys and --tokens may be those of a sort or a model. */
static struct cut singular(struct cut word, struct cut before)
{
    static const char *const several[] = {"secrets", "passwords", "apikeys", "passphrases", NULL};
    static const char *const doors[] = {"api",     "access",  "auth",   "secret", "private",
                                        "refresh", "session", "bearer", "ssh",    NULL};
    bool opens = (cut_is(word, "keys") || cut_is(word, "tokens")) && cut_listed(before, doors);
    word.n -= opens || cut_listed(word, several);
    return word;
}

/* Halves of pairs that only open something together, called by a number of theirs. */
static bool is_secret_id(struct cut name)
{
    static const char *const heads[] = {"access_key_", "access-key-", "AccessKey", "secret_",
                                        "secret-",     "Secret",      "session_",  "session-",
                                        "Session",     NULL};
    return ends_in_one(name, heads);
}

/* --pass-word, --seed_phrase, --mfa-code */
static bool is_two_words(struct cut before, struct cut word)
{
    static const char *const pairs[][2] = {
        {"pass", "word"},       {"pass", "phrase"}, {"pass", "code"}, {"seed", "phrase"},
        {"recovery", "phrase"}, {"mfa", "code"},    {"otp", "code"},  {"auth", "code"}};
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
        if (cut_is(before, pairs[i][0]) && cut_is(word, pairs[i][1]))
            return true;
    return false;
}

/* Tokens of a vocabulary and keys of a sort are none that open doors. */
enum secrecy secrecy_of(struct cut name)
{
    static const char *const surely[] = {
        "password", "passwd", "passphrase", "pwd",  "secret",   "apikey",      "auth",
        "bearer",   "cookie", "credential", "cred", "creds",    "passcode",    "authorization",
        "jwt",      "otp",    "totp",       "sas",  "passwort", "credentials", "kennwort",
        "oauth",    "passw",  "psw",        "pswd", "psk",      NULL};
    static const char *const suffixes[] = {
        "password",  "passwd",        "secret",     "token",      "apikey",     "accesskey",
        "secretkey", "encryptionkey", "signingkey", "licensekey", "privatekey", "authkey",
        "masterkey", "privkey",       "sshkey",     "accountkey", "passphrase", "sessionid",
        "sessid",    "userpwd",       NULL};
    static const char *const filler[] = {"value", "string", "text", "header", "hex", "base64",
                                         "b64",   "base",   "data", "json",   NULL};
    static const char *const harmless[] = {
        "sort",  "group", "primary", "foreign", "public", "partition", "shard", "row",
        "index", "cache", "hash",    "hot",     "order",  "by",        "dict",  "map",
        "eos",   "bos",   "pad",     "unk",     "mask",   "sep",       "cls",   "special",
        "stop",  "image", "start",   "end",     "next",   "first",     "last",  "per",
        "new",   "num",   "max",     "min",     NULL};
    static const char *const perhaps[] = {"key",    "pass",   "pw",     "dbpw",
                                          "userpw", "rootpw", "bindpw", NULL};
    static const char *const given[] = {"keys", "pat", "api", "license", "webhook", NULL};
    static const char *const ways[] = {"bypass", "compass", "trespass", "multipass", NULL};
    struct cut word = last_word(&name);
    while (name.n && cut_listed(word, filler))
        word = last_word(&name);
    if (cut_is(word, "id"))
        return is_secret_id(name) ? SECRET : NOT_SECRET;
    struct cut before = last_word(&name);
    word = singular(word, before);
    if (cut_listed(word, surely) || is_two_words(before, word))
        return SECRET;
    if (cut_listed(before, harmless))
        return NOT_SECRET;
    if (cut_is(word, "pin"))
        return SECRET_PIN;
    if (cut_listed(word, given))
        return SECRET_LONG;
    if (cut_is(word, "tokens") && !before.n)
        return SECRET_WORD;
    if (ends_in_one(word, suffixes))
        return SECRET;
    bool pass = cut_ends(word, "pass") && !ends_in_one(word, ways);
    return pass || cut_listed(word, perhaps) ? SECRET_TEXT : NOT_SECRET;
}

static size_t digits_at(struct cut v)
{
    size_t n = 0;
    while (n < v.n && isdigit((unsigned char)v.p[n]))
        n++;
    return n;
}

/* As if it was given out by a machine: letters with digits among them or large ones; no 128k. */
static bool is_given(struct cut v, size_t least)
{
    bool letters = false, mixed = false;
    for (size_t i = 0; i < v.n; i++) {
        unsigned char c = (unsigned char)v.p[i];
        if (!isalnum(c) && c != '-' && c != '_')
            return false;
        letters |= isalpha(c) != 0;
        mixed |= isdigit(c) || isupper(c);
    }
    return v.n >= least && letters && mixed && v.n - digits_at(v) > 2;
}

bool secret_value(enum secrecy s, struct cut v)
{
    enum { SMALL = 5, WORD = 6, LONG = 16, PIN = 4 };
    size_t digits = digits_at(v);
    switch (s) {
    case SECRET:
        return true;
    case SECRET_TEXT:
        return digits < v.n || v.n >= SMALL;
    case SECRET_WORD:
        return is_given(v, WORD);
    case SECRET_LONG:
        return is_given(v, LONG);
    case SECRET_PIN:
        return digits == v.n && v.n >= PIN;
    default:
        return false;
    }
}

bool secret_dashed(struct cut name, const char *v)
{
    static const char *const always[] = {"password", "passwd", "passphrase", "passcode",
                                         "secret",   "token",  NULL};
    enum { LEAST = 5, MOST = 64 };
    bool mixed = false;
    size_t n = 0;
    for (; n < MOST && isgraph((unsigned char)v[n]) && !strchr("'\"\\", v[n]); n++)
        mixed |= !islower((unsigned char)v[n]) && v[n] != '-';
    return mixed && n >= LEAST && v[1] != '-' && ends_in_one(name, always);
}

struct cut secret_path(const char *address)
{
    static const char *const places[] = {"hooks.slack.com/services/", "discord.com/api/webhooks/",
                                         "discordapp.com/api/webhooks/", "api.telegram.org/bot",
                                         NULL};
    for (const char *const *p = places; *p; p++)
        if (!strncasecmp(address, *p, strlen(*p)))
            return (struct cut){address + strlen(*p),
                                strcspn(address + strlen(*p), "?#'\"<> \t\r\n")};
    return (struct cut){address, 0};
}

bool secret_stands_alone(struct cut name)
{
    static const char *const ends[] = {
        "password",    "passwd",       "passphrase",    "access_key", "secret_key",
        "private_key", "api_key",      "api-key",       "apikey",     "access_key_id",
        "auth_token",  "access_token", "session_token", NULL};
    return *name.p != '-' && ends_in_one(name, ends);
}

bool secret_signature(struct cut name)
{
    return cut_is(name, "sig") || cut_ends(name, "signature");
}

bool secret_is_switch(struct cut name)
{
    static const char *const verbs[] = {"use",     "no",   "with", "enable",
                                        "disable", "skip", "has",  NULL};
    size_t from = strspn(name.p, "-");
    size_t n = strcspn(name.p + from, "-_ =");
    return cut_listed((struct cut){name.p + from, n}, verbs);
}

bool secret_given_out(struct cut w)
{
    static const char *const heads[] = {
        "ghp_",  "gho_",  "ghs_",  "ghu_",   "ghr_",  "github_pat_", "glpat-",  "hf_",   "sk-",
        "sk_",   "rk_",   "AKIA",  "ASIA",   "AIza",  "ya29.",       "xoxa-",   "xoxb-", "xoxp-",
        "xoxr-", "xoxs-", "xapp-", "nvapi-", "npm_",  "pypi-",       "dop_v1_", "rpa_",  "r8_",
        "SG.",   "gsk_",  "hvs.",  "eyJ",    "tskey", "dckr_pat_",   "glsa_",   NULL};
    if (w.p[w.n] == '=') /* a variable whose name begins so */
        return false;
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
