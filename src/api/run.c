/* Tasks, options, opening and closing. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "base/mem.h"
#include "base/sat.h"
#include "base/str.h"
#include "config.h"
#include "ingest/detect.h"

const char *gs_version(void)
{
    return GPUSIGHT_VERSION;
}

void *api_new(size_t size, struct gs_error *err)
{
    void *p = mem_try_alloc(size);
    if (!p)
        fail(err, GS_E_IO, "out of memory");
    return p ? memset(p, 0, size) : NULL;
}

gs_task *gs_task_new(gs_progress_fn *progress, gs_warning_fn *warning, void *ctx)
{
    gs_task *t = api_new(sizeof(*t), NULL);
    if (t) {
        t->task.progress = progress;
        t->task.warning = warning;
        t->task.ctx = ctx;
    }
    return t;
}

void gs_task_free(gs_task *task)
{
    mem_free(task);
}

void gs_task_cancel(gs_task *task)
{
    task_cancel(&task->task);
}

bool api_call(gs_task *task, void (*fn)(void *ctx), void *ctx, struct gs_error *err)
{
    struct task silent = {0}; /* nobody hears it, but nothing is printed either */
    struct gs_error ignored;
    struct task *t = task ? &task->task : &silent;
    struct task *outer = task_enter(t);
    err = err ? err : &ignored;
    err->code = GS_OK;
    *err->text = 0;
    bool ok = mem_guard(fn, ctx, err) && err->code == GS_OK;
    if (!ok && task_cancelled() && err->code != GS_E_CANCELLED)
        fail(err, GS_E_CANCELLED, "cancelled");
    task_leave(outer);
    return ok;
}

/* ---- options ---- */

static const struct opt *find(const struct opt *table, const char *name)
{
    for (const struct opt *o = table; o->name; o++)
        if (str_eq(o->name, name))
            return o;
    return NULL;
}

static bool set_flag(const struct opt *o, void *settings, const char *value, struct gs_error *err)
{
    bool yes = str_eq(value, "yes");
    if (!yes && !str_eq(value, "no"))
        return fail(err, GS_E_USAGE, "option '%s' must be yes or no, not '%s'", o->name, value);
    *(bool *)((char *)settings + o->offset) = yes;
    return true;
}

bool api_options(const struct opt *table, void *settings, const struct gs_option *options,
                 struct arena *a, struct gs_error *err)
{
    for (; options && options->name; options++) {
        const struct opt *o = find(table, options->name);
        struct opt_list operands = {0};
        bool help = false;
        if (!o || !options->value)
            return fail(err, GS_E_USAGE,
                        o ? "option '%s' has no value" : "no option is called '%s'", options->name);
        char *argument = arena_printf(a, "--%s=%s", options->name, options->value);
        if (o->kind == OPT_KIND_FLAG
                ? !set_flag(o, settings, options->value, err)
                : !opt_parse(table, settings, 1, &argument, &operands, &help, a, err))
            return false;
    }
    return true;
}

/* Whether, and when: at once, never, when something is asked. */
enum analyze_when { ANALYZE_YES, ANALYZE_NO, ANALYZE_LATER };

struct open_opts {
    struct analyzed_opts in;
    const char *source_dir, *cache;
    enum analyze_when analyze;
    int64_t threads;
    double min_us;
    struct opt_list att_dirs, by, panels;
    const char *dispatch, *per;
    bool replay, findings;
};

static const struct opt open_table[] = {
    PART_OPTS(struct open_opts),
    READER_OPT(struct open_opts, in.reader),
    OPT_TEXT(struct open_opts, source_dir, 0, "source-dir", "", ""),
    OPT_TEXT(struct open_opts, cache, 0, "cache", "", ""),
    OPT_LIST(struct open_opts, att_dirs, 0, "att-dir", "", ""),
    OPT_LIST(struct open_opts, by, 0, "by", "", ""),
    OPT_INT(struct open_opts, threads, 0, "threads", 0, 4096, "", ""),
    OPT_NUM(struct open_opts, min_us, 0, "min-duration", 0, 1e12, "", ""),
    OPT_FLAG(struct open_opts, replay, 0, "replay", ""),
    OPT_FLAG(struct open_opts, findings, 0, "findings", ""),
    OPT_WORD(struct open_opts, analyze, 0, "analyze", "yes|no|later", ""),
    OPT_TEXT(struct open_opts, dispatch, 0, "dispatch", "", ""),
    OPT_LIST(struct open_opts, panels, 0, "panel", "", ""),
    OPT_CHOICE(struct open_opts, per, 0, "per", WORKLOAD_PER_CHOICE, ""),
    OPT_END,
};

