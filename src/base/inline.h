/* Functions that are part of a loop: calling them would cost more than what they do. */
#ifndef GS_BASE_INLINE_H
#define GS_BASE_INLINE_H

#define ALWAYS_INLINE __attribute__((always_inline)) static inline

#endif
