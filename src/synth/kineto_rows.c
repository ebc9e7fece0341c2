/* The events of the Kineto writer. Times are microseconds with three decimals, so nothing is lost.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/jwrite.h"
#include "synth/kineto_in.h"

/* Thousandths of a number, as text: -1500 gives -1.500. */
static void put_micros(struct str *out, int64_t ns)
{
    uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    str_printf(out, "%s%" PRIu64 ".%03" PRIu64, ns < 0 ? "-" : "", size / 1000, size % 1000);
}

static void put_number(struct str *out, const char *key, int64_t v)
{
    str_printf(out, "%s\"%s\": %" PRId64, out->buf[out->len - 1] == '{' ? "" : ", ", key, v);
}

/* Up to the opening brace of the arguments. */
static void begin_event(struct kineto_writer *w, struct kprocess *p, const char *cat,
                        struct name name, int64_t pid, int64_t tid, int64_t start, int64_t end)
{
    struct str *out = &w->line;
    bool instant = !strcmp(cat, "cpu_instant_event");
    str_printf(out, "%s\n    {\"ph\": \"%s\", \"cat\": \"%s\", \"name\": ", p->any ? "," : "",
               instant ? "i" : "X", cat);
    jw_quote(out, name.s, name.n);
    str_printf(out, ", \"pid\": %" PRId64 ", \"tid\": %" PRId64 ", \"ts\": ", pid, tid);
    put_micros(out, (int64_t)((uint64_t)start - (uint64_t)p->rec.start_ns));
    if (!instant) {
        str_puts(out, ", \"dur\": ");
        put_micros(out, (int64_t)((uint64_t)end - (uint64_t)start));
    }
    str_puts(out, ", \"args\": {");
    p->any = true;
}

static void end_event(struct kineto_writer *w, struct kprocess *p)
{
    str_puts(&w->line, "}}");
    kinetow_flush(w, p);
}

static struct kprocess *process_of(struct kineto_writer *w, int index)
{
    return &w->processes.v[index];
}

static int64_t thread_of(const struct kprocess *p, int index)
{
    return index >= 0 && index < (int)p->threads.n ? p->threads.v[index].tid : p->rec.pid;
}

/* ---- host ---- */

/* Calls whose CUDA counterpart is the driver's: cuInit, cuModuleLoad, cuLaunchKernel. */
static bool is_driver_call(struct name hip)
{
    return (hip.n >= 9 && !memcmp(hip.s, "hipModule", 9)) || !strcmp(hip.s, "hipInit");
}

/* CUDA's name of a HIP call, in the buffer; any other name as it is. */
static struct name cuda_name(struct name hip, char *buf, size_t room)
{
    bool launch = !strncmp(hip.s, "hipModuleLaunch", 15);
    if (hip.n < 3 || memcmp(hip.s, "hip", 3) || hip.n + 2 > room)
        return hip;
    int n =
        snprintf(buf, room, "%s%s", is_driver_call(hip) ? "cu" : "cuda", hip.s + (launch ? 9 : 3));
    return (struct name){buf, (size_t)n};
}

static void put_collective(struct kineto_writer *w, struct kprocess *p, const struct rec_region *r)
{
    struct name name = names_get(w->names, r->name);
    begin_event(w, p, "cpu_op", (struct name){"record_param_comms", 18}, p->rec.pid,
                thread_of(p, r->thread), r->start_ns, r->end_ns);
    put_number(&w->line, "External id", (int64_t)r->corr);
    str_puts(&w->line, ", \"Collective name\": ");
    jw_quote(&w->line, name.s, name.n);
    end_event(w, p);
}

/* CUPTI's records of waiting, which Kineto has as events of the stream that waits. */
static void put_sync(struct kineto_writer *w, struct kprocess *p, const struct rec_region *r)
{
    static const char *const names[] = {[SYNC_EVENT] = "Event Sync",
                                        [SYNC_STREAM_WAIT] = "Stream Wait Event",
                                        [SYNC_STREAM] = "Stream Sync",
                                        [SYNC_DEVICE] = "Context Sync"};
    const struct rec_sync *y = &r->sync;
    if (y->kind == SYNC_NONE || y->kind == SYNC_RECORD)
        return;
    bool stream = y->kind == SYNC_STREAM || y->kind == SYNC_STREAM_WAIT;
    const char *name = names[y->kind];
    begin_event(w, p, "cuda_sync", (struct name){name, strlen(name)}, y->gpu,
                stream ? y->stream : -1, r->start_ns, r->end_ns);
    put_number(&w->line, "correlation", (int64_t)r->corr);
    put_number(&w->line, "device", y->gpu);
    put_number(&w->line, "stream", stream ? y->stream : -1);
    if (y->event) {
        put_number(&w->line, "wait_on_stream", y->source_stream);
        put_number(&w->line, "wait_on_cuda_event_record_corr_id", (int64_t)y->record_corr);
        put_number(&w->line, "wait_on_cuda_event_id", y->event);
    }
    end_event(w, p);
}

