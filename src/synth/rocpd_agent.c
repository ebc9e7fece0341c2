/* The JSON that rocprofv3 stores for an agent: the source of all hardware facts in a trace. */
#include <stdio.h>

#include "base/jwrite.h"
#include "synth/rocpd_in.h"

static void xyz(struct jwrite *w, const char *key, int64_t x, int64_t y, int64_t z)
{
    jw_open(w, key, '{');
    jw_int(w, "x", x);
    jw_int(w, "y", y);
    jw_int(w, "z", z);
    jw_close(w);
}

static void link_json(struct jwrite *w, int from, int to, bool peer, int64_t mbps)
{
    jw_open(w, NULL, '{');
    jw_int(w, "type", peer ? 11 : 2);
    jw_int(w, "version_major", 0);
    jw_int(w, "version_minor", 0);
    jw_int(w, "node_from", from);
    jw_int(w, "node_to", to);
    jw_int(w, "weight", peer ? 15 : 20);
    jw_int(w, "min_latency", 0);
    jw_int(w, "max_latency", 0);
    jw_int(w, "min_bandwidth", mbps / 2);
    jw_int(w, "max_bandwidth", mbps);
    jw_int(w, "recommended_transfer_size", 0);
    jw_int(w, "flags", 1);
    jw_close(w);
}

static void shape(struct jwrite *w, const struct gpu_spec *g)
{
    int64_t simds = g ? g->cu * g->simd_per_cu : 0;
    jw_int(w, "cpu_cores_count", g ? 0 : 96);
    jw_int(w, "simd_count", simds);
    jw_int(w, "mem_banks_count", 1);
    jw_int(w, "caches_count", 0);
    jw_int(w, "simd_id_base", g ? 0x80000000 : 0);
    jw_int(w, "max_waves_per_simd", g ? g->waves_per_simd : 0);
    jw_int(w, "lds_size_in_kb", g ? g->lds_kib : 0);
    jw_int(w, "gds_size_in_kb", 0);
    jw_int(w, "num_gws", g ? 64 : 0);
    jw_int(w, "wave_front_size", g ? g->wave : 0);
    jw_int(w, "num_xcc", g ? g->xcc : 1);
    jw_int(w, "cu_count", g ? g->cu : 96);
    jw_int(w, "array_count", g ? g->xcc * 4 : 0);
    jw_int(w, "num_shader_banks", g ? g->xcc * 4 : 0);
    jw_int(w, "simd_arrays_per_engine", g ? 1 : 0);
    jw_int(w, "cu_per_simd_array", g ? g->cu / (g->xcc * 4) : 0);
    jw_int(w, "simd_per_cu", g ? g->simd_per_cu : 0);
    jw_int(w, "max_slots_scratch_cu", g ? 32 : 0);
    jw_int(w, "gfx_target_version", g ? g->gfx_version : 0);
    jw_int(w, "vendor_id", g ? 0x1002 : 0);
    jw_int(w, "device_id", g ? g->device_id : 0);
    jw_int(w, "num_sdma_engines", g ? 2 : 0);
    jw_int(w, "num_sdma_xgmi_engines", g ? 14 : 0);
    jw_int(w, "num_cp_queues", g ? 24 : 0);
    jw_int(w, "max_engine_clk_ccompute", 3700);
    jw_int(w, "max_engine_clk_fcompute", g ? g->clock_mhz : 0);
    jw_int(w, "cu_per_engine", g ? g->cu / (g->xcc * 4) : 0);
    jw_int(w, "max_waves_per_cu", g ? g->simd_per_cu * g->waves_per_simd : 0);
    jw_int(w, "workgroup_max_size", g ? 1024 : 0);
    jw_int(w, "grid_max_size", g ? UINT32_MAX : 0);
    jw_int(w, "local_mem_size", 0);
}

static void banks(struct jwrite *w, const struct gpu_spec *g)
{
    jw_open(w, "mem_banks", '[');
    jw_open(w, NULL, '{');
    jw_int(w, "heap_type", g ? 1 : 0);
    jw_int(w, "flags", 0);
    jw_int(w, "width", g ? g->memory_bits : 64);
    jw_int(w, "mem_clk_max", g ? g->memory_mhz : 2400);
    jw_int(w, "size_in_bytes", g ? g->memory_bytes : (int64_t)1 << 39);
    jw_close(w);
    jw_close(w);
    jw_open(w, "caches", '[');
    jw_close(w);
}

static void links(struct jwrite *w, const struct rec_agent *a, int gpu_count)
{
    jw_open(w, "io_links", '[');
    if (a->gpu) {
        link_json(w, a->id, 0, false, a->gpu->link_bw / 1000000);
        for (int i = 0; i < gpu_count && i < 16; i++)
            if (CPU_AGENTS + i != a->id)
                link_json(w, a->id, CPU_AGENTS + i, true, a->gpu->peer_bw / 1000000);
    }
    jw_close(w);
}

void rocpdw_agent_json(struct str *out, const struct rec_agent *a, int gpu_count)
{
    const struct gpu_spec *g = a->gpu;
    struct jwrite w;
    jw_init(&w, out, 0);
    jw_open(&w, NULL, '{');
    jw_int(&w, "size", 296);
    jw_int(&w, "type", g ? 2 : 1);
    shape(&w, g);
    xyz(&w, "workgroup_max_dim", 1024, 1024, 1024);
    xyz(&w, "grid_max_dim", INT32_MAX, 65535, 65535);
    jw_str(&w, "name", g ? g->arch : "AMD EPYC 9654 96-Core Processor");
    jw_str(&w, "vendor_name", g ? "AMD" : "CPU");
    jw_str(&w, "product_name", g ? g->product : "AMD EPYC 9654 96-Core Processor");
    jw_str(&w, "model_name", g ? g->model : "");
    jw_int(&w, "node_id", a->id);
    jw_int(&w, "logical_node_id", a->id);
    jw_int(&w, "logical_node_type_id", g ? a->gpu_index : a->id);
    banks(&w, g);
    links(&w, a, gpu_count);
    jw_int(&w, "gpu_index", g ? a->gpu_index : -1);
    jw_close(&w);
}
