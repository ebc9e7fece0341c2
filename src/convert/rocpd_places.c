/* Where rows of a rocpd database belong: nodes, processes, threads, agents, streams, queues. */
#include <stdio.h>

#include "base/jwrite.h"
#include "convert/rocpd_in.h"

/* Processes of one host share a node. Should another host have its number, it gets a new one. */
static void put_node(struct rocpd_out *w, struct rocpd_process *p, struct idmap *nodes)
{
    uint32_t host = w->t->processes.v[p->process].host;
    uint64_t key = hash_u64(p->group->number) ^ host;
    const char *name = trace_str(w->t, host);
    uint64_t hash = hash_fixed_bytes(name, strlen(name));
    uint32_t known = idmap_get(nodes, key);
    if (known != NO_INDEX) {
        p->nid = w->processes.v[known]->nid;
        return;
    }
    idmap_put(nodes, key, p->process);
    for (;; hash = hash_fixed_u64(hash + host)) {
        char machine[40];
        snprintf(machine, sizeof(machine), "%016llx%016llx", (unsigned long long)hash,
                 (unsigned long long)hash_fixed_u64(hash));
        p->nid = (int64_t)(hash % 4294967295u);
        if (rocpd_run(p->set, ROCPD_INS_NODE, "iisss", p->nid, (int64_t)(hash >> 1), machine,
                      "Linux", name) ||
            w->out->failed)
            return;
    }
}

static void put_process(struct rocpd_out *w, struct rocpd_process *p, struct idmap *used)
{
    const struct process *from = &w->t->processes.v[p->process];
    char environment[64] = "{}";
    p->pid = rocpd_take_row(p->group, used, from->pid > 0 ? from->pid : 1 + (int64_t)p->process);
    if (from->rank >= 0)
        snprintf(environment, sizeof(environment), "{\"RANK\":\"%d\"}", (int)from->rank);
    rocpd_run(p->set, ROCPD_INS_PROCESS, "iiiiiiss", p->pid, p->nid, from->ppid, from->pid,
              from->start_ns ? from->start_ns : ROCPD_NULL,
              from->end_ns ? from->end_ns : ROCPD_NULL, trace_str(w->t, from->command),
              environment);
}

static void put_threads(struct rocpd_out *w)
{
    const struct trace *t = w->t;
    w->thread_row = arena_array(w->c->arena, int64_t, t->threads.n + 1);
    struct idmap used;
    idmap_init(&used, w->c->arena);
    for (uint32_t i = 0; i < t->threads.n; i++) {
        const struct thread *th = &t->threads.v[i];
        struct rocpd_process *p = rocpd_process_at(w, th->process);
        int64_t id = th->tid > 0 ? th->tid : (INT64_C(1) << 40) + i;
        w->thread_row[i] = p ? rocpd_take_row(p->group, &used, id) : id;
        if (!p)
            continue;
        rocpd_run(p->set, ROCPD_INS_THREAD, "iiiiis", w->thread_row[i], p->nid,
                  t->processes.v[th->process].ppid, p->pid, th->tid < 0 ? 0 : th->tid,
                  th->name ? trace_str(t, th->name) : NULL);
    }
}

static void agent_json(struct str *out, const struct gpu *g, int64_t row, int64_t id)
{
    struct jwrite j;
    str_clear(out);
    jw_init(&j, out, 0);
    jw_open(&j, NULL, '{');
    if (row != id)
        jw_int(&j, "id_in_process", id);
    jw_uint(&j, "cu_count", g->cu_count);
    jw_uint(&j, "simd_count", (uint64_t)g->cu_count * g->simd_per_cu);
    jw_uint(&j, "simd_per_cu", g->simd_per_cu);
    jw_uint(&j, "max_waves_per_simd", g->max_waves_per_simd);
    jw_uint(&j, "wave_front_size", g->wave_size);
    jw_uint(&j, "lds_size_in_kb", g->lds_bytes_per_cu / 1024);
    jw_uint(&j, "num_xcc", g->xcc_count);
    jw_uint(&j, "max_engine_clk_fcompute", g->clock_mhz);
    jw_uint(&j, "domain", g->location >> 32);
    jw_uint(&j, "location_id", g->location & UINT32_MAX);
    jw_uint(&j, "local_mem_size", g->memory_bytes);
    jw_open(&j, "mem_banks", '[');
    jw_open(&j, NULL, '{');
    jw_uint(&j, "width", g->memory_width_bits);
    jw_uint(&j, "mem_clk_max", g->memory_clock_mhz);
    jw_uint(&j, "size_in_bytes", g->memory_bytes);
    jw_close(&j);
    jw_close(&j);
    jw_open(&j, "io_links", '[');
    const uint64_t links[2][2] = {{2, g->host_link_mbps}, {11, g->peer_link_mbps}};
    for (int i = 0; i < 2; i++) {
        if (!links[i][1])
            continue;
        jw_open(&j, NULL, '{');
        jw_uint(&j, "type", links[i][0]);
        jw_uint(&j, "max_bandwidth", links[i][1]);
        jw_close(&j);
    }
    jw_close(&j);
    jw_close(&j);
}

