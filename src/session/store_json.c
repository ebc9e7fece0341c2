/*
 * session.json: a session to text and back. What a newer version adds is skipped.
 */
#include <math.h>
#include <string.h>

#include "field/field.h"
#include "session/session.h"
#include "session/store.h"

enum { COMMIT_LETTERS = 40, SUM_LETTERS = OBJECT_NAME - 1 };

#define TEXT(member, doc) OR_NULL(T, member, FIELD_TEXT, #member, doc)
#define NUMBER(member, doc) ALWAYS(T, member, FIELD_I64, #member, doc)
#define REAL(member, doc) OR_NULL(T, member, FIELD_NUM, #member, doc)

const char *const outcome_words[] = {
#define OUTCOME(name, word) word,
#include "session/outcomes.def"
#undef OUTCOME
#define OUTCOME(name, word) word ", pruned",
#include "session/outcomes.def"
#undef OUTCOME
    NULL};

const char *const event_words[] = {
#define EVENT(name, word) word,
#include "session/events.def"
#undef EVENT
    NULL};

#define T struct tree_file
PART(file_fields, T, TEXT(path, "in the source folder"),
     TEXT(object, "its content; empty: there is no such file"), NUMBER(mode, "permissions"));
#undef T

#define T struct checkpoint
static const struct checkpoint no_checkpoint = {
    .number = -1, .parent = -1, .change_pct = NAN, .noise_pct = NAN, .predicted_pct = NAN};
static const struct field checkpoint_list[] = {
    NUMBER(number, "from 0"),
    NUMBER(parent, "the one it was made from; -1: none"),
    TEXT(time, "it was made"),
    TEXT(summary, "of the edit"),
    TEXT(finding, "it was made for"),
    OR_NULL(T, result, FIELD_ENUM, "result", "base, trying, kept, or why it was taken back",
            .words = outcome_words),
    TEXT(commit, "in git; empty: none"),
    TEXT(key, "of the edit's text, to know it again"),
    REAL(change_pct, "of the time; null: not known"),
    REAL(noise_pct, "of the measurement"),
    REAL(predicted_pct, "by the finding"),
    ALWAYS(T, blacklisted, FIELD_BOOL, "blacklisted", "never to be tried again"),
    ALWAYS(T, files, FIELD_LIST, "files", "all that the session has touched", .of = &file_fields),
};
static const struct fields checkpoint_fields = {
    "", "", checkpoint_list, ARRAY_LEN(checkpoint_list), sizeof(T), &no_checkpoint};
#undef T

static bool has_seconds(const void *event)
{
    return isfinite(((const struct session_event *)event)->seconds);
}

#define T struct session_event
#define SOME(member, doc) IF_ANY(T, member, FIELD_TEXT, #member, doc)
static const struct session_event no_event = {.seconds = NAN};
static const struct field event_list[] = {
    TEXT(time, "it happened"),
    OR_NULL(T, kind, FIELD_ENUM, "kind", "one word", .words = event_words),
    TEXT(text, "for people"),
    NUMBER(checkpoint, "the state of the source then"),
    SOME(command, "that was run"),
    SOME(trace, "that was made"),
    SOME(log, "of its output"),
    IF_ANY(T, seconds, FIELD_NUM, "seconds", "it took", .has = has_seconds),
};
static const struct fields event_fields = {"",        "",       event_list, ARRAY_LEN(event_list),
                                           sizeof(T), &no_event};
#undef T

