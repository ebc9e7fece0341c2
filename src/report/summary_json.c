#include <math.h>

#include "base/sat.h"
#include "base/str.h"
#include "report/summary.h"

static void seconds(struct jwrite *w, const char *key, int64_t ns)
{
    jw_num(w, key, (double)ns / 1e9);
}

static void write_gaps(struct jwrite *w, const struct analysis *a)
{
    jw_open(w, "gap_histogram", '[');
    for (size_t i = 0; i < a->gaps.n; i++) {
        if (!a->gaps.v[i].count)
            continue;
        jw_open(w, NULL, '{');
        jw_str(w, "label", a->gaps.v[i].label);
        jw_uint(w, "count", a->gaps.v[i].count);
        seconds(w, "total_s", a->gaps.v[i].total_ns);
        jw_close(w);
    }
    jw_close(w);
}

static void write_kernel(struct jwrite *w, const struct kernel_summary *k)
{
    const struct hotspot *h = k->hotspot;
    jw_open(w, NULL, '{');
    jw_str(w, "name", h->name);
    jw_str(w, "short_name", str_eq(h->short_name, h->name) ? NULL : h->short_name);
    jw_uint(w, "calls", h->calls);
    seconds(w, "total_s", h->total_duration_ns);
    jw_num(w, "avg_ms", h->avg_duration_ns / 1e6);
    jw_num(w, "min_ms", (double)h->min_duration_ns / 1e6);
    jw_num(w, "max_ms", (double)h->max_duration_ns / 1e6);
    jw_num(w, "pct_of_gpu_time", h->pct_of_total);
    jw_num(w, "std_dev_ms", h->std_dev_ns / 1e6);
    jw_num(w, "cv", h->cv);
    jw_num(w, "avg_registers_per_thread", k->registers);
    jw_num(w, "avg_shared_mem_bytes", k->lds_bytes);
    jw_num(w, "wave_fill_ratio", k->wave_fill);
    jw_num(w, "avg_launch_overhead_us", k->mean_launch_ns / 1e3);
    jw_num(w, "max_launch_overhead_us", k->max_launch_ns / 1e3);
    jw_close(w);
}

static void write_kernels(struct jwrite *w, const struct summary *s, size_t most)
{
    jw_open(w, "top_kernels", '[');
    for (size_t i = 0; i < s->kernels.n && i < most; i++)
        write_kernel(w, &s->kernels.v[i]);
    jw_close(w);
}

static void write_copies(struct jwrite *w, const struct analysis *a)
{
    jw_open(w, "memcpy_by_kind", '[');
    for (size_t i = 0; i < a->copies.n; i++) {
        const struct copy_row *c = &a->copies.v[i];
        jw_open(w, NULL, '{');
        jw_str(w, "kind", c->direction);
        jw_uint(w, "transfers", c->count);
        jw_uint(w, "total_bytes", c->total_bytes);
        seconds(w, "total_s", c->total_duration_ns);
        jw_num(w, "effective_GBs", c->bandwidth_gbps);
        jw_num(w, "pct_of_peak_bandwidth", c->efficiency_pct);
        jw_close(w);
    }
    jw_close(w);
}

static void write_streams(struct jwrite *w, const struct analysis *a)
{
    jw_open(w, "streams", '[');
    for (size_t i = 0; i < a->streams.n; i++) {
        const struct stream_row *s = &a->streams.v[i];
        jw_open(w, NULL, '{');
        jw_int(w, "stream_id", s->stream);
        jw_int(w, "gpu", s->gpu);
        jw_int(w, "pid", s->pid);
        jw_uint(w, "kernel_calls", s->kernels);
        seconds(w, "total_gpu_s", s->busy_ns);
        jw_num(w, "pct_of_gpu_time", s->pct_of_gpu_busy);
        jw_close(w);
    }
    jw_close(w);
}

static void write_markers(struct jwrite *w, const struct summary *s)
{
    jw_open(w, "marker_ranges", '[');
    for (size_t i = 0; i < s->markers.n; i++) {
        const struct marker_row *m = s->markers.v[i];
        jw_open(w, NULL, '{');
        jw_str(w, "name", m->name);
        jw_uint(w, "calls", m->calls);
        seconds(w, "total_s", m->wall_ns);
        jw_num(w, "avg_ms", m->avg_ns / 1e6);
        jw_close(w);
    }
    jw_close(w);
}

