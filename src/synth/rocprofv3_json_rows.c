/* The records, one function a kind; each is built as text and written at once. */
#include <string.h>

#include "base/jwrite.h"
#include "synth/rocprofv3_json_in.h"

/* The text at hand as an item: behind its comma. */
static void rv3jsonw_item(struct rv3json *w, struct jprocess *p)
{
    if (p->any)
        fputc(',', p->f);
    p->any = true;
    rv3jsonw_put(w, p);
}

/* {..."thread_id":..,"correlation_id":{..},"start_timestamp":..,"end_timestamp":.. */
static void put_start(struct rv3json *w, const struct jprocess *p, enum json_kind kind,
                      uint32_t operation, int thread, uint64_t corr, int64_t start, int64_t end)
{
    str_clear(&w->text);
    str_printf(&w->text,
               "{\"size\":72,\"kind\":%d,\"operation\":%u,\"thread_id\":%lld,\"correlation_id\":{"
               "\"internal\":%llu,\"external\":0},\"start_timestamp\":%lld,\"end_timestamp\":%lld",
               kind, operation, (long long)p->tids.v[thread], (unsigned long long)corr,
               (long long)start, (long long)end);
}

/* ---- calls ---- */

static void put_arg(struct str *t, const struct rec_arg *a)
{
    static const char *const kinds[] = {"hipMemcpyHostToHost", "hipMemcpyHostToDevice",
                                        "hipMemcpyDeviceToHost", "hipMemcpyDeviceToDevice"};
    str_printf(t, "{\"type\":\"%s\",\"name\":\"%s\",\"value\":\"", a->type, a->name);
    switch (a->form) {
    case ARG_POINTER:
        str_printf(t, "0x%llx", (unsigned long long)a->value);
        break;
    case ARG_INT:
        str_printf(t, "%llu", (unsigned long long)a->value);
        break;
    case ARG_DIM3:
        str_printf(t, "{z=%u, y=%u, x=%llu}", a->z, a->y, (unsigned long long)a->value);
        break;
    case ARG_COPY_KIND:
        str_puts(t, kinds[a->value & 3]);
        break;
    }
    str_puts(t, "\"}");
}

static void put_text(struct rv3json *w, struct jprocess *p, const struct rec_region *r)
{
    struct name message = names_get(w->names, r->message);
    if (r->category != CAT_MARKER)
        return;
    str_clear(&w->text);
    str_printf(&w->text, "{\"key\":%llu,\"value\":", (unsigned long long)r->corr);
    jw_quote(&w->text, message.s, message.n);
    str_puts(&w->text, "}");
    rv3jsonw_item(w, p);
}

void rv3jsonw_region(struct sink *s, const struct rec_region *r)
{
    struct rv3json *w = (struct rv3json *)s;
    struct jprocess *p = &w->processes.v[r->process];
    enum json_kind kind = rv3jsonw_kind(w, r);
    uint32_t operation = rv3jsonw_operation(w, kind, r->name);
    size_t args = w->o.args >= 0 && (size_t)w->o.args < r->arg_n ? (size_t)w->o.args : r->arg_n;
    if (w->pass == PASS_TEXTS)
        put_text(w, p, r);
    if (w->pass <= PASS_TEXTS)
        return;
    str_clear(&w->text);
    str_printf(&w->text,
               "{\"size\":72,\"kind\":%d,\"operation\":%u,\"correlation_id\":{\"internal\":%llu,"
               "\"external\":0,\"ancestor\":%llu},\"start_timestamp\":%lld,\"end_timestamp\":%lld,"
               "\"thread_id\":%lld",
               kind, operation, (unsigned long long)r->corr, (unsigned long long)r->parent,
               (long long)r->start_ns, (long long)r->end_ns, (long long)p->tids.v[r->thread]);
    if (kind == JK_HIP || kind == JK_COMPILER) {
        str_puts(&w->text, ",\"args\":[");
        for (size_t i = 0; i < args; i++) {
            str_puts(&w->text, i ? "," : "");
            put_arg(&w->text, &r->args[i]);
        }
        str_puts(&w->text, "],\"retval\":{\"uint64_t_retval\":0}");
    }
    str_puts(&w->text, "}");
    rv3jsonw_item(w, p);
}

/* ---- kernels and counters ---- */

static void put_dispatch(struct rv3json *w, const struct rec_kernel *k, int symbol)
{
    str_printf(&w->text,
               ",\"dispatch_info\":{\"size\":72,\"agent_id\":{\"handle\":%d},\"queue_id\":{"
               "\"handle\":%d},\"kernel_id\":%d,\"dispatch_id\":%llu,\"private_segment_size\":%lld,"
               "\"group_segment_size\":%lld,\"workgroup_size\":{\"x\":%lld,\"y\":%lld,\"z\":%lld},"
               "\"grid_size\":{\"x\":%lld,\"y\":%lld,\"z\":%lld}}",
               AGENT_HANDLE(CPU_AGENTS + k->gpu), k->queue, symbol, (unsigned long long)k->dispatch,
               (long long)k->scratch, (long long)k->lds, (long long)k->wg[0], (long long)k->wg[1],
               (long long)k->wg[2], (long long)k->grid[0], (long long)k->grid[1],
               (long long)k->grid[2]);
}

