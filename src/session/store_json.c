/*
 * session.json: a session to text and back. What a newer version adds is skipped.
 */
#include <math.h>
#include <stdlib.h>

#include "base/jread.h"
#include "base/jwrite.h"
#include "session/session.h"

/* ---- out ---- */

static void put_words(struct jwrite *w, const char *key, const struct words *words)
{
    jw_open(w, key, '[');
    for (size_t i = 0; i < words->n; i++)
        jw_str(w, NULL, words->v[i]);
    jw_close(w);
}

static void put_checkpoint(struct jwrite *w, const struct checkpoint *c)
{
    jw_open(w, NULL, '{');
    jw_int(w, "number", c->number);
    jw_int(w, "parent", c->parent);
    jw_str(w, "time", c->time);
    jw_str(w, "summary", c->summary);
    jw_str(w, "finding", c->finding);
    jw_str(w, "result", c->result);
    jw_str(w, "commit", c->commit);
    jw_str(w, "key", c->key);
    jw_num(w, "change_pct", c->change_pct);
    jw_num(w, "noise_pct", c->noise_pct);
    jw_num(w, "predicted_pct", c->predicted_pct);
    jw_bool(w, "blacklisted", c->blacklisted);
    jw_open(w, "files", '[');
    for (size_t i = 0; i < c->files.n; i++) {
        jw_open(w, NULL, '{');
        jw_str(w, "path", c->files.v[i].path);
        jw_str(w, "object", c->files.v[i].object);
        jw_int(w, "mode", c->files.v[i].mode);
        jw_close(w);
    }
    jw_close(w);
    jw_close(w);
}

static void put_event(struct jwrite *w, const struct session_event *e)
{
    jw_open(w, NULL, '{');
    jw_str(w, "time", e->time);
    jw_str(w, "kind", e->kind);
    jw_str(w, "text", e->text);
    jw_int(w, "checkpoint", e->checkpoint);
    if (e->command)
        jw_str(w, "command", e->command);
    if (e->trace)
        jw_str(w, "trace", e->trace);
    if (e->log)
        jw_str(w, "log", e->log);
    if (isfinite(e->seconds))
        jw_num(w, "seconds", e->seconds);
    jw_close(w);
}

static void put_settings(struct jwrite *w, const struct session *s)
{
    jw_str(w, "source", s->source);
    jw_str(w, "here", s->here);
    put_words(w, "app", &s->app);
    put_words(w, "variables", &s->variables);
    jw_bool(w, "hidden", s->hidden);
    jw_str(w, "build", s->build);
    jw_str(w, "test", s->test);
    jw_str(w, "tolerance", s->tolerance);
    jw_str(w, "patches", s->patches);
    jw_str(w, "propose", s->propose);
    jw_num(w, "goal_pct", s->goal_pct);
    jw_num(w, "budget_s", s->budget_s);
    jw_int(w, "repeat", s->repeat);
    jw_int(w, "plateau", s->plateau);
}

void session_write(const struct session *s, struct str *out)
{
    struct jwrite w;
    jw_init(&w, out, 1);
    jw_open(&w, NULL, '{');
    jw_int(&w, "version", SESSION_VERSION);
    jw_str(&w, "id", s->id);
    jw_str(&w, "created", s->created);
    jw_str(&w, "updated", s->updated);
    put_settings(&w, s);
    jw_int(&w, "current", s->current);
    jw_int(&w, "moving", s->moving);
    jw_str(&w, "trace", s->trace);
    jw_open(&w, "checkpoints", '[');
    for (size_t i = 0; i < s->checkpoints.n; i++)
        put_checkpoint(&w, &s->checkpoints.v[i]);
    jw_close(&w);
    jw_open(&w, "events", '[');
    for (size_t i = 0; i < s->events.n; i++)
        put_event(&w, &s->events.v[i]);
    jw_close(&w);
    jw_close(&w);
    str_putc(out, '\n');
}

/* ---- in ---- */

static const char *text_of(struct jread *j, struct arena *a, const char *otherwise)
{
    const char *s = jr_str(j, NULL);
    return s ? arena_strdup(a, s) : otherwise;
}

static void get_words(struct jread *j, struct words *out, struct arena *a)
{
    if (jr_array(j))
        while (jr_item(j))
            vec_push(out, a, text_of(j, a, ""));
}

static void get_files(struct jread *j, struct tree_files *out, struct arena *a)
{
    if (!jr_array(j))
        return;
    while (jr_item(j)) {
        struct tree_file f = {.path = "", .object = ""};
        if (jr_object(j))
            while (jr_key(j)) {
                if (jr_is(j, "path"))
                    f.path = text_of(j, a, "");
                else if (jr_is(j, "object"))
                    f.object = text_of(j, a, "");
                else if (jr_is(j, "mode"))
                    f.mode = jr_int(j, 0600) & 0777;
                else
                    jr_skip(j);
            }
        vec_push(out, a, f);
    }
}

