/* From facts to kernels, patterns, a programming model and counters. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/str.h"
#include "source/source_in.h"

static const struct {
    const char *id, *severity, *category, *description;
} patterns[] = {
#define PATTERN(id, severity, category, description) {#id, #severity, category, description},
#include "source/patterns.def"
#undef PATTERN
};

const char *source_pattern_name(enum source_pattern_id id)
{
    return patterns[id].id;
}

/* ---- kernels ---- */

static uint64_t key_of(const char *name, uint32_t file)
{
    return hash_bytes(name, strlen(name)) ^ hash_u64(file + 1u);
}

enum { ANY_FILE = UINT32_MAX - 1 };

/* Launches of Python that are no launches: the name is that of no kernel. */
static void drop_subscripts(struct source_scan *s, const struct idmap *kernels)
{
    size_t n = 0;
    for (size_t i = 0; i < s->facts.n; i++) {
        const struct source_fact *f = &s->facts.v[i];
        if (f->pattern == PATTERN_PY_KERNEL_LAUNCH &&
            idmap_get(kernels, key_of(f->name, ANY_FILE)) == NO_INDEX)
            continue;
        s->facts.v[n++] = s->facts.v[i];
    }
    s->facts.n = n;
}

static void add_kernel(struct source_scan *s, struct idmap *index, const struct source_fact *f)
{
    struct source_kernel k = {.name = f->name,
                              .file = s->files.v[f->file].path,
                              .line = f->line,
                              .function = f->function,
                              .attributes = f->kind == FACT_KERNEL ? f->detail : NULL,
                              .launch_type = patterns[f->pattern].id,
                              .defined = f->kind == FACT_KERNEL};
    uint32_t number = (uint32_t)s->kernels.n;
    idmap_put(index, key_of(f->name, f->file), number);
    if (idmap_get(index, key_of(f->name, ANY_FILE)) == NO_INDEX)
        idmap_put(index, key_of(f->name, ANY_FILE), number);
    vec_push(&s->kernels, &s->arena, k);
}

static void add_launch(struct source_scan *s, struct idmap *index, const struct source_fact *f)
{
    uint32_t number = idmap_get(index, key_of(f->name, f->file));
    if (number == NO_INDEX)
        number = idmap_get(index, key_of(f->name, ANY_FILE));
    if (number == NO_INDEX) {
        add_kernel(s, index, f);
        number = (uint32_t)s->kernels.n - 1;
    }
    struct source_kernel *k = &s->kernels.v[number];
    k->loop_launches += f->loop_depth > 0;
    if (k->launches++)
        return;
    k->launch_file = s->files.v[f->file].path;
    k->launch_line = f->line;
    k->configuration = f->detail;
}

/* One kernel a name and file with its definition; names that are only launched are added. */
void judge_kernels(struct source_scan *s)
{
    struct idmap index;
    idmap_init(&index, &s->arena);
    for (size_t i = 0; i < s->facts.n; i++) {
        const struct source_fact *f = &s->facts.v[i];
        if (f->kind == FACT_KERNEL && idmap_get(&index, key_of(f->name, f->file)) == NO_INDEX)
            add_kernel(s, &index, f);
    }
    drop_subscripts(s, &index);
    for (size_t i = 0; i < s->facts.n; i++)
        if (s->facts.v[i].kind == FACT_LAUNCH && !s->facts.v[i].indirect)
            add_launch(s, &index, &s->facts.v[i]);
}

/* ---- patterns ---- */

