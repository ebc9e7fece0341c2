/*
 * The thread trace of rocinsight's document, which came with its version 0.4.0. Stall cycles are
 * totals over all hits: they are not multiplied by these again, as it does.
 */
#include <math.h>
#include <stdlib.h>

#include "att/att.h"
#include "base/array.h"
#include "base/fs.h"
#include "base/str.h"
#include "compat/rocinsight_in.h"

enum { TOP = 10, MANY_HITS = 6400 };
#define HIGH_STALL 0.60

/* Its classes of stalls, by how the mnemonic begins; the first one is for all others. */
static const struct {
    const char *start, *category;
} categories[] = {
    {"global_load", "att_vmem_latency"}, {"global_store", "att_vmem_latency"},
    {"flat_load", "att_vmem_latency"},   {"flat_store", "att_vmem_latency"},
    {"buffer_load", "att_vmem_latency"}, {"buffer_store", "att_vmem_latency"},
    {"ds_read", "att_lds_conflict"},     {"ds_write", "att_lds_conflict"},
    {"ds_load", "att_lds_conflict"},     {"ds_store", "att_lds_conflict"},
    {"ds_bpermute", "att_lds_conflict"}, {"s_waitcnt", "att_dependency_chain"},
    {"s_wait_", "att_dependency_chain"}, {"s_branch", "att_divergence"},
    {"s_cbranch", "att_divergence"},     {"v_cmp", "att_divergence"},
};

static const char *category_of(const char *instruction)
{
    for (size_t i = 0; i < ARRAY_LEN(categories); i++)
        if (str_starts(instruction, categories[i].start))
            return categories[i].category;
    return categories[0].category;
}

static double stall_of(const struct att_instruction *i)
{
    return isfinite(i->stall) ? i->stall : 0;
}

static uint64_t whole(double cycles)
{
    return cycles < 1 ? 0 : cycles < 1e18 ? (uint64_t)cycles : (uint64_t)1e18;
}

static double ratio(double stall, double latency)
{
    return latency > 0 ? round(stall / latency * 10000) / 10000 : 0;
}

static int by_stall(const void *x, const void *y)
{
    const struct att_instruction *a = *(const struct att_instruction *const *)x;
    const struct att_instruction *b = *(const struct att_instruction *const *)y;
    if (stall_of(a) != stall_of(b))
        return stall_of(a) < stall_of(b) ? 1 : -1;
    return (a->address > b->address) - (a->address < b->address);
}

/* The executed instructions of a kernel, most stall first. */
struct stalls {
    const struct att_kernel *kernel;
    VEC(const struct att_instruction *) v;
    double total;
};

static void find_stalls(struct stalls *s, const struct att_kernel *k, struct arena *arena)
{
    *s = (struct stalls){.kernel = k};
    for (size_t i = 0; i < k->instructions.n; i++) {
        if (!k->instructions.v[i].hits && !k->instructions.v[i].latency)
            continue;
        vec_push(&s->v, arena, &k->instructions.v[i]);
        s->total += stall_of(&k->instructions.v[i]);
    }
    if (s->v.n)
        qsort(s->v.v, s->v.n, sizeof(*s->v.v), by_stall);
}

static int by_total(const void *x, const void *y)
{
    const struct stalls *a = x, *b = y;
    if (a->total != b->total)
        return a->total < b->total ? 1 : -1;
    return (a->kernel > b->kernel) - (a->kernel < b->kernel); /* rows of one array */
}

static bool is_high(const struct stalls *s)
{
    return s->v.n && s->v.v[0]->hits >= MANY_HITS &&
           ratio(stall_of(s->v.v[0]), (double)s->v.v[0]->latency) >= HIGH_STALL;
}

/* ---- the tables ---- */

