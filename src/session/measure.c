/*
 * What a loop runs: gates, captures, comparisons.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/jread.h"
#include "base/log.h"
#include "base/str.h"
#include "launch/child.h"
#include "session/loop.h"
#include "session/store.h"

enum { MOST_DOCUMENT = 256 << 20 };

static double clock_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* What is left of the budget limits each program, too. */
static double limit_s(const struct loop *l)
{
    double left = l->ends_at - clock_s();
    if (!isfinite(left))
        return l->timeout_s;
    left = left > 1 ? left : 1;
    return l->timeout_s > 0 && l->timeout_s < left ? l->timeout_s : left;
}

bool loop_step(struct loop *l, enum event_kind kind, const struct words *argv, const char *log,
               const char **failure, struct gs_error *err)
{
    struct session *s = l->s;
    struct words all = *argv;
    struct child_result r;
    const char *line = session_hidden(s, shell_line(s->arena, argv));
    all.cap = all.n; /* the terminator must not be written into the caller's */
    vec_push(&all, s->arena, (const char *)NULL);
    log_say("%s: %s", event_words[kind], line);
    struct child_opts o = {.argv = all.v,
                           .folder = s->here,
                           .timeout_s = limit_s(l),
                           .output_to_stderr = true,
                           .silent = l->quiet_app,
                           .log = log,
                           .watched = s->folder,
                           .most_bytes = l->most_bytes};
    if (!child_run(&o, &r, err))
        return false;
    *failure = child_failure(&r, s->arena);
    struct session_event *e = session_step(s, kind, *failure);
    e->command = line;
    e->log = log;
    e->seconds = r.seconds;
    if (r.interrupted) {
        session_save(s, err);
        return fail(err, GS_E_CANCELLED, "interrupted; go on with 'gpusight session resume %s'",
                    s->id);
    }
    return session_save(s, err);
}

/* After a crash the number of events may come again, and with it names that are in use. */
const char *loop_log(struct loop *l, const char *what)
{
    struct session *s = l->s;
    const char *folder = fs_join(s->folder, "logs", s->arena), *path;
    size_t i = s->events.n;
    mkdir(folder, 0700);
    do
        path = arena_printf(s->arena, "%s/%zu-%s.log", folder, i++, what);
    while (fs_exists(path));
    return path;
}

const char *loop_folder(struct loop *l, const char *what, struct gs_error *err)
{
    struct session *s = l->s;
    const char *path;
    size_t i = s->events.n;
    mkdir(fs_join(s->folder, "runs", s->arena), 0700);
    do {
        path = arena_printf(s->arena, "%s/runs/%zu-%s", s->folder, i++, what);
        if (mkdir(path, 0700) == 0)
            return path;
    } while (errno == EEXIST);
    fail(err, GS_E_IO, "cannot make '%s': %s", path, strerror(errno));
    return NULL;
}

static bool gate(struct loop *l, enum event_kind kind, const char *command, const char **failure,
                 struct gs_error *err)
{
    struct words argv = {0};
    *failure = NULL;
    if (!command)
        return true;
    return loop_split(&argv, command, l->s->arena, err) &&
           loop_step(l, kind, &argv, loop_log(l, event_words[kind]), failure, err);
}

bool loop_build(struct loop *l, const char **failure, struct gs_error *err)
{
    return gate(l, EVENT_BUILD, l->s->build, failure, err);
}

/* ---- the program's own output ---- */

static bool is_number(const char *p, const char *end, double *v, const char **behind)
{
    char *stop;
    if (p < end && (*p == ' ' || *p == '\n'))
        return false;
    *v = strtod(p, &stop);
    *behind = stop;
    return stop > p && stop <= end;
}

