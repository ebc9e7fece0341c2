#include <math.h>

#include "advise/rule.h"
#include "render/analysis_json_in.h"

static void write_claims(struct jwrite *w, const struct finding *f)
{
    jw_open(w, "claims", '[');
    for (enum cause c = 0; c < CAUSES; c++) {
        if (!f->granted[c])
            continue;
        jw_open(w, NULL, '{');
        jw_str(w, "cause", cause_info(c)->key);
        jw_int(w, "ns", f->granted[c]);
        jw_close(w);
    }
    jw_close(w);
}

static void int_or_null(struct jwrite *w, const char *key, bool known, int64_t value)
{
    if (known)
        jw_int(w, key, value);
    else
        jw_null(w, key);
}

static void write_evidence(struct jwrite *w, const struct evidence *e)
{
    jw_open(w, NULL, '{');
    jw_str(w, "text", e->text);
    jw_str(w, "metric", e->metric);
    jw_num(w, "value", e->value);
    jw_num(w, "threshold", e->threshold);
    jw_str(w, "unit", e->unit);
    int_or_null(w, "start_ns", e->has_range, e->start_ns);
    int_or_null(w, "end_ns", e->has_range, e->end_ns);
    int_or_null(w, "gpu", e->gpu >= 0, e->gpu);
    int_or_null(w, "id", e->id_kind != NULL, e->id);
    jw_str(w, "id_kind", e->id_kind);
    jw_close(w);
}

void write_command(struct jwrite *w, const struct profiler_command *c)
{
    jw_open(w, NULL, '{');
    jw_str(w, "tool", c->tool);
    jw_str(w, "description", c->description);
    jw_open(w, "flags", '[');
    for (size_t i = 0; i < c->flags.n; i++)
        jw_str(w, NULL, c->flags.v[i]);
    jw_close(w);
    jw_open(w, "args", '[');
    for (size_t i = 0; i < c->args.n; i++) {
        jw_open(w, NULL, '{');
        jw_str(w, "name", c->args.v[i].name);
        jw_str(w, "value", c->args.v[i].value);
        jw_close(w);
    }
    jw_close(w);
    jw_str(w, "full_command", c->full_command);
    jw_close(w);
}

static void write_lists(struct jwrite *w, const struct finding *f)
{
    jw_open(w, "actions", '[');
    for (size_t i = 0; i < f->actions.n; i++)
        jw_str(w, NULL, f->actions.v[i]);
    jw_close(w);
    write_claims(w, f);
    jw_open(w, "evidence", '[');
    for (size_t i = 0; i < f->evidence.n; i++)
        write_evidence(w, &f->evidence.v[i]);
    jw_close(w);
    jw_open(w, "commands", '[');
    for (size_t i = 0; i < f->commands.n; i++)
        write_command(w, &f->commands.v[i]);
    jw_close(w);
}

static void write_prediction(struct jwrite *w, const struct finding *f)
{
    bool known = f->predicted_by != NULL;
    jw_str(w, "predicted_by", f->predicted_by);
    int_or_null(w, "recorded_ns", known, f->recorded_ns);
    int_or_null(w, "predicted_ns", known, f->predicted_ns);
    int_or_null(w, "predicted_low_ns", known, f->predicted_low_ns);
    int_or_null(w, "predicted_high_ns", known, f->predicted_high_ns);
    jw_num(w, "predicted_speedup", known ? f->predicted_speedup : NAN);
    jw_str(w, "next_limit", f->next_limit);
    jw_str(w, "predicted_because", f->predicted_why && *f->predicted_why ? f->predicted_why : NULL);
}

static void write_finding(struct analysis_document *d, const struct finding *f)
{
    struct jwrite *w = d->w;
    jw_open(w, NULL, '{');
    jw_str(w, "id", f->id);
    jw_str(w, "rule", f->rule->name);
    jw_str(w, "priority", priority_name(f->priority));
    jw_str(w, "category", f->category);
    jw_str(w, "title", f->title);
    jw_str(w, "issue", f->issue ? f->issue : f->title);
    jw_str(w, "suggestion", f->suggestion);
    jw_str(w, "estimated_impact", finding_impact(f, w->out->arena));
    jw_num(w, "confidence", f->confidence);
    jw_str(w, "confidence_reason", f->confidence_reason);
    jw_str(w, "bottleneck_type", bottleneck_name(f->bottleneck));
    jw_str(w, "action_category", action_category_name(f->action_category));
    jw_str(w, "scope", f->scope);
    jw_int(w, "claimed_ns", f->claimed_ns);
    jw_num(w, "runtime_fraction_pct", f->runtime_fraction_pct);
    jw_num(w, "estimated_speedup_pct_lower", f->speedup_lower_pct);
    jw_num(w, "estimated_speedup_pct_upper", f->speedup_upper_pct);
    write_prediction(w, f);
    write_lists(w, f);
    jw_close(w);
}

void write_recommendations(struct analysis_document *d)
{
    jw_open(d->w, "recommendations", '[');
    for (size_t i = 0; i < d->advice->findings.n; i++)
        write_finding(d, d->advice->findings.v[i]);
    jw_close(d->w);
}
