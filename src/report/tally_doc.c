#include "report/tally_doc.h"

#include "base/fs.h"
#include "base/human.h"
#include "base/str.h"

enum { ROWS_PRINTED = 100 };

/* Columns that people look at; the others are in the page, in JSON and in queries. */
static const char *columns_of(const struct fields *f, bool many_files)
{
    static const struct {
        const char *key, *shown;
    } known[] = {
        {"profile", "label metric rank thread count sum unit mean min max stddev self_pct"},
        {"statistics", "kind name calls total_duration_ns average_ns percentage min_ns max_ns "
                       "stddev_ns"},
        {"workloads", "name gpu version schema"},
        {"workload_kernels", "workload name dispatches total_ns mean_ns min_ns max_ns"},
        {"workload_metrics", "workload kernel id table metric value_name value unit"},
        {"workload_dispatches", "workload kernel id gpu duration_ns"},
        {"workload_rooflines",
         "workload kernel total_flops l1_cache_data l2_cache_data hbm_cache_data lds_cache_data"},
    };
    static const char *const with_file[] = {
        "label metric rank thread count sum unit mean min max stddev self_pct file",
        "file kind name calls total_duration_ns average_ns percentage min_ns max_ns stddev_ns"};
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (str_eq(f->key, known[i].key))
            return many_files && i < ARRAY_LEN(with_file) ? with_file[i] : known[i].shown;
    return NULL;
}

struct doc *tally_doc(struct tally *t, bool brief, struct arena *a)
{
    const struct results *tables = tally_tables(t, false);
    struct doc *d = doc_new(a);
    char n[HUMAN_MAX];
    doc_title(d, "%s", t->files.n == 1 ? fs_basename(t->files.v[0].path) : "tables");
    for (size_t i = 0; i < t->files.n; i++)
        doc_fact(d, "file", "%s: %s, %s %s", t->files.v[i].path, t->files.v[i].kind,
                 human_count(n, t->files.v[i].rows), t->files.v[i].rows == 1 ? "row" : "rows");
    doc_text(d, "Sums without times: they can be shown and asked ('gpusight query'), but nothing "
                "here says what the GPU waited for; that takes a trace.");
    for (size_t i = 0; i < tables->n; i++) {
        const struct result *r = &tables->v[i];
        const char *key = r->fields->key;
        if (brief) {
            doc_fact(d, key, "%s %s", human_count(n, r->n), r->n == 1 ? "row" : "rows");
            continue;
        }
        doc_section(d, key, key, "%s", r->fields->doc);
        doc_rows(d, r,
                 &(struct rows){.shown = columns_of(r->fields, t->files.n > 1),
                                .depth = str_eq(key, "profile") ? "depth" : NULL,
                                .names = str_eq(key, "workload_kernels") ? "name" : NULL,
                                .top = ROWS_PRINTED});
    }
    return d;
}
