#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analysis.h"
#include "analyze/name_groups.h"
#include "analyze/quantile.h"
#include "analyze/shapes.h"

enum { MIN_CALLS = 3, MIN_EXCESS_NS = 10000, MAX_ROWS = 10 };
#define MIN_RATIO 2.0

/* The calls of a name that can be compared with its first: those of the same shape. */
struct name_calls {
    bool seen;
    uint32_t first;   /* kernels row of the earliest dispatch */
    uint32_t shape;   /* of that */
    size_t calls, at; /* at: where its next duration goes */
    int64_t least;    /* shortest duration */
    bool candidate;
};

struct search {
    const struct analysis *a;
    struct arena *arena;
    struct name_groups names;
    const uint32_t *rows;  /* all kernels */
    struct name_calls *of; /* by group */
    int64_t *durations;    /* of candidates, without the first */
};

static bool earlier(const struct kernels *k, uint32_t a, uint32_t b)
{
    return k->start_ns[a] != k->start_ns[b] ? k->start_ns[a] < k->start_ns[b] : a < b;
}

static void find_first(struct search *s)
{
    const struct kernels *k = &s->a->trace->kernels;
    for (size_t i = 0; i < s->a->view.n_kernels; i++) {
        uint32_t row = s->rows[i];
        struct name_calls *n = &s->of[s->names.of_symbol[k->symbol[row]]];
        if (!n->seen || earlier(k, row, n->first))
            n->first = row;
        n->seen = true;
    }
    for (size_t i = 0; i < s->names.n; i++)
        if (s->of[i].seen)
            s->of[i].shape = shape_of(&s->a->view, s->of[i].first);
}

/* The name of a dispatch, if that can be compared with its first; NULL: it does other work. */
static struct name_calls *like_first(const struct search *s, uint32_t row)
{
    struct name_calls *n = &s->of[s->names.of_symbol[s->a->trace->kernels.symbol[row]]];
    return shape_of(&s->a->view, row) == n->shape ? n : NULL;
}

static void count_calls(struct search *s)
{
    for (size_t i = 0; i < s->a->view.n_kernels; i++) {
        struct name_calls *n = like_first(s, s->rows[i]);
        if (!n)
            continue;
        int64_t ns = kernel_ns(s->a, s->rows[i]);
        if (!n->calls || ns < n->least)
            n->least = ns;
        n->calls++;
    }
}

static bool stands_out(int64_t first, int64_t usual)
{
    return first - usual > MIN_EXCESS_NS && (double)first > MIN_RATIO * (double)usual;
}

/* Only names whose first dispatch stands out against their shortest one can do so against the
 * median; the durations of the others of these are put side by side. */
static void gather(struct search *s)
{
    const struct analysis *a = s->a;
    size_t sum = 0;
    for (size_t i = 0; i < s->names.n; i++) {
        struct name_calls *n = &s->of[i];
        n->candidate = n->calls >= MIN_CALLS && stands_out(kernel_ns(a, n->first), n->least);
        n->at = sum;
        sum += n->candidate ? n->calls - 1 : 0;
    }
    s->durations = arena_array(s->arena, int64_t, sum);
    for (size_t i = 0; sum && i < a->view.n_kernels; i++) {
        uint32_t row = s->rows[i];
        struct name_calls *n = like_first(s, row);
        if (n && n->candidate && row != n->first)
            s->durations[n->at++] = kernel_ns(a, row);
    }
}

static int by_excess(const void *left, const void *right)
{
    const struct warmup_row *x = left, *y = right;
    if (x->excess_ns != y->excess_ns)
        return x->excess_ns > y->excess_ns ? -1 : 1;
    return strcmp(x->kernel_name, y->kernel_name);
}

static bool judge(const struct search *s, size_t group, struct warmup_row *row)
{
    const struct name_calls *n = &s->of[group];
    if (!n->candidate)
        return false;
    size_t others = n->calls - 1;
    int64_t first = kernel_ns(s->a, n->first);
    int64_t median = percentile(s->durations + n->at - others, others, 50);
    if (!stands_out(first, median))
        return false;
    *row = (struct warmup_row){
        .kernel_name = name_groups_name(&s->names, s->a->trace, group),
        .first_duration_ns = first,
        .median_ns = median,
        .ratio = median ? (double)first / (double)median : NAN,
        .excess_ns = first - median,
        .kernel = n->first,
    };
    return true;
}

static void run(struct analysis *a, struct arena *arena)
{
    struct search s = {.a = a};
    s.arena = arena_scratch();
    s.names = a->view.names;
    s.rows = kernel_rows(&a->view, s.arena);
    s.of = arena_array(s.arena, struct name_calls, s.names.n);
    find_first(&s);
    count_calls(&s);
    gather(&s);
    VEC(struct warmup_row) rows = {0};
    struct warmup_row row;
    for (size_t i = 0; i < s.names.n; i++)
        if (judge(&s, i, &row))
            vec_push(&rows, s.arena, row);
    if (rows.n)
        qsort(rows.v, rows.n, sizeof(*rows.v), by_excess);
    for (size_t i = 0; i < rows.n && i < MAX_ROWS; i++)
        vec_push(&a->warmup, arena, rows.v[i]);
    arena_release(s.arena);
}

#define F(member, type, label, unit, doc) FIELD(struct warmup_row, member, type, label, unit, doc)
static const struct field fields[] = {
    F(kernel_name, FIELD_TEXT, "kernel", NO_UNIT,
      "full, demangled name; kernels with 3 calls or more of the first one's launch shape"),
    F(first_duration_ns, FIELD_I64, "first call", IN_NS,
      "duration of the dispatch that starts first in the window"),
    F(median_ns, FIELD_I64, "median", IN_NS,
      "median (nearest rank) of the durations of the other dispatches with the same grid, group and "
      "LDS"),
    F(ratio, FIELD_NUM, "ratio", NO_UNIT,
      "first_duration_ns / median_ns, above 2 in every row; unknown when the median is 0"),
    F(excess_ns, FIELD_I64, "excess", IN_NS,
      "first_duration_ns - median_ns, above 10 us in every row"),
};
#undef F

static const struct fields table = FIELDS(
    "warmup", "At most 10 kernels whose first dispatch took much longer, largest excess first.",
    struct warmup_row, fields);

const struct analysis_kind analysis_warmup = {
    .name = "warmup",
    .doc =
        "Kernels whose first dispatch is far slower than the others: code loading, cold caches or "
        "clocks that have not risen yet; measure without it.",
    .run = run,
    .tables = ANALYSIS_TABLES(ANALYSIS_ROWS(table, warmup)),
};
