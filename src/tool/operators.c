/* Operators of a framework: what a trace of PyTorch marks with them, by name. */
#include <stdlib.h>
#include <string.h>

#include "base/sat.h"
#include "base/str.h"
#include "tool/ask.h"

struct operator_row {
    const char *name;
    uint64_t calls, kernels;
    int64_t wall_ns, kernel_ns, self_kernel_ns, copy_ns;
    double pct_of_kernels;
};

struct operators_doc {
    struct tool_head head;
    VEC(struct operator_row) operators;
    VEC(struct api_row) functions;
};

/* Names of operators: by the category that PyTorch gives them, or as its NVTX ranges are called. */
static uint8_t *operator_names(const struct trace *t, struct arena *arena)
{
    uint8_t *is = arena_array(arena, uint8_t, t->strings.n + 1);
    uint32_t last = NO_INDEX;
    bool operators = false;
    for (size_t i = 0; i < t->markers.n; i++) {
        if (t->markers.domain[i] != last) {
            last = t->markers.domain[i];
            operators = str_eq(trace_str(t, last), "cpu_op");
        }
        is[t->markers.name[i]] |= operators;
    }
    return is;
}

struct gathering {
    const struct analysis *a;
    const uint8_t *is_operator;
    struct arena *arena;
    int64_t *inside; /* by marker row: kernel time of the rows directly below */
    VEC(struct operator_row) rows;
};

static bool has_ancestor_named(const struct analysis *a, const struct marker_row *m)
{
    for (int32_t up = m->parent; up >= 0; up = a->markers.v[up].parent)
        if (str_eq(a->markers.v[up].name, m->name))
            return true;
    return false;
}

static void add_to(struct operator_row *row, const struct gathering *g, size_t at)
{
    const struct marker_row *m = &g->a->markers.v[at];
    row->self_kernel_ns = add_ns(row->self_kernel_ns, sub_ns(m->kernel_ns, g->inside[at]));
    if (has_ancestor_named(g->a, m))
        return; /* what is in it stands in the outer one, too */
    row->calls += m->calls;
    row->kernels += m->kernels;
    row->wall_ns = add_ns(row->wall_ns, m->wall_ns);
    row->kernel_ns = add_ns(row->kernel_ns, m->kernel_ns);
    row->copy_ns = add_ns(row->copy_ns, m->copy_ns);
}

static int by_self(const void *x, const void *y)
{
    const struct operator_row *a = x, *b = y;
    if (a->self_kernel_ns != b->self_kernel_ns)
        return a->self_kernel_ns < b->self_kernel_ns ? 1 : -1;
    if (a->wall_ns != b->wall_ns)
        return a->wall_ns < b->wall_ns ? 1 : -1;
    return strcmp(a->name, b->name);
}

static void gather(struct gathering *g)
{
    const struct analysis *a = g->a;
    struct idmap place;
    idmap_init(&place, g->arena);
    g->inside = arena_array(g->arena, int64_t, a->markers.n);
    for (size_t i = 0; i < a->markers.n; i++) {
        const struct marker_row *m = &a->markers.v[i];
        if (m->parent >= 0)
            g->inside[m->parent] = add_ns(g->inside[m->parent], m->kernel_ns);
    }
    for (size_t i = 0; i < a->markers.n; i++) {
        const struct marker_row *m = &a->markers.v[i];
        uint32_t name = strings_find(&a->trace->strings, m->name);
        if (!str_starts(m->name, "aten::") && (name == NO_INDEX || !g->is_operator[name]))
            continue;
        uint64_t key = hash_bytes(m->name, strlen(m->name));
        uint32_t at = idmap_get(&place, key);
        if (at == NO_INDEX) {
            at = (uint32_t)g->rows.n;
            idmap_put(&place, key, at);
            vec_push(&g->rows, g->arena, ((struct operator_row){.name = m->name}));
        }
        add_to(&g->rows.v[at], g, i);
    }
    for (size_t i = 0; i < g->rows.n; i++)
        g->rows.v[i].pct_of_kernels =
            percent_of((double)g->rows.v[i].self_kernel_ns, (double)a->breakdown.kernel_sum_ns);
    if (g->rows.n)
        qsort(g->rows.v, g->rows.n, sizeof(*g->rows.v), by_self);
}

static const void *call(struct tool_ask *ask, struct gs_error *err)
{
    struct operators_doc *d = arena_new(ask->arena, struct operators_doc);
    struct gathering g = {.a = ask->a, .arena = ask->arena};
    VEC(struct api_row) functions = {0};
    (void)err;
    tool_head_set(ask, &d->head);
    g.is_operator = operator_names(ask->a->trace, ask->arena);
    gather(&g);
    for (size_t i = 0; i < ask->a->api.n; i++)
        if (ask->a->api.v[i].class == API_HOST)
            vec_push(&functions, ask->arena, ask->a->api.v[i]);
    tool_rows(ask, &d->operators, g.rows.v, g.rows.n);
    tool_rows(ask, &d->functions, functions.v, functions.n);
    return d;
}

#define T struct operator_row
PART(operator_fields, T, ALWAYS(T, name, FIELD_TEXT, "name", "of the operator"),
     ALWAYS(T, calls, FIELD_U64, "calls", "number of calls"),
     ALWAYS(T, wall_ns, FIELD_I64, "wall_ns", "host time inside it, operators below included"),
     ALWAYS(T, kernels, FIELD_U64, "kernels", "dispatches launched inside it"),
     ALWAYS(T, kernel_ns, FIELD_I64, "kernel_ns", "sum of their durations"),
     ALWAYS(T, self_kernel_ns, FIELD_I64, "self_kernel_ns",
            "the same without those launched in ranges directly below it"),
     ALWAYS(T, pct_of_kernels, FIELD_NUM, "pct_of_kernels",
            "100 x self_kernel_ns / sum of the durations of all kernels"),
     ALWAYS(T, copy_ns, FIELD_I64, "copy_ns", "copies launched inside it"));
#undef T
#define T struct operators_doc
PART(result, T, TOOL_HEAD(T),
     ALWAYS(T, operators, FIELD_LIST, "operators", "most kernel time of their own first",
            .of = &operator_fields),
     ALWAYS(T, functions, FIELD_LIST, "functions", "of the program that were recorded",
            .of = &api_call_fields));
#undef T

const struct tool tool_operators = {
    .name = "operators",
    .title = "Operators of a framework",
    .description = "Operators of PyTorch with calls, host time and the GPU time of what they "
                   "launched, and functions of the program that were recorded. Empty when neither "
                   "was",
    .params = &tool_params_part,
    .result = &result,
    .kinds = (const struct analysis_kind *const[]){&analysis_breakdown, &analysis_api,
                                                   &analysis_markers, NULL},
    .needs_run = true,
    .call = call,
};
