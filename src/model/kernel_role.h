/*
 * What a kernel does, judged by its name: GEMM, convolution, collective, …
 *
 * The knowledge is data, in kernel_roles.def. Names are compared word by word ("convert" is no
 * "conv", the "sum" in "consume" is none), first the function's own name with its namespaces,
 * then its template arguments, never its parameters.
 *
 *     enum kernel_role role = kernel_role_of(full_name);
 *     printf("%s", kernel_role_info(role)->label);
 *
 * Thread-safety: all functions are pure.
 */
#ifndef GS_MODEL_KERNEL_ROLE_H
#define GS_MODEL_KERNEL_ROLE_H

enum kernel_role {
#define KERNEL_ROLE(id, label, rocinsight, doc) ROLE_##id,
#include "model/kernel_roles.def"
    ROLE_COUNT
};

struct kernel_role_info {
    const char *label;      /* for tables */
    const char *rocinsight; /* the coarser category of rocinsight and TraceLens reports */
    const char *doc;
};

extern const char *const kernel_role_labels[]; /* NULL at the end */

/* Of the full, demangled name; ROLE_OTHER when nothing is known. */
enum kernel_role kernel_role_of(const char *full_name);

/* Never NULL; ROLE_OTHER's for a value out of range. */
const struct kernel_role_info *kernel_role_info(enum kernel_role role);

/* The library a kernel comes from ("Tensile", "CUTLASS"), or NULL when the name does not tell. */
const char *kernel_library_of(const char *full_name);

#endif
