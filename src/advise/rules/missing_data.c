#include "advise/rule.h"
#include "base/array.h"
#include "base/str.h"

static bool eval(const struct analysis *a, struct finding *f)
{
    struct str list;
    str_init(&list, f->arena);
    static const enum capability_id vital[] = {CAPABLE_KERNELS, CAPABLE_API, CAPABLE_LINKS,
                                               CAPABLE_COPIES};
    for (size_t i = 0; i < a->capabilities.n; i++) {
        const struct capability *c = &a->capabilities.v[i];
        bool matters = false;
        for (size_t k = 0; k < ARRAY_LEN(vital); k++)
            matters |= c->id == vital[k];
        if (!c->wanted || !matters)
            continue;
        str_printf(&list, "%s%s", list.len ? ", " : "", c->key);
        finding_action(f, "without %s: %s", c->key, c->lacking);
    }
    if (!list.len)
        return false;
    f->advisory = true;
    finding_issue(f, "not recorded: %s", list.buf);
    finding_because(f, "capabilities", 0, 0, NO_UNIT, "not in the trace: %s", list.buf);
    finding_suggest(f, "capture what is missing and analyze again");
    finding_sure(
        f, 1.0,
        "the tables are empty or absent, and nothing says that the program does none of it");
    finding_capture_trace(f, "what is missing");
    return true;
}

const struct rule rule_missing_data = {
    .name = "missing-data",
    .id = "ROCPD-INFO-001",
    .category = ABOUT_PERFORMANCE,
    .title = "some data was not captured",
    .bottleneck = BOTTLENECK_OTHER,
    .action = ACTION_RUNTIME,
    .needs = NEED_NOTHING,
    .goals = ON(timeline),
    .gain = 0,
    .eval = eval,
    .doc = "Tells which kinds of data the trace lacks, what cannot be said without them, and the "
           "command that "
           "captures them.",
};
