/* A rocpd database of any trace: a set of tables for each process, or for many. */
#include "base/jwrite.h"
#include "convert/rocpd_in.h"
#include "ingest/args.h"

struct symbol_rows {
    struct rocpd_out *w;
    struct str json;
    struct idmap there; /* (group, symbol) */
};

static void put_symbol(struct symbol_rows *r, struct rocpd_process *p, uint32_t i)
{
    struct rocpd_out *w = r->w;
    const struct trace *t = w->t;
    const struct symbol *s = &t->symbols.v[i];
    const char *name = trace_str(t, s->name);
    struct jwrite j;
    idmap_put(&r->there, (uint64_t)p->group->number << 32 | i, 0);
    str_clear(&r->json);
    jw_init(&j, &r->json, 0);
    jw_open(&j, NULL, '{');
    jw_int(&j, "kernel_id", w->symbol_row[i]);
    jw_int(&j, "code_object_id", p->code_object);
    jw_str(&j, "formatted_kernel_name", name);
    jw_str(&j, "demangled_kernel_name", name);
    jw_strn(&j, "truncated_kernel_name", name, strcspn(name, "(<"));
    jw_close(&j);
    rocpd_run(p->set, ROCPD_INS_SYMBOL, "iiiissiiiiis", w->symbol_row[i], p->nid, p->pid,
              p->code_object, trace_str(t, s->mangled), name, (int64_t)s->lds_bytes,
              (int64_t)s->scratch_bytes, (int64_t)s->sgprs, (int64_t)s->vgprs,
              (int64_t)s->accum_vgprs, r->json.buf);
}

/* Some formats list a symbol once, with the process that used it first. */
static bool are_lent(const struct trace *t)
{
    for (size_t i = 0; i < t->kernels.n; i++)
        if (t->symbols.v[t->kernels.symbol[i]].process != process_of_kernel(t, i))
            return true;
    return false;
}

static void put_symbols(struct rocpd_out *w)
{
    const struct trace *t = w->t;
    struct symbol_rows r = {.w = w};
    struct idmap used;
    bool lent = are_lent(t);
    idmap_init(&used, w->c->arena);
    idmap_init(&r.there, w->c->arena);
    str_init(&r.json, w->c->arena);
    w->symbol_row = arena_array(w->c->arena, int64_t, t->symbols.n + 1);
    for (uint32_t i = 0; i < t->symbols.n; i++) {
        const struct symbol *s = &t->symbols.v[i];
        struct rocpd_process *p = rocpd_process_at(w, s->process);
        bool own = w->c->own_ids || lent;
        int64_t id = own ? (int64_t)i + 1 : s->id > 0 ? s->id : (INT64_C(1) << 40) + i;
        w->symbol_row[i] = p ? rocpd_take_row(p->group, &used, id) : id;
        if (p)
            put_symbol(&r, p, i);
    }
    for (uint32_t i = 0; lent && i < t->kernels.n; i++) {
        struct rocpd_process *p = rocpd_process_at(w, process_of_kernel(t, i));
        uint32_t symbol = t->kernels.symbol[i];
        if (p && idmap_get(&r.there, (uint64_t)p->group->number << 32 | symbol) == NO_INDEX)
            put_symbol(&r, p, symbol);
    }
}

/* Counters, and behind them series of telemetry, which the schema keeps in the same table. */
static void put_counter(struct rocpd_out *w, struct rocpd_process *p, size_t i)
{
    const struct trace *t = w->t;
    const struct counter_info *c = &t->counter_infos.v[i];
    uint32_t agent = conversion_agent(w->c, p->process, c->gpu);
    rocpd_run(p->set, ROCPD_INS_PMC_INFO, "iiiisssssssi", (int64_t)i + 1, p->nid, p->pid,
              agent == NO_INDEX ? ROCPD_NULL : w->agent_row[agent], "GPU", trace_str(t, c->name),
              trace_str(t, c->description), "rocm", trace_str(t, c->units), trace_str(t, c->block),
              trace_str(t, c->expression), (int64_t)c->derived);
}

