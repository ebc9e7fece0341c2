/*
 * gpusight query TRACE... 'SQL': questions in SQL, the same for every format.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/hash.h"
#include "base/human.h"
#include "base/log.h"
#include "base/str.h"
#include "cli/analyzed.h"
#include "cli/output.h"
#include "cli/prompt.h"
#include "cli/tallied.h"
#include "query/query.h"

/* rocpd's words, and one that we know and cannot do. */
#define FORMS "text|json|markdown|html|webview|pdf|csv|xlsx|console|md|dashboard|clipboard"
enum { MOST_FOR_PEOPLE = 10000 };

struct query_opts {
    struct opt_list input;
    struct output_opts out;
    struct analyzed_opts in;
    const char *sql, *script, *schema;
    int64_t limit;
    uint64_t memory;
    double timeout;
    bool tables, raw;
};

static const struct opt opts[] = {
    OPT_GROUP("The question"),
    OPT_TEXT(struct query_opts, sql, 'e', "query", "SQL",
             "the statement; the last operand is it as well"),
    OPT_TEXT(struct query_opts, script, 0, "script", "FILE",
             "statements divided by semicolons, before that of --query; - : standard input"),
    OPT_FLAG(struct query_opts, tables, 0, "tables", "list the tables and end"),
    OPT_TEXT(struct query_opts, schema, 0, "schema", "TABLE",
             "list the columns of a table, with what they mean, and end"),
    OPT_LIST(struct query_opts, input, 'i', "input", "TRACE",
             "a trace; plain arguments work as well"),
    OPT_GROUP("Limits"),
    OPT_NUM(struct query_opts, timeout, 0, "timeout", 0, 1e9, "SECONDS",
            "end a statement that takes longer; 0: never (60)"),
    OPT_INT(struct query_opts, limit, 0, "limit", 0, 1e15, "N",
            "rows of a result; 0: all (10,000 for people, all as csv, json and xlsx)"),
    OPT_BYTES(struct query_opts, memory, 0, "sort-memory", "SIZE",
              "for sorting and grouping; 0: no limit (2G)"),
    OPT_GROUP("Output"),
    OPT_CHOICE(struct query_opts, out.format, 0, "format", FORMS,
               "form of the result (text, or what the name of the output ends in)"),
    OPT_FLAG(struct query_opts, out.json, 0, "json", "the same as --format json"),
    OPT_NAMES(NAMES_OUTPUT, struct query_opts, out.name, 'o', "output", "FILE",
              "write to FILE instead of standard output; never to one that is read"),
    OPT_NAMES(NAMES_TARGET, struct query_opts, out.dir, 'd', "dir", "DIR",
              "write into this folder, which is made; named query unless -o is given"),
    OPT_FLAG(struct query_opts, raw, 0, "raw",
             "csv: texts as they are, also what a spreadsheet or a terminal would obey"),
    OPT_GROUP("What to ask"),
    ANALYZED_OPTS(struct query_opts),
    OPT_END,
};

static void defaults(void *settings)
{
    struct query_opts *o = settings;
    *o = (struct query_opts){.in = ANALYZED_DEFAULTS,
                             .out.adds_extension = true,
                             .timeout = 60,
                             .limit = -1,
                             .memory = (uint64_t)2 << 30};
}

struct call {
    struct cli *cli;
    struct query_opts *o;
    struct query *q;
    struct tally *sums;    /* tables without times that were given; NULL: none */
    const struct run *run; /* NULL: nobody asked for results yet */
    bool replays;          /* and it has what replays tell */
    struct query_limits limits;
    struct output *out;
    VEC(struct query_result) results;
    struct gs_error *err;
};

/* ---- where rows come from ---- */

/* A table of traces was named, and only sums were given. */
static bool has_traces(const struct call *c, struct gs_error *err)
{
    return c->cli->operands.n || !c->sums ||
           fail(err, GS_E_USAGE,
                "this table is made of a trace, and '%s' is %s; 'gpusight query --tables' says "
                "which tables hold sums",
                c->sums->files.v[0].path, c->sums->files.v[0].kind);
}

static const struct run *load_run(void *ctx, bool replays, struct gs_error *err)
{
    struct call *c = ctx;
    if (!has_traces(c, err))
        return NULL;
    struct run_opts ro = cli_run_opts(c->cli, &c->o->in);
    if (c->run && (c->replays || !replays))
        return c->run;
    c->replays = replays;
    ro.facts_only = !replays;
    ro.replay = ro.replay && replays;
    return c->run = cli_run(c->cli, &ro, err);
}

