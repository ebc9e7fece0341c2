#include "render/reference.h"

#include <string.h>

#include "advise/overview.h"
#include "advise/rule.h"
#include "att/att.h"
#include "plan/plan.h"
#include "report/compare_tables.h"
#include "report/terms.h"

/* ---- metrics ---- */

static void put_ledger(struct str *out)
{
    static const char *const kinds[] = {"work", "exposed", "idle"};
    str_puts(
        out,
        "## The ledger\n\n"
        "Every nanosecond of every GPU in the window has exactly one cause. Causes stand in order "
        "of precedence: where two hold, the first one counts. They add up to window x GPUs.\n\n"
        "| cause | kind | meaning |\n|---|---|---|\n");
    for (enum cause c = 0; c < CAUSES; c++)
        fields_doc_row(out, cause_info(c)->key, kinds[cause_info(c)->kind], cause_info(c)->doc);
}

static void put_analyses(struct str *out)
{
    struct analysis *none = arena_new(out->arena, struct analysis);
    for (const struct analysis_kind *const *k = analysis_kinds; *k; k++) {
        struct results tables = {0};
        analysis_kind_results(*k, none, &tables, out->arena);
        str_printf(out, "\n## %s\n\n", (*k)->name);
        fields_doc_text(out, (*k)->doc);
        str_putc(out, '\n');
        for (size_t i = 0; i < tables.n; i++)
            fields_doc(out, tables.v[i].fields, tables.v[i].is_object);
    }
}

static void put_compare(struct str *out)
{
    struct fields tables[COMPARE_TABLES];
    compare_term_list(tables);
    str_puts(out, "\n## compare\n\nWhat 'gpusight compare' adds; its JSON calls the tables causes, "
                  "kernels, phases, and ledger, copied_bytes and api_calls (rows). docs/compare.md "
                  "has the formulas behind them.\n");
    for (size_t i = 0; i < COMPARE_TABLES; i++)
        fields_doc(out, &tables[i], i == 0);
}

static void put_checks(struct str *out)
{
    str_puts(
        out,
        "\n## Data quality\n\n"
        "A trace starts with 100 points. Each check takes its weight off when 5 % of the rows or "
        "more are affected, half of it from 0.5 % on and a fifth below. Grade A from 95 points, B "
        "from 85, C from 70, D from 50, else F.\n\n"
        "| check | weight | what is wrong |\n|---|---|---|\n");
    for (const struct quality_check_doc *q = quality_check_docs; q->code; q++)
        fields_doc_row(out, q->code, arena_printf(out->arena, "%d", q->weight), q->doc);
}

void reference_metrics(struct str *out)
{
    str_puts(out,
             "# Metrics\n\n"
             "Every number gpusight prints, with its formula. Made by `gpusight --generate "
             "metrics` from the "
             "tables that the program itself uses; `gpusight explain FIELD` shows the same.\n\n"
             "Time in a state is the length of the union of intervals, first per GPU and then "
             "summed over "
             "GPUs; a sum of durations is called a sum. Times are integers in nanoseconds, clipped "
             "to the "
             "analyzed window. What cannot be said is null in JSON and `-` in tables.\n\n");
    put_ledger(out);
    put_analyses(out);
    str_puts(
        out,
        "\n## overview\n\nThe first page of a report. The span runs from the first start to the "
        "last end of work on any GPU.\n");
    fields_doc(out, &execution_fields, true);
    fields_doc(out, &timeline_fields, true);
    fields_doc(out, &region_fields, false);
    fields_doc(out, &counter_fields, false);
    fields_doc(out, &capture_fields, false);
    str_puts(out, "\n## thread trace\n\nOf `--att-dir`, see docs/thread-trace.md.\n");
    static const struct fields *const thread_trace[] = {
        &att_kernel_fields, &att_class_fields,     &att_instruction_fields, &att_block_fields,
        &att_state_fields,  &att_occupancy_fields, &att_finding_fields,     &att_dispatch_fields};
    for (size_t i = 0; i < ARRAY_LEN(thread_trace); i++)
        fields_doc(out, thread_trace[i], false);
    put_compare(out);
    put_checks(out);
}

/* ---- rules ---- */

void reference_rules(struct str *out)
{
    str_puts(out, "# Rules\n\n"
                  "What gpusight looks for. Made by `gpusight --generate rules` from the rules "
                  "themselves; `gpusight "
                  "explain RULE` shows the same. A rule claims GPU time from the ledger, and no "
                  "nanosecond is "
                  "granted to two rules; the priority of a finding follows from what was granted "
                  "and the gain: "
                  "the share of it that doing something about it may win.\n\n"
                  "| rule | id | category |\n|---|---|---|\n");
    for (const struct rule *const *r = rules; *r; r++)
        fields_doc_row(out, (*r)->name, (*r)->id, rule_categories[(*r)->category]);
    for (const struct rule *const *r = rules; *r; r++) {
        str_printf(out, "\n## %s\n\n", (*r)->name);
        fields_doc_text(out, (*r)->title);
        str_printf(
            out, "\n\n- id: `%s`\n- category: %s\n- bottleneck: `%s`\n- needs: %s\n- gain: %g\n\n",
            (*r)->id, rule_categories[(*r)->category], bottleneck_name((*r)->bottleneck),
            rule_needs_text((*r)->needs, out->arena), (*r)->gain);
        fields_doc_text(out, (*r)->doc);
        str_putc(out, '\n');
    }
}