static bool read_options(struct run_opts *r, struct workload_opts *part, enum analyze_when *analyze,
                         const struct gs_option *options, struct arena *a, struct gs_error *err)
{
    struct open_opts o = {.in = ANALYZED_DEFAULTS, .replay = true, .findings = true};
    if (!api_options(open_table, &o, options, a, err))
        return false;
    *r = run_opts_of(&o.in);
    r->source_dir = o.source_dir;
    r->cache = o.cache;
    r->att_dirs = o.att_dirs;
    r->att_beside = true;
    r->threads = o.threads ? (int)o.threads : parallel_cores();
    r->min_duration_ns = ns_from(o.min_us * 1000);
    r->replay = o.replay;
    r->facts_only = !o.findings;
    r->says_only = r->as_columns = true;
    *analyze = o.analyze;
    *part = (struct workload_opts){.kernel =
                                       o.in.filter.kernels.n == 1 ? o.in.filter.kernels.v[0] : NULL,
                                   .dispatches = o.dispatch,
                                   .panels = (const char *const *)o.panels.v,
                                   .n_panels = o.panels.n,
                                   .per = workload_per_named(o.per),
                                   .per_given = o.per != NULL};
    return run_split_by(r, &o.by, "by", err);
}

/* ---- runs ---- */

struct opening {
    struct gs_run *run;
    const char *const *paths;
    size_t n;
    const struct gs_option *options;
    struct gs_error *err;
};

/* The rows, and nothing made of them. */
static struct run *only_load(const struct run_opts *o, struct arena *a, struct gs_error *err)
{
    struct run *r = arena_new(a, struct run);
    r->arena = a;
    trace_init_in(&r->trace, a);
    return run_load_only(&r->trace, o, &r->only, err) ? r : NULL;
}

static void open_run(void *ctx)
{
    struct opening *o = ctx;
    struct arena *a = &o->run->arena;
    struct run_opts ro;
    enum analyze_when analyze;
    if (!read_options(&ro, &o->run->part, &analyze, o->options, a, o->err))
        return;
    for (size_t i = 0; i < o->n; i++)
        vec_push(&ro.paths, a, (const char *)arena_strdup(a, o->paths[i]));
    ro.seen = sightings_new(a);
    if (api_is_untimed(o->run, &ro, o->options, o->err))
        return;
    if (!api_part_unused(o->run, o->err))
        return;
    o->run->rows_only = analyze == ANALYZE_NO;
    o->run->run = o->run->rows_only ? only_load(&ro, a, o->err) : run_begin(&ro, a, o->err);
    if (!o->run->run)
        return;
    if (!o->run->rows_only && !o->run->run->left) { /* no trace, only what lies beside one */
        api_take_beside(o->run, o->options, o->err);
        return;
    }
    api_list_events(o->run);
    if (analyze == ANALYZE_YES)
        api_analyzed(o->run, o->err);
}

bool api_analyzed(gs_run *run, struct gs_error *err)
{
    if (!api_has_trace(run, err))
        return false;
    if (atomic_load(&run->analyzed))
        return true;
    if (run->rows_only)
        return fail(err, GS_E_USAGE, "opened without an analysis; leave out the option 'analyze'");
    if (!run_finish(run->run, err))
        return false;
    api_list_results(run);
    atomic_store(&run->analyzed, true);
    return true;
}

struct analyzing {
    gs_run *run;
    struct gs_error *err;
};

static void analyze_run(void *ctx)
{
    const struct analyzing *c = ctx;
    api_analyzed(c->run, c->err);
}

bool gs_analyze(gs_run *run, gs_task *task, struct gs_error *err)
{
    struct gs_error own;
    struct analyzing c = {run, err ? err : &own};
    if (atomic_load(&run->analyzed))
        return true;
    pthread_mutex_lock(&run->lock);
    bool ok = api_call(task, analyze_run, &c, c.err);
    pthread_mutex_unlock(&run->lock);
    return ok;
}

gs_run *gs_open(const char *const *paths, size_t n, const struct gs_option *options, gs_task *task,
                struct gs_error *err)
{
    struct gs_error own;
    err = err ? err : &own;
    gs_run *run = api_new(sizeof(*run), err);
    if (!run)
        return NULL;
    atomic_init(&run->references, 1);
    pthread_mutex_init(&run->lock, NULL);
    arena_init(&run->arena);
    struct opening o = {run, paths, n, options, err};
    if (api_call(task, open_run, &o, err))
        return run;
    gs_close(run);
    return NULL;
}

gs_run *gs_retain(gs_run *run)
{
    size_t before = atomic_fetch_add(&run->references, 1);
    assert(before > 0); /* whoever retains holds one */
    (void)before;
    return run;
}

void gs_close(gs_run *run)
{
    if (!run || atomic_fetch_sub(&run->references, 1) > 1)
        return;
    arena_release(&run->arena);
    pthread_mutex_destroy(&run->lock);
    mem_free(run);
}
