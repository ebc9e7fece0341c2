/* The ledger: a bar for each GPU, and behind every cause what it means and who claims it. */
#include "report/chart/parts.h"
#include "report/section.h"

enum { MOST_GPUS = 64 };

static const char *gpu_label(const struct analysis *a, size_t slot, struct arena *arena)
{
    uint32_t gpu = a->view.gpus[slot].gpu;
    if (gpu == NO_INDEX)
        return "GPU not listed";
    const struct gpu *g = &a->trace->gpus.v[gpu];
    return arena_printf(arena, "GPU %d %s", g->index, trace_str(a->trace, g->name));
}

static void per_gpu(const struct analysis *a, enum cause c, struct doc *d)
{
    const struct ledger *l = &a->ledger;
    for (size_t g = 0; l->n_gpus > 1 && g < l->n_gpus && g < MOST_GPUS; g++)
        if (l->gpus[g].ns[c])
            doc_item(d, "%s: %s", gpu_label(a, g, d->arena), value_ns(d->arena, l->gpus[g].ns[c]));
}

static void claims(const struct advice *v, enum cause c, struct doc *d)
{
    bool any = false;
    for (size_t i = 0; i < v->findings.n; i++)
        any |= v->findings.v[i]->granted[c] != 0;
    doc_text(d, any ? "Claimed by:" : "No finding claims it.");
    for (size_t i = 0; i < v->findings.n; i++) {
        const struct finding *f = v->findings.v[i];
        if (!f->granted[c])
            continue;
        doc_item(d, "%s: %s", f->title, value_ns(d->arena, f->granted[c]));
        doc_link(d, "finding-%zu", i);
    }
}

static void cause(const struct subject *s, enum cause c, struct doc *d)
{
    const struct cause_info *info = cause_info(c);
    int64_t ns = s->a->ledger.ns[c];
    struct arena *a = d->arena;
    doc_open(d, &(struct disclosure){
                    .id = arena_printf(a, "cause-%s", info->key),
                    .title = info->label,
                    .swatch = true,
                    .ink = cause_ink(c),
                    .cost = arena_printf(
                        a, "%s · %s",
                        value_pct(a, percent_of((double)ns, (double)s->a->breakdown.gpu_time_ns)),
                        value_ns(a, ns)),
                    .brief = ""});
    doc_text(d, "%s.", info->doc);
    doc_fact(d, "exactly", "%lld ns", (long long)ns);
    per_gpu(s->a, c, d);
    claims(s->advice, c, d);
    doc_close(d);
}

static bool has(const struct subject *s)
{
    return s->a->ledger.n_gpus > 0;
}

static void build(const struct subject *s, struct doc *d)
{
    static const enum tone tones[] = {
        [CAUSE_WORK] = TONE_GOOD, [CAUSE_EXPOSED] = TONE_WARN, [CAUSE_IDLE] = TONE_BAD};
    const struct ledger *l = &s->a->ledger;
    double all = (double)s->a->breakdown.gpu_time_ns;
    struct block *b = doc_bars(d, "every nanosecond of every GPU, once", "ledger");
    for (enum cause c = 0; c < CAUSES; c++)
        if (l->ns[c])
            doc_bar(b, tones[cause_info(c)->kind], (double)l->ns[c] / all, cause_info(c)->label,
                    "%7s  %s", value_pct(d->arena, percent_of((double)l->ns[c], all)),
                    value_ns(d->arena, l->ns[c]));
    for (enum cause c = 0; c < CAUSES; c++)
        if (l->ns[c])
            cause(s, c, d);
}

const struct section section_ledger = {
    "ledger", "Ledger", "Where the GPU time went", IN(REPORT_ANALYSIS), has, build};
