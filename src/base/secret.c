#include "base/secret.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/secret_words.h"
#include "base/str.h"

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
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
    {"sqlcmd", 'P', true},       {"openssl", 'k', true},    {"curl", 'b', true},
    {"unrar", 'p', false},       {"rar", 'p', false},       {"ipmitool", 'P', true},
    {"bcp", 'P', true},          {"isql", 'P', true},       {"ncftpget", 'p', true},
    {"ncftpput", 'p', true},
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
    if (!value.n || value.p < m->done || cut_listed(value, plain))
        return;
    str_put(&m->out, m->done, (size_t)(value.p - m->done));
    str_puts(&m->out, SECRET_MASK);
    m->done = value.p + value.n;
    m->hidden++;
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

/* Behind it, or behind a quote, another word begins. */
static bool ends_word(char c)
{
    return !c || is_space(c) || strchr(",;})]|&>", c);
}

/* The quote that belongs to the one at `p`, or NULL; "..." may hold \". */
static const char *closing(const char *p)
{
    for (const char *q = p + 1; *q; q++)
        if (*q == '\\' && *p == '"' && q[1])
            q++;
        else if (*q == *p)
            return q;
    return NULL;
}

/* Where a text is next, or NULL. Not strstr(): under sanitizers that reads all that follows. */
static const char *next(const char *p, const char *what)
{
    size_t n = strlen(what);
    while (*p && strncmp(p, what, n) != 0)
        p++;
    return *p ? p : NULL;
}

/* A string of JSON inside another: \"...\" */
static struct cut inner_string(const char *p)
{
    const char quote[] = {'\\', p[1], 0};
    const char *end = next(p + 2, quote);
    return (struct cut){p + 2, end ? (size_t)(end - p - 2) : strlen(p + 2)};
}

/*
 * The value that starts here: what is quoted, else a word as shells take it, of pieces with and
 * without quotes, to a space or to one of `stops`.
 */
static struct cut value_at(const char *p, const char *stops)
{
    if (*p == '\\' && is_quote(p[1]))
        return inner_string(p);
    const char *end = is_quote(*p) ? closing(p) : NULL;
    if (is_quote(*p) && (!end || ends_word(end[1])))
        return (struct cut){p + 1, end ? (size_t)(end - p - 1) : strlen(p + 1)};
    size_t n = 0;
    while (p[n] && !is_space(p[n]) && !strchr(stops, p[n])) {
        size_t escaped = p[n] == '\\' && p[n + 1];
        bool quote = is_quote(p[n + escaped]);
        if (n && quote && ends_word(p[n + escaped + 1]))
            break; /* closes what began before */
        end = quote && !escaped ? closing(p + n) : NULL;
        n = end ? (size_t)(end - p) + 1 : n + 1 + escaped;
    }
    return (struct cut){p, n};
}

static const char *skip_spaces(const char *p)
{
    while (is_space(*p))
        p++;
    return p;
}

/* Where a value stands, of which nothing but its first letters has been looked at. */
struct place {
    const char *p; /* NULL: nowhere */
    const char *stops;
    bool header;
    char around; /* the quote around a header and its value, or 0 */
};

/* Behind "Authorization:", or behind "Bearer" itself. */
static struct cut header_value(struct place at)
{
    static const char *const schemes[] = {"bearer", "basic", "token", "digest", "apikey", NULL};
    struct cut v = value_at(at.p, at.stops);
    for (int i = 0; i < 2 && cut_listed(v, schemes) && is_space(v.p[v.n]); i++) {
        at.p = skip_spaces(v.p + v.n);
        v = value_at(at.p, at.stops);
    }
    const char *end = at.around && !is_quote(*at.p) ? strchr(at.p, at.around) : NULL;
    return end ? (struct cut){at.p, (size_t)(end - at.p)} : v;
}

