/* A rocpd database of any trace: one set of tables for each process. */
#include <stdio.h>
#include <stdlib.h>

#include "base/jwrite.h"
#include "convert/rocpd_in.h"
#include "ingest/args.h"

/* ---- identity ---- */

static bool is_guid(const char *s)
{
    size_t n = s ? strlen(s) : 0;
    return n == 36 && strspn(s, "0123456789abcdefABCDEF-") == n;
}

/* That of the file, where it is one process's; else one that the same trace always gets. */
static const char *guid_of(const struct rocpd_out *w, uint32_t process)
{
    const struct trace *t = w->t;
    const struct process *p = &t->processes.v[process];
    const char *given = p->file < t->files.n ? t->files.v[p->file].guid : NULL;
    bool alone = (!process || t->processes.v[process - 1].file != p->file) &&
                 (process + 1 == t->processes.n || t->processes.v[process + 1].file != p->file);
    if (alone && is_guid(given))
        return given;
    uint64_t ms = (uint64_t)(p->start_ns / 1000000) & 0xffffffffffff;
    const char *host = trace_str(t, p->host);
    uint64_t r = hash_fixed_bytes(host, strlen(host)) ^
                 hash_fixed_u64((uint64_t)p->pid + ((uint64_t)process << 32));
    if (t->kernels.n)
        r ^= hash_fixed_u64((uint64_t)t->kernels.start_ns[0] + t->kernels.n);
    return arena_printf(w->c->arena, "%08llx-%04llx-7%03llx-%04llx-%012llx",
                        (unsigned long long)(ms >> 16), (unsigned long long)(ms & 0xffff),
                        (unsigned long long)(ms & 0xfff),
                        (unsigned long long)(0x8000 | (r >> 48 & 0x3fff)),
                        (unsigned long long)(r & 0xffffffffffff));
}

/* ---- small tables ---- */

static void put_node(struct rocpd_out *w, struct rocpd_process *p)
{
    const char *host = trace_str(w->t, w->t->processes.v[p->process].host);
    uint64_t hash = hash_fixed_bytes(host, strlen(host));
    char machine[40];
    snprintf(machine, sizeof(machine), "%016llx%016llx", (unsigned long long)hash,
             (unsigned long long)hash_fixed_u64(hash));
    p->nid = (int64_t)(hash % 4294967295u);
    rocpd_run(p->set, ROCPD_INS_NODE, "iisss", p->nid, (int64_t)(hash >> 1), machine, "Linux",
              host);
}

static void put_process(struct rocpd_out *w, struct rocpd_process *p)
{
    const struct process *from = &w->t->processes.v[p->process];
    char environment[64] = "{}";
    p->pid = from->pid > 0 ? from->pid : 1 + (int64_t)p->process;
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
        uint64_t key = hash_u64(th->process) ^ (uint64_t)th->tid;
        bool plain = th->tid > 0 && idmap_get(&used, key) == NO_INDEX;
        w->thread_row[i] = plain ? th->tid : (INT64_C(1) << 40) + i;
        if (!p)
            continue;
        idmap_put(&used, key, i);
        rocpd_run(p->set, ROCPD_INS_THREAD, "iiiiis", w->thread_row[i], p->nid,
                  t->processes.v[th->process].ppid, p->pid, th->tid < 0 ? 0 : th->tid,
                  th->name ? trace_str(t, th->name) : NULL);
    }
}

static void agent_json(struct str *out, const struct gpu *g)
{
    struct jwrite j;
    str_clear(out);
    jw_init(&j, out, 0);
    jw_open(&j, NULL, '{');
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
    struct str json;
    str_init(&json, w->c->arena);
    for (uint32_t i = 0; i < t->agents.n; i++) {
        const struct agent *a = &t->agents.v[i];
        struct rocpd_process *p = rocpd_process_at(w, a->process);
        const struct gpu *g = a->gpu == NO_INDEX ? NULL : &t->gpus.v[a->gpu];
        if (!p)
            continue;
        str_clear(&json);
        str_puts(&json, "{}");
        if (g)
            agent_json(&json, g);
        rocpd_run(p->set, ROCPD_INS_AGENT, "iiisiiissss", w->c->agent_node[i], p->nid, p->pid,
                  g ? "GPU" : "CPU", w->c->agent_node[i], w->c->agent_place[i],
                  g ? (int64_t)g->index : w->c->agent_type_place[i],
                  g ? trace_str(t, g->arch) : "CPU", g ? trace_str(t, g->name) : "",
                  g ? vendor_name(g->vendor) : "CPU", json.buf);
    }
}

