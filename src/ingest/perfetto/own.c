/* What only our own writer puts into a file: descriptions of GPUs, samples of program counters. */
#include "base/str.h"
#include "ingest/perfetto/perfetto.h"

/* A GPU, as our own writer describes it. */
void perfetto_device(struct perfetto *p, const struct pf_event *e)
{
    const char *vendor = trace_str(p->trace, e->text[PK_VENDOR]);
    struct gpu g = {.index = pf_gpu_of(e->number[PK_GPU]),
                    .node_id = pf_gpu_of(e->number[PK_NODE])};
    if (g.index < 0 || idmap_get(&p->gpu_of, (uint64_t)g.index) != NO_INDEX)
        return;
    g.vendor = str_eq(vendor, "NVIDIA") ? VENDOR_NVIDIA : VENDOR_AMD;
    g.name = e->text[PK_NAME];
    g.arch = e->text[PK_ARCH];
    g.cu_count = pf_small(e->number[PK_CUS], 0);
    g.simd_per_cu = pf_small(e->number[PK_SIMDS], 0);
    g.max_waves_per_simd = pf_small(e->number[PK_WAVES], 0);
    g.wave_size = pf_small(e->number[PK_WAVE_SIZE], 0);
    g.lds_bytes_per_cu = pf_small(e->number[PK_LDS_PER_CU], 0);
    g.xcc_count = pf_small(e->number[PK_XCC], 0);
    g.clock_mhz = pf_small(e->number[PK_CLOCK], 0);
    g.memory_clock_mhz = pf_small(e->number[PK_MEMORY_CLOCK], 0);
    g.memory_width_bits = pf_small(e->number[PK_MEMORY_WIDTH], 0);
    g.memory_bytes = e->number[PK_MEMORY] < 0 ? 0 : (uint64_t)e->number[PK_MEMORY];
    g.host_link_mbps = pf_small(e->number[PK_HOST_LINK], 0);
    g.peer_link_mbps = pf_small(e->number[PK_PEER_LINK], 0);
    idmap_put(&p->gpu_of, (uint64_t)g.index, (uint32_t)p->gpus.n);
    vec_push(&p->gpus, p->arena, g);
}

static uint64_t given(const struct pf_event *e, enum pf_key key)
{
    return e->number[key] == PF_NONE ? 0 : (uint64_t)e->number[key];
}

static uint16_t short_of(const struct pf_event *e, enum pf_key key)
{
    uint64_t v = given(e, key);
    return v > UINT16_MAX ? UINT16_MAX : (uint16_t)v;
}

/* A sample of the program counter, as our own writer has them. */
void perfetto_pc_sample(struct perfetto *p, uint32_t track, const struct pf_event *e)
{
    struct trace *t = p->trace;
    trace_room(t, pc_samples, 1);
    struct pc_samples *s = &t->pc_samples;
    size_t row = s->n++;
    p->categories.v[e->category].count++;
    s->time_ns[row] = e->ns;
    s->dispatch[row] = (int64_t)given(e, PK_DISPATCH);
    s->offset[row] = given(e, PK_OFFSET);
    s->exec_mask[row] = (uint64_t)e->number[PK_EXEC_MASK]; /* lane 63 alone looks like none */
    s->code_object[row] = pf_small(e->number[PK_CODE_OBJECT], 0);
    s->kernel[row] = track; /* until its process is known */
    s->instruction[row] = e->name;
    s->comment[row] = e->text[PK_COMMENT];
    s->type[row] = e->text[PK_INSTRUCTION_TYPE];
    s->stall[row] = e->text[PK_STALL_REASON];
    s->waves[row] = short_of(e, PK_WAVES_ON_SIMD);
    s->pipes_issue[row] = short_of(e, PK_PIPES_ISSUE);
    s->pipes_stall[row] = short_of(e, PK_PIPES_STALL);
    s->issued[row] = e->number[PK_ISSUED] == PF_NONE ? PC_ISSUED_UNKNOWN
                     : e->number[PK_ISSUED]          ? PC_ISSUED_YES
                                                     : PC_ISSUED_NO;
}
