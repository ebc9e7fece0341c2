#include <math.h>

#include "base/fs.h"
#include "render/workload_json.h"

static void write_side(struct jwrite *w, const char *key, const struct workload_report *r)
{
    const struct workload_system *s = &r->w->system;
    jw_open(w, key, '{');
    jw_str(w, "workload", *s->name ? s->name : fs_basename(r->w->dir));
    jw_str(w, "gpu", s->model);
    jw_str(w, "arch", s->arch);
    jw_uint(w, "dispatches", r->all.n);
    jw_num(w, "total_ns", r->all.total_ns);
    jw_close(w);
}

static void write_change(struct jwrite *w, double a, double b)
{
    jw_num(w, "a", a);
    jw_num(w, "b", b);
    jw_num(w, "change_pct", workload_change(a, b));
}

static void write_times(struct jwrite *w, const struct workload_pair *p)
{
    const struct {
        const char *key;
        double a, b;
    } all[] = {{"total_ns", p->a->total_ns, p->b->total_ns},
               {"mean_ns", p->a->mean_ns, p->b->mean_ns},
               {"median_ns", p->a->median_ns, p->b->median_ns}};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        jw_open(w, all[i].key, '{');
        write_change(w, all[i].a, all[i].b);
        jw_close(w);
    }
}

static void write_pair(struct jwrite *w, const struct workload_comparison *c,
                       const struct workload_pair *p)
{
    size_t n, panels;
    const struct workload_metric *m = workload_metrics(&n);
    const struct workload_panel *all = workload_panels(&panels);
    jw_open(w, NULL, '{');
    jw_str(w, "name", p->name);
    write_times(w, p);
    jw_open(w, "panels", '[');
    for (size_t k = 0; k < panels; k++) {
        jw_open(w, NULL, '{');
        jw_int(w, "id", all[k].id);
        jw_str(w, "title", all[k].title);
        jw_open(w, "rows", '[');
        for (size_t i = 0; i < n; i++) {
            if (m[i].panel != all[k].id)
                continue;
            jw_open(w, NULL, '{');
            jw_str(w, "metric", m[i].name);
            jw_str(w, "key", m[i].key);
            jw_str(w, "unit", workload_unit(c->a, &m[i]));
            write_change(w, p->a->values[i].mean, p->b->values[i].mean);
            jw_close(w);
        }
        jw_close(w);
        jw_close(w);
    }
    jw_close(w);
    jw_close(w);
}

static void write_names(struct jwrite *w, const char *key, const char *const *names, size_t n)
{
    jw_open(w, key, '[');
    for (size_t i = 0; i < n; i++)
        jw_str(w, NULL, names[i]);
    jw_close(w);
}

void workload_compare_json(struct jwrite *w, const struct workload_comparison *c)
{
    jw_open(w, NULL, '{');
    jw_str(w, "schema", "gpusight-workload-compare");
    jw_str(w, "schema_version", WORKLOAD_SCHEMA_VERSION);
    write_side(w, "a", c->a);
    write_side(w, "b", c->b);
    jw_open(w, "kernels", '[');
    for (size_t i = 0; i < c->pairs.n; i++)
        write_pair(w, c, &c->pairs.v[i]);
    jw_close(w);
    write_names(w, "only_a", c->only_a.v, c->only_a.n);
    write_names(w, "only_b", c->only_b.v, c->only_b.n);
    write_names(w, "notes", c->notes.v, c->notes.n);
    jw_close(w);
}