static bool is_filtered(const struct run_opts *o)
{
    return filter_any(&o->filter) || o->window || o->gpu || o->process >= 0 || o->rank >= 0;
}

static const struct trace *load_trace(void *ctx, unsigned leave_out, struct gs_error *err)
{
    struct call *c = ctx;
    if (!has_traces(c, err))
        return NULL;
    struct run_opts ro = cli_run_opts(c->cli, &c->o->in);
    bool part = ro.phase || ro.iteration;
    const struct run *r = part ? load_run(c, false, err) : NULL;
    if (part && !r)
        return NULL;
    if (r) /* rows of the part that the analysis found */
        ro.window = arena_printf(c->cli->arena, "%" PRId64 "..%" PRId64, r->analysis->view.start_ns,
                                 r->analysis->view.end_ns);
    ro.mixed = true; /* rows of all of them, each on its own clock */
    ro.leave_out = part || is_filtered(&ro) ? 0 : leave_out;
    return cli_load_rows(c->cli, &ro, NULL, err);
}

/*
 * Files are loaded when a statement needs them; they are inputs all the same, and no result is
 * written over one of them (base/inputs.h). What is wrong with them shows when they are read.
 */
static void note_inputs(const struct call *c)
{
    struct ingest_files files = {0};
    struct gs_error ignored;
    ingest_find_mixed(&files, &c->cli->operands, c->cli->seen, c->cli->arena, &ignored);
}

/* ---- as a document ---- */

static const char *first_line(const char *sql, struct arena *a)
{
    sql += strspn(sql, " \t\r\n");
    size_t n = strcspn(sql, "\n");
    return arena_strndup(a, sql, n < 200 ? n : 200);
}

/* Nobody reads more of a cell; CSV and JSON have all of it. */
enum { CELL_MOST = 16384 };

static const char *name_of(size_t i, struct arena *a)
{
    return i ? arena_printf(a, "query_%zu", i + 1) : "query";
}

static struct doc *doc_form(const struct report *report)
{
    const struct call *c = report->ctx;
    struct doc *d = doc_new(report->arena);
    bool many = c->results.n > 1, terminal = str_eq(c->out->path, "-") && isatty(STDOUT_FILENO);
    char n[HUMAN_MAX];
    d->detailed = true;
    if (c->out->form != &renderer_text)
        doc_title(d, "query");
    for (size_t i = 0; i < c->results.n; i++) {
        const struct query_result *r = &c->results.v[i];
        if (many || c->out->form != &renderer_text)
            doc_heading(d, 2, "%s", first_line(r->sql, report->arena));
        struct result rows =
            query_as_result(r, name_of(i, report->arena), CELL_MOST, report->arena);
        doc_rows(d, &rows,
                 &(struct rows){.wide = !terminal && c->out->form != &renderer_pdf,
                                .caption = "",
                                .empty_too = true,
                                .most = SIZE_MAX});
        if (!r->n)
            doc_text(d, "no rows");
        if (r->cut)
            doc_text(d, "only the first %s rows", human_count(n, r->n));
    }
    return d;
}

static void json_form(const struct report *report, struct jwrite *w, bool in_page)
{
    const struct call *c = report->ctx;
    w->indent = in_page ? 0 : 1;
    if (c->results.n == 1) {
        query_json(&c->results.v[0], w, NULL);
    } else {
        jw_open(w, NULL, '[');
        for (size_t i = 0; i < c->results.n; i++) {
            jw_open(w, NULL, '{');
            jw_str(w, "sql", c->results.v[i].sql);
            query_json(&c->results.v[i], w, "rows");
            jw_close(w);
        }
        jw_close(w);
    }
}

static void csv_form(const struct report *report, struct str *out)
{
    const struct call *c = report->ctx;
    for (size_t i = 0; i < c->results.n; i++) {
        str_puts(out, i ? "\n" : "");
        query_csv(&c->results.v[i], out, c->o->raw);
    }
}

static void workbook_form(const struct report *report, struct workbook *w)
{
    const struct call *c = report->ctx;
    *w = (struct workbook){.arena = report->arena};
    for (size_t i = 0; i < c->results.n; i++) {
        const char *name = name_of(i, w->arena);
        struct result r = query_as_result(&c->results.v[i], name, 0, w->arena);
        struct sheet *s = workbook_add(w, name, c->results.v[i].sql, r.fields, r.rows, r.n);
        s->exact_titles = true;
    }
}