/* The first process that is written and has the GPU; of all, without one. */
static struct rocpd_process **process_of_gpu(struct rocpd_out *w)
{
    const struct trace *t = w->t;
    struct rocpd_process **of = arena_array(w->c->arena, struct rocpd_process *, t->gpus.n + 1);
    for (size_t i = 0; i < t->agents.n; i++) {
        uint32_t gpu = t->agents.v[i].gpu;
        if (gpu != NO_INDEX && !of[gpu])
            of[gpu] = rocpd_process_at(w, t->agents.v[i].process);
    }
    for (size_t i = 0; i < w->processes.n && !of[t->gpus.n]; i++)
        of[t->gpus.n] = w->processes.v[i];
    return of;
}

/* Each in the sets that have values of it, or in one: not counters times processes. */
static void put_counters(struct rocpd_out *w)
{
    const struct trace *t = w->t;
    struct rocpd_process **of = process_of_gpu(w);
    uint8_t *used = arena_array(w->c->arena, uint8_t, t->counter_infos.n + 1);
    struct idmap there;
    idmap_init(&there, w->c->arena);
    for (size_t i = 0; i < t->counters.n; i++) {
        uint32_t kernel = t->counters.kernel[i], counter = t->counters.counter[i];
        struct rocpd_process *p =
            kernel < t->kernels.n ? rocpd_process_at(w, process_of_kernel(t, kernel)) : NULL;
        uint64_t key = p ? (uint64_t)p->group->number << 32 | counter : 0;
        if (!p || counter >= t->counter_infos.n || idmap_get(&there, key) != NO_INDEX)
            continue;
        idmap_put(&there, key, 0);
        used[counter] = 1;
        put_counter(w, p, counter);
    }
    for (size_t i = 0; i < t->counter_infos.n; i++) {
        uint32_t gpu = t->counter_infos.v[i].gpu;
        struct rocpd_process *p = of[gpu < t->gpus.n ? gpu : t->gpus.n];
        if (!used[i] && p)
            put_counter(w, p, i);
    }
}

static void put_series(struct rocpd_out *w)
{
    const struct trace *t = w->t;
    w->series_track = arena_array(w->c->arena, int64_t, t->series.n + 1);
    for (size_t i = 0; i < t->series.n; i++) {
        const struct series *s = &t->series.v[i];
        uint32_t process = process_of_series(t, (uint32_t)i);
        struct rocpd_process *p = rocpd_process_at(w, process);
        uint32_t agent = p ? conversion_agent(w->c, process, s->gpu) : NO_INDEX;
        if (!p)
            continue;
        rocpd_run(p->set, ROCPD_INS_PMC_INFO, "iiiisssssssi", (int64_t)(t->counter_infos.n + i) + 1,
                  p->nid, p->pid, agent == NO_INDEX ? ROCPD_NULL : w->agent_row[agent],
                  s->gpu == NO_INDEX ? "CPU" : "GPU", trace_str(t, s->name), trace_str(t, s->name),
                  "amd_smi", trace_str(t, s->units), "", "", INT64_C(0));
        w->series_track[i] = ++p->group->tracks;
        rocpd_run(p->set, ROCPD_INS_TRACK, "iiiii", p->group->tracks, p->nid, p->pid, ROCPD_NULL,
                  rocpd_string(p->set, trace_str(t, s->name)));
    }
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
    w->out = rocpd_writer_open(c->set, path, needs_305(c->trace), c->arena, err);
    if (!w->out || !rocpd_make_groups(w, err))
        return false;
    c->own_ids |= w->shared; /* those of the trace are of a process */
    if (c->o->args && ingest_has_args(c->trace))
        w->event_of = arena_array(c->arena, int64_t, c->trace->regions.n + c->trace->markers.n + 1);
    rocpd_put_places(w);
    put_symbols(w);
    put_counters(w);
    put_series(w);
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
