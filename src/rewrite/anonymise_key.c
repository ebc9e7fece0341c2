/* The key of pseudonyms as a file. */
#include <string.h>

#include "base/fs.h"
#include "base/jread.h"
#include "base/jwrite.h"
#include "rewrite/anonymise.h"

void pseudonyms_json(const struct pseudonyms *p, struct str *out)
{
    struct jwrite w;
    jw_init(&w, out, 1);
    jw_open(&w, NULL, '{');
    jw_str(&w, "format", "gpusight-pseudonyms");
    jw_int(&w, "version", 1);
    jw_open(&w, "names", '[');
    for (size_t i = 0; i < p->v.n; i++) {
        jw_open(&w, NULL, '{');
        jw_str(&w, "kind", p->v.v[i].kind);
        jw_str(&w, "name", p->v.v[i].name);
        jw_str(&w, "original", p->v.v[i].original);
        jw_close(&w);
    }
    jw_close(&w);
    jw_close(&w);
    str_putc(out, '\n');
}

/* ---- reading it back ---- */

static void read_name(struct jread *j, struct pseudonyms *p)
{
    struct pseudonym n = {"", "", ""};
    while (jr_key(j)) {
        const char **to = jr_is(j, "kind")       ? &n.kind
                          : jr_is(j, "name")     ? &n.name
                          : jr_is(j, "original") ? &n.original
                                                 : NULL;
        const char *text = to ? jr_str(j, NULL) : NULL;
        if (text)
            *to = arena_strdup(p->arena, text);
        else if (!to)
            jr_skip(j);
    }
    uint64_t key =
        hash_bytes(n.name, strlen(n.name)) ^ hash_u64(hash_bytes(n.kind, strlen(n.kind)));
    idmap_put(&p->by_name, key, (uint32_t)p->v.n);
    vec_push(&p->v, p->arena, n);
}

bool pseudonyms_read(struct pseudonyms *p, const char *path, struct gs_error *err)
{
    enum { MOST = 1 << 30 };
    bool known = false;
    const struct mapping *m = fs_read_in(p->arena, path, MOST, err);
    if (!m)
        return false;
    struct jread *j = jr_text(p->arena, (const char *)m->data, m->size);
    if (jr_object(j))
        while (jr_key(j)) {
            if (jr_is(j, "format")) {
                const char *text = jr_str(j, NULL);
                known = text && strcmp(text, "gpusight-pseudonyms") == 0;
            } else if (jr_is(j, "names") && jr_array(j)) {
                while (jr_item(j))
                    if (jr_object(j))
                        read_name(j, p);
            } else {
                jr_skip(j);
            }
        }
    return jr_end(j, err) &&
           (known ||
            fail(err, GS_E_FORMAT, "'%s' is no key that 'gpusight anonymise' has written", path));
}
