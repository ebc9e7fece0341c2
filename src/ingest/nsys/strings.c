/*
 * StringIds: every name in the file, and the output of the program. Texts are often longer than a
 * page, which is nothing for a scan; there are few enough of them for queries.
 */
#include <ctype.h>
#include <string.h>

#include "base/str.h"
#include "ingest/nsys/nsys.h"

/* Length without "_v7000" or "_v2", and without the marks of per-thread default streams. */
static size_t clean_length(const char *s, size_t n)
{
    size_t end = n;
    while (end && isdigit((unsigned char)s[end - 1]))
        end--;
    if (end < n && end >= 2 && s[end - 1] == 'v' && s[end - 2] == '_')
        n = end - 2;
    if (n > 5 && (!strncmp(s + n - 5, "_ptsz", 5) || !strncmp(s + n - 5, "_ptds", 5)))
        n -= 5;
    return n;
}

/* cudaMalloc is the runtime, cuMemAlloc the driver; anything else in those tables is a guest. */
static enum region_kind api_kind(const char *name)
{
    if (str_starts(name, "cuda"))
        return REGION_HIP;
    if (str_starts(name, "cu") && isupper((unsigned char)name[2]))
        return REGION_HSA;
    return REGION_OTHER;
}

static void clean_names(struct nsys *n)
{
    struct strings *s = &n->trace->strings;
    n->n_listed = s->n;
    n->clean = arena_array(n->arena, uint32_t, n->n_listed);
    n->api_kind = arena_array(n->arena, uint8_t, n->n_listed);
    for (uint32_t i = 0; i < n->n_listed; i++) {
        const struct string_entry e = s->v[i];
        enum region_kind kind = api_kind(e.text);
        n->api_kind[i] = (uint8_t)kind;
        n->clean[i] = i;
        if (kind != REGION_OTHER)
            n->clean[i] = strings_addn(s, e.text, clean_length(e.text, e.len));
    }
}

uint32_t nsys_string(const struct nsys *n, int64_t id)
{
    uint32_t s = idtable_get(&n->strings, id);
    return s == NO_INDEX ? 0 : s;
}

bool nsys_read_strings(struct nsys *n, struct gs_error *err)
{
    static const char *const columns[] = {"id", "value", NULL};
    struct db_query q;
    if (!db_select(&q, n->db, "StringIds", columns, err))
        return false;
    while (db_next(&q))
        idtable_put(&n->strings, sqlite3_column_int64(q.stmt, 0), nsys_text(n, &q, 1));
    if (!db_done(&q, err))
        return false;
    idtable_seal(&n->strings);
    clean_names(n);
    return true;
}
