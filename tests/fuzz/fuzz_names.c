/*
 * Fuzzing kernel names: any bytes demangled, shortened and classified. Results are bounded, never
 * empty for a name that is not, well-formed where the input was, and the same each time.
 *
 *     clang -fsanitize=fuzzer,address,undefined ... tests/fuzz/fuzz_names.c
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"
#include "model/kernel_role.h"
#include "model/names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool what)
{
    if (!what)
        abort();
}

static void check_name(struct arena *a, const char *name)
{
    size_t n = strlen(name);
    const char *full = name_demangle(a, name);
    size_t full_len = strlen(full);
    expect(full_len <= (n > NAME_FULL_MAX ? n : NAME_FULL_MAX));
    expect((full_len == 0) == (n == 0));

    const char *cell = name_short(a, full);
    size_t cell_len = strlen(cell);
    expect(cell_len <= NAME_SHORT_MAX);
    expect((cell_len == 0) == (n == 0));
    expect(!utf8_valid(full, full_len) || utf8_valid(cell, cell_len));
    expect(strcmp(cell, name_short(a, full)) == 0);

    enum kernel_role role = kernel_role_of(full);
    expect((unsigned)role < ROLE_COUNT && kernel_role_info(role)->label[0]);
    const char *library = kernel_library_of(full);
    expect(!library || library[0]);
}

/* A byte a token of the mangling grammar, so that mutations keep to it: some kilobytes of bytes are
 * a deep tree. */
static const char *by_grammar(struct arena *a, const uint8_t *data, size_t size)
{
    static const char *const tokens[] = {
        "E",  "I",   "J",   "E",   "P",    "R",  "O",   "K",    "F",   "v",     "i",   "f",
        "S_", "S0_", "S1_", "S2_", "S3_",  "T_", "T0_", "T1_",  "RT_", "OT_",   "Dp",  "DpT_",
        "1a", "2bc", "N",   "Z",   "Li3E", "X",  "sp",  "sZ",   "sP",  "cv",    "cl",  "Ul",
        "E_", "A_",  "A3_", "M",   "St",   "L",  "_Z",  "Dt",   "fp_", "il",    "tl",  "Tn",
        "Ty", "C1",  "D1",  "B1x", "qu",   "ds", "U1q", "Dv2_", "u1a", "1bIiE", "T9_", "_"};
    struct str s;
    str_init(&s, a);
    str_puts(&s, "_Z1f");
    for (size_t i = 0; i < size; i++)
        for (unsigned n = 1u << (data[i] >> 6) * 2, t = data[i] & 63; n--;)
            str_puts(&s, tokens[t % ARRAY_LEN(tokens)]);
    return s.buf;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    arena_init(&a);
    const char *name = arena_strndup(&a, (const char *)data, size);
    check_name(&a, name);
    check_name(&a, arena_printf(&a, "_Z%s", name));
    check_name(&a, arena_printf(&a, "void k<%s", name));
    if (size <= 4096)
        check_name(&a, by_grammar(&a, data, size));
    arena_release(&a);
    return 0;
}
