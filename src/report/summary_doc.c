#include <inttypes.h>
#include <math.h>

#include "base/fs.h"
#include "base/human.h"
#include "base/sat.h"
#include "report/summary.h"

static struct block *start_table(struct doc *d, const char *first, const char *const *others)
{
    struct block *b = doc_table(d, "");
    doc_column(b, first, COLUMN_TEXT);
    for (; *others; others++)
        doc_column(b, *others, COLUMN_NUMBER);
    return b;
}

static void cell_number(struct block *b, double v, int decimals)
{
    if (isnan(v))
        doc_cell(b, "-");
    else
        doc_cell(b, "%.*f", decimals, v);
}

static void cell_time(struct block *b, double ns)
{
    char text[HUMAN_MAX];
    doc_cell(b, "%s", isnan(ns) ? "-" : human_time(text, ns_from(ns)));
}

static void cell_pct(struct block *b, double pct)
{
    char text[HUMAN_MAX];
    doc_cell(b, "%s", isnan(pct) ? "-" : human_pct(text, pct));
}

static void cell_count(struct block *b, uint64_t n)
{
    char text[HUMAN_MAX];
    doc_cell(b, "%s", human_count(text, n));
}

static void totals(const struct summary *s, struct doc *d)
{
    const struct analysis *a = s->a;
    const struct breakdown *b = &a->breakdown;
    char time[HUMAN_MAX], pct[HUMAN_MAX];
    doc_fact(d, "span", "%s", human_time(time, b->window_ns));
    doc_fact(d, "GPUs", "%u", b->gpu_count);
    doc_fact(d, "kernel time", "%s (utilization %s%s)", human_time(time, b->kernel_sum_ns),
             human_pct(pct, b->kernel_pct), b->gpu_count > 1 ? ", mean over GPUs" : "");
    if (!isnan(b->concurrency))
        doc_fact(d, "concurrency", "%.2f kernels at once", b->concurrency);
    doc_fact(d, "copy time", "%s", human_time(time, b->copy_ns));
    if (capability_has(&a->capabilities, CAPABLE_API))
        doc_fact(d, "host waits for the GPU", "%s, %s of the span",
                 human_time(time, b->sync_blocked_ns), human_pct(pct, b->sync_blocked_pct));
    doc_fact(d, "idle in gaps", "%s", human_time(time, s->gap_ns));
    doc_fact(d, "MPI", "%s",
             capability_has(&a->capabilities, CAPABLE_MPI) ? "recorded" : "not recorded");
}

static void devices(const struct summary *s, struct doc *d)
{
    static const char *const titles[] = {"arch", "CUs", "memory", "bandwidth", "utilization", NULL};
    char text[HUMAN_MAX];
    if (!s->devices.n)
        return;
    doc_heading(d, 2, "GPUs");
    struct block *b = start_table(d, "GPU", titles);
    for (size_t i = 0; i < s->devices.n; i++) {
        const struct device_summary *v = &s->devices.v[i];
        doc_cell(b, "%d %s", v->index, v->name);
        doc_cell(b, "%s", v->arch);
        cell_number(b, v->cu_count, 0);
        doc_cell(b, "%s",
                 isnan(v->memory_gib) ? "-"
                                      : human_bytes(text, count_from(v->memory_gib * (1 << 30))));
        doc_cell(b, "%s", isnan(v->peak_gbps) ? "-" : human_rate(text, v->peak_gbps * 1e9));
        cell_pct(b, v->utilization_pct);
    }
}

static void kernels(const struct summary *s, struct doc *d)
{
    static const char *const titles[] = {"calls",     "total",  "average", "of kernels",
                                         "registers", "launch", NULL};
    if (!s->kernels.n)
        return;
    doc_heading(d, 2, "Top kernels");
    struct block *b = start_table(d, "kernel", titles);
    for (size_t i = 0; i < s->kernels.n; i++) {
        const struct kernel_summary *k = &s->kernels.v[i];
        doc_cell(b, "%s", k->hotspot->short_name);
        cell_count(b, k->hotspot->calls);
        cell_time(b, (double)k->hotspot->total_duration_ns);
        cell_time(b, k->hotspot->avg_duration_ns);
        cell_pct(b, k->hotspot->pct_of_total);
        cell_number(b, k->registers, 0);
        cell_time(b, k->mean_launch_ns);
    }
}

