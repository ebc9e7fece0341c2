/*
 * Tier 0: what source code says about a GPU program before it has run.
 *
 * A scan reads a folder of C, C++, HIP, CUDA, OpenCL, Fortran and Python files with lexers of our
 * own: nothing in comments, strings or disabled code (#if 0) counts, lines are exact, and each
 * fact knows the function it is in and how many loops are around it. From the facts come
 * patterns, risks, counters to collect and commands to begin with.
 *
 *     struct source_scan *s = source_scan_in(arena, "src", threads, err);
 *     if (s) ...
 *
 * The scan owns all it points to. The same folder gives the same scan, however many threads.
 */
#ifndef GS_SOURCE_SOURCE_H
#define GS_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/parallel.h"
#include "base/vec.h"
#include "model/priority.h"
#include "model/profiler.h"

enum source_language {
    SOURCE_C,
    SOURCE_OPENCL,
    SOURCE_FORTRAN,
    SOURCE_FORTRAN_FIXED,
    SOURCE_PYTHON
};

enum fact_kind {
    FACT_KERNEL, /* definition */
    FACT_LAUNCH,
    FACT_SYNC,
    FACT_COPY,
    FACT_SET,
    FACT_ALLOC,
    FACT_FREE,
    FACT_STREAM,
    FACT_EVENT,
    FACT_GRAPH,
    FACT_LIBRARY,
    FACT_COLLECTIVE,
    FACT_MARKER,
    FACT_MPI,
    FACT_NAME,      /* a kernel is named, not launched */
    FACT_FRAMEWORK, /* PyTorch, JAX */
    FACT_KINDS,
};

enum source_pattern_id {
#define PATTERN(id, severity, category, description) PATTERN_##id,
#include "source/patterns.def"
#undef PATTERN
    PATTERNS
};

/* One place in the source. */
struct source_fact {
    enum fact_kind kind;
    enum source_pattern_id pattern;
    uint32_t file, line;  /* file: index into files; line from 1 */
    uint32_t loop_depth;  /* loops around it inside its function; 0: none */
    const char *name;     /* of the call; of the kernel, for kernels and launches */
    const char *function; /* around it; NULL: none */
    const char *detail;   /* launch configuration, attributes, arguments; NULL: none */
    bool indirect;        /* launch: the name is a parameter of a macro */
    bool in_macro;
};

struct source_file {
    const char *path; /* below the folder scanned */
    enum source_language language;
    uint64_t bytes, lines;
};

struct source_skip {
    const char *path, *reason;
};

/* A kernel: its definition, or its first launch where the definition is not in the folder. */
struct source_kernel {
    const char *name, *file, *function, *attributes, *launch_type;
    uint32_t line;
    bool defined;
    uint32_t launches;       /* sites */
    uint32_t loop_launches;  /* of them inside a loop */
    const char *launch_file; /* of the first one; NULL: none */
    uint32_t launch_line;
    const char *configuration; /* of the first one */
};

/* What a program is written in; the words are rocinsight's where it has one. */
enum source_model {
    MODEL_UNKNOWN,
    MODEL_HIP,
    MODEL_HIP_LIBRARIES,
    MODEL_CUDA,
    MODEL_CUDA_LIBRARIES,
    MODEL_OPENCL,
    MODEL_KOKKOS,
    MODEL_SYCL,
    MODEL_OPENMP,
    MODEL_OPENACC,
    MODEL_PYTORCH,
    MODEL_JAX,
    MODEL_PYTHON,
};
extern const char *const source_model_words[]; /* NULL at the end */

/* What a pattern is about. */
enum source_category {
    SUBJECT_NONE,
    SUBJECT_KERNELS,
    SUBJECT_MEMORY,
    SUBJECT_SYNC,
    SUBJECT_CONCURRENCY,
    SUBJECT_ROCM_LIBRARIES,
    SUBJECT_CUDA_LIBRARIES,
    SUBJECT_MULTI_GPU,
    SUBJECT_MPI,
    SUBJECT_PYTORCH,
    SUBJECT_JAX,
    SUBJECT_INSTRUMENTATION,
};
extern const char *const source_category_words[]; /* NULL at the end */

enum source_severity { SEVERITY_high, SEVERITY_medium, SEVERITY_low, SEVERITY_info };
extern const char *const source_severity_words[]; /* NULL at the end */

struct source_pattern {
    enum source_pattern_id pattern_id;
    enum source_severity severity;
    enum source_category category;
    const char *description;
    uint32_t count, in_loop;
    VEC(uint32_t) facts; /* indices, in order of file and line */
};

enum source_vendor { SOURCE_OF_NONE, SOURCE_OF_AMD, SOURCE_OF_NVIDIA, SOURCE_OF_BOTH };

struct source_command {
    enum profiler tool;
    const char *description, *full_command;
    const char *flags, *args; /* "--sys-trace", "-d ./out -o name", divided by blanks */
};

struct source_advice {
    const char *id;
    enum priority priority;
    const char *category, *issue, *suggestion, *impact;
    VEC(const char *) actions;
    VEC(struct source_command) commands;
};

struct source_scan {
    const char *dir;
    enum source_model programming_model;
    enum source_vendor vendor; /* whose names the code uses */
    uint64_t bytes, lines, folders_skipped;
    uint32_t files_scanned, files_skipped, marker_count;
    bool already_instrumented;
    VEC(struct source_file) files;
    VEC(struct source_skip) skipped; /* files, with the reason */
    VEC(struct source_fact) facts;   /* by file, then line */
    VEC(struct source_kernel) kernels;
    VEC(struct source_pattern) patterns; /* high, medium, low, info */
    VEC(const char *) risk_areas;
    VEC(const char *) suggested_counters;
    VEC(struct source_advice) advice;
    const char *first_command;
    struct arena arena;
    struct arena worker_arena[PARALLEL_MAX], worker_scratch[PARALLEL_MAX];
    struct mapping worker_map[PARALLEL_MAX];
};

void source_scan_release(struct source_scan *s);

/* Fails when the folder cannot be read (GS_E_IO) or holds no source file (GS_E_EMPTY). */
bool source_scan_run(struct source_scan *s, const char *dir, int threads, struct gs_error *err);
/* The same as one that belongs to the arena; NULL where it fails. */
struct source_scan *source_scan_in(struct arena *owner, const char *dir, int threads,
                                   struct gs_error *err);

const char *fact_kind_name(enum fact_kind kind); /* "sync" */
extern const char *const source_pattern_words[]; /* NULL at the end */
const char *source_pattern_name(enum source_pattern_id id);
const char *source_language_name(enum source_language language);

#endif
