/* The inventory of a trace (analyze/inventory.h) as a doc and as JSON. */
#ifndef GS_REPORT_INVENTORY_H
#define GS_REPORT_INVENTORY_H

#include "analyze/inventory.h"
#include "base/jwrite.h"
#include "report/doc.h"

struct inventory_process {
    int64_t pid;
    int32_t rank; /* -1: none */
    const char *rank_source, *host, *command;
};

struct inventory_gpu {
    struct gpu g;
    const char *host, *name, *arch;
};

typedef VEC(struct inventory_process) inventory_processes;
typedef VEC(struct inventory_gpu) inventory_gpus;
extern const struct fields inventory_process_fields, inventory_gpu_fields;

inventory_processes inventory_list_processes(const struct trace *t, struct arena *a);
inventory_gpus inventory_list_gpus(const struct trace *t, struct arena *a);

struct doc *inventory_doc(const struct inventory *i, struct arena *a);
void inventory_json(const struct inventory *i, struct jwrite *w);
void inventory_json_schema(struct str *out);

#endif
