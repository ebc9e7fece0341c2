/* ~/.pgpass: host:port:database:user:password, the first line that fits. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/log.h"
#include "fleet/pg/pg.h"

/* The next field of a line, without its backslashes; the last one goes to the end. */
static const char *field(const char **p, const char *end, bool last, struct arena *a)
{
    char *out = arena_alloc(a, (size_t)(end - *p) + 1), *to = out;
    for (; *p < end && (last || **p != ':'); (*p)++) {
        if (**p == '\\' && *p + 1 < end)
            (*p)++;
        *to++ = **p;
    }
    *p += *p < end;
    *to = 0;
    return out;
}

static bool fits(const char *field, const char *value)
{
    return str_eq(field, "*") || str_eq(field, value);
}

static const char *of_line(const char *p, const char *end, const struct pg_target *t,
                           const struct pg_host *h, struct arena *a)
{
    const char *host = h->name[0] == '/' ? "localhost" : h->name;
    const char *values[] = {host, h->port, t->database, t->user};
    if (p == end || *p == '#')
        return NULL;
    for (size_t i = 0; i < ARRAY_LEN(values); i++) {
        const char *f = field(&p, end, false, a);
        if (p[-1] != ':' || (!fits(f, values[i]) && !(i == 0 && fits(f, h->name))))
            return NULL;
    }
    return field(&p, end, true, a);
}

/* As libpq: a file that others may read is not used, and that is said. */
static bool is_private(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    if (!(st.st_mode & (S_IRWXG | S_IRWXO)))
        return true;
    log_warn("'%s' is left alone: others may read it; chmod 0600 it", path);
    return false;
}

const char *pg_password(const struct pg_target *t, const struct pg_host *h, struct arena *a)
{
    const char *home = getenv("HOME"), *path = t->passfile;
    struct gs_error ignored;
    if (t->password)
        return t->password;
    if (!path && home && *home)
        path = fs_join(home, ".pgpass", a);
    if (!path || !is_private(path))
        return NULL;
    const struct mapping *m = fs_read_in(a, path, 1 << 20, &ignored);
    for (const char *p = m ? (const char *)m->data : NULL, *end = m ? p + m->size : NULL;
         p && p < end;) {
        const char *line = memchr(p, '\n', (size_t)(end - p));
        const char *to = line ? line : end;
        const char *found = of_line(p, to > p && to[-1] == '\r' ? to - 1 : to, t, h, a);
        if (found)
            return found;
        p = to + 1;
    }
    return NULL;
}