#define T struct session
PART(session_fields, T, TEXT(created, "time"), TEXT(updated, "time"),
     TEXT(source, "the folder that is edited"), TEXT(here, "where programs run"),
     ALWAYS(T, app, FIELD_LIST, "app", "secrets hidden", .of = &field_texts),
     ALWAYS(T, variables, FIELD_LIST, "variables", "their names alone", .of = &field_texts),
     ALWAYS(T, hidden, FIELD_BOOL, "hidden", "something of app was a secret"),
     TEXT(build, "command"), TEXT(test, "command"), TEXT(tolerance, "of the output's numbers"),
     TEXT(patches, "folder of edits"), TEXT(propose, "command that prints edits"),
     REAL(goal_pct, "less time to stop at"), REAL(budget_s, "to stop after"),
     NUMBER(repeat, "runs of each state"), NUMBER(plateau, "flat edits to stop after"),
     NUMBER(current, "checkpoint that is judged good"),
     NUMBER(moving, "checkpoint whose files may be there; -1: none"),
     TEXT(trace, "folder of the runs of the current state"),
     ALWAYS(T, checkpoints, FIELD_LIST, "checkpoints", "in order", .of = &checkpoint_fields),
     ALWAYS(T, events, FIELD_LIST, "events", "in order", .of = &event_fields));
#undef T

struct head {
    int64_t version;
};
PART(head_fields, struct head,
     ALWAYS(struct head, version, FIELD_I64, "version", "of this layout"));

void session_write(const struct session *s, struct str *out)
{
    struct jwrite w;
    jw_init(&w, out, 1);
    jw_open(&w, NULL, '{');
    jw_int(&w, "version", SESSION_VERSION);
    jw_str(&w, "id", s->id); /* for people: it is known by its folder */
    fields_write_members(&w, &session_fields, s);
    jw_close(&w);
    str_putc(out, '\n');
}

/* ---- in ---- */

/* Texts that everybody takes to be there; anybody may have edited the file. */
static void fill(const char **texts[], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!*texts[i])
            *texts[i] = "";
}

static void fill_words(struct words *w)
{
    for (size_t i = 0; i < w->n; i++)
        fill((const char **[]){&w->v[i]}, 1);
}

static void make_whole(struct session *s)
{
    fill_words(&s->app);
    fill_words(&s->variables);
    for (size_t i = 0; i < s->checkpoints.n; i++) {
        struct checkpoint *c = &s->checkpoints.v[i];
        const char **texts[] = {&c->time, &c->summary, &c->finding, &c->commit, &c->key};
        fill(texts, ARRAY_LEN(texts));
        for (size_t k = 0; k < c->files.n; k++) {
            fill((const char **[]){&c->files.v[k].path, &c->files.v[k].object}, 2);
            c->files.v[k].mode &= 0777;
        }
    }
    for (size_t i = 0; i < s->events.n; i++) {
        struct session_event *e = &s->events.v[i];
        fill((const char **[]){&e->time, &e->text}, 2);
        e->well = str_eq(e->text, STEP_WELL);
    }
}

/* Names of contents and commits become parts of paths and words of git: they are sums, or none. */
static bool is_sum(const char *name, size_t least)
{
    size_t n = strspn(name, "0123456789abcdef");
    return !*name || (!name[n] && n >= least && n <= SUM_LETTERS);
}

static bool has_sums(const struct checkpoint *c)
{
    bool has = is_sum(c->commit, COMMIT_LETTERS);
    for (size_t i = 0; has && i < c->files.n; i++)
        has = is_sum(c->files.v[i].object, SUM_LETTERS);
    return has;
}

static bool is_sound(const struct session *s)
{
    bool sound = s->source && *s->source == '/' && s->checkpoints.n && s->repeat > 0 &&
                 session_checkpoint(s, s->current);
    for (size_t i = 0; sound && i < s->checkpoints.n; i++)
        sound = s->checkpoints.v[i].number == (int64_t)i &&
                s->checkpoints.v[i].parent < (int64_t)i && has_sums(&s->checkpoints.v[i]);
    return sound;
}

bool session_read(struct session *s, const char *text, size_t n, struct gs_error *err)
{
    struct head head = {0};
    struct jread *j = jr_text(s->arena, text, n);
    fields_read(j, &head_fields, &head, s->arena);
    if (!jr_end(j, err))
        return false;
    if (head.version > SESSION_VERSION)
        return fail(err, GS_E_FORMAT, "version %lld of sessions is newer than this program",
                    (long long)head.version);
    fields_read(jr_text(s->arena, text, n), &session_fields, s, s->arena);
    make_whole(s);
    return is_sound(s) || fail(err, GS_E_FORMAT, "this is no session");
}
