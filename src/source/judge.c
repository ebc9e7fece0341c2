/* Patterns: facts counted, and what they amount to in loops. */
#include "base/str.h"
#include "source/source_in.h"

static const struct {
    enum source_severity severity;
    enum source_category category;
    const char *description;
} patterns[] = {
#define PATTERN(id, severity, category, description)                                               \
    {SEVERITY_##severity, SUBJECT_##category, description},
#include "source/patterns.def"
#undef PATTERN
};

const char *const source_pattern_words[] = {
#define PATTERN(id, severity, category, description) #id,
#include "source/patterns.def"
#undef PATTERN
    NULL};

const char *const source_category_words[] = {
    [SUBJECT_NONE] = "",
    [SUBJECT_KERNELS] = "GPU Kernels",
    [SUBJECT_MEMORY] = "Memory",
    [SUBJECT_SYNC] = "Synchronization",
    [SUBJECT_CONCURRENCY] = "Concurrency",
    [SUBJECT_ROCM_LIBRARIES] = "ROCm Libraries",
    [SUBJECT_CUDA_LIBRARIES] = "CUDA Libraries",
    [SUBJECT_MULTI_GPU] = "Multi-GPU",
    [SUBJECT_MPI] = "MPI",
    [SUBJECT_PYTORCH] = "PyTorch",
    [SUBJECT_JAX] = "JAX",
    [SUBJECT_INSTRUMENTATION] = "Instrumentation",
    NULL,
};

const char *const source_severity_words[] = {"high", "medium", "low", "info", NULL};

const char *source_pattern_name(enum source_pattern_id id)
{
    return source_pattern_words[id];
}
static struct source_pattern *pattern_of(struct source_scan *s, enum source_pattern_id id)
{
    for (size_t i = 0; i < s->patterns.n; i++)
        if (s->patterns.v[i].pattern_id == id)
            return &s->patterns.v[i];
    struct source_pattern p = {.pattern_id = id,
                               .severity = patterns[id].severity,
                               .category = patterns[id].category,
                               .description = patterns[id].description};
    vec_push(&s->patterns, &s->arena, p);
    return &s->patterns.v[s->patterns.n - 1];
}

static void count(struct source_scan *s, enum source_pattern_id id, uint32_t fact)
{
    struct source_pattern *p = pattern_of(s, id);
    p->count++;
    p->in_loop += s->facts.v[fact].loop_depth > 0;
    vec_push(&p->facts, &s->arena, fact);
}

static enum source_pattern_id loop_pattern(const struct source_fact *f)
{
    switch (f->pattern) {
    case PATTERN_DEVICE_SYNC:
    case PATTERN_OPENCL_FINISH:
        return PATTERN_LOOP_DEVICE_SYNC;
    case PATTERN_STREAM_SYNC:
    case PATTERN_EVENT_SYNC:
    case PATTERN_KOKKOS_FENCE:
    case PATTERN_SYCL_WAIT:
    case PATTERN_ACC_WAIT:
        return PATTERN_LOOP_STREAM_SYNC;
    case PATTERN_BLOCKING_MEMCPY:
        return PATTERN_LOOP_BLOCKING_MEMCPY;
    case PATTERN_DEVICE_MALLOC:
    case PATTERN_MANAGED_MEMORY:
    case PATTERN_HOST_MALLOC_PINNED:
    case PATTERN_DEVICE_FREE:
        return PATTERN_LOOP_ALLOCATION;
    case PATTERN_IMPLICIT_SYNC:
        return PATTERN_LOOP_IMPLICIT_SYNC;
    default:
        return PATTERN_NONE;
    }
}

void judge_patterns(struct source_scan *s)
{
    uint32_t all[PATTERNS] = {0};
    for (size_t i = 0; i < s->facts.n; i++) {
        all[s->facts.v[i].pattern]++;
        if (s->facts.v[i].loop_depth && !s->facts.v[i].in_macro)
            all[loop_pattern(&s->facts.v[i])]++;
    }
    for (enum source_pattern_id id = PATTERN_NONE + 1; id < PATTERNS; id++)
        if (all[id])
            pattern_of(s, id); /* in the order of the list */
    for (size_t i = 0; i < s->facts.n; i++) {
        const struct source_fact *f = &s->facts.v[i];
        enum source_pattern_id loop = loop_pattern(f);
        count(s, f->pattern, (uint32_t)i);
        if (f->loop_depth && !f->in_macro && loop != PATTERN_NONE)
            count(s, loop, (uint32_t)i);
    }
    bool launches = all[PATTERN_GLOBAL_KERNEL_DEF] || all[PATTERN_HIP_KERNEL_LAUNCH] ||
                    all[PATTERN_TRIPLE_ANGLE_LAUNCH] || all[PATTERN_HIP_KERNEL_NAME];
    if (launches && !all[PATTERN_STREAM_CREATE])
        pattern_of(s, PATTERN_NO_STREAMS)->count = 1;
    SORT_BY(&s->patterns, severity);
    s->marker_count =
        all[PATTERN_ROCTX_RANGE_PUSH] + all[PATTERN_ROCTX_RANGE_POP] + all[PATTERN_ROCTX_MARK];
    s->already_instrumented = s->marker_count > 0;
}

uint32_t pattern_count(const struct source_scan *s, enum source_pattern_id id)
{
    for (size_t i = 0; i < s->patterns.n; i++)
        if (s->patterns.v[i].pattern_id == id)
            return s->patterns.v[i].count;
    return 0;
}