/* Where the value of a name is that says it is secret. */
static struct place place_of(const struct mask *m, struct cut name)
{
    const char *p = name.p + name.n;
    char before = name.p > m->text ? name.p[-1] : ' ';
    size_t slash = *p == '\\' && is_quote(p[1]);
    bool quoted = is_quote(p[slash]);
    const char *next = quoted ? p + slash + 1 : p; /* "token": "x" */
    if (quoted && *next == ']')                    /* environ['TOKEN'] = 'x' */
        next++;
    const char *sign = skip_spaces(next);
    if (before == '<' && *p == '>') /* <token>x</token> */
        return (struct place){.p = p + 1, .stops = "<"};
    if (*p == '=' && p[1] != '>')
        return (struct place){.p = p + 1, .stops = strchr("?&", before) ? "&#" : ""};
    if (*sign == '=' && (sign[1] == '>' || is_space(sign[1]) ||
                         next[-1] == ']')) /* token = x, token => x, ['token']=x */
        return (struct place){.p = skip_spaces(sign + 1 + (sign[1] == '>')), .stops = ",}"};
    if (*sign == ':' && next[1] != '/')
        return (struct place){.p = skip_spaces(sign + 1 + (sign[1] == '=')),
                              .stops = ",}",
                              .header = true,
                              .around = !quoted && is_quote(before) ? before : 0};
    if (cut_is(name, "bearer") && is_space(*p))
        return (struct place){.p = sign, .stops = ",}", .header = true};
    bool option = *name.p == '-' && !secret_is_switch(name);
    if (option && quoted && is_quote(before)) /* ["--token", "x"] */
        return (struct place){.p = skip_spaces(sign + (*sign == ',')), .stops = ",]"};
    if (is_space(before) && is_space(*p) &&
        (option || (name.p > m->text && secret_stands_alone(name))))
        return (struct place){.p = sign, .stops = ""};
    return (struct place){0};
}

/*
 * A name in the text and what stands behind it. What begins like something else is not read to its
 * end: that would be done again for each name in it.
 */
static void look_at_name(struct mask *m, struct cut name)
{
    bool query = name.p > m->text && strchr("?&", name.p[-1]);
    enum secrecy s = query && secret_signature(name) ? SECRET : secrecy_of(name);
    struct place at = s == NOT_SECRET ? (struct place){0} : place_of(m, name);
    if (!at.p)
        return;
    const char *first = at.p + (*at.p == '\\');
    first += is_quote(*first);
    if (name.p[name.n] != '=' && *first == '-' &&
        (first[1] == '-' || isalpha((unsigned char)first[1])) && !secret_dashed(name, first))
        return; /* the next option */
    if (cut_ends(name, "pwd") && *first && strchr("/.~", *first))
        return; /* where it ran */
    struct cut v = at.header ? header_value(at) : value_at(at.p, at.stops);
    if (secret_value(s, v))
        hide(m, v);
}

/* The last @ before the end of a host's part, or NULL. */
static const char *login_end(const char *p, const char *stops, size_t most)
{
    const char *at = NULL;
    for (size_t i = 0; i < most && p[i] && !strchr(stops, p[i]); i++)
        at = p[i] == '@' ? p + i : at;
    return at;
}

/* scheme://user:password@host, or https://token@host */
static void look_at_address(struct mask *m, const char *p)
{
    const char *at = login_end(p, "/?#'\" \t\n", SIZE_MAX);
    const char *colon = at ? memchr(p, ':', (size_t)(at - p)) : NULL;
    bool web = p - m->text >= 7 &&
               (!strncasecmp(p - 7, "http://", 7) || !strncasecmp(p - 7, "ttps://", 7));
    struct cut user = {p, colon ? (size_t)(colon - p) : 0};
    if (colon && secret_given_out(user)) /* https://ghp_...:x-oauth-basic@host */
        hide(m, user);
    if (colon)
        hide(m, (struct cut){colon + 1, (size_t)(at - colon - 1)});
    else if (at && web)
        hide(m, (struct cut){p, (size_t)(at - p)});
    hide(m, secret_path(p));
}

