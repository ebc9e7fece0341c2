#define _GNU_SOURCE
#include "ingest/remote.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/str.h"
#include "ingest/detect.h"

enum { HOST_BYTES = 256, NO_OPERAND = -1 };

/* A trace as one process sees it. */
struct seen {
    const char *path, *format;
    int64_t bytes, changed_ns;
    uint64_t inode;
    uint32_t operand; /* which path it stands for */
};

struct seen_list {
    VEC(struct seen) v;
};

static const struct opt_list *own_operands;

void remote_operands(const struct opt_list *operands)
{
    own_operands = operands;
}

static void pack_seen(struct pack *p, struct seen *s)
{
    pack_text(p, &s->path);
    pack_text(p, &s->format);
    PACK(p, s->bytes);
    PACK(p, s->changed_ns);
    PACK(p, s->inode);
    PACK(p, s->operand);
}

static void look_at(struct seen *s, const struct ingest_file *f, uint32_t operand)
{
    struct stat st;
    *s = (struct seen){.path = f->path, .format = f->format->name, .bytes = -1};
    s->operand = operand;
    if (stat(f->path, &st) != 0) /* the name that files of a capture share */
        return;
    s->bytes = st.st_size;
    s->changed_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    s->inode = st.st_ino;
}

/* What the paths stand for here. What is not here may be elsewhere: `found` says of each path. */
static bool look_here(struct seen_list *out, bool *found, const struct opt_list *paths,
                      struct arena *a, struct gs_error *missing, struct gs_error *err)
{
    for (uint32_t i = 0; i < paths->n; i++) {
        struct opt_list one = {.v = &paths->v[i], .n = 1};
        struct ingest_files files = {0};
        struct gs_error why = {0};
        found[i] = ingest_find_here(&files, &one, true, NULL, a, &why);
        if (!found[i] && fs_exists(paths->v[i]) && why.code != GS_E_EMPTY) {
            *err = why;
            return false;
        }
        if (!found[i] && !missing->code)
            *missing = why;
        for (size_t k = 0; k < files.n; k++) {
            struct seen s;
            look_at(&s, &files.v[k], i);
            vec_push(&out->v, a, s);
        }
    }
    return true;
}

/* ---- the question ---- */

/* The paths as the root writes them, which operands these are, and what it sees. */
struct list_question {
    VEC(const char *) paths;
    VEC(int32_t) operands; /* by path; NO_OPERAND: none */
    uint64_t n_operands;   /* the root's */
    struct seen_list seen;
};

static void pack_question(struct pack *p, struct list_question *q)
{
    PACK_VEC(p, &q->paths, pack_text);
    PACK_FLAT(p, &q->operands);
    PACK(p, q->n_operands);
    PACK_VEC(p, &q->seen.v, pack_seen);
}

struct list_answer {
    const char *host;
    bool sees_all;
    bool own_paths;        /* others than the root's */
    const char *missing;   /* why one of its own paths is not there; "": all are */
    VEC(uint8_t) sees;     /* by trace of the root */
    VEC(uint8_t) found;    /* by path of the root; only without own_paths */
    struct seen_list more; /* that the root does not see */
};

static void pack_answer(struct pack *p, struct list_answer *a)
{
    pack_text(p, &a->host);
    PACK(p, a->sees_all);
    PACK(p, a->own_paths);
    pack_text(p, &a->missing);
    PACK_FLAT(p, &a->sees);
    PACK_FLAT(p, &a->found);
    PACK_VEC(p, &a->more.v, pack_seen);
}

