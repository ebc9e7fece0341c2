/* The files of rocprofv3: one for each kind of record, only where there are any. */
#include "convert/csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"

static void between(struct csv_out *w)
{
    if (w->started)
        sink_putc(&w->s, ',');
    w->started = true;
}

void csv_put_text(struct csv_out *w, const char *text)
{
    between(w);
    if (w->s.too_large)
        return;
    sink_putc(&w->s, '"');
    for (const char *quote; (quote = strchr(text, '"')); text = quote + 1) {
        sink_put(&w->s, text, (size_t)(quote - text) + 1);
        sink_putc(&w->s, '"');
    }
    sink_puts(&w->s, text);
    sink_putc(&w->s, '"');
}

void csv_put_int(struct csv_out *w, int64_t v)
{
    between(w);
    sink_int(&w->s, v);
}

void csv_put_uint(struct csv_out *w, uint64_t v)
{
    between(w);
    sink_uint(&w->s, v);
}

void csv_put_empty(struct csv_out *w)
{
    between(w);
}

void csv_end_row(struct csv_out *w)
{
    sink_putc(&w->s, '\n');
    w->started = false;
}

bool csv_begin(struct csv_out *w, const char *name, const char *columns, bool with_guid,
               struct gs_error *err)
{
    char ends[96], word[64];
    snprintf(ends, sizeof(ends), "_%s.csv", name);
    if (!sink_open(&w->s, w->c, conversion_path(w->c, ends), err))
        return false;
    w->started = false;
    if (w->guid && with_guid)
        csv_put_text(w, "Guid");
    for (const char *p = columns; *p; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");
        snprintf(word, sizeof(word), "%.*s", (int)n, p);
        csv_put_text(w, word);
        p += n;
    }
    csv_end_row(w);
    return true;
}

bool csv_finish(struct csv_out *w, struct gs_error *err)
{
    return sink_close(&w->s, w->c, err);
}

void csv_row_of(struct csv_out *w, uint32_t process, bool with_guid)
{
    if (w->guid && with_guid)
        csv_put_text(w, w->guids[process < w->t->processes.n ? process : 0]);
}

/* ---- cells ---- */

static void put_agent(struct csv_out *w, uint32_t agent)
{
    char text[64];
    agent_label(w->c, agent, text, sizeof(text));
    csv_put_text(w, text);
}

static void put_gpu(struct csv_out *w, uint32_t stream)
{
    const struct trace *t = w->t;
    uint32_t agent = NO_INDEX;
    if (stream < t->streams.n)
        agent = conversion_agent(w->c, t->streams.v[stream].process, t->streams.v[stream].gpu);
    put_agent(w, agent);
}

static void put_stream(struct csv_out *w, uint32_t stream)
{
    if (stream < w->t->streams.n && w->t->streams.v[stream].id >= 0)
        csv_put_int(w, w->t->streams.v[stream].id);
    else
        csv_put_empty(w);
}

static void put_queue(struct csv_out *w, uint32_t queue)
{
    if (queue < w->t->queues.n)
        csv_put_int(w, w->t->queues.v[queue].id);
    else
        csv_put_empty(w);
}

static void put_tid(struct csv_out *w, uint32_t thread)
{
    if (thread < w->t->threads.n)
        csv_put_int(w, w->t->threads.v[thread].tid);
    else
        csv_put_empty(w);
}

static void put_times(struct csv_out *w, int64_t start, int64_t end)
{
    csv_put_int(w, start);
    csv_put_int(w, end);
}

static void put_duration(struct csv_out *w, int64_t start, int64_t end)
{
    if (w->c->o->durations)
        csv_put_int(w, (int64_t)((uint64_t)end - (uint64_t)start));
    csv_end_row(w);
}

static const char *columns(const struct csv_out *w, const char *names)
{
    return w->c->o->durations ? arena_printf(w->c->arena, "%s Duration", names) : names;
}

static int64_t dispatch_id(const struct csv_out *w, size_t i)
{
    return kernels_id_at(w->t, i) > 0 ? kernels_id_at(w->t, i) : (int64_t)i + 1;
}

/* ---- files ---- */

static void put_resources(struct csv_out *w, const struct launch *l, const struct symbol *s)
{
    csv_put_uint(w, l->lds_bytes);
    csv_put_uint(w, l->scratch_bytes);
    csv_put_uint(w, s->vgprs);
    csv_put_uint(w, s->accum_vgprs);
    csv_put_uint(w, s->sgprs);
}

