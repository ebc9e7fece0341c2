/*
 * Agents: the driver's description of the devices. rocpd keeps the same keys as JSON text, so
 * what is known of them is written out again and read by the one function that understands it.
 */
#include "base/jwrite.h"
#include "ingest/rocpd/rocpd.h"
#include "ingest/rocprofv3_json/json.h"

enum { TYPE_CPU = 1, TYPE_GPU = 2 };

static const char *const numbers[] = {
    "cu_count", "simd_per_cu", "max_waves_per_simd",      "wave_front_size", "lds_size_in_kb",
    "num_xcc",  "domain",      "max_engine_clk_fcompute", "location_id",     NULL};
static const char *const bank_numbers[] = {"width", "mem_clk_max", "size_in_bytes", NULL};
static const char *const link_numbers[] = {"type", "max_bandwidth", NULL};

static bool copy_number(struct jread *j, struct jwrite *w, const char *const *keys)
{
    for (; *keys; keys++) {
        if (jr_is(j, *keys)) {
            jw_uint(w, *keys, jr_uint(j, 0));
            return true;
        }
    }
    return false;
}

static void copy_list(struct jread *j, struct jwrite *w, const char *key, const char *const *keys)
{
    jw_open(w, key, '[');
    if (jr_array(j)) {
        while (jr_item(j)) {
            jw_open(w, NULL, '{');
            if (jr_object(j))
                while (jr_key(j))
                    if (!copy_number(j, w, keys))
                        jr_skip(j);
            jw_close(w);
        }
    }
    jw_close(w);
}

static int32_t index32(int64_t v)
{
    return v < 0 || v > INT32_MAX ? 0 : (int32_t)v;
}

static void read_agent(struct rv3j *r)
{
    struct jread *j = r->j;
    struct pending_agent a = {
        .handle = RV3_NO_ID, .type = AGENT_OTHER, .gpu = {.vendor = VENDOR_AMD}};
    uint32_t product = 0, model = 0;
    struct str text;
    struct jwrite w;
    if (!jr_object(j))
        return;
    str_init(&text, r->build.arena);
    jw_init(&w, &text, 0);
    jw_open(&w, NULL, '{');
    while (jr_key(j)) {
        if (jr_is(j, "id")) {
            a.handle = rv3j_handle(j);
        } else if (jr_is(j, "type")) {
            int64_t type = jr_int(j, 0);
            a.type = type == TYPE_GPU ? AGENT_GPU : type == TYPE_CPU ? AGENT_CPU : AGENT_OTHER;
        } else if (jr_is(j, "node_id")) {
            a.node_id = jr_int(j, 0);
        } else if (jr_is(j, "logical_node_type_id")) {
            a.gpu.index = index32(jr_int(j, 0));
        } else if (jr_is(j, "name")) {
            a.gpu.arch = rv3j_text(r);
        } else if (jr_is(j, "product_name")) {
            product = rv3j_text(r);
        } else if (jr_is(j, "model_name")) {
            model = rv3j_text(r);
        } else if (jr_is(j, "mem_banks")) {
            copy_list(j, &w, "mem_banks", bank_numbers);
        } else if (jr_is(j, "io_links")) {
            copy_list(j, &w, "io_links", link_numbers);
        } else if (!copy_number(j, &w, numbers)) {
            jr_skip(j);
        }
    }
    jw_close(&w);
    rocpd_read_agent_json(&a.gpu, text.buf, text.len);
    a.gpu.node_id = index32(a.node_id);
    a.gpu.name = product ? product : model;
    vec_push(&r->agents, r->build.arena, a);
}

void rv3j_read_agents(struct rv3j *r)
{
    if (jr_array(r->j))
        while (jr_item(r->j))
            read_agent(r);
}
