/*
 * What a stalled instruction waits for.
 *
 * A wait names counters and how many operations may stay outstanding. Walking back from it along
 * every path that ran, the newest `n` operations of the counter are passed over; those before them
 * must have come back. An earlier wait for the same counter ends the search after as many further
 * operations as it left outstanding. Loops are walked round once more, so that what an earlier
 * iteration issued is found as well. Where the decoder recorded what a wait waited for, that is
 * taken instead.
 */
#include <math.h>
#include <string.h>

#include "att/att_in.h"
#include "att/isa.h"
#include "base/hash.h"
#include "base/str.h"

enum { FEEDERS = 16, STEPS_EACH = 20000, STEPS_ALL = 50 * 1000 * 1000, NEAR = 24 };

struct place {
    uint32_t at;      /* instruction to look at next */
    uint32_t counted; /* operations met on the way */
    uint32_t limit;   /* operations that can matter */
};

struct search {
    struct att *t;
    struct att_kernel *k;
    struct att_edges edges;
    struct isa_wait *waits; /* by instruction; .any false: none */
    uint8_t *visits;
    VEC(uint32_t) visited;
    VEC(struct place) open;
    uint64_t steps;
    bool split;
    int gfx;
};

static void feed(struct search *s, struct att_instruction *in, uint32_t by)
{
    for (size_t i = 0; i < in->fed_by.n; i++)
        if (in->fed_by.v[i] == by)
            return;
    if (in->fed_by.n < FEEDERS)
        vec_push(&in->fed_by, &s->t->arena, by);
}

static void go_back(struct search *s, uint32_t i, uint32_t counted, uint32_t limit)
{
    for (uint32_t e = s->edges.start[i]; e < s->edges.start[i + 1]; e++)
        vec_push(&s->open, &s->t->arena, ((struct place){s->edges.from[e], counted, limit}));
}

static void follow(struct search *s, uint32_t wait, enum isa_counter c)
{
    struct att_instruction *in = &s->k->instructions.v[wait];
    uint32_t most = s->waits[wait].most[c], steps = 0;
    s->open.n = s->visited.n = 0;
    go_back(s, wait, 0, UINT32_MAX);
    while (s->open.n && steps++ < STEPS_EACH && s->steps++ < STEPS_ALL) {
        struct place p = s->open.v[--s->open.n];
        const struct att_instruction *at = &s->k->instructions.v[p.at];
        if (s->visits[p.at] >= 2)
            continue;
        if (!s->visits[p.at]++)
            vec_push(&s->visited, &s->t->arena, p.at);
        if (isa_counts(at->text, at->unit, c, s->split)) {
            p.counted++;
            if (p.counted > most && p.counted <= p.limit)
                feed(s, in, p.at);
        }
        if (at->unit == UNIT_WAIT && s->waits[p.at].most[c] != UINT32_MAX) {
            uint64_t left = (uint64_t)p.counted + s->waits[p.at].most[c];
            p.limit = left < p.limit ? (uint32_t)left : p.limit;
        }
        if (p.counted < p.limit)
            go_back(s, p.at, p.counted, p.limit);
    }
    for (size_t i = 0; i < s->visited.n; i++)
        s->visits[s->visited.v[i]] = 0;
}

/* ---- matrix instructions ---- */

static bool overlap(struct isa_registers a, struct isa_registers b)
{
    return a.file == b.file && a.first <= b.last && b.first <= a.last;
}

/* Takes the operands out of `open` that this instruction writes anew. */
static unsigned overwritten(const struct att_instruction *at, const struct isa_registers *reads,
                            int n, unsigned open)
{
    struct isa_registers writes[ISA_OPERANDS];
    if ((at->unit != UNIT_VALU && at->unit != UNIT_LDS && at->unit != UNIT_VMEM) ||
        !isa_registers(at->text, writes) || strstr(at->text, "_store") || strstr(at->text, "write"))
        return open;
    for (int r = 0; r < n; r++)
        if (overlap(reads[r], writes[0]))
            open &= ~(1u << r);
    return open;
}

