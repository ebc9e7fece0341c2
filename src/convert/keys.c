#include "convert/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "base/utf8.h"

struct keys {
    const struct trace *t;
    const struct process *p; /* NULL: none */
    struct arena *arena;
};

static const char *number(const struct keys *k, int64_t v)
{
    return arena_printf(k->arena, "%lld", (long long)v);
}

/* Word `n` of the command; without its folder for the program itself. */
static const char *argument(const struct keys *k, long n)
{
    const char *s = k->p ? trace_str(k->t, k->p->command) : "";
    for (long i = 0; *s; i++) {
        s += strspn(s, " ");
        size_t len = strcspn(s, " ");
        if (i == n) {
            const char *text = arena_strndup(k->arena, s, len), *slash = strrchr(text, '/');
            return utf8_file_word(!n && slash ? slash + 1 : text, k->arena);
        }
        s += len;
    }
    return "";
}

static const char *all_arguments(const struct keys *k, long from)
{
    struct str out;
    str_init(&out, k->arena);
    for (long i = from; i < 64; i++) {
        const char *a = argument(k, i);
        if (!*a)
            break;
        str_printf(&out, "%s%s", i > from ? "_" : "", a);
    }
    return out.buf ? out.buf : "";
}

static int64_t rank_count(const struct trace *t)
{
    int64_t n = 0;
    for (size_t i = 0; i < t->processes.n; i++)
        n += t->processes.v[i].rank >= 0;
    return n ? n : (int64_t)t->processes.n;
}

static const char *moment(const struct keys *k, const char *form)
{
    char text[64] = "";
    time_t now = time(NULL);
    struct tm tm;
    if (localtime_r(&now, &tm))
        strftime(text, sizeof(text), form, &tm);
    return arena_strdup(k->arena, text);
}

static const char *environment(const struct keys *k, const char *name, const char *instead)
{
    const char *v = getenv(name);
    return v && *v ? arena_strdup(k->arena, v) : instead;
}

static const char *folder(const struct keys *k)
{
    char path[4096];
    return getcwd(path, sizeof(path)) ? arena_strdup(k->arena, path) : ".";
}

static bool is(const char *key, size_t n, const char *name)
{
    return strlen(name) == n && !memcmp(key, name, n);
}

/* The value of a key without its signs, or NULL. */
static const char *value_of(const struct keys *k, const char *key, size_t n)
{
    const struct process *p = k->p;
    if (is(key, n, "hostname") || is(key, n, "h"))
        return p && p->host ? utf8_file_word(trace_str(k->t, p->host), k->arena) : "localhost";
    if (is(key, n, "pid") || is(key, n, "p"))
        return number(k, p ? p->pid : 0);
    if (is(key, n, "ppid") || is(key, n, "pgid") || is(key, n, "psid"))
        return number(k, p ? p->ppid : 0);
    if (is(key, n, "rank") || is(key, n, "r"))
        return number(k, p && p->rank >= 0 ? p->rank : p ? p - k->t->processes.v : 0);
    if (is(key, n, "size") || is(key, n, "s") || is(key, n, "psize"))
        return number(k, rank_count(k->t));
    if (is(key, n, "nid"))
        return number(k, p ? p->host : 0);
    if (is(key, n, "job") || is(key, n, "j"))
        return utf8_file_word(environment(k, "SLURM_JOB_ID", "0"), k->arena);
    if (is(key, n, "cwd"))
        return folder(k);
    if (is(key, n, "launch_date"))
        return moment(k, "%Y-%m-%d");
    if (is(key, n, "launch_time"))
        return moment(k, "%H.%M.%S");
    if (is(key, n, "tag"))
        return argument(k, 0);
    if (is(key, n, "argv") || is(key, n, "argt"))
        return all_arguments(k, 0);
    if (is(key, n, "args"))
        return all_arguments(k, 1);
    if (n > 3 && n < 7 && !strncmp(key, "arg", 3) && strspn(key + 3, "0123456789") >= n - 3)
        return argument(k, strtol(key + 3, NULL, 10));
    return NULL;
}

/* "%env{X}%", "%q{X}", "$ENV{X}" at s: the name between the braces and where the key ends. */
static size_t braced(const char *s, const char **name, size_t *n)
{
    static const char *const forms[] = {"%env{", "%q{", "$ENV{"};
    for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
        size_t open = strlen(forms[i]);
        const char *close = strncmp(s, forms[i], open) ? NULL : strchr(s + open, '}');
        if (!close)
            continue;
        *name = s + open;
        *n = (size_t)(close - *name);
        return (size_t)(close - s) + 1 + (i == 0 && close[1] == '%');
    }
    return 0;
}

/* "%pid%", "{pid}", "%p": the key and where it ends; 0: none is here. */
static size_t plain(const char *s, const char **key, size_t *n)
{
    char close = *s == '%' ? '%' : *s == '{' ? '}' : 0;
    const char *end = close ? strchr(s + 1, close) : NULL;
    *key = s + 1;
    *n = end ? (size_t)(end - *key) : 0;
    return end ? *n + 2 : 0;
}

const char *keys_expand(const char *path, const struct trace *t, uint32_t process, struct arena *a)
{
    struct keys k = {t, process < t->processes.n ? &t->processes.v[process] : NULL, a};
    struct str out;
    str_init(&out, a);
    str_puts(&out, "");
    while (*path) {
        const char *key, *value = NULL;
        size_t n, used = braced(path, &key, &n);
        if (used) {
            value = environment(&k, arena_strndup(a, key, n), "");
        } else if ((used = plain(path, &key, &n))) {
            value = value_of(&k, key, n);
        }
        if (!value && *path == '%' && path[1] && strchr("hprsj", path[1])) {
            value = value_of(&k, path + 1, 1);
            used = 2;
        }
        if (value)
            str_puts(&out, value);
        else
            str_putc(&out, *path);
        path += value ? used : 1;
    }
    return out.buf;
}

bool keys_tell_apart(const char *path)
{
    static const char *const keys[] = {"%pid%", "{pid}", "%rank%", "{rank}"};
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (strstr(path, keys[i]))
            return true;
    return false;
}