static bool write_kernels(struct csv_out *w, struct gs_error *err)
{
    const struct trace *t = w->t;
    const struct kernels *k = &t->kernels;
    if (!csv_begin(w, "kernel_trace",
                   columns(w, "Kind Agent_Id Queue_Id Stream_Id Thread_Id Dispatch_Id Kernel_Id "
                              "Kernel_Name Correlation_Id Start_Timestamp End_Timestamp "
                              "LDS_Block_Size Scratch_Size VGPR_Count Accum_VGPR_Count SGPR_Count "
                              "Workgroup_Size_X Workgroup_Size_Y Workgroup_Size_Z Grid_Size_X "
                              "Grid_Size_Y Grid_Size_Z"),
                   true, err))
        return false;
    for (size_t i = 0; i < k->n; i++) {
        uint32_t process = process_of_kernel(t, i);
        const struct symbol *s = &t->symbols.v[k->symbol[i]];
        const struct launch *l = &t->launches.v[kernels_launch_at(t, i)];
        if (!conversion_takes(w->c, process))
            continue;
        csv_row_of(w, process, true);
        csv_put_text(w, "KERNEL_DISPATCH");
        put_gpu(w, k->stream[i]);
        put_queue(w, kernels_queue_at(w->t, i));
        put_stream(w, k->stream[i]);
        put_tid(w, kernels_thread_at(w->t, i));
        csv_put_int(w, dispatch_id(w, i));
        csv_put_int(w, s->id);
        csv_put_text(w, conversion_kernel_name(w->c, i));
        csv_put_int(w, conversion_call(w->c, k->call[i]));
        put_times(w, k->start_ns[i], k->end_ns[i]);
        put_resources(w, l, s);
        for (int d = 0; d < 3; d++)
            csv_put_uint(w, l->group[d]);
        for (int d = 0; d < 3; d++)
            csv_put_uint(w, l->grid[d]);
        put_duration(w, k->start_ns[i], k->end_ns[i]);
    }
    return csv_finish(w, err);
}

static bool write_copies(struct csv_out *w, struct gs_error *err)
{
    const struct copies *c = &w->t->copies;
    /* AMD's files have no size, which their users miss: it is the last column. */
    if (!csv_begin(w, "memory_copy_trace",
                   columns(w, "Kind Direction Stream_Id Source_Agent_Id Destination_Agent_Id "
                              "Correlation_Id Start_Timestamp End_Timestamp Size"),
                   true, err))
        return false;
    for (size_t i = 0; i < c->n; i++) {
        uint32_t process = process_of_copy(w->t, i);
        if (!conversion_takes(w->c, process))
            continue;
        csv_row_of(w, process, true);
        csv_put_text(w, "MEMORY_COPY");
        csv_put_text(w, copy_operation(c->kind[i]));
        put_stream(w, c->stream[i]);
        put_agent(w, copies_src_at(w->t, i));
        put_agent(w, copies_dst_at(w->t, i));
        csv_put_int(w, conversion_call(w->c, c->call[i]));
        put_times(w, c->start_ns[i], c->end_ns[i]);
        if (c->bytes[i] == BYTES_UNKNOWN)
            csv_put_empty(w);
        else
            csv_put_uint(w, c->bytes[i]);
        put_duration(w, c->start_ns[i], c->end_ns[i]);
    }
    return csv_finish(w, err);
}

static bool write_allocations(struct csv_out *w, struct gs_error *err)
{
    const struct allocations *a = &w->t->allocations;
    if (!csv_begin(w, "memory_allocation_trace",
                   columns(w, "Kind Operation Agent_Id Allocation_Size Address Correlation_Id "
                              "Start_Timestamp End_Timestamp"),
                   true, err))
        return false;
    for (size_t i = 0; i < a->n; i++) {
        uint32_t process = process_of_thread(w->t, a->thread[i]);
        char address[32];
        if (a->level[i] == LEVEL_SCRATCH || !conversion_takes(w->c, process))
            continue;
        snprintf(address, sizeof(address), "0x%016llx", (unsigned long long)a->address[i]);
        csv_row_of(w, process, true);
        csv_put_text(w, "MEMORY_ALLOCATION");
        csv_put_text(w, alloc_operation(a->op[i], a->level[i]));
        put_agent(w, a->agent[i]);
        csv_put_uint(w, a->bytes[i]);
        csv_put_text(w, address);
        csv_put_int(w, conversion_call(w->c, a->call[i]));
        put_times(w, a->start_ns[i], a->end_ns[i]);
        put_duration(w, a->start_ns[i], a->end_ns[i]);
    }
    return csv_finish(w, err);
}

