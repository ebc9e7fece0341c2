/*
 * Pack: values as bytes, for another process of the same program.
 *
 * One function describes a struct for both directions, so writing and reading cannot disagree:
 *
 *     static void pack_point(struct pack *p, struct point *v)
 *     {
 *         PACK(p, v->x);
 *         pack_text(p, &v->name);
 *     }
 *
 *     struct str out;                          struct pack in;
 *     struct pack p;                           pack_read(&in, bytes, n, arena);
 *     pack_write(&p, &out);                    pack_point(&in, &v);
 *     pack_point(&p, &v);                      if (!pack_done(&in)) ...  cut, or too long
 *
 * Numbers keep their bits. Nothing beyond the bytes given is read and no more memory is taken than
 * they can fill; after the first lack everything reads as zero. Both sides must be of one build:
 * whoever exchanges bytes checks that first.
 */
#ifndef GS_BASE_PACK_H
#define GS_BASE_PACK_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

struct pack {
    struct str *out; /* NULL: reading */
    const char *at, *end;
    struct arena *arena; /* of what is read */
    bool bad;
};

void pack_write(struct pack *p, struct str *out);
void pack_read(struct pack *p, const void *bytes, size_t n, struct arena *arena);

/* After reading: all was there, and nothing is left. */
bool pack_done(const struct pack *p);

void pack_bytes(struct pack *p, void *v, size_t n);
#define PACK(p, member) pack_bytes((p), &(member), sizeof(member))

/* NULL stays NULL. */
void pack_text(struct pack *p, const char **text);

/* Bytes with their number; what is read points into what was given. */
void pack_blob(struct pack *p, const char **bytes, size_t *n);

/* Reading: the next n bytes where they lie; NULL where there are not so many. */
const char *pack_here(struct pack *p, size_t n);

/* How many elements follow, each of at least so many bytes. */
size_t pack_count(struct pack *p, size_t n, size_t least);

void pack_error(struct pack *p, struct gs_error *err);

/* A vec, element by element; `each` takes (struct pack *, element *). */
#define PACK_VEC(p, vec, each)                                                                     \
    do {                                                                                           \
        size_t n_ = pack_count((p), (vec)->n, 1);                                                  \
        if (!(p)->out)                                                                             \
            *(vec) = (__typeof__(*(vec))){0};                                                      \
        for (size_t i_ = 0; i_ < n_ && !(p)->bad; i_++)                                            \
            each((p), (p)->out ? &(vec)->v[i_] : vec_add((vec), (p)->arena));                      \
    } while (0)

/* A vec of structs without pointers. */
#define PACK_FLAT(p, vec)                                                                          \
    do {                                                                                           \
        size_t n_ = pack_count((p), (vec)->n, sizeof(*(vec)->v));                                  \
        if (!(p)->out) {                                                                           \
            *(vec) = (__typeof__(*(vec))){0};                                                      \
            vec_reserve((vec), (p)->arena, n_);                                                    \
            (vec)->n = n_;                                                                         \
        }                                                                                          \
        if (n_)                                                                                    \
            pack_bytes((p), (vec)->v, n_ * sizeof(*(vec)->v));                                     \
    } while (0)

#endif