/* The paths to look for here: the root's, or those this process was given in their place. */
static struct opt_list paths_here(const struct list_question *q, struct arena *a, bool *own)
{
    struct opt_list out = {0};
    size_t n = own_operands ? own_operands->n : 0;
    bool all = q->paths.n == q->n_operands;
    for (size_t i = 0; all && i < q->paths.n; i++)
        all = q->operands.v[i] == (int32_t)i;
    *own = all && n != q->n_operands;
    if (*own)
        return *own_operands;
    for (size_t i = 0; i < q->paths.n; i++) {
        int32_t k = q->operands.v[i];
        const char *path = k >= 0 && n == q->n_operands ? own_operands->v[k] : q->paths.v[i];
        *own |= !str_eq(path, q->paths.v[i]);
        vec_push(&out, a, path);
    }
    return out;
}

static uint64_t key_of(const char *path)
{
    return hash_bytes(path, strlen(path));
}

static bool same_file(const struct seen *a, const struct seen *b)
{
    return str_eq(a->path, b->path) && a->bytes == b->bytes && a->changed_ns == b->changed_ns &&
           a->inode == b->inode;
}

/* Which traces of the root this process sees as well, and which more. */
static void compare_with_root(struct list_answer *answer, const struct seen_list *here,
                              const struct seen_list *root, struct arena *arena)
{
    struct idmap of_root;
    size_t common = 0;
    idmap_init(&of_root, arena);
    for (size_t i = 0; i < root->v.n; i++) {
        idmap_put(&of_root, key_of(root->v.v[i].path), (uint32_t)i);
        vec_push(&answer->sees, arena, 0);
    }
    for (size_t i = 0; i < here->v.n; i++) {
        uint32_t k = idmap_get(&of_root, key_of(here->v.v[i].path));
        if (k != NO_INDEX && same_file(&here->v.v[i], &root->v.v[k])) {
            common += !answer->sees.v[k];
            answer->sees.v[k] = 1;
        } else {
            vec_push(&answer->more.v, arena, here->v.v[i]);
        }
    }
    answer->sees_all = common == root->v.n;
    if (answer->sees_all)
        answer->sees.n = 0;
}

static bool answer_list(struct pack *question, struct str *out, struct arena *arena,
                        struct gs_error *err)
{
    struct list_question q = {0};
    struct list_answer answer = {.missing = ""};
    struct seen_list here = {0};
    struct gs_error missing = {0};
    struct pack p;
    char host[HOST_BYTES] = "";
    pack_question(question, &q);
    if (!pack_done(question) || q.operands.n != q.paths.n)
        return fail(err, GS_E_IO, "the list of traces cannot be read");
    answer.sees_all = team_rank() == 0; /* it has looked before it asked */
    if (!answer.sees_all) {
        enum log_level level = log_level();
        struct opt_list paths = paths_here(&q, arena, &answer.own_paths);
        bool *found = arena_array(arena, bool, paths.n + 1);
        log_set_level(LOG_QUIET); /* the root says what is odd */
        bool ok = look_here(&here, found, &paths, arena, &missing, err);
        log_set_level(level);
        if (!ok)
            return false;
        for (size_t i = 0; !answer.own_paths && i < paths.n; i++)
            vec_push(&answer.found, arena, found[i]);
        if (answer.own_paths && missing.code)
            answer.missing = missing.text;
        compare_with_root(&answer, &here, &q.seen, arena);
    }
    gethostname(host, sizeof(host) - 1);
    answer.host = host;
    pack_write(&p, out);
    pack_answer(&p, &answer);
    return true;
}

const struct team_kind remote_list_kind = {"list", answer_list};

/* ---- all answers together ---- */

struct common_trace {
    struct seen s;
    const char *name;   /* as it is shown */
    VEC(int) processes; /* empty: all */
};

struct merging {
    struct arena *arena;
    VEC(struct common_trace) traces;
    struct list_answer *answers;
    struct idmap index; /* path -> the first trace of that path */
    bool mixed;         /* not all see what the root sees, or there is more */
    bool own_paths;
    struct gs_error *err;
};

