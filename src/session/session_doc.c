#include "session/session_doc.h"

#include <math.h>

#include "base/str.h"

/* Time that is left after the kept changes up to each, as bars. */
static void add_time_line(struct doc *d, const struct session *s)
{
    double rest = 1;
    size_t kept = 0;
    for (size_t i = 0; i < s->checkpoints.n; i++)
        kept += s->checkpoints.v[i].result == OUTCOME_KEPT;
    if (!kept)
        return;
    doc_section(d, "time-line", "Time line", "Time line of speed-ups");
    struct block *bars = doc_bars(d, "Time of a run, against the first", NULL);
    doc_bar(bars, TONE_PLAIN, 1, "0: as found", "100.0 %%");
    for (size_t i = 1; i < s->checkpoints.n; i++) {
        const struct checkpoint *c = &s->checkpoints.v[i];
        if (c->result != OUTCOME_KEPT)
            continue;
        if (isfinite(c->change_pct))
            rest *= 1 + c->change_pct / 100;
        doc_bar(bars, TONE_GOOD, rest < 1 ? rest : 1,
                arena_printf(d->arena, "%lld: %s", (long long)c->number, c->summary),
                "%.1f %%, %.2f times as fast", 100 * rest, 1 / rest);
    }
}

struct state_row {
    const char *state, *what, *finding, *result;
    int64_t from;
    double predicted_pct, change_pct, noise_pct;
};

#define T struct state_row
PART(state_fields, T,
     FIELD(T, state, FIELD_TEXT, "State", NO_UNIT, "number; * is the state of the files",
           .right = true),
     FIELD(T, from, FIELD_I64, "From", NO_UNIT, "the state it was made from", .null = NULL_MAYBE),
     FIELD(T, what, FIELD_TEXT, "What", NO_UNIT, "the edit in short"),
     FIELD(T, finding, FIELD_TEXT, "Finding", NO_UNIT, "it was made for"),
     FIELD(T, predicted_pct, FIELD_NUM, "Predicted", IN_PERCENT, "by the finding", AS_CHANGE),
     FIELD(T, change_pct, FIELD_NUM, "Measured", IN_PERCENT, "of the time", AS_CHANGE),
     FIELD(T, noise_pct, FIELD_NUM, "Noise", IN_PERCENT, "of the measurement"),
     FIELD(T, result, FIELD_TEXT, "Result", NO_UNIT, "kept, or why it was taken back", UNCUT));
#undef T

static void add_checkpoints(struct doc *d, const struct session *s)
{
    VEC(struct state_row) rows = {0};
    for (size_t i = 0; i < s->checkpoints.n; i++) {
        const struct checkpoint *c = &s->checkpoints.v[i];
        struct state_row row = {.state = arena_printf(d->arena, "%lld%s", (long long)c->number,
                                                      c->number == s->current ? "*" : ""),
                                .from = c->parent,
                                .what = c->summary,
                                .finding = c->finding,
                                .predicted_pct = -c->predicted_pct,
                                .change_pct = c->change_pct,
                                .noise_pct = c->noise_pct,
                                .result = arena_printf(d->arena, "%s%s", outcome_words[c->result],
                                                       c->blacklisted ? ", blacklisted" : "")};
        vec_push(&rows, d->arena, row);
    }
    doc_section(d, "checkpoints", "Checkpoints", "Checkpoints");
    doc_rows(d, RESULT(state_fields, rows),
             &(struct rows){.key = "states",
                            .caption = "Changes of the time: less is better; * is the state of "
                                       "the files",
                            .empty_too = true});
}

struct event_row {
    const char *time, *kind, *what;
    int64_t state;
    double seconds;
};

#define T struct event_row
PART(event_fields, T, FIELD(T, time, FIELD_TEXT, "Time", NO_UNIT, "it happened", UNCUT),
     FIELD(T, state, FIELD_I64, "State", NO_UNIT, "of the files then"),
     FIELD(T, kind, FIELD_TEXT, "Step", NO_UNIT, "in a word", UNCUT),
     FIELD(T, seconds, FIELD_NUM, "Seconds", NO_UNIT, "it took", AS_DECIMALS(2)),
     FIELD(T, what, FIELD_TEXT, "What", NO_UNIT, "what happened, and the command"));
#undef T

static void add_events(struct doc *d, const struct session *s)
{
    VEC(struct event_row) rows = {0};
    for (size_t i = 0; i < s->events.n; i++) {
        const struct session_event *e = &s->events.v[i];
        const char *what = arena_printf(d->arena, "%s%s%s", e->text, e->command ? ": " : "",
                                        e->command ? e->command : "");
        vec_push(
            &rows, d->arena,
            ((struct event_row){e->time, event_words[e->kind], what, e->checkpoint, e->seconds}));
    }
    doc_section(d, "events", "Events", "Everything that happened");
    doc_rows(d, RESULT(event_fields, rows),
             &(struct rows){.key = "events", .caption = "", .empty_too = true});
}

struct doc *session_doc(const struct session *s, bool events, struct arena *a)
{
    struct doc *d = doc_new(a);
    size_t tried = 0, kept = 0;
    for (size_t i = 1; i < s->checkpoints.n; i++) {
        tried++;
        kept += s->checkpoints.v[i].result == OUTCOME_KEPT;
    }
    doc_title(d, "Session %s", s->id);
    doc_fact(d, "Program", "%s", shell_line(a, &s->app));
    doc_fact(d, "Source", "%s", s->source);
    doc_fact(d, "Began", "%s", s->created);
    doc_fact(d, "Last step", "%s", s->updated);
    if (s->build)
        doc_fact(d, "Build", "%s", s->build);
    if (s->test)
        doc_fact(d, "Test", "%s", s->test);
    doc_fact(d, "Edits", "%zu tried, %zu kept", tried, kept);
    doc_fact(d, "Gain", "%.1f %% less time than at first", session_gain_pct(s));
    if (s->moving != NOT_MOVING)
        doc_callout(d, TONE_WARN,
                    "It was interrupted while files were changed; "
                    "'gpusight session resume %s' puts them right.",
                    s->id);
    add_time_line(d, s);
    add_checkpoints(d, s);
    if (events)
        add_events(d, s);
    return d;
}
