#include "report/explanation.h"

#include <ctype.h>
#include <string.h>

#include "report/workbook.h"

#define T struct hypothesis
static const struct field hypothesis_list[] = {
    ALWAYS(T, bottleneck_type, FIELD_TEXT, "bottleneck_type",
           "one of compute_bound, memory_bound, mpi_latency, mpi_imbalance, cpu_launch_overhead, "
           "synchronization, io, other"),
    ALWAYS(T, phase, FIELD_TEXT, "phase", "name of a phase, or whole_profile"),
    ALWAYS(T, description, FIELD_TEXT, "description", "what is slow"),
    ALWAYS(T, evidence, FIELD_TEXT, "evidence", "numbers it rests on"),
    ALWAYS(T, suggestion, FIELD_TEXT, "suggestion", "what to do"),
    ALWAYS(T, expected_impact, FIELD_TEXT, "expected_impact", "high, medium or low"),
    OR_NULL(T, action_category, FIELD_TEXT, "action_category",
            "runtime_config, launch_config, code_optimization or algorithm"),
    OR_NULL(T, runtime_fraction_pct, FIELD_NUM, "runtime_fraction_pct",
            "share of the phase it is about, 0 to 100"),
    OR_NULL(T, speedup_lower_pct, FIELD_NUM, "estimated_speedup_pct_lower",
            "by Amdahl, with half of it removed; computed by gpusight"),
    OR_NULL(T, speedup_upper_pct, FIELD_NUM, "estimated_speedup_pct_upper",
            "by Amdahl, with all of it removed; null: no bound"),
    ALWAYS(T, confidence, FIELD_TEXT, "confidence", "high, medium or low, in the model's words"),
    ALWAYS(T, coercion_notes, FIELD_LIST, "coercion_notes", "what had to be put right",
           .of = &field_texts),
};
#undef T
const struct fields hypothesis_fields =
    FIELDS("hypotheses", "", struct hypothesis, hypothesis_list);

#define T struct key_difference
#define SAID(member, label, doc)                                                                   \
    FIELD(T, member, FIELD_TEXT, label, NO_UNIT, doc, .null = NULL_MAYBE)
SHARED_PART(difference_fields, T,
            FIELD(T, metric, FIELD_TEXT, "what differs", NO_UNIT, "what differs",
                  .null = NULL_NEVER),
            SAID(phase, "phase", "where; null: not said"), SAID(profile_a, "A", "before"),
            SAID(profile_b, "B", "after"),
            FIELD(T, magnitude_pct, FIELD_NUM, "change", IN_PERCENT,
                  "100 x (b - a) / a, computed by gpusight; null: these are no two numbers",
                  .null = NULL_MAYBE, AS_CHANGE),
            SAID(note, "note", "what the model says about it"));
#undef T

#define T struct explanation
PART(usage, T, ALWAYS(T, requests, FIELD_U64, "requests", "that were sent"),
     ALWAYS(T, tool_calls, FIELD_U64, "tool_calls", "that the model made"),
     ALWAYS(T, input_tokens, FIELD_I64, "input_tokens", "without those of the cache"),
     ALWAYS(T, output_tokens, FIELD_I64, "output_tokens", "of the answers"),
     ALWAYS(T, cache_read_tokens, FIELD_I64, "cache_read_tokens", "read from the cache"),
     ALWAYS(T, cache_write_tokens, FIELD_I64, "cache_write_tokens", "written to it"),
     OR_NULL(T, cost_usd, FIELD_NUM, "cost_usd", "by the price list; null: not known"));

static const struct field explanation_list[] = {
    FIXED("source", "language model", "these are the words of a model, not of the analysis"),
    ALWAYS(T, provider, FIELD_TEXT, "provider", "who was asked"),
    ALWAYS(T, model, FIELD_TEXT, "model", "which model"),
    OR_NULL(T, text, FIELD_TEXT, "text", "the answer; null: there is none"),
    OR_NULL(T, problem, FIELD_TEXT, "problem", "why there is none, or why it ends early"),
    ALWAYS(T, hypotheses, FIELD_LIST, "hypotheses", "of the agent", .of = &hypothesis_fields),
    ALWAYS(T, differences, FIELD_LIST, "key_differences", "of a comparison",
           .of = &difference_fields),
    ALWAYS(T, numbers, FIELD_U64, "numbers_checked", "numbers in the text"),
    ALWAYS(T, unfound, FIELD_LIST, "numbers_unfound",
           "those that neither the analysis nor a tool's answer has", .of = &field_texts),
    WITHIN("usage", "what it took", &usage),
};
#undef T
const struct fields explanation_fields =
    FIELDS("explanation", "", struct explanation, explanation_list);

