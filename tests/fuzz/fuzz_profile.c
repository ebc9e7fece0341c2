/*
 * Fuzzing saved profiles and analyses: any bytes as a document, and whatever is taken is compared
 * with itself and with a small run, and written in every form.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compare/gate.h"
#include "compare/profile_write.h"
#include "render/compare_json.h"
#include "render/html/html.h"
#include "render/render.h"
#include "report/section.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char small[] =
    "{\"document\": \"gpusight-profile\", \"version\": 1, \"label\": \"small\","
    "\"ledger\": {\"causes\": [{\"cause\": \"compute\", \"ns\": 1000}]},"
    "\"kernels\": [{\"name\": \"k\", \"calls\": 10, \"total_duration_ns\": 1000,"
    "\"median_ns\": 100, \"typical_ns\": 100, \"error_ns\": 1, \"durations\": [200, 4, 213, 6]}],"
    "\"phases\": [{\"name\": \"k\", \"named_by\": \"kernel\", \"duration_ns\": 1000,"
    "\"kernels\": 10, \"shares\": [{\"name\": \"k\", \"ns\": 1000}]}]}";

static void write_all(const struct run_profile *a, const struct run_profile *b, struct arena *arena)
{
    struct comparison c;
    struct gate gate = {0};
    struct gs_error err = {0};
    struct str out;
    struct jwrite w;
    compare(&c, a, b, arena);
    gate_parse(&gate, "wall>5%,idle>1ms,kernel:k>1%", arena, &err);
    gate_run(&gate, &c, arena);
    str_init(&out, arena);
    jw_init(&w, &out, 0);
    compare_json(&w, &c, &gate, NULL);
    struct subject s = {.comparison = &c, .gate = &gate, .top = 10};
    const struct doc *d = compare_report(&s, NULL, arena, &err);
    render_html(&out, d);
    render_text(&out, d, &(struct render_opts){.columns = 80});
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct run_profile read, other;
    struct gs_error err = {0};
    char *copy = malloc(size ? size : 1); /* reading past it shows */
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    arena_init(&arena);
    if (!profile_parse(&other, small, sizeof(small) - 1, "small", &arena, &err))
        abort();
    if (profile_parse(&read, copy, size, "fuzzed", &arena, &err)) {
        write_all(&read, &read, &arena);
        write_all(&read, &other, &arena);
        write_all(&other, &read, &arena);
    }
    arena_release(&arena);
    free(copy);
    return 0;
}