static void put_agents(struct rocpd_out *w)
{
    const struct trace *t = w->t;
    struct idmap used;
    struct str json;
    idmap_init(&used, w->c->arena);
    str_init(&json, w->c->arena);
    w->agent_row = arena_array(w->c->arena, int64_t, t->agents.n + 1);
    for (uint32_t i = 0; i < t->agents.n; i++) {
        const struct agent *a = &t->agents.v[i];
        struct rocpd_process *p = rocpd_process_at(w, a->process);
        const struct gpu *g = a->gpu == NO_INDEX ? NULL : &t->gpus.v[a->gpu];
        int64_t id = w->c->agent_node[i];
        w->agent_row[i] = p ? rocpd_take_row(p->group, &used, id) : id;
        if (!p)
            continue;
        str_clear(&json);
        if (g)
            agent_json(&json, g, w->agent_row[i], id);
        else
            str_puts(&json, rocpd_extdata(w, w->agent_row[i], id));
        rocpd_run(p->set, ROCPD_INS_AGENT, "iiisiiissss", w->agent_row[i], p->nid, p->pid,
                  g ? "GPU" : "CPU", id, w->c->agent_place[i],
                  g ? (int64_t)g->index : w->c->agent_type_place[i],
                  g ? trace_str(t, g->arch) : "CPU", g ? trace_str(t, g->name) : "",
                  g ? vendor_name(g->vendor) : "CPU", json.buf);
    }
}

/* ---- streams and queues ---- */

struct lanes {
    struct rocpd_out *w;
    enum rocpd_insert insert;
    const char *word;
    struct idmap used, known; /* ids of a group; (process, id) -> index */
    int64_t *row;
};

static void lanes_init(struct lanes *l, struct rocpd_out *w, enum rocpd_insert insert,
                       const char *word, size_t n)
{
    *l = (struct lanes){.w = w, .insert = insert, .word = word};
    idmap_init(&l->used, w->c->arena);
    idmap_init(&l->known, w->c->arena);
    l->row = arena_array(w->c->arena, int64_t, n + 1);
}

static int64_t put_row(struct lanes *l, struct rocpd_process *p, int64_t id, const char *name)
{
    int64_t row = rocpd_take_row(p->group, &l->used, id);
    rocpd_run(p->set, l->insert, "iiiss", row, p->nid, p->pid, name, rocpd_extdata(l->w, row, id));
    return row;
}

/* One of a process is listed once, on however many GPUs it has work. */
static void put_lane(struct lanes *l, uint32_t i, uint32_t process, int64_t id, uint32_t name)
{
    struct rocpd_process *p = rocpd_process_at(l->w, process);
    uint64_t key = hash_u64(process) ^ (uint64_t)id;
    uint32_t first = idmap_get(&l->known, key);
    l->row[i] = first == NO_INDEX ? id : l->row[first];
    if (!p || first != NO_INDEX)
        return;
    idmap_put(&l->known, key, i);
    l->row[i] = put_row(l, p, id,
                        name ? trace_str(l->w->t, name)
                             : arena_printf(l->w->c->arena, "%s %lld", l->word, (long long)id));
}

static void put_streams(struct rocpd_out *w)
{
    const struct trace *t = w->t;
    struct lanes streams, queues;
    lanes_init(&streams, w, ROCPD_INS_STREAM, "Stream", t->streams.n);
    lanes_init(&queues, w, ROCPD_INS_QUEUE, "Queue", t->queues.n);
    for (uint32_t i = 0; i < t->streams.n; i++) {
        const struct stream *s = &t->streams.v[i];
        struct rocpd_process *p = rocpd_process_at(w, s->process);
        put_lane(&streams, i, s->process, s->id, s->name);
        if (p && !s->id) {
            p->has_stream_0 = true;
            p->stream_0 = streams.row[i];
        }
    }
    for (uint32_t i = 0; i < t->queues.n; i++) {
        const struct queue *q = &t->queues.v[i];
        struct rocpd_process *p = rocpd_process_at(w, q->process);
        put_lane(&queues, i, q->process, q->id, q->name);
        if (p && !q->id) {
            p->has_queue_0 = true;
            p->queue_0 = queues.row[i];
        }
    }
    for (size_t i = 0; i < w->processes.n; i++) {
        struct rocpd_process *p = w->processes.v[i];
        if (p && !p->has_stream_0)
            p->stream_0 = put_row(&streams, p, 0, "Default Stream");
        if (p && !p->has_queue_0)
            p->queue_0 = put_row(&queues, p, 0, "Default Queue");
    }
    w->stream_row = streams.row;
    w->queue_row = queues.row;
}

/* Kernels are of a code object; traces do not say which. */
static void put_code_objects(struct rocpd_out *w)
{
    for (size_t i = 0; i < w->processes.n; i++) {
        struct rocpd_process *p = w->processes.v[i];
        if (!p)
            continue;
        p->code_object = w->shared ? 1 + (int64_t)i : 1;
        rocpd_run(p->set, ROCPD_INS_CODE_OBJECT, "iiiis", p->code_object, p->nid, p->pid,
                  ROCPD_NULL, "");
    }
}

void rocpd_put_places(struct rocpd_out *w)
{
    struct idmap nodes, pids;
    idmap_init(&nodes, w->c->arena);
    idmap_init(&pids, w->c->arena);
    for (size_t i = 0; i < w->processes.n; i++) {
        struct rocpd_process *p = w->processes.v[i];
        if (!p)
            continue;
        put_node(w, p, &nodes);
        put_process(w, p, &pids);
    }
    put_threads(w);
    put_agents(w);
    put_code_objects(w);
    put_streams(w);
}
