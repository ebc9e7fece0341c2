/* Arrays: how long they are, and where in sorted ones something lies. */
#ifndef GS_BASE_ARRAY_H
#define GS_BASE_ARRAY_H

/* Of a pointer it is a mistake that compilers warn of. */
#define ARRAY_LEN(array) (sizeof(array) / sizeof(*(array)))

/*
 * Moves `at` to the first place of [at, end) where `before`, an expression of `i`, is false, or to
 * the end; it holds for a first part of the places and for none behind it.
 *
 *     size_t at = 0;
 *     BISECT(at, n, i, start[i] < time); // the first that starts no earlier
 */
#define BISECT(at, end, i, before)                                                                 \
    do {                                                                                           \
        __typeof__(at) i, end_ = (end);                                                            \
        while ((at) < end_) {                                                                      \
            i = (at) + (end_ - (at)) / 2;                                                          \
            if (before)                                                                            \
                (at) = i + 1;                                                                      \
            else                                                                                   \
                end_ = i;                                                                          \
        }                                                                                          \
    } while (0)

#endif
