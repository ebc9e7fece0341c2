/* The guide: how it is found and chosen from, and that its facts are those of our tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#include "analyze/ledger.h"
#include "argv_fault.h"
#include "base/str.h"
#include "base/vec.h"
#include "guide/guide.h"
#include "metric/counters.h"
#include "model/occupancy.h"

static struct arena arena;
static char folder[] = "/tmp/gpusight-guide-XXXXXX";

static int begin(void **state)
{
    (void)state;
    arena_init(&arena);
    unsetenv("GPUSIGHT_LLM_REFERENCE_GUIDE");
    unsetenv("ROCINSIGHT_LLM_REFERENCE_GUIDE");
    unsetenv("ROCPD_LLM_REFERENCE_GUIDE");
    if (!mkdtemp(folder))
        return -1;
    setenv("XDG_CONFIG_HOME", folder, 1);
    return mkdir(arena_printf(&arena, "%s/gpusight", folder), 0700);
}

static int end(void **state)
{
    (void)state;
    rmdir(arena_printf(&arena, "%s/gpusight", folder));
    int left = rmdir(folder);
    arena_release(&arena);
    return left;
}

static const char *write_guide(const char *name, const char *text)
{
    const char *path = arena_printf(&arena, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return path;
}

static struct guide built_in(void)
{
    return (struct guide){.text = guide_built_in[0].text, .path = "built in"};
}

/* ---- tables in Markdown ---- */

struct cells {
    const char *v[16];
    size_t n;
};

/* The cells of the next row at or after *at; false at the end of the table. */
static bool next_row(const char **at, struct cells *out)
{
    out->n = 0;
    if (**at != '|')
        return false;
    const char *p = *at + 1;
    while (*p && *p != '\n') {
        size_t n = strcspn(p, "|\n");
        const char *from = p, *to = p + n;
        while (from < to && *from == ' ')
            from++;
        while (to > from && to[-1] == ' ')
            to--;
        if (p[n] == '|' && out->n < ARRAY_LEN(out->v))
            out->v[out->n++] = arena_strndup(&arena, from, (size_t)(to - from));
        p += n + (p[n] == '|');
    }
    *at = p + (*p == '\n');
    return true;
}

/* The first row below the head of the table whose head begins so. */
static const char *table(const char *head)
{
    const char *at = strstr(guide_built_in[0].text, head);
    assert_non_null(at);
    at = strchr(at, '\n') + 1;
    assert_true(str_starts(at, "|---"));
    return strchr(at, '\n') + 1;
}

static void same(const char *text, double value, const char *what)
{
    double said = str_eq(text, "-") ? 0 : strtod(text, NULL);
    if (fabs(said - value) > 1e-9 + 1e-6 * fabs(value))
        fprintf(stderr, "%s: the guide says %s, the table %g\n", what, text, value);
    assert_true(fabs(said - value) <= 1e-9 + 1e-6 * fabs(value));
}

static void gpus_are_those_of_the_hardware_table(void **state)
{
    (void)state;
    const char *at = table("| product | architecture |");
    struct cells c;
    size_t rows = 0;
    for (; next_row(&at, &c); rows++) {
        assert_int_equal(c.n, 14);
        const struct hardware *h = hardware_find(c.v[1], c.v[0], 0);
        assert_non_null(h);
        assert_false(h->generic);
        const double facts[] = {
            h->cu_count,       h->wave_size,   h->lds_bytes / 1024,
            h->mem_gib,        h->mem_gbps,    h->l2_mib,
            h->tflops.fp64,    h->tflops.fp32, h->tflops.mat_fp16,
            h->tflops.mat_fp8, h->host_gbps,   round(h->tflops.fp32 * 1000 / h->mem_gbps)};
        for (size_t i = 0; i < ARRAY_LEN(facts); i++)
            same(c.v[i + 2], facts[i], c.v[0]);
    }
    assert_true(rows >= 15);
}

static void waves_are_those_of_the_occupancy_model(void **state)
{
    (void)state;
    const char *at = table("| registers at most | waves");
    const struct hardware *h = hardware_find("gfx942", "AMD Instinct MI300X", 0);
    struct cells c;
    int before = 0, rows = 0;
    for (; next_row(&at, &c); rows++) {
        int most = atoi(c.v[0]), waves = atoi(c.v[1]);
        for (int r = before + 1; r <= most; r++) {
            struct occupancy o;
            struct occupancy_in in = {.hw = h,
                                      .group_threads = 64,
                                      .registers = r > 256 ? 256 : r,
                                      .accum_registers = r > 256 ? r - 256 : 0};
            assert_true(occupancy_of(&o, &in));
            if (o.by_registers / h->simds_per_cu != waves)
                fprintf(stderr, "%d registers: %d waves, the guide says %d\n", r,
                        o.by_registers / h->simds_per_cu, waves);
            assert_int_equal(o.by_registers / h->simds_per_cu, waves);
        }
        before = most;
    }
    assert_int_equal(before, 512);
    assert_true(rows == 8);
}

static void counters_exist_and_limits_are_ours(void **state)
{
    (void)state;
    const char *at = table("| block | counters in a pass |");
    struct cells c;
    size_t blocks = 0, counters = 0;
    for (; next_row(&at, &c); blocks++)
        assert_int_equal(block_limit(family_of("gfx942"), c.v[0]), atoi(c.v[1]));
    assert_true(blocks >= 9);
    for (at = table("| question | counters |"); next_row(&at, &c);)
        for (char *name = strtok(arena_strdup(&arena, c.v[1]), " `"); name;
             name = strtok(NULL, " `"), counters++) {
            struct pack_counter found;
            if (!counter_find(&found, name, family_of("gfx942")))
                fprintf(stderr, "no counter %s\n", name);
            assert_true(counter_find(&found, name, family_of("gfx942")));
        }
    assert_true(counters >= 20);
}

