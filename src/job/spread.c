#include "job/spread.h"

#include "ingest/detect.h"

/* What every process is told: the options, and all files with the process that takes each. */
struct errand {
    const char *path, *format;
    int32_t process;
};

struct errands {
    struct analysis_opts analysis;
    enum reader_mode reader;
    uint64_t n_files;
    VEC(struct errand) v;
};

static void pack_errand(struct pack *p, struct errand *e)
{
    pack_text(p, &e->path);
    pack_text(p, &e->format);
    PACK(p, e->process);
}

/* Of the view, all but what belongs to a trace that is loaded here. */
static void pack_errands(struct pack *p, struct errands *e)
{
    struct analysis_opts *a = &e->analysis;
    PACK(p, a->view.has_window);
    PACK(p, a->view.start_ns);
    PACK(p, a->view.end_ns);
    PACK(p, a->view.gpu);
    PACK(p, a->view.process);
    PACK(p, a->view.only_process);
    PACK(p, a->min_duration_ns);
    PACK(p, a->short_threshold_ns);
    PACK(p, a->by_gpu);
    PACK(p, a->by_process);
    PACK(p, a->by_stream);
    PACK(p, a->max_phases);
    PACK(p, e->reader);
    PACK(p, e->n_files);
    PACK_VEC(p, &e->v, pack_errand);
}

static void pack_part(struct pack *p, struct job_part *part)
{
    PACK(p, part->ok);
    if (part->ok)
        PACK_VEC(p, &part->ranks, rank_pack);
    else
        pack_error(p, &part->err);
}

/* ---- who takes what ---- */

enum { NOBODY = -1 };

/* The largest first, each to whoever has least to do of those who see it; candidates are the root's. */
static void share_out(int32_t *process, const struct job_part *parts,
                      const struct ingest_files *files, struct arena *temporary)
{
    const struct job_file *v = job_by_size(files, temporary);
    uint64_t *busy = arena_array(temporary, uint64_t, (size_t)team_size());
    for (size_t i = 0; i < files->n; i++)
        busy[team_rank()] += parts[v[i].file].candidate ? v[i].bytes : 0;
    for (size_t i = files->n; i-- > 0;) {
        const struct remote *r = files->v[v[i].file].remote;
        int best = r->processes[0];
        process[v[i].file] = NOBODY;
        if (parts[v[i].file].candidate)
            continue;
        for (size_t k = 1; k < r->n; k++)
            if (busy[r->processes[k]] < busy[best])
                best = r->processes[k];
        busy[best] += v[i].bytes + 1;
        process[v[i].file] = best;
    }
}

/* ---- in each process ---- */

static int own_threads; /* of this process, whatever the root has */
static const char *own_cache;

void job_spread_options(int threads, const char *cache)
{
    own_threads = threads;
    own_cache = cache;
}

static bool answer_ranks(struct pack *question, struct str *out, struct arena *arena,
                         struct gs_error *err)
{
    struct errands e = {0};
    struct ingest_files files = {0};
    VEC(uint32_t) which = {0};
    struct pack p;
    pack_errands(question, &e);
    if (!pack_done(question))
        return fail(err, GS_E_IO, "a question of another process cannot be read");
    for (uint32_t i = 0; i < e.v.n; i++) {
        const struct format *f = e.v.v[i].format ? detect_named(e.v.v[i].format) : NULL;
        if (!f || !e.v.v[i].path)
            return fail(err, GS_E_IO, "a question of another process cannot be read");
        vec_push(&files, arena, ((struct ingest_file){e.v.v[i].path, f, NULL}));
        if (e.v.v[i].process == team_rank())
            vec_push(&which, arena, i);
    }
    struct job_part *parts = arena_array(arena, struct job_part, files.n);
    struct job_opts o = {e.analysis, e.reader, own_threads, NULL, own_cache};
    for (size_t i = 0; i < which.n; i++)
        parts[which.v[i]].arena = arena_child(arena);
    job_load_parts(parts, &files, which.v, which.n, &o, NULL);
    pack_write(&p, out);
    for (size_t i = 0; i < which.n; i++) {
        PACK(&p, which.v[i]);
        pack_part(&p, &parts[which.v[i]]);
        arena_release(parts[which.v[i]].arena); /* it is in the answer */
    }
    return true;
}

const struct team_kind job_ranks_kind = {"ranks", answer_ranks};

/* ---- in the root ---- */

static bool take_parts(struct job_part *parts, bool *has, const struct ingest_files *files,
                       const struct team_answer *answer, struct arena *arena)
{
    struct pack p;
    pack_read(&p, answer->bytes, answer->n, arena);
    while (p.at < p.end && !p.bad) {
        uint32_t i = 0;
        PACK(&p, i);
        if (p.bad || i >= files->n)
            return false;
        parts[i].arena = arena;
        pack_part(&p, &parts[i]);
        has[i] = true;
        for (size_t k = 0; k < parts[i].ranks.n; k++) /* two machines may have a file of one name */
            if (files->v[i].path != files->v[i].remote->path)
                parts[i].ranks.v[k].file = files->v[i].path;
    }
    return pack_done(&p);
}

/* What may be looked at in detail must be here. */
static void load_candidates(struct job_part *parts, bool *has, const struct ingest_files *files,
                            const struct job_opts *o, const struct job_kept *kept,
                            struct arena *temporary)
{
    VEC(uint32_t) which = {0};
    for (uint32_t i = 0; i < files->n; i++) {
        if (parts[i].candidate)
            vec_push(&which, temporary, i);
        has[i] |= parts[i].candidate;
    }
    job_load_parts(parts, files, which.v, which.n, o, kept);
}

bool job_spread(struct job_part *parts, const struct ingest_files *files, const struct job_opts *o,
                const struct job_kept *kept, struct arena *arena, struct gs_error *err)
{
    struct arena *temporary = arena_scratch();
    struct errands e = {.analysis = o->analysis, .reader = o->reader, .n_files = files->n};
    int32_t *process = arena_array(temporary, int32_t, files->n);
    bool *has = arena_array(temporary, bool, files->n);
    struct str question;
    struct pack p;
    share_out(process, parts, files, temporary);
    for (size_t i = 0; i < files->n; i++)
        vec_push(&e.v, temporary,
                 ((struct errand){files->v[i].remote->path, files->v[i].format->name, process[i]}));
    str_init(&question, temporary);
    pack_write(&p, &question);
    pack_errands(&p, &e);
    job_spread_options(o->threads, o->cache);
    struct team_answer *answers = team_call(&job_ranks_kind, &question, temporary, err);
    bool ok = answers != NULL;
    for (int i = 0; ok && i < team_size(); i++) {
        if (!answers[i].ok)
            *err = answers[i].err;
        ok =
            answers[i].ok && (take_parts(parts, has, files, &answers[i], arena) ||
                              fail(err, GS_E_IO, "the answer of process %d cannot be read", i + 1));
    }
    if (ok)
        load_candidates(parts, has, files, o, kept, temporary);
    for (size_t i = 0; ok && i < files->n; i++)
        ok = has[i] || fail(err, GS_E_IO, "no process has read '%s'", files->v[i].path);
    arena_release(temporary);
    return ok;
}