bool outputs_agree(const char *a, size_t na, const char *b, size_t nb, double tolerance,
                   const char **why, struct arena *arena)
{
    const char *ea = a + na, *eb = b + nb;
    size_t line = 1;
    while (a < ea && b < eb) {
        double x, y;
        const char *ta, *tb;
        if (is_number(a, ea, &x, &ta) && is_number(b, eb, &y, &tb)) {
            double most = fmax(fabs(x), fabs(y));
            bool near = x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= tolerance * most;
            if (!near) {
                *why = arena_printf(arena, "line %zu has %.9g instead of %.9g", line, y, x);
                return false;
            }
            a = ta;
            b = tb;
            continue;
        }
        if (*a != *b)
            break;
        line += *a == '\n';
        a++;
        b++;
    }
    if (a == ea && b == eb)
        return true;
    *why = arena_printf(arena, "it differs at line %zu", line);
    return false;
}

/* The first output of the session is the right one. */
static bool check_output(struct loop *l, const char **failure, struct gs_error *err)
{
    struct session *s = l->s;
    struct arena *a = s->arena;
    const char *right = fs_join(s->folder, "output.txt", a), *log = loop_log(l, "output");
    if (!loop_step(l, EVENT_OUTPUT, &l->app, log, failure, err) || *failure)
        return !err->code;
    const struct mapping *now = fs_read_in(a, log, MOST_DOCUMENT, err);
    if (!now)
        return false;
    if (!fs_exists(right))
        return store_put(right, (const char *)now->data, now->size, a, err);
    const struct mapping *m = fs_read_in(a, right, MOST_DOCUMENT, err);
    const char *why = NULL;
    if (!m)
        return false;
    if (!outputs_agree((const char *)m->data, m->size, (const char *)now->data, now->size,
                       strtod(s->tolerance, NULL), &why, a))
        *failure = arena_printf(a, "the program's output is not what it was: %s", why);
    return true;
}

bool loop_test(struct loop *l, const char **failure, struct gs_error *err)
{
    if (!gate(l, EVENT_TEST, l->s->test, failure, err))
        return false;
    return *failure || !l->s->tolerance || check_output(l, failure, err);
}

/* ---- gpusight itself ---- */

bool loop_self(struct loop *l, const struct words *words, const char *log, bool shown,
               struct gs_error *err)
{
    struct session *s = l->s;
    struct words argv = {0};
    struct child_result r;
    vec_push(&argv, s->arena, "/proc/self/exe");
    for (size_t i = 0; i < words->n; i++)
        vec_push(&argv, s->arena, words->v[i]);
    vec_push(&argv, s->arena, (const char *)NULL);
    struct child_opts o = {.argv = argv.v,
                           .folder = s->here,
                           .timeout_s = limit_s(l),
                           .output_to_stderr = true,
                           .silent = !shown,
                           .log = log,
                           .watched = s->folder,
                           .most_bytes = l->most_bytes};
    if (!child_run(&o, &r, err))
        return false;
    if (r.interrupted)
        return fail(err, GS_E_CANCELLED, "interrupted; go on with 'gpusight session resume %s'",
                    s->id);
    const char *why = child_failure(&r, s->arena);
    return !why || fail(err, GS_E_IO, "'gpusight %s' %s; see '%s'", words->v[0], why, log);
}

bool loop_capture(struct loop *l, const char *folder, bool shown, struct gs_error *err)
{
    struct session *s = l->s;
    struct arena *a = s->arena;
    const char *log = loop_log(l, "profile");
    struct words w = {0};
    if (!l->app.n)
        return fail(err, GS_E_USAGE,
                    "no program is known; give it with 'gpusight session resume %s -- APP'", s->id);
    const char *head[] = {"run",
                          "-o",
                          arena_printf(a, "%s.txt", folder),
                          "-d",
                          folder,
                          "--max-size",
                          arena_printf(a, "%llu", (unsigned long long)l->most_bytes)};
    for (size_t i = 0; i < ARRAY_LEN(head); i++)
        vec_push(&w, a, head[i]);
    if (!shown)
        vec_push(&w, a, "--quiet-app");
    if (l->goal) {
        vec_push(&w, a, "--all-passes");
        vec_push(&w, a, "--goal");
        vec_push(&w, a, l->goal);
    }
    vec_push(&w, a, "--");
    for (size_t i = 0; i < l->app.n; i++)
        vec_push(&w, a, l->app.v[i]);
    double begin = clock_s();
    bool ok = loop_self(l, &w, log, shown, err);
    struct session_event *e = session_step(s, EVENT_PROFILE, ok ? NULL : err->text);
    e->command =
        session_hidden(s, arena_printf(a, "gpusight run%s%s -- %s", l->goal ? " --goal " : "",
                                       l->goal ? l->goal : "", shell_line(a, &l->app)));
    e->trace = folder;
    e->log = log;
    e->seconds = clock_s() - begin;
    struct gs_error other = {0};
    return session_save(s, &other) && ok;
}