static void write_device(struct jwrite *w, const char *key, const struct device_summary *d)
{
    if (!d) {
        jw_null(w, key);
        return;
    }
    jw_open(w, key, '{');
    jw_str(w, "vendor", d->vendor);
    jw_str(w, "hostname", d->host);
    jw_str(w, "name", d->name);
    jw_str(w, "compute_capability", *d->capability ? d->capability : NULL);
    jw_num(w, "sm_count", d->cu_count);
    jw_num(w, "max_threads_per_sm", d->threads_per_cu);
    jw_num(w, "peak_memory_bandwidth_GBs", d->peak_gbps);
    jw_num(w, "total_memory_GiB", d->memory_gib);
    jw_num(w, "l2_cache_MiB", d->l2_mib);
    jw_num(w, "max_threads_per_block", d->group_threads);
    jw_num(w, "max_registers_per_block", d->group_registers);
    jw_num(w, "max_shared_mem_per_block_KiB", d->group_lds_kib);
    jw_num(w, "max_shared_mem_per_block_optin_KiB", d->group_lds_optin_kib);
    jw_num(w, "clock_rate_MHz", d->clock_mhz);
    if (!key) { /* in the list of all */
        jw_int(w, "gpu", d->index);
        jw_num(w, "gpu_utilization_pct", d->utilization_pct);
    }
    jw_close(w);
}

static void write_mpi(struct jwrite *w, const struct summary *s, size_t most)
{
    jw_open(w, "mpi_ops", '[');
    for (size_t i = 0; i < s->mpi.n && i < most; i++) {
        jw_open(w, NULL, '{');
        jw_str(w, "op", s->mpi.v[i]->name);
        jw_uint(w, "calls", s->mpi.v[i]->calls);
        seconds(w, "total_s", s->mpi.v[i]->total_ns);
        jw_num(w, "avg_ms", s->mpi.v[i]->avg_ns / 1e6);
        jw_num(w, "max_ms", (double)s->mpi.v[i]->max_ns / 1e6);
        jw_close(w);
    }
    jw_close(w);
}

static void write_phase(struct jwrite *w, const struct summary *s, const struct phase_summary *p)
{
    enum { TOP = 5 };
    const struct breakdown *b = &p->summary->a->breakdown;
    int64_t origin = s->phases.v[0].row->start_ns;
    jw_open(w, NULL, '{');
    jw_str(w, "name", p->row->name);
    seconds(w, "start_s", sub_ns(p->row->start_ns, origin));
    seconds(w, "end_s", sub_ns(p->row->end_ns, origin));
    seconds(w, "duration_s", p->row->duration_ns);
    jw_int(w, "start_ns", p->row->start_ns);
    jw_int(w, "end_ns", p->row->end_ns);
    jw_num(w, "gpu_utilization_pct", b->kernel_pct);
    seconds(w, "gpu_kernel_s", b->kernel_sum_ns);
    seconds(w, "gpu_busy_s", b->kernel_ns);
    seconds(w, "gpu_memcpy_s", b->copy_ns);
    seconds(w, "total_gpu_idle_s", p->summary->gap_ns);
    write_gaps(w, p->summary->a);
    write_kernels(w, p->summary, TOP);
    write_mpi(w, p->summary, TOP);
    jw_close(w);
}

static void write_totals(struct jwrite *w, const struct summary *s)
{
    const struct breakdown *b = &s->a->breakdown;
    const struct trace *t = s->a->trace;
    jw_str(w, "profile_path", t->files.n ? t->files.v[0].path : NULL);
    seconds(w, "profile_span_s", b->window_ns);
    seconds(w, "gpu_kernel_s", b->kernel_sum_ns);
    seconds(w, "gpu_busy_s", b->kernel_ns);
    jw_num(w, "kernel_concurrency_factor", b->concurrency);
    seconds(w, "gpu_memcpy_s", b->copy_ns);
    seconds(w, "gpu_sync_s", s->sync_ns);
    jw_num(w, "gpu_utilization_pct", b->kernel_pct);
    seconds(w, "total_gpu_idle_s", s->gap_ns);
}

void summary_json(const struct summary *s, struct jwrite *w)
{
    const struct analysis *a = s->a;
    const struct device_summary *first = s->devices.n ? &s->devices.v[0] : NULL;
    jw_open(w, NULL, '{');
    write_totals(w, s);
    write_gaps(w, a);
    write_kernels(w, s, s->kernels.n);
    write_copies(w, a);
    write_streams(w, a);
    write_markers(w, s);
    write_device(w, "device_info", first);
    jw_num(w, "peak_memory_bandwidth_GBs", first ? first->peak_gbps : NAN);
    if (capability_has(&a->capabilities, "api")) {
        seconds(w, "cpu_sync_blocked_s", a->breakdown.sync_blocked_ns);
        jw_num(w, "cpu_sync_blocked_pct", a->breakdown.sync_blocked_pct);
    } else {
        jw_null(w, "cpu_sync_blocked_s");
        jw_null(w, "cpu_sync_blocked_pct");
    }
    write_mpi(w, s, s->mpi.n);
    jw_bool(w, "mpi_present", capability_has(&a->capabilities, "mpi"));
    jw_open(w, "phases", '[');
    for (size_t i = 0; i < s->phases.n; i++)
        write_phase(w, s, &s->phases.v[i]);
    jw_close(w);
    jw_open(w, "gpus", '[');
    for (size_t i = 0; i < s->devices.n; i++)
        write_device(w, NULL, &s->devices.v[i]);
    jw_close(w);
    jw_close(w);
}
