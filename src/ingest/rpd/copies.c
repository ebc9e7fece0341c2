/* Copies and fills: their direction from the operation, their size from the call. */
#include "base/str.h"
#include "ingest/agents.h"
#include "ingest/rpd/rpd.h"

static const struct scan_col copy_columns[] = {
    [COPY_API] = {"api_ptr_id", SCAN_INT, false, 0},
    [COPY_STREAM] = {"stream", SCAN_TEXT, true, RPD_NONE},
    [COPY_SIZE] = {"size", SCAN_INT, true, RPD_NONE},
    [COPY_MEMCPY_KIND] = {"kind", SCAN_INT, true, RPD_NONE},
    [COPY_TO] = {"dstDevice", SCAN_INT, true, 0},
    [COPY_FROM] = {"srcDevice", SCAN_INT, true, 0},
    [COPY_PINNED] = {"pinned", SCAN_INT, true, 0},
};

bool rpd_read_copy_calls(struct rpd *r, struct gs_error *err)
{
    return rpd_read_columns(r, "rocpd_copyapi", copy_columns, ARRAY_LEN(copy_columns),
                            &r->copy_calls, err);
}

/* The operation's type says the direction; where it does not, the call's hipMemcpyKind. */
static enum copy_kind copy_kind_of(const struct rpd *r, const char *type, uint32_t row)
{
    static const enum copy_kind numbered[] = {COPY_H2H, COPY_H2D, COPY_D2H, COPY_D2D};
    enum copy_kind kind = copy_kind_said(type);
    if (kind == COPY_UNKNOWN && str_has_fold(type, "Fill"))
        kind = COPY_SET;
    if (row == NO_INDEX)
        return kind;
    int64_t number = r->copy_calls.col[COPY_MEMCPY_KIND][row];
    if (kind == COPY_UNKNOWN && number >= 0 && number < 4)
        kind = numbered[number];
    bool same = r->copy_calls.col[COPY_TO][row] == r->copy_calls.col[COPY_FROM][row];
    return kind == COPY_D2D && !same ? COPY_P2P : kind;
}

/* Both ends, and the kind of memory there. What is not pinned may as well not have been asked. */
static void set_ends(struct rpd *r, size_t n, uint32_t process, uint32_t gpu, bool pinned)
{
    struct copies *c = &r->trace->copies;
    enum copy_kind kind = c->kind[n];
    bool from_host = kind == COPY_H2D || kind == COPY_H2H;
    bool to_host = kind == COPY_D2H || kind == COPY_H2H;
    uint8_t host = pinned ? MEMORY_PINNED : MEMORY_UNKNOWN;
    uint32_t device = gpu == NO_INDEX ? NO_INDEX : agent_in(r->trace, &r->agents, process, gpu);
    uint32_t cpu =
        from_host || to_host ? agent_in(r->trace, &r->agents, process, NO_INDEX) : NO_INDEX;
    c->src[n] = from_host ? cpu : kind == COPY_P2P || kind == COPY_UNKNOWN ? NO_INDEX : device;
    c->dst[n] = to_host ? cpu : kind == COPY_UNKNOWN ? NO_INDEX : device;
    c->src_memory[n] = from_host ? host : kind == COPY_UNKNOWN ? MEMORY_UNKNOWN : MEMORY_DEVICE;
    c->dst_memory[n] = to_host ? host : kind == COPY_UNKNOWN ? MEMORY_UNKNOWN : MEMORY_DEVICE;
}

void rpd_add_copy(struct rpd *r, size_t i, uint32_t api, uint32_t gpu, const char *type)
{
    struct copies *c = &r->trace->copies;
    const struct rpd_columns *o = &r->ops, *calls = &r->copy_calls;
    uint32_t row = api == NO_INDEX ? NO_INDEX : rpd_row(calls, r->apis.col[API_ID][api]);
    int64_t size = row == NO_INDEX ? RPD_NONE : calls->col[COPY_SIZE][row];
    size_t n = c->n++;
    c->start_ns[n] = o->col[OP_START][i];
    c->end_ns[n] = o->col[OP_END][i];
    c->id[n] = o->col[OP_ID][i];
    c->bytes[n] = size < 0 ? BYTES_UNKNOWN : (uint64_t)size;
    c->stream[n] =
        rpd_stream(r, api, gpu, row == NO_INDEX ? RPD_NONE : calls->col[COPY_STREAM][row]);
    c->thread[n] = api == NO_INDEX ? NO_INDEX : r->api_thread[api];
    c->call[n] = api == NO_INDEX ? NO_INDEX : r->api_region[api];
    c->kind[n] = (uint8_t)copy_kind_of(r, type, row);
    set_ends(r, n, rpd_process(r, api), gpu, row != NO_INDEX && calls->col[COPY_PINNED][row] > 0);
}
