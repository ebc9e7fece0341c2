#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "att/att_in.h"
#include "att/isa.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/str.h"

void att_init(struct att *t)
{
    memset(t, 0, sizeof(*t));
    arena_init(&t->arena);
}

void att_release(struct att *t)
{
    csv_release(&t->csv);
    jr_release(&t->json);
    input_close(&t->input);
    arena_release(&t->arena);
    memset(t, 0, sizeof(*t));
}

/* Lines and sources of code.json for the rows of the stats file, which are the same ones. */
static void take_lines(struct att *t, const struct att_dispatch *d, struct att_rows *rows,
                       const struct att_rows *code)
{
    bool same = rows->n == code->n;
    uint64_t differ = 0;
    for (size_t i = 0; same && i < rows->n; i++)
        same = rows->v[i].address == code->v[i].address;
    if (!same) {
        att_note(t,
                 "'%s': the stats file and code.json list other instructions; waves are left out",
                 d->name);
        return;
    }
    for (size_t i = 0; i < rows->n; i++) {
        const struct att_row *c = &code->v[i];
        rows->v[i].line = c->line;
        if (!rows->v[i].source)
            rows->v[i].source = c->source;
        differ += c->hits != rows->v[i].hits || c->latency != rows->v[i].latency;
    }
    if (differ)
        att_note(t,
                 "'%s': %llu instructions have other numbers in code.json than in the stats file,"
                 " which counts",
                 d->name, (unsigned long long)differ);
}

static void read_dispatch(struct att *t, uint32_t number)
{
    struct att_dispatch *d = &t->dispatches.v[number];
    struct att_rows rows = {0};
    struct att_ui *ui = NULL;
    d->clock_mhz = NAN;
    bool stats = d->stats && att_read_stats(t, d->stats, &rows);
    if (d->folder) {
        ui = arena_new(&t->arena, struct att_ui);
        bool code = att_read_code(t, d->folder, &ui->code);
        att_read_ui(t, d->folder, ui);
        if (stats && code)
            take_lines(t, d, &rows, &ui->code);
        else if (code)
            rows = ui->code;
        d->waves = ui->waves;
        d->clock_mhz = ui->clock_mhz;
    }
    if (d->folder)
        att_read_snapshots(t, d->folder, &rows);
    if (rows.n && rows.n < NO_INDEX)
        att_add_dispatch(t, number, &rows, ui);
}

static void sum_kernel(struct att_kernel *k)
{
    for (size_t i = 0; i < k->instructions.n; i++) {
        struct att_instruction *in = &k->instructions.v[i];
        in->unit = isa_unit(in->text);
        if (in->hits && !k->waves)
            k->waves = in->hits;
        k->instructions_executed += in->hits > 0;
        k->hits = att_add(k->hits, in->hits);
        k->latency = att_add(k->latency, in->latency);
        k->stall += in->stall;
        k->idle += in->idle;
    }
    for (size_t i = 0; isnan(k->idle) && i < k->instructions.n; i++)
        k->instructions.v[i].idle = NAN; /* known of some only, it would be part of no whole */
    k->instructions_listed = (uint32_t)k->instructions.n;
    k->wave_cycles = (double)k->latency + (isnan(k->idle) ? 0 : k->idle);
    k->stall_pct = att_share(k->stall, (double)k->latency);
    k->idle_pct = att_share(k->idle, k->wave_cycles);
    k->cycles_per_wave = k->waves ? k->wave_cycles / (double)k->waves : NAN;
}

static int by_time(const void *a, const void *b)
{
    const struct att_kernel *x = a, *y = b;
    if (x->wave_cycles != y->wave_cycles)
        return (x->wave_cycles < y->wave_cycles) - (x->wave_cycles > y->wave_cycles);
    return strcmp(x->name, y->name);
}

static void analyze(struct att *t, size_t first)
{
    for (size_t i = first; i < t->kernels.n; i++) {
        struct att_kernel *k = &t->kernels.v[i];
        sum_kernel(k);
        att_flow(t, k);
        att_causes(t, k, k->gfx);
        att_classify(t, k);
        att_judge(t, k);
    }
    if (t->kernels.n)
        qsort(t->kernels.v, t->kernels.n, sizeof(*t->kernels.v), by_time);
}

bool att_read(struct att *t, const char *dir, enum att_mode mode, struct gs_error *err)
{
    size_t dispatches = t->dispatches.n, kernels = t->kernels.n;
    t->root = arena_strdup(&t->arena, dir);
    if (!att_collect(t, dir, mode, err))
        return false;
    if (t->dispatches.n == dispatches)
        return mode == ATT_BESIDE ||
               fail(err, GS_E_EMPTY,
                    "no thread trace in '%s'; rocprofv3 --att writes stats_*.csv and ui_output_* "
                    "where it finds the trace decoder library",
                    dir);
    t->dir = arena_strdup(&t->arena, dir);
    t->first_kernel = kernels;
    t->detected |= mode == ATT_BESIDE;
    for (size_t i = dispatches; i < t->dispatches.n; i++)
        read_dispatch(t, (uint32_t)i);
    analyze(t, kernels);
    if (t->kernels.n == kernels && mode == ATT_EXPLICIT)
        return fail(err, GS_E_FORMAT, "nothing in '%s' can be used: %s", dir,
                    t->notes.n ? t->notes.v[t->notes.n - 1] : "no instruction");
    return true;
}
