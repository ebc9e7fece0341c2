/*
 * Tier 3 for people: a thread trace (att/att.h) as a section of the report or a report of its own.
 */
#ifndef GS_REPORT_ATT_REPORT_H
#define GS_REPORT_ATT_REPORT_H

#include "advise/advise.h"
#include "att/att.h"
#include "report/doc.h"

enum att_listing { ATT_LIST_BLOCK, ATT_LIST_ALL, ATT_LIST_NONE };

struct att_doc_opts {
    size_t top;               /* kernels and instructions in tables */
    enum att_listing listing; /* annotated code: the hottest block, all that ran, or none */
};

/* Appends the section. */
void att_section(struct doc *d, const struct att *t, const struct att_doc_opts *o);

/* The report of a thread trace without a timeline. */
struct doc *att_doc(const struct att *t, const struct att_doc_opts *o, struct arena *arena);

#endif
