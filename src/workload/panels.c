#include "workload/panels.h"

#include <ctype.h>
#include <string.h>

#include "base/str.h"
#include "metric/metrics.h"

static const struct workload_metric metrics[] = {
#define PANEL(id, title)
#define SELECTION(name, formula, doc)
#define METRIC(panel, key, name, unit, formula, peak, level, doc)                                  \
    {panel, #key, name, WORKLOAD_IN_##unit, formula, peak, level, doc},
#include "workload/panels.def"
#undef METRIC
#undef PANEL
};

static const struct workload_panel panels[] = {
#define PANEL(id, title) {id, title},
#define METRIC(panel, key, name, unit, formula, peak, level, doc)
#include "workload/panels.def"
#undef METRIC
#undef PANEL
#undef SELECTION
};

static const struct workload_fact facts[] = {
#define PANEL(id, title)
#define METRIC(panel, key, name, unit, formula, peak, level, doc)
#define SELECTION(name, formula, doc) {#name, formula, doc},
#include "workload/panels.def"
#undef METRIC
#undef PANEL
#undef SELECTION
};

const struct workload_unit_info *workload_unit_info(enum workload_unit unit)
{
    static const struct workload_unit_info units[] = {
#define UNIT(name, word, counted) {word, counted},
#include "workload/units.def"
#undef UNIT
    };
    return &units[unit];
}

const char *workload_unit_name(enum workload_unit unit, struct arena *a)
{
    const struct workload_unit_info *u = workload_unit_info(unit);
    return u->counted ? arena_printf(a, "%s/n", u->word) : u->word;
}

static const struct workload_arch archs[] = {
#define ARCH(...) {__VA_ARGS__},
#include "workload/archs.def"
#undef ARCH
};

const struct workload_metric *workload_metrics(size_t *n)
{
    *n = ARRAY_LEN(metrics);
    return metrics;
}

const struct workload_panel *workload_panels(size_t *n)
{
    *n = ARRAY_LEN(panels);
    return panels;
}

const struct workload_fact *workload_facts(size_t *n)
{
    *n = ARRAY_LEN(facts);
    return facts;
}

const struct workload_panel *workload_panel(int id)
{
    for (size_t i = 0; i < ARRAY_LEN(panels); i++)
        if (panels[i].id == id)
            return &panels[i];
    return NULL;
}

const char *panels_formula(const char *text, bool newer, const char *denominator, struct arena *a)
{
    struct str out;
    str_init(&out, a);
    for (const char *p = text; *p;) {
        if (*p == '{') {
            const char *bar = strchr(p, '|'), *end = strchr(p, '}');
            const char *from = newer ? p + 1 : bar + 1, *to = newer ? bar : end;
            const char *part = arena_strndup(a, from, (size_t)(to - from));
            str_puts(&out, panels_formula(part, newer, denominator, a));
            p = end + 1;
        } else if (str_starts(p, "$denom")) {
            str_puts(&out, denominator);
            p += strlen("$denom");
        } else if (newer && str_starts(p, "TCC_EA_")) {
            str_puts(&out, "TCC_EA0_");
            p += strlen("TCC_EA_");
        } else {
            str_putc(&out, *p++);
        }
    }
    return out.buf;
}

const struct workload_arch *workload_arch(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(archs); i++)
        if (str_eq(archs[i].name, name))
            return &archs[i];
    return NULL;
}

static void add_word(struct idmap *set, const char *p, size_t n)
{
    char newer[FORMULA_NAME_BYTES];
    idmap_put(set, hash_bytes(p, n), 1);
    /* of a sum also the counter whose channels it adds up */
    if (n > 4 && !memcmp(p + n - 4, "_sum", 4))
        idmap_put(set, hash_bytes(p, n - 4), 1);
    if (n > 7 && n + 1 < sizeof(newer) && !memcmp(p, "TCC_EA_", 7)) {
        memcpy(newer, "TCC_EA0_", 8);
        memcpy(newer + 8, p + 7, n - 7);
        add_word(set, newer, n + 1);
    }
}

static void add_words(struct idmap *set, const char *formula)
{
    for (const char *p = formula; *p;) {
        size_t n = 0;
        while (isalnum((unsigned char)p[n]) || p[n] == '_')
            n++;
        if (n > 3 && isupper((unsigned char)*p))
            add_word(set, p, n);
        p += n ? n : 1;
    }
}

void panels_names(struct idmap *set, struct arena *a)
{
    size_t n;
    const struct metric_def *defs = metric_defs(&n);
    idmap_init(set, a);
    for (size_t i = 0; i < n; i++)
        add_words(set, defs[i].formula);
    for (size_t i = 0; i < ARRAY_LEN(metrics); i++)
        add_words(set, metrics[i].formula);
    for (size_t i = 0; i < ARRAY_LEN(facts); i++)
        add_words(set, facts[i].formula);
    add_words(set, "SQ_WAVES GRBM_GUI_ACTIVE");
}
