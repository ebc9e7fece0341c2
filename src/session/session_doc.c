#include "session/session_doc.h"

#include <math.h>

#include "base/str.h"

static const char *percent(double v, struct arena *a)
{
    return isfinite(v) ? arena_printf(a, "%+.1f %%", v) : "";
}

/* Time that is left after the kept changes up to each, as bars. */
static void add_time_line(struct doc *d, const struct session *s)
{
    double rest = 1;
    size_t kept = 0;
    for (size_t i = 0; i < s->checkpoints.n; i++)
        kept += str_eq(s->checkpoints.v[i].result, "kept");
    if (!kept)
        return;
    doc_section(d, "time-line", "Time line", "Time line of speed-ups");
    struct block *bars = doc_bars(d, "Time of a run, against the first", NULL);
    doc_bar(bars, TONE_PLAIN, 1, "0: as found", "100.0 %%");
    for (size_t i = 1; i < s->checkpoints.n; i++) {
        const struct checkpoint *c = &s->checkpoints.v[i];
        if (!str_eq(c->result, "kept"))
            continue;
        if (isfinite(c->change_pct))
            rest *= 1 + c->change_pct / 100;
        doc_bar(bars, TONE_GOOD, rest < 1 ? rest : 1,
                arena_printf(d->arena, "%lld: %s", (long long)c->number, c->summary),
                "%.1f %%, %.2f times as fast", 100 * rest, 1 / rest);
    }
}

static void add_checkpoints(struct doc *d, const struct session *s)
{
    static const char *const titles[] = {"State",     "From",     "What",  "Finding",
                                         "Predicted", "Measured", "Noise", "Result"};
    doc_section(d, "checkpoints", "Checkpoints", "Checkpoints");
    struct block *t =
        doc_table(d, "Changes of the time: less is better; * is the state of the files");
    for (size_t i = 0; i < ARRAY_LEN(titles); i++)
        doc_column(t, titles[i],
                   i < 2 || (i > 3 && i < 7) ? COLUMN_NUMBER
                   : i == 7                  ? COLUMN_KEEP
                                             : COLUMN_TEXT);
    for (size_t i = 0; i < s->checkpoints.n; i++) {
        const struct checkpoint *c = &s->checkpoints.v[i];
        doc_cell(t, "%lld%s", (long long)c->number, c->number == s->current ? "*" : "");
        doc_cell(t, "%s",
                 c->parent < 0 ? "" : arena_printf(d->arena, "%lld", (long long)c->parent));
        doc_cell(t, "%s", c->summary);
        doc_cell(t, "%s", c->finding);
        doc_cell(t, "%s", percent(-c->predicted_pct, d->arena));
        doc_cell(t, "%s", percent(c->change_pct, d->arena));
        doc_cell(t, "%s",
                 isfinite(c->noise_pct) ? arena_printf(d->arena, "%.1f %%", c->noise_pct) : "");
        doc_cell(t, "%s%s", c->result, c->blacklisted ? ", blacklisted" : "");
    }
}

static void add_events(struct doc *d, const struct session *s)
{
    static const char *const titles[] = {"Time", "State", "Step", "Seconds", "What"};
    doc_section(d, "events", "Events", "Everything that happened");
    struct block *t = doc_table(d, NULL);
    for (size_t i = 0; i < ARRAY_LEN(titles); i++)
        doc_column(t, titles[i],
                   i == 1 || i == 3 ? COLUMN_NUMBER
                   : i == 4         ? COLUMN_TEXT
                                    : COLUMN_KEEP);
    for (size_t i = 0; i < s->events.n; i++) {
        const struct session_event *e = &s->events.v[i];
        doc_cell(t, "%s", e->time);
        doc_cell(t, "%lld", (long long)e->checkpoint);
        doc_cell(t, "%s", e->kind);
        doc_cell(t, "%s", isfinite(e->seconds) ? arena_printf(d->arena, "%.2f", e->seconds) : "");
        doc_cell(t, "%s%s%s", e->text, e->command ? ": " : "", e->command ? e->command : "");
    }
}

struct doc *session_doc(const struct session *s, bool events, struct arena *a)
{
    struct doc *d = doc_new(a);
    size_t tried = 0, kept = 0;
    for (size_t i = 1; i < s->checkpoints.n; i++) {
        tried++;
        kept += str_eq(s->checkpoints.v[i].result, "kept");
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
