#include "render/workload_reference.h"

#include <string.h>

#include "workload/panels.h"

/* A formula in a cell: the bar of a table is the only character that could end it. */
static void code(struct str *out, const char *text)
{
    if (!*text) {
        str_puts(out, "–");
        return;
    }
    str_puts(out, "`");
    for (const char *p = text; *p; p++)
        str_printf(out, *p == '|' ? "\\%c" : "%c", *p);
    str_puts(out, "`");
}

static void row(struct str *out, const struct workload_metric *m)
{
    str_printf(out, "| %s | `%s` | %s | ", m->name, m->key,
               workload_unit_name(m->unit, out->arena));
    code(out, m->formula);
    str_puts(out, " | ");
    code(out, m->peak);
    str_puts(out, " | ");
    str_puts(out, m->doc);
    if (*m->level)
        str_printf(out, "; counters of the pass of `%s`", m->level);
    str_puts(out, " |\n");
}

static void archs(struct str *out)
{
    static const char *const names[] = {"gfx908", "gfx90a", "gfx942", "gfx950"};
    str_puts(out, "\n## Architectures\n\nWhat one does in a clock: bytes, and floating-point "
                  "operations of a CU. 0: it has no such unit.\n\n"
                  "| | `$l1_line` | `$l2_request` | `$l2_clock` | `$valu_f16` | `$valu_f32` | "
                  "`$valu_f64` | `$mfma_f6f4` | `$mfma_f8` | `$mfma_f16` | `$mfma_bf16` | "
                  "`$mfma_f32` | `$mfma_f64` | `$mfma_i8` |\n"
                  "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const struct workload_arch *a = workload_arch(names[i]);
        const double all[] = {a->l1_line,  a->l2_request, a->l2_clock, a->valu_f16, a->valu_f32,
                              a->valu_f64, a->mfma_f6f4,  a->mfma_f8,  a->mfma_f16, a->mfma_bf16,
                              a->mfma_f32, a->mfma_f64,   a->mfma_i8};
        str_printf(out, "| %s (%s) |", a->name, a->family);
        for (size_t k = 0; k < ARRAY_LEN(all); k++)
            str_printf(out, " %.0f |", all[k]);
        str_putc(out, '\n');
    }
}

void reference_workload(struct str *out)
{
    size_t panels, n, facts;
    const struct workload_panel *p = workload_panels(&panels);
    const struct workload_metric *m = workload_metrics(&n);
    const struct workload_fact *f = workload_facts(&facts);
    str_puts(out, "# Metrics of workloads\n\n"
                  "Made by `gpusight --generate workload-metrics` from src/workload/panels.def; "
                  "[workloads.md](workloads.md) says how they are computed and what the `$names` "
                  "are. In units, `/n` is the normal unit (`--per`, a wave unless said otherwise), "
                  "in formulas `$denom`.\n\n"
                  "## Facts about all dispatches selected\n\n"
                  "| name | mean over the dispatches of | meaning |\n|---|---|---|\n");
    for (size_t i = 0; i < facts; i++) {
        str_printf(out, "| `$%s` | ", f[i].name);
        code(out, f[i].formula);
        str_printf(out, " | %s |\n", f[i].doc);
    }
    for (size_t k = 0; k < panels; k++) {
        str_printf(out,
                   "\n## %d. %s\n\n| metric | key | unit | formula | peak | meaning |\n"
                   "|---|---|---|---|---|---|\n",
                   p[k].id, p[k].title);
        for (size_t i = 0; i < n; i++)
            if (m[i].panel == p[k].id)
                row(out, &m[i]);
    }
    archs(out);
}