/* The matrix instruction just before that writes what this one reads, or that is in its way. */
static void matrix_feeder(struct search *s, uint32_t i)
{
    struct att_instruction *in = &s->k->instructions.v[i];
    struct isa_registers reads[ISA_OPERANDS], writes[ISA_OPERANDS];
    bool matrix = in->unit == UNIT_MFMA;
    int n = isa_registers(in->text, reads);
    unsigned open = (1u << n) - (matrix ? 2u : 1u); /* a matrix instruction only writes the first */
    uint32_t nearest = NO_INDEX;
    for (uint32_t back = 1; back <= NEAR && back <= i && open; back++) {
        const struct att_instruction *at = &s->k->instructions.v[i - back];
        if (at->block != in->block && !isa_falls_through(at->text, at->unit))
            break;
        if (at->hits && at->unit == UNIT_MFMA) {
            if (nearest == NO_INDEX)
                nearest = i - back;
            for (int r = 0; isa_registers(at->text, writes) && r < n; r++)
                if (open >> r & 1 && overlap(reads[r], writes[0])) {
                    feed(s, in, i - back);
                    in->class = matrix ? ATT_MFMA : ATT_MFMA_DEPENDENCY;
                    return;
                }
        } else if (at->hits) {
            open = overwritten(at, reads, n, open);
        }
    }
    if (matrix && nearest != NO_INDEX)
        feed(s, in, nearest);
}

/* Arithmetic that stalls a whole issue slot or more for each hit. */
static bool worth_a_look(const struct att_instruction *in)
{
    enum { SLOT = 4 };
    return in->hits && in->stall >= (double)in->hits * SLOT &&
           (in->unit == UNIT_MFMA || in->unit == UNIT_VALU || in->unit == UNIT_VMEM ||
            in->unit == UNIT_LDS);
}

/* ---- classes of instructions ---- */

static enum att_class class_of(enum att_unit u)
{
    static const enum att_class classes[] = {
        [UNIT_VALU] = ATT_VALU,       [UNIT_MFMA] = ATT_MFMA,       [UNIT_SALU] = ATT_SALU,
        [UNIT_SMEM] = ATT_SMEM,       [UNIT_VMEM] = ATT_VMEM,       [UNIT_LDS] = ATT_LDS,
        [UNIT_WAIT] = ATT_WAIT_OTHER, [UNIT_BARRIER] = ATT_BARRIER, [UNIT_BRANCH] = ATT_BRANCH,
        [UNIT_EXPORT] = ATT_MESSAGE,  [UNIT_MESSAGE] = ATT_MESSAGE, [UNIT_NOP] = ATT_NOP,
        [UNIT_END] = ATT_END,         [UNIT_OTHER] = ATT_OTHER,
    };
    return classes[u];
}

/* By what feeds it; where nothing was found, by the only counter it names. */
static enum att_class wait_class(const struct search *s, uint32_t wait)
{
    const struct att_instruction *in = &s->k->instructions.v[wait];
    const struct isa_wait *w = &s->waits[wait];
    bool vmem = false, lds = false, smem = false, other = false;
    for (size_t i = 0; i < in->fed_by.n; i++) {
        enum att_unit u = s->k->instructions.v[in->fed_by.v[i]].unit;
        vmem |= u == UNIT_VMEM;
        lds |= u == UNIT_LDS;
        smem |= u == UNIT_SMEM;
        other |= u != UNIT_VMEM && u != UNIT_LDS && u != UNIT_SMEM;
    }
    for (int c = 0; !in->fed_by.n && c < CNT_COUNT; c++) {
        bool asked = w->any && w->most[c] != UINT32_MAX;
        vmem |= asked && (c == CNT_VM || c == CNT_VS || (c >= CNT_LOAD && c <= CNT_BVH));
        lds |= asked && c == CNT_DS;
        smem |= asked && c == CNT_KM;
        other |= asked && (c == CNT_LGKM || c == CNT_EXP);
    }
    if (vmem + lds + smem + other != 1 || other)
        return ATT_WAIT_OTHER;
    return vmem ? ATT_WAIT_VMEM : lds ? ATT_WAIT_LDS : ATT_WAIT_SMEM;
}

