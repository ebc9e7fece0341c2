/* The programming model, and counters to begin with. */
#include <string.h>

#include "base/str.h"
#include "source/source_in.h"

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
    bool nvidia = s->vendor == SOURCE_OF_NVIDIA;
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
    if (s->vendor != SOURCE_OF_NONE)
        return nvidia ? "CUDA" : "HIP";
    return files_of(s, SOURCE_PYTHON) && s->facts.n ? "Python_GPU" : "Unknown";
}

void judge_model(struct source_scan *s)
{
    static const char *const amd[] = {"hip", "roc", "miopen", "rccl", NULL};
    static const char *const nvidia[] = {"cuda", "cu", "nvtx", NULL};
    bool a = names_with(s, amd), n = names_with(s, nvidia);
    for (size_t i = 0; i < s->facts.n && !a; i++)
        a = s->facts.v[i].pattern == PATTERN_HIP_KERNEL_NAME;
    s->vendor = a && n ? SOURCE_OF_BOTH : a ? SOURCE_OF_AMD : n ? SOURCE_OF_NVIDIA : SOURCE_OF_NONE;
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
