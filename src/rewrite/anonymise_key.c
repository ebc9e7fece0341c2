/* The key of pseudonyms as a file, and the proof that no name is left. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

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

/* ---- the proof ---- */

/*
 * All originals at once: four bytes of the text say whether one of them may begin here, a table of
 * these leads to the names.
 */
enum { HEAD = 4, BUCKETS = 1 << 16, BLOCK = 1 << 20 };

struct scanner {
    struct pseudonyms *p;
    uint32_t *first, *next; /* by bucket and by pseudonym: index + 1 */
    bool *found;
    size_t longest;
};

static uint32_t bucket_of(const char *at)
{
    uint32_t v;
    memcpy(&v, at, HEAD);
    return (v * 2654435761u) >> 16;
}

static void prepare(struct scanner *s, struct pseudonyms *p, struct arena *a)
{
    *s = (struct scanner){.p = p};
    s->first = arena_array(a, uint32_t, BUCKETS);
    s->next = arena_array(a, uint32_t, p->v.n + 1);
    s->found = arena_array(a, bool, p->v.n + 1);
    p->too_short = 0;
    for (size_t i = 0; i < p->v.n; i++) {
        size_t n = strlen(p->v.v[i].original);
        if (n < HEAD) {
            p->too_short++;
            continue;
        }
        uint32_t b = bucket_of(p->v.v[i].original);
        s->next[i] = s->first[b];
        s->first[b] = (uint32_t)i + 1;
        s->longest = n > s->longest ? n : s->longest;
    }
}

static void look(struct scanner *s, const char *data, size_t n)
{
    for (size_t i = 0; i + HEAD <= n; i++)
        for (uint32_t at = s->first[bucket_of(data + i)]; at; at = s->next[at - 1]) {
            const char *original = s->p->v.v[at - 1].original;
            size_t len = strlen(original);
            if (!s->found[at - 1] && len <= n - i && memcmp(data + i, original, len) == 0) {
                s->found[at - 1] = true;
                vec_push(&s->p->left, s->p->arena, original);
            }
        }
}

bool anonymise_scan(struct pseudonyms *p, const char *path, struct gs_error *err)
{
    struct arena *a = arena_scratch();
    struct scanner s;
    prepare(&s, p, a);
    size_t kept = 0, room = s.longest + BLOCK;
    char *data = arena_alloc(a, room + HEAD);
    int fd = open(path, O_RDONLY | O_CLOEXEC); /* what we have just written: no input */
    if (fd < 0)
        return fail(err, GS_E_IO, "cannot open '%s': %s", path, strerror(errno));
    for (ssize_t n; (n = read(fd, data + kept, BLOCK)) > 0;) {
        size_t have = kept + (size_t)n;
        look(&s, data, have);
        kept = have < s.longest ? have : s.longest;
        memmove(data, data + have - kept, kept);
    }
    close(fd);
    return true;
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
