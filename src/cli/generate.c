#include "cli/generate.h"

#include "base/fs.h"
#include "cli/globals.h"
#include "cli/help.h"
#include "compare/history.h"
#include "compat/rocinsight.h"
#include "depend/whatif.h"
#include "evaluate/evaluate.h"
#include "query/query.h"
#include "render/answer_json.h"
#include "render/compare_json.h"
#include "render/plan_json.h"
#include "render/reference.h"
#include "render/workload_json.h"
#include "render/workload_reference.h"
#include "report/inventory.h"
#include "report/summary_json.h"
#include "report/terms.h"
#include "tally/tally.h"
#include "tool/tool.h"
#include "verify/verify_doc.h"

void each_option(const struct command *c, void (*fn)(const struct opt *o, void *ctx), void *ctx)
{
    for (const struct opt *o = c ? c->opts : NULL; o && o->name; o++)
        if (*o->name)
            fn(o, ctx);
    for (const struct opt *o = globals_opts; o->name; o++)
        fn(o, ctx);
    fn(&help_option, ctx);
}

enum operand_kind operand_kind(const struct command *c)
{
    if (!*c->operands || str_has(c->operands, "TERM"))
        return OPERAND_NONE;
    return str_has(c->operands, "COMMAND") ? OPERAND_COMMAND : OPERAND_FILE;
}

static bool generate_man(struct str *out, const char *page, struct gs_error *err)
{
    if (str_eq(page, "gpusight")) {
        man_overview(out);
        return true;
    }
    const struct command *c = command_find(page);
    if (!c)
        return command_unknown(page, err);
    man_command(out, c);
    return true;
}

static void generate_list(struct str *out)
{
    for (const struct command *const *c = cli_commands; *c; c++)
        str_printf(out, "%s\t%s\n", (*c)->name, (*c)->summary);
}

bool generate(struct arena *a, int argc, char **argv, struct gs_error *err)
{
    static const struct {
        const char *name;
        void (*fn)(struct str *out);
    } plain[] = {{"list", generate_list},
                 {"bash", complete_bash},
                 {"zsh", complete_zsh},
                 {"fish", complete_fish},
                 {"schema", analysis_json_schema},
                 {"plan-schema", plan_json_schema},
                 {"rocinsight-schema", rocinsight_json_schema},
                 {"compare-schema", compare_json_schema},
                 {"info-schema", inventory_json_schema},
                 {"summary-schema", summary_json_schema},
                 {"history-schema", history_json_schema},
                 {"workload-schema", workload_json_schema},
                 {"workload-compare-schema", workload_compare_json_schema},
                 {"verify-schema", verify_json_schema},
                 {"answer-schema", answer_json_schema},
                 {"whatif-schema", whatif_json_schema},
                 {"evaluation-schema", evaluation_json_schema},
                 {"tables-schema", tally_json_schema},
                 {"explain-schema", terms_json_schema},
                 {"metrics", reference_metrics},
                 {"rules", reference_rules},
                 {"counters", reference_counters},
                 {"workload-metrics", reference_workload},
                 {"tools", tools_reference},
                 {"query-tables", query_reference}};
    struct str out;
    str_init(&out, a);
    if (argc == 2 && str_eq(argv[0], "man"))
        return generate_man(&out, argv[1], err) && fs_write("-", out.buf, out.len, err);
    for (size_t i = 0; argc == 1 && i < ARRAY_LEN(plain); i++) {
        if (str_eq(argv[0], plain[i].name)) {
            plain[i].fn(&out);
            return fs_write("-", out.buf, out.len, err);
        }
    }
    str_puts(&out, "man PAGE");
    for (size_t i = 0; i < ARRAY_LEN(plain); i++)
        str_printf(&out, "%s%s", i + 1 < ARRAY_LEN(plain) ? ", " : " or ", plain[i].name);
    return fail(err, GS_E_USAGE, "option '--generate' needs %s", out.buf);
}
