/*
 * The inventory of a trace: what `gpusight info` shows, as a doc and as JSON.
 */
#ifndef GS_REPORT_INVENTORY_H
#define GS_REPORT_INVENTORY_H

#include "analyze/capability.h"
#include "analyze/quality.h"
#include "base/jwrite.h"
#include "report/doc.h"

struct inventory {
    const struct trace *trace;
    bool has_span;
    int64_t start_ns, end_ns;
    uint64_t regions, markers; /* a marker range is a region too, as in the profiler's own tables */
    struct capabilities capabilities;
    struct quality quality;
    const char *reader; /* as asked for: fast, sqlite, check */
};

void inventory_make(struct inventory *i, const struct trace *t, const char *reader, int workers,
                    struct arena *a);
uint64_t inventory_span_ns(const struct inventory *i);
struct doc *inventory_doc(const struct inventory *i, struct arena *a);
void inventory_json(const struct inventory *i, struct jwrite *w);
void inventory_json_schema(struct str *out);

#endif