/* ---- running ---- */

static bool run_all(struct call *c, const char *sql)
{
    while (*sql) {
        struct query_result r;
        if (!query_next(c->q, &sql, &c->limits, &r, c->err))
            return false;
        if (r.columns.n)
            vec_push(&c->results, c->cli->arena, r);
    }
    return true;
}

static bool show(struct call *c)
{
    struct report r = {.ctx = c,
                       .arena = c->cli->arena,
                       .doc = doc_form,
                       .json = json_form,
                       .csv = csv_form,
                       .workbook = workbook_form,
                       .kind = "query"};
    size_t rows = 0;
    char n[HUMAN_MAX];
    if (!output_named(c->out, "query", c->err) || !output_report(c->out, &r, c->err) ||
        !output_finish(c->out, c->err))
        return false;
    for (size_t i = 0; i < c->results.n; i++) {
        rows += c->results.v[i].n;
        if (c->results.v[i].cut)
            log_warn("only the first %s rows; '--limit 0' gives all",
                     human_count(n, c->results.v[i].n));
    }
    return rows || fail(c->err, GS_E_EMPTY, "the query gives no rows");
}

/* ---- what there is ---- */

static const struct query_table_doc *find_table(struct call *c, const char *name)
{
    const struct query_tables *all = query_tables(c->q);
    for (size_t i = 0; i < all->v.n; i++)
        if (str_eq(all->v.v[i].name, name))
            return &all->v.v[i];
    const char *near = query_nearest_table(c->q, name);
    fail(c->err, GS_E_USAGE, "no table is called '%s'%s%s%s", name, near ? "; did you mean '" : "",
         near ? near : "; '--tables' lists them", near ? "'?" : "");
    return NULL;
}

static bool print_doc(struct call *c, struct doc *d)
{
    struct str out;
    str_init(&out, c->cli->arena);
    struct render_opts layout = output_layout(c->cli, "-");
    render_text(&out, d, &layout);
    return output_print(&out, c->err);
}

/* In another form than text: as if SQL had asked for it. */
static bool show_list(struct call *c, struct query_result list)
{
    vec_push(&c->results, c->cli->arena, list);
    return show(c);
}

static bool list_tables(struct call *c)
{
    const struct query_tables *all = query_tables(c->q);
    struct doc *d = doc_new(c->cli->arena);
    doc_rows(d, RESULT(query_table_fields, all->v), &(struct rows){.key = "tables"});
    return print_doc(c, d);
}

static bool list_columns(struct call *c, const char *name)
{
    const struct query_table_doc *t = find_table(c, name);
    struct doc *d = doc_new(c->cli->arena);
    if (!t)
        return false;
    doc_text(d, "%s", t->doc);
    doc_rows(d, RESULT(query_column_fields, t->columns), &(struct rows){.key = "columns"});
    return print_doc(c, d);
}

/* ---- the prompt ---- */

struct words {
    VEC(const char *) v;
    struct idmap seen; /* hash of the word */
};

static void add_word(struct words *w, const char *word, struct arena *a)
{
    uint64_t key = hash_bytes(word, strlen(word));
    if (idmap_get(&w->seen, key) != NO_INDEX)
        return;
    idmap_put(&w->seen, key, 0);
    vec_push(&w->v, a, word);
}

/* What Tab completes: each word once. */
static const char *const *words_of(struct call *c)
{
    static const char *const sql[] = {"select",  "from",    "where",       "group by", "order by",
                                      "limit",   "join",    "count(*)",    "sum(",     "avg(",
                                      "median(", "stddev(", "percentile(", ".tables",  ".schema",
                                      ".help",   ".quit"};
    const struct query_tables *all = query_tables(c->q);
    struct arena *a = c->cli->arena;
    struct words w = {0};
    idmap_init(&w.seen, a);
    for (size_t i = 0; i < ARRAY_LEN(sql); i++)
        add_word(&w, sql[i], a);
    for (size_t i = 0; i < all->v.n; i++)
        add_word(&w, all->v.v[i].name, a);
    for (size_t i = 0; i < all->v.n; i++)
        for (size_t k = 0; k < all->v.v[i].columns.n; k++)
            add_word(&w, all->v.v[i].columns.v[k].name, a);
    vec_push(&w.v, a, NULL);
    return w.v.v;
}

