/* What stands before the records: the process, its devices, names and symbols. */
#include <string.h>

#include "base/jwrite.h"
#include "synth/rocpd_in.h"
#include "synth/rocprofv3_json_in.h"

static const char *const kind_names[JK_COUNT] = {
    [JK_NONE] = "NONE",
    [JK_HSA_CORE] = "HSA_CORE_API",
    [JK_HSA_AMD] = "HSA_AMD_EXT_API",
    [JK_HIP] = "HIP_RUNTIME_API_EXT",
    [JK_COMPILER] = "HIP_COMPILER_API_EXT",
    [JK_MARKER] = "MARKER_CORE_RANGE_API",
    [JK_RCCL] = "RCCL_API",
    [JK_KERNEL] = "KERNEL_DISPATCH",
    [JK_COPY] = "MEMORY_COPY",
    [JK_ALLOC] = "MEMORY_ALLOCATION",
    [JK_SCRATCH] = "SCRATCH_MEMORY",
};

/* Operations of records that are no calls; the others are listed as they are used. */
static const char *const fixed[JK_COUNT][6] = {
    [JK_KERNEL] = {"KERNEL_DISPATCH_NONE", "KERNEL_DISPATCH_ENQUEUE", "KERNEL_DISPATCH_COMPLETE"},
    [JK_COPY] = {"MEMORY_COPY_NONE", "MEMORY_COPY_HOST_TO_HOST", "MEMORY_COPY_HOST_TO_DEVICE",
                 "MEMORY_COPY_DEVICE_TO_HOST", "MEMORY_COPY_DEVICE_TO_DEVICE"},
    [JK_ALLOC] = {"MEMORY_ALLOCATION_NONE", "MEMORY_ALLOCATION_ALLOCATE",
                  "MEMORY_ALLOCATION_VMEM_ALLOCATE", "MEMORY_ALLOCATION_FREE",
                  "MEMORY_ALLOCATION_VMEM_FREE"},
    [JK_SCRATCH] = {"SCRATCH_MEMORY_NONE", "SCRATCH_MEMORY_ALLOC", "SCRATCH_MEMORY_FREE",
                    "SCRATCH_MEMORY_ASYNC_RECLAIM"},
};

static void quote(struct rv3json *w, uint32_t name)
{
    struct name n = names_get(w->names, name);
    jw_quote(&w->text, n.s, n.n);
}

static void put_metadata(struct rv3json *w, const struct jprocess *p)
{
    struct str *t = &w->text;
    str_puts(t, "\"metadata\":{\"node\":{\"id\":0,\"hash\":0,\"machine_id\":\"\",\"system_name\":"
                "\"Linux\",\"hostname\":");
    quote(w, p->rec.host);
    str_printf(t,
               ",\"hardware_name\":\"x86_64\",\"domain_name\":\"(none)\"},\"pid\":%lld,"
               "\"ppid\":%lld,\"init_time\":%lld,\"fini_time\":%lld,\"command\":[",
               (long long)p->rec.pid, (long long)p->rec.ppid, (long long)p->rec.start_ns,
               (long long)p->rec.end_ns);
    struct name command = names_get(w->names, p->rec.command);
    for (const char *at = command.s, *end = at + command.n, *stop; at < end; at = stop + 1) {
        stop = memchr(at, ' ', (size_t)(end - at));
        stop = stop ? stop : end;
        str_puts(t, at > command.s ? "," : "");
        jw_quote(t, at, (size_t)(stop - at));
    }
    str_puts(t, "]}");
}

static void put_agents(struct rv3json *w, const struct jprocess *p)
{
    struct str json;
    str_init(&json, w->arena);
    str_puts(&w->text, ",\"agents\":[");
    for (size_t i = 0; i < p->agents.n; i++) {
        const struct rec_agent *a = &p->agents.v[i];
        str_clear(&json);
        rocpdw_agent_json(&json, a, a->gpu_count); /* an object without its id */
        str_printf(&w->text, "%s{\"id\":{\"handle\":%d},%s", i ? "," : "", AGENT_HANDLE(a->id),
                   json.buf + 1);
    }
    str_puts(&w->text, "],\"counters\":[");
    for (size_t i = 0; i < p->counters.n; i++) {
        const struct rec_counter_info *c = &p->counters.v[i];
        str_printf(&w->text,
                   "%s{\"agent_id\":{\"handle\":%d},\"id\":{\"handle\":%d},\"is_constant\":0,"
                   "\"is_derived\":0,\"name\":",
                   i ? "," : "", AGENT_HANDLE(CPU_AGENTS + c->gpu), c->index + 1);
        quote(w, c->name);
        str_puts(&w->text, ",\"description\":\"counter\",\"block\":");
        quote(w, c->block);
        str_puts(&w->text, ",\"expression\":\"\"}");
    }
    str_puts(&w->text, "]");
}

static void put_kinds(struct rv3json *w)
{
    for (int k = 0; k < JK_COUNT; k++) {
        str_printf(&w->text, "%s{\"kind\":\"%s\",\"operations\":[", k ? "," : "", kind_names[k]);
        for (int i = 0; fixed[k][i]; i++)
            str_printf(&w->text, "%s\"%s\"", i ? "," : "", fixed[k][i]);
        for (size_t i = 0; i < w->operations[k].n; i++) {
            str_puts(&w->text, i ? "," : "");
            quote(w, w->operations[k].v[i]);
        }
        str_puts(&w->text, "]}");
    }
}

void rv3jsonw_head(struct rv3json *w, struct jprocess *p)
{
    str_clear(&w->text);
    str_puts(&w->text, "{");
    put_metadata(w, p);
    put_agents(w, p);
    str_puts(&w->text, ",\"strings\":{\"callback_records\":[],\"buffer_records\":[");
    put_kinds(w);
    str_puts(&w->text, "],\"marker_api\":[");
    rv3jsonw_put(w, p);
}

void rv3jsonw_symbols(struct rv3json *w, struct jprocess *p)
{
    struct str *t = &w->text;
    str_clear(t);
    str_puts(t, "],\"correlation_id\":{\"external\":[]},\"counters\":{\"dimension_ids\":[]},"
                "\"pc_sample_instructions\":[],\"pc_sample_comments\":[],\"att_filenames\":[],"
                "\"code_object_snapshot_filenames\":[]},\"code_objects\":[],\"kernel_symbols\":[");
    for (size_t i = 0; i < p->symbols.n; i++) {
        const struct rec_symbol *s = &p->symbols.v[i];
        str_printf(t, "%s{\"size\":88,\"kernel_id\":%d,\"code_object_id\":1,\"kernel_name\":",
                   i ? "," : "", s->id);
        quote(w, s->mangled);
        str_printf(t,
                   ",\"group_segment_size\":%lld,\"private_segment_size\":%lld,\"sgpr_count\":%lld,"
                   "\"arch_vgpr_count\":%lld,\"accum_vgpr_count\":%lld,\"formatted_kernel_name\":",
                   (long long)s->lds, (long long)s->scratch, (long long)s->sgpr, (long long)s->vgpr,
                   (long long)s->agpr);
        quote(w, s->name);
        str_puts(t, ",\"demangled_kernel_name\":");
        quote(w, s->name);
        str_puts(t, "}");
    }
    str_puts(t, "],\"host_functions\":[],\"summary\":[],\"callback_records\":{"
                "\"counter_collection\":[");
    rv3jsonw_put(w, p);
}