/* A stream of a process is listed once, on however many GPUs it has work. */
static void put_streams(struct rocpd_out *w)
{
    const struct trace *t = w->t;
    struct idmap seen;
    idmap_init(&seen, w->c->arena);
    for (size_t i = 0; i < t->streams.n; i++) {
        const struct stream *s = &t->streams.v[i];
        struct rocpd_process *p = rocpd_process_at(w, s->process);
        uint64_t key = hash_u64(s->process) ^ (uint64_t)s->id;
        if (!p || idmap_get(&seen, key) != NO_INDEX)
            continue;
        idmap_put(&seen, key, 0);
        p->has_stream_0 |= s->id == 0;
        rocpd_run(p->set, ROCPD_INS_STREAM, "iiis", s->id, p->nid, p->pid,
                  s->name ? trace_str(t, s->name)
                          : arena_printf(w->c->arena, "Stream %lld", (long long)s->id));
    }
    for (size_t i = 0; i < t->queues.n; i++) {
        const struct queue *q = &t->queues.v[i];
        struct rocpd_process *p = rocpd_process_at(w, q->process);
        if (!p)
            continue;
        p->has_queue_0 |= q->id == 0;
        rocpd_run(p->set, ROCPD_INS_QUEUE, "iiis", q->id, p->nid, p->pid,
                  q->name ? trace_str(t, q->name)
                          : arena_printf(w->c->arena, "Queue %lld", (long long)q->id));
    }
    for (size_t i = 0; i < w->processes.n; i++) {
        struct rocpd_process *p = w->processes.v[i];
        if (p && !p->has_stream_0)
            rocpd_run(p->set, ROCPD_INS_STREAM, "iiis", INT64_C(0), p->nid, p->pid,
                      "Default Stream");
        if (p && !p->has_queue_0)
            rocpd_run(p->set, ROCPD_INS_QUEUE, "iiis", INT64_C(0), p->nid, p->pid, "Default Queue");
    }
}

static void put_symbols(struct rocpd_out *w)
{
    const struct trace *t = w->t;
    struct idmap used;
    struct str json;
    struct jwrite j;
    idmap_init(&used, w->c->arena);
    str_init(&json, w->c->arena);
    w->symbol_row = arena_array(w->c->arena, int64_t, t->symbols.n + 1);
    for (uint32_t i = 0; i < t->symbols.n; i++) {
        const struct symbol *s = &t->symbols.v[i];
        struct rocpd_process *p = rocpd_process_at(w, s->process);
        uint64_t key = hash_u64(s->process) ^ (uint64_t)s->id;
        bool plain = !w->c->own_ids && s->id > 0 && idmap_get(&used, key) == NO_INDEX;
        const char *name = trace_str(t, s->name);
        w->symbol_row[i] = plain ? s->id : w->c->own_ids ? (int64_t)i + 1 : (INT64_C(1) << 40) + i;
        if (!p)
            continue;
        idmap_put(&used, key, i);
        str_clear(&json);
        jw_init(&j, &json, 0);
        jw_open(&j, NULL, '{');
        jw_int(&j, "kernel_id", w->symbol_row[i]);
        jw_int(&j, "code_object_id", 1);
        jw_str(&j, "formatted_kernel_name", name);
        jw_str(&j, "demangled_kernel_name", name);
        jw_strn(&j, "truncated_kernel_name", name, strcspn(name, "(<"));
        jw_close(&j);
        rocpd_run(p->set, ROCPD_INS_SYMBOL, "iiiissiiiiis", w->symbol_row[i], p->nid, p->pid,
                  INT64_C(1), trace_str(t, s->mangled), name, (int64_t)s->lds_bytes,
                  (int64_t)s->scratch_bytes, (int64_t)s->sgprs, (int64_t)s->vgprs,
                  (int64_t)s->accum_vgprs, json.buf);
    }
}

/* Counters, and behind them series of telemetry, which the schema keeps in the same table. */
static void put_counters(struct rocpd_out *w)
{
    const struct trace *t = w->t;
    for (size_t i = 0; i < t->counter_infos.n; i++) {
        const struct counter_info *c = &t->counter_infos.v[i];
        for (size_t k = 0; k < w->processes.n; k++) {
            struct rocpd_process *p = w->processes.v[k];
            uint32_t agent = p ? conversion_agent(w->c, p->process, c->gpu) : NO_INDEX;
            if (!p || (agent == NO_INDEX && c->gpu != NO_INDEX))
                continue;
            rocpd_run(p->set, ROCPD_INS_PMC_INFO, "iiiisssssssi", (int64_t)i + 1, p->nid, p->pid,
                      agent == NO_INDEX ? ROCPD_NULL : w->c->agent_node[agent], "GPU",
                      trace_str(t, c->name), trace_str(t, c->description), "rocm",
                      trace_str(t, c->units), trace_str(t, c->block), trace_str(t, c->expression),
                      (int64_t)c->derived);
        }
    }
}