static bool write_scratch(struct csv_out *w, struct gs_error *err)
{
    const struct allocations *a = &w->t->allocations;
    if (!csv_begin(w, "scratch_memory_trace",
                   columns(w, "Kind Operation Agent_Id Queue_Id Thread_Id Alloc_Flags "
                              "Start_Timestamp End_Timestamp Allocation_Size"),
                   true, err))
        return false;
    for (size_t i = 0; i < a->n; i++) {
        uint32_t process = process_of_thread(w->t, a->thread[i]);
        if (a->level[i] != LEVEL_SCRATCH || !conversion_takes(w->c, process))
            continue;
        csv_row_of(w, process, true);
        csv_put_text(w, "SCRATCH_MEMORY");
        csv_put_text(w, alloc_operation(a->op[i], a->level[i]));
        put_agent(w, a->agent[i]);
        csv_put_empty(w);
        put_tid(w, a->thread[i]);
        csv_put_int(w, 0);
        put_times(w, a->start_ns[i], a->end_ns[i]);
        csv_put_uint(w, a->bytes[i]);
        put_duration(w, a->start_ns[i], a->end_ns[i]);
    }
    return csv_finish(w, err);
}

/* ---- calls ---- */

enum csv_domain csv_domain(enum region_kind kind, const char *name)
{
    switch (kind) {
    case REGION_HIP:
    case REGION_HIP_COMPILER:
        return CSV_HIP;
    case REGION_HSA:
        return CSV_HSA;
    case REGION_COLLECTIVE:
        return CSV_RCCL;
    case REGION_MEDIA:
        return str_starts(name, "rocJpeg") ? CSV_ROCJPEG : CSV_ROCDECODE;
    case REGION_OPENMP:
        return CSV_OMPT;
    case REGION_DRIVER:
        return CSV_KFD;
    default: /* what rocprofv3 has no file for: MPI, functions of the program, Python */
        return CSV_REGIONS;
    }
}

static void put_call(struct csv_out *w, uint32_t process, const char *domain, const char *name,
                     int64_t tid, int64_t id, int64_t start, int64_t end)
{
    const struct trace *t = w->t;
    csv_row_of(w, process, true);
    csv_put_text(w, domain);
    csv_put_text(w, name);
    csv_put_int(w, process < t->processes.n ? t->processes.v[process].pid : 0);
    csv_put_int(w, tid);
    csv_put_int(w, id);
    put_times(w, start, end);
    put_duration(w, start, end);
}

static const char call_columns[] =
    "Domain Function Process_Id Thread_Id Correlation_Id Start_Timestamp End_Timestamp";

static bool write_calls(struct csv_out *w, enum csv_domain which, struct gs_error *err)
{
    static const char *const files[CSV_DOMAINS] = {
        "hip_api", "hsa_api", "rccl_api", "rocdecode_api", "rocjpeg_api", "ompt", "kfd", "regions"};
    const struct trace *t = w->t;
    const struct regions *r = &t->regions;
    size_t n = conversion_regions(t);
    if (!csv_begin(w, arena_printf(w->c->arena, "%s_trace", files[which]), columns(w, call_columns),
                   true, err))
        return false;
    for (size_t i = 0; i < n; i++) {
        const char *name = trace_str(t, r->name[i]);
        uint32_t process = process_of_thread(t, r->thread[i]);
        if (conversion_takes(w->c, process) && csv_domain(r->kind[i], name) == which)
            put_call(w, process, region_category(r->kind[i], name), name,
                     r->thread[i] < t->threads.n ? t->threads.v[r->thread[i]].tid : 0,
                     conversion_call(w->c, (uint32_t)i), r->start_ns[i], r->end_ns[i]);
    }
    return csv_finish(w, err);
}

