#include "cli/tallied.h"

#include "base/fs.h"
#include "base/human.h"
#include "base/str.h"
#include "ingest/ingest.h"

enum { ROWS_PRINTED = 100 };

/* ---- which operands ---- */

static bool may_be(const char *name)
{
    static const char *const ends[] = {".txt",    ".json",    ".csv",      ".txt.gz", ".json.gz",
                                       ".csv.gz", ".txt.zst", ".json.zst", ".csv.zst"};
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        if (str_ends(name, ends[i]))
            return true;
    return false;
}

/* The files of a folder that holds no trace. */
static bool list_folder(struct cli *cli, const char *dir, struct opt_list *out)
{
    struct fs_list names = {0};
    struct ingest_files traces = {0};
    struct gs_error why;
    if (!fs_names(&names, dir, false, SIZE_MAX, cli->arena, &why))
        return false;
    for (size_t i = 0; i < names.n; i++) {
        const char *path = fs_join(dir, names.v[i], cli->arena);
        if (may_be(path) && tally_is(path))
            vec_push(out, cli->arena, path);
    }
    struct opt_list one = {&dir, 1, 1};
    return out->n && !ingest_find(&traces, &one, cli->arena, &why) && why.code == GS_E_EMPTY;
}

bool tallied_take(struct cli *cli, struct opt_list *paths, struct tally **out, struct gs_error *err)
{
    struct opt_list rest = {0}, found = {0};
    for (size_t i = 0; i < paths->n; i++) {
        struct opt_list inside = {0};
        const char *path = paths->v[i];
        if (fs_is_dir(path) ? list_folder(cli, path, &inside) : tally_is(path) != NULL) {
            for (size_t k = 0; k < inside.n; k++)
                vec_push(&found, cli->arena, inside.v[k]);
            if (!inside.n)
                vec_push(&found, cli->arena, path);
        } else {
            vec_push(&rest, cli->arena, path);
        }
    }
    *out = NULL;
    if (!found.n)
        return true;
    struct tally *t = arena_new(cli->arena, struct tally);
    t->arena = cli->arena;
    for (size_t i = 0; i < found.n; i++)
        if (!tally_add(t, found.v[i], err))
            return false;
    *paths = rest;
    *out = t;
    return true;
}

bool tallied_only(struct cli *cli, struct opt_list *paths, struct tally **out, struct gs_error *err)
{
    if (!tallied_take(cli, paths, out, err))
        return false;
    if (*out && paths->n)
        return fail(err, GS_E_USAGE,
                    "'%s' is %s, which has no times, and cannot be shown with '%s'; give one kind "
                    "at a time",
                    (*out)->files.v[0].path, (*out)->files.v[0].kind, paths->v[0]);
    return true;
}

/* ---- as a document ---- */

struct shown {
    struct tally *t;
    bool brief;
};

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

static struct doc *doc_form(const struct report *report)
{
    const struct shown *s = report->ctx;
    const struct results *tables = tally_tables(s->t, false);
    struct doc *d = doc_new(report->arena);
    char n[HUMAN_MAX];
    doc_title(d, "%s", s->t->files.n == 1 ? fs_basename(s->t->files.v[0].path) : "tables");
    for (size_t i = 0; i < s->t->files.n; i++)
        doc_fact(d, "file", "%s: %s, %s row%s", s->t->files.v[i].path, s->t->files.v[i].kind,
                 human_count(n, s->t->files.v[i].rows), human_s(s->t->files.v[i].rows));
    doc_text(d, "Sums without times: they can be shown and asked ('gpusight query'), but nothing "
                "here says what the GPU waited for; that takes a trace.");
    for (size_t i = 0; i < tables->n; i++) {
        const struct result *r = &tables->v[i];
        const char *key = r->fields->key;
        if (s->brief) {
            doc_fact(d, key, "%s row%s", human_count(n, r->n), human_s(r->n));
            continue;
        }
        doc_section(d, key, key, "%s", r->fields->doc);
        doc_rows(d, r,
                 &(struct rows){.shown = columns_of(r->fields, s->t->files.n > 1),
                                .depth = str_eq(key, "profile") ? "depth" : NULL,
                                .names = str_eq(key, "workload_kernels") ? "name" : NULL,
                                .top = ROWS_PRINTED});
    }
    return d;
}

static void json_form(const struct report *report, struct str *out, bool in_page)
{
    const struct shown *s = report->ctx;
    struct jwrite w;
    jw_init(&w, out, in_page ? 0 : 2);
    fields_write(&w, NULL, &tally_fields, s->t);
    if (!in_page)
        str_putc(out, '\n');
}

void tallied_workbook(const struct tally *t, struct workbook *w, struct arena *a)
{
    struct tally copy = *t;
    const struct results *tables = tally_tables(&copy, false);
    *w = (struct workbook){.arena = a};
    for (size_t i = 0; i < tables->n; i++)
        workbook_add(w, tables->v[i].fields->key, tables->v[i].fields->doc, tables->v[i].fields,
                     tables->v[i].rows, tables->v[i].n);
}

bool tallied_output(const struct tally *t, struct output *out, bool brief, struct gs_error *err)
{
    struct tally copy = *t;
    struct shown s = {&copy, brief};
    struct report r = {
        .ctx = &s, .arena = out->cli->arena, .doc = doc_form, .json = json_form, .kind = "tables"};
    return output_named(out, output_base(t->files.v[0].path, out->cli->arena), err) &&
           output_report(out, &r, err) && output_finish(out, err);
}
