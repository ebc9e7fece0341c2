/* The analysis in brief. Which tables are told depends on what costs most. */
#include <math.h>

#include "llm/json_copy.h"
#include "llm/prompt.h"
#include "render/analysis_json_in.h"
#include "source/source.h"

struct telling {
    struct jwrite w;
    struct str out;
    const struct run *run;
    bool copies, counters; /* they matter, or nobody knows what does */
    size_t kernels;
};

static void put_texts(struct jwrite *w, const char *key, const char *const *v, size_t n)
{
    jw_open(w, key, '[');
    for (size_t i = 0; i < n; i++)
        jw_str(w, NULL, v[i]);
    jw_close(w);
}

static void put_pct(struct jwrite *w, const char *key, double v)
{
    if (!isnan(v))
        jw_num(w, key, round(v * 100) / 100);
}

static void put_finding(struct jwrite *w, const struct finding *f, size_t i)
{
    jw_open(w, NULL, '{');
    jw_uint(w, "number", i + 1);
    jw_str(w, "id", f->id);
    jw_str(w, "title", f->title);
    jw_str(w, "priority", priority_name(f->priority));
    jw_str(w, "category", f->category);
    jw_str(w, "bottleneck", bottleneck_name(f->bottleneck));
    jw_str(w, "issue", f->issue);
    jw_str(w, "suggestion", f->suggestion);
    jw_str(w, "where", f->scope);
    jw_int(w, "claimed_ns", f->claimed_ns);
    put_pct(w, "share_of_gpu_time_pct", f->runtime_fraction_pct);
    put_pct(w, "speedup_lower_pct", f->speedup_lower_pct);
    put_pct(w, "speedup_upper_pct", f->speedup_upper_pct);
    if (f->predicted_by) {
        jw_int(w, "recorded_ns", f->recorded_ns);
        jw_int(w, "predicted_ns", f->predicted_ns);
        jw_str(w, "next_limit", f->next_limit);
    }
    put_pct(w, "confidence_pct", 100 * f->confidence);
    jw_str(w, "confidence_reason", f->confidence_reason);
    jw_open(w, "evidence", '[');
    for (size_t k = 0; k < f->evidence.n && k < 6; k++)
        jw_str(w, NULL, f->evidence.v[k].text);
    jw_close(w);
    put_texts(w, "actions", (const char *const *)f->actions.v, f->actions.n < 4 ? f->actions.n : 4);
    jw_open(w, "commands", '[');
    for (size_t k = 0; k < f->commands.n && k < 2; k++)
        jw_str(w, NULL, f->commands.v[k].full_command);
    jw_close(w);
    jw_close(w);
}

static void put_kernel(struct telling *t, const struct hotspot *h)
{
    struct jwrite *w = &t->w;
    jw_open(w, NULL, '{');
    jw_uint(w, "rank", h->rank);
    jw_str(w, "name", h->name);
    jw_str(w, "category", kernel_role_labels[h->category]);
    jw_uint(w, "calls", h->calls);
    jw_int(w, "total_ns", h->total_duration_ns);
    jw_num(w, "avg_ns", round(h->avg_duration_ns));
    jw_int(w, "median_ns", h->median_ns);
    jw_int(w, "max_ns", h->max_duration_ns);
    put_pct(w, "pct_of_kernel_time", h->pct_of_total);
    put_pct(w, "pct_of_gpu_time", h->pct_of_wall);
    for (size_t i = 0; t->counters && i < t->run->analysis->resources.n; i++) {
        const struct resource_row *r = &t->run->analysis->resources.v[i];
        if (str_eq(r->name, h->name))
            put_pct(w, "occupancy_pct", r->occupancy_pct);
    }
    jw_close(w);
}

static void put_verdict(struct telling *t)
{
    const struct advice *v = &t->run->advice;
    struct jwrite *w = &t->w;
    jw_open(w, "verdict", '{');
    jw_str(w, "status", verdict_status_name(v->verdict.status));
    jw_str(w, "headline", v->verdict.headline);
    jw_int(w, "recoverable_ns", v->verdict.recoverable_ns);
    put_pct(w, "recoverable_pct", v->verdict.recoverable_pct);
    if (v->verdict.together > 1) {
        jw_uint(w, "findings_followed_together", v->verdict.together);
        jw_int(w, "time_then_ns", v->verdict.together_ns);
        put_pct(w, "speedup_then", v->verdict.together_speedup);
    }
    jw_str(w, "bottleneck", primary_names[v->overview.bottleneck]);
    put_pct(w, "bottleneck_confidence_pct", 100 * v->overview.confidence);
    jw_str(w, "assessment", v->overview.assessment);
    put_texts(w, "key_findings", (const char *const *)v->overview.key_findings.v,
              v->overview.key_findings.n);
    jw_close(w);
}

