#include "render/source_json.h"

#include <string.h>

#include "render/analysis_json_in.h"
#include "report/explanation.h"

enum { LOCATIONS = 20 }; /* as many as rocinsight keeps */

/* ---- tables ---- */

#define T struct source_advice
PART(advice_part, T, ALWAYS(T, id, FIELD_TEXT, "id", "stable name"),
     ALWAYS(T, priority, FIELD_ENUM, "priority", "", .words = priority_names),
     ALWAYS(T, category, FIELD_TEXT, "category", "subject"),
     ALWAYS(T, issue, FIELD_TEXT, "issue", "what was found"),
     ALWAYS(T, suggestion, FIELD_TEXT, "suggestion", "what to do about it"),
     ALWAYS(T, actions, FIELD_LIST, "actions", "steps", .of = &field_texts),
     ALWAYS(T, impact, FIELD_TEXT, "estimated_impact",
            "what it may bring, in words: nothing was measured"));
#undef T

static const struct field advice_list[] = {
    SPREAD(struct advice_json, a, FIELD_REF, &advice_part),
    ALWAYS_NULL("confidence", "nothing was measured"),
    ALWAYS(struct advice_json, commands, FIELD_LIST, "commands", "captures that would tell more",
           .of = &profiler_command_fields),
};
const struct fields source_advice_fields = FIELDS("", "", struct advice_json, advice_list);

