/* The thread trace, when one was read: its report, and the whole code of the hottest kernels. */
#include "att/att.h"
#include "render/doc_page.h"
#include "render/html_in.h"
#include "report/att_report.h"

enum { LISTED_KERNELS = 3, LISTED_ROWS = 5000 };

void html_att(struct html *h)
{
    const struct att *t = h->o->att;
    if (!t)
        return;
    struct doc *d = doc_new(h->arena);
    struct att_doc_opts o = {.top = h->o->top_kernels, .listing = ATT_LIST_BLOCK};
    att_section(d, t, &o);
    html_chapter(h, "thread-trace", "Thread trace", "Thread trace");
    html_blocks(h, d);
    for (size_t i = 0; i < t->kernels.n && i < LISTED_KERNELS && t->kernels.v[i].hits; i++) {
        const struct att_kernel *k = &t->kernels.v[i];
        struct result r = {&att_instruction_fields, k->instructions.v, k->instructions.n, false};
        html_table_of(h,
                      &(struct html_table){
                          .key = arena_printf(h->arena, "att_instructions_%zu", i),
                          .caption = arena_printf(h->arena, "Code of %s, annotated", k->short_name),
                          .shown = "address text source source_text hits latency stall idle "
                                   "pct_of_time stall_class cause",
                          .most = LISTED_ROWS},
                      &r);
    }
}
