/* SQL over a run, and its trace as a file of another tool. */
#include <math.h>
#include <string.h>

#include "api/api.h"
#include "base/mem.h"
#include "base/str.h"
#include "convert/convert.h"
#include "query/query.h"
#include "tally/tally.h"

struct gs_result {
    struct arena arena;
    gs_run *run; /* texts of cells may be its */
    gs_table table;
};

struct querying {
    gs_run *run;
    gs_result *out;
    const char *sql;
    const struct gs_option *options;
    struct gs_error *err;
};

static const struct trace *trace_for(void *ctx, unsigned leave_out, struct gs_error *err)
{
    gs_run *run = ctx;
    (void)leave_out;
    return api_has_trace(run, err) ? &run->run->trace : NULL;
}

static const struct run *run_for(void *ctx, bool replays, struct gs_error *err)
{
    gs_run *run = ctx;
    (void)replays; /* as it was opened */
    return api_analyzed(run, err) ? run->run : NULL;
}

/* ---- cells as columns ---- */

static enum gs_type type_of(const struct query_column *c)
{
    return c->kind == VALUE_INT ? GS_INT64 : c->kind == VALUE_REAL ? GS_DOUBLE : GS_TEXT;
}

static void put_cell(void *at, enum gs_type type, const struct query_cell *c, struct arena *a)
{
    char buf[VALUE_MAX];
    if (type == GS_INT64)
        *(int64_t *)at = c->i;
    else if (type == GS_DOUBLE)
        *(double *)at = c->real;
    else
        *(const char **)at = arena_strdup(a, query_cell_text(c, buf));
}

static void add_column(struct api_columns *out, const struct query_result *r, size_t k)
{
    enum gs_type type = type_of(&r->columns.v[k]);
    size_t size = api_type_size(type);
    char *data = arena_calloc(out->arena, r->n + 1, size);
    uint8_t *valid = arena_alloc(out->arena, r->n + 1);
    bool all = true;
    for (size_t i = 0; i < r->n; i++) {
        const struct query_cell *c = query_cell(r, i, k);
        valid[i] = c->kind != VALUE_NONE;
        all = all && valid[i];
        if (valid[i])
            put_cell(data + i * size, type, c, out->arena);
        else if (type == GS_DOUBLE)
            *(double *)(void *)(data + i * size) = NAN;
    }
    struct gs_column *column =
        api_column(out, arena_strdup(out->arena, r->columns.v[k].name), type, data, size);
    column->valid = all || type != GS_INT64 ? NULL : valid;
}

struct query_words {
    double seconds;
    int64_t rows;
};

static const struct opt query_table[] = {
    OPT_NUM(struct query_words, seconds, 0, "timeout", 0, 1e9, "", ""),
    OPT_INT(struct query_words, rows, 0, "limit", 0, 1e15, "", ""),
    OPT_END,
};

static void run_query(void *ctx)
{
    struct querying *c = ctx;
    struct arena *temporary = arena_scratch();
    struct query_words words = {.seconds = 60};
    struct query_limits limits = QUERY_LIMITS;
    struct query_result r = {0};
    struct tally *sums = c->run->sums;
    struct query_source source = {.ctx = c->run,
                                  .trace = trace_for,
                                  .run = run_for,
                                  .run_has_rows = true,
                                  .kept = c->run->kept,
                                  .sums = sums ? tally_tables(sums, true) : NULL};
    struct api_columns columns = {.arena = &c->out->arena};
    if (!api_options(query_table, &words, c->options, temporary, c->err))
        return;
    if (!source.kept)
        source.kept = c->run->kept = query_kept_new(&c->run->arena);
    limits.seconds = words.seconds;
    limits.rows = (uint64_t)words.rows;
    struct query *q = query_open(&source, temporary);
    if (!query_run(q, c->sql, &limits, &r, c->err))
        return;
    for (size_t k = 0; k < r.columns.n; k++)
        add_column(&columns, &r, k);
    c->out->table = (gs_table){.name = "query",
                               .doc = arena_strdup(&c->out->arena, c->sql),
                               .rows = r.n,
                               .columns = columns.v.n,
                               .column = columns.v.v};
}

gs_result *gs_query(gs_run *run, const char *sql, const struct gs_option *options, gs_task *task,
                    struct gs_error *err)
{
    struct gs_error own;
    struct querying c = {.run = run, .sql = sql, .options = options, .err = err ? err : &own};
    if (!(c.out = api_new(sizeof(*c.out), c.err)))
        return NULL;
    arena_init(&c.out->arena);
    c.out->run = gs_retain(run);
    pthread_mutex_lock(&run->lock);
    bool ok = api_call(task, run_query, &c, c.err);
    pthread_mutex_unlock(&run->lock);
    if (ok)
        return c.out;
    gs_result_close(c.out);
    return NULL;
}

const gs_table *gs_result_table(const gs_result *r)
{
    return &r->table;
}

void gs_result_close(gs_result *r)
{
    if (!r)
        return;
    gs_run *run = r->run;
    arena_release(&r->arena);
    mem_free(r);
    gs_close(run);
}

/* ---- conversion ---- */

static const struct opt convert_table[] = {
    OPT_FLAG(struct convert_opts, group_by_queue, 0, "group-by-queue", ""),
    OPT_FLAG(struct convert_opts, kernel_rename, 0, "kernel-rename", ""),
    OPT_FLAG(struct convert_opts, annotate_args, 0, "annotate-args", ""),
    OPT_FLAG(struct convert_opts, annotate_pmc, 0, "annotate-pmc", ""),
    OPT_FLAG(struct convert_opts, compress, 0, "compress", ""),
    OPT_FLAG(struct convert_opts, durations, 0, "durations", ""),
    OPT_END,
};

struct converting {
    gs_run *run;
    const char *format, *path;
    const struct gs_option *options;
    struct gs_error *err;
};

static void run_convert(void *ctx)
{
    struct converting *c = ctx;
    struct arena *a = arena_scratch();
    struct convert_opts o = {.threads = parallel_cores(), .args = true};
    struct fs_set *set = fs_set_new(a);
    const struct converter *w = converter_find(c->format);
    if (!api_has_trace(c->run, c->err) || !api_options(convert_table, &o, c->options, a, c->err))
        return;
    if (!w) {
        fail(c->err, GS_E_USAGE, "no format is called '%s'", c->format);
        return;
    }
    struct conversion k = {.trace = &c->run->run->trace,
                           .o = &o,
                           .set = set,
                           .arena = a,
                           .base = c->path,
                           .path = w->extension ? c->path : NULL,
                           .process = NO_INDEX};
    if (convert_write(w, &k, c->err))
        fs_set_close(set, c->err);
}

bool gs_convert(gs_run *run, const char *format, const char *path, const struct gs_option *options,
                gs_task *task, struct gs_error *err)
{
    struct gs_error own;
    struct converting c = {run, format, path, options, err ? err : &own};
    pthread_mutex_lock(&run->lock);
    bool ok = api_call(task, run_convert, &c, c.err);
    pthread_mutex_unlock(&run->lock);
    return ok;
}
