/* What is kept of one rank's analysis. */
#include <math.h>

#include "base/sort.h"
#include "base/str.h"
#include "job/job.h"

enum { TOP_KERNELS = 64 };

bool rank_owns(const struct trace *t, uint32_t thread, uint32_t process)
{
    return thread < t->threads.n ? t->threads.v[thread].process == process : t->processes.n == 1;
}

static int64_t ledger_sum(const struct analysis *a, enum cause_kind kind)
{
    int64_t ns = 0;
    for (enum cause c = 0; c < CAUSES; c++)
        if (cause_info(c)->kind == kind)
            ns = add_ns(ns, a->ledger.ns[c]);
    return ns;
}

static int64_t exposed_copies(const struct analysis *a)
{
    static const enum cause copies[] = {CAUSE_COPY_H2D, CAUSE_COPY_D2H, CAUSE_COPY_P2P,
                                        CAUSE_COPY_D2D, CAUSE_COPY_SET};
    int64_t ns = 0;
    for (size_t i = 0; i < ARRAY_LEN(copies); i++)
        ns = add_ns(ns, a->ledger.ns[copies[i]]);
    return ns;
}

static bool starts_or_ends_mpi(const char *name)
{
    return str_starts(name, "MPI_Init") || str_starts(name, "MPI_Finalize");
}

static void add_mpi_op(struct job_rank *r, struct idmap *map, uint32_t id, const char *name,
                       int64_t ns, struct arena *arena)
{
    uint32_t i = idmap_get(map, id);
    if (i == NO_INDEX) {
        i = (uint32_t)r->mpi_ops.n;
        vec_push(&r->mpi_ops, arena, ((struct mpi_op_row){.name = arena_strdup(arena, name)}));
        idmap_put(map, id, i);
    }
    struct mpi_op_row *op = &r->mpi_ops.v[i];
    op->calls++;
    op->total_ns = add_ns(op->total_ns, ns);
    op->max_ns = ns > op->max_ns ? ns : op->max_ns;
}

/* The time in MPI, over all threads; setting up and tearing down is no communication. */
static void take_mpi(struct job_rank *r, struct spans *mpi, const struct analysis *a,
                     uint32_t process, struct arena *arena, struct arena *temporary)
{
    const struct regions *g = &a->trace->regions;
    VEC(uint32_t) rows = {0};
    struct idmap ops;
    idmap_init(&ops, temporary);
    for (size_t i = 0; i < g->n; i++) {
        if (g->kind[i] != REGION_MPI || !rank_owns(a->trace, g->thread[i], process))
            continue;
        struct span s = view_clip(&a->view, g->start_ns[i], g->end_ns[i]);
        const char *name = trace_str(a->trace, g->name[i]);
        if (s.end < s.start || g->end_ns[i] < a->view.start_ns || g->start_ns[i] > a->view.end_ns ||
            starts_or_ends_mpi(name))
            continue;
        r->mpi_calls++;
        add_mpi_op(r, &ops, g->name[i], name, s.end - s.start, arena);
        vec_push(&rows, temporary, (uint32_t)i);
    }
    sort_rows(rows.v, rows.n, g->start_ns, temporary);
    view_spans_of(mpi, &a->view, rows.v, rows.n, g->start_ns, g->end_ns, temporary);
    r->mpi_ns = spans_total(mpi);
}

double rank_clock(const struct analysis *a)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < a->telemetry.n; i++) {
        const struct telemetry_row *row = &a->telemetry.v[i];
        if (!str_has_fold(row->series, "clock") && !str_has_fold(row->series, "sclk") &&
            !str_has_fold(row->series, "gfxclk"))
            continue;
        if (str_has_fold(row->series, "mem") || str_has_fold(row->series, "mclk"))
            continue;
        sum += row->mean;
        n++;
    }
    return n ? sum / (double)n : NAN;
}

/* Work-items of a call of each kernel name, from the launches. */
static void take_kernels(struct job_rank *r, const struct analysis *a, struct arena *arena,
                         struct arena *temporary)
{
    const struct trace *t = a->trace;
    struct sum {
        double items;
        uint64_t calls;
    } *sums = arena_array(temporary, struct sum, t->strings.n + 1);
    for (size_t g = 0; g < a->view.n_gpus; g++)
        for (size_t i = 0; i < a->view.gpus[g].n_kernels; i++) {
            uint32_t row = a->view.gpus[g].kernels[i], launch = kernels_launch_at(t, row);
            if (launch >= t->launches.n || t->kernels.symbol[row] >= t->symbols.n)
                continue;
            const uint32_t *grid = t->launches.v[launch].grid;
            struct sum *s = &sums[t->symbols.v[t->kernels.symbol[row]].name];
            s->items += (double)grid[0] * grid[1] * grid[2];
            s->calls++;
        }
    size_t top = a->hotspots.n < TOP_KERNELS ? a->hotspots.n : TOP_KERNELS;
    vec_reserve(&r->top, arena, top);
    for (size_t i = 0; i < top; i++) {
        const struct hotspot *h = &a->hotspots.v[i];
        const struct sum *s = &sums[h->name_id < t->strings.n ? h->name_id : t->strings.n];
        if (a->view.kernel_class[h->symbol] == KERNEL_COLLECTIVE)
            continue; /* they wait for others */
        vec_push(
            &r->top, arena,
            ((struct rank_kernel){arena_strdup(arena, h->name), arena_strdup(arena, h->short_name),
                                  h->calls, h->total_duration_ns,
                                  s->calls && s->items > 0 ? s->items / (double)s->calls : NAN}));
    }
}