static bool write_markers(struct csv_out *w, struct gs_error *err)
{
    const struct trace *t = w->t;
    const struct markers *m = &t->markers;
    if (!csv_begin(w, "marker_api_trace", columns(w, call_columns), true, err))
        return false;
    for (size_t i = 0; i < m->n; i++) {
        uint32_t process = process_of_thread(t, m->thread[i]);
        /* A range of the whole process is no thread's. */
        bool wide = m->kind[i] == MARKER_PROCESS_RANGE || m->thread[i] >= t->threads.n;
        if (conversion_takes(w->c, process))
            put_call(w, process,
                     m->kind[i] == MARKER_INSTANT ? "MARKER_CORE_API" : "MARKER_CORE_RANGE_API",
                     trace_str(t, m->name[i]), wide ? 0 : t->threads.v[m->thread[i]].tid,
                     markers_id_at(t, i), m->start_ns[i], m->end_ns[i]);
    }
    return csv_finish(w, err);
}

/* Which files of calls there are, in the order of first use. */
static bool write_all_calls(struct csv_out *w, struct gs_error *err)
{
    const struct trace *t = w->t;
    size_t n = conversion_regions(t);
    bool used[CSV_DOMAINS] = {false};
    for (size_t i = 0; i < n; i++)
        if (conversion_takes(w->c, process_of_thread(t, t->regions.thread[i])))
            used[csv_domain(t->regions.kind[i], trace_str(t, t->regions.name[i]))] = true;
    for (enum csv_domain k = 0; k < CSV_DOMAINS; k++)
        if (used[k] && !write_calls(w, k, err))
            return false;
    return true;
}

/* ---- counters and samples ---- */

static void put_value(struct csv_out *w, double v)
{
    char text[64];
    if (isnan(v)) {
        csv_put_empty(w);
        return;
    }
    snprintf(text, sizeof(text), "%.6f", v);
    if (strtod(text, NULL) != v)
        snprintf(text, sizeof(text), "%.17g", v);
    between(w);
    sink_puts(&w->s, text);
}

static void put_counter(struct csv_out *w, uint32_t kernel, uint32_t counter, double value)
{
    const struct trace *t = w->t;
    const struct kernels *k = &t->kernels;
    const struct symbol *s = &t->symbols.v[k->symbol[kernel]];
    const struct launch *l = &t->launches.v[kernels_launch_at(t, kernel)];
    uint32_t process = process_of_kernel(t, kernel);
    csv_row_of(w, process, true);
    csv_put_int(w, conversion_call(w->c, k->call[kernel]));
    csv_put_int(w, dispatch_id(w, kernel));
    put_gpu(w, k->stream[kernel]);
    put_queue(w, kernels_queue_at(w->t, kernel));
    csv_put_int(w, process < t->processes.n ? t->processes.v[process].pid : 0);
    put_tid(w, kernels_thread_at(w->t, kernel));
    csv_put_uint(w, count_from((double)l->grid[0] * l->grid[1] * l->grid[2]));
    csv_put_int(w, s->id);
    csv_put_text(w, conversion_kernel_name(w->c, kernel));
    csv_put_uint(w, count_from((double)l->group[0] * l->group[1] * l->group[2]));
    put_resources(w, l, s);
    csv_put_text(w, trace_str(t, t->counter_infos.v[counter].name));
    put_value(w, value);
    put_times(w, k->start_ns[kernel], k->end_ns[kernel]);
    put_duration(w, k->start_ns[kernel], k->end_ns[kernel]);
}

/* A row a counter and dispatch, hardware instances added up. */
static bool write_counters(struct csv_out *w, struct gs_error *err)
{
    const struct trace *t = w->t;
    const struct counters *c = &t->counters;
    const struct counter_index *x = counter_index_make(t, w->c->arena);
    if (!csv_begin(w, "counter_collection",
                   columns(w, "Correlation_Id Dispatch_Id Agent_Id Queue_Id Process_Id Thread_Id "
                              "Grid_Size Kernel_Id Kernel_Name Workgroup_Size LDS_Block_Size "
                              "Scratch_Size VGPR_Count Accum_VGPR_Count SGPR_Count Counter_Name "
                              "Counter_Value Start_Timestamp End_Timestamp"),
                   true, err))
        return false;
    for (uint32_t k = 0; k < t->kernels.n; k++) {
        if (!conversion_takes(w->c, process_of_kernel(t, k)))
            continue;
        for (size_t i = x->of[k]; i < x->of[k + 1];) {
            uint32_t which = c->counter[x->rows[i]];
            double sum = 0;
            for (; i < x->of[k + 1] && c->counter[x->rows[i]] == which; i++)
                sum += c->value[x->rows[i]];
            put_counter(w, k, which, sum);
        }
    }
    return csv_finish(w, err);
}

