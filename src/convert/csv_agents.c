/* agent_info: what the hardware is, in the columns of rocprofv3; what is not known is 0. */
#include <stdio.h>
#include <stdlib.h>

#include "convert/csv.h"

static const char columns[] =
    "Node_Id Logical_Node_Id Agent_Type Cpu_Cores_Count Simd_Count Cpu_Core_Id_Base Simd_Id_Base "
    "Max_Waves_Per_Simd Lds_Size_In_Kb Gds_Size_In_Kb Num_Gws Wave_Front_Size Num_Xcc Cu_Count "
    "Array_Count Num_Shader_Banks Simd_Arrays_Per_Engine Cu_Per_Simd_Array Simd_Per_Cu "
    "Max_Slots_Scratch_Cu Gfx_Target_Version Vendor_Id Device_Id Location_Id Domain "
    "Drm_Render_Minor Num_Sdma_Engines Num_Sdma_Xgmi_Engines Num_Sdma_Queues_Per_Engine "
    "Num_Cp_Queues Max_Engine_Clk_Ccompute Max_Engine_Clk_Fcompute Sdma_Fw_Version Fw_Version "
    "Capability Cu_Per_Engine Max_Waves_Per_Cu Family_Id Workgroup_Max_Size Grid_Max_Size "
    "Local_Mem_Size Hive_Id Gpu_Id Workgroup_Max_Dim_X Workgroup_Max_Dim_Y Workgroup_Max_Dim_Z "
    "Grid_Max_Dim_X Grid_Max_Dim_Y Grid_Max_Dim_Z Name Vendor_Name Product_Name Model_Name";

static void zeros(struct csv_out *w, int n)
{
    for (int i = 0; i < n; i++)
        csv_put_int(w, 0);
}

/* gfx90a is 9.0.10: 90010 as the driver writes it. */
static int64_t gfx_version(const char *arch)
{
    size_t n = strlen(arch);
    if (!str_starts(arch, "gfx") || n < 6)
        return 0;
    char major[8];
    snprintf(major, sizeof(major), "%.*s", (int)(n - 5 < 7 ? n - 5 : 7), arch + 3);
    char minor[2] = {arch[n - 2], 0}, step[2] = {arch[n - 1], 0};
    return strtol(major, NULL, 10) * 10000 + strtol(minor, NULL, 16) * 100 + strtol(step, NULL, 16);
}

static void put_gpu(struct csv_out *w, const struct gpu *g)
{
    const char *arch = trace_str(w->t, g->arch);
    csv_put_int(w, 0);
    csv_put_uint(w, (uint64_t)g->cu_count * g->simd_per_cu);
    zeros(w, 2);
    csv_put_uint(w, g->max_waves_per_simd);
    csv_put_uint(w, g->lds_bytes_per_cu / 1024);
    zeros(w, 2);
    csv_put_uint(w, g->wave_size);
    csv_put_uint(w, g->xcc_count);
    csv_put_uint(w, g->cu_count);
    zeros(w, 4);
    csv_put_uint(w, g->simd_per_cu);
    csv_put_int(w, 0);
    csv_put_int(w, gfx_version(arch));
    csv_put_int(w, g->vendor == VENDOR_AMD ? 0x1002 : g->vendor == VENDOR_NVIDIA ? 0x10de : 0);
    csv_put_int(w, 0);
    csv_put_uint(w, g->location & UINT32_MAX);
    csv_put_uint(w, g->location >> 32);
    zeros(w, 6);
    csv_put_uint(w, g->clock_mhz);
    zeros(w, 4);
    csv_put_uint(w, (uint64_t)g->simd_per_cu * g->max_waves_per_simd);
    zeros(w, 3);
    csv_put_uint(w, g->memory_bytes);
    zeros(w, 8);
    csv_put_text(w, arch);
    csv_put_text(w, vendor_name(g->vendor));
    csv_put_text(w, trace_str(w->t, g->name));
    csv_put_text(w, trace_str(w->t, g->name));
}

bool csv_agents(struct csv_out *w, struct gs_error *err)
{
    enum { NUMBERS_BEHIND_TYPE = 46 };
    const struct trace *t = w->t;
    const char *all = w->guid ? arena_printf(w->c->arena, "%s Hostname", columns) : columns;
    if (!csv_begin(w, "agent_info", all, true, err))
        return false;
    for (uint32_t i = 0; i < t->agents.n; i++) {
        const struct agent *a = &t->agents.v[i];
        if (!conversion_takes(w->c, a->process))
            continue;
        csv_row_of(w, a->process, true);
        csv_put_int(w, w->c->agent_node[i]);
        csv_put_int(w, w->c->agent_place[i]);
        csv_put_text(w, a->type == AGENT_GPU ? "GPU" : "CPU");
        if (a->gpu != NO_INDEX) {
            put_gpu(w, &t->gpus.v[a->gpu]);
        } else {
            zeros(w, NUMBERS_BEHIND_TYPE);
            csv_put_text(w, "");
            csv_put_text(w, "CPU");
            csv_put_text(w, "");
            csv_put_text(w, "");
        }
        if (w->guid) /* which processes share a clock and GPUs */
            csv_put_text(w, trace_str(t, t->processes.v[a->process].host));
        csv_end_row(w);
    }
    return csv_finish(w, err);
}
