#include "render/source_json.h"

#include <string.h>

#include "config.h"
#include "field/field.h"

#define ROCINSIGHT_SOURCE_VERSION "0.2.0"

enum { LOCATIONS = 20 }; /* as many as rocinsight keeps */

static void write_words(struct jwrite *w, const char *key, const char *words)
{
    jw_open(w, key, '[');
    for (const char *p = words; *p;) {
        size_t n = strcspn(p, " ");
        jw_strn(w, NULL, p, n);
        p += n + (p[n] == ' ');
    }
    jw_close(w);
}

/* "-d ./out --pmc A B": a name and all words up to the next one. */
static void write_args(struct jwrite *w, const char *words)
{
    jw_open(w, "args", '[');
    for (const char *p = words; *p;) {
        size_t n = strcspn(p, " "), value;
        jw_open(w, NULL, '{');
        jw_strn(w, "name", p, n);
        p += n + (p[n] == ' ');
        for (value = 0; p[value] && (p[value] != '-' || (value && p[value - 1] != ' ')); value++)
            ;
        size_t length = value && p[value - 1] == ' ' ? value - 1 : value;
        if (length)
            jw_strn(w, "value", p, length);
        else
            jw_null(w, "value");
        p += value;
        jw_close(w);
    }
    jw_close(w);
}

static bool rocinsight_knows(const char *tool)
{
    return !strncmp(tool, "rocprof", 7);
}

static void write_advice(struct jwrite *w, const struct source_advice *a, bool strict)
{
    jw_open(w, NULL, '{');
    jw_str(w, "id", a->id);
    jw_str(w, "priority", a->priority);
    jw_str(w, "category", a->category);
    jw_str(w, "issue", a->issue);
    jw_str(w, "suggestion", a->suggestion);
    jw_open(w, "actions", '[');
    for (size_t i = 0; i < a->actions.n; i++)
        jw_str(w, NULL, a->actions.v[i]);
    jw_close(w);
    jw_str(w, "estimated_impact", a->impact);
    jw_null(w, "confidence");
    jw_open(w, "commands", '[');
    for (size_t i = 0; i < a->commands.n; i++) {
        const struct source_command *c = &a->commands.v[i];
        if (strict && !rocinsight_knows(c->tool))
            continue;
        jw_open(w, NULL, '{');
        jw_str(w, "tool", c->tool);
        jw_str(w, "description", c->description);
        write_words(w, "flags", c->flags);
        write_args(w, c->args);
        jw_str(w, "full_command", c->full_command);
        jw_close(w);
    }
    jw_close(w);
    jw_close(w);
}

static void write_all_advice(struct jwrite *w, const struct source_scan *s, bool strict)
{
    jw_open(w, "recommendations", '[');
    for (size_t i = 0; i < s->advice.n; i++)
        write_advice(w, &s->advice.v[i], strict);
    jw_close(w);
}

static void write_pattern(struct jwrite *w, const struct source_scan *s,
                          const struct source_pattern *p, bool strict)
{
    jw_open(w, NULL, '{');
    jw_str(w, "pattern_id", p->pattern_id);
    jw_str(w, "severity", p->severity);
    jw_str(w, "category", p->category);
    jw_str(w, "description", p->description);
    jw_uint(w, "count", p->count);
    if (!strict)
        jw_uint(w, "in_loop", p->in_loop);
    jw_open(w, "locations", '[');
    for (size_t i = 0; i < p->facts.n && i < LOCATIONS; i++) {
        const struct source_fact *f = &s->facts.v[p->facts.v[i]];
        const char *path = s->files.v[f->file].path;
        jw_str(w, NULL, arena_printf(w->out->arena, "%s:%u", path, f->line));
    }
    jw_close(w);
    jw_close(w);
}

static void write_kernels(struct jwrite *w, const struct source_scan *s, bool strict)
{
    jw_uint(w, "kernel_count", s->kernels.n);
    if (!strict) {
        fields_write_rows(w, "detected_kernels", &source_kernel_fields, s->kernels.v, s->kernels.n);
        return;
    }
    jw_open(w, "detected_kernels", '[');
    for (size_t i = 0; i < s->kernels.n; i++) {
        jw_open(w, NULL, '{');
        jw_str(w, "name", s->kernels.v[i].name);
        jw_str(w, "file", s->kernels.v[i].file);
        jw_uint(w, "line", s->kernels.v[i].line);
        jw_str(w, "launch_type", s->kernels.v[i].launch_type);
        jw_close(w);
    }
    jw_close(w);
}

static void write_texts(struct jwrite *w, const char *key, const char *const *v, size_t n)
{
    jw_open(w, key, '[');
    for (size_t i = 0; i < n; i++)
        jw_str(w, NULL, v[i]);
    jw_close(w);
}

