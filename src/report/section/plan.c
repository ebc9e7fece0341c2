/* A capture plan: what is there, what to run, and the same as a script. */
#include <math.h>
#include <string.h>

#include "base/human.h"
#include "base/sat.h"
#include "base/utf8.h"
#include "plan/plan.h"
#include "plan/quote.h"
#include "report/plan_doc.h"
#include "report/section.h"

/* "roofline, memory" */
static const char *plan_goal_names(unsigned which, struct arena *a)
{
    struct str s;
    str_init(&s, a);
    for (size_t i = 0; i < GOALS; i++)
        if (which & (1u << i))
            str_printf(&s, "%s%s", s.len ? ", " : "", plan_goals[i].name);
    return s.len ? s.buf : "none";
}

static const char *joined(const char *const *v, size_t n, const char *between, struct arena *a)
{
    struct str s;
    str_init(&s, a);
    for (size_t i = 0; i < n; i++)
        str_printf(&s, "%s%s", i ? between : "", v[i]);
    return s.len ? s.buf : "";
}

static const char *overhead_text(const struct capture *c, struct arena *a)
{
    char pct[HUMAN_MAX];
    if (c->overhead_pct < 0.1)
        return "below 0.1 %";
    return isnan(c->overhead_pct) ? "unknown"
                                  : arena_printf(a, "about %s", human_pct(pct, c->overhead_pct));
}

static const char *size_text(const struct capture *c, struct arena *a)
{
    char size[HUMAN_MAX];
    if (isnan(c->size_bytes))
        return "unknown";
    return arena_printf(a, "about %s", human_bytes(size, count_from(c->size_bytes)));
}

static const char *runs_text(const struct capture *c, struct arena *a)
{
    return arena_printf(a, "%s%llu", c->runs_exact ? "" : "about ", (unsigned long long)c->runs);
}

static bool has(const struct subject *s)
{
    return s->plan != NULL;
}

static void facts(const struct subject *s, struct doc *d)
{
    const struct plan *p = s->plan;
    const char *name = *p->product ? p->product : vendor_name(p->vendor);
    struct words all = {0};
    doc_fact(d, "GPU", "%s%s%s, %s", name, *p->arch ? " " : "", p->arch,
             plan_gpu_sources[p->gpu_source]);
    doc_fact(d, "goals", "%s", plan_goal_names(p->goals, d->arena));
    for (size_t i = 0; i < p->form.environment.n; i++)
        vec_push(&all, d->arena, p->form.environment.v[i]);
    for (size_t i = 0; i < p->form.launcher.n; i++)
        vec_push(&all, d->arena, p->form.launcher.v[i]);
    for (size_t i = 0; i < p->form.app.n; i++)
        vec_push(&all, d->arena, p->form.app.v[i]);
    doc_fact(d, "program", "%s", shell_line(d->arena, &all));
    if (p->open)
        doc_fact(d, "left open", "%s", plan_goal_names(p->open, d->arena));
    doc_fact(d, "captures", "%zu", p->captures.n);
    doc_fact(d, "runs", "%llu", (unsigned long long)p->runs);
}

static bool has_records(const struct subject *s)
{
    return s->plan->have.n > 0;
}

static void have(const struct subject *s, struct doc *d)
{
    const struct plan *p = s->plan;
    doc_rows(d, RESULT(plan_have_fields, p->have),
             &(struct rows){.caption = "not asked for again"});
}

static void one_capture(struct doc *d, const struct capture *c, size_t number)
{
    doc_heading(d, 3, "%zu. %s: %s", number, profiler_name(c->command.tool), c->title);
    doc_code(d, "%s", c->command.text);
    doc_fact(d, "why", "%s", plan_goal_names(c->goals, d->arena));
    doc_fact(d, "answers", "%s", joined(c->answers.v, c->answers.n, "; ", d->arena));
    doc_fact(d, "runs", "%s", runs_text(c, d->arena));
    doc_fact(d, "overhead", "%s", overhead_text(c, d->arena));
    doc_fact(d, "size", "%s", size_text(c, d->arena));
    doc_fact(d, "estimate", "%s", c->basis);
}

static void captures(const struct subject *s, struct doc *d)
{
    const struct plan *p = s->plan;
    if (!p->captures.n)
        doc_text(d, "%s",
                 !p->open ? "Nothing is left to capture for these goals."
                          : "Nothing can be captured for these goals.");
    for (size_t i = 0; i < p->captures.n; i++)
        one_capture(d, &p->captures.v[i], i + 1);
}

