#include "synth/nsys.h"

#include <string.h>

#include "synth/nsys_in.h"

/* Table after table, as the exporter writes them. */
static const unsigned passes[] = {
    WANT_INFO,    WANT_HIP | WANT_HSA, WANT_MARKER | WANT_HOST | WANT_RCCL,
    WANT_KERNELS, WANT_COPIES,         WANT_ALLOCS,
    WANT_SAMPLES};

enum { PASSES = ARRAY_LEN(passes) };

void nsysw_fail(struct nsys_writer *w, sqlite3 *db, const char *what)
{
    if (w->sink.failed)
        return;
    w->sink.failed = true;
    fail(&w->sink.error, GS_E_IO, "cannot write the trace: %s (%.60s)", sqlite3_errmsg(db), what);
}

void nsysw_exec(struct nsys_writer *w, struct nfile *f, const char *sql)
{
    if (!w->sink.failed && sqlite3_exec(f->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        nsysw_fail(w, f->db, sql);
}

void nsysw_row(struct nsys_writer *w, struct nfile *f, enum nsys_insert insert, const int64_t *v,
               size_t n)
{
    sqlite3_stmt *st = f->insert[insert];
    if (w->sink.failed || !st)
        return;
    for (size_t i = 0; i < n; i++)
        if (v[i] == NI_NULL)
            sqlite3_bind_null(st, (int)i + 1);
        else if (v[i] != NI_KEEP)
            sqlite3_bind_int64(st, (int)i + 1, v[i]);
    if (sqlite3_step(st) != SQLITE_DONE)
        nsysw_fail(w, f->db, "insert");
    sqlite3_reset(st);
}

int64_t nsysw_string(struct nsys_writer *w, struct nfile *f, uint32_t name)
{
    while (f->used.n <= name)
        vec_push(&f->used, w->arena, 0);
    f->used.v[name] = 1;
    return (int64_t)name + 1;
}

int64_t nsysw_machine(const struct nprocess *p)
{
    return (int64_t)(p->rec.node % 255 + 1) << 48;
}

int64_t nsysw_global(const struct nprocess *p, int64_t tid)
{
    return nsysw_machine(p) | (p->rec.pid & 0xffffff) << 24 | (tid & 0xffffff);
}

/* CUDA's own streams take the first numbers; the default one is 7. */
int64_t nsysw_stream(int id)
{
    return id ? id + 12 : 7;
}

/* --- the sink ---------------------------------------------------------------------------- */

static unsigned begin(struct sink *s, int pass, struct names *names)
{
    struct nsys_writer *w = (struct nsys_writer *)s;
    w->names = names;
    return passes[pass];
}

SINK_ADD_PROCESS(struct nsys_writer, struct nprocess)
SINK_END_PROCESS(struct nsys_writer)

static void add_agent(struct sink *s, const struct rec_agent *r)
{
    struct nsys_writer *w = (struct nsys_writer *)s;
    if (r->gpu)
        vec_push(&w->processes.v[r->process].agents, w->arena, rec_keep_agent(r, w->arena));
}

SINK_KEEP(struct nsys_writer, add_thread, rec_thread, threads)
SINK_KEEP(struct nsys_writer, add_stream, rec_stream, streams)

static void finish(struct sink *s, int pass)
{
    struct nsys_writer *w = (struct nsys_writer *)s;
    for (size_t i = 0; i < w->processes.n && !pass && !w->sink.failed; i++)
        w->processes.v[i].file = w->o.merge && i ? w->processes.v[0].file : nsysw_open(w, (int)i);
    for (size_t i = 0; i < w->files.n && !w->sink.failed; i++) {
        if (pass == 0)
            nsysw_tables(w, w->files.v[i]);
        if (pass == PASSES - 1)
            nsysw_info(w, w->files.v[i]);
    }
}

struct sink *nsysw_new(const struct nsys_options *o, struct arena *a)
{
    struct nsys_writer *w = arena_new(a, struct nsys_writer);
    w->o = *o;
    w->arena = a;
    w->sink = (struct sink){
        .passes = PASSES,
        .begin = begin,
        .process = add_process,
        .process_end = end_process,
        .agent = add_agent,
        .thread = add_thread,
        .stream = add_stream,
        .region = nsysw_region,
        .kernel = nsysw_kernel,
        .copy = nsysw_copy,
        .alloc = nsysw_alloc,
        .sample = nsysw_sample,
        .finish = finish,
    };
    return &w->sink;
}
