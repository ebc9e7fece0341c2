#include "ingest/rocpd/rocpd.h"

/*
 * A provisional stream: (GPU + 1) * (listed streams + 1) + (listed stream + 1), 0 = unknown. Every
 * process has agents of its own, so they are many more than GPUs: their product would not fit.
 */
#define UNNUMBERED UINT32_MAX

uint32_t rocpd_provisional_stream(const struct rocpd *r, uint32_t agent, int64_t stream_id)
{
    uint32_t listed = idtable_get(&r->streams, stream_id);
    uint32_t gpu = agent == NO_INDEX ? NO_INDEX : r->trace->agents.v[agent].gpu;
    uint64_t width = r->stream_list.n + 1;
    uint64_t number = (gpu == NO_INDEX ? 0 : gpu + UINT64_C(1)) * width +
                      (listed == NO_INDEX ? 0 : listed + UINT64_C(1));
    return number < UNNUMBERED ? (uint32_t)number : UNNUMBERED;
}

static uint32_t final_stream(struct rocpd *r, uint32_t provisional)
{
    size_t width = r->stream_list.n + 1;
    uint32_t gpu = (uint32_t)(provisional / width), listed = (uint32_t)(provisional % width);
    gpu = gpu ? gpu - 1 : NO_INDEX;
    struct stream s = {r->process, gpu, -1, 0, STREAM_UNKNOWN};
    if (listed)
        s = r->stream_list.v[listed - 1];
    if (gpu != NO_INDEX)
        r->trace->gpus.v[gpu].used = true;
    uint32_t stream = trace_stream(r->trace, s.process, gpu, s.id, s.name);
    if (!s.id) /* HIP's default stream; how others were made is not recorded */
        r->trace->streams.v[stream].kind = STREAM_NULL;
    return stream;
}

void rocpd_finish_streams(struct rocpd *r, uint32_t *column, size_t first, size_t n)
{
    struct idmap map;
    idmap_init(&map, r->arena);
    uint32_t last = NO_INDEX, last_final = NO_INDEX;
    size_t unnumbered = 0;
    for (size_t i = first; i < n; i++) {
        if (column[i] == UNNUMBERED) {
            unnumbered++;
            column[i] = 0;
        }
        if (column[i] != last) {
            last = column[i];
            last_final = idmap_get(&map, last);
            if (last_final == NO_INDEX) {
                last_final = final_stream(r, last);
                idmap_put(&map, last, last_final);
            }
        }
        column[i] = last_final;
    }
    trace_note(r->trace, NOTE_DANGLING, unnumbered,
               "rows without a stream: GPUs times streams are too many to number");
}

void rocpd_fill_times(int64_t *start, int64_t *end, size_t first, size_t n)
{
    int64_t last = 0;
    for (size_t i = first; i < n; i++) {
        if (start[i] != NO_TIME) {
            last = start[i];
            break;
        }
    }
    for (size_t i = first; i < n; i++) {
        if (start[i] == NO_TIME)
            start[i] = end[i] = last;
        last = end[i];
    }
}
