#include "report/path_doc.h"

#include "base/human.h"

enum { BARS_MOST = 8 };

static void bars(struct doc *d, const struct analysis *a)
{
    char time[HUMAN_MAX], share[HUMAN_MAX], length[HUMAN_MAX];
    struct block *b =
        doc_bars(d, arena_printf(d->arena,
                                 "of %s from the first launch to the end; a replay of the graph is "
                                 "off by %.2f %%",
                                 human_time(length, a->path_stats.length_ns),
                                 a->path_stats.replay_error_pct));
    for (size_t i = 0; i < a->path.n && i < BARS_MOST; i++)
        doc_bar(b, TONE_PLAIN, a->path.v[i].pct / 100, a->path.v[i].label, "%s  %s",
                human_pct(share, a->path.v[i].pct), human_time(time, a->path.v[i].ns));
}

static const char *slack(struct doc *d, const struct path_member *m)
{
    char time[HUMAN_MAX];
    return m->least_slack_ns < 0
               ? "-"
               : arena_printf(d->arena, "%s", human_time(time, m->least_slack_ns));
}

static void members(struct doc *d, const struct analysis *a, size_t rows)
{
    struct block *t = doc_table(
        d, "slack: how much longer the first one that is not on the path could take before it is");
    char path[HUMAN_MAX], total[HUMAN_MAX], share[HUMAN_MAX], times[HUMAN_MAX];
    doc_column(t, "on the path", COLUMN_TEXT);
    doc_column(t, "", COLUMN_KEEP);
    doc_column(t, "times", COLUMN_NUMBER);
    doc_column(t, "on path", COLUMN_NUMBER);
    doc_column(t, "share", COLUMN_NUMBER);
    doc_column(t, "of all", COLUMN_NUMBER);
    doc_column(t, "slack", COLUMN_NUMBER);
    for (size_t i = 0; i < a->path_members.n && i < rows; i++) {
        const struct path_member *m = &a->path_members.v[i];
        doc_cell(t, "%s", m->name);
        doc_cell(t, "%s", m->what);
        doc_cell(t, "%s", human_count(times, m->on_path));
        doc_cell(t, "%s", human_time(path, m->path_ns));
        doc_cell(t, "%s", human_pct(share, m->pct));
        doc_cell(t, "%s", human_time(total, m->total_ns));
        doc_cell(t, "%s", slack(d, m));
    }
}

void path_section(struct doc *d, const struct analysis *a, size_t rows)
{
    if (!a->depend || !a->path.n)
        return;
    doc_heading(d, 2, "Critical path");
    bars(d, a);
    if (a->path_members.n)
        members(d, a, rows);
    if (a->path_stats.rough)
        doc_callout(d, TONE_WARN, "the replay is off by more than 2 %%: predicted times are rough");
    if (a->path_stats.unlinked == a->path_stats.ops)
        doc_text(d,
                 "No kernel has a recorded call: what they waited for on the host is not known.");
}
