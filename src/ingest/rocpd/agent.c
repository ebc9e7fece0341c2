#include <string.h>

#include "base/jread.h"
#include "base/str.h"
#include "ingest/rocpd/rocpd.h"

static uint32_t small(int64_t v)
{
    return v < 0 || v > UINT32_MAX ? 0 : (uint32_t)v;
}

static void read_memory_banks(struct jread *j, struct gpu *g)
{
    if (!jr_array(j))
        return;
    while (jr_item(j)) {
        if (!jr_object(j))
            continue;
        while (jr_key(j)) {
            if (jr_is(j, "width"))
                g->memory_width_bits = small(jr_int(j, 0));
            else if (jr_is(j, "mem_clk_max"))
                g->memory_clock_mhz = small(jr_int(j, 0));
            else if (jr_is(j, "size_in_bytes"))
                g->memory_bytes += jr_uint(j, 0);
            else
                jr_skip(j);
        }
    }
}

/* Link types as the driver numbers them. */
enum { LINK_PCIE = 2, LINK_XGMI = 11 };

static void read_links(struct jread *j, struct gpu *g)
{
    if (!jr_array(j))
        return;
    while (jr_item(j)) {
        int64_t type = 0;
        uint64_t mbps = 0;
        if (!jr_object(j))
            continue;
        while (jr_key(j)) {
            if (jr_is(j, "type"))
                type = jr_int(j, 0);
            else if (jr_is(j, "max_bandwidth"))
                mbps = jr_uint(j, 0);
            else
                jr_skip(j);
        }
        if (type == LINK_PCIE && mbps > g->host_link_mbps)
            g->host_link_mbps = mbps;
        if (type == LINK_XGMI && mbps > g->peer_link_mbps)
            g->peer_link_mbps = mbps;
    }
}

static void read_agent(struct gpu *g, struct jread *j)
{
    uint64_t domain = 0, location = 0;
    static const struct {
        const char *key;
        size_t offset;
    } numbers[] = {
        {"cu_count", offsetof(struct gpu, cu_count)},
        {"simd_per_cu", offsetof(struct gpu, simd_per_cu)},
        {"max_waves_per_simd", offsetof(struct gpu, max_waves_per_simd)},
        {"wave_front_size", offsetof(struct gpu, wave_size)},
        {"num_xcc", offsetof(struct gpu, xcc_count)},
        {"max_engine_clk_fcompute", offsetof(struct gpu, clock_mhz)},
    };
    if (jr_object(j)) {
        while (jr_key(j)) {
            size_t i = 0, count = ARRAY_LEN(numbers);
            while (i < count && !jr_is(j, numbers[i].key))
                i++;
            if (i < count)
                *(uint32_t *)(void *)((char *)g + numbers[i].offset) = small(jr_int(j, 0));
            else if (jr_is(j, "lds_size_in_kb"))
                g->lds_bytes_per_cu = small(jr_int(j, 0) % (1 << 20) * 1024);
            else if (jr_is(j, "domain"))
                domain = jr_uint(j, 0);
            else if (jr_is(j, "location_id"))
                location = jr_uint(j, 0);
            else if (jr_is(j, "mem_banks"))
                read_memory_banks(j, g);
            else if (jr_is(j, "io_links"))
                read_links(j, g);
            else
                jr_skip(j);
        }
    }
    g->location = domain << 32 | (location & UINT32_MAX);
}

/* rocprofv3 keeps the driver's whole description of an agent as JSON; these are its limits. */
void rocpd_read_agent_json(struct gpu *g, const char *json, size_t n)
{
    struct arena *temporary = arena_scratch();
    read_agent(g, jr_text(temporary, json, n));
    arena_release(temporary);
}
