/*
 * Fuzzing the demangler with names of up to 64 kB that have a grammar: each byte of the input is a
 * piece, a repetition of the pieces before it, or the end of an open bracket. Bytes alone never
 * come near the names that cost a demangler its stack: those need thousands of pieces in order.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "model/kernel_role.h"
#include "model/names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const pieces[] = {
    "RT_",   "1bIiE",    "1aI",  "1cI",     "E",     "i",     "T_",    "OT_",   "PT_",
    "KT_",   "T0_",      "DpT_", "S_",      "S0_",   "St",    "N1a",   "v",     "I",
    "J",     "X",        "Lb1E", "LZ1fvE",  "M1aT_", "PFvvE", "A9_",   "DTT_E", "UlT_E_",
    "UlvE_", "cv",       "sr",   "cl",      "sZT_",  "fp_",   "fL0p_", "ad",    "dt",
    "Dv4_f", "U8kernel", "Z",    "B5cxx11", "3std",  "ZN",    "C1",    "D0",    "_GLOBAL__N_",
    ".kd",   " ",        "<",    ">",       "(",     ")",     "::",
};
enum { PIECES = ARRAY_LEN(pieces), LONGEST = 65536 };

/* Pieces; then codes that repeat the last 1 to 64 of them 2 to 128 times. */
static const char *compose(struct arena *a, const uint8_t *data, size_t size)
{
    struct str s;
    str_init(&s, a);
    str_puts(&s, "_Z1fIiEv");
    size_t starts[64] = {0}, n = 0;
    for (size_t i = 0; i < size && s.len < LONGEST; i++) {
        if (data[i] < 4 * PIECES) {
            starts[n++ % 64] = s.len;
            str_puts(&s, pieces[data[i] % PIECES]);
        } else if (n) {
            size_t back = i + 1 < size ? data[++i] % (n < 64 ? n : 64) : 0;
            const char *run = arena_strndup(a, s.buf + starts[(n - 1 - back) % 64],
                                            s.len - starts[(n - 1 - back) % 64]);
            for (unsigned times = 2u << (data[i - 1] % 7); times && s.len < LONGEST; times--)
                str_puts(&s, run);
        }
    }
    return arena_strndup(a, s.buf, s.len < LONGEST ? s.len : LONGEST);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    arena_init(&a);
    const char *name = compose(&a, data, size < 512 ? size : 512);
    const char *full = name_demangle(&a, name);
    const char *cell = name_short(&a, full);
    if (!*full || !*cell || strlen(cell) > NAME_SHORT_MAX ||
        (unsigned)kernel_role_of(full) >= ROLE_COUNT)
        abort();
    arena_release(&a);
    return 0;
}