static bool help(struct call *c)
{
    struct str out;
    str_init(&out, c->cli->arena);
    str_puts(&out, "SQL ends with a semicolon. Tab completes names of tables and columns.\n"
                   "  .tables         the tables\n"
                   "  .schema TABLE   its columns, with what they mean\n"
                   "  .help           this\n"
                   "  .quit           the end; so is Ctrl-D\n");
    return output_print(&out, c->err);
}

/* ".tables" and its like; false: the end was asked for. */
static bool obey(struct call *c, const char *line)
{
    const char *rest = line + strcspn(line, " \t");
    size_t n = (size_t)(rest - line);
    rest += strspn(rest, " \t");
    bool ok = true;
    if (!strncmp(line, ".quit", n) || !strncmp(line, ".exit", n))
        return false;
    if (!strncmp(line, ".tables", n))
        ok = list_tables(c);
    else if (!strncmp(line, ".schema", n))
        ok = *rest ? list_columns(c, rest) : list_tables(c);
    else
        ok = help(c);
    if (!ok)
        log_say("%s", c->err->text);
    return true;
}

static void answer(struct call *c, const char *sql)
{
    c->results.n = 0;
    if (run_all(c, sql) && c->results.n)
        show(c);
    if (c->err->code)
        log_say("%s", c->err->text);
    *c->err = (struct gs_error){0};
}

static bool interact(struct call *c)
{
    struct prompt *p = prompt_new("query_history", words_of(c), c->cli->arena);
    struct str sql;
    str_init(&sql, c->cli->arena);
    for (;;) {
        const char *line = prompt_line(p, sql.len ? "  ...> " : "query> ");
        if (!line)
            break;
        if (!sql.len && *line == '.') {
            prompt_keep(p, line);
            if (!obey(c, line))
                break;
            *c->err = (struct gs_error){0};
            continue;
        }
        str_printf(&sql, "%s%s", sql.len ? "\n" : "", line);
        if (!line[strspn(line, " \t")] && !sql.buf[strspn(sql.buf, " \t\n")]) {
            str_clear(&sql);
            continue;
        }
        if (!query_is_complete(sql.buf))
            continue;
        prompt_keep(p, sql.buf);
        answer(c, sql.buf);
        str_clear(&sql);
    }
    return true;
}

/* ---- the command ---- */

static bool is_sql(const char *word)
{
    return !fs_exists(word) && strpbrk(word, " \t\n");
}

static bool read_script(struct call *c, const char *path, struct str *out)
{
    enum { MOST = 16 << 20 };
    FILE *f = str_eq(path, "-") ? stdin : fopen(path, "rbe");
    char block[8192];
    size_t n;
    if (!f)
        return fail(c->err, GS_E_IO, "cannot open '%s'", path);
    while ((n = fread(block, 1, sizeof(block), f)) > 0 && out->len < MOST)
        str_put(out, block, n);
    bool failed = ferror(f);
    if (f != stdin)
        fclose(f);
    if (failed)
        return fail(c->err, GS_E_IO, "cannot read '%s'", path);
    if (out->len >= MOST)
        return fail(c->err, GS_E_USAGE, "'%s' is no script of SQL: it is too long", path);
    if (memchr(out->buf ? out->buf : "", 0, out->len))
        return fail(c->err, GS_E_USAGE, "'%s' is no script of SQL: it holds a NUL", path);
    return true;
}

/* All statements of one call, in order; "" where none is given and a person is asked. */
static bool gather(struct call *c, struct str *sql, bool *prompt)
{
    struct query_opts *o = c->o;
    struct opt_list *operands = &c->cli->operands;
    if (o->script && !read_script(c, o->script, sql))
        return false;
    if (o->sql)
        str_printf(sql, "%s%s", sql->len ? "\n;" : "", o->sql);
    if (!operands->n && !c->sums)
        return fail(c->err, GS_E_USAGE, "no trace given; see 'gpusight query --help'");
    struct ingest_files files = {0}; /* known as inputs, whether rows of them are needed or not */
    if (operands->n && !ingest_find_mixed(&files, operands, c->cli->seen, c->cli->arena, c->err))
        return false;
    *prompt = !o->sql && !o->script && prompt_is_possible();
    if (!o->sql && !o->script && !*prompt)
        return read_script(c, "-", sql);
    return true;
}