static void put_ledger(struct telling *t)
{
    const struct analysis *a = t->run->analysis;
    struct jwrite *w = &t->w;
    jw_open(w, "ledger", '[');
    for (enum cause c = 0; c < CAUSES; c++) {
        if (!a->ledger.ns[c])
            continue;
        jw_open(w, NULL, '{');
        jw_str(w, "cause", cause_info(c)->label);
        jw_int(w, "ns", a->ledger.ns[c]);
        put_pct(w, "pct", 100.0 * (double)a->ledger.ns[c] / (double)a->breakdown.gpu_time_ns);
        jw_close(w);
    }
    jw_close(w);
}

static void put_devices(struct telling *t)
{
    const struct trace *tr = &t->run->trace;
    struct jwrite *w = &t->w;
    jw_open(w, "gpus", '[');
    for (size_t i = 0; i < tr->gpus.n && i < 16; i++) {
        const struct gpu *g = &tr->gpus.v[i];
        if (!g->used)
            continue;
        jw_open(w, NULL, '{');
        jw_str(w, "name", trace_str(tr, g->name));
        jw_str(w, "arch", trace_str(tr, g->arch));
        jw_uint(w, "compute_units", g->cu_count);
        jw_close(w);
    }
    jw_close(w);
}

/* Some rows of a table of the analysis, with all their fields. */
static void put_table(struct telling *t, const struct results *all, const char *key, size_t most)
{
    const struct result *r = results_find(all, key);
    if (!r || !r->n)
        return;
    if (r->is_object)
        fields_write(&t->w, key, r->fields, r->rows);
    else
        fields_write_rows(&t->w, key, r->fields, r->rows, r->n < most ? r->n : most);
}

static void put_job(struct telling *t)
{
    const struct job *j = t->run->job;
    struct jwrite *w = &t->w;
    if (!j || j->ranks.n < 2)
        return;
    jw_open(w, "job", '{');
    jw_uint(w, "ranks", j->stats.ranks);
    jw_uint(w, "hosts", j->stats.hosts);
    put_pct(w, "imbalance", j->stats.imbalance);
    if (j->has_straggler)
        jw_int(w, "straggler_rank", j->straggler.rank);
    jw_close(w);
}

/* What was recorded, so that nothing is concluded from what was not. */
static void put_capabilities(struct telling *t)
{
    const struct capabilities *c = &t->run->analysis->capabilities;
    for (int present = 1; present >= 0; present--) {
        jw_open(&t->w, present ? "recorded" : "not_recorded", '[');
        for (size_t i = 0; i < c->n; i++)
            if (c->v[i].present == (present == 1))
                jw_str(&t->w, NULL, c->v[i].key);
        jw_close(&t->w);
    }
}

static void choose(struct telling *t)
{
    enum primary b = t->run->advice.overview.bottleneck;
    bool clear = b != PRIMARY_MIXED && b != PRIMARY_UNKNOWN;
    bool memory = b == PRIMARY_TRANSFER || b == PRIMARY_MEMORY;
    t->copies = !clear || memory;
    t->counters = !clear || memory || b == PRIMARY_COMPUTE;
    t->kernels = clear ? 3 : 5;
}

static void put_analysis(struct telling *t)
{
    const struct analysis *a = t->run->analysis;
    struct results all = {0};
    analysis_results(a, &all, t->out.arena);
    choose(t);
    put_verdict(t);
    fields_write(&t->w, "breakdown", &breakdown_fields, &a->breakdown);
    put_ledger(t);
    jw_open(&t->w, "findings", '[');
    for (size_t i = 0; i < t->run->advice.findings.n && i < 12; i++)
        put_finding(&t->w, t->run->advice.findings.v[i], i);
    jw_close(&t->w);
    jw_open(&t->w, "top_kernels", '[');
    for (size_t i = 0; i < a->hotspots.n && i < t->kernels; i++)
        put_kernel(t, &a->hotspots.v[i]);
    jw_close(&t->w);
    if (t->copies)
        put_table(t, &all, "copies", 8);
    put_table(t, &all, "phases", 8);
    put_devices(t);
    put_job(t);
    put_capabilities(t);
    jw_open(&t->w, "data_quality", '{');
    jw_str(&t->w, "grade", (const char[]){a->quality.grade, 0});
    jw_int(&t->w, "points_of_100", a->quality.points);
    jw_close(&t->w);
}

