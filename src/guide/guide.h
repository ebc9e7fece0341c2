/*
 * The guide: what a model should know about GPU performance work before it speaks, as Markdown that
 * users may edit. docs/guide.md says how.
 *
 * A section begins with "## "; a comment in its first lines says when it is of use:
 *
 *     ## Copies and links
 *     <!-- rocinsight-context: tier1, compiler -->
 *
 * Sections without such a comment, and those tagged "always", are always of use.
 *
 *     struct guide g;
 *     if (!guide_load(&g, path_or_NULL, arena, err)) ...
 *     unsigned tags = guide_tags(&(struct guide_context){.tier = 1, .has_counters = true});
 *     const char *text = guide_select(&g, tags, arena);
 *
 * Looked for in this order: the path given; $GPUSIGHT_LLM_REFERENCE_GUIDE,
 * $ROCINSIGHT_LLM_REFERENCE_GUIDE, $ROCPD_LLM_REFERENCE_GUIDE; the user's own
 * ($XDG_CONFIG_HOME/gpusight/llm-reference-guide.md); the one installed with the program; ROCm's;
 * last, the one that is compiled in. A path that was given or named by a variable must be readable:
 * the error lists all that were tried.
 */
#ifndef GS_GUIDE_GUIDE_H
#define GS_GUIDE_GUIDE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"

struct guide {
    const char *text;
    const char *path;    /* where it was found; "built in" */
    const char *version; /* of its "guide-version" comment; "" without one */
};

enum guide_tag {
    GUIDE_ALWAYS = 1 << 0,
    GUIDE_TIER1 = 1 << 1,
    GUIDE_TIER2 = 1 << 2,
    GUIDE_TIER3 = 1 << 3,
    GUIDE_COMPILER = 1 << 4,
    GUIDE_SOURCE = 1 << 5,
    GUIDE_TRACELENS = 1 << 6, /* "tracelens_metrics": kernel categories and the divided timeline */
};

/* What the talk is about. */
struct guide_context {
    int tier;           /* 0: source code, 1: trace, 2: counters, 3: instructions, PC samples */
    const char *prompt; /* the user's words; NULL: none */
    bool in_kernels;    /* compute or memory costs most: flags of compilers may help */
    bool has_counters;
    bool has_source;
    bool has_categories; /* kernel categories and the divided timeline are shown */
};

bool guide_load(struct guide *g, const char *path, struct arena *arena, struct gs_error *err);
unsigned guide_tags(const struct guide_context *c);
/* The sections with any of these tags, and all that precedes the first one. */
const char *guide_select(const struct guide *g, unsigned tags, struct arena *arena);

/* The guide that is compiled in. */
struct guide_text {
    const char *name, *text;
};
extern const struct guide_text guide_built_in[];

#endif