static void get_checkpoint(struct jread *j, struct session *s)
{
    struct arena *a = s->arena;
    struct checkpoint c = {.number = -1, .parent = -1};
    c.time = c.summary = c.finding = c.result = c.commit = c.key = "";
    c.change_pct = c.noise_pct = c.predicted_pct = NAN;
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "number"))
            c.number = jr_int(j, -1);
        else if (jr_is(j, "parent"))
            c.parent = jr_int(j, -1);
        else if (jr_is(j, "time"))
            c.time = text_of(j, a, "");
        else if (jr_is(j, "summary"))
            c.summary = text_of(j, a, "");
        else if (jr_is(j, "finding"))
            c.finding = text_of(j, a, "");
        else if (jr_is(j, "result"))
            c.result = text_of(j, a, "");
        else if (jr_is(j, "commit"))
            c.commit = text_of(j, a, "");
        else if (jr_is(j, "key"))
            c.key = text_of(j, a, "");
        else if (jr_is(j, "change_pct"))
            c.change_pct = jr_num(j, NAN);
        else if (jr_is(j, "noise_pct"))
            c.noise_pct = jr_num(j, NAN);
        else if (jr_is(j, "predicted_pct"))
            c.predicted_pct = jr_num(j, NAN);
        else if (jr_is(j, "blacklisted"))
            c.blacklisted = jr_bool(j, false);
        else if (jr_is(j, "files"))
            get_files(j, &c.files, a);
        else
            jr_skip(j);
    }
    vec_push(&s->checkpoints, a, c);
}

static void get_event(struct jread *j, struct session *s)
{
    struct arena *a = s->arena;
    struct session_event e = {.time = "", .kind = "", .text = "", .seconds = NAN};
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "time"))
            e.time = text_of(j, a, "");
        else if (jr_is(j, "kind"))
            e.kind = text_of(j, a, "");
        else if (jr_is(j, "text"))
            e.text = text_of(j, a, "");
        else if (jr_is(j, "checkpoint"))
            e.checkpoint = jr_int(j, 0);
        else if (jr_is(j, "command"))
            e.command = text_of(j, a, NULL);
        else if (jr_is(j, "trace"))
            e.trace = text_of(j, a, NULL);
        else if (jr_is(j, "log"))
            e.log = text_of(j, a, NULL);
        else if (jr_is(j, "seconds"))
            e.seconds = jr_num(j, NAN);
        else
            jr_skip(j);
    }
    vec_push(&s->events, a, e);
}

static bool get_settings(struct jread *j, struct session *s)
{
    const struct {
        const char *key, **to;
    } texts[] = {{"created", &s->created},     {"updated", &s->updated}, {"source", &s->source},
                 {"here", &s->here},           {"build", &s->build},     {"test", &s->test},
                 {"tolerance", &s->tolerance}, {"patches", &s->patches}, {"propose", &s->propose},
                 {"trace", &s->trace}};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        if (jr_is(j, texts[i].key)) {
            *texts[i].to = text_of(j, s->arena, NULL);
            return true;
        }
    if (jr_is(j, "app"))
        get_words(j, &s->app, s->arena);
    else if (jr_is(j, "variables"))
        get_words(j, &s->variables, s->arena);
    else if (jr_is(j, "hidden"))
        s->hidden = jr_bool(j, false);
    else if (jr_is(j, "goal_pct"))
        s->goal_pct = jr_num(j, NAN);
    else if (jr_is(j, "budget_s"))
        s->budget_s = jr_num(j, NAN);
    else if (jr_is(j, "repeat"))
        s->repeat = jr_int(j, 3);
    else if (jr_is(j, "plateau"))
        s->plateau = jr_int(j, 2);
    else
        return false;
    return true;
}

static bool is_sound(const struct session *s)
{
    bool sound = s->source && *s->source == '/' && s->checkpoints.n && s->repeat > 0 &&
                 session_checkpoint(s, s->current);
    for (size_t i = 0; sound && i < s->checkpoints.n; i++)
        sound = s->checkpoints.v[i].number == (int64_t)i && s->checkpoints.v[i].parent < (int64_t)i;
    return sound;
}

bool session_read(struct session *s, const char *text, size_t n, struct gs_error *err)
{
    struct jread *j = jr_text(s->arena, text, n);
    int64_t version = 0;
    if (jr_object(j))
        while (jr_key(j)) {
            if (jr_is(j, "version"))
                version = jr_int(j, 0);
            else if (jr_is(j, "current"))
                s->current = jr_int(j, 0);
            else if (jr_is(j, "moving"))
                s->moving = jr_int(j, NOT_MOVING);
            else if (jr_is(j, "checkpoints") && jr_array(j))
                while (jr_item(j))
                    get_checkpoint(j, s);
            else if (jr_is(j, "events") && jr_array(j))
                while (jr_item(j))
                    get_event(j, s);
            else if (!get_settings(j, s))
                jr_skip(j);
        }
    if (!jr_end(j, err))
        return false;
    if (version > SESSION_VERSION)
        return fail(err, GS_E_FORMAT, "version %lld of sessions is newer than this program",
                    (long long)version);
    return is_sound(s) || fail(err, GS_E_FORMAT, "this is no session");
}
