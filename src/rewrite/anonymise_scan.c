/*
 * The proof that no name is left: all originals are looked for at once, in one walk over the bytes
 * (Aho and Corasick), so that the time does not grow with the number of names, however alike they are.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/hash.h"
#include "rewrite/anonymise.h"

/* Longer names are looked for by their beginning: a few hundred bytes occur by no accident. */
enum { SHORTEST = 4, LONGEST = 256, BLOCK = 1 << 16 };

struct node {
    uint32_t parent;
    uint32_t other; /* what else may have begun: the node of the longest end of this text */
    uint32_t name;  /* index + 1 of the last pseudonym whose original ends here */
    uint8_t byte, told;
    uint16_t depth;
};

struct finder {
    struct pseudonyms *p;
    struct arena *arena;
    VEC(struct node) nodes; /* [0]: nothing has begun */
    struct idmap next;      /* node and byte: the node behind it */
    uint32_t *same;         /* by pseudonym: another with the same original, index + 1 */
};

static uint64_t step_key(uint32_t node, uint8_t byte)
{
    return (uint64_t)node << 8 | byte;
}

static void add_name(struct finder *f, uint32_t i)
{
    const char *original = f->p->v.v[i].original;
    size_t n = strlen(original);
    if (n < SHORTEST) {
        f->p->too_short++;
        return;
    }
    uint32_t at = 0;
    for (size_t k = 0; k < n && k < LONGEST; k++) {
        uint8_t byte = (uint8_t)original[k];
        uint32_t to = idmap_get(&f->next, step_key(at, byte));
        if (to == NO_INDEX) {
            struct node made = {.parent = at, .byte = byte, .depth = (uint16_t)(k + 1)};
            to = (uint32_t)f->nodes.n;
            vec_push(&f->nodes, f->arena, made);
            idmap_put(&f->next, step_key(at, byte), to);
        }
        at = to;
    }
    f->same[i] = f->nodes.v[at].name;
    f->nodes.v[at].name = i + 1;
}

static uint32_t step(const struct finder *f, uint32_t at, uint8_t byte)
{
    for (;;) {
        uint32_t to = idmap_get(&f->next, step_key(at, byte));
        if (to != NO_INDEX)
            return to;
        if (!at)
            return 0;
        at = f->nodes.v[at].other;
    }
}

/* Shorter texts first: theirs are needed for the longer ones. */
static void connect(struct finder *f)
{
    uint32_t *order = arena_array(f->arena, uint32_t, f->nodes.n);
    size_t of_depth[LONGEST + 2] = {0};
    for (size_t i = 0; i < f->nodes.n; i++)
        of_depth[f->nodes.v[i].depth + 1]++;
    for (size_t d = 1; d < LONGEST + 2; d++)
        of_depth[d] += of_depth[d - 1];
    for (size_t i = 0; i < f->nodes.n; i++)
        order[of_depth[f->nodes.v[i].depth]++] = (uint32_t)i;
    for (size_t i = 1; i < f->nodes.n; i++) {
        struct node *n = &f->nodes.v[order[i]];
        n->other = n->parent ? step(f, f->nodes.v[n->parent].other, n->byte) : 0;
    }
}

/* The originals that end here, each once. */
static void tell(struct finder *f, uint32_t at)
{
    for (; at && !f->nodes.v[at].told; at = f->nodes.v[at].other) {
        f->nodes.v[at].told = 1;
        for (uint32_t i = f->nodes.v[at].name; i; i = f->same[i - 1])
            vec_push(&f->p->left, f->p->arena, f->p->v.v[i - 1].original);
    }
}

static bool scan_file(struct finder *f, const char *path, uint8_t *data, struct gs_error *err)
{
    int fd = fs_open_plain(path, O_RDONLY | O_CLOEXEC); /* what we have just written: no input */
    if (fd < 0)
        return fail(err, GS_E_IO, "cannot open '%s': %s", path, strerror(errno));
    uint32_t at = 0;
    ptrdiff_t n;
    while ((n = fs_read_up_to(fd, data, BLOCK)) > 0)
        for (ptrdiff_t i = 0; i < n; i++) {
            at = step(f, at, data[i]);
            tell(f, at);
        }
    int saved = errno;
    close(fd);
    return n == 0 || fail(err, GS_E_IO, "cannot read '%s': %s", path, strerror(saved));
}

bool anonymise_scan(struct pseudonyms *p, const struct opt_list *paths, struct gs_error *err)
{
    struct finder f = {.p = p, .arena = arena_scratch()};
    uint8_t *data = arena_alloc(f.arena, BLOCK);
    f.same = arena_array(f.arena, uint32_t, p->v.n + 1);
    idmap_init(&f.next, f.arena);
    vec_push(&f.nodes, f.arena, (struct node){0});
    p->too_short = 0;
    for (size_t i = 0; i < p->v.n; i++)
        add_name(&f, (uint32_t)i);
    connect(&f);
    bool ok = true;
    for (size_t i = 0; i < paths->n && ok; i++)
        ok = scan_file(&f, paths->v[i], data, err);
    arena_release(f.arena);
    return ok;
}
