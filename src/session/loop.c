#include "session/loop.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/human.h"
#include "base/jread.h"
#include "base/log.h"
#include "base/str.h"
#include "launch/child.h"

enum { MOST_EDIT = 16 << 20, MOST_WASTED = 3 };

/* A change smaller than this is next to nothing. */
static const double FLAT_PCT = 2;

static double clock_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void loop_init(struct loop *l, struct session *s)
{
    *l = (struct loop){.s = s,
                       .most_bytes = CHILD_MOST_BYTES,
                       .built = -1,
                       .ends_at = isfinite(s->budget_s) ? clock_s() + s->budget_s : INFINITY};
    for (size_t i = 0; i < s->app.n; i++)
        vec_push(&l->app, s->arena, s->app.v[i]);
}

void loop_take_app(struct loop *l, const struct words *app)
{
    struct session *x = l->s;
    size_t i = 0;
    l->app.n = x->app.n = x->variables.n = 0;
    x->hidden = false;
    for (; i < app->n; i++) {
        const char *equals = strchr(app->v[i], '='), *slash = strchr(app->v[i], '/');
        if (!equals || equals == app->v[i] || (slash && slash < equals))
            break;
        const char *name = arena_strndup(x->arena, app->v[i], (size_t)(equals - app->v[i]));
        setenv(name, equals + 1, 1);
        vec_push(&x->variables, x->arena, name);
    }
    for (; i < app->n; i++)
        vec_push(&l->app, x->arena, app->v[i]);
    const char *line = shell_line(x->arena, &l->app);
    x->hidden = !str_eq(session_hidden(x, line), line);
    if (x->hidden)
        vec_push(&x->app, x->arena, session_hidden(x, line));
    for (i = 0; !x->hidden && i < l->app.n; i++)
        vec_push(&x->app, x->arena, l->app.v[i]);
}

/* ---- values of options ---- */