static bool write_pc_samples(struct csv_out *w, struct gs_error *err)
{
    const struct pc_samples *s = &w->t->pc_samples;
    bool stochastic = false;
    for (size_t i = 0; i < s->n && !stochastic; i++)
        stochastic = s->issued[i] != PC_ISSUED_UNKNOWN;
    if (!csv_begin(w, stochastic ? "pc_sampling_stochastic" : "pc_sampling_host_trap",
                   stochastic
                       ? "Sample_Timestamp Exec_Mask Dispatch_Id Instruction Instruction_Comment "
                         "Correlation_Id Wave_Issued_Instruction Instruction_Type Stall_Reason "
                         "Wave_Count"
                       : "Sample_Timestamp Exec_Mask Dispatch_Id Instruction Instruction_Comment "
                         "Correlation_Id",
                   true, err))
        return false;
    for (size_t i = 0; i < s->n; i++) {
        bool known = s->kernel[i] < w->t->kernels.n;
        uint32_t process = known ? process_of_kernel(w->t, s->kernel[i]) : 0;
        if (!conversion_takes(w->c, process))
            continue;
        csv_row_of(w, process, true);
        csv_put_int(w, s->time_ns[i]);
        csv_put_uint(w, s->exec_mask[i]);
        csv_put_int(w, known ? dispatch_id(w, s->kernel[i]) : s->dispatch[i]);
        csv_put_text(w, trace_str(w->t, s->instruction[i]));
        csv_put_text(w, trace_str(w->t, s->comment[i]));
        csv_put_int(w, known ? conversion_call(w->c, w->t->kernels.call[s->kernel[i]]) : 0);
        if (stochastic) {
            csv_put_int(w, s->issued[i] == PC_ISSUED_YES);
            csv_put_text(w, arena_printf(w->c->arena, "ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE_%s",
                                         trace_str(w->t, s->type[i])));
            csv_put_text(w, arena_printf(w->c->arena,
                                         "ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_%s",
                                         trace_str(w->t, s->stall[i])));
            csv_put_uint(w, s->waves[i]);
        }
        csv_end_row(w);
    }
    return csv_finish(w, err);
}

/* ---- all of it ---- */

/* What tells the processes apart in one set of files. */
static void name_processes(struct csv_out *w)
{
    const struct trace *t = w->t;
    w->guid = w->c->process == NO_INDEX && t->processes.n > 1;
    w->guids = arena_array(w->c->arena, const char *, t->processes.n + 1);
    for (size_t i = 0; i < t->processes.n; i++) {
        const struct process *p = &t->processes.v[i];
        bool first = !i || t->processes.v[i - 1].file != p->file;
        const char *guid = p->file < t->files.n ? t->files.v[p->file].guid : NULL;
        uint64_t hash = hash_fixed_u64((uint64_t)p->pid * 31 + i);
        w->guids[i] = guid && *guid && first
                          ? guid
                          : arena_printf(w->c->arena, "%08x-%04x-7%03x-8%03x-%012llx", (unsigned)i,
                                         (unsigned)(hash >> 48), (unsigned)(hash >> 36 & 0xfff),
                                         (unsigned)(hash >> 24 & 0xfff),
                                         (unsigned long long)(hash & 0xffffff));
    }
}

static bool any_level(const struct trace *t, bool scratch)
{
    for (size_t i = 0; i < t->allocations.n; i++)
        if ((t->allocations.level[i] == LEVEL_SCRATCH) == scratch)
            return true;
    return false;
}

static bool write_csv(struct conversion *c, struct gs_error *err)
{
    const struct trace *t = c->trace;
    struct csv_out *w = arena_new(c->arena, struct csv_out);
    *w = (struct csv_out){.c = c, .t = t};
    name_processes(w);
    return (!t->agents.n || csv_agents(w, err)) && (!t->kernels.n || write_kernels(w, err)) &&
           write_all_calls(w, err) && (!t->markers.n || write_markers(w, err)) &&
           (!t->copies.n || write_copies(w, err)) &&
           (!any_level(t, false) || write_allocations(w, err)) &&
           (!any_level(t, true) || write_scratch(w, err)) &&
           (!t->counters.n || write_counters(w, err)) &&
           (!t->pc_samples.n || write_pc_samples(w, err)) && csv_stats(w, err);
}

const struct converter converter_csv = {
    .name = "csv",
    .ends = "",
    .summary = "the CSV files of rocprofv3, statistics included",
    .write = write_csv,
};
