#include "report/tally_doc.h"

#include "base/fs.h"
#include "base/human.h"
#include "base/str.h"

enum { ROWS_PRINTED = 100 };

/* Columns that people look at; the others are in the page, in JSON and in queries. */
static const struct rows shows[TALLY_TABLES] = {
    [TALLY_PROFILE] = {.shown = "label metric rank thread count sum unit mean min max stddev "
                                "self_pct",
                       .depth = "depth"},
    [TALLY_STATISTICS] = {.shown = "kind name calls total_duration_ns average_ns percentage min_ns "
                                   "max_ns stddev_ns"},
    [TALLY_WORKLOADS] = {.shown = "name gpu version schema"},
    [TALLY_KERNELS] = {.shown = "workload name dispatches total_ns mean_ns min_ns max_ns",
                       .names = "name"},
    [TALLY_METRICS] = {.shown = "workload kernel id table metric value_name value unit"},
    [TALLY_DISPATCHES] = {.shown = "workload kernel id gpu duration_ns"},
    [TALLY_ROOFLINES] = {.shown = "workload kernel total_flops l1_cache_data l2_cache_data "
                                  "hbm_cache_data lds_cache_data"},
};

/* Of several files. */
static const char *const with_file[TALLY_TABLES] = {
    [TALLY_PROFILE] = "label metric rank thread count sum unit mean min max stddev self_pct file",
    [TALLY_STATISTICS] = "file kind name calls total_duration_ns average_ns percentage min_ns "
                         "max_ns stddev_ns"};

struct doc *tally_doc(struct tally *t, bool brief, struct arena *a)
{
    const struct results *tables = tally_tables(t, true);
    struct doc *d = doc_new(a);
    char n[HUMAN_MAX];
    doc_title(d, "%s", t->files.n == 1 ? fs_basename(t->files.v[0].path) : "tables");
    for (size_t i = 0; i < t->files.n; i++)
        doc_fact(d, "file", "%s: %s, %s %s", t->files.v[i].path, t->files.v[i].kind,
                 human_count(n, t->files.v[i].rows), t->files.v[i].rows == 1 ? "row" : "rows");
    doc_text(d, "Sums without times: they can be shown and asked ('gpusight query'), but nothing "
                "here says what the GPU waited for; that takes a trace.");
    for (size_t i = 0; i < TALLY_TABLES; i++) {
        const struct result *r = &tables->v[i];
        const char *key = r->fields->key;
        if (!r->n)
            continue;
        if (brief) {
            doc_fact(d, key, "%s %s", human_count(n, r->n), r->n == 1 ? "row" : "rows");
            continue;
        }
        doc_section(d, key, key, "%s", r->fields->doc);
        struct rows show = shows[i];
        show.top = ROWS_PRINTED;
        if (t->files.n > 1 && with_file[i])
            show.shown = with_file[i];
        doc_rows(d, r, &show);
    }
    return d;
}
