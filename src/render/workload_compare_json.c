#include "render/workload_json.h"
#include "workload/rows.h"

/* ---- the document, as the tables below describe it ---- */

struct panel_change {
    int32_t id;
    const char *title;
    workload_changes rows;
};

struct pair_row {
    const char *name;
    struct workload_change_row total, mean, median;
    VEC(struct panel_change) panels;
};

struct side {
    const char *name, *gpu, *arch;
    uint64_t dispatches;
    double total_ns;
};

struct comparison_document {
    const struct workload_comparison *c;
    struct side a, b;
    VEC(struct pair_row) kernels;
};

/* ---- tables ---- */

#define TEXT(T, member, key, doc) ALWAYS(T, member, FIELD_TEXT, key, doc)
#define TEXTS(T, member, key, doc) ALWAYS(T, member, FIELD_LIST, key, doc, .of = &field_texts)

#define T struct workload_change_row
PART(change_fields, T, WORKLOAD_CHANGE_COLUMNS(T));
#undef T

#define T struct panel_change
PART(panel_fields, T, ALWAYS(T, id, FIELD_I32, "id", "its number in rocprof-compute"),
     TEXT(T, title, "title", ""),
     ALWAYS(T, rows, FIELD_LIST, "rows", "", .of = &workload_change_fields));
#undef T

#define T struct pair_row
#define CHANGE(member, key) ALWAYS(T, member, FIELD_OBJECT, key, "", .of = &change_fields)
PART(pair_fields, T, TEXT(T, name, "name", "all kernels first"), CHANGE(total, "total_ns"),
     CHANGE(mean, "mean_ns"), CHANGE(median, "median_ns"),
     ALWAYS(T, panels, FIELD_LIST, "panels", "", .of = &panel_fields));
#undef T

#define T struct side
PART(side_fields, T, TEXT(T, name, "workload", "its name"), TEXT(T, gpu, "gpu", ""),
     TEXT(T, arch, "arch", ""), ALWAYS(T, dispatches, FIELD_U64, "dispatches", ""),
     WORKLOAD_NUMBER(T, total_ns, "total_ns", "total", IN_NS, "of all dispatches"));
#undef T

#define T struct workload_comparison
PART(list_fields, T, TEXTS(T, only_a, "only_a", "kernels"), TEXTS(T, only_b, "only_b", "kernels"),
     TEXTS(T, notes, "notes", "why numbers may not be comparable"));
#undef T

#define T struct comparison_document
PART(document_fields, T, FIXED("schema", "gpusight-workload-compare", "what this is"),
     FIXED("schema_version", WORKLOAD_SCHEMA_VERSION, "version of this document"),
     ALWAYS(T, a, FIELD_OBJECT, "a", "before", .of = &side_fields),
     ALWAYS(T, b, FIELD_OBJECT, "b", "after", .of = &side_fields),
     ALWAYS(T, kernels, FIELD_LIST, "kernels", "all, then longest in a first", .of = &pair_fields),
     SPREAD(T, c, FIELD_REF, &list_fields));
#undef T

/* ---- filling it ---- */

static struct side side_of(const struct workload_report *r)
{
    const struct workload_system *s = &r->w->system;
    return (struct side){workload_title(r), s->model, s->arch, r->all.n, r->all.total_ns};
}

static struct pair_row pair_row(const struct workload_comparison *c, const struct workload_pair *p,
                                struct arena *arena)
{
    struct pair_row row = {.name = p->name,
                           .total = workload_change_of("", p->a->total_ns, p->b->total_ns),
                           .mean = workload_change_of("", p->a->mean_ns, p->b->mean_ns),
                           .median = workload_change_of("", p->a->median_ns, p->b->median_ns)};
    size_t n;
    const struct workload_panel *all = workload_panels(&n);
    for (size_t k = 0; k < n; k++) {
        struct panel_change panel = {.id = all[k].id, .title = all[k].title};
        panel.rows = workload_panel_changes(c, p, all[k].id, arena);
        vec_push(&row.panels, arena, panel);
    }
    return row;
}

void workload_compare_json(struct jwrite *w, const struct workload_comparison *c)
{
    struct arena *arena = c->a->arena;
    struct comparison_document d = {.c = c, .a = side_of(c->a), .b = side_of(c->b)};
    for (size_t i = 0; i < c->pairs.n; i++)
        vec_push(&d.kernels, arena, pair_row(c, &c->pairs.v[i], arena));
    fields_write(w, NULL, &document_fields, &d);
}

void workload_compare_json_schema(struct str *out)
{
    fields_schema_document(
        out, "urn:gpusight:workload-compare:" WORKLOAD_SCHEMA_VERSION,
        "gpusight comparison of workloads",
        "The document of 'gpusight compare --json' for two folders of rocprof-compute; "
        "docs/workloads.md explains it. A number that cannot be said is null. Made by 'gpusight "
        "--generate workload-compare-schema'.",
        &document_fields);
}
