/* Totals of a kernel, shares, what idle time goes to, and the sums by class. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "att/att_in.h"
#include "base/sat.h"
#include "base/sort.h"

static const struct att_class_info infos[ATT_CLASSES] = {
#define ATT_CLASS(ID, key, label, doc) {key, label, doc},
#include "att/classes.def"
#undef ATT_CLASS
};

const char *const att_class_keys[] = {
#define ATT_CLASS(ID, key, label, doc) key,
#include "att/classes.def"
#undef ATT_CLASS
    NULL};

const struct att_class_info *att_class_info(enum att_class c)
{
    return &infos[c];
}

static double known(double v)
{
    return isnan(v) ? 0 : v;
}

static double time_of(const struct att_instruction *in)
{
    return (double)in->latency + known(in->idle);
}

/* ---- idle time ---- */

enum { LINE_BYTES = 64, LONG_IDLE = 64 };

/*
 * Whether the instruction had to be fetched: it begins or reaches into a line of the instruction
 * cache that the one before it did not touch, or a jump leads to it.
 */
static bool new_line(const struct att_kernel *k, size_t i)
{
    const struct att_instruction *v = k->instructions.v;
    uint64_t size = i + 1 < k->instructions.n && v[i + 1].address > v[i].address
                        ? v[i + 1].address - v[i].address
                        : 4;
    if (size > 20)
        size = 4;
    if (!i || v[i - 1].block != v[i].block)
        return true;
    return v[i].address / LINE_BYTES != (v[i].address + size - 1) / LINE_BYTES ||
           v[i].address % LINE_BYTES == 0;
}

static void place_idle(struct att_kernel *k)
{
    bool first = true;
    for (size_t i = 0; i < k->instructions.n; i++) {
        struct att_instruction *in = &k->instructions.v[i];
        in->idle_to = ATT_DEPENDENCY;
        if (!in->hits)
            continue;
        bool is_long = in->idle >= LONG_IDLE * (double)in->hits;
        in->idle_to = first ? ATT_START : is_long && new_line(k, i) ? ATT_FETCH : ATT_DEPENDENCY;
        first = false;
    }
}

/* ---- sums ---- */

/* Hidden stall: known only where waves were decoded. */
static void finish_hidden(struct att_kernel *k)
{
    uint64_t stall = 0, hidden = 0;
    for (size_t i = 0; k->decoded_waves && i < k->instructions.n; i++) {
        struct att_instruction *in = &k->instructions.v[i];
        stall = att_add(stall, in->decoded_stall);
        hidden = att_add(hidden, in->decoded_hidden);
        if (!in->decoded_stall)
            continue;
        in->hidden_stall = (double)in->decoded_hidden;
        in->hidden_pct = att_share((double)in->decoded_hidden, (double)in->decoded_stall);
    }
    if (k->decoded_waves && stall) {
        k->hidden_stall_pct = att_share((double)hidden, (double)stall);
        k->exposed_stall = (double)(stall - hidden);
    }
}

static void finish_instruction(struct att_kernel *k, struct att_instruction *in)
{
    double time = time_of(in);
    in->stall_pct = att_share(in->stall, (double)in->latency);
    in->pct_of_time = att_share(time, k->wave_cycles);
    in->cycles_per_hit = in->hits ? time / (double)in->hits : NAN;
    in->stall_class = infos[in->class].key;
    in->idle_class = in->idle > 0 ? infos[in->idle_to].key : NULL;
}

static void add_time(struct att_class_row *row, double *most, const struct att_instruction *in,
                     double time)
{
    if (time <= 0)
        return;
    row->instructions++;
    row->time += time;
    if (time > *most) {
        *most = time;
        row->hottest = in->text;
        row->hottest_address = in->address;
    }
}

static int by_time(const void *a, const void *b)
{
    const struct att_class_row *x = a, *y = b;
    return x->time != y->time ? (x->time < y->time) - (x->time > y->time)
                              : strcmp(att_class_keys[x->class], att_class_keys[y->class]);
}

static void sum_classes(struct att *t, struct att_kernel *k)
{
    struct att_class_row rows[ATT_CLASSES] = {0};
    double most[ATT_CLASSES] = {0};
    for (size_t i = 0; i < k->instructions.n; i++) {
        const struct att_instruction *in = &k->instructions.v[i];
        assert(in->class < ATT_CLASSES && in->idle_to < ATT_CLASSES); /* place_idle() was here */
        rows[in->class].latency += (double)in->latency;
        rows[in->class].stall += in->stall;
        add_time(&rows[in->class], &most[in->class], in, (double)in->latency);
        rows[in->idle_to].idle += known(in->idle);
        add_time(&rows[in->idle_to], &most[in->idle_to], in, known(in->idle));
    }
    for (int c = 0; c < ATT_CLASSES; c++) {
        struct att_class_row *r = &rows[c];
        r->class = (enum att_class)c;
        r->label = infos[c].label;
        r->pct_of_time = att_share(r->time, k->wave_cycles);
        r->pct_of_stall = isnan(k->stall) ? NAN : att_share(r->stall, k->stall);
        if (isnan(k->idle) && c != ATT_START && c != ATT_FETCH && c != ATT_DEPENDENCY)
            r->idle = NAN;
        if (r->time > 0)
            vec_push(&k->classes, &t->arena, *r);
    }
    if (k->classes.n)
        qsort(k->classes.v, k->classes.n, sizeof(*k->classes.v), by_time);
    k->top_class = k->classes.n ? att_class_keys[k->classes.v[0].class] : NULL;
}

static void order_hot(struct att *t, struct att_kernel *k)
{
    size_t n = k->instructions.n;
    int64_t *key = arena_array(&t->arena, int64_t, n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct att_instruction *in = &k->instructions.v[i];
        double time = time_of(in);
        key[i] = -ns_from(time);
        if (in->hits || time > 0)
            vec_push(&k->hot, &t->arena, (uint32_t)i);
    }
    sort_rows(k->hot.v, k->hot.n, key, &t->arena);
}

void att_classify(struct att *t, struct att_kernel *k)
{
    double states = 0;
    place_idle(k);
    finish_hidden(k);
    for (size_t i = 0; i < k->instructions.n; i++)
        finish_instruction(k, &k->instructions.v[i]);
    sum_classes(t, k);
    order_hot(t, k);
    for (size_t i = 0; i < k->states.n; i++)
        states += k->states.v[i].cycles;
    for (size_t i = 0; i < k->states.n; i++)
        k->states.v[i].pct = att_share(k->states.v[i].cycles, states);
}
