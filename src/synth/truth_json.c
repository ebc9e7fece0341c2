#include "base/jwrite.h"
#include "synth/truth.h"

static void counts(struct jwrite *w, const struct truth_counts *c)
{
    jw_open(w, "counts", '{');
    jw_int(w, "kernels", c->kernels);
    jw_int(w, "copies", c->copies);
    jw_int(w, "allocations", c->allocations);
    jw_int(w, "regions", c->regions);
    jw_int(w, "samples", c->samples);
    jw_int(w, "markers", c->markers);
    jw_int(w, "counter_values", c->counter_values);
    jw_int(w, "hip_calls", c->hip);
    jw_int(w, "hsa_calls", c->hsa);
    jw_int(w, "rccl_calls", c->rccl);
    jw_int(w, "mpi_calls", c->mpi);
    jw_int(w, "arguments", c->arguments);
    jw_int(w, "zero_kernels", c->zero_kernels);
    jw_int(w, "negative_kernels", c->negative_kernels);
    jw_close(w);
}

static void times(struct jwrite *w, const struct truth_times *t)
{
    static const char *const directions[] = {"h2d", "d2h", "d2d", "p2p", "h2h"};
    jw_int(w, "kernel_ns", t->kernel_ns);
    jw_int(w, "kernel_union_ns", t->kernel_union_ns);
    jw_int(w, "copy_ns", t->copy_ns);
    jw_int(w, "copy_union_ns", t->copy_union_ns);
    jw_int(w, "exposed_copy_ns", t->exposed_copy_ns);
    jw_int(w, "idle_ns", t->idle_ns);
    jw_open(w, "bytes", '{');
    for (size_t i = 0; i < ARRAY_LEN(directions); i++)
        jw_int(w, directions[i], t->bytes[i]);
    jw_close(w);
}

static void span(struct jwrite *w, const char *start, const char *end, const char *length,
                 const struct span *s)
{
    bool there = s->end >= s->start;
    jw_int(w, start, there ? s->start : 0);
    jw_int(w, end, there ? s->end : 0);
    jw_int(w, length, there ? s->end - s->start : 0);
}

static void process(struct jwrite *w, const struct truth_process *p)
{
    counts(w, &p->counts);
    span(w, "min_start_ns", "max_end_ns", "span_ns", &p->all);
    span(w, "gpu_start_ns", "gpu_end_ns", "gpu_window_ns", &p->gpu_window);
    times(w, &p->times);
}

static void gpus(struct jwrite *w, const struct truth_process *p)
{
    jw_open(w, "gpus", '[');
    for (size_t i = 0; i < p->gpus.n; i++) {
        jw_open(w, NULL, '{');
        jw_int(w, "index", (int64_t)i);
        jw_int(w, "kernels", p->gpus.v[i].kernels);
        jw_int(w, "copies", p->gpus.v[i].copies);
        times(w, &p->gpus.v[i].times);
        jw_close(w);
    }
    jw_close(w);
}

static void kernels(struct jwrite *w, const struct truth *t)
{
    jw_open(w, "kernels", '[');
    for (size_t i = 0; i < truth_kernels(t); i++) {
        const struct truth_kernel *k = truth_kernel(t, i);
        jw_open(w, NULL, '{');
        jw_strn(w, "name", k->name, k->name_n);
        jw_int(w, "calls", k->calls);
        jw_int(w, "total_ns", k->total_ns);
        jw_int(w, "min_ns", k->min_ns);
        jw_int(w, "max_ns", k->max_ns);
        jw_close(w);
    }
    jw_close(w);
}

void truth_json(const struct truth *t, struct str *out)
{
    struct jwrite w;
    jw_init(&w, out, 2);
    jw_open(&w, NULL, '{');
    jw_open(&w, "total", '{');
    process(&w, truth_total(t));
    jw_close(&w);
    jw_open(&w, "processes", '[');
    for (size_t i = 0; i < truth_processes(t); i++) {
        const struct truth_process *p = truth_process(t, i);
        jw_open(&w, NULL, '{');
        jw_int(&w, "pid", p->rec.pid);
        jw_int(&w, "rank", p->rec.rank);
        jw_str(&w, "host", p->host);
        process(&w, p);
        gpus(&w, p);
        jw_close(&w);
    }
    jw_close(&w);
    kernels(&w, t);
    jw_close(&w);
    str_puts(out, "\n");
}
