#include "cli/reference.h"

#include <string.h>

#include "cli/runs.h"
#include "compare/compare.h"
#include "compare/gate.h"
#include "compat/rocinsight.h"
#include "render/compare_json.h"
#include "render/renderers.h"
#include "render/workload_json.h"
#include "report/columns.h"
#include "report/inventory.h"
#include "report/summary_json.h"
#include "verify/reading.h"

struct making {
    const struct run *run;
    size_t top;
    struct inventory inventory;
    struct summary summary;
    struct comparison comparison;
    struct gate gate;
};

/* Plain text is as wide as its terminal was: no narrower than its longest line that was wrapped. */
static int width_of(const char *text, size_t n)
{
    size_t widest = 0;
    for (size_t i = 0; i < n;) {
        const char *nl = memchr(text + i, '\n', n - i);
        size_t end = nl ? (size_t)(nl - text) : n, columns = 0;
        bool command = text_find(text + i, end - i, " -- ");
        for (size_t k = i; k < end; k++) {
            if (text[k] == '\x1b') /* colour */
                while (k < end && text[k] != 'm')
                    k++;
            else
                columns += ((unsigned char)text[k] & 0xc0) != 0x80 && text[k] != '\r';
        }
        if (!command && columns > widest && columns <= 400)
            widest = columns;
        i = end + 1;
    }
    return (int)widest;
}

static void render_one(const struct verified_text *t, struct report *r, int columns, bool divide)
{
    static const struct renderer *const forms[] = {
        [VERIFY_TEXT] = &renderer_text, [VERIFY_MARKDOWN] = &renderer_markdown,
        [VERIFY_HTML] = &renderer_html, [VERIFY_JSON] = &renderer_json,
        [VERIFY_CSV] = &renderer_csv,
    };
    struct render_opts o = {.columns = columns, .divide = divide};
    struct gs_error err = {0};
    if (t->kind == VERIFY_CSV && !r->csv)
        return; /* not one of those that are one table */
    bool with_all_rows = t->kind == VERIFY_JSON || t->kind == VERIFY_HTML;
    if (with_all_rows && facts_left_out(t->facts))
        return; /* so many rows that not even their facts are kept: hundreds of megabytes */
    struct arena *own = arena_child(t->cli->arena);
    struct str *out = arena_new(own, struct str);
    str_init(out, own);
    if (forms[t->kind]->render(r, out, &o, &err))
        facts_add_reference(t->facts, t->kind, out->buf, out->len);
    arena_release(own);
}

static void render_wide(const struct verified_text *t, struct report *r, int columns)
{
    render_one(t, r, columns, false);
    if (t->kind == VERIFY_TEXT)
        render_one(t, r, columns, true);
}

static void render_all(const struct verified_text *t, struct report *r)
{
    int width = t->kind == VERIFY_TEXT ? width_of(t->text, t->n) : 0;
    r->arena = t->cli->arena;
    render_wide(t, r, 80);
    if (width > 80 || (width >= 40 && width < 78)) {
        int terminal = (width + 3) / 4 * 4, round = (width + 9) / 10 * 10;
        render_wide(t, r, width);
        if (terminal != width)
            render_wide(t, r, terminal);
        if (round != width && round != terminal)
            render_wide(t, r, round);
    }
}

/* Tables may show other columns than they usually do (--columns): those that the text has. */
void reference_render(const struct verified_text *t, struct report *r)
{
    struct gs_error err = {0};
    render_all(t, r);
    if (t->kind == VERIFY_JSON || t->kind == VERIFY_CSV)
        return;
    struct str heads = {.buf = NULL};
    if (t->kind == VERIFY_HTML) {
        str_init(&heads, t->cli->arena);
        reading_html_heads(&heads, t->text, t->n);
    }
    const struct doc *d = report_doc(r, &err);
    bool any = false;
    for (int parts = 0; d && parts < (t->kind == VERIFY_TEXT ? 2 : 1); parts++) {
        r->columns = heads.buf ? columns_of_text(d, heads.buf, heads.len, false)
                               : columns_of_text(d, t->text, t->n, parts);
        if (!r->columns)
            break;
        render_all(t, r);
        any = true;
    }
    if (any) {
        r->columns = "all"; /* then tables of one kind differ in what is empty in them */
        render_all(t, r);
    }
    r->columns = NULL;
}

void reference_facts(const struct verified_text *t, const struct report *r)
{
    struct str *json = arena_new(t->cli->arena, struct str);
    struct jwrite w;
    str_init(json, t->cli->arena);
    jw_init(&w, json, 0);
    r->json(r, &w, true);
    facts_add_json(t->facts, r->kind, json->buf, json->len);
}

