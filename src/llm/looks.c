/* What names something by its looks: paths, mail, addresses of machines. */
#include <ctype.h>
#include <string.h>

#include "llm/redact.h"

static bool path_char(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("._-+~@%:=/\\", c)) ||
           (unsigned char)c >= 0x80;
}

/* Without the punctuation of the sentence it stands in. */
static size_t path_length(const char *p)
{
    size_t n = 0;
    while (path_char(p[n]))
        n++;
    while (n && strchr(".:,=", p[n - 1]))
        n--;
    return n;
}

static bool is_path(const char *p, size_t n)
{
    static const char *const roots[] = {"/home", "/root",   "/tmp",  "/var",     "/opt", "/usr",
                                        "/mnt",  "/data",   "/srv",  "/scratch", "/etc", "/Users",
                                        "/gpfs", "/lustre", "/work", "/proc",    "/dev", "/media"};
    size_t slashes = 0, letters = 0;
    for (size_t i = 0; i < n; i++) {
        slashes += p[i] == '/';
        letters += isalpha((unsigned char)p[i]) != 0;
    }
    for (size_t i = 0; i < ARRAY_LEN(roots); i++)
        if (str_starts(p, roots[i]) && (p[strlen(roots[i])] == '/' || n == strlen(roots[i])))
            return true;
    return slashes >= 2 && letters && isalnum((unsigned char)p[1]);
}

static size_t mail_at(const char *p)
{
    size_t n = 0, at = 0;
    while (isalnum((unsigned char)p[n]) || (p[n] && strchr("._+-", p[n])))
        n++;
    if (!n || p[n] != '@')
        return 0;
    at = n++;
    while (isalnum((unsigned char)p[n]) || (p[n] && strchr(".-", p[n])))
        n++;
    while (n > at && strchr(".-", p[n - 1]))
        n--;
    return n > at + 1 ? n : 0;
}

static size_t ip_at(const char *p)
{
    size_t n = 0;
    for (int part = 0; part < 4; part++) {
        size_t digits = 0;
        while (isdigit((unsigned char)p[n + digits]))
            digits++;
        if (!digits || digits > 3)
            return 0;
        n += digits;
        if (part < 3 && p[n++] != '.')
            return 0;
    }
    return p[n] == '.' || isalnum((unsigned char)p[n]) ? 0 : n;
}

size_t look_like_name(const char *text, size_t at, enum name_kind *kind)
{
    const char *p = text + at;
    char before = at ? text[at - 1] : ' ';
    size_t n;
    if (isalnum((unsigned char)before) || strchr("_-./\\", before) || (unsigned char)before >= 0x80)
        return 0;
    *kind = NAME_PATH;
    bool up = str_starts(p, "../") || str_starts(p, "~/");
    bool drive = isalpha((unsigned char)*p) && p[1] == ':' && p[2] == '\\';
    if (*p == '/' || up || drive) {
        n = path_length(p);
        return up || drive ? n : n > 1 && is_path(p, n) ? n : 0;
    }
    if ((n = mail_at(p))) {
        *kind = NAME_USER;
        return n;
    }
    *kind = NAME_HOST;
    return isdigit((unsigned char)*p) ? ip_at(p) : 0;
}