static void copies(const struct summary *s, struct doc *d)
{
    static const char *const titles[] = {"copies", "bytes", "time", "bandwidth", "of link", NULL};
    char text[HUMAN_MAX];
    if (!s->a->copies.n)
        return;
    doc_heading(d, 2, "Copies");
    struct block *b = start_table(d, "direction", titles);
    for (size_t i = 0; i < s->a->copies.n; i++) {
        const struct copy_row *c = &s->a->copies.v[i];
        doc_cell(b, "%s", c->direction);
        cell_count(b, c->count);
        doc_cell(b, "%s", human_bytes(text, c->total_bytes));
        cell_time(b, (double)c->total_duration_ns);
        doc_cell(b, "%s",
                 isnan(c->bandwidth_gbps) ? "-" : human_rate(text, c->bandwidth_gbps * 1e9));
        cell_pct(b, c->efficiency_pct);
    }
}

static void gaps(const struct summary *s, struct doc *d)
{
    static const char *const titles[] = {"gaps", "total", NULL};
    if (!s->gap_ns)
        return;
    doc_heading(d, 2, "Gaps between GPU work");
    struct block *b = start_table(d, "length", titles);
    for (size_t i = 0; i < s->a->gaps.n; i++) {
        if (!s->a->gaps.v[i].count)
            continue;
        doc_cell(b, "%s", s->a->gaps.v[i].label);
        cell_count(b, s->a->gaps.v[i].count);
        cell_time(b, (double)s->a->gaps.v[i].total_ns);
    }
}

static void streams(const struct summary *s, struct doc *d)
{
    enum { MOST = 10 };
    static const char *const titles[] = {"GPU",  "process", "kernels", "copies",
                                         "busy", "of GPU",  NULL};
    if (!s->a->streams.n)
        return;
    doc_heading(d, 2, "Streams");
    struct block *b = start_table(d, "stream", titles);
    for (size_t i = 0; i < s->a->streams.n && i < MOST; i++) {
        const struct stream_row *r = &s->a->streams.v[i];
        doc_cell(b, "%" PRId64, r->stream);
        doc_cell(b, "%d", r->gpu);
        doc_cell(b, "%" PRId64, r->pid);
        cell_count(b, r->kernels);
        cell_count(b, r->copies);
        cell_time(b, (double)r->busy_ns);
        cell_pct(b, r->pct_of_gpu_busy);
    }
    if (s->a->streams.n > MOST)
        b->text = arena_printf(d->arena, "and %zu more", s->a->streams.n - MOST);
}

static void markers(const struct summary *s, struct doc *d)
{
    static const char *const titles[] = {"calls", "total", "average", "kernels", NULL};
    if (!s->markers.n)
        return;
    doc_heading(d, 2, "Marker ranges");
    struct block *b = start_table(d, "range", titles);
    for (size_t i = 0; i < s->markers.n; i++) {
        const struct marker_row *m = s->markers.v[i];
        doc_cell(b, "%s", m->name);
        cell_count(b, m->calls);
        cell_time(b, (double)m->wall_ns);
        cell_time(b, m->avg_ns);
        cell_count(b, m->kernels);
    }
}

static void mpi(const struct summary *s, struct doc *d)
{
    static const char *const titles[] = {"calls", "total", "average", "longest", NULL};
    if (!s->mpi.n)
        return;
    doc_heading(d, 2, "MPI operations");
    struct block *b = start_table(d, "operation", titles);
    for (size_t i = 0; i < s->mpi.n; i++) {
        doc_cell(b, "%s", s->mpi.v[i]->name);
        cell_count(b, s->mpi.v[i]->calls);
        cell_time(b, (double)s->mpi.v[i]->total_ns);
        cell_time(b, s->mpi.v[i]->avg_ns);
        cell_time(b, (double)s->mpi.v[i]->max_ns);
    }
}

struct doc *summary_doc(const struct summary *s, struct arena *arena)
{
    struct doc *d = doc_new(arena);
    const struct trace *t = s->a->trace;
    doc_heading(d, 1, "%s%s", t->files.n ? fs_basename(t->files.v[0].path) : "trace",
                t->files.n > 1 ? arena_printf(arena, " and %zu more", t->files.n - 1) : "");
    totals(s, d);
    devices(s, d);
    kernels(s, d);
    copies(s, d);
    gaps(s, d);
    summary_phases_doc(s, d);
    streams(s, d);
    markers(s, d);
    mpi(s, d);
    return d;
}
