#include <math.h>

#include "base/str.h"
#include "report/workbook.h"

struct finding_row {
    uint64_t rank;
    const char *id, *priority, *category, *bottleneck, *title, *issue, *suggestion;
    int64_t claimed_ns;
    double pct, lower_pct, upper_pct, confidence_pct;
    int64_t predicted_ns;
    double predicted_speedup;
    const char *predicted_by, *next_limit;
    const char *reason, *evidence, *actions, *commands;
};

#define F(member, type, label, unit, doc) FIELD(struct finding_row, member, type, label, unit, doc)
static const struct field row_v[] = {
    F(rank, FIELD_U64, "#", NO_UNIT, "place by what can be won"),
    F(id, FIELD_TEXT, "id", NO_UNIT, "of the finding"),
    F(priority, FIELD_TEXT, "priority", NO_UNIT, "HIGH, MEDIUM, LOW or INFO"),
    F(category, FIELD_TEXT, "category", NO_UNIT, "what it is about"),
    F(bottleneck, FIELD_TEXT, "bottleneck", NO_UNIT, "what limits the program there"),
    F(title, FIELD_TEXT, "title", NO_UNIT, "the finding in a few words"),
    F(issue, FIELD_TEXT, "issue", NO_UNIT, "what is wrong, with numbers"),
    F(suggestion, FIELD_TEXT, "suggestion", NO_UNIT, "what to do"),
    F(claimed_ns, FIELD_I64, "costs", IN_NS, "GPU time it claims from the ledger"),
    F(pct, FIELD_NUM, "of GPU time", IN_PERCENT, "100 x costs / (window x GPUs)"),
    F(lower_pct, FIELD_NUM, "faster by, at least", IN_PERCENT,
      "by replay; without one by Amdahl, when half of it goes"),
    F(upper_pct, FIELD_NUM, "faster by, at most", IN_PERCENT,
      "by replay; without one by Amdahl, when all of it goes"),
    F(predicted_ns, FIELD_I64, "predicted", IN_NS, "time after its advice was followed"),
    F(predicted_speedup, FIELD_NUM, "speed-up", NO_UNIT, "recorded / predicted"),
    F(predicted_by, FIELD_TEXT, "predicted by", NO_UNIT,
      "replay of the dependency graph, or amdahl"),
    F(next_limit, FIELD_TEXT, "next limit", NO_UNIT, "largest part of the critical path then"),
    F(confidence_pct, FIELD_NUM, "sure", IN_PERCENT, "how sure the rule is"),
    F(reason, FIELD_TEXT, "why so sure", NO_UNIT, "what the confidence rests on"),
    F(evidence, FIELD_TEXT, "evidence", NO_UNIT, "facts that can be looked up in the trace"),
    F(actions, FIELD_TEXT, "actions", NO_UNIT, "steps"),
    F(commands, FIELD_TEXT, "commands", NO_UNIT, "captures that would tell more"),
};
#undef F
static const struct fields row_fields =
    FIELDS("findings", "What is wrong, what it costs and what to do, by what can be won.",
           struct finding_row, row_v);

static void join(struct str *s, const char *text)
{
    str_printf(s, "%s%s", s->len ? "; " : "", text);
}

static struct finding_row row_of(const struct finding *f, size_t rank, struct arena *a)
{
    struct str evidence, actions, commands;
    str_init(&evidence, a);
    str_init(&actions, a);
    str_init(&commands, a);
    for (size_t i = 0; i < f->evidence.n; i++)
        join(&evidence, f->evidence.v[i].text);
    for (size_t i = 0; i < f->actions.n; i++)
        join(&actions, f->actions.v[i]);
    for (size_t i = 0; i < f->commands.n; i++)
        join(&commands, f->commands.v[i].full_command);
    return (struct finding_row){
        .rank = rank,
        .id = f->id,
        .priority = priority_name(f->priority),
        .category = f->category,
        .bottleneck = bottleneck_name(f->bottleneck),
        .title = f->title,
        .issue = f->issue,
        .suggestion = f->suggestion,
        .claimed_ns = f->claimed_ns,
        .pct = f->runtime_fraction_pct,
        .lower_pct = f->speedup_lower_pct,
        .upper_pct = f->speedup_upper_pct,
        .predicted_ns = f->predicted_ns,
        .predicted_speedup = f->predicted_by ? f->predicted_speedup : NAN,
        .predicted_by = prediction_name(f->predicted_by),
        .next_limit = f->next_limit,
        .confidence_pct = 100 * f->confidence,
        .reason = f->confidence_reason,
        .evidence = evidence.buf,
        .actions = actions.buf,
        .commands = commands.buf,
    };
}

void workbook_findings(struct workbook *w, const struct advice *advice)
{
    VEC(struct finding_row) rows = {0};
    for (size_t i = 0; i < advice->findings.n; i++)
        vec_push(&rows, w->arena, row_of(advice->findings.v[i], i + 1, w->arena));
    workbook_add(w, "findings", row_fields.doc, &row_fields, rows.v, rows.n);
}