void doc_checked(struct doc *d, const struct explanation *e)
{
    if (!e->numbers)
        return;
    struct str list;
    str_init(&list, d->arena);
    for (size_t i = 0; i < e->unfound.n; i++)
        str_printf(&list, "%s%s", i ? ", " : "", e->unfound.v[i]);
    if (e->unfound.n)
        doc_callout(d, TONE_WARN,
                    "%zu of its %llu numbers are neither in the analysis nor in what it was told, "
                    "and marked [?]: %s.",
                    e->unfound.n, (unsigned long long)e->numbers, list.buf);
    else
        doc_text(d, "All of its %llu numbers are in the analysis.", (unsigned long long)e->numbers);
}

/* ---- a sheet ---- */

struct said_row {
    const char *line;
};

static const struct field said_list[] = {
    FIELD(struct said_row, line, FIELD_TEXT, "words_of_a_language_model", NO_UNIT,
          "what a language model said, line by line"),
};
static const struct fields said_fields = FIELDS(
    "explanation", "words of a language model, not of the analysis", struct said_row, said_list);

void workbook_explanation(struct workbook *w, const struct explanation *e)
{
    VEC(struct said_row) rows = {0};
    vec_push(&rows, w->arena,
             ((struct said_row){arena_printf(
                 w->arena, "These are the words of a language model (%s, %s), not of the analysis.",
                 e->provider, e->model)}));
    for (const char *p = e->text; *p;) {
        size_t n = strcspn(p, "\n");
        if (n)
            vec_push(&rows, w->arena, ((struct said_row){arena_strndup(w->arena, p, n)}));
        p += n + (p[n] == '\n');
    }
    workbook_add(w, "explanation", said_fields.doc, &said_fields, rows.v, rows.n);
}

/* ---- Markdown ---- */

static bool is_rule(const char *line)
{
    size_t n = strlen(line);
    return n >= 3 && (strspn(line, "-") == n || strspn(line, "*") == n || strspn(line, "_") == n);
}

/* The marks of emphasis are for renderers that we do not have; the words stay. */
static const char *plain(struct arena *a, const char *text)
{
    struct str out;
    str_init(&out, a);
    for (const char *p = text; *p; p++)
        if ((p[0] == '*' && p[1] == '*') ||
            (p[0] == '_' && p[1] == '_' && (p == text || p[-1] == ' ' || p[2] == ' ' || !p[2])))
            p++;
        else
            str_putc(&out, *p);
    return out.buf;
}

/* How long the mark of a list is at the start of a line; 0: there is none. */
static size_t list_mark(const char *line)
{
    size_t digits = strspn(line, "0123456789");
    if ((*line == '-' || *line == '*' || *line == '+') && line[1] == ' ')
        return 2;
    if (digits && digits < 3 && (line[digits] == '.' || line[digits] == ')') &&
        line[digits + 1] == ' ')
        return digits + 2;
    return 0;
}

struct reading {
    struct doc *d;
    struct str text;
    bool item, code;
};

static void flush(struct reading *r)
{
    if (r->text.len && r->code)
        doc_code(r->d, "%s", r->text.buf);
    else if (r->text.len && r->item)
        doc_item(r->d, "%s", plain(r->d->arena, r->text.buf));
    else if (r->text.len)
        doc_text(r->d, "%s", plain(r->d->arena, r->text.buf));
    str_init(&r->text, r->d->arena);
    r->item = false;
}

static void put_line(struct reading *r, const char *line)
{
    size_t indent = strspn(line, " \t"), hashes = strspn(line + indent, "#"), mark;
    if (str_starts(line + indent, "```")) {
        flush(r);
        r->code = !r->code;
        return;
    }
    if (r->code) {
        if (r->text.len)
            str_putc(&r->text, '\n');
        str_puts(&r->text, line);
        return;
    }
    line += indent;
    if (hashes && line[hashes] == ' ') {
        flush(r);
        doc_heading(r->d, 4, "%s", plain(r->d->arena, line + hashes + 1));
    } else if (!*line || is_rule(line))
        flush(r);
    else if ((mark = list_mark(line))) {
        flush(r);
        r->item = true;
        str_puts(&r->text, line + mark);
    } else {
        if (r->text.len)
            str_putc(&r->text, ' ');
        str_puts(&r->text, line);
    }
}

void doc_markdown(struct doc *d, const char *text)
{
    struct reading r = {.d = d};
    str_init(&r.text, d->arena);
    while (*text) {
        size_t n = strcspn(text, "\n");
        size_t end = n;
        while (end && isspace((unsigned char)text[end - 1]))
            end--;
        put_line(&r, arena_strndup(d->arena, text, end));
        text += n + (text[n] == '\n');
    }
    flush(&r);
}
