#include "cli/summary_domains.h"

#include <unistd.h>

#include "analyze/domains.h"
#include "base/fs.h"
#include "base/human.h"
#include "base/str.h"
#include "query/query.h"

struct call {
    const struct domain_args *args;
    const struct trace *t;
    const char *only; /* what filters left; NULL: all */
    struct domain_tables tables;
    bool wide; /* names are not cut */
    struct output *out;
};

bool domain_args_given(const struct domain_args *a)
{
    return a->by_domain || a->totals || a->by_rank || a->regions || a->mangled || a->truncated;
}

static bool is_shown(const struct call *c, const struct domain_table *t)
{
    return !c->args->totals || t->is_domains;
}

static struct doc *doc_form(const struct report *report)
{
    const struct call *c = report->ctx;
    struct doc *d = doc_new(report->arena);
    d->detailed = true;
    doc_title(d, "%s%s", fs_basename(c->t->files.v[0].path),
              c->t->files.n > 1 ? arena_printf(report->arena, " and %zu more", c->t->files.n - 1)
                                : "");
    if (c->only)
        doc_about(d, "only", "%s", c->only);
    for (size_t i = 0; i < c->tables.v.n; i++) {
        const struct domain_table *t = &c->tables.v.v[i];
        if (!is_shown(c, t))
            continue;
        doc_heading(d, 2, "%s%s", t->title, t->by_rank && !t->is_domains ? " by rank" : "");
        doc_rows(d, RESULT(*domain_fields(t), t->rows),
                 &(struct rows){.key = arena_printf(report->arena, "domain-%zu", i),
                                .caption = "",
                                .wide = c->wide,
                                .empty_too = true,
                                .most = SIZE_MAX});
    }
    return d;
}

static void json_form(const struct report *report, struct jwrite *w, bool in_page)
{
    (void)in_page;
    const struct call *c = report->ctx;
    jw_open(w, NULL, '{');
    for (size_t i = 0; i < c->tables.v.n; i++) {
        const struct domain_table *t = &c->tables.v.v[i];
        if (is_shown(c, t))
            fields_write_rows(w, t->key, domain_fields(t), t->rows.v, t->rows.n);
    }
    jw_close(w);
}

static void workbook_form(const struct report *report, struct workbook *w)
{
    const struct call *c = report->ctx;
    *w = (struct workbook){.arena = report->arena};
    for (size_t i = 0; i < c->tables.v.n; i++) {
        const struct domain_table *t = &c->tables.v.v[i];
        if (!is_shown(c, t))
            continue;
        struct sheet *s =
            workbook_add(w, t->key, domain_fields(t)->doc, domain_fields(t), t->rows.v, t->rows.n);
        s->exact_titles = true;
    }
}

static void put_csv(struct str *out, const struct field *f, const void *row)
{
    char buf[VALUE_MAX];
    struct field_value v = field_get(f, row);
    bool negative = v.kind == VALUE_INT && v.i < 0;
    query_csv_cell(out, negative ? "" : value_exact(v, buf), v.kind == VALUE_TEXT);
}

/* One table, with the domain in front: files of their own are for -d. */
static void csv_form(const struct report *report, struct str *out)
{
    const struct call *c = report->ctx;
    bool titled = false, by_rank = c->args->by_rank;
    for (size_t i = 0; i < c->tables.v.n; i++) {
        const struct domain_table *t = &c->tables.v.v[i];
        const struct fields *f = by_rank ? &domain_rank_total_fields : &domain_total_fields;
        if (!is_shown(c, t) || t->by_rank != by_rank)
            continue;
        if (!titled) {
            str_puts(out, "Summary");
            for (size_t k = 0; k < f->n; k++) {
                str_putc(out, ',');
                query_csv_cell(out, f->v[k].label, false);
            }
            str_putc(out, '\n');
        }
        titled = true;
        for (size_t r = 0; r < t->rows.n; r++) {
            query_csv_cell(out, t->key, false);
            for (size_t k = 0; k < f->n; k++) {
                str_putc(out, ',');
                if (t->is_domains || f->v[k].offset != offsetof(struct domain_row, covered_ns))
                    put_csv(out, &f->v[k], &t->rows.v[r]);
            }
            str_putc(out, '\n');
        }
    }
}