static bool has_notes(const struct subject *s)
{
    return s->plan->notes.n > 0;
}

static void notes(const struct subject *s, struct doc *d)
{
    for (size_t i = 0; i < s->plan->notes.n; i++)
        doc_item(d, "%s", s->plan->notes.v[i]);
}

const struct section section_plan_goals = {"goals", "Goals", "Goals", IN(REPORT_PLAN), has, facts};
const struct section section_plan_have = {"have",          "Already there", "Already there",
                                          IN(REPORT_PLAN), has_records,     have};
const struct section section_plan_captures = {"captures",      "Captures", "Captures",
                                              IN(REPORT_PLAN), has,        captures};
const struct section section_plan_notes = {"notes",         "Notes",   "Notes",
                                           IN(REPORT_PLAN), has_notes, notes};

struct doc *plan_report(struct subject *s, const char *sections, struct arena *arena,
                        struct gs_error *err)
{
    return sections_doc(s, REPORT_PLAN, "Capture plan", sections, arena, err);
}

/*
 * A comment ends with its line: whatever the text holds, it stays one, and reads as what it is in
 * an editor and on a terminal.
 */
static void comment(struct str *out, const char *text)
{
    str_puts(out, "# ");
    utf8_escape(out, text, strlen(text));
    str_putc(out, '\n');
}

/* How each batch system reads a script, and what it is told about every job. */
static const struct batch_script {
    const char *directive, *job, *tasks, *begin;
} batches[] = {
    [BATCH_SLURM] = {"#SBATCH ", "--job-name=gpusight", "--ntasks=", ""},
    [BATCH_PBS] = {"#PBS ", "-N gpusight", NULL, "cd -- \"$PBS_O_WORKDIR\"\n"},
    [BATCH_LSF] = {"#BSUB ", "-J gpusight", "-n ", ""},
    [BATCH_FLUX] = {"#flux: ", "--job-name=gpusight", "--ntasks=", ""},
};

/* The number of ranks that the launcher is told; NULL: none. */
static const char *tasks_of(const struct words *launcher)
{
    for (size_t i = 0; i + 1 < launcher->n; i++) {
        const char *w = launcher->v[i];
        if (str_eq(w, "-n") || str_eq(w, "-np") || str_eq(w, "--np") || str_eq(w, "--ntasks"))
            return launcher->v[i + 1];
    }
    return NULL;
}

static void directives(struct str *out, const struct plan *p)
{
    const char *tasks = tasks_of(&p->form.launcher);
    if (p->batch == BATCH_NONE)
        return;
    const struct batch_script *b = &batches[p->batch];
    str_printf(out, "%s%s\n", b->directive, b->job);
    if (tasks && b->tasks && strspn(tasks, "0123456789") == strlen(tasks))
        str_printf(out, "%s%s%s\n", b->directive, b->tasks, tasks);
    for (size_t k = 0; k < p->batch_lines.n; k++) {
        str_puts(out, b->directive);
        utf8_escape(out, p->batch_lines.v[k], strlen(p->batch_lines.v[k]));
        str_putc(out, '\n');
    }
}

static const char *begin_of(const struct plan *p)
{
    return p->batch == BATCH_NONE ? "" : batches[p->batch].begin;
}

void plan_shell(struct str *out, const struct plan *p, struct arena *a)
{
    str_puts(out, "#!/bin/sh\n");
    directives(out, p);
    comment(out, "A capture plan by 'gpusight plan'.");
    comment(out, arena_printf(a, "GPU: %s %s (%s). Goals: %s.", p->product, p->arch,
                              plan_gpu_sources[p->gpu_source], plan_goal_names(p->goals, a)));
    for (size_t i = 0; i < p->notes.n; i++)
        comment(out, arena_printf(a, "Note: %s.", p->notes.v[i]));
    str_puts(out, "set -eu\n");
    str_puts(out, begin_of(p));
    if (p->captures.n)
        str_printf(out, "mkdir -p -- %s\n", shell_word(a, p->out));
    for (size_t i = 0; i < p->captures.n; i++) {
        const struct capture *c = &p->captures.v[i];
        str_putc(out, '\n');
        comment(out, arena_printf(a, "%zu of %zu, %s: %s", i + 1, p->captures.n,
                                  profiler_name(c->command.tool), c->title));
        comment(out, arena_printf(a, "for %s; runs %s, overhead %s, size %s",
                                  plan_goal_names(c->goals, a), runs_text(c, a),
                                  overhead_text(c, a), size_text(c, a)));
        str_printf(out, "%s\n", c->command.text);
    }
}
