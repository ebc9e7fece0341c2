/* Any text as a .trace description: parsed, and simulated with a small limit into nothing. */
#include <stddef.h>
#include <stdint.h>

#include "synth/synth.h"
#include "synth/truth.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    arena_init(&a);
    struct program *p;
    struct gs_error err = {0};
    if (synth_parse(&p, (const char *)data, size, &a, &err)) {
        struct synth_options o = {.seed = size, .max_events = 2000};
        synth_run(p, &o, truth_sink(truth_new(&a)), &err);
    }
    arena_release(&a);
    return 0;
}
