/* The rows of a dispatch, given to their kernels; dispatches of the same code are added up. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "att/att_in.h"
#include "base/hash.h"
#include "base/str.h"
#include "model/names.h"

static bool is_header(const struct att_row *r)
{
    return r->text[0] == ';' && !r->hits && !r->latency && !r->stall && !r->idle;
}

static const char *header_name(const struct att_row *r)
{
    const char *p = r->text + 1;
    return p + strspn(p, " \t");
}

/* ---- hidden stall: cycles of a stall in which another wave of the SIMD issued ---- */

static int by_start(const void *a, const void *b)
{
    const struct att_span *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

/* Sorted, overlaps merged: how many are left. */
static size_t unite(struct att_span *v, size_t n)
{
    size_t out = 0;
    if (n)
        qsort(v, n, sizeof(*v), by_start);
    for (size_t i = 0; i < n; i++) {
        if (out && v[i].start <= v[out - 1].end) {
            if (v[i].end > v[out - 1].end)
                v[out - 1].end = v[i].end;
        } else {
            v[out++] = v[i];
        }
    }
    return out;
}

struct line_sums {
    uint64_t stall, hidden;
};

struct lines {
    struct idmap row;       /* line of code.json -> row */
    struct line_sums *sums; /* by row */
};

/*
 * A wave does not issue while it stalls, so what the union of all waves of the SIMD covers was
 * another wave.
 */
static void measure_hidden(struct att *t, const struct att_ui *ui, struct lines *l)
{
    struct att_span **spans = arena_array(&t->arena, struct att_span *, ui->simds.n + 1);
    size_t *n = arena_array(&t->arena, size_t, ui->simds.n + 1);
    uint64_t **before = arena_array(&t->arena, uint64_t *, ui->simds.n + 1);
    for (size_t s = 0; s < ui->simds.n; s++) {
        spans[s] = ui->simds.v[s].issue.v;
        n[s] = unite(spans[s], ui->simds.v[s].issue.n);
        before[s] = arena_array(&t->arena, uint64_t, n[s] + 1);
        for (size_t i = 0; i < n[s]; i++)
            before[s][i + 1] = before[s][i] + (spans[s][i].end - spans[s][i].start);
    }
    for (size_t i = 0; i < ui->stalls.n; i++) {
        const struct att_stall *st = &ui->stalls.v[i];
        uint32_t row = idmap_get(&l->row, st->line), s = st->simd;
        if (row == NO_INDEX)
            continue;
        uint64_t covered[2]; /* issue time before the end and before the start of the stall */
        for (int k = 0; k < 2; k++) {
            uint64_t at = k ? st->start : st->end;
            size_t low = 0; /* spans that begin before `at` */
            BISECT(low, n[s], mid, spans[s][mid].start < at);
            covered[k] = before[s][low];
            if (low && spans[s][low - 1].end > at)
                covered[k] -= spans[s][low - 1].end - at;
        }
        l->sums[row].stall = att_add(l->sums[row].stall, st->end - st->start);
        l->sums[row].hidden = att_add(l->sums[row].hidden, covered[0] - covered[1]);
    }
}

/* ---- kernels ---- */

struct adder {
    struct att *t;
    uint32_t dispatch;
    const struct att_rows *rows;
    const struct att_ui *ui; /* NULL: not decoded */
    struct lines lines;
    struct {
        uint32_t kernel, index;
    } * place;     /* of each row */
    uint32_t main; /* kernel with most latency in this dispatch */
    uint64_t main_latency;
};

static bool same_code(const struct att_kernel *k, const struct att_section *s)
{
    if (k->instructions.n != s->n)
        return false;
    for (size_t i = 0; i < s->n; i++) {
        const struct att_instruction *in = &k->instructions.v[i];
        if (in->address != s->rows[i].address || !str_eq(in->text, s->rows[i].text))
            return false;
    }
    return true;
}

static struct att_kernel *new_kernel(struct att *t, const char *mangled, const char *full,
                                     const struct att_section *s)
{
    struct att_kernel *k = vec_add(&t->kernels, &t->arena);
    *k = (struct att_kernel){.name = full,
                             .mangled = mangled,
                             .short_name = name_short(&t->arena, full),
                             .clock_mhz = NAN,
                             .mean_waves = NAN,
                             .hidden_stall_pct = NAN,
                             .exposed_stall = NAN,
                             .pct_of_kernel_time = NAN,
                             .rank = -1};
    for (size_t i = 0; i < s->n; i++) {
        struct att_instruction *in = vec_add(&k->instructions, &t->arena);
        *in = (struct att_instruction){.address = s->rows[i].address,
                                       .code_object = s->rows[i].code_object,
                                       .text = s->rows[i].text,
                                       .hidden_stall = NAN,
                                       .hidden_pct = NAN};
    }
    return k;
}

/* The last kernel of that name and code, or a new one. */
static struct att_kernel *kernel_of(struct adder *a, const struct att_section *s)
{
    struct att *t = a->t;
    const char *mangled = s->header ? header_name(s->header) : t->dispatches.v[a->dispatch].name;
    const char *full =
        s->header && s->header->source ? s->header->source : name_demangle(&t->arena, mangled);
    enum { LOOK_BACK = 1000 };
    for (size_t i = t->kernels.n; i-- > t->first_kernel && t->kernels.n - i < LOOK_BACK;)
        if (str_eq(t->kernels.v[i].mangled, mangled) && same_code(&t->kernels.v[i], s))
            return &t->kernels.v[i];
    return new_kernel(t, mangled, full, s);
}

static void add_row(struct att_instruction *in, const struct att_row *r, const struct adder *a)
{
    in->hits = att_add(in->hits, r->hits);
    in->latency = att_add(in->latency, r->latency);
    in->stall = a->rows->has_stall ? in->stall + (double)r->stall : NAN;
    in->idle = a->rows->has_idle ? in->idle + (double)r->idle : NAN;
    if (!in->source)
        in->source = r->source;
    if (!in->source_text)
        in->source_text = r->source_text;
    size_t row = (size_t)(r - a->rows->v);
    if (a->lines.sums) {
        in->decoded_stall = att_add(in->decoded_stall, a->lines.sums[row].stall);
        in->decoded_hidden = att_add(in->decoded_hidden, a->lines.sums[row].hidden);
    }
}

/* What the waves themselves say a wait waited for, once each. */
static void add_feeds(struct adder *a)
{
    enum { MOST = 16 };
    for (size_t i = 0; a->ui && i < a->ui->feeds.n; i++) {
        uint32_t wait = idmap_get(&a->lines.row, a->ui->feeds.v[i].wait);
        uint32_t feeder = idmap_get(&a->lines.row, a->ui->feeds.v[i].feeder);
        if (wait == NO_INDEX || feeder == NO_INDEX || a->place[wait].kernel == NO_INDEX ||
            a->place[wait].kernel != a->place[feeder].kernel)
            continue;
        struct att_kernel *k = &a->t->kernels.v[a->place[wait].kernel];
        struct att_instruction *in = &k->instructions.v[a->place[wait].index];
        uint32_t index = a->place[feeder].index;
        bool known = in->fed_by.n >= MOST;
        for (size_t f = 0; f < in->fed_by.n; f++)
            known |= in->fed_by.v[f] == index;
        in->fed_decoded = true;
        if (!known)
            vec_push(&in->fed_by, &a->t->arena, index);
    }
}

const char *const att_state_words[] = {"empty", "idle", "execute", "wait", "stall", NULL};

static void add_ui(struct att *t, struct att_kernel *k, const struct att_ui *ui)
{
    k->decoded_waves += ui->waves;
    k->gfx = ui->gfx ? ui->gfx : k->gfx;
    k->clock_mhz = isnan(ui->clock_mhz) ? k->clock_mhz : ui->clock_mhz;
    if (!isnan(ui->mean_waves) && isnan(k->mean_waves)) { /* over time: of the first dispatch */
        k->mean_waves = ui->mean_waves;
        for (size_t i = 0; i < ui->occupancy.n; i++)
            vec_push(&k->occupancy, &t->arena, ui->occupancy.v[i]);
    }
    k->most_waves = ui->most_waves > k->most_waves ? ui->most_waves : k->most_waves;
    for (enum att_state s = 0; ui->has_states && s < ATT_STATES; s++) {
        size_t i = 0;
        while (i < k->states.n && k->states.v[i].state != s)
            i++;
        if (!ui->state_cycles[s])
            continue;
        if (i == k->states.n)
            vec_push(&k->states, &t->arena, ((struct att_state_row){.state = s}));
        k->states.v[i].cycles += (double)ui->state_cycles[s];
    }
}

static void add_section(struct adder *a, const struct att_section *s)
{
    uint64_t hits = 0, latency = 0;
    size_t first = (size_t)(s->rows - a->rows->v);
    if (!s->n)
        return;
    struct att_kernel *k = kernel_of(a, s);
    uint32_t number = (uint32_t)(k - a->t->kernels.v);
    struct att_dispatch *d = &a->t->dispatches.v[a->dispatch];
    for (size_t i = 0; i < s->n; i++) {
        const struct att_row *r = &s->rows[i];
        add_row(&k->instructions.v[i], r, a);
        a->place[first + i].kernel = number;
        a->place[first + i].index = (uint32_t)i;
        hits = att_add(hits, r->hits);
        latency = att_add(latency, r->latency);
        d->hits = att_add(d->hits, r->hits);
        d->latency = att_add(d->latency, r->latency);
        d->stall = a->rows->has_stall ? d->stall + (double)r->stall : NAN;
        d->idle = a->rows->has_idle ? d->idle + (double)r->idle : NAN;
    }
    if (!hits)
        return;
    if (a->main == NO_INDEX || latency > a->main_latency) {
        a->main = number;
        a->main_latency = latency;
    }
    d->kernels++;
    k->dispatches++;
    vec_push(&k->from, &a->t->arena, a->dispatch);
}

void att_add_dispatch(struct att *t, uint32_t dispatch, const struct att_rows *rows,
                      const struct att_ui *ui)
{
    struct adder a = {.t = t, .dispatch = dispatch, .rows = rows, .ui = ui, .main = NO_INDEX};
    idmap_init(&a.lines.row, &t->arena);
    a.place = arena_calloc(&t->arena, rows->n + 1, sizeof(*a.place));
    for (size_t i = 0; i < rows->n; i++)
        a.place[i].kernel = NO_INDEX;
    if (ui) {
        a.lines.sums = arena_array(&t->arena, struct line_sums, rows->n + 1);
        for (size_t i = 0; i < rows->n; i++)
            if (rows->v[i].line != ATT_NO_LINE)
                idmap_put(&a.lines.row, rows->v[i].line, (uint32_t)i);
        measure_hidden(t, ui, &a.lines);
    }
    struct att_section s = {.rows = rows->v};
    for (size_t i = 0; i <= rows->n; i++) {
        if (i < rows->n && !is_header(&rows->v[i]))
            continue;
        s.n = (size_t)(&rows->v[i] - s.rows);
        add_section(&a, &s);
        if (i < rows->n)
            s = (struct att_section){.header = &rows->v[i], .rows = &rows->v[i + 1]};
    }
    add_feeds(&a);
    /* The waves of a folder are those of one dispatch; functions that it calls have sections, too.
     */
    if (ui && a.main != NO_INDEX)
        add_ui(t, &t->kernels.v[a.main], ui);
}