bool loop_read_time(double *out, const char *text, struct gs_error *err)
{
    static const struct {
        char unit;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    double sum = 0;
    for (const char *p = text; *p;) {
        char *end;
        double v = strtod(p, &end), by = *end ? 0 : 1;
        for (size_t i = 0; *end && i < ARRAY_LEN(units); i++)
            if (*end == units[i].unit)
                by = units[i].seconds;
        if (end == p || !(v >= 0) || by <= 0 || !isfinite(v))
            return fail(err, GS_E_USAGE, "'%s' is no time; give it as 30m, 45s or 1h30m", text);
        sum += v * by;
        p = *end ? end + 1 : end;
    }
    *out = sum;
    return sum > 0 || fail(err, GS_E_USAGE, "'%s' is no time; give it as 30m, 45s or 1h30m", text);
}

bool loop_read_percent(double *out, const char *text, struct gs_error *err)
{
    char *end;
    *out = strtod(text, &end);
    if (end == text || !(*out > 0 && *out < 100) || !(str_eq(end, "%") || !*end))
        return fail(err, GS_E_USAGE, "'%s' is no goal; give the time to be saved as 20%%", text);
    return true;
}

static bool take_word(struct str *word, const char **p)
{
    char quote = 0;
    for (; **p; ++*p) {
        char c = **p;
        if (quote && c == quote)
            quote = 0;
        else if (!quote && (c == '\'' || c == '"'))
            quote = c;
        else if (c == '\\' && quote != '\'' && (*p)[1])
            str_putc(word, *++*p);
        else if (!quote && (c == ' ' || c == '\t' || c == '\n'))
            break;
        else
            str_putc(word, c);
    }
    return !quote;
}

bool loop_split(struct words *out, const char *text, struct arena *a, struct gs_error *err)
{
    for (const char *p = text + strspn(text, " \t\n"); *p; p += strspn(p, " \t\n")) {
        struct str word;
        str_init(&word, a);
        if (!take_word(&word, &p))
            return fail(err, GS_E_USAGE, "a quote of '%s' is not closed", text);
        vec_push(out, a, (const char *)word.buf);
    }
    return out->n || fail(err, GS_E_USAGE, "a command is empty");
}

/* ---- profile and analyze ---- */

bool loop_profile(struct loop *l, struct gs_error *err)
{
    struct session *s = l->s;
    const char *folder = loop_folder(l, "profile", err);
    if (!folder || !loop_capture(l, folder, !l->quiet_app, err))
        return false;
    s->trace = folder;
    return session_save(s, err);
}

bool loop_analyze(struct loop *l, struct gs_error *err)
{
    struct session *s = l->s;
    struct arena *a = s->arena;
    if (!s->trace && !loop_profile(l, err))
        return false;
    const char *folder = loop_folder(l, "analysis", err);
    if (!folder)
        return false;
    const char *path = fs_join(folder, "analysis.json", a), *log = loop_log(l, "analysis");
    const char *words[] = {"analyze", s->trace, "--source-dir", s->source, "--json", "-o", path};
    struct words w = {0};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        vec_push(&w, a, words[i]);
    l->analysis = path;
    if (!loop_self(l, &w, log, false, err) || !loop_read_findings(l, path, err))
        return false;
    struct session_event *e =
        session_event(s, EVENT_ANALYZE, "%zu finding%s%s%s", l->findings.n, human_s(l->findings.n),
                      l->findings.n ? ": " : "", l->findings.n ? l->findings.v[0].issue : "");
    e->trace = s->trace;
    return session_save(s, err);
}

bool loop_first_gates(struct loop *l, struct gs_error *err)
{
    const char *failure = NULL;
    if (!loop_build(l, &failure, err))
        return false;
    if (failure)
        return fail(err, GS_E_IO, "the build %s before anything was changed", failure);
    l->built = l->s->current;
    if (!loop_test(l, &failure, err))
        return false;
    if (failure)
        return fail(err, GS_E_IO, "the test %s before anything was changed", failure);
    return true;
}

bool loop_has_trace(const struct loop *l)
{
    return l->s->trace && fs_exists(l->s->trace);
}

/* What everything is measured against. */
static bool loop_baseline(struct loop *l, struct gs_error *err)
{
    return loop_first_gates(l, err) && (loop_has_trace(l) || loop_profile(l, err));
}

/* ---- one edit ---- */

static const struct loop_finding *finding_of(const struct loop *l, const char *name)
{
    for (size_t i = 0; name && i < l->findings.n; i++)
        if (str_eq(l->findings.v[i].rule, name) || str_eq(l->findings.v[i].id, name))
            return &l->findings.v[i];
    return NULL;
}

/* Back to the current state, with what was wrong. */
static bool take_back(struct loop *l, int64_t number, enum outcome result, const char *why,
                      struct gs_error *err)
{
    struct session *s = l->s;
    session_checkpoint(s, number)->result = result;
    session_event(s, EVENT_TAKEN_BACK, "checkpoint %lld: %s", (long long)number, why)->checkpoint =
        number;
    log_say("taken back: %s", why);
    return tree_move(s, s->current, err) && tree_settle(s, s->current, err);
}

/* True with *failure where a gate is shut. */
static bool gates(struct loop *l, int64_t number, enum outcome *result, const char **failure,
                  struct gs_error *err)
{
    *result = OUTCOME_BUILD_FAILED;
    if (!loop_build(l, failure, err) || *failure)
        return !err->code;
    l->built = number;
    *result = OUTCOME_TEST_FAILED;
    return loop_test(l, failure, err);
}

static bool decide(struct loop *l, int64_t number, const struct measure *m, bool *kept,
                   struct gs_error *err)
{
    struct session *s = l->s;
    struct checkpoint *c = session_checkpoint(s, number);
    c->change_pct = m->change_pct;
    c->noise_pct = m->noise_pct;
    *kept = m->verdict == COMPARE_FASTER;
    l->flat = fabs(m->change_pct) < FLAT_PCT ? l->flat + 1 : 0;
    log_say("measured: %s", m->headline);
    if (isfinite(c->predicted_pct) && isfinite(m->change_pct))
        log_say("predicted: %.1f %% less time, measured: %.1f %%", c->predicted_pct,
                -m->change_pct);
    if (!*kept && !l->automatic && l->ask)
        *kept = l->ask(l->ctx, "it does not help; [t] take it back, [k] keep it nevertheless",
                       "tk") == 'k';
    if (!*kept) {
        enum outcome result = m->verdict == COMPARE_SLOWER           ? OUTCOME_SLOWER
                              : m->verdict == COMPARE_NOT_COMPARABLE ? OUTCOME_NOT_COMPARABLE
                                                                     : OUTCOME_NO_GAIN;
        return take_back(l, number, result, m->headline, err);
    }
    c->result = OUTCOME_KEPT;
    s->trace = NULL;
    l->unfit.n = 0;
    session_event(s, EVENT_KEPT, "checkpoint %lld: %s", (long long)number, m->headline)
        ->checkpoint = number;
    return tree_move(s, number, err) && tree_settle(s, number, err);
}

/* Instead of being tried, an edit can be kept for another tool. */
static void write_patch(struct loop *l, const struct str *diff)
{
    struct session *s = l->s;
    struct gs_error why = {0};
    const char *path = arena_printf(s->arena, "%s/%s-%zu.patch", s->here, s->id, s->events.n);
    if (fs_write(path, diff->buf, diff->len, &why))
        log_say("wrote %s", path);
    else
        log_warn("%s", why.text);
}

static bool agreed(struct loop *l, const struct edit *e)
{
    struct str question;
    if (l->automatic || !l->ask)
        return l->automatic;
    str_init(&question, l->s->arena);
    edit_diff(&question, l->s, e);
    struct str diff = question;
    str_puts(&question, "\ntry this edit? [y] yes  [w] write it as a patch file  [n] no");
    diff.buf = question.buf;
    char answer = l->ask(l->ctx, question.buf, "ywn");
    if (answer == 'w')
        write_patch(l, &diff);
    return answer == 'y';
}

/* The phases behind the proposal. */
static bool try_checkpoint(struct loop *l, int64_t number, bool *kept, struct gs_error *err)
{
    struct session *s = l->s;
    enum outcome result;
    const char *failure = NULL;
    struct measure m;
    if (!tree_move(s, number, err) || !gates(l, number, &result, &failure, err))
        return false;
    if (failure) {
        l->built = -1;
        return take_back(l, number, result,
                         arena_printf(s->arena, "%s: %s", outcome_words[result], failure), err);
    }
    if (!loop_measure(l, number, &m, err)) {
        struct gs_error other = {0};
        if (err->code != GS_E_CANCELLED &&
            take_back(l, number, OUTCOME_NOT_MEASURED, err->text, &other))
            *err = (struct gs_error){0};
        return !err->code;
    }
    return decide(l, number, &m, kept, err);
}

bool loop_try(struct loop *l, const char *text, size_t n, const char *name, bool *kept,
              struct gs_error *err)
{
    struct session *s = l->s;
    struct edit e;
    struct gs_error why = {0};
    *kept = false;
    l->wasted++;
    if (!edit_read(&e, s, text, n, &why)) {
        session_event(s, EVENT_UNFIT, "%s: %s", name, why.text);
        log_say("%s does not fit: %s", name, why.text);
        vec_push(&l->unfit, s->arena, e.key);
        return session_save(s, err);
    }
    if (!e.summary)
        e.summary = name;
    if (!agreed(l, &e)) {
        vec_push(&l->unfit, s->arena, e.key);
        session_event(s, EVENT_REFUSED, "%s: not wanted", name);
        return session_save(s, err);
    }
    struct checkpoint *c = tree_checkpoint(s, &e, err);
    if (!c)
        return false;
    const struct loop_finding *f = finding_of(l, e.finding);
    int64_t number = c->number, same = tree_same_state(s, number);
    c->predicted_pct = f ? f->predicted_pct : NAN;
    log_say("trying %lld: %s", (long long)number, c->summary);
    session_event(s, EVENT_EDIT, "%s (%s)", c->summary, name)->checkpoint = number;
    if (same >= 0) {
        c->result = OUTCOME_TRIED_BEFORE;
        session_event(s, EVENT_CYCLE, "that is checkpoint %lld again", (long long)same);
        log_say("that is checkpoint %lld again; it is not measured twice", (long long)same);
        return session_save(s, err);
    }
    l->wasted = 0;
    return session_save(s, err) && try_checkpoint(l, number, kept, err);
}

/* ---- proposals ---- */

static bool was_tried(const struct loop *l, const char *key)
{
    for (size_t i = 0; i < l->unfit.n; i++)
        if (str_eq(l->unfit.v[i], key))
            return true;
    for (size_t i = 0; i < l->s->checkpoints.n; i++) {
        const struct checkpoint *c = &l->s->checkpoints.v[i];
        if (str_eq(c->key, key) && c->result != OUTCOME_INTERRUPTED)
            return true;
    }
    return false;
}

static double worth(const struct loop *l, const char *finding)
{
    const struct loop_finding *f = finding_of(l, finding);
    return !f ? -1 : isfinite(f->predicted_pct) ? f->predicted_pct : f->share_pct / 100;
}

/* The patch, not tried yet, of the finding with the largest predicted gain; NULL: none is left. */
static const struct mapping *next_patch(struct loop *l, const char **name, struct gs_error *err)
{
    struct arena *a = l->s->arena;
    struct fs_list all = {0};
    const struct mapping *best = NULL;
    double most = -2;
    const char *from = l->s->patches;
    if (!from)
        return NULL;
    if (fs_is_file(from))
        vec_push(&all, a, (char *)from);
    else if (!fs_list(&all, from, a, err))
        return NULL;
    for (size_t i = 0; i < all.n; i++) {
        struct edit e;
        const struct mapping *m = fs_read_in(a, all.v[i], MOST_EDIT, err);
        if (!m)
            return NULL;
        edit_head(&e, (const char *)m->data, m->size, a);
        double w = was_tried(l, e.key) ? -2 : worth(l, e.finding);
        if (w > most) {
            most = w;
            best = m;
            *name = fs_basename(all.v[i]);
        }
    }
    return best;
}

/* The answer of the command that proposes; NULL: it has none. */
static const char *ask_program(struct loop *l, size_t *n, struct gs_error *err)
{
    struct session *s = l->s;
    struct arena *a = s->arena;
    struct words argv = {0};
    const char *failure = NULL, *log = loop_log(l, "propose");
    if (!loop_split(&argv, s->propose, a, err))
        return NULL;
    vec_push(&argv, a, l->analysis);
    vec_push(&argv, a, (const char *)fs_join(s->folder, "session.json", a));
    if (!loop_step(l, EVENT_PROPOSE, &argv, log, &failure, err) || failure)
        return NULL;
    const struct mapping *m = fs_read_in(a, log, MOST_EDIT, err);
    struct edit e;
    if (!m || !m->size)
        return NULL;
    edit_head(&e, (const char *)m->data, m->size, a);
    *n = m->size;
    return was_tried(l, e.key) ? NULL : (const char *)m->data;
}

static const char *next_text(struct loop *l, size_t *n, const char **name, struct gs_error *err)
{
    const struct mapping *m = next_patch(l, name, err);
    if (m) {
        *n = m->size;
        return (const char *)m->data;
    }
    *name = "proposal";
    if (err->code || (!l->s->propose && !l->propose))
        return NULL;
    if (l->s->propose)
        return ask_program(l, n, err);
    const char *text = l->propose(l->propose_ctx, l, err);
    *n = text ? strlen(text) : 0;
    return text;
}

/* ---- all of it ---- */

static const char *reason_to_stop(const struct loop *l)
{
    const struct session *s = l->s;
    if (isfinite(s->goal_pct) && session_gain_pct(s) >= s->goal_pct)
        return "the goal is reached";
    if (clock_s() >= l->ends_at)
        return "the budget is spent";
    if (l->wasted >= MOST_WASTED && (s->propose || l->propose))
        return "the proposals are nothing new";
    if (s->plateau && l->flat >= s->plateau)
        return "a plateau: the last changes did next to nothing";
    return NULL;
}

static bool finish(struct loop *l, const char *why, struct gs_error *err)
{
    struct session *s = l->s;
    const char *failure = NULL;
    if (l->built != s->current && !loop_build(l, &failure, err))
        return false;
    session_event(s, EVENT_END, "%s; %.1f %% less time than at first", why, session_gain_pct(s));
    log_say("%s; %.1f %% less time than at first", why, session_gain_pct(s));
    return session_save(s, err);
}

bool loop_run(struct loop *l, struct gs_error *err)
{
    if (!loop_baseline(l, err))
        return false;
    for (const char *why; !(why = reason_to_stop(l));) {
        bool kept;
        size_t n = 0;
        const char *name = NULL;
        if (!l->findings.n || !l->s->trace)
            if (!loop_analyze(l, err))
                return false;
        const char *text = next_text(l, &n, &name, err);
        if (err->code)
            return false;
        if (!text)
            return finish(l, "nothing is left to try", err);
        if (!loop_try(l, text, n, name, &kept, err))
            return false;
        if (kept && !loop_analyze(l, err))
            return false;
    }
    return finish(l, reason_to_stop(l), err);
}

bool loop_show(struct loop *l, struct str *out, struct gs_error *err)
{
    struct session *s = l->s;
    struct arena *a = s->arena;
    const struct {
        const char *what, *command;
    } steps[] = {{"build", s->build}, {"test", s->test}};
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        struct words w = {0};
        if (!steps[i].command)
            continue;
        if (!loop_split(&w, steps[i].command, a, err))
            return false;
        str_printf(out, "would %s: %s\n", steps[i].what, session_hidden(s, shell_line(a, &w)));
    }
    str_printf(out, "would profile: gpusight run -- %s\n",
               session_hidden(s, shell_line(a, &l->app)));
    str_printf(out, "would analyze it with the source in %s\n", s->source);
    if (s->patches)
        str_printf(out, "would try the edits in %s, those of the largest predicted gain first\n",
                   s->patches);
    if (s->propose)
        str_printf(out, "would ask for edits: %s\n", session_hidden(s, s->propose));
    str_printf(
        out,
        "would build and test each, run it %lld times in turns with the state before it, and "
        "take back what does not help\n",
        (long long)s->repeat);
    return true;
}
