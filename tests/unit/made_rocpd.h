/*
 * A rocpd file from a description (docs/synth.md), with small pages and without arguments. In a
 * file of its own, since the headers of synth and of the model do not go together.
 */
#ifndef GS_TESTS_MADE_ROCPD_H
#define GS_TESTS_MADE_ROCPD_H

#include <stdbool.h>

struct made_rocpd {
    const char *path;
    const char *set; /* "n=5", or NULL */
    bool scenario;   /* `text` is the name of one */
    bool log_left;   /* the last dispatch is only in the log */
};

/* "", or what went wrong. */
const char *made_rocpd(const char *text, const struct made_rocpd *o);

#endif