static int64_t within(const struct spans *s, int64_t start, int64_t end)
{
    struct span window = {start, end};
    struct spans one = {&window, 1, 1};
    return spans_common(s, &one);
}

static void take_phases(struct job_rank *r, const struct analysis *a, const struct spans *mpi,
                        struct arena *arena)
{
    vec_reserve(&r->phases, arena, a->phases.n);
    for (size_t i = 0; i < a->phases.n; i++) {
        const struct phase_row *p = &a->phases.v[i];
        vec_push(&r->phases, arena,
                 ((struct rank_phase){
                     .name = arena_strdup(arena, p->name ? p->name : ""),
                     .top_kernel = arena_strdup(arena, p->top_kernel ? p->top_kernel : ""),
                     .start_ns = p->start_ns,
                     .end_ns = p->end_ns,
                     .busy_ns = p->busy_ns,
                     .compute_ns = p->compute_ns,
                     .idle_ns = p->idle_ns,
                     .mpi_ns = within(mpi, p->start_ns, p->end_ns),
                 }));
    }
}

static const char *text_of(const struct trace *t, uint32_t id, struct arena *arena)
{
    return arena_strdup(arena, trace_str(t, id));
}

static void take_identity(struct job_rank *r, const struct analysis *a, uint32_t process,
                          struct arena *arena)
{
    const struct trace *t = a->trace;
    const struct process *p = &t->processes.v[process];
    r->rank = p->rank;
    r->rank_source = p->rank_source ? arena_strdup(arena, p->rank_source) : NULL;
    r->pid = p->pid;
    r->process = process;
    r->capture = arena_strdup(
        arena, p->file < t->files.n && t->files.v[p->file].guid ? t->files.v[p->file].guid : "");
    r->host = text_of(t, p->host, arena);
    r->command = text_of(t, p->command, arena);
    r->file = arena_strdup(arena, p->file < t->files.n ? t->files.v[p->file].path : "");
    r->gpus = (uint32_t)a->view.n_gpus;
    r->gpu_name = "";
    if (a->view.n_gpus && a->view.gpus[0].gpu != NO_INDEX)
        r->gpu_name = text_of(t, t->gpus.v[a->view.gpus[0].gpu].name, arena);
}

/* Times of a rank are kept as UTC where the trace counts from another moment. */
static void to_utc(struct job_rank *r, int64_t origin)
{
    r->start_ns = add_ns(r->start_ns, origin);
    r->end_ns = add_ns(r->end_ns, origin);
    for (size_t i = 0; i < r->meets.n; i++) {
        r->meets.v[i].start_ns = add_ns(r->meets.v[i].start_ns, origin);
        r->meets.v[i].end_ns = add_ns(r->meets.v[i].end_ns, origin);
    }
    for (size_t i = 0; i < r->phases.n; i++) {
        r->phases.v[i].start_ns = add_ns(r->phases.v[i].start_ns, origin);
        r->phases.v[i].end_ns = add_ns(r->phases.v[i].end_ns, origin);
    }
}

void rank_take(struct job_rank *r, const struct analysis *a, uint32_t process, struct arena *arena)
{
    struct arena *temporary = arena_scratch();
    struct spans mpi = {0}, busy = {0}, both = {0};
    *r = (struct job_rank){.clock_residual_ns = -1, .meet_stride = 1};
    take_identity(r, a, process, arena);
    r->start_ns = a->view.start_ns;
    r->end_ns = a->view.end_ns;
    r->window_ns = view_window(&a->view);
    r->gpu_busy_ns = a->breakdown.busy_ns;
    r->gpu_idle_ns = ledger_sum(a, CAUSE_IDLE);
    r->busy_pct = a->breakdown.busy_pct;
    r->compute_ns = a->ledger.ns[CAUSE_COMPUTE];
    r->comm_ns = a->ledger.ns[CAUSE_COMM];
    r->copy_ns = exposed_copies(a);
    r->kernels = a->view.n_kernels;
    r->copies = a->view.n_copies;
    r->iterations = a->iterations.count;
    r->iteration_ns = a->iterations.median_ns;
    r->clock_mhz = rank_clock(a);
    for (enum cause c = 0; c < CAUSES; c++)
        r->cause_ns[c] = a->ledger.ns[c];
    take_mpi(r, &mpi, a, process, arena, temporary);
    view_busy_spans(&busy, &a->view, temporary);
    spans_union(&both, &busy, &mpi, temporary);
    r->host_ns = r->window_ns - spans_total(&both);
    r->useful_ns = sub_ns(r->window_ns - r->mpi_ns, r->gpus ? r->comm_ns / r->gpus : 0);
    r->useful_ns = r->useful_ns < 0 ? 0 : r->useful_ns;
    take_kernels(r, a, arena, temporary);
    take_phases(r, a, &mpi, arena);
    rank_meets(r, a, process, arena);
    rank_staging(r, a, process, arena);
    uint32_t file = a->trace->processes.v[process].file;
    if (file < a->trace->files.n)
        to_utc(r, a->trace->files.v[file].origin_ns);
    arena_release(temporary);
}