/* ---- in words ---- */

static const char *counters_text(struct search *s, uint32_t wait)
{
    static const char *const names[CNT_COUNT] = {"vmcnt",   "vscnt",    "lgkmcnt",   "expcnt",
                                                 "loadcnt", "storecnt", "samplecnt", "bvhcnt",
                                                 "dscnt",   "kmcnt"};
    struct str out;
    str_init(&out, &s->t->arena);
    for (int c = 0; c < CNT_COUNT; c++)
        if (s->waits[wait].any && s->waits[wait].most[c] != UINT32_MAX)
            str_printf(&out, "%s%s <= %u", out.len ? ", " : "", names[c], s->waits[wait].most[c]);
    return out.buf;
}

static void describe(struct search *s, uint32_t i)
{
    struct att_instruction *in = &s->k->instructions.v[i];
    struct arena *a = &s->t->arena;
    struct str list;
    if (!in->fed_by.n)
        return;
    str_init(&list, a);
    for (size_t f = 0; f < in->fed_by.n; f++)
        str_printf(&list, "%s0x%llx", f ? " " : "",
                   (unsigned long long)s->k->instructions.v[in->fed_by.v[f]].address);
    in->feeders = list.buf;
    in->feeders_from = in->fed_decoded ? "decoded" : "inferred";
    const struct att_instruction *by = &s->k->instructions.v[in->fed_by.v[0]];
    const char *more = in->fed_by.n > 1 ? arena_printf(a, " and %zu more", in->fed_by.n - 1) : "";
    unsigned long long where = (unsigned long long)by->address;
    if (in->unit == UNIT_WAIT)
        in->cause = arena_printf(a, "waits for %s at 0x%llx%s (%s)", by->text, where, more,
                                 counters_text(s, i));
    else if (in->class == ATT_MFMA_DEPENDENCY)
        in->cause = arena_printf(a, "reads the result of %s at 0x%llx", by->text, where);
    else
        in->cause = arena_printf(a, "waits behind %s at 0x%llx", by->text, where);
}

static void prepare(struct search *s)
{
    size_t n = s->k->instructions.n;
    s->waits = arena_array(&s->t->arena, struct isa_wait, n + 1);
    s->visits = arena_array(&s->t->arena, uint8_t, n + 1);
    s->split = s->gfx >= 10;
    for (size_t i = 0; i < n; i++) {
        struct att_instruction *in = &s->k->instructions.v[i];
        in->class = class_of(in->unit);
        if (in->unit != UNIT_WAIT)
            continue;
        isa_wait(&s->waits[i], in->text, s->gfx);
        s->split |= s->waits[i].any && (s->waits[i].most[CNT_VS] != UINT32_MAX ||
                                        s->waits[i].most[CNT_STORE] != UINT32_MAX);
    }
    att_edges(s->t, s->k, &s->edges);
}

void att_causes(struct att *t, struct att_kernel *k, int gfx)
{
    struct search s = {.t = t, .k = k, .gfx = gfx};
    prepare(&s);
    for (uint32_t i = 0; i < k->instructions.n; i++) {
        struct att_instruction *in = &k->instructions.v[i];
        if (!in->hits)
            continue;
        if (in->unit == UNIT_WAIT) {
            for (int c = 0; !in->fed_decoded && c < CNT_COUNT; c++)
                if (s.waits[i].any && s.waits[i].most[c] != UINT32_MAX)
                    follow(&s, i, (enum isa_counter)c);
            in->class = wait_class(&s, i);
        } else if (worth_a_look(in)) {
            matrix_feeder(&s, i);
        }
        describe(&s, i);
    }
}