static bool hash_at(struct merging *m, int process, const char *path, const char **hash)
{
    struct str question;
    struct pack p;
    struct team_answer a;
    struct gs_error err;
    str_init(&question, m->arena);
    pack_write(&p, &question);
    pack_text(&p, &path);
    if (process == team_rank()) { /* the root does not ask itself */
        struct str own;
        str_init(&own, m->arena);
        pack_read(&p, question.buf, question.len, m->arena);
        if (!remote_hash_kind.answer(&p, &own, m->arena, &err))
            return false;
        *hash = arena_strndup(m->arena, own.buf, own.len);
        return true;
    }
    if (!team_ask(process, &remote_hash_kind, &question, &a, m->arena, &err))
        return false;
    *hash = arena_strndup(m->arena, a.bytes, a.n);
    return true;
}

/* The trace that this is another view of, or NO_INDEX. */
static uint32_t find_same(struct merging *m, const struct seen *s, int process, bool *taken)
{
    uint32_t first = idmap_get(&m->index, key_of(s->path));
    *taken = false;
    for (uint32_t i = first; i != NO_INDEX && i < m->traces.n; i++) {
        const struct common_trace *t = &m->traces.v[i];
        const char *a, *b;
        if (!str_eq(t->s.path, s->path))
            continue;
        *taken = true;
        if (same_file(&t->s, s))
            return i;
        int other = t->processes.n ? t->processes.v[0] : team_rank();
        if (t->s.bytes == s->bytes && hash_at(m, other, t->s.path, &a) &&
            hash_at(m, process, s->path, &b) && str_eq(a, b))
            return i;
    }
    return NO_INDEX;
}

static void add_more(struct merging *m, int process)
{
    const struct list_answer *a = &m->answers[process];
    for (size_t i = 0; i < a->more.v.n; i++) {
        struct seen s = a->more.v.v[i];
        bool taken;
        uint32_t at = find_same(m, &s, process, &taken);
        if (at == NO_INDEX) {
            struct common_trace t = {.s = s, .name = s.path};
            if (taken)
                t.name = arena_printf(m->arena, "%s:%s", a->host, s.path);
            at = (uint32_t)m->traces.n;
            vec_push(&m->traces, m->arena, t);
            if (!taken)
                idmap_put(&m->index, key_of(s.path), at);
        }
        vec_push(&m->traces.v[at].processes, m->arena, process);
        m->mixed = true;
    }
}

/* As if all were on one machine: by operand, and in a folder by the names on the way. */
static int by_place(const void *x, const void *y)
{
    const struct common_trace *a = x, *b = y;
    if (a->s.operand != b->s.operand)
        return a->s.operand < b->s.operand ? -1 : 1;
    const unsigned char *p = (const unsigned char *)a->name, *q = (const unsigned char *)b->name;
    while (*p && *p == *q)
        p++, q++;
    int l = *p == '/' ? 1 : *p, r = *q == '/' ? 1 : *q; /* the end of a name comes first */
    return (l > r) - (l < r);
}

/* A path that is nowhere is an error, as on one machine. */
static bool all_found(const struct merging *m, const struct opt_list *paths, const bool *found,
                      const struct gs_error *missing)
{
    for (size_t i = 0; i < paths->n; i++) {
        bool there = found[i];
        for (int k = 0; k < team_size() && !there; k++)
            there = m->answers[k].own_paths ? m->answers[k].more.v.n > 0
                                            : i < m->answers[k].found.n && m->answers[k].found.v[i];
        if (!there) {
            *m->err = *missing;
            return false;
        }
    }
    return true;
}

static bool publish(struct merging *m, struct ingest_files *out, const int *everyone)
{
    for (size_t i = 0; i < m->traces.n; i++) {
        struct common_trace *t = &m->traces.v[i];
        struct remote *r = arena_new(m->arena, struct remote);
        const struct format *format = detect_named(t->s.format);
        if (!format)
            return fail(m->err, GS_E_FORMAT, "'%s' is of an unknown format", t->name);
        *r = (struct remote){.path = t->s.path, .bytes = t->s.bytes, .here = !t->processes.n};
        r->processes = t->processes.n ? t->processes.v : everyone;
        r->n = t->processes.n ? t->processes.n : (size_t)team_size();
        for (size_t k = 0; k < t->processes.n; k++)
            r->here |= t->processes.v[k] == team_rank();
        vec_push(out, m->arena, ((struct ingest_file){t->name, format, r}));
    }
    return true;
}