static void analysis_form(const struct report *r, struct jwrite *w, bool in_page)
{
    const struct making *m = r->ctx;
    const struct run *run = m->run;
    struct analysis_json_opts j = run_json_opts(run, m->top, in_page);
    analysis_json(w, run->analysis, &run->advice, &j);
}

static void rocinsight_form(const struct report *r, struct jwrite *w, bool in_page)
{
    (void)in_page;
    const struct making *m = r->ctx;
    struct analysis_json_opts j = {.top_kernels = m->top, .timestamp = NO_TIMESTAMP};
    rocinsight_json(w, m->run->analysis, &m->run->advice, &j);
}

/* Sections that are asked for by name have more in them. */
static void add_details(const struct verified_text *t, struct report *r)
{
    struct str names;
    struct gs_error err = {0};
    if (t->kind != VERIFY_TEXT && t->kind != VERIFY_MARKDOWN)
        return;
    const struct doc *d = r->make(r->about, NULL, t->cli->arena, &err);
    str_init(&names, t->cli->arena);
    for (size_t i = 0; d && i < d->blocks.n; i++) {
        const struct block *b = d->blocks.v[i];
        if (b->kind == BLOCK_HEADING && b->level == 2 && b->id)
            str_printf(&names, "%s%s", names.len ? "," : "", b->id);
    }
    r->sections = names.buf;
    if (names.len)
        reference_render(t, r);
    r->sections = NULL;
}

static void add_inventory(const struct verified_text *t, struct making *m,
                          const struct trace *trace)
{
    inventory_make(&m->inventory, trace, false, t->cli->threads, t->cli->arena);
    struct report info = report_about_inventory(&m->inventory, t->cli->arena);
    reference_render(t, &info);
}

/* What `analyze` says of a run, with tables of this length; its ctx is the making. */
static struct report *add_analysis(const struct verified_text *t, const struct run *run, size_t top)
{
    struct arena *arena = t->cli->arena;
    struct making *m = arena_new(arena, struct making);
    struct subject *about = arena_new(arena, struct subject);
    struct report *analysis = arena_new(arena, struct report);
    *m = (struct making){.run = run, .top = top};
    *about = subject_of_run(run, top);
    about->timeline_limit = 1; /* events of the timeline are no text */
    *analysis = (struct report){.ctx = m,
                                .about = about,
                                .make = analysis_report,
                                .json = analysis_form,
                                .kind = "analysis"};
    reference_render(t, analysis);
    return analysis;
}

void reference_add_run(const struct verified_text *t, const struct run *run, size_t top)
{
    struct arena *arena = t->cli->arena;
    struct report *analysis = add_analysis(t, run, top);
    struct making *m = analysis->ctx;
    add_details(t, analysis);
    if (t->kind == VERIFY_JSON) {
        analysis->json = rocinsight_form;
        reference_render(t, analysis);
    }
    if (run->trace.kernels.n || run->trace.copies.n) {
        summary_make(&m->summary, run->analysis, arena);
        summary_phases(&m->summary, arena);
        struct subject facts = {.a = run->analysis, .summary = &m->summary};
        struct report summary = report_about(REPORT_SUMMARY, &facts, arena);
        reference_render(t, &summary);
    }
    add_inventory(t, m, &run->trace);
}

void reference_add_empty(const struct verified_text *t, const struct trace *trace)
{
    struct making *m = arena_new(t->cli->arena, struct making);
    add_inventory(t, m, trace);
    struct report info = report_about_inventory(&m->inventory, t->cli->arena);
    reference_facts(t, &info);
    reference_add_plan(t, NULL);
}

void reference_add_longer(const struct verified_text *t, const struct run *run, size_t top)
{
    add_analysis(t, run, top);
}

void reference_add_comparison(const struct verified_text *t, const char *a, const char *b)
{
    struct arena *arena = t->cli->arena;
    struct making *m = arena_new(arena, struct making);
    struct run_profile *runs = arena_array(arena, struct run_profile, 2);
    struct gs_error err = {0};
    if (!profile_load(t->cli, &runs[0], a, READER_AUTO, &err) ||
        !profile_load(t->cli, &runs[1], b, READER_AUTO, &err))
        return; /* they are one job and nothing else */
    compare(&m->comparison, &runs[0], &runs[1], arena);
    struct subject about = {.comparison = &m->comparison, .gate = &m->gate, .top = 10};
    struct report report = report_about(REPORT_COMPARISON, &about, arena);
    reference_render(t, &report);
    reference_facts(t, &report);
}

void reference_add_workload(const struct verified_text *t, struct workload_report *w)
{
    struct subject about = {.workload = w};
    struct report report = report_about(REPORT_WORKLOAD, &about, t->cli->arena);
    reference_render(t, &report);
    reference_facts(t, &report);
}
