#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "source/source_in.h"

enum { FILE_LARGEST = 16 * 1024 * 1024, BINARY_PROBE = 8192 };

/* What one file gave; written by the worker that read it. */
struct file_result {
    struct source_fact *facts;
    size_t n;
    uint64_t bytes;
    uint32_t lines;
    const char *problem; /* NULL: it was read */
};

struct scan_work {
    struct source_scan *s;
    const struct found_files *files;
    struct file_result *results;
    struct token_list *tokens; /* one a worker, kept from file to file */
    const struct symbols *c, *fortran, *python;
};

void source_scan_release(struct source_scan *s)
{
    for (int i = 0; i < PARALLEL_MAX; i++) {
        if (s->worker_map[i].data)
            unmap_file(&s->worker_map[i]);
        arena_release(&s->worker_arena[i]);
        arena_release(&s->worker_scratch[i]);
    }
    arena_release(&s->arena);
    memset(s, 0, sizeof(*s));
}

const char *fact_kind_name(enum fact_kind kind)
{
    static const char *const names[] = {
        "kernel", "launch", "sync",    "copy",       "memset", "alloc", "free",        "stream",
        "event",  "graph",  "library", "collective", "marker", "mpi",   "kernel_name", "framework"};
    return kind < FACT_KINDS ? names[kind] : "?";
}

const char *source_language_name(enum source_language language)
{
    static const char *const names[] = {"C/C++", "OpenCL", "Fortran", "Fortran (fixed form)",
                                        "Python"};
    return names[language];
}

static void read_text(struct source_text *t, struct fact_list *facts)
{
    switch (t->language) {
    case SOURCE_FORTRAN:
    case SOURCE_FORTRAN_FIXED:
        lex_fortran(t);
        parse_fortran(t, facts);
        break;
    case SOURCE_PYTHON:
        lex_python(t);
        parse_python(t, facts);
        break;
    default:
        lex_c(t);
        parse_c(t, facts);
    }
}

static const char *open_file(struct mapping *m, const char *path)
{
    struct gs_error err = {0};
    int64_t size = fs_size(path);
    if (size > FILE_LARGEST)
        return "larger than 16 MiB";
    if (size == 0)
        return "";
    if (!fs_read(m, path, FILE_LARGEST, &err))
        return "cannot be read";
    size_t probe = m->size < BINARY_PROBE ? m->size : BINARY_PROBE;
    if (m->size > FILE_LARGEST || memchr(m->data, 0, probe)) {
        unmap_file(m);
        return "binary";
    }
    return NULL;
}

static void scan_file(void *ctx, size_t i, int worker)
{
    struct scan_work *job = ctx;
    const struct found_file *file = &job->files->v.v[i];
    struct file_result *r = &job->results[i];
    struct mapping *m = &job->s->worker_map[worker];
    struct arena *scratch = &job->s->worker_scratch[worker];
    r->problem = open_file(m, file->path);
    if (r->problem) {
        r->problem = *r->problem ? r->problem : NULL; /* an empty file is no problem */
        return;
    }
    struct source_text t = {.text = (const char *)m->data,
                            .size = m->size,
                            .language = file->language,
                            .tokens = job->tokens[worker],
                            .scratch = scratch,
                            .token_arena = &job->s->worker_arena[worker],
                            .arena = &job->s->worker_arena[worker]};
    t.symbols = file->language == SOURCE_PYTHON ? job->python
                : file->language == SOURCE_FORTRAN || file->language == SOURCE_FORTRAN_FIXED
                    ? job->fortran
                    : job->c;
    struct fact_list facts = {0};
    t.tokens.n = 0;
    read_text(&t, &facts);
    r->n = facts.n;
    r->facts = arena_array(t.arena, struct source_fact, facts.n);
    if (facts.n)
        memcpy(r->facts, facts.v, facts.n * sizeof(*facts.v));
    r->bytes = m->size;
    r->lines = t.lines - (m->data[m->size - 1] == '\n');
    job->tokens[worker] = t.tokens;
    arena_release(scratch);
    unmap_file(m);
}

static void merge(struct source_scan *s, const struct found_files *files,
                  struct file_result *results)
{
    for (size_t i = 0; i < files->v.n; i++) {
        const struct found_file *file = &files->v.v[i];
        struct file_result *r = &results[i];
        if (r->problem) {
            source_skip(s, file->shown, r->problem);
            continue;
        }
        uint32_t number = (uint32_t)s->files.n;
        vec_push(&s->files, &s->arena,
                 ((struct source_file){file->shown, file->language, r->bytes, r->lines}));
        s->bytes += r->bytes;
        s->lines += r->lines;
        for (size_t f = 0; f < r->n; f++) {
            r->facts[f].file = number;
            vec_push(&s->facts, &s->arena, r->facts[f]);
        }
    }
    s->files_scanned = (uint32_t)s->files.n;
}

static void warn_skipped(const struct source_scan *s)
{
    enum { MOST = 5 };
    for (size_t i = 0; i < s->skipped.n && i < MOST; i++)
        log_warn("'%s' is left out: %s", s->skipped.v[i].path, s->skipped.v[i].reason);
    if (s->skipped.n > MOST)
        log_warn("%zu more source files are left out", s->skipped.n - MOST);
}

bool source_scan_run(struct source_scan *s, const char *dir, int threads, struct gs_error *err)
{
    struct found_files files = {0};
    s->dir = arena_strdup(&s->arena, dir);
    if (!collect_files(s, dir, &files, err))
        return false;
    struct symbols *tables = arena_array(&s->arena, struct symbols, 3);
    symbols_init_c(&tables[0], false);
    symbols_init_c(&tables[1], true);
    symbols_init_python(&tables[2]);
    struct scan_work job = {
        .s = s, .files = &files, .c = &tables[0], .fortran = &tables[1], .python = &tables[2]};
    job.tokens = arena_array(&s->arena, struct token_list, PARALLEL_MAX);
    job.results = arena_array(&s->arena, struct file_result, files.v.n);
    parallel_for(threads, files.v.n, scan_file, &job);
    merge(s, &files, job.results);
    warn_skipped(s);
    if (!s->files.n)
        return fail(err, GS_E_EMPTY,
                    "no source file in '%s'; C, C++, HIP, CUDA, OpenCL, Fortran "
                    "and Python are read",
                    dir);
    judge_kernels(s);
    judge_patterns(s);
    judge_model(s);
    judge_risks(s);
    judge_counters(s);
    judge_advice(s);
    return true;
}

static void release(void *scan)
{
    source_scan_release(scan);
}

struct source_scan *source_scan_in(struct arena *owner, const char *dir, int threads,
                                   struct gs_error *err)
{
    struct source_scan *s = arena_new(owner, struct source_scan);
    arena_defer(owner, release, s);
    return source_scan_run(s, dir, threads, err) ? s : NULL;
}
