#include "fleet/store.h"

#include <assert.h>
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"

static const char *const schemes[] = {"postgresql://", "postgres://"};

bool fleet_is_address(const char *place)
{
    for (size_t i = 0; i < ARRAY_LEN(schemes); i++)
        if (str_starts(place, schemes[i]))
            return true;
    return false;
}

static void hide(char *from, const char *to)
{
    for (; from < to; from++)
        *from = '*';
}

/* Between the name of the user and the last '@', and behind password= and its like. */
void fleet_mask_here(char *place)
{
    static const char *const words[] = {"password=", "passfile=", "sslpassword="};
    if (!fleet_is_address(place))
        return;
    char *user = strstr(place, "://") + 3, *at = strrchr(user, '@');
    char *colon = at ? memchr(user, ':', (size_t)(at - user)) : NULL;
    if (colon)
        hide(colon + 1, at);
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        for (char *p = user; (p = strstr(p, words[i]));) {
            p += strlen(words[i]);
            hide(p, p + strcspn(p, "&"));
        }
}

/* With three stars: the length of a password is nobody's business either. */
const char *fleet_mask(const char *place, struct arena *a)
{
    char *copy = arena_strdup(a, place);
    struct str out;
    fleet_mask_here(copy);
    if (strcmp(copy, place) == 0)
        return copy;
    str_init(&out, a);
    for (const char *p = copy; *p;) {
        size_t stars = strspn(p, "*");
        str_put(&out, stars ? "***" : p, stars ? 3 : 1);
        p += stars ? stars : 1;
    }
    return out.buf;
}

const char *fleet_place(const struct fleet *f)
{
    return f->place;
}

struct fleet *fleet_open(const char *place, enum fleet_mode mode, struct arena *a,
                         struct gs_error *err)
{
    struct fleet *f = arena_new(a, struct fleet);
    f->arena = a;
    f->place = fleet_mask(place, a);
    bool ok = fleet_is_address(place) ? fleet_open_postgresql(f, place, err)
                                      : fleet_open_sqlite(f, place, mode, err);
    return ok && fleet_schema(f, mode, err) ? f : NULL;
}

bool fleet_run(struct fleet *f, const char *sql, const struct fleet_value *v, size_t n,
               fleet_taker *take, void *ctx, uint64_t *changed, struct gs_error *err)
{
    assert(!n || strstr(sql, "$1")); /* values reach a statement as parameters only */
    struct arena *temporary = arena_scratch();
    struct fleet_value *clean = arena_array(temporary, struct fleet_value, n + 1);
    for (size_t i = 0; i < n; i++) {
        clean[i] = v[i];
        if (v[i].kind == FLEET_TEXT)
            clean[i].text = utf8_to_valid(v[i].text, temporary);
    }
    bool ok = f->backend->run(f->db, sql, clean, n, take, ctx, changed, err);
    arena_release(temporary);
    return ok || wrap(err, "cannot use '%s'", f->place);
}

bool fleet_begin(struct fleet *f, struct gs_error *err)
{
    return fleet_run(f, f->backend->begin, NULL, 0, NULL, NULL, NULL, err);
}

bool fleet_commit(struct fleet *f, struct gs_error *err)
{
    return fleet_run(f, "COMMIT", NULL, 0, NULL, NULL, NULL, err);
}

void fleet_rollback(struct fleet *f)
{
    struct gs_error ignored;
    fleet_run(f, "ROLLBACK", NULL, 0, NULL, NULL, NULL, &ignored);
}