#define F(member, type, doc, ...)                                                                  \
    ALWAYS(struct source_pattern, member, type, #member, doc, ##__VA_ARGS__)
PART(pattern_part, struct source_pattern,
     F(pattern_id, FIELD_ENUM, "stable name, see docs/source-scan.md",
       .words = source_pattern_words),
     F(severity, FIELD_ENUM, "", .words = source_severity_words),
     F(category, FIELD_ENUM, "subject", .words = source_category_words),
     F(description, FIELD_TEXT, "what it is"), F(count, FIELD_U32, "places"),
     F(in_loop, FIELD_U32, "of them inside a loop"));
#undef F
PART(pattern_fields, struct pattern_json, SPREAD(struct pattern_json, p, FIELD_REF, &pattern_part),
     ALWAYS(struct pattern_json, locations, FIELD_LIST, "locations", "file:line, the first 20",
            .of = &field_texts));

#define T struct source_scan
SHARED_PART(source_dir_fields, T, ALWAYS(T, dir, FIELD_TEXT, "source_dir", "the folder"));
PART(files_fields, T,
     ALWAYS(T, programming_model, FIELD_ENUM, "programming_model", "see docs/source-scan.md",
            .words = source_model_words),
     ALWAYS(T, files_scanned, FIELD_U32, "files_scanned", "files that were read"),
     ALWAYS(T, files_skipped, FIELD_U32, "files_skipped", "files that could not be"),
     ALWAYS(T, kernels.n, FIELD_U64, "kernel_count", "different kernels"),
     ALWAYS(T, kernels, FIELD_LIST, "detected_kernels", "one a kernel",
            .of = &source_kernel_fields));
SHARED_PART(source_risk_fields, T,
            ALWAYS(T, risk_areas, FIELD_LIST, "risk_areas", "in words", .of = &field_texts),
            ALWAYS(T, already_instrumented, FIELD_BOOL, "already_instrumented", "has markers"),
            ALWAYS(T, marker_count, FIELD_U32, "roctx_marker_count",
                   "places that push, pop or mark; NVTX too"));
SHARED_PART(source_first_fields, T,
            ALWAYS(T, suggested_counters, FIELD_LIST, "suggested_counters", "to begin with, on AMD",
                   .of = &field_texts),
            OR_NULL(T, first_command, FIELD_TEXT, "suggested_first_command", "to begin with"));
PART(count_fields, T,
     ALWAYS(T, vendor, FIELD_ENUM, "vendor", "whose names the code uses",
            .words = WORDS("none", "amd", "nvidia", "both")),
     ALWAYS(T, bytes, FIELD_U64, "bytes", "of source read"),
     ALWAYS(T, lines, FIELD_U64, "lines", "of source read"),
     ALWAYS(T, folders_skipped, FIELD_U64, "folders_skipped", "ignored, hidden or of builds"),
     ALWAYS(T, skipped, FIELD_LIST, "skipped", "files left out", .of = &source_skip_fields));
#undef T

/* rocinsight's object, with tables of ours behind its keys. */
#define T struct source_json
static const struct field source_list[] = {
    SPREAD(T, s, FIELD_REF, &source_dir_fields),
    OR_NULL(T, timestamp, FIELD_TEXT, "analysis_timestamp",
            "when, in ISO 8601; null unless asked for"),
    SPREAD(T, s, FIELD_REF, &files_fields),
    ALWAYS(T, patterns, FIELD_LIST, "detected_patterns", "most serious first",
           .of = &pattern_fields),
    SPREAD(T, s, FIELD_REF, &source_risk_fields),
    ALWAYS(T, advice, FIELD_LIST, "recommendations", "what to capture",
           .of = &source_advice_fields),
    SPREAD(T, s, FIELD_REF, &source_first_fields),
    OR_NULL(T, explanation, FIELD_TEXT, "llm_explanation",
            "what a language model said, of --llm without a trace; null: none was asked"),
    SPREAD(T, s, FIELD_REF, &count_fields),
    ALWAYS(T, files, FIELD_LIST, "files", "files read", .of = &source_file_fields),
    ALWAYS(T, facts, FIELD_LIST, "facts", "every place, by file and line",
           .of = &source_fact_fields),
    ALWAYS(T, links.kernels, FIELD_LIST, "kernel_links", "hot kernels and their lines",
           .of = &source_link_fields),
    ALWAYS(T, links.calls, FIELD_LIST, "call_links", "host calls and their lines",
           .of = &source_call_fields),
};
const struct fields source_json_fields = FIELDS("tier0", "", T, source_list);

/* ---- what is in them ---- */

/* The next word, and the text behind it; NULL: none. */
static const char *word(const char **text, struct arena *arena)
{
    size_t n = strcspn(*text, " ");
    const char *s = n ? arena_strndup(arena, *text, n) : NULL;
    *text += n + ((*text)[n] == ' ');
    return s;
}

/* "-d ./out --pmc A B": a name and all words up to the next one. */
static void take_args(struct profiler_command *c, const char *p, struct arena *arena)
{
    while (*p) {
        struct command_arg arg = {.name = word(&p, arena)};
        size_t n = 0;
        while (p[n] && (p[n] != '-' || (n && p[n - 1] != ' ')))
            n++;
        size_t length = n && p[n - 1] == ' ' ? n - 1 : n;
        if (length)
            arg.value = arena_strndup(arena, p, length);
        vec_push(&c->args, arena, arg);
        p += n;
    }
}

static void take_advice(T *out, const struct source_advice *a, struct arena *arena)
{
    struct advice_json *to = vec_add(&out->advice, arena);
    to->a = a;
    for (size_t i = 0; i < a->commands.n; i++) {
        const struct source_command *from = &a->commands.v[i];
        struct profiler_command *c = vec_add(&to->commands, arena);
        *c = (struct profiler_command){.profiler = from->tool,
                                       .tool = profiler_name(from->tool),
                                       .description = from->description,
                                       .full_command = from->full_command};
        for (const char *p = from->flags; *p;)
            vec_push(&c->flags, arena, word(&p, arena));
        take_args(c, from->args, arena);
    }
}

static void take_pattern(T *out, const struct source_pattern *p, struct arena *arena)
{
    struct pattern_json *to = vec_add(&out->patterns, arena);
    to->p = p;
    for (size_t i = 0; i < p->facts.n && i < LOCATIONS; i++) {
        const struct source_fact *f = &out->s->facts.v[p->facts.v[i]];
        vec_push(&to->locations, arena,
                 arena_printf(arena, "%s:%u", out->s->files.v[f->file].path, f->line));
    }
}

T *source_json_make(const struct source_scan *s, const struct source_links *links,
                    const char *timestamp, struct arena *arena)
{
    T *out = arena_new(arena, T);
    out->s = s;
    out->timestamp = timestamp;
    for (size_t i = 0; i < s->patterns.n; i++)
        take_pattern(out, &s->patterns.v[i], arena);
    for (size_t i = 0; i < s->advice.n; i++)
        take_advice(out, &s->advice.v[i], arena);
    if (links)
        out->links = *links;
    for (size_t i = 0; i < s->files.n; i++)
        vec_push(&out->files, arena, source_file_row(&s->files.v[i]));
    for (size_t i = 0; i < s->facts.n; i++)
        vec_push(&out->facts, arena, source_fact_row(s, &s->facts.v[i]));
    return out;
}

void source_document_make(struct analysis_document *d, const struct source_scan *s,
                          const struct analysis_json_opts *o, struct arena *arena)
{
    *d = (struct analysis_document){.source = source_json_make(s, NULL, o->timestamp, arena),
                                    .explanation = o->explanation};
    d->source->explanation = o->explanation ? o->explanation->text : NULL;
    metadata_make(&d->metadata, o, ANALYSIS_SCHEMA_VERSION);
    d->overview.profiling_mode = "source_only";
    d->overview.assessment =
        arena_printf(arena, "source scan, files: %u, kernels: %zu, model: %s; nothing was measured",
                     s->files_scanned, s->kernels.n, source_model_words[s->programming_model]);
    d->overview.bottleneck = PRIMARY_UNKNOWN;
    LEND(&d->overview.key_findings, &s->risk_areas, 0);
    for (size_t i = 0; i < s->skipped.n; i++)
        vec_push(&d->overview.warnings, arena,
                 ((struct warning){WARNING_SERIOUS,
                                   arena_printf(arena, "'%s' is left out: %s", s->skipped.v[i].path,
                                                s->skipped.v[i].reason),
                                   NULL}));
}

void source_json_document(struct jwrite *w, const struct source_scan *s,
                          const struct analysis_json_opts *o)
{
    struct analysis_document d;
    source_document_make(&d, s, o, w->out->arena);
    fields_write(w, NULL, &source_document_fields, &d);
}