void kinetow_region(struct sink *s, const struct rec_region *r)
{
    struct kineto_writer *w = (struct kineto_writer *)s;
    struct kprocess *p = process_of(w, r->process);
    bool call = r->category == CAT_HIP || r->category == CAT_HSA || r->category == CAT_COMPILER;
    if (r->category == CAT_DRIVER) /* has no place here */
        return;
    if (r->category == CAT_RCCL) {
        put_collective(w, p, r);
        return;
    }
    bool instant =
        !call && r->start_ns == r->end_ns && strstr(names_text(w->names, r->name), "Mark");
    char buf[128];
    struct name name = names_get(w->names, !call && r->message ? r->message : r->name);
    bool driver = r->category == CAT_HSA || (call && p->nvidia && is_driver_call(name));
    const char *cat = instant  ? "cpu_instant_event"
                      : !call  ? "user_annotation"
                      : driver ? "cuda_driver"
                               : "cuda_runtime";
    if (call && p->nvidia)
        name = cuda_name(name, buf, sizeof(buf));
    begin_event(w, p, cat, name, p->rec.pid, thread_of(p, r->thread), r->start_ns, r->end_ns);
    put_number(&w->line, call ? "correlation" : "External id", (int64_t)r->corr);
    end_event(w, p);
    if (p->nvidia)
        put_sync(w, p, r);
}

/* ---- GPU ---- */

static void put_place(struct kineto_writer *w, int64_t device, int64_t stream, uint64_t corr,
                      uint64_t graph, uint64_t node)
{
    put_number(&w->line, "device", device);
    put_number(&w->line, "stream", stream);
    if (corr)
        put_number(&w->line, "correlation", (int64_t)corr);
    if (graph) {
        put_number(&w->line, "graph id", (int64_t)(graph & UINT32_MAX));
        put_number(&w->line, "graph node id", (int64_t)(node & UINT32_MAX));
    }
}

/* A fill is a kernel on AMD, a record of its own on NVIDIA. */
static void put_fill(struct kineto_writer *w, struct kprocess *p, const struct rec_kernel *r)
{
    begin_event(w, p, "gpu_memset", (struct name){"Memset (Device)", 15}, r->gpu, r->stream,
                r->start_ns, r->end_ns);
    put_place(w, r->gpu, r->stream, r->corr, r->graph_exec, r->graph_node);
    put_number(&w->line, "bytes", r->memset_bytes);
    end_event(w, p);
}

static void put_three(struct str *out, const char *key, const int64_t *v, const int64_t *unit)
{
    int64_t n[3];
    for (int d = 0; d < 3; d++)
        n[d] = unit && unit[d] > 0 ? v[d] / unit[d] : v[d];
    str_printf(out, ", \"%s\": [%" PRId64 ", %" PRId64 ", %" PRId64 "]", key, n[0], n[1], n[2]);
}

void kinetow_kernel(struct sink *s, const struct rec_kernel *r)
{
    struct kineto_writer *w = (struct kineto_writer *)s;
    struct kprocess *p = process_of(w, r->process);
    if (p->nvidia && r->memset_bytes > 0) {
        put_fill(w, p, r);
        return;
    }
    begin_event(w, p, "kernel", names_get(w->names, r->symbol->name), r->gpu, r->stream,
                r->start_ns, r->end_ns);
    put_place(w, r->gpu, r->stream, r->corr, r->graph_exec, r->graph_node);
    put_three(&w->line, "grid", r->grid, r->wg);
    put_three(&w->line, "block", r->wg, NULL);
    if (p->nvidia) {
        put_number(&w->line, "registers per thread", r->symbol->vgpr);
        put_number(&w->line, "shared memory", r->lds);
    }
    end_event(w, p);
}

void kinetow_copy(struct sink *s, const struct rec_copy *r)
{
    static const char *const directions[] = {"HtoD", "DtoH", "DtoD", "PtoP", "HtoH"};
    static const char *const memories[] = {"Device", "Pinned", "Pageable", "Managed"};
    struct kineto_writer *w = (struct kineto_writer *)s;
    struct kprocess *p = process_of(w, r->process);
    bool pushed = r->direction == COPY_P2P && r->src_gpu >= 0; /* under the GPU that issues it */
    int64_t device = !pushed && r->dst_gpu >= 0 ? r->dst_gpu : r->src_gpu >= 0 ? r->src_gpu : 0;
    char text[64];
    int n = snprintf(text, sizeof(text), "Memcpy %s (%s -> %s)", directions[r->direction],
                     memories[r->src_memory], memories[r->dst_memory]);
    begin_event(w, p, "gpu_memcpy", (struct name){text, (size_t)n}, device, r->stream, r->start_ns,
                r->end_ns);
    put_place(w, device, r->stream, r->corr, r->graph_exec, r->graph_node);
    put_number(&w->line, "bytes", r->size);
    if (r->direction == COPY_P2P) {
        put_number(&w->line, "fromDevice", r->src_gpu);
        put_number(&w->line, "toDevice", r->dst_gpu);
    }
    end_event(w, p);
}