#define T struct rocinsight_stall
PART(stall_fields, T, ALWAYS(T, text, FIELD_TEXT, "pc_offset", "the instruction"),
     ALWAYS(T, hits, FIELD_U64, "hitcount", "times it was issued"),
     ALWAYS(T, latency, FIELD_U64, "total_latency_cycles", "over all hits"),
     ALWAYS(T, stall, FIELD_U64, "stall_cycles", "over all hits"),
     ALWAYS(T, ratio, FIELD_NUM, "stall_ratio", "stall / latency"),
     ALWAYS(T, stall, FIELD_U64, "weighted_stall", "stall_cycles, which are totals"),
     ALWAYS(T, source, FIELD_TEXT, "source_line", "empty: not known"));
#undef T

#define T struct rocinsight_stalls
PART(kernel_fields, T, ALWAYS(T, name, FIELD_TEXT, "name", "of the kernel"),
     ALWAYS(T, file, FIELD_TEXT, "csv_file", "the first file it is in"),
     ALWAYS(T, instructions, FIELD_U64, "instruction_count", "executed"),
     ALWAYS(T, ratio, FIELD_NUM, "avg_stall_ratio", "stall / latency"),
     ALWAYS(T, category, FIELD_TEXT, "stall_category", "of the instruction that stalls most",
            .words = WORDS("att_vmem_latency", "att_lds_conflict", "att_dependency_chain",
                           "att_divergence", "unknown")),
     ALWAYS(T, stall, FIELD_U64, "total_weighted_stall", "cycles"),
     ALWAYS(T, top, FIELD_LIST, "top_stalling_instructions", "most stall first, 10 at most",
            .of = &stall_fields));
#undef T

#define T struct rocinsight_att
PART(summary, T, ALWAYS(T, kernels.n, FIELD_U64, "kernel_count", "kernels with instructions"),
     ALWAYS(T, high_stall, FIELD_U64, "high_stall_kernels",
            "whose first instruction has many hits and waits most of its time"));
SHARED_PART(rocinsight_att_fields, T,
            ALWAYS(T, has_data, FIELD_BOOL, "has_att_data", "any kernel with instructions"),
            ALWAYS(T, reason, FIELD_TEXT, "reason", "why there is none"),
            WITHIN("summary", "in numbers", &summary),
            ALWAYS(T, kernels, FIELD_LIST, "kernels", "most stall first", .of = &kernel_fields));

/* ---- what is in them ---- */

static void take_kernel(T *out, const struct att *t, const struct stalls *s, struct arena *arena)
{
    const struct att_kernel *k = s->kernel;
    const char *file = k->from.n ? t->dispatches.v[k->from.v[0]].stats : NULL;
    double latency = 0;
    for (size_t i = 0; i < s->v.n; i++)
        latency += (double)s->v.v[i]->latency;
    struct rocinsight_stalls *to = vec_add(&out->kernels, arena);
    *to = (struct rocinsight_stalls){.name = k->name,
                                     .file = file ? fs_basename(file) : "",
                                     .category = s->v.n ? category_of(s->v.v[0]->text) : "unknown",
                                     .instructions = s->v.n,
                                     .stall = whole(s->total),
                                     .ratio = ratio(s->total, latency)};
    for (size_t i = 0; i < s->v.n && i < TOP; i++) {
        const struct att_instruction *v = s->v.v[i];
        vec_push(&to->top, arena,
                 ((struct rocinsight_stall){v->text, v->source ? v->source : "", v->hits,
                                            v->latency, whole(stall_of(v)),
                                            ratio(stall_of(v), (double)v->latency)}));
    }
}

T *rocinsight_att_make(const struct att *t, struct arena *arena)
{
    T *out = arena_new(arena, T);
    struct arena *temporary = arena_scratch();
    struct stalls *all = arena_array(temporary, struct stalls, t->kernels.n + 1);
    for (size_t i = 0; i < t->kernels.n; i++) {
        find_stalls(&all[i], &t->kernels.v[i], temporary);
        out->high_stall += is_high(&all[i]);
    }
    qsort(all, t->kernels.n, sizeof(*all), by_total);
    out->has_data = t->kernels.n > 0;
    out->reason = out->has_data ? "" : "no kernel with instructions in the thread trace";
    for (size_t i = 0; i < t->kernels.n; i++)
        take_kernel(out, t, &all[i], arena);
    arena_release(temporary);
    return out;
}
