/* Where control goes: predecessors, basic blocks, loops. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "att/att_in.h"
#include "att/isa.h"
#include "base/hash.h"
#include "base/str.h"

/* "BB0_3:" has no time of its own and names what follows. */
static bool is_label(const struct att_instruction *in)
{
    return !in->hits && in->unit == UNIT_OTHER && str_ends(in->text, ":");
}

/* The instruction each branch leads to, NO_INDEX where that is not known. */
static uint32_t *targets(struct att *t, const struct att_kernel *k)
{
    size_t n = k->instructions.n;
    uint32_t *to = arena_array(&t->arena, uint32_t, n + 1);
    struct idmap address, label;
    idmap_init(&address, &t->arena);
    idmap_init(&label, &t->arena);
    for (size_t i = n; i-- > 0;) { /* a label shares the address of what follows; the first wins */
        const struct att_instruction *in = &k->instructions.v[i];
        idmap_put(&address, in->address, (uint32_t)i);
        if (is_label(in))
            idmap_put(&label, hash_bytes(in->text, strlen(in->text) - 1), (uint32_t)i);
    }
    for (size_t i = 0; i < n; i++) {
        const struct att_instruction *in = &k->instructions.v[i];
        uint64_t where;
        to[i] = NO_INDEX;
        if (in->unit != UNIT_BRANCH)
            continue;
        const char *name = isa_operand(in->text);
        if (isa_target(in->text, in->address, &where))
            to[i] = idmap_get(&address, where);
        else if (*name)
            to[i] = idmap_get(&label, hash_bytes(name, strcspn(name, " \t,")));
    }
    return to;
}

/* Code that never ran leads nowhere, unless nothing of the kernel ran. */
static bool live(const struct att_kernel *k, size_t i)
{
    return !k->hits || k->instructions.v[i].hits || is_label(&k->instructions.v[i]);
}

void att_edges(struct att *t, const struct att_kernel *k, struct att_edges *out)
{
    size_t n = k->instructions.n;
    uint32_t *to = targets(t, k), *at;
    out->start = arena_array(&t->arena, uint32_t, n + 2);
    out->from = arena_array(&t->arena, uint32_t, 2 * n + 1);
    at = arena_array(&t->arena, uint32_t, n + 1);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < n; i++) {
            const struct att_instruction *in = &k->instructions.v[i];
            if (!live(k, i))
                continue;
            if (i + 1 < n && isa_falls_through(in->text, in->unit)) {
                if (pass)
                    out->from[out->start[i + 1] + at[i + 1]++] = (uint32_t)i;
                else
                    out->start[i + 2]++;
            }
            if (to[i] == NO_INDEX)
                continue;
            if (pass)
                out->from[out->start[to[i]] + at[to[i]]++] = (uint32_t)i;
            else
                out->start[to[i] + 1]++;
        }
        for (size_t i = 0; !pass && i <= n; i++)
            out->start[i + 1] += out->start[i];
    }
}

struct loops {
    uint32_t *end;    /* by first instruction: the last branch back to it; NO_INDEX: no loop */
    uint32_t *depth;  /* by instruction */
    uint32_t *header; /* first instruction of the innermost loop, or NO_INDEX */
};

static void find_loops(struct att *t, const struct att_kernel *k, const uint32_t *to,
                       struct loops *l)
{
    size_t n = k->instructions.n, open = 0;
    uint32_t depth = 0, *stack = arena_array(&t->arena, uint32_t, n + 1);
    uint32_t *ends = arena_array(&t->arena, uint32_t, n + 2);
    l->end = arena_array(&t->arena, uint32_t, n + 1);
    l->depth = arena_array(&t->arena, uint32_t, n + 1);
    l->header = arena_array(&t->arena, uint32_t, n + 1);
    for (size_t i = 0; i < n; i++)
        l->end[i] = NO_INDEX;
    for (size_t i = 0; i < n; i++)
        if (to[i] != NO_INDEX && to[i] <= i && live(k, i))
            l->end[to[i]] = (uint32_t)i;
    for (size_t i = 0; i < n; i++) {
        if (l->end[i] != NO_INDEX) {
            stack[open++] = (uint32_t)i;
            ends[l->end[i]]++;
            depth++;
        }
        while (open && l->end[stack[open - 1]] < i)
            open--;
        l->depth[i] = depth;
        l->header[i] = depth && open ? stack[open - 1] : NO_INDEX;
        depth -= ends[i];
    }
}

static void add_to_block(struct att_block *b, const struct att_instruction *in, double *most)
{
    double time = (double)in->latency + (isnan(in->idle) ? 0 : in->idle);
    b->instructions++;
    b->last_address = in->address;
    b->latency = att_add(b->latency, in->latency);
    b->stall += in->stall;
    b->idle += in->idle;
    if (!b->hottest || time > *most) {
        *most = time;
        b->hottest = in->text;
        b->hottest_address = in->address;
    }
}

static void finish_block(struct att_block *b, double whole, uint64_t waves)
{
    b->stall_pct = att_share(b->stall, (double)b->latency);
    b->pct_of_time = att_share((double)b->latency + (isnan(b->idle) ? 0 : b->idle), whole);
    b->trips = waves ? (double)b->hits / (double)waves : NAN;
}

void att_flow(struct att *t, struct att_kernel *k)
{
    size_t n = k->instructions.n;
    uint32_t *to = targets(t, k);
    bool *leader = arena_array(&t->arena, bool, n + 1);
    struct loops loops;
    double most = 0;
    find_loops(t, k, to, &loops);
    for (size_t i = 0; i < n; i++) {
        const struct att_instruction *in = &k->instructions.v[i];
        if (to[i] != NO_INDEX)
            leader[to[i]] = true;
        if (in->unit == UNIT_BRANCH || in->unit == UNIT_END)
            leader[i + 1] = true;
    }
    for (size_t i = 0; i < n; i++) {
        struct att_instruction *in = &k->instructions.v[i];
        if (!i || leader[i]) {
            uint32_t h = loops.header[i];
            struct att_block *b = vec_add(&k->blocks, &t->arena);
            *b = (struct att_block){
                .block = (uint32_t)(k->blocks.n - 1),
                .first = (uint32_t)i,
                .first_address = in->address,
                .hits = in->hits,
                .loop_depth = loops.depth[i],
                .loop_header =
                    h == NO_INDEX ? NULL
                                  : arena_printf(&t->arena, "0x%llx",
                                                 (unsigned long long)k->instructions.v[h].address)};
        }
        struct att_block *b = &k->blocks.v[k->blocks.n - 1];
        assert(b->first + b->instructions == i); /* blocks lie side by side and hold all */
        if (in->hits > b->hits && b->instructions && is_label(&k->instructions.v[b->first]))
            b->hits = in->hits;
        in->block = b->block;
        add_to_block(b, in, &most);
    }
    for (size_t i = 0; i < k->blocks.n; i++)
        finish_block(&k->blocks.v[i], k->wave_cycles, k->waves);
}
