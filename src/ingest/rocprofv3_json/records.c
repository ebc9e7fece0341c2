/* A record. One reader serves all kinds, since a key means the same in each of them. */
#include <stdlib.h>
#include <string.h>

#include "ingest/rocpd/rocpd.h"
#include "ingest/rocprofv3_json/json.h"

const struct record record_blank = {
    .kind = RV3_NO_ID,
    .operation = RV3_NO_ID,
    .thread = RV3_NO_ID,
    .agent = RV3_NO_ID,
    .src = RV3_NO_ID,
    .dst = RV3_NO_ID,
    .queue = RV3_NO_ID,
    .stream = RV3_NO_ID,
    .kernel = RV3_NO_ID,
    .dispatch = RV3_NO_ID,
    .start_ns = NO_TIME,
    .end_ns = NO_TIME,
    .bytes = BYTES_UNKNOWN,
};

static uint32_t small(uint64_t v)
{
    return v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

static void read_xyz(struct jread *j, uint32_t out[3])
{
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "x"))
            out[0] = small(jr_uint(j, 0));
        else if (jr_is(j, "y"))
            out[1] = small(jr_uint(j, 0));
        else if (jr_is(j, "z"))
            out[2] = small(jr_uint(j, 0));
        else
            jr_skip(j);
    }
}

static void read_correlation(struct jread *j, struct record *k)
{
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "internal"))
            k->internal = jr_uint(j, 0);
        else if (jr_is(j, "external"))
            k->external = rv3j_handle(j);
        else
            jr_skip(j);
    }
}

static void read_dispatch(struct jread *j, struct record *k)
{
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "agent_id"))
            k->agent = rv3j_handle(j);
        else if (jr_is(j, "queue_id"))
            k->queue = rv3j_handle(j);
        else if (jr_is(j, "kernel_id"))
            k->kernel = jr_uint(j, RV3_NO_ID);
        else if (jr_is(j, "dispatch_id"))
            k->dispatch = jr_uint(j, RV3_NO_ID);
        else if (jr_is(j, "private_segment_size"))
            k->launch.scratch_bytes = small(jr_uint(j, 0));
        else if (jr_is(j, "group_segment_size"))
            k->launch.lds_bytes = small(jr_uint(j, 0));
        else if (jr_is(j, "workgroup_size"))
            read_xyz(j, k->launch.group);
        else if (jr_is(j, "grid_size"))
            read_xyz(j, k->launch.grid);
        else
            jr_skip(j);
    }
}

/* A number, or the text "0x00007f…". */
static uint64_t read_address(struct jread *j)
{
    if (jr_type(j) != J_STRING)
        return jr_uint(j, 0);
    const char *text = jr_str(j, NULL);
    return text ? strtoull(text, NULL, 0) : 0;
}

/* In the order in which the keys of most records stand. */
void rv3j_read_key(struct jread *j, struct record *k)
{
    if (jr_is(j, "size"))
        jr_skip(j);
    else if (jr_is(j, "kind"))
        k->kind = jr_uint(j, RV3_NO_ID);
    else if (jr_is(j, "operation"))
        k->operation = jr_uint(j, RV3_NO_ID);
    else if (jr_is(j, "thread_id"))
        k->thread = jr_uint(j, RV3_NO_ID);
    else if (jr_is(j, "correlation_id"))
        read_correlation(j, k);
    else if (jr_is(j, "start_timestamp"))
        k->start_ns = jr_int(j, NO_TIME);
    else if (jr_is(j, "end_timestamp"))
        k->end_ns = jr_int(j, NO_TIME);
    else if (jr_is(j, "dispatch_info"))
        read_dispatch(j, k);
    else if (jr_is(j, "stream_id"))
        k->stream = rv3j_handle(j);
    else if (jr_is(j, "dst_agent_id"))
        k->dst = rv3j_handle(j);
    else if (jr_is(j, "src_agent_id"))
        k->src = rv3j_handle(j);
    else if (jr_is(j, "bytes") || jr_is(j, "allocation_size"))
        k->bytes = jr_uint(j, BYTES_UNKNOWN);
    else if (jr_is(j, "agent_id"))
        k->agent = rv3j_handle(j);
    else if (jr_is(j, "queue_id"))
        k->queue = rv3j_handle(j);
    else if (jr_is(j, "address"))
        k->address = read_address(j);
    else if (jr_is(j, "graph_exec_id"))
        k->launch.graph = small(jr_uint(j, 0));
    else if (jr_is(j, "timestamp")) /* driver events are moments */
        k->start_ns = k->end_ns = jr_int(j, NO_TIME);
    else
        jr_skip(j);
}
