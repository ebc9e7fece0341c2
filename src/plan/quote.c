#include "plan/quote.h"

#include <string.h>

#include "base/str.h"

enum { REGEX_MOST = 96, IDENTIFIER_MOST = 96 };

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_plain(const char *word)
{
    for (const char *p = word; *p; p++)
        if (!is_name(*p) && !strchr("-./=:,+@%", *p))
            return false;
    return *word && *word != '=';
}

const char *shell_word(struct arena *a, const char *word)
{
    if (is_plain(word))
        return arena_strdup(a, word);
    struct str q;
    str_init(&q, a);
    str_putc(&q, '\'');
    for (; *word; word++) {
        if (*word == '\'')
            str_puts(&q, "'\\''");
        else
            str_putc(&q, *word);
    }
    str_putc(&q, '\'');
    return q.buf;
}

/* The return type that demanglers put before kernel templates says nothing. */
static const char *skip_type(const char *name)
{
    return str_starts(name, "void ") ? name + 5 : name;
}

/* Where the arguments begin, or the template arguments: "(anonymous namespace)" is part of a name.
 */
static size_t name_length(const char *name, bool templates)
{
    static const char anonymous[] = "(anonymous namespace)";
    int depth = 0;
    size_t n = 0;
    for (; name[n] && name[n] != '\n' && name[n] != '\r'; n++) {
        if (str_starts(name + n, anonymous)) {
            n += sizeof(anonymous) - 2;
        } else if (name[n] == '<') {
            if (!templates)
                break;
            depth++;
        } else if (name[n] == '>') {
            depth -= depth > 0;
        } else if (name[n] == '(' && !depth) {
            break;
        } else if (str_starts(name + n, " [clone ")) {
            break;
        }
    }
    return n > 3 && strncmp(name + n - 3, ".kd", 3) == 0 ? n - 3 : n;
}

const char *kernel_regex(struct arena *a, const char *name, bool templates)
{
    name = skip_type(name);
    size_t n = name_length(name, templates), letters = 0;
    struct str r;
    str_init(&r, a);
    for (size_t i = 0; i < n && i < REGEX_MOST; i++) {
        str_putc(&r, is_name(name[i]) || name[i] == ':' ? name[i] : '.');
        letters += is_name(name[i]);
    }
    return letters >= 2 ? r.buf : "";
}

const char *kernel_identifier(struct arena *a, const char *name)
{
    name = skip_type(name);
    size_t n = name_length(name, false), best = 0, best_n = 0;
    for (size_t i = 0; i < n;) {
        size_t run = 0;
        while (i + run < n && is_name(name[i + run]))
            run++;
        if (run && run >= (i + run == n ? 1 : best_n)) {
            best = i;
            best_n = run;
        }
        i += run + 1;
    }
    if (best_n < 2)
        return "";
    return arena_printf(a, "%.*s", (int)(best_n < IDENTIFIER_MOST ? best_n : IDENTIFIER_MOST),
                        name + best);
}