static bool begin(struct call *c)
{
    struct query_opts *o = c->o;
    if (o->out.format && str_eq(o->out.format, "clipboard"))
        return fail(c->err, GS_E_USAGE,
                    "there is no clipboard here; pipe '--format csv' into a program that has one");
    c->out = output_begin(c->cli, &o->out, FORMS, c->err);
    if (!c->out)
        return false;
    bool program = c->out->form == &renderer_csv || c->out->form == &renderer_json ||
                   c->out->form == &renderer_xlsx;
    c->limits = (struct query_limits)QUERY_LIMITS;
    c->limits.seconds = o->timeout;
    c->limits.memory = o->memory;
    c->limits.rows = o->limit >= 0 ? (uint64_t)o->limit : program ? 0 : MOST_FOR_PEOPLE;
    struct run_opts ro = cli_run_opts(c->cli, &o->in);
    bool same = !is_filtered(&ro) && !ro.phase && !ro.iteration;
    struct opt_list *operands = &c->cli->operands;
    if (!o->sql && operands->n && is_sql(operands->v[operands->n - 1]))
        o->sql = operands->v[--operands->n];
    for (size_t i = 0; i < o->input.n; i++)
        vec_push(operands, c->cli->arena, o->input.v[i]);
    if (!tally_take(&c->cli->operands, &c->sums, c->cli->seen, c->cli->arena, c->err))
        return false;
    struct query_source source = {.ctx = c,
                                  .trace = load_trace,
                                  .run = load_run,
                                  .run_has_rows = same,
                                  .sums = c->sums ? tally_tables(c->sums, false) : NULL};
    c->q = query_open(&source, c->cli->arena);
    return true;
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    struct call *c = arena_new(cli->arena, struct call);
    struct str sql;
    bool prompt = false;
    *c = (struct call){.cli = cli, .o = settings, .err = err};
    str_init(&sql, cli->arena);
    if (!begin(c))
        return false;
    bool text =
        c->out->form == &renderer_text && !c->o->out.name && !c->o->out.dir; /* for people */
    if (c->o->tables)
        return text ? list_tables(c) : show_list(c, query_list_tables(c->q, cli->arena));
    if (c->o->schema && text)
        return list_columns(c, c->o->schema);
    if (c->o->schema) {
        const struct query_table_doc *t = find_table(c, c->o->schema);
        return t && show_list(c, query_list_columns(t, cli->arena));
    }
    if (!gather(c, &sql, &prompt))
        return false;
    note_inputs(c);
    if (prompt)
        return interact(c);
    if (!run_all(c, sql.len ? sql.buf : ""))
        return false;
    if (!c->results.n)
        return fail(err, GS_E_USAGE,
                    "this SQL asks for nothing; 'gpusight query --help' has examples");
    return show(c);
}

const struct command command_query = {
    .name = "query",
    .summary = "questions in SQL, the same for every format",
    .operands = "[TRACE...] [SQL]",
    .doc =
        "Runs SQL over the traces and prints the rows. Tables have the names and columns of rocpd's "
        "tables and views (kernels, regions, memory_copies, top_kernels ...), whatever format the "
        "trace is in, with what they should mean; every result of an analysis is a table, too "
        "(ledger, gaps, findings, hotspots, phases ...). --tables lists them, --schema TABLE says "
        "what the columns of one mean; docs/query.md has it all.\n\n"
        "Several traces are read as one; the columns guid, trace, rank and pid tell them apart. "
        "Times are nanoseconds in the trace's own clock. Besides SQLite's functions there are "
        "stddev, variance, stddev_pop, median, percentile(x, p), sumsq and union_ns(start, end), "
        "the length of what intervals cover.\n\n"
        "SQL only reads. What would write, attach a file, change a setting or load code is refused "
        "before it runs; --timeout, --limit and --sort-memory bound what a statement may take.\n\n"
        "Without SQL, statements are read from standard input or, on a terminal, asked for. The "
        "exit code is 5 when no statement gives a row; the empty table is written nevertheless.",
    .examples =
        "gpusight query results.db 'select count(*), sum(duration) from kernels'  # a number\n"
        "gpusight query results.db 'select * from top_kernels limit 5'  # a summary\n"
        "gpusight query --format csv -o gaps.csv results.db 'select * from gaps'  # for a program\n"
        "gpusight query --tables  # what there is\n"
        "gpusight query job/ 'select rank, sum(duration) from kernels group by rank'  # a job\n"
        "gpusight query results.db  # a prompt",
    .keeps_history = true,
    .opts = opts,
    .settings_size = sizeof(struct query_opts),
    .defaults = defaults,
    .run = run,
    .spreads = true,
};
