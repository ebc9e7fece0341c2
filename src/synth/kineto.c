#include "synth/kineto.h"

#include <string.h>

#include "base/jwrite.h"
#include "synth/kineto_in.h"

static unsigned begin(struct sink *s, int pass, struct names *names)
{
    struct kineto_writer *w = (struct kineto_writer *)s;
    w->names = names;
    if (!pass)
        return WANT_INFO;
    return WANT_HIP | WANT_HSA | WANT_MARKER | WANT_RCCL | WANT_HOST | WANT_KERNELS | WANT_COPIES;
}

SINK_ADD_PROCESS(struct kineto_writer, struct kprocess)

static void add_agent(struct sink *s, const struct rec_agent *r)
{
    struct kineto_writer *w = (struct kineto_writer *)s;
    struct kprocess *p = &w->processes.v[r->process];
    if (!r->gpu)
        return;
    p->nvidia |= r->gpu->nvidia;
    vec_push(&p->gpus, w->arena, rec_keep_agent(r, w->arena));
}

SINK_KEEP(struct kineto_writer, add_thread, rec_thread, threads)

static void put_properties(struct str *out, const struct rec_agent *a)
{
    const struct gpu_spec *g = a->gpu;
    str_printf(
        out,
        "%s\n    {\"id\": %d, \"name\": \"%s\", \"totalGlobalMem\": %lld, \"warpSize\": %lld, "
        "\"numSms\": %lld, \"maxThreadsPerMultiprocessor\": %lld, \"%s\": %lld",
        a->gpu_index ? "," : "", a->gpu_index, g->product, (long long)g->memory_bytes,
        (long long)g->wave, (long long)g->cu,
        (long long)(g->wave * g->waves_per_simd * g->simd_per_cu),
        g->nvidia ? "sharedMemPerMultiprocessor" : "maxSharedMemoryPerMultiProcessor",
        (long long)g->lds_kib * 1024);
    const char *digits = g->arch + 3; /* "sm_90", "gfx942" */
    if (g->nvidia && digits[0] && digits[1])
        str_printf(out, ", \"computeMajor\": %.*s, \"computeMinor\": %s}", (int)strlen(digits) - 1,
                   digits, digits + strlen(digits) - 1);
    else
        str_printf(out, ", \"gcnArchName\": \"%s\"}", g->arch);
}

/* Text before the events: properties. */
static void kinetow_head(struct kineto_writer *w, struct kprocess *p)
{
    struct str *out = &w->line;
    str_puts(out, "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [");
    for (size_t i = 0; i < p->gpus.n; i++)
        put_properties(out, &p->gpus.v[i]);
    str_puts(out, "\n  ],\n");
    str_puts(out, p->nvidia ? "  \"cupti_version\": 22,\n" : "  \"roctracer_version\": 4.1,\n");
    if (p->rec.count > 1)
        str_printf(out,
                   "  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": %lld, \"world_size\": "
                   "%d},\n",
                   (long long)p->rec.rank, p->rec.count);
    str_puts(out, "  \"traceEvents\": [");
    kinetow_flush(w, p);
}

static void put_name(struct kineto_writer *w, struct kprocess *p, const char *what, int64_t tid,
                     uint32_t name)
{
    struct name text = names_get(w->names, name);
    str_printf(&w->line,
               "%s\n    {\"name\": \"%s\", \"ph\": \"M\", \"ts\": 0, \"pid\": %lld, \"tid\": %lld, "
               "\"args\": {\"name\": ",
               p->any ? "," : "", what, (long long)p->rec.pid, (long long)tid);
    jw_quote(&w->line, text.s, text.n);
    str_puts(&w->line, "}}");
    p->any = true;
}

void kinetow_tail(struct kineto_writer *w, struct kprocess *p)
{
    if (p->rec.command)
        put_name(w, p, "process_name", 0, p->rec.command);
    for (size_t i = 0; i < p->threads.n; i++)
        if (p->threads.v[i].name)
            put_name(w, p, "thread_name", p->threads.v[i].tid, p->threads.v[i].name);
    str_printf(&w->line,
               "\n  ],\n  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": %lld\n}\n",
               (long long)p->rec.start_ns);
    kinetow_flush(w, p);
}

static void finish(struct sink *s, int pass)
{
    struct kineto_writer *w = (struct kineto_writer *)s;
    for (size_t i = 0; i < w->processes.n && !pass && !w->sink.failed; i++) {
        kinetow_open(w, &w->processes.v[i]);
        kinetow_head(w, &w->processes.v[i]);
    }
}

struct sink *kinetow_new(const struct kineto_options *o, struct arena *a)
{
    struct kineto_writer *w = arena_new(a, struct kineto_writer);
    w->o = *o;
    w->arena = a;
    str_init(&w->line, a);
    w->sink = (struct sink){
        .passes = 2,
        .begin = begin,
        .process = add_process,
        .agent = add_agent,
        .thread = add_thread,
        .region = kinetow_region,
        .kernel = kinetow_kernel,
        .copy = kinetow_copy,
        .finish = finish,
    };
    return &w->sink;
}
