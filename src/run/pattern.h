/* Patterns of names, as filter.h describes them. */
#ifndef GS_RUN_PATTERN_H
#define GS_RUN_PATTERN_H

#include "base/arena.h"
#include "base/err.h"
#include "base/opt.h"
#include "base/regex.h"
#include "base/vec.h"

struct pattern {
    const char *text; /* without its "!" */
    bool negated;
    bool is_glob;
    struct regex *regex; /* NULL: it is none */
};

struct patterns {
    VEC(struct pattern) v;
};

/* `option` is for errors; `list` must outlive it. */
bool patterns_parse(struct patterns *out, const struct opt_list *list, const char *option,
                    struct arena *a, struct gs_error *err);

/* Whether one of the plain ones matches, or there are none, and no "!" does. */
bool patterns_match(const struct patterns *p, const char *text);

/* Of two names of one thing. */
bool patterns_match_any(const struct patterns *p, const char *first, const char *second);

#endif
