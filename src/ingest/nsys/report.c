#include "ingest/nsys/report.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"

enum { LONGEST = 300, HEAD = 4096 };

static const char *const endings[] = {".nsys-rep", ".qdrep", ".qdstrm"};

/* The formats are NVIDIA's own: their messages are of "QuadD" types, raw streams say "QDSTRM". */
static bool has_bytes(const char *head, size_t n, const char *mark)
{
    size_t len = strlen(mark);
    for (size_t i = 0; i + len <= n; i++)
        if (!memcmp(head + i, mark, len))
            return true;
    return false;
}

static bool looks_like_report(const struct probe *p)
{
    static const char *const marks[] = {"QDSTRM", "QDREP", "QuadD"};
    for (size_t i = 0; i < ARRAY_LEN(marks); i++)
        if (has_bytes(p->head, p->n < HEAD ? p->n : HEAD, marks[i]))
            return true;
    for (size_t i = 0; i < ARRAY_LEN(endings); i++)
        if (str_ends(p->path, endings[i]))
            return true;
    return false;
}

/* The path without a known ending, as a word for the shell. */
static bool shell_word(char *out, size_t size, const char *path, size_t n, const char *ending)
{
    bool plain = n > 0 && path[0] != '-';
    for (size_t i = 0; i < n && plain; i++)
        plain = memchr("/._-+,:@%", path[i], 9) || (path[i] >= '0' && path[i] <= '9') ||
                ((path[i] | 32) >= 'a' && (path[i] | 32) <= 'z');
    for (size_t i = 0; i < n; i++)
        if (path[i] == '\'')
            return false;
    const char *quote = plain ? "" : "'", *here = !plain && path[0] == '-' ? "./" : "";
    int len = snprintf(out, size, "%s%s%.*s%s%s", quote, here, (int)n, path, ending, quote);
    return len > 0 && (size_t)len < size;
}

bool nsys_explain_report(const struct probe *p, struct gs_error *err)
{
    if (p->is_sqlite || !p->n || !looks_like_report(p))
        return false;
    size_t n = strlen(p->path);
    const char *ending = "";
    for (size_t i = 0; i < ARRAY_LEN(endings); i++)
        if (str_ends(p->path, endings[i]))
            ending = endings[i];
    n -= strlen(ending);
    bool raw = str_eq(ending, ".qdstrm") || (p->n >= 6 && !memcmp(p->head, "QDSTRM", 6));
    char from[LONGEST], to[LONGEST], stream[LONGEST];
    if (!shell_word(from, sizeof(from), p->path, n, raw ? ".nsys-rep" : ending) ||
        !shell_word(to, sizeof(to), p->path, n, ".sqlite") ||
        !shell_word(stream, sizeof(stream), p->path, n, ending))
        snprintf(from, sizeof(from), "FILE.nsys-rep"), snprintf(to, sizeof(to), "FILE.sqlite"),
            snprintf(stream, sizeof(stream), "FILE.qdstrm");
    if (raw)
        fail(err, GS_E_FORMAT,
             "a raw stream of Nsight Systems; make a database of it with 'QdstrmImporter -i %s && "
             "nsys export --type sqlite --output %s %s'",
             stream, to, from);
    else
        fail(err, GS_E_FORMAT,
             "a report of Nsight Systems; make a database of it with 'nsys export --type sqlite "
             "--output %s %s'",
             to, from);
    return true;
}