static void causes_are_those_of_the_ledger(void **state)
{
    (void)state;
    const char *at = table("| cause | meaning |");
    struct cells c;
    enum cause next = 0;
    for (; next_row(&at, &c); next++)
        assert_string_equal(c.v[0], cause_info(next)->key);
    assert_int_equal(next, CAUSES);
}

static void commands_are_ones_that_the_tools_take(void **state)
{
    (void)state;
    size_t commands = 0;
    bool inside = false;
    for (const char *at = guide_built_in[0].text; at && *at; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (str_starts(at, "```"))
            inside = !inside;
        else if (inside) {
            struct words w = {0};
            words_split(&w, arena_strndup(&arena, at, strcspn(at, "\n")), &arena);
            const char *fault = tool_argv_fault(&w, &arena);
            if (fault)
                fprintf(stderr, "%.*s: %s\n", (int)strcspn(at, "\n"), at, fault);
            assert_null(fault);
            commands++;
        }
    }
    assert_true(commands >= 10);
}

/* ---- choosing ---- */

static const char *chosen(struct guide_context c)
{
    struct guide g = built_in();
    return guide_select(&g, guide_tags(&c), &arena);
}

static void sections_follow_the_situation(void **state)
{
    (void)state;
    struct guide g = built_in();
    const char *trace = chosen((struct guide_context){.tier = 1});
    assert_true(str_has(trace, "## Your role") && str_has(trace, "## Common bottlenecks"));
    assert_false(str_has(trace, "## Counters") || str_has(trace, "## Compiling"));
    assert_false(str_has(trace, "## Instructions") || str_has(trace, "## Reading source"));
    const char *counted = chosen((struct guide_context){.tier = 2, .in_kernels = true});
    assert_true(str_has(counted, "## Counters") && str_has(counted, "## Compiling"));
    assert_true(str_has(chosen((struct guide_context){.tier = 3}), "## Instructions"));
    const char *source = chosen((struct guide_context){.tier = 0});
    assert_true(str_has(source, "## Reading source") && !str_has(source, "## Common bottlenecks"));
    assert_true(str_has(chosen((struct guide_context){.tier = 1, .prompt = "why the STALLs?"}),
                        "## Instructions"));
    assert_true(str_has(chosen((struct guide_context){.tier = 1, .has_categories = true}),
                        "## Kernel categories"));
    assert_string_equal(guide_select(&g, ~0u, &arena), g.text);
    assert_true(strlen(trace) < strlen(g.text) * 3 / 4);
}

static void foreign_guides_are_taken_as_they_are(void **state)
{
    (void)state;
    struct guide g = {
        .text = "head\n## a\nno tag\n## b\n\n<!-- rocinsight-context: tier2,source -->\nx\n"
                "## c\n<!-- rocinsight-context: nothing -->\ny\n## d\n1\n2\n"
                "<!-- rocinsight-context: tier3 -->\nfar below"};
    const char *s = guide_select(&g, GUIDE_ALWAYS, &arena);
    assert_true(str_starts(s, "head\n## a\nno tag\n## d"));
    assert_false(str_has(s, "## b") || str_has(s, "## c"));
    assert_true(str_has(guide_select(&g, GUIDE_SOURCE, &arena), "## b"));
    g.text = "";
    assert_string_equal(guide_select(&g, ~0u, &arena), "");
}

/* ---- finding ---- */

static void the_order_is_kept(void **state)
{
    (void)state;
    struct guide g;
    struct gs_error err = {0};
    const char *user = write_guide("gpusight/llm-reference-guide.md", "# user\n");
    const char *named = write_guide("named.md", "# named\n<!-- guide-version: 7.2 -->\n");
    const char *given = write_guide("given.md", "# given\n");
    assert_true(guide_load(&g, NULL, &arena, &err));
    assert_string_equal(g.path, user);
    setenv("ROCPD_LLM_REFERENCE_GUIDE", given, 1);
    setenv("ROCINSIGHT_LLM_REFERENCE_GUIDE", named, 1);
    assert_true(guide_load(&g, NULL, &arena, &err));
    assert_string_equal(g.path, named);
    assert_string_equal(g.version, "7.2");
    assert_true(guide_load(&g, given, &arena, &err));
    assert_string_equal(g.text, "# given\n");
    assert_false(guide_load(&g, "/no/guide.md", &arena, &err));
    assert_true(str_has(err.text, "/no/guide.md") && str_has(err.text, named) &&
                str_has(err.text, user) && str_has(err.text, "/opt/rocm/share/rocprofiler-sdk"));
    unsetenv("ROCPD_LLM_REFERENCE_GUIDE");
    setenv("GPUSIGHT_LLM_REFERENCE_GUIDE", "/no/such.md", 1);
    assert_false(guide_load(&g, NULL, &arena, &err));
    unsetenv("GPUSIGHT_LLM_REFERENCE_GUIDE");
    unsetenv("ROCINSIGHT_LLM_REFERENCE_GUIDE");
    remove(user);
    remove(named);
    remove(given);
    assert_true(guide_load(&g, NULL, &arena, &err));
    assert_true(str_has(g.text, "## The ledger"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(gpus_are_those_of_the_hardware_table),
        unit_test(waves_are_those_of_the_occupancy_model),
        unit_test(counters_exist_and_limits_are_ours),
        unit_test(causes_are_those_of_the_ledger),
        unit_test(commands_are_ones_that_the_tools_take),
        unit_test(sections_follow_the_situation),
        unit_test(foreign_guides_are_taken_as_they_are),
        unit_test(the_order_is_kept),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
