#include "compat/tracelens.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sat.h"
#include "base/sort.h"
#include "base/str.h"

/* ---- names ---- */

const char *kernel_truncated_name(struct arena *a, const char *full)
{
    size_t end = strlen(full);
    int depth = 0;
    char open = 0, close = 0;
    for (; end; end--) {
        char c = full[end - 1];
        if (depth) {
            depth += (c == close) - (c == open);
            continue;
        }
        if (c == ' ')
            continue;
        if (c != ')' && c != '>' && c != ']')
            break;
        close = c;
        open = c == ')' ? '(' : c == '>' ? '<' : '[';
        depth = 1;
    }
    size_t start = end;
    while (start && full[start - 1] != ' ' && full[start - 1] != ':')
        start--;
    return start == end ? full : arena_strndup(a, full + start, end - start);
}

/* First match wins; that "reduce" comes before "nccl" is TraceLens' choice. */
const char *tracelens_category(const char *name)
{
    static const struct {
        const char *part, *category;
    } table[] = {
        {"gemm", "GEMM"},
        {"matmul", "GEMM"},
        {"cijk", "GEMM"},
        {"elementwise", "Elementwise"},
        {"reduce", "Reduction"},
        {"sum", "Reduction"},
        {"conv", "Convolution"},
        {"norm", "Normalization"},
        {"flash", "Attention"},
        {"attn", "Attention"},
        {"fmha", "Attention"},
        {"copy", "Memory"},
        {"rccl", "COMM"},
        {"nccl", "COMM"},
        {"cross_device_reduce", "COMM"},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (str_has_fold(name, table[i].part))
            return table[i].category;
    return "Other";
}

/* Of a name that is not C++, rocprofv3 keeps the suffix of the kernel descriptor. */
static const char *name_of(struct tracelens *t, const struct symbol *s, bool full_names)
{
    const struct trace *tr = t->a->trace;
    const char *full = trace_str(tr, s->name), *mangled = trace_str(tr, s->mangled);
    size_t n = strlen(full);
    if (full_names)
        return full;
    if (!strpbrk(full, " :<(") && strncmp(full, mangled, n) == 0 && str_eq(mangled + n, ".kd"))
        full = mangled;
    return kernel_truncated_name(t->arena, full);
}

static void name_symbols(struct tracelens *t, bool full_names)
{
    const struct trace *tr = t->a->trace;
    struct strings known;
    strings_init(&known, t->arena);
    t->group_of_symbol = arena_array(t->arena, uint32_t, tr->symbols.n + 1);
    VEC(uint32_t) group_of_string = {0};
    for (size_t i = 0; i < tr->symbols.n; i++) {
        uint32_t id = strings_add(&known, name_of(t, &tr->symbols.v[i], full_names));
        while (group_of_string.n <= id)
            vec_push(&group_of_string, t->arena, NO_INDEX);
        if (group_of_string.v[id] == NO_INDEX) {
            group_of_string.v[id] = (uint32_t)t->names.n;
            vec_push(&t->names, t->arena, strings_text(&known, id));
        }
        t->group_of_symbol[i] = group_of_string.v[id];
    }
}

/* ---- all kernels, longest first; rows of equal length stay in the order of the file ---- */

static void order_kernels(struct tracelens *t, struct arena *temporary)
{
    const struct view *v = &t->a->view;
    size_t all = t->a->trace->kernels.n;
    bool *inside = arena_array(temporary, bool, all + 1);
    int64_t *key = arena_array(temporary, int64_t, all + 1);
    for (size_t g = 0; g < v->n_gpus; g++)
        for (size_t i = 0; i < v->gpus[g].n_kernels; i++)
            inside[v->gpus[g].kernels[i]] = true;
    t->rows = arena_array(t->arena, uint32_t, v->n_kernels + 1);
    for (size_t i = 0; i < all; i++) {
        if (!inside[i])
            continue;
        t->rows[t->n_rows++] = (uint32_t)i;
        key[i] = -kernel_ns(t->a, (uint32_t)i);
    }
    sort_rows(t->rows, t->n_rows, key, temporary);
}

/* ---- groups ---- */

static uint32_t group_of(const struct tracelens *t, uint32_t row)
{
    return t->group_of_symbol[t->a->trace->kernels.symbol[row]];
}

static int by_total(const void *x, const void *y)
{
    const struct tl_kernel *a = x, *b = y;
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Durations of one group stand together, longest first, because rows are in that order. */
static void measure(struct tl_kernel *k, const int64_t *ns)
{
    size_t n = k->count;
    double mean = (double)k->total_ns / (double)n;
    long double squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += ((long double)ns[i] - mean) * ((long double)ns[i] - mean);
    k->mean_us = mean / 1e3;
    k->median_us = ((double)ns[(n - 1) / 2] + (double)ns[n / 2]) / 2 / 1e3;
    k->std_us = n > 1 ? sqrt((double)(squares / (long double)(n - 1))) / 1e3 : NAN;
    k->min_us = (double)ns[n - 1] / 1e3;
    k->max_us = (double)ns[0] / 1e3;
    k->total_ms = (double)k->total_ns / 1e6;
}

static void group_kernels(struct tracelens *t, struct arena *temporary)
{
    size_t n = t->names.n;
    size_t *first = arena_array(temporary, size_t, n + 2);
    int64_t *ns = arena_array(temporary, int64_t, t->n_rows + 1);
    struct tl_kernel *groups = arena_array(temporary, struct tl_kernel, n + 1);
    for (size_t i = 0; i < t->n_rows; i++)
        first[group_of(t, t->rows[i]) + 1]++;
    for (size_t g = 0; g < n; g++)
        first[g + 1] += first[g];
    for (size_t i = 0; i < t->n_rows; i++) {
        uint32_t g = group_of(t, t->rows[i]);
        int64_t d = kernel_ns(t->a, t->rows[i]);
        ns[first[g] + groups[g].count++] = d;
        groups[g].total_ns += (uint64_t)d; /* in range: 128 bits */
    }
    for (size_t g = 0; g < n; g++) {
        if (!groups[g].count)
            continue;
        groups[g].name = t->names.v[g];
        groups[g].category = tracelens_category(groups[g].name);
        measure(&groups[g], ns + first[g]);
        vec_push(&t->kernels, t->arena, groups[g]);
    }
    if (t->kernels.n)
        qsort(t->kernels.v, t->kernels.n, sizeof(*t->kernels.v), by_total);
}

static int category_by_total(const void *x, const void *y)
{
    const struct tl_category *a = x, *b = y;
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    return strcmp(a->category, b->category);
}

static void group_categories(struct tracelens *t)
{
    for (size_t i = 0; i < t->kernels.n; i++) {
        const struct tl_kernel *k = &t->kernels.v[i];
        size_t c = 0;
        while (c < t->categories.n && t->categories.v[c].category != k->category)
            c++;
        if (c == t->categories.n)
            vec_push(&t->categories, t->arena, ((struct tl_category){.category = k->category}));
        t->categories.v[c].count += k->count;
        t->categories.v[c].total_ns += k->total_ns; /* in range: 128 bits */
    }
    if (t->categories.n)
        qsort(t->categories.v, t->categories.n, sizeof(*t->categories.v), category_by_total);
}

/* Running sums are of integers, so the last one is 100 and none is below the one before. */
static double share(unsigned __int128 part, unsigned __int128 whole)
{
    return whole ? 100.0 * ((double)part / (double)whole) : 0;
}

static unsigned __int128 fill_shares(struct tracelens *t)
{
    unsigned __int128 all = 0, run = 0;
    for (size_t i = 0; i < t->kernels.n; i++)
        all += t->kernels.v[i].total_ns;
    for (size_t i = 0; i < t->kernels.n; i++) {
        struct tl_kernel *k = &t->kernels.v[i];
        run += k->total_ns;
        k->pct = share(k->total_ns, all);
        k->cumulative_pct = share(run, all);
    }
    run = 0;
    for (size_t i = 0; i < t->categories.n; i++) {
        struct tl_category *c = &t->categories.v[i];
        run += c->total_ns;
        c->total_ms = (double)c->total_ns / 1e6;
        c->pct = share(c->total_ns, all);
        c->cumulative_pct = share(run, all);
    }
    return all;
}

/* ---- short kernels ---- */

static int short_by_sum(const void *x, const void *y)
{
    const struct tl_short *a = x, *b = y;
    if (a->sum_ns != b->sum_ns)
        return a->sum_ns > b->sum_ns ? -1 : 1;
    return strcmp(a->name, b->name);
}

static void fill_bins(struct tracelens *t, size_t from, size_t n)
{
    double least = (double)kernel_ns(t->a, t->rows[t->n_rows - 1]);
    double most = (double)kernel_ns(t->a, t->rows[from]);
    if (least == most) {
        least -= 500;
        most += 500;
    }
    for (size_t i = 0; i < n; i++) {
        double a = least + (most - least) * (double)i / (double)n;
        double b = i + 1 == n ? most : least + (most - least) * (double)(i + 1) / (double)n;
        vec_push(&t->bins, t->arena, ((struct tl_bin){a / 1e3, b / 1e3, 0}));
    }
    size_t bin = n - 1; /* longest first: bins are walked from the end */
    for (size_t i = from; i < t->n_rows; i++) {
        double d = (double)kernel_ns(t->a, t->rows[i]);
        while (bin && d < least + (most - least) * (double)bin / (double)n)
            bin--;
        t->bins.v[bin].count++;
    }
}

static void study_short(struct tracelens *t, size_t bins, unsigned __int128 all,
                        struct arena *temporary)
{
    size_t from = t->n_rows;
    while (from && kernel_ns(t->a, t->rows[from - 1]) < t->a->opts.short_threshold_ns)
        from--;
    if (from == t->n_rows)
        return;
    struct tl_short *groups = arena_array(temporary, struct tl_short, t->names.n + 1);
    for (size_t i = from; i < t->n_rows; i++) {
        struct tl_short *s = &groups[group_of(t, t->rows[i])];
        s->count++;
        s->sum_ns = add_ns(s->sum_ns, kernel_ns(t->a, t->rows[i]));
    }
    for (size_t g = 0; g < t->names.n; g++) {
        struct tl_short *s = &groups[g];
        if (!s->count)
            continue;
        s->name = t->names.v[g];
        s->sum_us = (double)s->sum_ns / 1e3;
        s->mean_us = s->sum_us / (double)s->count;
        s->pct = share((uint64_t)s->sum_ns, all);
        vec_push(&t->short_kernels, t->arena, *s);
    }
    qsort(t->short_kernels.v, t->short_kernels.n, sizeof(*t->short_kernels.v), short_by_sum);
    fill_bins(t, from, bins ? bins : 1);
}

void tracelens_make(struct tracelens *t, const struct analysis *a, const struct workbook_opts *o,
                    struct arena *arena)
{
    *t = (struct tracelens){.a = a, .arena = arena};
    struct arena *temporary = arena_scratch();
    name_symbols(t, o->full_names);
    order_kernels(t, temporary);
    group_kernels(t, temporary);
    group_categories(t);
    unsigned __int128 all = fill_shares(t);
    if (o->short_kernel_study)
        study_short(t, o->histogram_bins, all, temporary);
    arena_release(temporary);
}
