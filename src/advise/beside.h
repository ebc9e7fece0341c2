/*
 * What lies beside a trace and makes its findings more exact: source code and thread traces. It is
 * read before advise() runs and joined with the findings there, so that these are final after it.
 */
#ifndef GS_ADVISE_BESIDE_H
#define GS_ADVISE_BESIDE_H

#include "advise/finding.h"

struct att;
struct source_scan;
struct advice;

/* A hot kernel and its lines. */
struct source_link {
    uint32_t rank;          /* of the hotspot */
    const char *kernel;     /* as the trace calls it, short */
    const char *definition; /* "file:line"; NULL: not in the folder */
    const char *launch;     /* of the first launch; NULL: none */
    uint32_t launches, loop_launches;
    uint32_t candidates; /* definitions of that name; above 1 the link is a guess */
    const char *configuration;
};

/* A host call of the trace and the places that make it. */
struct source_call {
    const char *name;
    uint64_t calls;
    int64_t total_ns;
    uint32_t sites, loop_sites;
    const char *places; /* "src/a.cpp:12 (in loop), …", those in loops first */
};

struct source_links {
    VEC(struct source_link) kernels;
    VEC(struct source_call) calls;
};

struct beside {
    const struct source_scan *source; /* NULL: none */
    struct source_links *links;       /* filled when there is a source */
    struct att *att;                  /* NULL: none */
};

/*
 * The kernel of the source that a trace calls `name`; NULL: none. Where several have that name one
 * that is launched goes first, and *candidates says how many there are.
 */
struct source_kernel;
const struct source_kernel *source_kernel_named(const struct source_scan *s, const char *name,
                                                uint32_t *candidates, struct arena *arena);

/* Finds the links and adds the lines to the evidence of findings that they explain. */
void source_link(struct source_links *out, const struct source_scan *s, const struct analysis *a,
                 struct advice *advice, struct arena *arena);

/*
 * Gives each kernel its rank, calls and time in the trace, by name, and findings about tuning it
 * what its instructions say.
 */
void att_join(struct att *t, const struct analysis *a, struct advice *advice);

/* The kernel of a thread trace in the trace, by name; NULL: not there. */
struct att_kernel;
const struct hotspot *att_hotspot(const struct analysis *a, const struct att_kernel *k);

#endif
