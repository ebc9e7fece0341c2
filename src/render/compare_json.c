#include "render/compare_json.h"

#include "config.h"
#include "field/field.h"

static void write_texts(struct jwrite *w, const char *key, const char *const *v, size_t n)
{
    jw_open(w, key, '[');
    for (size_t i = 0; i < n; i++)
        jw_str(w, NULL, v[i]);
    jw_close(w);
}

static void write_run(struct jwrite *w, const char *key, const struct run_profile *p)
{
    jw_open(w, key, '{');
    jw_str(w, "label", p->label);
    write_texts(w, "files", p->files.v, p->files.n);
    jw_str(w, "gpu", p->gpus.n ? p->gpus.v[0].name : NULL);
    jw_str(w, "vendor", p->gpus.n ? p->gpus.v[0].vendor : NULL);
    jw_uint(w, "gpu_count", p->breakdown.gpu_count);
    jw_int(w, "window_ns", p->breakdown.window_ns);
    jw_int(w, "busy_ns", p->breakdown.busy_ns);
    jw_int(w, "kernel_sum_ns", p->breakdown.kernel_sum_ns);
    jw_close(w);
}

static void write_verdict(struct jwrite *w, const struct comparison *c)
{
    jw_bool(w, "comparable", c->comparable);
    jw_open(w, "comparability", '{');
    jw_num(w, "score", c->score);
    write_texts(w, "reasons", c->reasons.v, c->reasons.n);
    jw_num(w, "matched_pct", c->matched_pct);
    jw_num(w, "steps_ratio", c->steps);
    jw_bool(w, "by_role", c->cross_vendor);
    jw_close(w);
    jw_str(w, "verdict", compare_verdict_name(c->verdict));
    jw_str(w, "headline", c->headline);
    jw_num(w, "wall_change_pct", c->wall_change_pct);
    jw_num(w, "noise_pct", c->noise_pct);
    jw_num(w, "window_change_pct", c->window_change_pct);
    jw_int(w, "base_ns", c->base_ns);
    jw_int(w, "change_ns", c->change_ns);
    jw_int(w, "noise_ns", c->noise_ns);
    jw_bool(w, "idle_counted", c->idle_counts);
}

static void write_rows(struct jwrite *w, const char *key, const struct compare_rows *rows)
{
    fields_write_rows(w, key, &compare_row_fields, rows->v, rows->n);
}

void compare_json(struct jwrite *w, const struct comparison *c, const struct gate *gate)
{
    jw_open(w, NULL, '{');
    jw_str(w, "schema_version", COMPARE_SCHEMA_VERSION);
    jw_str(w, "program_version", GPUSIGHT_VERSION);
    write_run(w, "a", c->a);
    write_run(w, "b", c->b);
    write_verdict(w, c);
    if (gate->conditions.n) {
        jw_open(w, "gate", '{');
        jw_bool(w, "passed", !gate->failed);
        fields_write_rows(w, "conditions", &gate_fields, gate->conditions.v, gate->conditions.n);
        jw_close(w);
    } else {
        jw_null(w, "gate");
    }
    fields_write_rows(w, "causes", &compare_cause_fields, c->causes.v, c->causes.n);
    fields_write_rows(w, "kernels", &compare_kernel_fields, c->kernels.v, c->kernels.n);
    fields_write_rows(w, "phases", &compare_phase_fields, c->phases.v, c->phases.n);
    fields_write_rows(w, "ranks", &compare_rank_fields, c->ranks.v, c->ranks.n);
    write_rows(w, "ledger", &c->ledger);
    write_rows(w, "copied_bytes", &c->copies);
    write_rows(w, "api_calls", &c->api);
    write_texts(w, "notes", c->notes.v, c->notes.n);
    jw_close(w);
}