static void put_series(struct rocpd_out *w)
{
    const struct trace *t = w->t;
    w->series_track = arena_array(w->c->arena, int64_t, t->series.n + 1);
    for (size_t i = 0; i < t->series.n; i++) {
        const struct series *s = &t->series.v[i];
        struct rocpd_process *p = rocpd_process_at(w, s->process);
        uint32_t agent = p ? conversion_agent(w->c, s->process, s->gpu) : NO_INDEX;
        if (!p)
            continue;
        rocpd_run(p->set, ROCPD_INS_PMC_INFO, "iiiisssssssi", (int64_t)(t->counter_infos.n + i) + 1,
                  p->nid, p->pid, agent == NO_INDEX ? ROCPD_NULL : w->c->agent_node[agent],
                  s->gpu == NO_INDEX ? "CPU" : "GPU", trace_str(t, s->name), trace_str(t, s->name),
                  "amd_smi", trace_str(t, s->units), "", "", INT64_C(0));
        w->series_track[i] = ++p->tracks;
        rocpd_run(p->set, ROCPD_INS_TRACK, "iiiii", p->tracks, p->nid, p->pid, ROCPD_NULL,
                  rocpd_string(p->set, trace_str(t, s->name)));
    }
}

static void put_info(struct rocpd_out *w)
{
    const struct trace *t = w->t;
    for (size_t i = 0; i < t->processes.n; i++) {
        struct rocpd_process *p = NULL;
        if (conversion_takes(w->c, (uint32_t)i)) {
            p = arena_new(w->c->arena, struct rocpd_process);
            p->process = (uint32_t)i;
            p->set = rocpd_writer_set(w->out, guid_of(w, (uint32_t)i));
            put_node(w, p);
            put_process(w, p);
        }
        vec_push(&w->processes, w->c->arena, p);
    }
    put_threads(w);
    put_agents(w);
    for (size_t i = 0; i < w->processes.n; i++) {
        struct rocpd_process *p = w->processes.v[i];
        if (p)
            rocpd_run(p->set, ROCPD_INS_CODE_OBJECT, "iiiis", INT64_C(1), p->nid, p->pid,
                      ROCPD_NULL, "");
    }
    put_streams(w);
    put_symbols(w);
    put_counters(w);
    put_series(w);
}

/* Graphs and instances of counters need the newer schema; anything else goes into the first. */
static bool needs_305(const struct trace *t)
{
    for (size_t i = 0; i < t->launches.n; i++)
        if (t->launches.v[i].graph)
            return true;
    for (size_t i = 0; i < t->counters.n; i++)
        if (t->counters.instance[i])
            return true;
    return false;
}

static bool write_rocpd(struct conversion *c, struct gs_error *err)
{
    struct rocpd_out *w = arena_new(c->arena, struct rocpd_out);
    *w = (struct rocpd_out){.c = c, .t = c->trace};
    if (!c->trace->processes.n)
        return fail(err, GS_E_EMPTY, "no process in the trace; nothing to write as rocpd");
    const char *path = conversion_path(c, converter_rocpd.ends);
    size_t n = 0;
    for (size_t i = 0; i < c->trace->processes.n; i++)
        n += conversion_takes(c, (uint32_t)i);
    if (!rocpd_writer_holds(n, path, err))
        return false;
    w->out = rocpd_writer_open(c->set, path, needs_305(c->trace), c->arena, err);
    if (!w->out)
        return false;
    if (c->o->args && ingest_has_args(c->trace))
        w->event_of = arena_array(c->arena, int64_t, c->trace->regions.n + c->trace->markers.n + 1);
    put_info(w);
    rocpd_put_host(w);
    rocpd_put_device(w);
    if (w->event_of && !rocpd_put_args(w, err))
        return false;
    return rocpd_writer_close(w->out, err);
}

const struct converter converter_rocpd = {
    .name = "rocpd",
    .other = "db",
    .ends = "_results.db",
    .extension = ".db",
    .summary = "a rocpd database, for AMD's tools",
    .binary = true,
    .write = write_rocpd,
};
