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
#include "compat/rocinsight_json.h"

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
    return latency > 0 ? rocinsight_rounded(stall / latency, 10000) : 0;
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

static void write_instruction(struct jwrite *w, const struct att_instruction *i)
{
    jw_open(w, NULL, '{');
    jw_str(w, "pc_offset", i->text);
    jw_uint(w, "hitcount", i->hits);
    jw_uint(w, "total_latency_cycles", i->latency);
    jw_uint(w, "stall_cycles", whole(stall_of(i)));
    jw_num(w, "stall_ratio", ratio(stall_of(i), (double)i->latency));
    jw_uint(w, "weighted_stall", whole(stall_of(i)));
    jw_str(w, "source_line", i->source ? i->source : "");
    jw_close(w);
}

static void write_kernel(struct jwrite *w, const struct att *t, const struct stalls *s)
{
    const struct att_kernel *k = s->kernel;
    const char *file = k->from.n ? t->dispatches.v[k->from.v[0]].stats : NULL;
    double latency = 0;
    for (size_t i = 0; i < s->v.n; i++)
        latency += (double)s->v.v[i]->latency;
    jw_open(w, NULL, '{');
    jw_str(w, "name", k->name);
    jw_str(w, "csv_file", file ? fs_basename(file) : "");
    jw_uint(w, "instruction_count", s->v.n);
    jw_num(w, "avg_stall_ratio", ratio(s->total, latency));
    jw_str(w, "stall_category", s->v.n ? category_of(s->v.v[0]->text) : "unknown");
    jw_uint(w, "total_weighted_stall", whole(s->total));
    jw_open(w, "top_stalling_instructions", '[');
    for (size_t i = 0; i < s->v.n && i < TOP; i++)
        write_instruction(w, s->v.v[i]);
    jw_close(w);
    jw_close(w);
}

void rocinsight_att(struct rocinsight *d)
{
    struct jwrite *w = d->w;
    const struct att *t = d->o->att;
    struct arena *temporary = arena_scratch();
    struct stalls *all = arena_array(temporary, struct stalls, t->kernels.n + 1);
    size_t high = 0;
    for (size_t i = 0; i < t->kernels.n; i++) {
        find_stalls(&all[i], &t->kernels.v[i], temporary);
        high += is_high(&all[i]);
    }
    qsort(all, t->kernels.n, sizeof(*all), by_total);
    jw_open(w, "att_trace", '{');
    jw_bool(w, "has_att_data", t->kernels.n > 0);
    jw_str(w, "reason", t->kernels.n ? "" : "no kernel with instructions in the thread trace");
    jw_open(w, "summary", '{');
    jw_uint(w, "kernel_count", t->kernels.n);
    jw_uint(w, "high_stall_kernels", high);
    jw_close(w);
    jw_open(w, "kernels", '[');
    for (size_t i = 0; i < t->kernels.n; i++)
        write_kernel(w, t, &all[i]);
    jw_close(w);
    jw_close(w);
    arena_release(temporary);
}
