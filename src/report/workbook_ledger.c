#include "report/workbook.h"

struct ledger_row {
    const char *gpu, *host, *cause, *kind;
    int64_t ns;
    double pct;
    const char *doc;
};

#define F(member, type, label, unit, doc) FIELD(struct ledger_row, member, type, label, unit, doc)
static const struct field row_v[] = {
    F(gpu, FIELD_TEXT, "GPU", NO_UNIT, "index of the GPU on its host; all: over all GPUs"),
    F(host, FIELD_TEXT, "host", NO_UNIT, "where the GPU is"),
    F(cause, FIELD_TEXT, "cause", NO_UNIT, "what the time went to"),
    F(kind, FIELD_TEXT, "kind", NO_UNIT, "work, exposed or idle"),
    F(ns, FIELD_I64, "time", IN_NS, "GPU time with this cause"),
    F(pct, FIELD_NUM, "of GPU time", IN_PERCENT, "100 x time / (window x GPUs)"),
    F(doc, FIELD_TEXT, "meaning", NO_UNIT, "when time counts for this cause"),
};
#undef F
static const struct fields row_fields =
    FIELDS("ledger", "Every nanosecond of every GPU in the window, by its one cause.",
           struct ledger_row, row_v);

struct rows {
    VEC(struct ledger_row) all;
};

static void add_gpu(struct rows *rows, struct workbook *w, const char *gpu, const char *host,
                    const int64_t *ns, double whole)
{
    static const char *const kinds[] = {
        [CAUSE_WORK] = "work", [CAUSE_EXPOSED] = "exposed", [CAUSE_IDLE] = "idle"};
    for (enum cause c = 0; c < CAUSES; c++) {
        const struct cause_info *info = cause_info(c);
        struct ledger_row r = {.gpu = gpu, .host = host, .cause = info->label, .ns = ns[c]};
        r.kind = kinds[info->kind];
        r.pct = percent_of((double)ns[c], whole);
        r.doc = info->doc;
        vec_push(&rows->all, w->arena, r);
    }
}

void workbook_ledger(struct workbook *w, const struct analysis *a)
{
    const struct ledger *l = &a->ledger;
    struct rows rows = {0};
    if (l->n_gpus)
        add_gpu(&rows, w, "all", NULL, l->ns, (double)l->window_ns * (double)l->n_gpus);
    for (size_t g = 0; g < l->n_gpus; g++) {
        uint32_t gpu = a->view.gpus[g].gpu;
        const char *host = gpu == NO_INDEX ? NULL : trace_str(a->trace, a->trace->gpus.v[gpu].host);
        add_gpu(&rows, w, arena_printf(w->arena, "%d", analysis_gpu_index(a, g)), host,
                l->gpus[g].ns, (double)l->window_ns);
    }
    struct sheet *s =
        workbook_add(w, "ledger", row_fields.doc, &row_fields, rows.all.v, rows.all.n);
    s->chart = SHEET_BARS;
    s->chart_label = 2;
    s->chart_value = 5;
    s->chart_rows = CAUSES;
}
