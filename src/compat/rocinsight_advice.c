/* Recommendations and warnings of rocinsight's document. */
#include <math.h>

#include "base/array.h"
#include "base/str.h"
#include "compat/rocinsight_json.h"

static bool known_tool(const char *tool)
{
    static const char *const tools[] = {"rocprofv3", "rocprof-sys-sample", "rocprof-sys-instrument",
                                        "rocprof-sys-run", "rocprof-compute"};
    for (size_t i = 0; i < ARRAY_LEN(tools); i++)
        if (str_eq(tool, tools[i]))
            return true;
    return false;
}

static void write_finding(struct jwrite *w, const struct finding *f)
{
    jw_open(w, NULL, '{');
    jw_str(w, "id", f->id);
    jw_str(w, "priority", priority_name(f->priority));
    jw_str(w, "category", f->category);
    jw_str(w, "issue", f->issue ? f->issue : f->title);
    jw_str(w, "suggestion", f->suggestion);
    jw_open(w, "actions", '[');
    for (size_t i = 0; i < f->actions.n; i++)
        jw_str(w, NULL, f->actions.v[i]);
    jw_close(w);
    jw_str(w, "estimated_impact", finding_impact(f, w->out->arena));
    jw_num(w, "confidence", rocinsight_rounded(f->confidence, 100));
    jw_open(w, "commands", '[');
    for (size_t i = 0; i < f->commands.n; i++)
        if (known_tool(f->commands.v[i].tool))
            fields_write(w, NULL, &profiler_command_fields, &f->commands.v[i]);
    jw_close(w);
    jw_close(w);
}

/* It promises that they stand by priority; ours stand by gain. */
void rocinsight_recommendations(struct rocinsight *d)
{
    jw_open(d->w, "recommendations", '[');
    for (int p = PRIORITY_HIGH; p <= PRIORITY_INFO; p++)
        for (size_t i = 0; i < d->advice->findings.n; i++)
            if ((int)d->advice->findings.v[i]->priority == p)
                write_finding(d->w, d->advice->findings.v[i]);
    jw_close(d->w);
}

static void write_warning(struct jwrite *w, const struct warning *v)
{
    jw_open(w, NULL, '{');
    jw_str(w, "severity", v->severity);
    jw_str(w, "message", v->message);
    jw_str(w, "recommendation", v->recommendation);
    jw_close(w);
}

/* What had to be left out is said. */
static void write_omissions(struct rocinsight *d)
{
    struct arena *arena = d->w->out->arena;
    size_t commands = 0;
    for (size_t i = 0; i < d->a->copies.n; i++) {
        const struct copy_row *c = &d->a->copies.v[i];
        if (c->kind == COPY_H2H || c->kind == COPY_SET)
            write_warning(
                d->w,
                &(struct warning){
                    "info", arena_printf(arena, "not in memory_analysis: %s", c->direction), NULL});
    }
    if (isfinite(d->a->counter_stats.avg_waves))
        write_warning(d->w, &(struct warning){"info",
                                              "avg_waves, max_waves and min_waves are waves "
                                              "launched by a dispatch (SQ_WAVES), not occupancy",
                                              NULL});
    for (size_t i = 0; i < d->advice->findings.n; i++)
        for (size_t k = 0; k < d->advice->findings.v[i]->commands.n; k++)
            commands += !known_tool(d->advice->findings.v[i]->commands.v[k].tool);
    if (commands)
        write_warning(d->w,
                      &(struct warning){"info",
                                        arena_printf(arena,
                                                     "%zu commands of other vendors' tools are "
                                                     "left out",
                                                     commands),
                                        NULL});
}

void rocinsight_warnings(struct rocinsight *d)
{
    jw_open(d->w, "warnings", '[');
    for (size_t i = 0; i < d->advice->overview.warnings.n; i++)
        write_warning(d->w, &d->advice->overview.warnings.v[i]);
    write_omissions(d);
    jw_close(d->w);
    jw_open(d->w, "errors", '[');
    jw_close(d->w);
}