/* ---- in turns ---- */

/* The files of a state, built. */
static bool take_state(struct loop *l, int64_t number, struct gs_error *err)
{
    const char *failure = NULL;
    if (!tree_move(l->s, number, err))
        return false;
    if (l->built == number)
        return true;
    if (!loop_build(l, &failure, err))
        return false;
    if (failure)
        return fail(err, GS_E_IO, "the build of checkpoint %lld %s", (long long)number, failure);
    l->built = number;
    return true;
}

static void read_verdict(struct jread *j, struct measure *m, struct arena *a)
{
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "verdict")) {
            const char *t = jr_str(j, NULL);
            for (int i = 0; compare_verdict_names[i]; i++)
                if (t && str_eq(t, compare_verdict_names[i]))
                    m->verdict = (enum compare_verdict)i;
        } else if (jr_is(j, "headline")) {
            const char *t = jr_str(j, NULL);
            m->headline = t ? arena_strdup(a, t) : "";
        } else if (jr_is(j, "wall_change_pct"))
            m->change_pct = jr_num(j, NAN);
        else if (jr_is(j, "noise_pct"))
            m->noise_pct = jr_num(j, NAN);
        else
            jr_skip(j);
    }
}

static bool judge(struct loop *l, const struct words *before, const struct words *after,
                  const char *path, struct measure *m, struct gs_error *err)
{
    struct arena *a = l->s->arena;
    struct words w = {0};
    const char *head[] = {"compare", "--json", "-o", path};
    for (size_t i = 0; i < ARRAY_LEN(head); i++)
        vec_push(&w, a, head[i]);
    for (size_t i = 0; i < before->n; i++)
        vec_push(&w, a, before->v[i]);
    vec_push(&w, a, "--");
    for (size_t i = 0; i < after->n; i++)
        vec_push(&w, a, after->v[i]);
    if (!loop_self(l, &w, loop_log(l, "compare"), false, err))
        return false;
    const struct mapping *doc = fs_read_in(a, path, MOST_DOCUMENT, err);
    if (!doc)
        return false;
    *m = (struct measure){
        .verdict = COMPARE_SAME, .headline = "", .change_pct = NAN, .noise_pct = NAN};
    struct jread *j = jr_text(a, (const char *)doc->data, doc->size);
    read_verdict(j, m, a);
    return jr_end(j, err);
}

/* A B B A A B: what drifts meanwhile falls on both. */
bool loop_measure(struct loop *l, int64_t candidate, struct measure *m, struct gs_error *err)
{
    struct session *s = l->s;
    struct arena *a = s->arena;
    struct words before = {0}, after = {0};
    const char *folder = loop_folder(l, arena_printf(a, "%lld", (long long)candidate), err);
    if (!folder)
        return false;
    for (int64_t i = 0; i < 2 * s->repeat; i++) {
        bool is_after = (i % 4 == 1) || (i % 4 == 2);
        const char *run =
            arena_printf(a, "%s/%s-%lld", folder, is_after ? "after" : "before", (long long)i / 2);
        if (!take_state(l, is_after ? candidate : s->current, err) ||
            !loop_capture(l, run, false, err))
            return false;
        vec_push(is_after ? &after : &before, a, run);
    }
    if (!judge(l, &before, &after, arena_printf(a, "%s/compare.json", folder), m, err))
        return false;
    struct session_event *e = session_event(s, EVENT_JUDGE, "%s", m->headline);
    e->trace = folder;
    e->checkpoint = candidate;
    return session_save(s, err);
}