void rv3jsonw_end_counted(struct rv3json *w, struct jprocess *p)
{
    if (!p->counted_open)
        return;
    str_clear(&w->text);
    str_puts(&w->text, "]}");
    rv3jsonw_put(w, p);
    p->counted_open = false;
}

void rv3jsonw_kernel(struct sink *s, const struct rec_kernel *k)
{
    struct rv3json *w = (struct rv3json *)s;
    struct jprocess *p = &w->processes.v[k->process];
    if (w->pass == PASS_COUNTERS) {
        rv3jsonw_end_counted(w, p);
        p->counted = *k;
        p->counted_symbol = k->symbol->id;
        return;
    }
    put_start(w, p, JK_KERNEL, 2, k->thread, k->corr, k->start_ns, k->end_ns);
    put_dispatch(w, k, k->symbol->id);
    str_printf(&w->text, ",\"stream_id\":{\"handle\":%d}", k->stream);
    if (k->graph_exec)
        str_printf(&w->text, ",\"graph_exec_id\":%llu,\"graph_node_id\":%llu",
                   (unsigned long long)k->graph_exec, (unsigned long long)k->graph_node);
    str_puts(&w->text, "}");
    rv3jsonw_item(w, p);
}

void rv3jsonw_counter(struct sink *s, const struct rec_counter *r)
{
    struct rv3json *w = (struct rv3json *)s;
    struct jprocess *p = &w->processes.v[r->process];
    const struct rec_kernel *k = &p->counted;
    struct jwrite j;
    if (!p->counted_open) {
        str_clear(&w->text);
        str_printf(&w->text,
                   "{\"thread_id\":%lld,\"dispatch_data\":{\"size\":1,\"correlation_id\":{"
                   "\"internal\":%llu,\"external\":0},\"start_timestamp\":%lld,"
                   "\"end_timestamp\":%lld",
                   (long long)p->tids.v[k->thread], (unsigned long long)k->corr,
                   (long long)k->start_ns, (long long)k->end_ns);
        put_dispatch(w, k, p->counted_symbol);
        str_printf(&w->text, "},\"stream_id\":{\"handle\":%d},\"records\":[", k->stream);
        rv3jsonw_item(w, p);
        p->counted_any = false;
        p->counted_open = true;
    }
    str_clear(&w->text);
    str_printf(&w->text, "%s{\"counter_id\":{\"handle\":%d},\"value\":", p->counted_any ? "," : "",
               r->index + 1);
    jw_init(&j, &w->text, 0);
    jw_num(&j, NULL, r->value);
    str_puts(&w->text, "}");
    rv3jsonw_put(w, p);
    p->counted_any = true;
}

/* ---- memory ---- */

void rv3jsonw_copy(struct sink *s, const struct rec_copy *r)
{
    static const uint32_t operations[] = {
        [COPY_H2D] = 2, [COPY_D2H] = 3, [COPY_D2D] = 4, [COPY_P2P] = 4, [COPY_H2H] = 1};
    struct rv3json *w = (struct rv3json *)s;
    struct jprocess *p = &w->processes.v[r->process];
    put_start(w, p, JK_COPY, operations[r->direction], r->thread, r->corr, r->start_ns, r->end_ns);
    str_printf(&w->text,
               ",\"dst_agent_id\":{\"handle\":%d},\"src_agent_id\":{\"handle\":%d},\"bytes\":%lld,"
               "\"stream_id\":{\"handle\":%d}}",
               AGENT_HANDLE(r->dst_agent), AGENT_HANDLE(r->src_agent), (long long)r->size,
               r->stream);
    rv3jsonw_item(w, p);
}

void rv3jsonw_alloc(struct sink *s, const struct rec_alloc *r)
{
    struct rv3json *w = (struct rv3json *)s;
    struct jprocess *p = &w->processes.v[r->process];
    bool scratch = r->level == LEVEL_SCRATCH, freed = r->type == ALLOC_FREE;
    if (scratch != (w->pass == PASS_SCRATCH))
        return;
    enum json_kind kind = scratch ? JK_SCRATCH : JK_ALLOC;
    uint32_t operation = scratch ? (r->type == ALLOC_RECLAIM ? 3
                                    : freed                  ? 2
                                                             : 1)
                                 : 1 + 2u * freed + (r->level == LEVEL_VIRTUAL);
    put_start(w, p, kind, operation, r->thread, r->corr, r->start_ns, r->end_ns);
    str_printf(&w->text,
               ",\"agent_id\":{\"handle\":%d},\"address\":\"0x%016llx\",\"allocation_size\":%lld}",
               freed ? 0 : AGENT_HANDLE(r->agent), (unsigned long long)r->address,
               freed ? 0 : (long long)r->size);
    rv3jsonw_item(w, p);
}
