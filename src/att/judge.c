/* What the instructions say, in sentences: the classes that take most time, with their cause. */
#include <math.h>

#include "att/att_in.h"
#include "base/str.h"

enum { MOST_FINDINGS = 4 };
#define LEAST_PCT 15.0

static const struct {
    enum att_class class;
    const char *title, *advice;
} words[] = {
    {ATT_WAIT_VMEM, "waves wait for vector memory",
     "issue the load earlier (prefetch the next tile into registers or LDS), load wider "
     "(dwordx4), or keep more waves in flight to cover it"},
    {ATT_VMEM, "vector memory instructions queue up",
     "fewer and wider accesses: neighbouring lanes to neighbouring addresses, dwordx4 instead of "
     "short or dword"},
    {ATT_WAIT_LDS, "waves wait for LDS",
     "read LDS further ahead of its use, pad or swizzle the layout against bank conflicts"},
    {ATT_LDS, "LDS instructions queue up",
     "pad or swizzle the layout against bank conflicts; use wider reads (b128)"},
    {ATT_WAIT_SMEM, "waves wait for scalar loads",
     "load arguments and uniform data earlier, or keep them in registers over the loop"},
    {ATT_BARRIER, "waves wait at a barrier",
     "balance the work between waves of a group, use fewer barriers (double buffering), or smaller "
     "groups"},
    {ATT_MFMA, "matrix instructions queue up",
     "the matrix cores are busy, which is where a matrix kernel should spend its time: what is "
     "left to win is in the other classes, or in a shape with fewer or larger instructions"},
    {ATT_MFMA_DEPENDENCY, "results of matrix instructions are read too early",
     "put independent work between a matrix instruction and the reader of its result: more "
     "accumulators, or another order"},
    {ATT_VALU, "vector arithmetic takes the time",
     "look for work that can move out of the loop, packed or fused instructions, cheaper address "
     "arithmetic"},
    {ATT_FETCH, "waves wait for instructions",
     "the code does not stay in the instruction cache: unroll less, keep cold code out of line, "
     "and warm up with an earlier dispatch"},
    {ATT_BRANCH, "branches take the time", "unroll, or replace short branches by selects"},
};

static const struct att_instruction *hottest(const struct att_kernel *k, enum att_class c)
{
    const struct att_instruction *best = NULL;
    double most = -1;
    for (size_t i = 0; i < k->instructions.n; i++) {
        const struct att_instruction *in = &k->instructions.v[i];
        double time = c == ATT_FETCH   ? (in->idle_to == c ? in->idle : -1)
                      : in->class == c ? (double)in->latency
                                       : -1;
        if (in->hits && time > most) {
            most = time;
            best = in;
        }
    }
    return best;
}

static const char *sentence(struct att *t, const struct att_kernel *k, enum att_class c,
                            const struct att_class_row *row, const struct att_instruction *in)
{
    struct str s;
    str_init(&s, &t->arena);
    str_printf(&s, "%.0f %% of the time of waves; most of it at 0x%llx, %s", row->pct_of_time,
               (unsigned long long)in->address, in->text);
    if (in->source)
        str_printf(&s, " (%s)", in->source);
    str_printf(&s, ", %.0f cycles a hit", in->cycles_per_hit);
    if (in->cause)
        str_printf(&s, ", which %s", in->cause);
    for (size_t i = 0; i < in->fed_by.n && i < 1; i++) {
        const struct att_instruction *by = &k->instructions.v[in->fed_by.v[i]];
        if (by->source)
            str_printf(&s, " (%s)", by->source);
    }
    if (c != ATT_FETCH && !isnan(in->hidden_pct))
        str_printf(&s, "; other waves hid %.0f %% of its stall", in->hidden_pct);
    return s.buf;
}

void att_judge(struct att *t, struct att_kernel *k)
{
    for (size_t r = 0; r < k->classes.n && k->findings.n < MOST_FINDINGS; r++) {
        const struct att_class_row *row = &k->classes.v[r];
        if (row->pct_of_time < LEAST_PCT)
            break;
        for (size_t w = 0; w < ARRAY_LEN(words); w++) {
            enum att_class c = words[w].class;
            if (row->class != c)
                continue;
            const struct att_instruction *in = hottest(k, c);
            if (!in)
                continue;
            struct att_finding f = {.class = row->class,
                                    .title = words[w].title,
                                    .text = sentence(t, k, c, row, in),
                                    .advice = words[w].advice,
                                    .address = in->address,
                                    .pct_of_time = row->pct_of_time};
            vec_push(&k->findings, &t->arena, f);
        }
    }
}
