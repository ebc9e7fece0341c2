#include "model/names.h"

#include <stdbool.h>
#include <string.h>

#include "base/str.h"
#include "model/demangle.h"

static size_t without_suffix(const char *s, size_t n, const char *suffix)
{
    size_t m = strlen(suffix);
    return n > m && memcmp(s + n - m, suffix, m) == 0 ? n - m : n;
}

const char *name_demangle(struct arena *a, const char *mangled)
{
    size_t whole = strlen(mangled), n = whole, before;
    do {
        before = n;
        n = without_suffix(mangled, n, " [clone .kd]");
        n = without_suffix(mangled, n, ".kd");
    } while (n != before);
    const char *plain = n == whole ? mangled : arena_strndup(a, mangled, n);
    const char *symbol = str_starts(plain, "__Z") ? plain + 1 : plain;
    if (!str_starts(symbol, "_Z"))
        return plain;
    const char *text = demangle(a, symbol, n - (size_t)(symbol - plain));
    return text ? text : plain;
}
