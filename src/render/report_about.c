/* Reports whose JSON is all of what they are about. */
#include <assert.h>

#include "compare/history.h"
#include "depend/whatif.h"
#include "render/compare_json.h"
#include "render/plan_json.h"
#include "render/renderers.h"
#include "render/workload_json.h"
#include "report/inventory.h"
#include "report/summary_json.h"

#define FORM(kind, write)                                                                          \
    static void kind(const struct report *r, struct jwrite *w, bool in_page)                       \
    {                                                                                              \
        (void)in_page;                                                                             \
        const struct subject *s = r->about;                                                        \
        write;                                                                                     \
    }
FORM(comparison, compare_json(w, s->comparison, s->gate, s->explanation))
FORM(history, fields_write(w, NULL, &history_document_fields, s->history))
FORM(plan, plan_json(w, s->plan))
FORM(summary, summary_json(s->summary, w))
FORM(whatif, fields_write(w, NULL, &whatif_document_fields, s->whatif))
FORM(workload, workload_json(w, s->workload))
FORM(workloads, workload_compare_json(w, s->workloads))
#undef FORM

struct report report_about(enum report_kind kind, struct subject *about, struct arena *arena)
{
    static const struct report reports[] = {
        [REPORT_COMPARISON] = {.make = compare_report, .json = comparison, .kind = "comparison"},
        [REPORT_HISTORY] = {.make = history_report, .json = history, .kind = "history"},
        [REPORT_PLAN] = {.make = plan_report, .json = plan, .kind = "plan"},
        [REPORT_SUMMARY] = {.make = summary_report, .json = summary, .kind = "summary"},
        [REPORT_WHATIF] = {.make = whatif_report, .json = whatif, .kind = "what if"},
        [REPORT_WORKLOAD] = {.make = workload_doc_report, .json = workload, .kind = "workload"},
        [REPORT_WORKLOADS] = {.make = workloads_report, .json = workloads, .kind = "comparison"},
    };
    struct report r = reports[kind];
    assert(r.make);
    r.about = about;
    r.arena = arena;
    return r;
}

static void inventory(const struct report *r, struct jwrite *w, bool in_page)
{
    (void)in_page;
    inventory_json(r->ctx, w);
}

static struct doc *make_inventory_doc(const struct report *r)
{
    return inventory_doc(r->ctx, r->arena);
}

struct report report_about_inventory(struct inventory *i, struct arena *arena)
{
    return (struct report){.ctx = i,
                           .arena = arena,
                           .doc = make_inventory_doc,
                           .json = inventory,
                           .kind = "inventory"};
}
