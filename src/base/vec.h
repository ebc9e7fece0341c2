/*
 * Vec: a growing array of any type, in an arena.
 *
 *     VEC(struct gap) gaps = {0};
 *     vec_push(&gaps, arena, ((struct gap){...}));
 *     for (size_t i = 0; i < gaps.n; i++)
 *         use(&gaps.v[i]);
 *
 * Pointers into v are valid until the next push. Invariant: n <= cap.
 */
#ifndef GS_BASE_VEC_H
#define GS_BASE_VEC_H

#include "base/arena.h"

#define VEC(type)                                                                                  \
    struct {                                                                                       \
        type *v;                                                                                   \
        size_t n, cap;                                                                             \
    }

/* Room for so many, exactly where there is none yet. */
#define vec_reserve(vec, arena, want)                                                              \
    ((vec)->v = vec_reserve_((arena), (vec)->v, &(vec)->cap, (want), sizeof(*(vec)->v)))

#define VEC_WANT_(vec) ((vec)->cap ? (vec)->cap + 1 : VEC_FIRST_)
enum { VEC_FIRST_ = 8 };

#define vec_push(vec, arena, item)                                                                 \
    ((vec)->n < (vec)->cap ? (void)0 : (void)vec_reserve((vec), (arena), VEC_WANT_(vec)),          \
     (void)((vec)->v[(vec)->n++] = (item)))

/* The same for large ones that nobody else points into: no old copies stay behind. */
#define vec_push_alone(vec, arena, item)                                                           \
    ((vec)->n < (vec)->cap                                                                         \
         ? (void)0                                                                                 \
         : (void)((vec)->v = vec_move_((arena), (vec)->v, &(vec)->cap, sizeof(*(vec)->v))),        \
     (void)((vec)->v[(vec)->n++] = (item)))

/* The next element, zeroed: for structs that are filled in place. */
#define vec_add(vec, arena)                                                                        \
    ((vec)->n < (vec)->cap ? (void)0 : (void)vec_reserve((vec), (arena), VEC_WANT_(vec)),          \
     &(vec)->v[(vec)->n++])

/* One of those that grows no more: gives back the room behind its elements, where that is much. */
#define vec_fit(vec, arena)                                                                        \
    ((vec)->v = vec_fit_((arena), (vec)->v, &(vec)->cap, (vec)->n, sizeof(*(vec)->v)))

void *vec_fit_(struct arena *a, void *v, size_t *cap, size_t n, size_t size);
void *vec_move_(struct arena *a, void *v, size_t *cap, size_t size);
void *vec_reserve_(struct arena *a, void *v, size_t *cap, size_t want, size_t size);

#endif
