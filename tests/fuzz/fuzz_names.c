/*
 * Fuzzing kernel names: any bytes demangled, shortened and classified. Results are bounded, never
 * empty for a name that is not, well-formed where the input was, and the same each time.
 *
 *     clang -fsanitize=fuzzer,address,undefined ... tests/fuzz/fuzz_names.c
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    arena_init(&a);
    const char *name = arena_strndup(&a, (const char *)data, size);
    check_name(&a, name);
    check_name(&a, arena_printf(&a, "_Z%s", name));
    check_name(&a, arena_printf(&a, "void k<%s", name));
    arena_release(&a);
    return 0;
}
