/* The inventory of a trace (analyze/inventory.h) as a doc and as JSON. */
#ifndef GS_REPORT_INVENTORY_H
#define GS_REPORT_INVENTORY_H

#include "analyze/inventory.h"
#include "base/jwrite.h"
#include "report/doc.h"

struct doc *inventory_doc(const struct inventory *i, struct arena *a);
void inventory_json(const struct inventory *i, struct jwrite *w);
void inventory_json_schema(struct str *out);

#endif