/* user:password@host alone; `p` is the colon. */
static void look_at_login(struct mask *m, const char *p)
{
    enum { LONGEST = 128 }; /* a text of colons would be read again from each */
    const char *at = login_end(p + 1, "/?#='\" \t\n", LONGEST);
    bool mail = p - m->text >= 6 && !strncasecmp(p - 6, "mailto", 6);
    if (!at || p == m->text || is_space(p[-1]) || mail || !isalnum((unsigned char)at[1]) ||
        !strncmp(at, "@sha256:", 8))
        return;
    struct cut v = {p + 1, (size_t)(at - p - 1)};
    if (secret_value(SECRET_TEXT, v))
        hide(m, v);
}

/* -u user:password, as curl has it. */
static void look_at_user(struct mask *m, struct cut name)
{
    static const char *const options[] = {"-u",      "--user",    "--proxy-user",
                                          "--login", "--userpwd", NULL};
    const char *p = name.p + name.n;
    bool joined = m->tool && str_eq(m->tool->name, "curl") && name.n > 2 && *p == ':' &&
                  !strncmp(name.p, "-u", 2);
    if (!joined && (!cut_listed(name, options) || (!is_space(*p) && *p != '=')))
        return;
    p = joined ? p : skip_spaces(p + 1);
    char quote = is_quote(*p) ? *p : 0;
    p += quote != 0;
    p += strcspn(p, ":= \t\n'\"");
    const char *end = quote ? strchr(p, quote) : NULL;
    if (*p == ':')
        hide(m, end ? (struct cut){p + 1, (size_t)(end - p - 1)} : value_at(p + 1, ""));
}

/* mysql -pSECRET, sshpass -p SECRET */
static void look_at_letter(struct mask *m, struct cut name)
{
    for (size_t i = 0; i < ARRAY_LEN(tools); i++)
        if (cut_is(name, tools[i].name))
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

/* A private key in full: from its first line to its last. */
static bool look_at_key(struct mask *m, const char *p)
{
    static const char begin[] = "-----BEGIN ", mark[] = "PRIVATE KEY-----";
    if (strncmp(p, begin, strlen(begin)) != 0)
        return false;
    const char *from = p + strlen(begin);
    from += strspn(from, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ");
    if (from - p < (ptrdiff_t)strlen(mark) || strncmp(from, "-----", 5) != 0 ||
        strncmp(from - strlen(mark) + 5, mark, strlen(mark)) != 0)
        return false;
    const char *end = next(from + 5, "-----END");
    hide(m, (struct cut){from + 5, end ? (size_t)(end - from - 5) : strlen(from + 5)});
    return true;
}

static void look_at(struct mask *m, const char *p, struct cut name)
{
    if (look_at_key(m, p))
        return;
    if (name.n && secret_given_out(name)) {
        hide(m, name);
    } else if (name.n) {
        look_at_user(m, name);
        look_at_letter(m, name);
        look_at_name(m, name);
    } else if (!strncmp(p, "://", 3)) {
        look_at_address(m, p + 3);
    } else if (*p == ':') {
        look_at_login(m, p);
    } else if (strchr(";|&", *p)) {
        m->tool = NULL; /* another program */
    }
}

const char *secret_mask(const char *text, struct arena *a, size_t *hidden)
{
    struct mask m = {.text = text, .done = text};
    str_init(&m.out, a);
    for (const char *p = text; *p;) {
        struct cut name = {p, 0};
        while (is_name(p[name.n]))
            name.n++;
        if (p >= m.done)
            look_at(&m, p, name);
        p += name.n ? name.n : 1;
    }
    *hidden = m.hidden;
    if (!m.hidden)
        return text;
    str_puts(&m.out, m.done);
    return m.out.buf;
}
