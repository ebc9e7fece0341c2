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

static uint32_t of_category(const struct source_scan *s, enum source_category category)
{
    uint32_t n = 0;
    for (size_t i = 0; i < s->patterns.n; i++)
        if (s->patterns.v[i].category == category)
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

const char *const source_model_words[] = {
    [MODEL_UNKNOWN] = "Unknown",
    [MODEL_HIP] = "HIP",
    [MODEL_HIP_LIBRARIES] = "HIP+ROCm_Libraries",
    [MODEL_CUDA] = "CUDA",
    [MODEL_CUDA_LIBRARIES] = "CUDA+Libraries",
    [MODEL_OPENCL] = "OpenCL",
    [MODEL_KOKKOS] = "Kokkos",
    [MODEL_SYCL] = "SYCL",
    [MODEL_OPENMP] = "OpenMP_Offload",
    [MODEL_OPENACC] = "OpenACC",
    [MODEL_PYTORCH] = "PyTorch_HIP",
    [MODEL_JAX] = "JAX_HIP",
    [MODEL_PYTHON] = "Python_GPU",
    NULL,
};

static enum source_model model_of(const struct source_scan *s)
{
    bool nvidia = s->vendor == SOURCE_OF_NVIDIA;
    bool libraries = of_category(s, SUBJECT_ROCM_LIBRARIES) ||
                     of_category(s, SUBJECT_CUDA_LIBRARIES) || pattern_count(s, PATTERN_RCCL);
    bool kernels = pattern_count(s, PATTERN_GLOBAL_KERNEL_DEF) ||
                   pattern_count(s, PATTERN_TRIPLE_ANGLE_LAUNCH) ||
                   pattern_count(s, PATTERN_HIP_KERNEL_LAUNCH);
    if (pattern_count(s, PATTERN_TORCH_CUDA_DEVICE) || pattern_count(s, PATTERN_TORCH_COMPILE))
        return MODEL_PYTORCH;
    if (pattern_count(s, PATTERN_JAX_JIT))
        return MODEL_JAX;
    if (files_of(s, SOURCE_OPENCL) && !pattern_count(s, PATTERN_TRIPLE_ANGLE_LAUNCH) &&
        !pattern_count(s, PATTERN_HIP_KERNEL_LAUNCH))
        return MODEL_OPENCL;
    if (pattern_count(s, PATTERN_OPENCL_LAUNCH) && !kernels)
        return MODEL_OPENCL;
    if (libraries)
        return nvidia ? MODEL_CUDA_LIBRARIES : MODEL_HIP_LIBRARIES;
    if (kernels)
        return nvidia ? MODEL_CUDA : MODEL_HIP;
    if (pattern_count(s, PATTERN_KOKKOS_PARALLEL))
        return MODEL_KOKKOS;
    if (pattern_count(s, PATTERN_SYCL_PARALLEL))
        return MODEL_SYCL;
    if (pattern_count(s, PATTERN_OMP_TARGET))
        return MODEL_OPENMP;
    if (pattern_count(s, PATTERN_ACC_REGION) || pattern_count(s, PATTERN_CUF_KERNEL))
        return MODEL_OPENACC;
    if (s->vendor != SOURCE_OF_NONE)
        return nvidia ? MODEL_CUDA : MODEL_HIP;
    return files_of(s, SOURCE_PYTHON) && s->facts.n ? MODEL_PYTHON : MODEL_UNKNOWN;
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