static struct telling *begin(struct llm *l, const struct run *run)
{
    struct telling *t = arena_new(l->arena, struct telling);
    t->run = run;
    str_init(&t->out, l->arena);
    jw_init(&t->w, &t->out, 0);
    jw_open(&t->w, NULL, '{');
    return t;
}

/* Names can be as long as their makers like; a few hundred letters tell which one it is. */
static const char *clipped(void *ctx, const char *text, size_t n, bool is_key)
{
    enum { MOST = 600 };
    struct arena *a = ctx;
    if (n <= MOST || is_key)
        return arena_strndup(a, text, n);
    for (n = MOST; n && ((unsigned char)text[n] & 0xc0) == 0x80;)
        n--;
    return arena_printf(a, "%.*s\xe2\x80\xa6", (int)n, text);
}

static const char *finish(struct llm *l, struct telling *t)
{
    struct json_change clip = {clipped, l->arena};
    jw_close(&t->w);
    l->data = t->out.buf;
    const char *sent = redact_json(&l->redact, t->out.buf, false);
    return prompt_quoted(json_changed(sent, &clip, l->arena), l->arena);
}

const char *prompt_analysis(struct llm *l, const struct run *run)
{
    struct telling *t = begin(l, run);
    put_analysis(t);
    return finish(l, t);
}

const char *prompt_source(struct llm *l, const struct run *run)
{
    struct telling *t = begin(l, run);
    const struct source_scan *s = run->source;
    struct jwrite *w = &t->w;
    jw_str(w, "programming_model", source_model_words[s->programming_model]);
    jw_uint(w, "files", s->files_scanned);
    jw_uint(w, "lines", s->lines);
    jw_open(w, "kernels", '[');
    for (size_t i = 0; i < s->kernels.n && i < 10; i++)
        jw_str(w, NULL, s->kernels.v[i].name);
    jw_close(w);
    jw_open(w, "patterns", '[');
    for (size_t i = 0; i < s->patterns.n && i < 20; i++) {
        jw_open(w, NULL, '{');
        jw_str(w, "pattern", source_pattern_name(s->patterns.v[i].pattern_id));
        jw_uint(w, "count", s->patterns.v[i].count);
        jw_close(w);
    }
    jw_close(w);
    put_texts(w, "risks", (const char *const *)s->risk_areas.v, s->risk_areas.n);
    put_texts(w, "suggested_counters", (const char *const *)s->suggested_counters.v,
              s->suggested_counters.n);
    jw_str(w, "first_command", s->first_command);
    return finish(l, t);
}

#define ROWS(key, fields, list, most)                                                              \
    fields_write_rows(w, key, &(fields), (list).v, (list).n < (most) ? (list).n : (most))

const char *prompt_comparison(struct llm *l, const struct comparison *c)
{
    struct telling *t = begin(l, NULL);
    struct jwrite *w = &t->w;
    jw_bool(w, "comparable", c->comparable);
    jw_str(w, "verdict", compare_verdict_name(c->verdict));
    jw_str(w, "headline", c->headline);
    put_texts(w, "differences", (const char *const *)c->reasons.v, c->reasons.n);
    jw_int(w, "base_ns", c->base_ns);
    jw_int(w, "change_ns", c->change_ns);
    jw_int(w, "noise_ns", c->noise_ns);
    put_pct(w, "wall_change_pct", c->wall_change_pct);
    put_pct(w, "noise_pct", c->noise_pct);
    jw_int(w, "wall_a_ns", c->wall_a_ns);
    jw_int(w, "wall_b_ns", c->wall_b_ns);
    ROWS("causes", compare_cause_fields, c->causes, 10);
    ROWS("kernels", compare_kernel_fields, c->kernels, 8);
    ROWS("phases", compare_phase_fields, c->phases, 8);
    ROWS("ledger", compare_row_fields, c->ledger, 20);
    ROWS("copied_bytes", compare_row_fields, c->copies, 8);
    put_texts(w, "notes", (const char *const *)c->notes.v, c->notes.n < 10 ? c->notes.n : 10);
    return finish(l, t);
}
