/*
 * What the content of a run is known by. A file that was hashed before, and is the same since by all
 * that its system says of it (cache/identity.h), is not read again: the database remembers its hash.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/sat.h"
#include "base/sha256.h"
#include "base/str.h"
#include "fleet/fleet.h"

enum { PIECE = 1 << 18 };

/* What a file looks like from outside, as the database knows it. */
static void state_of(const struct identity *id, char out[SHA256_HEX])
{
    uint8_t hash[SHA256_BYTES];
    sha256(hash, id, sizeof(*id));
    sha256_hex(out, hash);
}

static bool take_hash(void *ctx, const char *const *columns, int n)
{
    const char *hash = n > 0 && columns[0] ? columns[0] : "";
    if (strlen(hash) == SHA256_HEX - 1 && strspn(hash, "0123456789abcdef") == SHA256_HEX - 1)
        memcpy(ctx, hash, SHA256_HEX);
    return false;
}

/* Whether its hash is remembered. A role that may not ask reads the file. */
static bool ask(struct fleet *f, struct fleet_file *file, bool anew)
{
    char state[SHA256_HEX];
    struct fleet_value v = fleet_text(state);
    struct gs_error ignored;
    state_of(&file->id, state);
    if (!anew)
        fleet_run(f, "SELECT content FROM gpusight_file WHERE state = $1", &v, 1, take_hash,
                  file->hash, NULL, &ignored);
    return *file->hash;
}

static bool hash_file(struct fleet_file *file, const char *path, char *piece, struct gs_error *err)
{
    struct sha256 s;
    uint8_t hash[SHA256_BYTES];
    ptrdiff_t k;
    int fd = fs_open(path, err);
    if (fd < 0)
        return false;
    sha256_init(&s);
    while ((k = fs_read_up_to(fd, piece, PIECE)) > 0)
        sha256_add(&s, piece, (size_t)k);
    if (k < 0)
        fail(err, GS_E_IO, "cannot read '%s': %s", path, strerror(errno));
    close(fd);
    sha256_end(&s, hash);
    sha256_hex(file->hash, hash);
    return k == 0;
}

static bool take_file(struct fleet *f, struct fleet_file *file, bool anew, char *piece,
                      struct gs_error *err)
{
    const char *path = file->path;
    if (!identity_take(&file->id, path))
        return fail(err, GS_E_IO, "cannot read '%s': %s", path, strerror(errno));
    if (file->id.bytes < 0)
        return true;
    if (ask(f, file, anew))
        return true;
    struct identity before = file->id;
    bool settled = identity_settled(&before); /* from then on every change shows */
    if (!identity_take(&file->id, path))
        return fail(err, GS_E_IO, "cannot read '%s': %s", path, strerror(errno));
    file->is_new = settled && !memcmp(&before, &file->id, sizeof(before));
    return hash_file(file, path, piece, err);
}

static int by_hash(const void *x, const void *y)
{
    return memcmp(x, y, SHA256_BYTES);
}

/* Of several files, in no order: ranks may be called otherwise elsewhere. */
static void join_hashes(struct fleet_content *c, struct arena *temporary)
{
    uint8_t(*each)[SHA256_BYTES] = arena_alloc(temporary, c->n * SHA256_BYTES), all[SHA256_BYTES];
    size_t n = 0;
    for (size_t i = 0; i < c->files.n; i++) {
        const char *hash = c->files.v[i].hash;
        for (size_t k = 0; *hash && k < SHA256_BYTES; k++) {
            const char digits[] = {hash[2 * k], hash[2 * k + 1], 0};
            each[n][k] = (uint8_t)strtoul(digits, NULL, 16);
        }
        n += *hash != 0;
    }
    qsort(each, n, SHA256_BYTES, by_hash);
    sha256(all, each, n * SHA256_BYTES);
    sha256_hex(c->hash, all);
}

/* Those that are there, and those that would belong to it. */
static void list_files(struct fleet_content *c, const struct fleet_found_run *r, struct arena *a)
{
    struct ingest_members m = {0};
    for (size_t i = 0; i < r->traces.n; i++)
        ingest_members(&m, r->traces.v[i].path, r->traces.v[i].format, a);
    for (size_t i = 0; i < m.v.n; i++)
        vec_push(&c->files, a, ((struct fleet_file){.path = m.v.v[i].path}));
}

static void add_file(struct fleet_content *c, const struct identity *id)
{
    int64_t changed = add_ns(mul_ns(id->modified_s, 1000000000), id->modified_ns);
    c->changed_ns = changed > c->changed_ns ? changed : c->changed_ns;
    c->bytes = add_bytes(c->bytes, (uint64_t)id->bytes);
    c->n++;
}

bool fleet_content(struct fleet_content *out, struct fleet *f, const struct fleet_found_run *r,
                   bool anew, struct arena *a, struct gs_error *err)
{
    struct arena *temporary = arena_scratch();
    char *piece = arena_alloc(temporary, PIECE);
    const char *only = NULL;
    bool ok = true;
    *out = (struct fleet_content){0};
    list_files(out, r, a);
    for (size_t i = 0; ok && i < out->files.n; i++) {
        struct fleet_file *file = &out->files.v[i];
        ok = take_file(f, file, anew, piece, err);
        if (!ok || file->id.bytes < 0)
            continue;
        add_file(out, &file->id);
        only = file->hash;
    }
    if (ok && !out->n)
        ok = fail(err, GS_E_IO, "cannot open '%s': %s", r->path, strerror(ENOENT));
    else if (ok && out->n == 1)
        memcpy(out->hash, only, SHA256_HEX);
    else if (ok)
        join_hashes(out, temporary);
    arena_release(temporary);
    return ok;
}

/* The list as well: a log that has come since then may be what was read. */
bool fleet_unchanged(const struct fleet_content *c, const struct fleet_found_run *r,
                     struct gs_error *err)
{
    struct arena *temporary = arena_scratch();
    struct fleet_content now = {0};
    list_files(&now, r, temporary);
    bool same = now.files.n == c->files.n;
    for (size_t i = 0; same && i < now.files.n; i++) {
        struct fleet_file *x = &now.files.v[i];
        same = str_eq(x->path, c->files.v[i].path) && identity_take(&x->id, x->path) &&
               !memcmp(&x->id, &c->files.v[i].id, sizeof(x->id));
    }
    arena_release(temporary);
    return same || fail(err, GS_E_IO, "it was changed while it was read; collect it again");
}

static bool put_states(struct fleet *f, const struct fleet_content *c, struct gs_error *err)
{
    for (size_t i = 0; i < c->files.n; i++) {
        const struct fleet_file *file = &c->files.v[i];
        char state[SHA256_HEX];
        struct fleet_value v[] = {fleet_text(state), fleet_text(file->hash)};
        if (!file->is_new)
            continue;
        state_of(&file->id, state);
        if (!fleet_run(f,
                       "INSERT INTO gpusight_file (state, content) VALUES ($1, $2) "
                       "ON CONFLICT (state) DO UPDATE SET content = excluded.content",
                       v, ARRAY_LEN(v), NULL, NULL, NULL, err))
            return false;
    }
    return true;
}

void fleet_remember(struct fleet *f, const struct fleet_found_run *r, const struct fleet_content *c)
{
    struct gs_error ignored = {0};
    bool any = false;
    for (size_t i = 0; i < c->files.n; i++)
        any |= c->files.v[i].is_new;
    if (!any || !fleet_unchanged(c, r, &ignored) || !fleet_begin(f, &ignored))
        return;
    if (!put_states(f, c, &ignored) || !fleet_commit(f, &ignored))
        fleet_rollback(f);
}