static struct source_pattern *pattern_of(struct source_scan *s, enum source_pattern_id id)
{
    for (size_t i = 0; i < s->patterns.n; i++)
        if (s->patterns.v[i].pattern_id == patterns[id].id)
            return &s->patterns.v[i];
    struct source_pattern p = {.pattern_id = patterns[id].id,
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

static int rank(const char *severity)
{
    static const char *const order[] = {"high", "medium", "low", "info"};
    int i = 0;
    while (i < 3 && !str_eq(severity, order[i]))
        i++;
    return i;
}

/* By severity; patterns of one severity stay in the order of the list. */
static void sort_patterns(struct source_scan *s)
{
    for (size_t i = 1; i < s->patterns.n; i++) {
        struct source_pattern p = s->patterns.v[i];
        size_t at = i;
        for (; at && rank(s->patterns.v[at - 1].severity) > rank(p.severity); at--)
            s->patterns.v[at] = s->patterns.v[at - 1];
        s->patterns.v[at] = p;
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
    sort_patterns(s);
    s->marker_count = all[PATTERN_ROCTX_RANGE_PUSH] + all[PATTERN_ROCTX_RANGE_POP] +
                      all[PATTERN_ROCTX_MARK];
    s->already_instrumented = s->marker_count > 0;
}

uint32_t pattern_count(const struct source_scan *s, enum source_pattern_id id)
{
    for (size_t i = 0; i < s->patterns.n; i++)
        if (s->patterns.v[i].pattern_id == patterns[id].id)
            return s->patterns.v[i].count;
    return 0;
}

uint32_t pattern_in_loop(const struct source_scan *s, enum source_pattern_id id)
{
    for (size_t i = 0; i < s->patterns.n; i++)
        if (s->patterns.v[i].pattern_id == patterns[id].id)
            return s->patterns.v[i].in_loop;
    return 0;
}

/* ---- model ---- */

static uint32_t names_with(const struct source_scan *s, const char *const *prefixes)
{
    uint32_t n = 0;
    for (size_t i = 0; i < s->facts.n; i++) {
        const struct source_fact *f = &s->facts.v[i];
        bool ours = f->kind == FACT_LAUNCH || f->kind == FACT_KERNEL || f->kind == FACT_NAME;
        for (const char *const *p = prefixes; *p && !ours; p++)
            n += !strchr(f->name, '.') && str_starts(f->name, *p);
    }
    return n;
}

static uint32_t of_category(const struct source_scan *s, const char *category)
{
    uint32_t n = 0;
    for (size_t i = 0; i < s->patterns.n; i++)
        if (str_eq(s->patterns.v[i].category, category))
            n += s->patterns.v[i].count;
    return n;
}

static uint32_t files_of(const struct source_scan *s, enum source_language language)
{
    uint32_t n = 0;
    for (size_t i = 0; i < s->files.n; i++)
        n += s->files.v[i].language == language;
    return n;
}

static const char *model_of(const struct source_scan *s)
{
    bool nvidia = str_eq(s->vendor, "nvidia");
    bool libraries = of_category(s, "ROCm Libraries") || of_category(s, "CUDA Libraries") ||
                     pattern_count(s, PATTERN_RCCL);
    bool kernels = pattern_count(s, PATTERN_GLOBAL_KERNEL_DEF) ||
                   pattern_count(s, PATTERN_TRIPLE_ANGLE_LAUNCH) ||
                   pattern_count(s, PATTERN_HIP_KERNEL_LAUNCH);
    if (pattern_count(s, PATTERN_TORCH_CUDA_DEVICE) || pattern_count(s, PATTERN_TORCH_COMPILE))
        return "PyTorch_HIP";
    if (pattern_count(s, PATTERN_JAX_JIT))
        return "JAX_HIP";
    if (files_of(s, SOURCE_OPENCL) && !pattern_count(s, PATTERN_TRIPLE_ANGLE_LAUNCH) &&
        !pattern_count(s, PATTERN_HIP_KERNEL_LAUNCH))
        return "OpenCL";
    if (pattern_count(s, PATTERN_OPENCL_LAUNCH) && !kernels)
        return "OpenCL";
    if (libraries)
        return nvidia ? "CUDA+Libraries" : "HIP+ROCm_Libraries";
    if (kernels)
        return nvidia ? "CUDA" : "HIP";
    if (pattern_count(s, PATTERN_KOKKOS_PARALLEL))
        return "Kokkos";
    if (pattern_count(s, PATTERN_SYCL_PARALLEL))
        return "SYCL";
    if (pattern_count(s, PATTERN_OMP_TARGET))
        return "OpenMP_Offload";
    if (pattern_count(s, PATTERN_ACC_REGION) || pattern_count(s, PATTERN_CUF_KERNEL))
        return "OpenACC";
    if (!str_eq(s->vendor, "none"))
        return nvidia ? "CUDA" : "HIP";
    return files_of(s, SOURCE_PYTHON) ? "Python_GPU" : "Unknown";
}

void judge_model(struct source_scan *s)
{
    static const char *const amd[] = {"hip", "roc", "miopen", "rccl", NULL};
    static const char *const nvidia[] = {"cuda", "cu", "nvtx", NULL};
    bool a = names_with(s, amd), n = names_with(s, nvidia);
    for (size_t i = 0; i < s->facts.n && !a; i++)
        a = s->facts.v[i].pattern == PATTERN_HIP_KERNEL_NAME;
    s->vendor = a && n ? "both" : a ? "amd" : n ? "nvidia" : "none";
    s->programming_model = model_of(s);
}

/* ---- counters ---- */

static void suggest(struct source_scan *s, const char *counter)
{
    for (size_t i = 0; i < s->suggested_counters.n; i++)
        if (str_eq(s->suggested_counters.v[i], counter))
            return;
    vec_push(&s->suggested_counters, &s->arena, counter);
}

void judge_counters(struct source_scan *s)
{
    suggest(s, "GRBM_COUNT");
    suggest(s, "GRBM_GUI_ACTIVE");
    suggest(s, "SQ_WAVES");
    if (pattern_count(s, PATTERN_ROCBLAS) || pattern_count(s, PATTERN_HIPBLAS) ||
        pattern_count(s, PATTERN_MIOPEN)) {
        suggest(s, "SQ_INSTS_VALU");
        suggest(s, "FETCH_SIZE");
        suggest(s, "WRITE_SIZE");
    }
    if (s->kernels.n) {
        suggest(s, "SQ_INSTS_VMEM_RD");
        suggest(s, "SQ_INSTS_VMEM_WR");
        suggest(s, "SQ_INSTS_LDS");
    }
    if (pattern_count(s, PATTERN_BLOCKING_MEMCPY) || pattern_count(s, PATTERN_ASYNC_MEMCPY)) {
        suggest(s, "FETCH_SIZE");
        suggest(s, "WRITE_SIZE");
    }
}