static void write_tables(struct jwrite *w, const struct source_scan *s,
                         const struct source_links *l)
{
    jw_str(w, "vendor", s->vendor);
    jw_uint(w, "bytes", s->bytes);
    jw_uint(w, "lines", s->lines);
    jw_uint(w, "folders_skipped", s->folders_skipped);
    fields_write_rows(w, "skipped", &source_skip_fields, s->skipped.v, s->skipped.n);
    jw_open(w, "files", '[');
    for (size_t i = 0; i < s->files.n; i++) {
        struct source_file_row row = source_file_row(&s->files.v[i]);
        fields_write(w, NULL, &source_file_fields, &row);
    }
    jw_close(w);
    jw_open(w, "facts", '[');
    for (size_t i = 0; i < s->facts.n; i++) {
        struct source_fact_row row = source_fact_row(s, &s->facts.v[i]);
        fields_write(w, NULL, &source_fact_fields, &row);
    }
    jw_close(w);
    fields_write_rows(w, "kernel_links", &source_link_fields, l ? l->kernels.v : NULL,
                      l ? l->kernels.n : 0);
    fields_write_rows(w, "call_links", &source_call_fields, l ? l->calls.v : NULL,
                      l ? l->calls.n : 0);
}

void source_json(struct jwrite *w, const char *key, const struct source_scan *s,
                 const struct source_links *links, const char *timestamp, bool strict)
{
    jw_open(w, key, '{');
    jw_str(w, "source_dir", s->dir);
    jw_str(w, "analysis_timestamp", timestamp || !strict ? timestamp : "1970-01-01T00:00:00");
    jw_str(w, "programming_model", s->programming_model);
    jw_uint(w, "files_scanned", s->files_scanned);
    jw_uint(w, "files_skipped", s->files_skipped);
    write_kernels(w, s, strict);
    jw_open(w, "detected_patterns", '[');
    for (size_t i = 0; i < s->patterns.n; i++)
        write_pattern(w, s, &s->patterns.v[i], strict);
    jw_close(w);
    write_texts(w, "risk_areas", s->risk_areas.v, s->risk_areas.n);
    jw_bool(w, "already_instrumented", s->already_instrumented);
    jw_uint(w, "roctx_marker_count", s->marker_count);
    write_all_advice(w, s, strict);
    write_texts(w, "suggested_counters", s->suggested_counters.v, s->suggested_counters.n);
    jw_str(w, "suggested_first_command", s->first_command);
    jw_null(w, "llm_explanation");
    if (!strict)
        write_tables(w, s, links);
    jw_close(w);
}

static void write_metadata(struct jwrite *w, const struct analysis_json_opts *o,
                           const char *version, bool strict)
{
    jw_open(w, "metadata", '{');
    if (!strict)
        jw_str(w, "gpusight_version", GPUSIGHT_VERSION);
    jw_str(w, "rocpd_version", GPUSIGHT_VERSION);
    jw_str(w, "analysis_version", version);
    jw_null(w, "database_file");
    if (!strict) {
        jw_open(w, "files", '[');
        jw_close(w);
    }
    jw_str(w, "analysis_timestamp", o->timestamp || !strict ? o->timestamp : "1970-01-01T00:00:00");
    jw_int(w, "analysis_duration_ms", o->duration_ms);
    jw_str(w, "custom_prompt", o->prompt);
    jw_close(w);
}

static void write_nothing_measured(struct jwrite *w, const struct source_scan *s)
{
    jw_open(w, "profiling_info", '{');
    jw_int(w, "total_duration_ns", 0);
    jw_str(w, "profiling_mode", "source_only");
    jw_int(w, "analysis_tier", 0);
    jw_open(w, "gpus", '[');
    jw_close(w);
    jw_close(w);
    jw_open(w, "summary", '{');
    jw_str(w, "overall_assessment",
           arena_printf(w->out->arena,
                        "source scan, files: %u, kernels: %zu, model: %s; nothing was measured",
                        s->files_scanned, s->kernels.n, s->programming_model));
    jw_str(w, "primary_bottleneck", "unknown");
    jw_num(w, "confidence", 0);
    write_texts(w, "key_findings", s->risk_areas.v, s->risk_areas.n);
    jw_close(w);
    jw_null(w, "execution_breakdown");
    jw_open(w, "hotspots", '[');
    jw_close(w);
    jw_open(w, "memory_analysis", '{');
    jw_close(w);
    jw_open(w, "hardware_counters", '{');
    jw_bool(w, "has_counters", false);
    jw_null(w, "metrics");
    jw_null(w, "counters");
    jw_close(w);
}

void source_json_document(struct jwrite *w, const struct source_scan *s,
                          const struct analysis_json_opts *o, bool strict)
{
    const char *version = strict ? ROCINSIGHT_SOURCE_VERSION : ANALYSIS_SCHEMA_VERSION;
    jw_open(w, NULL, '{');
    jw_str(w, "schema_version", version);
    write_metadata(w, o, version, strict);
    write_nothing_measured(w, s);
    write_all_advice(w, s, strict);
    jw_open(w, "warnings", '[');
    for (size_t i = 0; i < s->skipped.n; i++) {
        jw_open(w, NULL, '{');
        jw_str(w, "severity", "warning");
        jw_str(w, "message",
               arena_printf(w->out->arena, "'%s' is left out: %s", s->skipped.v[i].path,
                            s->skipped.v[i].reason));
        jw_null(w, "recommendation");
        jw_close(w);
    }
    jw_close(w);
    jw_open(w, "errors", '[');
    jw_close(w);
    if (strict)
        jw_null(w, "llm_enhanced_explanation");
    source_json(w, "tier0", s, NULL, o->timestamp, strict);
    jw_close(w);
}
