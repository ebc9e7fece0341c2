/*
 * A verification as a report and as JSON.
 */
#ifndef GS_VERIFY_VERIFY_DOC_H
#define GS_VERIFY_VERIFY_DOC_H

#include "base/jwrite.h"
#include "report/doc.h"
#include "verify/verify.h"

struct verify_report {
    const char *name;  /* of the text */
    const char *about; /* the traces */
    const struct verification *v;
    uint64_t facts;
    bool all; /* confirmed figures are listed, too */
};

struct doc *verify_doc(const struct verify_report *r, struct arena *arena);
/* All figures; in a page, as many as its table has. */
void verify_json(const struct verify_report *r, struct jwrite *w, bool in_page,
                 struct arena *arena);
void verify_json_schema(struct str *out);

#endif
