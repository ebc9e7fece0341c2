/* The report of an analysis: the verdict first, then where the time went, what to do, details. */
#include <string.h>

#include "base/fs.h"
#include "base/human.h"
#include "job/job.h"
#include "report/section.h"

static const char *job_title(const struct job *job, struct arena *arena)
{
    const char *command = job->ranks.v[0].command;
    size_t n = strcspn(command, " ");
    const char *program = fs_basename(arena_strndup(arena, command, n));
    return arena_printf(arena, "%s%s%u ranks on %u host%s", program, *program ? ", " : "",
                        job->stats.ranks, job->stats.hosts, human_s(job->stats.hosts));
}

static void badges(const struct advice *v, struct doc *d)
{
    static const struct {
        enum tone tone;
        const char *word;
    } kinds[] = {[PRIORITY_HIGH] = {TONE_BAD, "high"},
                 [PRIORITY_MEDIUM] = {TONE_WARN, "medium"},
                 [PRIORITY_LOW] = {TONE_INFO, "low"},
                 [PRIORITY_INFO] = {TONE_PLAIN, "info"}};
    size_t counts[4] = {0};
    for (size_t i = 0; i < v->findings.n; i++)
        counts[v->findings.v[i]->priority]++;
    for (size_t p = 0; p < 4; p++)
        if (counts[p])
            doc_badge(d, kinds[p].tone, "findings", "%zu %s", counts[p], kinds[p].word);
}

static void about(const struct subject *s, struct doc *d)
{
    const struct trace *t = s->a->trace;
    const struct trace_file *f = t->files.n ? &t->files.v[0] : NULL;
    if (t->files.n > 1)
        doc_about(d, "files", "%zu", t->files.n);
    doc_about(d, "format", "%s", f ? trace_format_names[f->format] : "");
    doc_about(d, "recorded by", "%s", f ? f->tool_version : "");
    doc_about(d, "tier", "%d", s->advice->overview.tier);
    doc_about(d, "path", "%s", f ? f->path : "");
    if (s->a->only)
        doc_about(d, "only", "%s", s->a->only);
}

struct doc *analysis_report(struct subject *s, const char *sections, struct arena *arena,
                            struct gs_error *err)
{
    struct doc *d = doc_new(arena);
    const struct trace *t = s->a->trace;
    s->kind = REPORT_ANALYSIS;
    analysis_results(s->a, &s->results, arena);
    d->a = s->a;
    d->timeline_limit = s->timeline_limit;
    doc_title(d, "%s",
              s->a->job    ? job_title(s->a->job, arena)
              : t->files.n ? fs_basename(t->files.v[0].path)
                           : "trace");
    badges(s->advice, d);
    about(s, d);
    return sections_build(d, s, sections, err) ? d : NULL;
}