static bool ask_all(struct merging *m, struct list_question *q)
{
    struct str question;
    struct pack p;
    str_init(&question, m->arena);
    pack_write(&p, &question);
    pack_question(&p, q);
    struct team_answer *answers = team_call(&remote_list_kind, &question, m->arena, m->err);
    if (!answers)
        return false;
    m->answers = arena_array(m->arena, struct list_answer, (size_t)team_size());
    for (int i = 0; i < team_size(); i++) {
        if (!answers[i].ok) {
            *m->err = answers[i].err;
            return false;
        }
        pack_read(&p, answers[i].bytes, answers[i].n, m->arena);
        pack_answer(&p, &m->answers[i]);
        if (!pack_done(&p) || (!m->answers[i].sees_all && m->answers[i].sees.n != q->seen.v.n))
            return fail(m->err, GS_E_IO, "the list of traces of process %d cannot be read", i + 1);
        if (*m->answers[i].missing) /* the root cannot know whether it should be there */
            log_warn("process %d on %s: %s", i + 1, m->answers[i].host, m->answers[i].missing);
        m->own_paths |= m->answers[i].own_paths;
        m->mixed |= !m->answers[i].sees_all;
    }
    return true;
}

static void merge(struct merging *m, const struct seen_list *here)
{
    idmap_init(&m->index, m->arena);
    for (size_t i = 0; i < here->v.n; i++) {
        struct common_trace t = {.s = here->v.v[i], .name = here->v.v[i].path};
        for (int k = 0; m->mixed && k < team_size(); k++)
            if (m->answers[k].sees_all || m->answers[k].sees.v[i])
                vec_push(&t.processes, m->arena, k);
        idmap_put(&m->index, key_of(t.s.path), (uint32_t)i);
        vec_push(&m->traces, m->arena, t);
    }
    size_t root = m->traces.n;
    for (int k = 0; k < team_size(); k++)
        add_more(m, k);
    for (size_t i = 0; i < root; i++) /* a copy elsewhere joins those that see the file itself */
        if (m->mixed && !m->traces.v[i].processes.n)
            vec_push(&m->traces.v[i].processes, m->arena, team_rank());
    for (size_t i = 0; m->own_paths && i < m->traces.n; i++)
        m->traces.v[i].s.operand = 0; /* those of different processes cannot be told apart */
    if (m->traces.n > root)
        qsort(m->traces.v, m->traces.n, sizeof(*m->traces.v), by_place);
}

bool remote_find(struct ingest_files *out, const struct opt_list *paths, struct arena *a,
                 struct gs_error *err)
{
    struct merging m = {.arena = a, .err = err};
    struct list_question q = {.n_operands = own_operands ? own_operands->n : 0};
    struct gs_error missing = {0};
    bool *found = arena_array(a, bool, paths->n + 1);
    int *everyone = arena_array(a, int, (size_t)team_size());
    for (int i = 0; i < team_size(); i++)
        everyone[i] = i;
    for (size_t i = 0; i < paths->n; i++) {
        int32_t operand = NO_OPERAND;
        for (size_t k = 0; own_operands && operand < 0 && k < own_operands->n; k++)
            operand = str_eq(own_operands->v[k], paths->v[i]) ? (int32_t)k : NO_OPERAND;
        vec_push(&q.paths, a, paths->v[i]);
        vec_push(&q.operands, a, operand);
    }
    if (!look_here(&q.seen, found, paths, a, &missing, err) || !ask_all(&m, &q))
        return false;
    merge(&m, &q.seen);
    return all_found(&m, paths, found, &missing) && publish(&m, out, everyone);
}
