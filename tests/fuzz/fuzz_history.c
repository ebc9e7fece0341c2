/*
 * Fuzzing histories: the input is divided at lines of "=" into saved profiles; those that can be
 * read are a series of runs, with a sound one between them.
 */
#include <stdint.h>
#include <string.h>

#include "compare/history.h"
#include "compare/profile_write.h"
#include "render/render.h"
#include "report/section.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_RUNS = 12 };

static const char sound[] =
    "{\"document\": \"gpusight-profile\", \"version\": 1, \"label\": \"sound\","
    "\"ledger\": {\"causes\": [{\"cause\": \"compute\", \"ns\": 1000}]},"
    "\"kernels\": [{\"name\": \"k\", \"calls\": 10, \"total_duration_ns\": 1000,"
    "\"median_ns\": 100, \"typical_ns\": 100, \"error_ns\": 1, \"durations\": [200, 4, 213, 6]}]}";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct run_profile runs[MOST_RUNS];
    struct gs_error err = {0};
    size_t n = 0;
    const char *p = (const char *)data, *end = p + size;
    arena_init(&a);
    while (p < end && n + 1 < MOST_RUNS) {
        const char *stop = p;
        while (stop < end && !(*stop == '=' && stop > p && stop[-1] == '\n'))
            stop++;
        n += profile_parse(&runs[n], p, (size_t)(stop - p), "fuzzed", &a, &err);
        if (n == 1)
            n += profile_parse(&runs[n], sound, sizeof(sound) - 1, "sound", &a, &err);
        for (p = stop; p < end && (*p == '=' || *p == '\n'); p++)
            ;
    }
    if (n) {
        struct history h;
        struct str out;
        history_make(&h, runs, n, &a);
        str_init(&out, &a);
        struct subject about = {.history = &h, .title = "fuzzed"};
        render_text(&out, history_report(&about, NULL, &a, &err),
                    &(struct render_opts){.columns = 80});
    }
    arena_release(&a);
    return 0;
}
