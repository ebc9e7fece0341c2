/*
 * Memory with a bound: `--memory 4G`.
 *
 * Without a bound nothing here does anything. With one, large blocks that would take the process past
 * a quarter of it lie in a file without a name (the folder of TMPDIR, else /var/tmp), mapped where ordinary
 * memory would be: whoever has the pointer sees no difference. A watcher looks at how much of the
 * process is resident and, before that reaches the bound, lets go of pages of such blocks; they stay
 * with the system, which keeps them while it has room and writes them to the disk when it has not, and
 * come back when they are touched. So no result depends on the bound, only the time does.
 *
 * Used by mem.c and parallel.c alone, apart from the first and the last three functions.
 *
 * Thread-safety: all functions; spill_limit() is called once, before there are threads and before the
 * box is closed (cli/sandbox.h), since it opens the file.
 */
#ifndef GS_BASE_SPILL_H
#define GS_BASE_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { SPILL_LEAST_MIB = 128 }; /* what no bound can be below */

/* Fails where the bound cannot be kept: too little, or no disk to put the rest on. */
bool spill_limit(uint64_t bytes, struct gs_error *err);

/* Whether a block of this size goes to the file, when `held` bytes are held in all. */
bool spill_wants(size_t size, size_t held);

void *spill_take(size_t size); /* zeroed; NULL: the disk is full */
void *spill_grow(void *p, size_t size);
void spill_free(void *p);

/* Lets go of pages where that is due: called between pieces of work, beside the watcher. */
void spill_pace(void);

bool spill_has(const void *p); /* that it came from here */
size_t spill_size(const void *p);

/* The folder, where its disk was too full for a block; NULL: no shortage was of that kind. */
const char *spill_full(void);

/* The most bytes that lay in the file at once. */
uint64_t spill_peak(void);

/* The bound; 0: there is none. */
uint64_t spill_bound(void);

/* Whether so many bytes would fit: true without a bound. */
bool spill_fits(uint64_t bytes, struct gs_error *err);

#endif
