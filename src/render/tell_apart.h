/*
 * Cells of a narrow column that would all be cut to the same text.
 *
 * Kernels of one template often differ only far behind: "clover::par_ranged2d_kernel<PdV_kernel"
 * and "clover::par_ranged2d_kernel<advec_cell". Such cells are cut in the middle of what they share
 * and not at the end: "clov…PdV_kernel", "clov…advec_cell".
 */
#ifndef GS_RENDER_TELL_APART_H
#define GS_RENDER_TELL_APART_H

#include <stddef.h>

#include "base/arena.h"

/* Changes cells[0], cells[stride] ... (n of them) that do not fit `width` and would look alike. */
void tell_apart(const char **cells, size_t n, size_t stride, size_t width, struct arena *arena);

#endif