static bool write_files(struct call *c, struct arena *arena, struct gs_error *err)
{
    struct workbook w;
    struct report r = {.ctx = c, .arena = arena};
    workbook_form(&r, &w);
    if (!render_csv(&w, c->out->o->dir, &c->out->set, err))
        return false;
    output_note(c->out, "wrote %zu file%s into %s", w.sheets.n, human_s(w.sheets.n),
                c->out->o->dir);
    return output_finish(c->out, err);
}

static bool is_category(const char *word)
{
    return *word && !word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")] && !fs_exists(word);
}

/* "--region-categories HIP HSA", as AMD's tool takes it: words in capitals that are no files. */
static const char *take_categories(struct cli *cli, const char *first)
{
    size_t kept = 0;
    for (size_t i = 0; first && i < cli->operands.n; i++) {
        const char *word = cli->operands.v[i];
        if (is_category(word))
            first = arena_printf(cli->arena, "%s,%s", first, word);
        else
            cli->operands.v[kept++] = word;
    }
    cli->operands.n = first ? kept : cli->operands.n;
    return first;
}

static struct report *report_of(struct call *c, struct arena *arena)
{
    struct report *r = arena_new(arena, struct report);
    *r = (struct report){.ctx = c,
                         .arena = arena,
                         .doc = doc_form,
                         .json = json_form,
                         .csv = csv_form,
                         .workbook = workbook_form,
                         .kind = "domains"};
    return r;
}

static struct domain_opts opts_of(const struct domain_args *a, const char *regions)
{
    return (struct domain_opts){.by_rank = a->by_rank,
                                .regions = regions,
                                .names = a->mangled     ? KERNELS_MANGLED
                                         : a->truncated ? KERNELS_SHORT
                                                        : KERNELS_FULL};
}

struct report *domains_report(const struct domain_args *a, const struct trace *t,
                              struct arena *arena)
{
    struct call *c = arena_new(arena, struct call);
    struct domain_opts o = opts_of(a, a->regions);
    struct gs_error err = {0};
    *c = (struct call){.args = a, .t = t, .wide = true};
    return domains_make(&c->tables, t, &o, arena, &err) && c->tables.v.n ? report_of(c, arena)
                                                                         : NULL;
}

bool summary_domains(struct cli *cli, const struct domain_args *a, const struct analyzed_opts *in,
                     struct output *out, struct gs_error *err)
{
    struct call *c = arena_new(cli->arena, struct call);
    struct domain_opts o = opts_of(a, take_categories(cli, a->regions));
    struct run_opts ro = cli_run_opts(cli, in);
    if (a->mangled && a->truncated)
        return fail(err, GS_E_USAGE,
                    "options '--mangled-kernels' and '--truncate-kernels' exclude each other");
    *c = (struct call){.args = a, .out = out};
    c->t = cli_load_rows(cli, &ro, &c->only, err);
    if (!c->t || !domains_make(&c->tables, c->t, &o, cli->arena, err))
        return false;
    if (!c->tables.v.n)
        return fail(err, GS_E_EMPTY, "nothing to sum in '%s'", cli->operands.v[0]);
    if (out->form == &renderer_csv && out->o->dir && !out->o->name)
        return write_files(c, cli->arena, err);
    if (!output_named(out, "summary", err))
        return false;
    c->wide = out->form != &renderer_pdf && !(str_eq(out->path, "-") && isatty(STDOUT_FILENO));
    return output_report(out, report_of(c, cli->arena), err) && output_finish(out, err);
}
